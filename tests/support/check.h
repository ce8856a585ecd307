/* check.h - what every test needs: headers of C, cmocka, registration of tests, checks of doubles and texts.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_SUPPORT_CHECK_H
#define HN_TESTS_SUPPORT_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* TEST(name) { ... } defines a test and registers it with its program. */
#define TEST(name) TEST_AROUND(name, NULL, NULL)

/* FIXTURE(name) { ...; return 0; } defines a function that cmocka calls before or after a test. */
#define FIXTURE(name) static int name(__attribute__((unused)) void **state)

/* TEST with a fixture before and one after it, which may be NULL. */
#define TEST_AROUND(name, set_up, tear_down)                                                                           \
    static void name(void **state);                                                                                    \
    __attribute__((constructor)) static void register_##name(void) {                                                   \
        static struct registered_test test = {{#name, name, set_up, tear_down, NULL}, __FILE__, __LINE__, NULL};       \
        register_test(&test);                                                                                          \
    }                                                                                                                  \
    static void name(__attribute__((unused)) void **state)

/* Fixtures before the first and after the last test of a program. */
#define TEST_GROUP(set_up, tear_down)                                                                                  \
    __attribute__((constructor)) static void register_##set_up(void) {                                                 \
        register_group(set_up, tear_down);                                                                             \
    }

struct registered_test {
    struct CMUnitTest test;
    const char *file;
    int line;
    struct registered_test *next;
};

void register_test(struct registered_test *test);
void register_group(CMFixtureFunction set_up, CMFixtureFunction tear_down);

/* Runs all registered tests, those of a file in the order of its lines; returns how many failed. support/main.c calls it in programs
 * without a main. */
int run_registered_tests(void);

/* How many doubles lie between two doubles; 0 for two NaN, UINT64_MAX when one of them is NaN. */
uint64_t ulps_between(double a, double b);

bool same_bits(double a, double b);

/* The same double, its sign and a NaN's payload included. */
#define assert_same_bits(a, b) check_same_bits(a, b, #a, __FILE__, __LINE__)
void check_same_bits(double a, double b, const char *what, const char *file, int line);

#define assert_within_ulps(a, b, limit) check_within_ulps(a, b, limit, #a, __FILE__, __LINE__)
void check_within_ulps(double a, double b, uint64_t limit, const char *what, const char *file, int line);

/* low <= value <= high, which no NaN is. */
#define assert_in_interval(value, low, high) check_in_interval(value, low, high, #value, __FILE__, __LINE__)
void check_in_interval(double value, double low, double high, const char *what, const char *file, int line);

#define assert_contains(text, part) check_contains(text, part, __FILE__, __LINE__)
void check_contains(const char *text, const char *part, const char *file, int line);

/* A call that fails with this status and with a message that contains these words. */
#define assert_error(call, status, error, words)                                                                       \
    do {                                                                                                               \
        assert_int_equal(call, status);                                                                                \
        assert_contains((error).text, words);                                                                          \
    } while (0)

#endif
