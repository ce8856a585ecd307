/* npy_header.h - the header of a .npy file: a Python dictionary with three known keys, read without Python.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_IO_NPY_HEADER_H
#define HN_IO_NPY_HEADER_H

#include "hardnet/base.h"

struct npy_header {
    size_t data; /* offset of the first value */
    bool big_endian, fortran_order;
    char kind;   /* 'f'loat, 'i'nteger, 'u'nsigned or 'b'oolean */
    size_t item; /* bytes of a value: 1, 2, 4 or 8 */
    int dimensions;
    size_t shape[2];
};

/* Whether these bytes contain the whole header; also true if they are not a header, so that reading more is useless. */
bool npy_header_is_whole(const unsigned char *bytes, size_t count);

/* Checks everything except the size of the data. */
hn_status npy_header_parse(struct npy_header *header, const char *name, const unsigned char *bytes, size_t count,
                           hn_error *error);

#endif
