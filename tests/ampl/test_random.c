/* test_random.c - random functions: their distributions, and what a draw depends on.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/reading.h"

#include "ampl/draws.h"

enum { MANY = 40000, MOST_CELLS = 64 };

static struct ampl_random stream(uint64_t number) {
    return (struct ampl_random){.key = ampl_random_key(12345, number)};
}

/* ---- the generator ---- */

/* splitmix64 from state 0, as its authors print it. */
TEST(words_are_those_of_splitmix64) {
    struct ampl_random random = {.key = 0};
    assert_true(ampl_random_word(&random) == UINT64_C(0xe220a8397b1dcdaf));
    assert_true(ampl_random_word(&random) == UINT64_C(0x6e789e6aa1b965f4));
    assert_true(ampl_random_word(&random) == UINT64_C(0x06c45d188009454f));
}

/* Neighbouring keys, as those of neighbouring indices, give values that have nothing to do with each other. */
TEST(neighbouring_keys_are_independent) {
    double product = 0, sum = 0;
    for (uint64_t i = 0; i < MANY; i++) {
        struct ampl_random here = {.key = ampl_random_key(7, i)}, there = {.key = ampl_random_key(7, i + 1)};
        double a = ampl_random_uniform(&here) - 0.5, b = ampl_random_uniform(&there) - 0.5;
        product += a * b;
        sum += a;
    }
    assert_true(fabs(sum) < 5 * sqrt(MANY / 12.0));
    assert_true(fabs(product) < 5 * sqrt(MANY / 144.0));
}

/* ---- distributions ---- */

enum kind { UNIFORM, NORMAL, EXPONENTIAL, CAUCHY, GAMMA, BETA };

struct distribution {
    const char *name;
    enum kind kind;
    double a, b;
    double (*below)(double a, double b, double x); /* the share below x; NULL: only the mean and variance are known */
    double mean, variance;
};

static double draw(struct ampl_random *random, const struct distribution *d) {
    switch (d->kind) {
    case UNIFORM:
        return ampl_random_uniform(random);
    case NORMAL:
        return ampl_random_normal(random);
    case EXPONENTIAL:
        return ampl_random_exponential(random);
    case CAUCHY:
        return ampl_random_cauchy(random);
    case GAMMA:
        return ampl_random_gamma(random, d->a);
    default:
        return ampl_random_beta(random, d->a, d->b);
    }
}

static double uniform_below(double a, double b, double x) {
    (void)a, (void)b;
    return x < 0 ? 0 : x > 1 ? 1 : x;
}
static double normal_below(double a, double b, double x) {
    (void)a, (void)b;
    return 0.5 * erfc(-x / sqrt(2));
}
static double exponential_below(double a, double b, double x) {
    (void)a, (void)b;
    return 1 - exp(-x);
}
static double cauchy_below(double a, double b, double x) {
    (void)a, (void)b;
    return 0.5 + atan(x) / acos(-1);
}
static double half_below(double a, double b, double x) { /* gamma of shape 1/2 is half a square of a normal */
    (void)a, (void)b;
    return erf(sqrt(x));
}
static double two_below(double a, double b, double x) { /* gamma of shape 2 */
    (void)a, (void)b;
    return 1 - (1 + x) * exp(-x);
}
static double arc_below(double a, double b, double x) { /* beta(1/2, 1/2) */
    (void)a, (void)b;
    return 2 / acos(-1) * asin(sqrt(x));
}
static double power_below(double a, double b, double x) { /* beta(a, 1) */
    (void)b;
    return pow(x, a);
}

