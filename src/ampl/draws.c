/* draws.c - see draws.h.
 *
 * Word k of a key is the finaliser of splitmix64 (Steele, Lea, Flood 2014) of key + k * golden ratio. Transforms:
 *
 *     normal       the polar method (Marsaglia, Bray 1964)
 *     cauchy       the quotient of a point in the unit disc
 *     gamma        d (1 + c x)^3, squeeze-free (Marsaglia, Tsang 2000); shapes below 1 by shape + 1 and u^(1/shape)
 *     beta         X / (X + Y) of two gammas, by their logarithms so that small shapes do not underflow
 *     poisson      halved by gammas until the mean is small (Ahrens, Dieter 1974), then a product of uniforms
 *     binomial     halved by betas, the order statistics of uniforms (Devroye 1986), then then single trials
 *
 * They use + - * / sqrt and the library's elementary functions, so the bits are the same everywhere.
 *
 * The value of a call is drawn from a key that combines the seed, the declaration, the number of the call in it, and
 * the dummies; in a command also the number of commands run before. So the order and number of evaluations do not
 * matter: Uniform01() in a param has one value per index.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/draws.h"

#include "ampl/evaluator.h"

#include <math.h>

#define WIDTH 1
#include "base/elementary.h"

static const uint64_t GOLDEN = UINT64_C(0x9e3779b97f4a7c15);
static const double FEW = 16; /* smaller means and numbers of trials are not halved */

static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t ampl_random_key(uint64_t key, uint64_t word) {
    return mix(mix(key + GOLDEN) ^ word);
}

/* Mixes in each byte as a word, then the length. */
uint64_t ampl_random_key_text(uint64_t key, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++)
        key = ampl_random_key(key, (unsigned char)text[i]);
    return ampl_random_key(key, length);
}

uint64_t ampl_random_word(struct ampl_random *random) {
    return mix(random->key + GOLDEN * ++random->count);
}

double ampl_random_uniform(struct ampl_random *random) {
    return (double)(ampl_random_word(random) >> 11) * 0x1p-53;
}

/* ---- normal, exponential, cauchy ---- */

/* A point in the unit disc except its centre; returns u^2 + v^2. */
static double disc(struct ampl_random *random, double *u, double *v) {
    double square;
    do {
        *u = 2 * ampl_random_uniform(random) - 1;
        *v = 2 * ampl_random_uniform(random) - 1;
        square = *u * *u + *v * *v;
    } while (!(square < 1 && square > 0));
    return square;
}

double ampl_random_normal(struct ampl_random *random) {
    double u, v, square = disc(random, &u, &v);
    return u * simd_sqrt(-2 * elementary_log(square) / square);
}

static double log_uniform(struct ampl_random *random) {
    return elementary_log(1 - ampl_random_uniform(random)); /* avoids log 0 */
}

double ampl_random_exponential(struct ampl_random *random) {
    return 0 - log_uniform(random);
}

double ampl_random_cauchy(struct ampl_random *random) {
    double u, v;
    do
        disc(random, &u, &v);
    while (u == 0);
    return v / u;
}

/* ---- gamma and beta ---- */

static double gamma_above_one(struct ampl_random *random, double shape) {
    double d = shape - 1.0 / 3, c = 1 / simd_sqrt(9 * d);
    for (;;) {
        double x = ampl_random_normal(random), root = 1 + c * x, v = root * root * root;
        if (root > 0 && log_uniform(random) < 0.5 * x * x + d * (1 - v + elementary_log(v)))
            return d * v;
    }
}

static double log_gamma_draw(struct ampl_random *random, double shape) {
    if (shape >= 1)
        return elementary_log(gamma_above_one(random, shape));
    double larger = elementary_log(gamma_above_one(random, shape + 1));
    return larger + log_uniform(random) / shape;
}

double ampl_random_gamma(struct ampl_random *random, double shape) {
    return shape >= 1 ? gamma_above_one(random, shape) : elementary_exp(log_gamma_draw(random, shape));
}

double ampl_random_beta(struct ampl_random *random, double a, double b) {
    double x = log_gamma_draw(random, a), y = log_gamma_draw(random, b);
    return 1 / (1 + elementary_exp(y - x));
}

/* ---- binomial and poisson ---- */

double ampl_random_binomial(struct ampl_random *random, double n, double p) {
    double count = 0;
    while (n >= FEW) { /* compares the median of n uniforms with p */
        double middle = 1 + floor(n / 2), at = ampl_random_beta(random, middle, n + 1 - middle);
        if (at >= p) {
            n = middle - 1;
            p = p / at;
        } else {
            count += middle;
            n -= middle;
            p = (p - at) / (1 - at);
        }
    }
    for (int left = (int)n; left > 0; left--)
        count += ampl_random_uniform(random) < p;
    return count;
}

