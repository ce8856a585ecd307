/* test_operators.c - every operator's first and second derivatives, in each argument and mixed, at points of its domain.
 *
 * First derivatives are judged by a complex step, second ones by eighth-order central differences of complex steps, both in
 * 80-bit arithmetic that shares nothing with the library. A length (how far the nearest singularity is) sets the step of the
 * differences and the scale of what rounding may do. Powers of constant exponents are judged by their formulas. tanh, whose
 * derivative is made from its value, is judged to the rounding of 1.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/node_matrices.h"
#include "support/plain_graph.h"

#include "base/random.h"

enum { ARGUMENTS = 3, RANDOM_POINTS = 40 };
#define FIRST_DIGITS  1e-14L
#define SECOND_DIGITS 1e-13L

/* An operator on the leaves y0, y1, y2 with its derivatives; second holds the rows of the Hessian, all arguments. */
struct rig {
    struct graph graph;
    enum op op;
    struct node_matrix first, second;
    size_t row_of[ARGUMENTS]; /* of second, where the first derivative is there */
};

static struct rig rig_start(enum op op) {
    struct rig rig = {.op = op};
    uint32_t leaf[ARGUMENTS] = {0, 0, 0};
    assert_int_equal(graph_create(&rig.graph, 100000), HN_OK);
    for (int i = 0; i < operator_arguments(op); i++)
        leaf[i] = graph_leaf(&rig.graph, SPACE_Y, (uint32_t)i);
    uint32_t node = graph_apply(&rig.graph, op, leaf[0], leaf[1], leaf[2]);
    rig.first = jacobian_of(&rig.graph, &node, 1, SPACE_Y, ARGUMENTS);
    rig.second = jacobian_of(&rig.graph, rig.first.node, rig.first.count, SPACE_Y, ARGUMENTS);
    for (size_t i = 0; i < rig.first.count; i++)
        rig.row_of[rig.first.column[i]] = i;
    return rig;
}

static void rig_end(struct rig *rig) {
    node_matrix_release(&rig->first);
    node_matrix_release(&rig->second);
    graph_release(&rig->graph);
}

static double rig_first(const struct rig *rig, size_t i, const double *values) {
    return matrix_value(&rig->first, 0, i, values);
}

static double rig_second(const struct rig *rig, size_t i, size_t j, const double *values) {
    return matrix_node(&rig->first, 0, i) != 0 ? matrix_value(&rig->second, rig->row_of[i], j, values) : 0;
}

static double *rig_values(const struct rig *rig, const double *y) {
    struct plain_point point = {.leaf = {[SPACE_Y] = y}};
    double *values = plain_values(&rig->graph, point);
    assert_non_null(values);
    return values;
}

/* ---- yardsticks ---- */

#define STEP 1e-400L

/* The derivative by argument i, argument j moved by an amount. */
static long double step_first(enum op op, const double *y, size_t i, size_t j, long double by) {
    long double complex z[ARGUMENTS];
    for (size_t k = 0; k < ARGUMENTS; k++)
        z[k] = y[k] + (k == j ? by : 0) + (k == i ? STEP * I : 0);
    return cimagl(plain_complex_operator(op, z[0], z[1], z[2])) / STEP;
}

/* Its derivative by argument j, by central differences of order eight. */
static long double difference_second(enum op op, const double *y, size_t i, size_t j, long double step) {
    static const long double weights[] = {4.0L / 5, -1.0L / 5, 4.0L / 105, -1.0L / 280};
    long double sum = 0;
    for (int k = 0; k < 4; k++) {
        long double by = (k + 1) * step;
        sum += weights[k] * (step_first(op, y, i, j, by) - step_first(op, y, i, j, -by));
    }
    return sum / step;
}

/* A power of two a few hundred times smaller than the length: moving a double by it is exact. */
static long double step_for(double length) {
    int exponent;
    frexp(length / 800, &exponent);
    return ldexpl(1, exponent);
}

/* All first and second derivatives at y, where nothing is singular within the length of each argument. */
static void check_point(const struct rig *rig, const double *y, const double *length) {
    size_t count = (size_t)operator_arguments(rig->op);
    const char *what = operator_text(rig->op);
    long double floor = rig->op == OP_TANH ? 1 : 0;
    double *values = rig_values(rig, y);
    for (size_t i = 0; i < count; i++) {
        long double first = step_first(rig->op, y, i, i, 0);
        check_close(rig_first(rig, i, values), first, FIRST_DIGITS * (fabsl(first) + floor), what, i);
        for (size_t j = 0; j < count; j++) {
            long double second = difference_second(rig->op, y, i, j, step_for(length[j]));
            long double scale = fabsl(second) + fabsl(first) / length[j] + floor;
            check_close(rig_second(rig, i, j, values), second, SECOND_DIGITS * scale, what, 10 * i + j);
        }
    }
    free(values);
}

