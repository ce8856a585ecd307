/* factor_list.c - the factorisation as lists of products: the operands of each entry of L, or of M M' + E.
 *
 * Listed: left-looking, column by column, h_ij - sum_k l_ik n_jk over the k < j that rows i and j share. Other kinds:
 * the sums of h row by row. Products are found by traversing rows and columns, so that the work is proportional to
 * their number. Each row or column is traversed twice, to count and to write.
 *
 * SPDX-License-Identifier: MIT */
#include "linalg/factor_list.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* State while the lists of one system are written. Targets: the entries of the current row or column of L. */
struct lister {
    struct damped *system;
    const struct list_request *request;
    const struct damped_matrix *matrix;
    const struct symbolic *symbolic;    /* NULL: dense */
    struct arena arena;                 /* of the lists below */
    uint32_t *target;                   /* of each row or column of L: its number among the targets */
    uint32_t *index;                    /* of each target: its row or column */
    uint32_t *pairs;                    /* of each target: its products */
    size_t *cursor;                     /* of each target: the position of its next pair */
    double *folded;                     /* of each target: the known constant part */
    uint32_t targets;                   /* their number */
    bool write;                         /* the second traversal */
    uint32_t *negated;                  /* offsets of -L D, by entries of L */
    uint32_t one;                       /* the offset of a constant 1, if there is a border */
    size_t capacity, constant_capacity; /* of stream and constants */
    uint32_t *table;                    /* constants by their bits: number + 1 */
    size_t table_size;
};

/* ---- constant slots ---- */

/* The table's entry for a number: that of an equal constant, or a free one. */
static uint32_t *find_constant(const struct lister *lister, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    size_t mask = lister->table_size - 1, at = (size_t)((bits * 0x9E3779B97F4A7C15U) >> 20) & mask;
    for (; lister->table[at]; at = (at + 1) & mask) {
        double known = lister->system->constants[lister->table[at] - 1].value;
        if (known == value && signbit(known) == signbit(value))
            break;
    }
    return &lister->table[at];
}

static bool grow_constants(struct lister *lister) {
    struct damped *system = lister->system;
    struct damped_constant *list =
        array_grow(system->constants, &lister->constant_capacity, system->constant_count + 1, sizeof *list);
    if (!list)
        return false;
    system->constants = list;
    if (2 * (system->constant_count + 1) <= lister->table_size)
        return true;
    lister->table_size = lister->table_size ? 2 * lister->table_size : 64;
    lister->table = arena_zeros(&lister->arena, lister->table_size, sizeof *lister->table);
    for (size_t i = 0; lister->table && i < system->constant_count; i++)
        *find_constant(lister, list[i].value) = (uint32_t)(i + 1);
    return lister->table != NULL;
}

/* A slot with this constant. */
static hn_status constant_slot(struct lister *lister, double value, uint32_t *offset, hn_error *error) {
    struct damped *system = lister->system;
    if (!grow_constants(lister))
        return error_no_memory(error, "the constants of the system");
    uint32_t *number = find_constant(lister, value);
    if (*number == 0) {
        size_t count = system->constant_count++;
        *number = (uint32_t)(count + 1);
        system->constants[count] =
            (struct damped_constant){(uint32_t)(lister->request->constants + count * lister->matrix->stride), value};
    }
    *offset = system->constants[*number - 1].offset;
    return HN_OK;
}

/* The initial value of an entry's sum: the diagonal's shift, or the known constant part of another entry. */
static hn_status shift_slot(struct lister *lister, size_t row, double folded, uint32_t *offset, hn_error *error) {
    const struct damped_request *request = lister->request->system;
    if (row >= lister->request->rows->count)
        return constant_slot(lister, -1, offset, error);
    if (!isnan(request->fixed_shift))
        return constant_slot(lister, request->fixed_shift + folded, offset, error);
    *offset = lister->system->outputs_side ? request->shift_uniform
                                           : (uint32_t)(request->shift + row * lister->matrix->stride);
    return HN_OK;
}

