/* print_chain.c - several entries as straight-line code: print_chain of print.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/arena.h"
#include "base/memory.h"
#include "codegen/print/spill.h"

#include <string.h>

static const uint32_t NO_READER = UINT32_MAX;

struct chain {
    struct printer p;
    struct statements all;
    const struct print_chain *wanted;
    struct acts acts;
    size_t first[PRINT_LINKS + 1]; /* per link, plus one */
    size_t late;                   /* statements before this index are printed right before their first use */
    struct buffers lists;
    bool *printed;    /* per statement */
    bool *ahead;      /* per statement: it is printed first */
    uint32_t *reader; /* per slot: head of the list of arguments that read it, of unprinted statements */
    uint32_t *next;   /* per operand: the next operand with the same slot */
    uint32_t *owner;  /* per operand: its statement */
};

static void add_act(struct chain *c, enum act_kind kind, size_t statement, const char *text) {
    struct acts *acts = &c->acts;
    struct act *list = array_grow(acts->list, &acts->capacity, acts->count + 1, sizeof *list);
    acts->failed = acts->failed || !list;
    if (!list)
        return;
    acts->list = list;
    list[acts->count++] = (struct act){kind, (uint32_t)statement, text};
}

static void add_text(struct chain *c, enum act_kind kind, const char *text) {
    if (text[0] != '\0')
        add_act(c, kind, 0, text);
}

/* If the text after an entry changes a slot, other entries read the slot, not the local variable. */
static void set_apart(const struct chain *c, struct liveness *liveness, uint32_t changed, const size_t *ends) {
    for (size_t i = ends[1]; i < c->all.count; i++) {
        const struct statement *at = &c->all.list[i];
        for (uint32_t k = statement_destinations(at); k < at->count; k++) {
            uint32_t *source = &liveness->source[at->first + k];
            size_t writer = *source ? (*source - 1) / 2 : 0;
            bool here = *source != 0 && writer >= ends[0] && writer < ends[1];
            if (!here || c->all.operands[at->first + k] != changed)
                continue;
            liveness->stored[writer] |= (uint8_t)(1U << (*source - 1) % 2);
            *source = 0;
        }
    }
}

static bool index_operands(struct chain *c) {
    size_t count = c->all.count, operands = c->all.operand_count, slots = c->p.ir->slots;
    c->printed = buffers_take(&c->lists, count, sizeof *c->printed);
    c->ahead = buffers_take(&c->lists, count, sizeof *c->ahead);
    c->reader = buffers_take(&c->lists, slots, sizeof *c->reader);
    c->next = buffers_take(&c->lists, operands, sizeof *c->next);
    c->owner = buffers_take(&c->lists, operands, sizeof *c->owner);
    if (c->lists.failed)
        return false;
    c->acts.ahead = c->ahead;
    memset(c->reader, 0xff, slots * sizeof *c->reader); /* NO_READER */
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < c->all.list[i].count; k++)
            c->owner[c->all.list[i].first + k] = (uint32_t)i;
    return true;
}

/* ---- statements and their dependencies ---- */

static bool is_used(const struct chain *c, size_t i) {
    return c->p.liveness->used[i];
}

static bool is_stored(const struct chain *c, size_t i) {
    return c->p.liveness->stored[i];
}

/* Whether the statement is live and unprinted. */
static bool is_open(const struct chain *c, size_t i) {
    return (is_used(c, i) || is_stored(c, i)) && !c->printed[i];
}

static bool is_inverse(const struct chain *c, size_t i) {
    return function_is_inverse((enum function)c->all.list[i].function);
}

static bool reads_slot(const struct chain *c, uint32_t operand) {
    return !operand_is_constant(c->all.operands[operand]) && !c->p.liveness->source[operand];
}

/* Records the slots that the statement's arguments read. */
static void note_reads(struct chain *c, size_t i) {
    const struct statement *at = &c->all.list[i];
    for (uint32_t k = at->first + statement_destinations(at); k < at->first + at->count; k++)
        if (reads_slot(c, k)) {
            uint32_t *reader = &c->reader[c->all.operands[k]];
            c->next[k] = *reader;
            *reader = k;
        }
}

