/* plan_blocks.c - row blocks of a plan (core/set.h). Part of plan_create.
 *
 * Off-diagonal rows of a matrix are scaled by sqrt 2, and all rows of a block get entries of J in the same columns.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "model/parts.h"
#include "plan/plan_builder.h"

#include <string.h>

/* Before derivatives are taken. */
void plan_find_blocks(struct plan_builder *b, const hn_model *model) {
    struct problem *p = &b->problem;
    b->blocks = plan_take(b, model->block_count, sizeof *b->blocks);
    for (size_t k = 0; b->status == HN_OK && k < model->block_count; k++) {
        const struct model_block *from = &model->blocks[k];
        b->blocks[b->block_count++] = (struct set_block){(uint32_t)from->set, from->order, (uint32_t)from->first, 0};
        uint32_t *body = p->body + from->first;
        for (size_t i = 0; from->set == HN_SET_PSD && i < from->order; i++)
            for (size_t j = 0; j <= i; j++, body++)
                if (i != j)
                    *body = graph_scale(&p->graph, 1.4142135623730951, *body);
    }
    if (b->status == HN_OK && p->graph.status != HN_OK)
        b->status = error_no_memory(b->error, "the layer");
}

bool plan_in_block(const struct plan_builder *b, size_t row) {
    for (size_t k = 0; k < b->block_count; k++)
        if (row - b->blocks[k].row < set_rows(&b->blocks[k])) /* unsigned: false for rows before it */
            return true;
    return false;
}

/* ---- the pattern of J ---- */

/* The block that begins at the row; NULL: none. */
static const struct set_block *block_at(const struct plan_builder *b, size_t row) {
    for (size_t k = 0; k < b->block_count; k++)
        if (b->blocks[k].row == row)
            return &b->blocks[k];
    return NULL;
}

static void copy_row(struct node_matrix *to, const struct node_matrix *from, size_t row) {
    size_t count = from->first[row + 1] - from->first[row];
    memcpy(to->column + to->count, from->column + from->first[row], count * sizeof *to->column);
    memcpy(to->node + to->count, from->node + from->first[row], count * sizeof *to->node);
    to->count += count;
    to->first[row + 1] = to->count;
}

/* Copies a row and adds `zero` in the used columns in which it has no entry. */
static void fill_row(struct node_matrix *to, const struct node_matrix *from, size_t row, const bool *used,
                     uint32_t zero) {
    size_t e = from->first[row];
    for (uint32_t j = 0; j < from->columns; j++) {
        if (!used[j])
            continue;
        bool own = e < from->first[row + 1] && from->column[e] == j;
        to->column[to->count] = j;
        to->node[to->count++] = own ? from->node[e++] : zero;
    }
    to->first[row + 1] = to->count;
}

static void fill_block(struct node_matrix *to, const struct node_matrix *from, const struct set_block *block,
                       bool *used, uint32_t zero) {
    size_t end = block->row + set_rows(block);
    memset(used, 0, from->columns * sizeof *used);
    for (size_t e = from->first[block->row]; e < from->first[end]; e++)
        used[from->column[e]] = true;
    for (size_t row = block->row; row < end; row++)
        fill_row(to, from, row, used, zero);
}

static size_t filled_count(const struct plan_builder *b) {
    size_t count = b->jacobian.count;
    for (size_t k = 0; k < b->block_count; k++)
        count += (size_t)set_rows(&b->blocks[k]) * b->jacobian.columns;
    return count;
}

static void fill_rows(struct plan_builder *b, struct node_matrix *to, bool *used, uint32_t zero) {
    const struct node_matrix *from = &b->jacobian;
    to->first[0] = 0;
    for (size_t row = 0; row < from->rows;) {
        const struct set_block *block = block_at(b, row);
        if (block)
            fill_block(to, from, block, used, zero);
        else
            copy_row(to, from, row);
        row += block ? set_rows(block) : 1;
    }
}

void plan_fill_blocks(struct plan_builder *b) {
    const struct node_matrix *from = &b->jacobian;
    if (b->status != HN_OK || b->block_count == 0)
        return;
    struct node_matrix to = {.rows = from->rows, .columns = from->columns, .capacity = filled_count(b) + 1};
    to.first = base_allocate((to.rows + 1) * sizeof *to.first);
    to.column = base_allocate(to.capacity * sizeof *to.column);
    to.node = base_allocate(to.capacity * sizeof *to.node);
    bool *used = plan_take(b, from->columns, sizeof *used);
    uint32_t zero = graph_constant(&b->problem.graph, 0);
    if (!to.first || !to.column || !to.node || !used || zero == 0) {
        node_matrix_release(&to);
        b->status = error_no_memory(b->error, "the layer");
        return;
    }
    fill_rows(b, &to, used, zero);
    node_matrix_release(&b->jacobian);
    b->jacobian = to;
}
