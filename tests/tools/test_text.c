/* test_text.c - formatted texts of any length, and what the text says when memory is out.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"

#include "common/text.h"

TEST(a_formatted_text_may_have_any_length) {
    static char word[5000];
    for (size_t length = 500; length < sizeof word; length = length < 530 ? length + 1 : length + 977) {
        struct text text = {.bytes = NULL};
        memset(word, 'w', length);
        word[length] = '\0';
        text_print(&text, "<%d", 7);
        text_print(&text, "%s", word);
        text_print(&text, ">");
        assert_false(text.failed);
        assert_int_equal(text.count, length + 3);
        assert_memory_equal(text.bytes, "<7", 2);
        assert_memory_equal(text.bytes + 2, word, length);
        assert_int_equal(text.bytes[length + 2], '>');
        text_release(&text);
    }
}

TEST(a_text_that_failed_takes_no_more) {
    hn_error error;
    struct text text = {.failed = true};
    text_print(&text, "%d", 1);
    text_append(&text, "1", 1);
    assert_true(text.failed && text.count == 0 && !text.bytes);
    assert_int_equal(text_write(&text, "/nowhere/at/all", &error), HN_NO_MEMORY);
}
