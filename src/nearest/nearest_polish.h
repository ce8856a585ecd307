/* nearest_polish.h - Newton's method on the rows that are active, and the residual of the optimality conditions.
 *
 * Close to a solution the interior-point method tells which rows are on a bound: their force outweighs their slack. With these as
 * equalities and the others left out, the system's solution is Newton's step of the optimality conditions; rows whose multiplier gets
 * the wrong sign leave, rows that become violated join. What is best of all that was met is kept, by its residual:
 *
 *     max( |S^2 (y - y_raw) - J' l| / max(1, |l|),   |l| times the distance to the bound it belongs to,   violation )
 *
 * in largest entries, over the outputs that are not fixed.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NEAREST_POLISH_H
#define HN_NEAREST_POLISH_H

#include "nearest/nearest_barrier.h"

/* The residual for the program's y, where c and J were evaluated, and a vector of multipliers; infinite where it is no number. */
double polish_residual(const struct nearest_view *v, size_t multipliers);

/* The same where COLUMN_REST is known already, and the largest multiplier. */
double polish_residual_of(const struct nearest_view *v, size_t multipliers, double largest);

/* Keeps the program's y with these multipliers where its residual is the smallest so far. */
void polish_keep(const struct nearest_view *v, struct nearest_state *s, size_t multipliers, double residual);

/* Which rows are active at the iterate, which is the program's y. */
void polish_begin(const struct nearest_view *v, struct nearest_state *s);

void polish_assemble(const struct nearest_view *v);

/* After the solve: the program's y and the multipliers move; false where they are not finite. */
bool polish_step(const struct nearest_view *v);

/* After the evaluation there; false: polishing has ended. */
bool polish_judge(const struct nearest_view *v, struct nearest_state *s);

#endif
