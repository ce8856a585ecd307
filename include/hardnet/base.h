/* hardnet/base.h - types shared by all other public headers.
 *
 * The real type, the status of a call (hn_status), the outcome of a sample (hn_outcome), the instruction sets and the
 * error that a failing call fills in. A status describes a call: it was invalid, or the machine failed. An outcome
 * describes the numerical result for one sample. Nothing here allocates, prints or has state.
 *
 * Compatibility: a program compiled with the headers base, model, inspect, read, layer and evaluate runs on later
 * libraries of the same soname. The other headers are unstable: a minor version may change them.
 *
 * Structs grow at their end. Each begins with its size as the caller's compiler sees it,
 *
 *     hn_batch batch = {.size = sizeof batch, .count = 100};        hn_layer_options o = hn_layer_defaults();
 *
 * and hn_..._defaults() sets it. Fields missing in a shorter struct have their defaults. A longer one is accepted if
 * the bytes unknown to the library are zero, and refused with HN_UNSUPPORTED otherwise. A size of 0 is refused. Output
 * structs are filled up to the caller's size.
 *
 * NULL: every error may be NULL; NULL options are the defaults; every destroy accepts NULL. Any other NULL for a
 * required argument is HN_INVALID; functions without a status return 0, false, NULL or "unknown". A call that creates
 * an object sets *out to NULL on failure.
 *
 * Strings and arrays passed in are used during the call only, or copied. A finished model and a layer are immutable and
 * can be used by any number of threads; every other object by one thread at a time.
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
#define HN_VERSION_MINOR 2
#define HN_VERSION_PATCH 0

/* The library computes in double; the name marks numbers that belong to models and samples. */
typedef double hn_real;

/* Lists, each expanded to the enum and to the strings: X(name, text). They grow at their end. */
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

/* The kind of an error's subject. */
#define HN_CODE_LIST(X)                                                                                                \
    X(HN_CODE_NONE, "none")                 /* no subject */                                                           \
    X(HN_CODE_ARGUMENT, "argument")         /* an argument of the call, or a field of it: "model", "batch.y" */        \
    X(HN_CODE_OPTION, "option")             /* a field of the options: "damping", "max_nodes" */                       \
    X(HN_CODE_LET, "let")                   /* one of hn_read_options.lets, unchanged */                               \
    X(HN_CODE_STRUCT, "struct")             /* a struct whose size is wrong: "hn_batch" */                             \
    X(HN_CODE_FILE, "file")                 /* a file that cannot be used: its path */                                 \
    X(HN_CODE_POSITION, "position")         /* a text, by its name, with line and column */                            \
    X(HN_CODE_PART, "part")                 /* a part of the model, by its name */                                     \
    X(HN_CODE_INSTRUCTIONS, "instructions") /* an instruction set that this processor or library lacks */              \
    X(HN_CODE_MEMORY, "memory")             /* the object that could not be allocated */                               \
    X(HN_CODE_COMPILER, "compiler")         /* a C compiler that is missing or fails: its command */                   \
    X(HN_CODE_KERNEL, "kernel")             /* a file that is not a kernel of this layer: its path */

/* Instruction sets. Results are bitwise identical on all of them. */
#define HN_INSTRUCTIONS_LIST(X)                                                                                        \
    X(HN_INSTRUCTIONS_BEST, "best") /* of those that this processor has */                                             \
    X(HN_INSTRUCTIONS_PORTABLE, "portable")                                                                            \
    X(HN_INSTRUCTIONS_AVX2, "avx2")                                                                                    \
    X(HN_INSTRUCTIONS_AVX512, "avx512")

#define HN_ENUMERATE(name, text) name,
typedef enum hn_status { HN_STATUS_LIST(HN_ENUMERATE) HN_STATUS_COUNT } hn_status;
typedef enum hn_outcome { HN_OUTCOME_LIST(HN_ENUMERATE) HN_OUTCOME_COUNT } hn_outcome;
typedef enum hn_code { HN_CODE_LIST(HN_ENUMERATE) HN_CODE_COUNT } hn_code;
typedef enum hn_instructions { HN_INSTRUCTIONS_LIST(HN_ENUMERATE) HN_INSTRUCTIONS_COUNT } hn_instructions;
#undef HN_ENUMERATE

/* The string for each value; "unknown" for other numbers. */
const char *hn_status_text(hn_status status);
const char *hn_outcome_text(hn_outcome outcome);
const char *hn_code_text(hn_code code);
const char *hn_instructions_text(hn_instructions instructions);
bool hn_instructions_find(const char *text, hn_instructions *instructions); /* false if unknown; *instructions is
                                                                             * unchanged then */

/* Owned by the caller, filled by a failing call and unchanged by a successful one. It needs no initialisation. Its
 * layout never changes, so it has no size field. */
typedef struct hn_error {
    hn_status status;
    hn_code code;          /* kind of the subject */
    uint32_t line, column; /* from 1, if the subject is a text; else 0 */
    char subject[240];     /* the subject, for programs; may be "" */
    char text[640];        /* one sentence that names the cause, for people */
    char reserved[128];    /* zeros */
} hn_error;                /* subject and text are truncated with "..." */

/* The version of the library at run time, which may be later than that of the headers: "0.2.0", and 10000 major + 100
 * minor + patch. */
const char *hn_version(void);
int hn_version_number(void);

#ifdef __cplusplus
}
#endif

#endif
