/* hardnet/emit.h - generates C for a layer, with or without its network: one header and one C99 source for a controller
 * without heap or operating system.
 *
 * The source needs only a C99 compiler: it contains scaling, network, constraints, linear algebra, step control,
 * candidates and refinement. In double it is bitwise identical to the library on every target with IEEE 754 arithmetic.
 *
 *     hn_emit_options o;  hn_emitted files;  hn_error e;
 *     o.size = sizeof o;
 *     hn_emit_get_defaults(&o, &e);
 *     o.name = "steer";
 *     hn_emit(&files, model, network, &o, &e);        (steer.h, steer.c, an example, a CMake file)
 *     hn_emitted_release(&files);
 *
 * Unstable: a minor version may change this header.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HARDNET_EMIT_H
#define HARDNET_EMIT_H

#include "hardnet/layer.h"
#include "hardnet/network.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hn_emit_options {
    size_t size;            /* sizeof(hn_emit_options) */
    hn_layer_options layer; /* instructions are ignored */
    bool single;            /* numbers are floats; else doubles */
    bool libm;              /* sin, exp, sqrt, ... from <math.h> of the target; else those of the library, with its
                             * bits */
    const char *name;       /* prefix of all names: a C identifier, at most 40 characters */
    bool adjoint;           /* also gradients: NAME_gradient; the workspace then includes a tape */
    bool casadi;            /* also an external function for CasADi, with its adjoint; double only */
    size_t candidates;      /* of the network (hardnet/policy.h): it has this many times the outputs of the model */
    size_t keep;            /* the number of candidates to emit, the first ones; 0: all */
    int refine;             /* refinement steps of each candidate; not with adjoint: they are not differentiated */
} hn_emit_options;

/* auto, double, the library's functions, one candidate, no refinement, no name. */
hn_status hn_emit_get_defaults(hn_emit_options *out, hn_error *error);

/* Strings, 0-terminated. */
typedef struct hn_emitted {
    char *header;  /* NAME.h */
    char *source;  /* NAME.c */
    char *example; /* example.c: a main function that calls it */
    char *cmake;   /* CMakeLists.txt: a library, and the example */
    /* ---- also stated in the header ---- */
    size_t workspace, constants, stack; /* bytes; the stack is an upper bound, gcc -O2 on a Cortex-M7 */
    double code_arm, code_x86;          /* bytes, approximately: Cortex-M7, x86-64, gcc -O2 */
    double operations, instructions;    /* of a call, upper bounds; instructions of x86-64 */
    int steps;                          /* upper bound */
    bool fixed;                         /* every finite input needs the same number of steps */
} hn_emitted;

/* network: from the model's inputs to its outputs, once per candidate; NULL: raw outputs are an argument. Several
 * candidates and refinement need a network and an objective; the result is then the policy of hardnet/policy.h with
 * these settings. Refused, with the figure: a tolerance below the precision of floats, constants beyond their range, a
 * system too large for straight-line code, a tape of more than 64 MiB. */
hn_status hn_emit(hn_emitted *out, const hn_model *model, const hn_network *network, const hn_emit_options *options,
                  hn_error *error);

/* Whether hn_emit would accept a network with these settings; else the first reason. Faster: it generates nothing and
 * needs no name. NULL options are the defaults. */
hn_status hn_emit_check(const hn_model *model, const hn_network *network, const hn_emit_options *options,
                        hn_error *error);

void hn_emitted_release(hn_emitted *emitted);

#ifdef __cplusplus
}
#endif

#endif
