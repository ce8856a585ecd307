/* kernel_source.c - the text of a kernel: prelude, entries, table.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/kernel/kernel_source.h"

#include "base/digest.h"
#include "base/error.h"
#include "base/memory.h"
#include "codegen/passes/size_limits.h"
#include "codegen/print/flatten.h"
#include "codegen/print/print.h"
#include "cpu/backend.h"

#include <string.h>

hn_instructions generate_instructions(hn_instructions instructions) {
    struct backend best;
    if (instructions == HN_INSTRUCTIONS_BEST && backend_choose(&best, instructions, NULL) == HN_OK)
        hn_instructions_find(best.name, &instructions);
    return instructions;
}

/* ---- the head ---- */

static uint32_t simd_width(hn_instructions instructions) {
    return instructions == HN_INSTRUCTIONS_AVX512 ? 8 : instructions == HN_INSTRUCTIONS_AVX2 ? 4 : 2;
}

/* Fused rounds need three more output vectors: one that is swapped with y, and two to restore. */
static uint32_t slots_of(const struct ir_module *ir) {
    return ir->slots + (ir_has_rounds(ir) ? 3 * ir->plan->outputs : 0);
}

/* The macros of fused_fixed_kernel.h. */
static void print_rounds_head(struct text *text, const struct ir_module *ir) {
    const struct plan *plan = ir->plan;
    text_add(text,
             "#define ROUNDS\n#define Y_SLOT %u\n#define BEST_SLOT %u\n#define OTHER_SLOT %u\n#define OUTPUTS %u\n"
             "#define LEAST_PIVOT %a\n",
             plan->y, plan->best, ir->slots, plan->outputs, SAMPLE_LEAST_PIVOT);
    if (ir->entry[KERNEL_BACK_ROUND].count > 0)
        text_add(text, "#define BACK_ROUNDS\n#define GRADIENT_SLOT %u\n#define GRAD_X_SLOT %u\n#define INPUTS %u\n",
                 plan->gradient, plan->grad_x, plan->inputs);
}

/* Whether all parts of a round of auto's near stage are generated. */
static bool has_near_rounds(const struct ir_module *ir, const struct ir_module *near) {
    return near->entry[KERNEL_NEAR].count > 0 && ir->entry[KERNEL_EVALUATE].count > 0 &&
           ir->entry[KERNEL_RESIDUAL].count > 0 && ir->entry[KERNEL_RESCALE].count > 0 && !ir->plan->options.relative;
}

/* The macros of fused_auto_kernel.h. */
static void print_near_head(struct text *text, const struct plan *plan) {
    text_add(text,
             "#define NEAR_ROUNDS\n#define Y_SLOT %u\n#define BEST_SLOT %u\n#define OUTPUTS %u\n"
             "#define SUMMARY_SLOT %u\n#define EPS_SLOT %u\n#define FLAGS_SLOT %u\n"
             "#define HOLD_SLOT %u\n#define LEADS_SLOT %u\n",
             plan->y, plan->best, plan->outputs, plan->summary, plan->eps, plan->slots + LANES_FLAGS,
             plan->slots + LANES_HOLD, plan->slots + LANES_LEADS);
}

/* gcc also schedules instructions before register allocation, considering register pressure: straight-line code of
 * thousands of statements becomes 1 to 3 % faster and takes a third longer to compile. Straight-line rounds become 5 %
 * slower: their statements are already at their first use, and larger code leaves the L1 cache. */
static void print_pragmas(struct text *text, bool straight_rounds) {
    text_add(text, "#ifdef __clang__\n#pragma STDC FP_CONTRACT OFF\n");
    if (!straight_rounds)
        text_add(text, "#elif defined(__GNUC__)\n"
                       "#pragma GCC optimize(\"schedule-insns\", \"sched-pressure\")\n");
    text_add(text, "#endif\n");
}

/* Headers that are included conditionally elsewhere come first: an include is expanded at its first occurrence. */
static const char prelude[] = "#include \"base/reduce.h\"\n"
                              "#include \"base/reduce.c\"\n"
                              "#include \"codegen/kernel/generated_kernel.h\"\n"
                              "#include \"cpu/unload_kernel.h\"\n"
                              "#include \"cpu/fused_auto.h\"\n"
                              "#include \"cpu/kernel_table.h\"\n"
                              "#include \"codegen/kernel/fused_fixed_kernel.h\"\n"
                              "#include \"codegen/kernel/fused_adjoint_kernel.h\"\n"
                              "#include \"codegen/kernel/lanes_number_kernel.h\"\n"
                              "#include \"core/damping.h\"\n"
                              "#include \"core/summary.h\"\n"
                              "#include \"codegen/kernel/fused_auto_kernel.h\"\n";

