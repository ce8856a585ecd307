/* evaluate_call.c - functions of numbers, strings and ordered sets.
 *
 * Functions of constants use the library's elementary functions, so that a constant has the same bits in a param and in
 * the model.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/evaluator.h"
#include "ampl/numerals.h"
#include "base/error.h"

#include <math.h>

#define WIDTH 1
#include "base/elementary.h"

static struct ampl_value nothing(struct ampl_evaluator *e, const struct ampl_node *node, const char *problem) {
    return ampl_no_value(e, HN_INVALID, node->place, "%s: %s", ampl_symbol_text(e, node->is.word), problem);
}

/* ---- functions of one number ---- */

#define elementary_sqrt simd_sqrt
#define elementary_abs  simd_abs

static double apply_number(uint32_t word, double a) {
#define AMPL_FUNCTION(name)                                                                                            \
    case AMPL_WORD_##name:                                                                                             \
        return elementary_##name(a);
    switch (word) {
        AMPL_FUNCTION_LIST
    default:
        return a;
    }
#undef AMPL_FUNCTION
}

static hn_expr apply_expr(uint32_t word, hn_expr a) {
#define AMPL_FUNCTION(name)                                                                                            \
    case AMPL_WORD_##name:                                                                                             \
        return hn_##name(a);
    switch (word) {
        AMPL_FUNCTION_LIST
    default:
        return a;
    }
#undef AMPL_FUNCTION
}

static struct ampl_value elementary(struct ampl_evaluator *e, const struct ampl_node *node) {
    struct ampl_value a;
    if (!ampl_operand(e, node->arguments[0], &a))
        return ampl_value_nothing();
    if (a.kind != AMPL_NUMBER)
        return ampl_value_expr(e, apply_expr(node->is.word, ampl_expr(e, a)), node->place);
    double value = apply_number(node->is.word, a.is.number);
    if (isnan(value) && !isnan(a.is.number))
        return ampl_no_value(e, HN_INVALID, node->place, "%s(%s) is NaN", ampl_symbol_text(e, node->is.word),
                             error_number(a.is.number).text);
    return ampl_value_number(value);
}

static struct ampl_value angle(struct ampl_evaluator *e, const struct ampl_node *node) {
    struct ampl_value y, x;
    if (!ampl_operand(e, node->arguments[0], &y) || !ampl_operand(e, node->arguments[1], &x))
        return ampl_value_nothing();
    if (y.kind == AMPL_NUMBER && x.kind == AMPL_NUMBER)
        return ampl_value_number(elementary_atan2(y.is.number, x.is.number));
    return ampl_value_expr(e, hn_atan2(ampl_expr(e, y), ampl_expr(e, x)), node->place);
}

static struct ampl_value extreme(struct ampl_evaluator *e, const struct ampl_node *node) {
    struct ampl_value value, next;
    if (!ampl_operand(e, node->arguments[0], &value))
        return ampl_value_nothing();
    for (uint32_t i = 1; i < node->count && !e->failed; i++) {
        if (!ampl_operand(e, node->arguments[i], &next))
            return ampl_value_nothing();
        value = ampl_smaller(e, value, next, node->is.word == AMPL_WORD_max, node->place);
    }
    return value;
}

/* ---- rounding, of constants only ---- */

static double round_at(double a, double places, bool cut) {
    double scale = elementary_pow(10, places), scaled = a * scale;
    if (!isfinite(scaled) || scale == 0)
        return a;
    return (cut ? trunc(scaled) : round(scaled)) / scale;
}

