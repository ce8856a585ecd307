/* compile_choice.c - see compile_choice.h.
 *
 * SPDX-License-Identifier: MIT */
#include "common/compile_choice.h"

#include "base/clock.h"
#include "common/console.h"
#include "common/figures.h"
#include "common/layer_choice.h"
#include "common/verbs.h"

#include <stdio.h>

const char *const compile_choice_words[] = {"try", NULL};

struct size_text compile_choice_size(size_t bytes) {
    struct size_text size;
    if (bytes < 10000)
        snprintf(size.text, sizeof size.text, "%zu bytes", bytes);
    else if (bytes < 10000000)
        snprintf(size.text, sizeof size.text, "%zu kB", bytes / 1000);
    else
        snprintf(size.text, sizeof size.text, "%zu MB", bytes / 1000000);
    return size;
}

void compile_choice_begin(void *context, const char *compiler, size_t text_bytes) {
    (void)context;
    console_remark("compiling %s of C with %s ...", compile_choice_size(text_bytes).text, compiler);
}

static void say(const hn_kernel_info *made, double seconds) {
    const char *code = compile_choice_size(made->code_bytes).text;
    if (made->found)
        console_remark("kernel from the cache in %s, %s of machine code", figures_duration(seconds).text, code);
    else
        console_remark("compiled in %s, %s of machine code", figures_duration(made->seconds).text, code);
}

/* What cannot be had is told; options that make no sense, or no memory, are errors all the same. */
static int explain(const struct compile_choice *choice, const hn_error *error) {
    bool lacking = error->status == HN_UNSUPPORTED || error->status == HN_IO;
    if (!choice->how || !lacking)
        return layer_choice_explain(error);
    console_warning("--compile=try: %s; the library's own kernels run", error->text);
    return VERB_OK;
}

/* Ctrl-C ends the compiler, which is asked by the terminal as we are; what it leaves is cleared away before we go, too. */
static int compile(struct compile_choice *choice, const hn_model *model, hn_layer_options *options, bool gradients) {
    hn_kernel_options wanted = hn_kernel_defaults();
    hn_error error = {.status = HN_OK};
    double begun = clock_seconds();
    wanted.gradients = gradients;
    wanted.begin = compile_choice_begin;
    choice->made = (hn_kernel_info){.size = sizeof choice->made};
    console_hold_interrupt();
    hn_status status = hn_kernel_compile(model, options, &wanted, &choice->made, &error);
    console_release_interrupt();
    if (status != HN_OK)
        return explain(choice, &error);
    say(&choice->made, clock_seconds() - begun);
    options->kernel = choice->made.path;
    return VERB_OK;
}

int compile_choice_settle(struct compile_choice *choice, const hn_model *model, hn_layer_options *options,
                          bool gradients) {
    options->kernel = choice->kernel;
    if (choice->asked && choice->kernel) {
        console_error("--kernel: with --compile there is no use for it");
        return VERB_MISUSED;
    }
    return choice->asked ? compile(choice, model, options, gradients) : VERB_OK;
}
