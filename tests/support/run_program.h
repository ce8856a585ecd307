/* run_program.h - runs programs in tests: slots of their own, leaves set per lane, results read back.
 *
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_SUPPORT_RUN_PROGRAM_H
#define TESTS_SUPPORT_RUN_PROGRAM_H

#include "cpu/backend.h"

/* All spaces of x in phase 0, of y in phase 1, all others in phase 2, with the given numbers of leaves. */
struct program_request request_of(const struct graph *graph, const uint32_t *outputs, size_t output_count,
                                  const size_t *leaf_count);

/* Fresh slots, prepared; free() them. */
double *fresh_slots(const struct program *program);

void set_leaf(const struct program *program, double *slots, enum space space, size_t index, int lane, double value);
double output_at(const struct program *program, const double *slots, size_t output, int lane);
void run_all(struct backend backend, const struct program *program, double *slots);

/* The backend that is chosen by default. */
struct backend best_backend(void);

#endif
