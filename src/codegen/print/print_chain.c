/* print_chain.c - several entries as one straight line of statements: print_chain of print.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/arena.h"
#include "base/memory.h"
#include "codegen/print/spill.h"

#include <string.h>

static const uint32_t NO_READER = UINT32_MAX;

struct chain {
    struct buffers lists;
    struct statements all;
    const struct print_chain *wanted;
    struct acts acts;
    size_t first[PRINT_LINKS + 1]; /* of each link, and behind the last */
    size_t late;                   /* statements before this one come when they are needed */
    bool *printed;                 /* per statement */
    bool *ahead;                   /* per statement: it comes first */
    uint32_t *reader; /* per slot: an argument that reads it there, in a statement that may not be printed yet */
    uint32_t *next;   /* per operand: another one of the same slot */
    uint32_t *owner;  /* per operand: its statement */
};

void acts_add(struct acts *acts, struct act act) {
    struct act *list = array_grow(acts->list, &acts->capacity, acts->count + 1, sizeof *list);
    acts->failed = acts->failed || !list;
    if (!list)
        return;
    acts->list = list;
    list[acts->count++] = act;
}

static void add_text(struct chain *chain, enum act_kind kind, const char *text) {
    if (text[0] != '\0')
        acts_add(&chain->acts, (struct act){kind, 0, text});
}

/* Other entries read a slot that the text behind an entry changes, not the local variable. */
static void set_apart(const struct chain *chain, struct liveness *liveness, uint32_t changed, const size_t *ends) {
    for (size_t i = ends[1]; i < chain->all.count; i++) {
        const struct statement *at = &chain->all.list[i];
        for (uint32_t k = statement_destinations(at); k < at->count; k++) {
            uint32_t *source = &liveness->source[at->first + k];
            size_t writer = *source ? (*source - 1) / 2 : 0;
            bool here = *source != 0 && writer >= ends[0] && writer < ends[1];
            if (!here || chain->all.operands[at->first + k] != changed)
                continue;
            liveness->stored[writer] |= (uint8_t)(1U << (*source - 1) % 2);
            *source = 0;
        }
    }
}

static bool reads_slot(const struct printer *p, const struct statement *at, uint32_t k) {
    return !operand_is_constant(p->s->operands[at->first + k]) && !p->liveness->source[at->first + k];
}

static bool index_operands(struct chain *chain, const struct printer *p) {
    size_t count = chain->all.count, operands = chain->all.operand_count, slots = p->ir->slots;
    chain->printed = buffers_take(&chain->lists, count, sizeof *chain->printed);
    chain->ahead = buffers_take(&chain->lists, count, sizeof *chain->ahead);
    chain->reader = buffers_take(&chain->lists, slots, sizeof *chain->reader);
    chain->next = buffers_take(&chain->lists, operands, sizeof *chain->next);
    chain->owner = buffers_take(&chain->lists, operands, sizeof *chain->owner);
    if (chain->lists.failed)
        return false;
    chain->acts.ahead = chain->ahead;
    memset(chain->reader, 0xff, slots * sizeof *chain->reader); /* NO_READER */
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
        uint32_t reader = p->liveness->stored[i] >> d & 1 ? chain->reader[slot] : NO_READER;
        if (reader == NO_READER)
            continue;
        chain->reader[slot] = NO_READER;
        for (; reader != NO_READER; reader = chain->next[reader])
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
        if (p->liveness->source[at->first + k])
            chain_print(chain, p, (p->liveness->source[at->first + k] - 1) / 2);
    chain_flush(chain, p, i);
    acts_add(&chain->acts, (struct act){ACT_STATEMENT, (uint32_t)i, NULL});
}

/* The statement is wanted, and its value was not printed ahead. */
static bool is_open(const struct chain *chain, const struct printer *p, size_t i) {
    return (p->liveness->used[i] || p->liveness->stored[i]) && !chain->printed[i];
}

static bool is_ahead(const struct printer *p, size_t i) {
    const struct statement *at = &p->s->list[i];
    return at->function == FUNCTION_SINCOS && reads_slot(p, at, 2) && p->liveness->used[i] && !p->liveness->stored[i];
}

