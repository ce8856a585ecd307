/* factor_list.c - the factorisation as lists of products: the operands of each entry of L.
 *
 * Left-looking, column by column: h_ij - sum_k l_ik n_jk over the k < j that rows i and j share. The products of h = M
 * M' and those of the factorisation are found by traversing columns, so that the work is proportional to the number of
 * products. Each column is traversed twice, to count and to write.
 *
 * SPDX-License-Identifier: MIT */
#include "linalg/factor_list.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* ---- constant slots ---- */

static hn_status grow_table(struct lister *lister, hn_error *error) {
    size_t size = lister->table_size ? 2 * lister->table_size : 64, capacity = 0;
    uint32_t *table = array_grow(NULL, &capacity, size, sizeof *table);
    if (!table)
        return error_no_memory(error, "the constants of the system");
    memset(table, 0, size * sizeof *table);
    for (size_t i = 0; i < lister->system->constant_count; i++) {
        uint64_t bits;
        memcpy(&bits, &lister->system->constants[i].value, sizeof bits);
        size_t at = (size_t)((bits * 0x9E3779B97F4A7C15U) >> 20) & (size - 1);
        while (table[at])
            at = (at + 1) & (size - 1);
        table[at] = (uint32_t)(i + 1);
    }
    base_release(lister->table);
    lister->table = table;
    lister->table_size = size;
    return HN_OK;
}

static hn_status new_constant(struct lister *lister, double value, hn_error *error) {
    struct damped *system = lister->system;
    struct damped_constant *list =
        array_grow(system->constants, &lister->constant_capacity, system->constant_count + 1, sizeof *list);
    if (!list)
        return error_no_memory(error, "the constants of the system");
    system->constants = list;
    list[system->constant_count++] = (struct damped_constant){lister->next_place, value};
    lister->next_place += lister->request->matrix.stride;
    return HN_OK;
}

hn_status lister_constant(struct lister *lister, double value, uint32_t *offset, hn_error *error) {
    hn_status status = HN_OK;
    if (2 * (lister->system->constant_count + 1) > lister->table_size)
        status = grow_table(lister, error);
    if (status != HN_OK)
        return status;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    size_t mask = lister->table_size - 1, at = (size_t)((bits * 0x9E3779B97F4A7C15U) >> 20) & mask;
    for (; lister->table[at]; at = (at + 1) & mask) {
        const struct damped_constant *known = &lister->system->constants[lister->table[at] - 1];
        if (known->value == value && signbit(known->value) == signbit(value)) {
            *offset = known->offset;
            return HN_OK;
        }
    }
    status = new_constant(lister, value, error);
    if (status == HN_OK) {
        lister->table[at] = (uint32_t)lister->system->constant_count;
        *offset = lister->system->constants[lister->system->constant_count - 1].offset;
    }
    return status;
}

hn_status lister_room(struct lister *lister, size_t words, hn_error *error) {
    uint32_t *stream =
        array_grow(lister->system->stream, &lister->capacity, lister->system->words + words, sizeof *stream);
    if (!stream)
        return error_no_memory(error, "the lists of the system");
    lister->system->stream = stream;
    return HN_OK;
}

/* ---- the products of one column of L ---- */

static void put_pair(struct lister *lister, uint32_t target, uint32_t a, uint32_t b) {
    uint32_t *to = lister->system->stream + lister->cursor[target];
    to[0] = a;
    to[1] = b;
    lister->cursor[target] += 2;
}

void lister_product(struct lister *lister, uint32_t target, uint32_t a, uint32_t b, bool write) {
    const struct damped_matrix *matrix = &lister->request->matrix;
    double known = matrix->fixed ? matrix->fixed[a] * matrix->fixed[b] : NAN;
    if (!isnan(known)) {
        if (!write)
            lister->folded[target] += known;
    } else if (write)
        put_pair(lister, target, matrix->offset[a], matrix->offset[b]);
    else
        lister->sums[target]++;
}

/* A single entry of U. */
static void border_entry(struct lister *lister, uint32_t target, uint32_t a, bool write) {
    const struct damped_matrix *matrix = &lister->request->matrix;
    double known = matrix->fixed ? matrix->fixed[a] : NAN;
    if (!isnan(known)) {
        if (!write)
            lister->folded[target] += known;
    } else if (write)
        put_pair(lister, target, matrix->offset[a], lister->one);
    else
        lister->sums[target]++;
}

