/* layer_choice.h - the options of the correction, and the resulting layer.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_LAYER_CHOICE_H
#define HN_TOOLS_LAYER_CHOICE_H

#include "common/compile_choice.h"

/* Missing values are the method's defaults. */
struct layer_choice {
    const char *method, *isa; /* NULL: auto; the fastest available */
    double damping, tolerance, effort;
    size_t iterations;
    bool damping_given, iterations_given, tolerance_given, effort_given;
    bool relative;
    const double *weights;         /* of the method nearest; NULL: none */
    struct compile_choice compile; /* COMPILE_OPTIONS */
};

extern const char *const layer_choice_methods[], *const layer_choice_sets[]; /* words, NULL after the last */

/* " auto paper ..." */
#define LAYER_METHOD(name, text) " " text
#define LAYER_METHODS            HN_METHOD_LIST(LAYER_METHOD)

#define LAYER_OPTIONS(choice)                                                                                          \
    {.name = "method",                                                                                                 \
     .value = "METHOD",                                                                                                \
     .help = "how outputs are corrected, one of" LAYER_METHODS " (auto)",                                              \
     .text = &(choice).method,                                                                                         \
     .words = layer_choice_methods},                                                                                   \
        LAYER_SETTINGS(choice)

#define EFFORT_OPTION(number, is_given, own)                                                                           \
    {                                                                                                                  \
        .name = "effort", .value = "F",                                                                                \
        .help = "effort of auto before it gives up on a sample, as a factor: above 0, at most 1000 (" own ")",         \
        .real = &(number), .given = &(is_given)                                                                        \
    }

/* All but the method. */
#define LAYER_SETTINGS(choice)                                                                                         \
    {.name = "damping",                                                                                                \
     .value = "E",                                                                                                     \
     .help = "damping eps of every step (the method's default)",                                                       \
     .real = &(choice).damping,                                                                                        \
     .given = &(choice).damping_given},                                                                                \
        {.name = "iterations",                                                                                         \
         .value = "K",                                                                                                 \
         .help = "maximum steps per sample (the method's default)",                                                    \
         .count = &(choice).iterations,                                                                                \
         .most = INT_MAX,                                                                                              \
         .given = &(choice).iterations_given},                                                                         \
        {.name = "tolerance",                                                                                          \
         .value = "T",                                                                                                 \
         .help = "largest violation that counts as ok (1e-8)",                                                         \
         .real = &(choice).tolerance,                                                                                  \
         .given = &(choice).tolerance_given},                                                                          \
        EFFORT_OPTION((choice).effort, (choice).effort_given, "1"),                                                    \
        {.name = "relative",                                                                                           \
         .help = "multiply the tolerance of a constraint by its bound if that is above 1",                             \
         .flag = &(choice).relative},                                                                                  \
    {                                                                                                                  \
        .name = "isa", .value = "SET", .help = "instruction set: portable, avx2 or avx512 (the best available)",       \
        .text = &(choice).isa, .words = layer_choice_sets                                                              \
    }

/* The options with the given values replaced. */
hn_layer_options layer_choice_options(const struct layer_choice *choice, hn_layer_options options);

/* Prints a sentence about options that do not fit each other or the model, with the dashes; VERB_MISUSED or
 * VERB_FAILED. */
int layer_choice_explain(const hn_error *error);

/* VERB_OK and the layer, or another verb code after printing the error. Gradients are compiled, too, where code is. */
int layer_choice_create(hn_layer **out, const hn_model *model, struct layer_choice *choice, bool gradients);

/* "method paper, damping 0.3, at most 500 steps, tolerance 1e-08" on stdout. */
void layer_choice_print(const hn_layer *layer);

/* ", compiled", or "": printed after the instruction set. */
const char *layer_choice_compiled(const hn_layer *layer);

#endif
