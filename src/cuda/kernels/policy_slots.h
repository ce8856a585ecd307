/* policy_slots.h - the library's kernels by the names that core/refine_qp.h calls them by, for one sample per thread whose
 * slots are those of a warp. C++, as no other text here: functions of a struct cost no pointer. They stay functions, because the programme is
 * solved in two places: inlined, the kernel takes the compiler 10 s instead of 3.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_POLICY_SLOTS_H
#define HN_CUDA_POLICY_SLOTS_H

struct backend {
    GENERATED static void load(double *slots, uint32_t offset, size_t count, const double *const *from) {
        DEVICE_GLOBAL(slots);
        for (size_t j = 0; j < count; j++)
            REFINE_SLOT(slots, offset + j) = from[0][j];
    }
    GENERATED static void subtract(double *slots, uint32_t a, uint32_t b, uint32_t to, size_t count) {
        DEVICE_GLOBAL(slots);
        for (size_t j = 0; j < count; j++)
            REFINE_SLOT(slots, to + j) = REFINE_SLOT(slots, a + j) - REFINE_SLOT(slots, b + j);
    }
    GENERATED static void run(const struct program *program, int phase, double *slots) {
        DEVICE_GLOBAL(slots);
        program_run((const struct policy_program *)(const void *)program, phase, slots, SLOT_STEP);
    }
    GENERATED static void multiply(const struct product *product, double *slots, uint32_t from, uint32_t to) {
        DEVICE_GLOBAL(slots);
        kernel_multiply(product, slots, from, to);
    }
    GENERATED static void multiply_subtract(const struct product *product, double *slots, uint32_t from, uint32_t to) {
        DEVICE_GLOBAL(slots);
        kernel_multiply_subtract(product, slots, from, to);
    }
    GENERATED static void multiply_two(const struct product *product, double *slots, const uint32_t *from,
                                       const uint32_t *to) {
        DEVICE_GLOBAL(slots);
        kernel_multiply_two(product, slots, from, to);
    }
    GENERATED static void solve(const struct damped *system, double *slots, const struct damped_sides *sides) {
        DEVICE_GLOBAL(slots);
        kernel_solve(system, slots, sides);
    }
    GENERATED static void barrier_scale(const struct barrier_task *task, double *slots) {
        DEVICE_GLOBAL(slots);
        kernel_barrier_scale(task, slots);
    }
    GENERATED static void barrier_begin(const struct barrier_task *task, double *slots) {
        DEVICE_GLOBAL(slots);
        kernel_barrier_begin(task, slots);
    }
    GENERATED static void barrier_rows(const struct barrier_task *task, double *slots) {
        DEVICE_GLOBAL(slots);
        kernel_barrier_rows(task, slots);
    }
    GENERATED static void barrier_advance(const struct barrier_task *task, double *slots) {
        DEVICE_GLOBAL(slots);
        kernel_barrier_advance(task, slots);
    }
    GENERATED static void barrier_multipliers(const struct barrier_task *task, double *slots) {
        DEVICE_GLOBAL(slots);
        kernel_barrier_multipliers(task, slots);
    }
};

#endif
