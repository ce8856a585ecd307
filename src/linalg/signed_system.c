/* signed_system.c - see signed_system.h.
 *
 * SPDX-License-Identifier: MIT */
#include "linalg/signed_system.h"

#include "base/arena.h"
#include "base/error.h"
#include "linalg/symbolic.h"

#include <string.h>

static const size_t MOST_NONZEROS = (size_t)1 << 26;

/* Both triangles of the pattern, by rows; first: order + 2 zeros. */
static void list_neighbours(const struct signed_request *r, size_t *first, uint32_t *index) {
    for (size_t e = 0; e < r->entries; e++) {
        first[r->entry[e].row + 2]++;
        first[r->entry[e].column + 2]++;
    }
    for (size_t i = 2; i < r->order + 2; i++)
        first[i] += first[i - 1];
    for (size_t e = 0; e < r->entries; e++) { /* first[i + 1] advances to the end of row i */
        index[first[r->entry[e].row + 1]++] = r->entry[e].column;
        index[first[r->entry[e].column + 1]++] = r->entry[e].row;
    }
}

/* ---- lists ---- */

static bool list_factor(struct signed_system *s, const struct symbolic *symbolic, uint32_t stride) {
    const struct {
        uint32_t **to;
        const uint32_t *from;
        size_t count;
    } lists[] = {
        {&s->permutation, symbolic->order, s->order},       {&s->column_first, symbolic->column_first, s->order + 1},
        {&s->row_number, symbolic->row_index, s->nonzeros}, {&s->row_offset, symbolic->row_index, s->nonzeros},
        {&s->row_first, symbolic->row_first, s->order + 1}, {&s->row_column, symbolic->column_index, s->nonzeros},
        {&s->row_entry, symbolic->row_entry, s->nonzeros},
    };
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        uint32_t *list = *lists[i].to = arena_take(&s->arena, lists[i].count + 1, sizeof *list);
        if (!list)
            return false;
        memcpy(list, lists[i].from, lists[i].count * sizeof *list);
    }
    for (size_t k = 0; k < s->order; k++)
        s->permutation[k] *= stride;
    for (size_t e = 0; e < s->nonzeros; e++)
        s->row_offset[e] = symbolic->order[symbolic->row_index[e]] * stride;
    return true;
}

/* The row that is eliminated later of the two that an entry of the matrix belongs to, and the other one. */
static uint32_t later_of(const struct symbolic *symbolic, const struct signed_entry *entry, uint32_t *earlier) {
    uint32_t a = symbolic->position[entry->row], b = symbolic->position[entry->column];
    *earlier = a > b ? b : a;
    return a > b ? a : b;
}

/* The matrix entries, each in the row that is eliminated later. */
static bool list_matrix(struct signed_system *s, const struct symbolic *symbolic, const struct signed_request *r) {
    uint32_t earlier;
    s->own_first = arena_zeros(&s->arena, s->order + 2, sizeof *s->own_first);
    s->own_column = arena_take(&s->arena, s->entries + 1, sizeof *s->own_column);
    s->own_offset = arena_take(&s->arena, s->entries + 1, sizeof *s->own_offset);
    s->pair = arena_take(&s->arena, 3 * s->entries + 1, sizeof *s->pair);
    if (!s->own_first || !s->own_column || !s->own_offset || !s->pair)
        return false;
    for (size_t e = 0; e < s->entries; e++)
        s->own_first[later_of(symbolic, &r->entry[e], &earlier) + 2]++;
    for (size_t i = 2; i < s->order + 2; i++)
        s->own_first[i] += s->own_first[i - 1];
    for (size_t e = 0; e < s->entries; e++) { /* own_first[i + 1] advances to the end of row i */
        uint32_t at = s->own_first[later_of(symbolic, &r->entry[e], &earlier) + 1]++;
        s->own_column[at] = earlier;
        s->own_offset[at] = r->entry[e].offset;
        s->pair[3 * e] = r->entry[e].row * r->stride;
        s->pair[3 * e + 1] = r->entry[e].column * r->stride;
        s->pair[3 * e + 2] = r->entry[e].offset;
    }
    return true;
}

