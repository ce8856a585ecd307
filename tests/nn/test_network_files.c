/* test_network_files.c - networks to files and back: every bit and every text; no damage goes unnoticed.
 *
 * SPDX-License-Identifier: MIT */
#include "nn/file_bytes.h"
#include "support/scratch.h"

#include "base/random.h"

SCRATCH_FOLDER

/* ---- networks ---- */

/* Two hidden layers are residual and normalised. */
static hn_network *make(size_t layers, int activation) {
    hn_network_options options = {.inputs = 3, .outputs = 5, .hidden_count = layers, .seed = 9};
    hn_network *network;
    struct random random = random_start(1, layers);
    double numbers[4][5];
    for (size_t i = 0; i < layers; i++)
        options.hidden[i] = 12 + i / 2;
    options.residual = options.layer_norm = layers == 2;
    options.activation = (hn_activation)activation;
    assert_int_equal(hn_network_create(&network, &options, NULL), HN_OK);
    for (size_t i = 0; i < 20; i++)
        numbers[i / 5][i % 5] = random_normal(&random);
    assert_int_equal(hn_network_set_input(network, numbers[0], numbers[1], NULL), HN_OK);
    assert_int_equal(hn_network_set_output(network, numbers[2], numbers[3], NULL), HN_OK);
    return network;
}

static void save(const hn_network *network, const char *path, size_t count, const hn_metadata *texts) {
    hn_error error = {.text = ""};
    if (hn_network_save(network, path, count, texts, &error) != HN_OK)
        fail_msg("%s", error.text);
}

static hn_network *load(const char *path) {
    hn_network *network;
    hn_error error = {.text = ""};
    if (hn_network_load(&network, path, &error) != HN_OK)
        fail_msg("%s", error.text);
    return network;
}

static void check_same(const hn_network *a, const hn_network *b) {
    hn_network_options options = hn_network_options_of(a), other = hn_network_options_of(b);
    options.seed = 0;
    assert_memory_equal(&options, &other, sizeof options);
    assert_int_equal(network_tensor_count(a), network_tensor_count(b));
    for (size_t i = 0; i < network_tensor_count(a); i++) {
        struct network_tensor one = network_tensor(a, i), two = network_tensor(b, i);
        assert_memory_equal(one.numbers, two.numbers, one.shape[0] * one.shape[1] * sizeof *one.numbers);
    }
}

/* ---- there and back ---- */

TEST_IN_FOLDER(a_network_comes_back_bit_by_bit) {
    for (size_t layers = 0; layers <= HN_NETWORK_MOST_HIDDEN; layers += layers < 3 ? 1 : 13)
        for (int activation = 0; activation < HN_ACTIVATION_COUNT; activation++) {
            hn_network *network = make(layers, activation);
            hn_network_parameters(network)[1] = -0.0;
            hn_network_parameters(network)[2] = 0x1p-1074;
            hn_network_parameters(network)[3] = 0x1.fffffffffffffp1023;
            save(network, scratch_path(&scratch, "net"), 0, NULL);
            hn_network *back = load(scratch_path(&scratch, "net"));
            check_same(network, back);
            hn_network_destroy(network);
            hn_network_destroy(back);
        }
}

static const hn_metadata some_texts[] = {
    {"model", "models/unicycle.mod"},
    {"", "an empty key"},
    {"empty", ""},
    {"marks", "\" \\ / { } , : \b\f\n\r\t\x01\x1f\x7f"},
    {"\xe2\x82\xac \xc3\xa9 \xf0\x9f\x98\x80", "\xce\xb5 = 10\xe2\x81\xbb\xc2\xb2 \xf4\x8f\xbf\xbf \xef\xbf\xbf"},
    {"format ", "a key that only looks reserved"},
    {"__metadata__", "{\"layer.0.weight\":1}"},
    {"layer.0.weight", "[]"},
};

