/* emission.h - declarations shared by the files of this module: the state of one emission.
 *
 * emit.c checks the options and makes the parts; emission_header.c, emission_source.c and the other files print them.
 * codegen/cuda prints the same statements and the same plan for devices.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_EMISSION_H
#define HN_CODEGEN_EMISSION_H

#include "codegen/passes/slp_vectorize.h"
#include "codegen/print/flatten.h"
#include "hardnet/emit.h"
#include "nn/loss.h"
#include "nn/network_parts.h"
#include "nn/refine_plan.h"

#include <float.h>
#include <math.h>

enum {
    EMIT_LONGEST_NAME = 40,
    EMIT_BLOCK = 8,           /* block size of mlp.h (NETWORK_BLOCK) */
    EMIT_STACK = 1024,        /* numbers; tests/targets measures it */
    EMIT_MOST_TAPE = 1 << 26, /* bytes */
    EMIT_MOST_FIELDS = 24
};

/* Placeholder for the number that header and source share; emit.c fills it in. */
#define EMIT_NO_PAIR "0x00000000u"

/* Cost of a call; emission_cost.c. */
struct emission_cost {
    double operations;       /* of an evaluation and a step: additions, multiplications, divisions, comparisons */
    double operations_worst; /* of a whole call */
    double rounds;           /* per call: one, or the sum over candidates and refinement steps */
    double corrections;      /* per call: one, or one per candidate and refinement step */
    double worst;            /* instructions per call at most, x86-64, gcc -O2 */
    bool fixed;              /* the number of steps is the same for every finite input */
    double code_arm, code_x86;
};

/* Several candidates and refinement; emission_policy.c. */
struct emission_policy {
    size_t candidates;
    int refine;                    /* steps */
    struct loss objective;         /* only the value of f */
    struct refine_plan refinement; /* if refine > 0 */
    bool used[CODE_COUNT];         /* per code: one of the programs uses the instruction */
};

/* Entries printed by the caller. */
struct emission_lists {
    const bool *entry; /* per entry: the caller prints it */
    void (*print)(const void *own, struct text *out, enum kernel_entry entry);
    const void *own;
};

/* The constraint rows as a list of steps with rounding bounds; emission_rounding.c. */
struct rounding_step {
    uint32_t code, to, a, b, c;
};

struct emission_rounding {
    struct buffers lists;
    struct rounding_step *steps;
    size_t count, capacity;
    uint32_t *number; /* per slot: 1 + its number in this list, or 0 */
    uint32_t numbers;
    bool *leaf; /* per slot: the value is an input of the list */
};

/* A field of struct NAME_work: an array, or a scalar if count is 0. Integer fields follow the real ones. */
enum work_kind { WORK_REAL, WORK_ROUNDED /* a pair of numbers */, WORK_INTEGER };
struct work_field {
    enum work_kind kind;
    const char *name;
    size_t count;
};

struct emission {
    const hn_model *model;
    const hn_network *network; /* or NULL */
    hn_network *kept;          /* owned copy with only the emitted candidates; else NULL */
    hn_emit_options options;
    hn_layer_options layer; /* with the defaults of the method filled in */
    struct plan *plan;
    struct ir_module ir;
    bool paired; /* also print statements in pairs, for targets with vectors of two doubles */
    struct slp_regions pairs[KERNEL_ENTRIES];
    bool hoisted;    /* statements read their slots as early as possible, for memory with a long latency */
    bool back_alone; /* omit the statements of a step: the adjoint does not need them (SOLVER_BACK_STEP) */
    const struct emission_lists *lists; /* entries that are not emitted as C statements; or NULL */
    struct emission_policy policy;
    struct work_field work[EMIT_MOST_FIELDS];
    size_t work_fields, work_bytes, constant_bytes;
    size_t hidden;                     /* values of the hidden layers of the network, rounded up to whole blocks */
    struct emission_rounding rounding; /* for float files */
    struct emission_cost cost;
    char fingerprint[HN_FINGERPRINT_BYTES], names_fingerprint[HN_FINGERPRINT_BYTES];
};

static inline size_t emission_real(const struct emission *e) {
    return e->options.single ? sizeof(float) : sizeof(double);
}

static inline bool emission_has_policy(const struct emission *e) {
    return e->policy.candidates > 1 || e->policy.refine > 0;
}

/* Whether the driver computes the numbers for judging a step itself: method auto, which judges few steps. */
static inline bool emission_drive_judges(const struct emission *e) {
    return e->plan->options.method == HN_METHOD_AUTO;
}

/* ---- files ---- */

void emission_print_source(const struct emission *e, struct text *out);
void emission_print_header(const struct emission *e, struct text *out);
void emission_print_example(const struct emission *e, struct text *out);
void emission_print_cmake(const struct emission *e, struct text *out);

/* ---- text helpers ---- */

