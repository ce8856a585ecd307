/* completion.c - see completion.h.
 *
 * SPDX-License-Identifier: MIT */
#include "baselines/completion.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "baselines/dependent.h"

#include <math.h>
#include <string.h>

static bool completion_take_lists(struct completion *c) {
    size_t rows = c->program.rows, outputs = c->program.outputs;
    c->solved = arena_take(&c->arena, rows + 1, sizeof *c->solved);
    c->dependent = arena_take(&c->arena, outputs + 1, sizeof *c->dependent);
    c->independent = arena_take(&c->arena, outputs + 1, sizeof *c->independent);
    return c->solved && c->dependent && c->independent;
}

static bool is_fixed(const struct baseline_list *fixed, size_t column) {
    for (size_t f = 0; f < fixed->count; f++)
        if (fixed->entry[f] == column)
            return true;
    return false;
}

static void list_columns(struct completion *c) {
    for (size_t j = 0; j < c->program.outputs; j++)
        if (c->dependent[j])
            c->equations++;
        else if (!is_fixed(&c->program.fixed, j))
            c->independent[c->width++] = (uint32_t)j;
}

static uint32_t completion_take(struct completion *c, size_t count) {
    size_t offset = c->slots * c->program.stride;
    c->slots += count;
    return (uint32_t)offset;
}

static void place_vectors(struct completion *c) {
    size_t rows = c->program.rows, outputs = c->program.outputs;
    c->slots = c->program.program->slots;
    c->residual = completion_take(c, rows);
    c->shift = completion_take(c, rows); /* stays 0 */
    c->gradient = completion_take(c, outputs);
    c->step = completion_take(c, outputs);
    for (int i = 0; i < 2; i++) {
        c->right[i] = completion_take(c, rows);
        c->unknown[i] = completion_take(c, rows);
        c->memory[i] = completion_take(c, outputs);
    }
}

/* The entries of J in solved rows and dependent columns. */
static hn_status make_system(struct completion *c, hn_error *error) {
    const struct baseline_program *j = &c->program;
    size_t rows = c->program.rows, count = 0;
    size_t *first = arena_take(&c->arena, rows + 1, sizeof *first);
    uint32_t *column = arena_take(&c->arena, j->first[rows] + 1, sizeof *column);
    uint32_t *offset = arena_take(&c->arena, j->first[rows] + 1, sizeof *offset);
    if (!first || !column || !offset)
        return error_no_memory(error, "completion");
    for (size_t i = 0; i < rows; i++) {
        first[i] = count;
        for (size_t e = j->first[i]; c->solved[i] && e < j->first[i + 1]; e++)
            if (c->dependent[j->column[e]]) {
                column[count] = j->column[e];
                offset[count++] = j->entry[e];
            }
    }
    first[rows] = count;
    const struct damped_request request = {
        .matrix = {rows, c->program.outputs, c->program.stride, first, column, offset, NULL},
        .rows_side_only = true,
        .fixed_shift = NAN,
        .shift = c->shift,
        .storage = (uint32_t)(c->slots * c->program.stride)};
    hn_status status = damped_create(&c->system, &request, error);
    c->slots += c->system.slots;
    c->bytes = c->slots * c->program.stride * sizeof(double);
    return status;
}

static hn_status make_products(struct completion *c, hn_error *error) {
    const struct baseline_program *j = &c->program;
    const struct damped_matrix matrix = {
        c->program.rows, c->program.outputs, c->program.stride, j->first, j->column, j->entry, NULL};
    hn_status status = product_create(&c->by_rows, &matrix, false, error);
    return status == HN_OK ? product_create(&c->by_columns, &matrix, true, error) : status;
}

hn_status completion_create(struct completion *c, const hn_model *model, hn_instructions instructions,
                            hn_error *error) {
    *c = (struct completion){.width = 0};
    hn_status status = backend_choose(&c->backend, instructions, error);
    if (status == HN_OK)
        status = baseline_program_create(&c->program, model, completion_stride(), error);
    if (status == HN_OK && !completion_take_lists(c))
        status = error_no_memory(error, "completion");
    if (status == HN_OK)
        status = dependent_choose(c, model, instructions, error);
    if (status == HN_OK) {
        list_columns(c);
        place_vectors(c);
        status = make_products(c, error);
    }
    if (status == HN_OK)
        status = make_system(c, error);
    if (status == HN_OK && c->width == 0)
        status = error_set(error, HN_INVALID, "dc3: the equalities determine all %zu outputs: nothing is left to learn",
                           c->program.outputs);
    if (status != HN_OK)
        completion_release(c);
    return status;
}

void completion_release(struct completion *c) {
    damped_release(&c->system);
    base_release(c->by_rows.stream);
    base_release(c->by_columns.stream);
    baseline_program_release(&c->program);
    arena_release(&c->arena);
    *c = (struct completion){.width = 0};
}

uint32_t completion_checksum(const struct completion *c) {
    uint32_t sum = 0;
    for (size_t k = 0; k < c->width; k++)
        for (int shift = 0; shift < 32; shift += 8) { /* the same on machines of either byte order */
            unsigned char byte = (unsigned char)(c->independent[k] >> shift & 0xff);
            sum = checksum_add(sum, &byte, 1);
        }
    return sum;
}

void completion_begin(const struct completion *c, double *slots) {
    memset(slots, 0, c->bytes);
    program_prepare(c->program.program, slots);
    for (size_t i = 0; i < c->system.constant_count; i++)
        for (size_t lane = 0; lane < c->program.stride; lane++)
            slots[c->system.constants[i].offset + lane] = c->system.constants[i].value;
}
