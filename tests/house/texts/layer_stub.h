/* layer_stub.h - what comes before a shared header in an emitted file or a kernel, for a layer that does not exist: test_texts.py
 * compiles every header behind it. DEVICE_HOST: a kernel, else an emitted file; STUB_MEMORY: a kernel over slots in memory; STUB_POLICY: a
 * policy's; STUB_LAYER: elementary functions, the plan and what is generated are declared, too.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_LAYER_STUB_H
#define HN_TESTS_LAYER_STUB_H

#ifdef STUB_POLICY
#define hn_report layer_report /* kernels of policies declare hn_report */
#endif
#include "hardnet/layer.h"
#include "hardnet/network.h"
#undef hn_report

#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef DEVICE_HOST
#define LAYER_WEIGHTED 1
#define THREAD_WAITS   80
#define KERNEL_NAME    hardnet_run
#if !defined(STUB_MEMORY) && !defined(STUB_POLICY)
#define DEVICE_REGISTERS
#endif
#include "cuda/kernels/device_target.h"

#include "cuda/kernels/kernel_args.h"
#ifdef STUB_POLICY
typedef struct device_report hn_report;
#endif
#ifdef STUB_MEMORY
#define GLOBAL_THREADS 32
#define DEVICE_SYSTEM
#include "cuda/kernels/global_slots.h"
#endif
#else
#include "core/emitted_target.h"
#endif

#include "base/real.h"
#include "core/scalar.h"

#ifdef STUB_LAYER

/* ---- elementary functions ---- */

#include "base/elementary_arc.h"
#include "base/elementary_circle.h"
#include "base/elementary_exponential.h"
#include "base/elementary_hyperbolic.h"
#ifndef REAL_SINGLE
#include "base/reduce.c"
#endif
#include "base/random_core.h"

/* ---- the plan, and names of its places ---- */

#include "core/emitted_plan.h"
#include "core/sample.h"
#include "core/summary.h"

static const struct plan layer_plan = {.slots = 100};
static const struct sample_options layer_options = {.iterations = 1};
#include "core/one_plan.h"
#ifdef STUB_MEMORY
static constexpr struct plan plan_values = {.slots = 100};
#endif

enum {
    LAYER_SLOTS = 100,
    LAYER_CONSTANTS = 1,
    LAYER_OUTPUTS = 5,
    LAYER_INPUTS = 2,
    LAYER_ROWS = 3,
    LAYER_TAKEN = 0,
    LAYER_Y,
    LAYER_BASE,
    LAYER_BEST,
    LAYER_SUMMARY,
    LAYER_EPS,
    LAYER_DAMPED,
    LAYER_TAKES,
    LAYER_HOLD,
    LAYER_LEADS,
    LAYER_ZEROS = 1,
    LAYER_ASSUMED = 1,
    LAYER_NEAR = 1,
    LAYER_SETS_BASE = 1
};
SHARED_CONSTANT uint32_t constant_slot[] = {0}, zero_slot[] = {0};
SHARED_CONSTANT simd_bits constant_bits[] = {0};

struct assumed_weight {
    uint32_t slot;
    real value;
};
SHARED_CONSTANT struct assumed_weight assumed_weight[] = {{0, 0}};

/* ---- statements ---- */

#if !defined(STUB_MEMORY) && !defined(STUB_POLICY)
#include "core/entry_slots.h"
#endif

#ifdef STUB_MEMORY
enum { BYTECODE_SUMS, BYTECODE_SUM_PLUS, BYTECODE_SUM_MINUS, BYTECODE_SUM_BACK, BYTECODE_SUM_ZERO, BYTECODE_GROUP };
/* clang-format off */
enum : long long {
    DENSE_DEPTH = 7, REDUCED_BESIDE, REDUCED_DIAGONAL, REDUCED_FIRST, REDUCED_GRAM, REDUCED_LOWER, REDUCED_ORDER,
    REDUCED_OTHERS, REDUCED_RIGHT, REDUCED_ROW, REDUCED_SECOND, REDUCED_TURN, REDUCED_TURNED, SYSTEM_ADDED,
    SYSTEM_BACK_FROM, SYSTEM_BACK_FROM_TOO, SYSTEM_BACK_TO, SYSTEM_BACK_TO_TOO, SYSTEM_COLUMN_FIRST, SYSTEM_CONSTANTS,
    SYSTEM_FIRST_CONSTANT, SYSTEM_INVERSE, SYSTEM_KIND, SYSTEM_LOWER, SYSTEM_ORDER, SYSTEM_PERMUTATION, SYSTEM_PIVOTS,
    SYSTEM_PREFIX, SYSTEM_ROW_COLUMN, SYSTEM_ROW_ENTRY, SYSTEM_ROW_FIRST, SYSTEM_ROW_NUMBER, SYSTEM_ROW_UNKNOWN,
    SYSTEM_SOLUTION, SYSTEM_STEP_FROM, SYSTEM_STEP_TO, SYSTEM_STREAM, SYSTEM_STRIP, TILED_BLOCK, TILED_BLOCK_ROWS,
    TILED_COLUMNS, TILED_COUNT, TILED_FIXED_SHIFT, TILED_GRAM, TILED_GRAMS, TILED_HAS_GRAM, TILED_INVERSE, TILED_KEPT,
    TILED_KEPT_Q, TILED_KEPT_SHIFT, TILED_KNOWN, TILED_KNOWN_SCALE, TILED_KNOWN_SQUARES, TILED_LEAF_S, TILED_LEAF_T,
    TILED_LOWER, TILED_M, TILED_NONE, TILED_NUMBER, TILED_OUT, TILED_OUTPUTS_SIDE, TILED_Q, TILED_ROWS, TILED_RUN,
    TILED_SLOPE, TILED_STRIP, TILED_V, TILED_VALUE, TILED_VALUED, TILED_VALUES, TILED_WEIGHT, TILED_WEIGHTED,
    TILED_WORK, TILED_Z
};
/* clang-format on */

