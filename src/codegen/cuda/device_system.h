/* device_system.h - the linear system of a layer as loops over slots in global memory, if its factor is too dense for a
 * list of statements.
 *
 *     dense, walked    linalg/damped_kernel.h, as on the host
 *     tiled            the factor of linalg/dense_ldl_kernel.h; the rest is in blocked_thread_kernel.h and
 *                      tridiagonal_thread_kernel.h
 *
 * Input: a plan and the lists of its statements. Output: the words and numbers that the loops read, appended to these
 * lists, and the names of all offsets, as constants of the text.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_DEVICE_SYSTEM_H
#define HN_CODEGEN_DEVICE_SYSTEM_H

#include "codegen/cuda/bytecode.h"

struct device_system {
    bool there;
    enum factor_kind kind;
    bool single;          /* in floats */
    bool reduces;         /* tiled, by tridiagonal equalities */
    uint32_t slots;       /* of a sample, including those of the factor */
    struct text names;    /* the constants, as text */
    struct executor host; /* of a tiled system: the precomputed data of constant rows */
};

/* Zeros if the system is among the statements. Statements of evaluation that the loops replace are removed. */
hn_status device_system_create(struct device_system *out, struct ir_module *ir, bool single, hn_error *error);

/* Appends its words and numbers to the bytecode. */
hn_status device_system_list(struct device_system *system, struct bytecode *bytecode, const struct ir_module *ir,
                             hn_error *error);
void device_system_release(struct device_system *system);

/* Parts of the kernel's text: before the plan, and after the entries. Nothing if the system is among the statements. */
void device_system_print_names(const struct device_system *system, struct text *out);
void device_system_print_steps(const struct device_system *system, struct text *out);

/* ---- the layout of its data: one function runs twice, to measure and to place ---- */

enum { STRIP_ROWS = 4 }; /* DENSE_ACROSS of global_slots.h */

struct system_layout {
    const struct plan *plan;
    const struct tiled *tiled;     /* of the host; NULL: the system is not tiled */
    const struct known_row *known; /* per row, of the host; NULL if rows have no weights */
    bool single;
    struct text *names; /* constants of the text, */
    uint32_t *words;    /* words and numbers: NULL while measuring */
    double *numbers;
    size_t word_count, number_count;
    uint64_t slot_count;
};

/* NAME = value, a constant of the text. */
void layout_name(struct system_layout *l, const char *name, uint64_t value);

/* `name`: the constant with the offset. A matrix: rows of `columns` numbers, `apart` numbers apart in `from`. */
void layout_words(struct system_layout *l, const char *name, const uint32_t *from, size_t count);
void layout_numbers(struct system_layout *l, const char *name, const double *from, size_t rows, size_t apart,
                    size_t columns);
void layout_slots(struct system_layout *l, const char *name, uint64_t count);

/* The bits of a number in the precision of the kernel. */
uint64_t kernel_bits(double number, bool single);

/* The data of a blocked system; blocked_ldl_layout.c. */
void layout_tiled(struct system_layout *l);

#endif