/* One entry per column kept out with an entry in row `at`, or per row if `at` is such a column. */
void lister_border(struct lister *lister, size_t at, bool before, bool write) {
    const struct symbolic *symbolic = lister->symbolic;
    const struct border *border = lister->border;
    size_t unknown = symbolic->order[at], rows = lister->rows->count;
    bool added = unknown >= rows;
    const struct vectors *from = added ? lister->whole_columns : lister->whole;
    size_t own = added ? border->column[unknown - rows] : unknown;
    for (size_t e = from->first[own]; e < from->first[own + 1]; e++) {
        uint32_t other = from->index[e];
        if (!added && border->number[other] == COLUMN_STAYS)
            continue;
        uint32_t i = symbolic->position[added ? other : (uint32_t)rows + border->number[other]];
        if (before ? i < at : i > at)
            border_entry(lister, lister->target[i], from->entry[e], write);
    }
}

static void walk_gram(struct lister *lister, size_t j, bool write) {
    const struct symbolic *symbolic = lister->symbolic;
    const struct vectors *rows = lister->rows, *columns = lister->columns;
    size_t row = symbolic->order[j];
    if (lister->border)
        lister_border(lister, j, false, write);
    if (row >= rows->count)
        return;
    for (size_t e = rows->first[row]; e < rows->first[row + 1]; e++) {
        size_t k = rows->index[e];
        for (size_t f = columns->first[k]; f < columns->first[k + 1]; f++) {
            uint32_t i = symbolic->position[columns->index[f]];
            if (i >= j)
                lister_product(lister, lister->target[i], columns->entry[f], rows->entry[e], write);
        }
    }
}

static uint32_t offset_of(const struct lister *lister, uint32_t from, size_t slot) {
    return (uint32_t)(from + slot * lister->request->matrix.stride);
}

static void walk_factor(struct lister *lister, size_t j, bool write) {
    const struct symbolic *symbolic = lister->symbolic;
    const struct damped *system = lister->system;
    for (size_t p = symbolic->row_first[j]; p < symbolic->row_first[j + 1]; p++) {
        size_t k = symbolic->column_index[p], own = symbolic->row_entry[p];
        uint32_t n_jk = lister->negated[own];
        for (size_t e = own + 1; e < symbolic->column_first[k + 1]; e++) {
            uint32_t target = lister->target[symbolic->row_index[e]];
            if (write)
                put_pair(lister, target, offset_of(lister, system->lower, e), n_jk);
            else
                lister->rests[target]++;
        }
    }
}

static uint32_t name_targets(struct lister *lister, size_t j) {
    const struct symbolic *symbolic = lister->symbolic;
    uint32_t count = 0;
    lister->target[j] = count++;
    for (size_t e = symbolic->column_first[j]; e < symbolic->column_first[j + 1]; e++)
        lister->target[symbolic->row_index[e]] = count++;
    for (uint32_t t = 0; t < count; t++) {
        lister->sums[t] = lister->rests[t] = 0;
        lister->folded[t] = 0;
    }
    return count;
}

/* ---- writing ---- */

hn_status lister_shift(struct lister *lister, size_t row, double folded, uint32_t *offset, hn_error *error) {
    const struct damped_request *request = lister->request;
    if (row >= lister->rows->count)
        return lister_constant(lister, -1, offset, error);
    if (!isnan(request->fixed_shift))
        return lister_constant(lister, request->fixed_shift + folded, offset, error);
    *offset = lister->system->outputs_side ? request->shift_uniform : offset_of(lister, request->shift, row);
    return HN_OK;
}

hn_status lister_known(struct lister *lister, double folded, uint32_t *offset, hn_error *error) {
    *offset = lister->system->zero;
    return folded != 0 ? lister_constant(lister, folded, offset, error) : HN_OK;
}

void lister_word(struct lister *lister, uint32_t word) {
    lister->system->stream[lister->system->words++] = word;
}

