/* bytecode.c - see bytecode.h.
 *
 * SPDX-License-Identifier: MIT */
#include "cuda/bytecode.h"

#include "base/error.h"
#include "base/memory.h"
#include "codegen/print/print.h"
#include "cuda/bytecode_groups_plan.h"

#include <math.h>
#include <string.h>

enum { FUNCTION_BITS = 8, MOST_OPERANDS = (1 << 24) - 1 };
_Static_assert(FUNCTIONS <= 1 << FUNCTION_BITS, "a function's number is a byte of the word");

/* ---- words ---- */

static hn_status take_memory(struct bytecode *listed, const struct ir_module *ir, hn_error *error) {
    size_t words = 0;
    for (int e = 0; e < KERNEL_ENTRIES; e++) {
        const struct statements *s = &ir->entry[e];
        for (size_t i = 0; listed->entry[e] && i < s->count; i++) {
            words += 1 + (size_t)s->list[i].count;
            if (s->list[i].count > MOST_OPERANDS)
                return error_set(error, HN_LIMIT, "device cuda: a sum has %u operands; at most %d are possible",
                                 s->list[i].count, MOST_OPERANDS);
        }
    }
    if (words > UINT32_MAX)
        return error_set(error, HN_LIMIT, "device cuda: the listed streams would have %zu words, too many to number",
                         words);
    listed->words = base_allocate((words + 1) * sizeof *listed->words);
    listed->numbers = base_allocate((ir->constant_count + 1) * sizeof *listed->numbers);
    return listed->words && listed->numbers ? HN_OK : error_no_memory(error, "listed streams");
}

static void list_operands(struct bytecode *listed, const struct statements *s, const struct statement *at) {
    memcpy(listed->words + listed->count, s->operands + at->first, at->count * sizeof *listed->words);
    listed->count += at->count;
}

/* Two words, and the operands of so many statements. */
static void list_group(struct bytecode *listed, const struct statements *s, const struct statement *at, size_t count) {
    uint32_t words = 1 + (uint32_t)count * at->count;
    listed->uses_group[at->function] = true;
    listed->words[listed->count++] = BYTECODE_GROUP | words << FUNCTION_BITS;
    listed->words[listed->count++] = at->function | (at->count - 1) << FUNCTION_BITS;
    for (size_t k = 0; k < count; k++)
        list_operands(listed, s, &at[k]);
}

static void list_entry(struct bytecode *listed, const struct statements *s) {
    for (size_t i = 0, count = 1; i < s->count; i += count) {
        const struct statement *at = &s->list[i];
        count = bytecode_group_count(s, i);
        if (count > 1) {
            list_group(listed, s, at, count);
            continue;
        }
        listed->uses[at->function] = true;
        listed->words[listed->count++] = at->function | at->count << FUNCTION_BITS;
        list_operands(listed, s, at);
    }
}

/* Lists a copy in groups. Entries run one after the other, and share the slots of their temporaries. False when out of
 * memory. */
static bool list_grouped(struct bytecode *listed, const struct ir_module *ir, const struct statements *s,
                         const bool *kept) {
    struct statements own = {.list = NULL};
    uint32_t next = ir->slots;
    for (size_t i = 0; i < s->count; i++)
        statements_repeat(&own, s, i);
    bool done = !own.failed && (!listed->renames || bytecode_rename(&own, kept, ir->slots, &next)) &&
                bytecode_order(&own, next);
    if (done)
        list_entry(listed, &own);
    listed->slots = next > listed->slots ? next : listed->slots;
    statements_release(&own);
    return done;
}

static bool list_entries(struct bytecode *listed, const struct ir_module *ir) {
    bool *kept = print_kept(ir, false), done = kept != NULL;
    for (int e = 0; e < KERNEL_ENTRIES && done; e++) {
        listed->first[e] = (uint32_t)listed->count;
        if (listed->entry[e])
            done = list_grouped(listed, ir, &ir->entry[e], kept);
        listed->end[e] = (uint32_t)listed->count;
    }
    base_release(kept);
    return done;
}

