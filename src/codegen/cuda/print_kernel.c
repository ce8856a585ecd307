/* print_kernel.c - see print_kernel.h.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/cuda/print_kernel.h"

#include "base/error.h"
#include "base/memory.h"
#include "codegen/cuda/device_system.h"

#include <math.h>
#include <string.h>

struct printer {
    const struct device_subject *subject;
    struct kernel_code *code;
    struct emission e;
    struct ir_module near;       /* registers: with constant weights (ir_create_assumed) */
    struct device_system system; /* global memory */
};

/* ---- head of the text ---- */

/* Total waiting iterations of the threads of a warp before idle threads take new samples: see kernel_main.h. */
enum { WAITS_FORWARD = 80, WAITS_BACK = 192 };

static void print_head(const struct device_subject *subject, struct text *out) {
    text_add(out, "/* A kernel of hardnet %s for a device: one layer, generated. */\n", hn_version());
    text_add(out, "%s%s%s", subject->single ? "#define REAL_SINGLE\n#define DEVICE_SINGLE\n" : "",
             subject->polish && !subject->adjoint ? "#define DEVICE_POLISH\n" : "",
             subject->adjoint ? "#define DEVICE_GRADIENTS\n" : "");
    text_add(out, "#define LAYER_WEIGHTED %d\n#define THREAD_WAITS %d\n", subject->plan->options.weighted,
             subject->adjoint ? WAITS_BACK : WAITS_FORWARD);
    text_add(out, "#include \"cuda/kernels/device_target.h\"\n#include \"cuda/kernels/kernel_args.h\"\n");
}

static void print_global_head(const struct printer *p, struct text *out) {
    text_add(out, "#define GLOBAL_THREADS %u\n%s%s%s", p->code->width,
             device_searches(p->subject) ? "#define DEVICE_SEARCHES\n" : "",
             p->system.there ? "#define DEVICE_SYSTEM\n" : "",
             emission_drive_judges(&p->e) ? "#define SOLVER_JUDGES\n" : "");
    if (device_is_team(p->subject->plan))
        text_add(out, "#define BLOCK_HELPERS %d\n#define BLOCK_BOUNDS %u, %d\n", (int)BLOCK_HELPERS, p->code->threads,
                 (int)BLOCK_BLOCKS);
    print_head(p->subject, out);
    text_add(out, "#include \"cuda/kernels/global_slots.h\"\n");
}

/* ---- the layer's data ---- */

/* Caller's numbers of a sample that a float kernel converts: LAYER_TAKEN of sample_io.h. 0 in double. */
static uint32_t taken_numbers(const struct emission *e) {
    const struct plan *p = e->plan;
    return e->options.single ? 2 * (p->inputs + p->outputs + (e->options.adjoint ? p->rows : 0)) : 0;
}

static void print_places(const struct emission *e, uint32_t slots, uint32_t constants, struct text *out) {
    const struct plan *p = e->plan;
    const struct {
        char name[24];
        uint32_t value;
    } places[] = {{"SLOTS", slots},
                  {"CONSTANTS", constants},
                  {"OUTPUTS", p->outputs},
                  {"INPUTS", p->inputs},
                  {"ROWS", p->rows},
                  {"TAKEN", taken_numbers(e)},
                  {"Y", p->y},
                  {"BASE", p->base},
                  {"BEST", p->best},
                  {"SUMMARY", p->summary},
                  {"EPS", p->eps},
                  {"DAMPED", p->damped},
                  {"TAKES", p->slots + LANES_FLAGS},
                  {"HOLD", p->slots + LANES_HOLD},
                  {"LEADS", p->slots + LANES_LEADS}};
    text_add(out, "\nenum {\n");
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        text_add(out, "    LAYER_%s = %u,\n", places[i].name, places[i].value);
    text_add(out, "};\n");
}

/* As integers, which represent infinity too. */
static void print_bits(const struct emission *e, double number, struct text *out) {
    bool single = e->options.single;
    uint64_t bits = kernel_bits(number, single);
    text_add(out, "INT%d_C(%lld), ", single ? 32 : 64, single ? (long long)(int32_t)bits : (long long)bits);
}

