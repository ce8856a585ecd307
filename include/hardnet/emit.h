/* hardnet/emit.h - a layer, with or without its network, as one header and one C99 source for a
 * controller without heap or operating system.
 *
 * The source needs nothing but a C99 compiler: scaling, network, constraints, factor, decisions,
 * candidates and refinement are in it. In double it gives the library's bits, on every target whose arithmetic is IEEE 754.
 *
 *     hn_emit_options o;  hn_emitted files;  hn_error e;
 *     o.size = sizeof o;
 *     hn_emit_get_defaults(&o, &e);
 *     o.name = "steer";
 *     hn_emit(&files, model, network, &o, &e);        (steer.h, steer.c, an example, a CMake file)
 *     hn_emitted_release(&files);
 *
 * Still moving: what is here may change in a minor version.
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
    hn_layer_options layer; /* instructions are of no account */
    bool single;            /* numbers are floats; else doubles */
    bool libm;              /* sin, exp, sqrt, ... of the target's <math.h>; else our own, with the library's bits */
    const char *name;       /* what all names begin with: a C identifier, at most 40 characters */
    bool adjoint;           /* gradients, too: NAME_gradient; the workspace holds a tape then */
    bool casadi;            /* an external function of CasADi, too, with its adjoint; in double only */
    size_t candidates; /* that the network has (hardnet/policy.h): its outputs are so many times those of the model */
    size_t keep;       /* the first so many candidates are emitted; 0: all */
    int refine;        /* refinement steps of each candidate; not with adjoint: they are not differentiated */
} hn_emit_options;

/* auto, double, our own functions, one candidate, no refinement, no name yet. */
hn_status hn_emit_get_defaults(hn_emit_options *out, hn_error *error);

/* Texts, each with a 0 at its end. */
typedef struct hn_emitted {
    char *header;  /* NAME.h */
    char *source;  /* NAME.c */
    char *example; /* example.c: a main function that calls it */
    char *cmake;   /* CMakeLists.txt: a library, and the example */
    /* ---- what the header says, too ---- */
    size_t workspace, constants, stack; /* bytes; the stack at most, gcc -O2 on a Cortex-M7 */
    double code_arm, code_x86;          /* bytes, about: Cortex-M7, x86-64, gcc -O2 */
    double operations, instructions;    /* of a call, at most; instructions of x86-64 */
    int steps;                          /* at most */
    bool fixed;                         /* every finite input takes as many */
} hn_emitted;

/* network: from the model's inputs to its outputs, once per candidate; NULL: raw outputs are given. Several candidates and refinement
 * need a network and an objective; what is emitted then is the policy of hardnet/policy.h with these settings. A tolerance below what floats can hold, constants
 * beyond their range, a system too large for straight code, a tape of more than 64 MiB: refused, with the figure. */
hn_status hn_emit(hn_emitted *out, const hn_model *model, const hn_network *network, const hn_emit_options *options,
                  hn_error *error);

/* Whether hn_emit would emit a network with these settings; the first reason why not. It prints nothing and needs no name: sooner. NULL
 * options are the defaults. */
hn_status hn_emit_check(const hn_model *model, const hn_network *network, const hn_emit_options *options,
                        hn_error *error);

void hn_emitted_release(hn_emitted *emitted);

#ifdef __cplusplus
}
#endif

#endif
