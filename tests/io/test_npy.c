/* test_npy.c - arrays in files: what is read, what is refused and how, and that what is written is read again.
 *
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "base/random.h"
#include "io/npy.h"
#include "support/check.h"

#include <unistd.h>

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

static hn_array must_parse(const struct bytes *file) {
    hn_array array;
    hn_error error = {.status = HN_OK, .text = ""};
    if (npy_parse(&array, "a.npy", file->data, file->count, &error) != HN_OK)
        fail_msg("%s", error.text);
    return array;
}

static void must_refuse(const struct bytes *file, const char *word) {
    hn_array array;
    hn_error error = {.status = HN_OK, .text = ""};
    assert_int_not_equal(npy_parse(&array, "a.npy", file->data, file->count, &error), HN_OK);
    assert_null(array.values);
    if (strncmp(error.text, "a.npy: ", 7) != 0 || !strstr(error.text, word))
        fail_msg("'%s' does not say '%s'", error.text, word);
}

TEST(doubles_and_floats_of_both_byte_orders_are_read) {
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
        hn_array array = must_parse(&file);
        assert_int_equal(array.dimensions, 2);
        assert_int_equal(array.rows, 2);
        assert_int_equal(array.columns, 3);
        for (int i = 0; i < 6; i++)
            assert_true(array.values[i] == i + 0.25);
        hn_array_release(&array);
    }
}

TEST(fortran_order_is_turned_into_rows) {
    struct bytes file = file_of(2, "{\"shape\":(2,3),\"fortran_order\":True,\"descr\":\"<f8\"}");
    for (int i = 0; i < 6; i++)
        put_double(&file, i, false);
    hn_array array = must_parse(&file);
    const double expected[] = {0, 2, 4, 1, 3, 5};
    for (int i = 0; i < 6; i++)
        assert_true(array.values[i] == expected[i]);
    hn_array_release(&array);
}

TEST(one_dimension_and_none_of_its_entries_are_read) {
    struct bytes file = file_of(3, "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }\n");
    put_double(&file, 1, false);
    put_double(&file, -0.0, false);
    hn_array array = must_parse(&file);
    assert_int_equal(array.dimensions, 1);
    assert_int_equal(array.rows, 2);
    assert_int_equal(array.columns, 1);
    hn_array_release(&array);
    file = file_of(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 18446744073709551615), }\n");
    array = must_parse(&file);
    assert_non_null(array.values);
    assert_int_equal(array.rows, 0);
    hn_array_release(&array);
}

TEST(other_types_and_shapes_are_refused_by_name) {
    static const char *const headers[][2] = {
        {"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "object"},
        {"{'descr': '<i3', 'fortran_order': False, 'shape': (1,), }", "'<i3'"},
        {"{'descr': '<U4', 'fortran_order': False, 'shape': (1,), }", "'<U4'"},
        {"{'descr': '<M8', 'fortran_order': False, 'shape': (1,), }", "'<M8'"},
        {"{'descr': '<c16', 'fortran_order': False, 'shape': (1,), }", "'<c16'"},
        {"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }", "structured"},
        {"{'descr': '|f8', 'fortran_order': False, 'shape': (1,), }", "byte order"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,2,3), }", "two dimensions"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (), }", "no dimensions"},
        {"{'descr': '<f8', 'fortran_order': 0, 'shape': (1,), }", "fortran_order"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }", "extent"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (L, 3), }", "extent"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }", "extent"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", "too large"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': 1}", "tuple"},
        {"{'descr': '<f8', 'fortran_order': False}", "lacks"},
        {"{'descr': '<f8', 'descr': '<f8', 'shape': (1,)}", "twice"},
        {"{'descr': '<f8', 'colour': 3}", "'colour'"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,)", "unterminated"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} import os", "unexpected data"},
        {"import os", "dictionary"}};
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        struct bytes file = file_of(1, headers[i][0]);
        put_double(&file, 1, false);
        must_refuse(&file, headers[i][1]);
    }
}

TEST(a_byte_order_of_zero_is_none) {
    struct bytes file = file_of(1, "{'descr': '!f8', 'fortran_order': False, 'shape': (1,), }");
    *(unsigned char *)memchr(file.data, '!', file.count) = 0;
    put_double(&file, 1, false);
    must_refuse(&file, "dtype");
}

/* An array of one entry, whose bytes are those of the number, the lowest first. */
static struct bytes integer(const char *type, uint64_t bits) {
    char header[100];
    snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (1,), }", type);
    struct bytes file = file_of(1, header);
    int item = type[2] - '0';
    for (int i = 0; i < item; i++)
        file.data[file.count++] = (unsigned char)(bits >> 8 * (type[0] == '>' ? item - 1 - i : i));
    return file;
}

