/* dense.c - full systems: the projection onto n/2 equalities and n/2 inequalities, every coefficient nonzero.
 *
 *     dense [--check] [--rounds R] [--threads T] [N ...]          T = 2, N = 50 100 200 400 1000 unless given
 *
 * Coefficients, a point that holds and raw outputs are normal; inequalities are held by it with room to spare, uniform in 0 to 1.
 * auto to 1e-8 on one thread: processor time of a sample that is alone, and per sample in a batch of 16, the median of R rounds;
 * beside it what LAPACK takes on the same path (dense.h). Then T threads on one sample: time on the wall, and how many times that
 * of one thread in the same round, the median and the best round. With --check it fails where a goal is missed or a sample is not
 * ok.
 *
 * SPDX-License-Identifier: MIT */
#include "dense.h"

#include "base/clock.h"
#include "base/random.h"
#include "command_line.h"
#include "hardnet/layer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { BATCH = 16, MOST_ROUNDS = 100, MOST_SIZES = 32 };

/* Milliseconds per sample, and the most that a sample may cost of LAPACK's time. */
struct goal {
    size_t n;
    double alone, batch;
};
static const struct goal GOALS[] = {{100, 0.35, 0.3}, {200, 1.5, 1.2}, {400, 6, 5}, {1000, 50, 45}};
static const double MOST_RATIO = 3;

struct wanted {
    bool check;
    int rounds, threads;
    size_t sizes[MOST_SIZES], count;
};

struct bench {
    struct dense_problem problem;
    hn_layer *layer;
    hn_pool *pool; /* of T threads */
    void *workspace;
    size_t bytes;
    double *raw, *y;
    hn_report reports[BATCH];
    struct dense_path path; /* of all samples */
    double model_seconds, layer_seconds;
};

void dense_fail(const char *sentence) {
    fprintf(stderr, "dense: %s\n", sentence);
    exit(1);
}

static void expect(hn_status status, const hn_error *error) {
    if (status != HN_OK)
        dense_fail(error->text);
}

static void *reserve(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (!memory)
        dense_fail("out of memory");
    return memory;
}

/* ---- the model ---- */

static double value(const struct dense_problem *p, size_t row, const double *y) {
    double sum = 0;
    for (size_t j = 0; j < p->n; j++)
        sum += p->matrix[row * p->n + j] * y[j];
    return sum;
}

static void draw(struct bench *b, size_t n) {
    struct random random = random_start(16, n);
    struct dense_problem *p = &b->problem;
    double *inside = reserve(n, sizeof *inside);
    *p = (struct dense_problem){n, reserve(n * n, sizeof(double)), reserve(n, sizeof(double))};
    b->raw = reserve(BATCH * n, sizeof *b->raw);
    b->y = reserve(BATCH * n, sizeof *b->y);
    for (size_t e = 0; e < n * n; e++)
        p->matrix[e] = random_normal(&random);
    for (size_t j = 0; j < n; j++)
        inside[j] = random_normal(&random);
    for (size_t i = 0; i < n; i++)
        p->upper[i] = value(p, i, inside) + (i < n / 2 ? 0 : random_uniform(&random));
    for (size_t e = 0; e < BATCH * n; e++)
        b->raw[e] = random_normal(&random);
    free(inside);
}

static hn_model *model_of(const struct dense_problem *p) {
    hn_model *model;
    hn_error error;
    hn_expr *y = reserve(p->n, sizeof *y);
    size_t half = p->n / 2;
    const hn_matrix equal = {.size = sizeof equal, .rows = half, .columns = p->n, .values = p->matrix};
    const hn_matrix below = {
        .size = sizeof below, .rows = p->n - half, .columns = p->n, .values = p->matrix + half * p->n};
    char name[32];
    expect(hn_model_create(&model, NULL, &error), &error);
    for (size_t j = 0; j < p->n; j++) {
        snprintf(name, sizeof name, "y[%zu]", j);
        y[j] = hn_output(model, name);
    }
    hn_constrain_affine(model, "equal", &equal, y, p->upper, p->upper);
    hn_constrain_affine(model, "below", &below, y, NULL, p->upper + half);
    expect(hn_model_finish(model, &error), &error);
    free(y);
    return model;
}

/* ---- paths ---- */

static void watch(void *context, size_t sample, int iteration, const double *y, double violation, double damping) {
    struct bench *b = context;
    struct dense_path *path = &b->path;
    size_t rows = b->problem.n / 2;
    (void)sample, (void)iteration, (void)damping;
    if (violation <= 1e-8)
        return;
    for (size_t i = rows; i < b->problem.n; i++)
        rows += value(&b->problem, i, y) > b->problem.upper[i];
    if (path->count == path->room) {
        path->room = 2 * path->room + 64;
        path->rows = realloc(path->rows, path->room * sizeof *path->rows);
        if (!path->rows)
            dense_fail("out of memory");
    }
    path->rows[path->count++] = rows;
}