static int ascending(const void *a, const void *b) {
    double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

/* Kolmogorov and Smirnov: the largest distance of the two curves, times sqrt(n), is above 2.2 once in 8000 times. */
static double distance(const struct distribution *d, double *values) {
    double most = 0;
    qsort(values, MANY, sizeof *values, ascending);
    for (int i = 0; i < MANY; i++) {
        double share = d->below(d->a, d->b, values[i]);
        most = fmax(most, fmax(fabs(share - (double)i / MANY), fabs(share - (i + 1.0) / MANY)));
    }
    return most * sqrt(MANY);
}

TEST(values_have_their_distribution) {
    static const struct distribution list[] = {{"uniform", UNIFORM, 0, 0, uniform_below, 0.5, 1.0 / 12},
                                               {"normal", NORMAL, 0, 0, normal_below, 0, 1},
                                               {"exponential", EXPONENTIAL, 0, 0, exponential_below, 1, 1},
                                               {"cauchy", CAUCHY, 0, 0, cauchy_below, 0, 0},
                                               {"gamma 1/2", GAMMA, 0.5, 0, half_below, 0.5, 0.5},
                                               {"gamma 1", GAMMA, 1, 0, exponential_below, 1, 1},
                                               {"gamma 2", GAMMA, 2, 0, two_below, 2, 2},
                                               {"gamma 1000", GAMMA, 1000, 0, NULL, 1000, 1000},
                                               {"beta 1/2", BETA, 0.5, 0.5, arc_below, 0.5, 0.125},
                                               {"beta 3,1", BETA, 3, 1, power_below, 0.75, 0.0375},
                                               {"beta 0.02,1", BETA, 0.02, 1, power_below, 0, 0},
                                               {"beta 2,5", BETA, 2, 5, NULL, 2.0 / 7, 10.0 / 392}};
    static double values[MANY];
    for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
        struct ampl_random random = stream(k);
        double sum = 0, square = 0;
        for (int i = 0; i < MANY; i++) {
            values[i] = draw(&random, &list[k]);
            sum += values[i] - list[k].mean;
            square += (values[i] - list[k].mean) * (values[i] - list[k].mean);
        }
        if (list[k].variance > 0 && fabs(sum) > 5 * sqrt(MANY * list[k].variance))
            fail_msg("%s: the mean is off by %g", list[k].name, sum / MANY);
        if (list[k].variance > 0 && fabs(square / MANY / list[k].variance - 1) > 0.1)
            fail_msg("%s: the variance is %g", list[k].name, square / MANY);
        if (list[k].below && distance(&list[k], values) > 2.2)
            fail_msg("%s: not this distribution", list[k].name);
    }
}

/* Pearson's sum over cells with at least 20 expected, less its mean, in standard deviations. */
static double excess(const double *counts, const double *shares, int cells) {
    double sum = 0, freedom = -1;
    for (int i = 0; i < cells; i++) {
        double wanted = shares[i] * MANY;
        if (wanted < 20)
            continue;
        sum += (counts[i] - wanted) * (counts[i] - wanted) / wanted;
        freedom++;
    }
    return (sum - freedom) / sqrt(2 * freedom);
}

TEST(counts_have_their_distribution) {
    static const double means[] = {0.5, 3, 15.9, 16, 40};
    for (size_t k = 0; k < sizeof means / sizeof means[0]; k++) {
        double poisson[MOST_CELLS] = {0}, binomial[MOST_CELLS] = {0}, shares[MOST_CELLS], trials[MOST_CELLS];
        double p = means[k] / 60;
        struct ampl_random random = stream(100 + k);
        for (int i = 0; i < MOST_CELLS; i++) {
            shares[i] = exp(i * log(means[k]) - means[k] - lgamma(i + 1));
            trials[i] =
                i > 60 ? 0 : exp(lgamma(61) - lgamma(i + 1) - lgamma(61 - i) + i * log(p) + (60 - i) * log(1 - p));
        }
        for (int i = 0; i < MANY; i++) {
            double a = ampl_random_poisson(&random, means[k]), b = ampl_random_binomial(&random, 60, p);
            assert_true(a >= 0 && a == floor(a) && b >= 0 && b <= 60 && b == floor(b));
            poisson[a < MOST_CELLS ? (int)a : MOST_CELLS - 1]++;
            binomial[(int)b]++;
        }
        assert_true(excess(poisson, shares, MOST_CELLS - 1) < 5);
        assert_true(excess(binomial, trials, 61) < 5);
    }
}