static hn_status known_slot(struct lister *lister, double folded, uint32_t *offset, hn_error *error) {
    *offset = lister->system->zero;
    return folded != 0 ? constant_slot(lister, folded, offset, error) : HN_OK;
}

/* ---- the products of a row or column ---- */

static uint32_t offset_of(const struct lister *lister, uint32_t from, size_t slot) {
    return (uint32_t)(from + slot * lister->matrix->stride);
}

static void add_target(struct lister *lister, uint32_t index) {
    uint32_t t = lister->targets++;
    lister->target[index] = t;
    lister->index[t] = index;
    lister->pairs[t] = 0;
    lister->folded[t] = 0;
}

/* One product: counted, or written as the target's next pair of offsets. */
static void add_pair(struct lister *lister, uint32_t index, uint32_t a, uint32_t b) {
    uint32_t target = lister->target[index];
    if (!lister->write) {
        lister->pairs[target]++;
        return;
    }
    uint32_t *to = lister->system->stream + lister->cursor[target];
    to[0] = a;
    to[1] = b;
    lister->cursor[target] += 2;
}

/* Entry a of A times entry b, or an entry of U alone. Products of constants are folded. */
#define ALONE UINT32_MAX

static void add_product(struct lister *lister, uint32_t index, uint32_t a, uint32_t b) {
    const struct damped_matrix *matrix = lister->matrix;
    double known = matrix->fixed ? matrix->fixed[a] * (b == ALONE ? 1 : matrix->fixed[b]) : NAN;
    if (isnan(known))
        add_pair(lister, index, matrix->offset[a], b == ALONE ? lister->one : matrix->offset[b]);
    else if (!lister->write)
        lister->folded[lister->target[index]] += known;
}

static uint32_t position_of(const struct lister *lister, size_t unknown) {
    return lister->symbolic ? lister->symbolic->position[unknown] : (uint32_t)unknown;
}

/* The entries of U in row `at` of L (before), or in its column. */
static void walk_border(struct lister *lister, size_t at, bool before) {
    const struct border *border = lister->request->border;
    size_t unknown = lister->symbolic->order[at], m = lister->request->rows->count;
    bool added = unknown >= m;
    const struct vectors *u = added ? &border->u_columns : &border->u;
    size_t own = added ? unknown - m : unknown;
    for (size_t e = u->first[own]; e < u->first[own + 1]; e++) {
        uint32_t i = position_of(lister, added ? u->index[e] : m + u->index[e]);
        if (before ? i < at : i > at)
            add_product(lister, i, u->entry[e], ALONE);
    }
}

/* The products of M M', likewise; the first factor is in the later row. */
static void walk_gram(struct lister *lister, size_t at, bool before) {
    const struct vectors *rows = lister->request->rows, *columns = lister->request->columns;
    size_t row = lister->symbolic ? lister->symbolic->order[at] : at;
    if (lister->request->border)
        walk_border(lister, at, before);
    if (row >= rows->count)
        return;
    for (size_t e = rows->first[row]; e < rows->first[row + 1]; e++) {
        size_t k = rows->index[e];
        for (size_t f = columns->first[k]; f < columns->first[k + 1]; f++) {
            uint32_t i = position_of(lister, columns->index[f]);
            if (before && i <= at)
                add_product(lister, i, rows->entry[e], columns->entry[f]);
            else if (!before && i >= at)
                add_product(lister, i, columns->entry[f], rows->entry[e]);
        }
    }
}

/* The products of column j of L with the columns before it. */
static void walk_factor(struct lister *lister, size_t j) {
    const struct symbolic *symbolic = lister->symbolic;
    for (size_t p = symbolic->row_first[j]; p < symbolic->row_first[j + 1]; p++) {
        size_t k = symbolic->column_index[p], own = symbolic->row_entry[p];
        for (size_t e = own + 1; e < symbolic->column_first[k + 1]; e++)
            add_pair(lister, symbolic->row_index[e], offset_of(lister, lister->system->lower, e), lister->negated[own]);
    }
}

/* ---- writing ---- */

static void put_word(struct lister *lister, uint32_t word) {
    lister->system->stream[lister->system->words++] = word;
}

