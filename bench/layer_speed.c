/* layer_speed.c - what the layer costs, beside its goals.
 *
 * The unicycle MPC of the paper at batch 1000, 500 paper steps with eps 0.3: time per sample and step for every instruction set
 * beside the same steps with dense LAPACK, forward and backward against forward only, a single sample. Then generated kernels, growing
 * horizons, one equality over 100 000 outputs, one column in 100 000 rows (layer_speed_shapes.c).
 *
 * What is compared is run in turns, several times; the best time of each counts. One thread: time of the processor; several:
 * time of the clock on the wall. It measures and judges nothing: the exit status is 0.
 *
 * SPDX-License-Identifier: MIT */
#include "layer_speed.h"
#include "command_line.h"
#include "cpu/backend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { HORIZON = 10, BATCH = 1000, STEPS = 500, ROUNDS = 21, GROUPS = 2, MOST_SETS = 3, SINGLES = 25 };

static const double GOAL_BACKWARD = 3, GOAL_SINGLE = 8e-6, AGREEMENT = 1e-9;

/* One instruction set on one number of threads; times per sample and step, in seconds. */
struct contest {
    hn_layer *layer;
    hn_pool *pool;
    double forward, both;
};

/* Dense LAPACK instead. */
struct yardstick {
    double seconds;    /* per sample and step; infinite when there is no LAPACK */
    double difference; /* between its y and ours */
    size_t compared;   /* samples */
};

struct unicycle {
    hn_model *model;
    struct samples samples;
    size_t sets;
    hn_layer *layers[MOST_SETS]; /* best instruction set first */
    double *grad_y, *grad_y_raw, *grad_x;
    void *tape;
    double *last; /* the iterate after all steps, of each sample */
};

static void keep_least(double *least, double value) {
    *least = fmin(*least, value);
}

static double goal_against_lapack(const char *instructions) {
    return strcmp(instructions, "avx512") == 0 ? 60 : strcmp(instructions, "avx2") == 0 ? 30 : 0;
}

/* ---- the comparison is fair: both end at the same point ---- */

static void keep_last(void *context, size_t sample, int iteration, const hn_real *y, hn_real violation,
                      hn_real damping) {
    const struct unicycle *u = context;
    (void)violation, (void)damping;
    if (iteration == STEPS)
        memcpy(u->last + sample * u->samples.outputs, y, u->samples.outputs * sizeof *y);
}

/* A layer returns the best iterate; the yardstick's is the last. */
static void find_last(struct unicycle *u) {
    hn_error error;
    hn_pool *pool;
    hn_batch batch = samples_batch(&u->samples, 0, BATCH);
    batch.watch = keep_last;
    batch.watch_context = u;
    expect(hn_pool_create(&pool, u->layers[0], 0, &error), &error);
    expect(hn_pool_run(pool, &batch, &error), &error);
    hn_pool_destroy(pool);
}

/* The largest difference between our last iterates and these, of samples from first on; infinite where there is a NaN. */
static double disagreement(const struct unicycle *u, const double *y, size_t first, size_t count) {
    const double *last = u->last + first * u->samples.outputs;
    double largest = 0;
    for (size_t i = 0; i < count * u->samples.outputs; i++) {
        double difference = fabs(y[i] - last[i]);
        largest = isnan(difference) ? INFINITY : fmax(largest, difference);
    }
    return largest;
}

/* ---- the parts of a round ---- */

static double time_forward(const struct unicycle *u, hn_pool *pool) {
    hn_error error;
    hn_batch batch = samples_batch(&u->samples, 0, BATCH);
    int threads = hn_pool_threads(pool);
    double start = now(threads);
    expect(hn_pool_run(pool, &batch, &error), &error);
    return (now(threads) - start) / ((double)BATCH * STEPS);
}

static double time_both(const struct unicycle *u, hn_pool *pool) {
    hn_error error;
    hn_batch batch = samples_batch(&u->samples, 0, BATCH);
    hn_gradient gradient = {
        .size = sizeof gradient, .grad_y = u->grad_y, .grad_y_raw = u->grad_y_raw, .grad_x = u->grad_x};
    int threads = hn_pool_threads(pool);
    batch.tape = u->tape;
    double start = now(threads);
    expect(hn_pool_run(pool, &batch, &error), &error);
    expect(hn_pool_gradient(pool, &batch, &gradient, &error), &error);
    return (now(threads) - start) / ((double)BATCH * STEPS);
}

