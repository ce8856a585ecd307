/* fuzz_layer.c - bytes as a model, a layer and samples: whatever they are, reports and gradients are truthful.
 *
 * The first byte is 'T' for a model text at the end of the bytes, after a 0; otherwise the model is made from bytes, too
 * (common/model_text.h). Six bytes choose the layer's options and the call, the others the samples, and for nearest weights. Every
 * method is run. Judged are:
 *
 *     ok            y is finite and a fresh evaluation of every row is within the tolerance
 *     a report      its numbers are not NaN, its rows and entries exist
 *     a proof       certified only where ok; multipliers are finite, and 0 where nothing is proved
 *     a gradient    is finite, 0 where it is flagged and ok (but for nearest and optimal), and flagged where the sample is not ok
 *     bits          a sample alone has those that it has among others
 *     a warm start  a second call from where the first one ended is judged as the first one was
 *
 * SPDX-License-Identifier: MIT */
#include "common/model_text.h"
#include "hardnet/hardnet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_SAMPLES = 9, LARGEST = 64 }; /* columns, rows and inputs of models that are run */

struct trial {
    const char *text;
    hn_model *model;
    hn_layer *layer;
    hn_layer_options options;
    bool from_start, warm;
    size_t count, inputs, outputs, rows;
    double *x, *y_raw, *weights;
};

/* What a call gives: everything in one block of numbers, so that two calls can be compared. */
struct results {
    double *y, *residual, *warm, *multipliers, *grad_y_raw, *grad_x, *grad_lower, *grad_upper, *grad_weights;
    hn_report *reports;
    bool *flagged;
};

static void *reserve(size_t count, size_t bytes) {
    void *memory = calloc(count + 1, bytes);
    if (!memory)
        abort();
    return memory;
}

/* ---- findings ---- */

static void print_numbers(const char *name, const double *values, size_t count) {
    fprintf(stderr, "%s =", name);
    for (size_t i = 0; i < count; i++)
        fprintf(stderr, " %.17g", values[i]);
    fputs("\n", stderr);
}

static void finding(const struct trial *t, const struct results *r, size_t k, const char *what) {
    fprintf(stderr, "fuzz_layer: %s, sample %zu of %zu, method %s, damping %g, iterations %d, tolerance %g%s%s%s\n%s\n",
            what, k, t->count, hn_method_text(t->options.method), t->options.damping, t->options.iterations,
            t->options.tolerance, t->options.relative ? ", relative" : "",
            t->from_start ? ", from the start values" : "", t->warm ? ", warm" : "", t->text);
    print_numbers("x", t->x + k * t->inputs, t->inputs);
    print_numbers("y_raw", t->y_raw + k * t->outputs, t->outputs);
    if (t->weights)
        print_numbers("weights", t->weights, t->outputs);
    if (r) {
        const hn_report *report = &r->reports[k];
        print_numbers("y", r->y + k * t->outputs, t->outputs);
        print_numbers("residual", r->residual + k * t->rows, t->rows);
        print_numbers("multipliers", r->multipliers + k * t->rows, t->rows);
        print_numbers("grad_y_raw", r->grad_y_raw + k * t->outputs, t->outputs);
        print_numbers("grad_x", r->grad_x + k * t->inputs, t->inputs);
        fprintf(stderr, "outcome %s, iterations %d, steps %d, violation %.17g, kkt %g, proof %g, flagged %d\n",
                hn_outcome_text(report->outcome), report->iterations, report->steps, report->violation, report->kkt,
                report->proof, r->flagged[k]);
    }
    abort();
}

/* ---- judging ---- */

