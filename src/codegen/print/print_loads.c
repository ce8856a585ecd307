/* print_loads.c - loads before their use, and values that are carried from round to round, as text: aN is the value of load N, cN that of
 * the next round; for loads a round ahead, both.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/print/print_parts.h"

void print_loads_before(const struct printer *p) {
    for (size_t n = 0; p->hoisted && n < p->hoisted->count; n++) {
        const struct hoist_load *load = &p->hoisted->list[n];
        if (load->kind == HOIST_ONCE)
            text_add(p->text, "    const simd a%zu = S(%u);\n", n, load->place.slot);
        else if (load->kind != HOIST_HERE)
            text_add(p->text, "    simd c%zu = S(%u);\n", n, load->place.slot);
    }
}

/* more is 0 in the last round, else 1. */
static void print_ahead(const struct printer *p, const struct hoist_load *load, size_t n) {
    int64_t stride = load->place.stride;
    text_add(p->text, "    c%zu = S_AT(%s%lld + more * (%lld * SLOT_STRIDE), %u);\n", n, stride < 0 ? "back" : "by",
             (long long)(stride < 0 ? -stride : stride), (long long)stride, load->place.slot);
}

void print_loads_of(const struct printer *p, size_t i) {
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

/* Loads for the next round, after the last use of the present value: statement i, or the end of the round. */
void print_loads_ahead(const struct printer *p, size_t i) {
    for (size_t n = 0; p->hoisted && n < p->hoisted->count; n++)
        if (p->hoisted->list[n].kind == HOIST_AHEAD && p->hoisted->list[n].last == i)
            print_ahead(p, &p->hoisted->list[n], n);
}

/* The value of a load, for the statements of its round. */
void print_load_value(const struct printer *p, uint32_t n) {
    text_add(p->text, "%c%u", p->hoisted->list[n].kind == HOIST_AHEAD ? 'c' : 'a', n);
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

void print_loads_after(const struct printer *p) {
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
