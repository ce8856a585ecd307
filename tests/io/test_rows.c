/* test_rows.c - rows read from a file one by one are those of the array that is read whole, for every kind of file.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/scratch.h"

#include "base/file.h"
#include "base/memory.h"
#include "hardnet/arrays.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROWS = 5, COLUMNS = 3, MOST_BYTES = 400 };

SCRATCH_FOLDER

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

TEST_IN_FOLDER(every_kind_of_number_is_read) {
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

TEST_IN_FOLDER(what_cannot_be_read_in_rows_is_read_whole) {
    check_same(write_array("<f8", 8, "True", "(5, 3)", ROWS * COLUMNS));
    check_same(write_array("<f8", 8, "False", "(0, 3)", 0));
    check_same(write_array("<f8", 8, "False", "(0, 999999999999999999)", 0));
}

static void check_refused(const char *path, hn_status status, const char *part) {
    hn_array_rows *rows = (void *)&scratch;
    hn_error error;
    assert_error(hn_array_rows_open(&rows, path, &error), status, error, part);
    assert_null(rows);
}

TEST_IN_FOLDER(other_files_are_refused_as_arrays_are) {
    check_refused(write_array("<f8", 8, "False", "(5, 4)", ROWS * COLUMNS), HN_SYNTAX,
                  "120 bytes of data, but the header specifies 160");
    check_refused(write_array("<f8", 8, "False", "(4294967296, 4294967296)", 1), HN_SYNTAX, "the shape is too large");
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

TEST_IN_FOLDER(a_file_that_changes_is_noticed) {
    hn_array_rows *rows;
    double row[2 * COLUMNS];
    unsigned char large[8];
    hn_error error;
    const char *path = write_array("<f8", 8, "False", "(5, 3)", ROWS * COLUMNS);
    assert_int_equal(hn_array_rows_open(&rows, path, NULL), HN_OK);
    assert_int_equal(truncate(path, (off_t)bytes_of(path) - 60), 0);
    assert_int_equal(hn_array_rows_read(rows, 0, 1, row, &error), HN_OK);
    assert_error(hn_array_rows_read(rows, 4, 1, row, &error), HN_IO, error, "the file was truncated while it was read");
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

TEST(what_is_missing_is_told) {
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

/* ---- pipes and devices ---- */

enum { ENDLESS = 64 << 20, LITTLE = 1 << 20 };

/* What a pipe gives: a beginning, then zeros, many more than anybody should take. */
struct stream {
    char path[128];
    const unsigned char *begin;
    size_t count; /* bytes of the beginning */
    size_t zeros; /* at most so many follow */
    size_t sent;
    bool by_bytes; /* the beginning comes byte by byte */
};

static void *feed(void *argument) {
    static const unsigned char zeros[4096];
    struct stream *stream = argument;
    int pipe = open(stream->path, O_WRONLY);
    while (stream->sent < stream->count + stream->zeros) {
        size_t left = stream->count + stream->zeros - stream->sent;
        bool begins = stream->sent < stream->count;
        size_t part = begins ? stream->by_bytes ? 1 : stream->count - stream->sent : left < 4096 ? left : 4096;
        ssize_t put = write(pipe, begins ? stream->begin + stream->sent : zeros, part);
        if (put <= 0) /* EPIPE: enough was read */
            break;
        stream->sent += (size_t)put;
    }
    close(pipe);
    return NULL;
}

static hn_status read_stream(struct stream *stream, bool by_rows, hn_array *array, hn_error *error) {
    pthread_t feeder;
    hn_array_rows *rows = NULL;
    snprintf(stream->path, sizeof stream->path, "%s", scratch_path(&scratch, "pipe"));
    *array = (hn_array){.values = NULL};
    assert_int_equal(mkfifo(stream->path, 0600), 0);
    assert_int_equal(pthread_create(&feeder, NULL, feed, stream), 0);
    hn_status status =
        by_rows ? hn_array_rows_open(&rows, stream->path, error) : hn_array_read(array, stream->path, 0, error);
    if (by_rows)
        hn_array_rows_get_shape(rows, array);
    hn_array_rows_close(rows);
    assert_int_equal(pthread_join(feeder, NULL), 0);
    assert_int_equal(unlink(stream->path), 0);
    return status;
}

/* The bytes of a file with 5 x 3 doubles. */
static struct file_bytes small_file(void) {
    struct file_bytes bytes;
    const char *path = write_array("<f8", 8, "False", "(5, 3)", (size_t)ROWS * COLUMNS);
    assert_int_equal(file_read(&bytes, path, MOST_BYTES, NULL), HN_OK);
    return bytes;
}

TEST_IN_FOLDER(a_pipe_is_read_as_far_as_its_header_says) {
    struct file_bytes bytes = small_file();
    hn_array array;
    hn_error error;
    signal(SIGPIPE, SIG_IGN);
    for (int by_rows = 0; by_rows < 2; by_rows++)
        for (int by_bytes = 0; by_bytes < 2; by_bytes++) {
            struct stream whole = {.begin = bytes.data, .count = bytes.count, .by_bytes = by_bytes}, longer = whole;
            assert_int_equal(read_stream(&whole, by_rows, &array, &error), HN_OK);
            assert_true(array.rows == ROWS && array.columns == COLUMNS);
            hn_array_release(&array);
            longer.zeros = ENDLESS;
            assert_int_equal(read_stream(&longer, by_rows, &array, &error), HN_SYNTAX);
            assert_contains(error.text, "more data than the 120 bytes in the header");
            assert_true(longer.sent < LITTLE);
        }
    base_release(bytes.data);
}

TEST_IN_FOLDER(a_pipe_that_is_no_array_is_refused_by_its_first_bytes) {
    hn_array array;
    hn_error error;
    signal(SIGPIPE, SIG_IGN);
    for (int by_rows = 0; by_rows < 2; by_rows++) {
        struct stream zeros = {.zeros = ENDLESS};
        assert_error(read_stream(&zeros, by_rows, &array, &error), HN_SYNTAX, error, "not a .npy file");
        assert_true(zeros.sent < LITTLE);
    }
}

TEST_IN_FOLDER(a_header_that_says_more_than_the_limit_is_refused_at_once) {
    static const char header[] = "\x93NUMPY\x01\x00\x4b\x00{'descr': '<f8', 'fortran_order': False, 'shape': "
                                 "(99999999999, 9), }      ";
    struct stream huge = {.begin = (const unsigned char *)header, .count = sizeof header - 1, .zeros = ENDLESS};
    hn_array array;
    hn_error error;
    signal(SIGPIPE, SIG_IGN);
    assert_error(read_stream(&huge, false, &array, &error), HN_LIMIT, error, "larger than the limit");
    assert_true(huge.sent < LITTLE);
}

TEST(a_device_is_refused) {
    static const char *const paths[] = {"/dev/zero", "/dev/null"};
    hn_array array;
    hn_array_rows *rows;
    hn_error error;
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        assert_error(hn_array_read(&array, paths[i], LITTLE, &error), HN_IO, error, "is a device, not a file");
        assert_error(hn_array_rows_open(&rows, paths[i], &error), HN_IO, error, "is a device, not a file");
    }
}
