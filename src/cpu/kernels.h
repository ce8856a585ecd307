/* kernels.h - all kernels for the WIDTH that the including file defines, and their table.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CPU_KERNELS_H
#define HN_CPU_KERNELS_H

#include "autodiff/program_kernel.h"
#include "core/barrier_kernel.h"
#include "cpu/backend.h"
#include "cpu/rows_kernel.h"
#include "linalg/blocked_ldl_kernel.h"
#include "linalg/damped_kernel.h"
#include "linalg/signed_kernel.h"
#include "nn/matrix_kernel.h"
#include "nn/normalize_kernel.h"

static inline struct backend kernel_table(const char *name) {
    return (struct backend){
        .name = name,
        .run = kernel_program,
        .solve = kernel_solve,
        .solve_tiled = kernel_solve_tiled,
        .begin_tiled = kernel_begin_tiled,
        .values_tiled = kernel_values_tiled,
        .rows_tiled = kernel_rows_tiled,
        .columns_tiled = kernel_columns_tiled,
        .gram_tiled = kernel_gram_tiled,
        .turn_tiled = kernel_turn_tiled,
        .multiply = kernel_multiply,
        .multiply_subtract = kernel_multiply_subtract,
        .multiply_two = kernel_multiply_two,
        .residual = kernel_residual,
        .residual_only = kernel_residual_only,
        .rescale = kernel_rescale,
        .weigh = kernel_weigh,
        .shift = kernel_shift,
        .largest = kernel_largest,
        .step = kernel_step,
        .clip = kernel_clip,
        .hold_bounds = kernel_hold_bounds,
        .unclip = kernel_unclip,
        .adjoint_rows = kernel_adjoint_rows,
        .load = kernel_load,
        .unload = kernel_unload,
        .copy = kernel_copy,
        .inner = kernel_inner,
        .add = kernel_add,
        .subtract = kernel_subtract,
        .scatter_subtract = kernel_scatter_subtract,
        .signed_factor = kernel_signed_factor,
        .signed_solve = kernel_signed_solve,
        .signed_residual = kernel_signed_residual,
        .barrier_scale = kernel_barrier_scale,
        .barrier_begin = kernel_barrier_begin,
        .barrier_rows = kernel_barrier_rows,
        .barrier_advance = kernel_barrier_advance,
        .barrier_multipliers = kernel_barrier_multipliers,
        .multiply_matrix = kernel_multiply_matrix,
        .activate = kernel_activate,
        .activate_back = kernel_activate_back,
        .normalize = kernel_normalize,
        .normalize_back = kernel_normalize_back,
    };
}

#endif
