/* bits_run.c - every method and every way to call it on one problem. See bits.h.
 *
 * Outputs of a call are filled with a number that nothing computes beforehand, so that what is left unwritten is compared too.
 * Gradients are asked for only where every returned output is finite.
 *
 * SPDX-License-Identifier: MIT */
#include "bits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_BYTES = 512 };
#define UNWRITTEN (-0x1.5ca1ab1e0ff1cp+77)

/* ---- the two shapes of the public structs: scripts/same-bits finds out which one a tree has ---- */

#ifdef BITS_INSTRUCTIONS_ARE_NUMBERS
static const struct {
    hn_instructions value;
    const char *name;
} sets[] = {{HN_INSTRUCTIONS_PORTABLE, "portable"}, {HN_INSTRUCTIONS_AVX2, "avx2"}, {HN_INSTRUCTIONS_AVX512, "avx512"}};
#else
static const struct {
    const char *value;
    const char *name;
} sets[] = {{"portable", "portable"}, {"avx2", "avx2"}, {"avx512", "avx512"}};
#endif

#ifdef BITS_STRUCTS_HAVE_SIZES
static const hn_batch empty_batch = {.size = sizeof(hn_batch), .report_size = sizeof(hn_report)};
static const hn_gradient empty_gradient = {.size = sizeof(hn_gradient)};
#else
static const hn_batch empty_batch = {.count = 0};
static const hn_gradient empty_gradient = {.grad_y = NULL};
#endif

/* ---- methods ---- */

static const struct variant {
    const char *name;
    hn_method method;
    double damping;
    int iterations;
    double tolerance;
    bool relative;
} variants[] = {
    {"paper", HN_METHOD_PAPER, -1, 60, 1e-8, false},
    {"hardnet", HN_METHOD_HARDNET, -1, -1, 1e-8, false},
    {"lm", HN_METHOD_LM, -1, -1, 1e-8, false},
    {"auto", HN_METHOD_AUTO, -1, -1, 1e-8, false},
    {"lm-fixed", HN_METHOD_LM, 0.05, 60, 1e-8, false},
    {"auto-damping", HN_METHOD_AUTO, 0.3, -1, 1e-8, false},
    {"auto-relative", HN_METHOD_AUTO, -1, -1, 1e-6, true},
    {"auto-short", HN_METHOD_AUTO, -1, 7, 1e-8, false},
    {"auto-undamped", HN_METHOD_AUTO, 0, -1, 1e-8, false},
    {"auto-strict", HN_METHOD_AUTO, -1, 40, 0, false},
    {"paper-undamped", HN_METHOD_PAPER, 0, 20, 1e-8, true},
    {"lm-relative", HN_METHOD_LM, -1, 30, 1e-4, true},
};
enum { VARIANTS = sizeof variants / sizeof variants[0] };

/* ---- one call with all its arrays ---- */

struct call {
    const struct problem *problem;
    hn_layer *layer;
    size_t first, count; /* samples of the problem */
    hn_batch batch;      /* what is asked for; its arrays are these: */
    double *y, *residual, *warm, *grad_y, *grad_y_raw, *grad_x, *grad_lower, *grad_upper;
    hn_report *reports;
    bool *flagged;
    void *tape, *workspace;
    uint64_t *seen; /* per sample: a digest of what watch saw */
    size_t workspace_bytes;
};

