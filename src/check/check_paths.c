/* check_paths.c - see check_paths.h.
 *
 * SPDX-License-Identifier: MIT */
#include "check/check_paths.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

static const double LEAST_ENERGY = 5e-21; /* |r| = 1e-10: below, V is rounding error */

hn_status paths_create(struct paths *paths, struct check *check, hn_error *error) {
    struct arena *arena = &check->arena;
    *paths = (struct paths){.check = check};
    size_t numbers = (size_t)(PATH_STEPS + 1) * CHECK_MOST;
    paths->iterate = arena_take(arena, numbers, (check->columns + 1) * sizeof(double));
    paths->energy = arena_take(arena, numbers, sizeof(double));
    paths->violation = arena_take(arena, numbers, sizeof(double));
    bool placed = paths->iterate && paths->energy && paths->violation;
    return placed ? HN_OK : error_no_memory(error, "check");
}

/* ---- running ---- */

static double *check_paths_place_of(const struct paths *paths, int step, size_t path) {
    return paths->iterate + ((size_t)step * CHECK_MOST + path) * paths->check->columns;
}

const double *paths_iterate(const struct paths *paths, int step, size_t path) {
    return check_paths_place_of(paths, step, path);
}

static void watch(void *context, size_t sample, int iteration, const hn_real *y, hn_real violation, hn_real damping) {
    struct paths *paths = context;
    (void)damping;
    if (iteration > PATH_STEPS || !isfinite(violation) || iteration != paths->length[sample])
        return;
    memcpy(check_paths_place_of(paths, iteration, sample), y, paths->check->columns * sizeof *y);
    paths->length[sample] = iteration + 1;
}

hn_status paths_run(struct paths *paths, double eps, const char **why_not, hn_error *error) {
    struct check *check = paths->check;
    hn_layer *layer = NULL;
    hn_layer_options options = hn_layer_defaults();
    options.method = HN_METHOD_PAPER;
    options.damping = eps;
    options.iterations = PATH_STEPS;
    memset(paths->length, 0, sizeof paths->length);
    hn_status status = check_make_layer(&layer, why_not, check, &options, error);
    if (!layer)
        return status;
    double *y = arena_take(&check->arena, CHECK_MOST, (check->columns + 1) * sizeof *y);
    hn_batch batch = {
        .size = sizeof batch, .count = CHECK_MOST, .x = check->x, .y_raw = check->y, .y = y, .watch = watch};
    batch.watch_context = paths;
    status = y ? check_run_layer(layer, &batch, error) : error_no_memory(error, "check");
    hn_layer_destroy(layer);
    return status;
}

/* ---- evaluating ---- */

void paths_visit(const struct paths *paths, struct probe *probe, int step) {
    const struct check *check = paths->check;
    for (size_t path = 0; path < CHECK_MOST; path++) {
        int last = paths->length[path] - 1, at = step < last ? step : last;
        const double *x = check->x + path * check->inputs, *y = check->y + path * check->columns;
        probe_place(probe, path, x, at >= 0 ? paths_iterate(paths, at, path) : y);
    }
    probe_run(probe);
    memcpy(paths->energy + (size_t)step * CHECK_MOST, probe->energy, sizeof probe->energy);
    memcpy(paths->violation + (size_t)step * CHECK_MOST, probe->violation, sizeof probe->violation);
}

/* A path contributes until V is nearly 0. */
static void add_path(const struct paths *paths, size_t path, hn_check_rate *rate) {
    for (int step = 0; step + 1 < paths->length[path]; step++) {
        double before = paths->energy[(size_t)step * CHECK_MOST + path];
        double after = paths->energy[((size_t)step + 1) * CHECK_MOST + path];
        if (!(before > LEAST_ENERGY) || !isfinite(after))
            return;
        double ratio = fmax(after, LEAST_ENERGY) / before;
        rate->mean += log(ratio);
        rate->worst = fmax(rate->worst, ratio);
        rate->steps++;
    }
}

hn_check_rate paths_rate(const struct paths *paths, double eps) {
    hn_check_rate rate = {.eps = eps};
    for (size_t path = 0; path < CHECK_MOST; path++)
        add_path(paths, path, &rate);
    rate.mean = rate.steps > 0 ? exp(rate.mean / (double)rate.steps) : 0;
    return rate;
}
