/* runner.c - see runner.h.
 *
 * SPDX-License-Identifier: MIT */
#include "check/runner.h"

#include "base/error.h"
#include "base/layout.h"
#include "base/memory.h"

static void place(struct layout *layout, void *context) {
    struct runner *runner = context;
    runner->slots = layout_take(layout, runner->program->slots, LANES * sizeof *runner->slots);
}

hn_status runner_create(struct runner *runner, const struct program *program, hn_error *error) {
    *runner = (struct runner){.program = program};
    hn_status status = backend_choose(&runner->backend, HN_INSTRUCTIONS_BEST, error);
    if (status != HN_OK)
        return status;
    runner->block = layout_allocate(place, runner);
    if (!runner->block)
        return error_no_memory(error, "running a program");
    program_prepare(program, runner->slots);
    return HN_OK;
}

void runner_release(struct runner *runner) {
    base_release(runner->block);
    *runner = (struct runner){.program = NULL};
}

double *runner_leaf(const struct runner *runner, enum space space, size_t index) {
    return runner->slots + (runner->program->leaf_slot[space] + index) * LANES;
}

const double *runner_output(const struct runner *runner, size_t output) {
    return runner->slots + (size_t)runner->program->output_slot[output] * LANES;
}

void runner_fill_lane(const struct runner *runner, enum space space, const double *values, size_t lane) {
    for (size_t i = 0; i < runner->program->leaf_count[space]; i++)
        runner_leaf(runner, space, i)[lane] = values[i];
}

void runner_fill(const struct runner *runner, enum space space, const double *values) {
    for (size_t lane = 0; lane < LANES; lane++)
        runner_fill_lane(runner, space, values, lane);
}

void runner_run(const struct runner *runner, int first_phase) {
    for (int phase = first_phase; phase < PHASES; phase++)
        runner->backend.run(runner->program, phase, runner->slots);
}
