/* test_write_random.c - random models over all operators, made by the calls of hardnet/model.h, come back from their text.
 *
 * Expressions are drawn from a pool in which each new one goes, so that parts are shared; names of all kinds, bounds, ranges,
 * starts, fixed outputs, definitions, requirements and rows in all their forms.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/writing.h"
#include "base/random.h"

#include <float.h>

enum { MODELS = HN_TEST_SHARE == 1 ? 2000 : 300, MOST = 60, INPUTS = 4, OUTPUTS = 6 };

struct pool {
    hn_model *model;
    struct random dice;
    hn_expr x[MOST], all[2 * MOST]; /* of inputs only, and of anything */
    size_t x_count, all_count;
};

static size_t below(struct pool *pool, size_t count) {
    return (size_t)random_below(&pool->dice, count);
}

static double any_number(struct pool *pool) {
    static const double some[] = {0.1,       1.0 / 3,  2,      -1,   -3.5,  1e22,   DBL_MIN, 5e-324,
                                  DBL_MAX,   -DBL_MAX, 1e-310, 1e15, 1e16,  0.5,    -4,      INFINITY,
                                  -INFINITY, 1234567,  -0.0,   0,    1e300, -7e-300};
    switch (below(pool, 4)) {
    case 0:
        return some[below(pool, sizeof some / sizeof some[0])];
    case 1:
        return (double)below(pool, 9) - 4;
    case 2:
        return ldexp(random_between(&pool->dice, -1, 1), (int)below(pool, 2000) - 1000);
    default:
        return random_between(&pool->dice, -3, 3);
    }
}

/* ---- expressions ---- */

static hn_expr any(struct pool *pool, bool inputs) {
    if (below(pool, 6) == 0)
        return hn_constant(pool->model, any_number(pool));
    return inputs ? pool->x[below(pool, pool->x_count)] : pool->all[below(pool, pool->all_count)];
}

static hn_expr draw_unary(struct pool *pool, hn_expr a) {
    static hn_expr (*const functions[])(hn_expr) = {hn_neg,   hn_sqrt,  hn_exp,   hn_log,  hn_log10, hn_sin,  hn_cos,
                                                    hn_tan,   hn_asin,  hn_acos,  hn_atan, hn_sinh,  hn_cosh, hn_tanh,
                                                    hn_asinh, hn_acosh, hn_atanh, hn_abs,  hn_not,   hn_neg,  hn_neg};
    return functions[below(pool, sizeof functions / sizeof functions[0])](a);
}

static hn_expr draw_binary(struct pool *pool, hn_expr a, hn_expr b) {
    static hn_expr (*const functions[])(hn_expr, hn_expr) = {
        hn_add, hn_sub, hn_mul,  hn_div,        hn_add,   hn_sub,       hn_mul, hn_pow, hn_atan2,
        hn_min, hn_max, hn_less, hn_less_equal, hn_equal, hn_not_equal, hn_and, hn_or,  hn_add};
    size_t which = below(pool, sizeof functions / sizeof functions[0]);
    double value;
    bool zero = hn_is_constant(b, &value) && value == 0;
    return functions[zero && functions[which] == hn_div ? 0 : which](a, b);
}

/* No NaN, which no text can say; it still comes up inside expressions. */
static hn_expr plain(struct pool *pool, hn_expr a) {
    double value;
    return hn_is_constant(a, &value) && isnan(value) ? hn_constant(pool->model, 1) : a;
}

static hn_expr draw_sum(struct pool *pool, bool inputs) {
    hn_expr terms[12];
    size_t count = below(pool, sizeof terms / sizeof terms[0]);
    for (size_t i = 0; i < count; i++) {
        terms[i] = any(pool, inputs);
        if (below(pool, 3) == 0)
            terms[i] = hn_neg(terms[i]);
        if (below(pool, 3) == 0)
            terms[i] = plain(pool, hn_scale(any_number(pool), terms[i]));
    }
    return hn_sum(pool->model, count, terms);
}

static hn_expr draw(struct pool *pool, bool inputs) {
    hn_expr a = any(pool, inputs), b = any(pool, inputs), c = any(pool, inputs);
    switch (below(pool, 8)) {
    case 0:
    case 1:
        return draw_unary(pool, a);
    case 2:
        return draw_sum(pool, inputs);
    case 3:
        return hn_if(a, b, c);
    case 4:
        return hn_pow(a, hn_constant(pool->model, (double)below(pool, 8) - 3));
    default:
        return draw_binary(pool, a, b);
    }
}

static void fill(struct pool *pool) {
    while (pool->x_count < MOST / 2) {
        hn_expr made = plain(pool, draw(pool, true));
        pool->x[pool->x_count++] = made;
        pool->all[pool->all_count++] = made;
    }
    while (pool->all_count < MOST) {
        hn_expr made = plain(pool, draw(pool, false));
        pool->all[pool->all_count++] = made;
    }
}

/* ---- parts ---- */

/* A name of some kind that no other part has: the stem and the number are in it. */
static const char *draw_name(struct pool *pool, const char *stem, size_t number) {
    static char name[80];
    static const char forms[][3][12] = {
        {"", "", ""},    {"", "[", "]"},  {"", "[", ",1]"},          {"", " ", ""},
        {"", "`", "`"},  {"", "'", "\""}, {"", "[a", "]"},           {"", "[-", "]"},
        {"[", "", ""},   {"$", "", ""},   {"gr\xc3\xb6 ", "\t", ""}, {"sum[", "", "]"},
        {"", "[0", "]"}, {"", "[]", ""},  {"\\", "#", "/*"},         {"var ", ";", ":"}};
    const char(*form)[12] = forms[below(pool, sizeof forms / sizeof forms[0])];
    snprintf(name, sizeof name, "%s%s%s%zu%s", form[0], stem, form[1], number, form[2]);
    return name;
}