static hn_status place_storage(struct signed_system *s, const struct signed_request *r, hn_error *error) {
    size_t slot = r->storage / r->stride;
    s->slots = SIGNED_SUMMARY + 2 * s->order + s->nonzeros;
    if (slot + s->slots > UINT32_MAX / r->stride / 2)
        return error_set(error, HN_LIMIT,
                         "the factor of the system has %zu entries, more than 32-bit offsets can address", s->nonzeros);
    s->diagonal = r->diagonal;
    s->summary = r->storage;
    s->inverse = (uint32_t)((slot + SIGNED_SUMMARY) * r->stride);
    s->work = (uint32_t)((slot + SIGNED_SUMMARY + s->order) * r->stride);
    s->lower = (uint32_t)((slot + SIGNED_SUMMARY + 2 * s->order) * r->stride);
    return HN_OK;
}

hn_status signed_create(struct signed_system *out, const struct signed_request *request, hn_error *error) {
    struct arena scratch = {NULL};
    struct symbolic symbolic = {0};
    *out = (struct signed_system){.order = request->order, .entries = request->entries};
    size_t *first = arena_zeros(&scratch, request->order + 2, sizeof *first);
    uint32_t *index = arena_take(&scratch, 2 * request->entries + 1, sizeof *index);
    hn_status status = first && index ? HN_OK : error_no_memory(error, "the pattern of a system");
    const struct symbolic_request wanted = {request->order, first, index, MOST_NONZEROS, ARRANGED_FOR_SPEED, NULL};
    if (status == HN_OK) {
        list_neighbours(request, first, index);
        status = symbolic_create(&symbolic, &wanted, error);
    }
    if (status == HN_OK) {
        out->nonzeros = symbolic.nonzeros;
        status = place_storage(out, request, error);
    }
    if (status == HN_OK && !(list_factor(out, &symbolic, request->stride) && list_matrix(out, &symbolic, request)))
        status = error_no_memory(error, "the pattern of a system");
    symbolic_release(&symbolic);
    arena_release(&scratch);
    if (status != HN_OK)
        signed_release(out);
    return status;
}

void signed_release(struct signed_system *system) {
    arena_release(&system->arena);
    *system = (struct signed_system){.order = 0};
}

/* ---- lists for thread blocks ---- */

static void find_entries(const struct signed_system *s) {
    for (size_t row = 0; row < s->order; row++)
        for (size_t p = s->own_first[row]; p < s->own_first[row + 1]; p++) {
            size_t at = s->row_first[row];
            while (s->row_column[at] != s->own_column[p])
                at++;
            s->own_entry[p] = s->row_entry[at];
        }
}

static void find_touched(const struct signed_system *s) {
    uint32_t *first = s->touch_first;
    for (size_t e = 0; e < s->entries; e++)
        for (size_t k = 0; k < 2; k++)
            first[s->pair[3 * e + k] + 2]++;
    for (size_t k = 2; k < s->order + 2; k++)
        first[k] += first[k - 1];
    for (size_t e = 0; e < s->entries; e++)
        for (size_t k = 0; k < 2; k++) { /* first[i + 1] advances to the end of unknown i */
            uint32_t *to = s->touch + 2 * (size_t)first[s->pair[3 * e + k] + 1]++;
            to[0] = s->pair[3 * e + 1 - k];
            to[1] = s->pair[3 * e + 2];
        }
}

hn_status signed_add_block_lists(struct signed_system *s, hn_error *error) {
    s->own_entry = arena_take(&s->arena, s->entries + 1, sizeof *s->own_entry);
    s->touch_first = arena_zeros(&s->arena, s->order + 2, sizeof *s->touch_first);
    s->touch = arena_take(&s->arena, 4 * s->entries + 1, sizeof *s->touch);
    if (!s->own_entry || !s->touch_first || !s->touch)
        return error_no_memory(error, "the pattern of a system");
    find_entries(s);
    find_touched(s);
    return HN_OK;
}
