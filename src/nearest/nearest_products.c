/* nearest_products.c - see nearest_products.h.
 *
 * SPDX-License-Identifier: MIT */
#include "nearest/nearest_products.h"

#include "autodiff/split.h"
#include "base/error.h"
#include "base/memory.h"

#include <string.h>

/* Intermediate results of the creation. */
struct parts {
    struct recipe recipe;
    struct node_matrix gradient, product; /* of the Lagrangian; (its Hessian) t; one row each */
    bool *depends;                        /* outputs x outputs: row j depends on y_k */
};

/* ---- the pattern ---- */

/* Marks the outputs that a node depends on. seen: the last search that visited each node. */
static void find_outputs(const struct graph *g, uint32_t root, uint32_t search, uint32_t *seen, uint32_t *stack,
                         bool *outputs) {
    size_t depth = 0;
    if (root & ENTRY_NUMBER || seen[root] == search)
        return;
    seen[root] = search;
    stack[depth++] = root;
    while (depth > 0) {
        const uint32_t *arguments;
        uint32_t node = stack[--depth];
        if (g->nodes[node].op == OP_LEAF && g->nodes[node].a == SPACE_Y)
            outputs[g->nodes[node].b] = true;
        size_t count = graph_arguments(g, node, &arguments);
        for (size_t i = 0; i < count; i++)
            if (graph_depends(g, arguments[i], SPACE_Y) && seen[arguments[i]] != search) {
                seen[arguments[i]] = search;
                stack[depth++] = arguments[i];
            }
    }
}

static hn_status find_pattern(struct parts *parts, hn_error *error) {
    const struct graph *g = &parts->recipe.problem.graph;
    size_t n = parts->recipe.problem.outputs, capacity = 0, other = 0;
    uint32_t *seen = array_grow(NULL, &capacity, 2 * g->count, sizeof *seen);
    parts->depends = array_grow(NULL, &other, n * n + 1, sizeof *parts->depends);
    if (!seen || !parts->depends) {
        base_release(seen);
        return error_no_memory(error, parts->recipe.subject);
    }
    memset(seen, 0, g->count * sizeof *seen);
    memset(parts->depends, 0, n * n * sizeof *parts->depends);
    for (size_t e = 0; e < parts->gradient.count; e++)
        find_outputs(g, parts->gradient.node[e], (uint32_t)e + 1, seen, seen + g->count,
                     parts->depends + parts->gradient.column[e] * n);
    for (size_t j = 0; j < n; j++)
        for (size_t k = 0; k < j; k++)
            parts->depends[j * n + k] = parts->depends[k * n + j] =
                parts->depends[j * n + k] || parts->depends[k * n + j];
    base_release(seen);
    return HN_OK;
}

static void keep_pattern(struct nearest_products *p, struct parts *parts) {
    size_t n = p->outputs, count = 0;
    for (size_t j = 0; j < n; j++)
        for (size_t k = 0; k <= j; k++)
            count += parts->depends[j * n + k];
    p->first = recipe_take(&parts->recipe, &p->arena, n + 1, sizeof *p->first);
    p->column = recipe_take(&parts->recipe, &p->arena, count + 1, sizeof *p->column);
    if (parts->recipe.status != HN_OK)
        return;
    count = 0;
    for (size_t j = 0; j < n; j++) {
        p->first[j] = count;
        for (size_t k = 0; k <= j; k++)
            if (parts->depends[j * n + k])
                p->column[count++] = (uint32_t)k;
    }
    p->first[n] = count;
}

/* ---- groups ---- */

/* Whether some row has entries in both columns. */
static bool columns_meet(const bool *depends, size_t n, size_t a, size_t b) {
    size_t j = 0;
    while (j < n && !(depends[a * n + j] && depends[b * n + j])) /* the pattern is symmetric */
        j++;
    return j < n;
}

static bool fits(const struct nearest_products *p, const bool *depends, size_t group, size_t column) {
    size_t at = p->group_first[group], end = p->group_first[group + 1];
    while (at < end && !columns_meet(depends, p->outputs, p->member[at], column))
        at++;
    return at == end;
}

static bool is_empty(const bool *row, size_t n) {
    size_t k = 0;
    while (k < n && !row[k])
        k++;
    return k == n;
}

/* Greedy: a column joins the last group if possible; consecutive columns often do. */
static void find_groups(struct nearest_products *p, struct parts *parts) {
    size_t n = p->outputs;
    p->group_first = recipe_take(&parts->recipe, &p->arena, n + 1, sizeof *p->group_first);
    p->member = recipe_take(&parts->recipe, &p->arena, n + 1, sizeof *p->member);
    size_t members = 0;
    for (size_t column = 0; parts->recipe.status == HN_OK && column < n; column++) {
        if (is_empty(parts->depends + column * n, n))
            continue;
        if (p->groups == 0 || !fits(p, parts->depends, p->groups - 1, column))
            p->group_first[p->groups++] = members;
        p->member[members++] = (uint32_t)column;
        p->group_first[p->groups] = members;
    }
}

