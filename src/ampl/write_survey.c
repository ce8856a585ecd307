/* write_survey.c - see write.h: counts the uses of each expression, and selects those with separate statements.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/write.h"

#include "base/arena.h"
#include "base/memory.h"
#include "base/size.h"

#include <math.h>
#include <string.h>

enum { MOST_HEIGHT = 30 }; /* nesting depth; the reader counts up to four levels for each */

/* ---- classification of expressions ---- */

hn_expr write_resolve(hn_expr expr, hn_expr_info *info) {
    info->size = sizeof *info;
    hn_expr_get_info(expr, info, NULL);
    while (info->op == HN_OPERATOR_DEFINED) {
        expr = hn_model_definition(expr.model, info->index).value;
        hn_expr_get_info(expr, info, NULL);
    }
    return expr;
}

static hn_expr argument(hn_expr expr, size_t index, hn_expr_info *info) {
    return write_resolve(hn_expr_argument(expr, index), info);
}

bool write_is_condition(hn_operator op) {
    return op >= HN_OPERATOR_LESS && op <= HN_OPERATOR_NOT;
}

bool write_is_sum(hn_operator op) {
    return op == HN_OPERATOR_SUM || op == HN_OPERATOR_LINEAR || op == HN_OPERATOR_ADD || op == HN_OPERATOR_SUB;
}

bool write_is_square(hn_expr expr, const hn_expr_info *info) {
    return info->op == HN_OPERATOR_MUL && hn_expr_argument(expr, 0).node == hn_expr_argument(expr, 1).node;
}

bool write_is_product(hn_expr expr, const hn_expr_info *info) {
    return info->op == HN_OPERATOR_DIV || (info->op == HN_OPERATOR_MUL && !write_is_square(expr, info));
}

bool write_is_inline(const struct writer *writer, hn_expr expr) {
    const struct write_node *node = &writer->nodes[expr.node];
    return !(node->flags & WRITE_APART) && node->definition == 0;
}

static bool is_leaf(hn_operator op) {
    return op == HN_OPERATOR_CONSTANT || op == HN_OPERATOR_INPUT || op == HN_OPERATOR_OUTPUT;
}

/* Short expressions are never written separately: a leaf, or one arithmetic operation on leaves. */
bool write_is_short(hn_expr expr, const hn_expr_info *info) {
    hn_expr_info part;
    if (info->op < HN_OPERATOR_ADD || info->op > HN_OPERATOR_NEG)
        return is_leaf(info->op);
    for (size_t i = 0; i < info->count; i++) {
        argument(expr, i, &part);
        if (!is_leaf(part.op))
            return false;
    }
    return true;
}

/* ---- left and right ---- */

size_t write_left(hn_expr expr, const hn_expr_info *info) {
    hn_expr_info first, second;
    if (info->op != HN_OPERATOR_ADD && info->op != HN_OPERATOR_MUL)
        return 0;
    argument(expr, 0, &first);
    argument(expr, 1, &second);
    return (info->op == HN_OPERATOR_ADD ? first : second).op == HN_OPERATOR_CONSTANT;
}

/* ---- counting ---- */

static bool is_logical_argument(hn_operator op, size_t index) {
    return op == HN_OPERATOR_AND || op == HN_OPERATOR_OR || op == HN_OPERATOR_NOT ||
           (op == HN_OPERATOR_IF && index == 0);
}

static void use(struct writer *writer, hn_expr expr, const hn_expr_info *info, bool condition) {
    struct write_node *node = &writer->nodes[expr.node];
    node->uses += node->uses < UINT32_MAX;
    if (!condition && write_is_condition(info->op))
        node->flags |= WRITE_NUMBER;
}

/* Numbers that the language cannot express. */
static void check_number(struct writer *writer, hn_operator above, size_t index, const hn_expr_info *info) {
    if (info->op != HN_OPERATOR_CONSTANT)
        return;
    if (isnan(info->value))
        write_fail(writer, HN_UNSUPPORTED, "%s: contains NaN, which a model text cannot express", writer->about);
    if (above == HN_OPERATOR_DIV && index == 1 && info->value == 0)
        write_fail(writer, HN_UNSUPPORTED, "%s: divides by the constant 0, which a model text cannot express",
                   writer->about);
}

