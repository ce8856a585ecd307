/* test_kernel_faults.c - every system call and every allocation behind compiling a kernel fails in turn: a sentence, no file half
 * written, nothing left lying about.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/failing_memory.h"
#include "support/failing_system.h"
#include "support/scratch.h"

#include "base/memory.h"
#include "compile/kernel_cache.h"
#include "compile/run_compiler.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const int codes[] = {ENOSPC, EIO, EACCES, EMFILE, EROFS};
static struct scratch scratch;
static unsigned char bytes[3000];

static int make_folder(void **state) {
    (void)state;
    system_fail_never();
    system_move_at_most(0);
    scratch = scratch_create();
    setenv("TMPDIR", scratch.folder, 1);
    setenv("XDG_CACHE_HOME", scratch.folder, 1);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    system_fail_never();
    memory_fail_never();
    scratch_remove(&scratch);
    return 0;
}

static void check_nothing_is_left(size_t entries, size_t open_files) {
    assert_int_equal(count_entries(scratch.folder), entries);
    assert_int_equal(count_open_files(), open_files);
    assert_int_equal(memory_live_blocks(), 0);
}

/* ---- the cache's folder ---- */

static void a_folder_whose_kth_call_fails_is_an_error_by_name(void **state) {
    (void)state;
    char folder[FILE_LONGEST];
    for (size_t i = 0; i < COUNT_OF(codes); i++)
        for (size_t k = 1;; k++) {
            hn_error error = {.text = ""};
            size_t open_files = count_open_files();
            system_fail_at(k, codes[i]);
            hn_status status = cache_folder(folder, &error);
            enum system_call failed = system_failed_call();
            system_fail_never();
            bool spared = failed == CALL_NONE || failed == CALL_CLOSE || (failed == CALL_FOLDER && status == HN_OK);
            assert_int_equal(status, spared ? HN_OK : HN_IO);
            if (!spared)
                assert_contains(error.text, strerror(codes[i]));
            rmdir(scratch_path(&scratch, "hardnet"));
            check_nothing_is_left(0, open_files);
            if (failed == CALL_NONE)
                break;
        }
}

/* ---- a kernel's file ---- */

static struct kernel_identity identity(const char *model) {
    hn_layer_options options = hn_layer_defaults();
    const struct kernel_source source = {.model = model, .options = &options, .text = "x", .length = 1};
    return kernel_identify(&source);
}

static void expect_kernel(const char *path, const char *model) {
    struct kernel_identity found;
    struct file_bytes read;
    system_fail_never();
    assert_int_equal(kernel_file_read(&read, path, &found, NULL), HN_OK);
    assert_string_equal(found.model, model);
    base_release(read.data);
}

static void a_kernel_whose_write_fails_leaves_the_old_one(void **state) {
    (void)state;
    const struct file_bytes object = {bytes, sizeof bytes};
    const struct kernel_identity old = identity("old"), new = identity("new");
    char path[256];
    snprintf(path, sizeof path, "%s", scratch_path(&scratch, "kernel.so"));
    size_t open_files = count_open_files(), k = 1;
    for (;; k++) {
        assert_int_equal(kernel_file_write(path, &old, &object, 0600, NULL), HN_OK);
        system_fail_at(k, ENOSPC);
        hn_status status = kernel_file_write(path, &new, &object, 0600, NULL);
        enum system_call failed = system_failed_call();
        size_t calls = system_calls();
        bool ignored = failed == CALL_CLOSE && k == calls; /* of the folder, after which nothing can be lost */
        bool renamed =
            ignored || (failed == CALL_SYNC && k + 1 == calls); /* of the folder: only its close comes after */
        assert_int_equal(status == HN_OK, failed == CALL_NONE || ignored);
        expect_kernel(path, renamed || failed == CALL_NONE ? "new" : "old");
        check_nothing_is_left(1, open_files);
        if (failed == CALL_NONE)
            break;
    }
    assert_true(k > 8);
}