/* ---- times ---- */

static hn_batch batch_of(struct bench *b, size_t first, size_t count) {
    size_t n = b->problem.n;
    return (hn_batch){.size = sizeof(hn_batch),
                      .count = count,
                      .y_raw = b->raw + first * n,
                      .y = b->y + first * n,
                      .report_size = sizeof *b->reports,
                      .reports = b->reports + first};
}

static void run(struct bench *b, const hn_batch *batch) {
    hn_error error;
    expect(hn_layer_run(b->layer, batch, b->workspace, b->bytes, &error), &error);
}

/* Seconds per sample, `together` samples a call. */
static double time_calls(struct bench *b, size_t together, double (*clock)(void)) {
    double begin = clock();
    for (size_t first = 0; first < BATCH; first += together) {
        const hn_batch batch = batch_of(b, first, together);
        run(b, &batch);
    }
    return (clock() - begin) / BATCH;
}

/* Seconds on the wall for one sample on the pool's threads. */
static double time_pool(struct bench *b) {
    double begin = clock_seconds();
    hn_error error;
    for (size_t first = 0; first < BATCH; first++) {
        const hn_batch batch = batch_of(b, first, 1);
        expect(hn_pool_run(b->pool, &batch, &error), &error);
    }
    return (clock_seconds() - begin) / BATCH;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *numbers, int count) {
    qsort(numbers, (size_t)count, sizeof *numbers, by_size);
    return count % 2 ? numbers[count / 2] : (numbers[count / 2 - 1] + numbers[count / 2]) / 2;
}

/* ---- one size ---- */

static void prepare(struct bench *b, size_t n, int threads) {
    hn_error error;
    draw(b, n);
    double begin = clock_busy_seconds();
    hn_model *model = model_of(&b->problem);
    b->model_seconds = clock_busy_seconds() - begin;
    expect(hn_layer_create(&b->layer, model, NULL, &error), &error);
    b->layer_seconds = clock_busy_seconds() - begin - b->model_seconds;
    hn_model_destroy(model);
    expect(hn_pool_create(&b->pool, b->layer, threads, &error), &error);
    b->bytes = hn_layer_workspace_bytes(b->layer);
    b->workspace = reserve(b->bytes, 1);
    hn_batch batch = batch_of(b, 0, BATCH);
    batch.watch = watch;
    batch.watch_context = b;
    run(b, &batch);
}

static void release(struct bench *b) {
    free(b->problem.matrix);
    free(b->problem.upper);
    free(b->raw);
    free(b->y);
    free(b->path.rows);
    free(b->workspace);
    hn_pool_destroy(b->pool);
    hn_layer_destroy(b->layer);
}

static double mean_iterations(const struct bench *b) {
    double sum = 0;
    for (int i = 0; i < BATCH; i++)
        sum += b->reports[i].iterations;
    return sum / BATCH;
}

static size_t count_ok(const struct bench *b) {
    size_t ok = 0;
    for (int i = 0; i < BATCH; i++)
        ok += b->reports[i].outcome == HN_OUTCOME_OK;
    return ok;
}

static double mean_rows(const struct bench *b) {
    double sum = 0;
    for (size_t k = 0; k < b->path.count; k++)
        sum += (double)b->path.rows[k];
    return b->path.count ? sum / (double)b->path.count : 0;
}

struct times {
    double alone, batch, lapack;
    double pool;           /* one sample on several threads, on the wall */
    double speed_up, best; /* against one thread, round by round */
};

static struct times measure(struct bench *b, int rounds) {
    double alone[MOST_ROUNDS], batch[MOST_ROUNDS], lapack[MOST_ROUNDS], pool[MOST_ROUNDS], speed_up[MOST_ROUNDS];
    for (int r = 0; r < rounds; r++) {
        alone[r] = time_calls(b, 1, clock_busy_seconds);
        batch[r] = time_calls(b, BATCH, clock_busy_seconds);
        lapack[r] = dense_lapack_seconds(&b->problem, &b->path) / BATCH;
        double one = time_calls(b, 1, clock_seconds);
        pool[r] = time_pool(b);
        speed_up[r] = one / pool[r];
    }
    struct times t = {.alone = median(alone, rounds),
                      .batch = median(batch, rounds),
                      .lapack = median(lapack, rounds),
                      .pool = median(pool, rounds),
                      .speed_up = median(speed_up, rounds)};
    t.best = speed_up[rounds - 1]; /* ascending by now */
    return t;
}

