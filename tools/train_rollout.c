/* train_rollout.c - states in closed loop: the present policy is applied, and what it leads to is where it goes on from.
 *
 * `--feedback z0=next` says that inputs z0[...] become the defined variables next[...]. A state starts anew now and then, when its
 * outputs are not ok, and when it leaves the box (unless told to go on) or breaks a check of the model. Inputs that are not
 * fed back keep their value until then.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "console.h"
#include "inputs.h"
#include "train.h"
#include "verbs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- what is fed back ---- */

static bool find_definition(const hn_model *model, const char *name, hn_expr *value) {
    for (size_t i = 0; i < hn_model_definition_count(model); i++) {
        hn_named_expr definition = hn_model_definition(model, i);
        if (strcmp(definition.name, name) == 0) {
            *value = definition.value;
            return true;
        }
    }
    return false;
}

/* What follows the family in the name of one of its entries: "[3,1]", or nothing; NULL when it is of another family. */
static const char *subscript(const char *name, const char *family, size_t length) {
    if (strncmp(name, family, length) != 0)
        return NULL;
    return name[length] == '\0' || name[length] == '[' ? name + length : NULL;
}

static bool is_linked(const struct train_rollout *r, size_t input) {
    for (size_t i = 0; i < r->links; i++)
        if (r->input[i] == input)
            return true;
    return false;
}

static int link_input(struct train_rollout *r, const hn_model *model, size_t input, const char *next,
                      const char *rest) {
    char name[512];
    snprintf(name, sizeof name, "%s%s", next, rest);
    const char *from = hn_model_input(model, input).name;
    if (is_linked(r, input)) {
        console_error("--feedback: input %s is fed back twice", from);
        return VERB_MISUSED;
    }
    if (!find_definition(model, name, &r->next[r->links])) {
        console_error("--feedback: the model defines no %s for input %s to become", name, from);
        return VERB_MISUSED;
    }
    r->input[r->links++] = input;
    return VERB_OK;
}

static int link_family(struct train_rollout *r, const hn_model *model, const char *text) {
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : 0, before = r->links;
    if (length == 0 || equals[1] == '\0') {
        console_error("--feedback: '%s' is not of the form INPUT=DEFINED", text);
        return VERB_MISUSED;
    }
    for (size_t i = 0; i < hn_model_input_count(model); i++) {
        const char *rest = subscript(hn_model_input(model, i).name, text, length);
        int code = rest ? link_input(r, model, i, equals + 1, rest) : VERB_OK;
        if (code != VERB_OK)
            return code;
    }
    if (r->links > before)
        return VERB_OK;
    console_error("--feedback: the model has no input %.*s", (int)length, text);
    return VERB_MISUSED;
}

/* ---- life ---- */

static bool make_room(struct train_rollout *r, size_t inputs, size_t outputs) {
    size_t bytes;
    r->x = train_numbers(r->count, inputs);
    r->y = train_numbers(r->count, outputs);
    r->values = train_numbers(1, inputs);
    r->reports = size_multiply(r->count, sizeof *r->reports, &bytes) && bytes > 0 ? base_allocate(bytes) : NULL;
    r->input = base_allocate(inputs * sizeof *r->input);
    r->next = base_allocate(inputs * sizeof *r->next);
    return r->x && r->y && r->values && r->input && r->next && (r->reports || r->count == 0);
}

int rollout_create(struct train_rollout *r, const hn_model *model, const struct train_options *options) {
    int code = VERB_OK;
    *r = (struct train_rollout){.count = 0};
    if (options->feedback.count == 0)
        return VERB_OK;
    r->count = (size_t)(options->feedback_share * (double)options->batch);
    if (!make_room(r, hn_model_input_count(model), hn_model_output_count(model))) {
        console_error("--feedback: out of memory");
        return VERB_FAILED;
    }
    for (size_t i = 0; code == VERB_OK && i < options->feedback.count; i++)
        code = link_family(r, model, options->feedback.items[i]);
    return code;
}

void rollout_release(struct train_rollout *r) {
    base_release(r->x);
    base_release(r->y);
    base_release(r->values);
    base_release(r->reports);
    base_release(r->input);
    base_release(r->next);
}

hn_status rollout_begin(struct train_rollout *r, const struct train_source *source, hn_error *error) {
    struct random random = train_random(source->seed, STREAM_ROLLOUT, 0);
    hn_status status = HN_OK;
    for (size_t i = 0; status == HN_OK && i < r->count; i++)
        status = source_row(source, &random, r->x + i * source->inputs, NULL, error);
    return status;
}

/* ---- one step on ---- */

static bool is_inside(const struct train_source *source, const struct train_options *options, const double *x) {
    for (size_t i = 0; i < source->inputs; i++) {
        hn_input_info input = hn_model_input(source->model, i);
        if (!isfinite(x[i]) || (!options->feedback_beyond && (x[i] < input.lower || x[i] > input.upper)))
            return false;
    }
    return true;
}

/* Moves state i; *left when it cannot go on. */
static hn_status move(struct train_rollout *r, const struct train_source *source, const struct train_options *options,
                      size_t i, bool *left, hn_error *error) {
    double *x = r->x + i * source->inputs;
    size_t broken = 0;
    *left = r->reports[i].outcome != HN_OUTCOME_OK;
    if (*left)
        return HN_OK;
    hn_status status =
        hn_model_evaluate(source->model, r->links, r->next, x, r->y + i * source->outputs, r->values, error);
    for (size_t k = 0; k < r->links; k++)
        x[r->input[k]] = r->values[k];
    *left = !is_inside(source, options, x);
    if (status == HN_OK && !*left) {
        status = inputs_broken(source->model, x, &broken, error);
        *left = broken < hn_model_requirement_count(source->model);
    }
    return status;
}

hn_status rollout_advance(struct train_rollout *r, const struct train_source *source,
                          const struct train_options *options, hn_policy *policy, size_t step, hn_error *error) {
    struct random random = train_random(source->seed, STREAM_ROLLOUT, step);
    hn_status status = r->count > 0 ? hn_policy_run(policy, r->count, r->x, r->y, NULL, r->reports, error) : HN_OK;
    for (size_t i = 0; status == HN_OK && i < r->count; i++) {
        bool ends = random_uniform(&random) * (double)options->feedback_steps < 1, left = false;
        if (!ends)
            status = move(r, source, options, i, &left, error);
        if (status == HN_OK && (ends || left))
            status = source_row(source, &random, r->x + i * source->inputs, NULL, error);
    }
    return status;
}
