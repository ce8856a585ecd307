/* load.h - from the command line to a model: reads the files, shows what the reader has to say, explains failures.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_LOAD_H
#define HN_TOOLS_LOAD_H

#include "common/options.h"
#include "hardnet/model.h"

/* VERB_OK and the model, or another verb code after everything wrong has been printed. */
int load_model(hn_model **out, const struct text_list *files, const struct common_options *common);

#endif
