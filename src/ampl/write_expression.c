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

/* Precedence of a text, lowest first. */
enum level {
    LEVEL_ANY, /* if */
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

static void write_at(struct writer *writer, hn_expr expr, enum level least);

static enum level level_of(hn_expr expr, const hn_expr_info *info) {
    switch (info->op) {
    case HN_OPERATOR_CONSTANT:
        return signbit(info->value) ? LEVEL_UNARY : LEVEL_PRIMARY;
    case HN_OPERATOR_SUM:
    case HN_OPERATOR_LINEAR:
    case HN_OPERATOR_ADD:
    case HN_OPERATOR_SUB:
        return LEVEL_ADD;
    case HN_OPERATOR_MUL:
    case HN_OPERATOR_DIV:
        return write_is_square(expr, info) ? LEVEL_POWER : LEVEL_MULTIPLY;
    case HN_OPERATOR_NEG:
        return LEVEL_UNARY;
    case HN_OPERATOR_POW:
        return LEVEL_POWER;
    case HN_OPERATOR_LESS:
    case HN_OPERATOR_LESS_EQUAL:
    case HN_OPERATOR_EQUAL:
    case HN_OPERATOR_NOT_EQUAL:
        return LEVEL_COMPARE;
    case HN_OPERATOR_AND:
        return LEVEL_AND;
    case HN_OPERATOR_OR:
        return LEVEL_OR;
    case HN_OPERATOR_NOT:
        return LEVEL_NOT;
    case HN_OPERATOR_IF:
        return LEVEL_ANY;
    default:
        return LEVEL_PRIMARY;
    }
}

/* The operator between two arguments; of others the name, which is that of a function. */
static const char *text_of(hn_operator op) {
#define NAME(id, name, kind) #name,
    static const char names[][12] = {HN_OPERATOR_LIST(NAME)};
#undef NAME
    switch (op) {
    case HN_OPERATOR_POW:
        return "^";
    case HN_OPERATOR_LESS:
        return " < ";
    case HN_OPERATOR_LESS_EQUAL:
        return " <= ";
    case HN_OPERATOR_EQUAL:
        return " = ";
    case HN_OPERATOR_NOT_EQUAL:
        return " <> ";
    case HN_OPERATOR_AND:
        return " and ";
    case HN_OPERATOR_OR:
        return " or ";
    default:
        return names[op];
    }
}

/* ---- sums ---- */

enum { LINE = 90 }; /* a longer line is broken before the next term */

static void write_sign(struct writer *writer, bool minus) {
    struct write_text *out = &writer->out;
    if (out->length - out->line > LINE)
        write_break(out);
    else
        write_string(out, " ");
    write_string(out, minus ? "- " : "+ ");
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
        write_number(&writer->out, fabs(value));
    } else if (info.op == HN_OPERATOR_NEG && write_is_inline(writer, expr)) {
        write_sign(writer, !minus);
        write_at(writer, hn_expr_argument(expr, 0), LEVEL_MULTIPLY);
    } else if (write_is_inline(writer, expr) && is_subtracted(expr, &info, &factor, &other)) {
        write_sign(writer, !minus);
        write_number(&writer->out, -factor);
        write_string(&writer->out, "*");
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
        write_string(&writer->out, "-");
    } else {
        write_number(&writer->out, leftmost ? factor : fabs(factor));
        write_string(&writer->out, "*");
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

/* Descends to the leftmost term of a sum, or factor of a product, pushing the nodes on the way. A factor of that term
 * is left to the caller. */
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
        write_string(&writer->out, info.op == HN_OPERATOR_MUL ? "*" : "/");
        write_at(writer, hn_expr_argument(here, 1 - write_left(here, &info)), LEVEL_POWER);
    }
}

/* ---- other operators ---- */

static void write_call(struct writer *writer, hn_expr expr, const hn_expr_info *info) {
    write_string(&writer->out, text_of(info->op));
    for (size_t i = 0; i < info->count; i++) {
        write_string(&writer->out, i == 0 ? "(" : ", ");
        write_at(writer, hn_expr_argument(expr, i), LEVEL_ADD);
    }
    write_string(&writer->out, ")");
}

