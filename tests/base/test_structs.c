/* test_structs.c - structs of a program that is older or newer than the library.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"

#include "base/structs.h"

/* The same struct in three versions. */
struct older {
    size_t size;
    double first;
};

struct present {
    size_t size;
    double first;
    int second;
    int third;
};

struct newer {
    size_t size;
    double first;
    int second;
    int third;
    double fourth;
};

TEST(a_struct_of_the_same_version_comes_in_whole) {
    struct present given = {sizeof given, 1.5, 2, 3}, own;
    memset(&own, 0xff, sizeof own);
    assert_int_equal(struct_take(&own, sizeof own, &given, "present", NULL), HN_OK);
    assert_memory_equal(&own, &given, sizeof own);
}

TEST(what_an_older_program_does_not_know_is_zero) {
    struct older given = {sizeof given, 1.5};
    struct present own;
    memset(&own, 0xff, sizeof own);
    assert_int_equal(STRUCT_TAKE(struct present, &own, &given, NULL), HN_OK);
    assert_int_equal(own.size, sizeof own);
    assert_true(own.first == 1.5 && own.second == 0 && own.third == 0);
}

TEST(options_that_an_older_program_does_not_know_have_their_defaults) {
    struct older given = {sizeof given, 1.5};
    struct present own = {sizeof own, 7, 8, 9};
    assert_int_equal(STRUCT_TAKE_OPTIONS(struct present, &own, &given, NULL), HN_OK);
    assert_int_equal(own.size, sizeof own);
    assert_true(own.first == 1.5 && own.second == 8 && own.third == 9);
}

TEST(a_newer_program_is_served_unless_it_wants_what_is_not_there) {
    hn_error error;
    struct newer given = {sizeof given, 1.5, 2, 3, 0};
    struct present own;
    assert_int_equal(struct_take(&own, sizeof own, &given, "present", &error), HN_OK);
    assert_true(own.size == sizeof own && own.first == 1.5 && own.third == 3);
    given.fourth = 1;
    assert_int_equal(struct_take(&own, sizeof own, &given, "present", &error), HN_UNSUPPORTED);
    assert_int_equal(error.code, HN_CODE_STRUCT);
    assert_string_equal(error.subject, "present");
    assert_contains(error.text, "later version");
}

TEST(a_size_that_was_never_set_is_refused) {
    hn_error error;
    struct present given = {0, 1.5, 2, 3}, own;
    for (given.size = 0; given.size < sizeof given.size; given.size++) {
        assert_error(struct_take(&own, sizeof own, &given, "present", &error), HN_INVALID, error, "sizeof(present)");
        assert_int_equal(struct_give(&given, &own, sizeof own, "present", &error), HN_INVALID);
        assert_string_equal(error.subject, "present");
    }
    assert_int_equal(struct_take(&own, sizeof own, NULL, "present", &error), HN_INVALID);
    assert_int_equal(struct_give(NULL, &own, sizeof own, "present", NULL), HN_INVALID);
    assert_true(given.first == 1.5 && given.third == 3);
}

TEST(a_size_that_ends_within_a_field_is_refused) {
    hn_error error;
    struct newer given = {.size = sizeof given};
    struct present own = {.size = sizeof own};
    for (given.size = sizeof(size_t); given.size <= sizeof given; given.size++) {
        hn_status expected = given.size % sizeof(size_t) == 0 ? HN_OK : HN_INVALID;
        assert_int_equal(struct_take(&own, sizeof own, &given, "present", &error), expected);
        if (expected != HN_OK)
            assert_contains(error.text, "ends within a field; write .size = sizeof(present)");
        assert_int_equal(struct_give(&given, &own, sizeof own, "present", &error), expected);
    }
}

TEST(what_goes_out_fits_the_caller_s_struct) {
    const struct present own = {sizeof own, 1.5, 2, 3};
    struct {
        struct older out;
        double behind;
    } old = {{sizeof old.out, 0}, 7};
    struct newer new = {.size = sizeof new, .fourth = 9};
    assert_int_equal(struct_give(&old.out, &own, sizeof own, "present", NULL), HN_OK);
    assert_true(old.out.size == sizeof old.out && old.out.first == 1.5 && old.behind == 7);
    assert_int_equal(struct_give(&new, &own, sizeof own, "present", NULL), HN_OK);
    assert_true(new.size == sizeof new &&new.first == 1.5 && new.third == 3 && new.fourth == 0);
}
