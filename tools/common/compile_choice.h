/* compile_choice.h - the options for compiled kernels, and the resulting kernel.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_COMPILE_CHOICE_H
#define HN_TOOLS_COMPILE_CHOICE_H

#include "hardnet/kernel.h"

struct compile_choice {
    bool asked;         /* --compile */
    const char *how;    /* NULL, or "try": fall back to the built-in kernels */
    const char *kernel; /* --kernel: a file of hardnet compile */
    hn_kernel_info made;
};

extern const char *const compile_choice_words[]; /* NULL after the last */

#define COMPILE_OPTIONS(choice)                                                                                        \
    {.name = "compile",                                                                                                \
     .value = "try",                                                                                                   \
     .help = "run code compiled for this model; try: use the built-in kernels if that fails",                          \
     .flag = &(choice).asked,                                                                                          \
     .text = &(choice).how,                                                                                            \
     .words = compile_choice_words},                                                                                   \
        READ_FILE("kernel", "FILE", "run the kernel in this file, written by hardnet compile", (choice).kernel)

/* Compiles the kernel of a layer with these options where requested, or takes it from the user's cache, and says so on
 * stderr; options->kernel is its file then, as long as the choice lives, and NULL where there is none. VERB_OK, or
 * another verb code after printing the error. */
int compile_choice_settle(struct compile_choice *choice, const hn_model *model, hn_layer_options *options,
                          bool gradients);

/* hn_kernel_compile with signs of life on stderr. Ctrl-C and SIGTERM end the compiler, and nothing of its work is left;
 * they are said, and their code is returned. VERB_FAILED: the error is yet to be told. */
int compile_choice_make(const hn_model *model, const hn_layer_options *layer, hn_kernel_options wanted,
                        hn_kernel_info *made, hn_error *error);

/* "812 kB" */
struct size_text {
    char text[24];
};
struct size_text compile_choice_size(size_t bytes);

#endif
