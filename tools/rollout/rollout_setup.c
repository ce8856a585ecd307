/* rollout_setup.c - from options to controllers, starts and formulas. See rollout.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "common/console.h"
#include "common/definitions.h"
#include "common/inputs.h"
#include "common/verbs.h"
#include "rollout/rollout.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rollout_setup_no_memory(void) {
    console_error("rollout: out of memory");
    return VERB_FAILED;
}

/* ---- starts: numbers, or a file ---- */

size_t rollout_read_numbers(const char *text, double *values, size_t room) {
    for (size_t count = 0;; count++) {
        char *end = NULL;
        double value = strtod(text, &end);
        if (end == text || isspace((unsigned char)*text) || (*end != ',' && *end != '\0'))
            return 0;
        if (count < room)
            values[count] = value;
        if (*end == '\0')
            return count + 1;
        text = end + 1;
    }
}

static int take_numbers(struct rollout *r, size_t count) {
    if (count == r->inputs)
        return VERB_OK;
    console_error("--x0 %s: %zu number%s, but the model has %zu input%s, %s to %s", r->options->x0, count,
                  count == 1 ? "" : "s", r->inputs, r->inputs == 1 ? "" : "s", hn_model_input(r->model, 0).name,
                  hn_model_input(r->model, r->inputs - 1).name);
    return VERB_MISUSED;
}

static int read_file(struct rollout *r) {
    hn_error error = {.status = HN_OK};
    hn_array_release(&r->x0);
    hn_status status = inputs_read(r->model, "x0", r->options->x0, &r->x0, &error);
    if (status != HN_OK)
        console_error("%s", error.text);
    return status == HN_OK ? VERB_OK : status == HN_INVALID ? VERB_MISUSED : VERB_FAILED;
}

static int warn_of_unusual(const struct rollout *r) {
    hn_error error = {.status = HN_OK};
    struct unusual_inputs unusual;
    if (inputs_warn(r->model, "x0", r->options->x0, &r->x0, &unusual, &error) == HN_OK)
        return VERB_OK;
    console_error("%s", error.text);
    return VERB_FAILED;
}

/* "roll": no seed makes them those of eval or of training. */
static const uint64_t STREAMS = UINT64_C(0x726f6c6c) << 32;

static int draw_starts(struct rollout *r) {
    hn_error error = {.status = HN_OK};
    size_t count = r->options->samples, unmet;
    r->starts = count;
    if (hn_array_create(&r->x0, count, r->inputs, &error) != HN_OK)
        return rollout_setup_no_memory();
    if (inputs_draw(r->model, r->options->judging.seed, STREAMS, count, r->x0.values, &unmet, &error) != HN_OK) {
        console_error("%s", error.text);
        return VERB_FAILED;
    }
    return VERB_OK;
}

static int find_starts(struct rollout *r) {
    if (r->options->samples > 0)
        return draw_starts(r);
    if (hn_array_create(&r->x0, 1, r->inputs, NULL) != HN_OK)
        return rollout_setup_no_memory();
    size_t count = rollout_read_numbers(r->options->x0, r->x0.values, r->inputs);
    int code = count > 0 ? take_numbers(r, count) : read_file(r);
    if (code == VERB_OK)
        code = warn_of_unusual(r);
    r->starts = r->x0.rows;
    return code;
}

/* ---- formulas ---- */

static int find_one(const struct rollout *r, const char *option, const char *name, bool *has, hn_expr *value) {
    *has = name != NULL;
    if (!name || definition_find(r->model, name, value))
        return VERB_OK;
    console_error("--%s: the model defines no %s%s", option, name, definition_suggest(r->model, name).text);
    return VERB_MISUSED;
}

/* Every entry of the defined variable. */
static void collect_definitions(struct rollout *r, const char *name) {
    struct rollout_formulas *f = &r->formulas;
    for (size_t i = 0; i < hn_model_definition_count(r->model); i++) {
        hn_named_expr definition = hn_model_definition(r->model, i);
        if (definition_subscript(definition.name, name, strlen(name)))
            f->margin[f->margin_count++] = definition.value;
    }
}

