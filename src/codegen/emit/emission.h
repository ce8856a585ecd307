/* emission.h - what the files of this module share: one layer on its way to C text.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_EMISSION_H
#define HN_CODEGEN_EMISSION_H

#include "codegen/ir/lower.h"
#include "codegen/passes/slp_regions.h"
#include "codegen/print/flatten.h"
#include "hardnet/emit.h"
#include "nn/loss.h"
#include "nn/network_parts.h"
#include "nn/refine_plan.h"

enum {
    EMIT_LONGEST_NAME = 40,
    EMIT_BLOCK = 8,          /* NETWORK_BLOCK of mlp.h */
    EMIT_STACK = 1024,       /* numbers; tests/targets measures it */
    EMIT_MOST_TAPE = 1 << 26 /* bytes */
};

/* Where the number goes that header and source share; emit.c fills it in. */
#define EMIT_NO_PAIR "0x00000000u"

/* What a call costs; emission_cost.c. */
struct emission_cost {
    double operations;       /* of an evaluation and a step: additions, multiplications, divisions, comparisons */
    double operations_worst; /* of a call */
    double rounds;           /* evaluations at most, of one correction */
    double corrections;      /* of a call: one, or those of all candidates and refinement steps */
    double worst;            /* instructions of a call at most, x86-64, gcc -O2 */
    bool fixed;              /* the method takes the same number of steps for every finite input */
    double code_arm, code_x86;
};

/* Several candidates and refinement; emission_policy.c. */
struct emission_policy {
    size_t candidates;
    int refine;                    /* steps */
    struct loss objective;         /* only the part that evaluates f alone */
    struct refine_plan refinement; /* where there are steps */
    bool used[CODE_COUNT];         /* instructions of both programs, by code */
};

/* Entries that somebody else prints. */
struct emission_lists {
    const bool *entry; /* per entry: it is one of them */
    void (*print)(const void *own, struct text *out, enum kernel_entry entry);
    const void *own;
};

/* The rows as steps with a bound on their rounding; emission_rounding.c. */
struct rounding_step {
    uint32_t code, to, a, b, c;
};

struct emission_rounding {
    struct rounding_step *steps;
    size_t count, capacity;
    uint32_t *number; /* per slot: 1 + its number there, 0: none */
    uint32_t numbers;
    bool *leaf; /* per slot: its number is there before the first step */
};

struct emission {
    const hn_model *model;
    const hn_network *network; /* or NULL */
    hn_network *kept;          /* the network where some of its candidates are left out; else NULL */
    hn_emit_options options;
    hn_layer_options layer; /* with the method's own numbers filled in */
    struct plan *plan;
    struct ir_module ir;
    bool paired; /* statements in pairs, too, for targets that have vectors of two doubles */
    struct slp_regions pairs[KERNEL_ENTRIES];
    bool hoisted;    /* statements read their slots as early as possible: for memory that is far away */
    bool back_alone; /* no statements of a step: the way back has what it needs of one (SOLVER_BACK_STEP) */
    const struct emission_lists *lists; /* entries that are no statements of C; NULL: none */
    struct emission_policy policy;
    size_t turns, width; /* the network's arrays, and numbers of each, whole blocks */
    size_t hidden;       /* numbers of the network's inner layers, whole blocks */
    size_t work_bytes, constant_bytes;
    struct emission_rounding rounding; /* of float files */
    struct emission_cost cost;
    char fingerprint[HN_FINGERPRINT_BYTES], names_fingerprint[HN_FINGERPRINT_BYTES];
};

/* ---- texts ---- */

void emission_print_source(const struct emission *e, struct text *out);
void emission_print_header(const struct emission *e, struct text *out);
void emission_print_example(const struct emission *e, struct text *out);
void emission_print_cmake(const struct emission *e, struct text *out);

/* Parts of the source: the layer's constant data, the network's, and statements. declaration: of the variable of type struct plan. The
 * initializer is valid C99 and C++20. */
void emission_print_plan(const struct emission *e, const char *declaration, struct text *out);
void emission_print_network(const struct emission *e, struct text *out);
void emission_print_entries(const struct emission *e, struct text *out);

/* Takes statements out that compute what nobody asks for; before anything is counted. */
void emission_drop_unasked(struct emission *e);

/* Takes the leading 0 from sums of a step where nobody sees the sign of a zero; false: memory is out. */
bool emission_drop_zeros(struct emission *e);

/* Statements in pairs, where they are wanted; false: memory is out. */
bool emission_pair(struct emission *e);
void emission_release_pairs(struct emission *e);