/* Reserves space for the pairs of a target. */
static void put_sum(struct lister *lister, uint32_t target, uint32_t offset) {
    put_word(lister, offset);
    put_word(lister, lister->pairs[target]);
    lister->cursor[target] = lister->system->words;
    lister->system->words += 2 * (size_t)lister->pairs[target];
}

/* Space for the targets with their pairs, and `words` more. */
static hn_status reserve_words(struct lister *lister, size_t words, hn_error *error) {
    struct damped *system = lister->system;
    for (uint32_t t = 0; t < lister->targets; t++)
        words += 3 + 2 * (size_t)lister->pairs[t];
    uint32_t *stream = array_grow(system->stream, &lister->capacity, system->words + words, sizeof *stream);
    if (!stream)
        return error_no_memory(error, "the lists of the system");
    system->stream = stream;
    return HN_OK;
}

static hn_status put_column(struct lister *lister, size_t j, hn_error *error) {
    const struct symbolic *symbolic = lister->symbolic;
    uint32_t offset = 0, before = symbolic->row_first[j + 1] - symbolic->row_first[j];
    hn_status status = reserve_words(lister, 1 + 3 * (size_t)before, error);
    if (status == HN_OK)
        status = shift_slot(lister, symbolic->order[j], lister->folded[0], &offset, error);
    if (status != HN_OK)
        return status;
    put_word(lister, lister->targets - 1);
    put_word(lister, before);
    put_sum(lister, 0, offset);
    for (size_t p = symbolic->row_first[j]; p < symbolic->row_first[j + 1]; p++) {
        put_word(lister, offset_of(lister, lister->system->lower, symbolic->row_entry[p]));
        put_word(lister, lister->negated[symbolic->row_entry[p]]);
        put_word(lister, offset_of(lister, 0, symbolic->order[symbolic->column_index[p]]));
    }
    for (uint32_t t = 1; t < lister->targets && status == HN_OK; t++) {
        status = known_slot(lister, lister->folded[t], &offset, error);
        put_word(lister, lister->negated[symbolic->column_first[j] + t - 1]);
        put_sum(lister, t, offset);
    }
    return status;
}

static hn_status put_row(struct lister *lister, size_t i, hn_error *error) {
    const struct symbolic *symbolic = lister->symbolic;
    uint32_t last = lister->targets - 1, offset = 0;
    hn_status status = reserve_words(lister, 1, error);
    if (status == HN_OK && symbolic)
        put_word(lister, lister->targets);
    for (uint32_t t = 0; t <= last && status == HN_OK; t++) {
        status = t == last ? shift_slot(lister, symbolic ? symbolic->order[i] : i, lister->folded[t], &offset, error)
                           : known_slot(lister, lister->folded[t], &offset, error);
        if (symbolic)
            put_word(lister, lister->index[t]);
        put_sum(lister, t, offset);
    }
    return status;
}

/* The targets of column j: the diagonal, then those of L below it. */
static void name_column(struct lister *lister, size_t j) {
    const struct symbolic *symbolic = lister->symbolic;
    add_target(lister, (uint32_t)j);
    for (size_t e = symbolic->column_first[j]; e < symbolic->column_first[j + 1]; e++)
        add_target(lister, symbolic->row_index[e]);
}

/* The targets of row i: all columns before it, or those of L, then the diagonal. */
static void name_row(struct lister *lister, size_t i) {
    const struct symbolic *symbolic = lister->symbolic;
    for (size_t p = symbolic ? symbolic->row_first[i] : 0; p < (symbolic ? symbolic->row_first[i + 1] : i); p++)
        add_target(lister, symbolic ? symbolic->column_index[p] : (uint32_t)p);
    add_target(lister, (uint32_t)i);
}

static void walk(struct lister *lister, size_t i, bool write) {
    bool listed = lister->system->kind == FACTOR_LISTED;
    lister->write = write;
    walk_gram(lister, i, !listed);
    if (listed)
        walk_factor(lister, i);
}

