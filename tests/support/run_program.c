/* run_program.c - see run_program.h.
 *
 * SPDX-License-Identifier: MIT */
#include "support/run_program.h"

#include <stdlib.h>
#include <string.h>

struct program_request request_of(const struct graph *graph, const uint32_t *outputs, size_t output_count,
                                  const size_t *leaf_count) {
    struct program_request request = {
        .stride = LANES, .graph = graph, .outputs = outputs, .output_count = output_count};
    memcpy(request.leaf_count, leaf_count, sizeof request.leaf_count);
    for (int space = 0; space < SPACE_COUNT; space++)
        request.phase[space] = (uint8_t)(space < PHASES ? space : PHASES - 1);
    return request;
}

double *fresh_slots(const struct program *program) {
    double *slots = aligned_alloc(64, program->slots * LANES * sizeof *slots);
    program_prepare(program, slots);
    return slots;
}

void set_leaf(const struct program *program, double *slots, enum space space, size_t index, int lane, double value) {
    slots[(program->leaf_slot[space] + index) * LANES + (size_t)lane] = value;
}

double output_at(const struct program *program, const double *slots, size_t output, int lane) {
    return slots[(size_t)program->output_slot[output] * LANES + (size_t)lane];
}

void run_all(struct backend backend, const struct program *program, double *slots) {
    for (int phase = 0; phase < PHASES; phase++)
        backend.run(program, phase, slots);
}

struct backend best_backend(void) {
    struct backend backend;
    backend_at(0, &backend);
    return backend;
}
