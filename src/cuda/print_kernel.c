/* print_kernel.c - see print_kernel.h.
 *
 * SPDX-License-Identifier: MIT */
#include "cuda/print_kernel.h"

#include "base/error.h"
#include "base/memory.h"
#include "cuda/device_texts.h"
#include "cuda/print_iteration.h"

#include <string.h>

/* ---- the head ---- */

/* Rounds that the threads of a warp wait in all before those that have ended begin anew: see kernel_main.h. */
enum { WAITS_FORWARD = 80, WAITS_BACK = 192 };

void device_print_head(struct text *out, const struct device_subject *subject) {
    text_add(out, "/* A kernel of hardnet %s for a device: one layer, generated. */\n", hn_version());
    text_add(out, "%s%s%s", subject->single ? "#define REAL_SINGLE\n#define DEVICE_SINGLE\n" : "",
             subject->polish && !subject->adjoint ? "#define DEVICE_POLISH\n" : "",
             subject->adjoint ? "#define DEVICE_GRADIENTS\n" : "");
    text_add(out, "#define LAYER_WEIGHTED %d\n#define THREAD_WAITS %d\n", subject->plan->options.weighted,
             subject->adjoint ? WAITS_BACK : WAITS_FORWARD);
    text_add(out, "#include \"cuda/kernels/device_target.h\"\n");
}

bool device_is_apart(const struct device_subject *subject) {
    return subject->adjoint || subject->plan->options.weighted;
}

/* ---- the layer's data ---- */

void device_print_bits(const struct emission *e, struct text *out, double number) {
    float small = (float)number;
    int64_t bits;
    int32_t small_bits;
    memcpy(&bits, &number, sizeof bits);
    memcpy(&small_bits, &small, sizeof small_bits);
    text_add(out, "INT%d_C(%lld), ", e->options.single ? 32 : 64, (long long)(e->options.single ? small_bits : bits));
}

/* Where things lie, as constants that a compiler knows. */
static void print_places(const struct emission *e, struct text *out, uint32_t constants) {
    const struct plan *p = e->plan;
    const struct {
        char name[24];
        uint32_t value;
    } places[] = {{"SLOTS", e->ir.slots},
                  {"CONSTANTS", constants},
                  {"OUTPUTS", p->outputs},
                  {"INPUTS", p->inputs},
                  {"ROWS", p->rows},
                  {"TAKEN", device_taken(e)},
                  {"RESIDUAL", p->residual},
                  {"X", p->x},
                  {"RAW", p->raw},
                  {"Y", p->y},
                  {"BASE", p->base},
                  {"BEST", p->best},
                  {"SUMMARY", p->summary},
                  {"PIVOTS", p->system.pivot_range},
                  {"EPS", p->eps},
                  {"LARGEST", p->largest},
                  {"STEP_GAIN", p->step_gain},
                  {"STEP_SQUARES", p->step_squares},
                  {"DAMPED", p->damped},
                  {"TAKES", p->slots + LANES_FLAGS},
                  {"HOLD", p->slots + LANES_HOLD},
                  {"LEADS", p->slots + LANES_LEADS}};
    text_add(out, "\nenum {\n");
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        text_add(out, "    LAYER_%s = %u,\n", places[i].name, places[i].value);
    text_add(out, "};\n");
}

