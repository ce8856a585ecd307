/* write_expression.c - see write.h: the text of one expression, with the parentheses that its evaluation order
 * requires.
 *
 * The text reads back to the same nodes, or to nodes that compute the same numbers in the same order: a sum keeps its
 * association, only leftmost parentheses are omitted, (a + b) + c being a + b + c. Expressions are shallow
 * (write_survey.c), so recursion is safe; sums and products that continue to the left use an explicit stack.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/write.h"

#include <math.h>
#include <string.h>

/* Precedence of a text, lowest first; 0: a function or leaf. */
enum level {
    LEVEL_ANY = 1, /* if */
    LEVEL_OR,
    LEVEL_AND,
    LEVEL_NOT,
    LEVEL_COMPARE,
    LEVEL_ADD,
    LEVEL_MULTIPLY,
    LEVEL_UNARY,
    LEVEL_POWER,
    LEVEL_PRIMARY
};

/* The text form of an operator: its level, the minimum levels of its arguments, and its text between them, or before a
 * single argument. */
struct form {
    uint8_t level, left, right;
    char text[6];
};

static const struct form *form_of(hn_operator op) {
    static const struct form forms[HN_OPERATOR_COUNT] = {
        [HN_OPERATOR_SUM] = {.level = LEVEL_ADD},
        [HN_OPERATOR_LINEAR] = {.level = LEVEL_ADD},
        [HN_OPERATOR_ADD] = {.level = LEVEL_ADD},
        [HN_OPERATOR_SUB] = {.level = LEVEL_ADD},
        [HN_OPERATOR_MUL] = {.level = LEVEL_MULTIPLY},
        [HN_OPERATOR_DIV] = {.level = LEVEL_MULTIPLY},
        [HN_OPERATOR_NEG] = {LEVEL_UNARY, 0, LEVEL_POWER, "-"},
        [HN_OPERATOR_POW] = {LEVEL_POWER, LEVEL_PRIMARY, LEVEL_PRIMARY, "^"},
        [HN_OPERATOR_LESS] = {LEVEL_COMPARE, LEVEL_ADD, LEVEL_ADD, " < "},
        [HN_OPERATOR_LESS_EQUAL] = {LEVEL_COMPARE, LEVEL_ADD, LEVEL_ADD, " <= "},
        [HN_OPERATOR_EQUAL] = {LEVEL_COMPARE, LEVEL_ADD, LEVEL_ADD, " = "},
        [HN_OPERATOR_NOT_EQUAL] = {LEVEL_COMPARE, LEVEL_ADD, LEVEL_ADD, " <> "},
        [HN_OPERATOR_AND] = {LEVEL_AND, LEVEL_AND, LEVEL_NOT, " and "},
        [HN_OPERATOR_OR] = {LEVEL_OR, LEVEL_OR, LEVEL_AND, " or "},
        [HN_OPERATOR_NOT] = {LEVEL_NOT, 0, LEVEL_PRIMARY, "not "},
        [HN_OPERATOR_IF] = {.level = LEVEL_ANY}};
    return &forms[op];
}

static void write_at(struct writer *writer, hn_expr expr, enum level least);

static enum level level_of(hn_expr expr, const hn_expr_info *info) {
    enum level level = (enum level)form_of(info->op)->level;
    if (info->op == HN_OPERATOR_CONSTANT && signbit(info->value))
        return LEVEL_UNARY;
    if (write_is_square(expr, info))
        return LEVEL_POWER;
    return level ? level : LEVEL_PRIMARY;
}

/* ---- sums ---- */

enum { LINE = 90 }; /* a longer line is broken before the next term */

static void write_sign(struct writer *writer, bool minus) {
    if (writer->length - writer->line > LINE)
        write_break(writer);
    else
        write_put(writer, " ");
    write_put(writer, minus ? "- " : "+ ");
}

/* A product with a negative constant factor; *other is the other factor. */
static bool is_subtracted(hn_expr expr, const hn_expr_info *info, double *factor, hn_expr *other) {
    hn_expr_info part;
    for (size_t i = 0; i < 2 && info->op == HN_OPERATOR_MUL; i++) {
        write_resolve(hn_expr_argument(expr, i), &part);
        *factor = part.value;
        *other = hn_expr_argument(expr, 1 - i);
        if (part.op == HN_OPERATOR_CONSTANT && part.value < 0)
            return true;
    }
    return false;
}