/* Lower bound, body and upper bound of every row of the group. */
static void collect_rows(struct rollout *r, const char *name) {
    struct rollout_formulas *f = &r->formulas;
    f->margin_rows = true;
    for (size_t i = 0; i < hn_model_row_count(r->model); i++) {
        hn_row_info row = hn_model_row(r->model, i);
        if (strcmp(hn_model_group(r->model, row.group).name, name) != 0)
            continue;
        f->margin[f->margin_count++] = row.lower;
        f->margin[f->margin_count++] = row.body;
        f->margin[f->margin_count++] = row.upper;
    }
}

static int find_margin(struct rollout *r) {
    const char *name = r->options->margin;
    struct rollout_formulas *f = &r->formulas;
    size_t room = hn_model_definition_count(r->model) + 3 * hn_model_row_count(r->model);
    if (!name)
        return VERB_OK;
    f->margin = eval_take(room, 1, sizeof *f->margin);
    f->values = eval_take(room, 1, sizeof *f->values);
    if (!f->margin || !f->values)
        return rollout_setup_no_memory();
    collect_definitions(r, name);
    if (f->margin_count == 0)
        collect_rows(r, name);
    if (f->margin_count > 0)
        return VERB_OK;
    console_error("--margin: the model has neither a defined variable nor a group of rows %s%s", name,
                  definition_suggest(r->model, name).text);
    return VERB_MISUSED;
}

static int find_formulas(struct rollout *r) {
    const struct rollout_options *o = r->options;
    struct rollout_formulas *f = &r->formulas;
    int code = find_one(r, "cost", o->cost, &f->has_cost, &f->cost);
    if (code == VERB_OK)
        code = find_one(r, "final-cost", o->final_cost, &f->has_final, &f->final_cost);
    return code == VERB_OK ? find_margin(r) : code;
}

/* ---- controllers ---- */

/* NAME=PATH; without a name, the file's own without its folder and its ending. A '=' behind a '/' belongs to a path. */
static void name_controller(struct controller *c, const char *text) {
    size_t length = strcspn(text, "=/");
    const char *name = text;
    c->file = text;
    if (text[length] == '=' && length > 0) {
        c->file = text + length + 1;
    } else {
        const char *slash = strrchr(text, '/'), *dot;
        name = slash ? slash + 1 : text;
        dot = strrchr(name, '.');
        length = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    }
    snprintf(c->name, sizeof c->name, "%.*s", (int)(length < sizeof c->name ? length : sizeof c->name - 1), name);
}

static int check_name(const struct rollout *r, const struct controller *c) {
    for (const struct controller *other = r->controllers; other < c; other++)
        if (strcmp(other->name, c->name) == 0) {
            console_error("--net: two controllers are called %s; give them names, as in --net NAME=FILE", c->name);
            return VERB_MISUSED;
        }
    return VERB_OK;
}

/* A second policy with the requested kernel; a policy without a layer is unchanged. */
static int rollout_setup_compile(struct rollout *r, struct controller *c) {
    hn_error error = {.status = HN_OK};
    struct compile_choice choice = r->options->compile;
    hn_policy_options settings = hn_policy_options_of(c->policy);
    if (baseline_of(&settings).scheme != SCHEME_LAYER)
        return VERB_OK;
    int code = compile_choice_settle(&choice, r->model, &settings.layer, false);
    if (code != VERB_OK || !settings.layer.kernel)
        return code;
    c->loaded = c->policy;
    c->policy = NULL;
    if (hn_policy_create(&c->policy, r->model, hn_policy_network(c->loaded), &settings, &error) == HN_OK)
        return VERB_OK;
    return verb_explain(&error);
}

/* A state at a time: one thread is the fastest. */
static int load_network(struct rollout *r, struct controller *c) {
    hn_error error = {.status = HN_OK};
    if (baseline_load(&c->policy, &c->head, r->model, c->file, 1, &error) != HN_OK) {
        console_error("%s", error.text);
        return VERB_FAILED;
    }
    hn_layer_options settings = hn_policy_options_of(c->policy).layer;
    c->tolerance = settings.tolerance;
    c->relative = settings.relative;
    return rollout_setup_compile(r, c);
}

