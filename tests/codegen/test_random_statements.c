/* test_random_statements.c - printed statements compute what the list says, whatever the list: in order, late, with few local variables
 * at once, as one entry, read early, in short functions.
 *
 * Random lists over a few slots, which are written again and again, some of them kept. All ways of printing one list are compiled as one
 * function each and run on the same numbers; the judge computes the list as it stands.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/compiled_kernel.h"
#include "support/scratch.h"

#include "base/memory.h"
#include "base/random.h"
#include "codegen/print/print.h"

#include <dlfcn.h>

enum { LISTS = 40, SLOTS = 14, CONSTANTS = 3, LONGEST = 70, WAYS = 8, COMMAND = 1024 };

static const double constants[CONSTANTS] = {0.5, -3, 1.25};

/* What the printed text uses, for one number at a time. */
static const char head[] =
    "#include <math.h>\n#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n"
    "typedef double simd, real;\n#define REAL(a) a\n#define REAL_INFINITY INFINITY\n#define REAL_NAN NAN\n"
    "#define SPILL_AT(place) kept[place]\n#define SLOT_AGAIN(slot) slots[slot]\n"
    "#define simd_all(a) ((double)(a))\n#define SLOT_STRIDE 1\n#define LANE_PARTS 1\n"
    "#define WIDTH 1\n#define GENERATED\n"
    "#define S(slot) slots[slot]\n";

struct list {
    struct statements s;
    bool kept[SLOTS], steady[SLOTS];
    size_t cut; /* where the second part begins */
    uint32_t
        changed; /* a slot: the first part writes it, the text behind it adds to it, the second reads it; 0: none */
};

/* ---- lists ---- */

static uint32_t any_operand(struct random *random) {
    if (random_below(random, 6) == 0)
        return STATEMENT_CONSTANT + (uint32_t)random_below(random, CONSTANTS);
    return (uint32_t)random_below(random, SLOTS);
}

/* A sum has a start, or none, and pairs; its products are few, so that numbers stay small. */
static void add_any(struct statements *s, struct random *random) {
    static const struct {
        enum function function;
        uint32_t least, pairs;
    } kinds[] = {{FUNCTION_ADD, 2, 0}, {FUNCTION_SUB, 2, 0}, {FUNCTION_NEG, 1, 0}, {FUNCTION_MUL, 2, 0},
                 {SUM_PLUS, 1, 3},     {SUM_MINUS, 1, 2},    {SUM_ZERO, 0, 3},     {FUNCTION_MUL_ADD, 3, 0}};
    size_t kind = random_below(random, COUNT_OF(kinds));
    uint32_t arguments = kinds[kind].least;
    if (kinds[kind].pairs > 0)
        arguments += 2 * (1 + (uint32_t)random_below(random, kinds[kind].pairs));
    statements_begin(s, kinds[kind].function);
    statements_operand(s, (uint32_t)random_below(random, SLOTS));
    for (uint32_t i = 0; i < arguments; i++)
        statements_operand(s, any_operand(random));
}

static bool reads(const struct statements *s, size_t i, uint32_t slot) {
    for (uint32_t k = 1; k < s->list[i].count; k++)
        if (s->operands[s->list[i].first + k] == slot)
            return true;
    return false;
}

static bool writes(const struct statements *s, size_t i, uint32_t slot) {
    return s->operands[s->list[i].first] == slot;
}

static bool may_change(const struct list *list, uint32_t slot) {
    size_t before = 0, behind = list->cut;
    while (before < list->cut && !writes(&list->s, before, slot))
        before++;
    while (behind < list->s.count && !reads(&list->s, behind, slot) && !writes(&list->s, behind, slot))
        behind++;
    return before < list->cut && behind < list->s.count && reads(&list->s, behind, slot);
}