hn_status bytecode_create(struct bytecode *listed, const struct ir_module *ir, hn_error *error) {
    hn_status status = take_memory(listed, ir, error);
    listed->slots = ir->slots;
    if (status == HN_OK && !list_entries(listed, ir))
        status = error_no_memory(error, "listed streams");
    if (status != HN_OK) {
        bytecode_release(listed);
        return status;
    }
    listed->number_count = ir->constant_count;
    if (ir->constant_count > 0) /* there may be no array of none */
        memcpy(listed->numbers, ir->constants, ir->constant_count * sizeof *listed->numbers);
    return HN_OK;
}

hn_status bytecode_round(struct bytecode *listed, hn_error *error) {
    unsigned char *to = (unsigned char *)listed->numbers;
    for (size_t i = 0; i < listed->number_count; i++) {
        const double number = listed->numbers[i]; /* which is read before its place is written to */
        const float small = (float)number;
        if (isfinite(number) && !isfinite(small))
            return error_about(error, HN_UNSUPPORTED, error_option("precision"),
                               "precision float32: %s, a number of the model's linear system, does not fit a float",
                               error_number(number).text);
        memcpy(to + i * sizeof small, &small, sizeof small);
    }
    listed->rounded = true;
    return HN_OK;
}

size_t bytecode_number_bytes(const struct bytecode *listed) {
    return listed->rounded ? sizeof(float) : sizeof(double);
}

void bytecode_release(struct bytecode *listed) {
    base_release(listed->words);
    base_release(listed->numbers);
    *listed = (struct bytecode){.words = NULL};
}

/* ---- text ---- */

void bytecode_print_names(struct text *text) {
    text_add(text,
             "\nenum {\n    BYTECODE_SUMS = %d,\n    BYTECODE_SUM_PLUS = %d,\n    BYTECODE_SUM_MINUS = %d,\n"
             "    BYTECODE_SUM_BACK = %d,\n    BYTECODE_SUM_ZERO = %d,\n    BYTECODE_GROUP = %d\n};\n",
             (int)SUM_PLUS, (int)SUM_PLUS, (int)SUM_MINUS, (int)SUM_BACK, (int)SUM_ZERO, (int)BYTECODE_GROUP);
}

static void print_case(struct text *text, enum function function) {
    const struct function_shape shape = function_shape(function);
    text_add(text, "    case %d: {\n", (int)function);
    for (int k = 0; k < shape.arguments; k++) {
        bool mask = shape.masks >> k & 1;
        text_add(text, "        const %s %c = %sbytecode_at(slots, numbers, at[%d])%s;\n", mask ? "simd_bits" : "simd",
                 'a' + k, mask ? "simd_to_bits(" : "", 1 + k, mask ? ")" : "");
    }
    text_add(text, "        slots[(size_t)at[0] * SLOT_STRIDE] = %s%s%s;\n        break;\n    }\n",
             shape.mask ? "simd_of_bits(" : "", shape.meaning, shape.mask ? ")" : "");
}

void bytecode_print_functions(struct text *text, const struct bytecode *listed) {
    text_add(text, "\nSIMD_INLINE void bytecode_function(real *slots, const real *numbers, const uint32_t *at, "
                   "uint32_t function) {\n    switch (function) {\n");
    for (int f = 0; f < (int)SUM_PLUS; f++)
        if (listed->uses[f] && function_shape((enum function)f).meaning)
            print_case(text, (enum function)f);
    if (listed->uses[FUNCTION_SINCOS])
        text_add(text,
                 "    case %d: {\n        simd sine, cosine;\n"
                 "        elementary_sincos(bytecode_at(slots, numbers, at[2]), &sine, &cosine);\n"
                 "        slots[(size_t)at[0] * SLOT_STRIDE] = sine;\n"
                 "        slots[(size_t)at[1] * SLOT_STRIDE] = cosine;\n        break;\n    }\n",
                 (int)FUNCTION_SINCOS);
    text_add(text, "    default:\n        break;\n    }\n}\n");
    bytecode_print_group_functions(text, listed->uses_group);
}

void bytecode_print_entry(struct text *text, const struct bytecode *listed, enum kernel_entry entry) {
    text_add(text, "\nstatic void entry_%s(real *slots) {\n    bytecode_run(slots, %uU, %uU);\n}\n", entry_text(entry),
             listed->first[entry], listed->end[entry]);
}
