/* test_file_faults.c - every system call behind a write and a read fails in turn.
 *
 * A write that fails leaves the old file, no temporary file and no open descriptor. Only the last step, making the rename
 * itself safe from a power cut, comes too late for that: then the new file is there, whole. Short and interrupted
 * transfers are no failures.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/failing.h"
#include "support/scratch.h"

#include "base/file.h"
#include "base/memory.h"
#include "hardnet/arrays.h"

#include <errno.h>

enum { PIECE = 7 }; /* bytes of one transfer: a file takes several */

static const char old_text[] = "what was there before, in several pieces";
static const char new_text[] = "what is written now, somewhat longer and in several pieces too";
static const int codes[] = {ENOSPC, EIO, EACCES, EMFILE, EDQUOT, EROFS};

static struct scratch scratch;
static const char *path;

FIXTURE(make_folder) {
    scratch = scratch_create();
    path = scratch_path(&scratch, "file");
    system_fail_never();
    system_move_at_most(PIECE);
    return file_write(path, old_text, sizeof old_text, NULL) != HN_OK;
}

/* On a file system that knows no files without a name. */
static int make_plain_folder(void **state) {
    system_forbid_unnamed(true);
    return make_folder(state);
}

FIXTURE(remove_folder) {
    system_fail_never();
    system_forbid_unnamed(false);
    scratch_remove(&scratch);
    return 0;
}

/* Read without faults. */
static void check_file_is(const char *text, size_t bytes) {
    struct file_bytes read;
    system_fail_never();
    assert_int_equal(file_read(&read, path, SIZE_MAX, NULL), HN_OK);
    assert_int_equal(read.count, bytes);
    assert_memory_equal(read.data, text, bytes);
    base_release(read.data);
}

static void check_nothing_is_left(size_t open_files) {
    assert_int_equal(count_entries(scratch.folder), 1);
    assert_int_equal(count_open_files(), open_files);
    assert_int_equal(memory_live_blocks(), 0);
}

/* Writes with call k failing; false when there is no call k. */
static bool write_fails_at(size_t k, int code) {
    size_t open_files = count_open_files();
    hn_error error = {.status = HN_OK};
    system_fail_at(k, code);
    hn_status status = file_write(path, new_text, sizeof new_text, &error);
    enum system_call failed = system_failed_call();
    size_t calls = system_calls();
    if (failed == CALL_NONE) {
        assert_int_equal(status, HN_OK);
        check_file_is(new_text, sizeof new_text);
        return false;
    }
    bool renamed = failed == CALL_SYNC && k + 1 == calls; /* the folder: only its close comes after */
    bool ignored = failed == CALL_CLOSE && k == calls;    /* of the folder, after which nothing can be lost */
    assert_int_equal(status, ignored ? HN_OK : HN_IO);
    assert_int_equal(error.status, status);
    if (!ignored) {
        assert_contains(error.text, "/file: cannot ");
        assert_contains(error.text, strerror(code));
    }
    if (renamed || ignored)
        check_file_is(new_text, sizeof new_text);
    else
        check_file_is(old_text, sizeof old_text);
    check_nothing_is_left(open_files);
    return true;
}

TEST_AROUND(a_write_whose_kth_call_fails_keeps_the_old_file, make_folder, remove_folder) {
    for (size_t i = 0; i < COUNT_OF(codes); i++) {
        size_t k = 1;
        for (; write_fails_at(k, codes[i]); k++)
            assert_int_equal(file_write(path, old_text, sizeof old_text, NULL), HN_OK);
        assert_true(k > 7 + sizeof new_text / PIECE);
        assert_int_equal(file_write(path, old_text, sizeof old_text, NULL), HN_OK);
    }
}

TEST_AROUND(a_write_whose_kth_call_fails_keeps_the_old_file_without_unnamed_files, make_plain_folder, remove_folder) {
    a_write_whose_kth_call_fails_keeps_the_old_file(state);
}

/* From some call on nothing works any more, not even removing: a name may be left, but the file is the old one, or the new one whole. */
TEST_AROUND(a_disk_that_goes_away_leaves_a_whole_file, make_folder, remove_folder) {
    size_t open_files = count_open_files(), k = 1;
    for (;; k++) {
        system_fail_from(k, EIO);
        hn_status status = file_write(path, new_text, sizeof new_text, NULL);
        enum system_call failed = system_failed_call();
        struct file_bytes read;
        system_fail_never();
        assert_int_equal(file_read(&read, path, SIZE_MAX, NULL), HN_OK);
        bool is_new = read.count == sizeof new_text && memcmp(read.data, new_text, read.count) == 0;
        bool is_old = read.count == sizeof old_text && memcmp(read.data, old_text, read.count) == 0;
        base_release(read.data);
        assert_true(is_new || (is_old && status == HN_IO));
        assert_int_equal(count_open_files(), open_files);
        scratch_remove_temporaries(&scratch);
        if (failed == CALL_NONE)
            break;
        assert_int_equal(file_write(path, old_text, sizeof old_text, NULL), HN_OK);
    }
    assert_true(k > 7 + sizeof new_text / PIECE);
}

TEST_AROUND(a_disk_that_goes_away_leaves_a_whole_file_without_unnamed_files, make_plain_folder, remove_folder) {
    a_disk_that_goes_away_leaves_a_whole_file(state);
}