/* The gradient's part of each, where it is asked for. */
void emission_print_gradient_work(const struct emission *e, struct text *out);
void emission_print_gradient_declaration(const struct emission *e, struct text *out);
void emission_print_tape(const struct emission *e, struct text *out);
void emission_print_gradient(const struct emission *e, struct text *out);

/* CasADi's interface. */
void emission_print_casadi(const struct emission *e, struct text *out);

/* ---- several candidates and refinement: zeros and nothing where there is one candidate without refinement ---- */

static inline bool emission_has_policy(const struct emission *e) {
    return e->policy.candidates > 1 || e->policy.refine > 0;
}

/* Programs and lists, from the options. */
hn_status emission_policy_create(struct emission *e, hn_error *error);
void emission_policy_release(struct emission *e);

/* Numbers of the workspace, bytes of constants. */
size_t emission_policy_numbers(const struct emission *e);
size_t emission_policy_bytes(const struct emission *e);

/* Instructions and operations that are added to those of the corrections of a call, and bytes of code. */
struct policy_cost {
    double instructions, operations, code;
};
struct policy_cost emission_policy_cost(const struct emission *e);

/* Workspace, texts and lists of the source, and parts of its functions. */
void emission_print_policy_work(const struct emission *e, struct text *out);
void emission_print_policy(const struct emission *e, struct text *out);
void emission_print_policy_lists(const struct emission *e, struct text *out);
void emission_print_policy_init(const struct emission *e, struct text *out);
void emission_print_policy_run(const struct emission *e, struct text *out);
void emission_print_rounding_verdict(const struct emission *e, struct text *out); /* into the local `most` */

/* Lists of the public headers that the decisions name, and the elementary functions that are needed. */
void emission_print_lists(const struct emission *e, struct text *out);
void emission_print_elementary(const struct emission *e, struct text *out);

/* program_operator, and the codes of instructions that are no operators. used: by code; NULL: all. */
void emission_print_operators(struct text *out, const bool *used);

/* The sample and its decisions: after the elementary functions. Its vectors; statements, and the driver over them, with that of the
 * adjoint where it is asked for: after the plan. */
void emission_print_sample(struct text *out);
void emission_print_points(struct text *out);
void emission_print_drive(const struct emission *e, struct text *out);

/* The name of a method in the emitted texts, NULL: they do not have it. */
const char *emission_method(hn_method method);

/* HN_UNSUPPORTED where the statements are too many for straight code. */
hn_status emission_check_walk(const struct emission *e, hn_error *error);

/* The text in capitals. */
void emission_print_upper(struct text *out, const char *text);

/* A number as a constant of C with all its bits, of the file's own precision. */
void emission_number(const struct emission *e, struct text *out, double value);

/* The tolerance that the driver aims at: that of the layer, less room for what floats round. */
double emission_tolerance(const struct emission *e);

/* What rounding may hide in a float file (rounding_bound.h): finds its steps, prints them; numbers of the workspace that they take. */
hn_status emission_find_rounding(struct emission *e, hn_error *error);
void emission_release_rounding(struct emission *e);
void emission_print_rounding(const struct emission *e, struct text *out);
size_t emission_rounding_numbers(const struct emission *e);
size_t emission_rounding_leaves(const struct emission *e);
size_t emission_rounding_bytes(const struct emission *e); /* of constant data */

/* Bytes of constant data that the two print; of one number. */
size_t emission_plan_bytes(const struct emission *e);
size_t emission_network_bytes(const struct emission *e);

/* Whether it is residual or normalised; then it has a third array. The line that declares them, in a function of the source. */
bool emission_network_is_shaped(const struct emission *e);
const char *emission_network_turns(const struct emission *e);

/* A copy that has the first of its outputs only; hn_network_destroy releases it. */
hn_status emission_network_first(hn_network **out, const hn_network *network, size_t outputs, hn_error *error);

/* What the way back takes of the workspace, its tape and what the network's inner layers hold: numbers and integers; bytes of both. */
size_t emission_gradient_numbers(const struct emission *e);
size_t emission_gradient_integers(const struct emission *e);
size_t emission_gradient_bytes(const struct emission *e);
static inline size_t emission_real(const struct emission *e) {
    return e->options.single ? sizeof(float) : sizeof(double);
}

/* Instructions of an elementary function; 0 where it is none. */
double emission_call_cost(const struct emission *e, uint32_t function);

bool emission_cost(struct emission_cost *out, const struct emission *e); /* false: out of memory */

/* Whether the driver's text computes what steps are judged by: auto, where most steps are not. */
static inline bool emission_drive_judges(const struct emission *e) {
    return e->plan->options.method == HN_METHOD_AUTO;
}

#endif
