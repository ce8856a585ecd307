/* test_network_hostile.c - files that somebody has written wrongly, by mistake or on purpose: each refused by name.
 *
 * A good file's header is changed in one place, and the checksum made right again: what is refused is refused for what it
 * says. Other files are no safetensors files at all.
 *
 * SPDX-License-Identifier: MIT */
#include "nn/file_bytes.h"

#include "base/utf8.h"

/* 2 -> 3 -> 1, relu */
static const char good_header[] =
    "{\"__metadata__\":{\"format\":\"hardnet network 1\",\"activation\":\"relu\",\"crc32\":\"00000000\"},"
    "\"layer.0.weight\":{\"dtype\":\"F64\",\"shape\":[3,2],\"data_offsets\":[0,48]},"
    "\"layer.0.bias\":{\"dtype\":\"F64\",\"shape\":[3],\"data_offsets\":[48,72]},"
    "\"layer.1.weight\":{\"dtype\":\"F64\",\"shape\":[1,3],\"data_offsets\":[72,96]},"
    "\"layer.1.bias\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[96,104]},"
    "\"input.shift\":{\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[104,120]},"
    "\"input.scale\":{\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[120,136]},"
    "\"output.shift\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[136,144]},"
    "\"output.scale\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[144,152]}}";

static const double good_data[19] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 1, 1, 0.5, 0, 0, 1, 1, 0, 1};

/* ---- judging ---- */

static hn_status parse(const struct bytes *bytes, hn_error *error) {
    hn_network *network = (hn_network *)(uintptr_t)bytes;
    unsigned char *exact = malloc(bytes->count ? bytes->count : 1); /* a sanitizer sees a byte too many */
    memcpy(exact, bytes->data, bytes->count);
    *error = (hn_error){.status = HN_OK, .text = ""};
    hn_status status = network_parse(&network, "its.name", exact, bytes->count, error);
    free(exact);
    assert_int_equal(status == HN_OK, network != NULL);
    assert_int_equal(status, error->status);
    hn_network_destroy(network);
    return status;
}

static void check_refused(const struct bytes *bytes, hn_status expected, const char *part) {
    hn_error error;
    hn_status status = parse(bytes, &error);
    if (status != expected || strncmp(error.text, "its.name: ", 10) != 0 || !strstr(error.text, part))
        fail_msg("%s, not %s %s", error.text, hn_status_text(expected), part);
}

static void check_header_refused(const char *header, hn_status status, const char *part) {
    struct bytes bytes = bytes_of_parts(header, strlen(header), good_data, sizeof good_data);
    check_refused(&bytes, status, part);
    free(bytes.data);
}

/* ---- one change ---- */

struct change {
    const char *from, *to;
    hn_status status;
    const char *part;
};

#define W0 "\"layer.0.weight\":{\"dtype\":\"F64\",\"shape\":[3,2],\"data_offsets\":[0,48]},"
#define B1 "\"layer.1.bias\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[96,104]},"

