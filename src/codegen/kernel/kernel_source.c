/* kernel_source.c - the whole text: what every kernel begins with, its entries, its table.
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

/* Calls of an elementary function that are more than this many share one copy of it. */
enum { INLINE_SITES = 36 };

static hn_instructions chosen(hn_instructions instructions) {
    struct backend best;
    if (instructions == HN_INSTRUCTIONS_BEST && backend_choose(&best, instructions, NULL) == HN_OK)
        hn_instructions_find(best.name, &instructions);
    return instructions;
}

/* ---- the head ---- */

static uint32_t simd_width(hn_instructions instructions) {
    return instructions == HN_INSTRUCTIONS_AVX512 ? 8 : instructions == HN_INSTRUCTIONS_AVX2 ? 4 : 2;
}

/* Where there are rounds, more vectors of outputs lie behind the others: one that takes turns with y, and two to go back to. */
static uint32_t slots_of(const struct ir_module *ir) {
    return ir->slots + (ir_has_rounds(ir) ? 3 * ir->plan->outputs : 0);
}

/* What fused_fixed_kernel.h asks for. */
static void print_rounds_head(struct text *text, const struct ir_module *ir) {
    const struct plan *plan = ir->plan;
    text_add(text, "#define ROUNDS\n#define Y_SLOT %u\n#define BEST_SLOT %u\n#define OTHER_SLOT %u\n", plan->y,
             plan->best, ir->slots);
    text_add(text, "#define OUTPUTS %u\n#define LEAST_PIVOT %a\n", plan->outputs, SAMPLE_LEAST_PIVOT);
    if (ir->entry[KERNEL_BACK_ROUND].count > 0)
        text_add(text, "#define BACK_ROUNDS\n#define GRADIENT_SLOT %u\n#define GRAD_X_SLOT %u\n#define INPUTS %u\n",
                 plan->gradient, plan->grad_x, plan->inputs);
}

/* Whether all that rounds of auto's near stage are made of is generated. */
static bool has_near_rounds(const struct ir_module *ir, const struct ir_module *near) {
    return near->entry[KERNEL_NEAR].count > 0 && ir->entry[KERNEL_EVALUATE].count > 0 &&
           ir->entry[KERNEL_RESIDUAL].count > 0 && ir->entry[KERNEL_RESCALE].count > 0 && !ir->plan->options.relative;
}

/* What fused_auto_kernel.h asks for. */
static void print_near_head(struct text *text, const struct plan *plan) {
    text_add(text, "#define NEAR_ROUNDS\n#define Y_SLOT %u\n#define BEST_SLOT %u\n#define OUTPUTS %u\n", plan->y,
             plan->best, plan->outputs);
    text_add(text, "#define SUMMARY_SLOT %u\n#define EPS_SLOT %u\n#define FLAGS_SLOT %u\n", plan->summary, plan->eps,
             plan->slots + LANES_FLAGS);
    text_add(text, "#define HOLD_SLOT %u\n#define LEADS_SLOT %u\n", plan->slots + LANES_HOLD,
             plan->slots + LANES_LEADS);
}

/* What compilers are told in their own words. gcc orders instructions before it gives out registers, too, and minds how many are left:
 * straight code of thousands of statements gains 1 to 3 %, and takes a third longer to compile. Rounds that are straight lose 5 %:
 * their statements stand where they are needed, and code that grows leaves the first cache. */
static void print_ways(struct text *text, bool straight_rounds) {
    text_add(text, "#ifdef __clang__\n#pragma STDC FP_CONTRACT OFF\n");
    if (!straight_rounds)
        text_add(text, "#elif defined(__GNUC__)\n"
                       "#pragma GCC optimize(\"schedule-insns\", \"sched-pressure\")\n");
    text_add(text, "#endif\n");
}

