/* casadi_external.h - an emitted file as an external function of CasADi: its C interface, forward and adjoint.
 *
 *     y = NAME(x, y_raw)                             y_raw only without a network
 *     adj_x, adj_y_raw = adj1_NAME(x, y_raw, out_y, adj_y)
 *
 * All memory is the caller's `w`; nothing is kept between calls. A call fails (returns 1) if the outcome is not ok, or if there is no exact
 * gradient. An argument that is NULL is zero, a result that is NULL is not computed.
 * A vector's sparsity (CCS): number of rows, number of columns, column pointers, row indices. out_y, the value at the
 * same arguments, is not used: it has no entries.
 *
 * Requires casadi_real and casadi_int, the shapes of the two vectors; EXTERNAL(suffix) and EXTERNAL_BACK(suffix), the
 * names of the two functions; EXTERNAL_RAW, 1 without a network, else 0.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_CASADI_EXTERNAL_H
#define HN_CORE_CASADI_EXTERNAL_H

#include "base/real.h"

enum {
    EXTERNAL_INPUTS = EXTERNAL(_INPUTS),
    EXTERNAL_OUTPUTS = EXTERNAL(_OUTPUTS),
    EXTERNAL_FORWARD_IN = 1 + EXTERNAL_RAW,
    EXTERNAL_BACK_IN = EXTERNAL_FORWARD_IN + 2,
    EXTERNAL_BACK_OUT = EXTERNAL_FORWARD_IN
};

/* Layout of w. */
struct external_memory {
    struct EXTERNAL(_work) work;
    EXTERNAL(_real) x[EXTERNAL_INPUTS + 1], y[EXTERNAL_OUTPUTS], seed[EXTERNAL_OUTPUTS];
};

SHARED_CONSTANT casadi_int *external_vector(casadi_int of_outputs) {
    return of_outputs ? external_of_outputs : external_of_inputs;
}

static void external_take(const casadi_real *from, EXTERNAL(_real) * to, size_t count) {
    for (size_t i = 0; i < count; i++) {
        to[i] = from ? from[i] : 0;
        LOOP_STAYS;
    }
}

/* Copies x and the raw output, and runs the layer. */
static int external_solve(const casadi_real **arg, struct external_memory *memory) {
    EXTERNAL(_init)(&memory->work);
    external_take(arg[0], memory->x, EXTERNAL_INPUTS);
#if EXTERNAL_RAW
    external_take(arg[1], memory->y, EXTERNAL_OUTPUTS);
#endif
    return EXTERNAL(_solve)(&memory->work, memory->x, memory->y, 0);
}

static int external_sizes(casadi_int in, casadi_int out, casadi_int *const sizes[4]) {
    const casadi_int own[4] = {in, out, 0, (casadi_int)((sizeof(struct external_memory) + 7) / 8)};
    for (int i = 0; i < 4; i++)
        if (sizes[i])
            *sizes[i] = own[i];
    return 0;
}

/* ---- shared by both functions ---- */

#define EXTERNAL_FUNCTIONS(NAME, arguments, results)                                                                   \
    int NAME()(const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem);                   \
    void NAME(_incref)(void);                                                                                          \
    void NAME(_decref)(void);                                                                                          \
    int NAME(_checkout)(void);                                                                                         \
    void NAME(_release)(int mem);                                                                                      \
    casadi_int NAME(_n_in)(void);                                                                                      \
    casadi_int NAME(_n_out)(void);                                                                                     \
    const char *NAME(_name_in)(casadi_int i);                                                                          \
    const char *NAME(_name_out)(casadi_int i);                                                                         \
    const casadi_int *NAME(_sparsity_in)(casadi_int i);                                                                \
    const casadi_int *NAME(_sparsity_out)(casadi_int i);                                                               \
    int NAME(_work)(casadi_int * sz_arg, casadi_int * sz_res, casadi_int * sz_iw, casadi_int * sz_w);                  \
                                                                                                                       \
    void NAME(_incref)(void) {}                                                                                        \
                                                                                                                       \
    void NAME(_decref)(void) {}                                                                                        \
                                                                                                                       \
    int NAME(_checkout)(void) {                                                                                        \
        return 0;                                                                                                      \
    }                                                                                                                  \
                                                                                                                       \
    void NAME(_release)(int mem) {                                                                                     \
        (void)mem;                                                                                                     \
    }                                                                                                                  \
                                                                                                                       \
    casadi_int NAME(_n_in)(void) {                                                                                     \
        return arguments;                                                                                              \
    }                                                                                                                  \
                                                                                                                       \
    casadi_int NAME(_n_out)(void) {                                                                                    \
        return results;                                                                                                \
    }                                                                                                                  \
                                                                                                                       \
    int NAME(_work)(casadi_int * sz_arg, casadi_int * sz_res, casadi_int * sz_iw, casadi_int * sz_w) {                 \
        casadi_int *const sizes[4] = {sz_arg, sz_res, sz_iw, sz_w};                                                    \
        return external_sizes(arguments, results, sizes);                                                              \
    }

