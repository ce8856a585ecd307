/* print.c - see print.h.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/print/print.h"

#include "base/memory.h"
#include "codegen/print/print_parts.h"

#include <stdio.h>
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

/* ---- functions ---- */

/* Whether a stride has been declared for this region before operand k of statement i. */
static bool stride_is_new(const struct printer *p, size_t i, uint32_t k, int64_t stride) {
    for (size_t j = p->region->first; j <= i; j++)
        for (uint32_t e = 0; e < (j < i ? p->s->list[j].count : k); e++)
            if (stride_of(p, j, e) == stride)
                return false;
    return true;
}

/* by5: what slots move on by when 5 of them are passed in every round; back5: likewise, backwards. */
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

/* The statement, behind those whose values it needs and that have not been printed. */
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

/* Here and there in a round, lane by lane: behind `done` of so many pieces of its text. */
static void print_ahead(struct text *text, size_t done, size_t pieces, const char *end) {
    for (size_t lane = 0; lane < KERNEL_WIDEST; lane++)
        if (lane * pieces / KERNEL_WIDEST == done)
            text_add(text, "round_ahead(round, %zu)%s", lane, end);
}

/* A round in one function: values are made where they are needed, so that few of them wait. */
static void print_straight(const struct printer *p) {
    size_t first = p->s->late, end = p->s->count;
    bool *printed = base_allocate(end * sizeof *printed);
    struct call_loop calls;
    struct printer own = *p;
    bool taken = call_loop_find(&calls, p->s, p->liveness) && printed;
    own.calls = &calls;
    if (taken) {
        memset(printed, 0, end * sizeof *printed);
        if (calls.count > 0)
            print_call_loop(&own);
        for (size_t i = first; i < end; i++) {
            print_ahead(p->text, i - first, end - first, ";\n");
            print_late(&own, printed, i);
        }
    }
    p->text->failed = p->text->failed || !taken;
    call_loop_release(&calls);
    base_release(printed);
}

static void print_body(const struct printer *p) {
    if (p->s->late > 0 && p->region->period == p->s->count) {
        print_straight(p);
        return;
    }
    for (size_t i = p->region->first; i < p->region->first + p->region->period; i++) {
        print_early_loads(p, i);
        print_statement(p, i);
        print_early_next(p, i);
    }
}

/* What a device's compiler is told before a loop, and at the beginning of a function. */
static const char *print_loop(const struct ir_module *ir, bool hoisted) {
    return ir->rolled || hoisted ? "    DEVICE_ROLLED\n" : "";
}

static const char *print_local(const struct ir_module *ir) {
    return ir->local ? "    DEVICE_LOCAL(slots);\n" : "";
}

static void print_region(const struct printer *p, const char *name, size_t number) {
    bool round = p->s->round, window = p->s->window_slots > 0;
    text_add(p->text, "\nstatic GENERATED %s %s_%zu(real *slots%s) {\n%s", round ? "int" : "void", name, number,
             round ? ", struct round *round" : "", print_local(p->ir));
    if (window)
        text_add(p->text, "    const real *const from = round->from;\n    real *const to = round->to;\n");
    print_early_before(p);
    if (p->region->repeats > 1) {
        text_add(p->text, "%s    for (ptrdiff_t round = 0; round < %zu; round++) {\n", print_loop(p->ir, p->hoisted),
                 p->region->repeats);
        print_strides(p);
    }
    print_body(p);
    print_early_after(p);
    text_add(p->text, "%s%s}\n", p->region->repeats > 1 ? "    }\n" : "",
             window  ? "    (void)slots, (void)from, (void)to;\n    return 0;\n"
             : round ? "    (void)round;\n    return 0;\n"
                     : "");
}

/* All parts of the samples, one after the other. */
static void print_print_all(struct text *text, const struct ir_module *ir, const char *name, size_t regions) {
    text_add(text, "\nstatic void entry_%s(real *slots) {\n%s%s", name, print_local(ir), print_loop(ir, false));
    text_add(text, "    for (int part = 0; part < LANE_PARTS; part++, slots += WIDTH) {\n");
    for (size_t r = 0; r < regions; r++)
        text_add(text, "        %s_%zu(slots);\n", name, r);
    text_add(text, "    }\n}\n");
}