static void write_between(struct writer *writer, hn_expr expr, const hn_expr_info *info, enum level left,
                          enum level right) {
    size_t first = write_left(expr, info);
    write_at(writer, hn_expr_argument(expr, first), left);
    write_string(&writer->out, text_of(info->op));
    write_at(writer, hn_expr_argument(expr, 1 - first), right);
}

static void write_choice(struct writer *writer, hn_expr expr) {
    write_string(&writer->out, "if ");
    write_at(writer, hn_expr_argument(expr, 0), LEVEL_OR);
    write_string(&writer->out, " then ");
    write_at(writer, hn_expr_argument(expr, 1), LEVEL_ADD);
    write_string(&writer->out, " else ");
    write_at(writer, hn_expr_argument(expr, 2), LEVEL_ANY);
}

static void write_prefixed(struct writer *writer, const char *prefix, hn_expr expr, enum level least) {
    write_string(&writer->out, prefix);
    write_at(writer, hn_expr_argument(expr, 0), least);
}

static void spell(struct writer *writer, hn_expr expr, const hn_expr_info *info) {
    switch (info->op) {
    case HN_OPERATOR_CONSTANT:
        write_number(&writer->out, info->value);
        return;
    case HN_OPERATOR_INPUT:
    case HN_OPERATOR_OUTPUT:
        write_leaf(writer, info->op == HN_OPERATOR_INPUT, info->index);
        return;
    case HN_OPERATOR_SUM:
    case HN_OPERATOR_LINEAR:
    case HN_OPERATOR_ADD:
    case HN_OPERATOR_SUB:
        write_sum(writer, expr);
        return;
    case HN_OPERATOR_MUL:
    case HN_OPERATOR_DIV:
        if (!write_is_square(expr, info)) {
            write_product(writer, expr);
            return;
        }
        write_at(writer, hn_expr_argument(expr, 0), LEVEL_PRIMARY);
        write_string(&writer->out, "^2");
        return;
    case HN_OPERATOR_NEG:
        write_prefixed(writer, "-", expr, LEVEL_POWER);
        return;
    case HN_OPERATOR_NOT:
        write_prefixed(writer, "not ", expr, LEVEL_PRIMARY);
        return;
    case HN_OPERATOR_POW:
        write_between(writer, expr, info, LEVEL_PRIMARY, LEVEL_PRIMARY);
        return;
    case HN_OPERATOR_LESS:
    case HN_OPERATOR_LESS_EQUAL:
    case HN_OPERATOR_EQUAL:
    case HN_OPERATOR_NOT_EQUAL:
        write_between(writer, expr, info, LEVEL_ADD, LEVEL_ADD);
        return;
    case HN_OPERATOR_AND:
        write_between(writer, expr, info, LEVEL_AND, LEVEL_NOT);
        return;
    case HN_OPERATOR_OR:
        write_between(writer, expr, info, LEVEL_OR, LEVEL_AND);
        return;
    case HN_OPERATOR_IF:
        write_choice(writer, expr);
        return;
    default:
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
        write_string(&writer->out, "$");
        write_size(&writer->out, node->number);
    } else {
        bool open = level_of(expr, &info) < least;
        write_string(&writer->out, open ? "(" : "");
        spell(writer, expr, &info);
        write_string(&writer->out, open ? ")" : "");
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
    spell(writer, expr, &info);
}

void write_negative(struct writer *writer, hn_expr expr) {
    hn_expr_info info;
    expr = write_resolve(expr, &info);
    if (info.op == HN_OPERATOR_CONSTANT) {
        write_number(&writer->out, -info.value);
    } else if (info.op == HN_OPERATOR_NEG && write_is_inline(writer, expr)) {
        write_at(writer, hn_expr_argument(expr, 0), LEVEL_ADD);
    } else {
        write_string(&writer->out, "-");
        write_at(writer, expr, LEVEL_POWER);
    }
}