/* Updates the uses of its arguments, and inherits their dependences. */
static void count_node(struct writer *writer, hn_expr expr, const hn_expr_info *info) {
    struct write_node *node = &writer->nodes[expr.node];
    size_t count = write_is_square(expr, info) ? 1 : info->count;
    node->flags |= info->op == HN_OPERATOR_INPUT ? WRITE_INPUTS : info->op == HN_OPERATOR_OUTPUT ? WRITE_OUTPUTS : 0;
    for (size_t i = 0; i < count; i++) {
        hn_expr_info part;
        hn_expr from = argument(expr, i, &part);
        use(writer, from, &part, is_logical_argument(info->op, i));
        node->flags |= writer->nodes[from.node].flags & (WRITE_INPUTS | WRITE_OUTPUTS);
        check_number(writer, info->op, i, &part);
    }
    writer->order[writer->order_count++] = expr.node;
}

static void open_node(struct writer *writer, hn_expr expr) {
    writer->nodes[expr.node].flags |= WRITE_SEEN;
    writer->stack[writer->depth] = expr.node;
    writer->next[writer->depth++] = 0;
}

/* Visits all new nodes below the expression in topological order, with an explicit stack. */
static void visit_below(struct writer *writer, hn_expr root) {
    hn_expr_info info, part;
    if (writer->nodes[root.node].flags & WRITE_SEEN)
        return;
    open_node(writer, root);
    while (writer->depth > 0) {
        hn_expr expr = {root.model, writer->stack[writer->depth - 1]};
        uint32_t taken = writer->next[writer->depth - 1]++;
        write_resolve(expr, &info);
        if (taken == info.count) {
            writer->depth--;
            count_node(writer, expr, &info);
            continue;
        }
        hn_expr below = argument(expr, taken, &part);
        if (!(writer->nodes[below.node].flags & WRITE_SEEN))
            open_node(writer, below);
    }
}

/* ---- separate statements ---- */

/* The nesting depth of an expression's text; a sum or product on the left needs no parentheses. */
static unsigned height_of(const struct writer *writer, hn_expr expr, const hn_expr_info *info) {
    size_t left = write_left(expr, info);
    bool product = write_is_product(expr, info);
    unsigned height = 0;
    for (size_t i = 0; i < info->count; i++) {
        hn_expr_info part;
        hn_expr below = argument(expr, i, &part);
        bool factor = hn_expr_coefficient(expr, i) != 1;
        bool goes_on =
            i == left && !factor &&
            ((write_is_sum(info->op) && write_is_sum(part.op)) || (product && write_is_product(below, &part)));
        unsigned own = write_is_inline(writer, below) ? writer->nodes[below.node].height : 0;
        own += factor ? 2 : !goes_on; /* a term, and a factor of it */
        height = own > height ? own : height;
    }
    return height;
}

/* 0*a and a - a with a possibly infinite are values without a sign: -(0*a) is (-0)*a, and -(a - a) is a - a. */
static bool is_signless(hn_expr expr) {
    hn_expr_info info, first, second;
    expr = write_resolve(expr, &info);
    hn_expr a = argument(expr, 0, &first), b = argument(expr, 1, &second);
    if (info.op == HN_OPERATOR_SUB)
        return a.node == b.node;
    return info.op == HN_OPERATOR_MUL && ((first.op == HN_OPERATOR_CONSTANT && first.value == 0) ||
                                          (second.op == HN_OPERATOR_CONSTANT && second.value == 0));
}

/* factor * rest. */
static hn_expr split_factor(hn_expr expr, double *factor) {
    hn_expr_info info, part;
    expr = write_resolve(expr, &info);
    *factor = 1;
    for (size_t i = 0; i < 2 && info.op == HN_OPERATOR_MUL; i++) {
        argument(expr, i, &part);
        if (part.op != HN_OPERATOR_CONSTANT)
            continue;
        *factor = part.value;
        return argument(expr, 1 - i, &part);
    }
    *factor = info.op == HN_OPERATOR_NEG ? -1 : 1;
    return info.op == HN_OPERATOR_NEG ? argument(expr, 0, &part) : expr;
}

/* Whether a = -b, so that a - b = a + (-b) would become 2*a. */
static bool are_opposite(hn_expr a, hn_expr b) {
    hn_expr_info p, q, part;
    double factor, other;
    hn_expr rest = split_factor(a, &factor), rest_b = split_factor(b, &other);
    a = write_resolve(a, &p);
    b = write_resolve(b, &q);
    if (p.op == HN_OPERATOR_SUB && q.op == HN_OPERATOR_SUB)
        return argument(a, 0, &part).node == argument(b, 1, &part).node &&
               argument(a, 1, &part).node == argument(b, 0, &part).node;
    return rest.node == rest_b.node && factor == -other;
}