/* One round of one part; fused_fixed_kernel.h has the rest. */
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

static void print_regions(const struct printer *entry, const struct regions *regions, const char *name,
                          const struct hoisted_loads *hoisted) {
    for (size_t r = 0; r < regions->count; r++) {
        struct printer p = *entry;
        p.region = &regions->list[r];
        p.hoisted = hoisted ? &hoisted[r] : NULL;
        print_region(&p, name, r);
    }
}

/* early: room for one per region. False when memory is out. */
static bool read_early(struct hoisted_loads *hoisted, const struct statements *s, struct liveness *liveness,
                       const struct regions *regions, const bool *kept, size_t slots) {
    bool done = hoisted != NULL;
    for (size_t r = 0; r < regions->count && done; r++)
        done = hoist_find(&hoisted[r], s, liveness, &regions->list[r]);
    return done && hoist_store(hoisted, s, liveness, regions, kept, slots);
}

static struct hoisted_loads *take_early(size_t count) {
    struct hoisted_loads *hoisted = base_allocate((count + 1) * sizeof *hoisted);
    if (hoisted)
        memset(hoisted, 0, (count + 1) * sizeof *hoisted);
    return hoisted;
}

static void drop_early(struct hoisted_loads *hoisted, size_t count) {
    for (size_t r = 0; hoisted && r < count; r++)
        hoist_release(&hoisted[r]);
    base_release(hoisted);
}

bool print_entry(struct text *text, const struct ir_module *ir, enum kernel_entry entry, const bool *kept,
                 bool hoisted) {
    const struct statements *s = &ir->entry[entry];
    struct regions regions;
    struct liveness liveness;
    if (ir->shortened > 0)
        regions_find_short(&regions, s, ir->constants, ir->loops, ir->shortened);
    else
        regions_find(&regions, s, ir->constants, ir->loops);
    bool done = !regions.failed && liveness_find(&liveness, s, &regions, kept, ir->slots);
    struct hoisted_loads *loads = hoisted && done ? take_early(regions.count) : NULL;
    if (done) {
        const struct printer p = {.text = text, .ir = ir, .s = s, .liveness = &liveness};
        done = !hoisted || read_early(loads, s, &liveness, &regions, kept, ir->slots);
        if (done)
            print_regions(&p, &regions, entry_text(entry), loads);
        if (s->round)
            print_round(text, entry_text(entry), regions.count);
        else
            print_print_all(text, ir, entry_text(entry), regions.count);
        liveness_release(&liveness);
    }
    drop_early(loads, regions.count);
    regions_release(&regions);
    return done;
}

/* ---- statements in pairs ---- */

static void print_paired_region(const struct printer *p, const char *name, size_t number) {
    if (p->region->repeats > 1) {
        print_region(p, name, number);
        return;
    }
    text_add(p->text, "\nstatic GENERATED void %s_%zu(real *slots) {\n", name, number);
    for (size_t i = 0; i < p->pairs->ordered; i++)
        print_statement(p, p->region->first + p->pairs->order[i]);
    text_add(p->text, "}\n");
}

void print_entry_paired(struct text *text, const struct ir_module *ir, enum kernel_entry entry,
                        const struct slp_regions *paired) {
    for (size_t r = 0; r < paired->regions.count; r++) {
        const struct region *region = &paired->regions.list[r];
        const struct slp_pairs *pairs = region->repeats > 1 ? NULL : &paired->pairs[r];
        const struct printer p = {
            .text = text, .ir = ir, .s = &paired->s, .liveness = &paired->liveness, .region = region, .pairs = pairs};
        print_paired_region(&p, entry_text(entry), r);
    }
    print_print_all(text, ir, entry_text(entry), paired->regions.count);
}