/* What statements read and no statement writes, constants apart. False when memory is out. */
static bool print_zeros(const struct emission *e, struct text *out) {
    bool *written = base_allocate(2 * (size_t)e->ir.slots * sizeof *written);
    uint32_t count = 0;
    if (!written)
        return false;
    bool *read = written + e->ir.slots;
    for (uint32_t slot = 0; slot < e->ir.slots; slot++) {
        written[slot] = e->ir.constant_of[slot] != 0;
        read[slot] = false;
    }
    for (int k = 0; k < KERNEL_ENTRIES; k++)
        for (size_t i = 0; i < e->ir.entry[k].count; i++) {
            const struct statement *at = &e->ir.entry[k].list[i];
            const uint32_t *operand = e->ir.entry[k].operands + at->first;
            for (uint32_t d = 0; d < at->count; d++)
                if (!operand_is_constant(operand[d]))
                    (d < statement_destinations(at) ? written : read)[operand[d]] = true;
        }
    text_add(out, "static DEVICE_CONSTANT const uint32_t zero_slot[] = {");
    for (uint32_t slot = 0; slot < e->ir.slots; slot++)
        if (read[slot] && !written[slot]) {
            text_add(out, "%u, ", slot);
            count++;
        }
    text_add(out, "0};\nenum { LAYER_ZEROS = %u };\n", count);
    base_release(written);
    return true;
}

static void print_kernel_print_constants(const struct emission *e, struct text *out) {
    const struct plan *p = e->plan;
    const double *numbers = plan_numbers(p, p->program.constants), *value = plan_numbers(p, p->system.constant_value);
    const uint32_t *slot = plan_words(p, p->system.constant_slot);
    uint32_t own = p->program.constants.count, all = own + p->system.constant_slot.count;
    print_places(e, out, all);
    text_add(out, "static DEVICE_CONSTANT const uint32_t constant_slot[] = {");
    for (uint32_t i = 0; i < all; i++)
        text_add(out, "%u, ", i < own ? i : slot[i - own]);
    text_add(out, "0};\nstatic DEVICE_CONSTANT const simd_bits constant_bits[] = {"); /* of infinity, too */
    for (uint32_t i = 0; i < all; i++)
        device_print_bits(e, out, i < own ? numbers[i] : value[i - own]);
    text_add(out, "0};\n");
    out->failed = !print_zeros(e, out) || out->failed;
}

void device_print_plan(const struct emission *e, struct text *out) {
    emission_print_plan(e, "static constexpr struct plan plan_values", out);
    text_add(out, "static DEVICE_CONSTANT const struct plan layer_plan = plan_values;\n"
                  "static constexpr struct sample_options layer_options = plan_values.options;\n");
}

/* Weights that straight rounds take for granted: their slots, and their bits. */
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

/* ---- all of it ---- */

enum { ENTRY_OPERANDS = 600 }; /* of a function that is hardly ever run */

/* Doubles of a task in memory that threads share: enough for struct thread_state, and odd, so that no two threads meet in a bank. */
enum { TASK_DOUBLES = 59, TASK_DOUBLES_POLISH = 83 };

static void print_library(const struct emission *e, const struct ir_module *near, bool polish, struct text *out) {
    emission_print_lists(e, out);
    emission_print_elementary(e, out);
    emission_print_sample(out);
    device_print_plan(e, out);
    text_add(out, "#include \"core/one_plan.h\"\n#define POINT_AT_ONCE 4\n");
    emission_print_points(out);
    print_kernel_print_constants(e, out);
    print_assumed(near, out);
    if (e->back_alone)
        text_add(out, "#define SOLVER_BACK_STEP %u\n", e->plan->leaf_s);
    emission_print_drive(e, out);
    text_add(out, "#include \"cuda/kernels/kernel_args.h\"\n"
                  "#include \"cuda/kernels/branchless_math.h\"\n");
    text_add(out, "#include \"cuda/kernels/sample_io.h\"\n"
                  "#include \"cuda/kernels/kernel_registers.h\"\n");
    if (e->options.adjoint) {
        text_add(out, "#include \"cuda/kernels/sample_io_adjoint.h\"\n"
                      "#include \"cuda/kernels/kernel_registers_adjoint.h\"\n");
    } else if (polish) {
        text_add(out, "#include \"cuda/kernels/mixed_precision_registers.h\"\n"
                      "#include \"cuda/kernels/mixed_precision.h\"\n");
    }
}