/* ---- operators of one argument ---- */

/* How far the nearest singularity of the operator is, at most about 1 where it has none nearby. */
static double length_of(enum op op, double a) {
    switch (op) {
    case OP_SQRT:
    case OP_LOG:
    case OP_LOG10:
        return a;
    case OP_TAN:
        return fmin(1, acos(0) - fabs(a));
    case OP_ASIN:
    case OP_ACOS:
    case OP_ATANH:
        return 1 - fabs(a);
    case OP_ATAN:
    case OP_ASINH:
        return sqrt(1 + a * a);
    case OP_ACOSH:
        return a - 1;
    case OP_ABS:
        return fabs(a);
    default:
        return 1;
    }
}

struct domain {
    enum op op;
    double low, high;
    double awkward[6];
};

static const struct domain domains[] = {
    {OP_NEG, -3, 3, {0, -0.0, 1e300, -1e300, 1, 2}},
    {OP_SQRT, 1e-3, 1e3, {1e-12, 1e-6, 1e12, 1, 4, 0.25}},
    {OP_EXP, -20, 20, {0, -0.0, 700, -700, 1e-300, 1}},
    {OP_LOG, 1e-3, 1e3, {1e-100, 1, 1e100, 0.999999, 2, 1e-8}},
    {OP_LOG10, 1e-3, 1e3, {1e-100, 1, 1e100, 10, 1.000001, 1e-8}},
    {OP_SIN, -10, 10, {0, 1e-8, 3.14159265358979312, 1.5707963267948966, 1e5, -1e5}},
    {OP_COS, -10, 10, {0, 1e-8, 3.14159265358979312, 1.5707963267948966, 1e5, -1e5}},
    {OP_TAN, -1.5, 1.5, {0, 1e-8, 1.5707, -1.5707, 0.785398163397448279, 1}},
    {OP_ASIN, -0.99, 0.99, {0, 1e-9, 1 - 1e-12, -1 + 1e-12, 0.5, -0.999}},
    {OP_ACOS, -0.99, 0.99, {0, 1e-9, 1 - 1e-12, -1 + 1e-12, 0.5, -0.999}},
    {OP_ATAN, -5, 5, {0, 1e-9, 1, -1, 1e6, -1e9}},
    {OP_SINH, -20, 20, {0, 1e-9, 700, -700, 1, -1}},
    {OP_COSH, -20, 20, {0, 1e-9, 700, -700, 1, -1}},
    {OP_TANH, -20, 20, {0, 1e-9, 300, -300, 1, 40}},
    {OP_ASINH, -5, 5, {0, 1e-9, 1, -1, 1e6, -1e9}},
    {OP_ACOSH, 1.01, 50, {1 + 1e-10, 1 + 1e-5, 1e8, 2, 1.5, 1.0001}},
    {OP_ATANH, -0.99, 0.99, {0, 1e-9, 1 - 1e-12, -1 + 1e-12, 0.5, -0.999}},
    {OP_ABS, -3, 3, {1e-300, -1e-300, 1e300, -1e300, 1, -1}},
    {OP_NOT, -3, 3, {1e-300, -1e-300, 1, -1, 2, -2}},
};

TEST(functions_of_one_argument_match_a_complex_step) {
    struct random random = random_start(1, 1);
    for (size_t i = 0; i < COUNT_OF(domains); i++) {
        const struct domain *domain = &domains[i];
        struct rig rig = rig_start(domain->op);
        for (size_t k = 0; k < RANDOM_POINTS + COUNT_OF(domain->awkward); k++) {
            double y[ARGUMENTS] = {k < COUNT_OF(domain->awkward) ? domain->awkward[k]
                                                                 : random_between(&random, domain->low, domain->high)};
            double length[ARGUMENTS] = {length_of(domain->op, y[0]), 1, 1};
            check_point(&rig, y, length);
        }
        rig_end(&rig);
    }
}

TEST(every_operator_is_tested_in_this_file) {
    for (enum op op = OP_ADD; op < OP_COUNT; op++) {
        size_t found = operator_arguments(op) > 1; /* those have tests of their own below */
        for (size_t i = 0; i < COUNT_OF(domains); i++)
            found += domains[i].op == op;
        if (found != 1)
            fail_msg("%s: tested %zu times", operator_text(op), found);
    }
}

