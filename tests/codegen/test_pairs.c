/* test_pairs.c - statements in pairs: every one stands once, behind what it needs, beside one that is like it.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/model_check.h"
#include "support/run_layer.h"

#include "base/memory.h"
#include "codegen/passes/slp_vectorize.h"
#include "codegen/print/print.h"
#include "layer/driver.h"

static hn_layer *layer_of_file(const char *path, hn_method method) {
    hn_model *model = model_of_file(path);
    hn_layer *layer = layer_of(model, layer_method(method));
    hn_model_destroy(model);
    return layer;
}

/* ---- statements ---- */

/* As many operands as the function takes, and all of them slots or constants that there are. */
static void check_shapes(const struct statements *s, uint32_t slots, uint32_t constants) {
    for (size_t i = 0; i < s->count; i++) {
        const struct statement *at = &s->list[i];
        struct function_shape shape = function_shape((enum function)at->function);
        bool starts = at->function == SUM_PLUS || at->function == SUM_MINUS;
        if (shape.meaning)
            assert_int_equal(at->count, 1 + shape.arguments);
        else if (at->function == FUNCTION_SINCOS)
            assert_int_equal(at->count, 3);
        else
            assert_true(at->count >= 2 && at->count % 2 == (starts ? 0 : 1)); /* a start, pairs */
        for (uint32_t k = 0; k < at->count; k++) {
            uint32_t operand = s->operands[at->first + k];
            assert_true(operand_is_constant(operand) ? operand - STATEMENT_CONSTANT < constants : operand < slots);
        }
    }
}

/* ---- one region ---- */

static bool is_live(const struct slp_regions *all, size_t i) {
    return all->liveness.used[i] || all->liveness.stored[i];
}

static void check_alike(const struct slp_regions *all, size_t i, size_t j) {
    const struct statement *a = &all->s.list[i], *b = &all->s.list[j];
    assert_int_equal(a->function, b->function);
    assert_int_equal(a->count, b->count);
    for (uint32_t k = statement_destinations(a); k < a->count; k++)
        assert_int_equal(operand_is_constant(all->s.operands[a->first + k]),
                         operand_is_constant(all->s.operands[b->first + k]));
}

/* What statement i reads is there: variables have been computed, slots have not been written. */
static void check_reads(const struct slp_regions *all, const struct region *region, const bool *done,
                        const bool *written, size_t i) {
    const struct statement *at = &all->s.list[i];
    for (uint32_t k = statement_destinations(at); k < at->count; k++) {
        uint32_t source = all->liveness.source[at->first + k], slot = all->s.operands[at->first + k];
        if (source)
            assert_true(done[region->first + (source - 1) / 2]);
        else if (!operand_is_constant(slot))
            assert_false(written[slot]);
    }
}

static void write_slots(const struct slp_regions *all, bool *written, size_t i) {
    const struct statement *at = &all->s.list[i];
    for (uint32_t d = 0; d < statement_destinations(at); d++)
        if (all->liveness.stored[i] >> d & 1)
            written[all->s.operands[at->first + d]] = true;
}

enum {
    MOST_TRIED = 3000000
}; /* a tenth of a second, about; where the search goes on for longer it gains next to nothing */

/* How many statements of the region stand in pairs. */
static size_t check_region(const struct slp_regions *all, size_t r, bool *done, bool *written) {
    const struct region *region = &all->regions.list[r];
    const struct slp_pairs *pairs = &all->pairs[r];
    size_t paired = 0;
    assert_true(pairs->tried <= MOST_TRIED);
    memset(written, 0, all->slots);
    for (size_t n = 0; n < pairs->ordered; n++) {
        uint32_t own = pairs->order[n], mate = pairs->mate[own];
        size_t i = region->first + own, j = region->first + mate;
        assert_false(done[i] || done[j]);
        assert_int_equal(pairs->mate[mate], own);
        check_reads(all, region, done, written, i);
        check_reads(all, region, done, written, j);
        if (mate != own) {
            check_alike(all, i, j);
            assert_true(pairs->high[mate] && !pairs->high[own]);
            paired += 2;
        }
        done[i] = done[j] = true;
        write_slots(all, written, i);
        write_slots(all, written, j);
    }
    for (size_t i = region->first; i < region->first + region->period && region->repeats == 1; i++)
        assert_int_equal(done[i], is_live(all, i));
    return paired;
}

/* ---- entries ---- */

