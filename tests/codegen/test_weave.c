/* test_weave.c - late statements stand where their values are needed first, where that changes nothing.
 *
 * Lists that are made by hand; a statement is told by where it writes.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"

#include "codegen/ir/lower.h"

enum { OWN = 40, SLOTS = OWN + OWN_COUNT, MOST = 16, LATE = 4 };

#define LIST(...)                                                                                                      \
    (const uint32_t[]) {                                                                                               \
        __VA_ARGS__                                                                                                    \
    }
#define ADD(s, to, ...)                                                                                                \
    statements_add(s, FUNCTION_ADD, to, LIST(__VA_ARGS__), sizeof LIST(__VA_ARGS__) / sizeof(uint32_t))

/* What is evaluated: 11, 10, 12 from both, 13; then the step, which asks for 12 and 13. */
static void begin(struct statements *s) {
    *s = (struct statements){.late = LATE};
    ADD(s, 11, 1, 3);
    ADD(s, 10, 1, 2);
    ADD(s, 12, 10, 11);
    ADD(s, 13, 2, STATEMENT_CONSTANT);
    ADD(s, 20, 12, 1);
    ADD(s, 21, 13, 20);
}

/* Where the statements write, one after the other; the walk is left with so many slots. */
static void check_order(struct statements *s, const uint32_t *expected, size_t count, uint32_t slots) {
    struct ir_module ir = {.own = OWN, .slots = SLOTS};
    assert_false(s->failed);
    assert_true(ir_weave(&ir, s));
    assert_int_equal(ir.slots, slots);
    assert_int_equal(s->count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(s->operands[s->list[i].first], expected[i]);
    statements_release(s);
}

#define CHECK_ORDER(s, slots, ...) check_order(s, LIST(__VA_ARGS__), sizeof LIST(__VA_ARGS__) / sizeof(uint32_t), slots)

TEST(a_value_is_computed_where_it_is_needed) {
    struct statements s;
    begin(&s);
    s.round = true;
    s.window = 5;
    s.window_slots = 2;
    CHECK_ORDER(&s, SLOTS, 10, 11, 12, 20, 13, 21);
}

TEST(what_is_left_of_a_round_is_kept) {
    struct ir_module ir = {.own = OWN, .slots = SLOTS};
    struct statements s;
    begin(&s);
    s.round = true;
    s.window = 5;
    s.window_slots = 2;
    assert_true(ir_weave(&ir, &s));
    assert_true(s.round);
    assert_int_equal(s.window, 5);
    assert_int_equal(s.window_slots, 2);
    statements_release(&s);
}

/* Nothing moves where the step writes what was evaluated from, or evaluated; but for vectors that take turns. */
TEST(a_slot_that_the_step_writes_forbids_it) {
    struct statements s;
    begin(&s);
    ADD(&s, 2, 20, 21);
    CHECK_ORDER(&s, SLOTS, 11, 10, 12, 13, 20, 21, 2);
    begin(&s);
    ADD(&s, 12, 20, 21);
    CHECK_ORDER(&s, SLOTS, 11, 10, 12, 13, 20, 21, 12);
    begin(&s);
    ADD(&s, 2, 20, 21);
    s.window = 2;
    s.window_slots = 1;
    CHECK_ORDER(&s, SLOTS, 10, 11, 12, 20, 13, 21, 2);
    begin(&s);
    ADD(&s, 20, 20, 21); /* which is the step's own */
    CHECK_ORDER(&s, SLOTS, 10, 11, 12, 20, 13, 21, 20);
}

/* A slot that is evaluated into twice is two. */
TEST(a_second_value_gets_a_slot_of_its_own) {
    struct ir_module ir = {.own = OWN, .slots = SLOTS};
    struct statements s = {.late = 3};
    ADD(&s, 10, 1, 2);
    ADD(&s, 11, 10, 1);
    ADD(&s, 10, 11, 2);
    ADD(&s, 20, 10, 11);
    ADD(&s, 21, 10, 1);
    assert_true(ir_weave(&ir, &s));
    assert_int_equal(ir.slots, SLOTS + 1);
    const uint32_t expected[][3] = {{10, 1, 2}, {11, 10, 1}, {SLOTS, 11, 2}, {20, SLOTS, 11}, {21, SLOTS, 1}};
    for (size_t i = 0; i < COUNT_OF(expected); i++)
        assert_memory_equal(&s.operands[s.list[i].first], expected[i], sizeof expected[i]);
    statements_release(&s);
}

/* The size of a row, and whether it is lost, follow its residual; they are gathered in slots that have many writers. */
TEST(sizes_follow_their_rows) {
    const uint32_t worst = OWN + OWN_WORST, last = worst + OWN_CHAINS - 1, lost = OWN + OWN_LOST;
    struct statements s = {.late = 9};
    statements_add(&s, ROW_ZERO, worst, NULL, 0);
    statements_add(&s, ROW_ZERO, last, NULL, 0);
    statements_add(&s, ROW_NONE_SET, lost, NULL, 0);
    statements_add(&s, ROW_RESIDUAL, 10, LIST(1, 2, 3), 3);
    statements_add(&s, ROW_MOST_SIZE, worst, LIST(worst, 10), 2);
    statements_add(&s, ROW_LOSE_FINITE, lost, LIST(lost, 10), 2);
    statements_add(&s, ROW_RESIDUAL, 11, LIST(4, 5, 6), 3);
    statements_add(&s, ROW_MOST_SIZE, last, LIST(last, 11), 2);
    statements_add(&s, ROW_LOSE_FINITE, lost, LIST(lost, 11), 2);
    ADD(&s, 20, 11, 1);
    ADD(&s, 21, 10, 20);
    CHECK_ORDER(&s, SLOTS, worst, last, lost, 11, last, lost, 20, 10, worst, lost, 21);
}

/* A round that is left or judged has been evaluated. */
TEST(before_an_act_all_is_done) {
    static const enum function acts[] = {ROW_LEAVE, ROW_LEAVE_SINGULAR, ROW_JUDGE};
    for (size_t i = 0; i < COUNT_OF(acts); i++) {
        struct statements s;
        begin(&s);
        statements_add(&s, acts[i], 22, LIST(20, 20), acts[i] == ROW_LEAVE_SINGULAR ? 2 : 1);
        ADD(&s, 23, 20, 1);
        CHECK_ORDER(&s, SLOTS, 10, 11, 12, 20, 13, 21, 22, 23);
        s = (struct statements){.late = 2};
        ADD(&s, 10, 1, 2);
        ADD(&s, 11, 1, 2);
        statements_add(&s, acts[i], 22, LIST(11, 11), acts[i] == ROW_LEAVE_SINGULAR ? 2 : 1);
        CHECK_ORDER(&s, SLOTS, 10, 11, 22);
    }
}
