/* test_pattern_memory.c - a row over all outputs, or an output in all rows, fills the pattern of one side of the system. That pattern is
 * never made where the number of its products decides for the other side: memory grows with the entries, not with their square.
 *
 * SPDX-License-Identifier: MIT */
#include "linalg/damped_system.h"
#include "support/check.h"
#include "support/failing.h"

enum { ENTRIES = 1000, MOST_BYTES_EACH = 100 };

static void check_memory(size_t rows, size_t columns) {
    static size_t first[ENTRIES + 1];
    static uint32_t column[ENTRIES], offset[ENTRIES];
    for (size_t e = 0; e < ENTRIES; e++) {
        first[e + 1] = rows == 1 ? ENTRIES : e + 1;
        column[e] = rows == 1 ? (uint32_t)e : 0;
        offset[e] = (uint32_t)e;
    }
    const struct damped_request request = {.matrix = {rows, columns, 1, first, column, offset, NULL},
                                           .fixed_shift = NAN,
                                           .shift = ENTRIES,
                                           .shift_uniform = 2 * ENTRIES,
                                           .storage = 2 * ENTRIES + 1};
    struct damped system;
    memory_fail_never();
    assert_int_equal(damped_create(&system, &request, NULL), HN_OK);
    assert_int_equal(system.outputs_side, rows > 1);
    assert_int_equal(system.order, 1);
    assert_true(memory_largest_block() <= (size_t)MOST_BYTES_EACH * ENTRIES);
    damped_release(&system);
    assert_int_equal(memory_live_blocks(), 0);
}

TEST(a_row_over_all_outputs_takes_memory_by_its_entries) {
    check_memory(1, ENTRIES);
}

TEST(an_output_in_all_rows_takes_memory_by_its_entries) {
    check_memory(ENTRIES, 1);
}