/* What comes first: sines and cosines of slots, in which nothing has been written yet. */
static void find_ahead(const struct printer *p, struct chain *chain) {
    for (size_t i = 0; i < chain->first[1]; i++)
        chain->ahead[i] = chain->printed[i] = is_ahead(p, i);
    acts_add(&chain->acts, (struct act){ACT_AHEAD, 0, NULL});
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

/* Behind the last reciprocal of a link; `first` where there is none. */
static size_t inverses_end(const struct printer *p, size_t first, size_t end) {
    while (end > first &&
           !(function_is_inverse((enum function)p->s->list[end - 1].function) && p->liveness->used[end - 1]))
        end--;
    return end;
}

static bool is_seldom(const struct printer *p, const struct chain *chain, size_t i) {
    const struct print_seldom *seldom = &chain->wanted->seldom;
    return p->s->operands[p->s->list[i].first] - seldom->first < seldom->count && !p->liveness->used[i];
}

static void order_range(const struct printer *p, struct chain *chain, size_t first, size_t end) {
    for (size_t i = first; i < end; i++)
        if (is_open(chain, p, i) && !is_seldom(p, chain, i)) {
            chain_note(chain, p, i);
            if (p->liveness->stored[i] || i >= chain->late)
                chain_print(chain, p, i);
        }
}

/* Reciprocals and what they need, so that all of them can be judged before anything is stored. */
static void order_inverses(const struct printer *p, struct chain *chain, size_t first, size_t end) {
    for (size_t i = first; i < end; i++)
        if (is_open(chain, p, i))
            chain_note(chain, p, i);
    for (size_t i = first; i < end; i++)
        if (is_open(chain, p, i) && (i >= chain->late || function_is_inverse((enum function)p->s->list[i].function)))
            chain_print(chain, p, i);
}

/* All that is left of a link. */
static void order_seldom(const struct printer *p, struct chain *chain, size_t first, size_t end) {
    size_t block = chain->acts.count;
    for (size_t i = first; i < end; i++)
        if (is_open(chain, p, i) && is_seldom(p, chain, i)) {
            if (chain->acts.count == block)
                acts_add(&chain->acts, (struct act){ACT_SELDOM, 0, chain->wanted->seldom.text});
            chain->printed[i] = true;
            acts_add(&chain->acts, (struct act){ACT_STATEMENT, (uint32_t)i, NULL});
        }
    if (!chain->acts.failed && chain->acts.count > block)
        chain->acts.list[block].statement = (uint32_t)(chain->acts.count - block - 1);
}

/* The first statement of a link that does not wait until it is needed. */
static size_t late_end(const struct printer *p, enum print_late late, size_t first, size_t end) {
    size_t i = first;
    if (late != PRINT_LATE_BEFORE_SUM)
        return late == PRINT_LATE ? end : first;
    while (i < end && !function_is_sum((enum function)p->s->list[i].function))
        i++;
    return i;
}

static void order_link(const struct printer *p, struct chain *chain, size_t k) {
    size_t first = chain->first[k], end = chain->first[k + 1], judged = inverses_end(p, first, end);
    chain->late = late_end(p, chain->wanted->links[k].late, first, end);
    if (judged > first) {
        order_inverses(p, chain, first, judged);
        add_text(chain, ACT_QUIET, chain->wanted->unsafe);
    }
    for (size_t i = first; i < judged; i++)
        if (is_open(chain, p, i) && p->liveness->stored[i])
            chain_print(chain, p, i);
    order_range(p, chain, judged, end);
    order_seldom(p, chain, first, end);
}

static void order_links(const struct printer *p, struct chain *chain) {
    for (size_t k = 0; k < chain->wanted->count; k++) {
        add_text(chain, ACT_TEXT, chain->wanted->links[k].before);
        if (k == 0)
            find_ahead(p, chain);
        order_link(p, chain, k);
        add_text(chain, ACT_TEXT, chain->wanted->links[k].after);
    }
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

bool print_chain(struct text *text, const struct ir_module *ir, const struct print_chain *wanted) {
    struct chain chain = {
        .wanted = wanted,
        .acts = {.steady = wanted->steady, .pinned = wanted->pinned, .pinned_count = wanted->pinned_count}};
    struct liveness liveness;
    for (size_t k = 0; k < wanted->count; k++) {
        chain.first[k] = chain.all.count;
        statements_append(&chain.all, wanted->links[k].statements);
        chain.first[k + 1] = chain.all.count;
    }
    struct region region = {0, chain.all.count, 1};
    const struct regions regions = {.list = &region, .count = 1};
    bool done = !chain.all.failed && liveness_find(&liveness, &chain.all, &regions, wanted->kept, ir->slots);
    if (done) {
        const struct printer p = {.text = text,
                                  .ir = ir,
                                  .s = &chain.all,
                                  .liveness = &liveness,
                                  .region = &region,
                                  .quick = true,
                                  .keeps = wanted->most > 0};
        for (size_t k = 0; k < wanted->count; k++)
            if (wanted->links[k].changed)
                set_apart(&chain, &liveness, wanted->links[k].changed, &chain.first[k]);
        done = index_operands(&chain, &p);
        if (done)
            order_links(&p, &chain);
        done = done && !chain.acts.failed;
        if (done && wanted->most > 0)
            done = spill_print(&p, &chain.acts, wanted->most, wanted->places, print_ahead);
        else if (done)
            print_acts(&p, &chain.acts);
        liveness_release(&liveness);
    }
    statements_release(&chain.all);
    base_release(chain.acts.list);
    buffers_release(&chain.lists);
    return done;
}
