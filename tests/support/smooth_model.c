/* smooth_model.c - see smooth_model.h.
 *
 * SPDX-License-Identifier: MIT */
#include "support/smooth_model.h"

#include "support/check.h"

#include "base/random.h"

enum { ROWS = 9, TERMS = 40 };

/* Terms stay of moderate size, so that differences have small errors. */
static hn_expr make_term(struct random *random, hn_expr a, hn_expr b) {
    switch ((int)random_between(random, 0, 9)) {
    case 0:
        return hn_sin(hn_add(a, b));
    case 1:
        return hn_mul(hn_tanh(a), b);
    case 2:
        return hn_div(a, hn_shift(hn_mul(b, b), 1));
    case 3:
        return hn_sqrt(hn_shift(hn_mul(a, a), 1));
    case 4:
        return hn_log(hn_shift(hn_mul(a, a), 2));
    case 5:
        return hn_exp(hn_neg(hn_mul(a, a)));
    case 6:
        return hn_atan2(a, hn_shift(hn_mul(b, b), 1));
    case 7:
        return hn_scale(random_normal(random), a);
    default:
        return hn_sub(hn_scale(0.5, a), hn_cos(b));
    }
}

static hn_expr pick(struct random *random, const hn_expr *terms, size_t count) {
    size_t i = (size_t)random_between(random, 0, (double)count);
    return terms[i < count ? i : count - 1];
}

static void add_rows(hn_model *model, struct random *random, const hn_expr *terms, const hn_expr *x) {
    for (int i = 0; i < ROWS; i++) {
        char name[32];
        hn_expr bound = hn_scale(random_normal(random), hn_sin(x[i % SMOOTH_INPUTS]));
        hn_expr body = pick(random, terms, TERMS);
        if (i == 0) /* linear in y */
            body = hn_add(hn_scale(3, terms[SMOOTH_INPUTS]), hn_scale(-2, terms[SMOOTH_INPUTS + 1]));
        if (i == 1) /* without outputs */
            body = hn_mul(x[0], hn_exp(x[1]));
        snprintf(name, sizeof name, "row[%d]", i);
        if (i % 3 == 0)
            hn_constrain_between(model, name, bound, body, hn_shift(bound, 1));
        else if (i % 3 == 1)
            hn_constrain_between(model, name, bound, body, bound);
        else
            hn_constrain_between(model, name, hn_constant(model, -INFINITY), body, bound);
    }
}

hn_model *smooth_model(uint64_t seed, bool objective) {
    struct random random = random_start(seed, 7);
    hn_model *model;
    hn_error error;
    hn_expr terms[TERMS], *y = terms + SMOOTH_INPUTS;
    char name[32];
    assert_int_equal(hn_model_create(&model, NULL, &error), HN_OK);
    for (int i = 0; i < SMOOTH_INPUTS; i++) {
        snprintf(name, sizeof name, "x[%d]", i);
        terms[i] = hn_input(model, name);
    }
    for (int j = 0; j < SMOOTH_OUTPUTS; j++) {
        snprintf(name, sizeof name, "y[%d]", j);
        y[j] = hn_output(model, name);
    }
    for (size_t k = SMOOTH_INPUTS + SMOOTH_OUTPUTS; k < TERMS; k++) {
        hn_expr a = pick(&random, terms, k);
        terms[k] = make_term(&random, a, pick(&random, terms, k));
    }
    hn_output_fix(y[2], hn_sin(hn_mul(terms[0], terms[1])));
    hn_output_start(y[3], hn_add(terms[0], terms[2]));
    hn_output_between(y[4], hn_sub(terms[1], hn_constant(model, 3)), hn_exp(terms[1]));
    add_rows(model, &random, terms, terms);
    if (objective)
        hn_maximize(model, "profit", hn_add(terms[TERMS - 1], hn_mul(y[0], hn_mul(y[5], terms[0]))));
    if (hn_model_finish(model, &error) != HN_OK)
        fail_msg("%s", error.text);
    return model;
}