static void draw_list(struct list *list, uint64_t number) {
    struct random random = random_start(27, number);
    size_t length = 4 + random_below(&random, LONGEST - 4);
    *list = (struct list){.cut = random_below(&random, length)};
    for (size_t i = 0; i < length; i++)
        add_any(&list->s, &random);
    for (int i = 0; i < SLOTS; i++) {
        list->kept[i] = random_below(&random, 2) != 0;
        list->steady[i] = random_below(&random, 2) != 0;
    }
    for (uint32_t slot = 1; slot < SLOTS && number % 2; slot++)
        list->changed = may_change(list, slot) ? slot : list->changed;
    if (list->changed)
        list->steady[list->changed] = false;
    assert_false(list->s.failed);
}

/* ---- the judge ---- */

static double value_of(const double *slots, uint32_t operand) {
    return operand_is_constant(operand) ? constants[operand - STATEMENT_CONSTANT] : slots[operand];
}

static double compute(const struct statement *at, const double *slots, const uint32_t *operand) {
    double a = at->count > 1 ? value_of(slots, operand[1]) : 0, b = at->count > 2 ? value_of(slots, operand[2]) : 0;
    uint32_t k = at->function == SUM_ZERO ? 1 : 2;
    double sum = at->function == SUM_ZERO ? 0 : a;
    switch (at->function) {
    case FUNCTION_ADD:
        return a + b;
    case FUNCTION_SUB:
        return a - b;
    case FUNCTION_NEG:
        return -a;
    case FUNCTION_MUL:
        return a * b;
    case FUNCTION_MUL_ADD:
        return a * b + value_of(slots, operand[3]);
    default:
        for (; k + 1 < at->count; k += 2) {
            double product = value_of(slots, operand[k]) * value_of(slots, operand[k + 1]);
            sum = at->function == SUM_MINUS ? sum - product : sum + product;
        }
        return sum;
    }
}

static void run_list(const struct list *list, double *slots, bool in_parts) {
    for (size_t i = 0; i < list->s.count; i++) {
        if (in_parts && i == list->cut && list->changed)
            slots[list->changed] += 0.5;
        const struct statement *at = &list->s.list[i];
        const uint32_t *operand = list->s.operands + at->first;
        slots[operand[0]] = compute(at, slots, operand);
    }
}

/* ---- the ways to print it ---- */

static void copy_part(struct statements *out, const struct statements *from, size_t first, size_t end) {
    *out = (struct statements){.count = 0};
    for (size_t i = first; i < end; i++)
        statements_repeat(out, from, i);
}

/* Two parts, one behind the other, with at most so many values in local variables; 0: as many as there are. */
static void print_parts(struct text *text, const struct ir_module *ir, const struct list *list, size_t most,
                        enum print_late late) {
    struct statements part[2];
    struct text own = {.bytes = NULL};
    uint32_t places = 0;
    char behind[48] = "";
    if (list->changed)
        snprintf(behind, sizeof behind, "    slots[%u] += 0.5;\n", list->changed);
    copy_part(&part[0], &list->s, 0, list->cut);
    copy_part(&part[1], &list->s, list->cut, list->s.count);
    const struct print_link links[] = {{&part[0], "    /* first */\n", behind, list->changed, late},
                                       {&part[1], "", "    /* last */\n", 0, late}};
    const struct print_chain wanted = {.links = links,
                                       .count = 2,
                                       .kept = list->kept,
                                       .unsafe = "",
                                       .steady = list->steady,
                                       .most = most,
                                       .places = &places};
    assert_true(print_chain(&own, ir, &wanted));
    text_add(text, "    double kept[%u];\n    (void)kept;\n", places + 1);
    text_add_bytes(text, own.bytes, own.length);
    text_drop(&own);
    statements_release(&part[0]);
    statements_release(&part[1]);
}

enum { PART_WAYS = 6 };