double ampl_random_poisson(struct ampl_random *random, double mean) {
    double count = 0;
    while (mean >= FEW) { /* arrivals up to the time `mean`; arrival number `some` is at a gamma-distributed time */
        double some = floor(mean * 0.875), at = ampl_random_gamma(random, some);
        if (at > mean)
            return count + ampl_random_binomial(random, some - 1, mean / at);
        count += some;
        mean -= at;
    }
    double least = elementary_exp(-mean), product = 1 - ampl_random_uniform(random);
    int more = 0;
    for (; product > least; more++)
        product *= 1 - ampl_random_uniform(random);
    return count + more;
}

/* ---- calls ---- */

enum { MOST_ARGUMENTS = 2 };

static const uint64_t DEFAULT_SEED = 1;

static uint64_t mix_symbol(const struct ampl_evaluator *e, uint64_t key, uint32_t symbol) {
    return ampl_random_key_text(key, e->symbols->list[symbol].text, e->symbols->list[symbol].length);
}

static uint64_t key_of(const struct ampl_evaluator *e, const struct ampl_draw *draw) {
    uint64_t stated = e->program->first_seed > 0 ? e->program->first_seed : DEFAULT_SEED;
    uint64_t key = ampl_random_key(0, draw->seed > 0 ? draw->seed : stated);
    if (draw->owner > 0)
        key = mix_symbol(e, key, draw->owner);
    else
        key = ampl_random_key(ampl_random_key(key, draw->command), e->runs);
    key = ampl_random_key(key, draw->number);
    for (uint32_t i = 0; i < draw->scope; i++) {
        ampl_atom atom = e->stack[e->base + i];
        key = ampl_atom_is_symbol(atom) ? mix_symbol(e, key, ampl_atom_to_symbol(atom)) : ampl_random_key(key, atom);
    }
    return key;
}

static const char *problem_of(uint32_t word, const double *a) {
    switch (word) {
    case AMPL_WORD_Normal:
        return a[1] >= 0 ? NULL : "the standard deviation must not be negative";
    case AMPL_WORD_Gamma:
        return a[0] > 0 ? NULL : "the argument must be positive";
    case AMPL_WORD_Beta:
        return a[0] > 0 && a[1] > 0 ? NULL : "the arguments must be positive";
    case AMPL_WORD_Poisson:
        return a[0] >= 0 && a[0] <= AMPL_MOST_MEAN ? NULL : "the mean must be from 0 to 1e15";
    default:
        return NULL;
    }
}

static double draw_value(struct ampl_random *random, uint32_t word, const double *a) {
    switch (word) {
    case AMPL_WORD_Beta:
        return ampl_random_beta(random, a[0], a[1]);
    case AMPL_WORD_Cauchy:
        return ampl_random_cauchy(random);
    case AMPL_WORD_Exponential:
        return ampl_random_exponential(random);
    case AMPL_WORD_Gamma:
        return ampl_random_gamma(random, a[0]);
    case AMPL_WORD_Irand224:
        return (double)(ampl_random_word(random) >> 40);
    case AMPL_WORD_Normal:
        return a[0] + a[1] * ampl_random_normal(random);
    case AMPL_WORD_Normal01:
        return ampl_random_normal(random);
    case AMPL_WORD_Poisson:
        return ampl_random_poisson(random, a[0]);
    case AMPL_WORD_Uniform:
        return a[0] + (a[1] - a[0]) * ampl_random_uniform(random);
    default:
        return ampl_random_uniform(random);
    }
}

struct ampl_value ampl_evaluate_draw(struct ampl_evaluator *e, const struct ampl_node *node) {
    const struct ampl_draw *draw = node->is.draw;
    const char *name = ampl_symbol_text(e, draw->word), *problem = NULL;
    double arguments[MOST_ARGUMENTS] = {0};
    for (uint32_t i = 0; i < node->count; i++) {
        if (!ampl_number(e, node->arguments[i], name, &arguments[i]))
            return ampl_value_nothing();
        if (!isfinite(arguments[i]))
            problem = "the arguments must be finite";
    }
    problem = problem ? problem : problem_of(draw->word, arguments);
    if (problem)
        return ampl_no_value(e, HN_INVALID, node->place, "%s: %s", name, problem);
    struct ampl_random random = {.key = key_of(e, draw)};
    return ampl_value_number(draw_value(&random, draw->word, arguments));
}
