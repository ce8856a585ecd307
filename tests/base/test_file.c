/* test_file.c - whole files: what is written is read, what cannot be read is an error, and nothing is left lying about.
 *
 * Every test has an empty folder of its own. Failing system calls are the business of faults/file_faults.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/scratch.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LARGEST = 300000 };

SCRATCH_FOLDER

static const unsigned char *some_bytes(void) {
    static unsigned char bytes[LARGEST];
    struct random random = random_start(13, 0);
    for (size_t i = 0; i < LARGEST; i++)
        bytes[i] = (unsigned char)random_bits(&random);
    return bytes;
}

static void check_holds(const char *path, const void *bytes, size_t count) {
    struct file_bytes read;
    hn_error error = {.text = ""};
    assert_int_equal(file_read(&read, path, SIZE_MAX, &error), HN_OK);
    assert_string_equal(error.text, "");
    assert_int_equal(read.count, count);
    assert_memory_equal(read.data, bytes, count);
    assert_int_equal(read.data[count], 0);
    base_release(read.data);
}

TEST_IN_FOLDER(what_is_written_is_read) {
    static const size_t counts[] = {0, 1, 2, 4095, 4096, 65535, 65536, 65537, 131072, LARGEST};
    const unsigned char *bytes = some_bytes();
    const char *path = scratch_path(&scratch, "file");
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        assert_int_equal(file_write(path, bytes, counts[i], NULL), HN_OK);
        check_holds(path, bytes, counts[i]);
        assert_int_equal(count_entries(scratch.folder), 1);
    }
}

/* A file beside the others, written so many days ago. */
static void leave(const char *name, int days) {
    const char *path = scratch_path(&scratch, name);
    int file = open(path, O_CREAT | O_WRONLY, 0600);
    struct timespec times[2] = {{.tv_sec = time(NULL) - (time_t)days * 24 * 3600 - 60}};
    times[1] = times[0];
    assert_true(file >= 0 && futimens(file, times) == 0);
    close(file);
}

TEST_IN_FOLDER(names_that_were_left_do_not_block_a_file) {
    char name[32];
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "file.%d.tmp", i);
        leave(name, 0);
    }
    assert_int_equal(file_write(scratch_path(&scratch, "file"), "mine", 4, NULL), HN_OK);
    check_holds(scratch_path(&scratch, "file"), "mine", 4);
    assert_int_equal(count_entries(scratch.folder), 101); /* they are not a day old */
}

TEST_IN_FOLDER(names_that_were_left_a_day_ago_are_removed_and_nothing_else) {
    static const char *const stale[] = {"file.0.tmp", "file.99.tmp", "file.01ab89ef.tmp"},
                             *const others[] = {"file.old.tmp",   "file.100.tmp",     "file.01AB89EF.tmp",
                                                "file.0.tmp.txt", "file.01ab89e.tmp", "other.0.tmp",
                                                "xfile.0.tmp",    "file.0.temp"};
    for (size_t i = 0; i < COUNT_OF(stale); i++)
        leave(stale[i], 1);
    for (size_t i = 0; i < COUNT_OF(others); i++)
        leave(others[i], 3);
    assert_int_equal(symlink("other.0.tmp", scratch_path(&scratch, "file.7.tmp")), 0);
    assert_int_equal(file_write(scratch_path(&scratch, "file"), "mine", 4, NULL), HN_OK);
    for (size_t i = 0; i < COUNT_OF(stale); i++)
        assert_int_not_equal(access(scratch_path(&scratch, stale[i]), F_OK), 0);
    for (size_t i = 0; i < COUNT_OF(others); i++)
        assert_int_equal(access(scratch_path(&scratch, others[i]), F_OK), 0);
    assert_int_equal(count_entries(scratch.folder), COUNT_OF(others) + 2);
}

TEST_IN_FOLDER(permissions_are_those_of_new_files_and_at_most_the_given_ones) {
    static const struct {
        mode_t mask, most, expected;
    } cases[] = {{022, 0644, 0644}, {077, 0644, 0600}, {0, 0644, 0644}, {027, 0644, 0640}, {022, 0600, 0600}};
    struct stat facts;
    mode_t before = umask(0);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *path = scratch_path(&scratch, "new");
        umask(cases[i].mask);
        assert_int_equal(file_write_for(path, "text", 4, cases[i].most, NULL), HN_OK);
        assert_int_equal(stat(path, &facts), 0);
        assert_int_equal(facts.st_mode & 07777, cases[i].expected);
        assert_int_equal(unlink(path), 0);
    }
    umask(before);
}

/* Writes for ever, until it is killed. */
static pid_t start_writer(const char *path) {
    pid_t child = fork();
    if (child != 0)
        return child;
    for (;;)
        file_write(path, some_bytes(), LARGEST, NULL);
}