SIMD_INLINE void bytecode_function(real *slots, const real *numbers, const uint32_t *at, uint32_t function) {
    slots[at[0]] = numbers[function];
}

SIMD_INLINE void bytecode_functions(uint32_t function, const simd *x, const simd *y, const simd *z, simd *out) {
    *out = function > 0 ? *x + *y : *z;
}
#endif

#define STUB_ENTRY(name)                                                                                               \
    static inline void entry_##name(real *slots) {                                                                     \
        (void)slots;                                                                                                   \
    }
STUB_ENTRY(prepare)
STUB_ENTRY(evaluate)
STUB_ENTRY(residual)
STUB_ENTRY(rescale)
STUB_ENTRY(weigh_all)
STUB_ENTRY(largest)
STUB_ENTRY(step_begin)
STUB_ENTRY(step_end)
STUB_ENTRY(back_begin)
STUB_ENTRY(back_rows_bounds)
STUB_ENTRY(back_program)
STUB_ENTRY(back_middle)
STUB_ENTRY(back_end)

/* ---- rounding, a program, a network, CasADi ---- */

struct stub_rounded {
    real value, error;
};
typedef struct stub_rounded rounded_number;
struct stub_rounding_leaf {
    size_t number, slot;
    real error;
};
SHARED_CONSTANT struct stub_rounding_leaf rounding_leaves[] = {{0, 0, 0}};
SHARED_CONSTANT uint16_t rounding_steps[][5] = {{0, 0, 0, 0, 0}}, rounding_rows[][3] = {{0, 0, 0}};
SHARED_CONSTANT real rounding_numbers[][2] = {{0, 0}};
enum { ROUNDING_STEPS = 1, ROUNDING_ROWS = 1, ROUNDING_SCALE = 99 };

static inline real rounding_value(uint32_t code, real a, real b, real c) {
    return code > 0 ? a + b : c;
}

static inline real rounding_error(uint32_t code, real v, rounded_number a, rounded_number b, rounded_number c) {
    return code > 0 ? v : a.error + b.error + c.error;
}

#define casadi_real           double
#define casadi_int            long long int
#define EXTERNAL(suffix)      stub##suffix
#define EXTERNAL_BACK(suffix) adj1_stub##suffix
#define EXTERNAL_RAW          1
enum { stub_INPUTS = 2, stub_OUTPUTS = 5 };
typedef real stub_real;
struct stub_work {
    real slots[100];
};
void stub_init(struct stub_work *work);
int stub_solve(struct stub_work *work, const real x[], real y[], void *report);
int stub_gradient(struct stub_work *work, const real x[], const real grad_y[], real grad_y_raw[], real grad_x[]);
SHARED_CONSTANT casadi_int external_of_inputs[] = {2, 1, 0, 2, 0, 1}, external_of_outputs[] = {1, 1, 0, 1, 0};

enum { PROGRAM_DOT, PROGRAM_LINEAR, PROGRAM_SINCOS };

static inline real program_operator(uint32_t code, real a, real b, real c) {
    return code > 0 ? a + b : c;
}

struct network_layer {
    const real *weights, *biases;
    size_t inputs, outputs;
    int residual;
};
#define NETWORK_SHAPED
#define NETWORK_ACTIVATION HN_ACTIVATION_SILU
enum { NETWORK_NORM = 1, NETWORK_LAYERS = 1 };
SHARED_CONSTANT real network_input_shift[] = {0}, network_input_scale[] = {1}, network_output_shift[] = {0},
                     network_output_scale[] = {1};
SHARED_CONSTANT struct network_layer network_layers[NETWORK_LAYERS] = {
    {network_input_shift, network_input_shift, 1, 1, 1}};

#endif

#endif
