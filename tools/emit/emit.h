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

/* Corrects sampled inputs by the library, from the network's outputs or the model's start values: how many steps they take. False
 * where that cannot be found out. */
struct emit_probe {
    size_t samples, ok;
    int steps;    /* of 99.9 % of those that are ok, at most */
    bool network; /* from its outputs; else from the start values */
};
bool emit_probe(struct emit_probe *out, const hn_model *model, const hn_network *network,
                const hn_layer_options *options);

/* Prints what an emitted layer needs, and what the probe has found, in double whatever the file computes in. */
void emit_print(const hn_emitted *emitted, const struct emit_probe *probe, bool single);

#endif
