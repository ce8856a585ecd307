/* test_error.c - statuses, outcomes and errors in words, and numbers as text that reads back, in any locale.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/comma_locale.h"

#include "base/error.h"
#include "base/random.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 4000 };

static void every_status_and_outcome_has_a_text_of_its_own(void **state) {
    (void)state;
    for (int i = 0; i < HN_STATUS_COUNT; i++)
        for (int j = 0; j < i; j++)
            assert_string_not_equal(hn_status_text((hn_status)i), hn_status_text((hn_status)j));
    for (int i = 0; i < HN_OUTCOME_COUNT; i++)
        for (int j = 0; j < i; j++)
            assert_string_not_equal(hn_outcome_text((hn_outcome)i), hn_outcome_text((hn_outcome)j));
    assert_string_equal(hn_status_text(HN_NO_MEMORY), "out of memory");
    assert_string_equal(hn_outcome_text(HN_OUTCOME_LOCALLY_INFEASIBLE), "locally_infeasible");
}

static void a_number_that_is_no_status_or_outcome_is_unknown(void **state) {
    (void)state;
    static const int numbers[] = {-1, HN_STATUS_COUNT, 1000};
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        assert_string_equal(hn_status_text((hn_status)numbers[i]), "unknown");
    assert_string_equal(hn_outcome_text((hn_outcome)-1), "unknown");
    assert_string_equal(hn_outcome_text(HN_OUTCOME_COUNT), "unknown");
}

static void an_error_holds_its_status_and_its_sentence(void **state) {
    (void)state;
    hn_error error;
    assert_int_equal(error_set(&error, HN_SYNTAX, "line %d: %s", 3, "no number"), HN_SYNTAX);
    assert_int_equal(error.status, HN_SYNTAX);
    assert_string_equal(error.text, "line 3: no number");
    assert_int_equal(error_no_memory(&error, "layer"), HN_NO_MEMORY);
    assert_int_equal(error.status, HN_NO_MEMORY);
    assert_string_equal(error.text, "layer: out of memory");
}

static void nobody_needs_to_want_an_error(void **state) {
    (void)state;
    assert_int_equal(error_set(NULL, HN_LIMIT, "%s", "unseen"), HN_LIMIT);
    assert_int_equal(error_no_memory(NULL, "unseen"), HN_NO_MEMORY);
}

static void a_long_sentence_is_cut_and_ended(void **state) {
    (void)state;
    struct {
        hn_error error;
        char behind;
    } place;
    char name[2 * sizeof place.error.text];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    place.behind = 'b';
    error_set(&place.error, HN_INVALID, "%s", name);
    assert_int_equal(strlen(place.error.text), sizeof place.error.text - 1);
    assert_int_equal(place.behind, 'b');
}

static void familiar_numbers_look_familiar(void **state) {
    (void)state;
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

static void numbers_read_back_and_use_no_digit_too_many(void **state) {
    (void)state;
    struct random random = random_start(11, 0);
    for (int i = 0; i < NUMBERS; i++) {
        double value = some_double(&random);
        number_text number = error_number(value);
        assert_same_bits(strtod(number.text, NULL), value);
        if (digits_used(number.text) > digits_needed(value))
            fail_msg("%s has a digit too many for %a", number.text, value);
    }
}

static void a_number_as_text_leaves_errno_alone(void **state) {
    (void)state;
    static const double values[] = {5e-324, 1e-310, DBL_MAX, 0.1};
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        errno = 1234;
        error_number(values[i]);
        assert_int_equal(errno, 1234);
    }
}

static void numbers_have_a_point_and_read_back_where_people_write_a_comma(void **state) {
    (void)state;
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_and_outcome_has_a_text_of_its_own),
        cmocka_unit_test(a_number_that_is_no_status_or_outcome_is_unknown),
        cmocka_unit_test(an_error_holds_its_status_and_its_sentence),
        cmocka_unit_test(nobody_needs_to_want_an_error),
        cmocka_unit_test(a_long_sentence_is_cut_and_ended),
        cmocka_unit_test(familiar_numbers_look_familiar),
        cmocka_unit_test(numbers_read_back_and_use_no_digit_too_many),
        cmocka_unit_test(a_number_as_text_leaves_errno_alone),
        cmocka_unit_test(numbers_have_a_point_and_read_back_where_people_write_a_comma),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
