/* rollout_show.c - --show: additional outputs and defined variables in the CSV file. See rollout.h.
 *
 * A name is an output or a defined variable, or all of its entries: u[0,1], u, next.
 *
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "common/console.h"
#include "common/csv.h"
#include "common/definitions.h"
#include "common/verbs.h"
#include "rollout/rollout.h"

#include <stdio.h>
#include <string.h>

static bool is_named(const char *name, const char *wanted) {
    return strcmp(name, wanted) == 0 || definition_subscript(name, wanted, strlen(wanted));
}

static size_t rollout_show_take(struct rollout_shown *shown, const hn_model *model, const char *wanted) {
    size_t before = shown->count;
    for (size_t i = 0; i < hn_model_output_count(model); i++)
        if (is_named(hn_model_output(model, i).name, wanted)) {
            shown->output[shown->count] = i;
            shown->names[shown->count++] = hn_model_output(model, i).name;
        }
    for (size_t i = 0; i < hn_model_definition_count(model); i++)
        if (is_named(hn_model_definition(model, i).name, wanted)) {
            shown->output[shown->count] = SIZE_MAX;
            shown->value[shown->count] = hn_model_definition(model, i).value;
            shown->names[shown->count++] = hn_model_definition(model, i).name;
        }
    return shown->count - before;
}

/* Each name may match all outputs and defined variables. */
static bool rollout_show_make_room(struct rollout_shown *shown, const struct rollout *r) {
    size_t each = hn_model_output_count(r->model) + hn_model_definition_count(r->model);
    shown->output = eval_take(r->options->show.count, each, sizeof *shown->output);
    shown->value = eval_take(r->options->show.count, each, sizeof *shown->value);
    shown->names = eval_take(r->options->show.count, each, sizeof *shown->names);
    return shown->output && shown->value && shown->names;
}

int rollout_find_shown(struct rollout *r) {
    const struct text_list *wanted = &r->options->show;
    struct rollout_shown *shown = &r->shown;
    if (wanted->count == 0)
        return VERB_OK;
    if (!rollout_show_make_room(shown, r)) {
        console_error("--show: out of memory");
        return VERB_FAILED;
    }
    for (size_t i = 0; i < wanted->count; i++)
        if (rollout_show_take(shown, r->model, wanted->items[i]) == 0) {
            console_error("--show: the model has neither an output nor a defined variable %s%s", wanted->items[i],
                          definition_suggest(r->model, wanted->items[i]).text);
            return VERB_MISUSED;
        }
    return VERB_OK;
}

void rollout_release_shown(struct rollout_shown *shown) {
    base_release(shown->output);
    base_release(shown->value);
    base_release(shown->names);
}

hn_status rollout_show(const struct rollout *r, const double *x, const double *y, double *values, hn_error *error) {
    hn_status status = HN_OK;
    for (size_t i = 0; status == HN_OK && i < r->shown.count; i++) {
        size_t output = r->shown.output[i];
        if (output < SIZE_MAX)
            values[i] = y[output];
        else
            status = hn_model_evaluate(r->model, 1, &r->shown.value[i], x, y, &values[i], error);
    }
    return status;
}
