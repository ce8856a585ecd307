/* test_run_compiler.c - compilers that work, fail, are missing, are killed or say much: a shared object, or a sentence, and nothing is
 * left lying about.
 *
 * Most of the compilers are scripts of a line or two. The real one is `cc`; without it the tests of real code are skipped.
 *
 * SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700 /* setreuid */
#include "support/check.h"
#include "support/scratch.h"

#include "base/memory.h"
#include "codegen/kernel/kernel_file.h"
#include "codegen/kernel/run_compiler.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct scratch scratch, temporary;
static const struct compiler_watch patient = {.seconds = 600};
static const char good[] = "__attribute__((visibility(\"default\"))) int seven(void);\nint seven(void) { return 7; }\n";

FIXTURE(make_folder) {
    scratch = scratch_create();
    temporary = scratch_create();
    setenv("TMPDIR", temporary.folder, 1);
    unsetenv("CC");
    return 0;
}

FIXTURE(remove_folder) {
    assert_int_equal(count_entries(temporary.folder), 0);
    scratch_remove(&scratch);
    scratch_remove(&temporary);
    return 0;
}

/* A compiler that is a script of the shell. */
static const char *script(const char *body) {
    const char *path = scratch_path(&scratch, "compiler");
    char text[1024];
    int length = snprintf(text, sizeof text, "#!/bin/sh\n%s\n", body);
    assert_int_equal(file_write(path, text, (size_t)length, NULL), HN_OK);
    assert_int_equal(chmod(path, 0700), 0);
    return path;
}

static hn_status run(const char *command, const char *text, struct file_bytes *out, hn_error *error) {
    struct compiler compiler;
    *out = (struct file_bytes){NULL, 0};
    *error = (hn_error){.text = ""};
    hn_status status = compiler_choose(&compiler, command, HN_INSTRUCTIONS_PORTABLE, error);
    return status == HN_OK ? compiler_run(&compiler, &patient, out, text, strlen(text), error) : status;
}

static void expect_failure(const char *command, const char *why) {
    struct file_bytes out;
    hn_error error;
    size_t open_files = count_open_files();
    assert_int_equal(run(command, good, &out, &error), HN_UNSUPPORTED);
    assert_null(out.data);
    assert_error(error.code, HN_CODE_COMPILER, error, why);
    assert_int_equal(count_open_files(), open_files);
}

static bool has_compiler(void) {
    return system("cc --version >/dev/null 2>&1") == 0;
}

static void need_compiler(void) {
    if (has_compiler())
        return;
    print_message("skipped: there is no C compiler\n");
    skip();
}

static int call_seven(const struct file_bytes *object) {
    const char *path = scratch_path(&scratch, "object.so");
    assert_int_equal(file_write(path, object->data, object->count, NULL), HN_OK);
    void *handle = dlopen(path, RTLD_NOW);
    assert_non_null(handle);
    union {
        void *address;
        int (*function)(void);
    } seven = {dlsym(handle, "seven")};
    int result = seven.address ? seven.function() : 0;
    dlclose(handle);
    return result;
}

TEST_AROUND(a_text_becomes_a_shared_object, make_folder, remove_folder) {
    struct file_bytes out;
    hn_error error;
    need_compiler();
    assert_int_equal(run(NULL, good, &out, &error), HN_OK);
    assert_int_equal(call_seven(&out), 7);
    assert_true(kernel_code_bytes(&out) > 0);
    base_release(out.data);
}

TEST_AROUND(every_instruction_set_has_flags_that_compilers_know, make_folder, remove_folder) {
    struct file_bytes out;
    need_compiler();
    for (int set = HN_INSTRUCTIONS_PORTABLE; set < HN_INSTRUCTIONS_COUNT; set++) {
        struct compiler compiler;
#if !HN_BACKENDS_X86
        if (set != HN_INSTRUCTIONS_PORTABLE)
            continue;
#endif
        assert_int_equal(compiler_choose(&compiler, NULL, (hn_instructions)set, NULL), HN_OK);
        assert_int_equal(compiler_run(&compiler, &patient, &out, good, strlen(good), NULL), HN_OK);
        base_release(out.data);
    }
}

