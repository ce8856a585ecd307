/* report_read.h - the figures of a report of `hardnet eval` or `hardnet project`, or of one transcribed from a paper.
 *
 * Known keys are taken wherever they stand in the report's own levels; everything else is passed over. What is missing
 * stays NaN.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_REPORT_READ_H
#define HN_TOOLS_REPORT_READ_H

#include "hardnet/base.h"

enum { REPORT_GROUPS = 32, REPORT_NAME = 48 };

struct report_group {
    char name[REPORT_NAME];
    double mean, max;
};

struct report_figures {
    size_t samples, ok;        /* 0 samples: the report lists none */
    double violation;          /* largest of all samples, or of all groups where no samples are listed */
    double mean, max;          /* suboptimality */
    double p50, p90, p99;      /* of it */
    double seconds_per_sample; /* of everything, in the batch, on all threads */
    size_t group_count;
    struct report_group groups[REPORT_GROUPS]; /* those beyond are left out */
};

hn_status report_read(struct report_figures *figures, const char *path, hn_error *error);

#endif