TEST_IN_FOLDER(texts_come_back_as_they_were) {
    hn_network *network = make(1, 0);
    save(network, scratch_path(&scratch, "net"), COUNT_OF(some_texts), some_texts);
    hn_network *back = load(scratch_path(&scratch, "net"));
    for (size_t i = 0; i < COUNT_OF(some_texts); i++)
        assert_string_equal(hn_network_metadata(back, some_texts[i].key), some_texts[i].value);
    assert_string_equal(hn_network_metadata(back, "activation"), "relu");
    assert_null(hn_network_metadata(back, "models/unicycle.mod"));
    assert_null(hn_network_metadata(back, NULL));
    size_t found = 0;
    for (size_t i = 0; i < hn_network_metadata_count(back); i++) {
        hn_metadata text = hn_network_metadata_at(back, i);
        assert_string_equal(hn_network_metadata(back, text.key), text.value);
        found += strcmp(text.key, some_texts[0].key) == 0;
    }
    assert_int_equal(found, 1);
    assert_true(hn_network_metadata_count(back) > sizeof some_texts / sizeof some_texts[0]);
    assert_null(hn_network_metadata_at(back, hn_network_metadata_count(back)).key);
    assert_int_equal(hn_network_metadata_count(NULL), 0);
    assert_null(hn_network_metadata_at(NULL, 0).value);
    check_same(network, back);
    hn_network_destroy(network);
    hn_network_destroy(back);
}

TEST_IN_FOLDER(the_same_network_gives_the_same_bytes) {
    hn_network *network = make(2, 1);
    save(network, scratch_path(&scratch, "a"), COUNT_OF(some_texts), some_texts);
    hn_network *back = load(scratch_path(&scratch, "a"));
    save(back, scratch_path(&scratch, "b"), COUNT_OF(some_texts), some_texts);
    struct bytes a = bytes_of_file(scratch_path(&scratch, "a")), b = bytes_of_file(scratch_path(&scratch, "b"));
    assert_int_equal(a.count, b.count);
    assert_memory_equal(a.data, b.data, a.count);
    assert_int_equal(header_length(&a) % 8, 0);
    hn_network_destroy(network);
    hn_network_destroy(back);
    free(a.data);
    free(b.data);
}

TEST_IN_FOLDER(the_checksum_is_zlibs) {
    assert_int_equal(checksum_add(0, "123456789", 9), 0xcbf43926);
    assert_int_equal(checksum_add(checksum_add(0, "1234", 4), "56789", 5), 0xcbf43926);
    assert_int_equal(checksum_add(0, "", 0), 0);
    enum { MUCH = 100003, PIECE = 97 };
    unsigned char *much = malloc(MUCH);
    uint32_t pieces = 0;
    for (size_t i = 0; i < MUCH; i++)
        much[i] = (unsigned char)(i * i >> 3);
    for (size_t i = 0; i < MUCH; i += PIECE)
        pieces = checksum_add(pieces, much + i, MUCH - i < PIECE ? MUCH - i : PIECE);
    assert_int_equal(checksum_add(0, much, MUCH), pieces);
    free(much);
}

/* Earlier versions read the first and refuse the second by its name. */
TEST_IN_FOLDER(only_files_of_shaped_networks_have_the_second_format) {
    for (int shape = 0; shape < 4; shape++) {
        hn_network_options options = {.inputs = 3, .outputs = 5, .hidden_count = 2, .hidden = {4, 4}};
        hn_network *network;
        options.residual = shape & 1;
        options.layer_norm = shape & 2;
        assert_int_equal(hn_network_create(&network, &options, NULL), HN_OK);
        save(network, scratch_path(&scratch, "net"), 0, NULL);
        hn_network *back = load(scratch_path(&scratch, "net"));
        check_same(network, back);
        assert_string_equal(hn_network_metadata(back, "format"), shape ? "hardnet network 2" : "hardnet network 1");
        if (shape) {
            assert_string_equal(hn_network_metadata(back, "structure"), options.residual ? "residual" : "plain");
            assert_string_equal(hn_network_metadata(back, "norm"), options.layer_norm ? "layer" : "none");
        } else
            assert_null(hn_network_metadata(back, "structure"));
        hn_network_destroy(network);
        hn_network_destroy(back);
    }
}

/* The same network with every number in single precision. */
static struct bytes in_single_precision(const struct bytes *bytes, hn_network *network) {
    char *header = header_text(bytes), *text = header, part[64], other[64];
    size_t offset = 0, count = 0;
    float *numbers = malloc(bytes->count);
    for (size_t i = 0; i < network_tensor_count(network); i++) {
        struct network_tensor tensor = network_tensor(network, i);
        size_t own = tensor.shape[0] * tensor.shape[1];
        snprintf(part, sizeof part, "[%zu,%zu]}", offset * 8, (offset + own) * 8);
        snprintf(other, sizeof other, "[%zu,%zu]}", offset * 4, (offset + own) * 4);
        text = replaced(header, part, other);
        free(header);
        header = replaced(text, "F64", "F32");
        free(text);
        offset += own;
        for (size_t j = 0; j < own; j++) {
            numbers[count++] = (float)tensor.numbers[j];
            tensor.numbers[j] = (double)(float)tensor.numbers[j];
        }
    }
    struct bytes single = bytes_of_parts(header, strlen(header), numbers, count * sizeof *numbers);
    free(header);
    free(numbers);
    return single;
}

