/* signed_system.c - see signed_system.h.
 *
 * SPDX-License-Identifier: MIT */
#include "linalg/signed_system.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "linalg/symbolic.h"

#include <string.h>

static const size_t MOST_NONZEROS = (size_t)1 << 26;

/* Both triangles of the pattern, by rows. */
struct pattern {
    size_t *first; /* order + 1 */
    uint32_t *index;
};

static void release_pattern(struct pattern *p) {
    base_release(p->first);
    base_release(p->index);
}

static hn_status make_pattern(struct pattern *out, const struct signed_request *r, hn_error *error) {
    size_t capacity[2] = {0};
    out->first = array_grow(NULL, &capacity[0], r->order + 2, sizeof *out->first);
    out->index = array_grow(NULL, &capacity[1], 2 * r->entries + 1, sizeof *out->index);
    if (!out->first || !out->index)
        return error_no_memory(error, "the pattern of a system");
    memset(out->first, 0, (r->order + 2) * sizeof *out->first);
    for (size_t e = 0; e < r->entries; e++) {
        out->first[r->entry[e].row + 2]++;
        out->first[r->entry[e].column + 2]++;
    }
    for (size_t i = 2; i < r->order + 2; i++)
        out->first[i] += out->first[i - 1];
    for (size_t e = 0; e < r->entries; e++) { /* first[i + 1] advances to the end of row i */
        out->index[out->first[r->entry[e].row + 1]++] = r->entry[e].column;
        out->index[out->first[r->entry[e].column + 1]++] = r->entry[e].row;
    }
    return HN_OK;
}

/* ---- lists ---- */

static uint32_t *signed_system_take(struct signed_system *s, size_t count) {
    return arena_take(&s->arena, count + 1, sizeof(uint32_t));
}

static bool signed_system_take_lists(struct signed_system *s) {
    s->permutation = signed_system_take(s, s->order);
    s->column_first = signed_system_take(s, s->order + 1);
    s->row_number = signed_system_take(s, s->nonzeros);
    s->row_offset = signed_system_take(s, s->nonzeros);
    s->row_first = signed_system_take(s, s->order + 1);
    s->row_column = signed_system_take(s, s->nonzeros);
    s->row_entry = signed_system_take(s, s->nonzeros);
    s->own_first = signed_system_take(s, s->order + 2);
    s->own_column = signed_system_take(s, s->entries);
    s->own_offset = signed_system_take(s, s->entries);
    s->pair = signed_system_take(s, 3 * s->entries);
    return s->permutation && s->column_first && s->row_number && s->row_offset && s->row_first && s->row_column &&
           s->row_entry && s->own_first && s->own_column && s->own_offset && s->pair;
}

static void list_factor(struct signed_system *s, const struct symbolic *symbolic, uint32_t stride) {
    for (size_t k = 0; k < s->order; k++)
        s->permutation[k] = symbolic->order[k] * stride;
    for (size_t k = 0; k <= s->order; k++) {
        s->column_first[k] = (uint32_t)symbolic->column_first[k];
        s->row_first[k] = (uint32_t)symbolic->row_first[k];
    }
    for (size_t e = 0; e < s->nonzeros; e++) {
        s->row_number[e] = symbolic->row_index[e];
        s->row_offset[e] = symbolic->order[symbolic->row_index[e]] * stride;
        s->row_column[e] = symbolic->column_index[e];
        s->row_entry[e] = symbolic->row_entry[e];
    }
}

/* The matrix entries, each in the row that is eliminated later. */
static void list_matrix(struct signed_system *s, const struct symbolic *symbolic, const struct signed_request *r) {
    memset(s->own_first, 0, (s->order + 2) * sizeof *s->own_first);
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t e = 0; e < s->entries; e++) {
            uint32_t a = symbolic->position[r->entry[e].row], b = symbolic->position[r->entry[e].column];
            uint32_t later = a > b ? a : b, earlier = a > b ? b : a;
            if (pass == 0) {
                s->own_first[later + 2]++;
                continue;
            }
            uint32_t at = s->own_first[later + 1]++;
            s->own_column[at] = earlier;
            s->own_offset[at] = r->entry[e].offset;
        }
        for (size_t i = 2; pass == 0 && i < s->order + 2; i++)
            s->own_first[i] += s->own_first[i - 1];
    }
    for (size_t e = 0; e < s->entries; e++) {
        s->pair[3 * e] = r->entry[e].row * r->stride;
        s->pair[3 * e + 1] = r->entry[e].column * r->stride;
        s->pair[3 * e + 2] = r->entry[e].offset;
    }
}

static hn_status signed_system_place(struct signed_system *s, const struct signed_request *r, hn_error *error) {
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

static hn_status signed_system_fill(struct signed_system *s, const struct symbolic *symbolic,
                                    const struct signed_request *r, hn_error *error) {
    s->nonzeros = symbolic->nonzeros;
    hn_status status = signed_system_place(s, r, error);
    if (status != HN_OK)
        return status;
    if (!signed_system_take_lists(s))
        return error_no_memory(error, "the pattern of a system");
    list_factor(s, symbolic, r->stride);
    list_matrix(s, symbolic, r);
    return HN_OK;
}

hn_status signed_create(struct signed_system *out, const struct signed_request *request, hn_error *error) {
    struct pattern pattern = {NULL, NULL};
    struct symbolic symbolic = {0};
    *out = (struct signed_system){.order = request->order, .entries = request->entries};
    hn_status status = make_pattern(&pattern, request, error);
    const struct symbolic_request wanted = {request->order, pattern.first,      pattern.index,
                                            MOST_NONZEROS,  ARRANGED_FOR_SPEED, NULL};
    if (status == HN_OK)
        status = symbolic_create(&symbolic, &wanted, error);
    if (status == HN_OK)
        status = signed_system_fill(out, &symbolic, request, error);
    symbolic_release(&symbolic);
    release_pattern(&pattern);
    if (status != HN_OK)
        signed_release(out);
    return status;
}

void signed_release(struct signed_system *system) {
    arena_release(&system->arena);
    *system = (struct signed_system){.order = 0};
}
