/* device_search.c - the constant data of the methods nearest and optimal on a device; see device_parts.h.
 *
 * SPDX-License-Identifier: MIT */
#include "autodiff/program_levels.h"
#include "base/error.h"
#include "base/memory.h"
#include "cuda/device_parts.h"
#include "nearest/affine.h"
#include "nearest/nearest.h"

#include <string.h>

#include "cuda/kernels/search_layout.h"

enum { SEARCH_PROGRAMS = 6 };

/* A program on the device, and in levels for thread blocks. */
struct search_program {
    const struct program *from;
    struct program **to; /* the pointer in search_places */
    uint64_t begin;      /* its offset in the workspace */
    struct block_program own;
    struct program_levels levels;
};

struct device_search {
    struct nearest near;  /* of the host: one sample at a time, as a thread of the device has it */
    struct nearest split; /* without kinks */
    struct affine affine;
    struct search_places places;
    struct search_program program[SEARCH_PROGRAMS];
    /* if a thread block shares a sample: */
    bool is_team;
    struct arena block_arena; /* memory of the programs in levels */
    cuda_address lists;
    const struct search_places *there;
};

/* ---- lists ---- */

/* Missing programs stay NULL. */
static void add_program(struct device_lists *all, struct search_program *p, bool is_team) {
    if (!p->from)
        return;
    device_lists_add_program(all, is_team ? &p->levels.program : p->from, &p->own.own);
    DEVICE_ADD(all, p->levels.level, p->levels.level_first[PHASES] + 1, p->own.level);
    memcpy(p->own.level_first, p->levels.level_first, sizeof p->own.level_first);
    DEVICE_ADD(all, &p->own, 1, *p->to);
}

static void add_system(struct device_lists *all, const struct signed_system *from, struct signed_system *to) {
    DEVICE_ADD(all, from->permutation, from->order, to->permutation);
    DEVICE_ADD(all, from->column_first, from->order + 1, to->column_first);
    DEVICE_ADD(all, from->row_number, from->nonzeros, to->row_number);
    DEVICE_ADD(all, from->row_offset, from->nonzeros, to->row_offset);
    DEVICE_ADD(all, from->row_first, from->order + 1, to->row_first);
    DEVICE_ADD(all, from->row_column, from->nonzeros, to->row_column);
    DEVICE_ADD(all, from->row_entry, from->nonzeros, to->row_entry);
    DEVICE_ADD(all, from->own_first, from->order + 1, to->own_first);
    DEVICE_ADD(all, from->own_column, from->entries, to->own_column);
    DEVICE_ADD(all, from->own_offset, from->entries, to->own_offset);
    DEVICE_ADD(all, from->pair, 3 * from->entries, to->pair);
    DEVICE_ADD(all, from->own_entry, from->entries, to->own_entry);
    DEVICE_ADD(all, from->touch_first, from->order + 1, to->touch_first);
    DEVICE_ADD(all, from->touch, 4 * from->entries, to->touch);
}

static void add_plan(struct device_lists *all, const struct nearest_plan *from, struct nearest_plan *to) {
    DEVICE_ADD(all, from->value, from->rows, to->value);
    DEVICE_ADD(all, from->lower, from->rows, to->lower);
    DEVICE_ADD(all, from->upper, from->rows, to->upper);
    DEVICE_ADD(all, from->first, from->rows + 1, to->first);
    DEVICE_ADD(all, from->column, from->entries, to->column);
    DEVICE_ADD(all, from->entry, from->entries, to->entry);
    DEVICE_ADD(all, from->own_value, from->own_rows, to->own_value);
    DEVICE_ADD(all, from->lift, from->outputs - from->own_outputs, to->lift);
    DEVICE_ADD(all, from->kink, 2 * from->kinks, to->kink);
    DEVICE_ADD(all, from->gradient, from->outputs, to->gradient);
    DEVICE_ADD(all, from->curvature, from->outputs, to->curvature);
    DEVICE_ADD(all, from->bend, from->curvatures, to->bend);
    DEVICE_ADD(all, from->square, from->outputs, to->square);
    DEVICE_ADD(all, from->fixed, from->outputs, to->fixed);
    add_system(all, &from->system, &to->system);
}

