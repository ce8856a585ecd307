/* test_write_faults.c - every allocation of a writing fails in turn, once and for ever after: there is a status and a sentence, no
 * text, and nothing leaks.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/writing.h"
#include "support/failing_memory.h"

enum { LEAST_ALLOCATIONS = 60 };

/* Families, tables, names in backquotes, shared parts, starts, fixed columns, requirements, definitions. */
static const char *const rich =
    "param x{i in 1..3} >= -i, <= 2*i; param `a b`; param lo{1..2}; var y{i in 1..2, j in 1..2} >= lo[i], := x[j];\n"
    "var `sum` >= `a b`^2; var z{1..40}; check: x[1] < x[2]; check `c d`: x[3] > 0; fix y[1,1] := sin(x[1]); let "
    "y[1,1].start := 2;\n"
    "var d{i in 1..2} = exp(y[i,1])*y[i,2]; maximize f: sum{i in 1..40} z[i]^2 - d[1]*d[2];\n"
    "c{i in 1..2}: d[i] + sin(d[i]) <= x[i]; e: (if y[2,2] < x[1] then sqrt(`sum`) else 2) + y[1,2]^2 = 1;\n"
    "data; param lo := 1 -1 2 -2;\n";

static size_t write_with_faults(const hn_model *model, size_t live, bool for_ever) {
    for (size_t k = 1;; k++) {
        char *text;
        size_t length = 1;
        hn_error error = {.status = HN_OK, .text = ""};
        memory_fail_at(k, for_ever);
        hn_status status = hn_model_write(model, &text, &length, &error);
        bool failed = memory_has_failed();
        memory_fail_never();
        if (status != (failed ? HN_NO_MEMORY : HN_OK) || (failed && !strstr(error.text, "out of memory")))
            fail_msg("allocation %zu: %s", k, error.text);
        assert_true((text != NULL) == !failed);
        assert_true((length > 0) == !failed);
        hn_text_release(text);
        assert_int_equal(memory_live_blocks(), live);
        if (!failed)
            return k - 1;
    }
}

TEST(a_writing_whose_memory_fails_is_told_and_nothing_leaks) {
    hn_model *model = must_read(rich);
    size_t live = memory_live_blocks();
    assert_true(write_with_faults(model, live, false) > LEAST_ALLOCATIONS);
    assert_true(write_with_faults(model, live, true) > LEAST_ALLOCATIONS);
    hn_model_destroy(model);
    assert_int_equal(memory_live_blocks(), 0);
}
