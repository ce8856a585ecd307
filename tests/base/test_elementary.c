/* test_elementary.c - the elementary functions judged by MPFR: at most 2 units in the last place, special values
 * exactly.
 *
 * The error of a result is |computed - exact| / ulp(exact), where ulp(v) is 2^-1074 for denormal v, and infinity counts
 * as 2^1024. elementary_arguments.h draws the arguments. The largest error of each function is printed.
 * `elementary 100000` draws as many for each (`make test-long`).
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"

#include <fenv.h>
#include <mpfr.h>

#include "base/elementary_arguments.h"
#include "base/elementary_widths.h"

#define WIDTH 1
#include "base/elementary.h"

/* Arguments per function; fewer where a sanitizer slows everything down. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARGUMENTS 5000
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define ARGUMENTS 5000
#endif
#ifndef ARGUMENTS
#define ARGUMENTS 40000
#endif
static int arguments = ARGUMENTS;

/* ---- judging ---- */

typedef struct {
    const char *name;
    double (*computed)(double a, double b);
    int (*exact)(mpfr_t result, const mpfr_t a, const mpfr_t b);
    void (*draw)(struct random *random, double *a, double *b);
} function;

#define DEFINE_OF_ONE(name, draw)                                                                                      \
    static double computed_##name(double a, double b) {                                                                \
        (void)b;                                                                                                       \
        return elementary_##name(a);                                                                                   \
    }                                                                                                                  \
    static int exact_##name(mpfr_t result, const mpfr_t a, const mpfr_t b) {                                           \
        (void)b;                                                                                                       \
        return mpfr_##name(result, a, MPFR_RNDN);                                                                      \
    }                                                                                                                  \
    static const function function_##name = {#name, computed_##name, exact_##name, draw};
#define DEFINE_OF_TWO(name, draw)                                                                                      \
    static double computed_##name(double a, double b) {                                                                \
        return elementary_##name(a, b);                                                                                \
    }                                                                                                                  \
    static int exact_##name(mpfr_t result, const mpfr_t a, const mpfr_t b) {                                           \
        return mpfr_##name(result, a, b, MPFR_RNDN);                                                                   \
    }                                                                                                                  \
    static const function function_##name = {#name, computed_##name, exact_##name, draw};
FUNCTIONS_OF_ONE(DEFINE_OF_ONE)
FUNCTIONS_OF_TWO(DEFINE_OF_TWO)

typedef struct {
    mpfr_t a, b, exact, computed, infinite;
} judge;

static void judge_open(judge *j) {
    mpfr_inits2(200, j->a, j->b, j->exact, j->computed, j->infinite, (mpfr_ptr)0);
    mpfr_set_ui_2exp(j->infinite, 1, 1024, MPFR_RNDN);
}

static void judge_close(judge *j) {
    mpfr_clears(j->a, j->b, j->exact, j->computed, j->infinite, (mpfr_ptr)0);
}

/* Sizes of 2^1024 and more, infinity among them, become 2^1024. */
static void judge_cap(const judge *j, mpfr_t v) {
    if (mpfr_cmpabs(v, j->infinite) >= 0)
        mpfr_setsign(v, j->infinite, mpfr_signbit(v), MPFR_RNDN);
}

/* The error in ulp; infinite when only one of the two is NaN. */
static double judge_error(judge *j, const function *f, double a, double b, double computed) {
    mpfr_set_d(j->a, a, MPFR_RNDN);
    mpfr_set_d(j->b, b, MPFR_RNDN);
    f->exact(j->exact, j->a, j->b);
    if (mpfr_nan_p(j->exact) || isnan(computed))
        return mpfr_nan_p(j->exact) && isnan(computed) ? 0.0 : INFINITY;
    mpfr_set_d(j->computed, computed, MPFR_RNDN);
    judge_cap(j, j->exact);
    judge_cap(j, j->computed);
    long exponent =
        mpfr_zero_p(j->exact) ? -1021 : mpfr_get_exp(j->exact); /* |exact| in [2^(exponent-1), 2^exponent) */
    if (exponent < -1021)
        exponent = -1021;
    if (exponent > 1024)
        exponent = 1024;
    mpfr_sub(j->computed, j->computed, j->exact, MPFR_RNDN);
    mpfr_mul_2si(j->computed, j->computed, 53 - exponent, MPFR_RNDN);
    return fabs(mpfr_get_d(j->computed, MPFR_RNDN));
}