/* Only the moment between two system calls can leave a name behind, so that a hundred kills cannot use up all of them. */
TEST_IN_FOLDER(a_writer_that_is_killed_leaves_the_file_whole_and_the_next_one_works) {
    enum { KILLS = 25 };
    const char *path = scratch_path(&scratch, "file");
    assert_int_equal(file_write(path, some_bytes(), LARGEST, NULL), HN_OK);
    for (int i = 0; i < KILLS; i++) {
        pid_t child = start_writer(path);
        const struct timespec pause = {.tv_nsec = 1000000L * (1 + i)};
        nanosleep(&pause, NULL);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
        check_holds(path, some_bytes(), LARGEST);
    }
    int unnamed = system_create_unnamed(scratch.folder);
    if (unnamed < 0) /* not on this file system: then names are left */
        skip();
    system_close(unnamed);
    assert_true(count_entries(scratch.folder) < 1 + KILLS / 2);
}

TEST_IN_FOLDER(a_file_in_the_working_folder_needs_no_slash) {
    char before[4096];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(scratch.folder), 0);
    assert_int_equal(file_write("plain", "text", 4, NULL), HN_OK);
    check_holds("plain", "text", 4);
    assert_int_equal(chdir(before), 0);
}

TEST_IN_FOLDER(a_file_up_to_the_limit_is_read_and_a_larger_one_refused) {
    static const size_t counts[] = {1, 100, 65536, 200000};
    const char *path = scratch_path(&scratch, "limited");
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        struct file_bytes read;
        hn_error error;
        assert_int_equal(file_write(path, some_bytes(), counts[i], NULL), HN_OK);
        assert_int_equal(file_read(&read, path, counts[i], NULL), HN_OK);
        assert_int_equal(read.count, counts[i]);
        base_release(read.data);
        assert_int_equal(file_read(&read, path, counts[i] - 1, &error), HN_LIMIT);
        assert_contains(error.text, "limited: larger than the limit of");
        assert_null(read.data);
        assert_int_equal(read.count, 0);
    }
}

TEST_IN_FOLDER(what_cannot_be_read_is_an_error_by_name) {
    struct file_bytes read;
    hn_error error;
    assert_int_equal(file_read(&read, scratch_path(&scratch, "missing"), SIZE_MAX, &error), HN_IO);
    assert_contains(error.text, "/missing: cannot open: No such file");
    assert_null(read.data);
    assert_error(file_read(&read, scratch.folder, SIZE_MAX, &error), HN_IO, error, scratch.folder);
    assert_contains(error.text, ": cannot read: Is a directory");
    assert_null(read.data);
    assert_int_equal(file_read(&read, "", SIZE_MAX, NULL), HN_IO);
}

TEST_IN_FOLDER(what_cannot_be_written_is_an_error_by_name) {
    hn_error error;
    assert_error(file_write(scratch_path(&scratch, "no/where"), "text", 4, &error), HN_IO, error, "/no/where: cannot ");
    assert_int_equal(mkdir(scratch_path(&scratch, "folder"), 0700), 0);
    assert_int_equal(file_write(scratch_path(&scratch, "folder"), "text", 4, &error), HN_IO);
    assert_contains(error.text, "/folder: cannot write: exists and is not a regular file");
    assert_int_equal(count_entries(scratch.folder), 1);
}

/* ---- what is there already ---- */

static void link_to(const char *target, const char *name) {
    assert_int_equal(symlink(target, scratch_path(&scratch, name)), 0);
}

static bool is_link(const char *name) {
    struct stat facts;
    return lstat(scratch_path(&scratch, name), &facts) == 0 && S_ISLNK(facts.st_mode);
}

TEST_IN_FOLDER(writing_goes_through_a_symbolic_link) {
    assert_int_equal(mkdir(scratch_path(&scratch, "folder"), 0700), 0);
    file_write(scratch_path(&scratch, "folder/file"), "old", 3, NULL);
    link_to("folder/file", "near");
    link_to(scratch_path(&scratch, "near"), "far");
    assert_int_equal(file_write(scratch_path(&scratch, "far"), "through two", 11, NULL), HN_OK);
    check_holds(scratch_path(&scratch, "folder/file"), "through two", 11);
    assert_true(is_link("near") && is_link("far"));
    assert_int_equal(count_entries(scratch.folder), 3);
    assert_int_equal(count_entries(scratch_path(&scratch, "folder")), 1);
    assert_int_equal(unlink(scratch_path(&scratch, "folder/file")), 0);
    assert_int_equal(rmdir(scratch_path(&scratch, "folder")), 0);
}

TEST_IN_FOLDER(a_link_to_nothing_yet_gets_its_target) {
    hn_error error;
    link_to("target", "link");
    assert_int_equal(file_write(scratch_path(&scratch, "link"), "new", 3, NULL), HN_OK);
    check_holds(scratch_path(&scratch, "target"), "new", 3);
    assert_true(is_link("link"));
    link_to("circle", "circle");
    assert_int_equal(file_write(scratch_path(&scratch, "circle"), "new", 3, &error), HN_IO);
    assert_contains(error.text, "/circle: cannot write: Too many levels of symbolic links");
}

