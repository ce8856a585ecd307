/* blocks_kernel.h - row blocks (core/set.h) in the residual, the row weights and the adjoint of rows_kernel.h.
 *
 * With row weights, A = W sqrt(D) J and W r of a block are in its basis. A step s = K^-1 J'W W r, K = J'W D W J + eps I, has the
 * derivative of the other rows, with sqrt(D) W in the place of W, and a term for that of D in K: with u = K^-1 p = t / eps,
 *
 *     u' J'W dD W J s = -G' dc,      G = -W W D2 r [J u, J s]
 *
 * Without damping A = W D J, and G = W (D2 r [v, J t] - D2 r [q, J s]). On the outputs' side t is u (lanes_back.c).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CPU_BLOCKS_KERNEL_H
#define HN_CPU_BLOCKS_KERNEL_H

#include "core/set_kernel.h"
#include "cpu/backend.h"
#include "cpu/row_values_kernel.h"

#define AT(offset)      ((simd *)(void *)SLOT_AT(slots, offset))
#define SEEN_AT(offset) ((const simd *)(const void *)SLOT_AT(slots, offset))
#define MASK_AT(offset) ((simd_bits *)(void *)SLOT_AT(slots, offset))
#define ROW_AT(offset)  (AT(offset) + block->row * (size_t)SLOT_STEP + part)

static struct set kernel_block_of(const struct rows_task *task, const struct set_block *block, real *slots,
                                  size_t part) {
    struct set own = kernel_set(block, slots, part);
    own.undamped = task->undamped;
    return own;
}

static void kernel_block_residual(const struct rows_task *task, const struct set_block *block, real *slots, size_t part,
                                  simd *worst) {
    const struct set own = kernel_block_of(task, block, slots, part);
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
    const struct set own = kernel_block_of(task, block, slots, part);
    simd scale = *ROW_AT(task->scale), *right = ROW_AT(task->right);
    simd_bits *active = MASK_AT(task->active) + block->row * (size_t)SLOT_STEP + part;
    size_t columns = task->first[block->row + 1] - task->first[block->row];
    kernel_set_right(&own, own.to, own.from);
    for (size_t i = 0; i < own.rows * SLOT_STEP; i += SLOT_STEP) {
        active[i] = (mask & simd_to_bits(own.from[i])) | (~mask & active[i]);
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

/* to = J d in the basis of the block, for a vector d over outputs. */
static void kernel_block_product(const struct rows_task *task, const struct set_block *block, const struct set *own,
                                 const real *slots, size_t part, uint32_t vector, simd *to) {
    for (size_t i = 0; i < own->rows; i++) {
        simd sum = simd_all(0);
        for (size_t e = task->first[block->row + i]; e < task->first[block->row + i + 1]; e++)
            sum += SEEN_AT(task->entry[e])[part] * SEEN_AT(vector + task->column[e] * OFFSET_STEP)[part];
        own->from[i * SLOT_STEP] = sum;
    }
    kernel_set_turn(own, own->from, to, false);
}

/* G in the basis of the block, into `sum`; scratch: so many rows. */
static void kernel_block_bracket(const struct rows_task *task, const struct adjoint_task *adjoint,
                                 const struct set_block *block, const struct set *own, real *slots, size_t part,
                                 simd *scratch) {
    simd scale = *ROW_AT(task->scale), eps = AT(task->eps)[part];
    for (size_t i = 0; i < own->rows * SLOT_STEP; i += SLOT_STEP)
        own->sum[i] = simd_all(0);
    kernel_block_product(task, block, own, slots, part, adjoint->leaf_t, own->to);
    if (own->undamped) {
        kernel_set_bend(own, ROW_AT(adjoint->v), own->to, scale, own->sum);
        kernel_block_product(task, block, own, slots, part, adjoint->leaf_s, own->to);
        kernel_set_bend(own, ROW_AT(adjoint->q), own->to, -scale, own->sum);
        return;
    }
    for (size_t i = 0; i < own->rows * SLOT_STEP; i += SLOT_STEP)
        scratch[i] = own->to[i];
    kernel_block_product(task, block, own, slots, part, adjoint->leaf_s, own->to);
    for (size_t i = 0; !task->outputs_side && i < own->rows * SLOT_STEP; i += SLOT_STEP)
        own->to[i] = own->to[i] / eps; /* first, because s is of the size of eps near a solution */
    kernel_set_bend(own, scratch, own->to, -(scale * scale), own->sum);
}

/* gradient = gradient - J' of these rows. */
static void kernel_block_pull(const struct rows_task *task, const struct set_block *block, real *slots, size_t part,
                              const simd *rows, uint32_t gradient) {
    for (size_t row = block->row; row < block->row + set_rows(block); row++, rows += SLOT_STEP)
        for (size_t e = task->first[row]; e < task->first[row + 1]; e++)
            AT(gradient + task->column[e] * OFFSET_STEP)[part] -= AT(task->entry[e])[part] * *rows;
}

/* to = the transpose of W sqrt(D) times `from`, which is in the basis of the block. */
static void kernel_block_return(const struct set *own, const simd *from, simd scale, simd *to) {
    kernel_set_return(own, from, to, true);
    for (size_t i = 0; i < own->rows * SLOT_STEP; i += SLOT_STEP)
        to[i] *= scale;
}

/* G, of which `gradient` gets -J' G; then the gradient with respect to r, where q is without the contribution of eps, and G. */
static void kernel_block_pulled(const struct rows_task *task, const struct adjoint_task *adjoint,
                                const struct set_block *block, real *slots, size_t part) {
    const struct set own = kernel_block_of(task, block, slots, part);
    simd scale = *ROW_AT(task->scale), *pulled = ROW_AT(adjoint->pulled);
    kernel_block_bracket(task, adjoint, block, &own, slots, part, pulled);
    kernel_set_return(&own, own.sum, pulled, false);
    kernel_block_pull(task, block, slots, part, pulled, adjoint->gradient);
    kernel_block_return(&own, ROW_AT(adjoint->kept), scale, own.to);
    for (size_t i = 0; i < own.rows * SLOT_STEP; i += SLOT_STEP)
        pulled[i] += own.to[i];
}

/* With weights q and v are in the basis of the block. */
static void kernel_block_adjoint_weighted(const struct rows_task *task, const struct adjoint_task *adjoint,
                                          const struct set_block *block, real *slots, size_t part) {
    const struct set own = kernel_block_of(task, block, slots, part);
    simd scale = *ROW_AT(task->scale), damped = AT(adjoint->damped)[part], *kept = ROW_AT(adjoint->kept);
    const simd *q = ROW_AT(adjoint->q), *right = ROW_AT(task->right);
    for (size_t i = 0; i < own.rows * SLOT_STEP; i += SLOT_STEP)
        kept[i] = q[i] - damped * right[i];
    kernel_block_return(&own, q, scale, ROW_AT(adjoint->leaf_q));
    kernel_block_return(&own, ROW_AT(adjoint->v), scale, ROW_AT(adjoint->leaf_v));
    kernel_block_pulled(task, adjoint, block, slots, part);
}

/* Without row weights A is J: D q alone. */
static void kernel_block_adjoint(const struct adjoint_task *adjoint, const struct set_block *block, real *slots,
                                 size_t part) {
    const struct set own = kernel_set(block, slots, part);
    kernel_set_turn(&own, ROW_AT(adjoint->q), own.to, true);
    kernel_set_return(&own, own.to, ROW_AT(adjoint->pulled), true);
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
#undef SEEN_AT
#undef MASK_AT
#undef ROW_AT

#endif