static struct ampl_value rounded(struct ampl_evaluator *e, const struct ampl_node *node) {
    const char *name = ampl_symbol_text(e, node->is.word);
    double a, places = 0;
    if (!ampl_number(e, node->arguments[0], name, &a) ||
        (node->count > 1 && !ampl_number(e, node->arguments[1], name, &places)))
        return ampl_value_nothing();
    switch (node->is.word) {
    case AMPL_WORD_floor:
        return ampl_value_number(floor(a));
    case AMPL_WORD_ceil:
        return ampl_value_number(ceil(a));
    case AMPL_WORD_round:
        return ampl_value_number(places == 0 ? round(a) : round_at(a, places, false));
    case AMPL_WORD_trunc:
        return ampl_value_number(places == 0 ? trunc(a) : round_at(a, places, true));
    default: /* precision: round to significant digits */
        return ampl_value_number(a == 0 ? 0 : round_at(a, places - 1 - floor(elementary_log10(fabs(a))), false));
    }
}

/* ---- strings ---- */

static struct ampl_value text_function(struct ampl_evaluator *e, const struct ampl_node *node) {
    struct ampl_value value = ampl_evaluate(e, node->arguments[0]);
    if (e->failed || value.kind != AMPL_SYMBOL)
        return e->failed || node->is.word == AMPL_WORD_num ? value : nothing(e, node, "expected a string");
    const struct ampl_symbol *symbol = &e->symbols->list[value.index];
    if (node->is.word == AMPL_WORD_length)
        return ampl_value_number((double)symbol->length);
    double number = 0;
    size_t sign = symbol->text[0] == '-' || symbol->text[0] == '+';
    if (symbol->length == sign ||
        ampl_numeral(symbol->text + sign, symbol->length - sign, &number) != symbol->length - sign)
        return nothing(e, node, "the string is not a number");
    return ampl_value_number(symbol->text[0] == '-' ? -number : number);
}

/* substr(text, first, count): counted from 1; without a count up to the end. */
static struct ampl_value part_of_text(struct ampl_evaluator *e, const struct ampl_node *node) {
    double first, count = HUGE_VAL;
    struct ampl_value value = ampl_evaluate(e, node->arguments[0]);
    if (e->failed || !ampl_number(e, node->arguments[1], "a text", &first) ||
        (node->count > 2 && !ampl_number(e, node->arguments[2], "a text", &count)))
        return ampl_value_nothing();
    if (value.kind != AMPL_SYMBOL || !(first >= 1) || !(count >= 0))
        return nothing(e, node, "expected a string, a position from 1 on and a length");
    const struct ampl_symbol *symbol = &e->symbols->list[value.index];
    double length = (double)symbol->length;
    size_t skip = first > length ? symbol->length : (size_t)first - 1, rest = symbol->length - skip;
    return ampl_new_text(e, symbol->text + skip, count < (double)rest ? (size_t)count : rest, node->place);
}

/* ---- ordered sets ---- */

static struct ampl_value member_value(const struct ampl_set *set, size_t number) {
    ampl_atom member;
    ampl_set_member(set, number, &member);
    return ampl_value_atom(member);
}

/* The set that a dummy iterates over. Its evaluation may use the slots from the dummy's on, so they are saved. */
static struct ampl_set *own_set(struct ampl_evaluator *e, const struct ampl_node *dummy) {
    ampl_atom kept[AMPL_MOST_COMPONENTS * 2];
    size_t first = e->base + dummy->is.slot, count = e->top - first;
    if (count > sizeof kept / sizeof kept[0])
        return ampl_fail(e, HN_LIMIT, dummy->place, "too many dummy indices in scope");
    memcpy(kept, e->stack + first, count * sizeof *kept);
    struct ampl_set *set = ampl_evaluate_set(e, dummy->over.item->set);
    memcpy(e->stack + first, kept, count * sizeof *kept);
    return set;
}

static struct ampl_value step_from(struct ampl_evaluator *e, const struct ampl_node *node, const struct ampl_set *set,
                                   size_t number, double by) {
    double count = (double)ampl_set_count(set);
    bool back = node->is.word == AMPL_WORD_prev || node->is.word == AMPL_WORD_prevw;
    bool wraps = set->circular || node->is.word == AMPL_WORD_nextw || node->is.word == AMPL_WORD_prevw;
    double to = (double)number + (back ? -by : by);
    if (wraps)
        to -= count * floor(to / count);
    if (!(to >= 0 && to < count) || to != floor(to))
        return nothing(e, node, "no such member");
    return member_value(set, (size_t)to);
}