static int take_reference(struct rollout *r, struct controller *c) {
    static const double feasible = 1e-7; /* the solver's own 1e-8 is in its own scaling */
    hn_error error = {.status = HN_OK};
    snprintf(c->name, sizeof c->name, "%s", r->options->judging.reference);
    c->solver = &r->solver;
    c->tolerance = feasible;
    r->solver = (struct multistart){.model = r->model,
                                    .starts = r->options->judging.starts,
                                    .seed = r->options->judging.seed,
                                    .seconds = r->options->judging.seconds,
                                    .optimal = judging_is_own(&r->options->judging),
                                    .feasible = feasible};
    if (multistart_create(&r->solver, c->relative, &error) == HN_OK)
        return VERB_OK;
    console_error("--reference %s: %s", r->options->judging.reference, error.text);
    return VERB_FAILED;
}

static int take_room(const struct rollout *r, struct controller *c) {
    size_t states = r->starts * (r->steps + 1); /* starts fit in memory, and steps have a limit */
    c->path = eval_take(states, r->inputs, sizeof *c->path);
    c->steps = eval_take(r->starts, r->steps, sizeof *c->steps);
    c->totals = eval_take(r->starts, 1, sizeof *c->totals);
    size_t shown = r->shown.count, rows = r->starts * r->steps;
    c->shown = shown > 0 ? eval_take(rows, shown, sizeof *c->shown) : NULL;
    return c->path && c->steps && c->totals && (c->shown || shown == 0) ? VERB_OK : rollout_setup_no_memory();
}

static int find_controllers(struct rollout *r) {
    const struct text_list *nets = &r->options->nets;
    int code = VERB_OK;
    r->controllers = eval_take(nets->count + 1, 1, sizeof *r->controllers);
    if (!r->controllers)
        return rollout_setup_no_memory();
    if (r->options->judging.reference)
        code = take_reference(r, &r->controllers[r->count++]);
    for (size_t i = 0; code == VERB_OK && i < nets->count; i++) {
        struct controller *c = &r->controllers[r->count++];
        name_controller(c, nets->items[i]);
        code = check_name(r, c);
        if (code == VERB_OK)
            code = load_network(r, c);
    }
    for (size_t i = 0; code == VERB_OK && i < r->count; i++)
        code = take_room(r, &r->controllers[i]);
    return code;
}

/* ---- feedback ---- */

int rollout_find_feedback(struct rollout_options *o, const hn_model *model, const char *verb) {
    if (!feedback_default(&o->feedback, &o->hint, model))
        return rollout_setup_no_memory();
    if (o->feedback.count > 0)
        return VERB_OK;
    return verb_misuse(verb,
                       o->hint.fitting > 1
                           ? "--feedback: not given, and next fits several inputs; INPUT=next says which it is"
                           : "--feedback: not given, and the model has no defined variable next with the index "
                             "set of an input; INPUT=DEFINED says which defined variables become the next inputs");
}

/* ---- life ---- */

int rollout_setup(struct rollout *r) {
    r->inputs = hn_model_input_count(r->model);
    r->outputs = hn_model_output_count(r->model);
    r->steps = r->options->steps;
    r->plant = r->plant ? r->plant : r->model;
    int code = feedback_create(&r->feedback, r->plant, &r->options->feedback);
    if (code == VERB_OK)
        code = rollout_find_disturbance(r);
    if (code == VERB_OK)
        code = find_formulas(r);
    if (code == VERB_OK)
        code = rollout_find_shown(r);
    if (code == VERB_OK)
        code = find_starts(r);
    return code == VERB_OK ? find_controllers(r) : code;
}

void rollout_end(struct rollout *r) {
    for (size_t i = 0; i < r->count; i++) {
        struct controller *c = &r->controllers[i];
        hn_policy_destroy(c->policy);
        hn_policy_destroy(c->loaded);
        baseline_head_destroy(c->head);
        base_release(c->path);
        base_release(c->shown);
        base_release(c->steps);
        base_release(c->totals);
    }
    base_release(r->controllers);
    rollout_release_shown(&r->shown);
    base_release(r->formulas.margin);
    base_release(r->formulas.values);
    hn_array_release(&r->x0);
    feedback_release(&r->feedback);
    base_release(r->deviation);
    multistart_release(&r->solver);
}
