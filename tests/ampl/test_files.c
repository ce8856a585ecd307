/* test_files.c - models from files, and files that name further files.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/reading.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/hardnet-read-XXXXXX";
static char paths[8][100];
static int path_count;

static const char *put(const char *name, const char *text) {
    char *path = paths[path_count++];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    return path;
}

static int start(void **state) {
    (void)state;
    path_count = 0;
    memcpy(folder + strlen(folder) - 6, "XXXXXX", 6);
    return mkdtemp(folder) ? 0 : -1;
}

static int stop(void **state) {
    (void)state;
    while (path_count > 0)
        unlink(paths[--path_count]);
    return rmdir(folder);
}

static void files_are_read_in_order(void **state) {
    (void)state;
    const char *files[] = {put("a.mod", "param n; var x{1..n};"), put("a.dat", "param n := 4;")};
    hn_model *model;
    hn_error error;
    assert_int_equal(hn_model_read(&model, 2, files, NULL, &error), HN_OK);
    assert_int_equal(hn_model_output_count(model), 4);
    hn_model_destroy(model);
}

static void files_name_files_beside_them(void **state) {
    (void)state;
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

static void a_missing_file_is_named_where_it_is_asked_for(void **state) {
    (void)state;
    const char *files[] = {put("a.mod", "var x;\n  include nowhere.mod;")}, *none[] = {"/nowhere/at/all.mod"};
    hn_model *model;
    hn_error error;
    assert_int_equal(hn_model_read(&model, 1, files, NULL, &error), HN_IO);
    assert_null(model);
    assert_non_null(strstr(error.text, "a.mod:2:3: "));
    assert_non_null(strstr(error.text, "nowhere.mod"));
    assert_int_equal(hn_model_read(&model, 1, none, NULL, &error), HN_IO);
    assert_non_null(strstr(error.text, "/nowhere/at/all.mod"));
}

static void files_that_include_themselves_are_stopped(void **state) {
    (void)state;
    const char *files[] = {put("a.mod", "include a.mod;")};
    hn_model *model;
    hn_error error;
    assert_int_equal(hn_model_read(&model, 1, files, NULL, &error), HN_LIMIT);
    assert_null(model);
}

static void an_error_names_the_file_it_is_in(void **state) {
    (void)state;
    put("b.mod", "var y;\nvar 7;\n");
    const char *files[] = {put("a.mod", "var x;\ninclude b.mod;")};
    hn_model *model;
    hn_error error;
    assert_int_equal(hn_model_read(&model, 1, files, NULL, &error), HN_SYNTAX);
    assert_non_null(strstr(error.text, "/b.mod:2:5: 7"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_are_read_in_order, start, stop),
        cmocka_unit_test_setup_teardown(files_name_files_beside_them, start, stop),
        cmocka_unit_test_setup_teardown(a_missing_file_is_named_where_it_is_asked_for, start, stop),
        cmocka_unit_test_setup_teardown(files_that_include_themselves_are_stopped, start, stop),
        cmocka_unit_test_setup_teardown(an_error_names_the_file_it_is_in, start, stop)};
    return cmocka_run_group_tests_name("ampl/files", tests, NULL, NULL);
}