static void add_leaves(struct pool *pool) {
    char name[32];
    for (size_t i = 0; i < INPUTS; i++) {
        snprintf(name, sizeof name, "x[%zu]", i);
        hn_expr input = hn_input(pool->model, below(pool, 2) ? name : draw_name(pool, "in", i));
        double a = any_number(pool), b = any_number(pool);
        if (below(pool, 2))
            hn_input_range(input, fmin(a, b), fmax(a, b));
        pool->x[pool->x_count++] = pool->all[pool->all_count++] = input;
    }
    for (size_t i = 0; i < OUTPUTS; i++) {
        snprintf(name, sizeof name, "y[%zu,%zu]", i / 3, i % 3);
        pool->all[pool->all_count++] = hn_output(pool->model, below(pool, 12) ? name : draw_name(pool, "out", i));
    }
}

static hn_expr draw_bound(struct pool *pool, double number) {
    return below(pool, 3) ? hn_constant(pool->model, number) : pool->x[below(pool, pool->x_count)];
}

/* Bounds that no constant crosses. */
static void draw_bounds(struct pool *pool, hn_expr *lower, hn_expr *upper) {
    double a = any_number(pool), b = any_number(pool), low, high;
    *lower = draw_bound(pool, fmin(a, b));
    *upper = below(pool, 4) == 0 ? *lower : draw_bound(pool, fmax(a, b));
    if (hn_is_constant(*lower, &low) && !(low < INFINITY))
        *lower = hn_constant(pool->model, -INFINITY);
    if (hn_is_constant(*upper, &high) && !(high > -INFINITY))
        *upper = hn_constant(pool->model, INFINITY);
    if (hn_is_constant(*lower, &low) && hn_is_constant(*upper, &high) && low > high)
        *upper = hn_constant(pool->model, INFINITY);
}

static void shape_outputs(struct pool *pool) {
    for (size_t i = 0; i < OUTPUTS; i++) {
        hn_expr output = pool->all[INPUTS + i], lower, upper;
        draw_bounds(pool, &lower, &upper);
        bool bounded = below(pool, 2) != 0;
        if (bounded)
            hn_output_between(output, lower, upper);
        if (below(pool, 3) == 0)
            hn_output_start(output, pool->x[below(pool, pool->x_count)]);
        hn_expr fixed = pool->x[below(pool, pool->x_count)];
        if (below(pool, 6) == 0 && !(bounded && hn_is_constant(fixed, NULL))) /* a constant may cross the bounds */
            hn_output_fix(output, fixed);
    }
}

static void add_rows(struct pool *pool) {
    for (size_t i = 0; i < 8; i++) {
        hn_expr body = pool->all[below(pool, pool->all_count)], lower, upper;
        draw_bounds(pool, &lower, &upper);
        if (!hn_is_constant(body, NULL))
            hn_constrain_between(pool->model, draw_name(pool, i % 2 ? "c" : "y", i + 10), lower, body, upper);
    }
}

static void add_others(struct pool *pool) {
    static const char *const names[] = {"check 1", "heck 2[3]", "check 2[3]"};
    for (size_t i = 0; i < 3; i++) {
        hn_define(pool->model, draw_name(pool, "d", i), pool->all[below(pool, pool->all_count)]);
        hn_expr condition = pool->x[below(pool, pool->x_count)];
        double value;
        if (!hn_is_constant(condition, &value) || (value != 0 && !isnan(value)))
            hn_require(pool->model, below(pool, 2) ? draw_name(pool, "r", i) : names[i], condition);
    }
    hn_expr objective = pool->all[below(pool, pool->all_count)];
    if (below(pool, 3) == 0)
        hn_minimize(pool->model, draw_name(pool, "f", 0), objective);
    else if (below(pool, 2) == 0)
        hn_maximize(pool->model, draw_name(pool, "f", 0), objective);
}

/* Whether it was refused for what a text cannot say. */
static bool is_refused(const hn_model *model) {
    char *text;
    hn_error error = {.status = HN_OK, .text = ""};
    bool refused = hn_model_write(model, &text, NULL, &error) == HN_UNSUPPORTED;
    if (refused && !strstr(error.text, "NaN") && !strstr(error.text, "by the constant 0"))
        fail_msg("%s", error.text);
    hn_text_release(text);
    return refused;
}

TEST(random_models_come_back) {
    size_t refused = 0;
    for (uint64_t seed = 0; seed < MODELS; seed++) {
        struct pool pool = {.model = new_model(), .dice = random_start(seed, 15)};
        char what[32];
        add_leaves(&pool);
        fill(&pool);
        shape_outputs(&pool);
        add_rows(&pool);
        add_others(&pool);
        snprintf(what, sizeof what, "seed %zu", (size_t)seed);
        finished(pool.model);
        if (is_refused(pool.model))
            refused++;
        else
            hn_text_release(must_return(pool.model, what));
        hn_model_destroy(pool.model);
    }
    print_message("%zu of %d refused\n", refused, MODELS);
    assert_in_range(refused, 0, MODELS / 4);
}