static void list_entries(struct nearest_products *p, struct parts *parts) {
    size_t n = p->outputs, count = 0;
    p->entry_first = recipe_take(&parts->recipe, &p->arena, p->groups + 1, sizeof *p->entry_first);
    p->entries = recipe_take(&parts->recipe, &p->arena, p->first ? p->first[n] + 1 : 1, sizeof *p->entries);
    if (parts->recipe.status != HN_OK)
        return;
    p->entry_first[0] = 0;
    for (size_t g = 0; g < p->groups; g++) {
        for (size_t at = p->group_first[g]; at < p->group_first[g + 1]; at++)
            for (size_t j = p->member[at]; j < n; j++)
                for (size_t e = p->first[j]; parts->depends[j * n + p->member[at]] && e < p->first[j + 1]; e++)
                    if (p->column[e] == p->member[at])
                        p->entries[count++] = (struct product_entry){(uint32_t)j, (uint32_t)e};
        p->entry_first[g + 1] = count;
    }
}

/* ---- the program ---- */

static void differentiate_products(struct parts *parts) {
    struct recipe *r = &parts->recipe;
    struct problem *p = &r->problem;
    size_t capacity = 0;
    if (r->status == HN_OK)
        r->status = derivatives_lagrangian(&parts->gradient, p, SPACE_Y, r->error);
    uint32_t *weights = array_grow(NULL, &capacity, parts->gradient.count + 1, sizeof *weights);
    if (r->status == HN_OK && !weights)
        r->status = error_no_memory(r->error, r->subject);
    for (size_t e = 0; r->status == HN_OK && e < parts->gradient.count; e++)
        weights[e] =
            parts->gradient.node[e] & ENTRY_NUMBER ? 0 : graph_leaf(&p->graph, SPACE_T, parts->gradient.column[e]);
    if (r->status == HN_OK)
        r->status =
            derivatives_contract(&parts->product, &p->graph, &parts->gradient, weights, SPACE_Y, p->outputs, r->error);
    base_release(weights);
}

/* Multipliers belong to the phase of y, so that values that do not depend on t are computed once for all products. */
static void compile_products(struct nearest_products *p, struct parts *parts, bool optimal) {
    struct recipe *r = &parts->recipe;
    const enum space others[] = {SPACE_T, SPACE_LAMBDA, SPACE_SIGMA};
    static const uint8_t phases[] = {2, 1, 1};
    size_t product = recipe_ask_matrix(r, &parts->product);
    p->program = recipe_compile_phases(r, p->stride, others, phases, optimal ? 3 : 2);
    if (!p->program)
        return;
    p->x = recipe_leaf(r, SPACE_X);
    p->y = recipe_leaf(r, SPACE_Y);
    p->t = recipe_leaf(r, SPACE_T);
    p->lambda = recipe_leaf(r, SPACE_LAMBDA);
    p->sigma = recipe_leaf(r, SPACE_SIGMA);
    uint32_t zero = (uint32_t)(p->program->slots * p->stride);
    p->result = recipe_vector(r, &parts->product, product, zero, &p->arena);
    p->bytes = (p->program->slots + 1) * p->stride * sizeof(double);
}

hn_status nearest_products_create(struct nearest_products *p, const hn_model *model, bool optimal, bool split,
                                  uint32_t stride, hn_error *error) {
    struct parts parts = {.depends = NULL};
    struct problem_split kinks = {.count = 0};
    *p = (struct nearest_products){.stride = stride, .objective = optimal};
    recipe_begin(&parts.recipe, model, "the Hessian's products", error);
    if (split && parts.recipe.status == HN_OK)
        parts.recipe.status = problem_split_kinks(&parts.recipe.problem, &kinks, error);
    problem_split_release(&kinks);
    p->inputs = parts.recipe.problem.inputs;
    p->outputs = parts.recipe.problem.outputs;
    p->rows = parts.recipe.problem.rows;
    if (!optimal)
        parts.recipe.problem.objective = 0;
    differentiate_products(&parts);
    if (parts.recipe.status == HN_OK)
        parts.recipe.status = find_pattern(&parts, error);
    if (parts.recipe.status == HN_OK)
        keep_pattern(p, &parts);
    find_groups(p, &parts);
    list_entries(p, &parts);
    compile_products(p, &parts, optimal);
    node_matrix_release(&parts.gradient);
    node_matrix_release(&parts.product);
    base_release(parts.depends);
    hn_status status = recipe_end(&parts.recipe);
    if (status != HN_OK)
        nearest_products_release(p);
    return status;
}

void nearest_products_release(struct nearest_products *p) {
    program_destroy(p->program);
    arena_release(&p->arena);
    *p = (struct nearest_products){.program = NULL};
}