/* A term after the first; its sign becomes the operator. */
static void write_term(struct writer *writer, hn_expr expr, bool minus) {
    hn_expr_info info;
    double factor;
    hn_expr other;
    expr = write_resolve(expr, &info);
    if (info.op == HN_OPERATOR_CONSTANT) {
        double value = minus ? -info.value : info.value;
        write_sign(writer, value < 0);
        write_number(writer, fabs(value));
    } else if (info.op == HN_OPERATOR_NEG && write_is_inline(writer, expr)) {
        write_sign(writer, !minus);
        write_at(writer, hn_expr_argument(expr, 0), LEVEL_MULTIPLY);
    } else if (write_is_inline(writer, expr) && is_subtracted(expr, &info, &factor, &other)) {
        write_sign(writer, !minus);
        write_number(writer, -factor);
        write_put(writer, "*");
        write_at(writer, other, LEVEL_POWER);
    } else {
        write_sign(writer, minus);
        write_at(writer, expr, LEVEL_MULTIPLY);
    }
}

/* factor * expr, after other terms or, leftmost, with its sign. */
static void write_scaled(struct writer *writer, double factor, hn_expr expr, bool leftmost) {
    if (!leftmost && fabs(factor) == 1) {
        write_term(writer, expr, factor < 0);
        return;
    }
    if (!leftmost)
        write_sign(writer, factor < 0);
    if (factor == -1) {
        write_put(writer, "-");
    } else {
        write_number(writer, leftmost ? factor : fabs(factor));
        write_put(writer, "*");
    }
    write_at(writer, expr, LEVEL_POWER);
}

static void write_other_terms(struct writer *writer, hn_expr expr) {
    hn_expr_info info;
    write_resolve(expr, &info);
    size_t left = write_left(expr, &info);
    for (size_t i = 0; i < info.count; i++)
        if (i != left && info.op == HN_OPERATOR_LINEAR)
            write_scaled(writer, hn_expr_coefficient(expr, i), hn_expr_argument(expr, i), false);
        else if (i != left)
            write_term(writer, hn_expr_argument(expr, i), info.op == HN_OPERATOR_SUB);
}

/* Descends to the leftmost term of a sum, or factor of a product, and pushes the nodes on the path. The caller handles
 * a factor of that term. */
static hn_expr go_left(struct writer *writer, hn_expr expr, bool sum) {
    hn_expr_info info;
    bool goes_on = true;
    expr = write_resolve(expr, &info);
    while (goes_on) {
        writer->stack[writer->depth++] = expr.node;
        bool factor = hn_expr_coefficient(expr, 0) != 1;
        expr = write_resolve(hn_expr_argument(expr, write_left(expr, &info)), &info);
        goes_on = !factor && !(writer->nodes[writer->stack[writer->depth - 1]].flags & WRITE_EXACT) &&
                  write_is_inline(writer, expr) && (sum ? write_is_sum(info.op) : write_is_product(expr, &info));
    }
    return expr;
}

static void write_sum(struct writer *writer, hn_expr expr) {
    size_t base = writer->depth;
    hn_expr first = go_left(writer, expr, true);
    double factor = hn_expr_coefficient((hn_expr){expr.model, writer->stack[writer->depth - 1]}, 0);
    if (factor == 1)
        write_at(writer, first, LEVEL_MULTIPLY);
    else
        write_scaled(writer, factor, first, true);
    while (writer->depth > base)
        write_other_terms(writer, (hn_expr){expr.model, writer->stack[--writer->depth]});
}

/* ---- products ---- */

static void write_product(struct writer *writer, hn_expr expr) {
    size_t base = writer->depth;
    write_at(writer, go_left(writer, expr, false), LEVEL_UNARY);
    while (writer->depth > base) {
        hn_expr here = {expr.model, writer->stack[--writer->depth]};
        hn_expr_info info;
        write_resolve(here, &info);
        write_put(writer, info.op == HN_OPERATOR_MUL ? "*" : "/");
        write_at(writer, hn_expr_argument(here, 1 - write_left(here, &info)), LEVEL_POWER);
    }
}

