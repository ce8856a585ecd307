/* stranger.h - recognises files of other formats by their first bytes.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_IO_STRANGER_H
#define HN_IO_STRANGER_H

#include <stddef.h>

enum stranger {
    STRANGER_UNKNOWN,
    STRANGER_NPY,
    STRANGER_ZIP, /* .npz, and .pt files of PyTorch */
    STRANGER_PROGRAM,
    STRANGER_GZIP,
    STRANGER_PICKLE,
    STRANGER_SAFETENSORS,
    STRANGER_ONNX,
    STRANGER_NL /* AMPL's stub files */
};

enum stranger stranger_of(const void *bytes, size_t count);

#endif