/* The entries of row j: l_jk, -n_jk, unknown k. */
static void put_row(struct lister *lister, size_t j) {
    const struct symbolic *symbolic = lister->symbolic;
    for (size_t p = symbolic->row_first[j]; p < symbolic->row_first[j + 1]; p++) {
        lister_word(lister, offset_of(lister, lister->system->lower, symbolic->row_entry[p]));
        lister_word(lister, lister->negated[symbolic->row_entry[p]]);
        lister_word(lister, offset_of(lister, 0, symbolic->order[symbolic->column_index[p]]));
    }
}

/* Reserves space for the pairs of a target. */
static void put_sums(struct lister *lister, uint32_t target, uint32_t offset) {
    uint32_t pairs = lister->sums[target] + lister->rests[target];
    lister_word(lister, offset);
    lister_word(lister, pairs);
    lister->cursor[target] = lister->system->words;
    lister->system->words += 2 * (size_t)pairs;
}

static hn_status put_column(struct lister *lister, size_t j, uint32_t targets, hn_error *error) {
    const struct symbolic *symbolic = lister->symbolic;
    uint32_t offset = 0;
    hn_status status = lister_shift(lister, symbolic->order[j], lister->folded[0], &offset, error);
    lister_word(lister, targets - 1);
    lister_word(lister, (uint32_t)(symbolic->row_first[j + 1] - symbolic->row_first[j]));
    put_sums(lister, 0, offset);
    put_row(lister, j);
    for (uint32_t t = 1; t < targets && status == HN_OK; t++) {
        status = lister_known(lister, lister->folded[t], &offset, error);
        lister_word(lister, lister->negated[symbolic->column_first[j] + t - 1]);
        put_sums(lister, t, offset);
    }
    return status;
}

static hn_status list_column(struct lister *lister, size_t j, hn_error *error) {
    const struct symbolic *symbolic = lister->symbolic;
    uint32_t targets = name_targets(lister, j);
    size_t words = 1 + 3 * (symbolic->row_first[j + 1] - symbolic->row_first[j]) + 3 * (size_t)targets;
    walk_gram(lister, j, false);
    walk_factor(lister, j, false);
    for (uint32_t t = 0; t < targets; t++)
        words += 2 * ((size_t)lister->sums[t] + lister->rests[t]);
    hn_status status = lister_room(lister, words, error);
    if (status == HN_OK)
        status = put_column(lister, j, targets, error);
    if (status != HN_OK)
        return status;
    walk_gram(lister, j, true);
    walk_factor(lister, j, true);
    return HN_OK;
}

/* ---- storage of -L D: an entry is live from its column until its row is eliminated, then its slot is reused ---- */

size_t negated_slots(const struct symbolic *symbolic) {
    size_t live = 0, most = 0;
    for (size_t j = 0; j < symbolic->n; j++) {
        live += symbolic->column_first[j + 1] - symbolic->column_first[j];
        most = live > most ? live : most;
        live -= symbolic->row_first[j + 1] - symbolic->row_first[j];
    }
    return most;
}

static hn_status place_negated(struct lister *lister, hn_error *error) {
    const struct symbolic *symbolic = lister->symbolic;
    size_t capacity[2] = {0}, free_count = 0, used = 0;
    uint32_t *free_slots = array_grow(NULL, &capacity[0], symbolic->nonzeros + 1, sizeof *free_slots);
    lister->negated = array_grow(NULL, &capacity[1], symbolic->nonzeros + 1, sizeof *lister->negated);
    for (size_t j = 0; free_slots && lister->negated && j < symbolic->n; j++) {
        for (size_t e = symbolic->column_first[j]; e < symbolic->column_first[j + 1]; e++)
            lister->negated[e] =
                free_count > 0 ? free_slots[--free_count] : offset_of(lister, lister->system->negated, used++);
        for (size_t p = symbolic->row_first[j]; p < symbolic->row_first[j + 1]; p++)
            free_slots[free_count++] = lister->negated[symbolic->row_entry[p]];
    }
    bool placed = free_slots && lister->negated;
    base_release(free_slots);
    return placed ? HN_OK : error_no_memory(error, "the lists of the system");
}

hn_status factor_list(struct lister *lister, hn_error *error) {
    hn_status status = place_negated(lister, error);
    for (size_t j = 0; j < lister->symbolic->n && status == HN_OK; j++)
        status = list_column(lister, j, error);
    return status;
}
