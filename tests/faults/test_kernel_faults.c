/* test_kernel_faults.c - every system call and every allocation behind compiling a kernel fails in turn: a sentence, no file half
 * written, nothing left lying about.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/failing.h"
#include "support/model_check.h"
#include "support/scratch.h"

#include "base/memory.h"
#include "codegen/kernel/kernel_file.h"
#include "codegen/kernel/run_compiler.h"
#include "hardnet/kernel.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

static const int codes[] = {ENOSPC, EIO, EACCES, EMFILE, EROFS};
static struct scratch scratch;
static unsigned char bytes[3000];
static const struct compiler_watch patient = {.seconds = 600};

FIXTURE(make_folder) {
    system_fail_never();
    system_move_at_most(0);
    scratch = scratch_create();
    setenv("TMPDIR", scratch.folder, 1);
    setenv("XDG_CACHE_HOME", scratch.folder, 1);
    return 0;
}

FIXTURE(remove_folder) {
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

TEST_AROUND(a_folder_whose_kth_call_fails_is_an_error_by_name, make_folder, remove_folder) {
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

TEST_AROUND(a_kernel_whose_write_fails_leaves_the_old_one, make_folder, remove_folder) {
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

TEST_AROUND(a_kernel_whose_read_fails_is_not_read, make_folder, remove_folder) {
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
TEST_AROUND(a_compiler_whose_kth_call_fails_gives_nothing, make_folder, remove_folder) {
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
        hn_status status = compiler_run(&compiler, &patient, &out, "text", 4, &error);
        enum system_call failed = system_failed_call();
        bool late = status == HN_OK && (failed == CALL_REMOVE || failed == CALL_FOLDER || failed == CALL_CLOSE ||
                                        failed == CALL_SIZE || failed == CALL_OPEN_FOLDER);
        assert_int_equal(status == HN_OK, failed == CALL_NONE || late);
        assert_int_equal(out.data != NULL, status == HN_OK);
        assert_int_equal(error.text[0] != 0, status != HN_OK);
        base_release(out.data);
        if (failed == CALL_REMOVE ||
            (failed == CALL_FOLDER && late)) /* what could not be removed is there, and nothing else */
            assert_int_equal(system("rm -rf \"$TMPDIR\"/hardnet-*"), 0);
        check_nothing_is_left(1, open_files);
        if (failed == CALL_NONE)
            break;
    }
    assert_true(k > 12);
}

TEST_AROUND(a_wait_that_fails_is_told, make_folder, remove_folder) {
    struct compiler compiler;
    hn_error error = {.text = ""};
    struct file_bytes out;
    bool waited = false;
    assert_int_equal(compiler_choose(&compiler, "true", HN_INSTRUCTIONS_PORTABLE, NULL), HN_OK);
    for (size_t k = 1; !waited; k++) {
        system_fail_at(k, ECHILD);
        assert_int_not_equal(compiler_run(&compiler, &patient, &out, "text", 4, &error), HN_OK);
        waited = system_failed_call() == CALL_WAIT;
    }
    assert_contains(error.text, "how it ended is not known");
}

/* ---- all of it ---- */

static hn_model *small_model(void) {
    return model_of_text("var a; var b; disc: 0 <= a*a + b*b <= 1;");
}

/* A compiler that is `cc` the first time, and then copies what came of that. */
static void write_copier(char *path, size_t size) {
    char text[512];
    snprintf(path, size, "%s/copier", scratch.folder);
    int length = snprintf(text, sizeof text,
                          "#!/bin/sh\nkept=%s/kept\n[ -e $kept ] || cc \"$@\" || exit 1\n"
                          "while [ \"$1\" != -o ]; do shift; done\n"
                          "if [ -e $kept ]; then cp $kept \"$2\"; else cp \"$2\" $kept; fi\n",
                          scratch.folder);
    assert_int_equal(file_write(path, text, (size_t)length, NULL), HN_OK);
    assert_int_equal(chmod(path, 0700), 0);
}

struct whole {
    hn_model *model;
    hn_kernel_options options;
    char compiler[128];
    size_t blocks; /* live before */
};

static void begin_whole(struct whole *whole) {
    hn_kernel_info info = {.size = sizeof info};
    if (system("cc --version >/dev/null 2>&1") != 0) {
        print_message("skipped: there is no C compiler\n");
        skip();
    }
    whole->model = small_model();
    whole->options = hn_kernel_defaults();
    write_copier(whole->compiler, sizeof whole->compiler);
    whole->options.compiler = whole->compiler;
    whole->blocks = memory_live_blocks();
    assert_int_equal(hn_kernel_compile(whole->model, NULL, &whole->options, &info, NULL), HN_OK);
}

