/* split_lines.c - see split.h: a tree of comparisons as a piecewise linear function of one direction.
 *
 * Conditions and branches are sums of terms, coefficient times atom (any node that is not a sum). With s the direction
 * of the first condition, without its constant, every condition is m s + d < 0 and every branch differs from the first
 * one by k s + c: breakpoints, slopes and values of a function of s, which is convex if it is continuous and its slopes
 * do not decrease. << >> of model files has this form, and so has `if y < 0 then -y else y`.
 *
 * SPDX-License-Identifier: MIT */
#include "autodiff/split.h"

#include <math.h>

enum { MOST_TERMS = 128, MOST_LINES = 128, MOST_DEPTH = 64 };

static const double ROUNDING = 1e-12; /* relative, for coefficients and for values at breakpoints */

struct form {
    uint32_t atom[MOST_TERMS];
    double factor[MOST_TERMS], constant;
    size_t count;
    bool full; /* has more than MOST_TERMS terms */
};

static void add_atom(struct form *f, uint32_t atom, double factor) {
    size_t i = 0;
    while (i < f->count && f->atom[i] != atom)
        i++;
    if (i == MOST_TERMS) {
        f->full = true;
        return;
    }
    if (i == f->count) {
        f->atom[f->count++] = atom;
        f->factor[i] = 0;
    }
    f->factor[i] += factor;
}

/* f += scale * node */
// NOLINTNEXTLINE(misc-no-recursion): depth limited by MOST_DEPTH
static void add_node(const struct graph *g, uint32_t u, double scale, int depth, struct form *f) {
    const struct node *n = &g->nodes[u];
    double number;
    if (graph_is_constant(g, u, &number))
        f->constant += scale * number;
    else if (depth == 0)       /* a node below the depth limit is an atom, as any other operator is */
        add_atom(f, u, scale); // NOLINT(bugprone-branch-clone)
    else if (n->op == OP_ADD || n->op == OP_SUB) {
        add_node(g, n->a, scale, depth - 1, f);
        add_node(g, n->b, n->op == OP_ADD ? scale : -scale, depth - 1, f);
    } else if (n->op == OP_NEG)
        add_node(g, n->a, -scale, depth - 1, f);
    else if (n->op == OP_MUL && graph_is_constant(g, n->a, &number))
        add_node(g, n->b, scale * number, depth - 1, f);
    else if (n->op == OP_MUL && graph_is_constant(g, n->b, &number))
        add_node(g, n->a, scale * number, depth - 1, f);
    else if (n->op == OP_DIV && graph_is_constant(g, n->b, &number))
        add_node(g, n->a, scale / number, depth - 1, f);
    else if (n->op == OP_SUM || n->op == OP_LINEAR)
        for (uint32_t i = 0; i < n->b; i++) {
            bool sum = n->op == OP_SUM;
            double factor = sum ? scale : scale * g->numbers[n->a + i];
            add_node(g, g->arguments[(sum ? n->a : n->c) + i], factor, depth - 1, f);
        }
    else
        add_atom(f, u, scale);
}

static double factor_of(const struct form *f, uint32_t atom) {
    for (size_t i = 0; i < f->count; i++)
        if (f->atom[i] == atom)
            return f->factor[i];
    return 0;
}

/* Whether f is m times the direction, apart from its constant. */
static bool is_along(const struct form *f, const struct form *direction, double *m) {
    size_t most = 0;
    for (size_t i = 1; i < direction->count; i++)
        if (fabs(direction->factor[i]) > fabs(direction->factor[most]))
            most = i;
    if (f->full || direction->full || direction->count == 0 || direction->factor[most] == 0)
        return false;
    *m = factor_of(f, direction->atom[most]) / direction->factor[most];
    for (size_t i = 0; i < f->count; i++) {
        double wanted = *m * factor_of(direction, f->atom[i]);
        if (!(fabs(f->factor[i] - wanted) <= ROUNDING * (fabs(wanted) + fabs(*m * direction->factor[most]))))
            return false;
    }
    for (size_t i = 0; i < direction->count; i++)
        if (factor_of(f, direction->atom[i]) == 0 && *m * direction->factor[i] != 0)
            return false;
    return true;
}