/* Another part of the samples in every round, about as long a run as ours. */
static void time_lapack(const struct unicycle *u, int threads, int round, struct yardstick *yardstick) {
    size_t count = (size_t)(GROUPS * LANES * threads), first = (size_t)round * count % BATCH;
    count = count < BATCH - first ? count : BATCH - first;
    hn_batch batch = samples_batch(&u->samples, first, count);
    for (size_t i = 0; i < count * u->samples.outputs; i++)
        batch.y[i] = NAN; /* our own results lie there */
    double start = now(threads);
    lapack_run(u->layers[0], &batch, threads);
    keep_least(&yardstick->seconds, (now(threads) - start) / ((double)count * STEPS));
    yardstick->difference = fmax(yardstick->difference, disagreement(u, batch.y, first, count));
    yardstick->compared += count;
}

/* ---- tables ---- */

static void print_yardstick(const struct yardstick *yardstick, int threads) {
    printf("    LAPACK: %.1f us per step and thread; after %d steps the same y to %.1e (goal %.0e, %zu samples)%s\n",
           1e6 * yardstick->seconds * threads, STEPS, yardstick->difference, AGREEMENT, yardstick->compared,
           yardstick->difference <= AGREEMENT ? "" : " NOT A FAIR COMPARISON");
}

static void print_contests(const struct contest *contests, size_t sets, const struct yardstick *yardstick,
                           int threads) {
    bool known = isfinite(yardstick->seconds);
    printf("\n  %d thread%-14s %12s %12s %9s %6s\n", threads, threads > 1 ? "s" : "", "us per step", "LAPACK", "faster",
           "goal");
    for (size_t s = 0; s < sets; s++) {
        const char *name = hn_instructions_text(hn_layer_info_of(contests[s].layer).instructions);
        double goal = goal_against_lapack(name);
        printf("    %-20s %12.3f", name, 1e6 * contests[s].forward);
        if (known)
            printf(" %12.2f %8.1fx", 1e6 * yardstick->seconds, yardstick->seconds / contests[s].forward);
        else
            printf(" %12s %9s", "-", "-");
        printf(goal > 0 ? " %5.0fx\n" : "      -\n", goal);
    }
    printf("    %-20s %12.3f %12s %8.2fx %5.0fx of forward alone\n", "forward and backward", 1e6 * contests[0].both, "",
           contests[0].both / contests[0].forward, GOAL_BACKWARD);
    if (known)
        print_yardstick(yardstick, threads);
}

static void run_contests(const struct unicycle *u, int threads) {
    hn_error error;
    struct contest contests[MOST_SETS];
    struct yardstick yardstick = {.seconds = INFINITY};
    for (size_t s = 0; s < u->sets; s++) {
        contests[s] = (struct contest){.layer = u->layers[s], .forward = INFINITY, .both = INFINITY};
        expect(hn_pool_create(&contests[s].pool, u->layers[s], threads, &error), &error);
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t s = 0; s < u->sets; s++)
            keep_least(&contests[s].forward, time_forward(u, contests[s].pool));
        keep_least(&contests[0].both, time_both(u, contests[0].pool));
        if (lapack_name())
            time_lapack(u, threads, round, &yardstick);
    }
    print_contests(contests, u->sets, &yardstick, threads);
    for (size_t s = 0; s < u->sets; s++)
        hn_pool_destroy(contests[s].pool);
}

