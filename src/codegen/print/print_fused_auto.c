/* print_fused_auto.c - the entry KERNEL_NEAR as text: whether the weights are those that its statements take for granted, and the statements.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/print/print.h"

#include <string.h>

/* Whether the entries of a row are all constants: then so is its weight, which needs no look. */
static bool is_constant(const struct ir_module *ir, uint32_t row) {
    const struct plan *plan = ir->plan;
    const uint32_t *first = plan_words(plan, plan->jacobian.first), *slot = plan_words(plan, plan->jacobian.slot);
    for (uint32_t e = first[row]; e < first[row + 1]; e++)
        if (!ir->constant_of[slot[e]])
            return false;
    return true;
}

/* Slots of weights, and what they are taken to be. Only the samples that are flagged matter. */
static void print_fits(struct text *text, const struct ir_module *ir) {
    const struct plan *plan = ir->plan;
    text_add(text, "\nstatic int near_fits(double *slots) {\n    simd_bits other = simd_bits_all(0);\n");
    text_add(text, "    static const struct {\n        unsigned slot;\n        double weight;\n    } expected[] = {\n");
    for (uint32_t i = 0; i < plan->rows; i++)
        if (ir->constant_of[plan->scale + i] && !is_constant(ir, i))
            text_add(text, "        {%u, %a},\n", plan->scale + i, ir_number(ir, plan->scale + i));
    text_add(text, "        {%u, 0}};\n", plan->slots + LANES_FLAGS);
    text_add(text, "    for (size_t i = 0; i + 1 < sizeof expected / sizeof expected[0]; i++)\n"
                   "        other |= simd_not_equal(S(expected[i].slot), simd_all(expected[i].weight));\n");
    text_add(text, "    return !simd_any(other & M(%u));\n}\n", plan->slots + LANES_FLAGS);
}

/* As point_joint (core/point.h) does, for all samples. */
static void print_joint(struct text *text, const struct ir_module *ir) {
    const struct plan *plan = ir->plan;
    const uint32_t *joint = plan_words(plan, plan->joint);
    const uint32_t *lower = plan_words(plan, plan->lower), *upper = plan_words(plan, plan->upper);
    text_add(text, "\n__attribute__((unused)) static simd near_joint(double *slots) {\n    simd sum = simd_all(0);\n");
    text_add(text, "    static const unsigned joint[][4] = {\n");
    for (uint32_t k = 0; k < plan->joint.count; k++)
        text_add(text, "        {%u, %u, %u, %u},\n", plan->scale + joint[k], plan->residual + joint[k],
                 lower[joint[k]], upper[joint[k]]);
    text_add(text, "        {0}};\n"
                   "    for (size_t i = 0; i + 1 < sizeof joint / sizeof joint[0]; i++) {\n"
                   "        simd part = S(joint[i][0]) * S(joint[i][1]);\n"
                   "        sum += simd_keep(simd_not_equal(S(joint[i][2]), S(joint[i][3])), part * part);\n    }\n"
                   "    return sum;\n}\n");
}

bool print_near(struct text *text, const struct ir_module *ir) {
    const struct plan *plan = ir->plan;
    struct buffers buffers = {.count = 0};
    bool *kept = buffers_take(&buffers, ir->slots, sizeof *kept);
    if (!kept)
        return false;
    memset(kept + plan->y, true, plan->outputs * sizeof *kept);
    kept[plan->summary + SUMMARY_MOVED] = kept[plan->summary + SUMMARY_USABLE] = true;
    bool done = print_entry(text, ir, KERNEL_NEAR, kept, false);
    buffers_release(&buffers);
    print_fits(text, ir);
    print_joint(text, ir);
    text_add(text, "\nstatic int entry_near_if(double *slots) {\n"
                   "    for (int part = 0; part < LANE_PARTS; part++)\n"
                   "        if (!near_fits(slots + part * WIDTH))\n            return 0;\n"
                   "    entry_near(slots);\n    return 1;\n}\n");
    return done;
}
