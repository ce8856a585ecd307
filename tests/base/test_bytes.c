/* test_bytes.c - numbers as bytes, in both orders and three sizes; texts in quotes; clocks.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/random.h"
#include "base/utf8.h"

TEST(integers_come_in_both_orders) {
    static const unsigned char bytes[] = {1, 2, 3, 4, 5, 6, 7, 8};
    unsigned char back[8];
    assert_true(bytes_integer(bytes, 8, false) == UINT64_C(0x0807060504030201));
    assert_true(bytes_integer(bytes, 8, true) == UINT64_C(0x0102030405060708));
    assert_true(bytes_integer(bytes, 3, true) == 0x010203);
    assert_true(bytes_integer(bytes, 1, false) == 1);
    assert_true(bytes_integer(bytes, 0, false) == 0);
    bytes_put_integer(back, UINT64_C(0x0807060504030201));
    assert_memory_equal(back, bytes, sizeof back);
}

TEST(numbers_come_back_to_the_same_bits) {
    static const double special[] = {0, -0.0, 1, -2.5, INFINITY, -INFINITY, 0x1p-1074, 0x1.fffffffffffffp1023};
    struct random random = random_start(6, 0);
    for (size_t i = 0; i < 1000; i++) {
        double value = i < COUNT_OF(special) ? special[i] : random_normal(&random);
        unsigned char bytes[8];
        bytes_put_real(bytes, value);
        assert_same_bits(bytes_real(bytes_integer(bytes, 8, false), 8), value);
    }
}

TEST(smaller_numbers_are_exact) {
    assert_same_bits(bytes_real(0x3fc00000, 4), 1.5);
    assert_same_bits(bytes_real(0x80000001, 4), -0x1p-149);
    assert_same_bits(bytes_real(0x3e00, 2), 1.5);
    assert_same_bits(bytes_real(0x8001, 2), -0x1p-24);
    assert_same_bits(bytes_real(0x7bff, 2), 65504);
    assert_true(isinf(bytes_real(0xfc00, 2)) && isnan(bytes_real(0x7e00, 2)) && isnan(bytes_real(0x7fc00000, 4)));
}

static void append(void *to, const char *bytes, size_t count) {
    strncat(to, bytes, count);
}

TEST(texts_are_quoted) {
    static const struct {
        const char *text, *quoted;
    } cases[] = {
        {"", "\"\""},
        {"plain", "\"plain\""},
        {"a\"b\\c", "\"a\\\"b\\\\c\""},
        {"\n\x1b\x7f", "\"\\u000a\\u001b\\u007f\""},
        {"\xc2\x9b", "\"\\u009b\""},
        {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\""},
        {"\xff-\xc3", "\"\\ufffd-\\ufffd\""},
        {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char out[64] = "";
        json_quote(append, out, cases[i].text);
        assert_string_equal(out, cases[i].quoted);
    }
}

TEST(clocks_go_forward) {
    double before = clock_seconds(), busy = clock_busy_seconds();
    volatile double sum = 0;
    for (int i = 0; i < 2000000; i++)
        sum = sum + i;
    assert_true(clock_seconds() > before);
    assert_true(clock_busy_seconds() > busy);
}
