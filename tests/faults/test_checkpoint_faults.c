/* test_checkpoint_faults.c - every allocation and every system call behind a checkpoint fails in turn.
 *
 * A save that fails leaves the old checkpoint, whole; only when the folder cannot be synced, the last step, is the new one
 * already there. A load that fails changes nothing.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/failing_memory.h"
#include "support/failing_system.h"
#include "support/scratch.h"

#include "hardnet/checkpoint.h"

#include <errno.h>
#include <string.h>

enum { COUNT = 40, PIECE = 97 };

static const hn_metadata text = {"--seed", "1"};
static struct scratch scratch;
static const char *path;
static double numbers[COUNT];

static hn_checkpoint checkpoint_over(hn_checkpoint_part *part) {
    *part = (hn_checkpoint_part){"weights", numbers, 1, COUNT, false, HN_CHECKPOINT_FINITE};
    return (hn_checkpoint){1, 1, &text, part};
}

static void fill(double value) {
    for (size_t i = 0; i < COUNT; i++)
        numbers[i] = value;
}

static hn_status save(double value) {
    hn_checkpoint_part part;
    hn_checkpoint checkpoint = checkpoint_over(&part);
    fill(value);
    return hn_checkpoint_save(&checkpoint, path, NULL);
}

static hn_status load(void) {
    hn_checkpoint_part part;
    hn_checkpoint checkpoint = checkpoint_over(&part);
    fill(-1);
    return hn_checkpoint_load(&checkpoint, path, NULL);
}

static int begin(void **state) {
    (void)state;
    memory_fail_never();
    system_fail_never();
    system_move_at_most(PIECE);
    scratch = scratch_create();
    path = scratch_path(&scratch, "checkpoint");
    return save(1) != HN_OK;
}

static int end(void **state) {
    (void)state;
    memory_fail_never();
    system_fail_never();
    scratch_remove(&scratch);
    return memory_live_blocks() != 0;
}

/* What is there now: 1 for the old, 2 for the new. */
static double what_is_there(void) {
    memory_fail_never();
    system_fail_never();
    assert_int_equal(load(), HN_OK);
    for (size_t i = 0; i < COUNT; i++)
        assert_true(numbers[i] == numbers[0]);
    assert_int_equal(count_entries(scratch.folder), 1);
    return numbers[0];
}

static void a_save_whose_kth_call_fails_leaves_a_whole_checkpoint(void **state) {
    (void)state;
    for (size_t k = 1;; k++) {
        system_fail_at(k, ENOSPC);
        hn_status status = save(2);
        enum system_call failed = system_failed_call();
        size_t calls = system_calls();
        bool late = (failed == CALL_SYNC && k + 1 == calls) || (failed == CALL_CLOSE && k == calls);
        assert_true(what_is_there() == (failed == CALL_NONE || late ? 2 : 1));
        if (failed == CALL_NONE)
            break;
        assert_true(status == HN_IO || late);
        assert_int_equal(save(1), HN_OK);
    }
}

static void memory_that_runs_out_changes_nothing(void **state) {
    (void)state;
    for (size_t k = 1;; k++) {
        memory_fail_at(k, false);
        hn_status status = save(2);
        if (!memory_has_failed())
            break;
        assert_int_equal(status, HN_NO_MEMORY);
        assert_true(what_is_there() == 1);
    }
    for (size_t k = 1;; k++) {
        memory_fail_at(k, false);
        hn_status status = load();
        if (!memory_has_failed())
            break;
        assert_int_equal(status, HN_NO_MEMORY);
        for (size_t i = 0; i < COUNT; i++)
            assert_true(numbers[i] == -1);
    }
}

#define WITH_FAULTS(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_FAULTS(a_save_whose_kth_call_fails_leaves_a_whole_checkpoint),
        WITH_FAULTS(memory_that_runs_out_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
