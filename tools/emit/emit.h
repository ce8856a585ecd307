/* emit.h - declarations shared by the files of hardnet emit.
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
    bool candidates_given, refine_given; /* else those of the network */
};

/* Puts the files into the folder, all or none: they are written into a temporary folder inside it, synced and then
 * renamed. A run that is killed between two renames leaves a header and a source that do not compile together; its
 * temporary folder is removed by the next run. Existing files that were not written by hardnet emit are not
 * overwritten. Prints errors; returns a verb code. */
int emit_write(const char *folder, const char *name, const hn_emitted *texts);

/* Corrects sampled inputs with the library, from the network's outputs or the model's start values, and counts the
 * steps. False if that is impossible. */
struct emit_probe {
    size_t samples, ok;
    int steps;    /* of 99.9 % of those that are ok, at most */
    bool network; /* from its outputs; else from the start values */
};
bool emit_probe(struct emit_probe *out, const hn_model *model, const hn_network *network,
                const hn_layer_options *options);

/* Prints the memory of an emitted layer and the result of the probe, which computes in double in any case. */
void emit_print(const hn_emitted *emitted, const struct emit_probe *probe, bool single);

#endif
