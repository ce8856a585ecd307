/* vector_product_kernel.h - products with A for one sample: SIMD vectors over results of dense rows, never over the
 * terms of a sum.
 *
 *     c = J y,  A x     vectors are columns of the block of constant rows
 *     A' x              vectors are rows, first to last: those of the block, and of the others those that are full
 *
 * Inactive rows contribute nothing. Part of blocked_ldl_kernel.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_VECTOR_PRODUCT_KERNEL_H
#define HN_LINALG_VECTOR_PRODUCT_KERNEL_H

/* Smaller products are not shared: communication between caches takes as long. */
enum { SUM_TOGETHER = 8, SUM_UNIT = 8, LEAST_SHARED = 1 << 14 };

/* out = (out or 0) + number[0] v_0 + ... : `count` vectors, added in order. */
SIMD_INLINE void sum_some(double *out, const double *const *vector, const double *number, size_t length,
                          const int count, const bool fresh) {
    for (size_t i = 0; i < length; i += WIDTH) {
        simd sum = fresh ? simd_load(vector[0] + i) * number[0] : simd_load(out + i);
        for (int k = fresh; k < count; k++)
            sum += simd_load(vector[k] + i) * number[k];
        simd_store(out + i, sum);
    }
}

static void sum_places(const struct tiled_sum *sum, size_t from, size_t begin, const double *vector[SUM_TOGETHER],
                       size_t count) {
    for (size_t k = 0; k < count; k++)
        vector[k] = sum->vectors + (sum->index ? sum->index[from + k] : from + k) * sum->apart + begin;
}

/* Units of SUM_UNIT entries. */
static void sum_part(const void *context, void *own, size_t from, size_t to) {
    (void)own;
    const struct tiled_sum *sum = context;
    const double *vector[SUM_TOGETHER];
    size_t k = 0, begin = from * SUM_UNIT, end = to * SUM_UNIT < sum->length ? to * SUM_UNIT : sum->length;
    size_t length = end - begin;
    double *out = sum->out + begin;
    if (sum->fresh && sum->count == 0)
        memset(out, 0, length * sizeof *out);
    if (sum->fresh && sum->count >= SUM_TOGETHER) {
        sum_places(sum, 0, begin, vector, SUM_TOGETHER);
        sum_some(out, vector, sum->numbers, length, SUM_TOGETHER, true);
        k = SUM_TOGETHER;
    } else if (sum->fresh && sum->count > 0) {
        sum_places(sum, 0, begin, vector, 1);
        sum_some(out, vector, sum->numbers, length, 1, true);
        k = 1;
    }
    for (; k + SUM_TOGETHER <= sum->count; k += SUM_TOGETHER) {
        sum_places(sum, k, begin, vector, SUM_TOGETHER);
        sum_some(out, vector, sum->numbers + k, length, SUM_TOGETHER, false);
    }
    for (; k < sum->count; k++) {
        sum_places(sum, k, begin, vector, 1);
        sum_some(out, vector, sum->numbers + k, length, 1, false);
    }
}

static void kernel_sum_tiled(const struct tiled_sum *sum, struct helpers *helpers) {
    size_t units = (sum->length + SUM_UNIT - 1) / SUM_UNIT;
    const struct helpers_job job = {units, sum->count * sum->length < LEAST_SHARED ? units : 1, 1, sum_part, sum, NULL};
    if (units > 0)
        helpers_share(helpers, &job);
}

static void tiles_sum(const struct tiles *t, const struct tiled_sum *sum) {
    kernel_sum_tiled(sum, t->helpers);
}

/* J x of the block's rows, into t->out; fresh: starts with the first product, not with 0. */
static void block_multiply(const struct tiles *t, const double *x, bool fresh) {
    const struct tiled_block *block = &t->task->block;
    const struct tiled_sum sum = {block->by_columns, block->down, block->rows, NULL, x,
                                  t->task->columns,  t->out,      fresh};
    if (!fresh)
        memset(t->out, 0, block->rows * sizeof *t->out);
    kernel_sum_tiled(&sum, t->helpers);
}

/* c = J y of the rows with c = J y. */
static void kernel_values_tiled(const struct tiled *task, double *slots, uint32_t y, struct helpers *helpers) {
    const struct tiles t = tiles_place(task, slots, helpers);
    block_multiply(&t, slots + y, true);
    tiles_values(&t);
}

static bool block_has(const struct tiles *t, size_t row) {
    return t->recalls && t->task->block.number[row] != UINT32_MAX;
}

struct rows_product {
    const struct tiles *t;
    uint32_t from, to;
};

static void rows_part(const void *context, void *own, size_t from, size_t to) {
    (void)own;
    const struct rows_product *p = context;
    const struct tiles *t = p->t;
    for (size_t i = from; i < to; i++)
        tiles_multiply_row(t, i, p->from, p->to);
}

/* to = A from */
static void kernel_rows_tiled(const struct tiled *task, double *slots, uint32_t from, uint32_t to,
                              struct helpers *helpers) {
    const struct tiles t = tiles_place(task, slots, helpers);
    const struct rows_product product = {&t, from, to};
    bool known = task->block.rows == task->rows && t.recalls;
    const struct helpers_job rows = {task->rows, known ? task->rows : TILE_UNIT, 4, rows_part, &product, NULL};
    if (task->block.rows > 0 && t.recalls)
        block_multiply(&t, slots + from, false);
    if (task->rows > 0)
        helpers_share(t.helpers, &rows);
}

/* t->out += A's row i times the number. A dense row with contiguous numbers is a vector. */
static void columns_add(const struct tiles *t, size_t i, double number) {
    const struct tiles_entries row = tiles_entries_of(t, i);
    const double *numbers = t->slots + row.number;
    size_t e = 0;
    number *= row.factor;
    if (!row.entry && row.count == t->task->columns)
        for (; e + WIDTH <= row.count; e += WIDTH)
            simd_store(t->out + e, simd_load(t->out + e) + simd_load(numbers + e) * number);
    tiles_add_entries(t, &row, e, number);
}

/* Consecutive rows of the block are added together. */
static void columns_flush(const struct tiles *t, size_t *waiting) {
    const struct tiled_block *block = &t->task->block;
    const struct tiled_sum sum = {block->by_rows, block->across, t->task->columns, t->count,
                                  t->numbers,     *waiting,      t->out,           false};
    kernel_sum_tiled(&sum, t->helpers);
    *waiting = 0;
}

/* to = A' from, or to - A' from */
static void kernel_columns_tiled(const struct tiled *task, double *slots, uint32_t from, uint32_t to, bool subtract,
                                 struct helpers *helpers) {
    const struct tiles t = tiles_place(task, slots, helpers);
    size_t waiting = 0;
    for (size_t j = 0; j < task->columns; j++)
        t.out[j] = subtract ? slots[to + j] : 0;
    for (size_t i = 0; i < task->rows; i++) {
        double number = subtract ? -slots[from + i] : slots[from + i];
        if (!tiles_counts(&t, i))
            continue;
        if (block_has(&t, i)) {
            t.count[waiting] = task->block.number[i];
            t.numbers[waiting++] = tiles_scale(&t, i) * number;
            continue;
        }
        columns_flush(&t, &waiting);
        columns_add(&t, i, number);
    }
    columns_flush(&t, &waiting);
    memcpy(slots + to, t.out, task->columns * sizeof *t.out);
}

#endif
