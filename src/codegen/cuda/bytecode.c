/* bytecode.c - see bytecode.h.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/cuda/bytecode.h"

#include "base/error.h"
#include "base/memory.h"
#include "codegen/print/print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTION_BITS = 8, MOST_OPERANDS = (1 << 24) - 1, BYTECODE_GROUP = 255 /* instead of a function */ };
_Static_assert((int)FUNCTIONS <= (int)BYTECODE_GROUP, "a function's number is a byte of the word");

/* Statements of a function form groups if it has at most three arguments, one result and no call. */
static bool may_group(uint32_t function) {
    enum { GROUP_ARGUMENTS = 3 };
    const struct function_shape shape = function_shape((enum function)function);
    return shape.meaning && !shape.call && !shape.mask && shape.masks == 0 && shape.arguments > 0 &&
           shape.arguments <= GROUP_ARGUMENTS;
}

/* ---- order: by level, then by function ---- */

/* Per slot, the levels of the last statement that writes it and of the last that reads it. */
struct levels {
    uint32_t *written, *read;
};

static uint32_t later(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

/* After the definitions of its operands, and after the reads of a slot that it writes. */
static uint32_t level_of(const struct levels *l, const struct statement *at, const uint32_t *operand) {
    uint32_t level = 0;
    for (uint32_t k = 0; k < at->count; k++) {
        bool writes = k < statement_destinations(at);
        if (operand_is_constant(operand[k]))
            continue;
        level = later(level, l->written[operand[k]]);
        level = writes ? later(level, l->read[operand[k]]) : level;
    }
    return level + 1;
}

static void note_level(const struct levels *l, const struct statement *at, const uint32_t *operand, uint32_t level) {
    for (uint32_t k = 0; k < at->count; k++)
        if (!operand_is_constant(operand[k]) && k < statement_destinations(at))
            l->written[operand[k]] = level;
        else if (!operand_is_constant(operand[k]))
            l->read[operand[k]] = later(l->read[operand[k]], level);
}

struct ranked {
    uint32_t level, group; /* statements without groups come first, in their order */
    size_t number;
    struct statement statement;
};

static int compare_ranks(const void *a, const void *b) {
    const struct ranked *x = a, *y = b;
    if (x->level != y->level)
        return x->level < y->level ? -1 : 1;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

/* Each statement reads the same values as before. False when out of memory. */
static bool order_statements(struct statements *s, size_t slots) {
    uint32_t *levels = base_allocate(2 * slots * sizeof *levels);
    struct ranked *all = base_allocate(s->count * sizeof *all);
    bool ready = levels && all;
    if (ready) {
        const struct levels l = {levels, levels + slots};
        memset(levels, 0, 2 * slots * sizeof *levels);
        for (size_t i = 0; i < s->count; i++) {
            const struct statement *at = &s->list[i];
            const uint32_t *operand = s->operands + at->first;
            all[i] = (struct ranked){level_of(&l, at, operand), may_group(at->function) ? at->function : 0, i, *at};
            note_level(&l, at, operand, all[i].level);
        }
        qsort(all, s->count, sizeof *all, compare_ranks);
        for (size_t i = 0; i < s->count; i++)
            s->list[i] = all[i].statement;
    }
    base_release(levels);
    base_release(all);
    return ready;
}

/* Whether statement i accesses the result of an earlier one of the group, or writes one of its arguments. */
static bool depends(const struct statements *s, size_t i, const struct statement *before) {
    const struct statement *at = &s->list[i];
    const uint32_t *own = s->operands + at->first, *other = s->operands + before->first;
    for (uint32_t k = 0; k < at->count; k++)
        if (own[k] == other[0])
            return true;
    for (uint32_t k = 1; k < before->count; k++)
        if (own[0] == other[k])
            return true;
    return false;
}

/* The number of statements from statement i on that form a group; 1: none. Groups are short: each statement is compared with all
 * others. */
static size_t group_count(const struct statements *s, size_t i) {
    enum { MOST = 64 };
    size_t count = 1;
    if (!may_group(s->list[i].function))
        return 1;
    for (; count < MOST && i + count < s->count; count++) {
        if (s->list[i + count].function != s->list[i].function)
            return count;
        for (size_t k = 0; k < count; k++)
            if (depends(s, i + count, &s->list[i + k]))
                return count;
    }
    return count;
}

/* ---- renaming: the program reuses a slot as early as possible, and statements that share a slot cannot be reordered ---- */

struct renamer {
    const bool *kept; /* per slot: not a temporary */
    uint32_t *name;   /* per slot of the program: its current new slot */
    bool *needed;     /* per slot, in the backward pass */
    bool *last;       /* per operand: the last read of the value */
    uint32_t *free;   /* FIFO of free slots */
    size_t head, count, room;
    uint32_t next; /* the first slot that is not used yet */
};

static bool is_temporary(const struct renamer *r, uint32_t operand) {
    return !operand_is_constant(operand) && !r->kept[operand];
}

static void note_last(const struct renamer *r, uint32_t slot, size_t operand, bool writes) {
    bool temporary = is_temporary(r, slot);
    r->last[operand] = temporary && !r->needed[slot];
    if (temporary)
        r->needed[slot] = !writes;
}

static void find_last(const struct renamer *r, const struct statements *s) {
    for (size_t i = s->count; i-- > 0;) {
        const struct statement *at = &s->list[i];
        for (uint32_t k = 0; k < at->count; k++)
            note_last(r, s->operands[at->first + k], at->first + k, k < statement_destinations(at));
    }
}

static uint32_t take_slot(struct renamer *r) {
    enum { LEAST_FREE = 2048 }; /* least number of free slots before one is reused */
    if (r->count <= LEAST_FREE)
        return r->next++;
    uint32_t slot = r->free[r->head];
    r->head = (r->head + 1) % r->room;
    r->count--;
    return slot;
}

/* Renames reads, then results; slots of values that are not read again become free. */
static void rename_statement(struct renamer *r, struct statements *s, const struct statement *at) {
    uint32_t *operand = s->operands + at->first, freed[FUNCTION_MOST_ARGUMENTS], results = statement_destinations(at);
    size_t frees = 0;
    for (uint32_t i = 0; i < at->count; i++) {
        uint32_t k = (i + results) % at->count;
        if (!is_temporary(r, operand[k]))
            continue;
        if (k < results)
            r->name[operand[k]] = take_slot(r);
        operand[k] = r->name[operand[k]];
        if (r->last[at->first + k] && frees < FUNCTION_MOST_ARGUMENTS) /* long sums: not all of them */
            freed[frees++] = operand[k];
    }
    for (size_t k = 0; k < frees; k++)
        r->free[(r->head + r->count++) % r->room] = freed[k];
}

/* Moves temporaries from the slots below `slots` to slots from *next on. False when out of memory. */
static bool rename_slots(struct statements *s, const bool *kept, size_t slots, uint32_t *next) {
    struct renamer r = {.kept = kept, .room = s->count * 2 + 1, .next = *next};
    r.name = base_allocate(slots * sizeof *r.name);
    r.needed = base_allocate(slots * sizeof *r.needed);
    r.last = base_allocate((s->operand_count + 1) * sizeof *r.last);
    r.free = base_allocate(r.room * sizeof *r.free);
    bool ready = r.name && r.needed && r.last && r.free;
    if (ready) {
        memset(r.needed, 0, slots * sizeof *r.needed);
        for (uint32_t i = 0; i < slots; i++)
            r.name[i] = i;
        find_last(&r, s);
        for (size_t i = 0; i < s->count; i++)
            rename_statement(&r, s, &s->list[i]);
        *next = r.next;
    }
    base_release(r.name);
    base_release(r.needed);
    base_release(r.last);
    base_release(r.free);
    return ready;
}

/* ---- words ---- */

static hn_status allocate_words(struct bytecode *b, const struct ir_module *ir, hn_error *error) {
    size_t words = 0;
    for (int e = 0; e < KERNEL_ENTRIES; e++) {
        const struct statements *s = &ir->entry[e];
        for (size_t i = 0; b->entry[e] && i < s->count; i++) {
            words += 1 + (size_t)s->list[i].count;
            if (s->list[i].count > MOST_OPERANDS)
                return error_set(error, HN_LIMIT, "device cuda: a sum has %u operands; at most %d are possible",
                                 s->list[i].count, MOST_OPERANDS);
        }
    }
    if (words > UINT32_MAX)
        return error_set(error, HN_LIMIT, "device cuda: the bytecode would have %zu words, too many to number", words);
    b->words = base_allocate((words + 1) * sizeof *b->words);
    b->numbers = base_allocate((ir->constant_count + 1) * sizeof *b->numbers);
    return b->words && b->numbers ? HN_OK : error_no_memory(error, "the bytecode");
}

static void add_operands(struct bytecode *b, const struct statements *s, const struct statement *at) {
    memcpy(b->words + b->count, s->operands + at->first, at->count * sizeof *b->words);
    b->count += at->count;
}

/* Two words, and the operands of `count` statements. */
static void add_group(struct bytecode *b, const struct statements *s, const struct statement *at, size_t count) {
    uint32_t words = 1 + (uint32_t)count * at->count;
    b->uses_group[at->function] = true;
    b->words[b->count++] = BYTECODE_GROUP | words << FUNCTION_BITS;
    b->words[b->count++] = at->function | (at->count - 1) << FUNCTION_BITS;
    for (size_t k = 0; k < count; k++)
        add_operands(b, s, &at[k]);
}

static void add_entry(struct bytecode *b, const struct statements *s) {
    for (size_t i = 0, count = 1; i < s->count; i += count) {
        const struct statement *at = &s->list[i];
        count = group_count(s, i);
        if (count > 1) {
            add_group(b, s, at, count);
            continue;
        }
        b->uses[at->function] = true;
        b->words[b->count++] = at->function | at->count << FUNCTION_BITS;
        add_operands(b, s, at);
    }
}

/* Adds a reordered copy. Entries run one after the other and share the slots of their temporaries. False when out of memory. */
static bool add_ordered(struct bytecode *b, const struct ir_module *ir, const struct statements *s, const bool *kept) {
    struct statements own = {.list = NULL};
    uint32_t next = ir->slots;
    for (size_t i = 0; i < s->count; i++)
        statements_repeat(&own, s, i);
    bool done =
        !own.failed && (!b->renames || rename_slots(&own, kept, ir->slots, &next)) && order_statements(&own, next);
    if (done)
        add_entry(b, &own);
    b->slots = next > b->slots ? next : b->slots;
    statements_release(&own);
    return done;
}

static bool add_entries(struct bytecode *b, const struct ir_module *ir) {
    bool *kept = print_kept(ir, false), done = kept != NULL;
    for (int e = 0; e < KERNEL_ENTRIES && done; e++) {
        b->first[e] = (uint32_t)b->count;
        if (b->entry[e])
            done = add_ordered(b, ir, &ir->entry[e], kept);
        b->end[e] = (uint32_t)b->count;
    }
    base_release(kept);
    return done;
}

hn_status bytecode_create(struct bytecode *b, const struct ir_module *ir, hn_error *error) {
    hn_status status = allocate_words(b, ir, error);
    b->slots = ir->slots;
    if (status == HN_OK && !add_entries(b, ir))
        status = error_no_memory(error, "the bytecode");
    if (status != HN_OK) {
        bytecode_release(b);
        return status;
    }
    b->number_count = ir->constant_count;
    if (ir->constant_count > 0) /* constants may be NULL */
        memcpy(b->numbers, ir->constants, ir->constant_count * sizeof *b->numbers);
    return HN_OK;
}

hn_status bytecode_round(struct bytecode *b, hn_error *error) {
    unsigned char *to = (unsigned char *)b->numbers;
    for (size_t i = 0; i < b->number_count; i++) {
        const double number = b->numbers[i]; /* read before it is overwritten */
        const float small = (float)number;
        if (isfinite(number) && !isfinite(small))
            return error_about(error, HN_UNSUPPORTED, error_option("precision"),
                               "precision float32: %s, a number of the model's linear system, does not fit a float",
                               error_number(number).text);
        memcpy(to + i * sizeof small, &small, sizeof small);
    }
    b->rounded = true;
    return HN_OK;
}

size_t bytecode_number_bytes(const struct bytecode *b) {
    return b->rounded ? sizeof(float) : sizeof(double);
}

void bytecode_release(struct bytecode *b) {
    base_release(b->words);
    base_release(b->numbers);
    *b = (struct bytecode){.words = NULL};
}

/* ---- text ---- */

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

static void print_group_case(struct text *text, enum function function) {
    const struct function_shape shape = function_shape(function);
    text_add(text, "    case %d:\n        DEVICE_UNROLL\n        for (size_t k = 0; k < BYTECODE_AT_ONCE; k++) {\n",
             (int)function);
    for (int k = 0; k < shape.arguments; k++)
        text_add(text, "            const simd %c = %c[k];\n", 'a' + k, 'x' + k);
    text_add(text, "            out[k] = %s;\n        }\n        break;\n", shape.meaning);
}

void bytecode_print_functions(struct text *text, const struct bytecode *b) {
    static const char end[] = "    default:\n        break;\n    }\n}\n";
    text_add(text,
             "\nenum {\n    BYTECODE_SUMS = %d,\n    BYTECODE_SUM_PLUS = %d,\n    BYTECODE_SUM_MINUS = %d,\n"
             "    BYTECODE_SUM_BACK = %d,\n    BYTECODE_SUM_ZERO = %d,\n    BYTECODE_GROUP = %d\n};\n"
             "#include \"codegen/cuda/bytecode_kernel.h\"\n",
             (int)SUM_PLUS, (int)SUM_PLUS, (int)SUM_MINUS, (int)SUM_BACK, (int)SUM_ZERO, (int)BYTECODE_GROUP);
    text_add(text, "\nSIMD_INLINE void bytecode_function(real *slots, const real *numbers, const uint32_t *at, "
                   "uint32_t function) {\n    switch (function) {\n");
    for (int f = 0; f < (int)SUM_PLUS; f++)
        if (b->uses[f] && function_shape((enum function)f).meaning)
            print_case(text, (enum function)f);
    if (b->uses[FUNCTION_SINCOS])
        text_add(text,
                 "    case %d: {\n        simd sine, cosine;\n"
                 "        elementary_sincos(bytecode_at(slots, numbers, at[2]), &sine, &cosine);\n"
                 "        slots[(size_t)at[0] * SLOT_STRIDE] = sine;\n"
                 "        slots[(size_t)at[1] * SLOT_STRIDE] = cosine;\n        break;\n    }\n",
                 (int)FUNCTION_SINCOS);
    text_add(text,
             "%s\nSIMD_INLINE void bytecode_functions(uint32_t function, const simd *x, const simd *y, const simd *z, "
             "simd *out) {\n    switch (function) {\n",
             end);
    for (int f = 0; f < FUNCTIONS; f++)
        if (b->uses_group[f])
            print_group_case(text, (enum function)f);
    text_add(text, "%s", end);
}

void bytecode_print_entry(struct text *text, const struct bytecode *b, enum kernel_entry entry) {
    text_add(text, "\nstatic void entry_%s(real *slots) {\n    bytecode_run(slots, %uU, %uU);\n}\n", entry_text(entry),
             b->first[entry], b->end[entry]);
}
