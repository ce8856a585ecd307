/* hardnet/checkpoint.h - the state of a training as one file: arrays of numbers, and texts that say
 * which training it is.
 *
 * This header is still moving: a minor version may change it.
 *
 * Arrays with names are written to a safetensors file with a checksum over the whole. The file is
 * replaced whole, so that a program that was killed finds the old one or the new one. Loading fills
 * the arrays with the same bits, or refuses the file and leaves them as they are. The texts are
 * written by one training and compared by the next: one that differs is refused by name.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HARDNET_CHECKPOINT_H
#define HARDNET_CHECKPOINT_H

#include "hardnet/network.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HN_CHECKPOINT_MOST_PARTS = 32 };

/* What the numbers of a part may be. */
typedef enum hn_checkpoint_range {
    HN_CHECKPOINT_ANY,
    HN_CHECKPOINT_FINITE,
    HN_CHECKPOINT_NOT_NEGATIVE
} hn_checkpoint_range;

typedef struct hn_checkpoint_part {
    const char *name;
    double *numbers; /* rows x columns, the caller's */
    size_t rows, columns;
    bool fewer;                /* a file may have fewer rows; loading leaves their number in rows */
    hn_checkpoint_range range; /* a file with other numbers is refused */
} hn_checkpoint_part;

/* Everything in it is the caller's, and is used during the call only. */
typedef struct hn_checkpoint {
    size_t text_count, part_count;
    const hn_metadata *texts;
    hn_checkpoint_part *parts;
} hn_checkpoint;

hn_status hn_checkpoint_save(const hn_checkpoint *checkpoint, const char *path, hn_error *error);

/* HN_INVALID when the texts differ, or a number is out of its range; HN_SYNTAX or HN_UNSUPPORTED
 * when the file is damaged or is no checkpoint. */
hn_status hn_checkpoint_load(const hn_checkpoint *checkpoint, const char *path, hn_error *error);

/* The text of a checkpoint under this key, cut to bytes - 1; HN_INVALID where it has none. */
hn_status hn_checkpoint_read_text(const char *path, const char *key, size_t bytes, char *text, hn_error *error);

#ifdef __cplusplus
}
#endif

#endif
