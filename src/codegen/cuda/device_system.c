/* device_system.c - see device_system.h.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/cuda/device_system.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"

#include <string.h>

/* ---- a layout ---- */

void layout_name(struct system_layout *l, const char *name, uint64_t value) {
    if (l->words)
        text_add(l->names, "    %s = %llu,\n", name, (unsigned long long)value);
}

void layout_words(struct system_layout *l, const char *name, const uint32_t *from, size_t count) {
    layout_name(l, name, l->word_count);
    if (l->words && count > 0)
        memcpy(l->words + l->word_count, from, count * sizeof *from);
    l->word_count += count;
}

void layout_numbers(struct system_layout *l, const char *name, const double *from, size_t rows, size_t apart,
                    size_t columns) {
    layout_name(l, name, l->number_count);
    for (size_t i = 0; l->numbers && columns > 0 && i < rows; i++)
        memcpy(l->numbers + l->number_count + i * columns, from + i * apart, columns * sizeof *from);
    l->number_count += rows * columns;
}

void layout_slots(struct system_layout *l, const char *name, uint64_t count) {
    layout_name(l, name, l->slot_count);
    l->slot_count += count;
}

uint64_t kernel_bits(double number, bool single) {
    const float small = (float)number;
    uint64_t bits;
    uint32_t few;
    memcpy(&bits, &number, sizeof bits);
    memcpy(&few, &small, sizeof few);
    return single ? few : bits;
}

/* ---- systems gathered from the plan's lists ---- */

static void layout_list(struct system_layout *l, const char *name, struct plan_list list) {
    layout_words(l, name, plan_words(l->plan, list), list.count);
}

/* Right-hand sides and solutions; codegen/ir/lower_system.c has the statements before and after the solve. */
static void layout_sides(struct system_layout *l) {
    const struct plan *p = l->plan;
    bool outputs = p->options.outputs_side;
    layout_name(l, "SYSTEM_STEP_FROM", !outputs ? p->right : p->options.adaptive ? p->gradient : p->step);
    layout_name(l, "SYSTEM_STEP_TO", outputs ? p->step : p->unknown);
    layout_name(l, "SYSTEM_BACK_FROM", outputs ? p->step : p->right);
    layout_name(l, "SYSTEM_BACK_FROM_TOO", outputs ? p->gradient : p->work);
    layout_name(l, "SYSTEM_BACK_TO", outputs ? p->leaf_s : p->v);
    layout_name(l, "SYSTEM_BACK_TO_TOO", outputs ? p->leaf_t : p->q);
}

static void layout_gathered(struct system_layout *l) {
    const struct plan_system *s = &l->plan->system;
    layout_sides(l);
    layout_name(l, "SYSTEM_KIND", s->kind);
    layout_name(l, "SYSTEM_ORDER", s->order);
    layout_name(l, "SYSTEM_ADDED", s->added);
    layout_name(l, "SYSTEM_PREFIX", false);
    layout_name(l, "SYSTEM_LOWER", s->lower);
    layout_name(l, "SYSTEM_INVERSE", s->inverse);
    layout_name(l, "SYSTEM_PIVOTS", s->pivot_range);
    layout_name(l, "SYSTEM_SOLUTION", s->solution);
    layout_slots(l, "SYSTEM_STRIP", (uint64_t)STRIP_ROWS * s->order);
    layout_list(l, "SYSTEM_STREAM", s->stream);
    layout_list(l, "SYSTEM_PERMUTATION", s->permutation);
    layout_list(l, "SYSTEM_COLUMN_FIRST", s->column_first);
    layout_list(l, "SYSTEM_ROW_UNKNOWN", s->row_unknown);
    layout_list(l, "SYSTEM_ROW_NUMBER", s->row_number);
    layout_list(l, "SYSTEM_ROW_FIRST", s->row_first);
    layout_list(l, "SYSTEM_ROW_COLUMN", s->row_column);
    layout_list(l, "SYSTEM_ROW_ENTRY", s->row_entry);
}

static void device_system_lay_out(struct system_layout *l) {
    const struct plan_program *program = &l->plan->program;
    layout_name(l, "SYSTEM_CONSTANTS", program->constants.count);
    layout_name(l, "SYSTEM_FIRST_CONSTANT", program->coefficients.count); /* see note_constants of codegen/ir/lower.c */
    if (l->tiled)
        layout_tiled(l);
    else
        layout_gathered(l);
}

/* ---- statements that the loops replace ---- */

