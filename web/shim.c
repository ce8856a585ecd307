/* shim.c - the library as a WebAssembly module: flat functions over numbers and addresses, which hardnet.js calls.
 *
 * Handles and arrays are addresses in the module's memory; what is created here is freed here. A function that can fail takes an
 * hn_error and returns NULL or a status. What happened to a sample is FACTS numbers, in the order of write_facts. Two functions come from
 * JavaScript: what hears the reader's messages, and what sees the iterates of a correction.
 *
 * SPDX-License-Identifier: MIT */
#include "hardnet/hardnet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name))) name
#define IMPORT(name) __attribute__((import_module("hardnet"), import_name(#name)))

enum { FACTS = 14 };

IMPORT(hear)
void web_hear(int severity, size_t line, size_t column, const char *text, const char *excerpt, size_t caret,
              const char *hint);
IMPORT(watch)
void web_watch(size_t sample, int iteration, const double *y, size_t outputs, double violation, double damping);

/* ---- memory and errors ---- */

void *EXPORT(web_take)(size_t bytes) {
    return calloc(1, bytes ? bytes : 1);
}

void EXPORT(web_give)(void *block) {
    free(block);
}

size_t EXPORT(web_error_bytes)(void) {
    return sizeof(hn_error);
}

const char *EXPORT(web_error_text)(const hn_error *error) {
    return error->text;
}

const char *EXPORT(web_error_subject)(const hn_error *error) {
    return error->subject;
}

const char *EXPORT(web_error_status)(const hn_error *error) {
    return hn_status_text(error->status);
}

size_t EXPORT(web_error_line)(const hn_error *error) {
    return error->line;
}

size_t EXPORT(web_error_column)(const hn_error *error) {
    return error->column;
}

const char *EXPORT(web_version)(void) {
    return hn_version();
}

const char *EXPORT(web_outcome_text)(int outcome) {
    return hn_outcome_text((hn_outcome)outcome);
}

/* ---- models ---- */

static void hear(void *context, const hn_message *message) {
    (void)context;
    web_hear((int)message->severity, message->line, message->column, message->text, message->excerpt, message->caret,
             message->hint);
}

/* One text, or a model's and its data's where `split` is not 0: where the second one begins. Limits are those of texts from
 * strangers, unless it is trusted. */
hn_model *EXPORT(web_model_read)(const char *bytes, size_t length, size_t split, bool relax, bool trusted,
                                 hn_error *error) {
    hn_read_options options = hn_read_defaults();
    hn_text texts[] = {{"model", bytes, split ? split : length}, {"data.dat", bytes + split, length - split}};
    hn_model *model;
    options.untrusted = !trusted;
    options.relax_integrality = relax;
    options.message = hear;
    hn_model_read_memory(&model, split ? 2 : 1, texts, &options, error);
    return model;
}

void EXPORT(web_model_free)(hn_model *model) {
    hn_model_destroy(model);
}

size_t EXPORT(web_model_inputs)(const hn_model *model) {
    return hn_model_input_count(model);
}

size_t EXPORT(web_model_outputs)(const hn_model *model) {
    return hn_model_output_count(model);
}

size_t EXPORT(web_model_rows)(const hn_model *model) {
    return hn_model_row_count(model);
}

size_t EXPORT(web_model_definitions)(const hn_model *model) {
    return hn_model_definition_count(model);
}

const char *EXPORT(web_input_name)(const hn_model *model, size_t index) {
    return hn_model_input(model, index).name;
}

double EXPORT(web_input_lower)(const hn_model *model, size_t index) {
    return hn_model_input(model, index).lower;
}

double EXPORT(web_input_upper)(const hn_model *model, size_t index) {
    return hn_model_input(model, index).upper;
}

const char *EXPORT(web_output_name)(const hn_model *model, size_t index) {
    return hn_model_output(model, index).name;
}

bool EXPORT(web_output_fixed)(const hn_model *model, size_t index) {
    return hn_is_valid(hn_model_output(model, index).fixed);
}

const char *EXPORT(web_row_name)(const hn_model *model, size_t index) {
    return hn_model_row(model, index).name;
}

const char *EXPORT(web_definition_name)(const hn_model *model, size_t index) {
    return hn_model_definition(model, index).name;
}

const char *EXPORT(web_objective_name)(const hn_model *model) {
    return hn_model_objective(model).name;
}

