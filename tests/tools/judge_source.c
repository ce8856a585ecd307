/* judge_source.c - the judge of `hardnet check`, compiled into its test: tools are no library.
 *
 * SPDX-License-Identifier: MIT */
#include "check/judge.c"
