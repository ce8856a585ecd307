/* emit.h - what the files of hardnet emit share.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_EMIT_H
#define HN_TOOLS_EMIT_H

#include "common/layer_choice.h"
#include "common/options.h"
#include "hardnet/emit.h"

struct emit_options {
    struct text_list files;
    struct common_options common;
    struct layer_choice layer;
    const char *out, *net, *real, *name, *libm, *abi;
    bool adjoint;
    size_t candidates, refine;
    bool candidates_given, refine_given; /* else the network's own */
};

/* Puts the files into the folder, all or none: they are written into a temporary folder inside it, synced and then renamed. A run that
 * is killed between two renames leaves a header and a source that do not compile together; its temporary folder is removed by the
 * next run. What is there under these names and was not made by hardnet emit is refused. Prints what is wrong; a verb code. */
int emit_write(const char *folder, const char *name, const hn_emitted *texts);

#endif