/* ord, next and prev of a member. */
static struct ampl_value of_member(struct ampl_evaluator *e, const struct ampl_node *node) {
    ampl_atom member;
    double by = 1;
    size_t number;
    if (!ampl_atom_of(e, node->arguments[0], "an order", &member) ||
        (node->count > 2 && !ampl_number(e, node->arguments[2], "an order", &by)))
        return ampl_value_nothing();
    const struct ampl_set *set =
        node->count > 1 ? ampl_evaluate_set(e, node->arguments[1]) : own_set(e, node->arguments[0]);
    if (!set)
        return ampl_value_nothing();
    if (ampl_set_count(set) == 0 || ampl_set_dimension(set) != 1 || !ampl_set_find(set, &member, &number)) {
        bool zero = node->is.word == AMPL_WORD_ord0;
        return zero ? ampl_value_number(0) : nothing(e, node, "the first argument is not a member of the set");
    }
    if (node->is.word == AMPL_WORD_ord || node->is.word == AMPL_WORD_ord0)
        return ampl_value_number((double)number + 1);
    return step_from(e, node, set, number, by);
}

static struct ampl_value of_set(struct ampl_evaluator *e, const struct ampl_node *node) {
    const struct ampl_set *set = ampl_evaluate_set(e, node->arguments[node->count - 1]);
    double place = 1;
    if (!set)
        return ampl_value_nothing();
    double count = (double)ampl_set_count(set);
    if (node->is.word == AMPL_WORD_card)
        return ampl_value_number(count);
    if (node->is.word == AMPL_WORD_arity)
        return ampl_value_number(ampl_set_dimension(set));
    if (node->is.word == AMPL_WORD_last)
        place = count;
    else if (node->is.word == AMPL_WORD_member && !ampl_number(e, node->arguments[0], "an order", &place))
        return ampl_value_nothing();
    if (count > 0 && ampl_set_dimension(set) != 1)
        return nothing(e, node, "the set has members of several components");
    if (!(place >= 1 && place <= count) || place != floor(place))
        return nothing(e, node, "no such member");
    return member_value(set, (size_t)place - 1);
}

static struct ampl_value call(struct ampl_evaluator *e, const struct ampl_node *node) {
    switch (node->is.word) {
    case AMPL_WORD_atan2:
        return angle(e, node);
    case AMPL_WORD_min:
    case AMPL_WORD_max:
        return extreme(e, node);
    case AMPL_WORD_floor:
    case AMPL_WORD_ceil:
    case AMPL_WORD_round:
    case AMPL_WORD_trunc:
    case AMPL_WORD_precision:
        return rounded(e, node);
    case AMPL_WORD_num:
    case AMPL_WORD_length:
        return text_function(e, node);
    case AMPL_WORD_substr:
        return part_of_text(e, node);
    case AMPL_WORD_card:
    case AMPL_WORD_arity:
    case AMPL_WORD_first:
    case AMPL_WORD_last:
    case AMPL_WORD_member:
        return of_set(e, node);
    case AMPL_WORD_ord:
    case AMPL_WORD_ord0:
    case AMPL_WORD_next:
    case AMPL_WORD_prev:
    case AMPL_WORD_nextw:
    case AMPL_WORD_prevw:
        return of_member(e, node);
    default:
        return elementary(e, node);
    }
}

struct ampl_value ampl_evaluate_call(struct ampl_evaluator *e, const struct ampl_node *node) {
    size_t mark = e->temporary_count;
    struct ampl_value value = call(e, node);
    e->temporary_count = mark;
    return value;
}
