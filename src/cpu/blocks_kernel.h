/* blocks_kernel.h - row blocks (core/set.h) in the residual, the row weights and the adjoint of rows_kernel.h.
 *
 * With row weights, A and W r of a block are in its basis. For the derivative of A = W D J, with M the rows' values,
 *
 *     d(v' A t - q' A s) = (W D v)' dJ t - (W D q)' dJ s + G' dM,      G = W (D2 r [v, J t] - D2 r [q, J s])
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CPU_BLOCKS_KERNEL_H
#define HN_CPU_BLOCKS_KERNEL_H

#include "core/set_kernel.h"
#include "cpu/backend.h"
#include "cpu/row_values_kernel.h"

#define AT(offset)      ((simd *)(void *)SLOT_AT(slots, offset))
#define MASK_AT(offset) ((simd_bits *)(void *)SLOT_AT(slots, offset))
#define ROW_AT(offset)  (AT(offset) + block->row * (size_t)SLOT_STEP + part)

static void kernel_block_residual(const struct rows_task *task, const struct set_block *block, real *slots, size_t part,
                                  simd *worst) {
    const struct set own = kernel_set(block, slots, part);
    simd *r = ROW_AT(task->residual);
    for (size_t i = 0; i < own.rows; i++)
        own.from[i * SLOT_STEP] = AT(task->value[block->row + i])[part];
    kernel_set_project(&own, worst);
    for (size_t i = 0; i < own.rows * SLOT_STEP; i += SLOT_STEP)
        r[i] = own.to[i];
}

static void kernel_block_residuals(const struct rows_task *task, real *slots, size_t part, simd *worst) {
    for (size_t k = 0; k < task->block_count; k++)
        kernel_block_residual(task, &task->blocks[k], slots, part, worst);
}

/* ---- weights ---- */

/* One scale for all rows of a block: the smallest. */
static void kernel_block_rescale(const struct rows_task *task, const struct set_block *block, real *slots, size_t part,
                                 simd_bits mask) {
    simd least = simd_all(1), *scale = ROW_AT(task->scale);
    for (size_t i = 0; i < set_rows(block); i++)
        least = simd_lesser(least, scale[i * SLOT_STEP]);
    for (size_t i = 0; i < set_rows(block); i++)
        scale[i * SLOT_STEP] = simd_select(mask, least, scale[i * SLOT_STEP]);
}

static void kernel_block_weigh(const struct rows_task *task, const struct set_block *block, real *slots, size_t part,
                               simd_bits mask) {
    const struct set own = kernel_set(block, slots, part);
    simd scale = *ROW_AT(task->scale), *right = ROW_AT(task->right);
    simd_bits *active = MASK_AT(task->active) + block->row * (size_t)SLOT_STEP + part, *counts = (simd_bits *)own.from;
    size_t columns = task->first[block->row + 1] - task->first[block->row];
    kernel_set_right(&own, own.to, counts);
    for (size_t i = 0; i < own.rows * SLOT_STEP; i += SLOT_STEP) {
        active[i] = (mask & counts[i]) | (~mask & active[i]);
        right[i] = simd_select(mask, scale * own.to[i], right[i]);
    }
    for (size_t column = 0; column < columns; column++) {
        for (size_t i = 0; i < own.rows; i++)
            own.from[i * SLOT_STEP] = AT(task->entry[task->first[block->row + i] + column])[part];
        kernel_set_turn(&own, own.from, own.to, true);
        for (size_t i = 0; i < own.rows; i++) {
            simd *entry = AT(task->matrix) + (task->first[block->row + i] + column) * SLOT_STEP + part;
            *entry = simd_select(mask, scale * own.to[i * SLOT_STEP], *entry);
        }
    }
}

/* ---- the adjoint ---- */

/* to = to + sign D2 r [v, J d] in the basis of the block, for a vector d over outputs. */
static void kernel_block_bend(const struct rows_task *task, const struct set_block *block, const struct set *own,
                              real *slots, size_t part, const uint32_t vectors[2], simd sign) {
    for (size_t i = 0; i < own->rows; i++) {
        simd sum = simd_all(0);
        for (size_t e = task->first[block->row + i]; e < task->first[block->row + i + 1]; e++)
            sum += AT(task->entry[e])[part] * AT(vectors[1] + task->column[e] * OFFSET_STEP)[part];
        own->from[i * SLOT_STEP] = sum;
    }
    kernel_set_turn(own, own->from, own->to, false);
    kernel_set_bend(own, ROW_AT(vectors[0]), own->to, sign, own->sum);
}

