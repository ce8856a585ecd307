/* survey_region.c - where in the box inputs fail: a split by one input, and of its worse side by another. See survey.h.
 *
 * A split at a value of one input divides n inputs with b bad ones into n1, b1 and n2, b2; it is as good as the fall of
 * the impurity n p (1 - p), p = b / n: b (1 - b / n) - b1 (1 - b1 / n1) - b2 (1 - b2 / n2). The best split over all
 * inputs and all middles between neighbouring values is taken if it takes away a tenth of the impurity, and its side
 * with the larger share of bad ones is what is reported. This is a step of a classification tree (Breiman, Friedman,
 * Olshen, Stone 1984).
 *
 * SPDX-License-Identifier: MIT */
#include "common/survey.h"

#include "base/memory.h"
#include "base/size.h"

#include <stdlib.h>

static const double WORTH = 0.1; /* of the impurity */

struct value {
    double x;
    bool bad;
};

struct best {
    double gain;
    struct survey_condition condition;
};

static int by_value(const void *a, const void *b) {
    double left = ((const struct value *)a)->x, right = ((const struct value *)b)->x;
    return left < right ? -1 : left > right;
}

static double impurity(double bad, double count) {
    return count > 0 ? bad * (1 - bad / count) : 0;
}

static bool is_decided(const hn_report *report) {
    return report->outcome != HN_OUTCOME_CANCELLED;
}

static bool meets(const struct survey *s, const double *x) {
    for (size_t i = 0; i < s->conditions; i++) {
        const struct survey_condition *c = &s->condition[i];
        if (c->above ? x[c->input] < c->at : x[c->input] > c->at)
            return false;
    }
    return true;
}

/* The inputs that meet the conditions so far, as values of this one, in order. */
static size_t list_values(const struct survey *s, const double *x, const hn_report *reports, size_t input,
                          struct value *values) {
    size_t count = 0;
    for (size_t k = 0; k < s->count; k++)
        if (is_decided(&reports[k]) && meets(s, x + k * s->inputs))
            values[count++] = (struct value){x[k * s->inputs + input], reports[k].outcome != HN_OUTCOME_OK};
    qsort(values, count, sizeof *values, by_value);
    return count;
}

static void try_input(const struct value *values, size_t count, size_t input, struct best *best) {
    double bad = 0, below = 0;
    for (size_t i = 0; i < count; i++)
        bad += values[i].bad;
    double whole = impurity(bad, (double)count);
    for (size_t i = 0; i + 1 < count; i++) {
        below += values[i].bad;
        double n1 = (double)(i + 1), n2 = (double)(count - i - 1);
        double gain = whole - impurity(below, n1) - impurity(bad - below, n2);
        if (values[i].x == values[i + 1].x || !(gain > best->gain))
            continue;
        bool above = (bad - below) * n1 > below * n2;
        best->gain = gain;
        best->condition = (struct survey_condition){input, above, (values[i].x + values[i + 1].x) / 2};
    }
}

static void count_inside(struct survey *s, const double *x, const hn_report *reports) {
    s->inside = s->inside_bad = 0;
    for (size_t k = 0; k < s->count; k++)
        if (is_decided(&reports[k]) && meets(s, x + k * s->inputs)) {
            s->inside++;
            s->inside_bad += reports[k].outcome != HN_OUTCOME_OK;
        }
}

/* Of two conditions on the same side of one input the later is the narrower. */
static void add_condition(struct survey *s, struct survey_condition added) {
    size_t i = 0;
    while (i < s->conditions && (s->condition[i].input != added.input || s->condition[i].above != added.above))
        i++;
    s->condition[i] = added;
    s->conditions += i == s->conditions;
}

void survey_find_place(struct survey *s, const double *x, const hn_report *reports) {
    size_t bytes;
    struct value *values = size_multiply(s->count, sizeof *values, &bytes) ? base_allocate(bytes) : NULL;
    count_inside(s, x, reports);
    for (int k = 0; values && k < SURVEY_CONDITIONS && s->inside_bad > 0 && s->inside_bad < s->inside; k++) {
        struct best best = {.gain = WORTH * impurity((double)s->inside_bad, (double)s->inside)};
        double least = best.gain;
        for (size_t i = 0; i < s->inputs; i++)
            try_input(values, list_values(s, x, reports, i, values), i, &best);
        if (!(best.gain > least))
            break;
        add_condition(s, best.condition);
        count_inside(s, x, reports);
    }
    base_release(values);
}
