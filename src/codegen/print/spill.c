/* spill.c - see spill.h.
 *
 * Values are numbered: 2 (statement) + destination, then slots as numbers, then slots as masks. Time is the index of an
 * act.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/print/spill.h"

/* ---- local variables ---- */

static void hold(struct keeper *k, uint32_t value) {
    k->local[value] = true;
    k->held[k->held_count++] = value;
}

static void drop(struct keeper *k, uint32_t value) {
    size_t i = 0;
    if (!k->local[value])
        return;
    k->local[value] = false;
    while (k->held[i] != value)
        i++;
    k->held[i] = k->held[--k->held_count];
}

static bool is_slot(const struct keeper *k, uint32_t value) {
    return value >= 2 * k->statements;
}

static uint32_t slot_of(const struct keeper *k, uint32_t value) {
    uint32_t slot = value - 2 * k->statements;
    return slot < k->slots ? slot : slot - k->slots;
}

static bool is_mask(const struct keeper *k, uint32_t value) {
    return is_slot(k, value) ? value >= 2 * k->statements + k->slots
                             : function_is_mask(k->p->s->list[value / 2].function);
}

static void print_name(const struct keeper *k, uint32_t value) {
    if (is_slot(k, value))
        text_add(k->p->text, "%c%u", is_mask(k, value) ? 'm' : 's', slot_of(k, value));
    else
        text_add(k->p->text, "%c%u", value % 2 ? 'w' : 'v', value / 2);
}

static void print_keep(const struct keeper *k, uint32_t value, uint32_t place) {
    bool mask = is_mask(k, value);
    text_add(k->p->text, "    SPILL_AT(%u) = %s", place, mask ? "simd_of_bits(" : "");
    print_name(k, value);
    text_add(k->p->text, mask ? ");\n" : ";\n");
}

/* Stores the value in a place (element) of the spill array. */
static void move_to_place(struct keeper *k, uint32_t value) {
    k->place[value] = k->free_count > 0 ? k->free[--k->free_count] : ++k->places;
    print_keep(k, value, k->place[value] - 1);
}

static bool is_pinned(const struct keeper *k, uint32_t slot) {
    return slot - k->acts->pinned < k->acts->pinned_count;
}

/* Drops the values with the farthest next use first; a value that is free to drop counts as used later. */
static void make_room(struct keeper *k, size_t most, uint32_t now) {
    enum { CHEAP = 100 };
    while (k->held_count > most) {
        uint32_t worst = UINT32_MAX, at = 0;
        for (size_t i = 0; i < k->held_count; i++) {
            uint32_t value = k->held[i], next = spill_next(k, value, now);
            bool cheap = next != SPILL_NEVER && (is_slot(k, value) || k->place[value]);
            next += cheap ? CHEAP : 0;
            if (k->stamp[value] == now + 1 || (worst != UINT32_MAX && next <= at))
                continue;
            worst = value;
            at = next;
        }
        if (worst == UINT32_MAX)
            return; /* all are operands of the statement */
        if (!is_slot(k, worst) && !k->place[worst] && !k->again[worst / 2] && spill_next(k, worst, now) != SPILL_NEVER)
            move_to_place(k, worst);
        drop(k, worst);
    }
}

/* Drops a value without further uses. */
static void forget(struct keeper *k, uint32_t value, uint32_t now) {
    if (spill_next(k, value, now) != SPILL_NEVER)
        return;
    drop(k, value);
    if (k->place[value])
        k->free[k->free_count++] = k->place[value];
    k->place[value] = 0;
}

/* ---- reloads ---- */

static void load(struct keeper *k, uint32_t value, bool apart);

/* apart: in a conditional block, which declares the variables that it loads. */
static void load_arguments(struct keeper *k, uint32_t statement, bool apart) {
    const struct statement *at = &k->p->s->list[statement];
    for (uint32_t a = statement_destinations(at); a < at->count; a++) {
        uint32_t value = spill_value(k, statement, a);
        if (value != SPILL_NEVER)
            load(k, value, apart);
    }
}

static void print_place(const struct keeper *k, uint32_t place, bool mask) {
    text_add(k->p->text, mask ? "simd_to_bits(SPILL_AT(%u))" : "SPILL_AT(%u)", place);
}