/* ---- operators of two and three arguments ---- */

static void check_pairs(enum op op, const double (*pairs)[2], size_t count) {
    struct rig rig = rig_start(op);
    for (size_t i = 0; i < count; i++) {
        double y[ARGUMENTS] = {pairs[i][0], pairs[i][1]}, length[ARGUMENTS] = {1, 1, 1};
        for (size_t j = 0; j < 2; j++)
            if (op == OP_DIV || op == OP_ATAN2 || op == OP_POW)
                length[j] = fabs(op == OP_POW ? y[0] : op == OP_DIV ? y[1] : hypot(y[0], y[1]));
        if (op == OP_POW)
            length[1] = 1 / (1 + fabs(log(y[0])));
        check_point(&rig, y, length);
    }
    rig_end(&rig);
}

TEST(functions_of_two_arguments_match_a_complex_step) {
    static const double pairs[][2] = {{3, 2},       {-1.5, 0.3},  {0.2, -4}, {-2, -3},     {1e-6, 5},    {7, 1e-6},
                                      {-1e-6, 1e3}, {1e3, -1e-6}, {0, 1.5},  {-2.5, 1e-9}, {1e8, -1e-4}, {0.5, 0.25}};
    static const enum op ops[] = {OP_ADD,  OP_SUB,        OP_MUL,   OP_DIV,       OP_ATAN2, OP_MIN, OP_MAX,
                                  OP_LESS, OP_LESS_EQUAL, OP_EQUAL, OP_NOT_EQUAL, OP_AND,   OP_OR,  OP_GUARD};
    for (size_t i = 0; i < COUNT_OF(ops); i++)
        check_pairs(ops[i], pairs, ops[i] == OP_GUARD ? 8 : COUNT_OF(pairs));
}

TEST(a_variable_exponent_matches_a_complex_step) {
    static const double pairs[][2] = {{2, 5},     {2, -3},   {0.3, 2.5}, {1, 0},    {1, 3},          {0.01, -0.5},
                                      {40, -2.5}, {1e-6, 3}, {1e6, 2},   {3, 1e-9}, {2.718281828, 1}};
    check_pairs(OP_POW, pairs, COUNT_OF(pairs));
}

TEST(a_choice_has_the_derivative_of_the_branch_taken) {
    struct rig rig = rig_start(OP_IF);
    const double length[ARGUMENTS] = {0.5, 1, 1};
    for (int i = 0; i < 2; i++) {
        double y[ARGUMENTS] = {i, 2, 3};
        double *values = rig_values(&rig, y);
        assert_same_bits(rig_first(&rig, 1, values), i);
        assert_same_bits(rig_first(&rig, 2, values), 1 - i);
        free(values);
    }
    check_point(&rig, (const double[]){2, 2, 3}, length);
    rig_end(&rig);
}

/* ---- powers ---- */

/* a^e with a constant exponent: derivatives are e a^(e-1) and e (e-1) a^(e-2). */
static void check_constant_exponent(double a, double e) {
    struct graph g;
    assert_int_equal(graph_create(&g, 1000), HN_OK);
    uint32_t leaf = graph_leaf(&g, SPACE_Y, 0), node = graph_apply(&g, OP_POW, leaf, graph_constant(&g, e), 0);
    struct node_matrix first = jacobian_of(&g, &node, 1, SPACE_Y, 1);
    struct node_matrix second = jacobian_of(&g, first.node, first.count, SPACE_Y, 1);
    struct plain_point point = {.leaf = {[SPACE_Y] = &a}};
    double *values = plain_values(&g, point);
    long double one = e * powl(a, e - 1), two = e * (e - 1) * (e == 1 ? 0 : powl(a, e - 2));
    check_close(matrix_value(&first, 0, 0, values), one, FIRST_DIGITS * fabsl(one), "twice the exponent of a power",
                (size_t)fabs(2 * e));
    double found = second.rows > 0 ? matrix_value(&second, 0, 0, values) : 0;
    check_close(found, two, FIRST_DIGITS * fabsl(two), "twice the exponent of a power, second", (size_t)fabs(2 * e));
    free(values);
    node_matrix_release(&first);
    node_matrix_release(&second);
    graph_release(&g);
}