/* The part of an entry's statements that stands in pairs. */
static double check_entry(const struct ir_module *ir, enum kernel_entry entry) {
    bool *kept = print_kept(ir, false);
    struct slp_regions all;
    size_t paired = 0, live = 0;
    assert_non_null(kept);
    check_shapes(&ir->entry[entry], ir->slots, ir->constant_count);
    assert_true(slp_regions_create(&all, ir, entry, kept));
    check_shapes(&all.s, all.slots, ir->constant_count);
    bool *done = base_allocate(all.s.count + 1), *written = base_allocate(all.slots + 1);
    assert_true(done && written);
    memset(done, 0, all.s.count + 1);
    for (size_t r = 0; r < all.regions.count; r++)
        paired += check_region(&all, r, done, written);
    for (size_t i = 0; i < all.s.count; i++)
        live += is_live(&all, i);
    base_release(done);
    base_release(written);
    base_release(kept);
    slp_regions_release(&all);
    return live > 0 ? (double)paired / (double)live : 0;
}

static void check_model(const char *path, hn_method method, double *parts) {
    hn_layer *layer = layer_of_file(path, method);
    struct ir_module ir;
    assert_int_equal(ir_create(&ir, layer->plan, true, NULL), HN_OK);
    for (int e = 0; e < KERNEL_ENTRIES; e++)
        parts[e] = ir.entry[e].count > 0 ? check_entry(&ir, (enum kernel_entry)e) : 0;
    ir_release(&ir);
    hn_layer_destroy(layer);
}

TEST(the_unicycle_s_stages_are_pairs) {
    double parts[KERNEL_ENTRIES];
    check_model("models/unicycle.mod", HN_METHOD_PAPER, parts);
    assert_true(parts[KERNEL_EVALUATE] > 0.9);
    assert_true(parts[KERNEL_STEP_BEGIN] > 0.6);
}

TEST(every_statement_stands_once_behind_what_it_needs) {
    static const char *const paths[] = {"models/unicycle.mod", "models/pooling.mod", "models/feasibility/hs116.mod"};
    double parts[KERNEL_ENTRIES];
    for (size_t i = HN_TEST_SHARE > 1 ? 1 : 0; i < sizeof paths / sizeof paths[0]; i++)
        check_model(paths[i], i % 2 ? HN_METHOD_PAPER : HN_METHOD_AUTO, parts);
}

/* ---- whether it pays ---- */

/* Two sums of slots that are neighbours save 8 half instructions of 64; what nobody needs is not counted, one more negation is. */
TEST(slp_that_save_less_than_an_eighth_are_given_up) {
    enum { SLOTS = 32, KEPT = 20, NOT_KEPT = 30 };
    static const struct {
        enum function function;
        uint32_t to, from;
        size_t count;
    } lines[] = {{FUNCTION_ADD, 20, 0, 2},     {FUNCTION_ADD, 21, 1, 2},     {FUNCTION_MUL, 22, 0, 2},
                 {FUNCTION_NEG, 23, 0, 1},     {FUNCTION_MUL_ADD, 24, 0, 3}, {FUNCTION_MUL_SUB, 25, 0, 3},
                 {FUNCTION_SUB_MUL, 26, 0, 3}, {FUNCTION_SUB, 30, 0, 2},     {FUNCTION_EXP, 27, 0, 1}};
    for (size_t more = 0; more < 2; more++) {
        struct statements s = {.count = 0};
        bool kept[SLOTS] = {false};
        struct liveness liveness;
        struct slp_pairs pairs;
        for (size_t i = 0; i + 1 < COUNT_OF(lines) + more; i++) {
            const uint32_t from[] = {lines[i].from, lines[i].from + 2, lines[i].from + 4};
            statements_add(&s, lines[i].function, lines[i].to, from, lines[i].count);
        }
        for (int slot = KEPT; slot < NOT_KEPT; slot++)
            kept[slot] = true;
        struct region region = {0, s.count, 1};
        const struct regions regions = {.list = &region, .count = 1};
        assert_true(liveness_find(&liveness, &s, &regions, kept, SLOTS));
        assert_true(slp_find(&pairs, &s, &liveness, &region, false));
        assert_int_equal(pairs.mate[0], more ? 0 : 1);
        assert_int_equal(pairs.ordered, s.count - (more ? 1 : 2)); /* without what nobody needs */
        slp_release(&pairs);
        liveness_release(&liveness);
        statements_release(&s);
    }
}
