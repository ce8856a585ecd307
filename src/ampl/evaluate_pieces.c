/* evaluate_pieces.c - piecewise-linear terms << b1, ..., bn; s0, ..., sn >> (x, zero).
 *
 * The slope is s0 below b1, si from bi up to the next breakpoint, sn from bn on; the value is 0 at zero. Each piece is
 * one line through a known point:
 *
 *     si (x - zero)      where zero is in piece i
 *     vi + si (x - bi)   right of it, with vi the value at bi; left of it from the piece's other end
 *
 * and a tree of comparisons x < bi selects it, so that the value is rounded like that line, whatever the number of
 * pieces. At a breakpoint the right piece and its slope apply, as for abs.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/evaluator.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"

#include <math.h>

struct numbers {
    double *list;
    size_t count, capacity;
};

struct pieces {
    const struct ampl_node *node;
    struct numbers breakpoints, slopes;
    double *values; /* at the breakpoints */
    double zero;
    size_t home;   /* the piece that contains zero */
    hn_expr under; /* the argument */
};

/* ---- the lists ---- */

struct filling {
    struct numbers *numbers;
    const struct ampl_node *value;
};

static bool visit_number(struct ampl_evaluator *e, void *context) {
    const struct filling *filling = context;
    struct numbers *numbers = filling->numbers;
    double number;
    if (!ampl_number(e, filling->value, "a breakpoint or slope", &number))
        return false;
    if (!isfinite(number))
        return ampl_fail(e, HN_INVALID, filling->value->place, "a breakpoint or slope is not finite");
    if (numbers->count >= e->max_nodes)
        return ampl_fail(e, HN_LIMIT, filling->value->place, "%s: more than %zu breakpoints or slopes; raise max_nodes",
                         ampl_symbol_text(e, e->about), e->max_nodes);
    if (!array_room(&numbers->list, &numbers->capacity, numbers->count + 1, sizeof number))
        return ampl_fail_memory(e);
    numbers->list[numbers->count++] = number;
    return true;
}

static bool evaluate_lists(struct ampl_evaluator *e, struct pieces *pieces) {
    const struct ampl_node *node = pieces->node;
    for (uint32_t i = 0; i + 2 < node->count; i++) {
        struct filling filling = {i < node->is.slot ? &pieces->breakpoints : &pieces->slopes,
                                  node->arguments[i]->arguments[0]};
        if (!ampl_loop(e, node->arguments[i]->over.indexing, visit_number, &filling))
            return false;
    }
    size_t count = pieces->breakpoints.count;
    return pieces->slopes.count == count + 1 ||
           ampl_fail(e, HN_INVALID, node->place, "<< >> with %zu breakpoint%s needs %zu slope%s, not %zu", count,
                     count == 1 ? "" : "s", count + 1, count == 0 ? "" : "s", pieces->slopes.count);
}

/* Pieces between equal breakpoints are empty and removed. */
static bool order(struct ampl_evaluator *e, struct pieces *pieces) {
    double *b = pieces->breakpoints.list, *s = pieces->slopes.list;
    size_t kept = 0;
    for (size_t i = 0; i < pieces->breakpoints.count; i++) {
        if (kept > 0 && b[i] < b[kept - 1])
            return ampl_fail(e, HN_INVALID, pieces->node->place,
                             "<< >>: breakpoint %zu, %s, is less than the previous one, %s", i + 1,
                             error_number(b[i]).text, error_number(b[kept - 1]).text);
        kept -= kept > 0 && b[i] == b[kept - 1];
        b[kept] = b[i];
        s[++kept] = s[i + 1];
    }
    pieces->breakpoints.count = kept;
    return true;
}

/* Computes the values at the breakpoints, from zero outwards. */
static bool add_up(struct ampl_evaluator *e, struct pieces *pieces) {
    const double *b = pieces->breakpoints.list, *s = pieces->slopes.list;
    size_t count = pieces->breakpoints.count, home = 0;
    pieces->values = base_allocate(size_product(count + 1, sizeof *pieces->values));
    if (!pieces->values)
        return ampl_fail_memory(e);
    while (home < count && b[home] <= pieces->zero)
        home++;
    pieces->home = home;
    for (size_t i = home; i < count; i++)
        pieces->values[i] = i == home ? s[i] * (b[i] - pieces->zero) : pieces->values[i - 1] + s[i] * (b[i] - b[i - 1]);
    for (size_t i = home; i-- > 0;)
        pieces->values[i] =
            i + 1 == home ? s[home] * (b[i] - pieces->zero) : pieces->values[i + 1] + s[i + 1] * (b[i] - b[i + 1]);
    return true;
}

/* ---- the term ---- */

/* value + slope (x - point) of piece i. */
struct line {
    double value, slope, point;
};

static struct line line_of(const struct pieces *pieces, size_t i) {
    if (i == pieces->home)
        return (struct line){0, pieces->slopes.list[i], pieces->zero};
    size_t end = i > pieces->home ? i - 1 : i;
    return (struct line){pieces->values[end], pieces->slopes.list[i], pieces->breakpoints.list[end]};
}

static double value_at(const struct pieces *pieces, double x) {
    size_t i = 0;
    while (i < pieces->breakpoints.count && !(x < pieces->breakpoints.list[i]))
        i++;
    struct line line = line_of(pieces, i);
    return line.value + line.slope * (x - line.point);
}

/* Pieces first to last, by bisection. */
static hn_expr choose_piece(struct ampl_evaluator *e, const struct pieces *pieces, size_t first, size_t last) {
    if (first == last) {
        struct line line = line_of(pieces, first);
        return hn_shift(hn_scale(line.slope, hn_shift(pieces->under, -line.point)), line.value);
    }
    size_t middle = first + (last - first) / 2;
    hn_expr below = hn_less(pieces->under, hn_constant(e->model, pieces->breakpoints.list[middle]));
    hn_expr left = choose_piece(e, pieces, first, middle);
    return hn_if(below, left, choose_piece(e, pieces, middle + 1, last));
}

static struct ampl_value evaluate(struct ampl_evaluator *e, struct pieces *pieces) {
    struct ampl_value x;
    const struct ampl_node *argument = pieces->node->arguments[pieces->node->count - 2];
    const struct ampl_node *zero = pieces->node->arguments[pieces->node->count - 1];
    if (!ampl_operand(e, argument, &x) || !ampl_number(e, zero, "the zero of << >>", &pieces->zero))
        return ampl_value_nothing();
    if (!isfinite(pieces->zero))
        ampl_fail(e, HN_INVALID, zero->place, "the zero of << >> is not finite");
    if (e->failed || !evaluate_lists(e, pieces) || !order(e, pieces) || !add_up(e, pieces))
        return ampl_value_nothing();
    if (x.kind == AMPL_NUMBER)
        return ampl_value_number(value_at(pieces, x.is.number));
    pieces->under = ampl_expr(e, x);
    return ampl_value_expr(e, choose_piece(e, pieces, 0, pieces->breakpoints.count), pieces->node->place);
}

struct ampl_value ampl_evaluate_pieces(struct ampl_evaluator *e, const struct ampl_node *node) {
    struct pieces pieces = {.node = node};
    struct ampl_value value = evaluate(e, &pieces);
    base_release(pieces.breakpoints.list);
    base_release(pieces.slopes.list);
    base_release(pieces.values);
    return value;
}
