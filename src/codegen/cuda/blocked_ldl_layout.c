/* blocked_ldl_layout.c - words, numbers and slots of a blocked system, read by blocked_thread_kernel.h and
 * tridiagonal_thread_kernel.h. The numbers are those of the host's executor (cpu/blocked_ldl_bind.c).
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/cuda/device_system.h"

#include <string.h>

static uint64_t longer(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* ---- sizes ---- */

static void name_sizes(struct system_layout *l) {
    const struct plan *p = l->plan;
    const double shift = p->options.weighted ? 0 : p->options.damping;
    layout_name(l, "SYSTEM_PREFIX", true);
    layout_name(l, "TILED_ROWS", p->rows);
    layout_name(l, "TILED_COLUMNS", p->outputs);
    layout_name(l, "TILED_WEIGHTED", p->options.weighted);
    layout_name(l, "TILED_OUTPUTS_SIDE", p->options.outputs_side);
    layout_name(l, "TILED_SLOPE", p->options.adaptive && p->options.outputs_side ? p->gradient : p->step);
    layout_name(l, "TILED_FIXED_SHIFT", kernel_bits(shift, l->single));
    layout_name(l, "TILED_NONE", UINT32_MAX);
}

/* Offsets that the plan of a kernel lacks. */
static void name_vectors(struct system_layout *l) {
    const struct plan *p = l->plan;
    layout_name(l, "TILED_WORK", p->work);
    layout_name(l, "TILED_LEAF_S", p->leaf_s);
    layout_name(l, "TILED_LEAF_T", p->leaf_t);
    layout_name(l, "TILED_Q", p->q);
    layout_name(l, "TILED_V", p->v);
    layout_name(l, "TILED_KEPT_Q", p->kept);
}

/* ---- slots of the loops ---- */

static void take_slots(struct system_layout *l) {
    const struct plan *p = l->plan;
    uint64_t rows = p->rows, columns = p->outputs, order = p->options.outputs_side ? columns : rows;
    uint64_t form = l->tiled->reduction.order,
             depth = longer(order, rows); /* with a reduction: both parts of the rows */
    layout_slots(l, "TILED_LOWER", order * (order + 1) / 2);
    layout_name(l, "DENSE_DEPTH", depth);
    layout_slots(l, "TILED_STRIP", STRIP_ROWS * depth);
    layout_slots(l, "TILED_WEIGHT", depth);
    layout_slots(l, "TILED_INVERSE", order);
    layout_slots(l, "TILED_Z", order);
    layout_slots(l, "TILED_OUT", longer(rows, columns));
    layout_slots(l, "TILED_COUNT", rows);
    layout_slots(l, "TILED_KEPT", rows + 1);
    layout_slots(l, "TILED_KEPT_SHIFT", 1);
    layout_slots(l, "REDUCED_LOWER", form);
    layout_slots(l, "REDUCED_RIGHT", form);
    layout_slots(l, "REDUCED_FIRST", form);
    layout_slots(l, "REDUCED_SECOND", form);
    layout_slots(l, "TILED_M", rows * columns);
}

/* ---- constant rows ---- */

/* The end of the run of block rows that starts at this row; the row itself if it is not in the block. */
static uint32_t run_end(const struct system_layout *l, uint32_t row) {
    const struct tiled_block *block = &l->tiled->block;
    while (row < l->plan->rows && block->number[row] != UINT32_MAX)
        row++;
    return row;
}

static void place_runs(struct system_layout *l) {
    for (uint32_t i = 0; l->words && i < l->plan->rows; i++)
        l->words[l->word_count + i] = run_end(l, i);
    layout_name(l, "TILED_RUN", l->word_count);
    l->word_count += l->plan->rows;
}

/* Weights and squared rows; those of rows that are not known are unused. */
static void place_known(struct system_layout *l) {
    size_t rows = l->known ? l->plan->rows : 0;
    for (size_t i = 0; l->numbers && i < rows; i++) {
        l->numbers[l->number_count + i] = l->known[i].scale;
        l->numbers[l->number_count + rows + i] = l->known[i].squares;
    }
    layout_name(l, "TILED_KNOWN_SCALE", l->number_count);
    layout_name(l, "TILED_KNOWN_SQUARES", l->number_count + rows);
    l->number_count += 2 * rows;
}

static size_t known_count(const struct system_layout *l) {
    size_t count = 0;
    for (size_t i = 0; i < l->plan->rows; i++)
        count += l->tiled->known[i] != UINT32_MAX;
    return count;
}

static void place_rows(struct system_layout *l) {
    const struct tiled *t = l->tiled;
    const struct tiled_block *block = &t->block;
    size_t known = t->gram ? known_count(l) : 0;
    layout_words(l, "TILED_KNOWN", t->known, l->plan->rows);
    layout_words(l, "TILED_NUMBER", block->number, l->plan->rows);
    place_runs(l);
    place_known(l);
    layout_name(l, "TILED_BLOCK_ROWS", block->rows);
    layout_numbers(l, "TILED_BLOCK", block->by_columns, block->rows > 0 ? l->plan->outputs : 0, block->down,
                   block->rows);
    layout_name(l, "TILED_VALUES", block->values);
    layout_words(l, "TILED_VALUED", block->valued, block->values);
    layout_words(l, "TILED_VALUE", block->value, block->values);
    layout_name(l, "TILED_HAS_GRAM", t->gram != NULL);
    layout_name(l, "TILED_GRAMS", known);
    layout_numbers(l, "TILED_GRAM", t->gram, known, t->gram_leading, known);
}

static void place_reduction(struct system_layout *l) {
    const struct tiled_reduction *form = &l->tiled->reduction;
    size_t order = form->order, others = form->others;
    layout_name(l, "REDUCED_ORDER", order);
    layout_name(l, "REDUCED_OTHERS", others);
    layout_words(l, "REDUCED_ROW", form->row, order + others);
    layout_numbers(l, "REDUCED_DIAGONAL", form->diagonal, 1, 0, order);
    layout_numbers(l, "REDUCED_BESIDE", form->beside, 1, 0, order);
    layout_numbers(l, "REDUCED_TURN", form->turn, order, form->wide, order + others);
    layout_numbers(l, "REDUCED_TURNED", form->turned, order + others, form->tall, order);
    layout_numbers(l, "REDUCED_GRAM", form->gram, others, form->gram_leading, others);
}

void layout_tiled(struct system_layout *l) {
    name_sizes(l);
    name_vectors(l);
    take_slots(l);
    place_rows(l);
    if (l->tiled->reduction.order > 0)
        place_reduction(l);
}
