/* stored_texts_device.c - see stored_texts.h.
 *
 * SPDX-License-Identifier: MIT */
#include "stored_texts.h"

#include "support/check.h"

#include "cuda/device_plan.h"
#include "cuda/print_iteration.h"

enum { TASK = 59 };

static void note_rounds(struct printed *printed, const struct walk *walk, const struct walk *near, bool single) {
    struct text text = {.bytes = NULL};
    struct round_room room = {.single = single, .task = single ? 0 : TASK}, back = {.single = single};
    assert_true(round_print_once(&text, walk, single));
    assert_true(round_print(&text, walk, near, &room));
    assert_true(round_print_back(&text, walk, near, &back));
    assert_false(text.failed);
    stored_note_text(printed, text.bytes, text.length);
    digest_add_size(&printed->digest, room.near);
    digest_add_size(&printed->digest, back.near);
    text_drop(&text);
}

void stored_note_device(struct printed *printed, const hn_model *model, hn_layer_options options) {
    struct walk walk, near;
    struct plan *plan;
    hn_layer_options filled;
    assert_int_equal(device_plan(&plan, &filled, model, &options, NULL), HN_OK);
    assert_int_equal(walk_create(&walk, plan, true, NULL), HN_OK);
    assert_int_equal(walk_create_assumed(&near, plan, true, NULL), HN_OK);
    if (walk.solves && !walk.loops && walk.entry[KERNEL_STEP_BEGIN].count > 0) {
        note_rounds(printed, &walk, &near, false);
        note_rounds(printed, &walk, &near, true);
    }
    walk_release(&near);
    walk_release(&walk);
    plan_destroy(plan);
}
