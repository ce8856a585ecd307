/* test_too_large.c - a model that memory cannot hold is refused with a sentence and the figures, before it is tried.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"

#include "base/machine.h"
#include "hardnet/layer.h"

#include <sys/resource.h>

#if defined(__SANITIZE_ADDRESS__)
#define WATCHED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define WATCHED 1
#endif
#endif
#ifndef WATCHED
#define WATCHED 0 /* a sanitizer's own memory is beyond any limit */
#endif

enum { COLUMNS = 300 };

/* A dense matrix of constraints: some MB of derivatives and their factor. */
static hn_model *dense_model(size_t rows) {
    hn_model *model = NULL;
    hn_expr y[COLUMNS];
    double *a = malloc(rows * COLUMNS * sizeof *a);
    assert_non_null(a);
    assert_int_equal(hn_model_create(&model, NULL, NULL), HN_OK);
    for (size_t j = 0; j < COLUMNS; j++) {
        char name[16];
        snprintf(name, sizeof name, "y%zu", j);
        y[j] = hn_output(model, name);
    }
    for (size_t k = 0; k < rows * COLUMNS; k++)
        a[k] = 1.0 / (double)(k + 2);
    const hn_matrix m = {.size = sizeof m, .rows = rows, .columns = COLUMNS, .values = a};
    hn_constrain_affine(model, "limit", &m, y, NULL, a);
    assert_int_equal(hn_model_finish(model, NULL), HN_OK);
    free(a);
    return model;
}

/* What a layer of the model says when the process may have no more than so many bytes. */
static hn_status create_within(const hn_model *model, rlim_t bytes, hn_error *error) {
    struct rlimit before, low;
    hn_layer *layer = NULL;
    assert_int_equal(getrlimit(RLIMIT_DATA, &before), 0);
    low = before;
    low.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_DATA, &low), 0);
    hn_status status = hn_layer_create(&layer, model, NULL, error);
    assert_int_equal(setrlimit(RLIMIT_DATA, &before), 0);
    assert_true((status == HN_OK) == (layer != NULL));
    hn_layer_destroy(layer);
    return status;
}

TEST(a_layer_says_what_it_needs_and_what_there_is) {
    hn_model *model = dense_model(1000);
    hn_error error = {.text = ""};
    if (!WATCHED) {
        assert_int_equal(create_within(model, 30 * 1000 * 1000, &error), HN_NO_MEMORY);
        assert_contains(error.text, "the layer: 300 outputs under 1000 rows with 300000 derivatives");
        assert_contains(error.text, " needs about ");
        assert_contains(error.text, " MB, but only 30 MB are available");
        assert_int_equal(error.code, HN_CODE_MEMORY);
    }
    assert_int_equal(create_within(model, RLIM_INFINITY, &error), HN_OK);
    hn_model_destroy(model);
}

TEST(what_is_needed_is_held_against_the_machine) {
    hn_error error = {.text = ""};
    assert_true(machine_memory() > 1 << 20);
    assert_int_equal(machine_has((double)machine_memory(), "it", &error), HN_OK);
    assert_error(machine_has(2.0 * (double)machine_memory(), "it", &error), HN_NO_MEMORY, error, "it needs about ");
}