/* The task of a thread is read all over a round's decisions. */
static uint32_t task_near(const struct device_subject *subject) {
    bool near = subject->plan->options.weighted && !subject->single && !subject->adjoint;
    return !near ? 0 : subject->polish ? TASK_DOUBLES_POLISH : TASK_DOUBLES;
}

static void print_straight(const struct emission *e, const struct ir_module *near, bool rounds, struct round_room *room,
                           struct text *out) {
    struct text round = {.bytes = NULL};
    bool done = e->options.adjoint ? round_print_back(&round, &e->ir, near, room) : round_print_once(&round, &e->ir);
    if (done && rounds && !e->options.adjoint)
        done = round_print(&round, &e->ir, near, room);
    done = done && !round.failed;
    if (done)
        text_add_bytes(out, round.bytes, round.length);
    out->failed = out->failed || !done;
    text_drop(&round);
}

static hn_status print_kernel_print_all(const struct emission *e, const struct ir_module *near,
                                        const struct device_subject *subject, struct text *out, uint32_t *near_count,
                                        hn_error *error) {
    const char *name = subject->adjoint ? "hardnet_pull" : "hardnet_run";
    struct round_room room = {.single = subject->single, .task = task_near(subject)};
    struct text root = {.bytes = NULL};
    text_add(&root, "%s#define DEVICE_REGISTERS\n#define KERNEL_NAME %s\n", room.task > 0 ? "#define TASK_NEAR\n" : "",
             name);
    device_print_head(&root, subject);
    print_library(e, near, subject->polish, &root);
    print_straight(e, near, subject->adjoint || !subject->polish || e->plan->options.weighted, &room, &root);
    text_add(&root, "#include \"cuda/kernels/thread_begin.h\"\n"
                    "#include \"cuda/kernels/kernel_main.h\"\n"
                    "#include \"cuda/kernels/kernel_registers_entry.h\"\n");
    flatten(out, &root);
    text_drop(&root);
    *near_count = room.near;
    return out->failed ? text_error(out, "the device's kernel", error) : HN_OK;
}

/* What a way back that has no step does without. */
static const enum kernel_entry steps[] = {KERNEL_LARGEST, KERNEL_STEP_BEGIN, KERNEL_STEP_END};

static hn_status print_plan_of(struct emission *e, const struct device_subject *subject, struct text *out,
                               uint32_t *near_count, hn_error *error) {
    struct ir_module near = {.plan = NULL};
    hn_status status = ir_create(&e->ir, e->plan, subject->adjoint, error);
    if (status == HN_OK)
        status = emission_check_walk(e, error);
    if (status == HN_OK)
        status = device_check_constants(e, error);
    if (status == HN_OK)
        status = ir_create_assumed(&near, e->plan, subject->adjoint, error);
    e->ir.loops =
        true; /* entries run once a sample or less: reading and compiling them takes longer than running them */
    e->ir.local = device_is_apart(subject);
    e->ir.shortened = e->ir.local ? ENTRY_OPERANDS : 0;
    e->ir.rolled = true;
    e->back_alone = subject->adjoint;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && e->back_alone; i++)
        statements_release(&e->ir.entry[steps[i]]);
    if (status == HN_OK)
        status = print_kernel_print_all(e, &near, subject, out, near_count, error);
    ir_release(&near);
    ir_release(&e->ir);
    return status;
}

hn_status device_print(char **text, size_t *length, uint32_t *near, const struct device_subject *subject,
                       hn_error *error) {
    struct emission e;
    struct text out = {.bytes = NULL};
    *text = NULL;
    *length = *near = 0;
    hn_status status = device_begin_emission(&e, subject, error);
    if (status != HN_OK)
        return status;
    status = print_plan_of(&e, subject, &out, near, error);
    base_release(e.plan);
    if (status != HN_OK) {
        text_drop(&out);
        return status;
    }
    *text = out.bytes;
    *length = out.length;
    return HN_OK;
}
