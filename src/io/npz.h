/* npz.h - NumPy's .npz files: a ZIP archive of .npy files, stored (np.savez) or deflated (np.savez_compressed).
 *
 * The archive's directory, at its end, is believed; an array must have the length and the CRC-32 that it says. Archives of several parts,
 * encrypted ones and those beyond 4 GiB (ZIP64) are refused. Source: PKWARE's APPNOTE.TXT 6.3.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_IO_NPZ_H
#define HN_IO_NPZ_H

#include "base/file.h"
#include "hardnet/arrays.h"

/* Whether these bytes begin like a ZIP archive. */
bool npz_begins(const void *bytes, size_t count);

/* The array of this name (without .npy), or the only one where it is NULL. The file's name is for messages; an array that unpacks to more
 * than max_bytes is refused. */
hn_status npz_parse(hn_array *array, const char *file, const char *name, const struct file_bytes *bytes,
                    size_t max_bytes, hn_error *error);

#endif
