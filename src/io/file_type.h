/* file_type.h - recognises files of other formats by their first bytes.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_IO_FILE_TYPE_H
#define HN_IO_FILE_TYPE_H

#include <stddef.h>

enum file_type {
    FILE_TYPE_UNKNOWN,
    FILE_TYPE_NPY,
    FILE_TYPE_ZIP, /* .npz, and .pt files of PyTorch */
    FILE_TYPE_PROGRAM,
    FILE_TYPE_GZIP,
    FILE_TYPE_PICKLE,
    FILE_TYPE_SAFETENSORS,
    FILE_TYPE_ONNX,
    FILE_TYPE_NL /* AMPL's stub files */
};

enum file_type file_type_of(const void *bytes, size_t count);

#endif
