/* test_network_faults.c - every allocation and every system call behind the files of networks and checkpoints fails in turn.
 *
 * A save that fails leaves the old file, whole, no temporary file and no open descriptor; only when the folder cannot
 * be synced, the last step, is the new one already there. A load that fails gives no network, and changes no numbers of a
 * checkpoint. Running a network makes no allocation, and loading opens one file.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/failing.h"
#include "support/scratch.h"

#include "base/error.h"
#include "base/memory.h"
#include "hardnet/checkpoint.h"
#include "nn/network_parts.h"

#include <errno.h>

enum { PIECE = 97 }; /* bytes of one transfer: a file takes several */

static const int codes[] = {ENOSPC, EIO, EACCES, EMFILE, EDQUOT, EROFS};
static const hn_metadata text = {"note", "a text that travels along"};

static struct scratch scratch;
static const char *path;
static hn_network *networks[2]; /* the old and the new */

static hn_network *make(uint64_t seed) {
    hn_network_options options = {.inputs = 3, .outputs = 2, .hidden_count = 1, .hidden = {8}, .seed = seed};
    hn_network *network;
    assert_int_equal(hn_network_create(&network, &options, NULL), HN_OK);
    return network;
}

/* What is stored: a network, or the numbers of a checkpoint. */
static bool checkpoints;
static double numbers[40];

static void fill(double value) {
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        numbers[i] = value;
}

static hn_status save_or_load(bool loads, hn_error *error) {
    hn_checkpoint_part part = {"weights", numbers, 1, COUNT_OF(numbers), false, HN_CHECKPOINT_FINITE};
    const hn_checkpoint checkpoint = {1, 1, &text, &part};
    return loads ? hn_checkpoint_load(&checkpoint, path, error) : hn_checkpoint_save(&checkpoint, path, error);
}

static hn_status try_save(int which, hn_error *error) {
    fill(which);
    return checkpoints ? save_or_load(false, error) : hn_network_save(networks[which], path, 1, &text, error);
}

static void save(int which) {
    system_fail_never();
    assert_int_equal(try_save(which, NULL), HN_OK);
}

FIXTURE(begin) {
    memory_fail_never();
    system_fail_never();
    system_move_at_most(PIECE);
    scratch = scratch_create();
    path = scratch_path(&scratch, "net");
    networks[0] = make(1);
    networks[1] = make(2);
    save(0);
    return 0;
}

static int begin_checkpoints(void **state) {
    checkpoints = true;
    return begin(state);
}

FIXTURE(end) {
    memory_fail_never();
    system_fail_never();
    hn_network_destroy(networks[0]);
    hn_network_destroy(networks[1]);
    scratch_remove(&scratch);
    checkpoints = false;
    return memory_live_blocks() != 0;
}

/* Loaded without faults: 0 for the old one, 1 for the new. */
static void check_file_is(int which) {
    hn_network *network;
    memory_fail_never();
    system_fail_never();
    if (checkpoints) {
        fill(-1);
        assert_int_equal(save_or_load(true, NULL), HN_OK);
        for (size_t i = 0; i < COUNT_OF(numbers); i++)
            assert_true(numbers[i] == which);
        return;
    }
    assert_int_equal(hn_network_load(&network, path, NULL), HN_OK);
    assert_memory_equal(hn_network_parameters(network), hn_network_parameters(networks[which]),
                        hn_network_parameter_count(network) * sizeof(double));
    assert_string_equal(hn_network_metadata(network, "note"), text.value);
    hn_network_destroy(network);
}

static void check_nothing_is_left(size_t open_files) {
    assert_int_equal(count_entries(scratch.folder), 1);
    assert_int_equal(count_open_files(), open_files);
    assert_int_equal(memory_live_blocks(), 2);
}

/* Saves with call k failing; false when there is no call k. */
static bool save_fails_at(size_t k, int code) {
    size_t open_files = count_open_files();
    hn_error error = {.status = HN_OK};
    system_fail_at(k, code);
    hn_status status = try_save(1, &error);
    enum system_call failed = system_failed_call();
    size_t calls = system_calls();
    if (failed == CALL_NONE) {
        assert_int_equal(status, HN_OK);
        check_file_is(1);
        return false;
    }
    bool renamed = failed == CALL_SYNC && k + 1 == calls; /* the folder: only its close comes after */
    bool ignored = failed == CALL_CLOSE && k == calls;    /* of the folder, after which nothing can be lost */
    assert_int_equal(status, ignored ? HN_OK : HN_IO);
    assert_int_equal(error.status, status);
    if (!ignored) {
        assert_contains(error.text, "/net: cannot ");
        assert_contains(error.text, strerror(code));
    }
    check_file_is(renamed || ignored);
    check_nothing_is_left(open_files);
    return true;
}

TEST_AROUND(a_save_whose_kth_call_fails_keeps_the_old_file, begin, end) {
    for (size_t i = 0; i < COUNT_OF(codes); i++) {
        size_t k = 1;
        for (; save_fails_at(k, codes[i]); k++)
            save(0);
        assert_true(k > 15);
        save(0);
    }
}

TEST_AROUND(a_save_whose_kth_call_fails_keeps_the_old_checkpoint, begin_checkpoints, end) {
    a_save_whose_kth_call_fails_keeps_the_old_file(state);
}