TEST_IN_FOLDER(single_precision_is_read_too) {
    hn_network *network = make(2, 2), *back;
    save(network, scratch_path(&scratch, "net"), 0, NULL);
    struct bytes bytes = bytes_of_file(scratch_path(&scratch, "net")), single = in_single_precision(&bytes, network);
    assert_int_equal(network_parse(&back, "single", single.data, single.count, NULL), HN_OK);
    check_same(network, back);
    hn_network_destroy(network);
    hn_network_destroy(back);
    free(bytes.data);
    free(single.data);
}

/* ---- damage ---- */

static struct bytes four_kilobytes(void) {
    hn_network *network = make(2, 0);
    char text[1200];
    memset(text, 'x', sizeof text);
    save(network, scratch_path(&scratch, "net"), 0, NULL);
    struct bytes bytes = bytes_of_file(scratch_path(&scratch, "net"));
    text[4096 - bytes.count - strlen(",\"note\":\"\"")] = '\0';
    save(network, scratch_path(&scratch, "net"), 1, &(hn_metadata){"note", text});
    free(bytes.data);
    bytes = bytes_of_file(scratch_path(&scratch, "net"));
    hn_network_destroy(network);
    return bytes;
}

static void check_refused(const struct bytes *bytes, size_t count, const char *what, size_t place) {
    hn_network *network;
    hn_error error = {.status = HN_OK, .text = ""};
    if (network_parse(&network, "some.net", bytes->data, count, &error) == HN_OK)
        fail_msg("%s %zu went unnoticed", what, place);
    assert_null(network);
    assert_true(error.status != HN_OK && strncmp(error.text, "some.net: ", 10) == 0);
}

TEST_IN_FOLDER(every_flipped_bit_is_noticed) {
    struct bytes bytes = four_kilobytes();
    assert_in_interval((double)bytes.count, 4088, 4104);
    for (size_t bit = 0; bit < 8 * bytes.count; bit++) {
        bytes.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        check_refused(&bytes, bytes.count, "bit", bit);
        bytes.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    print_message("%zu flipped bits refused\n", 8 * bytes.count);
    free(bytes.data);
}

TEST_IN_FOLDER(every_cut_is_noticed) {
    struct bytes bytes = four_kilobytes();
    for (size_t count = 0; count < bytes.count; count++) {
        struct bytes cut = {malloc(count ? count : 1), count}; /* a sanitizer sees a byte too many */
        memcpy(cut.data, bytes.data, count);
        check_refused(&cut, count, "a cut at", count);
        free(cut.data);
    }
    print_message("%zu cut files refused\n", bytes.count);
    free(bytes.data);
}

TEST_IN_FOLDER(whatever_follows_is_noticed) {
    struct bytes bytes = four_kilobytes();
    bytes.data = realloc(bytes.data, bytes.count + 8);
    memset(bytes.data + bytes.count, 0, 8);
    for (size_t more = 1; more <= 8; more++)
        check_refused(&bytes, bytes.count + more, "more bytes:", more);
    free(bytes.data);
}

TEST_IN_FOLDER(a_damaged_file_is_called_damaged) {
    struct bytes bytes = four_kilobytes();
    hn_network *network;
    hn_error error;
    bytes.data[bytes.count - 9] ^= 0x40;
    assert_int_equal(network_parse(&network, "net", bytes.data, bytes.count, &error), HN_SYNTAX);
    assert_contains(error.text, "net: the file is damaged: its checksum is ");
    assert_int_equal(network_parse(&network, "net", bytes.data, bytes.count - 1, &error), HN_SYNTAX);
    assert_contains(error.text, "net: the file is damaged: its checksum is ");
    assert_int_equal(network_parse(&network, "net", bytes.data, 100, &error), HN_SYNTAX);
    assert_contains(error.text, "net: the file ends in its header: it has been cut short");
    free(bytes.data);
}

/* ---- what is not saved ---- */

static void check_not_saved(hn_network *network, size_t count, const hn_metadata *texts, const char *part) {
    hn_error error = {.text = ""};
    hn_status status = hn_network_save(network, scratch_path(&scratch, "not"), count, texts, &error);
    assert_true(status == HN_INVALID || status == HN_LIMIT);
    assert_int_equal(error.status, status);
    assert_contains(error.text, "/not: ");
    assert_contains(error.text, part);
    assert_int_equal(count_entries(scratch.folder), 0);
}

TEST_IN_FOLDER(texts_that_no_file_can_hold_are_refused) {
    hn_network *network = make(1, 0);
    check_not_saved(network, 1, NULL, "texts are missing");
    check_not_saved(network, 1, &(hn_metadata){NULL, "a"}, "text 0 has no key");
    check_not_saved(network, 1, &(hn_metadata){"a", NULL}, "text 0 has no value");
    check_not_saved(network, 1, &(hn_metadata){"format", "a"}, "may not be called format");
    check_not_saved(network, 1, &(hn_metadata){"activation", "a"}, "may not be called activation");
    check_not_saved(network, 1, &(hn_metadata){"crc32", "a"}, "may not be called crc32");
    check_not_saved(network, 2, (hn_metadata[]){{"a", "1"}, {"a", "1"}}, "two texts are called a");
    static const char wrong[][5] = {"\x80",     "\xc0\x80", "\xc3",         "\xe0\x9f\xbf",     "\xed\xa0\x80",
                                    "\xf5\x80", "\xe2\x82", "\xf0\x8f\xbf", "\xf4\x90\x80\x80", "\xff"};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        check_not_saved(network, 2, (hn_metadata[]){{"a", ""}, {"b", wrong[i]}}, "text 1, b, is not UTF-8");
        check_not_saved(network, 1, &(hn_metadata){wrong[i], ""}, "is not UTF-8");
    }
    hn_network_destroy(network);
}

