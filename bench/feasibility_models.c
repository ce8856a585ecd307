/* feasibility_models.c - finding, reading and sampling models. See feasibility.h.
 *
 * SPDX-License-Identifier: MIT */
#include "feasibility.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "common/inputs.h"
#include "hardnet/read.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_BYTES = 1 << 30 };

static void *need(void *memory) {
    if (!memory) {
        fputs("feasibility: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

void *reserve(size_t count, size_t size) {
    return need(calloc(count > 0 ? count : 1, size));
}

void *reserve_more(void *list, size_t *capacity, size_t needed, size_t size) {
    return need(array_grow(list, capacity, needed, size));
}

/* ---- files ---- */

static bool ends_in(const char *text, const char *ending) {
    size_t length = strlen(text), own = strlen(ending);
    return length > own && strcmp(text + length - own, ending) == 0;
}

static char *join(const char *folder, const char *name) {
    size_t bytes = strlen(folder) + strlen(name) + 2;
    char *path = reserve(bytes, 1);
    snprintf(path, bytes, ends_in(folder, "/") ? "%s%s" : "%s/%s", folder, name);
    return path;
}

static void keep(struct paths *paths, char *path) {
    paths->items = reserve_more(paths->items, &paths->capacity, paths->count + 1, sizeof *paths->items);
    paths->items[paths->count++] = path;
}

static bool is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool add_folder(struct paths *paths, const char *folder) {
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    if (count < 0)
        return false;
    for (int i = 0; i < count; i++) {
        char *path = join(folder, entries[i]->d_name);
        bool hidden = entries[i]->d_name[0] == '.', model = ends_in(path, ".mod");
        free(entries[i]);
        if (model && !hidden)
            keep(paths, path);
        else if (!hidden && is_folder(path))
            add_folder(paths, path);
        if (!model || hidden)
            free(path);
    }
    free(entries);
    return true;
}

bool paths_add(struct paths *paths, const char *path) {
    struct stat info;
    if (is_folder(path))
        return add_folder(paths, path);
    if (stat(path, &info) != 0)
        return false;
    char *copy = reserve(strlen(path) + 1, 1);
    keep(paths, strcpy(copy, path));
    return true;
}

void paths_release(struct paths *paths) {
    for (size_t i = 0; i < paths->count; i++)
        free(paths->items[i]);
    base_release(paths->items);
}

/* FILE.dat beside FILE.mod, unless the model reads it itself; NULL: none. */
static char *data_of(const char *path) {
    struct file_bytes text;
    struct stat info;
    char *data = strcpy(reserve(strlen(path) + 1, 1), path), *slash = strrchr(path, '/');
    bool wanted = false;
    if (ends_in(path, ".mod")) {
        strcpy(data + strlen(data) - 4, ".dat");
        wanted = stat(data, &info) == 0 && file_read(&text, path, MOST_BYTES, NULL) == HN_OK;
    }
    if (wanted) {
        wanted = strstr((const char *)text.data, data + (slash ? slash + 1 - path : 0)) == NULL;
        base_release(text.data);
    }
    if (!wanted)
        free(data);
    return wanted ? data : NULL;
}

hn_status read_model(hn_model **out, const char *path, const struct wishes *wishes, hn_error *error) {
    hn_read_options options = hn_read_defaults();
    char *data = data_of(path);
    const char *files[] = {path, data};
    options.relax_integrality = wishes->relax_integrality;
    hn_status status = hn_model_read(out, data ? 2 : 1, files, &options, error);
    free(data);
    return status;
}

/* ---- samples ---- */

hn_status samples_create(struct samples *samples, const hn_model *model, size_t count, hn_error *error) {
    size_t inputs = hn_model_input_count(model), outputs = hn_model_output_count(model);
    *samples = (struct samples){.count = count, .inputs = inputs, .outputs = outputs};
    samples->x = calloc(count * inputs + 1, sizeof *samples->x);
    samples->y = calloc(count * outputs + 1, sizeof *samples->y);
    return samples->x && samples->y ? HN_OK : error_no_memory(error, "samples");
}

void samples_release(struct samples *samples) {
    free(samples->x);
    free(samples->y);
    *samples = (struct samples){.count = 0};
}

static double draw_start(double lower, double start, double upper, struct random *random) {
    if (isfinite(lower) && isfinite(upper))
        return random_between(random, lower, upper);
    double at = start + fmax(1, fabs(start)) * random_normal(random);
    return at < lower ? lower : at > upper ? upper : at;
}

hn_status samples_draw(struct samples *samples, const hn_model *model, size_t k, enum start start, uint64_t seed,
                       hn_error *error) {
    size_t n = samples->outputs;
    struct random random = random_start(seed, k);
    double *x = samples->x + k * samples->inputs, *y = samples->y + k * n;
    hn_expr *exprs = reserve(3 * n, sizeof *exprs);
    double *values = reserve(3 * n, sizeof *values);
    bool met;
    hn_status status = inputs_sample(model, &random, x, &met, error);
    for (size_t j = 0; j < n; j++) {
        hn_output_info output = hn_model_output(model, j);
        exprs[3 * j] = output.lower;
        exprs[3 * j + 1] = hn_is_valid(output.fixed) ? output.fixed : output.start;
        exprs[3 * j + 2] = output.upper;
    }
    if (status == HN_OK)
        status = hn_model_evaluate(model, 3 * n, exprs, x, y, values, error);
    for (size_t j = 0; j < n && status == HN_OK; j++) {
        bool own = start == START_OWN || hn_is_valid(hn_model_output(model, j).fixed);
        y[j] = own ? values[3 * j + 1] : draw_start(values[3 * j], values[3 * j + 1], values[3 * j + 2], &random);
    }
    free(exprs);
    free(values);
    return status;
}