/* The host's program is the plan's without the sums that the block computes; there is one statement per instruction. */
static void drop_values(struct ir_module *ir, const struct lanes *lanes) {
    const struct plan *plan = ir->plan;
    const struct instruction *left = lanes->program.code + lanes->program.first[1], *end = lanes->program.code;
    const struct instruction *all = plan_code(plan) + plan->program.first[1];
    struct statements *s = &ir->entry[KERNEL_EVALUATE];
    size_t kept = 0;
    end += lanes->program.first[2];
    for (size_t i = 0; i < s->count; i++)
        if (left < end && memcmp(left, &all[i], sizeof *left) == 0) {
            s->list[kept++] = s->list[i];
            left++;
        }
    s->count = kept;
}

/* ---- creation ---- */

hn_status device_system_create(struct device_system *out, struct ir_module *ir, bool single, hn_error *error) {
    const struct plan *plan = ir->plan;
    *out = (struct device_system){.there = !ir->solves, .kind = (enum factor_kind)plan->system.kind, .single = single};
    if (!out->there || out->kind != FACTOR_TILED)
        return HN_OK;
    hn_status status = executor_open_lanes(&out->host, plan, HN_INSTRUCTIONS_BEST, error);
    if (status != HN_OK)
        return status;
    const struct lanes *lanes = lanes_of(&out->host);
    out->reduces = lanes->tiled.reduction.order > 0;
    if (lanes->tiled.block.values > 0)
        drop_values(ir, lanes);
    return HN_OK;
}

void device_system_release(struct device_system *system) {
    text_drop(&system->names);
    if (system->host.own)
        executor_close(&system->host);
    *system = (struct device_system){.there = false};
}

static bool grow(struct bytecode *bytecode, size_t words, size_t numbers) {
    uint32_t *more = base_reallocate(bytecode->words, size_product(words + 1, sizeof *more));
    bytecode->words = more ? more : bytecode->words;
    double *further = more ? base_reallocate(bytecode->numbers, size_product(numbers + 1, sizeof *further)) : NULL;
    bytecode->numbers = further ? further : bytecode->numbers;
    return further != NULL;
}

static hn_status check(const struct system_layout *l, hn_error *error) {
    if (l->word_count <= UINT32_MAX && l->number_count <= UINT32_MAX && l->slot_count <= UINT32_MAX)
        return HN_OK;
    return error_set(
        error, HN_LIMIT,
        "device cuda: the linear system of this model has %u unknowns: %llu numbers of a sample, too many to "
        "number",
        l->plan->system.order, (unsigned long long)l->slot_count);
}

hn_status device_system_list(struct device_system *system, struct bytecode *bytecode, const struct ir_module *ir,
                             hn_error *error) {
    struct system_layout l = {.plan = ir->plan, .single = system->single, .names = &system->names};
    system->slots = bytecode->slots;
    if (!system->there)
        return HN_OK;
    if (system->host.own) {
        l.tiled = &lanes_of(&system->host)->tiled;
        l.known = lanes_of(&system->host)->rows.known;
    }
    l.word_count = bytecode->count;
    l.number_count = bytecode->number_count;
    l.slot_count = bytecode->slots;
    struct system_layout placed = l;
    device_system_lay_out(&l);
    hn_status status = check(&l, error);
    if (status != HN_OK)
        return status;
    if (!grow(bytecode, l.word_count, l.number_count))
        return error_no_memory(error, "the linear system");
    placed.words = bytecode->words;
    placed.numbers = bytecode->numbers;
    text_add(&system->names, "\nenum : long long {\n");
    device_system_lay_out(&placed);
    text_add(&system->names, "};\n");
    bytecode->count = l.word_count;
    bytecode->number_count = l.number_count;
    system->slots = (uint32_t)l.slot_count;
    return system->names.failed ? error_no_memory(error, "the linear system") : HN_OK;
}

/* ---- text ---- */

void device_system_print_names(const struct device_system *system, struct text *out) {
    if (!system->there)
        return;
    text_add_bytes(out, system->names.bytes, system->names.length);
    if (system->kind == FACTOR_TILED)
        text_add(out, "%s#include \"codegen/cuda/blocked_known_kernel.h\"\n",
                 system->reduces ? "#define TILED_REDUCES\n" : "");
}

void device_system_print_steps(const struct device_system *system, struct text *out) {
    if (system->there)
        text_add(out, "#include \"codegen/cuda/%s_step_kernel.h\"\n",
                 system->kind == FACTOR_TILED ? "blocked" : "system");
}
