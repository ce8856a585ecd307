/* test_tape.c - gradients from a tape that no forward run has written.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/model_check.h"
#include "support/run_layer.h"

#include "base/random.h"
#include "core/sample.h"

enum { COUNT = 20 };

/* A disc that y is corrected onto, for an input. */
static hn_model *disc(void) {
    return model_of_text("param radius; var a; var b; disc: a*a + b*b <= radius;");
}

/* Runs forward, replaces the tape by this byte (random ones for -1), runs back. */
static void pull(const hn_layer *layer, int byte, uint64_t seed) {
    double x[COUNT], raw[2 * COUNT];
    for (size_t i = 0; i < COUNT; i++)
        x[i] = 1, raw[2 * i] = 0.1 * (double)i, raw[2 * i + 1] = 1;
    struct layer_results r = run_and_pull(layer, COUNT, x, raw, raw);
    struct random random = random_start(seed, 0);
    unsigned char *tape = r.tape;
    for (size_t i = 0; i < hn_layer_tape_bytes(layer, COUNT); i++)
        tape[i] = (unsigned char)(byte >= 0 ? (unsigned)byte : random_bits(&random) & 255);
    hn_batch batch = batch_into(&r, x, raw);
    hn_gradient gradient = gradient_into(&r, raw);
    layer_pull(layer, &batch, &gradient);
    bool flags_more = hn_layer_options_of(layer).method == HN_METHOD_NEAREST; /* samples that are not certified */
    for (size_t i = 0; i < 2 * (size_t)COUNT; i++)
        assert_true(isfinite(r.grad_y_raw[i]) && (flags_more || !r.flagged[i / 2] || r.grad_y_raw[i] == 0));
    for (size_t i = 0; i < COUNT; i++)
        assert_true(byte <= 0 || r.flagged[i]);
    results_release(&r);
}

TEST(a_tape_of_other_bytes_is_flagged_and_never_followed) {
    hn_model *model = disc();
    for (int method = 0; method < HN_METHOD_OPTIMAL; method++) { /* which needs an objective */
        hn_layer *layer = layer_of(model, layer_method((hn_method)method));
        for (int byte = 0; byte < 256; byte += 51)
            pull(layer, byte, 1);
        for (uint64_t seed = 1; seed < 20; seed++)
            pull(layer, -1, seed);
        hn_layer_destroy(layer);
    }
    hn_model_destroy(model);
}

/* A whole way has steps for which there is room, and begins at an attempt that was recorded; a fallback has no steps at all. */
TEST(heads_that_no_run_can_have_written_are_ways_without_gradient) {
    for (int32_t way = -1; way < 5; way++)
        for (int32_t steps = -1; steps < 4; steps++)
            for (int32_t attempt = -1; attempt < 3; attempt++)
                for (size_t room = 0; room < 4; room++) {
                    const struct tape_head head = {way, steps, attempt, 0};
                    struct tape_head read = tape_head_read(&head, room);
                    bool fits = steps >= 0 && steps <= (int32_t)room && attempt >= 0 && (room > 0 || attempt == 0);
                    bool written = way == TAPE_WHOLE ? fits : way == TAPE_FALLBACK && steps == 0 && attempt == 0;
                    assert_int_equal(read.way, written ? way : TAPE_TOO_LONG);
                    assert_int_equal(read.steps, written ? steps : 0);
                    assert_int_equal(read.attempt, written ? attempt : 0);
                }
}
