/* core_network.h - the type _core.Network, as the files that work on it see it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HARDNET_PYTHON_CORE_NETWORK_H
#define HARDNET_PYTHON_CORE_NETWORK_H

#include "core.h"

typedef struct core_network {
    PyObject_HEAD hn_network *owned; /* NULL where a policy owns it */
    hn_policy *policy;               /* of a file that was loaded for a model; else NULL */
    const hn_network *network;
    PyObject *model; /* of the policy, which outlives it */
    bool busy;       /* the policy runs, without the interpreter's lock */
} core_network;

/* core_policy.c */
PyObject *core_network_apply(PyObject *object, PyObject *arguments);

#endif