/* Like text_add, but replaces every @ by the name of the file and every ^ by the name in capitals. */
__attribute__((format(printf, 3, 4))) void emission_add(const struct emission *e, struct text *out, const char *format,
                                                        ...);

/* Prints a C constant with all bits, in the precision of the file. In an array: element i with its separator. */
void emission_number(const struct emission *e, struct text *out, double value);
void emission_print_element(const struct emission *e, struct text *out, size_t i, double value);

/* Prints an assignment to an element of a workspace array. */
void emission_print_set(const struct emission *e, struct text *out, const char *array, size_t i, double value);

/* Arrays of words as constant data; empty arrays are omitted. */
struct word_list {
    const char *name;
    const uint32_t *words;
    size_t count;
};
void emission_print_words(struct text *out, const struct word_list *lists, size_t count);
size_t emission_count_words(const struct word_list *lists, size_t count);

static inline bool emission_fits_float(double value) {
    double size = fabs(value);
    return !isfinite(value) || size == 0 || (size <= FLT_MAX && size >= FLT_MIN);
}

/* ---- parts of the source ---- */

/* Lists of the public headers used by the decisions, and the elementary functions that are needed. */
void emission_print_lists(const struct emission *e, struct text *out);
void emission_print_elementary(const struct emission *e, struct text *out);

/* Prints program_operator and the codes of the other instructions. used: per code; NULL: all. */
void emission_print_operators(struct text *out, const bool *used);

/* print_sample: the vectors of the sample and the decisions; follows the elementary functions. The statements and their
 * driver, with the adjoint if requested, follow the plan. */
void emission_print_sample(struct text *out);
void emission_print_points(struct text *out);
void emission_print_drive(const struct emission *e, struct text *out);

/* The layer's constant data, a variable of type struct plan. The initializer is valid C99 and C++20. */
void emission_print_plan(const struct emission *e, const char *declaration, struct text *out);
size_t emission_plan_bytes(const struct emission *e);

/* The tolerance used by the driver: that of the layer, minus a margin for rounding in float files. */
double emission_tolerance(const struct emission *e);

/* The name of a method in the emitted texts; NULL: the method cannot be emitted. */
const char *emission_method(hn_method method);

/* The network's constant data. A residual or normalised network needs a third array for its layers. */
void emission_print_network(const struct emission *e, struct text *out);
size_t emission_network_bytes(const struct emission *e);
bool emission_network_is_shaped(const struct emission *e);

static inline size_t emission_whole_blocks(size_t count) {
    return (count + EMIT_BLOCK - 1) / EMIT_BLOCK * EMIT_BLOCK;
}

/* A copy with the first outputs only; release it with hn_network_destroy. */
hn_status emission_network_first(hn_network **out, const hn_network *network, size_t outputs, hn_error *error);

/* ---- statements ---- */

/* The entries of a file, and the part of a call they belong to. */
enum emission_part { PART_PREPARE, PART_EVALUATE, PART_STEP, PART_BACK, EMISSION_PARTS };
enum { EMISSION_ENTRIES = 12 };
struct emission_entry {
    enum kernel_entry entry;
    enum emission_part part;
};
extern const struct emission_entry emission_entries[EMISSION_ENTRIES];

void emission_print_entries(const struct emission *e, struct text *out);

/* HN_UNSUPPORTED if there are too many statements for straight-line code. */
hn_status emission_check_walk(const struct emission *e, hn_error *error);

/* Removes statements whose results are not used. Call it before counting. */
void emission_drop_unasked(struct emission *e);

/* Removes the leading 0 from the sums of a step if the sign of a zero has no effect; false when out of memory. */
bool emission_drop_zeros(struct emission *e);

/* Pairs the statements if requested; false when out of memory. */
bool emission_pair(struct emission *e);
void emission_release_pairs(struct emission *e);

/* ---- the gradient: steps of one tape, or of two with several candidates ---- */

size_t emission_tape_steps(const struct emission *e);

/* ---- several candidates and refinement ---- */

hn_status emission_policy_create(struct emission *e, hn_error *error);
void emission_policy_release(struct emission *e);
size_t emission_policy_bytes(const struct emission *e);

/* Texts and lists for the source file, and parts of its functions. */
void emission_print_policy(const struct emission *e, struct text *out);
void emission_print_policy_init(const struct emission *e, struct text *out);
void emission_print_policy_run(const struct emission *e, struct text *out);

/* ---- rounding in float files (core/rounding_bound.h) ---- */

hn_status emission_find_rounding(struct emission *e, hn_error *error);
void emission_release_rounding(struct emission *e);
void emission_print_rounding(const struct emission *e, struct text *out);
size_t emission_rounding_numbers(const struct emission *e); /* values; each has a bound */
size_t emission_rounding_leaves(const struct emission *e);
size_t emission_rounding_bytes(const struct emission *e);

/* ---- cost ---- */

/* False when out of memory. */
bool emission_cost(struct emission_cost *out, const struct emission *e);

#endif