/* What the text sees of the flags: the user's words come first, and ours have the last word. */
TEST_AROUND(words_of_the_command_count_and_fast_math_among_them_does_not, make_folder, remove_folder) {
    static const char asks[] =
        "#ifndef MARK\n#error no mark\n#endif\n"
        "#if defined __FAST_MATH__ || defined __ASSOCIATIVE_MATH__ || defined __RECIPROCAL_MATH__\n"
        "#error fast\n#endif\n#if defined __FINITE_MATH_ONLY__ && __FINITE_MATH_ONLY__\n#error finite\n"
        "#endif\nint x;\n";
    struct file_bytes out;
    hn_error error;
    need_compiler();
    setenv("CC", " cc \t-DMARK=1  -ffast-math -freciprocal-math -ffinite-math-only\n", 1);
    setenv("CFLAGS", "-ffast-math -DWRONG", 1);
    assert_int_equal(run(NULL, asks, &out, &error), HN_OK);
    base_release(out.data);
    setenv("CC", "cc", 1);
    assert_error(run(NULL, asks, &out, &error), HN_UNSUPPORTED, error, "no mark");
    unsetenv("CFLAGS");
}

TEST_AROUND(an_empty_cc_is_none, make_folder, remove_folder) {
    struct compiler compiler;
    hn_error error = {.text = ""};
    setenv("CC", "  ", 1);
    assert_int_equal(compiler_choose(&compiler, NULL, HN_INSTRUCTIONS_PORTABLE, NULL), HN_OK);
    assert_string_equal(compiler.words[0], "cc");
    assert_int_equal(compiler_choose(&compiler, " ", HN_INSTRUCTIONS_PORTABLE, &error), HN_INVALID);
    assert_contains(error.text, "the command is empty");
}

TEST_AROUND(commands_that_are_too_long_are_refused, make_folder, remove_folder) {
    static char command[4 * COMPILER_LONGEST];
    struct compiler compiler;
    memset(command, 'c', sizeof command - 1);
    assert_int_equal(compiler_choose(&compiler, command, HN_INSTRUCTIONS_PORTABLE, NULL), HN_LIMIT);
    for (size_t i = 0; i < 400; i++)
        command[i] = i % 2 ? ' ' : 'c';
    command[400] = '\0';
    assert_int_equal(compiler_choose(&compiler, command, HN_INSTRUCTIONS_PORTABLE, NULL), HN_LIMIT);
}

TEST_AROUND(a_compiler_that_is_missing_is_told_by_name, make_folder, remove_folder) {
    expect_failure("no-such-compiler-anywhere -m64", "the compiler no-such-compiler-anywhere is not there");
    expect_failure(scratch_path(&scratch, "nothing"), "is not there");
    expect_failure(scratch.folder, "cannot be started");
}

TEST_AROUND(a_compiler_that_fails_has_its_first_error_told, make_folder, remove_folder) {
    expect_failure(script("echo 'In file included'; echo 'kernel.c:3:1: error: no such luck' >&2; echo more; exit 4"),
                   "failed (exit code 4): kernel.c:3:1: error: no such luck");
    expect_failure(script("printf 'a\\tb\\033[31m only line'; exit 1"), "failed (exit code 1): a b [31m only line");
    expect_failure(script("exit 3"), "failed (exit code 3)");
    expect_failure(script("yes words | head -c 3000000; exit 1"), "failed (exit code 1)");
    expect_failure(script("yes word | head -c 9000 | tr -d '\\n'; exit 1"), "wordwordword");
}

TEST_AROUND(a_compiler_that_is_killed_is_told, make_folder, remove_folder) {
    expect_failure(script("kill -9 $$"), "was ended by signal 9");
    expect_failure(script("kill -INT $$"), "was ended by signal 2");
}

