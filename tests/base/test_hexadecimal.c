/* test_hexadecimal.c - doubles as texts and back, bit by bit, in every locale; nothing else is taken.
 *
 * SPDX-License-Identifier: MIT */
#include "base/bytes.h"
#include "base/random.h"
#include "support/check.h"
#include "support/comma_locale.h"

#include <float.h>

/* The texts are those of Python's float.hex. */
TEST(known_numbers_have_their_known_texts) {
    static const struct {
        double value;
        const char *text;
    } known[] = {
        {0.3, "0x1.3333333333333p-2"},
        {1, "0x1.0000000000000p+0"},
        {-1e-8, "-0x1.5798ee2308c3ap-27"},
        {0, "0x0.0p+0"},
        {-0.0, "-0x0.0p+0"},
        {DBL_MAX, "0x1.fffffffffffffp+1023"},
        {DBL_MIN, "0x1.0000000000000p-1022"},
        {0x1p-1074, "0x0.0000000000001p-1022"},
    };
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        double value = 7;
        assert_string_equal(hexadecimal_write(known[i].value).text, known[i].text);
        assert_true(hexadecimal_read(known[i].text, &value));
        assert_same_bits(value, known[i].value);
    }
    assert_string_equal(hexadecimal_write(-INFINITY).text, "-inf");
    assert_string_equal(hexadecimal_write(INFINITY).text, "inf");
    assert_string_equal(hexadecimal_write(NAN).text, "nan");
}

static void there_and_back(void) {
    struct random random = random_start(5, 0);
    for (int i = 0; i < 20000; i++) {
        double value, back = 7;
        uint64_t bits = random_bits(&random);
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        assert_true(hexadecimal_read(hexadecimal_write(value).text, &back));
        assert_same_bits(back, value);
    }
}

TEST(any_number_comes_back) {
    there_and_back();
}

TEST(a_comma_for_the_point_changes_nothing) {
    if (!comma_locale_enter())
        skip();
    there_and_back();
    assert_string_equal(hexadecimal_write(0.3).text, "0x1.3333333333333p-2");
    comma_locale_leave();
}

TEST(nothing_else_is_taken) {
    static const char *const wrong[] = {
        "",
        "-",
        "0",
        "1",
        "0.3",
        "inf",
        "nan",
        "0x",
        "0x1",
        "0x1.",
        "0x1p0",
        "0x1.0p+0",
        "0x2.0000000000000p+0",
        "0x1.3333333333333",
        "0x1.3333333333333p",
        "0x1.3333333333333p-",
        "0x1.3333333333333p2",
        "0x1.3333333333333p+02",
        "0x1.3333333333333p-2 ",
        " 0x1.3333333333333p-2",
        "+0x1.3333333333333p-2",
        "--0x1.3333333333333p-2",
        "0x1.333333333333p-2",
        "0x1.33333333333333p-2",
        "0x1.333333333333Ap-2",
        "0X1.3333333333333P-2",
        "0x1,3333333333333p-2",
        "0x1.3333333333333p+1024",
        "0x1.3333333333333p+99999999999",
        "0x1.0000000000000p-1023",
        "0x0.0000000000000p+0",
        "0x0.3333333333333p-2",
    };
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        double value = 7;
        if (hexadecimal_read(wrong[i], &value))
            fail_msg("%s was taken", wrong[i]);
        assert_same_bits(value, 7);
    }
}
