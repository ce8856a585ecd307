/* model_rows.c - constraint rows in named groups, the objective, requirements on inputs; and finishing a model.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/machine.h"
#include "base/memory.h"
#include "model/parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- adding ---- */

void hn_constrain(hn_model *model, const char *name, hn_real lower, hn_expr body, hn_real upper) {
    if (model_refuses(model, "hn_constrain"))
        return;
    hn_expr above = hn_constant(model, upper); /* separate statements: C does not order the evaluation of arguments */
    hn_constrain_between(model, name, hn_constant(model, lower), body, above);
}

void hn_constrain_between(hn_model *model, const char *name, hn_expr lower, hn_expr body, hn_expr upper) {
    const char *what = name ? name : "hn_constrain";
    if (model_refuses(model, what))
        return;
    struct model_row row = {.group = 0};
    row.lower = model_argument(model, lower, what);
    row.body = model_argument(model, body, what);
    row.upper = model_argument(model, upper, what);
    if (row.lower == 0 || row.body == 0 || row.upper == 0)
        return;
    if (!model_room(model, &model->rows, &model->row_capacity, model->row_count, sizeof row))
        return;
    row.name = model_name(model, name, NAME_ROW, model->row_count);
    if (row.name)
        model->rows[model->row_count++] = row;
}

/* One row of the next block; the first has its name. Indices extend a name, "lmi" to "lmi[2,1]" and "lmi[3]" to "lmi[3,2,1]". */
__attribute__((format(printf, 4, 5))) static void add_to_block(hn_model *model, const char *name, hn_expr body,
                                                               const char *indices, ...) {
    char index[48], text[256];
    size_t length = strlen(name);
    bool indexed = length > 0 && name[length - 1] == ']';
    va_list arguments;
    va_start(arguments, indices);
    vsnprintf(index, sizeof index, indices, arguments);
    va_end(arguments);
    int written = snprintf(text, sizeof text, "%.*s%c%s]", (int)(length - indexed), name, indexed ? ',' : '[', index);
    if (written < 0 || (size_t)written >= sizeof text)
        model_fail(model, HN_LIMIT, name, "constraint %s: the name of a block has at most %zu characters", name,
                   sizeof text - sizeof index);
    hn_expr least = hn_constant(model, -INFINITY), most = hn_constant(model, INFINITY);
    hn_constrain_between(model, index[0] ? text : name, least, body, most);
    if (model->error.status == HN_OK)
        model->rows[model->row_count - 1].block = (uint32_t)model->block_count + 1;
}

/* Whether a block with so many rows or columns may be added. */
static bool may_add_block(hn_model *model, const char *name, const void *list, size_t order, size_t most) {
    const char *what = name && *name ? name : "a set";
    if (model_refuses(model, what))
        return false;
    if (!name || !*name)
        model_fail(model, HN_INVALID, NULL, "constraint %zu: name is NULL or empty", model->row_count);
    else if (!list)
        model_fail(model, HN_INVALID, what, "constraint %s: the list of expressions is NULL", what);
    else if (order == 0 || order > most)
        model_fail(model, HN_INVALID, what, "constraint %s: %zu is not a size from 1 to %zu", what, order, most);
    else
        model_room(model, &model->blocks, &model->block_capacity, model->block_count, sizeof *model->blocks);
    return model->error.status == HN_OK;
}

static void end_block(hn_model *model, hn_set set, size_t order, size_t first) {
    if (model->error.status == HN_OK)
        model->blocks[model->block_count++] =
            (struct model_block){model->rows[first].name, set, (uint32_t)order, first};
}

void hn_constrain_psd(hn_model *model, const char *name, size_t order, const hn_expr *lower) {
    if (!may_add_block(model, name, lower, order, HN_SET_ORDER))
        return;
    size_t first = model->row_count;
    for (size_t i = 1; i <= order; i++)
        for (size_t j = 1; j <= i; j++)
            if (i == 1)
                add_to_block(model, name, *lower++, "%s", "");
            else
                add_to_block(model, name, *lower++, "%zu,%zu", i, j);
    end_block(model, HN_SET_PSD, order, first);
}

