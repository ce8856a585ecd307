/* print_global.c - see print_global.h.
 *
 * SPDX-License-Identifier: MIT */
#include "cuda/print_global.h"

#include "base/error.h"
#include "base/memory.h"
#include "cuda/device_system.h"
#include "cuda/device_texts.h"
#include "cuda/kernel_variant.h"

/* ---- the head ---- */

static uint32_t global_width(const struct device_subject *subject) {
    return device_is_team(subject->plan) ? 1 : device_searches(subject) ? THREAD_SEARCH_WARP : GLOBAL_WARP;
}

static uint32_t global_threads(const struct device_subject *subject) {
    return device_is_team(subject->plan) ? GLOBAL_WARP + BLOCK_HELPERS : global_width(subject);
}

static void print_far_head(struct text *out, const struct emission *e, const struct device_subject *subject) {
    bool searches = device_searches(subject), block = device_is_team(subject->plan);
    text_add(out, "#define KERNEL_NAME %s\n#define GLOBAL_THREADS %u\n%s%s",
             subject->adjoint ? "hardnet_pull" : "hardnet_run", global_width(subject),
             searches ? "#define DEVICE_SEARCHES\n" : "", emission_drive_judges(e) ? "#define SOLVER_JUDGES\n" : "");
    if (block)
        text_add(out, "#define BLOCK_HELPERS %d\n#define BLOCK_BOUNDS %u, %d\n", (int)BLOCK_HELPERS,
                 global_threads(subject), (int)BLOCK_BLOCKS);
    device_print_head(out, subject);
    text_add(out, "#include \"cuda/kernels/global_target.h\"\n");
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

/* The methods nearest and optimal: the library's own search. */
static void print_search(struct text *out, bool thread_pool) {
    text_add(out, "#include \"core/program_lists.h\"\n"
                  "#include \"cuda/kernels/level_schedule_lists.h\"\n");
    emission_print_operators(out, NULL);
    text_add(out,
             "#include \"core/program_run.h\"\n#include \"linalg/signed_kernel.h\"\n"
             "#include \"core/nearest_layout.h\"\n#include \"core/nearest_state.h\"\n"
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

static void print_library(const struct emission *e, const struct bytecode *listed, const struct device_system *system,
                          bool polish, struct text *out) {
    emission_print_lists(e, out);
    emission_print_elementary(e, out);
    emission_print_sample(out);
    device_system_print_knows(system, out);
    emission_print_points(out);
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
    if (e->plan->tape_numbers > 0 && !e->options.single)
        text_add(out, "#include \"core/solver_search.h\"\n");
    text_add(out, "#include \"core/solver_run%s.h\"\n", e->options.adjoint ? "_adjoint" : "");
    print_samples(e, polish, out);
    device_system_print_begin(system, out);
}

static hn_status print_global_print_all(struct emission *e, const struct device_subject *subject,
                                        const struct device_system *system, struct global_code *code, hn_error *error) {
    struct text root = {.bytes = NULL}, out = {.bytes = NULL};
    const struct emission_lists lists = {code->listed.entry, print_listed, &code->listed};
    e->lists = &lists;
    print_far_head(&root, e, subject);
    print_library(e, &code->listed, system, subject->polish, &root);
    e->lists = NULL;
    text_add(&root, "#include \"cuda/kernels/kernel_global_entry.h\"\n");
    flatten(&out, &root);
    text_drop(&root);
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
