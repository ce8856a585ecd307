/* definitions.c - see definitions.h.
 *
 * SPDX-License-Identifier: MIT */
#include "common/definitions.h"

#include "base/suggest.h"

#include <stdio.h>
#include <string.h>

bool definition_find(const hn_model *model, const char *name, hn_expr *value) {
    for (size_t i = 0; i < hn_model_definition_count(model); i++) {
        hn_named_expr definition = hn_model_definition(model, i);
        if (strcmp(definition.name, name) == 0) {
            *value = definition.value;
            return true;
        }
    }
    return false;
}

const char *definition_subscript(const char *name, const char *family, size_t length) {
    if (strncmp(name, family, length) != 0)
        return NULL;
    return name[length] == '\0' || name[length] == '[' ? name + length : NULL;
}

struct definition_hint definition_suggest(const hn_model *model, const char *name) {
    struct definition_hint hint = {.text = ""};
    struct suggestion suggestion = {.best = NULL};
    for (size_t i = 0; i < hn_model_definition_count(model); i++)
        suggest_consider(&suggestion, name, hn_model_definition(model, i).name);
    if (suggestion.best)
        snprintf(hint.text, sizeof hint.text, "; did you mean %.80s?", suggestion.best);
    return hint;
}