static void print_one(struct chain *c, size_t i);

/* Prints pending readers of the slots that the statement is about to store. */
static void print_readers(struct chain *c, size_t i) {
    const struct statement *at = &c->all.list[i];
    for (uint32_t d = 0; d < statement_destinations(at); d++) {
        uint32_t slot = c->all.operands[at->first + d];
        uint32_t reader = c->p.liveness->stored[i] >> d & 1 ? c->reader[slot] : NO_READER;
        if (reader == NO_READER)
            continue;
        c->reader[slot] = NO_READER;
        for (; reader != NO_READER; reader = c->next[reader])
            if (c->owner[reader] != i)
                print_one(c, c->owner[reader]);
    }
}

/* Prints the statement after its dependencies; each as late as possible, to keep few values live. */
static void print_one(struct chain *c, size_t i) {
    const struct statement *at = &c->all.list[i];
    if (c->printed[i])
        return;
    c->printed[i] = true;
    for (uint32_t k = statement_destinations(at); k < at->count; k++)
        if (c->p.liveness->source[at->first + k])
            print_one(c, (c->p.liveness->source[at->first + k] - 1) / 2);
    print_readers(c, i);
    add_act(c, ACT_STATEMENT, i, NULL);
}

/* ---- sines and cosines of slots, which are computed first ---- */

static void find_ahead(struct chain *c) {
    for (size_t i = 0; i < c->first[1]; i++)
        c->ahead[i] = c->printed[i] = c->all.list[i].function == FUNCTION_SINCOS &&
                                      reads_slot(c, c->all.list[i].first + 2) && is_used(c, i) && !is_stored(c, i);
    add_act(c, ACT_AHEAD, 0, NULL);
}

static void print_ahead(const struct printer *p, const bool *ahead) {
    bool any = false;
    for (size_t i = 0; i < p->s->count; i++) {
        if (!ahead[i])
            continue;
        text_add(p->text, "%s    simd v%zu, w%zu;\n    small = sincos_near(S(%u), &v%zu, &w%zu) & small;\n",
                 any ? "" : "    bool small = true;\n", i, i, p->s->operands[p->s->list[i].first + 2], i, i);
        any = true;
    }
    text_add(p->text, any ? "    if (!small) {\n        struct sincos_values all;\n" : "");
    for (size_t i = 0; i < p->s->count; i++)
        if (ahead[i])
            text_add(p->text,
                     "        all = sincos_any(S(%u));\n        v%zu = all.sine;\n        w%zu = all.cosine;\n",
                     p->s->operands[p->s->list[i].first + 2], i, i);
    text_add(p->text, any ? "    }\n" : "");
}

/* ---- the order of a link ---- */

/* After the last reciprocal of a link; `first` without reciprocals. */
static size_t inverses_end(const struct chain *c, size_t first, size_t end) {
    while (end > first && !(is_inverse(c, end - 1) && is_used(c, end - 1)))
        end--;
    return end;
}

static bool is_seldom(const struct chain *c, size_t i) {
    const struct print_seldom *seldom = &c->wanted->seldom;
    return c->all.operands[c->all.list[i].first] - seldom->first < seldom->count && !is_used(c, i);
}

static void order_range(struct chain *c, size_t first, size_t end) {
    for (size_t i = first; i < end; i++)
        if (is_open(c, i) && !is_seldom(c, i)) {
            note_reads(c, i);
            if (is_stored(c, i) || i >= c->late)
                print_one(c, i);
        }
}

/* Prints reciprocals and their dependencies first, so that all of them can be tested before anything is stored. */
static void order_inverses(struct chain *c, size_t first, size_t end) {
    for (size_t i = first; i < end; i++)
        if (is_open(c, i))
            note_reads(c, i);
    for (size_t i = first; i < end; i++)
        if (is_open(c, i) && (i >= c->late || is_inverse(c, i)))
            print_one(c, i);
    add_text(c, ACT_QUIET, c->wanted->unsafe);
    for (size_t i = first; i < end; i++)
        if (is_open(c, i) && is_stored(c, i))
            print_one(c, i);
}