static const struct change changes[] = {
    /* grammar */
    {"{", "[", HN_SYNTAX, "byte 8: '{' is missing"},
    {"{", " {", HN_SYNTAX, "byte 8: '{' is missing"},
    {"]}}", "]}", HN_SYNTAX, "',' or '}' is missing"},
    {"]}}", "]}},", HN_SYNTAX, "something follows the header"},
    {"]}}", "]},}", HN_SYNTAX, "expected a string"},
    {"]}}", "]}} x", HN_SYNTAX, "something follows the header"},
    {"\"layer.0.weight\":", "\"layer.0.weight\"", HN_SYNTAX, "':' is missing"},
    {"\"layer.0.weight\"", "layer.0.weight", HN_SYNTAX, "expected a string"},
    {"\"layer.0.weight\"", "\"layer.0.\nweight\"", HN_SYNTAX, "invalid character or escape in a string"},
    {"\"layer.0.weight\"", "\"layer.0.weight\\x\"", HN_SYNTAX, "invalid character or escape in a string"},
    {"\"layer.0.weight\"", "\"layer.0.weight\\u00\"", HN_SYNTAX, "invalid character or escape in a string"},
    {"\"layer.0.weight\"", "\"layer.0.weight\\u0000\"", HN_SYNTAX, "invalid character or escape in a string"},
    {"\"layer.0.weight\"", "\"layer.0.weight\\ud800\"", HN_SYNTAX, "invalid character or escape in a string"},
    {"\"layer.0.weight\"", "\"layer.0.weight\\ud800\\u0041\"", HN_SYNTAX, "invalid character or escape in a string"},
    {"\"layer.0.weight\"", "\"layer.0.weight\\udc00\"", HN_SYNTAX, "invalid character or escape in a string"},
    {"\"layer.0.weight\"", "\"\xc0\x80\"", HN_SYNTAX, "invalid character or escape in a string"},
    {"\"layer.0.weight\"", "\"\xed\xa0\x80\"", HN_SYNTAX, "invalid character or escape in a string"},
    {"\"layer.0.weight\"", "\"a.name.that.is.far.too.long.to.be.the.name.of.a.tensor.of.any.of.our.networks\"",
     HN_SYNTAX, "a name is too long"},
    {"\"output.scale\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[144,152]}}", "\"output", HN_SYNTAX,
     "unterminated string"},
    {"[3,2]", "[3,2}", HN_SYNTAX, "',' or ']' is missing"},
    {"[3,2]", "{}", HN_SYNTAX, "'[' is missing"},
    {"[3,2]", "[3,-2]", HN_SYNTAX, "expected a whole number"},
    {"[3,2]", "[3,]", HN_SYNTAX, "expected a whole number"},
    {"[3,2]", "[3,2.0]", HN_SYNTAX, "',' or ']' is missing"},
    {"[3,2]", "[3,2e0]", HN_SYNTAX, "',' or ']' is missing"},
    {"[3,2]", "[3,02]", HN_SYNTAX, "a number begins with 0"},
    {"[3,2]", "[3,99999999999999999999]", HN_SYNTAX, "a number is too large"},
    {"[3,2]", "[3,18446744073709551616]", HN_SYNTAX, "a number is too large"},
    {"[3,2]", "[3,\"2\"]", HN_SYNTAX, "expected a whole number"},
    {"[3,2]", "[1,3,2]", HN_SYNTAX, "tensor layer.0.weight has more than two dimensions"},
    {"[3,2]", "[[3],2]", HN_SYNTAX, "expected a whole number"},
    {"\"dtype\":\"F64\"", "\"dtype\":6", HN_SYNTAX, "expected a string"},
    {"\"dtype\":\"F64\"", "\"dtype\":\"F64\",\"dtype\":\"F64\"", HN_SYNTAX, "tensor layer.0.weight has a key twice"},
    {"\"dtype\":\"F64\"", "\"type\":\"F64\"", HN_SYNTAX, "tensor layer.0.weight has an unknown key"},
    {"\"dtype\":\"F64\",", "", HN_SYNTAX, "tensor layer.0.weight lacks dtype, shape or data_offsets"},
    {W0, "\"layer.0.weight\":[],", HN_SYNTAX, "'{' is missing"},
    {W0, "\"layer.0.weight\":{},", HN_SYNTAX, "expected a string"},
    {"[0,48]", "[0]", HN_SYNTAX, "tensor layer.0.weight does not have two offsets"},
    {"[0,48]", "[0,48,96]", HN_SYNTAX, "more than two dimensions or offsets"},
    {W0, W0 W0, HN_SYNTAX, "tensor layer.0.weight appears twice"},
    /* metadata */
    {"{\"format\"", "[\"format\"", HN_SYNTAX, "'{' is missing"},
    {"\"relu\"", "1", HN_SYNTAX, "expected a string"},
    {"\"relu\"", "{\"a\":\"b\"}", HN_SYNTAX, "expected a string"},
    {"\"relu\"", "\"relu\",\"format\":\"hardnet network 1\"", HN_SYNTAX, "the metadata has the key format twice"},
    {W0, W0 "\"__metadata__\":{\"a\":\"b\"},", HN_SYNTAX, "the metadata appear twice"},
    {",\"crc32\":\"00000000\"", "", HN_UNSUPPORTED, "hardnet.torch.save_policy saves a PyTorch network for hardnet"},
    {"\"00000000\"", "\"0000000\"", HN_SYNTAX, "crc32 is not eight hexadecimal digits"},
    {":\"00000000\"", ": \"0000000A\"", HN_SYNTAX, "crc32 is not eight hexadecimal digits"},
    {"\"00000000\"", "\"000000000\"", HN_SYNTAX, "crc32 is not eight hexadecimal digits"},
    {"\"00000000\"", "\"\\u00300000000\"", HN_SYNTAX, "crc32 is not eight hexadecimal digits"},
    {"network 1", "network 3", HN_UNSUPPORTED,
     "its format is \"hardnet network 3\", not \"hardnet network 1\" or \"hardnet network 2\""},
    {"network 1", "network 2", HN_UNSUPPORTED, "its structure is \"\", not \"plain\" or \"residual\""},
    {"network 1\"", "network 2\",\"structure\":\"dense\",\"norm\":\"none\"", HN_UNSUPPORTED,
     "its structure is \"dense\", not \"plain\" or \"residual\""},
    {"network 1\"", "network 2\",\"structure\":\"plain\"", HN_UNSUPPORTED,
     "its norm is \"\", not \"none\" or \"layer\""},
    {"network 1\"", "network 2\",\"structure\":\"plain\",\"norm\":\"\\u001b[2J\"", HN_UNSUPPORTED,
     "its norm is \"?[2J\", not \"none\" or \"layer\""},
    {"network 1\"", "network 2\",\"structure\":\"residual\",\"norm\":\"none\"", HN_SYNTAX,
     "network: a residual one needs two hidden layers in a row of the same width"},
    {"network 1\"", "network 2\",\"structure\":\"plain\",\"norm\":\"none\",\"norm\":\"layer\"", HN_SYNTAX,
     "the metadata has the key norm twice"},
    {"\"format\"", "\"firmat\"", HN_UNSUPPORTED, "its format is \"\""},
    {"relu", "gelu", HN_UNSUPPORTED, "unknown activation \"gelu\""},
    {"relu", "\\u001b[2J\xe2\x82\xac", HN_UNSUPPORTED, "unknown activation \"?[2J???\""},
    {"\"activation\"", "\"activitis\"", HN_UNSUPPORTED, "unknown activation \"\""},
    /* tensors */
    {"F64", "BF16", HN_UNSUPPORTED, "tensor layer.0.weight: dtype BF16 is neither F64 nor F32"},
    {"F64", "F32", HN_SYNTAX, "tensor layer.0.weight: its shape needs 24 bytes, and its offsets are 0 and 48"},
    {"[3,2]", "[4294967296,4294967296]", HN_SYNTAX, "tensor layer.0.weight: its shape is too large"},
    {"[3,2]", "[2305843009213693952,2]", HN_SYNTAX, "tensor layer.0.weight: its shape is too large"},
    {"[3,2]", "[3,3]", HN_SYNTAX, "tensor layer.0.weight: its shape needs 72 bytes"},
    {"[48,72]", "[72,48]", HN_SYNTAX, "tensor layer.0.bias: its shape needs 24 bytes, and its offsets are 72 and 48"},
    {"[48,72]", "[40,64]", HN_SYNTAX, "tensors layer.0.weight and layer.0.bias overlap"},
    {"[144,152]", "[136,144]", HN_SYNTAX, "tensors output.shift and output.scale overlap"},
    {"[144,152]", "[152,160]", HN_SYNTAX, "tensor output.scale ends at byte 160 of the data, which has 152"},
    {"[144,152]", "[18446744073709551608,18446744073709551615]", HN_SYNTAX, "tensor output.scale: its shape needs"},
    {"\"shape\":[1],\"data_offsets\":[144,152]", "\"shape\":[0],\"data_offsets\":[144,144]", HN_SYNTAX,
     "8 bytes of the data belong to no tensor"},
    /* networks */
    {"layer.0.weight", "layer.7.weight", HN_SYNTAX, "tensor layer.0.weight is missing"},
    {"layer.0.bias", "layer.0.bios", HN_SYNTAX, "tensor layer.0.bias is missing"},
    {B1,
     B1 "\"a.name.that.is.too.long.to.be.shown.as.a.whole.but.read\":{\"dtype\":\"F64\",\"shape\":[0],"
        "\"data_offsets\":[0,0]},",
     HN_SYNTAX, "tensor a.name.that.is.too.long.to.be.shown.as.a.who... is not part of a network"},
    {"output.scale", "output.scala", HN_SYNTAX, "tensor output.scale is missing"},
    {B1, B1 "\"layer.1\\u001bextra\":{\"dtype\":\"F64\",\"shape\":[0],\"data_offsets\":[0,0]},", HN_SYNTAX,
     "tensor layer.1?extra is not part of a network"},
    {B1, B1 "\"layer.02.weight\":{\"dtype\":\"F64\",\"shape\":[0,5],\"data_offsets\":[0,0]},", HN_SYNTAX,
     "tensor layer.02.weight is not part of a network"},
    {B1, B1 "\"layer.2.weight\":{\"dtype\":\"F64\",\"shape\":[0,1],\"data_offsets\":[0,0]},", HN_SYNTAX,
     "network: it needs at least one output"},
    {B1, B1 "\"layer.2.weight\":{\"dtype\":\"F64\",\"shape\":[9999999999999,0],\"data_offsets\":[0,0]},", HN_SYNTAX,
     "tensor layer.2.weight has 0 inputs, but layer.1.weight has 1 outputs"},
    {"[1,3]", "[3,1]", HN_SYNTAX, "tensor layer.1.weight has 1 inputs, but layer.0.weight has 3 outputs"},
    {"[3,2]", "[6]", HN_SYNTAX, "tensor layer.1.weight has 3 inputs, but layer.0.weight has 6 outputs"},
    {"\"shape\":[1],\"data_offsets\":[144,152]", "\"shape\":[],\"data_offsets\":[144,152]", HN_SYNTAX,
     "tensor output.scale has 0 dimensions and 1 x 1 numbers; the other weights require 1 and 1 x 1"},
    {"\"shape\":[2],\"data_offsets\":[104,120]", "\"shape\":[1,2],\"data_offsets\":[104,120]", HN_SYNTAX,
     "tensor input.shift has 2 dimensions"},
};

