/* core_layer.h - shared declarations of _core.Layer: the object, and a call with its arrays.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HARDNET_PYTHON_CORE_LAYER_H
#define HARDNET_PYTHON_CORE_LAYER_H

#include "core.h"

enum { MOST_IDLE = 16 };

typedef struct core_layer {
    PyObject_HEAD hn_layer *layer;
    hn_layer_info info;
    hn_layer_options options;
    int threads;
    double pace; /* slowest recent time of forward calls in seconds per sample; 0: unknown */
    int idle_count;
    hn_pool *idle[MOST_IDLE];
} core_layer;

enum role {
    X,
    Y_RAW,
    Y,
    REPORTS,
    RESIDUAL,
    TAPE,
    WARM,
    FALLBACK,
    GRAD_Y,
    GRAD_Y_RAW,
    GRAD_X,
    GRAD_LOWER,
    GRAD_UPPER,
    FLAGGED,
    MULTIPLIERS,
    PROOF_Y,
    GRAD_MULTIPLIERS,
    GRAD_WEIGHTS,
    SHARED,
    SHARED_INPUTS,
    GRAD_SHARED,
    ROLES
};

typedef struct layer_call {
    const core_layer *layer;
    hn_pool *pool;
    core_array arrays[ROLES];
    hn_batch batch;
    hn_gradient gradient;
    size_t *shared_inputs; /* hn_batch.shared_inputs, freed after the call; NULL: the first ones */
    bool backward;
    int cancel;
    hn_status status;
    hn_error error;
} layer_call;

/* Runs the call without the interpreter's lock, forward or backward, so that Ctrl-C stops it. None, or NULL with an
 * exception. */
PyObject *core_layer_execute(core_layer *self, layer_call *call);

#endif