static const char prelude[] = "#include \"base/real.h\"\n"
                              "#include \"base/lanes.h\"\n"
                              "#include \"base/simd.h\"\n"
                              "#include \"base/simd_pair.h\"\n"
                              "#include \"base/elementary_round.h\"\n"
                              "#include \"base/reduce.h\"\n"
                              "#include \"base/reduce.c\"\n"
                              "#include \"base/elementary_exponential.h\"\n"
                              "#include \"base/elementary_circle.h\"\n"
                              "#include \"base/elementary_arc.h\"\n"
                              "#include \"base/elementary_hyperbolic.h\"\n"
                              "#include \"linalg/pivot_kernel.h\"\n"
                              "#include \"cpu/row_values_kernel.h\"\n"
                              "#include \"cpu/unload_kernel.h\"\n"
                              "#include \"cpu/fused_auto.h\"\n"
                              "#include \"core/summary.h\"\n"
                              "#include \"codegen/kernel/row_functions_kernel.h\"\n"
                              "#include \"cpu/kernel_table.h\"\n"
                              "#include \"codegen/kernel/generated_kernel.h\"\n"
                              "#include \"codegen/kernel/fused_fixed_kernel.h\"\n"
                              "#include \"codegen/kernel/fused_adjoint_kernel.h\"\n"
                              "#include \"codegen/kernel/lanes_number_kernel.h\"\n"
                              "#include \"core/number.h\"\n"
                              "#include \"core/damping.h\"\n"
                              "#include \"codegen/kernel/fused_auto_kernel.h\"\n";

void generate_print_prelude(struct text *text) {
    struct text root = {.bytes = NULL};
    text_add(&root, "%s", prelude);
    flatten_hosted(text, &root);
    text_drop(&root);
}