/* Slots with constants. With a system in loops, the program's constants are among the numbers of the bytecode. */
static void print_constants(const struct printer *p, struct text *out) {
    const struct plan *plan = p->e.plan;
    const double *numbers = plan_numbers(plan, plan->program.constants),
                 *value = plan_numbers(plan, plan->system.constant_value);
    const uint32_t *slot = plan_words(plan, plan->system.constant_slot);
    const char *memory = p->subject->global ? "SHARED_CONSTANT" : "static DEVICE_CONSTANT const";
    uint32_t own = p->system.there ? 0 : plan->program.constants.count, all = own + plan->system.constant_slot.count;
    print_places(&p->e, p->subject->global ? p->system.slots : p->e.ir.slots, all, out);
    text_add(out, "%s uint32_t constant_slot[] = {", memory);
    for (uint32_t i = 0; i < all; i++)
        text_add(out, "%u, ", i < own ? i : slot[i - own]);
    text_add(out, "0};\n%s simd_bits constant_bits[] = {", memory);
    for (uint32_t i = 0; i < all; i++)
        print_bits(&p->e, i < own ? numbers[i] : value[i - own], out);
    text_add(out, "0};\n");
}

static void note_operands(const struct statements *s, bool *written, bool *read) {
    for (size_t i = 0; i < s->count; i++) {
        const struct statement *at = &s->list[i];
        const uint32_t *operand = s->operands + at->first;
        for (uint32_t d = 0; d < at->count; d++)
            if (!operand_is_constant(operand[d]))
                (d < statement_destinations(at) ? written : read)[operand[d]] = true;
    }
}

/* Slots that statements read but do not write, except constants. */
static void print_zeros(const struct ir_module *ir, struct text *out) {
    bool *written = base_allocate(2 * (size_t)ir->slots * sizeof *written);
    uint32_t count = 0;
    if (!written) {
        out->failed = true;
        return;
    }
    bool *read = written + ir->slots;
    memset(read, 0, ir->slots * sizeof *read);
    for (uint32_t slot = 0; slot < ir->slots; slot++)
        written[slot] = ir->constant_of[slot] != 0;
    for (int k = 0; k < KERNEL_ENTRIES; k++)
        note_operands(&ir->entry[k], written, read);
    text_add(out, "static DEVICE_CONSTANT const uint32_t zero_slot[] = {");
    for (uint32_t slot = 0; slot < ir->slots; slot++)
        if (read[slot] && !written[slot]) {
            text_add(out, "%u, ", slot);
            count++;
        }
    text_add(out, "0};\nenum { LAYER_ZEROS = %u };\n", count);
    base_release(written);
}

/* Row weights that fused iterations assume to be constant. */
static void print_assumed(const struct ir_module *near, struct text *out) {
    const struct plan *p = near->plan;
    uint32_t count = 0;
    text_add(out, "struct assumed_weight {\n    uint32_t slot;\n    real value;\n};\n"
                  "static DEVICE_CONSTANT const struct assumed_weight assumed_weight[] = {");
    for (uint32_t i = 0; i < p->rows && near->entry[KERNEL_NEAR].count > 0; i++)
        if (near->constant_of[p->scale + i]) {
            text_add(out, "{%u, (real)%a}, ", p->scale + i, ir_number(near, p->scale + i));
            count++;
        }
    text_add(out, "{0, 0}};\nenum { LAYER_ASSUMED = %u, LAYER_NEAR = %d, LAYER_SETS_BASE = %d };\n", count,
             p->options.method == HN_METHOD_AUTO, near->entry[KERNEL_NEAR].count > 0);
}

/* Constant data of the layer and of the decisions in core/sample.h. */
static void print_layer(const struct printer *p, struct text *out) {
    const struct emission *e = &p->e;
    emission_print_lists(e, out);
    emission_print_elementary(e, out);
    emission_print_sample(out);
    device_system_print_names(&p->system, out);
    emission_print_plan(e, "static constexpr struct plan plan_values", out);
    text_add(out, "static DEVICE_CONSTANT const struct plan layer_plan = plan_values;\n"
                  "static constexpr struct sample_options layer_options = plan_values.options;\n");
    if (!p->subject->global)
        text_add(out, "#include \"core/one_plan.h\"\n#define POINT_AT_ONCE 4\n");
    emission_print_points(out);
    print_constants(p, out);
}

/* ---- register kernels ---- */

enum { ENTRY_OPERANDS = 600 }; /* of a rarely called function */

/* Doubles of a task in shared memory: at least struct thread_state, and odd, so that threads do not share a bank. */
enum { TASK_DOUBLES = 59, TASK_DOUBLES_POLISH = 83 };

/* The decisions of an iteration read the task of a thread many times. */
static uint32_t task_doubles(const struct device_subject *subject) {
    bool shared = subject->plan->options.weighted && !subject->single && !subject->adjoint;
    return !shared ? 0 : subject->polish ? TASK_DOUBLES_POLISH : TASK_DOUBLES;
}