/* ---- other operators ---- */

static void write_call(struct writer *writer, hn_expr expr, const hn_expr_info *info) {
#define NAME(id, name, kind) #name,
    static const char names[][12] = {HN_OPERATOR_LIST(NAME)};
#undef NAME
    write_put(writer, names[info->op]);
    for (size_t i = 0; i < info->count; i++) {
        write_put(writer, i == 0 ? "(" : ", ");
        write_at(writer, hn_expr_argument(expr, i), LEVEL_ADD);
    }
    write_put(writer, ")");
}

static void write_choice(struct writer *writer, hn_expr expr) {
    write_put(writer, "if ");
    write_at(writer, hn_expr_argument(expr, 0), LEVEL_OR);
    write_put(writer, " then ");
    write_at(writer, hn_expr_argument(expr, 1), LEVEL_ADD);
    write_put(writer, " else ");
    write_at(writer, hn_expr_argument(expr, 2), LEVEL_ANY);
}

/* An operator with its text between two arguments, or before one. */
static void write_operator(struct writer *writer, hn_expr expr, const hn_expr_info *info) {
    const struct form *form = form_of(info->op);
    size_t first = write_left(expr, info);
    if (form->left != 0)
        write_at(writer, hn_expr_argument(expr, first), (enum level)form->left);
    write_put(writer, form->text);
    write_at(writer, hn_expr_argument(expr, form->left != 0 ? 1 - first : 0), (enum level)form->right);
}

static void write_whole(struct writer *writer, hn_expr expr, const hn_expr_info *info) {
    if (info->op == HN_OPERATOR_CONSTANT) {
        write_number(writer, info->value);
    } else if (info->op == HN_OPERATOR_INPUT || info->op == HN_OPERATOR_OUTPUT) {
        write_leaf(writer, info->op == HN_OPERATOR_OUTPUT, info->index);
    } else if (write_is_sum(info->op)) {
        write_sum(writer, expr);
    } else if (write_is_product(expr, info)) {
        write_product(writer, expr);
    } else if (write_is_square(expr, info)) {
        write_at(writer, hn_expr_argument(expr, 0), LEVEL_PRIMARY);
        write_put(writer, "^2");
    } else if (info->op == HN_OPERATOR_IF) {
        write_choice(writer, expr);
    } else if (form_of(info->op)->level != 0) {
        write_operator(writer, expr, info);
    } else {
        write_call(writer, expr, info);
    }
}

static void write_at(struct writer *writer, hn_expr expr, enum level least) {
    hn_expr_info info;
    expr = write_resolve(expr, &info);
    const struct write_node *node = &writer->nodes[expr.node];
    if (node->definition != 0) {
        write_name(writer, hn_model_definition(writer->model, node->definition - 1).name);
    } else if (node->flags & WRITE_APART) {
        write_put(writer, "$");
        write_size(writer, node->number);
    } else {
        bool open = level_of(expr, &info) < least;
        write_put(writer, open ? "(" : "");
        write_whole(writer, expr, &info);
        write_put(writer, open ? ")" : "");
    }
}

/* ---- the interface ---- */

void write_expression(struct writer *writer, hn_expr expr) {
    write_at(writer, expr, LEVEL_ADD);
}

void write_condition(struct writer *writer, hn_expr expr) {
    write_at(writer, expr, LEVEL_OR);
}

void write_body(struct writer *writer, hn_expr expr) {
    hn_expr_info info;
    expr = write_resolve(expr, &info);
    write_whole(writer, expr, &info);
}

void write_negative(struct writer *writer, hn_expr expr) {
    hn_expr_info info;
    expr = write_resolve(expr, &info);
    if (info.op == HN_OPERATOR_CONSTANT) {
        write_number(writer, -info.value);
    } else if (info.op == HN_OPERATOR_NEG && write_is_inline(writer, expr)) {
        write_at(writer, hn_expr_argument(expr, 0), LEVEL_ADD);
    } else {
        write_put(writer, "-");
        write_at(writer, expr, LEVEL_POWER);
    }
}
