/* print_global.c - see print_global.h.
 *
 * SPDX-License-Identifier: MIT */
#include "cuda/print_global.h"

#include "base/error.h"
#include "base/memory.h"
#include "cuda/device_system.h"
#include "cuda/device_texts.h"
#include "cuda/kernel_variant.h"

#include <stdio.h>

/* ---- the head ---- */

/* On the host samples lie side by side, too: one thread takes them one after the other, in the first place of four. A team has one. */
static const char widths[] =
    "#ifdef DEVICE_HOST\n#define GLOBAL_WIDTH 4\n#define GLOBAL_REFILL 1\n#define LOOP_ROLLED\n"
    "#define GLOBAL_UNROLL_FEW\n"
    "#define BYTECODE_PLACE(variable) extern \"C\" { variable; }\n"
    "#else\n"
    "#define LOOP_ROLLED _Pragma(\"unroll 1\")\n#define GLOBAL_UNROLL_FEW _Pragma(\"unroll 4\")\n"
    "#define GLOBAL_WIDTH GLOBAL_THREADS\n#define GLOBAL_REFILL 8\n"
    "#undef WARP_VOTE\n#define WARP_VOTE(flag) __ballot_sync(0xffffffffU >> (32 - GLOBAL_WIDTH), flag)\n"
    "#define BYTECODE_PLACE(variable) extern \"C\" { __constant__ variable; }\n"
    "#endif\n";

static uint32_t global_width(const struct device_subject *subject) {
    return device_is_team(subject->plan) ? 1 : device_searches(subject) ? THREAD_SEARCH_WARP : GLOBAL_WARP;
}

static uint32_t global_threads(const struct device_subject *subject) {
    return device_is_team(subject->plan) ? GLOBAL_WARP + BLOCK_HELPERS : global_width(subject);
}

static void print_far_head(struct text *out, const struct emission *e, const struct device_subject *subject) {
    device_print_head(out, subject);
    text_add(out,
             "#define GLOBAL_THREADS %u\n%s#define SOLVER_AT_ONCE 32\n#define SOLVER_EVEN 0\n#define SOLVER_UNROLL "
             "DEVICE_UNROLL_SOME\n"
             "#define POINT_UNROLL DEVICE_UNROLL_SOME\n%s",
             global_width(subject), widths, emission_drive_judges(e) ? "#define SOLVER_JUDGES\n" : "");
    if (device_is_team(subject->plan))
        text_add(out,
                 "#define BLOCK_HELPERS %d\n#ifdef DEVICE_HOST\n#undef GLOBAL_WIDTH\n#define GLOBAL_WIDTH 1\n#endif\n",
                 (int)BLOCK_HELPERS);
}

/* ---- the layer's data ---- */

/* Numbers that slots hold from the beginning; with a system of loops those of the program are no text. */
static void print_global_print_constants(const struct emission *e, const struct device_system *system,
                                         struct text *out) {
    const struct plan *p = e->plan;
    const double *numbers = plan_numbers(p, p->program.constants), *value = plan_numbers(p, p->system.constant_value);
    const uint32_t *slot = plan_words(p, p->system.constant_slot);
    uint32_t own = system->there ? 0 : p->program.constants.count, all = own + p->system.constant_slot.count;
    text_add(
        out,
        "\nenum {\n    LAYER_SLOTS = %u,\n    LAYER_CONSTANTS = %u,\n    LAYER_INPUTS = %u,\n    LAYER_OUTPUTS = %u,\n"
        "    LAYER_ROWS = %u,\n    LAYER_TAKEN = %u,\n    LAYER_Y = %u,\n    LAYER_BEST = %u\n};\n",
        system->slots, all, p->inputs, p->outputs, p->rows, device_taken(e), p->y, p->best);
    text_add(out, "SHARED_CONSTANT uint32_t constant_slot[] = {");
    for (uint32_t i = 0; i < all; i++)
        text_add(out, "%u, ", i < own ? i : slot[i - own]);
    text_add(out, "0};\nSHARED_CONSTANT simd_bits constant_bits[] = {"); /* of infinity, too */
    for (uint32_t i = 0; i < all; i++)
        device_print_bits(e, out, i < own ? numbers[i] : value[i - own]);
    text_add(out, "0};\n");
}

/* ---- statements ---- */

static void print_listed(const void *own, struct text *out, enum kernel_entry entry) {
    bytecode_print_entry(out, own, entry);
}

static void print_functions(const struct bytecode *listed, struct text *out) {
    bytecode_print_names(out);
    text_add(out, "#include \"cuda/kernels/bytecode_run.h\"\n");
    bytecode_print_functions(out, listed);
}

