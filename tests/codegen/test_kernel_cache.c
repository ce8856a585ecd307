/* test_kernel_cache.c - the folder of kernels is the user's alone, and every kernel has a name of its own in it.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/scratch.h"

#include "codegen/kernel/kernel_file.h"

#include <sys/stat.h>
#include <unistd.h>

static struct scratch scratch;
static char folder[FILE_LONGEST];

FIXTURE(make_folder) {
    scratch = scratch_create();
    setenv("XDG_CACHE_HOME", scratch.folder, 1);
    unsetenv("HOME");
    return 0;
}

FIXTURE(remove_folder) {
    scratch_remove(&scratch);
    return 0;
}

static void expect_refusal(const char *why) {
    hn_error error = {.text = ""};
    assert_error(cache_folder(folder, &error), HN_IO, error, why);
}

static void expect_private(const char *path) {
    struct stat facts;
    assert_int_equal(cache_folder(folder, NULL), HN_OK);
    assert_string_equal(folder, path);
    assert_int_equal(stat(folder, &facts), 0);
    assert_int_equal(facts.st_mode & 07777, 0700);
    assert_int_equal(facts.st_uid, geteuid());
}

TEST_AROUND(the_folder_is_made_for_its_owner_whatever_the_umask, make_folder, remove_folder) {
    mode_t before = umask(0);
    expect_private(scratch_path(&scratch, "hardnet"));
    umask(before);
    expect_private(scratch_path(&scratch, "hardnet"));
}

TEST_AROUND(folders_above_it_are_made_too, make_folder, remove_folder) {
    char deep[512], above[256];
    snprintf(above, sizeof above, "%s/a/b", scratch.folder);
    snprintf(deep, sizeof deep, "%s/hardnet", above);
    setenv("XDG_CACHE_HOME", above, 1);
    expect_private(deep);
    assert_int_equal(rmdir(deep), 0);
    assert_int_equal(rmdir(above), 0);
}

TEST_AROUND(without_the_variable_it_is_in_the_home_folder, make_folder, remove_folder) {
    char path[FILE_LONGEST];
    setenv("HOME", scratch.folder, 1);
    setenv("XDG_CACHE_HOME", "relative/paths/do/not/count", 1);
    snprintf(path, sizeof path, "%s/.cache/hardnet", scratch.folder);
    expect_private(path);
    unsetenv("XDG_CACHE_HOME");
    expect_private(path);
    assert_int_equal(rmdir(path), 0);
}

TEST_AROUND(without_both_variables_there_is_none, make_folder, remove_folder) {
    unsetenv("XDG_CACHE_HOME");
    expect_refusal("neither XDG_CACHE_HOME nor HOME names an absolute folder");
}

TEST_AROUND(a_name_that_is_too_long_is_refused, make_folder, remove_folder) {
    static char path[FILE_LONGEST];
    memset(path, 'a', sizeof path - 1);
    path[0] = '/';
    setenv("XDG_CACHE_HOME", path, 1);
    expect_refusal("too long");
    path[FILE_LONGEST - 130] = '\0';
    setenv("XDG_CACHE_HOME", path, 1);
    expect_refusal("too long");
}

TEST_AROUND(a_folder_that_others_may_use_is_refused, make_folder, remove_folder) {
    static const mode_t modes[] = {0755, 0770, 0710, 0701, 0777};
    assert_int_equal(cache_folder(folder, NULL), HN_OK);
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        assert_int_equal(chmod(folder, modes[i]), 0);
        expect_refusal("others may use it");
    }
}

TEST_AROUND(a_folder_of_another_user_is_refused, make_folder, remove_folder) {
    if (geteuid() != 0) {
        print_message("skipped: only root can give a folder away\n");
        skip();
    }
    assert_int_equal(cache_folder(folder, NULL), HN_OK);
    assert_int_equal(chown(folder, 12345, (gid_t)-1), 0);
    expect_refusal("it belongs to another user");
}

TEST_AROUND(a_link_and_a_file_are_refused, make_folder, remove_folder) {
    const char *path = scratch_path(&scratch, "hardnet"), *target = scratch_path(&scratch, "target");
    assert_int_equal(mkdir(target, 0700), 0);
    assert_int_equal(symlink(target, path), 0);
    expect_refusal("it is not a folder, or a symbolic link");
    assert_int_equal(count_entries(target), 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(file_write(path, "file", 4, NULL), HN_OK);
    expect_refusal("it is not a folder, or a symbolic link");
}

TEST_AROUND(kernels_have_names_by_their_code_and_by_their_compiler, make_folder, remove_folder) {
    const char *const cc[] = {"cc", "-O2", NULL}, *const joined[] = {"cc-O2", NULL},
                      *const clang[] = {"clang", "-O2", NULL};
    const struct kernel_identity a = {.code = "aa"}, b = {.code = "bb"};
    char path[FILE_LONGEST], other[FILE_LONGEST];
    assert_int_equal(cache_path(path, &a, cc, ".so", NULL), HN_OK);
    assert_contains(path, "/hardnet/");
    assert_int_equal(cache_path(other, &a, cc, ".so", NULL), HN_OK);
    assert_string_equal(path, other);
    assert_int_equal(cache_path(other, &b, cc, ".so", NULL), HN_OK);
    assert_string_not_equal(path, other);
    assert_int_equal(cache_path(other, &a, clang, ".so", NULL), HN_OK);
    assert_string_not_equal(path, other);
    assert_int_equal(cache_path(other, &a, joined, ".so", NULL), HN_OK);
    assert_string_not_equal(path, other);
}