/* The variable of a slot is declared at the first read of the slot; a block declares every variable that it loads. */
static void print_load(struct keeper *k, uint32_t value, bool apart) {
    bool slot = is_slot(k, value), mask = is_mask(k, value);
    bool declares = apart || (slot && !k->declared[value - 2 * k->statements]);
    text_add(k->p->text, "    %s", !declares ? "" : mask ? "simd_bits " : "simd ");
    print_name(k, value);
    text_add(k->p->text, " = ");
    if (slot && is_pinned(k, slot_of(k, value)))
        print_place(k, slot_of(k, value) - k->acts->pinned, mask);
    else if (slot)
        text_add(k->p->text, "%s(%u)", mask ? "MASK_AGAIN" : "SLOT_AGAIN", slot_of(k, value));
    else if (k->place[value])
        print_place(k, k->place[value] - 1, mask);
    else
        print_meaning(k->p, value / 2);
    text_add(k->p->text, ";\n");
    if (slot && !apart)
        k->declared[value - 2 * k->statements] = true;
}

static void load(struct keeper *k, uint32_t value, bool apart) {
    if (k->local[value] || (apart && k->shadow[value] == k->block))
        return;
    if (!is_slot(k, value) && !k->place[value])
        load_arguments(k, value / 2, apart); /* rematerialise */
    print_load(k, value, apart);
    if (apart)
        k->shadow[value] = k->block;
    else
        hold(k, value);
}

/* ---- acts ---- */

/* Marks the arguments of the statement at this time: they are not spilled. */
static void stamp_arguments(struct keeper *k, uint32_t statement, uint32_t now) {
    const struct statement *at = &k->p->s->list[statement];
    for (uint32_t a = statement_destinations(at); a < at->count; a++) {
        uint32_t value = spill_value(k, statement, a);
        if (value != SPILL_NEVER)
            k->stamp[value] = now + 1;
    }
}

static void forget_arguments(struct keeper *k, uint32_t statement, uint32_t now) {
    const struct statement *at = &k->p->s->list[statement];
    for (uint32_t a = statement_destinations(at); a < at->count; a++) {
        uint32_t value = spill_value(k, statement, a);
        if (value != SPILL_NEVER)
            forget(k, value, now);
    }
}

static void take_results(struct keeper *k, uint32_t statement, uint32_t now) {
    const struct statement *at = &k->p->s->list[statement];
    for (uint32_t d = 0; d < statement_destinations(at); d++) {
        uint32_t value = 2 * statement + d, slot = k->p->s->operands[at->first + d];
        if (k->p->liveness->stored[statement] >> d & 1) {
            drop(k, 2 * k->statements + slot);
            drop(k, 2 * k->statements + k->slots + slot);
            if (is_pinned(k, slot))
                print_keep(k, value, slot - k->acts->pinned);
        }
        if (spill_next(k, value, now) == SPILL_NEVER)
            continue;
        k->stamp[value] = now + 1;
        hold(k, value);
    }
}

static void print_one(struct keeper *k, uint32_t statement, uint32_t now) {
    stamp_arguments(k, statement, now);
    load_arguments(k, statement, false);
    make_room(k, k->most, now);
    print_statement(k->p, statement);
    forget_arguments(k, statement, now);
    take_results(k, statement, now);
    make_room(k, k->most, now);
}

/* Text that may change slots. It computes, too, so only half of the variables stay live. */
static void print_text(struct keeper *k, const struct act *act, uint32_t now) {
    make_room(k, k->most / 2, now);
    text_add(k->p->text, "%s", act->text);
    for (size_t i = k->held_count; i-- > 0;)
        if (is_slot(k, k->held[i]))
            drop(k, k->held[i]);
}

static void print_block(struct keeper *k, const struct act *act, uint32_t now) {
    k->block++;
    text_add(k->p->text, "%s", act->text);
    for (uint32_t i = 1; i <= act->statement; i++) {
        load_arguments(k, act[i].statement, true);
        print_statement(k->p, act[i].statement);
    }
    text_add(k->p->text, "    }\n");
    for (uint32_t i = 1; i <= act->statement; i++)
        forget_arguments(k, act[i].statement, now + act->statement);
}

bool spill_print(const struct printer *p, const struct acts *acts, size_t most, uint32_t *places,
                 void (*ahead)(const struct printer *p, const bool *which)) {
    struct keeper k;
    bool done = keeper_create(&k, p, acts, most);
    for (uint32_t now = 0; done && now < acts->count; now++) {
        const struct act *act = &acts->list[now];
        if (act->kind == ACT_STATEMENT)
            print_one(&k, act->statement, now);
        else if (act->kind == ACT_TEXT)
            print_text(&k, act, now);
        else if (act->kind == ACT_QUIET)
            text_add(p->text, "%s", act->text);
        else if (act->kind == ACT_AHEAD) {
            ahead(p, acts->ahead);
            for (uint32_t i = 0; i < k.statements; i++) /* the next statement makes room */
                if (acts->ahead[i])
                    take_results(&k, i, now);
        } else {
            print_block(&k, act, now);
            now += act->statement;
        }
    }
    *places = done ? k.places : 0;
    buffers_release(&k.lists);
    return done;
}