TEST_AROUND(a_compiler_that_writes_nothing_has_failed, make_folder, remove_folder) {
    expect_failure("true", "the compiler true wrote no shared object");
    expect_failure(script("while [ \"$1\" != -o ]; do shift; done; : > \"$2\""), "wrote no shared object");
    expect_failure(script("while [ \"$1\" != -o ]; do shift; done; mkfifo \"$2\""), "wrote no shared object");
}

/* This process blocks and ignores signals; its compilers do not. */
TEST_AROUND(signals_of_this_process_are_not_those_of_the_compiler, make_folder, remove_folder) {
    sigset_t block, before;
    sigemptyset(&block);
    sigaddset(&block, SIGINT);
    sigprocmask(SIG_BLOCK, &block, &before);
    void (*handler)(int) = signal(SIGTERM, SIG_IGN);
    expect_failure(script("kill -INT $$; exit 0"), "was ended by signal 2");
    expect_failure(script("kill -TERM $$; exit 0"), "was ended by signal 15");
    signal(SIGTERM, handler);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

TEST_AROUND(a_process_that_does_not_wait_for_its_children_is_told_so, make_folder, remove_folder) {
    void (*handler)(int) = signal(SIGCHLD, SIG_IGN);
    expect_failure("true", "this program ignores SIGCHLD");
    signal(SIGCHLD, handler);
}

TEST_AROUND(a_compiler_has_nothing_to_read_and_cannot_print, make_folder, remove_folder) {
    expect_failure(script("echo to out; echo to err >&2; cat; exit 9"), "failed (exit code 9): to out");
}

TEST_AROUND(a_folder_that_cannot_be_worked_in_is_told_by_name, make_folder, remove_folder) {
    struct file_bytes out;
    hn_error error;
    const char *nowhere = scratch_path(&scratch, "nowhere");
    setenv("TMPDIR", nowhere, 1);
    assert_error(run("true", good, &out, &error), HN_IO, error, nowhere);
    assert_null(out.data);
}

/* Compiles with this TMPDIR; HN_OK means that the compiler was reached. */
static hn_status work_in(const char *folder, hn_error *error) {
    struct file_bytes out;
    setenv("TMPDIR", folder, 1);
    hn_status status = run("true", good, &out, error);
    base_release(out.data);
    return status == HN_UNSUPPORTED && error->code == HN_CODE_COMPILER ? HN_OK : status;
}

TEST_AROUND(a_folder_in_which_others_may_replace_files_is_refused, make_folder, remove_folder) {
    static const mode_t refused[] = {0777, 0770, 0722, 0702}, accepted[] = {01777, 0755, 0700, 01770};
    char open[512], inner[600], link[512];
    hn_error error;
    snprintf(open, sizeof open, "%s/open", temporary.folder);
    snprintf(inner, sizeof inner, "%s/inner", open);
    snprintf(link, sizeof link, "%s/link", temporary.folder);
    assert_true(mkdir(open, 0700) == 0 && mkdir(inner, 0700) == 0 && symlink(inner, link) == 0);
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        const char *folders[] = {open, inner, link}; /* itself, a folder in it, and a link that leads there */
        assert_int_equal(chmod(open, refused[i]), 0);
        for (size_t k = 0; k < COUNT_OF(folders); k++) {
            assert_error(work_in(folders[k], &error), HN_IO, error, "open: other users may replace files in it");
            assert_contains(error.text, "set TMPDIR");
        }
    }
    for (size_t i = 0; i < COUNT_OF(accepted); i++) {
        assert_int_equal(chmod(open, accepted[i]), 0);
        assert_int_equal(work_in(inner, &error), HN_OK);
    }
    assert_true(remove(link) == 0 && rmdir(inner) == 0 && rmdir(open) == 0);
}

TEST_AROUND(a_folder_of_another_user_is_not_worked_in, make_folder, remove_folder) {
    char strange[512];
    hn_error error;
    if (geteuid() != 0) {
        print_message("skipped: only root can give a folder away\n");
        skip();
    }
    snprintf(strange, sizeof strange, "%s/strange", temporary.folder);
    assert_true(mkdir(strange, 0755) == 0 && chown(strange, 12345, (gid_t)-1) == 0);
    assert_error(work_in(strange, &error), HN_IO, error, "strange: other users may replace files in it");
    assert_int_equal(rmdir(strange), 0);
}

