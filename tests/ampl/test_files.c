/* test_files.c - models from files, and files that name further files.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/lines.h"
#include "ampl/reading.h"
#include "support/scratch.h"

#include <sys/stat.h>
#include <unistd.h>

static struct scratch scratch;
static char paths[8][100];
static int path_count;

static const char *put(const char *name, const char *text) {
    char *path = paths[path_count++];
    snprintf(path, sizeof paths[0], "%s/%s", scratch.folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    return path;
}

FIXTURE(start) {
    path_count = 0;
    scratch = scratch_create();
    return 0;
}

FIXTURE(stop) {
    scratch_remove(&scratch);
    return 0;
}

TEST_AROUND(files_are_read_in_order, start, stop) {
    const char *files[] = {put("a.mod", "param n; var x{1..n};"), put("a.dat", "param n := 4;")};
    hn_model *model;
    hn_error error;
    assert_int_equal(hn_model_read(&model, 2, files, NULL, &error), HN_OK);
    assert_int_equal(hn_model_output_count(model), 4);
    hn_model_destroy(model);
}

TEST_AROUND(files_name_files_beside_them, start, stop) {
    put("sets.mod", "param n; set S := 1..n;");
    put("more.inc", "param a := 1 5 2 6;");
    put("all.dat", "param n := 2; include more.inc param b := 3;");
    const char *files[] = {
        put("main.run",
            "reset; model 'sets.mod'; param a{S}; param b; data all.dat; var x{S}; minimize f: sum {i in S} a[i]*b;")};
    hn_model *model;
    hn_error error = {.status = HN_OK, .text = ""};
    if (hn_model_read(&model, 1, files, NULL, &error) != HN_OK)
        fail_msg("%s", error.text);
    assert_int_equal(hn_model_output_count(model), 2);
    assert_near(objective_at(model, NULL, NULL), 33);
    hn_model_destroy(model);
}

TEST_AROUND(a_missing_file_is_named_where_it_is_asked_for, start, stop) {
    const char *files[] = {put("a.mod", "var x;\n  include nowhere.mod;")}, *none[] = {"/nowhere/at/all.mod"};
    const char *data[] = {put("b.mod", "param p;\nvar x >= p;\ndata nowhere.dat;")};
    hn_model *model;
    hn_error error;
    assert_int_equal(hn_model_read(&model, 1, files, NULL, &error), HN_IO);
    assert_null(model);
    assert_non_null(strstr(error.text, "a.mod:2:3: "));
    assert_non_null(strstr(error.text, "nowhere.mod"));
    assert_error(hn_model_read(&model, 1, none, NULL, &error), HN_IO, error, "/nowhere/at/all.mod");
    assert_error(hn_model_read(&model, 1, data, NULL, &error), HN_IO, error, "b.mod:3:1: ");
    assert_contains(error.text, "nowhere.dat");
}

TEST_AROUND(files_that_include_themselves_are_stopped, start, stop) {
    const char *files[] = {put("a.mod", "include a.mod;")};
    hn_model *model;
    hn_error error;
    assert_error(hn_model_read(&model, 1, files, NULL, &error), HN_LIMIT, error, "a.mod:1:1: files include each other");
    assert_null(model);
}

TEST_AROUND(an_error_names_the_file_it_is_in, start, stop) {
    put("b.mod", "var y;\nvar 7;\n");
    put("b.dat", "# p is a number\nparam p :=\n  abc;\n");
    const char *files[] = {put("a.mod", "var x;\ninclude b.mod;")};
    const char *data[] = {put("c.mod", "param p;\nvar x >= p;\ndata b.dat;")};
    hn_model *model;
    hn_error error;
    assert_error(hn_model_read(&model, 1, files, NULL, &error), HN_SYNTAX, error, "/b.mod:2:5: 7");
    assert_error(hn_model_read(&model, 1, data, NULL, &error), HN_INVALID, error, "/b.dat:3:3: abc");
}

/* ---- files that are no models ---- */

static void expect_included(const char *named, hn_status status, const char *words) {
    char text[200];
    snprintf(text, sizeof text, "var x; include %s; var z;", named);
    const char *files[] = {put("a.mod", text)};
    hn_model *model;
    hn_error error;
    path_count--;
    assert_int_equal(hn_model_read(&model, 1, files, NULL, &error), status);
    assert_null(model);
    if (!strstr(error.text, "a.mod:1:") || !strstr(error.text, words))
        fail_msg("%s: %s", named, error.text);
}

