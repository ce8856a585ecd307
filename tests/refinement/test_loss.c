/* test_loss.c - the objective by itself against the objective beside residuals and gradients.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"

#include "base/random.h"
#include "hardnet/read.h"
#include "refinement/loss.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 21 };

static double *draw(struct random *random, size_t count) {
    double *values = malloc((count + 1) * sizeof *values);
    assert_non_null(values);
    for (size_t i = 0; i < count; i++)
        values[i] = random_normal(random);
    return values;
}

static void check_model(const char *path) {
    hn_model *model;
    struct loss loss;
    struct random random = random_start(5, 0);
    double alone[SAMPLES], beside[SAMPLES], residual[SAMPLES];
    assert_int_equal(hn_model_read(&model, 1, &path, NULL, NULL), HN_OK);
    assert_int_equal(loss_create(&loss, model, NULL), HN_OK);
    double *x = draw(&random, SAMPLES * loss.inputs), *y = draw(&random, SAMPLES * loss.outputs);
    double *memory = aligned_alloc(64, (loss.bytes + 63) / 64 * 64);
    assert_non_null(memory);
    loss_begin(&loss, memory);
    loss_run(&loss, memory, &(struct loss_batch){SAMPLES, x, y, NULL, beside, residual}, (struct loss_weights){0, 0});
    loss_run(&loss, memory, &(struct loss_batch){SAMPLES, x, y, NULL, alone, NULL}, (struct loss_weights){0, 0});
    assert_memory_equal(alone, beside, sizeof alone);
    free(memory);
    free(x);
    free(y);
    loss_release(&loss);
    hn_model_destroy(model);
}

static void an_objective_has_the_same_bits_by_itself(void **state) {
    (void)state;
    static const char *const models[] = {"models/unicycle.mod", "models/pooling.mod", "models/tasks/arm.mod",
                                         "models/tasks/opf5.mod", "models/tasks/portfolio.mod"};
    for (size_t i = 0; i < COUNT_OF(models); i++)
        check_model(models[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_objective_has_the_same_bits_by_itself)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