TEST(integers_booleans_and_halves_are_read_exactly) {
    static const struct {
        const char *type;
        uint64_t bits;
        double value;
    } cases[] = {{"|b1", 1, 1},
                 {"|b1", 0, 0},
                 {"|i1", 0x80, -128},
                 {"|u1", 0x80, 128},
                 {"<i2", 0xffff, -1},
                 {">u2", 0xfffe, 65534},
                 {"<i4", 0x80000000, -2147483648.0},
                 {">i4", 0x7fffffff, 2147483647},
                 {"<u4", 0xffffffff, 4294967295},
                 {"<i8", (uint64_t)-3, -3},
                 {"<i8", UINT64_C(1) << 53, 9007199254740992},
                 {"<i8", (uint64_t)-9007199254740992, -9007199254740992.0},
                 {">u8", 9007199254740991, 9007199254740991},
                 {"<f2", 0x3555, 0.333251953125},
                 {"<f2", 0xc000, -2},
                 {">f2", 0x0001, 0x1p-24},
                 {"<f2", 0x03ff, 1023 * 0x1p-24},
                 {"<f2", 0x7bff, 65504}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes file = integer(cases[i].type, cases[i].bits);
        hn_array array = must_parse(&file);
        assert_true(array.values[0] == cases[i].value);
        hn_array_release(&array);
    }
}

TEST(integers_that_no_double_holds_are_refused) {
    static const char *const types[] = {"<i8", ">u8", "<u8"};
    for (size_t i = 0; i < 3; i++) {
        struct bytes file = integer(types[i], (UINT64_C(1) << 53) + 1);
        must_refuse(&file, "2^53");
    }
    struct bytes least = integer("<i8", UINT64_C(1) << 63), below = integer("<i8", (uint64_t)-9007199254740993);
    must_refuse(&least, "row 0");
    must_refuse(&below, "2^53");
}

TEST(what_a_file_says_is_escaped_in_messages) {
    struct bytes file = file_of(1, "{'descr': '\x1b]0;a\x07\xe2\x80\xae<f8', 'fortran_order': False, 'shape': (1,), }");
    must_refuse(&file, "dtype '\\x1b]0;a\\x07\\u202e<f8'");
    file = file_of(1, "{'\xc2\x9b\n\x7f': 1}");
    must_refuse(&file, "key '\\u009b\\n\\x7f'");
}

TEST(a_file_is_as_long_as_its_header_says) {
    struct bytes file = file_of(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }\n");
    put_double(&file, 1, false);
    put_double(&file, 2, false);
    struct bytes longer = file;
    longer.data[longer.count++] = 0;
    must_refuse(&longer, "more data than the 16 bytes");
    for (size_t count = 0; count < file.count; count++) {
        struct bytes shorter = file;
        shorter.count = count;
        must_refuse(&shorter, "");
    }
    file.data[6] = 4;
    must_refuse(&file, "version 4.0");
    struct bytes huge = file_of(2, "{}");
    memset(huge.data + 8, 0xff, 4);
    must_refuse(&huge, "header has 4294967295 bytes");
}

TEST(what_is_written_is_read_again) {
    char path[] = "/tmp/hardnet-npy-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    double values[12];
    struct random random = random_start(1, 0);
    for (int i = 0; i < 12; i++)
        values[i] = random_normal(&random);
    hn_error error;
    hn_array array;
    assert_int_equal(hn_array_write(path, 4, 3, values, &error), HN_OK);
    assert_int_equal(hn_array_read(&array, path, 1 << 20, &error), HN_OK);
    assert_int_equal(array.rows, 4);
    assert_int_equal(array.columns, 3);
    assert_memory_equal(array.values, values, sizeof values);
    hn_array_release(&array);
    assert_int_equal(hn_array_write(path, 0, 3, values, &error), HN_OK);
    assert_int_equal(hn_array_read(&array, path, 1 << 20, &error), HN_OK);
    hn_array_release(&array);
    assert_int_equal(hn_array_read(&array, path, 10, &error), HN_LIMIT);
    unlink(path);
    assert_error(hn_array_read(&array, path, 1 << 20, &error), HN_IO, error, path);
    assert_int_equal(hn_array_write("/nowhere/at/all.npy", 4, 3, values, &error), HN_IO);
    assert_int_equal(hn_array_write(path, SIZE_MAX / 2, SIZE_MAX / 2, values, &error), HN_NO_MEMORY);
}