static double *unwritten(size_t count) {
    double *values = bits_reserve(count, sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = UNWRITTEN;
    return values;
}

static void call_begin(struct call *call, const struct problem *problem, hn_layer *layer, size_t first, size_t count) {
    size_t outputs = count * problem->outputs, rows = count * problem->rows;
    *call = (struct call){.problem = problem, .layer = layer, .first = first, .count = count};
    call->y = unwritten(outputs);
    call->residual = unwritten(rows);
    call->warm = bits_reserve(outputs, sizeof *call->warm);
    call->grad_y = unwritten(outputs);
    call->grad_y_raw = unwritten(outputs);
    call->grad_x = unwritten(count * problem->inputs);
    call->grad_lower = unwritten(rows);
    call->grad_upper = unwritten(rows);
    call->reports = bits_reserve(count, sizeof *call->reports);
    call->flagged = bits_reserve(count, sizeof *call->flagged);
    call->seen = bits_reserve(count, sizeof *call->seen);
    call->tape = bits_reserve(1, hn_layer_tape_bytes(layer, count) + 1);
    call->workspace_bytes = hn_layer_workspace_bytes(layer);
    if (hn_layer_gradient_workspace_bytes(layer) > call->workspace_bytes)
        call->workspace_bytes = hn_layer_gradient_workspace_bytes(layer);
    call->workspace = bits_reserve(1, call->workspace_bytes + 1);
    call->batch = empty_batch;
    call->batch.count = count;
    call->batch.x = problem->inputs ? problem->x + first * problem->inputs : NULL;
    call->batch.y_raw = problem->y_raw + first * problem->outputs;
    call->batch.y = call->y;
    call->batch.reports = call->reports;
    call->batch.residual = call->residual;
    call->batch.tape = call->tape;
}

static void call_end(struct call *call) {
    void *all[] = {call->y,      call->residual,   call->warm,       call->grad_y,  call->grad_y_raw,
                   call->grad_x, call->grad_lower, call->grad_upper, call->reports, call->flagged,
                   call->seen,   call->tape,       call->workspace};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        free(all[i]);
}

static void stop(const char *what, const hn_error *error) {
    fprintf(stderr, "bits: %s: %s\n", what, error->text);
    exit(2);
}

/* ---- what comes out of it ---- */

static void note_reports(struct record *record, const struct call *call) {
    size_t n = call->count;
    uint64_t *words = bits_reserve(n, sizeof *words);
    double *reals = bits_reserve(n, sizeof *reals);
#define NOTE_WORD(field)                                                                                               \
    for (size_t k = 0; k < n; k++)                                                                                     \
        words[k] = (uint64_t)call->reports[k].field;                                                                   \
    bits_record_words(record, #field, n, words)
#define NOTE_REAL(field)                                                                                               \
    for (size_t k = 0; k < n; k++)                                                                                     \
        reals[k] = call->reports[k].field;                                                                             \
    bits_record_reals(record, #field, n, reals)
    NOTE_WORD(outcome);
    NOTE_WORD(iterations);
    NOTE_WORD(steps);
    NOTE_WORD(worst);
    NOTE_WORD(culprit);
    NOTE_REAL(violation_before);
    NOTE_REAL(violation);
    NOTE_REAL(moved);
    NOTE_REAL(damping);
    free(words);
    free(reals);
}

static void note_run(struct record *record, const struct call *call) {
    bits_record_reals(record, "y", call->count * call->problem->outputs, call->batch.y);
    if (call->batch.residual)
        bits_record_reals(record, "residual", call->count * call->problem->rows, call->residual);
    if (call->batch.warm)
        bits_record_reals(record, "warm", call->count * call->problem->outputs, call->warm);
    if (call->batch.watch)
        bits_record_words(record, "watched", call->count, call->seen);
    if (call->batch.reports)
        note_reports(record, call);
}

static bool all_finite(const struct call *call) {
    for (size_t i = 0; i < call->count * call->problem->outputs; i++)
        if (!isfinite(call->y[i]))
            return false;
    return true;
}

static void note_gradient(struct record *record, const struct call *call) {
    size_t n = call->count;
    uint64_t *flagged = bits_reserve(n, sizeof *flagged);
    for (size_t k = 0; k < n; k++)
        flagged[k] = call->flagged[k];
    bits_record_reals(record, "grad_y_raw", n * call->problem->outputs, call->grad_y_raw);
    bits_record_reals(record, "grad_x", n * call->problem->inputs, call->grad_x);
    bits_record_reals(record, "grad_lower", n * call->problem->rows, call->grad_lower);
    bits_record_reals(record, "grad_upper", n * call->problem->rows, call->grad_upper);
    bits_record_words(record, "flagged", n, flagged);
    free(flagged);
}

static hn_gradient gradient_of(const struct call *call) {
    struct dice dice = bits_dice_start(7, call->first);
    for (size_t i = 0; i < call->count * call->problem->outputs; i++)
        call->grad_y[i] = bits_dice_normal(&dice);
    hn_gradient gradient = empty_gradient;
    gradient.grad_y = call->grad_y;
    gradient.grad_y_raw = call->grad_y_raw;
    gradient.grad_x = call->grad_x;
    gradient.grad_lower = call->grad_lower;
    gradient.grad_upper = call->grad_upper;
    gradient.flagged = call->flagged;
    return gradient;
}

static void run_forward(struct call *call, struct record *record) {
    hn_error error;
    if (hn_layer_run(call->layer, &call->batch, call->workspace, call->workspace_bytes, &error) != HN_OK)
        stop("run", &error);
    note_run(record, call);
}

static void run_backward(struct call *call, struct record *record) {
    hn_error error;
    hn_gradient gradient = gradient_of(call);
    if (!all_finite(call))
        return;
    if (hn_layer_gradient(call->layer, &call->batch, &gradient, call->workspace, call->workspace_bytes, &error) !=
        HN_OK)
        stop("gradient", &error);
    note_gradient(record, call);
}

/* ---- the ways to call ---- */

static void as_given(struct call *call, struct record *record) {
    run_forward(call, record);
    run_backward(call, record);
}

static void from_start(struct call *call, struct record *record) {
    call->batch.y_raw = NULL;
    as_given(call, record);
}

/* Twice: the second call starts from what the first left behind, and from a raw output nearby. */
static void from_warm(struct call *call, struct record *record) {
    size_t n = call->count * call->problem->outputs;
    double *near_raw = bits_reserve(n, sizeof *near_raw);
    call->batch.warm = call->warm;
    run_forward(call, record);
    for (size_t i = 0; i < n; i++)
        near_raw[i] = call->batch.y_raw[i] * (1 + 1e-3 * (double)(i % 5));
    call->batch.y_raw = near_raw;
    as_given(call, record);
    free(near_raw);
}

/* As little as possible is asked for, and the result goes where the raw output was. */
static void in_its_own_memory(struct call *call, struct record *record) {
    memcpy(call->y, call->batch.y_raw, call->count * call->problem->outputs * sizeof *call->y);
    call->batch.y_raw = call->y;
    call->batch.tape = NULL;
    call->batch.reports = NULL;
    call->batch.residual = NULL;
    run_forward(call, record);
}

static void repeated(struct call *call, struct record *record) {
    double *fallback = bits_reserve(call->problem->outputs, sizeof *fallback);
    call->batch.repeat_x = call->batch.repeat_y = true;
    call->batch.fallback = fallback;
    as_given(call, record);
    free(fallback);
}

static uint64_t digest(uint64_t state, const void *bytes, size_t count) {
    for (size_t i = 0; i < count; i++)
        state = (state ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u; /* FNV-1a */
    return state;
}

static uint64_t digest_reals(uint64_t state, const double *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        double value = isnan(values[i]) ? (double)NAN : values[i];
        state = digest(state, &value, sizeof value);
    }
    return state;
}

static void watch(void *context, size_t sample, int iteration, const hn_real *y, hn_real violation, hn_real damping) {
    struct call *call = context;
    double numbers[2] = {violation, damping};
    uint64_t state = digest(call->seen[sample], &iteration, sizeof iteration);
    state = digest_reals(state, y, call->problem->outputs);
    call->seen[sample] = digest_reals(state, numbers, 2);
}

static void watched(struct call *call, struct record *record) {
    call->batch.watch = watch;
    call->batch.watch_context = call;
    run_forward(call, record);
}

static void on_threads(struct call *call, struct record *record) {
    hn_gradient gradient = gradient_of(call);
    hn_pool *pool;
    hn_error error;
    if (hn_pool_create(&pool, call->layer, 2, &error) != HN_OK || hn_pool_run(pool, &call->batch, &error) != HN_OK)
        stop("pool", &error);
    note_run(record, call);
    if (all_finite(call) && hn_pool_gradient(pool, &call->batch, &gradient, &error) != HN_OK)
        stop("pool", &error);
    note_gradient(record, call);
    hn_pool_destroy(pool);
}

static const struct way {
    const char *name;
    void (*run)(struct call *call, struct record *record);
    bool single; /* one sample at a time, the first two of them */
    bool rare;   /* only in its turn, where not all of them are asked for */
} ways[] = {
    {"batch", as_given, false, false},
    {"one", as_given, true, false},
    {"start", from_start, false, true},
    {"start-one", from_start, true, true},
    {"warm", from_warm, false, true},
    {"warm-one", from_warm, true, true},
    {"in-place", in_its_own_memory, false, true},
    {"repeated", repeated, false, true},
    {"watched", watched, false, true},
    {"watched-one", watched, true, true},
    {"threads", on_threads, false, true},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

/* ---- all of it ---- */

/* NULL: this machine lacks the instruction set, or the layer cannot be made; the record says why. */
static hn_layer *make_layer(const struct problem *problem, const struct variant *variant, size_t set, hn_error *error) {
    hn_layer_options options = hn_layer_defaults();
    hn_layer *layer;
    options.method = variant->method;
    options.damping = variant->damping;
    options.iterations = variant->iterations;
    options.tolerance = variant->tolerance;
    options.relative = variant->relative;
    options.instructions = sets[set].value;
    return hn_layer_create(&layer, problem->model, &options, error) == HN_OK ? layer : NULL;
}

static void run_way(FILE *out, struct record *record, const struct problem *problem, hn_layer *layer, const char *key,
                    const struct way *way) {
    char full[2 * KEY_BYTES];
    size_t first = 0, last = way->single && problem->count > 1 ? 2 : 1;
    bits_record_begin(record);
    for (; first < last; first++) {
        struct call call;
        call_begin(&call, problem, layer, first, way->single ? 1 : problem->count);
        way->run(&call, record);
        call_end(&call);
    }
    snprintf(full, sizeof full, "%s\t%s", key, way->name);
    bits_record_write(record, out, full);
}

static void run_variant(FILE *out, struct record *record, const struct problem *problem, size_t v) {
    for (size_t set = 0; set < sizeof sets / sizeof sets[0]; set++) {
        char key[KEY_BYTES];
        hn_error error = {.status = HN_OK};
        snprintf(key, sizeof key, "%s\t%s\t%s", problem->name, variants[v].name, sets[set].name);
        hn_layer *layer = make_layer(problem, &variants[v], set, &error);
        if (!layer) {
            uint64_t status = (uint64_t)error.status;
            bits_record_begin(record);
            bits_record_words(record, "status", 1, &status);
            bits_record_write(record, out, key);
            continue;
        }
        for (size_t w = 0; w < WAYS; w++)
            if (!ways[w].rare || problem->turn == ALL_TURNS || problem->turn % WAYS == (w + v + set) % WAYS)
                run_way(out, record, problem, layer, key, &ways[w]);
        hn_layer_destroy(layer);
    }
}

void bits_run_problem(FILE *out, const struct problem *problem) {
    struct record record = {NULL, 0, 0};
    for (size_t v = 0; v < VARIANTS; v++)
        run_variant(out, &record, problem, v);
    free(record.bytes);
}
