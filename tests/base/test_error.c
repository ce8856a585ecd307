/* test_error.c - statuses, outcomes and errors in words, and numbers as text that reads back, in any locale.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/comma_locale.h"

#include "base/error.h"
#include "base/random.h"

#include <errno.h>
#include <float.h>

enum { NUMBERS = 4000 };

TEST(every_status_and_outcome_has_a_text_of_its_own) {
    for (int i = 0; i < HN_STATUS_COUNT; i++)
        for (int j = 0; j < i; j++)
            assert_string_not_equal(hn_status_text((hn_status)i), hn_status_text((hn_status)j));
    for (int i = 0; i < HN_OUTCOME_COUNT; i++)
        for (int j = 0; j < i; j++)
            assert_string_not_equal(hn_outcome_text((hn_outcome)i), hn_outcome_text((hn_outcome)j));
    assert_string_equal(hn_status_text(HN_NO_MEMORY), "out of memory");
    assert_string_equal(hn_outcome_text(HN_OUTCOME_LOCALLY_INFEASIBLE), "locally_infeasible");
}

TEST(a_number_that_is_no_status_or_outcome_is_unknown) {
    static const int numbers[] = {-1, HN_STATUS_COUNT, 1000};
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        assert_string_equal(hn_status_text((hn_status)numbers[i]), "unknown");
    assert_string_equal(hn_outcome_text((hn_outcome)-1), "unknown");
    assert_string_equal(hn_outcome_text(HN_OUTCOME_COUNT), "unknown");
}

TEST(an_error_holds_its_status_and_its_sentence) {
    hn_error error;
    assert_int_equal(error_set(&error, HN_SYNTAX, "line %d: %s", 3, "no number"), HN_SYNTAX);
    assert_int_equal(error.status, HN_SYNTAX);
    assert_string_equal(error.text, "line 3: no number");
    assert_int_equal(error_no_memory(&error, "layer"), HN_NO_MEMORY);
    assert_int_equal(error.status, HN_NO_MEMORY);
    assert_string_equal(error.text, "layer: out of memory");
}

TEST(nobody_needs_to_want_an_error) {
    assert_int_equal(error_set(NULL, HN_LIMIT, "%s", "unseen"), HN_LIMIT);
    assert_int_equal(error_no_memory(NULL, "unseen"), HN_NO_MEMORY);
}

TEST(a_long_sentence_is_cut_and_ended) {
    struct {
        hn_error error;
        char behind;
    } place;
    char name[2 * sizeof place.error.text];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    place.behind = 'b';
    error_about(&place.error, HN_INVALID, error_part(name), "%s", name);
    assert_int_equal(strlen(place.error.text), sizeof place.error.text - 1);
    assert_string_equal(place.error.text + sizeof place.error.text - 6, "nn...");
    assert_int_equal(strlen(place.error.subject), sizeof place.error.subject - 1);
    assert_string_equal(place.error.subject + sizeof place.error.subject - 6, "nn...");
    assert_int_equal(place.behind, 'b');
}

TEST(no_character_is_cut_in_half) {
    for (size_t shift = 0; shift < 3; shift++) {
        hn_error error;
        char name[2 * sizeof error.text];
        memset(name, 'n', shift);
        for (size_t i = shift; i < sizeof name - 4; i += 3)
            memcpy(name + i, "\xe2\x82\xac", 4); /* the euro sign */
        error_about(&error, HN_INVALID, error_file(name), "%s", name);
        const char *texts[] = {error.text, error.subject};
        for (int i = 0; i < 2; i++) {
            size_t length = strlen(texts[i]);
            assert_string_equal(texts[i] + length - 3, "...");
            assert_int_equal((length - 3 - shift) % 3, 0);
        }
    }
}

TEST(an_error_says_what_it_is_about) {
    hn_error error;
    memset(&error, 0xff, sizeof error);
    struct error_subject subject = {HN_CODE_POSITION, "a.mod", 3, 7};
    assert_int_equal(error_about(&error, HN_SYNTAX, subject, "a.mod:3:7: no"), HN_SYNTAX);
    assert_int_equal(error.code, HN_CODE_POSITION);
    assert_string_equal(error.subject, "a.mod");
    assert_true(error.line == 3 && error.column == 7);
    for (size_t i = 0; i < sizeof error.reserved; i++)
        assert_int_equal(error.reserved[i], 0);
    error_set(&error, HN_LIMIT, "%s", "nothing to name");
    assert_int_equal(error.code, HN_CODE_NONE);
    assert_string_equal(error.subject, "");
    assert_true(error.line == 0 && error.column == 0);
    error_no_memory(&error, "pool");
    assert_int_equal(error.code, HN_CODE_MEMORY);
    assert_string_equal(error.subject, "pool");
    error_missing(&error, "hn_pool_create", "layer");
    assert_string_equal(error.text, "hn_pool_create: layer is NULL");
    assert_true(error.status == HN_INVALID && error.code == HN_CODE_ARGUMENT);
}

