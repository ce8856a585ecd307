/* block_kernel.h - products with A for one sample: SIMD vectors over entries where rows are full, and never over what is summed.
 *
 *     c = J y,  A x     vectors are columns of the block of constant rows
 *     A' x              vectors are rows, first to last: those of the block, and of the others those that are full
 *
 * Rows that do not count add nothing. Part of tiled_kernel.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_SPARSE_BLOCK_KERNEL_H
#define HN_SPARSE_BLOCK_KERNEL_H

enum { SUM_TOGETHER = 8 };

/* out = (out + or nothing) + number[0] v_0 + ... : `count` vectors, added one after the other. */
WIDE_INLINE void sum_some(double *out, const double *const *vector, const double *number, size_t length,
                          const int count, const bool fresh) {
    for (size_t i = 0; i < length; i += WIDTH) {
        wide sum = fresh ? wide_load(vector[0] + i) * number[0] : wide_load(out + i);
        for (int k = fresh; k < count; k++)
            sum += wide_load(vector[k] + i) * number[k];
        wide_store(out + i, sum);
    }
}

static void sum_places(const struct tiled_sum *sum, size_t from, const double *vector[SUM_TOGETHER], size_t count) {
    for (size_t k = 0; k < count; k++)
        vector[k] = sum->vectors + (sum->index ? sum->index[from + k] : from + k) * sum->apart;
}

static void kernel_sum_tiled(const struct tiled_sum *sum) {
    const double *vector[SUM_TOGETHER];
    size_t k = 0;
    if (sum->fresh && sum->count == 0)
        memset(sum->out, 0, sum->length * sizeof *sum->out);
    if (sum->fresh && sum->count >= SUM_TOGETHER) {
        sum_places(sum, 0, vector, SUM_TOGETHER);
        sum_some(sum->out, vector, sum->numbers, sum->length, SUM_TOGETHER, true);
        k = SUM_TOGETHER;
    } else if (sum->fresh && sum->count > 0) {
        sum_places(sum, 0, vector, 1);
        sum_some(sum->out, vector, sum->numbers, sum->length, 1, true);
        k = 1;
    }
    for (; k + SUM_TOGETHER <= sum->count; k += SUM_TOGETHER) {
        sum_places(sum, k, vector, SUM_TOGETHER);
        sum_some(sum->out, vector, sum->numbers + k, sum->length, SUM_TOGETHER, false);
    }
    for (; k < sum->count; k++) {
        sum_places(sum, k, vector, 1);
        sum_some(sum->out, vector, sum->numbers + k, sum->length, 1, false);
    }
}

/* J x of the block's rows, into t->out; fresh: begun with the first product, not with 0. */
static void block_multiply(const struct tiles *t, const double *x, bool fresh) {
    const struct tiled_block *block = &t->task->block;
    const struct tiled_sum sum = {block->by_columns, block->down, block->rows, NULL, x,
                                  t->task->columns,  t->out,      fresh};
    if (!fresh)
        memset(t->out, 0, block->rows * sizeof *t->out);
    kernel_sum_tiled(&sum);
}

/* c = J y of the rows that are nothing else. */
static void kernel_values_tiled(const struct tiled *task, double *slots, uint32_t y) {
    const struct tiles t = tiles_place(task, slots);
    block_multiply(&t, slots + y, true);
    for (size_t k = 0; k < task->block.values; k++)
        slots[task->block.value[k]] = t.out[task->block.valued[k]];
}

static bool block_has(const struct tiles *t, size_t row) {
    return t->recalls && t->task->block.number[row] != UINT32_MAX;
}

/* to = A from */
static void kernel_rows_tiled(const struct tiled *task, double *slots, uint32_t from, uint32_t to) {
    const struct tiles t = tiles_place(task, slots);
    if (task->block.rows > 0 && t.recalls)
        block_multiply(&t, slots + from, false);
    for (size_t i = 0; i < task->rows; i++) {
        double sum = 0;
        if (!tiles_counts(&t, i)) {
            slots[to + i] = 0;
            continue;
        }
        if (block_has(&t, i)) {
            slots[to + i] = tiles_scale(&t, i) * t.out[task->block.number[i]];
            continue;
        }
        const struct tiles_row row = tiles_row_of(&t, i);
        const uint32_t *column = task->column + task->first[i];
        for (size_t e = 0; e < task->first[i + 1] - task->first[i]; e++)
            sum += tiles_entry(&t, &row, e) * slots[from + column[e]];
        slots[to + i] = row.factor * sum;
    }
}

/* t->out += A's row i times the number. A full row that has its numbers one behind the other is a vector. */
static void columns_add(const struct tiles *t, size_t i, double number) {
    const struct tiled *task = t->task;
    const struct tiles_row row = tiles_row_of(t, i);
    const uint32_t *column = task->column + task->first[i];
    size_t count = task->first[i + 1] - task->first[i], e = 0;
    number *= row.factor;
    if (!row.entry && count == task->columns)
        for (; e + WIDTH <= count; e += WIDTH)
            wide_store(t->out + e, wide_load(t->out + e) + wide_load(row.number + e) * number);
    for (; e < count; e++)
        t->out[column[e]] += tiles_entry(t, &row, e) * number;
}

/* Rows of the block that follow one another are added together. */
static void columns_flush(const struct tiles *t, size_t *waiting) {
    const struct tiled_block *block = &t->task->block;
    const struct tiled_sum sum = {block->by_rows, block->across, t->task->columns, t->count,
                                  t->numbers,     *waiting,      t->out,           false};
    kernel_sum_tiled(&sum);
    *waiting = 0;
}

/* to = A' from, or to - A' from */
static void kernel_columns_tiled(const struct tiled *task, double *slots, uint32_t from, uint32_t to, bool subtract) {
    const struct tiles t = tiles_place(task, slots);
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
