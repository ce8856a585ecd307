/* check.c - see check.h.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"

static struct registered_test *first_test;
static CMFixtureFunction group_set_up, group_tear_down;

void register_test(struct registered_test *test) {
    struct registered_test **link = &first_test;
    while (*link && (strcmp((*link)->file, test->file) != 0 || (*link)->line <= test->line))
        link = &(*link)->next;
    test->next = *link;
    *link = test;
}

void register_group(CMFixtureFunction set_up, CMFixtureFunction tear_down) {
    group_set_up = set_up;
    group_tear_down = tear_down;
}

int run_registered_tests(void) {
    size_t count = 0;
    struct CMUnitTest *tests = NULL;
    for (const struct registered_test *test = first_test; test; test = test->next) {
        tests = realloc(tests, (count + 1) * sizeof *tests);
        tests[count++] = test->test;
    }
    int failed = _cmocka_run_group_tests("tests", tests, count, group_set_up, group_tear_down);
    free(tests);
    return failed;
}

bool same_bits(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

/* Doubles numbered in their order, both zeros 0. */
static int64_t rank(double a) {
    int64_t bits;
    memcpy(&bits, &a, sizeof bits);
    return bits < 0 ? INT64_MIN - bits : bits;
}

uint64_t ulps_between(double a, double b) {
    if (a != a || b != b)
        return a != a && b != b ? 0 : UINT64_MAX;
    uint64_t p = (uint64_t)rank(a), q = (uint64_t)rank(b);
    return rank(a) > rank(b) ? p - q : q - p;
}

void check_same_bits(double a, double b, const char *what, const char *file, int line) {
    if (same_bits(a, b))
        return;
    print_error("%s is %a (%.17g), not %a (%.17g)\n", what, a, a, b, b);
    _fail(file, line);
}

void check_within_ulps(double a, double b, uint64_t limit, const char *what, const char *file, int line) {
    if (ulps_between(a, b) <= limit)
        return;
    print_error("%s is %.17g, more than %llu ulp from %.17g\n", what, a, (unsigned long long)limit, b);
    _fail(file, line);
}

void check_in_interval(double value, double low, double high, const char *what, const char *file, int line) {
    if (low <= value && value <= high)
        return;
    print_error("%s is %.17g, outside [%.17g, %.17g]\n", what, value, low, high);
    _fail(file, line);
}

void check_contains(const char *text, const char *part, const char *file, int line) {
    if (strstr(text, part))
        return;
    print_error("\"%s\" does not contain \"%s\"\n", text, part);
    _fail(file, line);
}