/* What programs compiled long ago rely on. */
TEST(the_layout_of_an_error_is_fixed) {
    assert_int_equal(sizeof(hn_error), 1024);
    assert_int_equal(offsetof(hn_error, status), 0);
    assert_int_equal(offsetof(hn_error, code), 4);
    assert_int_equal(offsetof(hn_error, line), 8);
    assert_int_equal(offsetof(hn_error, column), 12);
    assert_int_equal(offsetof(hn_error, subject), 16);
    assert_int_equal(offsetof(hn_error, text), 256);
    assert_int_equal(offsetof(hn_error, reserved), 896);
}

TEST(instruction_sets_and_codes_have_words) {
    for (int i = 0; i < HN_INSTRUCTIONS_COUNT; i++) {
        hn_instructions found = HN_INSTRUCTIONS_COUNT;
        assert_true(hn_instructions_find(hn_instructions_text((hn_instructions)i), &found));
        assert_int_equal(found, i);
    }
    hn_instructions kept = HN_INSTRUCTIONS_AVX2;
    assert_false(hn_instructions_find("sse9", &kept));
    assert_false(hn_instructions_find(NULL, &kept));
    assert_false(hn_instructions_find("avx2", NULL));
    assert_int_equal(kept, HN_INSTRUCTIONS_AVX2);
    assert_string_equal(hn_instructions_text(HN_INSTRUCTIONS_COUNT), "unknown");
    assert_string_equal(hn_code_text(HN_CODE_POSITION), "position");
    assert_string_equal(hn_code_text((hn_code)-1), "unknown");
}

TEST(the_version_is_that_of_the_headers) {
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", HN_VERSION_MAJOR, HN_VERSION_MINOR, HN_VERSION_PATCH);
    assert_string_equal(hn_version(), text);
    assert_int_equal(hn_version_number(), HN_VERSION_MAJOR * 10000 + HN_VERSION_MINOR * 100 + HN_VERSION_PATCH);
}

TEST(familiar_numbers_look_familiar) {
    static const struct {
        double value;
        const char *text;
    } familiar[] = {{0, "0"},           {-0.0, "-0"},           {3, "3"},
                    {-2.5, "-2.5"},     {0.1, "0.1"},           {1e300, "1e+300"},
                    {100000, "100000"}, {1e-7, "1e-07"},        {1.0 / 3, "0.3333333333333333"},
                    {NAN, "NaN"},       {INFINITY, "Infinity"}, {-INFINITY, "-Infinity"},
                    {5e-324, "5e-324"}};
    for (size_t i = 0; i < COUNT_OF(familiar); i++)
        assert_string_equal(error_number(familiar[i].value).text, familiar[i].text);
}

/* Doubles of all exponents, and those with few digits. */
static double some_double(struct random *random) {
    uint64_t bits = random_bits(random);
    double value, few = (double)random_below(random, 100000) - 50000;
    memcpy(&value, &bits, sizeof value);
    switch (random_below(random, 4)) {
    case 0:
        return few * pow(10, (double)random_below(random, 40) - 20);
    case 1:
        return few / 64;
    case 2:
        return (double)(bits >> 12 >> random_below(random, 52)) * 0x1p-1074; /* denormal */
    default:
        return isfinite(value) ? value : few;
    }
}

/* In the C locale: how many digits a number needs so that its text reads back */
static int digits_needed(double value) {
    char text[40];
    int digits = 0;
    do
        snprintf(text, sizeof text, "%.*e", digits, value);
    while (strtod(text, NULL) != value && ++digits < 17);
    return digits + 1;
}

static int digits_used(const char *text) {
    int used = 0, zeros = 0;
    for (text += strspn(text, "-0."); *text != '\0' && *text != 'e'; text++) {
        zeros = *text == '0' ? zeros + 1 : *text == '.' ? zeros : 0;
        used += *text != '.';
    }
    return used - zeros;
}

TEST(numbers_read_back_and_use_no_digit_too_many) {
    struct random random = random_start(11, 0);
    for (int i = 0; i < NUMBERS; i++) {
        double value = some_double(&random);
        number_text number = error_number(value);
        assert_same_bits(strtod(number.text, NULL), value);
        if (digits_used(number.text) > digits_needed(value))
            fail_msg("%s has a digit too many for %a", number.text, value);
    }
}

TEST(a_number_as_text_leaves_errno_alone) {
    static const double values[] = {5e-324, 1e-310, DBL_MAX, 0.1};
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        errno = 1234;
        error_number(values[i]);
        assert_int_equal(errno, 1234);
    }
}

TEST(numbers_have_a_point_and_read_back_where_people_write_a_comma) {
    static number_text texts[NUMBERS];
    if (!comma_locale_enter()) {
        print_message("skipped: de_DE.UTF-8 is not installed and cannot be made\n");
        skip();
    }
    struct random random = random_start(12, 0);
    for (int i = 0; i < NUMBERS; i++)
        texts[i] = error_number(some_double(&random));
    hn_error error;
    error_set(&error, HN_INVALID, "bound %s", error_number(2.5).text);
    comma_locale_leave();
    assert_string_equal(error.text, "bound 2.5");
    random = random_start(12, 0);
    for (int i = 0; i < NUMBERS; i++) {
        double value = some_double(&random);
        assert_string_equal(texts[i].text, error_number(value).text);
    }
}