static void print_way(struct text *text, struct ir_module *ir, const struct list *list, int number, int way) {
    static const struct {
        size_t most;
        enum print_late late;
    } parts[PART_WAYS] = {{0, PRINT_IN_ORDER}, {0, PRINT_LATE}, {0, PRINT_LATE_BEFORE_SUM},
                          {5, PRINT_IN_ORDER}, {6, PRINT_LATE}, {9, PRINT_LATE}};
    if (way < PART_WAYS) {
        text_add(text, "\nvoid list_%d_%d(double *slots) {\n", number, way);
        print_parts(text, ir, list, parts[way].most, parts[way].late);
        text_add(text, "}\n");
        return;
    }
    text_add(text, "\n#define entry_evaluate entry_%d_%d\n", number, way);
    for (int i = 0; i < LONGEST; i++) /* its functions */
        text_add(text, "#undef evaluate_%d\n#define evaluate_%d part_%d_%d_%d\n", i, i, number, way, i);
    ir->entry[KERNEL_EVALUATE] = list->s;
    ir->shortened = way == PART_WAYS ? 0 : 12;
    assert_true(print_entry(text, ir, KERNEL_EVALUATE, list->kept, way == PART_WAYS));
    text_add(text, "#undef entry_evaluate\n");
    text_add(text, "void list_%d_%d(double *slots) {\n    entry_%d_%d(slots);\n}\n", number, way, number, way);
}

typedef void list_function(double *slots);

static void *load_text(const struct scratch *scratch, const struct text *text) {
    char command[COMMAND], source[256], object[256];
    snprintf(source, sizeof source, "%s/lists.c", scratch->folder);
    snprintf(object, sizeof object, "%s/lists.so", scratch->folder);
    FILE *file = fopen(source, "w");
    assert_non_null(file);
    assert_true(fputs(text->bytes, file) >= 0);
    assert_int_equal(fclose(file), 0);
    snprintf(command, sizeof command, "cc -O0 -w -ffp-contract=off -fPIC -shared -o %s %s -lm", object, source);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c)
    void *loaded = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    remove(source);
    remove(object);
    assert_non_null(loaded);
    return loaded;
}

static void compare(const struct list *list, list_function *function, uint64_t number, int way) {
    struct random random = random_start(28, number);
    double expected[SLOTS], slots[SLOTS];
    for (int i = 0; i < SLOTS; i++)
        expected[i] = slots[i] = random_between(&random, -1, 1);
    run_list(list, expected, way < PART_WAYS);
    function(slots);
    for (int i = 0; i < SLOTS; i++)
        if (list->kept[i] && memcmp(&slots[i], &expected[i], sizeof *slots) != 0)
            fail_msg("list %d, way %d: slot %d is %a, not %a", (int)number, way, i, slots[i], expected[i]);
}

TEST(every_way_to_print_a_list_computes_it) {
    static struct list lists[LISTS];
    struct text text = {.bytes = NULL};
    struct ir_module ir = {.slots = SLOTS, .constants = (double *)(uintptr_t)constants, .constant_count = CONSTANTS};
    text_add(&text, "%s", head);
    for (int i = 0; i < LISTS; i++) {
        draw_list(&lists[i], (uint64_t)i);
        for (int way = 0; way < WAYS; way++)
            print_way(&text, &ir, &lists[i], i, way);
    }
    assert_false(text.failed);
    void *loaded = load_text(*state, &text);
    for (int i = 0; i < LISTS; i++)
        for (int way = 0; way < WAYS; way++) {
            char name[64];
            list_function *function = NULL;
            snprintf(name, sizeof name, "list_%d_%d", i, way);
            void *found = dlsym(loaded, name);
            assert_non_null(found);
            memcpy(&function, &found, sizeof function);
            compare(&lists[i], function, (uint64_t)i, way);
        }
    dlclose(loaded);
    for (int i = 0; i < LISTS; i++)
        statements_release(&lists[i].s);
    text_drop(&text);
}

TEST_GROUP(compiler_set_up, scratch_tear_down)
