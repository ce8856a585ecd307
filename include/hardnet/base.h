/* hardnet/base.h - what every other public header stands on.
 *
 * The real type, the status of a call (hn_status), the outcome of a sample (hn_outcome) and the error that a failing
 * call fills in. A status says that a call was wrong or that the machine failed; an outcome says what mathematics did to
 * one sample. Nothing here allocates, prints or keeps state.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HARDNET_BASE_H
#define HARDNET_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HN_VERSION_MAJOR 0
#define HN_VERSION_MINOR 1
#define HN_VERSION_PATCH 0

/* The library computes in double; the name marks numbers that belong to models and samples. */
typedef double hn_real;

/* One list, expanded to the enum and to the texts: X(name, text). */
#define HN_STATUS_LIST(X)                                                                                              \
    X(HN_OK, "ok")                                                                                                     \
    X(HN_INVALID, "invalid argument or model")                                                                         \
    X(HN_NO_MEMORY, "out of memory")                                                                                   \
    X(HN_LIMIT, "a stated limit was exceeded")                                                                         \
    X(HN_SYNTAX, "malformed text or file")                                                                             \
    X(HN_IO, "input or output failed")                                                                                 \
    X(HN_UNSUPPORTED, "not supported here")

#define HN_OUTCOME_LIST(X)                                                                                             \
    X(HN_OUTCOME_OK, "ok")                                                                                             \
    X(HN_OUTCOME_ITERATION_LIMIT, "iteration_limit")                                                                   \
    X(HN_OUTCOME_LOCALLY_INFEASIBLE, "locally_infeasible")                                                             \
    X(HN_OUTCOME_STALLED, "stalled")                                                                                   \
    X(HN_OUTCOME_BAD_BOUNDS, "bad_bounds")                                                                             \
    X(HN_OUTCOME_NONFINITE_INPUT, "nonfinite_input")                                                                   \
    X(HN_OUTCOME_NONFINITE_EVALUATION, "nonfinite_evaluation")                                                         \
    X(HN_OUTCOME_CANCELLED, "cancelled")

#define HN_ENUMERATE(name, text) name,
typedef enum hn_status { HN_STATUS_LIST(HN_ENUMERATE) HN_STATUS_COUNT } hn_status;
typedef enum hn_outcome { HN_OUTCOME_LIST(HN_ENUMERATE) HN_OUTCOME_COUNT } hn_outcome;
#undef HN_ENUMERATE

/* The text of a status or an outcome; "unknown" for a number that is none. */
const char *hn_status_text(hn_status status);
const char *hn_outcome_text(hn_outcome outcome);

/* Owned by the caller and filled by a call that fails. The text is one sentence that names the culprit. Every function
 * that takes an error accepts NULL, and leaves the error alone on success. */
typedef struct hn_error {
    hn_status status;
    char text[512];
} hn_error;

#ifdef __cplusplus
}
#endif

#endif