static hn_status list_one(struct lister *lister, size_t i, hn_error *error) {
    bool listed = lister->system->kind == FACTOR_LISTED;
    lister->targets = 0;
    if (listed)
        name_column(lister, i);
    else
        name_row(lister, i);
    walk(lister, i, false);
    hn_status status = listed ? put_column(lister, i, error) : put_row(lister, i, error);
    if (status == HN_OK)
        walk(lister, i, true);
    return status;
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

static bool place_negated(struct lister *lister) {
    const struct symbolic *symbolic = lister->symbolic;
    size_t free_count = 0, used = 0;
    uint32_t *free_slots = arena_take(&lister->arena, symbolic->nonzeros, sizeof *free_slots);
    lister->negated = arena_take(&lister->arena, symbolic->nonzeros, sizeof *lister->negated);
    for (size_t j = 0; free_slots && lister->negated && j < symbolic->n; j++) {
        for (size_t e = symbolic->column_first[j]; e < symbolic->column_first[j + 1]; e++)
            lister->negated[e] =
                free_count > 0 ? free_slots[--free_count] : offset_of(lister, lister->system->negated, used++);
        for (size_t p = symbolic->row_first[j]; p < symbolic->row_first[j + 1]; p++)
            free_slots[free_count++] = lister->negated[symbolic->row_entry[p]];
    }
    return free_slots && lister->negated;
}

static bool lister_begin(struct lister *lister) {
    size_t order = lister->system->order;
    lister->target = arena_take(&lister->arena, order, sizeof *lister->target);
    lister->index = arena_take(&lister->arena, order, sizeof *lister->index);
    lister->pairs = arena_take(&lister->arena, order, sizeof *lister->pairs);
    lister->cursor = arena_take(&lister->arena, order, sizeof *lister->cursor);
    lister->folded = arena_take(&lister->arena, order, sizeof *lister->folded);
    return lister->target && lister->index && lister->pairs && lister->cursor && lister->folded &&
           (lister->system->kind != FACTOR_LISTED || place_negated(lister));
}

hn_status factor_list(struct damped *system, const struct list_request *request, hn_error *error) {
    struct lister lister = {
        .system = system, .request = request, .matrix = &request->system->matrix, .symbolic = request->symbolic};
    hn_status status = lister_begin(&lister) ? HN_OK : error_no_memory(error, "the lists of the system");
    if (status == HN_OK && request->border)
        status = constant_slot(&lister, 1, &lister.one, error);
    for (size_t i = 0; i < system->order && status == HN_OK; i++)
        status = list_one(&lister, i, error);
    arena_release(&lister.arena);
    return status;
}

/* ---- streams for other slot sizes ---- */

static uint32_t *scale(uint32_t *s, size_t count, uint32_t factor) {
    for (size_t i = 0; i < count; i++)
        s[i] *= factor;
    return s + count;
}

/* A number of pairs, then the pairs. */
static uint32_t *scale_pairs(uint32_t *s, uint32_t factor) {
    return scale(s + 1, 2 * (size_t)s[0], factor);
}

void stream_scale_product(uint32_t *s, size_t results, uint32_t factor) {
    for (size_t i = 0; i < results; i++)
        s = scale_pairs(s, factor);
}

static uint32_t *scale_column(uint32_t *s, uint32_t factor) {
    uint32_t below = s[0], before = s[1];
    s = scale_pairs(scale(s + 2, 1, factor), factor);
    s = scale(s, 3 * (size_t)before, factor);
    for (uint32_t e = 0; e < below; e++)
        s = scale_pairs(scale(s, 2, factor), factor);
    return s;
}

static uint32_t *scale_row(uint32_t *s, size_t entries, bool named, uint32_t factor) {
    for (size_t e = 0; e < entries; e++)
        s = scale_pairs(scale(s + named, 1, factor), factor);
    return s;
}

void stream_scale_factor(uint32_t *s, enum factor_kind kind, size_t order, uint32_t factor) {
    for (size_t i = 0; i < order; i++)
        if (kind == FACTOR_LISTED)
            s = scale_column(s, factor);
        else if (kind == FACTOR_WALKED)
            s = scale_row(s + 1, s[0], true, factor);
        else
            s = scale_row(s, i + 1, false, factor);
}
