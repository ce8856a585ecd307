/* device_system.h - the linear system of a layer as loops over slots in global memory, if its factor is too full for a
 * list of statements.
 *
 *     dense, walked    linalg/damped_kernel.h, as on the host
 *     tiled            the factor of linalg/dense_ldl_kernel.h; the rest is in blocked_ldl_thread.h,
 *                      blocked_ldl_solve.h and tridiagonal_schur.h
 *
 * Input: a plan and the lists of its statements. Output: the words and numbers that the loops read, appended to these
 * lists, and the names of all offsets, as constants of the text.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_DEVICE_SYSTEM_H
#define HN_CUDA_DEVICE_SYSTEM_H

#include "cuda/bytecode.h"

struct device_system {
    bool there;
    enum factor_kind kind;
    bool single;          /* in floats */
    bool reduces;         /* tiled, by tridiagonal equalities */
    uint32_t slots;       /* of a sample, those of the walk included */
    struct text names;    /* the constants, as text */
    struct executor host; /* of a tiled one: what it has computed of constant rows */
};

/* Zeros if the system is among the statements. Statements of evaluation that the loops replace are removed. */
hn_status device_system_create(struct device_system *out, struct ir_module *ir, bool single, hn_error *error);

/* Behind the words and numbers that are listed. */
hn_status device_system_list(struct device_system *system, struct bytecode *listed, const struct ir_module *ir,
                             hn_error *error);
void device_system_release(struct device_system *system);

/* Its texts: before points, before entries, after them, after the kernel's functions. Nothing if there is none. */
void device_system_print_knows(const struct device_system *system, struct text *out);
void device_system_print_functions(const struct device_system *system, struct text *out);
void device_system_print_entries(const struct device_system *system, struct text *out);
void device_system_print_begin(const struct device_system *system, struct text *out);

#endif