static void choose_listed(const struct ir_module *ir, struct bytecode *listed, bool all, bool *failed) {
    for (int k = 0; k < KERNEL_ENTRIES; k++)
        listed->entry[k] = ir->entry[k].count > 0 && (all || !form_is_rolled(ir, (enum kernel_entry)k, failed));
}

/* ---- all of it ---- */

/* The kernel's name; what a search begins with. */
static const char host_kernel[] = "\n#ifdef DEVICE_HOST\n"
                                  "extern \"C\" void %s(const struct device_call *call) {\n"
                                  "    task t;\n    global_begin(task_global(&t), call->global_slots, "
                                  "call->global_rows);\n%s    tasks_run(call, &t, 0, 1);\n}\n"
                                  "#else\n";

/* Its bounds and its name; what others do than the thread of a sample; what a search begins with, and what a team ends with. */
static const char device_kernel[] =
    "extern \"C\" __global__ void __launch_bounds__(%s) %s(const struct device_call call) {\n%s"
    "    uint64_t thread = blockIdx.x * (uint64_t)GLOBAL_WIDTH + threadIdx.x;\n    task t;\n"
    "    global_begin(task_global(&t), call.global_slots + blockIdx.x * (uint64_t)LAYER_SLOTS * GLOBAL_WIDTH + "
    "threadIdx.x,\n"
    "              call.global_rows + thread * (LAYER_OUTPUTS + LAYER_TAKEN));\n"
    "%s    tasks_run(&call, &t, thread, gridDim.x * (uint64_t)GLOBAL_WIDTH);\n%s}\n"
    "#endif\n";

static void print_kernel(struct text *out, const struct device_subject *subject) {
    const char *name = subject->adjoint ? "hardnet_pull" : "hardnet_run";
    bool searches = device_searches(subject), thread_pool = device_is_team(subject->plan);
    char bounds[32] = "GLOBAL_WIDTH";
    if (thread_pool)
        snprintf(bounds, sizeof bounds, "%u, %d", global_threads(subject), (int)BLOCK_BLOCKS);
    text_add(out, host_kernel, name, searches ? "    thread_search_begin(task_global(&t), call, 0);\n" : "");
    text_add(out, device_kernel, bounds, name, thread_pool ? "    if (!block_begin())\n        return;\n" : "",
             searches ? "    thread_search_begin(task_global(&t), &call, thread);\n" : "",
             thread_pool ? "    block_end();\n" : "");
}

/* The numbers of the search are slots, too. */
static const char slots_of_search[] = "\n#ifdef DEVICE_HOST\n#define DEVICE_GLOBAL(pointer) ((void)0)\n#else\n"
                                      "#define DEVICE_GLOBAL(pointer) __builtin_assume(__isGlobal(pointer))\n#endif\n";

/* The methods nearest and optimal: the library's own search. */
static void print_search(struct text *out, bool thread_pool) {
    text_add(out, "#include \"core/program_lists.h\"\n"
                  "#include \"cuda/kernels/level_schedule_lists.h\"\n");
    emission_print_operators(out, NULL);
    text_add(out, "%s", slots_of_search);
    text_add(out,
             "#include \"core/program_run.h\"\n#include \"linalg/signed_kernel.h\"\n"
             "#include \"core/nearest_layout.h\"\n#include \"core/nearest_samples.h\"\n"
             "#include \"core/nearest_state.h\"\n#include \"core/active_set_layout.h\"\n"
             "#include \"cuda/kernels/nearest_slots.h\"\n#include \"cuda/kernels/kernels_%s.h\"\n"
             "#include \"core/search.h\"\n#include \"core/infeasibility_proof.h\"\n"
             "#include \"core/implicit_vjp.h\"\n#include \"core/active_set.h\"\n",
             thread_pool ? "block" : "thread");
}

/* One thread, and the samples that it takes. */
static void print_samples(const struct emission *e, bool polish, struct text *out) {
    bool single = e->options.single, searches = e->plan->tape_numbers > 0 && !single;
    text_add(out, "#include \"cuda/kernels/kernel_args.h\"\n"
                  "#include \"cuda/kernels/sample_io.h\"\n");
    if (searches) {
        print_search(out, device_is_team(e->plan));
        text_add(out, "#include \"cuda/kernels/search_layout.h\"\n");
    }
    text_add(out, "#include \"cuda/kernels/kernel_global.h\"\n");
    if (searches)
        text_add(out, "#include \"cuda/kernels/nearest_kernel.h\"\n");
    if (e->options.adjoint) {
        text_add(out, "#include \"cuda/kernels/sample_io_adjoint.h\"\n"
                      "#include \"cuda/kernels/kernel_global_adjoint.h\"\n");
    } else if (polish)
        text_add(out, "#include \"cuda/kernels/mixed_precision.h\"\n");
    if (searches && e->options.adjoint)
        text_add(out, "#include \"cuda/kernels/nearest_kernel_adjoint.h\"\n");
    text_add(out, "#include \"cuda/kernels/kernel_global_main.h\"\n");
}

