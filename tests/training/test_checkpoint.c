/* test_checkpoint.c - the state of a training comes back to the same bits, and what is damaged or of another training does not.
 *
 * SPDX-License-Identifier: MIT */
#include "hardnet/checkpoint.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "hardnet/hardnet.h"
#include "support/check.h"
#include "support/scratch.h"

enum { WEIGHTS = 37, ROWS = 5, COLUMNS = 3, ROOM = 8 };

static const hn_metadata texts[] = {{"--batch", "240"}, {"model", "e3b0c442"}};

/* Arrays, and a checkpoint over them. */
struct state {
    double weights[WEIGHTS], curve[ROOM * COLUMNS];
    hn_checkpoint_part parts[3];
    hn_checkpoint_range range; /* of the weights */
    hn_checkpoint checkpoint;
};

SCRATCH_FOLDER

static const char *path(void) {
    return scratch_path(&scratch, "checkpoint");
}

static void lay_out(struct state *s, size_t rows) {
    s->parts[0] = (hn_checkpoint_part){"weights", s->weights, 1, WEIGHTS, false, s->range};
    s->parts[1] = (hn_checkpoint_part){"curve", s->curve, rows, COLUMNS, true, HN_CHECKPOINT_ANY};
    s->parts[2] = (hn_checkpoint_part){"rollout", NULL, 0, COLUMNS, false, HN_CHECKPOINT_FINITE};
    s->checkpoint = (hn_checkpoint){COUNT_OF(texts), COUNT_OF(s->parts), texts, s->parts};
}

/* Numbers of every kind, those that are none among them. */
static void fill(struct state *s) {
    static const double special[] = {0, -0.0, INFINITY, -INFINITY, NAN, 0x1p-1074, 0x1.fffffffffffffp1023};
    struct random random = random_start(5, 1);
    for (size_t i = 0; i < WEIGHTS; i++)
        s->weights[i] = i < COUNT_OF(special) ? special[i] : random_normal(&random);
    for (size_t i = 0; i < ROOM * COLUMNS; i++)
        s->curve[i] = random_normal(&random);
    lay_out(s, ROWS);
}

static void save(struct state *s) {
    hn_error error = {.text = ""};
    fill(s);
    assert_int_equal(hn_checkpoint_save(&s->checkpoint, path(), &error), HN_OK);
    assert_string_equal(error.text, "");
}

/* Loads what the path holds; nothing changes when it is refused. */
static hn_status load(struct state *s, hn_error *error) {
    struct state before;
    memset(s->weights, 0x5a, sizeof s->weights);
    memset(s->curve, 0x5a, sizeof s->curve);
    lay_out(s, ROOM);
    memcpy(&before, s, sizeof before);
    hn_status status = hn_checkpoint_load(&s->checkpoint, path(), error);
    if (status != HN_OK) {
        assert_memory_equal(s->weights, before.weights, sizeof before.weights);
        assert_memory_equal(s->curve, before.curve, sizeof before.curve);
        assert_int_equal(s->parts[1].rows, ROOM);
    }
    return status;
}

/* ---- there and back ---- */

TEST_IN_FOLDER(the_state_comes_back_to_the_same_bits) {
    struct state wanted = {.range = HN_CHECKPOINT_ANY}, found = wanted;
    hn_error error = {.text = ""};
    save(&wanted);
    assert_int_equal(load(&found, &error), HN_OK);
    assert_memory_equal(found.weights, wanted.weights, sizeof wanted.weights);
    assert_int_equal(found.parts[1].rows, ROWS);
    assert_memory_equal(found.curve, wanted.curve, ROWS * COLUMNS * sizeof(double));
    assert_int_equal(count_entries(scratch.folder), 1);
}

TEST_IN_FOLDER(the_same_state_gives_the_same_bytes) {
    struct state trained = {.range = HN_CHECKPOINT_ANY};
    struct file_bytes first, second;
    save(&trained);
    assert_int_equal(file_read(&first, path(), SIZE_MAX, NULL), HN_OK);
    save(&trained);
    assert_int_equal(file_read(&second, path(), SIZE_MAX, NULL), HN_OK);
    assert_int_equal(first.count, second.count);
    assert_memory_equal(first.data, second.data, first.count);
    base_release(first.data);
    base_release(second.data);
}

/* The special numbers that a range refuses, each in turn among weights that are fine. */
static void check_refused(hn_checkpoint_range range, double number, bool refused) {
    struct state trained = {.range = range};
    hn_error error = {.text = ""};
    fill(&trained);
    for (size_t i = 0; i < WEIGHTS; i++)
        trained.weights[i] = 0.5;
    trained.weights[3] = number;
    assert_int_equal(hn_checkpoint_save(&trained.checkpoint, path(), NULL), HN_OK);
    assert_int_equal(load(&trained, &error), refused ? HN_INVALID : HN_OK);
    if (refused)
        assert_contains(error.text, "checkpoint: number 3 of weights is ");
}

TEST_IN_FOLDER(weights_from_which_no_training_can_go_on_are_refused) {
    check_refused(HN_CHECKPOINT_ANY, NAN, false);
    check_refused(HN_CHECKPOINT_FINITE, NAN, true);
    check_refused(HN_CHECKPOINT_FINITE, INFINITY, true);
    check_refused(HN_CHECKPOINT_FINITE, -1, false);
    check_refused(HN_CHECKPOINT_NOT_NEGATIVE, -1, true);
    check_refused(HN_CHECKPOINT_NOT_NEGATIVE, -INFINITY, true);
    check_refused(HN_CHECKPOINT_NOT_NEGATIVE, 0, false);
}

/* ---- damage ---- */

