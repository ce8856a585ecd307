/* safetensors_header.h - the grammar of a safetensors header; the meaning is checked elsewhere.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NN_SAFETENSORS_HEADER_H
#define HN_NN_SAFETENSORS_HEADER_H

#include "base/json_reader.h"
#include "nn/safetensors.h"

/* Fills tensors, texts and checksum; texts must be as large as the header. */
hn_status safetensors_header(struct safetensors *file, struct json_cursor *c);

#endif