/* ---- programs with more rights than their user ---- */

static const char privileged_word[] = "privileged";
enum { REFUSED = 17 };

/* In a program whose effective user is root and whose real user is not. */
static int try_privileged(void) {
    struct compiler compiler;
    hn_error error = {.text = ""};
    hn_status status = compiler_choose(&compiler, NULL, HN_INSTRUCTIONS_PORTABLE, &error);
    return status == HN_UNSUPPORTED && strstr(error.text, "more rights than its user") ? REFUSED : 1;
}

TEST_AROUND(a_privileged_program_starts_no_compiler, make_folder, remove_folder) {
    int status = 0;
    if (geteuid() != 0) {
        print_message("skipped: only root can start a program with more rights than its user\n");
        skip();
    }
    pid_t child = fork();
    if (child == 0) {
        if (setreuid(12345, 0) == 0)
            execl("/proc/self/exe", "run_compiler", privileged_word, (char *)NULL);
        _exit(2);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), REFUSED);
}

/* ---- compilers that do not come to an end ---- */

/* Runs it with this watch; the sentence says why it was ended, and its child is gone as it is. */
static void expect_end(const char *command, const struct compiler_watch *watch, const char *why) {
    struct compiler compiler;
    struct file_bytes out;
    hn_error error = {.text = ""};
    assert_int_equal(compiler_choose(&compiler, command, HN_INSTRUCTIONS_PORTABLE, NULL), HN_OK);
    assert_int_equal(compiler_run(&compiler, watch, &out, good, strlen(good), &error), HN_UNSUPPORTED);
    assert_null(out.data);
    assert_error(error.code, HN_CODE_COMPILER, error, why);
}

/* Whether the process runs; one that nobody has waited for yet does not. */
static bool is_running(int process) {
    char path[64], line[256] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", process);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    const char *read = fgets(line, sizeof line, file), *end = read ? strrchr(line, ')') : NULL;
    fclose(file);
    return end && end[1] == ' ' && end[2] != 'Z' && end[2] != 'X';
}