static void add_products(struct device_lists *all, const struct nearest_products *from, struct nearest_products *to) {
    if (!from->program)
        return;
    DEVICE_ADD(all, from->result, from->outputs, to->result);
    DEVICE_ADD(all, from->first, from->outputs + 1, to->first);
    DEVICE_ADD(all, from->column, from->first[from->outputs], to->column);
    DEVICE_ADD(all, from->group_first, from->groups + 1, to->group_first);
    DEVICE_ADD(all, from->member, from->group_first[from->groups], to->member);
    DEVICE_ADD(all, from->entry_first, from->groups + 1, to->entry_first);
    DEVICE_ADD(all, from->entries, from->entry_first[from->groups], to->entries);
}

static void add_matrix(struct device_lists *all, const struct matrix_places *from, struct matrix_places *to) {
    if (!from->first)
        return;
    DEVICE_ADD(all, from->first, from->rows + 1, to->first);
    DEVICE_ADD(all, from->column, from->count, to->column);
    DEVICE_ADD(all, from->entry, from->count, to->entry);
}

static void add_affine(struct device_lists *all, const struct affine *from, struct affine *to) {
    size_t n = from->outputs, m = from->rows, e = from->equalities, i = from->inequalities;
    if (!from->there)
        return;
    DEVICE_ADD(all, from->equality, e, to->equality);
    DEVICE_ADD(all, from->inequality, i, to->inequality);
    DEVICE_ADD(all, from->weight, n, to->weight);
    DEVICE_ADD(all, from->inverse, n, to->inverse);
    DEVICE_ADD(all, from->hessian, from->full ? n * n : 0, to->hessian);
    DEVICE_ADD(all, from->solved, from->full ? n * n : 0, to->solved);
    DEVICE_ADD(all, from->goal_slope, from->goal ? n : 0, to->goal_slope);
    DEVICE_ADD(all, from->first, m + 1, to->first);
    DEVICE_ADD(all, from->column, from->first[m], to->column);
    DEVICE_ADD(all, from->number, from->first[m], to->number);
    DEVICE_ADD(all, from->dense, m, to->dense);
    DEVICE_ADD(all, from->gauge, m, to->gauge);
    DEVICE_ADD(all, from->columns, n * m, to->columns);
    DEVICE_ADD(all, from->reach, n * m, to->reach);
    DEVICE_ADD(all, from->solver, e * e, to->solver);
    DEVICE_ADD(all, from->coupling, e * i, to->coupling);
    DEVICE_ADD(all, from->answer, i * e, to->answer);
    DEVICE_ADD(all, from->schur, i * i, to->schur);
    DEVICE_ADD(all, from->unit, i, to->unit);
}

static void list_all(struct device_search *s, struct device_lists *all) {
    const struct nearest_parts *from = &s->near.parts;
    struct search_places *to = &s->places;
    to->near = *from;
    if (s->affine.there) /* otherwise its data is not used, nor is a goal */
        to->affine = s->affine;
    add_plan(all, &from->plan, &to->near.plan);
    add_products(all, &from->products, &to->near.products);
    if (s->split.parts.plan.program) {
        to->split = s->split.parts;
        add_plan(all, &s->split.parts.plan, &to->split.plan);
        add_products(all, &s->split.parts.products, &to->split.products);
    }
    add_matrix(all, &from->by_inputs.rows, &to->near.by_inputs.rows);
    add_matrix(all, &from->by_inputs.bends, &to->near.by_inputs.bends);
    add_affine(all, &s->affine, &to->affine);
    for (int k = 0; k < SEARCH_PROGRAMS; k++)
        add_program(all, &s->program[k], s->is_team);
}

/* ---- creation ---- */

static hn_status create_search(struct device_search *s, const hn_device_layer *layer, const hn_model *model,
                               hn_error *error) {
    const hn_layer_options *o = &layer->layer;
    struct nearest_goal goal = {.optimal = o->method == HN_METHOD_OPTIMAL,
                                .weights = o->weights,
                                .tolerance = o->tolerance,
                                .relative = o->relative};
    hn_status status = nearest_create(&s->near, model, &goal, o->instructions, true, error);
    goal.split = goal.optimal;
    if (status == HN_OK && goal.split)
        status = nearest_create_split(&s->split, model, &goal, o->instructions, true, error);
    return status == HN_OK ? affine_create(&s->affine, &s->near.parts.plan, model, error) : status;
}

/* Offsets of each part of the search; the temporaries of program_levels_create come last. */
static void device_search_place(struct device_search *s) {
    struct search_places *p = &s->places;
    p->split_at = s->near.bytes / sizeof(double);
    p->goal_at = p->split_at + s->split.bytes / sizeof(double);
    p->affine_at = p->goal_at + (s->affine.there ? affine_goal_numbers(&s->affine) : 0);
    p->near_numbers = p->affine_at + (s->affine.there ? s->affine.numbers : 0);
}

