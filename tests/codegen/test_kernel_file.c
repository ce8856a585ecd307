/* test_kernel_file.c - a kernel's file is read by whom it is for, and by nobody else: cut off, damaged, another one's, or written
 * to by others, it is refused by a sentence before any of it is loaded.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/scratch.h"

#include "base/memory.h"
#include "codegen/kernel/kernel_file.h"

#include <sys/stat.h>
#include <unistd.h>

enum { OBJECT = 5000 };

static struct scratch scratch;
static unsigned char object_bytes[OBJECT];
static const struct file_bytes object = {object_bytes, OBJECT};
static const char text[] = "int kernel;\n";

static struct kernel_identity identity_of(const char *model, hn_method method, hn_instructions set, const char *code) {
    hn_layer_options options = hn_layer_defaults();
    options.method = method;
    options.instructions = set;
    const struct kernel_source source = {
        .model = model, .options = &options, .gradients = true, .text = code, .length = strlen(code)};
    return kernel_identify(&source);
}

static struct kernel_identity usual(void) {
    return identity_of("00ff", HN_METHOD_PAPER, HN_INSTRUCTIONS_AVX2, text);
}

static const char *written(void) {
    const char *path = scratch_path(&scratch, "kernel.so");
    struct kernel_identity own = usual();
    hn_error error = {.text = ""};
    assert_int_equal(kernel_file_write(path, &own, &object, 0644, &error), HN_OK);
    return path;
}

static void expect_refusal(const char *path, hn_status status, const char *why) {
    struct kernel_identity found;
    struct file_bytes read;
    hn_error error = {.text = ""};
    assert_int_equal(kernel_file_read(&read, path, &found, &error), status);
    assert_null(read.data);
    assert_contains(error.text, path);
    assert_contains(error.text, why);
}

FIXTURE(make_folder) {
    scratch = scratch_create();
    for (size_t i = 0; i < OBJECT; i++)
        object_bytes[i] = (unsigned char)(i * 7 % 251);
    return 0;
}

FIXTURE(remove_folder) {
    scratch_remove(&scratch);
    return 0;
}

TEST_AROUND(what_was_written_is_read, make_folder, remove_folder) {
    const char *path = written();
    struct kernel_identity own = usual(), found;
    struct file_bytes read;
    struct stat facts;
    assert_int_equal(kernel_file_read(&read, path, &found, NULL), HN_OK);
    assert_string_equal(found.version, own.version);
    assert_string_equal(found.machine, own.machine);
    assert_string_equal(found.instructions, "avx2");
    assert_string_equal(found.method, "paper");
    assert_string_equal(found.gradients, "yes");
    assert_string_equal(found.model, "00ff");
    assert_string_equal(found.code, own.code);
    assert_int_equal(read.count, OBJECT);
    assert_memory_equal(read.data, object_bytes, OBJECT);
    base_release(read.data);
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_mode & 07777, 0644);
    assert_int_equal(count_entries(scratch.folder), 1);
}

TEST_AROUND(permissions_are_at_most_those_asked_for, make_folder, remove_folder) {
    const char *path = written();
    struct kernel_identity own = usual();
    struct stat facts;
    mode_t before = umask(0);
    assert_int_equal(chmod(path, 0666), 0);
    assert_int_equal(kernel_file_write(path, &own, &object, 0600, NULL), HN_OK);
    umask(before);
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_mode & 07777, 0600);
}

/* The same code is the same kernel, whatever the name of the method and of the model. */
TEST_AROUND(the_code_decides, make_folder, remove_folder) {
    struct kernel_identity own = usual(), again = usual();
    struct kernel_identity method = identity_of("00ff", HN_METHOD_LM, HN_INSTRUCTIONS_AVX2, text);
    struct kernel_identity set = identity_of("00ff", HN_METHOD_PAPER, HN_INSTRUCTIONS_AVX512, text);
    struct kernel_identity code = identity_of("00ff", HN_METHOD_PAPER, HN_INSTRUCTIONS_AVX2, "int other;\n");
    assert_string_equal(own.code, again.code);
    assert_string_equal(own.code, method.code);
    assert_string_not_equal(own.code, set.code);
    assert_string_not_equal(own.code, code.code);
}

static void expect_misfit(hn_status (*judge)(const char *, const struct kernel_identity *,
                                             const struct kernel_identity *, hn_error *),
                          const struct kernel_identity *wanted, const char *why) {
    struct kernel_identity own = usual();
    hn_error error = {.text = ""};
    assert_error(judge("k.so", &own, wanted, &error), HN_INVALID, error, "k.so: a kernel ");
    assert_contains(error.text, why);
}

