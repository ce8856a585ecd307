/* main.c - the main of test programs without their own. It is weak for programs that link all of support/ as objects.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"

__attribute__((weak)) int main(void) {
    return run_registered_tests();
}