void generate_print_prelude(struct text *text) {
    struct text root = {.bytes = NULL};
    text_add(&root, "%s", prelude);
    flatten_hosted(text, &root);
    text_drop(&root);
}

static void print_head(struct text *text, const struct ir_module *ir, const struct ir_module *near,
                       const struct generate_options *options) {
    bool alone = ir->plan->system.kind == FACTOR_TILED;
    text_add(text,
             "/* A kernel of hardnet %s for %s: the arithmetic of one layer, generated. Compile it without\n"
             " * -ffast-math and with -ffp-contract=off. */\n",
             hn_version(), hn_instructions_text(options->instructions));
    print_pragmas(text, ir_has_rounds(ir) && !ir->loops);
    text_add(text, "#define SLOTS %u\n#define ADJOINT %d\n#define SOLVES %d\n", slots_of(ir), options->adjoint,
             ir->solves);
    text_add(text, "#define WIDTH %u\n%s", alone ? 1 : simd_width(options->instructions),
             alone ? "#define ONE_LANE\n" : "");
    if (ir_has_rounds(ir))
        print_rounds_head(text, ir);
    if (has_near_rounds(ir, near))
        print_near_head(text, ir->plan);
    generate_print_prelude(text);
}

/* ---- the text ---- */

static bool print_entries(struct text *text, const struct ir_module *ir) {
    const struct plan *plan = ir->plan;
    bool *kept = print_kept(ir, false), done = kept != NULL;
    for (int e = 0; e < KERNEL_ENTRIES && done; e++)
        if (ir->entry[e].count > 0 && !ir->entry[e].round)
            done = print_entry(text, ir, (enum kernel_entry)e, kept, false);
    if (done)
        memset(kept, 0, ir->slots * sizeof *kept);
    if (done && ir_has_rounds(ir)) {
        memset(kept + plan->y, true, plan->outputs * sizeof *kept);
        done = print_entry(text, ir, KERNEL_ROUND, kept, false);
        memset(kept + plan->y, false, plan->outputs * sizeof *kept);
    }
    if (done && ir->entry[KERNEL_BACK_ROUND].count > 0) {
        memset(kept + plan->gradient, true, plan->outputs * sizeof *kept);
        memset(kept + plan->grad_x, true, plan->inputs * sizeof *kept);
        done = print_entry(text, ir, KERNEL_BACK_ROUND, kept, false);
    }
    base_release(kept);
    return done;
}

/* ---- the entry KERNEL_NEAR, and entry_near_if, which runs it if the weights are the assumed ones ---- */

/* Whether all entries of a row are constants: then its weight is constant, too, and not compared. */
static bool is_constant(const struct ir_module *ir, uint32_t row) {
    const struct plan *plan = ir->plan;
    const uint32_t *first = plan_words(plan, plan->jacobian.first), *slot = plan_words(plan, plan->jacobian.slot);
    for (uint32_t e = first[row]; e < first[row + 1]; e++)
        if (!ir->constant_of[slot[e]])
            return false;
    return true;
}

/* Slots of weights and their assumed values. Only flagged samples are compared. */
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

/* Same as point_joint (core/point.h), for all samples. */
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

