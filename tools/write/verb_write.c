/* verb_write.c - hardnet write MODEL.mod [DATA.dat ...]: the expanded model as one text that reads back to the same
 * model.
 *
 * SPDX-License-Identifier: MIT */
#include "common/command.h"
#include "common/console.h"
#include "common/load.h"
#include "common/text.h"
#include "common/verbs.h"
#include "hardnet/read.h"

#include <stdio.h>

static const char about[] =
    "Writes the model that the files describe, data and --let included, as one text that reads back\n"
    "to the same fingerprints: indices expanded, params evaluated, every row by its name, what is\n"
    "used several times as $1, $2, ... The text goes to standard output, or to --out.";

static const char example[] = "  hardnet write models/unicycle.mod --let N=20 --out unicycle20.mod\n"
                              "  hardnet write pooling.mod pooling.dat | less\n";

struct write_options {
    struct text_list files;
    struct common_options common;
    const char *out;
};

/* Names may contain any bytes: unprintable ones are replaced on a terminal only. */
static void verb_write_show(const char *text, size_t length) {
    if (!console_is_terminal(stdout)) {
        fwrite(text, 1, length, stdout);
        return;
    }
    char line[4096];
    for (size_t i = 0, n = 0; i < length; i++) {
        bool end = text[i] == '\n';
        if (!end)
            line[n++] = text[i];
        if (!end && n + 1 < sizeof line)
            continue;
        line[n] = '\0';
        console_put(stdout, line);
        fputs(end ? "\n" : "", stdout);
        n = 0;
    }
}

static int verb_write_run(void *values) {
    const struct write_options *options = values;
    hn_error error = {.status = HN_OK};
    hn_model *model = NULL;
    char *bytes = NULL;
    size_t length = 0;
    int code = load_model(&model, &options->files, &options->common);
    if (code != VERB_OK)
        return code;
    hn_status status = hn_model_write(model, &bytes, &length, &error);
    const struct text text = {.bytes = bytes, .count = length, .capacity = length};
    if (status == HN_OK && options->out)
        status = text_write(&text, options->out, &error);
    else if (status == HN_OK)
        verb_write_show(bytes, length);
    hn_text_release(bytes);
    hn_model_destroy(model);
    return status == HN_OK ? VERB_OK : verb_explain(&error);
}

int verb_write(int argc, char **argv) {
    struct write_options o = {.out = NULL};
    const struct option table[] = {
        WRITTEN_FILE("out", "FILE", "write the text to this file", o.out),
        COMMON_OPTIONS(o.common),
    };
    const struct command command = {.name = "write",
                                    .usage = "MODEL.mod [DATA.dat ...] [--out FILE] [options]",
                                    .about = about,
                                    .example = example,
                                    .common = &o.common,
                                    .run = verb_write_run,
                                    COMMAND_OPTIONS(table, o)};
    return command_run(&command, argc, argv);
}
