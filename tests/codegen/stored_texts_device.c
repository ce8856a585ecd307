/* stored_texts_device.c - see stored_texts.h.
 *
 * SPDX-License-Identifier: MIT */
#include "stored_texts.h"

#include "support/check.h"

#include "codegen/cuda/print_kernel.h"
#include "layer/layer_plan.h"

enum { TASK = 59 };

static void note_rounds(struct printed *printed, const struct ir_module *ir, const struct ir_module *near,
                        bool single) {
    struct text text = {.bytes = NULL};
    struct round_room room = {.single = single, .task = single ? 0 : TASK}, back = {.single = single};
    assert_true(round_print_once(&text, ir));
    assert_true(round_print(&text, ir, near, &room));
    assert_true(round_print_back(&text, ir, near, &back));
    assert_false(text.failed);
    stored_note_text(printed, text.bytes, text.length);
    digest_add_size(&printed->digest, room.near);
    digest_add_size(&printed->digest, back.near);
    text_drop(&text);
}

void stored_note_device(struct printed *printed, const hn_model *model, hn_layer_options options) {
    struct ir_module ir, near;
    struct plan *plan;
    hn_layer_options filled;
    assert_int_equal(layer_plan_create(&plan, &filled, model, &options, NULL), HN_OK);
    assert_int_equal(ir_create(&ir, plan, true, NULL), HN_OK);
    assert_int_equal(ir_create_assumed(&near, plan, true, NULL), HN_OK);
    if (ir.solves && !ir.loops && ir.entry[KERNEL_STEP_BEGIN].count > 0) {
        note_rounds(printed, &ir, &near, false);
        note_rounds(printed, &ir, &near, true);
    }
    ir_release(&near);
    ir_release(&ir);
    plan_destroy(plan);
}
