/* npy.h - NumPy's files: converts bytes to an array of doubles in row-major order (hardnet/arrays.h lists the supported
 * formats).
 *
 * A .npz file is a ZIP archive of .npy files, stored (np.savez) or deflated (np.savez_compressed). The archive's
 * directory, at its end, is trusted; an array must have the size and the CRC-32 recorded there. Archives in several
 * parts, encrypted archives and archives larger than 4 GiB (ZIP64) are rejected. Source: PKWARE's APPNOTE.TXT 6.3.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_IO_NPY_H
#define HN_IO_NPY_H

#include "base/file.h"
#include "hardnet/arrays.h"

/* On failure the array is empty and values is NULL. `name` is for messages. */
hn_status npy_parse(hn_array *array, const char *name, const void *bytes, size_t count, hn_error *error);

/* The number of bytes of a file with this beginning (base/file.h). */
hn_status npy_begins(const char *name, const struct file_bytes *begun, size_t *most, hn_error *error);

/* Whether these bytes begin like a ZIP archive. */
bool npz_begins(const void *bytes, size_t count);

/* The array with this name (without .npy); NULL: the only array. `file` is for messages; arrays larger than max_bytes
 * when decompressed are rejected. */
hn_status npz_parse(hn_array *array, const char *file, const char *name, const struct file_bytes *bytes,
                    size_t max_bytes, hn_error *error);

/* Decompresses DEFLATE data (RFC 1951) to exactly `room` bytes; false if they are damaged or have another size. */
bool inflate_bytes(unsigned char *out, size_t room, const unsigned char *packed, size_t count);

/* ---- for callers that read a .npy file in pieces ---- */

struct npy_header {
    size_t data; /* offset of the first value */
    bool big_endian, fortran_order;
    char kind;   /* 'f'loat, 'i'nteger, 'u'nsigned or 'b'oolean */
    size_t item; /* bytes of a value: 1, 2, 4 or 8 */
    int dimensions;
    size_t shape[2];
    size_t bytes; /* of all values */
};

/* Checks everything except the size of the data. */
hn_status npy_header_parse(struct npy_header *header, const char *name, const unsigned char *bytes, size_t count,
                           hn_error *error);

/* Checks that the file has the number of data bytes in the header. */
hn_status npy_check_size(const struct npy_header *header, const char *name, size_t data, hn_error *error);

/* Converts numbers, in file order; false at an integer that a double cannot represent, and sets its position. */
bool npy_numbers(const struct npy_header *header, const unsigned char *bytes, size_t count, double *out,
                 size_t *culprit);
hn_status npy_refuse_integer(const char *name, size_t row, hn_error *error);

#endif