/* A pipe that nobody writes to would be waited for, a device would be read for ever. */
TEST_AROUND(only_regular_files_are_included, start, stop) {
    char *pipe_path = paths[path_count++];
    put("a.mod", "");
    snprintf(pipe_path, sizeof paths[0], "%s/pipe", scratch.folder);
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    expect_included("pipe", HN_IO, "/pipe: not a regular file");
    expect_included("/dev/zero", HN_IO, "/dev/zero: not a regular file");
    expect_included(".", HN_IO, "not a regular file");
    expect_included("/dev/stdin", HN_IO, "/dev/stdin: not a regular file");
}

TEST_AROUND(an_included_file_larger_than_the_limit_is_not_read, start, stop) {
    const char *files[] = {put("a.mod", "include b.mod;")}, *large = put("b.mod", "var x;");
    hn_read_options options = hn_read_defaults();
    hn_model *model;
    hn_error error;
    assert_int_equal(truncate(large, 20000000), 0);
    options.max_bytes = 10000000;
    assert_int_equal(hn_model_read(&model, 1, files, &options, &error), HN_LIMIT);
    assert_non_null(strstr(error.text, "b.mod: larger than the limit of 10000000 bytes"));
}

TEST_AROUND(little_is_quoted_of_an_included_file_that_is_no_model, start, stop) {
    put("passwords", "root:secretsecretsecretsecret;\nuser:another\x01secret;\nthird:secret;\n");
    const char *files[] = {put("a.mod", "var x;\ninclude passwords;")};
    struct messages messages = {.length = 0};
    hn_read_options options = hn_read_defaults();
    hn_model *model;
    hn_error error;
    options.message = keep_message;
    options.context = &messages;
    assert_int_equal(hn_model_read(&model, 1, files, &options, &error), HN_SYNTAX);
    assert_null(strstr(messages.text, "secretsecretsecret"));
    assert_null(strstr(messages.text, "user"));
    assert_null(strstr(messages.text, "third"));
}

TEST(files_of_other_kinds_are_called_by_their_name) {
    static const struct {
        const char *bytes;
        size_t length;
        const char *words;
    } kinds[] = {{"\x93NUMPY\x01\0v\0{'descr': '<f8'", 24, "an array (.npy), not a model"},
                 {"PK\3\4\x14\0\0\0", 8, "a zip archive (.npz), not a model"},
                 {"\x7f"
                  "ELF\2\1",
                  6, "a program, not a model"},
                 {"\x10\0\0\0\0\0\0\0{\"a\":1}", 15, "a network (.safetensors), not a model"},
                 {"\x08\x08\x12\x07pytorch", 11, "ONNX files are not supported"},
                 {"\x80\x04\x95\x1b\x00", 5, "a Python pickle, not a model"},
                 {"g3 1 1 0\t# problem x\n", 21, ".nl files are not supported; use the .mod"},
                 {"b3 0 1 0\t# problem x\n", 21, ".nl files are not supported"}};
    hn_model *model;
    hn_error error;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        hn_text texts[] = {{"m", kinds[i].bytes, kinds[i].length}};
        assert_int_equal(hn_model_read_memory(&model, 1, texts, NULL, &error), HN_SYNTAX);
        if (!strstr(error.text, "m:1:1: ") || !strstr(error.text, kinds[i].words))
            fail_msg("%s", error.text);
    }
}

TEST_AROUND(a_text_that_is_not_trusted_opens_no_other_file, start, stop) {
    static const char *const texts[] = {"var x;\ninclude b.mod;", "var x;\nmodel b.mod;", "var x;\ndata b.mod;"};
    put("b.mod", "var z;");
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const char *files[] = {put("a.mod", texts[i])};
        hn_read_options options = hn_read_defaults();
        hn_model *model;
        hn_error error;
        options.untrusted = true;
        assert_error(hn_model_read(&model, 1, files, &options, &error), HN_UNSUPPORTED, error, "a.mod:2:");
        assert_non_null(strstr(error.text, "b.mod: an untrusted model cannot include files"));
    }
}

/* The caller's limit holds where it is the tighter one. */
TEST_AROUND(a_text_that_is_not_trusted_has_tight_limits, start, stop) {
    static const struct {
        const char *text;
        size_t max_nodes;
        hn_status status;
    } cases[] = {{"var x{1..40000}; c{i in 1..40000}: sin(x[i])^3 + x[i]^5 <= 1;", 0, HN_LIMIT},
                 {"var x{1..40000};", 0, HN_OK},
                 {"var x{1..40000};", 100, HN_LIMIT}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *files[] = {put("a.mod", cases[i].text)};
        hn_read_options options = hn_read_defaults();
        hn_model *model;
        options.untrusted = true;
        if (cases[i].max_nodes)
            options.max_nodes = cases[i].max_nodes;
        assert_int_equal(hn_model_read(&model, 1, files, &options, NULL), cases[i].status);
        hn_model_destroy(model);
    }
}
