/* print.c - see print.h.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/print/print.h"

#include "base/memory.h"
#include "codegen/print/print_parts.h"

#include <string.h>

#define ENTRY_TEXT(name, text)                                                                                         \
    case KERNEL_##name:                                                                                                \
        return text;
const char *entry_text(enum kernel_entry entry) {
    switch (entry) {
        KERNEL_ENTRY_LIST(ENTRY_TEXT)
    default:
        return "unknown";
    }
}

/* ---- hoisted loads and carried values: aN is the value of load N, cN its value for the next round; loads a round
 * ahead use both ---- */

static void print_loads_before(const struct printer *p) {
    for (size_t n = 0; p->hoisted && n < p->hoisted->count; n++) {
        const struct hoist_load *load = &p->hoisted->list[n];
        if (load->kind == HOIST_ONCE)
            text_add(p->text, "    const simd a%zu = S(%u);\n", n, load->place.slot);
        else if (load->kind != HOIST_HERE)
            text_add(p->text, "    simd c%zu = S(%u);\n", n, load->place.slot);
    }
}

/* more: 0 in the last round, else 1. */
static void print_load_ahead(const struct printer *p, const struct hoist_load *load, size_t n) {
    int64_t stride = load->place.stride;
    text_add(p->text, "    c%zu = S_AT(%s%lld + more * (%lld * SLOT_STRIDE), %u);\n", n, stride < 0 ? "back" : "by",
             (long long)(stride < 0 ? -stride : stride), (long long)stride, load->place.slot);
}

static void print_loads_of(const struct printer *p, size_t i) {
    const struct hoisted_loads *hoisted = p->hoisted;
    if (!hoisted)
        return;
    if (i == p->region->first && p->region->repeats > 1)
        text_add(p->text, "    const ptrdiff_t more = round + 1 < %zu;\n", p->region->repeats);
    for (size_t n = hoisted->begins[i - p->region->first]; n < hoisted->begins[i - p->region->first + 1]; n++) {
        const struct hoist_load *load = &hoisted->list[n];
        if (load->kind == HOIST_ONCE || load->kind == HOIST_AHEAD)
            continue;
        text_add(p->text, "    const simd a%zu = ", n);
        if (load->kind == HOIST_HERE)
            print_slot(p, load->statement, load->operand, false);
        else
            text_add(p->text, "c%zu", n);
        text_add(p->text, ";\n");
    }
}

/* Loads for the next round, after the last use of the current value: at statement i, or at the end of the round. */
static void print_loads_ahead(const struct printer *p, size_t i) {
    for (size_t n = 0; p->hoisted && n < p->hoisted->count; n++)
        if (p->hoisted->list[n].kind == HOIST_AHEAD && p->hoisted->list[n].last == i)
            print_load_ahead(p, &p->hoisted->list[n], n);
}

/* The value of destination d of statement i, as a number. */
static void print_value(const struct printer *p, size_t i, uint32_t d) {
    bool mask = function_is_mask(p->s->list[i].function);
    text_add(p->text, mask ? "simd_of_bits(%c%zu)" : "%c%zu", d ? 'w' : 'v', i - p->region->first);
}

static void print_late_stores(const struct printer *p) {
    bool any = false;
    for (size_t i = p->region->first; i < p->region->first + p->region->period; i++)
        for (uint32_t d = 0; d < statement_destinations(&p->s->list[i]); d++) {
            if (!(p->hoisted->late[i - p->region->first] >> d & 1))
                continue;
            if (!any)
                text_add(p->text, "    if (round >= %zu) {\n", p->hoisted->late_round);
            any = true;
            text_add(p->text, "    ");
            print_slot(p, i, d, false);
            text_add(p->text, " = ");
            print_value(p, i, d);
            text_add(p->text, ";\n");
        }
    if (any)
        text_add(p->text, "    }\n");
}

