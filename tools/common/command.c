/* command.c - see command.h.
 *
 * SPDX-License-Identifier: MIT */
#include "common/command.h"

#include "common/overlap.h"
#include "common/save.h"
#include "common/verbs.h"

static int check_written(const struct command *command) {
    hn_error error = {.status = HN_OK};
    for (size_t i = 0; i < command->option_count; i++) {
        const struct option *option = &command->options[i];
        if (option->file == FILE_WRITTEN && save_possible(option->name, *option->text, &error) != HN_OK)
            return verb_explain(&error);
    }
    return VERB_OK;
}

static int settle_and_run(const struct command *command) {
    int code = command->settle ? command->settle(command->values) : VERB_OK;
    if (code == VERB_OK)
        code = overlap_refuse(command);
    if (code == VERB_OK)
        code = check_written(command);
    return code == VERB_OK ? command->run(command->values) : code;
}

int command_run(const struct command *command, int argc, char **argv) {
    enum parse parse = options_parse(command, argc, argv);
    if (command->common)
        command->common->command = command;
    int code = parse == PARSE_DONE ? settle_and_run(command) : options_code(parse);
    options_release(command);
    return code;
}
