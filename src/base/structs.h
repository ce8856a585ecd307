/* structs.h - structs that cross the public boundary, between a program and a library of different versions.
 *
 * Each begins with its size as the caller's compiler saw it (hardnet/base.h documents the contract). Only these two
 * functions read that size: struct_take copies a caller's struct into a complete one of this library, struct_give
 * copies one out.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_STRUCTS_H
#define HN_BASE_STRUCTS_H

#include "hardnet/base.h"

#include <string.h>

/* Copies the caller's struct over own, which has `size` bytes and keeps that size; fields missing in the caller's keep
 * their values in own: defaults of options, zeros elsewhere. Rejects a size of 0, and nonzero bytes beyond those that
 * this library knows. */
hn_status struct_take(void *own, size_t size, const void *given, const char *name, hn_error *error);

/* Copies own, of `size` bytes, to the caller's struct, up to the size stored in it, which is kept; bytes beyond those
 * that this library knows become 0. Rejects NULL and a size of 0. */
hn_status struct_give(void *out, const void *own, size_t size, const char *name, hn_error *error);

/* The same by type: STRUCT_TAKE(hn_batch, &own, batch, error). Before STRUCT_TAKE_OPTIONS own contains the defaults. */
#define STRUCT_TAKE(type, own, given, error)                                                                           \
    struct_take(memset(own, 0, sizeof(type)), sizeof(type), given, #type, error)
#define STRUCT_TAKE_OPTIONS(type, own, given, error) struct_take(own, sizeof(type), given, #type, error)
#define STRUCT_GIVE(type, out, own, error)           struct_give(out, own, sizeof(type), #type, error)

#endif