static bool finite(const double *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

static bool zero(const double *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (values[i] != 0)
            return false;
    return true;
}

/* Whether row i holds at x and y, evaluated afresh. */
static bool row_holds(const struct trial *t, size_t i, const double *x, const double *y) {
    hn_row_info row = hn_model_row(t->model, i);
    hn_expr parts[3] = {row.lower, row.body, row.upper};
    double v[3];
    if (hn_model_evaluate(t->model, 3, parts, x, y, v, NULL) != HN_OK)
        return false;
    double above = v[1] <= v[2] ? 0 : v[1] - v[2], below = v[0] <= v[1] ? 0 : v[0] - v[1];
    double bound = above > 0 ? v[2] : v[0], r = above > 0 ? above : below;
    double allowed = t->options.tolerance * (t->options.relative ? fmax(1, fabs(bound)) : 1);
    return isfinite(v[1]) && !(r > 0 && !(r <= allowed)) && !isnan(r);
}

static void judge_ok(const struct trial *t, const struct results *r, size_t k) {
    const double *x = t->x + k * t->inputs, *y = r->y + k * t->outputs;
    if (!finite(y, t->outputs))
        finding(t, r, k, "ok with an output that is not finite");
    if (!finite(r->residual + k * t->rows, t->rows))
        finding(t, r, k, "ok with a residual that is not finite");
    for (size_t i = 0; i < t->rows; i++)
        if (!row_holds(t, i, x, y))
            finding(t, r, k, "ok with a row that does not hold");
}

static bool proves(const struct trial *t) {
    return t->options.method == HN_METHOD_NEAREST || t->options.method == HN_METHOD_OPTIMAL;
}

static void judge_proof(const struct trial *t, const struct results *r, size_t k) {
    const hn_report *report = &r->reports[k];
    const double *multipliers = r->multipliers + k * t->rows;
    bool certified = report->kkt <= HN_CERTIFIED, proved = isfinite(report->proof);
    if (isnan(report->kkt) || isnan(report->complementarity) || isnan(report->proof) || isnan(report->distance) ||
        isnan(report->objective) || isnan(report->slope))
        finding(t, r, k, "a NaN in what is proved");
    if (!(report->kkt >= 0) || !(report->proof >= 0) || !(report->complementarity >= 0))
        finding(t, r, k, "a proof below 0");
    if (certified && report->outcome != HN_OUTCOME_OK)
        finding(t, r, k, "certified and not ok");
    if (!proves(t))
        return;
    if (!finite(multipliers, t->rows))
        finding(t, r, k, "a multiplier that is not finite");
    if (!certified && !proved && report->outcome == HN_OUTCOME_OK && !zero(multipliers, t->rows))
        finding(t, r, k, "multipliers without a proof");
}

static void judge_report(const struct trial *t, const struct results *r, size_t k) {
    const hn_report *report = &r->reports[k];
    if (report->outcome < 0 || report->outcome >= HN_OUTCOME_COUNT || report->outcome == HN_OUTCOME_CANCELLED)
        finding(t, r, k, "an outcome that cannot be");
    if (isnan(report->violation) || isnan(report->violation_before) || isnan(report->moved) || isnan(report->damping))
        finding(t, r, k, "a NaN in the report");
    if ((report->worst != SIZE_MAX && report->worst >= t->rows) ||
        (report->culprit != SIZE_MAX && report->culprit >= t->rows + t->inputs + t->outputs))
        finding(t, r, k, "a row or an entry that does not exist in the report");
    if (report->steps < 0 || report->iterations < 0)
        finding(t, r, k, "a number of steps below 0");
    for (size_t j = 0; j < t->outputs; j++) {
        double kept = t->warm ? r->warm[k * t->outputs + j] : 0; /* infinite where the difference of two outputs is */
        if (isnan(kept) || (report->outcome != HN_OUTCOME_OK && kept != 0))
            finding(t, r, k, "a warm start that is a NaN, or not 0 where the sample is not ok");
    }
    judge_proof(t, r, k);
    if (report->outcome == HN_OUTCOME_OK)
        judge_ok(t, r, k);
}

static void judge_gradient(const struct trial *t, const struct results *r, size_t k) {
    size_t n = t->outputs, m = t->rows, p = t->inputs;
    bool ok = r->reports[k].outcome == HN_OUTCOME_OK;
    if (!finite(r->grad_y_raw + k * n, n) || !finite(r->grad_x + k * p, p) || !finite(r->grad_lower + k * m, m) ||
        !finite(r->grad_upper + k * m, m) || !finite(r->grad_weights + k * n, n))
        finding(t, r, k, "a gradient that is not finite");
    if (!ok && !r->flagged[k])
        finding(t, r, k, "not ok, and the gradient is not flagged");
    if (ok && r->flagged[k] && !proves(t) && !(zero(r->grad_y_raw + k * n, n) && zero(r->grad_x + k * p, p)))
        finding(t, r, k, "ok and flagged, but the gradient is not 0");
}

/* ---- running ---- */

static void results_begin(struct results *r, const struct trial *t) {
    r->y = reserve(t->count * t->outputs, sizeof(double));
    r->residual = reserve(t->count * t->rows, sizeof(double));
    r->warm = reserve(t->count * t->outputs, sizeof(double));
    r->multipliers = reserve(t->count * t->rows, sizeof(double));
    r->grad_weights = reserve(t->count * t->outputs, sizeof(double));
    r->grad_y_raw = reserve(t->count * t->outputs, sizeof(double));
    r->grad_x = reserve(t->count * t->inputs, sizeof(double));
    r->grad_lower = reserve(t->count * t->rows, sizeof(double));
    r->grad_upper = reserve(t->count * t->rows, sizeof(double));
    r->reports = reserve(t->count, sizeof *r->reports);
    r->flagged = reserve(t->count, sizeof *r->flagged);
}

static void results_release(struct results *r) {
    void *all[] = {r->y,          r->residual,   r->warm,         r->multipliers, r->grad_y_raw, r->grad_x,
                   r->grad_lower, r->grad_upper, r->grad_weights, r->reports,     r->flagged};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        free(all[i]);
}

/* Samples first .. first + count - 1, forwards and backwards; memory is exactly as large as was asked for. */
static void run(const struct trial *t, const struct results *r, size_t first, size_t count) {
    size_t bytes = hn_layer_workspace_bytes(t->layer), tape = hn_layer_tape_bytes(t->layer, count), n = t->outputs;
    void *workspace = reserve(1, bytes), *notes = reserve(1, tape);
    double *grad_y = reserve(count * n, sizeof *grad_y), *grad_multipliers = reserve(count * t->rows, sizeof(double));
    hn_error error;
    hn_batch batch = {.size = sizeof batch, .count = count, .report_size = sizeof(hn_report), .tape = notes};
    batch.x = t->x + first * t->inputs;
    batch.y_raw = t->from_start ? NULL : t->y_raw + first * n;
    batch.y = r->y + first * n;
    batch.reports = r->reports + first;
    batch.residual = r->residual + first * t->rows;
    batch.warm = t->warm ? r->warm + first * n : NULL;
    hn_gradient gradient = {.size = sizeof gradient, .grad_y = grad_y, .grad_y_raw = r->grad_y_raw + first * n};
    gradient.grad_x = r->grad_x + first * t->inputs;
    gradient.grad_lower = r->grad_lower + first * t->rows;
    gradient.grad_upper = r->grad_upper + first * t->rows;
    gradient.flagged = r->flagged + first;
    if (proves(t)) {
        batch.multipliers = r->multipliers + first * t->rows;
        gradient.grad_multipliers = grad_multipliers;
    }
    if (t->options.method == HN_METHOD_NEAREST)
        gradient.grad_weights = r->grad_weights + first * n;
    for (size_t i = 0; i < count * t->rows; i++)
        grad_multipliers[i] = 0.5 * (double)((first * t->rows + i) % 3);
    for (size_t i = 0; i < count * n; i++)
        grad_y[i] = 1 + 0.25 * (double)((first * n + i) % 7);
    if (hn_layer_run(t->layer, &batch, workspace, bytes, &error) != HN_OK ||
        hn_layer_gradient(t->layer, &batch, &gradient, workspace, bytes, &error) != HN_OK)
        finding(t, NULL, first, error.text);
    free(workspace);
    free(notes);
    free(grad_y);
    free(grad_multipliers);
}

static bool same(const double *a, const double *b, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (memcmp(&a[i], &b[i], sizeof *a) != 0 && !(isnan(a[i]) && isnan(b[i])))
            return false;
    return true;
}

static void judge_alone(const struct trial *t, const struct results *r, const struct results *alone, size_t k) {
    size_t n = t->outputs, p = t->inputs;
    if (!same(r->y + k * n, alone->y + k * n, n) || r->reports[k].outcome != alone->reports[k].outcome ||
        r->reports[k].iterations != alone->reports[k].iterations)
        finding(t, alone, k, "a sample alone has other bits than among others");
    if (!same(r->grad_y_raw + k * n, alone->grad_y_raw + k * n, n) ||
        !same(r->grad_x + k * p, alone->grad_x + k * p, p))
        finding(t, alone, k, "a gradient alone has other bits than among others");
}

static void judge_all(const struct trial *t, const struct results *r) {
    for (size_t k = 0; k < t->count; k++) {
        judge_report(t, r, k);
        judge_gradient(t, r, k);
    }
}

static void run_and_judge(const struct trial *t) {
    struct results together, alone;
    results_begin(&together, t);
    results_begin(&alone, t);
    run(t, &together, 0, t->count);
    judge_all(t, &together);
    run(t, &alone, t->count - 1, 1);
    judge_alone(t, &together, &alone, t->count - 1);
    if (t->warm) {
        run(t, &together, 0, t->count);
        judge_all(t, &together);
    }
    results_release(&together);
    results_release(&alone);
}

/* ---- what bytes say ---- */

static void choose_options(struct trial *t, struct byte_source *source) {
    static const double dampings[] = {-1, -1, 0, 0.3, 1e-12, 100}, tolerances[] = {1e-8, 1e-8, 1e-4, 0, 1e-12, 1};
    static const int steps[] = {-1, 300, 40, 7, 1, 0};
    t->options = hn_layer_defaults();
    t->options.method = (hn_method)bytes_choose(source, HN_METHOD_COUNT);
    t->options.damping = dampings[bytes_choose(source, 6)];
    t->options.iterations = steps[bytes_choose(source, 6)];
    t->options.tolerance = tolerances[bytes_choose(source, 6)];
    unsigned flags = bytes_choose(source, 64);
    t->options.relative = (flags & 7) == 1;
    t->from_start = (flags & 24) == 8;
    t->warm = (flags & 32) != 0;
    t->count = 1 + bytes_choose(source, MOST_SAMPLES);
}

static void draw_samples(struct trial *t, struct byte_source *source) {
    t->x = reserve(t->count * t->inputs, sizeof *t->x);
    t->y_raw = reserve(t->count * t->outputs, sizeof *t->y_raw);
    for (size_t i = 0; i < t->count * t->outputs; i++)
        t->y_raw[i] = bytes_number(source);
    for (size_t i = 0; i < t->count * t->inputs; i++)
        t->x[i] = bytes_number(source);
}

/* Of nearest: none, or some of any size, zeros among them. */
static void draw_weights(struct trial *t, struct byte_source *source) {
    if (t->options.method != HN_METHOD_NEAREST || bytes_choose(source, 2) == 0)
        return;
    t->weights = reserve(t->outputs, sizeof *t->weights);
    for (size_t j = 0; j < t->outputs; j++)
        t->weights[j] = fabs(bytes_number(source));
    t->options.weights = t->weights;
}

static void try_model(struct trial *t, struct byte_source *source) {
    t->inputs = hn_model_input_count(t->model);
    t->outputs = hn_model_output_count(t->model);
    t->rows = hn_model_row_count(t->model);
    if (t->inputs > LARGEST || t->outputs > LARGEST || t->rows > LARGEST)
        return;
    draw_weights(t, source);
    if (hn_layer_create(&t->layer, t->model, &t->options, NULL) == HN_OK) {
        draw_samples(t, source);
        run_and_judge(t);
    }
    free(t->x);
    free(t->y_raw);
    free(t->weights);
    hn_layer_destroy(t->layer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct byte_source source = {data, size};
    struct trial t = {.model = NULL};
    char *text = reserve(MODEL_TEXT_BYTES, 1);
    bool written = bytes_choose(&source, 256) == 'T';
    choose_options(&t, &source);
    const uint8_t *end = written ? memchr(source.bytes, 0, source.left) : NULL;
    size_t length = 0;
    if (end) {
        length = source.left - 1 - (size_t)(end - source.bytes);
        length = length < MODEL_TEXT_BYTES ? length : MODEL_TEXT_BYTES - 1;
        memcpy(text, end + 1, length);
        source.left = (size_t)(end - source.bytes);
    } else
        length = model_text_make(text, &source, t.options.method == HN_METHOD_OPTIMAL);
    hn_read_options options = hn_read_defaults();
    options.max_nodes = 2000;
    hn_text texts[] = {{"model.mod", text, length}};
    t.text = text;
    if (hn_model_read_memory(&t.model, 1, texts, &options, NULL) == HN_OK)
        try_model(&t, &source);
    hn_model_destroy(t.model);
    free(text);
    return 0;
}
