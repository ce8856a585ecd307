/* hardnet/checkpoint.h - the state of a training in one file: arrays of numbers, and strings that identify the
 * training.
 *
 * Unstable: a minor version may change this header.
 *
 * Named arrays are written to a safetensors file with a checksum over the whole. The file is replaced atomically, so
 * that a killed program leaves the old one or the new one. Loading restores the arrays bit by bit, or refuses the file
 * and leaves them unchanged. The strings are written by one training and compared by the next: a difference is an error
 * that names the string.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HARDNET_CHECKPOINT_H
#define HARDNET_CHECKPOINT_H

#include "hardnet/network.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HN_CHECKPOINT_MOST_PARTS = 32 };

/* The admissible values of a part. */
typedef enum hn_checkpoint_range {
    HN_CHECKPOINT_ANY,
    HN_CHECKPOINT_FINITE,
    HN_CHECKPOINT_NOT_NEGATIVE
} hn_checkpoint_range;

typedef struct hn_checkpoint_part {
    const char *name;
    double *numbers; /* rows x columns, owned by the caller */
    size_t rows, columns;
    bool fewer;                /* a file may have fewer rows; loading stores their number in rows */
    hn_checkpoint_range range; /* a file with other values is refused */
} hn_checkpoint_part;

/* All pointers are owned by the caller and used during the call only. */
typedef struct hn_checkpoint {
    size_t text_count, part_count;
    const hn_metadata *texts;
    hn_checkpoint_part *parts;
} hn_checkpoint;

hn_status hn_checkpoint_save(const hn_checkpoint *checkpoint, const char *path, hn_error *error);

/* HN_INVALID if the strings differ, or a number is out of range; HN_SYNTAX or HN_UNSUPPORTED if the file is damaged or
 * is not a checkpoint. */
hn_status hn_checkpoint_load(const hn_checkpoint *checkpoint, const char *path, hn_error *error);

/* The string of a checkpoint for this key, truncated to bytes - 1; HN_INVALID if it is absent. */
hn_status hn_checkpoint_read_text(const char *path, const char *key, size_t bytes, char *text, hn_error *error);

#ifdef __cplusplus
}
#endif

#endif
