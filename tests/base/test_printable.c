/* test_printable.c - whatever bytes a name has, a terminal sees none of them as a command.
 *
 * SPDX-License-Identifier: MIT */
#include "base/utf8.h"
#include "support/check.h"

#include "base/random.h"

static void assert_shown(const char *text, const char *expected) {
    char shown[256];
    printable_copy(shown, sizeof shown, text);
    assert_string_equal(shown, expected);
    assert_int_equal(printable_is_safe(text), strcmp(text, expected) == 0);
}

TEST(plain_text_stays) {
    assert_shown("", "");
    assert_shown("dynamics[3,'two']", "dynamics[3,'two']");
    assert_shown("Gr\xc3\xb6\xc3\x9f"
                 "e \xe2\x82\xac \xf0\x9f\x98\x80",
                 "Gr\xc3\xb6\xc3\x9f"
                 "e \xe2\x82\xac \xf0\x9f\x98\x80");
}

TEST(controls_are_shown) {
    assert_shown("a\033[31mb\a\r\n\tc\x7f", "a\\x1b[31mb\\x07\\x0d\\n\\tc\\x7f");
    assert_shown("\xc2\x9b"
                 "31m",
                 "\\u009b31m");                                         /* CSI in one character */
    assert_shown("\xc2\x80\xc2\x9f\xc2\xa0", "\\u0080\\u009f\xc2\xa0"); /* the first and the last of C1; a blank */
    assert_shown("\xe2\x80\xae\xe2\x81\xa6", "\\u202e\\u2066");
}

TEST(bytes_that_are_no_text_are_shown) {
    assert_shown("\x9b", "\\x9b"); /* CSI of a terminal with eight bits */
    assert_shown("\xc0\x9b\xff\xe2\x80", "\\xc0\\x9b\\xff\\xe2\\x80");
    assert_shown("\xed\xa0\x80", "\\xed\\xa0\\x80"); /* half of a surrogate pair */
}

TEST(long_texts_are_cut_between_characters) {
    char shown[8];
    printable_copy(shown, sizeof shown, "1234567");
    assert_string_equal(shown, "1234567");
    printable_copy(shown, sizeof shown, "12345678");
    assert_string_equal(shown, "1234...");
    printable_copy(shown, sizeof shown, "123\033rest");
    assert_string_equal(shown, "123...");
    printable_copy(shown, sizeof shown, "123\xe2\x82\xac\xe2\x82\xac");
    assert_string_equal(shown, "123...");
}

/* Printed twice is printed once: nothing that comes out needs to be made printable. */
TEST(random_bytes_come_out_safe) {
    struct random random = random_start(1, 2);
    for (int round = 0; round < 20000; round++) {
        char text[40], shown[512];
        size_t length = (size_t)(random_uniform(&random) * (sizeof text - 1));
        for (size_t i = 0; i < length; i++)
            text[i] = (char)(1 + (int)(random_uniform(&random) * 255));
        text[length] = '\0';
        printable_copy(shown, sizeof shown, text);
        assert_true(printable_is_safe(shown));
        for (const char *at = shown; *at; at++)
            assert_true((unsigned char)*at >= 0x20 && *at != 0x7f);
    }
}