/* Without the care of file_write, which takes its time. */
static void put_file(const unsigned char *bytes, size_t count) {
    FILE *file = fopen(path(), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

TEST_IN_FOLDER(every_flipped_bit_is_found) {
    struct state trained = {.range = HN_CHECKPOINT_ANY};
    struct file_bytes bytes;
    size_t step = HN_TEST_SHARE;
    save(&trained);
    assert_int_equal(file_read(&bytes, path(), SIZE_MAX, NULL), HN_OK);
    for (size_t bit = 0; bit < 8 * bytes.count; bit += step) {
        hn_error error;
        bytes.data[bit / 8] ^= (unsigned char)(1U << bit % 8);
        put_file(bytes.data, bytes.count);
        assert_int_not_equal(load(&trained, &error), HN_OK);
        assert_contains(error.text, "checkpoint: ");
        bytes.data[bit / 8] ^= (unsigned char)(1U << bit % 8);
    }
    print_message("%zu flipped bits refused\n", 8 * bytes.count / step);
    base_release(bytes.data);
}

TEST_IN_FOLDER(every_cut_is_found) {
    struct state trained = {.range = HN_CHECKPOINT_ANY};
    struct file_bytes bytes;
    save(&trained);
    assert_int_equal(file_read(&bytes, path(), SIZE_MAX, NULL), HN_OK);
    for (size_t count = 0; count < bytes.count; count++) {
        hn_error error;
        put_file(bytes.data, count);
        assert_int_not_equal(load(&trained, &error), HN_OK);
    }
    print_message("%zu cut files refused\n", bytes.count);
    base_release(bytes.data);
}

TEST_IN_FOLDER(a_file_that_is_too_long_or_not_there_is_refused) {
    struct state trained = {.range = HN_CHECKPOINT_ANY};
    hn_error error;
    enum { LONG = 2 << 20 };
    unsigned char *zeros = calloc(1, LONG);
    assert_int_equal(load(&trained, &error), HN_IO);
    assert_int_equal(file_write(path(), zeros, LONG, NULL), HN_OK);
    assert_int_equal(load(&trained, &error), HN_SYNTAX); /* by its first bytes */
    zeros[0] = 2, zeros[8] = '{';
    assert_int_equal(file_write(path(), zeros, LONG, NULL), HN_OK);
    assert_int_equal(load(&trained, &error), HN_LIMIT);
    free(zeros);
}

/* ---- other trainings ---- */

static void refuses(const hn_metadata *other, hn_status status, const char *saying) {
    struct state trained = {.range = HN_CHECKPOINT_ANY};
    hn_error error = {.text = ""};
    fill(&trained);
    trained.checkpoint.texts = other;
    assert_int_equal(hn_checkpoint_save(&trained.checkpoint, path(), NULL), HN_OK);
    assert_error(load(&trained, &error), status, error, saying);
}

TEST_IN_FOLDER(another_training_is_refused_by_name) {
    refuses((const hn_metadata[]){{"--batch", "120"}, {"model", "e3b0c442"}}, HN_INVALID,
            "it was made with --batch 120, but this is --batch 240");
    refuses((const hn_metadata[]){{"--batch", "240"}, {"model", "ffffffff"}}, HN_INVALID, "model ffffffff");
    refuses((const hn_metadata[]){{"--batch", "240"}, {"other", "e3b0c442"}}, HN_INVALID,
            "it does not record the model");
}

TEST_IN_FOLDER(other_shapes_are_refused_by_name) {
    struct state trained = {.range = HN_CHECKPOINT_ANY};
    hn_error error;
    save(&trained);
    trained.parts[0].columns--;
    assert_int_equal(hn_checkpoint_load(&trained.checkpoint, path(), &error), HN_SYNTAX);
    assert_contains(error.text, "weights has 1 x 37 numbers, but this training needs 1 x 36");
    lay_out(&trained, ROWS - 1); /* less room than the file has rows */
    assert_error(hn_checkpoint_load(&trained.checkpoint, path(), &error), HN_SYNTAX, error, "curve has 5 x 3");
    lay_out(&trained, ROWS);
    trained.parts[2].name = "labels";
    assert_error(hn_checkpoint_load(&trained.checkpoint, path(), &error), HN_SYNTAX, error, "labels is missing");
}

TEST_IN_FOLDER(a_network_is_no_checkpoint) {
    struct state trained = {.range = HN_CHECKPOINT_ANY};
    hn_error error;
    hn_network *network;
    const hn_network_options options = {.inputs = 2, .outputs = 1};
    assert_int_equal(hn_network_create(&network, &options, NULL), HN_OK);
    assert_int_equal(hn_network_save(network, path(), COUNT_OF(texts), texts, NULL), HN_OK);
    assert_error(load(&trained, &error), HN_UNSUPPORTED, error, "its format is \"hardnet network 1\"");
    save(&trained);
    hn_network_destroy(network);
    assert_int_equal(hn_network_load(&network, path(), &error), HN_UNSUPPORTED);
}

TEST_IN_FOLDER(too_many_parts_are_refused) {
    struct state trained = {.range = HN_CHECKPOINT_ANY};
    hn_error error;
    fill(&trained);
    trained.checkpoint.part_count = HN_CHECKPOINT_MOST_PARTS + 1;
    assert_int_equal(hn_checkpoint_save(&trained.checkpoint, path(), &error), HN_LIMIT);
    assert_int_equal(count_entries(scratch.folder), 0);
}

TEST_IN_FOLDER(what_is_missing_is_named) {
    const hn_checkpoint nothing = {.part_count = 0};
    hn_error error = {.status = HN_OK};
    assert_error(hn_checkpoint_save(NULL, "file", &error), HN_INVALID, error, "checkpoint");
    assert_error(hn_checkpoint_load(&nothing, NULL, &error), HN_INVALID, error, "path");
}
