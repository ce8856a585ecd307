/* row_rank_source.c - the rank of `hardnet check`, compiled into its test: tools are no library.
 *
 * SPDX-License-Identifier: MIT */
#include "check/row_rank.c"
