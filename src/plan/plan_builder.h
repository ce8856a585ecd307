/* plan_builder.h - the stages of plan_create and their shared state: derive, compile, map, system, pack.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_PLAN_BUILDER_H
#define HN_PLAN_BUILDER_H

#include "autodiff/derivatives.h"
#include "base/arena.h"
#include "core/plan.h"
#include "core/set.h"

/* Rows that bound a single output, with these outputs. */
struct plan_pairs {
    size_t count;
    uint32_t *row, *output;
};

/* After a failure the stages do nothing. */
struct plan_builder {
    hn_status status;
    hn_error *error;
    const hn_layer_options *options;
    struct plan plan; /* the head, filled by the stages */
    struct problem problem;
    struct node_matrix jacobian, bracket_y, bracket_x, pull_x, lower_x, upper_x, start_x, fixed_x;
    struct node_list fixed; /* values of fixed outputs, */
    uint32_t *fixed_outputs;
    struct node_list nodes; /* the outputs of the program: all parts, in order */
    struct program *program;
    struct arena arena;
    struct plan_pairs bounds, clip;
    uint32_t *joint, *bounded; /* rows */
    size_t joint_count, bounded_count;
    struct set_block *blocks;
    size_t block_count;
    struct damped system;
};

/* A list of nodes that the program computes, and the plan's list of their slots. The parts are in the order of the
 * program's outputs. */
struct plan_part {
    const uint32_t *nodes;
    size_t count;
    struct plan_list *slots;
};

enum { PLAN_PARTS = 13 };
void plan_parts(struct plan_builder *builder, struct plan_part parts[PLAN_PARTS]);

/* Memory for count elements and one more; NULL when out of memory, and sets the status. */
void *plan_take(struct plan_builder *builder, size_t count, size_t size);

struct plan_pairs plan_take_pairs(struct plan_builder *builder); /* for all rows; NULL when out of memory */
void plan_add_pair(struct plan_pairs *pairs, size_t row, size_t output);

void plan_find_blocks(struct plan_builder *builder, const hn_model *model); /* before derivatives */
void plan_fill_blocks(struct plan_builder *builder);                        /* after J */
bool plan_in_block(const struct plan_builder *builder, size_t row);
void plan_map(struct plan_builder *builder);
void plan_system(struct plan_builder *builder);
void plan_pack(struct plan **out, struct plan_builder *builder);

/* The slots of the rows' bodies, of their lower bounds, of their upper bounds, and of the entries of J. */
static inline const uint32_t *plan_row_slots(const struct plan_builder *builder) {
    return builder->program->output_slot;
}

#endif