/* The reader converts a - b to a + (-b). If that would lose a sign or yield 2*a, the difference gets a separate
 * statement, which preserves it. */
static bool is_delicate(hn_expr expr, const hn_expr_info *info) {
    if (info->op != HN_OPERATOR_SUB)
        return false;
    hn_expr a = hn_expr_argument(expr, 0), b = hn_expr_argument(expr, 1);
    return is_signless(b) || are_opposite(a, b);
}

/* The reader also distributes a minus over the leftmost sum of a sum: that sum gets a separate statement. */
static void guard_left(struct writer *writer, hn_expr expr, const hn_expr_info *info) {
    hn_expr_info left, below;
    if (!write_is_sum(info->op))
        return;
    hn_expr first = argument(expr, write_left(expr, info), &left);
    hn_expr inside = argument(first, 0, &below);
    if (left.op == HN_OPERATOR_NEG && write_is_inline(writer, first) && write_is_sum(below.op) &&
        write_is_inline(writer, inside))
        writer->nodes[inside.node].flags |= WRITE_APART;
    if (hn_expr_coefficient(expr, 0) == -1 && write_is_sum(left.op) && write_is_inline(writer, first))
        writer->nodes[first.node].flags |= WRITE_APART;
}

static void decide(struct writer *writer, hn_expr expr) {
    struct write_node *node = &writer->nodes[expr.node];
    hn_expr_info info;
    write_resolve(expr, &info);
    guard_left(writer, expr, &info);
    unsigned height = height_of(writer, expr, &info);
    if (is_delicate(expr, &info)) {
        node->flags |= WRITE_EXACT;
        node->definition = 0;
    }
    bool apart = (node->uses > 1 && !write_is_short(expr, &info)) || node->flags & WRITE_NUMBER ||
                 height > MOST_HEIGHT || node->flags & WRITE_EXACT;
    if (node->definition == 0 && apart)
        node->flags |= WRITE_APART;
    node->height = (uint8_t)height;
}

void write_survey_end(struct writer *writer) {
    for (size_t i = 0; i < writer->order_count; i++)
        decide(writer, (hn_expr){(hn_model *)writer->model, writer->order[i]});
    writer->surveying = false;
}

bool write_survey_start(struct writer *writer) {
    size_t count = hn_model_node_count(writer->model) + 1, bytes = size_product(count, sizeof *writer->nodes);
    writer->surveying = true;
    writer->nodes = base_allocate(bytes);
    writer->order = base_allocate(size_product(count, sizeof *writer->order));
    writer->stack = base_allocate(size_product(count, sizeof *writer->stack));
    writer->next = base_allocate(size_product(count, sizeof *writer->next));
    if (writer->nodes)
        memset(writer->nodes, 0, bytes);
    return writer->nodes && writer->order && writer->stack && writer->next;
}

/* ---- dependencies of a statement ---- */

static void survey(struct writer *writer, hn_expr expr, bool condition) {
    hn_expr_info info;
    expr = write_resolve(expr, &info);
    visit_below(writer, expr);
    use(writer, expr, &info, condition);
    check_number(writer, HN_OPERATOR_NONE, 0, &info);
    if (array_room(&writer->ends, &writer->end_capacity, writer->end_count + 1, sizeof *writer->ends))
        writer->ends[writer->end_count++] = writer->order_count;
    else
        write_no_memory(writer);
}

static void write_apart(struct writer *writer, hn_expr expr) {
    struct write_node *node = &writer->nodes[expr.node];
    node->number = ++writer->apart_count;
    write_put(writer, node->flags & WRITE_OUTPUTS ? "var $" : "param $");
    write_size(writer, node->number);
    write_put(writer, " = ");
    write_body(writer, expr);
    write_put(writer, ";\n");
}

void write_need(struct writer *writer, hn_expr expr, bool condition) {
    if (writer->status != HN_OK)
        return;
    if (writer->surveying) {
        survey(writer, expr, condition);
        return;
    }
    size_t end = writer->ends[writer->end_next++];
    for (; writer->written < end; writer->written++) {
        uint32_t number = writer->order[writer->written];
        if (writer->nodes[number].flags & WRITE_APART)
            write_apart(writer, (hn_expr){(hn_model *)writer->model, number});
    }
}
