/* blocks_kernel.h - row blocks (core/set.h) in the residual, the row weights and the adjoint of rows_kernel.h.
 *
 * With row weights, A and W r of a block are in the basis of its eigenvectors: A = scale f[a, b] * Q'(dM)Q, W r = scale min(w, 0).
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

static void kernel_block_residuals(const struct rows_task *task, real *slots, size_t part, simd *worst) {
    for (size_t k = 0; k < task->block_count; k++)
        kernel_set_project(&task->blocks[k], task->value, task->residual, slots, part, worst);
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

/* dM/dy of the block's column number `column`, in the basis of Q. */
static void kernel_block_column(const struct rows_task *task, const struct set_block *block, const struct set_psd *own,
                                real *slots, size_t part, size_t column) {
    simd *m = own->work[0];
    for (size_t i = 0, row = block->row; i < own->order; i++)
        for (size_t j = 0; j <= i; j++, row++) {
            simd entry = AT(task->entry[task->first[row] + column])[part];
            *kernel_psd_at(own, m, i, j) = *kernel_psd_at(own, m, j, i) = i == j ? entry : SET_HALF_ROOT * entry;
        }
    kernel_psd_change_basis(own, m, m, false);
}

static void kernel_block_weigh(const struct rows_task *task, const struct set_block *block, real *slots, size_t part,
                               simd_bits mask) {
    const struct set_psd own = kernel_psd(block, slots, part);
    simd scale = *ROW_AT(task->scale), *right = ROW_AT(task->right), zero = simd_all(0);
    simd_bits *active = MASK_AT(task->active) + block->row * (size_t)SLOT_STEP + part;
    size_t columns = task->first[block->row + 1] - task->first[block->row];
    for (size_t a = 0; a < own.order; a++)
        for (size_t b = 0; b <= a; b++, right += SLOT_STEP, active += SLOT_STEP) {
            simd wa = own.value[a * SLOT_STEP], wb = own.value[b * SLOT_STEP];
            simd_bits counts = simd_less(wa, zero) | simd_less(wb, zero);
            *active = (mask & counts) | (~mask & *active);
            *right = simd_select(mask, a == b ? simd_keep(counts, scale * wa) : zero, *right);
        }
    for (size_t column = 0; column < columns; column++) {
        kernel_block_column(task, block, &own, slots, part, column);
        for (size_t a = 0, row = block->row; a < own.order; a++)
            for (size_t b = 0; b <= a; b++, row++) {
                simd *entry = AT(task->matrix) + (task->first[row] + column) * SLOT_STEP + part;
                simd share = kernel_psd_first(own.value[a * SLOT_STEP], own.value[b * SLOT_STEP]);
                simd weight = scale * (a == b ? share : SET_ROOT_TWO * share);
                *entry = simd_select(mask, weight * *kernel_psd_at(&own, own.work[0], a, b), *entry);
            }
    }
}

/* ---- the adjoint ---- */

/* m = the matrix whose rows in the basis of Q these are, entry by entry times f[a, b] if `weighed`. */
static void kernel_block_matrix(const struct set_psd *own, const simd *rows, simd *m, const bool weighed) {
    for (size_t a = 0; a < own->order; a++)
        for (size_t b = 0; b <= a; b++, rows += SLOT_STEP) {
            simd entry = a == b ? *rows : SET_HALF_ROOT * *rows;
            if (weighed)
                entry *= kernel_psd_first(own->value[a * SLOT_STEP], own->value[b * SLOT_STEP]);
            *kernel_psd_at(own, m, a, b) = *kernel_psd_at(own, m, b, a) = entry;
        }
}

/* to = scale times the rows of the matrix m, given in the basis of Q; m and work[3] are lost. */
static void kernel_block_rows(const struct set_psd *own, simd *m, simd scale, simd *to) {
    kernel_psd_change_basis(own, m, m, true);
    for (size_t i = 0; i < own->order; i++)
        for (size_t j = 0; j <= i; j++, to += SLOT_STEP)
            *to = scale * (i == j ? *kernel_psd_at(own, m, i, j) : SET_ROOT_TWO * *kernel_psd_at(own, m, i, j));
}

/* m = dM/dy times a vector over outputs, in the basis of Q; work[3] is lost. */
static void kernel_block_product(const struct rows_task *task, const struct set_block *block, const struct set_psd *own,
                                 real *slots, size_t part, uint32_t vector, simd *m) {
    for (size_t i = 0, row = block->row; i < own->order; i++)
        for (size_t j = 0; j <= i; j++, row++) {
            simd sum = simd_all(0);
            for (size_t e = task->first[row]; e < task->first[row + 1]; e++)
                sum += AT(task->entry[e])[part] * AT(vector + task->column[e] * OFFSET_STEP)[part];
            *kernel_psd_at(own, m, i, j) = *kernel_psd_at(own, m, j, i) = i == j ? sum : SET_HALF_ROOT * sum;
        }
    kernel_psd_change_basis(own, m, m, false);
}