static void print_loads_after(const struct printer *p) {
    if (!p->hoisted || p->region->repeats == 1)
        return;
    print_late_stores(p);
    for (size_t n = 0; n < p->hoisted->count; n++) {
        const struct hoist_load *load = &p->hoisted->list[n];
        if (load->kind != HOIST_CARRIED)
            continue;
        text_add(p->text, "    c%zu = ", n);
        if (load->from_load)
            print_load_value(p, load->from_load - 1);
        else
            print_value(p, load->from_statement, load->from_destination);
        text_add(p->text, ";\n");
    }
    print_loads_ahead(p, p->region->first + p->region->period);
}

/* ---- functions ---- */

/* Whether a stride has been declared for this region before operand k of statement i. */
static bool stride_is_new(const struct printer *p, size_t i, uint32_t k, int64_t stride) {
    for (size_t j = p->region->first; j <= i; j++)
        for (uint32_t e = 0; e < (j < i ? p->s->list[j].count : k); e++)
            if (stride_of(p, j, e) == stride)
                return false;
    return true;
}

/* by5: the offset of slots that advance by 5 per round; back5: by -5. */
static void print_strides(const struct printer *p) {
    for (size_t i = p->region->first; i < p->region->first + p->region->period; i++)
        for (uint32_t k = 0; k < p->s->list[i].count; k++) {
            int64_t stride = stride_of(p, i, k);
            if (stride == 1 && stride_is_new(p, i, k, stride)) /* MISRA 2.2: no product with 1 */
                text_add(p->text, "    const ptrdiff_t by1 = round * SLOT_STRIDE;\n");
            else if (stride != 0 && stride_is_new(p, i, k, stride))
                text_add(p->text, "    const ptrdiff_t %s%lld = round * (%lld * SLOT_STRIDE);\n",
                         stride < 0 ? "back" : "by", (long long)(stride < 0 ? -stride : stride), (long long)stride);
        }
}

/* Prints the statement after its unprinted dependencies. */
static void print_late(const struct printer *p, bool *printed, size_t i) {
    const struct statement *at = &p->s->list[i];
    if (printed[i])
        return;
    printed[i] = true;
    for (uint32_t k = statement_destinations(at); k < at->count; k++)
        if (p->liveness->source[at->first + k])
            print_late(p, printed, (p->liveness->source[at->first + k] - 1) / 2);
    print_statement(p, i);
    if (i + 1 < p->s->late && statement_follows_row(at + 1))
        print_late(p, printed, i + 1);
}

/* Distributes the prefetches of a lane over a round: called after `done` of `pieces` parts of its text. */
static void print_ahead(struct text *text, size_t done, size_t pieces, const char *end) {
    for (size_t lane = 0; lane < KERNEL_WIDEST; lane++)
        if (lane * pieces / KERNEL_WIDEST == done)
            text_add(text, "round_ahead(round, %zu)%s", lane, end);
}

/* A loop of calls at the beginning of a straight-line round (call_batching.h). */
static void print_call_loop(const struct printer *p) {
    const struct call_loop *calls = p->calls;
    char kind = statements_in_window(p->s, calls->slot) ? 'F' : 'S';
    text_add(p->text, "    simd called[%zu];\n    for (ptrdiff_t k = 0; k < %zu; k++)\n        ",
             calls->count * call_loop_results(calls), calls->count);
    if (call_loop_results(calls) > 1)
        text_add(p->text, "call_sincos(%c_AT(k * (%u * SLOT_STRIDE), %u), called + 2 * k, called + 2 * k + 1);\n", kind,
                 calls->stride, calls->slot);
    else
        text_add(p->text, "called[k] = call_%s(%c_AT(k * (%u * SLOT_STRIDE), %u));\n",
                 operator_text((enum op)calls->function), kind, calls->stride, calls->slot);
}