static void kernel_source_print_head(struct text *text, const struct ir_module *ir, const struct ir_module *near,
                                     const struct generate_options *options) {
    bool alone = ir->plan->system.kind == FACTOR_TILED;
    text_add(text,
             "/* A kernel of hardnet %s for %s: the arithmetic of one layer, generated. Compile it without\n"
             " * -ffast-math and with -ffp-contract=off. */\n",
             hn_version(), hn_instructions_text(options->instructions));
    print_ways(text, ir_has_rounds(ir) && !ir->loops);
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

/* How often each function is printed: a loop's statements once. False when memory is out. */
static bool count_sites(const struct ir_module *ir, size_t *sites) {
    bool done = true;
    for (int e = 0; e < KERNEL_ENTRIES && done; e++) {
        const struct statements *s = &ir->entry[e];
        struct regions regions;
        regions_find(&regions, s, ir->constants, ir->loops);
        for (size_t r = 0; r < regions.count; r++)
            for (size_t i = 0; i < regions.list[r].period; i++)
                sites[s->list[regions.list[r].first + i].function]++;
        done = !regions.failed;
        regions_release(&regions);
    }
    return done;
}

static const char *call_kind(size_t count) {
    return count > INLINE_SITES ? "static GENERATED" : "SIMD_INLINE";
}

static void print_call(struct text *text, const char *name, bool binary, const char *kind, enum print_calls calls) {
    const char *type = calls == CALLS_ONE ? "simd" : "simd2", *prefix = calls == CALLS_ONE ? "" : "simd2_";
    text_add(text, "\n%s %s %scall_%s(%s a", kind, type, prefix, name, type);
    if (binary)
        text_add(text, ", %s b", type);
    if (calls == CALLS_HALVES)
        text_add(text, ") {\n    return simd2_of(call_%s(a[0]%s), call_%s(a[1]%s));\n}\n", name, binary ? ", b[0]" : "",
                 name, binary ? ", b[1]" : "");
    else
        text_add(text, ") {\n    return %selementary_%s(a%s);\n}\n", prefix, name, binary ? ", b" : "");
}

static void print_sincos(struct text *text, const char *kind, enum print_calls calls) {
    const char *type = calls == CALLS_ONE ? "simd" : "simd2", *prefix = calls == CALLS_ONE ? "" : "simd2_";
    text_add(text, "\n%s void %scall_sincos(%s a, %s *sine, %s *cosine) {\n", kind, prefix, type, type, type);
    if (calls == CALLS_HALVES)
        text_add(text, "    simd s[2], c[2];\n    call_sincos(a[0], s, c);\n    call_sincos(a[1], s + 1, c + 1);\n"
                       "    *sine = simd2_of(s[0], s[1]);\n    *cosine = simd2_of(c[0], c[1]);\n}\n");
    else
        text_add(text, "    %selementary_sincos(a, sine, cosine);\n}\n", prefix);
}

void print_calls(struct text *text, const struct ir_module *ir, enum print_calls kind) {
    size_t sites[FUNCTIONS] = {0};
    text->failed = !count_sites(ir, sites) || text->failed;
    for (uint32_t op = 0; op < OP_COUNT; op++) {
        struct function_shape shape = function_shape((enum function)op);
        if (sites[op] > 0 && shape.call)
            print_call(text, operator_text((enum op)op), shape.arguments == 2, call_kind(sites[op]), kind);
    }
    if (sites[FUNCTION_SINCOS] > 0)
        print_sincos(text, call_kind(sites[FUNCTION_SINCOS]), kind);
}

/* ---- what an entry must leave ---- */

static void keep_list(bool *kept, const struct plan *plan, struct plan_list list) {
    for (uint32_t i = 0; i < list.count; i++)
        kept[plan_words(plan, list)[i]] = true;
}

static void drop_destinations(bool *kept, const struct ir_module *ir) {
    const struct plan *plan = ir->plan;
    for (uint32_t i = 0; i < plan->program.code.count; i++) {
        kept[plan_code(plan)[i].destination] = false;
        if (plan_code(plan)[i].code == CODE_SINCOS)
            kept[plan_code(plan)[i].c] = false;
    }
}

/* A factor that is generated, and vectors on the way to a solution, are needed in the entry that makes them only. */
static void drop_factor(bool *kept, const struct plan *plan) {
    const struct plan_system *system = &plan->system;
    uint32_t longer = plan->rows > plan->outputs ? plan->rows : plan->outputs;
    if (plan->options.method != HN_METHOD_AUTO) /* an elastic programme takes the step itself */
        memset(kept + plan->step, 0, plan->outputs * sizeof *kept);
    memset(kept + plan->shift, 0, (plan->options.weighted ? plan->rows : 0) * sizeof *kept);
    memset(kept + plan->unknown, 0, longer * sizeof *kept);
    memset(kept + plan->work, 0, longer * sizeof *kept);
    memset(kept + system->lower, 0, system->nonzeros * sizeof *kept);
    memset(kept + system->inverse, 0, system->order * sizeof *kept);
    for (uint32_t slot = system->negated; slot < system->solution; slot++)
        kept[slot] = false;
}

/* Slots that an entry reads before it writes them. */
static void keep_read(bool *kept, const struct statements *s, bool *written, size_t slots) {
    memset(written, 0, slots * sizeof *written);
    for (size_t i = 0; i < s->count; i++) {
        const uint32_t *operand = s->operands + s->list[i].first;
        uint32_t destinations = statement_destinations(&s->list[i]);
        for (uint32_t k = destinations; k < s->list[i].count; k++)
            if (!operand_is_constant(operand[k]) && !written[operand[k]])
                kept[operand[k]] = true;
        for (uint32_t k = 0; k < destinations; k++)
            written[operand[k]] = true;
    }
}

/* A phase that the listed kernels run reads any of the slots of those before it. */
static bool later_phases_generated(const struct ir_module *ir) {
    const uint32_t *first = ir->plan->program.first;
    return (ir->entry[KERNEL_EVALUATE].count > 0 || first[2] == first[1]) &&
           (ir->entry[KERNEL_BACK_PROGRAM].count > 0 || first[3] == first[2]);
}

/* Everything but temporaries, unless another entry reads them. */
static void find_kept(bool *kept, const struct ir_module *ir, bool *written, bool everything) {
    const struct plan *plan = ir->plan;
    memset(kept, true, ir->slots * sizeof *kept);
    if (everything)
        return;
    if (later_phases_generated(ir))
        drop_destinations(kept, ir);
    if (ir->solves)
        drop_factor(kept, plan);
    memset(kept + ir->own, 0, (ir->slots - ir->own) * sizeof *kept);
    const struct plan_list outputs[] = {
        plan->value,          plan->lower,          plan->upper,        plan->jacobian.slot, plan->lower_x.slot,
        plan->upper_x.slot,   plan->start,          plan->start_x.slot, plan->fixed.slot,    plan->fixed_x.slot,
        plan->bracket_y.slot, plan->bracket_x.slot, plan->pull_x.slot};
    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++)
        keep_list(kept, plan, outputs[i]);
    for (int e = 0; e < KERNEL_ENTRIES; e++)
        keep_read(kept, &ir->entry[e], written, ir->slots);
}

