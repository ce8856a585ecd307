/* compile_choice.c - see compile_choice.h.
 *
 * SPDX-License-Identifier: MIT */
#include "common/compile_choice.h"

#include "base/clock.h"
#include "common/console.h"
#include "common/figures.h"
#include "common/interrupt.h"
#include "common/layer_choice.h"
#include "common/progress.h"
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

/* ---- while a compiler works ---- */

static void say_begin(void *context, const char *compiler, size_t text_bytes) {
    progress_begin(context, "compiling", 0);
    console_remark("compiling %s of C with %s ...", compile_choice_size(text_bytes).text, compiler);
}

static void say_waiting(void *context, double seconds) {
    progress_wait(context, seconds);
}

int compile_choice_make(const hn_model *model, const hn_layer_options *layer, hn_kernel_options wanted,
                        hn_kernel_info *made, hn_error *error) {
    struct progress progress;
    progress_begin(&progress, "compiling", 0);
    wanted.begin = say_begin;
    wanted.waiting = say_waiting;
    wanted.context = &progress;
    wanted.cancel = interrupt_begin();
    interrupt_take_terminate();
    hn_status status = hn_kernel_compile(model, layer, &wanted, made, error);
    progress_end(&progress);
    interrupt_end();
    if (status != HN_OK && interrupt_came())
        console_error("interrupted; nothing was compiled");
    return status == HN_OK ? VERB_OK : interrupt_came() ? interrupt_code() : VERB_FAILED;
}

static void compile_choice_say(const hn_kernel_info *made, double seconds) {
    const char *code = compile_choice_size(made->code_bytes).text;
    if (made->found)
        console_remark("kernel from the cache in %s, %s of machine code", figures_duration(seconds).text, code);
    else
        console_remark("compiled in %s, %s of machine code", figures_duration(made->seconds).text, code);
    if (made->left_bytes > 0)
        console_remark("%s of C are too large for a compiler: the built-in kernels run that part",
                       compile_choice_size(made->left_bytes).text);
}

/* Reports what is not available; invalid options and lack of memory are still errors. */
static int explain(const struct compile_choice *choice, const hn_error *error) {
    bool lacking = error->status == HN_UNSUPPORTED || error->status == HN_IO;
    if (!choice->how || !lacking)
        return layer_choice_explain(error);
    console_warning("--compile=try: %s; using the built-in kernels", error->text);
    return VERB_OK;
}

static int compile(struct compile_choice *choice, const hn_model *model, hn_layer_options *options, bool gradients) {
    hn_kernel_options wanted = hn_kernel_defaults();
    hn_error error = {.status = HN_OK};
    double begun = clock_seconds();
    wanted.gradients = gradients;
    choice->made = (hn_kernel_info){.size = sizeof choice->made};
    int code = compile_choice_make(model, options, wanted, &choice->made, &error);
    if (code != VERB_OK)
        return code == VERB_FAILED ? explain(choice, &error) : code;
    compile_choice_say(&choice->made, clock_seconds() - begun);
    options->kernel = choice->made.path;
    return VERB_OK;
}

int compile_choice_settle(struct compile_choice *choice, const hn_model *model, hn_layer_options *options,
                          bool gradients) {
    options->kernel = choice->kernel;
    if (choice->asked && choice->kernel) {
        console_error("--kernel has no effect with --compile");
        return VERB_MISUSED;
    }
    return choice->asked ? compile(choice, model, options, gradients) : VERB_OK;
}