EXTERNAL_FUNCTIONS(EXTERNAL, EXTERNAL_FORWARD_IN, 1)
EXTERNAL_FUNCTIONS(EXTERNAL_BACK, EXTERNAL_BACK_IN, EXTERNAL_BACK_OUT)

/* ---- forward ---- */

int EXTERNAL()(const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem) {
    struct external_memory *memory = (struct external_memory *)(void *)w;
    (void)iw;
    (void)mem;
    if (external_solve(arg, memory) != 0)
        return 1;
    for (size_t j = 0; res[0] && j < EXTERNAL_OUTPUTS; j++) {
        res[0][j] = memory->y[j];
        LOOP_STAYS;
    }
    return 0;
}

const char *EXTERNAL(_name_in)(casadi_int i) {
    return i == 0 ? "x" : i < EXTERNAL_FORWARD_IN ? "y_raw" : 0;
}

const char *EXTERNAL(_name_out)(casadi_int i) {
    return i == 0 ? "y" : 0;
}

const casadi_int *EXTERNAL(_sparsity_in)(casadi_int i) {
    return i < EXTERNAL_FORWARD_IN ? external_vector(i) : 0;
}

const casadi_int *EXTERNAL(_sparsity_out)(casadi_int i) {
    return i == 0 ? external_vector(1) : 0;
}

/* ---- the adjoint ---- */

int EXTERNAL_BACK()(const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem) {
    struct external_memory *memory = (struct external_memory *)(void *)w;
    casadi_real *grad_raw = EXTERNAL_RAW ? res[EXTERNAL_BACK_OUT - 1] : 0;
    (void)iw;
    (void)mem;
    if (external_solve(arg, memory) != 0)
        return 1;
    external_take(arg[EXTERNAL_BACK_IN - 1], memory->seed, EXTERNAL_OUTPUTS);
    return EXTERNAL(_gradient)(&memory->work, memory->x, memory->seed, grad_raw, res[0]);
}

const char *EXTERNAL_BACK(_name_in)(casadi_int i) {
    if (i < EXTERNAL_FORWARD_IN)
        return EXTERNAL(_name_in)(i);
    return i == EXTERNAL_FORWARD_IN ? "out_y" : i == EXTERNAL_FORWARD_IN + 1 ? "adj_y" : 0;
}

const char *EXTERNAL_BACK(_name_out)(casadi_int i) {
    return i == 0 ? "adj_x" : i < EXTERNAL_BACK_OUT ? "adj_y_raw" : 0;
}

const casadi_int *EXTERNAL_BACK(_sparsity_in)(casadi_int i) {
    static const casadi_int no_entries[4] = {EXTERNAL_OUTPUTS, 1, 0, 0};
    if (i == EXTERNAL_FORWARD_IN)
        return no_entries;
    return i < EXTERNAL_BACK_IN ? external_vector(i) : 0;
}

const casadi_int *EXTERNAL_BACK(_sparsity_out)(casadi_int i) {
    return i < EXTERNAL_BACK_OUT ? external_vector(i) : 0;
}

#endif