TEST_IN_FOLDER(a_device_and_a_pipe_are_refused_and_stay) {
    struct stat facts;
    hn_error error;
    assert_int_equal(mkfifo(scratch_path(&scratch, "pipe"), 0600), 0);
    assert_int_equal(file_write(scratch_path(&scratch, "pipe"), "text", 4, &error), HN_IO);
    assert_contains(error.text, "/pipe: cannot write: exists and is not a regular file");
    assert_int_equal(stat(scratch_path(&scratch, "pipe"), &facts), 0);
    assert_true(S_ISFIFO(facts.st_mode));
    link_to("/dev/null", "device"); /* by way of a link: a mistake here must not cost the machine its /dev/null */
    assert_int_equal(file_write(scratch_path(&scratch, "device"), "text", 4, &error), HN_IO);
    assert_contains(error.text, "/device: cannot write: exists and is not a regular file");
    assert_true(stat("/dev/null", &facts) == 0 && S_ISCHR(facts.st_mode));
    assert_true(is_link("device"));
}

TEST_IN_FOLDER(a_file_that_is_replaced_keeps_its_permissions) {
    static const mode_t modes[] = {0600, 0640, 0755};
    const char *path = scratch_path(&scratch, "secret");
    struct stat facts;
    file_write(path, "old", 3, NULL);
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        assert_int_equal(chmod(path, modes[i]), 0);
        assert_int_equal(file_write(path, "new", 3, NULL), HN_OK);
        assert_int_equal(stat(path, &facts), 0);
        assert_int_equal(facts.st_mode & 07777, modes[i]);
    }
}

static void *feed_pipe(void *path) {
    const unsigned char *bytes = some_bytes();
    int pipe = open(path, O_WRONLY);
    for (size_t sent = 0; sent < LARGEST;) {
        size_t part = LARGEST - sent < 1000 ? LARGEST - sent : 1000; /* in pieces: reads come short */
        ssize_t put = write(pipe, bytes + sent, part);
        if (put <= 0)
            break;
        sent += (size_t)put;
    }
    close(pipe);
    return NULL;
}

TEST_IN_FOLDER(a_pipe_is_read_to_its_end) {
    char path[128];
    pthread_t feeder;
    snprintf(path, sizeof path, "%s", scratch_path(&scratch, "pipe"));
    some_bytes();
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(pthread_create(&feeder, NULL, feed_pipe, path), 0);
    check_holds(path, some_bytes(), LARGEST);
    assert_int_equal(pthread_join(feeder, NULL), 0);
}

TEST_IN_FOLDER(only_a_regular_file_has_a_size) {
    const char *path = scratch_path(&scratch, "file");
    assert_int_equal(file_write(path, "text", 4, NULL), HN_OK);
    int file = system_open_read(path), folder = system_open_folder(scratch.folder);
    assert_int_equal(system_size(file), 4);
    assert_int_equal(system_size(folder), -1);
    system_close(file);
    system_close(folder);
    assert_int_equal(system_size(file), -1); /* it is closed */
}

TEST_IN_FOLDER(no_descriptor_stays_open) {
    size_t before = count_open_files();
    struct file_bytes read;
    const char *path = scratch_path(&scratch, "file");
    for (int i = 0; i < 3; i++) {
        file_write(path, "text", 4, NULL);
        check_holds(path, "text", 4);
        assert_int_equal(file_read(&read, path, 2, NULL), HN_LIMIT);
        assert_int_equal(file_read(&read, scratch.folder, 2, NULL), HN_IO);
    }
    assert_int_equal(count_open_files(), before);
}

TEST_IN_FOLDER(unnamed_files_need_a_folder) {
    errno = 0;
    assert_int_equal(system_create_unnamed(scratch_path(&scratch, "nowhere")), -1);
    assert_int_equal(errno, EOPNOTSUPP); /* so that a file with a name is tried, which says what is wrong */
    file_write(scratch_path(&scratch, "file"), "text", 4, NULL);
    assert_int_equal(system_create_unnamed(scratch_path(&scratch, "file")), -1);
    assert_int_not_equal(errno, 0);
}

/* Whoever may not give files away keeps them, with the permissions all the same. */
TEST_IN_FOLDER(a_file_takes_what_it_can_from_another) {
    const struct system_facts others[] = {{.mode = 0640, .owner = getuid(), .group = getgid()},
                                          {.mode = 0600, .owner = getuid() + 1, .group = getgid()},
                                          {.mode = 0604, .owner = getuid() + 1, .group = getgid() + 1}};
    int file = system_create(scratch_path(&scratch, "file"));
    assert_true(file >= 0);
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        struct system_facts now;
        assert_int_equal(system_take_after(file, &others[i]), 0);
        assert_int_equal(system_look(scratch_path(&scratch, "file"), &now), 0);
        assert_int_equal(now.mode & 07777, others[i].mode);
        assert_true(now.owner == others[i].owner || getuid() != 0);
    }
    assert_int_equal(system_close(file), 0);
    assert_int_equal(system_take_after(file, &others[0]), -1);
}