TEST(a_good_file_is_read) {
    struct bytes bytes = bytes_of_parts(good_header, strlen(good_header), good_data, sizeof good_data);
    hn_error error;
    hn_status status = parse(&bytes, &error);
    assert_string_equal(error.text, "");
    assert_int_equal(status, HN_OK);
    free(bytes.data);
}

TEST(a_header_with_one_thing_wrong_is_refused_by_name) {
    for (size_t i = 0; i < COUNT_OF(changes); i++) {
        char *header = replaced(good_header, changes[i].from, changes[i].to);
        check_header_refused(header, changes[i].status, changes[i].part);
        free(header);
    }
}

static const struct change harmless[] = {
    {"]}}", "]}}  \t\r\n ", HN_OK, NULL},
    {"\"relu\"", " \n\"\\u0072\\u0065lu\" ", HN_OK, NULL},
    {"\"relu\"", "\"relu\",\"\":\"\\ud83d\\ude00\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\u20AC\"", HN_OK, NULL},
    {"\"dtype\":\"F64\",\"shape\":[3,2]", "\"shape\":[ 3 , 2 ],\"dtype\":\"F64\"", HN_OK, NULL},
    {W0, B1 W0, HN_OK, NULL},
};

TEST(blanks_escapes_and_another_order_are_no_harm) {
    for (size_t i = 0; i < COUNT_OF(harmless); i++) {
        const char *from = good_header;
        char *once = i == 4 ? replaced(from, B1, "") : replaced(from, "", ""); /* the bias moves to the front */
        char *header = replaced(once, harmless[i].from, harmless[i].to);
        struct bytes bytes = bytes_of_parts(header, strlen(header), good_data, sizeof good_data);
        hn_error error;
        parse(&bytes, &error);
        assert_string_equal(error.text, "");
        free(bytes.data);
        free(header);
        free(once);
    }
}