/* A round in one function. Each value is computed right before its first use, to keep few values live. */
static void print_straight(const struct printer *p) {
    size_t first = p->s->late, end = p->s->count;
    struct buffers buffers = {.count = 0};
    bool *printed = buffers_take(&buffers, end, sizeof *printed);
    struct call_loop calls;
    struct printer own = *p;
    bool taken = call_loop_find(&calls, p->s, p->liveness) && printed;
    own.calls = &calls;
    if (taken && calls.count > 0)
        print_call_loop(&own);
    for (size_t i = first; i < end && taken; i++) {
        print_ahead(p->text, i - first, end - first, ";\n");
        print_late(&own, printed, i);
    }
    p->text->failed = p->text->failed || !taken;
    call_loop_release(&calls);
    buffers_release(&buffers);
}

static void print_body(const struct printer *p) {
    for (size_t i = 0; p->pairs && i < p->pairs->ordered; i++)
        print_statement(p, p->region->first + p->pairs->order[i]);
    if (p->pairs)
        return;
    if (p->s->late > 0 && p->region->period == p->s->count) {
        print_straight(p);
        return;
    }
    for (size_t i = p->region->first; i < p->region->first + p->region->period; i++) {
        print_loads_of(p, i);
        print_statement(p, i);
        print_loads_ahead(p, i);
    }
}

/* Attributes for a device compiler, before a loop and at the beginning of a function. */
static const char *loop_attribute(const struct ir_module *ir, bool hoisted) {
    return ir->rolled || hoisted ? "    DEVICE_ROLLED\n" : "";
}

static const char *local_attribute(const struct ir_module *ir) {
    return ir->local ? "    DEVICE_LOCAL(slots);\n" : "";
}

static void print_region(const struct printer *p, const char *name, size_t number) {
    bool round = p->s->round, window = p->s->window_slots > 0;
    text_add(p->text, "\nstatic GENERATED %s %s_%zu(real *slots%s) {\n%s", round ? "int" : "void", name, number,
             round ? ", struct round *round" : "", local_attribute(p->ir));
    if (window)
        text_add(p->text, "    const real *const from = round->from;\n    real *const to = round->to;\n");
    print_loads_before(p);
    if (p->region->repeats > 1) {
        text_add(p->text, "%s    for (ptrdiff_t round = 0; round < %zu; round++) {\n",
                 loop_attribute(p->ir, p->hoisted), p->region->repeats);
        print_strides(p);
    }
    print_body(p);
    print_loads_after(p);
    text_add(p->text, "%s%s}\n", p->region->repeats > 1 ? "    }\n" : "",
             window  ? "    (void)slots, (void)from, (void)to;\n    return 0;\n"
             : round ? "    (void)round;\n    return 0;\n"
                     : "");
}

/* Loops over the vectors of lanes. */
static void print_entry_function(struct text *text, const struct ir_module *ir, const char *name, size_t regions) {
    text_add(text, "\nstatic void entry_%s(real *slots) {\n%s%s", name, local_attribute(ir), loop_attribute(ir, false));
    text_add(text, "    for (int part = 0; part < LANE_PARTS; part++, slots += WIDTH) {\n");
    for (size_t r = 0; r < regions; r++)
        text_add(text, "        %s_%zu(slots);\n", name, r);
    text_add(text, "    }\n}\n");
}

/* One round for one vector of lanes; fused_fixed_kernel.h has the loop. */
static void print_round(struct text *text, const char *name, size_t regions) {
    text_add(text, "\nstatic int %s_once(real *slots, struct round *round) {\n    return ", name);
    for (size_t r = 0; r < regions; r++) {
        text_add(text, "%s(", r > 0 ? " ||\n           " : "");
        if (regions > 1)
            print_ahead(text, r, regions, ", ");
        text_add(text, "%s_%zu(slots, round))", name, r);
    }
    text_add(text, ";\n}\n");
}

/* hoisted, pairs: per region, or NULL; loops have no pairs. */
static void print_regions(const struct printer *entry, const struct regions *regions, const char *name,
                          const struct hoisted_loads *hoisted, const struct slp_pairs *pairs) {
    for (size_t r = 0; r < regions->count; r++) {
        struct printer p = *entry;
        p.region = &regions->list[r];
        p.hoisted = hoisted ? &hoisted[r] : NULL;
        p.pairs = pairs && p.region->repeats == 1 ? &pairs[r] : NULL;
        print_region(&p, name, r);
    }
}

