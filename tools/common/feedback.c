/* feedback.c - see feedback.h.
 *
 * SPDX-License-Identifier: MIT */
#include "common/feedback.h"

#include "base/memory.h"
#include "common/console.h"
#include "common/definitions.h"
#include "common/verbs.h"

#include <stdio.h>
#include <string.h>

static bool is_linked(const struct feedback *f, size_t input) {
    for (size_t i = 0; i < f->links; i++)
        if (f->input[i] == input)
            return true;
    return false;
}

static int link_input(struct feedback *f, const hn_model *model, size_t input, const char *next, const char *rest) {
    char name[512];
    snprintf(name, sizeof name, "%s%s", next, rest);
    const char *from = hn_model_input(model, input).name;
    if (is_linked(f, input)) {
        console_error("--feedback: input %s is fed back twice", from);
        return VERB_MISUSED;
    }
    if (!definition_find(model, name, &f->next[f->links])) {
        console_error("--feedback: the model defines no %s for input %s to become", name, from);
        return VERB_MISUSED;
    }
    f->input[f->links++] = input;
    return VERB_OK;
}

static int link_family(struct feedback *f, const hn_model *model, const char *text) {
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : 0, before = f->links;
    if (length == 0 || equals[1] == '\0') {
        console_error("--feedback: '%s' is not of the form INPUT=DEFINED", text);
        return VERB_MISUSED;
    }
    for (size_t i = 0; i < hn_model_input_count(model); i++) {
        const char *rest = definition_subscript(hn_model_input(model, i).name, text, length);
        int code = rest ? link_input(f, model, i, equals + 1, rest) : VERB_OK;
        if (code != VERB_OK)
            return code;
    }
    if (f->links > before)
        return VERB_OK;
    console_error("--feedback: the model has no input %.*s", (int)length, text);
    return VERB_MISUSED;
}

int feedback_create(struct feedback *f, const hn_model *model, const struct text_list *wanted) {
    size_t room = hn_model_input_count(model) + 1; /* never 0 */
    int code = VERB_OK;
    *f = (struct feedback){.links = 0};
    f->input = base_allocate(room * sizeof *f->input);
    f->next = base_allocate(room * sizeof *f->next);
    f->values = base_allocate(room * sizeof *f->values);
    if (!f->input || !f->next || !f->values) {
        console_error("--feedback: out of memory");
        return VERB_FAILED;
    }
    for (size_t i = 0; code == VERB_OK && i < wanted->count; i++)
        code = link_family(f, model, wanted->items[i]);
    return code;
}

void feedback_release(struct feedback *f) {
    base_release(f->input);
    base_release(f->next);
    base_release(f->values);
    *f = (struct feedback){.links = 0};
}

/* ---- the suggestion of the model ---- */

static const char NEXT[] = "next";

static size_t family_length(const char *name) {
    return strcspn(name, "[");
}

static size_t count_next(const hn_model *model) {
    size_t count = 0;
    for (size_t i = 0; i < hn_model_definition_count(model); i++)
        count += definition_subscript(hn_model_definition(model, i).name, NEXT, strlen(NEXT)) != NULL;
    return count;
}

/* The number of entries of the family if each has its next; otherwise 0. */
static size_t entries_with_next(const hn_model *model, const char *family, size_t length) {
    size_t count = 0;
    for (size_t i = 0; i < hn_model_input_count(model); i++) {
        const char *rest = definition_subscript(hn_model_input(model, i).name, family, length);
        char name[1024];
        hn_expr value;
        if (!rest)
            continue;
        snprintf(name, sizeof name, "%s%s", NEXT, rest);
        if (!definition_find(model, name, &value))
            return 0;
        count++;
    }
    return count;
}

static bool is_first_of_family(const hn_model *model, size_t input, size_t length) {
    const char *name = hn_model_input(model, input).name;
    for (size_t i = 0; i < input; i++)
        if (definition_subscript(hn_model_input(model, i).name, name, length))
            return false;
    return true;
}

struct feedback_hint feedback_suggest(const hn_model *model) {
    struct feedback_hint hint = {.fitting = 0};
    size_t wanted = count_next(model);
    for (size_t i = 0; wanted > 0 && i < hn_model_input_count(model); i++) {
        const char *name = hn_model_input(model, i).name;
        size_t length = family_length(name);
        if (!is_first_of_family(model, i, length) || entries_with_next(model, name, length) != wanted)
            continue;
        if (hint.fitting++ == 0)
            snprintf(hint.text, sizeof hint.text, "%.*s=%s", (int)length, name, NEXT);
    }
    return hint;
}

bool feedback_default(struct text_list *wanted, struct feedback_hint *hint, const hn_model *model) {
    *hint = feedback_suggest(model);
    return wanted->count > 0 || hint->fitting != 1 || text_list_append(wanted, hint->text);
}

hn_status feedback_advance(const struct feedback *f, const hn_model *model, double *x, const double *y,
                           hn_error *error) {
    hn_status status = hn_model_evaluate(model, f->links, f->next, x, y, f->values, error);
    for (size_t i = 0; status == HN_OK && i < f->links; i++)
        x[f->input[i]] = f->values[i];
    return status;
}
