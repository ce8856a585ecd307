/* npz.h - NumPy's .npz files: a ZIP archive of .npy files, stored (np.savez) or deflated (np.savez_compressed).
 *
 * The archive's directory, at its end, is trusted; an array must have the size and the CRC-32 recorded there. Archives
 * in several parts, encrypted ones and those beyond 4 GiB (ZIP64) are refused. Source: PKWARE's APPNOTE.TXT 6.3.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_IO_NPZ_H
#define HN_IO_NPZ_H

#include "base/file.h"
#include "hardnet/arrays.h"

/* Whether these bytes begin like a ZIP archive. */
bool npz_begins(const void *bytes, size_t count);

/* The array with this name (without .npy); NULL: the only one. `file` is for messages; arrays larger than max_bytes
 * when decompressed are refused. */
hn_status npz_parse(hn_array *array, const char *file, const char *name, const struct file_bytes *bytes,
                    size_t max_bytes, hn_error *error);

#endif