TEST_AROUND(a_read_whose_kth_call_fails_gives_nothing, make_folder, remove_folder) {
    size_t open_files = count_open_files(), k = 1;
    for (;; k++) {
        struct file_bytes read;
        hn_error error = {.status = HN_OK};
        system_fail_at(k, EIO);
        hn_status status = file_read(&read, path, SIZE_MAX, &error);
        enum system_call failed = system_failed_call();
        bool harmless = failed == CALL_NONE || failed == CALL_SIZE || failed == CALL_CLOSE;
        assert_int_equal(status, harmless ? HN_OK : HN_IO);
        assert_int_equal(error.status, status);
        if (harmless) {
            assert_int_equal(read.count, sizeof old_text);
            assert_memory_equal(read.data, old_text, sizeof old_text);
            base_release(read.data);
        } else {
            assert_null(read.data);
            assert_int_equal(read.count, 0);
            assert_contains(error.text, "/file: cannot ");
        }
        check_nothing_is_left(open_files);
        if (failed == CALL_NONE)
            break;
    }
    assert_true(k > 3 + sizeof old_text / PIECE);
}

TEST_AROUND(an_interrupted_transfer_is_taken_up_again, make_folder, remove_folder) {
    for (size_t k = 1;; k++) {
        system_fail_at(k, EINTR);
        hn_status status = file_write(path, new_text, sizeof new_text, NULL);
        enum system_call failed = system_failed_call();
        if (failed == CALL_NONE)
            break;
        if (failed == CALL_WRITE) {
            assert_int_equal(status, HN_OK);
            check_file_is(new_text, sizeof new_text);
        }
        system_fail_never();
        assert_int_equal(file_write(path, old_text, sizeof old_text, NULL), HN_OK);
        struct file_bytes read;
        system_fail_at(k, EINTR);
        status = file_read(&read, path, SIZE_MAX, NULL);
        if (system_failed_call() == CALL_READ) {
            assert_int_equal(status, HN_OK);
            assert_int_equal(read.count, sizeof old_text);
            assert_memory_equal(read.data, old_text, sizeof old_text);
        }
        base_release(read.data);
    }
}

TEST_AROUND(an_interrupted_transfer_is_taken_up_again_without_unnamed_files, make_plain_folder, remove_folder) {
    an_interrupted_transfer_is_taken_up_again(state);
}

TEST_AROUND(transfers_of_any_length_move_the_whole_file, make_folder, remove_folder) {
    for (size_t piece = 1; piece < sizeof new_text + 2; piece++) {
        system_move_at_most(piece);
        assert_int_equal(file_write(path, new_text, sizeof new_text, NULL), HN_OK);
        check_file_is(new_text, sizeof new_text);
    }
}

TEST_AROUND(a_file_system_that_cannot_sync_folders_is_taken_as_it_is, make_folder, remove_folder) {
    system_fail_never();
    assert_int_equal(file_write(path, old_text, sizeof old_text, NULL), HN_OK);
    size_t calls = system_calls();
    assert_int_equal(file_write(path, old_text, sizeof old_text, NULL), HN_OK);
    system_fail_at(calls - 1, EINVAL);
    assert_int_equal(file_write(path, old_text, sizeof old_text, NULL), HN_OK);
    assert_int_equal(system_failed_call(), CALL_SYNC);
}

TEST_AROUND(an_errno_without_a_text_is_told_as_a_number, make_folder, remove_folder) {
    hn_error error;
    struct file_bytes read;
    system_fail_at(1, 99999);
    assert_error(file_read(&read, path, SIZE_MAX, &error), HN_IO, error, "99999");
}

TEST_AROUND(memory_that_runs_out_is_told_and_the_old_file_kept, make_folder, remove_folder) {
    for (int for_ever = 0; for_ever < 2; for_ever++) {
        hn_error error;
        struct file_bytes read;
        size_t open_files = count_open_files();
        memory_fail_at(1, for_ever);
        assert_error(file_write(path, new_text, sizeof new_text, &error), HN_NO_MEMORY, error, "/file: out of memory");
        memory_fail_at(1, for_ever);
        assert_int_equal(file_read(&read, path, SIZE_MAX, &error), HN_NO_MEMORY);
        assert_null(read.data);
        memory_fail_at(2, for_ever);
        system_fail_at(2, EIO); /* a size that is not known, and a device that does not end */
        system_move_at_most(0);
        assert_error(file_read(&read, "/dev/zero", SIZE_MAX, &error), HN_NO_MEMORY, error, "/dev/zero: out of memory");
        assert_null(read.data);
        memory_fail_never();
        check_file_is(old_text, sizeof old_text);
        check_nothing_is_left(open_files);
    }
}

/* ---- rows of an array ---- */

/* With call k failing: an error, or the right numbers. False when there is no call k. */
static bool rows_fail_at(size_t k, size_t *refused) {
    enum { NUMBERS = 12 };
    double numbers[NUMBERS], found[NUMBERS] = {0};
    hn_array_rows *rows;
    size_t open_files = count_open_files();
    hn_error error = {.status = HN_OK};
    for (size_t i = 0; i < NUMBERS; i++)
        numbers[i] = (double)i - 3;
    system_fail_never();
    if (k == 1)
        assert_int_equal(hn_array_write(path, 4, 3, numbers, NULL), HN_OK);
    system_fail_at(k, k % 2 ? EIO : EINTR);
    hn_status status = hn_array_rows_open(&rows, path, &error);
    if (status == HN_OK)
        status = hn_array_rows_read(rows, 0, 4, found, &error);
    bool failed = system_failed_call() != CALL_NONE;
    system_fail_never();
    assert_int_equal(status, error.status);
    if (status == HN_OK)
        assert_memory_equal(found, numbers, sizeof numbers);
    *refused += status != HN_OK;
    hn_array_rows_close(rows);
    check_nothing_is_left(open_files);
    return failed;
}

TEST_AROUND(rows_whose_kth_call_fails_are_right_or_refused, make_folder, remove_folder) {
    size_t k = 1, refused = 0;
    while (rows_fail_at(k, &refused))
        k++;
    assert_true(k > 10 && refused > 3);
}
