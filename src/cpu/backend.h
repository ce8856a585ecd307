/* backend.h - the kernels of one instruction set as a table of functions, selected at run time.
 *
 * Every table computes the same bits. Instruction sets appear in this module only. Slots are a worker's memory, 64-byte
 * aligned; numbers of type uint32_t are offsets in it (linalg/damped_system.h).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CPU_BACKEND_H
#define HN_CPU_BACKEND_H

#include "autodiff/program.h"
#include "base/lanes.h"
#include "core/set.h"
#include "core/summary.h"
#include "linalg/blocked_ldl.h"
#include "linalg/damped_system.h"
#include "linalg/signed_system.h"

/* Tasks of later modules that provide kernels; see kernels.h. */
struct barrier_task;
struct matrix_product;
struct activation_task;
struct normalize_task;

/* ---- tasks of this module's kernels. Fields of type uint32_t and the lists are offsets into a thread's slots. A mask is a
 * slot of all ones or all zeros per lane ---- */

/* The rows of a problem: values, bounds and weights. */
struct rows_task {
    size_t rows, columns;
    const uint32_t *value, *lower, *upper; /* of each row: offsets of c, bl, bu */
    uint32_t residual;                     /* r, one slot per row */
    uint32_t summary;
    bool relative;
    /* The rest is for methods with row weights: A = W J, w a power of two on active rows, else 0. */
    bool weighted;
    const uint32_t *first; /* rows + 1: first entry of each row */
    const uint32_t *entry; /* offsets of J's entries */
    uint32_t matrix;       /* A, one slot per entry */
    uint32_t scale;        /* powers of two, one slot per row */
    uint32_t active;       /* masks, one per row */
    uint32_t right;        /* W r, one slot per row */
    uint32_t shift;        /* eps on active rows, 1 on others; one slot per row */
    uint32_t eps;          /* one slot */
    uint32_t hold;         /* one slot: satisfied rows closer to a bound than this, in units of w, are active, too */
    uint32_t leads;        /* mask: inequalities in several outputs are inactive */
    const struct known_row *known; /* rows with constant J, whose A is not stored; NULL: none */
    /* Row blocks; their fields `storage` are offsets. */
    size_t block_count;
    const struct set_block *blocks;
    const uint32_t *column;      /* of each entry of J: its output, not an offset */
    bool outputs_side, undamped; /* of the steps; undamped: eps is 0 */
};

/* A row with constant J. */
struct known_row {
    bool known;
    double scale;   /* w, */
    double squares; /* and |w J|^2 */
};

/* Outputs with bounds: their offsets in vectors, and the offsets of their bounds. */
struct clip_task {
    size_t count;
    uint32_t *offset, *lower, *upper;
    uint32_t *row; /* the row's number */
};

struct unclip_places {
    uint32_t y, step, gradient;      /* over outputs */
    uint32_t grad_lower, grad_upper; /* over rows */
};

/* Rows of the adjoint: input q; outputs D q, W q, W v; adds to the gradients of bounds. */
struct adjoint_task {
    uint32_t damped;         /* one slot: (q' v) d(eps)/d|W r| / |W r|, 0 if eps is locally constant */
    uint32_t q, v;           /* one slot per row */
    uint32_t kept;           /* D q */
    uint32_t pulled;         /* D W q, that is -g */
    uint32_t leaf_q, leaf_v; /* W q, W v for the second derivatives */
    uint32_t grad_lower, grad_upper;
    uint32_t gradient, leaf_t, leaf_s; /* over outputs; for row blocks */
};

