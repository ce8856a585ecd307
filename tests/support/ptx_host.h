/* ptx_host.h - lines of a device's instructions (cuda/ptx.h) as C++ for the host, so that tests run the very text that a device gets.
 *
 * Each instruction becomes one statement: sums and products are those of C, and what a device only estimates has the host's best bits with
 * none in its low half. Reciprocals of pivots outside 1/8 to 8 are doubted, so that rounds go both ways.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_PTX_HOST_H
#define HN_TESTS_PTX_HOST_H

/* The text with its lines translated; free releases it. NULL: memory is out, or there is an instruction that this does not know, which
 * goes to stderr. */
char *ptx_host(const char *text);

#endif