static void list_programs(struct device_search *s) {
    const struct nearest_parts *n = &s->near.parts, *split = &s->split.parts;
    struct search_places *to = &s->places;
    const struct search_program all[SEARCH_PROGRAMS] = {
        {.from = n->plan.program, .to = &to->near.plan.program},
        {.from = n->products.program, .to = &to->near.products.program, .begin = n->products_at},
        {.from = n->by_inputs.program, .to = &to->near.by_inputs.program, .begin = n->inputs_at},
        {.from = s->affine.there ? s->affine.goal : NULL, .to = &to->affine.goal, .begin = to->goal_at},
        {.from = split->plan.program, .to = &to->split.plan.program, .begin = to->split_at},
        {.from = split->products.program,
         .to = &to->split.products.program,
         .begin = to->split_at + split->products_at}};
    memcpy(s->program, all, sizeof all);
}

static hn_status make_team(struct device_search *s, hn_error *error) {
    struct nearest_parts *near = &s->near.parts, *split = &s->split.parts;
    size_t spare = 0;
    hn_status status = signed_add_block_lists(&near->plan.system, error);
    if (status == HN_OK && split->plan.program)
        status = signed_add_block_lists(&split->plan.system, error);
    for (int k = 0; k < SEARCH_PROGRAMS && status == HN_OK; k++) {
        struct search_program *p = &s->program[k];
        if (p->from)
            status = program_levels_create(&p->levels, p->from, (size_t)(s->places.near_numbers - p->begin),
                                           &s->block_arena, error);
        spare = p->levels.spare > spare ? p->levels.spare : spare; /* programs do not run at the same time */
    }
    s->places.near_numbers += spare;
    return status;
}

static void device_search_measure(struct device_search *s, const hn_device_layer *layer, const hn_model *model) {
    struct search_places *p = &s->places;
    const struct plan *plan = layer->plan;
    p->numbers = p->near_numbers + 4 * (uint64_t)plan->outputs + 5 * (uint64_t)plan->rows + plan->inputs;
    p->optimal = layer->layer.method == HN_METHOD_OPTIMAL;
    p->maximizes = hn_model_objective(model).maximize;
}

/* search_places comes last: it contains the addresses of all other arrays. */
static hn_status move_there(const hn_device_layer *layer, struct device_search *s, hn_error *error) {
    struct device_lists all = {.count = 0};
    list_all(s, &all);
    if (layer->layer.weights)
        DEVICE_ADD(&all, layer->layer.weights, layer->plan->outputs, s->places.weights);
    DEVICE_ADD(&all, &s->places, 1, s->there);
    hn_status status = device_enter(layer, error);
    if (status == HN_OK) {
        status = device_upload(&layer->driver, &s->lists, &all, error);
        device_leave(layer);
    }
    return status;
}

hn_status device_search_create(hn_device_layer *layer, const hn_model *model, hn_error *error) {
    if (layer->plan->tape_numbers == 0)
        return HN_OK;
    struct device_search *s = base_allocate(sizeof *s);
    if (!s)
        return error_no_memory(error, "the search");
    memset(s, 0, sizeof *s);
    layer->search = s;
    hn_status status = create_search(s, layer, model, error);
    s->is_team = device_is_team(layer->plan);
    if (status == HN_OK) {
        device_search_place(s);
        list_programs(s);
    }
    if (status == HN_OK && s->is_team)
        status = make_team(s, error);
    if (status == HN_OK) {
        device_search_measure(s, layer, model);
        status = move_there(layer, s, error);
    }
    arena_release(&s->block_arena);
    layer->layer.weights = NULL; /* the caller's */
    return status;
}

void device_search_destroy(hn_device_layer *layer) {
    struct device_search *s = layer->search;
    if (!s)
        return;
    if (s->lists && device_enter(layer, NULL) == HN_OK) {
        layer->driver.release(s->lists);
        device_leave(layer);
    }
    nearest_release(&s->near);
    nearest_release(&s->split);
    affine_release(&s->affine);
    base_release(s);
    layer->search = NULL;
}

/* ---- a call ---- */

size_t device_search_bytes(const hn_device_layer *layer) {
    return layer->search ? (size_t)layer->search->places.numbers * sizeof(double) : 0;
}

const struct search_places *device_search_places(const hn_device_layer *layer) {
    return layer->search ? layer->search->there : NULL;
}
