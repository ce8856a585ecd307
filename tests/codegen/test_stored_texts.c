/* test_stored_texts.c - generated code has the form that it had when it was last looked at.
 *
 * Other tests compile texts and compare their numbers; they do not see a text that is longer or slower than it need be. Here what is
 * printed, without the library's own files that every text begins with, is counted and digested, per model and method: kernels over
 * lanes, statements in pairs, those read early and in short functions, and the rounds of a device. Where texts change on purpose
 * `stored_texts all` prints the lines of the table that have changed.
 *
 * SPDX-License-Identifier: MIT */
#include "stored_texts.h"
#include "stored_texts_table.h"
#include "support/check.h"
#include "support/model_check.h"
#include "support/random_problem.h"
#include "support/run_layer.h"
#include "support/shape_models.h"

#include "base/memory.h"
#include "codegen/kernel/kernel_source.h"
#include "codegen/passes/slp_vectorize.h"
#include "codegen/print/print.h"
#include "layer/driver.h"

#include <inttypes.h>

/* ---- what is written down ---- */

void stored_note_text(struct printed *printed, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++)
        printed->lines += text[i] == '\n';
    digest_add(&printed->digest, text, length);
}

/* ---- texts ---- */

/* Without what depends on our own files: the first line, which has the version, their text, and the digest of the whole. */
static void note_printed(struct printed *printed, const char *text) {
    struct text own = {.bytes = NULL};
    generate_print_prelude(&own);
    const char *first = strchr(text, '\n'), *prelude = strstr(text, own.bytes);
    const char *digest = strstr(text, "    SOLVES,\n    \"");
    assert_true(first && prelude && digest);
    stored_note_text(printed, first, (size_t)(prelude - first));
    prelude += own.length;
    text_drop(&own);
    stored_note_text(printed, prelude, (size_t)(digest - prelude));
    digest = strchr(strchr(digest, '"'), '\n');
    stored_note_text(printed, digest, strlen(digest));
}

static void note_lanes(struct printed *printed, const struct plan *plan) {
    const struct generate_options options = {HN_INSTRUCTIONS_PORTABLE, true};
    struct generated_text text;
    hn_status status = generate_lanes(&text, plan, &options, NULL);
    digest_add_size(&printed->digest, (uint64_t)status);
    if (status != HN_OK)
        return;
    note_printed(printed, text.bytes);
    digest_add_size(&printed->digest, text.left);
    base_release(text.bytes);
}

enum { FEW_STATEMENTS = 350 }; /* pairs of more are long to find */

static void note_walk(struct printed *printed, const struct plan *plan) {
    struct text text = {.bytes = NULL};
    struct ir_module ir;
    assert_int_equal(ir_create(&ir, plan, true, NULL), HN_OK);
    bool *kept = print_kept(&ir, false);
    assert_true(ir_drop_zeros(&ir, &ir.entry[KERNEL_STEP_BEGIN], kept, false));
    for (int e = 0; e < KERNEL_ENTRIES; e++) {
        struct slp_regions paired;
        if (ir.entry[e].count == 0)
            continue;
        if (ir.entry[e].count <= FEW_STATEMENTS) {
            assert_true(slp_regions_create(&paired, &ir, (enum kernel_entry)e, kept));
            print_entry_paired(&text, &ir, (enum kernel_entry)e, &paired);
            slp_regions_release(&paired);
        }
        ir.shortened = 0;
        assert_true(print_entry(&text, &ir, (enum kernel_entry)e, kept, true));
        ir.shortened = 60;
        assert_true(print_entry(&text, &ir, (enum kernel_entry)e, kept, false));
    }
    print_calls(&text, &ir, CALLS_TWO);
    print_calls(&text, &ir, CALLS_HALVES);
    assert_false(text.failed);
    stored_note_text(printed, text.bytes, text.length);
    text_drop(&text);
    base_release(kept);
    ir_release(&ir);
}

/* ---- models ---- */

static hn_model *random_model(uint64_t number) {
    struct random_problem problem;
    random_problem_create(&problem, (struct random_problem_options){.kind = PROBLEM_FEASIBLE}, 20261117, number);
    hn_model *model = problem.model;
    problem.model = NULL;
    random_problem_release(&problem);
    return model;
}

static hn_model *model_of(size_t number) {
    switch (number) {
    case 0:
        return dense_model(4, 6, 1);
    case 1:
        return dense_model(9, 4, 2);
    case 2:
        return mixed_model(5, 7, 2, 3);
    case 3:
        return block_model(4, 3, 2, 4);
    case 4:
        return bordered_model(34, 1, 2, 5);
    case 5:
        return one_column_model(9, 6);
    case 6:
        return one_row_model(8, 7);
    case 7:
        return undefined_model(8);
    case 8:
        return model_of_file("models/ellipse.mod");
    case 9:
        return chain_model(7, true);
    case 10:
        return model_of_file("models/pooling.mod");
    case 11:
        return model_of_file("models/feasibility/hs73.mod");
    case 12:
        return chain_model(160, false);
    case 13:
        return chain_model(9, false);
    case 14:
        return bordered_model(46, 2, 1, 5);
    default:
        return random_model(number);
    }
}

static const hn_method methods[] = {HN_METHOD_PAPER, HN_METHOD_AUTO, HN_METHOD_LM};
enum { MODELS = 19 };

/* ---- the table ---- */

static struct stored find(size_t number, hn_method method) {
    struct printed printed = {.digest = digest_start()};
    unsigned char bytes[DIGEST_BYTES];
    hn_model *model = model_of(number);
    hn_layer_options options = layer_steps(method, 60);
    options.relative = number % 4 == 3;
    options.damping = number % 5 == 4 && method == HN_METHOD_LM ? 0.125 : options.damping;
    hn_layer *layer = layer_of(model, options);
    note_lanes(&printed, layer->plan);
    note_walk(&printed, layer->plan);
    stored_note_device(&printed, model, options);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
    struct stored found = {.lines = printed.lines};
    digest_finish(&printed.digest, bytes);
    for (int i = 0; i < 8; i++)
        found.digest = found.digest << 8 | bytes[i];
    return found;
}

static bool all;

TEST(texts_are_those_that_are_stored) {
    size_t changed = 0, count = COUNT_OF(methods);
    for (size_t i = 0; i < MODELS * count && (all || changed == 0); i++) {
        struct stored found = find(i / count, methods[i % count]);
        if (i < COUNT_OF(stored) && found.lines == stored[i].lines && found.digest == stored[i].digest)
            continue;
        print_error("    {%zu, 0x%016" PRIx64 "}, /* model %zu, %s */\n", found.lines, found.digest, i / count,
                    hn_method_text(methods[i % count]));
        changed++;
    }
    assert_int_equal(changed, 0);
    assert_int_equal(COUNT_OF(stored), MODELS * count);
}

int main(int count, char **words) {
    all = count > 1 && strcmp(words[1], "all") == 0;
    return run_registered_tests();
}
