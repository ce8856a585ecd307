/* system_layout.h - where the words, numbers and slots of a linear system on a device go: one function lays them out, run twice, to measure
 * and to place.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_SYSTEM_LAYOUT_H
#define HN_CUDA_SYSTEM_LAYOUT_H

#include "cuda/device_system.h"

struct system_layout {
    const struct plan *plan;
    const struct tiled *tiled;       /* what the host has of it; NULL: it is none */
    const struct known_row *known;   /* per row, likewise; NULL where rows have no weights */
    bool single;                     /* the kernel's numbers are floats */
    struct text *names;              /* what is placed, as constants of the text */
    uint32_t *words;                 /* NULL while measuring, as numbers */
    double *numbers;                 /* */
    size_t word_count, number_count; /* so far, */
    uint64_t slot_count;             /* likewise */
};

/* NAME = value, a constant of the text. */
void layout_name(struct system_layout *l, const char *name, uint64_t value);

/* Each is named by where it begins. A matrix: rows of so many numbers, `apart` from each other where they come from. */
void layout_words(struct system_layout *l, const char *name, const uint32_t *from, size_t count);
void layout_numbers(struct system_layout *l, const char *name, const double *from, size_t rows, size_t apart,
                    size_t columns);
void layout_slots(struct system_layout *l, const char *name, uint64_t count);

/* The part of a system in tiles. */
void layout_tiled(struct system_layout *l);

#endif