void hn_constrain_soc(hn_model *model, const char *name, hn_expr t, size_t count, const hn_expr *u) {
    if (!may_add_block(model, name, u, count, HN_SET_CONE))
        return;
    size_t first = model->row_count;
    add_to_block(model, name, t, "%s", "");
    for (size_t j = 1; j <= count; j++)
        add_to_block(model, name, u[j - 1], "%zu", j);
    end_block(model, HN_SET_SOC, count + 1, first);
}

hn_status model_without_blocks(const hn_model *model, const char *what, hn_error *error) {
    if (model->block_count == 0)
        return HN_OK;
    const char *name = model->blocks[0].name;
    return error_about(error, HN_UNSUPPORTED, error_part(name), "constraint %s: %s not support sets of rows (psd, soc)",
                       name, what);
}

static void set_objective(hn_model *model, const char *name, hn_expr objective, bool maximize) {
    const char *what = name ? name : "objective";
    if (model_refuses(model, what))
        return;
    if (model->objective.value != 0) {
        model_fail(model, HN_INVALID, what, "objective %s: the model already has an objective, %s", what,
                   model->objective.name);
        return;
    }
    uint32_t node = model_argument(model, objective, what);
    const char *copy = node != 0 ? model_name(model, name, NAME_OBJECTIVE, 0) : NULL;
    if (!copy)
        return;
    uint32_t value = maximize ? graph_neg(&model->graph, node) : node;
    model_note_graph(model, what);
    model->objective = (struct model_named){copy, value};
    model->maximize = maximize;
}

void hn_minimize(hn_model *model, const char *name, hn_expr objective) {
    set_objective(model, name, objective, false);
}

void hn_maximize(hn_model *model, const char *name, hn_expr objective) {
    set_objective(model, name, objective, true);
}

void hn_require(hn_model *model, const char *name, hn_expr condition) {
    const char *what = name ? name : "hn_require";
    if (model_refuses(model, what))
        return;
    uint32_t node = model_argument(model, condition, what);
    if (node == 0 || !model_room(model, &model->requirements, &model->requirement_capacity, model->requirement_count,
                                 sizeof *model->requirements))
        return;
    const char *copy = model_name(model, name, NAME_REQUIREMENT, model->requirement_count);
    if (copy)
        model->requirements[model->requirement_count++] = (struct model_named){copy, node};
}

/* ---- finishing ---- */

static bool is_infinite(const hn_model *model, uint32_t node, double sign) {
    return graph_is_number(&model->graph, node, sign * INFINITY);
}

/* Infeasible constant bounds are an error here; those that depend on x are reported per sample. */
static void check_bounds(hn_model *model, const char *kind, const char *name, uint32_t lower, uint32_t upper) {
    double low, high;
    bool low_known = graph_is_constant(&model->graph, lower, &low);
    bool high_known = graph_is_constant(&model->graph, upper, &high);
    if ((low_known && isnan(low)) || (high_known && isnan(high)))
        model_fail(model, HN_INVALID, name, "%s %s: a bound is NaN", kind, name);
    else if (is_infinite(model, lower, 1) || is_infinite(model, upper, -1))
        model_fail(model, HN_INVALID, name, "%s %s: a bound is infinite on the wrong side", kind, name);
    else if (low_known && high_known && low > high)
        model_fail(model, HN_INVALID, name, "%s %s: lower bound %s exceeds upper bound %s", kind, name,
                   error_number(low).text, error_number(high).text);
}

/* A fixed constant has no row, so its bounds are checked here, with the default tolerance of a row. */
static void check_fixed(hn_model *model, const struct model_output *output) {
    static const double tolerance = 1e-8;
    const uint32_t bounds[] = {output->lower, output->upper};
    double value, bound;
    if (!graph_is_constant(&model->graph, output->fixed, &value))
        return;
    for (size_t side = 0; side < 2; side++)
        if (graph_is_constant(&model->graph, bounds[side], &bound) &&
            (side ? value - bound : bound - value) > tolerance * fmax(1, fabs(bound)))
            model_fail(model, HN_INVALID, output->name, "output %s: fixed at %s, %s its %s bound %s", output->name,
                       error_number(value).text, side ? "above" : "below", side ? "upper" : "lower",
                       error_number(bound).text);
}