TEST_AROUND(another_ones_kernel_is_told_by_what_differs, make_folder, remove_folder) {
    struct kernel_identity own = usual();
    struct kernel_identity wanted = identity_of("01ff", HN_METHOD_LM, HN_INSTRUCTIONS_AVX512, text);
    assert_int_equal(kernel_fits_here("k.so", &own, &own, NULL), HN_OK);
    expect_misfit(kernel_fits_here, &wanted, "for the instruction set avx2; the layer uses avx512");
    expect_misfit(kernel_is_foreign, &wanted, "of another model");
    wanted = identity_of("00ff", HN_METHOD_LM, HN_INSTRUCTIONS_AVX2, text);
    expect_misfit(kernel_is_foreign, &wanted, "of the method paper; the layer's is lm");
    expect_misfit(kernel_is_foreign, &own, "with other options, or of another build");
    snprintf(wanted.machine, sizeof wanted.machine, "abacus");
    expect_misfit(kernel_fits_here, &wanted, "this machine is abacus");
    snprintf(wanted.version, sizeof wanted.version, "9.9.9");
    expect_misfit(kernel_fits_here, &wanted, "this is 9.9.9");
}

TEST_AROUND(a_file_that_is_cut_off_anywhere_is_refused, make_folder, remove_folder) {
    const char *path = written();
    struct stat facts;
    assert_int_equal(stat(path, &facts), 0);
    for (off_t size = facts.st_size - 1; size > 0; size -= size > OBJECT ? 67 : 1611) {
        assert_int_equal(truncate(path, size), 0);
        expect_refusal(path, HN_SYNTAX, "not a hardnet kernel, or truncated");
    }
    assert_int_equal(truncate(path, 0), 0);
    expect_refusal(path, HN_SYNTAX, "not a hardnet kernel");
}

TEST_AROUND(a_single_wrong_byte_is_refused, make_folder, remove_folder) {
    const char *path = written();
    struct kernel_identity found;
    struct file_bytes all, read;
    assert_int_equal(file_read(&all, path, SIZE_MAX, NULL), HN_OK);
    for (size_t i = 0; i + 1 < all.count; i += i + 600 < all.count ? 997 : 13) {
        all.data[i] ^= 1;
        assert_int_equal(file_write(path, all.data, all.count, NULL), HN_OK);
        assert_int_equal(kernel_file_read(&read, path, &found, NULL), HN_SYNTAX);
        all.data[i] ^= 1;
    }
    base_release(all.data);
}

TEST_AROUND(a_file_that_others_may_write_to_is_refused, make_folder, remove_folder) {
    static const mode_t modes[] = {0664, 0646, 0666, 0777};
    const char *path = written();
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        assert_int_equal(chmod(path, modes[i]), 0);
        expect_refusal(path, HN_IO, "others may write to it");
    }
    assert_int_equal(chmod(path, 0600), 0);
    if (geteuid() == 0) {
        assert_int_equal(chown(path, 12345, (gid_t)-1), 0);
        expect_refusal(path, HN_IO, "it belongs to another user");
    }
}

TEST_AROUND(what_is_no_file_is_refused_without_waiting, make_folder, remove_folder) {
    const char *pipe_path = scratch_path(&scratch, "pipe");
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    expect_refusal(pipe_path, HN_IO, "not a regular file");
    expect_refusal(scratch.folder, HN_IO, "not a regular file");
    expect_refusal(scratch_path(&scratch, "nothing"), HN_IO, "cannot open");
}

/* Of this very program, which is an ELF object on every system that the rest works on. */
TEST_AROUND(code_is_counted_in_executable_segments, make_folder, remove_folder) {
    static const unsigned char wrong[64] = {0x7f, 'E', 'L', 'F', 2, 1};
    const struct file_bytes none = {object_bytes, OBJECT};
    unsigned char copy[64];
    memcpy(copy, wrong, sizeof copy);
    copy[54] = 56;
    copy[56] = 200; /* more headers than there are bytes */
    const struct file_bytes cut = {copy, sizeof copy};
    struct file_bytes self;
    assert_int_equal(kernel_code_bytes(&none), 0);
    assert_int_equal(kernel_code_bytes(&cut), 0);
    if (file_read(&self, "/proc/self/exe", SIZE_MAX, NULL) != HN_OK)
        skip();
    size_t code = kernel_code_bytes(&self);
    base_release(self.data);
    assert_true(code > 1000 && code < self.count);
}
