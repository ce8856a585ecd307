/* run_layer.c - see run_layer.h.
 *
 * SPDX-License-Identifier: MIT */
#include "support/run_layer.h"

#include "support/check.h"

hn_layer_options layer_method(hn_method method) {
    hn_layer_options options = hn_layer_defaults();
    options.method = method;
    return options;
}

hn_layer_options layer_steps(hn_method method, int iterations) {
    hn_layer_options options = layer_method(method);
    options.iterations = iterations;
    return options;
}

const struct layer_setting layer_settings[LAYER_SETTINGS] = {
    {HN_METHOD_PAPER, 0.3, false},  {HN_METHOD_HARDNET, -1, false}, {HN_METHOD_LM, -1, true},
    {HN_METHOD_LM, 0.125, false},   {HN_METHOD_AUTO, -1, false},    {HN_METHOD_AUTO, -1, true},
    {HN_METHOD_ENFORCE, -1, false}, {HN_METHOD_SNARENET, -1, false}};

hn_layer_options layer_setting(size_t setting, int iterations) {
    hn_layer_options options = layer_steps(layer_settings[setting].method, iterations);
    options.damping = layer_settings[setting].damping;
    options.relative = layer_settings[setting].relative;
    return options;
}

hn_layer *layer_of(const hn_model *model, hn_layer_options options) {
    hn_layer *layer;
    hn_error error = {.text = ""};
    if (hn_layer_create(&layer, model, &options, &error) != HN_OK)
        fail_msg("%s", error.text);
    return layer;
}

void layer_run(const hn_layer *layer, const hn_batch *batch) {
    size_t bytes = hn_layer_workspace_bytes(layer);
    char *memory = malloc(bytes + 1);
    hn_error error = {.text = ""};
    memset(memory, 0xff, bytes + 1);
    hn_status status = hn_layer_run(layer, batch, memory + 1, bytes, &error);
    free(memory);
    if (status != HN_OK)
        fail_msg("%s", error.text);
}

/* Bytes that no bool has, so that a flag which is not written shows. */
static void poison_flags(bool *flagged, size_t count) {
    if (flagged)
        memset(flagged, 0x7f, count * sizeof *flagged);
}

static void assert_flags_written(const bool *flagged, size_t count) {
    const unsigned char *bytes = (const unsigned char *)flagged;
    for (size_t i = 0; flagged && i < count * sizeof *flagged; i++)
        assert_true(bytes[i] <= 1);
}

void layer_pull(const hn_layer *layer, const hn_batch *batch, const hn_gradient *gradient) {
    size_t bytes = hn_layer_gradient_workspace_bytes(layer);
    char *memory = malloc(bytes + 1);
    hn_error error = {.text = ""};
    memset(memory, 0xff, bytes + 1);
    poison_flags(gradient->flagged, batch->count);
    hn_status status = hn_layer_gradient(layer, batch, gradient, memory + 1, bytes, &error);
    free(memory);
    if (status != HN_OK)
        fail_msg("%s", error.text);
    assert_flags_written(gradient->flagged, batch->count);
}

/* ---- results ---- */

static const uint64_t SIGNALLING = 0x7ff4dead00000001;

bool is_unwritten(double value) {
    return memcmp(&value, &SIGNALLING, sizeof value) == 0;
}

static double *poisoned(size_t count) {
    double *list = malloc((count + 1) * sizeof *list);
    for (size_t i = 0; i < count; i++)
        memcpy(&list[i], &SIGNALLING, sizeof SIGNALLING);
    return list;
}

struct layer_results results_of(const hn_layer *layer, size_t count) {
    hn_layer_info info = hn_layer_info_of(layer);
    struct layer_results r = {.count = count, .inputs = info.inputs, .outputs = info.outputs, .rows = info.rows};
    r.y = poisoned(count * info.outputs);
    r.residual = poisoned(count * info.rows);
    r.grad_y_raw = poisoned(count * info.outputs);
    r.grad_x = poisoned(count * info.inputs);
    r.grad_lower = poisoned(count * info.rows);
    r.grad_upper = poisoned(count * info.rows);
    hn_method method = hn_layer_options_of(layer).method;
    if (method == HN_METHOD_NEAREST || method == HN_METHOD_OPTIMAL)
        r.multipliers = poisoned(count * info.rows), r.proof_y = poisoned(count * info.outputs);
    r.reports = malloc((count + 1) * sizeof *r.reports);
    memset(r.reports, 0x7f, count * sizeof *r.reports);
    r.flagged = malloc((count + 1) * sizeof *r.flagged);
    poison_flags(r.flagged, count);
    r.tape = malloc(hn_layer_tape_bytes(layer, count));
    memset(r.tape, 0x7f, hn_layer_tape_bytes(layer, count));
    return r;
}

void results_release(struct layer_results *results) {
    free(results->y);
    free(results->residual);
    free(results->grad_y_raw);
    free(results->grad_x);
    free(results->grad_lower);
    free(results->grad_upper);
    free(results->multipliers);
    free(results->proof_y);
    free(results->reports);
    free(results->flagged);
    free(results->tape);
    *results = (struct layer_results){.count = 0};
}

