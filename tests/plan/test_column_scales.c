/* test_column_scales.c - the scales of outputs in the elastic stage: small enough for the Jacobian of every iterate and of every trial,
 * rejected ones included, and no wider again while the stage lasts.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/run_layer.h"

#include "base/random.h"
#include "core/point_elastic.h"
#include "hardnet/read.h"
#include "layer/driver.h"

enum { OUTPUTS = 3, TRIALS = 20 };

static const char text[] = "var a; var b >= -2, <= 5; var c;\n"
                           "s.t. product: a*b*c >= 1; s.t. power: exp(a) + exp(b) <= 9; s.t. ring: a^2 + c^2 = 4;";

static hn_layer *layer_of_text(void) {
    hn_model *model;
    hn_error error;
    const hn_text file = {"scales.mod", text, sizeof text - 1};
    if (hn_model_read_memory(&model, 1, &file, NULL, &error) != HN_OK)
        fail_msg("%s", error.text);
    hn_layer *layer = layer_of(model, layer_method(HN_METHOD_AUTO));
    hn_model_destroy(model);
    return layer;
}

/* Numbers of about this size for everything that a programme reads. */
static void draw(const struct point *p, struct random *random, double size) {
    const struct plan *plan = p->plan;
    for (uint32_t i = 0; i < plan->rows; i++) {
        *point_at(p, plan->scale + i) = ldexp(1, (int)random_below(random, 4));
        *point_at(p, plan_words(plan, plan->value)[i]) = random_normal(random);
    }
    for (uint32_t e = 0; e < plan->entries; e++)
        *point_at(p, plan_words(plan, plan->jacobian.slot)[e]) = size * random_normal(random);
}

/* The largest |W J| of each output. */
static void note_largest(const struct point *p, double *largest) {
    const struct plan *plan = p->plan;
    const uint32_t *first = plan_words(plan, plan->jacobian.first), *column = plan_words(plan, plan->jacobian.column);
    for (uint32_t i = 0; i < plan->rows; i++)
        for (uint32_t e = first[i]; e < first[i + 1]; e++) {
            double j = *point_at(p, plan_words(plan, plan->jacobian.slot)[e]);
            largest[column[e]] = fmax(largest[column[e]], fabs(*point_at(p, plan->scale + i) * j));
        }
}

static void assert_scaled(const struct point *p, const double *largest) {
    for (uint32_t j = 0; j < OUTPUTS; j++) {
        double scale = *point_at(p, p->plan->column_scale + j);
        int exponent;
        assert_true(frexp(scale, &exponent) == 0.5);
        assert_true(scale * largest[j] >= 0.5 && scale * largest[j] < 2);
    }
}

TEST(scales_follow_iterates_and_rejected_trials) {
    hn_layer *layer = layer_of_text();
    struct random random = random_start(31, 0);
    const struct point point = {layer->plan, calloc(layer->plan->slots, sizeof(double)), 1};
    assert_int_equal(layer->plan->outputs, OUTPUTS);
    for (int stage = 0; stage < TRIALS; stage++) {
        struct sample s = {.phase = PHASE_ELASTIC, .eps = 1, .squares = 1};
        double largest[OUTPUTS] = {0};
        for (int trial = 0; trial < TRIALS; trial++) {
            bool rejected = trial > 0 && random_below(&random, 2) != 0;
            draw(&point, &random, ldexp(1, (int)random_below(&random, 12) - 6));
            note_largest(&point, largest);
            s.phase = rejected ? PHASE_ELASTIC_END : PHASE_ELASTIC;
            s.qp.solves = rejected ? 3 : 0;
            s.elastic = trial;
            point_elastic_qp_prepare(&point, &s);
            assert_scaled(&point, largest);
        }
    }
    free(point.slots);
    hn_layer_destroy(layer);
}
