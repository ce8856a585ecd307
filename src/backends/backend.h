/* backend.h - the kernels of one instruction set, as a table; the choice among them is made at run time.
 *
 * Every table computes the same bits. Instruction sets appear in this room alone.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BACKENDS_BACKEND_H
#define HN_BACKENDS_BACKEND_H

#include "program/program.h"

struct backend {
    const char *name;
    void (*run)(const struct program *program, int phase, double *slots); /* slots 64-byte aligned */
};

/* One function per file of kernels. A table is returned by value: the library has no data that a loader must write to. */
struct backend backend_portable(void);
struct backend backend_avx2(void);
struct backend backend_avx512(void);

/* The table of this name ("portable", "avx2", "avx512"), or the best one for NULL. Fails when the name is unknown or this
 * processor lacks the instructions. */
hn_status backend_choose(struct backend *out, const char *name, hn_error *error);

/* The tables that this processor can run, best first; false beyond the last. */
bool backend_at(size_t index, struct backend *out);

#endif