/* to = to + sign D2 f(M)[v, h], in the basis of Q. */
static void kernel_block_second(const struct set_psd *own, simd *v, simd *h, simd *to, simd sign) {
    for (size_t a = 0; a < own->order; a++)
        for (size_t b = 0; b <= a; b++) {
            simd sum = simd_all(0);
            for (size_t c = 0; c < own->order; c++) {
                simd both = *kernel_psd_at(own, v, a, c) * *kernel_psd_at(own, h, c, b) +
                            *kernel_psd_at(own, h, a, c) * *kernel_psd_at(own, v, c, b);
                sum += both * kernel_psd_second(own->value[a * SLOT_STEP], own->value[b * SLOT_STEP],
                                                own->value[c * SLOT_STEP]);
            }
            *kernel_psd_at(own, to, a, b) += sign * sum;
            *kernel_psd_at(own, to, b, a) = *kernel_psd_at(own, to, a, b);
        }
}

/* G = D2 f(M)[v, J t] - D2 f(M)[q, J s] into work[2], in the basis of Q. */
static void kernel_block_bracket(const struct rows_task *task, const struct adjoint_task *adjoint,
                                 const struct set_block *block, const struct set_psd *own, real *slots, size_t part) {
    simd *m = own->work[0], *h = own->work[1], *bracket = own->work[2];
    for (size_t e = 0; e < own->order * own->order; e++)
        bracket[e * SLOT_STEP] = simd_all(0);
    kernel_block_matrix(own, ROW_AT(adjoint->v), m, false);
    kernel_block_product(task, block, own, slots, part, adjoint->leaf_t, h);
    kernel_block_second(own, m, h, bracket, simd_all(1));
    kernel_block_matrix(own, ROW_AT(adjoint->q), m, false);
    kernel_block_product(task, block, own, slots, part, adjoint->leaf_s, h);
    kernel_block_second(own, m, h, bracket, simd_all(-1));
}

/* gradient = gradient - J' of these rows. */
static void kernel_block_pull(const struct rows_task *task, const struct set_block *block, real *slots, size_t part,
                              const simd *rows, uint32_t gradient) {
    for (size_t row = block->row; row < block->row + set_rows(block); row++, rows += SLOT_STEP)
        for (size_t e = task->first[row]; e < task->first[row + 1]; e++)
            AT(gradient + task->column[e] * OFFSET_STEP)[part] -= AT(task->entry[e])[part] * *rows;
}

/* With weights q and v are in the basis of Q: W q, W v, and G for the derivative of D. kept: q without the contribution of eps. */
static void kernel_block_adjoint_weighted(const struct rows_task *task, const struct adjoint_task *adjoint,
                                          const struct set_block *block, real *slots, size_t part) {
    const struct set_psd own = kernel_psd(block, slots, part);
    simd scale = *ROW_AT(task->scale), damped = AT(adjoint->damped)[part], *m = own.work[0];
    simd *kept = ROW_AT(adjoint->kept), *pulled = ROW_AT(adjoint->pulled);
    const simd *q = ROW_AT(adjoint->q), *right = ROW_AT(task->right);
    kernel_block_bracket(task, adjoint, block, &own, slots, part);
    kernel_block_rows(&own, own.work[2], scale, pulled);
    kernel_block_pull(task, block, slots, part, pulled, adjoint->gradient);
    kernel_block_matrix(&own, q, m, true);
    kernel_block_rows(&own, m, scale, ROW_AT(adjoint->leaf_q));
    kernel_block_matrix(&own, ROW_AT(adjoint->v), m, true);
    kernel_block_rows(&own, m, scale, ROW_AT(adjoint->leaf_v));
    for (size_t i = 0; i < set_rows(block) * SLOT_STEP; i += SLOT_STEP)
        kept[i] = q[i] - damped * right[i];
    kernel_block_matrix(&own, kept, m, true);
    kernel_block_rows(&own, m, scale, own.work[1]);
    for (size_t i = 0; i < set_rows(block) * SLOT_STEP; i += SLOT_STEP)
        pulled[i] += own.work[1][i];
}

/* Without weights A is J: D q alone. */
static void kernel_block_adjoint(const struct adjoint_task *adjoint, const struct set_block *block, real *slots,
                                 size_t part) {
    const struct set_psd own = kernel_psd(block, slots, part);
    simd *m = own.work[0];
    kernel_psd_unpack(&own, ROW_AT(adjoint->q), m);
    kernel_psd_change_basis(&own, m, m, false);
    for (size_t a = 0; a < own.order; a++)
        for (size_t b = 0; b < own.order; b++)
            *kernel_psd_at(&own, m, a, b) *= kernel_psd_first(own.value[a * SLOT_STEP], own.value[b * SLOT_STEP]);
    kernel_block_rows(&own, m, simd_all(1), ROW_AT(adjoint->pulled));
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
