/* theorem_source.c - the formulas of the theorem, compiled into their test: tools are no library.
 *
 * SPDX-License-Identifier: MIT */
#include "check/theorem.c"