TEST(constant_exponents_follow_their_formula) {
    static const double bases[] = {-2, -0.3, -1e3, 0.7, 3, 1e-4}, whole[] = {1, 2, 3, 4, 5, 7, 10, -1, -2, -3, -4, -7};
    static const double positive[] = {1e-4, 0.7, 3, 1e3}, fraction[] = {2.5, 0.5, -0.5, 1.5, -2.5, 0.1, 3.7};
    for (size_t i = 0; i < COUNT_OF(bases); i++)
        for (size_t j = 0; j < COUNT_OF(whole); j++)
            check_constant_exponent(bases[i], whole[j]);
    for (size_t i = 0; i < COUNT_OF(positive); i++)
        for (size_t j = 0; j < COUNT_OF(fraction); j++)
            check_constant_exponent(positive[i], fraction[j]);
}

TEST(a_base_of_zero_has_finite_derivatives) {
    static const double exponents[] = {1, 2, 3, 4, 5, 2.5, 10};
    for (size_t i = 0; i < COUNT_OF(exponents); i++)
        check_constant_exponent(0, exponents[i]);
    struct rig rig = rig_start(OP_POW);
    const double y[ARGUMENTS] = {0, 2.5, 0};
    double *values = rig_values(&rig, y);
    for (size_t i = 0; i < 2; i++) {
        check_close(rig_first(&rig, i, values), 0, 0, "0^b", i);
        for (size_t j = 0; j < 2; j++)
            check_close(rig_second(&rig, i, j, values), 0, 0, "0^b, second", 10 * i + j);
    }
    free(values);
    rig_end(&rig);
}

TEST(a_negative_base_under_a_whole_variable_exponent_has_a_derivative) {
    struct rig rig = rig_start(OP_POW);
    const double y[ARGUMENTS] = {-2, 5, 0};
    double *values = rig_values(&rig, y);
    check_close(rig_first(&rig, 0, values), 80, 0, "(-2)^5", 0);
    check_close(rig_second(&rig, 0, 0, values), -160, 0, "(-2)^5", 1);
    free(values);
    rig_end(&rig);
}

/* ---- kinks and far ends ---- */

/* One of the two sides' derivatives, in the first two arguments, and second derivatives that are 0. */
static void check_kink(enum op op, const double *y, const double sides[2][2]) {
    struct rig rig = rig_start(op);
    double *values = rig_values(&rig, y);
    double a = rig_first(&rig, 0, values), b = rig_first(&rig, 1, values);
    if (!(a == sides[0][0] && b == sides[0][1]) && !(a == sides[1][0] && b == sides[1][1]))
        fail_msg("%s: (%g, %g) is the derivative of neither side", operator_text(op), a, b);
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 2; j++)
            assert_true(rig_second(&rig, i, j, values) == 0);
    free(values);
    rig_end(&rig);
}

TEST(a_kink_takes_the_derivative_of_one_side) {
    static const double rising_or_falling[2][2] = {{1, 0}, {-1, 0}}, either[2][2] = {{1, 0}, {0, 1}};
    static const double zeros[2][2] = {{0, 0}, {0, 0}};
    for (int sign = -1; sign <= 1; sign += 2) {
        const double zero[ARGUMENTS] = {0.0 * sign, 0.0, 0}, tie[ARGUMENTS] = {2.0 * sign, 2.0 * sign, 0};
        check_kink(OP_ABS, zero, rising_or_falling);
        check_kink(OP_MIN, zero, either);
        check_kink(OP_MAX, zero, either);
        check_kink(OP_MIN, tie, either);
        check_kink(OP_MAX, tie, either);
        check_kink(OP_LESS, tie, zeros);
        check_kink(OP_EQUAL, tie, zeros);
    }
}

TEST(derivatives_stay_finite_where_the_function_has_settled) {
    static const struct {
        enum op op;
        double at, first;
    } far[] = {{OP_TANH, 800, 0}, {OP_TANH, -1e300, 0}, {OP_ATAN, 1e200, 0}, {OP_EXP, -800, 0}};
    for (size_t i = 0; i < COUNT_OF(far); i++) {
        struct rig rig = rig_start(far[i].op);
        const double y[ARGUMENTS] = {far[i].at, 0, 0};
        double *values = rig_values(&rig, y);
        check_close(rig_first(&rig, 0, values), far[i].first, 1e-300L, operator_text(far[i].op), 1);
        check_close(rig_second(&rig, 0, 0, values), 0, 1e-300L, operator_text(far[i].op), 2);
        free(values);
        rig_end(&rig);
    }
}