/* ---- all of it ---- */

bool *print_kept(const struct ir_module *ir, bool everything) {
    bool *kept = base_allocate(2 * (size_t)ir->slots * sizeof *kept);
    if (kept)
        find_kept(kept, ir, kept + ir->slots, everything);
    return kept;
}

static bool print_entries(struct text *text, const struct ir_module *ir) {
    bool *kept = print_kept(ir, false), done = kept != NULL;
    for (int e = 0; e < KERNEL_ENTRIES && done; e++)
        if (ir->entry[e].count > 0 && !ir->entry[e].round)
            done = print_entry(text, ir, (enum kernel_entry)e, kept, false);
    if (done && ir_has_rounds(ir)) {
        memset(kept, 0, ir->slots * sizeof *kept);
        memset(kept + ir->plan->y, true, ir->plan->outputs * sizeof *kept);
        done = print_entry(text, ir, KERNEL_ROUND, kept, false);
    }
    if (done && ir->entry[KERNEL_BACK_ROUND].count > 0) {
        memset(kept, 0, ir->slots * sizeof *kept);
        memset(kept + ir->plan->gradient, true, ir->plan->outputs * sizeof *kept);
        memset(kept + ir->plan->grad_x, true, ir->plan->inputs * sizeof *kept);
        done = print_entry(text, ir, KERNEL_BACK_ROUND, kept, false);
    }
    base_release(kept);
    return done;
}

/* The digest is that of the text before it. */
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
    kernel_source_print_head(text, ir, near, options);
    print_calls(text, ir, CALLS_ONE);
    bool done = print_entries(text, ir) && (!nears || print_near(text, near));
    print_table(text, ir, near);
    return done && !text->failed ? HN_OK : error_no_memory(error, "generated code");
}

/* What repeats other entries, where these are there. */
static hn_status ir_again(struct ir_module *ir, struct ir_module *near, hn_error *error) {
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
    own.instructions = chosen(own.instructions);
    hn_status status = ir_create(&ir, plan, own.adjoint, error);
    if (status != HN_OK)
        return status;
    status = parts_choose(&ir, &out->left, error);
    if (status == HN_OK)
        status = ir_again(&ir, &near, error);
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

static const char *common_flag(size_t i) {
    switch (i) {
    case 0:
        return "-std=gnu11";
    case 1:
        return "-fPIC";
    case 2:
        return "-shared";
    case 3:
        return "-ffp-contract=off";
    case 4:
        return "-fno-math-errno";
    case 5:
        return "-fno-strict-aliasing";
    case 6:
        return "-fvisibility=hidden";
    case 7:
        return "-Wno-psabi";
    case 8:
        return "-fno-asynchronous-unwind-tables";
    default:
        return NULL;
    }
}

static const char *avx512_flag(size_t i) {
    switch (i) {
    case 0:
        return "-mavx512f";
    case 1:
        return "-mavx512dq";
    case 2:
        return "-mavx512vl";
    case 3:
        return "-mprefer-vector-width=512";
    default:
        return NULL;
    }
}

size_t generate_flags(hn_instructions instructions, const char **flags, size_t most) {
    size_t count = 0, common = 0;
    hn_instructions own = chosen(instructions);
    while (common_flag(common))
        common++;
    for (; count < most; count++) {
        const char *flag = common_flag(count);
        if (!flag && own == HN_INSTRUCTIONS_AVX2)
            flag = count == common ? "-mavx2" : NULL;
        else if (!flag && own == HN_INSTRUCTIONS_AVX512)
            flag = avx512_flag(count - common);
        if (!flag)
            break;
        flags[count] = flag;
    }
    return count;
}

const char *generate_level(void) {
    return "-O2";
}
