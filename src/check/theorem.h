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

struct theorem_constants {
    double L, mu, G;
};

double theorem_k(const struct theorem_constants *constants, double eps);

/* The factor for V per step that the theorem guarantees; 1 (no decrease) for eps <= L/2. */
double theorem_rate(const struct theorem_constants *constants, double eps);

/* The eps that maximises k. */
double theorem_best_eps(const struct theorem_constants *constants);

#endif
