/* theorem.c - see theorem.h.
 *
 * SPDX-License-Identifier: MIT */
#include "check/theorem.h"

#include <math.h>

static double f(double L, double s) {
    return 1 / s - L / (2 * s * s);
}

double theorem_k(const struct theorem_constants *constants, double eps) {
    return fmin(f(constants->L, eps), f(constants->L, eps + constants->G * constants->G));
}

double theorem_rate(const struct theorem_constants *constants, double eps) {
    return eps > constants->L / 2 ? 1 - 2 * constants->mu * theorem_k(constants, eps) : 1;
}

/* The positive root of eps^2 + (G^2 - L) eps - L G^2 / 2 = 0; divides by the sum that does not cancel. */
double theorem_best_eps(const struct theorem_constants *constants) {
    double L = constants->L, g = constants->G * constants->G, root = hypot(L, g);
    return L >= g ? (L - g + root) / 2 : L * g / (g - L + root);
}