static const struct goal *goal_of(size_t n) {
    for (size_t i = 0; i < sizeof GOALS / sizeof GOALS[0]; i++)
        if (GOALS[i].n == n)
            return &GOALS[i];
    return NULL;
}

/* Whether all samples are ok and every goal is met. */
static bool meets(const struct bench *b, const struct times *t) {
    const struct goal *goal = goal_of(b->problem.n);
    bool quick = !goal || (1e3 * t->alone <= goal->alone && 1e3 * t->batch <= goal->batch);
    bool near = !goal || isnan(t->lapack) || (t->alone <= MOST_RATIO * t->lapack && t->batch <= MOST_RATIO * t->lapack);
    return quick && near && count_ok(b) == BATCH;
}

static bool report(size_t n, const struct wanted *w) {
    struct bench b = {.layer = NULL};
    struct rusage usage;
    prepare(&b, n, w->threads);
    struct times t = measure(&b, w->rounds);
    bool met = meets(&b, &t);
    getrusage(RUSAGE_SELF, &usage);
    printf("  %5zu %5zu %6.1f %6.0f %9.3f %9.3f %9.3f %7.2f %7.2f %9.3f %5.2f %5.2f %9.3f %8.2f %8.2f %7.0f  %s\n", n,
           count_ok(&b), mean_iterations(&b), mean_rows(&b), 1e3 * t.alone, 1e3 * t.batch, 1e3 * t.lapack,
           t.alone / t.lapack, t.batch / t.lapack, 1e3 * t.pool, t.speed_up, t.best,
           1e3 * dense_lapack_product(&b.problem), b.model_seconds, b.layer_seconds, (double)usage.ru_maxrss / 1e3,
           met ? (goal_of(n) ? "met" : "") : "missed");
    release(&b);
    return met;
}

/* ---- the command line ---- */

static long number_after(const char *what, const char *text, long least, long most) {
    char *end = NULL, sentence[128];
    long number = text ? strtol(text, &end, 10) : 0;
    snprintf(sentence, sizeof sentence, "%s: give a whole number from %ld to %ld", what, least, most);
    if (!text || end == text || *end || number < least || number > most)
        dense_fail(sentence);
    return number;
}

static const char HELP[] = "usage: dense [--check] [--rounds R] [--threads T] [N ...]\n\n"
                           "The projection onto n/2 equalities and n/2 inequalities with full rows, n = 50 100 200 400 "
                           "1000 unless given, beside\n"
                           "LAPACK: processor time of one sample, of a batch of 16, and time on the wall of one sample "
                           "on T threads, 2 unless\n"
                           "given; the median of R rounds, 5 unless given. With --check it fails where a goal is "
                           "missed or a sample is not ok.\n";

static struct wanted wanted_of(int count, char **words) {
    static const size_t usual[] = {50, 100, 200, 400, 1000};
    static const char *const options[] = {"--check", "--rounds", "--threads", NULL};
    struct wanted w = {.rounds = 5, .threads = 2};
    command_line_check(count, words, HELP, options, MOST_SIZES);
    for (int i = 1; i < count; i++)
        if (strcmp(words[i], "--check") == 0)
            w.check = true;
        else if (strcmp(words[i], "--rounds") == 0)
            w.rounds = (int)number_after("--rounds", words[i + 1 < count ? ++i : i], 1, MOST_ROUNDS);
        else if (strcmp(words[i], "--threads") == 0)
            w.threads = (int)number_after("--threads", words[i + 1 < count ? ++i : i], 2, 1024);
        else if (w.count < MOST_SIZES)
            w.sizes[w.count++] = (size_t)number_after(words[i], words[i], 2, 5000);
    for (size_t i = 0; w.count < sizeof usual / sizeof usual[0] && i == w.count; i++)
        w.sizes[w.count++] = usual[i];
    return w;
}

int main(int count, char **words) {
    struct wanted w = wanted_of(count, words);
    char threads[32];
    bool met = true;
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("n/2 equalities and n/2 inequalities, all coefficients nonzero; auto to 1e-8, 1 thread, processor time, "
           "median of "
           "%d rounds\n",
           w.rounds);
    printf("  yardstick: %s\n",
           dense_lapack_name() ? dense_lapack_name() : "absent, OpenBLAS was not found when this was built");
    snprintf(threads, sizeof threads, "%d thr. ms", w.threads);
    printf("  %5s %5s %6s %6s %9s %9s %9s %7s %7s %9s %5s %5s %9s %8s %8s %7s\n", "n", "ok", "steps", "rows",
           "alone ms", "16: ms", "LAPACK ms", "alone x", "16: x", threads, "times", "best", "dsyrk ms", "model s",
           "layer s", "MB");
    for (size_t i = 0; i < w.count; i++)
        met = report(w.sizes[i], &w) && met;
    return w.check && !met;
}
