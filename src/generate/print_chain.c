/* print_chain.c - several entries as one straight line of statements: print_chain of print.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "generate/print_parts.h"

#include <string.h>

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

/* The statement is wanted, and its value was not printed ahead. */
static bool is_open(const struct chain *chain, const struct printer *p, size_t i) {
    return (p->flow->used[i] || p->flow->stored[i]) && !chain->printed[i];
}

static bool is_ahead(const struct printer *p, size_t i) {
    const struct statement *at = &p->s->list[i];
    return at->function == FUNCTION_SINCOS && reads_slot(p, at, 2) && p->flow->used[i] && !p->flow->stored[i];
}

/* What comes first: sines and cosines of slots, in which nothing has been written yet. */
static void print_ahead(const struct printer *p, struct chain *chain) {
    bool any = false;
    for (size_t i = 0; i < chain->first[1]; i++) {
        if (!is_ahead(p, i))
            continue;
        text_add(p->text, "%s    wide v%zu, w%zu;\n    small = sincos_near(S(%u), &v%zu, &w%zu) && small;\n",
                 any ? "" : "    bool small = true;\n", i, i, p->s->operands[p->s->list[i].first + 2], i, i);
        any = chain->printed[i] = true;
    }
    text_add(p->text, any ? "    if (!small) {\n        struct sincos_values all;\n" : "");
    for (size_t i = 0; i < chain->first[1]; i++)
        if (is_ahead(p, i))
            text_add(p->text,
                     "        all = sincos_any(S(%u));\n        v%zu = all.sine;\n        w%zu = all.cosine;\n",
                     p->s->operands[p->s->list[i].first + 2], i, i);
    text_add(p->text, any ? "    }\n" : "");
}

/* Behind the last reciprocal of a link; `first` where there is none. */
static size_t inverses_end(const struct printer *p, size_t first, size_t end) {
    while (end > first && !(function_is_inverse((enum function)p->s->list[end - 1].function) && p->flow->used[end - 1]))
        end--;
    return end;
}

static void print_range(const struct printer *p, struct chain *chain, size_t first, size_t end) {
    for (size_t i = first; i < end; i++)
        if (is_open(chain, p, i)) {
            chain_note(chain, p, i);
            if (p->flow->stored[i] || !chain->late)
                chain_print(chain, p, i);
        }
}

/* Reciprocals and what they need, so that all of them can be judged before anything is stored. */
static void print_inverses(const struct printer *p, struct chain *chain, size_t first, size_t end) {
    for (size_t i = first; i < end; i++)
        if (is_open(chain, p, i))
            chain_note(chain, p, i);
    for (size_t i = first; i < end; i++)
        if (is_open(chain, p, i) && (!chain->late || function_is_inverse((enum function)p->s->list[i].function)))
            chain_print(chain, p, i);
}

static void print_link(const struct printer *p, struct chain *chain, size_t first, size_t end, const char *unsafe) {
    size_t judged = inverses_end(p, first, end);
    if (judged > first) {
        print_inverses(p, chain, first, judged);
        text_add(p->text, "%s", unsafe);
    }
    for (size_t i = first; i < judged; i++)
        if (is_open(chain, p, i) && p->flow->stored[i])
            chain_print(chain, p, i);
    print_range(p, chain, judged, end);
}

static void print_links(const struct printer *p, struct chain *chain, const struct print_chain *wanted) {
    for (size_t k = 0; k < wanted->count; k++) {
        text_add(p->text, "%s", wanted->links[k].before);
        if (k == 0)
            print_ahead(p, chain);
        print_link(p, chain, chain->first[k], chain->first[k + 1], wanted->unsafe);
        text_add(p->text, "%s", wanted->links[k].after);
    }
}

static void chain_release(struct chain *chain) {
    statements_release(&chain->all);
    base_release(chain->printed);
    base_release(chain->reader);
    base_release(chain->next);
    base_release(chain->owner);
}

bool print_chain(struct text *text, const struct walk *walk, const struct print_chain *wanted) {
    struct chain chain = {.all = {.list = NULL}, .late = wanted->late};
    struct flow flow;
    for (size_t k = 0; k < wanted->count; k++) {
        chain.first[k] = chain.all.count;
        chain_add(&chain, wanted->links[k].statements);
        chain.first[k + 1] = chain.all.count;
    }
    struct region region = {0, chain.all.count, 1};
    const struct regions regions = {.list = &region, .count = 1};
    bool done = !chain.all.failed && flow_find(&flow, &chain.all, &regions, wanted->kept, walk->slots);
    if (done) {
        const struct printer p = {text, walk, &chain.all, &flow, &region, NULL, NULL, NULL, true};
        for (size_t k = 0; k < wanted->count; k++)
            if (wanted->links[k].changed)
                set_apart(&chain, &flow, wanted->links[k].changed, &chain.first[k]);
        done = chain_index(&chain, &p);
        if (done)
            print_links(&p, &chain, wanted);
        flow_release(&flow);
    }
    chain_release(&chain);
    return done;
}
