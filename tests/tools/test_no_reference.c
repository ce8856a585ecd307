/* test_no_reference.c - where IPOPT was not found every call says so.
 *
 * SPDX-License-Identifier: MIT */
#include "reference/reference.h"

#include "support/check.h"
#include "support/model_check.h"

TEST(every_call_says_that_ipopt_was_not_found) {
    hn_model *model = model_new();
    struct reference *reference = (struct reference *)model;
    struct reference_result result;
    hn_error error = {.status = HN_OK};
    double y = 1;
    hn_output(model, "y");
    model_finish_good(model);
    assert_null(reference_name());
    assert_int_equal(reference_defaults().iterations, 3000);
    assert_int_equal(reference_create(&reference, model, NULL, &error), HN_UNSUPPORTED);
    assert_null(reference);
    assert_contains(error.text, "IPOPT was not found when this was built");
    error = (hn_error){.status = HN_OK};
    assert_int_equal(reference_solve(NULL, NULL, NULL, &y, &result, &error), HN_UNSUPPORTED);
    assert_contains(error.text, "IPOPT was not found when this was built");
    assert_false(result.solved);
    assert_string_equal(result.status, "unsupported");
    reference_destroy(NULL);
    hn_model_destroy(model);
}
