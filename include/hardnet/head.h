/* hardnet/head.h - a head: functions of the caller's that make outputs of a network's numbers, in
 * the place of the layer.
 *
 *     raw = network(x),   y = map(x, raw),   and y is judged: tolerance, outcome, violation
 *
 * A policy (hardnet/policy.h) with a head is run, saved and loaded as others are; where the head has
 * a way back, networks are trained through it (hardnet/train.h): for other methods to hold
 * constraints, and to compare with them. It has no refinement and does not run on a device.
 *
 * Still moving: what is here may change in a minor version.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HARDNET_HEAD_H
#define HARDNET_HEAD_H

#include "hardnet/network.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a head says of a sample. */
typedef struct hn_head_note {
    hn_real violation_before; /* for the report: max |r| of the raw output, */
    int steps;                /* and how many steps the head has taken */
    bool stalled;             /* an output that is not ok is so for another reason than that steps were used up */
    bool lost;                /* the raw output leads to none: training drops the sample */
} hn_head_note;

/* Samples: one row each. */
typedef struct hn_head_batch {
    size_t count;
    const hn_real *x;      /* count x inputs */
    hn_real *raw;          /* count x outputs: the network's in the head's columns, which stay; in others 0, or what the
                            * head puts there */
    hn_real *y;            /* count x outputs: what map makes of them. Fixed outputs get their values afterwards */
    hn_head_note *notes;   /* count: map's, zeros before */
    void *tape;            /* count x tape_bytes, from map to back; NULL: no gradient is wanted */
    const hn_real *grad_y; /* in back: count x outputs, by y, */
    hn_real *grad_raw;     /* and back's: by raw; 0 in columns that are not the head's */
    hn_real tolerance;     /* of the policy: what is ok */
    bool relative;
    void *memory; /* of this thread */
} hn_head_batch;

/* A head and all that it points to are the caller's and outlive what uses them. Its functions are
 * called by several threads at once, each with separate memory; a sample must not depend on its
 * neighbours in the batch. */
typedef struct hn_head {
    const char *name;      /* policy.scheme in a file; neither "layer" nor "none" */
    const void *context;   /* for its functions */
    size_t width;          /* how many numbers a network gives for one candidate, */
    const size_t *columns; /* which outputs of the model these are, ascending; NULL: all */
    size_t memory_bytes;   /* of a thread, 64-byte aligned */
    size_t tape_bytes;     /* of a sample */
    size_t text_count;     /* settings for a file, at most HN_HEAD_MOST_TEXTS, with keys that start with "policy." */
    const hn_metadata *texts;
    void (*begin)(const void *context, void *memory); /* once per thread, or NULL */
    void (*map)(const void *context, const hn_head_batch *batch);
    void (*back)(const void *context, const hn_head_batch *batch); /* after map; NULL: it cannot be trained through */
} hn_head;

enum { HN_HEAD_MOST_TEXTS = 32 };

#ifdef __cplusplus
}
#endif

#endif