static bool print_near(struct text *text, const struct ir_module *ir) {
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

/* ---- the kernel ---- */

/* digest: of the text before the table. */
static void print_table(struct text *text, const struct ir_module *ir, const struct ir_module *near) {
    char name[DIGEST_TEXT];
    struct digest digest = digest_start();
    if (text->failed)
        return;
    digest_add(&digest, text->bytes, text->length);
    digest_finish_text(&digest, name);
    text_add(text, "\nextern const struct kernel_table hardnet_kernel;\n");
    text_add(text, "__attribute__((visibility(\"default\"))) const struct kernel_table hardnet_kernel = {\n");
    text_add(text, "    KERNEL_VERSION,\n    SLOT_STRIDE,\n    SLOTS,\n    ADJOINT,\n    SOLVES,\n    \"%s\",\n    {\n",
             name);
    for (int e = 0; e < KERNEL_ENTRIES; e++) {
        bool there = ir->entry[e].count > 0 && !ir->entry[e].round;
        text_add(text, "        %s%s,\n", there ? "entry_" : "", there ? entry_text((enum kernel_entry)e) : "0");
    }
    text_add(text, "    },\n    %s,\n    %s,\n    %s,\n    %s};\n", ir_has_rounds(ir) ? "entry_rounds" : "0",
             near->entry[KERNEL_NEAR].count > 0 ? "entry_near_if" : "0",
             has_near_rounds(ir, near) ? "entry_near_rounds" : "0",
             ir->entry[KERNEL_BACK_ROUND].count > 0 ? "entry_back_rounds" : "0");
}

static hn_status print_kernel(struct text *text, const struct ir_module *ir, const struct ir_module *near,
                              const struct generate_options *options, hn_error *error) {
    bool nears = near->entry[KERNEL_NEAR].count > 0;
    print_head(text, ir, near, options);
    print_calls(text, ir, CALLS_ONE);
    bool done = print_entries(text, ir) && (!nears || print_near(text, near));
    print_table(text, ir, near);
    return done && !text->failed ? HN_OK : error_no_memory(error, "generated code");
}

/* Entries composed of other entries. */
static hn_status lower_rounds(struct ir_module *ir, struct ir_module *near, hn_error *error) {
    bool steps = ir->entry[KERNEL_WEIGH_ALL].count > 0 && ir->entry[KERNEL_STEP_BEGIN].count > 0;
    hn_status status = ir_round(ir, error);
    if (status == HN_OK)
        status = parts_limit(ir, KERNEL_ROUND, error);
    if (status == HN_OK)
        status = ir_back_round(ir, error);
    if (status == HN_OK)
        status = parts_limit(ir, KERNEL_BACK_ROUND, error);
    if (status == HN_OK && steps)
        status = ir_create_near(near, ir->plan, error);
    return status == HN_OK ? parts_limit(near, KERNEL_NEAR, error) : status;
}

hn_status generate_lanes(struct generated_text *out, const struct plan *plan, const struct generate_options *options,
                         hn_error *error) {
    struct text text = {.bytes = NULL};
    struct generate_options own = *options;
    struct ir_module ir, near = {.plan = NULL};
    *out = (struct generated_text){.bytes = NULL};
    own.instructions = generate_instructions(own.instructions);
    hn_status status = ir_create(&ir, plan, own.adjoint, error);
    if (status != HN_OK)
        return status;
    status = parts_choose(&ir, &out->left, error);
    if (status == HN_OK)
        status = lower_rounds(&ir, &near, error);
    if (status == HN_OK)
        status = print_kernel(&text, &ir, &near, &own, error);
    ir_release(&ir);
    ir_release(&near);
    if (status != HN_OK) {
        text_drop(&text);
        return status;
    }
    out->bytes = text.bytes;
    out->length = text.length;
    return HN_OK;
}

/* ---- flags ---- */

static const char common_flags[][36] = {"-std=gnu11",          "-fPIC",           "-shared",
                                        "-ffp-contract=off",   "-fno-math-errno", "-fno-strict-aliasing",
                                        "-fvisibility=hidden", "-Wno-psabi",      "-fno-asynchronous-unwind-tables"};
static const char avx2_flags[][36] = {"-mavx2"};
static const char avx512_flags[][36] = {"-mavx512f", "-mavx512dq", "-mavx512vl", "-mprefer-vector-width=512"};

#define FLAG_COUNT(flags) (sizeof(flags) / sizeof(flags)[0])

size_t generate_flags(hn_instructions instructions, const char **flags, size_t most) {
    size_t count = 0;
    hn_instructions own = generate_instructions(instructions);
    for (size_t i = 0; i < FLAG_COUNT(common_flags) && count < most; i++)
        flags[count++] = common_flags[i];
    for (size_t i = 0; i < FLAG_COUNT(avx2_flags) && count < most && own == HN_INSTRUCTIONS_AVX2; i++)
        flags[count++] = avx2_flags[i];
    for (size_t i = 0; i < FLAG_COUNT(avx512_flags) && count < most && own == HN_INSTRUCTIONS_AVX512; i++)
        flags[count++] = avx512_flags[i];
    return count;
}

const char *generate_level(void) {
    return "-O2";
}