/* Once more from an empty cache, and what is there then: nothing, or a whole kernel. */
static hn_status compile_anew(struct whole *whole, hn_error *error) {
    hn_kernel_info info = {.size = sizeof info};
    *error = (hn_error){.text = ""};
    hn_status status = hn_kernel_compile(whole->model, NULL, &whole->options, &info, error);
    assert_int_equal(error->text[0] != 0, status != HN_OK);
    assert_int_equal(memory_live_blocks(), whole->blocks);
    if (status == HN_OK)
        assert_int_equal(access(info.path, R_OK), 0);
    return status;
}

/* Counts what lies in the cache, which is at most one kernel, and empties it. */
static void clear_cache(void) {
    char folder[128];
    snprintf(folder, sizeof folder, "%s/hardnet", scratch.folder);
    if (access(folder, F_OK) != 0)
        return;
    assert_true(count_entries(folder) <= 1);
    assert_int_equal(system("rm -r \"$XDG_CACHE_HOME\"/hardnet"), 0);
}

TEST_AROUND(compiling_with_a_call_that_fails_leaves_nothing_behind, make_folder, remove_folder) {
    struct whole whole;
    hn_error error;
    begin_whole(&whole);
    size_t open_files = count_open_files(), k = 1;
    for (;; k++) {
        clear_cache();
        system_fail_at(k, EIO);
        hn_status status = compile_anew(&whole, &error);
        enum system_call failed = system_failed_call();
        system_fail_never();
        bool harmless = failed == CALL_REMOVE || failed == CALL_FOLDER || failed == CALL_CLOSE || failed == CALL_SIZE ||
                        failed == CALL_LOOK || failed == CALL_OPEN_FOLDER || failed == CALL_NONE;
        assert_true(status != HN_OK || harmless);
        assert_int_equal(count_open_files(), open_files);
        if (failed == CALL_NONE)
            break;
        if (status == HN_OK && (failed == CALL_REMOVE || failed == CALL_FOLDER))
            assert_int_equal(system("rm -rf \"$TMPDIR\"/hardnet-*"), 0);
        clear_cache();
        assert_int_equal(count_entries(scratch.folder), 2); /* the copier, and what it copies */
    }
    assert_true(k > 25);
    clear_cache();
    hn_model_destroy(whole.model);
}

TEST_AROUND(compiling_without_memory_is_told, make_folder, remove_folder) {
    struct whole whole;
    hn_error error;
    begin_whole(&whole);
    for (size_t k = 1;; k += 1 + k / 8) {
        clear_cache();
        memory_fail_at(k, false);
        hn_status status = compile_anew(&whole, &error);
        bool failed = memory_has_failed();
        memory_fail_never();
        if (!failed)
            break;
        assert_true(status == HN_NO_MEMORY || status == HN_OK);
    }
    clear_cache();
    hn_model_destroy(whole.model);
}

TEST_AROUND(a_layer_without_memory_for_its_kernel_is_none, make_folder, remove_folder) {
    struct whole whole;
    hn_kernel_info info = {.size = sizeof info};
    hn_layer_options options = hn_layer_defaults();
    begin_whole(&whole);
    assert_int_equal(hn_kernel_compile(whole.model, NULL, &whole.options, &info, NULL), HN_OK);
    options.kernel = info.path;
    size_t open_files = count_open_files(), k = 1;
    for (;; k += 1 + k / 16) {
        hn_layer *layer;
        memory_fail_at(k, false);
        hn_status status = hn_layer_create(&layer, whole.model, &options, NULL);
        bool failed = memory_has_failed();
        memory_fail_never();
        assert_int_equal(status, failed ? HN_NO_MEMORY : HN_OK);
        hn_layer_destroy(layer);
        assert_int_equal(memory_live_blocks(), whole.blocks);
        assert_int_equal(count_open_files(), open_files);
        if (!failed)
            break;
    }
    for (k = 1;; k++) {
        hn_layer *layer;
        system_fail_at(k, EMFILE);
        hn_status status = hn_layer_create(&layer, whole.model, &options, NULL);
        enum system_call failed = system_failed_call();
        assert_true(status == HN_OK || layer == NULL);
        assert_true(status != HN_OK || failed == CALL_NONE || failed == CALL_CLOSE || failed == CALL_SIZE);
        hn_layer_destroy(layer);
        system_fail_never();
        assert_int_equal(count_open_files(), open_files);
        if (failed == CALL_NONE)
            break;
    }
    clear_cache();
    hn_model_destroy(whole.model);
}