static void print_iterations(const struct printer *p, struct round_room *room, struct text *out) {
    const struct ir_module *ir = &p->e.ir;
    const struct device_subject *subject = p->subject;
    bool steps = !subject->polish || subject->plan->options.weighted;
    struct text own = {.bytes = NULL};
    bool done = subject->adjoint ? round_print_back(&own, ir, &p->near, room)
                                 : round_print_once(&own, ir) && (!steps || round_print(&own, ir, &p->near, room));
    done = done && !own.failed;
    if (done)
        text_add_bytes(out, own.bytes, own.length);
    out->failed = out->failed || !done;
    text_drop(&own);
}

static void print_registers(const struct printer *p, struct text *out) {
    struct round_room room = {.single = p->subject->single, .task = task_doubles(p->subject)};
    text_add(out, "%s#define DEVICE_REGISTERS\n", room.task > 0 ? "#define TASK_NEAR\n" : "");
    print_head(p->subject, out);
    print_layer(p, out);
    print_zeros(&p->e.ir, out);
    print_assumed(&p->near, out);
    if (p->e.back_alone)
        text_add(out, "#define SOLVER_BACK_STEP %u\n", p->e.plan->leaf_s);
    emission_print_drive(&p->e, out);
    text_add(out, "#include \"cuda/kernels/kernel_registers.h\"\n");
    print_iterations(p, &room, out);
    p->code->shared = room.near;
}

/* Float constants must be finite and normal. */
static hn_status check_constants(const struct emission *e, hn_error *error) {
    for (uint32_t i = 0; e->options.single && i < e->ir.constant_count; i++) {
        double value = e->ir.constants[i];
        if (!emission_fits_float(value))
            return error_about(error, HN_UNSUPPORTED, error_option("precision"),
                               "precision float32: the model's constant %s does not fit a float",
                               error_number(value).text);
    }
    return HN_OK;
}

static hn_status lower_registers(struct printer *p, hn_error *error) {
    static const enum kernel_entry steps[] = {KERNEL_LARGEST, KERNEL_STEP_BEGIN, KERNEL_STEP_END};
    const struct device_subject *subject = p->subject;
    struct ir_module *ir = &p->e.ir;
    hn_status status = ir_create(ir, p->e.plan, subject->adjoint, error);
    if (status == HN_OK)
        status = emission_check_walk(&p->e, error);
    if (status == HN_OK)
        status = check_constants(&p->e, error);
    if (status == HN_OK)
        status = ir_create_assumed(&p->near, p->e.plan, subject->adjoint, error);
    ir->loops = true; /* entries run at most once per sample: fetching and compiling them takes longer than running */
    ir->local = device_is_apart(subject);
    ir->shortened = ir->local ? ENTRY_OPERANDS : 0;
    ir->rolled = true;
    p->e.back_alone = subject->adjoint;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && p->e.back_alone; i++)
        statements_release(&ir->entry[steps[i]]);
    return status;
}

/* ---- kernels over slots in global memory ---- */

static void print_bytecode_entry(const void *own, struct text *out, enum kernel_entry entry) {
    bytecode_print_entry(out, own, entry);
}

static void print_global(struct printer *p, struct text *out) {
    const struct bytecode *bytecode = &p->code->bytecode;
    const struct emission_lists lists = {bytecode->entry, print_bytecode_entry, bytecode};
    print_global_head(p, out);
    print_layer(p, out);
    text_add(out, "#include \"linalg/pivot_kernel.h\"\n#include \"codegen/kernel/row_functions_kernel.h\"\n");
    bytecode_print_functions(out, bytecode);
    p->e.lists = &lists;
    emission_print_entries(&p->e, out);
    p->e.lists = NULL;
    device_system_print_steps(&p->system, out);
    if (!device_searches(p->subject))
        return;
    text_add(out, "#include \"core/program_lists.h\"\n");
    emission_print_operators(out, NULL);
    text_add(out, "#include \"cuda/kernels/nearest_kernel.h\"\n");
}

static hn_status choose_bytecode(struct printer *p, hn_error *error) {
    const struct ir_module *ir = &p->e.ir;
    struct bytecode *bytecode = &p->code->bytecode;
    bool failed = false, all = p->subject->bytecode;
    for (int k = 0; k < KERNEL_ENTRIES; k++)
        bytecode->entry[k] = ir->entry[k].count > 0 && (all || !form_is_rolled(ir, (enum kernel_entry)k, &failed));
    bytecode->renames = p->system.there;
    return failed ? error_no_memory(error, "the device's kernel") : bytecode_create(bytecode, ir, error);
}

