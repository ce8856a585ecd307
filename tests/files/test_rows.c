/* test_rows.c - rows read from a file one by one are those of the array that is read whole, for every kind of file.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/scratch.h"

#include "base/file.h"
#include "base/memory.h"
#include "hardnet/arrays.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 5, COLUMNS = 3, MOST_BYTES = 400 };

static struct scratch scratch;

static int make_folder(void **state) {
    (void)state;
    scratch = scratch_create();
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    scratch_remove(&scratch);
    return 0;
}

/* A file of bytes that count up, as this kind of numbers. */
static const char *write_array(const char *descr, size_t item, const char *order, const char *shape, size_t numbers) {
    unsigned char bytes[MOST_BYTES] = "\x93NUMPY\x01\x00";
    const char *path = scratch_path(&scratch, "a.npy");
    int length = snprintf((char *)bytes + 10, sizeof bytes - 10,
                          "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", descr, order, shape);
    size_t data = 10 + (size_t)length;
    bytes[8] = (unsigned char)length;
    for (size_t i = 0; i < numbers * item; i++)
        bytes[data + i] = (unsigned char)(i % item == 6 || i % item == 7 ? 0 : 3 + 5 * i); /* integers up to 2^48 */
    assert_int_equal(file_write(path, bytes, data + numbers * item, NULL), HN_OK);
    return path;
}

static void check_same(const char *path) {
    hn_array whole, shape;
    hn_array_rows *rows;
    double row[ROWS * COLUMNS];
    hn_error error;
    assert_int_equal(hn_array_read(&whole, path, 0, NULL), HN_OK);
    assert_int_equal(hn_array_rows_open(&rows, path, NULL), HN_OK);
    hn_array_rows_get_shape(rows, &shape);
    assert_true(shape.rows == whole.rows && shape.columns == whole.columns && shape.dimensions == whole.dimensions);
    for (size_t first = 0; first < shape.rows; first++)
        for (size_t count = 0; first + count <= shape.rows; count++) {
            assert_int_equal(hn_array_rows_read(rows, first, count, row, NULL), HN_OK);
            assert_memory_equal(row, whole.values + first * shape.columns, count * shape.columns * sizeof *row);
        }
    assert_int_equal(hn_array_rows_read(rows, 0, shape.rows + 1, row, &error), HN_INVALID);
    assert_int_equal(hn_array_rows_read(rows, SIZE_MAX, 1, row, &error), HN_INVALID);
    hn_array_rows_close(rows);
    hn_array_release(&whole);
}

static void every_kind_of_number_is_read(void **state) {
    (void)state;
    static const struct {
        const char *descr;
        size_t item;
    } kinds[] = {{"<f8", 8}, {">f8", 8}, {"<f4", 4}, {">f4", 4}, {"<f2", 2}, {"<i8", 8},
                 {"<u4", 4}, {">i2", 2}, {"|u1", 1}, {"|i1", 1}, {"|b1", 1}};
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        check_same(write_array(kinds[i].descr, kinds[i].item, "False", "(5, 3)", ROWS * COLUMNS));
    check_same(write_array("<f8", 8, "False", "(5,)", ROWS));
    check_same(write_array("<f8", 8, "True", "(5, 1)", ROWS));
}

static void what_cannot_be_read_in_rows_is_read_whole(void **state) {
    (void)state;
    check_same(write_array("<f8", 8, "True", "(5, 3)", ROWS * COLUMNS));
    check_same(write_array("<f8", 8, "False", "(0, 3)", 0));
    check_same(write_array("<f8", 8, "False", "(0, 999999999999999999)", 0));
}

static void check_refused(const char *path, hn_status status, const char *part) {
    hn_array_rows *rows = (void *)&scratch;
    hn_error error;
    assert_int_equal(hn_array_rows_open(&rows, path, &error), status);
    assert_contains(error.text, part);
    assert_null(rows);
}

static void other_files_are_refused_as_arrays_are(void **state) {
    (void)state;
    check_refused(write_array("<f8", 8, "False", "(5, 4)", ROWS * COLUMNS), HN_SYNTAX,
                  "120 bytes of data, and the header says 160");
    check_refused(write_array("<f8", 8, "False", "(4294967296, 4294967296)", 1), HN_SYNTAX, "its shape is too large");
    check_refused(write_array("<c16", 8, "False", "(5, 3)", ROWS * COLUMNS), HN_UNSUPPORTED, "c16");
    check_refused(scratch_path(&scratch, "nowhere"), HN_IO, "cannot open");
}

/* From the end of the file back: what a file of so many bytes of data is cut to. */
static size_t bytes_of(const char *path) {
    struct file_bytes bytes;
    assert_int_equal(file_read(&bytes, path, SIZE_MAX, NULL), HN_OK);
    base_release(bytes.data);
    return bytes.count;
}

static void a_file_that_changes_is_noticed(void **state) {
    (void)state;
    hn_array_rows *rows;
    double row[2 * COLUMNS];
    unsigned char large[8];
    hn_error error;
    const char *path = write_array("<f8", 8, "False", "(5, 3)", ROWS * COLUMNS);
    assert_int_equal(hn_array_rows_open(&rows, path, NULL), HN_OK);
    assert_int_equal(truncate(path, (off_t)bytes_of(path) - 60), 0);
    assert_int_equal(hn_array_rows_read(rows, 0, 1, row, &error), HN_OK);
    assert_int_equal(hn_array_rows_read(rows, 4, 1, row, &error), HN_IO);
    assert_contains(error.text, "it has become shorter while it was read");
    hn_array_rows_close(rows);
    path = write_array("<u8", 8, "False", "(5, 3)", ROWS * COLUMNS);
    assert_int_equal(hn_array_rows_open(&rows, path, NULL), HN_OK);
    memset(large, 255, sizeof large);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, -16, SEEK_END), 0);
    assert_int_equal(fwrite(large, 1, sizeof large, file), sizeof large);
    fclose(file);
    assert_int_equal(hn_array_rows_read(rows, 3, 2, row, &error), HN_UNSUPPORTED);
    assert_contains(error.text, "an integer in row 4, counted from 0");
    hn_array_rows_close(rows);
}

static void what_is_missing_is_told(void **state) {
    (void)state;
    hn_array_rows *rows;
    hn_array shape;
    hn_error error;
    assert_int_equal(hn_array_rows_open(NULL, "a", &error), HN_INVALID);
    assert_int_equal(hn_array_rows_open(&rows, NULL, &error), HN_INVALID);
    assert_int_equal(hn_array_rows_read(NULL, 0, 1, (double[1]){0}, &error), HN_INVALID);
    hn_array_rows_get_shape(NULL, &shape);
    assert_int_equal(shape.rows, 0);
    hn_array_rows_close(NULL);
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(every_kind_of_number_is_read),          IN_A_FOLDER(what_cannot_be_read_in_rows_is_read_whole),
        IN_A_FOLDER(other_files_are_refused_as_arrays_are), IN_A_FOLDER(a_file_that_changes_is_noticed),
        cmocka_unit_test(what_is_missing_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
