/* test_dense_row.c - one row over thousands of outputs beside short ones: a layer takes memory for the side that it solves on, not
 * for the other one, whose matrix would be full. Nor where an output stands in thousands of rows, too, and both would be.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/model_check.h"
#include "support/random_problem.h"
#include "support/run_layer.h"

#include <sys/resource.h>

enum { WIDE = 6000, MOST_MEGABYTES = 80 }; /* half of the full matrix has 18 million places */

/* sum y = 1 and y_j + y_j+1 <= 1 for every other j, or <= 1 + t with an output t. */
static hn_model *wide_model(bool common) {
    hn_model *m = model_new();
    hn_expr *y = calloc(WIDE, sizeof *y);
    char name[32];
    hn_expr t = common ? hn_output(m, "t") : hn_constant(m, 0);
    for (int j = 0; j < WIDE; j++) {
        snprintf(name, sizeof name, "y[%d]", j);
        y[j] = hn_output(m, name);
    }
    for (int j = 0; j + 1 < WIDE; j += 2) {
        snprintf(name, sizeof name, "pair[%d]", j);
        hn_expr pair = hn_add(y[j], y[j + 1]);
        hn_constrain(m, name, -INFINITY, common ? hn_sub(pair, t) : pair, 1);
    }
    hn_constrain(m, "sum", 1, hn_sum(m, WIDE, y), 1);
    free(y);
    model_finish_good(m);
    return m;
}

static double megabytes(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

static void check_wide(bool common) {
    hn_model *m = wide_model(common);
    double before = megabytes(), *raw = calloc(WIDE + 1, sizeof *raw);
    for (int j = 0; j < WIDE; j++)
        raw[j] = sin(j);
    for (int method = 0; method < HN_METHOD_OPTIMAL; method++) { /* which needs an objective */
        hn_layer *layer = layer_of(m, layer_method((hn_method)method));
        struct layer_results r = results_of(layer, 1);
        assert_int_equal(hn_layer_info_of(layer).factor_added, common);
        hn_batch batch = batch_into(&r, NULL, raw);
        batch.tape = NULL; /* 500 steps of 6000 numbers */
        layer_run(layer, &batch);
        assert_int_equal(r.reports[0].outcome == HN_OUTCOME_OK, judged_violation(m, NULL, r.y, false, NULL) <= 1e-8);
        if (method == HN_METHOD_AUTO)
            assert_int_equal(r.reports[0].outcome, HN_OUTCOME_OK);
        results_release(&r);
        hn_layer_destroy(layer);
    }
    print_message("%.0f MB more than the model\n", megabytes() - before);
    if (HN_TEST_SHARE == 1)
        assert_true(megabytes() - before < MOST_MEGABYTES);
    free(raw);
    hn_model_destroy(m);
}

TEST(a_layer_with_one_long_row_is_small) {
    check_wide(false);
}

TEST(a_layer_with_a_long_row_and_an_output_in_all_rows_is_small) {
    check_wide(true);
}
