/* test_npy.c - arrays in files: what is read, what is refused and how, and that what is written is read again.
 *
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "base/random.h"
#include "files/npy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct bytes {
    unsigned char data[1000];
    size_t count;
};

/* A file of the given version, with the header text as it is. */
static struct bytes file_of(int version, const char *header) {
    struct bytes file = {.count = version == 1 ? 10 : 12};
    size_t length = strlen(header);
    memcpy(file.data, "\x93NUMPY", 6);
    file.data[6] = (unsigned char)version;
    file.data[8] = (unsigned char)length;
    file.data[9] = (unsigned char)(length >> 8);
    memcpy(file.data + file.count, header, length);
    file.count += length;
    return file;
}

static void put_double(struct bytes *file, double value, bool big_endian) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (int i = 0; i < 8; i++)
        file->data[file->count++] = (unsigned char)(bits >> 8 * (big_endian ? 7 - i : i));
}

static void put_float(struct bytes *file, float value, bool big_endian) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (int i = 0; i < 4; i++)
        file->data[file->count++] = (unsigned char)(bits >> 8 * (big_endian ? 3 - i : i));
}

static struct npy_array must_parse(const struct bytes *file) {
    struct npy_array array;
    hn_error error = {.status = HN_OK, .text = ""};
    if (npy_parse(&array, "a.npy", file->data, file->count, &error) != HN_OK)
        fail_msg("%s", error.text);
    return array;
}

static void must_refuse(const struct bytes *file, const char *word) {
    struct npy_array array;
    hn_error error = {.status = HN_OK, .text = ""};
    assert_int_not_equal(npy_parse(&array, "a.npy", file->data, file->count, &error), HN_OK);
    assert_null(array.values);
    if (strncmp(error.text, "a.npy: ", 7) != 0 || !strstr(error.text, word))
        fail_msg("'%s' does not say '%s'", error.text, word);
}

static void doubles_and_floats_of_both_byte_orders_are_read(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        static const char *const types[] = {"<f8", ">f8", "<f4", ">f4"};
        char header[100];
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (2, 3), }   \n", types[kind]);
        struct bytes file = file_of(1, header);
        for (int i = 0; i < 6; i++) {
            if (kind < 2)
                put_double(&file, i + 0.25, kind == 1);
            else
                put_float(&file, (float)i + 0.25F, kind == 3);
        }
        struct npy_array array = must_parse(&file);
        assert_int_equal(array.dimensions, 2);
        assert_int_equal(array.rows, 2);
        assert_int_equal(array.columns, 3);
        for (int i = 0; i < 6; i++)
            assert_true(array.values[i] == i + 0.25);
        npy_release(&array);
    }
}

static void fortran_order_is_turned_into_rows(void **state) {
    (void)state;
    struct bytes file = file_of(2, "{\"shape\":(2,3),\"fortran_order\":True,\"descr\":\"<f8\"}");
    for (int i = 0; i < 6; i++)
        put_double(&file, i, false);
    struct npy_array array = must_parse(&file);
    const double expected[] = {0, 2, 4, 1, 3, 5};
    for (int i = 0; i < 6; i++)
        assert_true(array.values[i] == expected[i]);
    npy_release(&array);
}

static void one_dimension_and_none_of_its_entries_are_read(void **state) {
    (void)state;
    struct bytes file = file_of(3, "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }\n");
    put_double(&file, 1, false);
    put_double(&file, -0.0, false);
    struct npy_array array = must_parse(&file);
    assert_int_equal(array.dimensions, 1);
    assert_int_equal(array.rows, 2);
    assert_int_equal(array.columns, 1);
    npy_release(&array);
    file = file_of(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 18446744073709551615), }\n");
    array = must_parse(&file);
    assert_non_null(array.values);
    assert_int_equal(array.rows, 0);
    npy_release(&array);
}

static void other_types_and_shapes_are_refused_by_name(void **state) {
    (void)state;
    static const char *const headers[][2] = {
        {"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "object"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (1,), }", "'<i4'"},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (1,), }", "'<f2'"},
        {"{'descr': '<c16', 'fortran_order': False, 'shape': (1,), }", "'<c16'"},
        {"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }", "fields"},
        {"{'descr': '|f8', 'fortran_order': False, 'shape': (1,), }", "byte order"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,2,3), }", "two dimensions"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (), }", "no dimensions"},
        {"{'descr': '<f8', 'fortran_order': 0, 'shape': (1,), }", "fortran_order"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }", "extent"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }", "extent"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", "too large"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': 1}", "tuple"},
        {"{'descr': '<f8', 'fortran_order': False}", "lacks"},
        {"{'descr': '<f8', 'descr': '<f8', 'shape': (1,)}", "twice"},
        {"{'descr': '<f8', 'colour': 3}", "'colour'"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,)", "does not end"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} import os", "follows"},
        {"import os", "dictionary"}};
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        struct bytes file = file_of(1, headers[i][0]);
        put_double(&file, 1, false);
        must_refuse(&file, headers[i][1]);
    }
}

static void a_file_is_as_long_as_its_header_says(void **state) {
    (void)state;
    struct bytes file = file_of(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }\n");
    put_double(&file, 1, false);
    put_double(&file, 2, false);
    struct bytes longer = file;
    longer.data[longer.count++] = 0;
    must_refuse(&longer, "17 bytes");
    for (size_t count = 0; count < file.count; count++) {
        struct bytes shorter = file;
        shorter.count = count;
        must_refuse(&shorter, "");
    }
    file.data[6] = 4;
    must_refuse(&file, "version 4.0");
    struct bytes huge = file_of(2, "{}");
    memset(huge.data + 8, 0xff, 4);
    must_refuse(&huge, "header of 4294967295 bytes");
}

static void what_is_written_is_read_again(void **state) {
    (void)state;
    char path[] = "/tmp/hardnet-npy-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    double values[12];
    struct random random = random_start(1, 0);
    for (int i = 0; i < 12; i++)
        values[i] = random_normal(&random);
    hn_error error;
    struct npy_array array;
    assert_int_equal(npy_write(path, 4, 3, values, &error), HN_OK);
    assert_int_equal(npy_read(&array, path, 1 << 20, &error), HN_OK);
    assert_int_equal(array.rows, 4);
    assert_int_equal(array.columns, 3);
    assert_memory_equal(array.values, values, sizeof values);
    npy_release(&array);
    assert_int_equal(npy_write(path, 0, 3, values, &error), HN_OK);
    assert_int_equal(npy_read(&array, path, 1 << 20, &error), HN_OK);
    npy_release(&array);
    assert_int_equal(npy_read(&array, path, 10, &error), HN_LIMIT);
    unlink(path);
    assert_int_equal(npy_read(&array, path, 1 << 20, &error), HN_IO);
    assert_non_null(strstr(error.text, path));
    assert_int_equal(npy_write("/nowhere/at/all.npy", 4, 3, values, &error), HN_IO);
    assert_int_equal(npy_write(path, SIZE_MAX / 2, SIZE_MAX / 2, values, &error), HN_NO_MEMORY);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(doubles_and_floats_of_both_byte_orders_are_read),
                                       cmocka_unit_test(fortran_order_is_turned_into_rows),
                                       cmocka_unit_test(one_dimension_and_none_of_its_entries_are_read),
                                       cmocka_unit_test(other_types_and_shapes_are_refused_by_name),
                                       cmocka_unit_test(a_file_is_as_long_as_its_header_says),
                                       cmocka_unit_test(what_is_written_is_read_again)};
    return cmocka_run_group_tests_name("files/npy", tests, NULL, NULL);
}
