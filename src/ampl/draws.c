/* draws.c - see draws.h.
 *
 * Word k of a key is the finaliser of splitmix64 (Steele, Lea, Flood 2014) of key + k * golden ratio. Transforms:
 *
 *     normal       the polar method (Marsaglia, Bray 1964)
 *     cauchy       the quotient of a point in the unit disc
 *     gamma        d (1 + c x)^3, squeeze-free (Marsaglia, Tsang 2000); shapes below 1 by shape + 1 and u^(1/shape)
 *     beta         X / (X + Y) of two gammas, by their logarithms so that small shapes do not underflow
 *     poisson      halved by gammas until the mean is small (Ahrens, Dieter 1974), then a product of uniforms
 *     binomial     halved by betas, the order statistics of uniforms (Devroye 1986), then one trial after the other
 *
 * They use + - * / sqrt and the library's elementary functions, so the bits are the same everywhere.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/draws.h"

#include <math.h>

#define WIDTH 1
#include "base/elementary.h"

static const uint64_t GOLDEN = UINT64_C(0x9e3779b97f4a7c15);
static const double FEW = 16; /* smaller means and numbers of trials are not halved */

static uint64_t draws_mix(uint64_t z) {
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t ampl_random_key(uint64_t key, uint64_t word) {
    return draws_mix(draws_mix(key + GOLDEN) ^ word);
}

/* Mixes in each byte as a word, then the length. */
uint64_t ampl_random_key_text(uint64_t key, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++)
        key = ampl_random_key(key, (unsigned char)text[i]);
    return ampl_random_key(key, length);
}

uint64_t ampl_random_word(struct ampl_random *random) {
    return draws_mix(random->key + GOLDEN * ++random->count);
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
    while (n >= FEW) { /* compares the middle one of n uniforms with p */
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
