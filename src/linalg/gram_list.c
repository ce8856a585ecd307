/* gram_list.c - the entries of M M' + E as lists of products, for factors computed without lists.
 *
 * SPDX-License-Identifier: MIT */
#include "linalg/factor_list.h"

static size_t row_at(const struct lister *lister, size_t i) {
    return lister->symbolic ? lister->symbolic->order[i] : i;
}

static size_t place_at(const struct lister *lister, size_t row) {
    return lister->symbolic ? lister->symbolic->position[row] : row;
}

/* The products of row i, columns up to i. */
static void walk_row(struct lister *lister, size_t i, bool write) {
    const struct vectors *rows = lister->rows, *columns = lister->columns;
    size_t row = row_at(lister, i);
    if (lister->border)
        lister_border(lister, i, true, write);
    if (row >= rows->count)
        return;
    for (size_t e = rows->first[row]; e < rows->first[row + 1]; e++) {
        size_t k = rows->index[e];
        for (size_t f = columns->first[k]; f < columns->first[k + 1]; f++) {
            size_t j = place_at(lister, columns->index[f]);
            if (j <= i)
                lister_product(lister, lister->target[j], rows->entry[e], columns->entry[f], write);
        }
    }
}

/* Numbers the entries of row i: all columns up to the diagonal, or those of L with the diagonal last. Leaves the list
 * of columns in cursor. */
static uint32_t name_columns(struct lister *lister, size_t i) {
    const struct symbolic *symbolic = lister->symbolic;
    uint32_t count = 0;
    if (symbolic)
        for (size_t p = symbolic->row_first[i]; p < symbolic->row_first[i + 1]; p++) {
            lister->cursor[count] = symbolic->column_index[p];
            lister->target[symbolic->column_index[p]] = count++;
        }
    else
        for (size_t j = 0; j < i; j++) {
            lister->cursor[count] = j;
            lister->target[j] = count++;
        }
    lister->cursor[count] = i;
    lister->target[i] = count++;
    for (uint32_t t = 0; t < count; t++) {
        lister->sums[t] = 0;
        lister->folded[t] = 0;
    }
    return count;
}

static hn_status put_entries(struct lister *lister, size_t i, uint32_t targets, hn_error *error) {
    hn_status status = HN_OK;
    if (lister->symbolic)
        lister_word(lister, targets);
    for (uint32_t t = 0; t < targets && status == HN_OK; t++) {
        uint32_t offset = 0;
        status = t + 1 == targets ? lister_shift(lister, row_at(lister, i), lister->folded[t], &offset, error)
                                  : lister_known(lister, lister->folded[t], &offset, error);
        if (lister->symbolic)
            lister_word(lister, (uint32_t)lister->cursor[t]);
        lister_word(lister, offset);
        lister_word(lister, lister->sums[t]);
        lister->cursor[t] = lister->system->words;
        lister->system->words += 2 * (size_t)lister->sums[t];
    }
    return status;
}

static hn_status list_row(struct lister *lister, size_t i, hn_error *error) {
    uint32_t targets = name_columns(lister, i);
    size_t words = 1 + 3 * (size_t)targets;
    walk_row(lister, i, false);
    for (uint32_t t = 0; t < targets; t++)
        words += 2 * (size_t)lister->sums[t];
    hn_status status = lister_room(lister, words, error);
    if (status == HN_OK)
        status = put_entries(lister, i, targets, error);
    if (status == HN_OK)
        walk_row(lister, i, true);
    return status;
}

hn_status gram_list(struct lister *lister, hn_error *error) {
    hn_status status = HN_OK;
    for (size_t i = 0; i < lister->system->order && status == HN_OK; i++)
        status = list_row(lister, i, error);
    return status;
}