hn_batch batch_of(size_t count, const double *x, const double *y_raw, double *y, hn_report *reports) {
    hn_batch batch = {.size = sizeof batch, .count = count, .x = x, .y_raw = y_raw, .y = y, .reports = reports};
    batch.report_size = reports ? sizeof(hn_report) : 0;
    return batch;
}

hn_batch batch_into(const struct layer_results *results, const double *x, const double *y_raw) {
    hn_batch batch = batch_of(results->count, x, y_raw, results->y, results->reports);
    batch.residual = results->residual;
    batch.multipliers = results->multipliers;
    batch.proof_y = results->proof_y;
    batch.tape = results->tape;
    return batch;
}

hn_gradient gradient_into(const struct layer_results *results, const double *grad_y) {
    return (hn_gradient){.size = sizeof(hn_gradient),
                         .grad_y = grad_y,
                         .grad_y_raw = results->grad_y_raw,
                         .grad_x = results->grad_x,
                         .grad_lower = results->grad_lower,
                         .grad_upper = results->grad_upper,
                         .flagged = results->flagged};
}

static bool same_numbers(const char *what, const double *a, const double *b, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!same_bits(a[i], b[i])) {
            print_error("%s[%zu]: %a and %a\n", what, i, a[i], b[i]);
            return false;
        }
    return true;
}

static bool same_reports(const hn_report *a, const hn_report *b) {
    if (a->outcome == b->outcome && a->iterations == b->iterations && a->steps == b->steps && a->worst == b->worst &&
        a->culprit == b->culprit && same_bits(a->violation_before, b->violation_before) &&
        same_bits(a->violation, b->violation) && same_bits(a->moved, b->moved) && same_bits(a->damping, b->damping) &&
        same_bits(a->slope, b->slope) && same_bits(a->kkt, b->kkt) && same_bits(a->distance, b->distance) &&
        same_bits(a->objective, b->objective) && same_bits(a->complementarity, b->complementarity) &&
        same_bits(a->proof, b->proof) && a->programmes == b->programmes && a->factorisations == b->factorisations)
        return true;
    print_error("reports: %s %d %d %a %a %a %a, and %s %d %d %a %a %a %a\n", hn_outcome_text(a->outcome), a->iterations,
                a->steps, a->violation_before, a->violation, a->moved, a->damping, hn_outcome_text(b->outcome),
                b->iterations, b->steps, b->violation_before, b->violation, b->moved, b->damping);
    return false;
}

struct layer_results run_forward(const hn_layer *layer, size_t count, const double *x, const double *y_raw) {
    struct layer_results r = results_of(layer, count);
    hn_batch batch = batch_into(&r, x, y_raw);
    layer_run(layer, &batch);
    return r;
}

struct layer_results run_and_pull(const hn_layer *layer, size_t count, const double *x, const double *y_raw,
                                  const double *grad_y) {
    struct layer_results r = run_forward(layer, count, x, y_raw);
    hn_batch batch = batch_into(&r, x, y_raw);
    hn_gradient gradient = gradient_into(&r, grad_y);
    layer_pull(layer, &batch, &gradient);
    return r;
}

void assert_all_finite(const double *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        assert_true(isfinite(values[i]));
}

void assert_all_zero(const double *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        assert_true(values[i] == 0);
}

void assert_finite_results(const struct layer_results *r) {
    assert_all_finite(r->y, r->count * r->outputs);
    assert_all_finite(r->grad_y_raw, r->count * r->outputs);
    assert_all_finite(r->grad_x, r->count * r->inputs);
    assert_all_finite(r->grad_lower, r->count * r->rows);
    assert_all_finite(r->grad_upper, r->count * r->rows);
}

bool same_results(const struct layer_results *first, size_t a, const struct layer_results *second, size_t b) {
    size_t n = first->outputs, m = first->rows, k = first->inputs;
    return same_numbers("y", first->y + a * n, second->y + b * n, n) &&
           same_reports(&first->reports[a], &second->reports[b]) &&
           same_numbers("residual", first->residual + a * m, second->residual + b * m, m) &&
           same_numbers("grad_y_raw", first->grad_y_raw + a * n, second->grad_y_raw + b * n, n) &&
           same_numbers("grad_x", first->grad_x + a * k, second->grad_x + b * k, k) &&
           same_numbers("grad_lower", first->grad_lower + a * m, second->grad_lower + b * m, m) &&
           same_numbers("grad_upper", first->grad_upper + a * m, second->grad_upper + b * m, m) &&
           (!first->multipliers ||
            (same_numbers("multipliers", first->multipliers + a * m, second->multipliers + b * m, m) &&
             same_numbers("proof_y", first->proof_y + a * n, second->proof_y + b * n, n))) &&
           memcmp(&first->flagged[a], &second->flagged[b], sizeof *first->flagged) == 0;
}
