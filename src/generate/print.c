/* print.c - see print.h.
 *
 * SPDX-License-Identifier: MIT */
#include "generate/print.h"

#include "base/memory.h"
#include "generate/print_parts.h"

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
            if (stride != 0 && stride_is_new(p, i, k, stride))
                text_add(p->text, "    const ptrdiff_t %s%lld = round * (%lld * LANES_HERE);\n",
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
        if (p->flow->source[at->first + k])
            print_late(p, printed, (p->flow->source[at->first + k] - 1) / 2);
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
    bool taken = call_loop_find(&calls, p->s, p->flow) && printed;
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

static void print_region(const struct printer *p, const char *name, size_t number) {
    bool round = p->s->round, window = p->s->window_slots > 0;
    text_add(p->text, "\nstatic GENERATED %s %s_%zu(double *slots%s) {\n", round ? "int" : "void", name, number,
             round ? ", struct round *round" : "");
    if (window)
        text_add(p->text, "    const double *const from = round->from;\n    double *const to = round->to;\n");
    print_early_before(p);
    if (p->region->repeats > 1) {
        text_add(p->text, "%s    for (ptrdiff_t round = 0; round < %zu; round++) {\n",
                 p->early ? "    LOOP_ROLLED\n" : "", p->region->repeats);
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
static void print_all(struct text *text, const char *name, size_t regions) {
    text_add(text, "\nstatic void entry_%s(double *slots) {\n", name);
    text_add(text, "    for (int part = 0; part < LANE_PARTS; part++, slots += WIDTH) {\n");
    for (size_t r = 0; r < regions; r++)
        text_add(text, "        %s_%zu(slots);\n", name, r);
    text_add(text, "    }\n}\n");
}

/* One round of one part; rounds_kernel.h has the rest. */
static void print_round(struct text *text, const char *name, size_t regions) {
    text_add(text, "\nstatic int %s_once(double *slots, struct round *round) {\n    return ", name);
    for (size_t r = 0; r < regions; r++) {
        text_add(text, "%s(", r > 0 ? " ||\n           " : "");
        if (regions > 1)
            print_ahead(text, r, regions, ", ");
        text_add(text, "%s_%zu(slots, round))", name, r);
    }
    text_add(text, ";\n}\n");
}

static void print_regions(const struct printer *entry, const struct regions *regions, const char *name,
                          const struct early *early) {
    for (size_t r = 0; r < regions->count; r++) {
        struct printer p = *entry;
        p.region = &regions->list[r];
        p.early = early ? &early[r] : NULL;
        print_region(&p, name, r);
    }
}

/* early: room for one per region. False when memory is out. */
static bool read_early(struct early *early, const struct statements *s, struct flow *flow,
                       const struct regions *regions, const bool *kept, size_t slots) {
    bool done = early != NULL;
    for (size_t r = 0; r < regions->count && done; r++)
        done = early_find(&early[r], s, flow, &regions->list[r]);
    return done && early_store(early, s, flow, regions, kept, slots);
}

static struct early *take_early(size_t count) {
    struct early *early = base_allocate((count + 1) * sizeof *early);
    if (early)
        memset(early, 0, (count + 1) * sizeof *early);
    return early;
}

static void drop_early(struct early *early, size_t count) {
    for (size_t r = 0; early && r < count; r++)
        early_release(&early[r]);
    base_release(early);
}

bool print_entry(struct text *text, const struct walk *walk, enum kernel_entry entry, const bool *kept, bool early) {
    const struct statements *s = &walk->entry[entry];
    struct regions regions;
    struct flow flow;
    regions_find(&regions, s, walk->constants, walk->loops);
    bool done = !regions.failed && flow_find(&flow, s, &regions, kept, walk->slots);
    struct early *loads = early && done ? take_early(regions.count) : NULL;
    if (done) {
        const struct printer p = {text, walk, s, &flow, NULL, NULL, NULL, NULL};
        done = !early || read_early(loads, s, &flow, &regions, kept, walk->slots);
        if (done)
            print_regions(&p, &regions, entry_text(entry), loads);
        if (s->round)
            print_round(text, entry_text(entry), regions.count);
        else
            print_all(text, entry_text(entry), regions.count);
        flow_release(&flow);
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
    text_add(p->text, "\nstatic GENERATED void %s_%zu(double *slots) {\n", name, number);
    for (size_t i = 0; i < p->pairs->ordered; i++)
        print_statement(p, p->region->first + p->pairs->order[i]);
    text_add(p->text, "}\n");
}

void print_entry_paired(struct text *text, const struct walk *walk, enum kernel_entry entry,
                        const struct paired *paired) {
    for (size_t r = 0; r < paired->regions.count; r++) {
        const struct region *region = &paired->regions.list[r];
        const struct pairs *pairs = region->repeats > 1 ? NULL : &paired->pairs[r];
        const struct printer p = {text, walk, &paired->s, &paired->flow, region, NULL, NULL, pairs};
        print_paired_region(&p, entry_text(entry), r);
    }
    print_all(text, entry_text(entry), paired->regions.count);
}

/* ---- chains of entries ---- */

static const uint32_t NOBODY = UINT32_MAX;

struct chain {
    struct statements all;
    bool late;
    size_t first[PRINT_LINKS + 1]; /* of each link, and behind the last */
    bool *printed;                 /* per statement */
    uint32_t *reader; /* per slot: an argument that reads it there, in a statement that may not be printed yet */
    uint32_t *next;   /* per operand: another one of the same slot */
    uint32_t *owner;  /* per operand: its statement */
};

static void chain_add(struct chain *chain, const struct statements *s) {
    for (size_t i = 0; i < s->count; i++) {
        statements_begin(&chain->all, (enum function)s->list[i].function);
        for (uint32_t k = 0; k < s->list[i].count; k++)
            statements_operand(&chain->all, s->operands[s->list[i].first + k]);
    }
}

/* Other entries read a slot that the text behind an entry changes, not the local variable. */
static void set_apart(const struct chain *chain, struct flow *flow, uint32_t changed, const size_t *ends) {
    for (size_t i = ends[1]; i < chain->all.count; i++) {
        const struct statement *at = &chain->all.list[i];
        for (uint32_t k = statement_destinations(at); k < at->count; k++) {
            uint32_t *source = &flow->source[at->first + k];
            size_t writer = *source ? (*source - 1) / 2 : 0;
            bool here = *source != 0 && writer >= ends[0] && writer < ends[1];
            if (!here || chain->all.operands[at->first + k] != changed)
                continue;
            flow->stored[writer] |= (uint8_t)(1U << (*source - 1) % 2);
            *source = 0;
        }
    }
}

static bool reads_slot(const struct printer *p, const struct statement *at, uint32_t k) {
    return !operand_is_constant(p->s->operands[at->first + k]) && !p->flow->source[at->first + k];
}

static bool chain_index(struct chain *chain, const struct printer *p) {
    size_t count = chain->all.count, operands = chain->all.operand_count, slots = p->walk->slots;
    chain->printed = base_allocate(count + 1);
    chain->reader = base_allocate((slots + 1) * sizeof *chain->reader);
    chain->next = base_allocate((operands + 1) * sizeof *chain->next);
    chain->owner = base_allocate((operands + 1) * sizeof *chain->owner);
    if (!chain->printed || !chain->reader || !chain->next || !chain->owner)
        return false;
    memset(chain->printed, 0, count + 1);
    for (size_t slot = 0; slot < slots; slot++)
        chain->reader[slot] = NOBODY;
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < chain->all.list[i].count; k++)
            chain->owner[chain->all.list[i].first + k] = (uint32_t)i;
    return true;
}

/* From here on the statement's arguments that lie in slots are looked after. */
static void chain_note(struct chain *chain, const struct printer *p, size_t i) {
    const struct statement *at = &chain->all.list[i];
    for (uint32_t k = statement_destinations(at); k < at->count; k++)
        if (reads_slot(p, at, k)) {
            uint32_t *reader = &chain->reader[chain->all.operands[at->first + k]];
            chain->next[at->first + k] = *reader;
            *reader = at->first + k;
        }
}

static void chain_print(struct chain *chain, const struct printer *p, size_t i);

/* Whoever reads the slots that the statement is about to write comes first. */
static void chain_flush(struct chain *chain, const struct printer *p, size_t i) {
    const struct statement *at = &chain->all.list[i];
    for (uint32_t d = 0; d < statement_destinations(at); d++) {
        uint32_t slot = chain->all.operands[at->first + d];
        uint32_t reader = p->flow->stored[i] >> d & 1 ? chain->reader[slot] : NOBODY;
        if (reader == NOBODY)
            continue;
        chain->reader[slot] = NOBODY;
        for (; reader != NOBODY; reader = chain->next[reader])
            if (chain->owner[reader] != i)
                chain_print(chain, p, chain->owner[reader]);
    }
}

/* The statement, behind those whose values it needs: each as late as possible, so that few are alive at once. */
static void chain_print(struct chain *chain, const struct printer *p, size_t i) {
    const struct statement *at = &chain->all.list[i];
    if (chain->printed[i])
        return;
    chain->printed[i] = true;
    for (uint32_t k = statement_destinations(at); k < at->count; k++)
        if (p->flow->source[at->first + k])
            chain_print(chain, p, (p->flow->source[at->first + k] - 1) / 2);
    chain_flush(chain, p, i);
    print_statement(p, i);
}

static void print_links(const struct printer *p, struct chain *chain, const struct print_link *links, size_t count) {
    for (size_t k = 0; k < count; k++) {
        text_add(p->text, "%s", links[k].before);
        for (size_t i = chain->first[k]; i < chain->first[k + 1]; i++) {
            if (!p->flow->used[i] && !p->flow->stored[i])
                continue;
            chain_note(chain, p, i);
            if (p->flow->stored[i] || !chain->late)
                chain_print(chain, p, i);
        }
        text_add(p->text, "%s", links[k].after);
    }
}

static void chain_release(struct chain *chain) {
    statements_release(&chain->all);
    base_release(chain->printed);
    base_release(chain->reader);
    base_release(chain->next);
    base_release(chain->owner);
}

bool print_chain(struct text *text, const struct walk *walk, const struct print_link *links, size_t count,
                 const bool *kept, bool late) {
    struct chain chain = {.all = {.list = NULL}, .late = late};
    struct flow flow;
    for (size_t k = 0; k < count; k++) {
        chain.first[k] = chain.all.count;
        chain_add(&chain, links[k].statements);
        chain.first[k + 1] = chain.all.count;
    }
    struct region region = {0, chain.all.count, 1};
    const struct regions regions = {.list = &region, .count = 1};
    bool done = !chain.all.failed && flow_find(&flow, &chain.all, &regions, kept, walk->slots);
    if (done) {
        const struct printer p = {text, walk, &chain.all, &flow, &region, NULL, NULL, NULL};
        for (size_t k = 0; k < count; k++)
            if (links[k].changed)
                set_apart(&chain, &flow, links[k].changed, &chain.first[k]);
        done = chain_index(&chain, &p);
        if (done)
            print_links(&p, &chain, links, count);
        flow_release(&flow);
    }
    chain_release(&chain);
    return done;
}
