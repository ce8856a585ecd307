/* load.h - loads the model of a command line: reads the files, prints the reader's messages, reports errors.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_LOAD_H
#define HN_TOOLS_LOAD_H

#include "common/options.h"
#include "hardnet/model.h"

/* VERB_OK and the model, or another verb code after printing all errors. */
int load_model(hn_model **out, const struct text_list *files, const struct common_options *common);

#endif
