/* checkpoint.h - the state of a training as one file: arrays of numbers, and texts that say which training it is.
 *
 * In come arrays with names; out goes a safetensors file with a checksum over the whole, replaced whole, so that whoever is
 * killed finds the old one or the new one. Loading fills the arrays with the same bits, or refuses the file and leaves them
 * alone. The texts are written by one training and compared by the next: one that differs is refused by name.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TRAINING_CHECKPOINT_H
#define HN_TRAINING_CHECKPOINT_H

#include "hardnet/network.h"

enum { CHECKPOINT_MOST_PARTS = 32 };

/* What the numbers of a part may be. */
enum checkpoint_range { CHECKPOINT_ANY, CHECKPOINT_FINITE, CHECKPOINT_NOT_NEGATIVE };

struct checkpoint_part {
    const char *name;
    double *numbers; /* rows x columns */
    size_t rows, columns;
    bool fewer;                  /* a file may have fewer rows; loading leaves their number in rows */
    enum checkpoint_range range; /* a file with other numbers is refused */
};

struct checkpoint {
    size_t text_count, part_count;
    const hn_metadata *texts;
    struct checkpoint_part *parts;
};

hn_status checkpoint_save(const struct checkpoint *checkpoint, const char *path, hn_error *error);

/* HN_INVALID when the texts are not these, or a number is out of its range; HN_SYNTAX or HN_UNSUPPORTED when the file is damaged or no checkpoint. */
hn_status checkpoint_load(const struct checkpoint *checkpoint, const char *path, hn_error *error);

#endif