typedef struct {
    double error, a, b;
} worst_case;

/* The largest error over many arguments, the results computed in the given rounding mode. */
static worst_case largest_error(const function *f, int count, int rounding) {
    struct random random = random_start(20260101, (uint64_t)f->name[0]);
    worst_case worst = {0.0, 0.0, 0.0};
    judge j;
    judge_open(&j);
    for (int i = 0; i < count; i++) {
        double a = 0.0, b = 0.0;
        f->draw(&random, &a, &b);
        fesetround(rounding);
        double computed = f->computed(a, b);
        fesetround(FE_TONEAREST);
        double error = judge_error(&j, f, a, b, computed);
        if (error > worst.error)
            worst = (worst_case){error, a, b};
    }
    judge_close(&j);
    mpfr_free_cache();
    return worst;
}

static void check_accuracy(const function *f) {
    worst_case worst = largest_error(f, arguments, FE_TONEAREST);
    printf("%-6s largest error %.3f ulp at %a, %a\n", f->name, worst.error, worst.a, worst.b);
    assert_true(worst.error <= 2.0);
}

#define DEFINE_TEST(name, draw)                                                                                        \
    TEST(name##_is_within_two_ulp) {                                                                                   \
        check_accuracy(&function_##name);                                                                              \
    }
FUNCTIONS_OF_ONE(DEFINE_TEST)
FUNCTIONS_OF_TWO(DEFINE_TEST)

/* ---- other promises ---- */

#define LIST_FUNCTION(name, draw) &function_##name,
static const function *const functions[] = {FUNCTIONS_OF_ONE(LIST_FUNCTION) FUNCTIONS_OF_TWO(LIST_FUNCTION)};

TEST(other_rounding_modes_cost_a_few_ulp_at_most) {
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
        for (size_t m = 0; m < sizeof modes / sizeof *modes; m++)
            assert_true(largest_error(functions[f], arguments / 100, modes[m]).error <= 4.0);
}

TEST(sine_and_cosine_together_have_the_bits_of_each_alone) {
    struct random random = random_start(20260102, 0);
    for (int i = 0; i < arguments; i++) {
        double a = 0.0, sine, cosine;
        draw_angle(&random, &a, NULL);
        elementary_sincos(a, &sine, &cosine);
        assert_int_equal(to_bits(sine), to_bits(elementary_sin(a)));
        assert_int_equal(to_bits(cosine), to_bits(elementary_cos(a)));
    }
}

TEST(powers_of_ten_have_exact_decimal_logarithms) {
    double power = 1.0;
    for (int i = 0; i <= 22; i++) { /* 10^22 is the last that is a double */
        assert_true(elementary_log10(power) == i);
        power *= 10.0;
    }
}

/* ---- special values, as annex F of C99 gives them ---- */

typedef struct {
    const function *f;
    double a, b, expected;
} special_value;

static void check_special_values(const special_value *values, size_t count) {
    int wrong = 0;
    for (size_t i = 0; i < count; i++) {
        const special_value *v = &values[i];
        double computed = v->f->computed(v->a, v->b);
        if (isnan(v->expected) ? isnan(computed) : to_bits(computed) == to_bits(v->expected))
            continue;
        printf("%s(%a, %a) is %a, not %a\n", v->f->name, v->a, v->b, computed, v->expected);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

#define AT(name, a, expected)                                                                                          \
    { &function_##name, a, 0.0, expected }
#define AT2(name, a, b, expected)                                                                                      \
    { &function_##name, a, b, expected }
#define CHECK(values) check_special_values(values, sizeof(values) / sizeof *(values))

TEST(exponentials_and_logarithms_know_their_special_values) {
    const special_value values[] = {
        AT(exp, 0.0, 1.0),
        AT(exp, -0.0, 1.0),
        AT(exp, INFINITY, INFINITY),
        AT(exp, -INFINITY, 0.0),
        AT(exp, NAN, NAN),
        AT(exp, 710.0, INFINITY),
        AT(exp, -746.0, 0.0),
        AT(exp, 0x1p-1074, 1.0),
        AT(exp, 0x1p+1000, INFINITY),
        AT(exp, -0x1p+1000, 0.0),
        AT(log, 1.0, 0.0),
        AT(log, 0.0, -INFINITY),
        AT(log, -0.0, -INFINITY),
        AT(log, INFINITY, INFINITY),
        AT(log, -1.0, NAN),
        AT(log, -INFINITY, NAN),
        AT(log, NAN, NAN),
        AT(log, -0x1p-1074, NAN),
        AT(log10, 1.0, 0.0),
        AT(log10, 0.0, -INFINITY),
        AT(log10, -0.0, -INFINITY),
        AT(log10, INFINITY, INFINITY),
        AT(log10, -1.0, NAN),
        AT(log10, -INFINITY, NAN),
        AT(log10, NAN, NAN),
        AT(log10, 1000.0, 3.0),
    };
    CHECK(values);
}

TEST(circle_functions_know_their_special_values) {
    const special_value values[] = {
        AT(sin, 0.0, 0.0),  AT(sin, -0.0, -0.0),           AT(sin, INFINITY, NAN),          AT(sin, -INFINITY, NAN),
        AT(sin, NAN, NAN),  AT(sin, 0x1p-1074, 0x1p-1074), AT(sin, -0x1p-1074, -0x1p-1074), AT(cos, 0.0, 1.0),
        AT(cos, -0.0, 1.0), AT(cos, INFINITY, NAN),        AT(cos, -INFINITY, NAN),         AT(cos, NAN, NAN),
        AT(tan, 0.0, 0.0),  AT(tan, -0.0, -0.0),           AT(tan, INFINITY, NAN),          AT(tan, -INFINITY, NAN),
        AT(tan, NAN, NAN),  AT(tan, 0x1p-1074, 0x1p-1074), AT(tan, -0x1p-1074, -0x1p-1074),
    };
    CHECK(values);
}

TEST(arc_functions_know_their_special_values) {
    const special_value values[] = {
        AT(asin, 0.0, 0.0),
        AT(asin, -0.0, -0.0),
        AT(asin, 1.0, HALF_PI),
        AT(asin, -1.0, -HALF_PI),
        AT(asin, 0x1.0000000000001p+0, NAN),
        AT(asin, -2.0, NAN),
        AT(asin, INFINITY, NAN),
        AT(asin, NAN, NAN),
        AT(acos, 1.0, 0.0),
        AT(acos, -1.0, 2.0 * HALF_PI),
        AT(acos, 0.0, HALF_PI),
        AT(acos, -0.0, HALF_PI),
        AT(acos, 0x1.0000000000001p+0, NAN),
        AT(acos, -2.0, NAN),
        AT(acos, -INFINITY, NAN),
        AT(acos, NAN, NAN),
        AT(atan, 0.0, 0.0),
        AT(atan, -0.0, -0.0),
        AT(atan, INFINITY, HALF_PI),
        AT(atan, -INFINITY, -HALF_PI),
        AT(atan, 1.0, HALF_PI / 2.0),
        AT(atan, -1.0, -HALF_PI / 2.0),
        AT(atan, NAN, NAN),
        AT(atan, 0x1p-1074, 0x1p-1074),
    };
    CHECK(values);
}

TEST(hyperbolic_functions_know_their_special_values) {
    const special_value values[] = {
        AT(sinh, 0.0, 0.0),
        AT(sinh, -0.0, -0.0),
        AT(sinh, INFINITY, INFINITY),
        AT(sinh, -INFINITY, -INFINITY),
        AT(sinh, NAN, NAN),
        AT(sinh, 711.0, INFINITY),
        AT(sinh, -711.0, -INFINITY),
        AT(sinh, 0x1p-1074, 0x1p-1074),
        AT(cosh, 0.0, 1.0),
        AT(cosh, -0.0, 1.0),
        AT(cosh, INFINITY, INFINITY),
        AT(cosh, -INFINITY, INFINITY),
        AT(cosh, NAN, NAN),
        AT(cosh, 711.0, INFINITY),
        AT(tanh, 0.0, 0.0),
        AT(tanh, -0.0, -0.0),
        AT(tanh, INFINITY, 1.0),
        AT(tanh, -INFINITY, -1.0),
        AT(tanh, NAN, NAN),
        AT(tanh, 30.0, 1.0),
        AT(tanh, 0x1p-1074, 0x1p-1074),
        AT(asinh, 0.0, 0.0),
        AT(asinh, -0.0, -0.0),
        AT(asinh, INFINITY, INFINITY),
        AT(asinh, -INFINITY, -INFINITY),
        AT(asinh, NAN, NAN),
        AT(asinh, 0x1p-1074, 0x1p-1074),
        AT(acosh, 1.0, 0.0),
        AT(acosh, 0.5, NAN),
        AT(acosh, 0.0, NAN),
        AT(acosh, -1.0, NAN),
        AT(acosh, INFINITY, INFINITY),
        AT(acosh, -INFINITY, NAN),
        AT(acosh, NAN, NAN),
        AT(acosh, 0x1.fffffffffffffp-1, NAN),
        AT(atanh, 0.0, 0.0),
        AT(atanh, -0.0, -0.0),
        AT(atanh, 1.0, INFINITY),
        AT(atanh, -1.0, -INFINITY),
        AT(atanh, 2.0, NAN),
        AT(atanh, -INFINITY, NAN),
        AT(atanh, NAN, NAN),
        AT(atanh, 0x1p-1074, 0x1p-1074),
    };
    CHECK(values);
}

TEST(powers_know_their_special_values) {
    const special_value values[] = {
        AT2(pow, NAN, 0.0, 1.0),
        AT2(pow, NAN, -0.0, 1.0),
        AT2(pow, INFINITY, 0.0, 1.0),
        AT2(pow, 0.0, 0.0, 1.0),
        AT2(pow, -3.0, -0.0, 1.0),
        AT2(pow, 1.0, NAN, 1.0),
        AT2(pow, 1.0, INFINITY, 1.0),
        AT2(pow, -1.0, INFINITY, 1.0),
        AT2(pow, -1.0, -INFINITY, 1.0),
        AT2(pow, NAN, 1.0, NAN),
        AT2(pow, 2.0, NAN, NAN),
        AT2(pow, -1.0, NAN, NAN),
        AT2(pow, 0.0, -3.0, INFINITY),
        AT2(pow, -0.0, -3.0, -INFINITY),
        AT2(pow, -0.0, -2.0, INFINITY),
        AT2(pow, -0.0, -2.5, INFINITY),
        AT2(pow, 0.0, -INFINITY, INFINITY),
        AT2(pow, -0.0, -INFINITY, INFINITY),
        AT2(pow, 0.0, 3.0, 0.0),
        AT2(pow, -0.0, 3.0, -0.0),
        AT2(pow, -0.0, 2.0, 0.0),
        AT2(pow, -0.0, 2.5, 0.0),
        AT2(pow, -0.0, INFINITY, 0.0),
        AT2(pow, -0.0, 0x1.fffffffffffffp+52, -0.0),
        AT2(pow, -2.0, 0.5, NAN),
        AT2(pow, -2.0, -1.5, NAN),
        AT2(pow, -0x1p-1074, 0.5, NAN),
        AT2(pow, 0.5, -INFINITY, INFINITY),
        AT2(pow, -2.0, -INFINITY, 0.0),
        AT2(pow, 0.5, INFINITY, 0.0),
        AT2(pow, -2.0, INFINITY, INFINITY),
        AT2(pow, INFINITY, -3.0, 0.0),
        AT2(pow, INFINITY, 0.1, INFINITY),
        AT2(pow, -INFINITY, -3.0, -0.0),
        AT2(pow, -INFINITY, -2.0, 0.0),
        AT2(pow, -INFINITY, -0.5, 0.0),
        AT2(pow, -INFINITY, 3.0, -INFINITY),
        AT2(pow, -INFINITY, 2.0, INFINITY),
        AT2(pow, -INFINITY, 0.5, INFINITY),
        AT2(pow, -INFINITY, INFINITY, INFINITY),
        AT2(pow, INFINITY, -INFINITY, 0.0),
        AT2(pow, INFINITY, NAN, NAN),
        AT2(pow, 2.0, 1024.0, INFINITY),
        AT2(pow, -2.0, 1025.0, -INFINITY),
        AT2(pow, 2.0, -1074.0, 0x1p-1074),
        AT2(pow, -2.0, -1077.0, -0.0),
        AT2(pow, -3.0, 3.0, -27.0),
        AT2(pow, -3.0, 2.0, 9.0),
        AT2(pow, 0x1p-1074, -0x1p+1000, INFINITY),
        AT2(pow, -1.0, 0x1p+53, 1.0),
        AT2(pow, -1.0, 0x1.fffffffffffffp+52, -1.0),
    };
    CHECK(values);
}

TEST(angles_of_points_know_their_special_values) {
    const double pi = 2.0 * HALF_PI, three_quarters = 0x1.2d97c7f3321d2p+1; /* 3 pi/4 */
    const special_value values[] = {
        AT2(atan2, 0.0, -0.0, pi),
        AT2(atan2, -0.0, -0.0, -pi),
        AT2(atan2, 0.0, 0.0, 0.0),
        AT2(atan2, -0.0, 0.0, -0.0),
        AT2(atan2, 0.0, -1.0, pi),
        AT2(atan2, -0.0, -1.0, -pi),
        AT2(atan2, 0.0, 1.0, 0.0),
        AT2(atan2, -0.0, 1.0, -0.0),
        AT2(atan2, -1.0, 0.0, -HALF_PI),
        AT2(atan2, -1.0, -0.0, -HALF_PI),
        AT2(atan2, 1.0, 0.0, HALF_PI),
        AT2(atan2, 1.0, -0.0, HALF_PI),
        AT2(atan2, 1.0, -INFINITY, pi),
        AT2(atan2, -1.0, -INFINITY, -pi),
        AT2(atan2, 1.0, INFINITY, 0.0),
        AT2(atan2, -1.0, INFINITY, -0.0),
        AT2(atan2, INFINITY, 1.0, HALF_PI),
        AT2(atan2, -INFINITY, -1.0, -HALF_PI),
        AT2(atan2, INFINITY, -INFINITY, three_quarters),
        AT2(atan2, -INFINITY, -INFINITY, -three_quarters),
        AT2(atan2, INFINITY, INFINITY, HALF_PI / 2.0),
        AT2(atan2, -INFINITY, INFINITY, -HALF_PI / 2.0),
        AT2(atan2, NAN, 1.0, NAN),
        AT2(atan2, 1.0, NAN, NAN),
        AT2(atan2, 0.0, NAN, NAN),
        AT2(atan2, -0.0, NAN, NAN),
        AT2(atan2, INFINITY, NAN, NAN),
        AT2(atan2, NAN, INFINITY, NAN),
        AT2(atan2, 0x1p-1074, 1.0, 0x1p-1074),
        AT2(atan2, 0x1p-1074, 0x1p-1074, HALF_PI / 2.0),
        AT2(atan2, 0x1p+1023, -0x1p+1023, three_quarters),
        AT2(atan2, -0x1p-1074, 0x1p+1023, -0.0),
    };
    CHECK(values);
}

int main(int count, char **words) {
    if (count > 1)
        arguments = (int)strtol(words[1], NULL, 10);
    return run_registered_tests();
}
