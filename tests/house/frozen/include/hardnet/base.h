/* SPDX-License-Identifier: MIT */
#ifndef HARDNET_BASE_H
#define HARDNET_BASE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
#define HN_VERSION_MAJOR 0
#define HN_VERSION_MINOR 2
#define HN_VERSION_PATCH 0
typedef double hn_real;
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
#define HN_CODE_LIST(X)                                                                                                \
    X(HN_CODE_NONE, "none")                                                                                            \
    X(HN_CODE_ARGUMENT, "argument")                                                                                    \
    X(HN_CODE_OPTION, "option")                                                                                        \
    X(HN_CODE_LET, "let")                                                                                              \
    X(HN_CODE_STRUCT, "struct")                                                                                        \
    X(HN_CODE_FILE, "file")                                                                                            \
    X(HN_CODE_POSITION, "position")                                                                                    \
    X(HN_CODE_PART, "part")                                                                                            \
    X(HN_CODE_INSTRUCTIONS, "instructions")                                                                            \
    X(HN_CODE_MEMORY, "memory")                                                                                        \
    X(HN_CODE_COMPILER, "compiler")                                                                                    \
    X(HN_CODE_KERNEL, "kernel")
#define HN_INSTRUCTIONS_LIST(X)                                                                                        \
    X(HN_INSTRUCTIONS_BEST, "best")                                                                                    \
    X(HN_INSTRUCTIONS_PORTABLE, "portable")                                                                            \
    X(HN_INSTRUCTIONS_AVX2, "avx2")                                                                                    \
    X(HN_INSTRUCTIONS_AVX512, "avx512")
#define HN_ENUMERATE(name, text) name,
typedef enum hn_status { HN_STATUS_LIST(HN_ENUMERATE) HN_STATUS_COUNT } hn_status;
typedef enum hn_outcome { HN_OUTCOME_LIST(HN_ENUMERATE) HN_OUTCOME_COUNT } hn_outcome;
typedef enum hn_code { HN_CODE_LIST(HN_ENUMERATE) HN_CODE_COUNT } hn_code;
typedef enum hn_instructions { HN_INSTRUCTIONS_LIST(HN_ENUMERATE) HN_INSTRUCTIONS_COUNT } hn_instructions;
#undef HN_ENUMERATE
const char *hn_status_text(hn_status status);
const char *hn_outcome_text(hn_outcome outcome);
const char *hn_code_text(hn_code code);
const char *hn_instructions_text(hn_instructions instructions);
bool hn_instructions_find(const char *text, hn_instructions *instructions);
typedef struct hn_error {
    hn_status status;
    hn_code code;
    uint32_t line, column;
    char subject[240];
    char text[640];
    char reserved[128];
} hn_error;
const char *hn_version(void);
int hn_version_number(void);
#ifdef __cplusplus
}
#endif
#endif