static void check_free_of_outputs(hn_model *model, const uint8_t *spaces, uint32_t node, const char *kind,
                                  const char *name, const char *part) {
    if (spaces[node] >> SPACE_Y & 1u)
        model_fail(model, HN_INVALID, name, "%s %s: the %s depends on outputs", kind, name, part);
}

static void check_parts(hn_model *model, const uint8_t *spaces) {
    for (size_t i = 0; i < model->row_count; i++) {
        const struct model_row *row = &model->rows[i];
        check_bounds(model, "constraint", row->name, row->lower, row->upper);
        check_free_of_outputs(model, spaces, row->lower, "constraint", row->name, "lower bound");
        check_free_of_outputs(model, spaces, row->upper, "constraint", row->name, "upper bound");
    }
    for (size_t i = 0; i < model->output_count; i++) {
        const struct model_output *output = &model->outputs[i];
        check_bounds(model, "output", output->name, output->lower, output->upper);
        check_free_of_outputs(model, spaces, output->lower, "output", output->name, "lower bound");
        check_free_of_outputs(model, spaces, output->upper, "output", output->name, "upper bound");
        check_free_of_outputs(model, spaces, output->start, "output", output->name, "start");
        check_free_of_outputs(model, spaces, output->fixed, "output", output->name, "fixed value");
        check_fixed(model, output);
    }
    for (size_t i = 0; i < model->definition_count; i++)
        if (model->definitions[i].value == 0)
            model_fail(model, HN_INVALID, model->definitions[i].name, "definition %s: used but never defined",
                       model->definitions[i].name);
    for (size_t i = 0; i < model->requirement_count; i++)
        check_free_of_outputs(model, spaces, model->requirements[i].value, "requirement", model->requirements[i].name,
                              "condition");
}

/* Every node referenced by the model; the list comes from base_allocate, NULL when out of memory. */
static uint32_t *all_roots(const hn_model *model, size_t *count) {
    size_t most =
        3 * model->row_count + 5 * model->output_count + model->definition_count + model->requirement_count + 1;
    uint32_t *roots = base_allocate(most * sizeof *roots);
    size_t n = 0;
    if (!roots)
        return NULL;
    for (size_t i = 0; i < model->row_count; i++) {
        roots[n++] = model->rows[i].lower;
        roots[n++] = model->rows[i].body;
        roots[n++] = model->rows[i].upper;
    }
    for (size_t i = 0; i < model->output_count; i++) {
        const struct model_output *output = &model->outputs[i];
        const uint32_t nodes[] = {output->node, output->lower, output->upper, output->start, output->fixed};
        for (size_t j = 0; j < sizeof nodes / sizeof nodes[0]; j++)
            roots[n++] = nodes[j];
    }
    for (size_t i = 0; i < model->definition_count; i++)
        roots[n++] = model->definitions[i].value;
    for (size_t i = 0; i < model->requirement_count; i++)
        roots[n++] = model->requirements[i].value;
    roots[n++] = model->objective.value;
    *count = n;
    return roots;
}

/* spaces[node]: the spaces a node depends on, following references. A fixed output counts as an output. */
static void resolve_spaces(const hn_model *model, const uint32_t *order, size_t count, uint8_t *spaces) {
    const struct graph *g = &model->graph;
    memset(spaces, 0, g->count);
    for (size_t i = 0; i < count; i++) {
        const struct node *node = &g->nodes[order[i]];
        const uint32_t *arguments;
        size_t argument_count = graph_arguments(g, order[i], &arguments);
        uint8_t found = node->op == OP_LEAF ? node->spaces : 0;
        if (node->op == OP_REFERENCE)
            found = spaces[model->definitions[node->a].value];
        for (size_t j = 0; j < argument_count; j++)
            found |= spaces[arguments[j]];
        spaces[order[i]] = found;
    }
}

static void check_model(hn_model *model) {
    uint32_t *order = NULL;
    size_t root_count = 0, count = 0;
    hn_error error = {.status = HN_OK};
    uint32_t *roots = all_roots(model, &root_count);
    uint8_t *spaces = base_allocate(model->graph.count);
    if (!roots || !spaces) {
        model_fail(model, HN_NO_MEMORY, "model", "model: out of memory");
    } else if (model_order(model, roots, root_count, &order, &count, &error) != HN_OK) {
        model->error = error;
    } else {
        resolve_spaces(model, order, count, spaces);
        check_parts(model, spaces);
    }
    base_release(order);
    base_release(roots);
    base_release(spaces);
}

