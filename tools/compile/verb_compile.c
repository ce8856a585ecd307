/* verb_compile.c - hardnet compile MODEL.mod [DATA.dat ...] --out KERNEL.so: code for one model, as a file that layers
 * load.
 *
 * SPDX-License-Identifier: MIT */
#include "common/command.h"
#include "common/compile_choice.h"
#include "common/console.h"
#include "common/figures.h"
#include "common/headings.h"
#include "common/layer_choice.h"
#include "common/load.h"
#include "common/verbs.h"

#include <limits.h>
#include <stdio.h>

static const char about[] =
    "Compiles the correction for one model, method and instruction set with the system's C compiler\n"
    "(CC, else cc), so that batches run several times as fast; results keep their bits. Without --out\n"
    "the kernel goes to the user's cache, $XDG_CACHE_HOME/hardnet or ~/.cache/hardnet, where --compile of\n"
    "project, eval, train, bench and rollout finds it. A kernel in a file is used with --kernel FILE.\n"
    "A kernel does not depend on the tolerance or the number of steps.";

static const char example[] = "  hardnet compile models/unicycle.mod --out unicycle.so\n"
                              "  hardnet project models/unicycle.mod --x x.npy --kernel unicycle.so\n"
                              "  hardnet train models/unicycle.mod --out net.safetensors --compile\n";

struct compile_options {
    struct text_list files;
    struct common_options common;
    struct layer_choice choice;
    const char *out;
    bool no_gradients, again, seconds_given;
    double seconds;
};

/* ---- the report ---- */

static void print_row(const char *name, const char *text) {
    printf("  %-12s %s\n", name, text);
}

static void print(const struct compile_options *options, const hn_layer_options *layer, const hn_kernel_info *made) {
    printf("%s", console_tone(stdout, TONE_HEADING));
    for (size_t i = 0; i < options->files.count; i++)
        printf("%s%s", i > 0 ? " " : "", figures_name(options->files.items[i]).text);
    printf("%s\n  method %s, %s, %s gradients\n", console_plain(stdout), hn_method_text(layer->method),
           hn_instructions_text(made->instructions), made->gradients ? "with" : "without");
    report_heading("Kernel");
    print_row("text", compile_choice_size(made->text_bytes).text);
    if (made->left_bytes > 0)
        print_row("left out", compile_choice_size(made->left_bytes).text);
    print_row("code", compile_choice_size(made->code_bytes).text);
    if (!made->found)
        print_row("compiled in", figures_duration(made->seconds).text);
    printf("  %-12s ", made->found ? "in the cache" : "written");
    console_put(stdout, made->path);
    printf("\n");
}

/* ---- running ---- */

static int compile(const struct compile_options *options, const hn_model *model) {
    const hn_layer_options layer = layer_choice_options(&options->choice, hn_layer_defaults());
    hn_kernel_options wanted = hn_kernel_defaults();
    hn_kernel_info made = {.size = sizeof made};
    hn_error error = {.status = HN_OK};
    wanted.out = options->out;
    wanted.gradients = !options->no_gradients;
    wanted.again = options->again;
    if (options->seconds_given)
        wanted.seconds = options->seconds;
    int code = compile_choice_make(model, &layer, wanted, &made, &error);
    if (code == VERB_OK)
        print(options, &layer, &made);
    return code == VERB_FAILED ? layer_choice_explain(&error) : code;
}

static int verb_compile_run(void *values) {
    const struct compile_options *options = values;
    hn_model *model = NULL;
    int code = load_model(&model, &options->files, &options->common);
    if (code == VERB_OK)
        code = compile(options, model);
    hn_model_destroy(model);
    return code;
}

int verb_compile(int argc, char **argv) {
    struct compile_options o = {.out = NULL};
    const struct option table[] = {
        WRITTEN_FILE("out", "KERNEL.so", "write the kernel to this file (the cache)", o.out),
        LAYER_OPTIONS(o.choice),
        {.name = "no-gradients", .help = "compile the correction only, which is faster", .flag = &o.no_gradients},
        {.name = "again", .help = "compile even if the cache has the kernel", .flag = &o.again},
        {.name = "seconds",
         .value = "S",
         .help = "time limit of the compiler in seconds (600)",
         .real = &o.seconds,
         .given = &o.seconds_given},
        COMMON_OPTIONS(o.common),
    };
    const struct command command = {.name = "compile",
                                    .usage = "MODEL.mod [DATA.dat ...] [--out KERNEL.so] [options]",
                                    .about = about,
                                    .example = example,
                                    .common = &o.common,
                                    .run = verb_compile_run,
                                    COMMAND_OPTIONS(table, o)};
    return command_run(&command, argc, argv);
}
