/* load.c - see load.h.
 *
 * SPDX-License-Identifier: MIT */
#include "common/load.h"

#include "common/console.h"
#include "common/verbs.h"

static void pass_on(void *context, const hn_message *note) {
    bool *said_error = context;
    if (note->severity == HN_SEVERITY_ERROR)
        *said_error = true;
    if (note->code == HN_CODE_LET)
        console_error("--%s", note->text);
    else
        console_note(note);
}

int load_model(hn_model **out, const struct text_list *files, const struct common_options *common) {
    bool said_error = false;
    hn_read_options options = hn_read_defaults();
    hn_error error = {.status = HN_OK};
    *out = NULL;
    if (files->count == 0) {
        console_error("no model file is given");
        return VERB_MISUSED;
    }
    options.lets = common->lets.items;
    options.let_count = common->lets.count;
    options.relax_integrality = common->relax_integrality;
    if (common->max_nodes > 0)
        options.max_nodes = common->max_nodes;
    options.message = pass_on;
    options.context = &said_error;
    if (hn_model_read(out, files->count, files->items, &options, &error) == HN_OK)
        return VERB_OK;
    if (!said_error)
        console_error("%s", error.text);
    return error.code == HN_CODE_LET ? VERB_MISUSED : VERB_FAILED;
}
