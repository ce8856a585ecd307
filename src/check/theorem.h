/* theorem.h - the formulas of the paper's convergence theorem.
 *
 * V = |r|^2 / 2 is L-smooth and mu-PL, c is G-Lipschitz. Then any eps > L/2 gives, for the paper's step,
 *
 *     V(y+) - V* <= (1 - 2 mu k(eps)) (V(y) - V*),    k(eps) = min{f(eps), f(eps + G^2)},    f(s) = 1/s - L/(2 s^2)
 *
 * f is 0 at L/2, increases up to L and decreases beyond, so k is largest where both are equal: 1/eps + 1/(eps + G^2) =
 * 2/L.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CHECK_THEOREM_H
#define HN_CHECK_THEOREM_H

#include <math.h>

struct theorem_constants {
    double L, mu, G;
};

static inline double theorem_f(double L, double s) {
    return 1 / s - L / (2 * s * s);
}

static inline double theorem_k(const struct theorem_constants *constants, double eps) {
    return fmin(theorem_f(constants->L, eps), theorem_f(constants->L, eps + constants->G * constants->G));
}

/* The factor for V per step that the theorem guarantees; 1 (no decrease) for eps <= L/2. */
static inline double theorem_rate(const struct theorem_constants *constants, double eps) {
    return eps > constants->L / 2 ? 1 - 2 * constants->mu * theorem_k(constants, eps) : 1;
}

/* The eps that maximises k: the positive root of eps^2 + (G^2 - L) eps - L G^2 / 2 = 0; divides by the sum that does not
 * cancel. */
static inline double theorem_best_eps(const struct theorem_constants *constants) {
    double L = constants->L, g = constants->G * constants->G, root = hypot(L, g);
    return L >= g ? (L - g + root) / 2 : L * g / (g - L + root);
}

#endif