/* Appends the rare statements of a link as a block (ACT_SELDOM). */
static void order_seldom(struct chain *c, size_t first, size_t end) {
    size_t block = c->acts.count;
    for (size_t i = first; i < end; i++)
        if (is_open(c, i) && is_seldom(c, i)) {
            if (c->acts.count == block)
                add_act(c, ACT_SELDOM, 0, c->wanted->seldom.text);
            c->printed[i] = true;
            add_act(c, ACT_STATEMENT, i, NULL);
        }
    if (!c->acts.failed && c->acts.count > block)
        c->acts.list[block].statement = (uint32_t)(c->acts.count - block - 1);
}

/* The first statement of a link that is not sunk to its first use. */
static size_t late_end(const struct chain *c, enum print_late late, size_t first, size_t end) {
    size_t i = first;
    if (late != PRINT_LATE_BEFORE_SUM)
        return late == PRINT_LATE ? end : first;
    while (i < end && !function_is_sum((enum function)c->all.list[i].function))
        i++;
    return i;
}

static void order_link(struct chain *c, size_t k) {
    const struct print_link *link = &c->wanted->links[k];
    size_t first = c->first[k], end = c->first[k + 1], judged = inverses_end(c, first, end);
    add_text(c, ACT_TEXT, link->before);
    if (k == 0)
        find_ahead(c);
    c->late = late_end(c, link->late, first, end);
    if (judged > first)
        order_inverses(c, first, judged);
    order_range(c, judged, end);
    order_seldom(c, first, end);
    add_text(c, ACT_TEXT, link->after);
}

static void print_acts(const struct printer *p, const struct acts *acts) {
    size_t ends = 0; /* of a block */
    for (size_t i = 0; i < acts->count; i++) {
        const struct act *act = &acts->list[i];
        if (act->kind == ACT_AHEAD)
            print_ahead(p, acts->ahead);
        else if (act->kind == ACT_STATEMENT)
            print_statement(p, act->statement);
        else
            text_add(p->text, "%s", act->text);
        ends = act->kind == ACT_SELDOM ? i + act->statement : ends;
        text_add(p->text, ends > 0 && i == ends ? "    }\n" : "");
    }
}

/* False when out of memory. */
static bool print_all(struct chain *c) {
    const struct print_chain *wanted = c->wanted;
    if (!index_operands(c))
        return false;
    for (size_t k = 0; k < wanted->count; k++)
        order_link(c, k);
    if (!c->acts.failed && wanted->most > 0)
        return spill_print(&c->p, &c->acts, wanted->most, wanted->places, print_ahead);
    if (!c->acts.failed)
        print_acts(&c->p, &c->acts);
    return !c->acts.failed;
}

bool print_chain(struct text *text, const struct ir_module *ir, const struct print_chain *wanted) {
    struct chain c = {
        .wanted = wanted,
        .acts = {.steady = wanted->steady, .pinned = wanted->pinned, .pinned_count = wanted->pinned_count}};
    struct liveness liveness;
    for (size_t k = 0; k < wanted->count; k++) {
        c.first[k] = c.all.count;
        statements_append(&c.all, wanted->links[k].statements);
        c.first[k + 1] = c.all.count;
    }
    struct region region = {0, c.all.count, 1};
    const struct regions regions = {.list = &region, .count = 1};
    bool done = !c.all.failed && liveness_find(&liveness, &c.all, &regions, wanted->kept, ir->slots);
    if (done) {
        c.p = (struct printer){.text = text,
                               .ir = ir,
                               .s = &c.all,
                               .liveness = &liveness,
                               .region = &region,
                               .quick = true,
                               .keeps = wanted->most > 0};
        for (size_t k = 0; k < wanted->count; k++)
            if (wanted->links[k].changed)
                set_apart(&c, &liveness, wanted->links[k].changed, &c.first[k]);
        done = print_all(&c);
        liveness_release(&liveness);
    }
    statements_release(&c.all);
    base_release(c.acts.list);
    buffers_release(&c.lists);
    return done;
}
