/* tape.c - see tape.h.
 *
 * SPDX-License-Identifier: MIT */
#include "layer/tape.h"

#include "base/size.h"

enum { PREFETCH_MOST = 256 }; /* numbers; the hardware prefetcher follows longer runs */

/* Bytes of one sample's part; 0 on overflow. */
static size_t part_bytes(const struct plan *plan) {
    size_t step, steps, numbers, all;
    bool fits = size_multiply(plan->outputs, sizeof(double), &step) &&
                size_add(step, sizeof(struct tape_step), &step) && size_multiply(step, plan->tape_steps, &steps) &&
                size_multiply(plan->tape_numbers, sizeof(double), &numbers) && size_add(steps, numbers, &steps) &&
                size_add(steps, sizeof(struct tape_head), &all);
    return fits ? all : 0;
}

size_t tape_bytes(const struct plan *plan, size_t count) {
    size_t part = part_bytes(plan), bytes;
    bool fits = part > 0 && size_multiply(part, count, &bytes) && size_add(bytes, sizeof(double), &bytes);
    return fits ? bytes : 0;
}

struct tape tape_of(const struct plan *plan, void *memory, size_t sample) {
    uintptr_t begin = ((uintptr_t)memory + sizeof(double) - 1) & ~(uintptr_t)(sizeof(double) - 1);
    unsigned char *part = (unsigned char *)begin + sample * part_bytes(plan); // NOLINT(performance-no-int-to-ptr)
    struct tape tape = {.room = plan->tape_steps, .outputs = plan->outputs};
    tape.head = (struct tape_head *)(void *)part;
    tape.step = (struct tape_step *)(void *)(tape.head + 1);
    tape.iterate = (double *)(void *)(tape.step + tape.room);
    tape.numbers = tape.iterate + tape.room * tape.outputs;
    return tape;
}

void tape_write_step(const struct tape *tape, int steps, double eps, enum sample_step kind) {
    if (steps > 0 && (size_t)steps <= tape->room)
        tape->step[steps - 1] = (struct tape_step){eps, (int32_t)kind, 0};
}

double *tape_iterate(const struct tape *tape, int steps) {
    return (size_t)steps < tape->room ? tape->iterate + (size_t)steps * tape->outputs : NULL;
}

void tape_prefetch(const struct tape *tape, int steps, bool write) {
    enum { LINE = 64 / sizeof(double) };
    if (steps < 0 || (size_t)steps >= tape->room)
        return;
    const double *y = tape->iterate + (size_t)steps * tape->outputs;
    size_t most = tape->outputs < PREFETCH_MOST ? tape->outputs : PREFETCH_MOST;
    for (size_t i = 0; i < most; i += LINE)
        if (write)
            __builtin_prefetch(y + i, 1);
        else
            __builtin_prefetch(y + i, 0);
}
