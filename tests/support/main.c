/* main.c - the main of test programs without their own: all tests, or those whose names match a pattern (* and ?).
 * It is weak for programs that link all of support/ as objects.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"

__attribute__((weak)) int main(int count, char **words) {
    if (count > 1)
        cmocka_set_test_filter(words[1]);
    return run_registered_tests();
}
