/* check_blame.c - where a value stops being finite: log(-0.5), 1 / 0, exp(800). See check.h.
 *
 * All nodes below the guilty one are evaluated; since arguments have smaller numbers than what they are used in, the first
 * in ascending order that is not finite is where it begins.
 *
 * SPDX-License-Identifier: MIT */
#include "check/check.h"
#include "check/runner.h"

#include <math.h>
#include <string.h>

/* The nodes below and including the root, ascending; 0 when memory is out. */
static size_t list_below(struct check *check, uint32_t root, uint32_t **list) {
    const struct graph *g = &check->problem.graph;
    unsigned char *seen = arena_take(&check->arena, (size_t)root + 1, 1);
    size_t count = 0;
    if (!seen)
        return 0;
    memset(seen, 0, (size_t)root + 1);
    seen[root] = 1;
    for (uint32_t node = root; node > 0; node--) {
        const uint32_t *arguments;
        size_t number = seen[node] ? graph_arguments(g, node, &arguments) : 0;
        for (size_t i = 0; i < number; i++)
            seen[arguments[i]] = 1;
        count += seen[node];
    }
    uint32_t *nodes = arena_take(&check->arena, count, sizeof *nodes);
    size_t filled = 0;
    for (uint32_t node = 1; nodes && node <= root; node++)
        if (seen[node])
            nodes[filled++] = node;
    *list = nodes;
    return filled;
}

static double value_of(const struct runner *runner, const uint32_t *nodes, size_t count, uint32_t node) {
    for (size_t i = 0; i < count; i++)
        if (nodes[i] == node)
            return runner_output(runner, i)[0];
    return NAN;
}

static const char *describe(struct check *check, const struct runner *runner, const uint32_t *nodes, size_t count,
                            size_t guilty) {
    const uint32_t *list;
    enum op op = (enum op)check->problem.graph.nodes[nodes[guilty]].op;
    size_t arguments = graph_arguments(&check->problem.graph, nodes[guilty], &list);
    double result = runner_output(runner, guilty)[0], a, b;
    const char *is = isnan(result) ? "is not a number" : "overflows";
    if (op == OP_LEAF)
        return "the point itself is not finite";
    if (arguments == 0 || arguments > 2 || op == OP_SUM)
        return check_format(check, "%s %s", op == OP_SUM ? "a sum" : operator_text(op), is);
    a = value_of(runner, nodes, count, list[0]);
    b = arguments > 1 ? value_of(runner, nodes, count, list[1]) : 0;
    if (op == OP_DIV)
        return check_format(check, "%g / %g %s", a, b, b == 0 ? "divides by zero" : is);
    if (op == OP_POW)
        return check_format(check, "%g ^ %g %s", a, b, is);
    if (arguments == 1)
        return check_format(check, "%s(%g) %s", operator_text(op), a, is);
    return check_format(check, "%s(%g, %g) %s", operator_text(op), a, b, is);
}

static bool is_guilty(const struct check *check, uint32_t node, double value) {
    return !isfinite(value) && !graph_is_constant(&check->problem.graph, node, NULL);
}

const char *check_blame(struct check *check, uint32_t node, size_t point) {
    uint32_t *nodes = NULL;
    struct program *program = NULL;
    struct runner runner = {.program = NULL};
    const char *text = NULL;
    size_t count = list_below(check, node, &nodes);
    if (count == 0 || check_compile(&program, check, nodes, count, NULL) != HN_OK ||
        runner_create(&runner, program, NULL) != HN_OK) {
        check->starved = true;
    } else {
        runner_fill_lane(&runner, SPACE_X, check->x + point * check->inputs, 0);
        runner_fill_lane(&runner, SPACE_Y, check->y + point * check->columns, 0);
        runner_run(&runner, 0);
        for (size_t i = 0; i < count && !text; i++)
            if (is_guilty(check, nodes[i], runner_output(&runner, i)[0]))
                text = describe(check, &runner, nodes, count, i);
    }
    runner_release(&runner);
    program_destroy(program);
    return text;
}