/* ---- the tree ---- */

struct tree {
    const struct graph *g;
    struct form direction;
    uint32_t first; /* the first line */
    uint32_t line[MOST_LINES];
    double slope[MOST_LINES], value[MOST_LINES]; /* of the lines minus the first one: slope s + value */
    double breakpoint[MOST_LINES];               /* between line i and the next */
    size_t count, breaks;
};

static bool is_choice(const struct graph *g, uint32_t u) {
    if (g->nodes[u].op != OP_IF)
        return false;
    enum op op = (enum op)g->nodes[g->nodes[u].a].op;
    return op == OP_LESS || op == OP_LESS_EQUAL;
}

/* a - b for the condition a < b. */
static struct form condition_of(const struct graph *g, uint32_t u) {
    const struct node *less = &g->nodes[g->nodes[u].a];
    struct form f = {.count = 0};
    add_node(g, less->a, 1, MOST_DEPTH, &f);
    add_node(g, less->b, -1, MOST_DEPTH, &f);
    return f;
}

static bool add_line(struct tree *t, uint32_t u) {
    struct form f = {.count = 0};
    double slope;
    if (t->count == MOST_LINES)
        return false;
    if (t->count == 0)
        t->first = u;
    add_node(t->g, u, 1, MOST_DEPTH, &f);
    add_node(t->g, t->first, -1, MOST_DEPTH, &f);
    if (!is_along(&f, &t->direction, &slope))
        return false;
    t->line[t->count] = u;
    t->slope[t->count] = slope;
    t->value[t->count++] = f.constant;
    return true;
}

/* Lines from left to right. */
// NOLINTNEXTLINE(misc-no-recursion): depth limited by MOST_DEPTH
static bool walk_tree(struct tree *t, uint32_t u, int depth) {
    const struct node *n = &t->g->nodes[u];
    double m;
    if (!is_choice(t->g, u))
        return add_line(t, u);
    const struct form condition = condition_of(t->g, u);
    if (depth == 0 || !is_along(&condition, &t->direction, &m) || m == 0)
        return false;
    if (!walk_tree(t, m > 0 ? n->b : n->c, depth - 1) || t->breaks + 1 != t->count)
        return false;
    t->breakpoint[t->breaks++] = -condition.constant / m;
    return walk_tree(t, m > 0 ? n->c : n->b, depth - 1);
}

static bool bends(const struct tree *t, int use) {
    for (size_t i = 0; i + 1 < t->count; i++) {
        double at = t->breakpoint[i], left = t->slope[i] * at + t->value[i],
               right = t->slope[i + 1] * at + t->value[i + 1];
        double size = fabs(t->slope[i] * at) + fabs(t->value[i]) + fabs(t->slope[i + 1] * at) + fabs(t->value[i + 1]);
        bool ascends = i == 0 || t->breakpoint[i - 1] <= at;
        bool right_way = use == USE_UP ? t->slope[i] <= t->slope[i + 1] : t->slope[i] >= t->slope[i + 1];
        if (!(fabs(left - right) <= ROUNDING * size) || !ascends || !right_way)
            return false;
    }
    return true;
}

size_t split_find_lines(const struct graph *g, uint32_t u, int use, uint32_t *lines, size_t most) {
    struct tree t = {.g = g};
    if (!is_choice(g, u))
        return 0;
    t.direction = condition_of(g, u);
    t.direction.constant = 0;
    if (!walk_tree(&t, u, MOST_DEPTH) || t.count > most || !bends(&t, use))
        return 0;
    for (size_t i = 0; i < t.count; i++)
        lines[i] = t.line[i];
    return t.count;
}