/* Wherever the header ends: in a text, an escape, a number. */
TEST(a_header_that_ends_too_early_is_refused) {
    char *header = replaced(good_header, "\"relu\"", harmless[2].to);
    struct bytes bytes = {malloc(8 + strlen(header)), 0};
    for (size_t length = 0; length < strlen(header); length++) {
        memcpy(bytes.data, (unsigned char[]){length & 255, length >> 8 & 255, 0, 0, 0, 0, 0, 0}, 8);
        memcpy(bytes.data + 8, header, length);
        bytes.count = 8 + length;
        check_refused(&bytes, HN_SYNTAX, length ? "header, byte " : "'{' is missing");
    }
    free(bytes.data);
    free(header);
}

TEST(only_utf8_is_utf8) {
    static const struct {
        const char *text;
        size_t bytes;
    } cases[] = {
        {"a", 1},
        {"\x7f", 1},
        {"\xc2\x80", 2},
        {"\xdf\xbf", 2},
        {"\xe0\xa0\x80", 3},
        {"\xed\x9f\xbf", 3},
        {"\xee\x80\x80", 3},
        {"\xef\xbf\xbf", 3},
        {"\xf0\x90\x80\x80", 4},
        {"\xf4\x8f\xbf\xbf", 4},
        {"\x80", 0},
        {"\xc1\xbf", 0},
        {"\xc2", 0},
        {"\xc2\x41", 0},
        {"\xe0\x9f\xbf", 0},
        {"\xed\xa0\x80", 0},
        {"\xe2\x82", 0},
        {"\xe2\x41\x80", 0},
        {"\xe2\x82\x41", 0},
        {"\xf0\x8f\xbf\xbf", 0},
        {"\xf4\x90\x80\x80", 0},
        {"\xf5\x80\x80\x80", 0},
        {"\xf0\x90\x80\x41", 0},
        {"\xf0\x90\x41\x80", 0},
        {"\xff", 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_int_equal(utf8_bytes((const unsigned char *)cases[i].text, strlen(cases[i].text)), cases[i].bytes);
    assert_int_equal(utf8_bytes((const unsigned char *)"a", 0), 0);
}

/* ---- numbers ---- */

static void check_number(size_t at, double value, const char *part) {
    double data[19];
    memcpy(data, good_data, sizeof data);
    data[at] = value;
    struct bytes bytes = bytes_of_parts(good_header, strlen(good_header), data, sizeof data);
    check_refused(&bytes, HN_INVALID, part);
    free(bytes.data);
}

TEST(numbers_that_no_network_has_are_refused_by_name) {
    check_number(0, NAN, "tensor layer.0.weight: number 0 is NaN");
    check_number(5, -NAN, "tensor layer.0.weight: number 5 is NaN");
    check_number(8, INFINITY, "tensor layer.0.bias: number 2 is Infinity");
    check_number(12, -INFINITY, "tensor layer.1.bias: number 0 is -Infinity");
    check_number(14, NAN, "tensor input.shift: number 1 is NaN");
    check_number(15, 0, "tensor input.scale: number 0 is 0");
    check_number(16, -0.0, "tensor input.scale: number 1 is -0");
    check_number(16, INFINITY, "tensor input.scale: number 1 is Infinity");
    check_number(17, INFINITY, "tensor output.shift: number 0 is Infinity");
    check_number(18, 0, "tensor output.scale: number 0 is 0");
}

/* ---- too much ---- */

TEST(hosts_of_tensors_and_texts_are_refused) {
    char *header = malloc(1 << 20), *at = header;
    at += sprintf(at, "{\"a\":{\"dtype\":\"F64\",\"shape\":[0],\"data_offsets\":[0,0]}");
    for (int i = 0; i < 5000; i++)
        at += sprintf(at, ",\"t%d\":{\"dtype\":\"F64\",\"shape\":[0],\"data_offsets\":[0,0]}", i);
    sprintf(at, "}");
    check_header_refused(header, HN_SYNTAX, "tensor t63 is one too many");
    at = header + sprintf(header, "{\"__metadata__\":{\"a\":\"\"");
    for (int i = 0; i < 50000; i++)
        at += sprintf(at, ",\"%d\":\"\"", i);
    sprintf(at, "}}");
    check_header_refused(header, HN_SYNTAX, "the metadata's key 1023 is one too many");
    free(header);
}

TEST(endless_nesting_is_refused_at_its_first_step) {
    char *header = malloc(1 << 20);
    for (size_t i = 0; i < (1 << 20) - 1; i++)
        header[i] = i % 5 == 0 ? '{' : "\"a\":"[(i - 1) % 5 % 4];
    header[(1 << 20) - 1] = '\0';
    check_header_refused(header, HN_SYNTAX, "tensor a has an unknown key");
    memset(header, '[', (1 << 20) - 1);
    check_header_refused(header, HN_SYNTAX, "'{' is missing");
    free(header);
}

TEST(a_seventeenth_hidden_layer_is_refused) {
    char header[8192], *at = header;
    double data[64] = {0};
    at += sprintf(
        at, "{\"__metadata__\":{\"format\":\"hardnet network 1\",\"activation\":\"relu\",\"crc32\":\"00000000\"}");
    for (int k = 0; k < 18; k++)
        at += sprintf(at, ",\"layer.%d.weight\":{\"dtype\":\"F64\",\"shape\":[1,1],\"data_offsets\":[%d,%d]}", k, 8 * k,
                      8 * k + 8);
    sprintf(at, "}");
    struct bytes bytes = bytes_of_parts(header, strlen(header), data, 18 * sizeof *data);
    check_refused(&bytes, HN_LIMIT, "tensor layer.17.weight: at most 16 hidden layers are possible");
    free(bytes.data);
}

/* ---- other files ---- */

static void check_stranger(const char *start, size_t count, hn_status status, const char *part) {
    unsigned char data[2000];
    memset(data, 'x', sizeof data);
    memcpy(data, start, count);
    check_refused(&(struct bytes){data, sizeof data}, status, part);
}

TEST(other_files_are_called_what_they_are) {
    check_stranger("PK\x03\x04\x00\x00\x08\x08", 8, HN_UNSUPPORTED,
                   "this is a zip archive, as PyTorch writes .pt files");
    check_stranger("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9 j\xa8P", 13, HN_UNSUPPORTED,
                   "this is a pickle, as PyTorch writes .pt files; such files can execute code");
    check_stranger("\x80\x04\x95\x1b\x00\x00\x00\x00\x00\x00\x00}\x94", 13, HN_UNSUPPORTED, "this is a pickle");
    check_stranger("\x93NUMPY\x01\x00", 8, HN_UNSUPPORTED, "this is a .npy file");
    check_stranger("\x08\x08\x12\x07pytorch\x1a\x05"
                   "2.0.0",
                   17, HN_UNSUPPORTED, "this is an ONNX file; these are not supported");
    check_stranger("\x08\x03\x3a\xef\x01\x0a\x10\x0a\x01x", 10, HN_UNSUPPORTED, "hardnet.torch.save_policy");
    check_stranger("g3 1 1 0\t# problem x\n", 21, HN_UNSUPPORTED, "this is an .nl file, a model of AMPL");
    check_stranger("b3 1 1 0\t# problem x\n", 21, HN_UNSUPPORTED, "this is an .nl file, a model of AMPL");
    check_stranger("{\"some\":\"json\"}", 15, HN_SYNTAX, "this is not a safetensors file");
    check_stranger("\x00\x00\x00\x00\x00\x00\x00\x00", 8, HN_SYNTAX, "byte 8: '{' is missing");
    check_stranger("\x01\x00\x10\x00\x00\x00\x00\x00", 8, HN_SYNTAX, "this is not a safetensors file");
    check_stranger("\xff\xff\xff\xff\xff\xff\xff\xff", 8, HN_SYNTAX, "this is not a safetensors file");
    check_stranger("\xc9\x07\x00\x00\x00\x00\x00\x00", 8, HN_SYNTAX, "the file ends in its header");
    for (size_t count = 0; count < 8; count++)
        check_refused(&(struct bytes){(unsigned char *)"\x80\x02\x00\x00\x00\x00\x00\x00", count}, HN_SYNTAX,
                      "bytes are not a safetensors file");
}

/* The length of a header may look like the beginning of a pickle. */
TEST(a_header_of_640_bytes_is_no_pickle) {
    char header[1025];
    memset(header, ' ', sizeof header);
    memcpy(header, good_header, strlen(good_header));
    static const size_t lengths[] = {0x280, 0x380, 0x480};
    for (size_t i = 0; i < COUNT_OF(lengths); i++) {
        if (lengths[i] < strlen(good_header) || lengths[i] > sizeof header)
            continue;
        struct bytes bytes = bytes_of_parts(header, lengths[i], good_data, sizeof good_data);
        hn_error error;
        parse(&bytes, &error);
        assert_string_equal(error.text, "");
        free(bytes.data);
    }
    assert_true(strlen(good_header) <= 0x380);
}

TEST(folders_and_devices_are_refused) {
    hn_network *network;
    hn_error error;
    assert_int_equal(hn_network_load(&network, "/tmp", &error), HN_IO);
    assert_error(hn_network_load(&network, "/dev/zero", &error), HN_IO, error, "/dev/zero: is a device, not a file");
    assert_null(network);
}
