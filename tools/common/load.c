/* load.c - see load.h.
 *
 * SPDX-License-Identifier: MIT */
#include "common/load.h"

#include "common/console.h"
#include "common/overlap.h"
#include "common/verbs.h"

/* Results of the reader. */
struct reported {
    const struct command *command;
    bool error;
    int overlap; /* VERB_OK, or the code of a refused file */
};

static void pass_on(void *context, const hn_message *message) {
    struct reported *reported = context;
    if (message->severity == HN_SEVERITY_ERROR)
        reported->error = true;
    if (message->code == HN_CODE_LET) {
        console_error("--%s", message->text);
        if (message->hint)
            console_hint(message->hint);
    } else
        console_note(message);
}

/* Checks included files; those on the command line are already checked. */
static void look_at(void *context, const char *path) {
    struct reported *reported = context;
    if (reported->command && reported->overlap == VERB_OK)
        reported->overlap = overlap_refuse_included(reported->command, path);
}

static hn_read_options read_options(const struct common_options *common, struct reported *reported) {
    hn_read_options options = hn_read_defaults();
    options.lets = common->lets.items;
    options.let_count = common->lets.count;
    options.relax_integrality = common->relax_integrality;
    options.untrusted = common->untrusted;
    if (common->max_nodes > 0)
        options.max_nodes = common->max_nodes;
    options.message = pass_on;
    options.opened = look_at;
    options.context = reported;
    return options;
}

int load_model(hn_model **out, const struct text_list *files, const struct common_options *common) {
    struct reported reported = {.command = common->command, .overlap = VERB_OK};
    hn_read_options options = read_options(common, &reported);
    hn_error error = {.status = HN_OK};
    *out = NULL;
    if (files->count == 0) {
        console_error("no model file is given");
        return VERB_MISUSED;
    }
    hn_status status = hn_model_read(out, files->count, files->items, &options, &error);
    if (status == HN_OK && reported.overlap == VERB_OK)
        return VERB_OK;
    hn_model_destroy(*out);
    *out = NULL;
    if (reported.overlap != VERB_OK)
        return reported.overlap;
    if (!reported.error)
        console_error("%s", error.text);
    return error.code == HN_CODE_LET ? VERB_MISUSED : VERB_FAILED;
}