bool EXPORT(web_objective_maximize)(const hn_model *model) {
    return hn_model_objective(model).maximize;
}

/* The values of definitions first, first + 1, ... */
hn_status EXPORT(web_model_define)(const hn_model *model, size_t first, size_t count, const double *x, const double *y,
                                   double *values, hn_error *error) {
    hn_expr *exprs = calloc(count + 1, sizeof *exprs);
    hn_status status = HN_NO_MEMORY;
    for (size_t i = 0; exprs && i < count; i++)
        exprs[i] = hn_model_definition(model, first + i).value;
    if (exprs)
        status = hn_model_evaluate(model, count, exprs, x, y, values, error);
    free(exprs);
    return status;
}

/* 64 digits and a 0 */
hn_status EXPORT(web_model_fingerprint)(const hn_model *model, char *out, hn_error *error) {
    return hn_model_fingerprint(model, out, error);
}

/* The caller frees the text by web_text_free. */
char *EXPORT(web_model_write)(const hn_model *model, hn_error *error) {
    char *text;
    hn_model_write(model, &text, NULL, error);
    return text;
}

void EXPORT(web_text_free)(char *text) {
    hn_text_release(text);
}

/* ---- layers ---- */

hn_layer *EXPORT(web_layer_make)(const hn_model *model, const char *method, int iterations, double damping,
                                 double tolerance, hn_error *error) {
    hn_layer_options options = hn_layer_defaults();
    hn_layer *layer;
    if (!hn_method_find(method, &options.method)) {
        *error = (hn_error){.status = HN_INVALID, .code = HN_CODE_OPTION, .subject = "method"};
        snprintf(error->text, sizeof error->text, "method %s: unknown", method);
        return NULL;
    }
    options.iterations = iterations;
    options.damping = damping;
    options.tolerance = tolerance;
    hn_layer_create(&layer, model, &options, error);
    return layer;
}

void EXPORT(web_layer_free)(hn_layer *layer) {
    hn_layer_destroy(layer);
}

/* Of correction and gradient: one for both. */
size_t EXPORT(web_layer_workspace)(const hn_layer *layer) {
    size_t forward = hn_layer_workspace_bytes(layer), backward = hn_layer_gradient_workspace_bytes(layer);
    return forward > backward ? forward : backward;
}

size_t EXPORT(web_layer_tape)(const hn_layer *layer, size_t count) {
    return hn_layer_tape_bytes(layer, count);
}

size_t EXPORT(web_facts)(void) {
    return FACTS;
}

static double index_or_none(size_t index) {
    return index == SIZE_MAX ? -1 : (double)index;
}

static void write_facts(const hn_report *report, double *facts) {
    const double all[FACTS] = {report->outcome,   report->iterations,
                               report->steps,     report->violation_before,
                               report->violation, index_or_none(report->worst),
                               report->moved,     report->damping,
                               report->kkt,       report->distance,
                               report->objective, report->slope,
                               report->proof,     index_or_none(report->culprit)};
    memcpy(facts, all, sizeof all);
}

struct watcher {
    size_t outputs;
};

static void watch(void *context, size_t sample, int iteration, const hn_real *y, hn_real violation, hn_real damping) {
    const struct watcher *watcher = context;
    web_watch(sample, iteration, y, watcher->outputs, violation, damping);
}

/* What a call works on: addresses, 0 where there is nothing. hardnet.js writes it as a list of eleven words of 32 bits. */
struct web_call {
    uint32_t count, watched;
    const double *x, *y_raw;
    double *y, *facts, *residual, *multipliers;
    void *tape, *workspace;
    hn_report *reports;
};

static hn_batch batch_of(const struct web_call *call) {
    return (hn_batch){.size = sizeof(hn_batch),
                      .count = call->count,
                      .x = call->x,
                      .y_raw = call->y_raw,
                      .y = call->y,
                      .report_size = sizeof(hn_report),
                      .reports = call->reports,
                      .residual = call->residual,
                      .multipliers = call->multipliers,
                      .tape = call->tape};
}

size_t EXPORT(web_report_bytes)(void) {
    return sizeof(hn_report);
}

