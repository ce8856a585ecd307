/* test_numerals.c - numerals against the C library's strtod in the C locale, which rounds correctly.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/numerals.h"
#include "base/random.h"

#include "ampl/reading.h"

static void must_agree(const char *text) {
    double value = -1;
    size_t length = ampl_numeral(text, strlen(text), &value);
    double expected = strtod(text, NULL);
    if (length != strlen(text) || memcmp(&value, &expected, sizeof value) != 0)
        fail_msg("%s: %.17g instead of %.17g, %zu bytes", text, value, expected, length);
}

TEST(numerals_of_all_forms_are_read) {
    static const char *const texts[] = {"0",
                                        "1",
                                        "1.",
                                        ".5",
                                        "1.e5",
                                        "1e5",
                                        "1E+5",
                                        "1e-5",
                                        "0.1",
                                        "0.2",
                                        "0.3",
                                        "123456789012345678901234567890",
                                        "1e22",
                                        "1e23",
                                        "8.5e22",
                                        "1e308",
                                        "1e309",
                                        "1.7976931348623157e308",
                                        "1.7976931348623159e308",
                                        "4.9e-324",
                                        "2.4e-324",
                                        "2.5e-324",
                                        "1e-400",
                                        "2.2250738585072011e-308",
                                        "2.2250738585072014e-308",
                                        "9007199254740993",
                                        "9007199254740992.5",
                                        "9007199254740993.0000000000000000000000000000000001",
                                        "0.000000000000000000000000000000000000001e39",
                                        "00000000000000000000000001",
                                        "1e00000000000000000005",
                                        "6.9294956446009195e15",
                                        "3.2378839133029012895883e0"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        must_agree(texts[i]);
}

TEST(an_exponent_may_be_written_with_d) {
    double value;
    assert_int_equal(ampl_numeral("5.0d-1", 6, &value), 6);
    assert_true(value == 0.5);
    assert_int_equal(ampl_numeral("2D2x", 4, &value), 3);
    assert_true(value == 200);
}

TEST(a_numeral_ends_where_it_must) {
    double value;
    assert_int_equal(ampl_numeral("1..5", 4, &value), 1);
    assert_int_equal(ampl_numeral("1.5.2", 5, &value), 3);
    assert_int_equal(ampl_numeral("1e", 2, &value), 1);
    assert_int_equal(ampl_numeral("1e+", 3, &value), 1);
    assert_int_equal(ampl_numeral(".", 1, &value), 0);
    assert_int_equal(ampl_numeral("e5", 2, &value), 0);
    assert_int_equal(ampl_numeral("", 0, &value), 0);
}

static void random_digits(struct random *random, char *text) {
    size_t n = 0, count = 1 + random_below(random, random_below(random, 20) == 0 ? 60 : 20);
    size_t point = random_below(random, count + 1);
    for (size_t i = 0; i < count; i++) {
        if (i == point)
            text[n++] = '.';
        text[n++] = (char)('0' + random_below(random, 10));
    }
    text[n] = '\0';
    if (random_below(random, 2))
        sprintf(text + n, "e%d", (int)random_below(random, 700) - 350);
}

TEST(a_million_random_numerals_are_rounded_correctly) {
    struct random random = random_start(1, 0);
    char text[100];
    for (int i = 0; i < 700000; i++) {
        random_digits(&random, text);
        must_agree(text);
    }
    for (int i = 0; i < 300000; i++) { /* doubles of all sizes, written with more or fewer digits than they need */
        uint64_t bits = random_bits(&random) & INT64_MAX;
        double value;
        memcpy(&value, &bits, sizeof value);
        if (value != value || value > 1.7e308)
            continue;
        sprintf(text, "%.*e", 14 + (int)random_below(&random, 8), value);
        must_agree(text);
    }
}

/* Halfway between two doubles, and a digit beyond it. */
TEST(ties_are_broken_to_even_by_the_last_digit) {
    struct random random = random_start(2, 0);
    char text[1200];
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = random_bits(&random) & INT64_MAX;
        double value;
        memcpy(&value, &bits, sizeof value);
        if (value != value || value > 1e15 || value < 1e-15)
            continue;
        long double half = (long double)value * (1 + 0x1p-53L);
        int length = snprintf(text, sizeof text, "%.80Lf", half);
        must_agree(text);
        text[length] = '1';
        text[length + 1] = '\0';
        must_agree(text);
    }
}

/* More digits than are kept: the last one, far out, still decides a tie. */
TEST(digits_beyond_those_that_are_kept_break_ties) {
    char text[2000];
    int length = sprintf(text, "9007199254740993.");
    memset(text + length, '0', 1500);
    text[length + 1500] = '\0';
    must_agree(text);
    text[length + 1499] = '1';
    must_agree(text);
    length = sprintf(text, "%.1074f",
                     4.9406564584124654e-324 / 2 + 4.9406564584124654e-324); /* all digits of tiny numbers */
    must_agree(text);
    text[length] = '1';
    text[length + 1] = '\0';
    must_agree(text);
    memset(text, '7', 1999);
    text[1999] = '\0';
    must_agree(text);
    text[300] = '.';
    must_agree(text);
    text[0] = '.';
    text[300] = '7';
    must_agree(text);
}
