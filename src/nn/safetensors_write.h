/* safetensors_write.h - writes texts and tensors as a safetensors file (safetensors.h).
 *
 * Deterministic: the same tensors and texts, in the caller's order, give the same bytes.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NN_SAFETENSORS_WRITE_H
#define HN_NN_SAFETENSORS_WRITE_H

#include "hardnet/network.h"

/* A row-major tensor of doubles in memory. */
struct memory_tensor {
    const char *name;
    int dimensions;
    size_t shape[2]; /* one dimension: the second is 1 */
    const double *numbers;
};

/* Contents of a file, in this order, with the checksum between the two lists of texts. */
struct safetensors_content {
    size_t own_count, text_count, tensor_count;
    const hn_metadata *own; /* identifies the kind of file */
    const hn_metadata *texts;
    const struct memory_tensor *tensors;
};

/* HN_INVALID when a text is missing, is not UTF-8, or repeats another key or that of the checksum; HN_LIMIT when there
 * are too many. The tensors are in memory, so their sizes cannot overflow. */
hn_status safetensors_write(const struct safetensors_content *content, const char *path, hn_error *error);

#endif