/* nearest_kernel.h hears of every slope. */
static const char slope_is_heard[] = "\n#define DEVICE_SEARCHES\n"
                                     "static void thread_search_slope(const struct point *p, real *row, "
                                     "struct sample_slope *slope);\n#define point_slope thread_search_slope\n";

static void print_library(const struct emission *e, const struct bytecode *listed, const struct device_system *system,
                          bool polish, struct text *out) {
    emission_print_lists(e, out);
    emission_print_elementary(e, out);
    emission_print_sample(out);
    device_system_print_knows(system, out);
    emission_print_points(out);
    text_add(out, e->plan->tape_numbers > 0 ? slope_is_heard : "");
    device_print_plan(e, out);
    print_global_print_constants(e, system, out);
    text_add(out, "#include \"linalg/pivot_kernel.h\"\n"
                  "#include \"cpu/row_values_kernel.h\"\n");
    text_add(out, "#include \"codegen/kernel/row_functions_kernel.h\"\n"
                  "#include \"cuda/kernels/global_slots.h\"\n");
    print_functions(listed, out);
    device_system_print_functions(system, out);
    emission_print_entries(e, out);
    device_system_print_entries(system, out);
    text_add(out, "#include \"core/solver.h\"\n");
    if (e->options.adjoint) {
        text_add(out, "#include \"core/point_back.h\"\n"
                      "#include \"core/solver_adjoint.h\"\n");
    }
    print_samples(e, polish, out);
    device_system_print_begin(system, out);
}

static hn_status print_global_print_all(struct emission *e, const struct device_subject *subject,
                                        const struct device_system *system, struct global_code *code, hn_error *error) {
    struct text own = {.bytes = NULL}, out = {.bytes = NULL};
    const struct emission_lists lists = {code->listed.entry, print_listed, &code->listed};
    e->lists = &lists;
    print_library(e, &code->listed, system, subject->polish, &own);
    e->lists = NULL;
    print_far_head(&out, e, subject);
    device_print_as_cpp(&out, &own, false, false);
    print_kernel(&out, subject);
    text_drop(&own);
    hn_status status = out.failed ? text_error(&out, "the device's kernel", error) : HN_OK;
    if (status != HN_OK)
        text_drop(&out);
    code->text = out.bytes;
    code->length = out.length;
    return status;
}

static hn_status print_global_fill(struct emission *e, const struct device_subject *subject,
                                   struct device_system *system, struct global_code *code, hn_error *error) {
    bool failed = false;
    emission_drop_unasked(e);
    choose_listed(&e->ir, &code->listed, subject->listed, &failed);
    code->listed.renames = system->there;
    if (failed)
        return error_no_memory(error, "the device's kernel");
    hn_status status = bytecode_create(&code->listed, &e->ir, error);
    if (status == HN_OK)
        status = device_system_list(system, &code->listed, &e->ir, error);
    code->slots = system->slots;
    code->width = global_width(subject);
    code->threads = global_threads(subject);
    code->row = e->plan->outputs + device_taken(e);
    if (status == HN_OK)
        status = print_global_print_all(e, subject, system, code, error);
    return status == HN_OK && subject->single ? bytecode_round(&code->listed, error) : status;
}

static hn_status print_plan_of(struct emission *e, const struct device_subject *subject, struct global_code *out,
                               hn_error *error) {
    struct device_system system = {.there = false};
    e->hoisted = true;
    hn_status status = ir_create_whole(&e->ir, e->plan, subject->adjoint, error);
    if (status == HN_OK)
        status = device_check_constants(e, error);
    if (status == HN_OK)
        status = device_system_create(&system, &e->ir, subject->single, error);
    if (status == HN_OK)
        status = print_global_fill(e, subject, &system, out, error);
    device_system_release(&system);
    ir_release(&e->ir);
    return status;
}

hn_status global_print(struct global_code *out, const struct device_subject *subject, hn_error *error) {
    struct emission e;
    *out = (struct global_code){.text = NULL};
    hn_status status = device_begin_emission(&e, subject, error);
    if (status != HN_OK)
        return status;
    status = print_plan_of(&e, subject, out, error);
    base_release(e.plan);
    if (status != HN_OK)
        global_release(out);
    return status;
}

void global_release(struct global_code *code) {
    base_release(code->text);
    bytecode_release(&code->listed);
    *code = (struct global_code){.text = NULL};
}
