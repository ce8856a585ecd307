/* core_policy.c - the method apply of _core.Network: runs the policy of a file (hardnet/policy.h): network, candidates,
 * correction, refinement and choice.
 *
 * SPDX-License-Identifier: MIT */
#include "core_network.h"

enum { APPLY_X, APPLY_Y, APPLY_OBJECTIVE, APPLY_REPORTS, APPLY_ARRAYS };

typedef struct apply_call {
    hn_policy *policy;
    size_t count;
    core_array arrays[APPLY_ARRAYS];
    hn_status status;
    hn_error error;
} apply_call;

static void run_policy(void *context) {
    apply_call *call = context;
    const core_array *a = call->arrays;
    call->status = hn_policy_run(call->policy, call->count, a[APPLY_X].data, a[APPLY_Y].data, a[APPLY_OBJECTIVE].data,
                                 a[APPLY_REPORTS].data, &call->error);
}

static bool view_apply(apply_call *call, const hn_model *model, PyObject *const *objects) {
    size_t count = call->count, inputs = hn_model_input_count(model), outputs = hn_model_output_count(model);
    const core_wanted list[] = {
        {APPLY_X, "x", objects[APPLY_X], CORE_REAL, count, inputs, inputs ? 0 : CORE_OPTIONAL},
        {APPLY_Y, "y", objects[APPLY_Y], CORE_REAL, count, outputs, CORE_WRITABLE},
        {APPLY_OBJECTIVE, "objective", objects[APPLY_OBJECTIVE], CORE_REAL, count, 1, CORE_WRITABLE},
        {APPLY_REPORTS, "reports", objects[APPLY_REPORTS], CORE_REPORT, count, sizeof(hn_report), CORE_WRITABLE},
    };
    return core_array_view_all(call->arrays, sizeof list / sizeof *list, list);
}

PyObject *core_network_apply(PyObject *object, PyObject *arguments) {
    core_network *self = (core_network *)object;
    PyObject *objects[APPLY_ARRAYS];
    apply_call call = {.policy = self->policy};
    Py_ssize_t count;
    int cancel = 0;
    if (!PyArg_ParseTuple(arguments, "nOOOO:apply", &count, &objects[APPLY_X], &objects[APPLY_Y],
                          &objects[APPLY_OBJECTIVE], &objects[APPLY_REPORTS]))
        return NULL;
    if (!self->policy || count < 0)
        return core_invalid(self->policy ? "count is negative" : "the network was loaded without a model");
    if (self->busy)
        return PyErr_Format(PyExc_RuntimeError, "a policy serves one call at a time");
    call.count = (size_t)count;
    bool good = view_apply(&call, core_model_of(core_state_of(object), self->model), objects);
    if (good) {
        self->busy = true;
        good = core_run(run_policy, &call, false, &cancel);
        self->busy = false;
    }
    for (int i = 0; i < APPLY_ARRAYS; i++)
        core_array_release(&call.arrays[i]);
    if (good && call.status != HN_OK)
        return core_raise(&call.error);
    return good ? Py_NewRef(Py_None) : NULL;
}
