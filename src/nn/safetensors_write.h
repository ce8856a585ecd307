/* safetensors_write.h - texts and tensors as the bytes of a safetensors file (safetensors.h), written whole.
 *
 * The same tensors and the same texts give the same bytes: both stand in the caller's order, and nothing else goes in.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NN_SAFETENSORS_WRITE_H
#define HN_NN_SAFETENSORS_WRITE_H

#include "hardnet/network.h"

/* A tensor of doubles in memory, row by row. */
struct memory_tensor {
    const char *name;
    int dimensions;
    size_t shape[2]; /* one dimension: the second is 1 */
    const double *numbers;
};

/* What a file holds, in this order, the checksum between the two lists of texts. */
struct safetensors_content {
    size_t own_count, text_count, tensor_count;
    const hn_metadata *own; /* what says which kind of file it is */
    const hn_metadata *texts;
    const struct memory_tensor *tensors;
};

/* HN_INVALID when a text is missing, is not UTF-8 or has the key of another or of the checksum; HN_LIMIT when there are too
 * many. The tensors are in memory, so that their sizes fit. */
hn_status safetensors_write(const struct safetensors_content *content, const char *path, hn_error *error);

#endif