/* The process whose number the file has: gone, or about to be. */
static bool is_gone(const char *path) {
    FILE *file = fopen(path, "r");
    int process = 0;
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%d", &process), 1); // NOLINT(cert-err34-c)
    fclose(file);
    for (int i = 0; i < 1000 && is_running(process); i++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    return !is_running(process);
}

/* With a child that works for it, as cc1 does for gcc; the second one does not listen to SIGTERM. */
static const char *endless(const char *child, const char *first) {
    char body[512];
    snprintf(body, sizeof body, "%s\nsleep 600 &\necho $! > %s\n: > $TMPDIR/half.s\nwait; wait", first, child);
    return script(body);
}

TEST_AROUND(a_compiler_that_takes_too_long_is_ended_with_its_children, make_folder, remove_folder) {
    const struct compiler_watch hasty = {.seconds = 0.5};
    char child[256];
    snprintf(child, sizeof child, "%s", scratch_path(&scratch, "child"));
    expect_end(endless(child, ":"), &hasty, "because it took too long");
    assert_true(is_gone(child));
    expect_end(endless(child, "trap '' TERM"), &hasty, "because it took too long");
    assert_true(is_gone(child));
}

struct onlooker {
    int cancel, calls;
    double last;
};

static void look_on(void *context, double seconds) {
    struct onlooker *onlooker = context;
    assert_true(seconds >= onlooker->last);
    onlooker->last = seconds;
    if (++onlooker->calls == 12)
        __atomic_store_n(&onlooker->cancel, 1, __ATOMIC_RELAXED);
}

TEST_AROUND(a_compiler_is_ended_when_that_is_asked_for, make_folder, remove_folder) {
    struct onlooker onlooker = {.calls = 0};
    const struct compiler_watch watch = {
        .seconds = 600, .cancel = &onlooker.cancel, .waiting = look_on, .context = &onlooker};
    char child[256];
    snprintf(child, sizeof child, "%s", scratch_path(&scratch, "child"));
    expect_end(endless(child, ":"), &watch, "because the caller cancelled it");
    assert_int_equal(onlooker.calls, 12);
    assert_true(is_gone(child));
}

/* ---- what a program that was killed has left ---- */

static void make_leftover(const char *name, const char *text, int days, mode_t mode) {
    char path[512], file[600];
    snprintf(path, sizeof path, "%s/%s", temporary.folder, name);
    assert_int_equal(mkdir(path, 0700), 0);
    for (int i = 0; i < 2; i++) {
        snprintf(file, sizeof file, "%s/%s", path, i ? "ccAbCd.s" : text);
        assert_int_equal(file_write(file, "text", 4, NULL), HN_OK);
    }
    assert_int_equal(chmod(path, mode), 0);
    const struct timespec times[2] = {{.tv_sec = time(NULL) - days * 86400L - 100},
                                      {.tv_sec = time(NULL) - days * 86400L - 100}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static bool is_there(const char *name) {
    char path[512];
    struct stat facts;
    snprintf(path, sizeof path, "%s/%s", temporary.folder, name);
    return lstat(path, &facts) == 0;
}

TEST_AROUND(a_folder_that_was_left_a_day_ago_is_removed_and_nothing_else, make_folder, remove_folder) {
    char path[512], link[512];
    struct file_bytes out;
    hn_error error;
    make_leftover("hardnet-kernel-aB3dEf", "kernel.c", 1, 0700);
    make_leftover("hardnet-models", "kernel.c", 3, 0700);
    make_leftover("hardnet-kernel-models", "unicycle.mod", 3, 0700);
    make_leftover("hardnet-kernel-fresh1", "kernel.c", 0, 0700);
    make_leftover("hardnet-kernel-others", "kernel.c", 3, 0755);
    make_leftover("hardnet-kernel-longer-name", "kernel.c", 3, 0700);
    make_leftover("target", "kernel.c", 3, 0700);
    snprintf(path, sizeof path, "%s/target", temporary.folder);
    snprintf(link, sizeof link, "%s/hardnet-kernel-linked", temporary.folder);
    assert_int_equal(symlink(path, link), 0);
    assert_int_equal(run("true", good, &out, &error), HN_UNSUPPORTED);
    assert_false(is_there("hardnet-kernel-aB3dEf"));
    assert_true(is_there("hardnet-models/ccAbCd.s") && is_there("hardnet-kernel-models/ccAbCd.s"));
    assert_true(is_there("hardnet-kernel-fresh1") && is_there("hardnet-kernel-others") &&
                is_there("hardnet-kernel-longer-name"));
    assert_true(is_there("target") && is_there("target/ccAbCd.s") && is_there("hardnet-kernel-linked"));
    assert_int_equal(system("rm -r \"$TMPDIR\"/*"), 0);
}

TEST_AROUND(a_folder_of_another_user_is_left_alone, make_folder, remove_folder) {
    char path[512];
    struct file_bytes out;
    hn_error error;
    if (geteuid() != 0) {
        print_message("skipped: only root can give a folder away\n");
        skip();
    }
    make_leftover("hardnet-kernel-strang", "kernel.c", 3, 0700);
    snprintf(path, sizeof path, "%s/hardnet-kernel-strang", temporary.folder);
    assert_int_equal(chown(path, 12345, (gid_t)-1), 0);
    assert_int_equal(run("true", good, &out, &error), HN_UNSUPPORTED);
    assert_true(is_there("hardnet-kernel-strang/ccAbCd.s"));
    assert_int_equal(system("rm -r \"$TMPDIR\"/*"), 0);
}

int main(int count, char **words) {
    if (count == 2 && strcmp(words[1], privileged_word) == 0)
        return try_privileged();
    return run_registered_tests();
}
