/* load.c - see load.h.
 *
 * SPDX-License-Identifier: MIT */
#include "common/load.h"

#include "common/console.h"
#include "common/verbs.h"

#include <string.h>

/* What the reader has reported. */
struct said {
    bool error, misuse; /* misuse: the first error is about a --let */
};

/* A sentence about a --let belongs to no file, and starts with the word. */
static void pass_on(void *context, const hn_note *note) {
    struct said *said = context;
    bool about_option = !note->file && strncmp(note->text, "let ", 4) == 0;
    if (note->severity == HN_SEVERITY_ERROR && !said->error) {
        said->misuse = about_option;
        said->error = true;
    }
    if (about_option)
        console_error("--%s", note->text);
    else
        console_note(note);
}

int load_model(hn_model **out, const struct text_list *files, const struct common_options *common) {
    struct said said = {.error = false};
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
    options.note = pass_on;
    options.context = &said;
    if (hn_model_read(out, files->count, files->items, &options, &error) == HN_OK)
        return VERB_OK;
    if (!said.error)
        console_error("%s", error.text);
    return said.misuse ? VERB_MISUSED : VERB_FAILED;
}
