/* core_inputs.c - inputs to train on, from the boxes of a model (hn_sample_inputs).
 *
 * SPDX-License-Identifier: MIT */
#include "core.h"

typedef struct sample_call {
    const hn_model *model;
    unsigned long long seed, stream;
    Py_ssize_t count;
    core_array x;
    hn_status status;
    hn_error error;
} sample_call;

static void sample_rows(void *context) {
    sample_call *call = context;
    call->status =
        hn_sample_inputs(call->model, call->seed, call->stream, (size_t)call->count, call->x.data, &call->error);
}

static PyObject *sample_inputs(PyObject *module, PyObject *arguments) {
    PyObject *model, *x;
    sample_call call = {0};
    if (!PyArg_ParseTuple(arguments, "OKKnO:sample_inputs", &model, &call.seed, &call.stream, &call.count, &x))
        return NULL;
    call.model = core_model_of(core_state_of(module), model);
    if (!call.model)
        return NULL;
    size_t inputs = hn_model_input_count(call.model);
    if (call.count < 0 || (inputs && (size_t)call.count > PY_SSIZE_T_MAX / inputs))
        return core_invalid("count is out of range");
    if (!core_array_view(&call.x, x, "x", CORE_REAL, (size_t)call.count * inputs, CORE_WRITABLE))
        return NULL;
    int cancel = 0;
    core_run(sample_rows, &call, false, &cancel);
    core_array_release(&call.x);
    return call.status == HN_OK ? Py_NewRef(Py_None) : core_raise(&call.error);
}

static PyMethodDef functions[] = {
    {"sample_inputs", sample_inputs, METH_VARARGS, "Inputs from their boxes."},
    {NULL, NULL, 0, NULL},
};

int core_add_inputs(PyObject *module) {
    return PyModule_AddFunctions(module, functions);
}
