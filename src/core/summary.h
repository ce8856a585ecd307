/* summary.h - slots with the summary of an evaluation, for decisions. A mask is all ones or all zeros.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_SUMMARY_H
#define HN_CORE_SUMMARY_H

enum {
    SUMMARY_WORST,     /* max |r|, relative to the bound if asked for */
    SUMMARY_SQUARES,   /* sum of (w r)^2 */
    SUMMARY_FINITE,    /* mask: every c is finite */
    SUMMARY_MOVED,     /* mask: the step changed y */
    SUMMARY_USABLE,    /* mask: y is finite */
    SUMMARY_STRETCHED, /* mask: A is that of an elastic QP instead of W J */
    SUMMARY_COUNT
};

#endif