/* The group of a row, the part of its name before '['; created if it is new. */
static bool find_group(hn_model *model, const char *name, uint32_t *group) {
    size_t length = strcspn(name, "[");
    const uint32_t *known = names_find(&model->group_names, name, length);
    if (known) {
        *group = *known;
        return true;
    }
    if (!model_room(model, &model->groups, &model->group_capacity, model->group_count, sizeof *model->groups))
        return false;
    char *copy = arena_copy_text(&model->texts, name, length);
    if (!copy || !names_add(&model->group_names, copy, length, (uint32_t)model->group_count)) {
        model_fail(model, HN_NO_MEMORY, name, "constraint %s: out of memory", name);
        return false;
    }
    *group = (uint32_t)model->group_count;
    model->groups[model->group_count++] = (struct model_group){copy, 0, 0};
    return true;
}

/* Whether an output gets a row for its bounds. A fixed constant within constant bounds does not; if a bound depends on
 * x it is checked per sample. */
static bool has_row(const hn_model *model, const struct model_output *output) {
    const struct graph *g = &model->graph;
    return output->fixed == 0 || !graph_is_constant(g, output->fixed, NULL) ||
           !graph_is_constant(g, output->lower, NULL) || !graph_is_constant(g, output->upper, NULL);
}

/* All rows: constraints, then bounds of outputs, without those that have no finite bound and are in no block. */
static size_t collect_rows(const hn_model *model, struct model_row *rows) {
    size_t n = 0;
    for (size_t i = 0; i < model->row_count; i++)
        rows[n++] = model->rows[i];
    for (size_t i = 0; i < model->output_count; i++) {
        const struct model_output *output = &model->outputs[i];
        if (has_row(model, output))
            rows[n++] = (struct model_row){output->name, 0, output->lower, output->node, output->upper, 0};
    }
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (rows[i].block > 0 || !is_infinite(model, rows[i].lower, -1) || !is_infinite(model, rows[i].upper, 1))
            rows[kept++] = rows[i];
    return kept;
}

/* Sorts rows by group, stably, into the model's list. */
static void place_rows(hn_model *model, const struct model_row *rows, size_t count) {
    size_t first = 0;
    for (size_t i = 0; i < count; i++)
        model->groups[rows[i].group].count++;
    for (size_t i = 0; i < model->group_count; i++) {
        model->groups[i].first = first;
        first += model->groups[i].count;
        model->groups[i].count = 0;
    }
    for (size_t i = 0; i < count; i++) {
        struct model_group *group = &model->groups[rows[i].group];
        model->rows[group->first + group->count++] = rows[i];
    }
    model->row_count = count;
    for (size_t i = count; i-- > 0;)
        if (model->rows[i].block > 0)
            model->blocks[model->rows[i].block - 1].first = i;
}

static void number_rows(hn_model *model) {
    size_t most = model->row_count + model->output_count;
    struct model_row *rows = base_allocate(most * sizeof *rows);
    bool ready = rows && array_room(&model->rows, &model->row_capacity, most, sizeof *rows);
    if (!ready)
        model_fail(model, HN_NO_MEMORY, "model", "model: out of memory");
    size_t count = ready ? collect_rows(model, rows) : 0;
    for (size_t i = 0; ready && i < count; i++)
        ready = find_group(model, rows[i].name, &rows[i].group);
    if (ready)
        place_rows(model, rows, count);
    base_release(rows);
}

hn_status hn_model_finish(hn_model *model, hn_error *error) {
    if (model && !model->finished && model->error.status == HN_OK) {
        hn_error arithmetic;
        if (model->output_count == 0)
            model_fail(model, HN_INVALID, NULL, "model: no outputs");
        else if (arithmetic_check(&arithmetic) != HN_OK)
            model_fail(model, HN_UNSUPPORTED, NULL, "%s", arithmetic.text);
        else
            check_model(model);
        if (model->error.status == HN_OK)
            number_rows(model);
        model->finished = model->error.status == HN_OK;
    }
    return hn_model_status(model, error);
}