static void print_single(const struct unicycle *u) {
    hn_error error;
    printf("\n  %-24s %12s %12s %9s %6s\n", "1 sample, 1 thread", "us per step", "", "", "goal");
    for (size_t s = 0; s < u->sets; s++) {
        const hn_layer *layer = u->layers[s];
        size_t bytes = hn_layer_workspace_bytes(layer);
        void *workspace = reserve(bytes, 1);
        double best = INFINITY;
        for (size_t k = 0; k < SINGLES; k++) {
            hn_batch batch = samples_batch(&u->samples, k, 1);
            double start = now(1);
            expect(hn_layer_run(layer, &batch, workspace, bytes, &error), &error);
            keep_least(&best, (now(1) - start) / STEPS);
        }
        printf("    %-20s %12.2f %12s %9s %6.0f\n", hn_instructions_text(hn_layer_info_of(layer).instructions),
               1e6 * best, "", "", 1e6 * GOAL_SINGLE);
        free(workspace);
    }
}

/* ---- the unicycle ---- */

static struct unicycle prepare(void) {
    struct unicycle u = {.model = unicycle_model(HORIZON), .samples = unicycle_samples(HORIZON, BATCH)};
    struct backend backend;
    size_t numbers = BATCH * u.samples.outputs;
    while (u.sets < MOST_SETS && backend_at(u.sets, &backend)) {
        hn_instructions instructions = HN_INSTRUCTIONS_BEST;
        hn_instructions_find(backend.name, &instructions);
        u.layers[u.sets] = paper_layer(u.model, STEPS, instructions);
        u.sets++;
    }
    u.tape = reserve(hn_layer_tape_bytes(u.layers[0], BATCH), 1);
    u.grad_y = reserve(numbers, sizeof *u.grad_y);
    u.grad_y_raw = reserve(numbers, sizeof *u.grad_y_raw);
    u.grad_x = reserve(BATCH * u.samples.inputs, sizeof *u.grad_x);
    u.last = reserve(numbers, sizeof *u.last);
    for (size_t i = 0; i < numbers; i++) {
        u.grad_y[i] = 1;
        u.last[i] = NAN; /* until it is found */
    }
    find_last(&u);
    return u;
}

static void release(struct unicycle *u) {
    free(u->tape);
    free(u->grad_y);
    free(u->grad_y_raw);
    free(u->grad_x);
    free(u->last);
    for (size_t s = 0; s < u->sets; s++)
        hn_layer_destroy(u->layers[s]);
    samples_release(&u->samples);
    hn_model_destroy(u->model);
}

static int count_threads(const hn_layer *layer) {
    hn_error error;
    hn_pool *pool;
    expect(hn_pool_create(&pool, layer, 0, &error), &error);
    int threads = hn_pool_threads(pool);
    hn_pool_destroy(pool);
    return threads;
}

static void print_unicycle(void) {
    struct unicycle u = prepare();
    hn_layer_info info = hn_layer_info_of(u.layers[0]);
    int threads = count_threads(u.layers[0]);
    printf("unicycle MPC, batch %d, %d paper steps, eps 0.3; per sample and step\n", BATCH, STEPS);
    printf("  %zu outputs, %zu rows, %zu nonzeros in J, %zu in the factor below its diagonal\n", info.outputs,
           info.rows, info.jacobian_nonzeros, info.factor_nonzeros);
    printf("  yardstick: %s\n", lapack_name() ? lapack_name() : "missing, OpenBLAS was not found (scripts/setup)");
    run_contests(&u, threads);
    if (threads > 1)
        run_contests(&u, 1);
    print_single(&u);
    release(&u);
    print_auto(threads);
}

static const char HELP[] =
    "usage: layer_speed [generated]\n\n"
    "What the layer costs: the unicycle beside dense LAPACK, generated kernels, growing horizons,\n"
    "one equality over 100 000 outputs. With the word `generated` generated kernels only.\n";

int main(int count, char **words) {
    static const char *const options[] = {NULL};
    struct rusage usage;
    command_line_check(count, words, HELP, options, 1);
    if (count > 1 && strcmp(words[1], "generated") != 0)
        command_line_refuse("layer_speed", words[1]);
    setvbuf(stdout, NULL, _IOLBF, 0);
    double start = now(2);
    if (count > 1) {
        print_generated();
        return 0;
    }
    print_unicycle();
    print_generated();
    print_horizons();
    print_shapes();
    getrusage(RUSAGE_SELF, &usage);
    printf("\nlargest resident size %.0f MB, %.0f s\n", (double)usage.ru_maxrss / 1e3, now(2) - start);
    return 0;
}