TEST_IN_FOLDER(texts_beyond_the_limits_are_refused) {
    enum { LONG = 1 << 20, MANY = NETWORK_MOST_TEXTS + 1 };
    hn_network *network = make(1, 0), *back;
    char *text = malloc(LONG), (*keys)[8] = malloc(MANY * sizeof *keys);
    hn_metadata *texts = malloc(MANY * sizeof *texts);
    for (int control = 0; control < 2; control++) {
        memset(text, control ? 1 : 'x', LONG); /* a control character takes six bytes in the file */
        text[control ? LONG / 6 : LONG - 1] = '\0';
        check_not_saved(network, 1, &(hn_metadata){"a", text}, "at most 1048576 bytes");
    }
    for (size_t i = 0; i < MANY; i++) {
        snprintf(keys[i], sizeof keys[i], "%zu", i);
        texts[i] = (hn_metadata){keys[i], "v"};
    }
    check_not_saved(network, MANY, texts, "1001 texts; at most 1000");
    save(network, scratch_path(&scratch, "net"), MANY - 1, texts);
    back = load(scratch_path(&scratch, "net"));
    assert_string_equal(hn_network_metadata(back, "999"), "v");
    hn_network_destroy(network);
    hn_network_destroy(back);
    free(texts);
    free(keys);
    free(text);
}

TEST_IN_FOLDER(bad_numbers_are_not_saved) {
    hn_network *network = make(1, 0);
    double *own = hn_network_parameters(network), kept = own[40];
    own[40] = NAN;
    check_not_saved(network, 0, NULL, "tensor layer.0.bias: number 4 is NaN");
    own[40] = kept;
    own[50] = -INFINITY;
    check_not_saved(network, 0, NULL, "tensor layer.1.weight: number 2 is -Infinity");
    hn_network_destroy(network);
}

TEST_IN_FOLDER(nothing_and_nowhere_are_refused) {
    hn_network *network = make(1, 0), *back = network;
    hn_error error;
    assert_int_equal(hn_network_save(NULL, "a", 0, NULL, &error), HN_INVALID);
    assert_int_equal(hn_network_save(network, NULL, 0, NULL, &error), HN_INVALID);
    assert_int_equal(hn_network_load(&back, NULL, &error), HN_INVALID);
    assert_null(back);
    assert_error(hn_network_load(&back, "/nowhere/net", &error), HN_IO, error, "/nowhere/net");
    assert_null(back);
    hn_network_destroy(network);
}