static void a_kernel_whose_read_fails_is_not_read(void **state) {
    (void)state;
    const struct file_bytes object = {bytes, sizeof bytes};
    const struct kernel_identity own = identity("own");
    char path[256];
    snprintf(path, sizeof path, "%s", scratch_path(&scratch, "kernel.so"));
    assert_int_equal(kernel_file_write(path, &own, &object, 0600, NULL), HN_OK);
    size_t open_files = count_open_files();
    for (size_t k = 1;; k++) {
        struct kernel_identity found;
        struct file_bytes read;
        system_fail_at(k, EIO);
        hn_status status = kernel_file_read(&read, path, &found, NULL);
        enum system_call failed = system_failed_call();
        bool spared = failed == CALL_NONE || failed == CALL_CLOSE || (failed == CALL_SIZE && status == HN_OK);
        assert_int_equal(status,
                         spared ? HN_OK : HN_IO); /* a file is read to its end, whatever its size was said to be */
        base_release(read.data);
        check_nothing_is_left(1, open_files);
        if (failed == CALL_NONE)
            break;
    }
    system_fail_never();
    for (size_t k = 1; k < 3; k++) {
        struct kernel_identity found;
        struct file_bytes read;
        memory_fail_at(1, k == 2);
        assert_int_equal(kernel_file_read(&read, path, &found, NULL), HN_NO_MEMORY);
        memory_fail_at(1, k == 2);
        assert_int_equal(kernel_file_write(path, &own, &object, 0600, NULL), HN_NO_MEMORY);
        memory_fail_never();
        check_nothing_is_left(1, open_files);
        expect_kernel(path, "own");
    }
}

/* ---- a compiler ---- */

/* Removing what is left over is all that may fail without a word. */
static void a_compiler_whose_kth_call_fails_gives_nothing(void **state) {
    (void)state;
    static const char script[] = "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done; echo object > \"$2\"\n";
    struct compiler compiler;
    char path[256];
    snprintf(path, sizeof path, "%s", scratch_path(&scratch, "compiler"));
    assert_int_equal(file_write(path, script, sizeof script - 1, NULL), HN_OK);
    assert_int_equal(chmod(path, 0700), 0);
    assert_int_equal(compiler_choose(&compiler, path, HN_INSTRUCTIONS_PORTABLE, NULL), HN_OK);
    size_t open_files = count_open_files(), k = 1;
    for (;; k++) {
        struct file_bytes out;
        hn_error error = {.text = ""};
        system_fail_at(k, EIO);
        hn_status status = compiler_run(&compiler, &out, "text", 4, &error);
        enum system_call failed = system_failed_call();
        bool late = status == HN_OK &&
                    (failed == CALL_REMOVE || failed == CALL_FOLDER || failed == CALL_CLOSE || failed == CALL_SIZE);
        assert_int_equal(status == HN_OK, failed == CALL_NONE || late);
        assert_int_equal(out.data != NULL, status == HN_OK);
        assert_int_equal(error.text[0] != 0, status != HN_OK);
        base_release(out.data);
        if (failed == CALL_REMOVE ||
            (failed == CALL_FOLDER && late)) /* what could not be removed is there, and nothing else */
            assert_int_equal(system("rm -r \"$TMPDIR\"/hardnet-*"), 0);
        check_nothing_is_left(1, open_files);
        if (failed == CALL_NONE)
            break;
    }
    assert_true(k > 12);
}

static void a_wait_that_fails_is_told(void **state) {
    (void)state;
    struct compiler compiler;
    hn_error error = {.text = ""};
    struct file_bytes out;
    bool waited = false;
    assert_int_equal(compiler_choose(&compiler, "true", HN_INSTRUCTIONS_PORTABLE, NULL), HN_OK);
    for (size_t k = 1; !waited; k++) {
        system_fail_at(k, ECHILD);
        assert_int_not_equal(compiler_run(&compiler, &out, "text", 4, &error), HN_OK);
        waited = system_failed_call() == CALL_WAIT;
    }
    assert_contains(error.text, "how it ended is not known");
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(a_folder_whose_kth_call_fails_is_an_error_by_name),
        IN_A_FOLDER(a_kernel_whose_write_fails_leaves_the_old_one),
        IN_A_FOLDER(a_kernel_whose_read_fails_is_not_read),
        IN_A_FOLDER(a_compiler_whose_kth_call_fails_gives_nothing),
        IN_A_FOLDER(a_wait_that_fails_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