/* gradient = gradient - J' of these rows. */
static void kernel_block_pull(const struct rows_task *task, const struct set_block *block, real *slots, size_t part,
                              const simd *rows, uint32_t gradient) {
    for (size_t row = block->row; row < block->row + set_rows(block); row++, rows += SLOT_STEP)
        for (size_t e = task->first[row]; e < task->first[row + 1]; e++)
            AT(gradient + task->column[e] * OFFSET_STEP)[part] -= AT(task->entry[e])[part] * *rows;
}

/* to = W D `from`, which is in the basis of the block. */
static void kernel_block_return(const struct set *own, const simd *from, simd scale, simd *to) {
    kernel_set_return(own, from, to, true);
    for (size_t i = 0; i < own->rows * SLOT_STEP; i += SLOT_STEP)
        to[i] *= scale;
}

/* G, of which `gradient` gets -J' G; then W D q + G, where q is without the contribution of eps. */
static void kernel_block_pulled(const struct rows_task *task, const struct adjoint_task *adjoint,
                                const struct set_block *block, real *slots, size_t part) {
    const struct set own = kernel_set(block, slots, part);
    simd scale = *ROW_AT(task->scale), *pulled = ROW_AT(adjoint->pulled);
    const uint32_t forward[2] = {adjoint->v, adjoint->leaf_t}, back[2] = {adjoint->q, adjoint->leaf_s};
    for (size_t i = 0; i < own.rows * SLOT_STEP; i += SLOT_STEP)
        own.sum[i] = simd_all(0);
    kernel_block_bend(task, block, &own, slots, part, forward, simd_all(1));
    kernel_block_bend(task, block, &own, slots, part, back, simd_all(-1));
    kernel_set_return(&own, own.sum, pulled, false);
    for (size_t i = 0; i < own.rows * SLOT_STEP; i += SLOT_STEP)
        pulled[i] *= scale;
    kernel_block_pull(task, block, slots, part, pulled, adjoint->gradient);
    kernel_block_return(&own, ROW_AT(adjoint->kept), scale, own.to);
    for (size_t i = 0; i < own.rows * SLOT_STEP; i += SLOT_STEP)
        pulled[i] += own.to[i];
}

/* With weights q and v are in the basis of the block. */
static void kernel_block_adjoint_weighted(const struct rows_task *task, const struct adjoint_task *adjoint,
                                          const struct set_block *block, real *slots, size_t part) {
    const struct set own = kernel_set(block, slots, part);
    simd scale = *ROW_AT(task->scale), damped = AT(adjoint->damped)[part], *kept = ROW_AT(adjoint->kept);
    const simd *q = ROW_AT(adjoint->q), *right = ROW_AT(task->right);
    for (size_t i = 0; i < own.rows * SLOT_STEP; i += SLOT_STEP)
        kept[i] = q[i] - damped * right[i];
    kernel_block_return(&own, q, scale, ROW_AT(adjoint->leaf_q));
    kernel_block_return(&own, ROW_AT(adjoint->v), scale, ROW_AT(adjoint->leaf_v));
    kernel_block_pulled(task, adjoint, block, slots, part);
}

/* Without weights A is J: D q alone. */
static void kernel_block_adjoint(const struct adjoint_task *adjoint, const struct set_block *block, real *slots,
                                 size_t part) {
    const struct set own = kernel_set(block, slots, part);
    kernel_set_turn(&own, ROW_AT(adjoint->q), own.to, true);
    kernel_set_return(&own, own.to, ROW_AT(adjoint->pulled), false);
}

static void kernel_block_adjoints(const struct rows_task *task, const struct adjoint_task *adjoint, real *slots,
                                  size_t part, const bool bounds) {
    for (size_t k = 0; k < task->block_count; k++) {
        const struct set_block *block = &task->blocks[k];
        if (task->weighted)
            kernel_block_adjoint_weighted(task, adjoint, block, slots, part);
        else
            kernel_block_adjoint(adjoint, block, slots, part);
        for (size_t i = 0; bounds && i < set_rows(block); i++) /* rows of a block have no bounds */
            ROW_AT(adjoint->grad_lower)[i * SLOT_STEP] = ROW_AT(adjoint->grad_upper)[i * SLOT_STEP] = simd_all(0);
    }
}

#undef AT
#undef MASK_AT
#undef ROW_AT

#endif