hn_status EXPORT(web_layer_run)(const hn_layer *layer, const struct web_call *call, double seconds, hn_error *error) {
    struct watcher watcher = {.outputs = hn_layer_info_of(layer).outputs};
    hn_batch batch = batch_of(call);
    batch.seconds = seconds;
    batch.watch = call->watched ? watch : NULL;
    batch.watch_context = &watcher;
    hn_status status = hn_layer_run(layer, &batch, call->workspace, web_layer_workspace(layer), error);
    for (size_t i = 0; status == HN_OK && i < call->count; i++)
        write_facts(&call->reports[i], call->facts + i * FACTS);
    return status;
}

/* After a run with a tape: grad_x may be NULL; flagged is one byte per sample. */
hn_status EXPORT(web_layer_gradient)(const hn_layer *layer, const struct web_call *call, const double *grad_y,
                                     double *grad_y_raw, double *grad_x, bool *flagged, hn_error *error) {
    hn_batch batch = batch_of(call);
    hn_gradient gradient = {
        .size = sizeof gradient, .grad_y = grad_y, .grad_y_raw = grad_y_raw, .grad_x = grad_x, .flagged = flagged};
    return hn_layer_gradient(layer, &batch, &gradient, call->workspace, web_layer_workspace(layer), error);
}

/* ---- values ---- */

/* rows, lower, upper, residual, objective and start values */
hn_evaluator *EXPORT(web_evaluator_make)(const hn_model *model, hn_error *error) {
    hn_evaluator_options options = hn_evaluator_defaults();
    hn_evaluator *evaluator;
    options.wanted = HN_WANT_VALUES | HN_WANT(HN_QUANTITY_START);
    hn_evaluator_create(&evaluator, model, &options, error);
    return evaluator;
}

void EXPORT(web_evaluator_free)(hn_evaluator *evaluator) {
    hn_evaluator_destroy(evaluator);
}

size_t EXPORT(web_evaluator_workspace)(const hn_evaluator *evaluator) {
    return hn_evaluator_workspace_bytes(evaluator);
}

/* count rows of y under one row of x; results that are NULL are left out. */
hn_status EXPORT(web_evaluate)(const hn_evaluator *evaluator, size_t count, const double *x, const double *y,
                               double *const results[6], void *workspace, hn_error *error) {
    const hn_quantity order[] = {HN_QUANTITY_ROWS,     HN_QUANTITY_LOWER,     HN_QUANTITY_UPPER,
                                 HN_QUANTITY_RESIDUAL, HN_QUANTITY_OBJECTIVE, HN_QUANTITY_START};
    hn_evaluation evaluation = {.size = sizeof evaluation, .count = count, .x = x, .y = y, .repeat_x = true};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        evaluation.values[order[i]] = results[i];
    return hn_evaluator_run(evaluator, &evaluation, workspace, hn_evaluator_workspace_bytes(evaluator), error);
}

/* ---- networks ---- */

/* From the bytes of a safetensors file: memory_files.c opens them under a name that says where they are. */
hn_policy *EXPORT(web_policy_load)(const hn_model *model, const void *bytes, size_t length, hn_error *error) {
    char name[64];
    hn_policy *policy;
    snprintf(name, sizeof name, "memory:%lx:%lx", (unsigned long)(uintptr_t)bytes, (unsigned long)length);
    hn_policy_load(&policy, model, name, 1, error);
    return policy;
}

void EXPORT(web_policy_free)(hn_policy *policy) {
    hn_policy_destroy(policy);
}

size_t EXPORT(web_policy_candidates)(const hn_policy *policy) {
    return hn_policy_options_of(policy).candidates;
}

hn_status EXPORT(web_policy_run)(hn_policy *policy, const struct web_call *call, double *objective, hn_error *error) {
    hn_status status = hn_policy_run(policy, call->count, call->x, call->y, objective, call->reports, error);
    for (size_t i = 0; status == HN_OK && i < call->count; i++)
        write_facts(&call->reports[i], call->facts + i * FACTS);
    return status;
}

/* What the network says, uncorrected: count x candidates x outputs. */
hn_status EXPORT(web_policy_raw)(const hn_policy *policy, size_t count, const double *x, double *y, hn_error *error) {
    const hn_network *network = hn_policy_network(policy);
    size_t bytes = hn_network_workspace_bytes(network);
    void *workspace = malloc(bytes + 1);
    hn_status status = HN_NO_MEMORY;
    if (workspace)
        status = hn_network_run(network, count, x, y, workspace, bytes, error);
    free(workspace);
    return status;
}