/* Loads of every region; false when out of memory. */
static bool find_loads(struct hoisted_loads *hoisted, const struct statements *s, struct liveness *liveness,
                       const struct regions *regions, const bool *kept, size_t slots) {
    bool done = hoisted != NULL;
    for (size_t r = 0; r < regions->count && done; r++)
        done = hoist_find(&hoisted[r], s, liveness, &regions->list[r]);
    return done && hoist_store(hoisted, s, liveness, regions, kept, slots);
}

bool print_entry(struct text *text, const struct ir_module *ir, enum kernel_entry entry, const bool *kept,
                 bool hoisted) {
    const struct statements *s = &ir->entry[entry];
    struct buffers buffers = {.count = 0};
    struct regions regions;
    struct liveness liveness = {.source = NULL};
    regions_find(&regions, s, ir, ir->shortened > 0 ? ir->shortened : REGION_OPERANDS);
    struct hoisted_loads *loads = hoisted ? buffers_take(&buffers, regions.count, sizeof *loads) : NULL;
    bool done = !regions.failed && liveness_find(&liveness, s, &regions, kept, ir->slots) &&
                (!hoisted || find_loads(loads, s, &liveness, &regions, kept, ir->slots));
    const struct printer p = {.text = text, .ir = ir, .s = s, .liveness = &liveness};
    if (done)
        print_regions(&p, &regions, entry_text(entry), loads, NULL);
    if (done && s->round)
        print_round(text, entry_text(entry), regions.count);
    else if (done)
        print_entry_function(text, ir, entry_text(entry), regions.count);
    for (size_t r = 0; r < regions.count && loads; r++)
        hoist_release(&loads[r]);
    liveness_release(&liveness);
    buffers_release(&buffers);
    regions_release(&regions);
    return done;
}

void print_entry_paired(struct text *text, const struct ir_module *ir, enum kernel_entry entry,
                        const struct slp_regions *paired) {
    const struct printer p = {.text = text, .ir = ir, .s = &paired->s, .liveness = &paired->liveness};
    print_regions(&p, &paired->regions, entry_text(entry), NULL, paired->pairs);
    print_entry_function(text, ir, entry_text(entry), paired->regions.count);
}

/* ---- slots that must be stored ---- */

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

/* A generated factor, and intermediate vectors of a solve, are live only in the entry that computes them. */
static void drop_factor(bool *kept, const struct plan *plan) {
    const struct plan_system *system = &plan->system;
    uint32_t longer = plan->rows > plan->outputs ? plan->rows : plan->outputs;
    if (plan->options.method != HN_METHOD_AUTO) /* elastic programs read the step */
        memset(kept + plan->step, 0, plan->outputs * sizeof *kept);
    memset(kept + plan->shift, 0, (plan->options.weighted ? plan->rows : 0) * sizeof *kept);
    memset(kept + plan->unknown, 0, longer * sizeof *kept);
    memset(kept + plan->work, 0, longer * sizeof *kept);
    memset(kept + system->lower, 0, system->nonzeros * sizeof *kept);
    memset(kept + system->inverse, 0, system->order * sizeof *kept);
    for (uint32_t slot = system->negated; slot < system->solution; slot++)
        kept[slot] = false;
}

/* Marks slots that an entry reads before it writes them. */
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

/* A phase run by the listed kernels may read any slot of the earlier phases. */
static bool later_phases_generated(const struct ir_module *ir) {
    const uint32_t *first = ir->plan->program.first;
    return (ir->entry[KERNEL_EVALUATE].count > 0 || first[2] == first[1]) &&
           (ir->entry[KERNEL_BACK_PROGRAM].count > 0 || first[3] == first[2]);
}

/* Everything except temporaries that other entries do not read. */
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

bool *print_kept(const struct ir_module *ir, bool everything) {
    bool *kept = base_allocate(2 * (size_t)ir->slots * sizeof *kept);
    if (kept)
        find_kept(kept, ir, kept + ir->slots, everything);
    return kept;
}