static hn_status lower_global(struct printer *p, hn_error *error) {
    struct kernel_code *code = p->code;
    bool team = device_is_team(p->subject->plan);
    p->e.hoisted = true;
    hn_status status = ir_create_whole(&p->e.ir, p->e.plan, p->subject->adjoint, error);
    if (status == HN_OK)
        status = check_constants(&p->e, error);
    if (status == HN_OK)
        status = device_system_create(&p->system, &p->e.ir, p->subject->single, error);
    if (status != HN_OK)
        return status;
    emission_drop_unasked(&p->e);
    status = choose_bytecode(p, error);
    if (status == HN_OK)
        status = device_system_list(&p->system, &code->bytecode, &p->e.ir, error);
    code->slots = p->system.slots;
    code->row = p->e.plan->outputs + taken_numbers(&p->e);
    code->width = team ? 1 : device_searches(p->subject) ? THREAD_SEARCH_WARP : DEVICE_THREADS;
    code->threads = team ? DEVICE_THREADS + BLOCK_HELPERS : code->width;
    return status;
}

/* ---- whole kernels ---- */

static hn_status print_flat(char **bytes, size_t *length, struct text *root, hn_error *error) {
    struct text out = {.bytes = NULL};
    flatten(&out, root);
    text_drop(root);
    hn_status status = out.failed ? text_error(&out, "the device's kernel", error) : HN_OK;
    if (status != HN_OK)
        text_drop(&out);
    *bytes = out.bytes;
    *length = out.length;
    return status;
}

static hn_status print_all(struct printer *p, hn_error *error) {
    struct text root = {.bytes = NULL};
    text_add(&root, "#define KERNEL_NAME %s\n", p->subject->adjoint ? "hardnet_pull" : "hardnet_run");
    if (p->subject->global)
        print_global(p, &root);
    else
        print_registers(p, &root);
    text_add(&root, "#include \"cuda/kernels/kernel_main.h\"\n");
    hn_status status = print_flat(&p->code->text, &p->code->length, &root, error);
    return status == HN_OK && p->subject->single ? bytecode_round(&p->code->bytecode, error) : status;
}

/* Float steps followed by double steps stop at the accuracy of float: rows of magnitude 1000 are rounded to 2^-14. */
static hn_status begin_emission(struct emission *e, const struct device_subject *subject, hn_error *error) {
    static const double coarse_tolerance = 0x1p-10;
    *e = (struct emission){.plan = base_allocate((size_t)subject->plan->bytes)};
    if (!e->plan)
        return error_no_memory(error, "the device's kernel");
    memcpy(e->plan, subject->plan, (size_t)subject->plan->bytes);
    if (subject->single && e->plan->options.weighted)
        e->plan->options.tolerance = fmax(e->plan->options.tolerance, coarse_tolerance);
    e->options.single = subject->single;
    e->options.adjoint = subject->adjoint;
    return HN_OK;
}

hn_status kernel_print(struct kernel_code *out, const struct device_subject *subject, hn_error *error) {
    struct printer p = {.subject = subject, .code = out};
    *out = (struct kernel_code){.text = NULL};
    hn_status status = begin_emission(&p.e, subject, error);
    if (status == HN_OK)
        status = subject->global ? lower_global(&p, error) : lower_registers(&p, error);
    if (status == HN_OK)
        status = print_all(&p, error);
    device_system_release(&p.system);
    ir_release(&p.near);
    ir_release(&p.e.ir);
    base_release(p.e.plan);
    if (status != HN_OK)
        kernel_code_release(out);
    return status;
}

void kernel_code_release(struct kernel_code *code) {
    base_release(code->text);
    bytecode_release(&code->bytecode);
    *code = (struct kernel_code){.text = NULL};
}

/* ---- policies ---- */

static const char policy_functions[] =
    "#include \"core/scalar.h\"\n"
    "#include \"base/elementary_exponential.h\"\n#include \"base/reduce.c\"\n#include \"base/elementary_circle.h\"\n"
    "#include \"base/elementary_arc.h\"\n#include \"base/elementary_hyperbolic.h\"\n";

hn_status policy_print(char **text, size_t *length, const struct plan *plan, const hn_network *network, bool refines,
                       hn_error *error) {
    const struct device_subject subject = {.plan = plan};
    const struct emission lists = {.network = network};
    struct text root = {.bytes = NULL};
    print_head(&subject, &root);
    emission_print_lists(&lists, &root);
    text_add(&root, "%s", policy_functions);
    emission_print_operators(&root, NULL);
    text_add(&root, "#include \"cuda/kernels/policy_%s.h\"\n", refines ? "refine" : "kernels");
    return print_flat(text, length, &root, error);
}
