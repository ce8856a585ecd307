/* test_names.c - the map from names to numbers: every name is found, no other is, however many there are.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"

#include "base/names.h"

enum { NAMES = 5000 };

TEST(every_name_is_found_and_no_other) {
    static char texts[2 * NAMES][16];
    struct names names = {NULL, 0, 0};
    assert_null(names_find(&names, "n0", 2));
    for (uint32_t i = 0; i < 2 * NAMES; i++)
        snprintf(texts[i], sizeof texts[i], "n%u", (unsigned)i);
    for (uint32_t i = 0; i < NAMES; i++)
        assert_true(names_add(&names, texts[i], strlen(texts[i]), i));
    for (uint32_t i = 0; i < 2 * NAMES; i++) {
        const uint32_t *found = names_find(&names, texts[i], strlen(texts[i]));
        assert_int_equal(found != NULL, i < NAMES);
        if (found)
            assert_int_equal(*found, i);
    }
    assert_int_equal(names.count, NAMES);
    names_release(&names);
}

TEST(a_name_ends_where_its_length_says) {
    struct names names = {NULL, 0, 0};
    assert_true(names_add(&names, "speed[1]", 5, 1));
    assert_true(names_add(&names, "speed[1]", 8, 2));
    assert_true(names_add(&names, "", 0, 3));
    assert_int_equal(*names_find(&names, "speed", 5), 1);
    assert_int_equal(*names_find(&names, "speed[1]", 8), 2);
    assert_int_equal(*names_find(&names, "other", 0), 3);
    assert_null(names_find(&names, "speed[1]", 7));
    assert_null(names_find(&names, "spend", 5));
    names_release(&names);
}

TEST(a_number_can_be_changed_in_place) {
    struct names names = {NULL, 0, 0};
    names_add(&names, "a", 1, 1);
    *names_find(&names, "a", 1) = 9;
    assert_int_equal(*names_find(&names, "a", 1), 9);
    names_release(&names);
    assert_null(names_find(&names, "a", 1));
    names_release(&names);
}