TEST(large_means_are_quick_and_right) {
    for (double mean = 1e3; mean <= AMPL_MOST_MEAN; mean *= 1e3) {
        struct ampl_random random = stream((uint64_t)mean);
        double sum = 0;
        for (int i = 0; i < 2000; i++) {
            double count = ampl_random_poisson(&random, mean);
            assert_true(count == floor(count) && fabs(count - mean) < 7 * sqrt(mean));
            sum += count - mean;
        }
        assert_true(fabs(sum) < 5 * sqrt(2000 * mean));
    }
    struct ampl_random random = stream(9);
    assert_true(ampl_random_poisson(&random, 0) == 0);
}

/* ---- what a draw depends on ---- */

static double row_bound(const char *text, const char *row) {
    hn_model *model = model_of_text(text);
    double bound = value_at(model, row_named(model, row).upper, NULL, NULL);
    hn_model_destroy(model);
    return bound;
}

TEST(a_draw_depends_on_seed_name_and_index_alone) {
    const char *plain = "option randseed 3; param p{1..4} := Uniform01(); var x; c: x <= p[2];";
    double value = row_bound(plain, "c");
    assert_true(value > 0 && value < 1);
    /* other values are asked for first, the text is longer, its blanks differ, a let makes everything be computed again */
    assert_true(row_bound("option randseed 3;\n\nparam q := Normal01(); param  p {i in 1..9}:=Uniform01();\n"
                          "param r := p[4] + p[2]; var x >= q; var y >= r; c: x <= p[2];",
                          "c") == value);
    assert_true(row_bound("option randseed 3; param n; param p{1..4} := Uniform01(); param s := p[2]; var x; c: x <= s;"
                          "let n := p[1]; let n := 3;",
                          "c") == value);
    assert_true(row_bound("param p{1..4} := Uniform01(); var x; c: x <= p[2]; option randseed '3';", "c") == value);
    assert_true(row_bound("option randseed 4; param p{1..4} := Uniform01(); var x; c: x <= p[2];", "c") != value);
    assert_true(row_bound("option randseed 3; param q{1..4} := Uniform01(); var x; c: x <= q[2];", "c") != value);
    assert_true(row_bound("option randseed 3; param p{1..4} := Uniform01(); var x; c: x <= p[3];", "c") != value);
    assert_true(row_bound("param p{1..4} := Uniform01(); option randseed 0; var x; c: x <= p[2];", "c") ==
                row_bound("option randseed 1, solver x$y; param p{1..4} := Uniform01(); var x; c: x <= p[2];", "c"));
    assert_true(row_bound("param p{1..4} := Uniform01(); var x; c: x <= p[2];", "c") ==
                row_bound("option randseed 1; param p{1..4} := Uniform01(); var x; c: x <= p[2];", "c"));
}

TEST(calls_in_one_declaration_and_runs_of_a_command_differ) {
    assert_true(constant_of("", "Uniform01() - Uniform01()", "") != 0);
    assert_true(constant_of("param p{1..2}; let {i in 1..2} p[i] := Uniform01();", "p[1] - p[2]", "") != 0);
    assert_true(constant_of("param p; param q; let p := Uniform01(); let q := p; let p := Uniform01();", "p - q", "") !=
                0);
    assert_true(constant_of("param s{i in 1..2} := sum {k in 1..50} (if Uniform01() < 0.5 then 1);", "s[1]", "") > 10);
    assert_true(constant_of("param p := Irand224();", "p - floor(p)", "") == 0);
    assert_true(constant_of("param p{1..200} := Irand224();", "max {i in 1..200} p[i]", "") < 0x1p24);
    assert_true(constant_of("param p{1..200} := Irand224();", "max {i in 1..200} p[i]", "") > 0x1p23);
}