/* The kernels, except that of programs: X(name, (parameters)). */
#define BACKEND_KERNEL_LIST(X)                                                                                         \
    /* the linear system of a step */                                                                                  \
    X(solve, (const struct damped *system, double *slots, const struct damped_sides *sides))                           \
    /* the same for blocked systems; helper threads may join */                                                        \
    X(solve_tiled,                                                                                                     \
      (const struct tiled *task, double *slots, const struct damped_sides *sides, struct helpers *helpers))            \
    X(begin_tiled, (const struct tiled *task, double *slots))                                                          \
    X(values_tiled, (const struct tiled *task, double *slots, uint32_t y, struct helpers *helpers))                    \
    X(rows_tiled, (const struct tiled *task, double *slots, uint32_t from, uint32_t to, struct helpers *helpers))      \
    X(columns_tiled,                                                                                                   \
      (const struct tiled *task, double *slots, uint32_t from, uint32_t to, bool subtract, struct helpers *helpers))   \
    X(gram_tiled, (const struct tiled_gram *task))                                                                     \
    X(turn_tiled, (const struct tiled_turn *task))                                                                     \
    X(multiply, (const struct product *product, double *slots, uint32_t from, uint32_t to))                            \
    X(multiply_subtract, (const struct product *product, double *slots, uint32_t from, uint32_t to))                   \
    X(multiply_two, (const struct product *product, double *slots, const uint32_t from[2], const uint32_t to[2]))      \
    /* rows */                                                                                                         \
    X(residual, (const struct rows_task *task, double *slots))                                                         \
    X(residual_only, (const struct rows_task *task, double *slots))                                                    \
    X(rescale, (const struct rows_task *task, double *slots, uint32_t mask))                                           \
    X(weigh, (const struct rows_task *task, double *slots, uint32_t mask))                                             \
    X(shift, (const struct rows_task *task, double *slots))                                                            \
    X(largest, (const struct rows_task *task, double *slots, uint32_t to))                                             \
    X(step, (const struct rows_task *task, double *slots, uint32_t base, uint32_t step, uint32_t y))                   \
    X(clip, (const struct clip_task *task, double *slots, uint32_t y, uint32_t mask))                                  \
    X(hold_bounds,                                                                                                     \
      (const struct rows_task *task, const struct clip_task *clip, double *slots, uint32_t slope, uint32_t mask))      \
    X(unclip, (const struct clip_task *task, double *slots, const struct unclip_places *at, uint32_t mask))            \
    X(adjoint_rows, (const struct rows_task *task, const struct adjoint_task *adjoint, double *slots, bool bounds))    \
    /* vectors */                                                                                                      \
    X(load, (double *slots, uint32_t offset, size_t count, const double *const *from))                                 \
    X(unload, (const double *slots, uint32_t offset, size_t count, double *const *to))                                 \
    X(copy, (double *slots, uint32_t from, uint32_t to, size_t count, uint32_t mask))                                  \
    X(inner, (double *slots, uint32_t a, uint32_t b, size_t count, uint32_t to))                                       \
    X(add, (double *slots, uint32_t a, uint32_t to, size_t count))                                                     \
    X(subtract, (double *slots, uint32_t a, uint32_t b, uint32_t to, size_t count))                                    \
    X(scatter_subtract, (double *slots, const uint32_t *from, const uint32_t *offset, size_t count, uint32_t to))      \
    /* symmetric indefinite systems */                                                                                 \
    X(signed_factor, (const struct signed_system *system, double *slots))                                              \
    X(signed_solve, (const struct signed_system *system, double *slots, uint32_t from, uint32_t to))                   \
    X(signed_residual, (const struct signed_system *system, double *slots, uint32_t right, uint32_t x, uint32_t to))   \
    /* QPs: the work between the solves */                                                                             \
    X(barrier_scale, (const struct barrier_task *task, double *slots))                                                 \
    X(barrier_begin, (const struct barrier_task *task, double *slots))                                                 \
    X(barrier_rows, (const struct barrier_task *task, double *slots))                                                  \
    X(barrier_advance, (const struct barrier_task *task, double *slots))                                               \
    X(barrier_multipliers, (const struct barrier_task *task, double *slots))                                           \
    /* networks: plain arrays, not slots */                                                                            \
    X(multiply_matrix, (const struct matrix_product *product))                                                         \
    X(activate, (const struct activation_task *task))                                                                  \
    X(activate_back, (const struct activation_task *task))                                                             \
    X(normalize, (const struct normalize_task *task))                                                                  \
    X(normalize_back, (const struct normalize_task *task))

struct backend {
    const char *name;
    void (*run)(const struct program *program, int phase, double *slots);
#define BACKEND_MEMBER(name, parameters) void(*name) parameters;
    BACKEND_KERNEL_LIST(BACKEND_MEMBER)
#undef BACKEND_MEMBER
};

/* One function per file of kernels. Tables are returned by value, so that the library needs no relocated data. */
struct backend backend_portable(void);
struct backend backend_avx2(void);
struct backend backend_avx512(void);

/* For a single sample, where offsets equal slots. The same bits. */
struct backend backend_single(void);

/* The table of this name ("portable", "avx2", "avx512"), or the fastest one for NULL. Fails when the name is unknown or
 * the processor lacks the instructions. */
hn_status backend_choose(struct backend *out, hn_instructions instructions, hn_error *error);

/* The tables that this processor supports, fastest first; false beyond the last. */
bool backend_at(size_t index, struct backend *out);

#endif
