/* reference_none.c - reference.h for builds without IPOPT.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "reference/reference.h"

static hn_status reference_none_refuse(hn_error *error) {
    return error_set(
        error, HN_UNSUPPORTED,
        "IPOPT was not found when this was built (Debian: coinor-libipopt-dev, scripts/setup installs it)");
}

struct reference_options reference_defaults(void) {
    return (struct reference_options){.goal = REFERENCE_OBJECTIVE, .tolerance = 1e-8, .iterations = 3000};
}

const char *reference_name(void) {
    return NULL;
}

hn_status reference_find(hn_error *error) {
    return reference_none_refuse(error);
}

hn_status reference_create(struct reference **out, const hn_model *model, const struct reference_options *options,
                           hn_error *error) {
    (void)model, (void)options;
    *out = NULL;
    return reference_none_refuse(error);
}

void reference_destroy(struct reference *reference) {
    (void)reference;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the other file writes there */
hn_status reference_solve(struct reference *reference, const hn_real *x, const hn_real *start, hn_real *y,
                          struct reference_result *result, hn_error *error) {
    (void)reference, (void)x, (void)start, (void)y;
    *result = (struct reference_result){.status = "unsupported"};
    return reference_none_refuse(error);
}
