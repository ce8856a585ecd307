/* layer_choice.c - see layer_choice.h.
 *
 * SPDX-License-Identifier: MIT */
#include "common/layer_choice.h"

#include "common/console.h"
#include "common/verbs.h"

#include <stdio.h>
#include <string.h>

#define WORD(name, text) text,
const char *const layer_choice_methods[] = {HN_METHOD_LIST(WORD) NULL};
const char *const layer_choice_sets[] = {"portable", "avx2", "avx512", NULL};

/* The layer's options have the names of ours, and its sentences about them begin with the name. */
static bool names_an_option(const hn_error *error) {
    static const char names[][16] = {"method", "damping", "iterations", "tolerance", "effort", "seconds", "weights"};
    for (size_t i = 0; error->code == HN_CODE_OPTION && i < sizeof names / sizeof names[0]; i++)
        if (strcmp(error->subject, names[i]) == 0)
            return true;
    return false;
}

static bool lifts_the_limit(const hn_error *error) {
    return error->code == HN_CODE_OPTION && strcmp(error->subject, "max_nodes") == 0;
}

/* HN_INVALID means options in conflict with each other or the model, except for kernels; HN_UNSUPPORTED means on this
 * machine. */
int layer_choice_explain(const hn_error *error) {
    console_error("%s%s%s", names_an_option(error) ? "--" : "", error->text,
                  lifts_the_limit(error) ? " (--max-nodes)" : "");
    return error->status == HN_INVALID && error->code != HN_CODE_KERNEL ? VERB_MISUSED : VERB_FAILED;
}

hn_layer_options layer_choice_options(const struct layer_choice *choice, hn_layer_options options) {
    if (choice->method)
        hn_method_find(choice->method, &options.method);
    if (choice->damping_given)
        options.damping = choice->damping;
    if (choice->iterations_given)
        options.iterations = (int)choice->iterations;
    if (choice->tolerance_given)
        options.tolerance = choice->tolerance;
    if (choice->effort_given)
        options.effort = choice->effort;
    options.relative = choice->relative;
    options.weights = choice->weights;
    if (choice->isa)
        hn_instructions_find(choice->isa, &options.instructions);
    return options;
}

int layer_choice_create(hn_layer **out, const hn_model *model, struct layer_choice *choice, bool gradients) {
    hn_error error = {.status = HN_OK};
    hn_layer_options options = layer_choice_options(choice, hn_layer_defaults());
    int code = compile_choice_settle(&choice->compile, model, &options, gradients);
    if (code != VERB_OK)
        return code;
    return hn_layer_create(out, model, &options, &error) == HN_OK ? VERB_OK : layer_choice_explain(&error);
}

void layer_choice_print(const hn_layer *layer) {
    hn_layer_options settings = hn_layer_options_of(layer);
    printf("method %s, ", hn_method_text(settings.method));
    if (settings.damping >= 0)
        printf("damping %g, ", settings.damping);
    else
        printf("damping adapted, ");
    if (settings.iterations >= 0)
        printf("at most %d steps, ", settings.iterations);
    if (settings.effort != 1)
        printf("effort %g, ", settings.effort);
    printf("tolerance %g%s", settings.tolerance, settings.relative ? " relative to the bounds" : "");
}

const char *layer_choice_compiled(const hn_layer *layer) {
    return hn_layer_info_of(layer).compiled ? ", compiled" : "";
}
