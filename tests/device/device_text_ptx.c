/* device_text_ptx.c - the meaning of every function as instructions of a device has the bits of its meaning in C: see cuda/ptx.h.
 *
 * Both are printed behind a kernel of the unicycle, whose text has all that they call, and run on numbers of all kinds; with arguments in
 * slots, and with some that are known when the text is printed.
 *
 * SPDX-License-Identifier: MIT */
#include "device_text_host.h"

#include "support/check.h"

#include "base/memory.h"
#include "base/random.h"
#include "cuda/ptx.h"
#include "cuda/ptx_meaning.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 6, MASKS = 6, RESULTS = NUMBERS + MASKS + 1, SLOTS = RESULTS + 2 * FUNCTIONS, TURNS = 3000 };

static const double special[] = {0,   -0.0,    1,         -1,      0.5,     3,      -2.5,     INFINITY, -INFINITY,
                                 NAN, 0x1p-60, 0x1p-1074, 0x1p900, -0x1p-9, 1.1e10, -7.3e-12, 0x1p1022, 0x1p-21};
enum { SPECIAL = sizeof special / sizeof special[0] };

/* Lost numbers are handed on as numbers. */
static bool is_lost(int function) {
    return function == ROW_LOSE_FINITE || function == ROW_ALL_FINITE;
}

static bool is_judged(int function) {
    const struct function_shape shape = function_shape((enum function)function);
    return shape.meaning && shape.arguments > 0 && !shape.call && !function_is_act((enum function)function);
}

/* Twice: all arguments in slots, and some of them known. Masks are never known there. */
static void list_functions(struct statements *s) {
    struct random random = random_start(41, 0);
    for (int turn = 0; turn < 2; turn++)
        for (int f = 0; f < (int)SUM_PLUS; f++) {
            const struct function_shape shape = function_shape((enum function)f);
            if (!is_judged(f))
                continue;
            assert_true(ptx_knows_meaning(shape.meaning));
            statements_begin(s, (enum function)f);
            statements_operand(s, (uint32_t)(RESULTS + turn * FUNCTIONS + f));
            for (uint32_t k = 0; k < shape.arguments; k++) {
                bool mask = shape.masks >> k & 1, known = turn == 1 && !mask && random_below(&random, 2);
                uint32_t constant = STATEMENT_CONSTANT + (uint32_t)random_below(&random, SPECIAL);
                statements_operand(s, is_lost(f) && mask ? NUMBERS + MASKS : known ? constant : mask ? NUMBERS + k : k);
            }
        }
}

static void print_both(struct text *text, const struct statements *s) {
    bool kept[SLOTS];
    struct ptx ptx;
    struct ir_module ir = {.slots = SLOTS, .constants = (double *)(uintptr_t)special, .constant_count = SPECIAL};
    memset(kept, true, sizeof kept);
    ptx_create(&ptx, false, SLOTS);
    for (int turn = 0; turn < 2; turn++) {
        ir.entry[KERNEL_EVALUATE] = *s;
        ir.dialect = turn ? &ptx.dialect : NULL;
        text_add(text, "\nnamespace %s {\n", turn ? "as_instructions" : "as_c");
        assert_true(print_entry(text, &ir, KERNEL_EVALUATE, kept, false));
        text_add(text, "}\nextern \"C\" void judged_%d(double *slots) {\n    %s::entry_evaluate(slots);\n}\n", turn,
                 turn ? "as_instructions" : "as_c");
    }
    ptx_release(&ptx);
    assert_false(text->failed);
    assert_non_null(strstr(strstr(text->bytes, "namespace as_instructions"), "PTX(\""));
}

static void draw(struct random *random, double *slots) {
    static const int64_t set = -1;
    for (int i = 0; i < NUMBERS; i++)
        slots[i] = random_below(random, 3) ? special[random_below(random, SPECIAL)] : random_normal(random);
    for (int i = NUMBERS; i < NUMBERS + MASKS; i++) {
        slots[i] = 0;
        if (random_below(random, 2))
            memcpy(&slots[i], &set, sizeof set);
    }
    slots[NUMBERS + MASKS] = random_below(random, 2) ? NAN : 0;
}

/* Whatever NaN is NaN, and what is lost is no 0. */
static bool is_same(int function, double a, double b) {
    bool mask = function_shape((enum function)function).mask;
    if (function == ROW_LOSE_FINITE)
        return (a == 0) == (b == 0);
    return (!mask && isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static void judge(void (*const run[2])(double *), uint64_t turn) {
    struct random random = random_start(43, turn);
    double slots[2][SLOTS];
    memset(slots, 0, sizeof slots);
    draw(&random, slots[0]);
    memcpy(slots[1], slots[0], sizeof slots[0]);
    run[0](slots[0]);
    run[1](slots[1]);
    for (int i = RESULTS; i < SLOTS; i++) {
        int function = (i - RESULTS) % FUNCTIONS;
        if (!is_same(function, slots[0][i], slots[1][i]))
            fail_msg("%s%s is %a, not %a; a %a, b %a, c %a, d %a, e %a",
                     function_shape((enum function)function).meaning, i >= RESULTS + FUNCTIONS ? " (partly known)" : "",
                     slots[1][i], slots[0][i], slots[0][0], slots[0][1], slots[0][2], slots[0][3], slots[0][4]);
    }
}

void functions_as_instructions_have_their_bits_in_c(void **state) {
    struct statements s = {.list = NULL};
    struct text text = {.bytes = NULL};
    void (*run[2])(double *);
    char *kernel = host_print_unicycle(HN_METHOD_PAPER, false);
    (void)state;
    text_add(&text, "%s", kernel);
    list_functions(&s);
    print_both(&text, &s);
    struct loaded loaded = host_load(text.bytes, "hardnet_run");
    for (int i = 0; i < 2; i++) {
        void *found = dlsym(loaded.object, i ? "judged_1" : "judged_0");
        assert_non_null(found);
        memcpy(&run[i], &found, sizeof found);
    }
    for (uint64_t turn = 0; turn < TURNS; turn++)
        judge(run, turn);
    dlclose(loaded.object);
    statements_release(&s);
    text_drop(&text);
    base_release(kernel);
}