TEST_AROUND(a_load_whose_kth_call_fails_gives_no_network, begin, end) {
    size_t open_files = count_open_files(), k = 1;
    for (bool more = true; more; k++) {
        hn_network *network = networks[0];
        hn_error error = {.status = HN_OK};
        system_fail_at(k, EIO);
        hn_status status = hn_network_load(&network, path, &error);
        enum system_call failed = system_failed_call();
        bool harmless = failed == CALL_NONE || failed == CALL_SIZE || failed == CALL_CLOSE;
        assert_int_equal(status, harmless ? HN_OK : HN_IO);
        assert_int_equal(network != NULL, harmless);
        assert_int_equal(error.status, status);
        hn_network_destroy(network);
        check_nothing_is_left(open_files);
        more = failed != CALL_NONE;
    }
    assert_true(k > 10);
}

TEST_AROUND(interrupted_and_short_transfers_are_no_failures, begin, end) {
    for (size_t piece = 1; piece < 3000; piece = piece * 3 + 1) {
        system_move_at_most(piece);
        save(1);
        check_file_is(1);
        save(0);
    }
    system_move_at_most(PIECE);
    for (size_t k = 1;; k++) {
        system_fail_at(k, EINTR);
        hn_status status = hn_network_save(networks[1], path, 1, &text, NULL);
        enum system_call failed = system_failed_call();
        if (failed == CALL_NONE)
            break;
        if (failed == CALL_WRITE) {
            assert_int_equal(status, HN_OK);
            check_file_is(1);
        }
        save(0);
    }
}

TEST_AROUND(a_load_opens_one_file_and_reads_it, begin, end) {
    hn_network *network;
    system_move_at_most(0);
    system_fail_never();
    assert_int_equal(hn_network_load(&network, path, NULL), HN_OK);
    assert_int_equal(system_calls(), 5); /* open, size, read, read on to the end, close */
    hn_network_destroy(network);
}

/* ---- memory ---- */

static hn_status create_and_prepare(hn_error *error) {
    hn_network_options options = {.inputs = 3, .outputs = 2, .hidden_count = 2, .hidden = {8, 9}};
    hn_network *network = networks[0];
    hn_status status = hn_network_create(&network, &options, error);
    if (status != HN_OK) {
        assert_null(network);
        return status;
    }
    struct perceptron_memory memory = perceptron_memory_of(network, 10);
    void *block = layout_allocate(perceptron_place_training, &memory);
    status = block ? HN_OK : error_no_memory(error, "a pass");
    base_release(block);
    hn_network_destroy(network);
    return status;
}

static hn_status load_and_destroy(hn_error *error) {
    hn_network *network = networks[0];
    hn_status status = hn_network_load(&network, path, error);
    assert_int_equal(network == NULL, status != HN_OK);
    hn_network_destroy(network);
    return status;
}

static hn_status save_new(hn_error *error) {
    return try_save(1, error);
}

static hn_status load_numbers(hn_error *error) {
    fill(-1);
    hn_status status = save_or_load(true, error);
    for (size_t i = 0; i < COUNT_OF(numbers) && status != HN_OK; i++)
        assert_true(numbers[i] == -1);
    return status;
}

static void check_memory_faults(hn_status (*work)(hn_error *), size_t least) {
    for (int for_ever = 0; for_ever < 2; for_ever++) {
        size_t k = 1;
        for (;; k++) {
            hn_error error = {.status = HN_OK, .text = ""};
            memory_fail_at(k, for_ever);
            hn_status status = work(&error);
            bool failed = memory_has_failed();
            memory_fail_never();
            assert_int_equal(status, failed ? HN_NO_MEMORY : HN_OK);
            assert_int_equal(error.status, status);
            assert_int_equal(memory_live_blocks(), 2);
            if (!failed)
                break;
            assert_contains(error.text, "out of memory");
            check_file_is(0);
        }
        assert_true(k > least);
        save(0);
    }
}

TEST_AROUND(memory_that_runs_out_is_told, begin, end) {
    check_memory_faults(create_and_prepare, 2);
    check_memory_faults(load_and_destroy, 3);
    check_memory_faults(save_new, 2);
}

TEST_AROUND(memory_that_runs_out_changes_no_checkpoint, begin_checkpoints, end) {
    check_memory_faults(load_numbers, 1);
    check_memory_faults(save_new, 1);
}

TEST_AROUND(running_makes_no_allocation, begin, end) {
    enum { COUNT = 130 };
    double x[COUNT * 3] = {1}, y[COUNT * 2];
    double *gradient = calloc(hn_network_parameter_count(networks[0]), sizeof *gradient);
    size_t bytes = hn_network_workspace_bytes(networks[0]);
    void *workspace = malloc(bytes);
    struct perceptron_memory memory = perceptron_memory_of(networks[0], COUNT);
    void *block = layout_allocate(perceptron_place_training, &memory);
    assert_non_null(block);
    memory_fail_at(1, true);
    assert_int_equal(hn_network_run(networks[0], COUNT, x, y, workspace, bytes, NULL), HN_OK);
    perceptron_forward(&memory, COUNT, x, y);
    perceptron_backward(&memory, COUNT, y, gradient);
    assert_int_equal(memory_allocations(), 0);
    memory_fail_never();
    base_release(block);
    free(workspace);
    free(gradient);
}
