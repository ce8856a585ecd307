/* core_device.c - the type _core.DeviceLayer: a layer on a CUDA device.
 *
 * Arrays are addresses in the device's memory, given as integers; 0 or None is not an array. They cannot be checked here:
 * the caller must know the sizes. run and gradient are asynchronous and do not allocate.
 *
 * SPDX-License-Identifier: MIT */
#include "core.h"

typedef struct core_device {
    PyObject_HEAD hn_device_layer *layer;
    hn_device_info info;
} core_device;

const hn_device_layer *core_device_of(core_state *state, PyObject *object) {
    if (Py_TYPE(object) == state->device)
        return ((core_device *)object)->layer;
    PyErr_SetString(PyExc_TypeError, "layer must be a _core.DeviceLayer");
    return NULL;
}

/* ---- calls ---- */

typedef struct device_call {
    const hn_device_layer *layer;
    hn_batch batch;
    hn_gradient gradient;
    void *workspace, *stream;
    bool backward;
    hn_status status;
    hn_error error;
} device_call;

/* A converter of PyArg_Parse: an address. */
static int address(PyObject *object, void *out) {
    void *at = object == Py_None ? NULL : PyLong_AsVoidPtr(object);
    if (!at && PyErr_Occurred())
        return 0;
    *(void **)out = at;
    return 1;
}

static void run_call(void *context) {
    device_call *call = context;
    if (call->backward)
        call->status =
            hn_device_gradient(call->layer, &call->batch, &call->gradient, call->workspace, call->stream, &call->error);
    else
        call->status = hn_device_run(call->layer, &call->batch, call->workspace, call->stream, &call->error);
}

static PyObject *execute(device_call *call, Py_ssize_t count, int repeat_x, int repeat_y) {
    int cancel = 0;
    if (count < 0)
        return core_invalid("count is negative");
    call->batch.size = sizeof call->batch;
    call->batch.count = (size_t)count;
    call->batch.report_size = sizeof(hn_report);
    call->batch.repeat_x = repeat_x != 0;
    call->batch.repeat_y = repeat_y != 0;
    core_run(run_call, call, false, &cancel);
    if (call->status != HN_OK)
        return core_raise(&call->error);
    Py_RETURN_NONE;
}

static PyObject *device_run(PyObject *object, PyObject *arguments, PyObject *keywords) {
    static const char *const names[] = {"count",     "x",        "y_raw",  "y",           "reports",
                                        "workspace", "residual", "tape",   "warm",        "fallback",
                                        "repeat_x",  "repeat_y", "stream", "multipliers", NULL};
    device_call call = {.layer = ((core_device *)object)->layer};
    hn_batch *b = &call.batch;
    Py_ssize_t count;
    int repeat_x = 0, repeat_y = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "nO&O&O&O&O&|$O&O&O&O&ppO&O&:run", CORE_KEYWORDS(names),
                                     &count, address, &b->x, address, &b->y_raw, address, &b->y, address, &b->reports,
                                     address, &call.workspace, address, &b->residual, address, &b->tape, address,
                                     &b->warm, address, &b->fallback, &repeat_x, &repeat_y, address, &call.stream,
                                     address, &b->multipliers))
        return NULL;
    return execute(&call, count, repeat_x, repeat_y);
}

static PyObject *device_gradient(PyObject *object, PyObject *arguments, PyObject *keywords) {
    static const char *const names[] = {
        "count",   "x",        "y_raw",      "y",      "reports",          "workspace",
        "tape",    "grad_y",   "grad_y_raw", "grad_x", "grad_lower",       "grad_upper",
        "flagged", "repeat_x", "repeat_y",   "stream", "grad_multipliers", "grad_weights",
        NULL};
    device_call call = {.layer = ((core_device *)object)->layer, .backward = true};
    hn_batch *b = &call.batch;
    hn_gradient *g = &call.gradient;
    Py_ssize_t count;
    int repeat_x = 0, repeat_y = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "nO&O&O&O&O&O&O&O&|$O&O&O&O&ppO&O&O&:gradient",
                                     CORE_KEYWORDS(names), &count, address, &b->x, address, &b->y_raw, address, &b->y,
                                     address, &b->reports, address, &call.workspace, address, &b->tape, address,
                                     &g->grad_y, address, &g->grad_y_raw, address, &g->grad_x, address, &g->grad_lower,
                                     address, &g->grad_upper, address, &g->flagged, &repeat_x, &repeat_y, address,
                                     &call.stream, address, &g->grad_multipliers, address, &g->grad_weights))
        return NULL;
    g->size = sizeof *g;
    return execute(&call, count, repeat_x, repeat_y);
}

/* ---- looking ---- */

static PyObject *bytes_of(PyObject *object, PyObject *argument, size_t (*bytes)(const hn_device_layer *, size_t),
                          const char *what) {
    Py_ssize_t count = PyNumber_AsSsize_t(argument, PyExc_OverflowError);
    if (count == -1 && PyErr_Occurred())
        return NULL;
    size_t own = count < 0 ? 0 : bytes(((core_device *)object)->layer, (size_t)count);
    if (count < 0 || own > PY_SSIZE_T_MAX || (count > 0 && own == 0))
        return PyErr_Format(PyExc_OverflowError, "a %s for %zd samples cannot be", what, count);
    return PyLong_FromSize_t(own);
}

static PyObject *device_tape_bytes(PyObject *object, PyObject *argument) {
    return bytes_of(object, argument, hn_device_tape_bytes, "tape");
}

static PyObject *device_workspace_bytes(PyObject *object, PyObject *argument) {
    return bytes_of(object, argument, hn_device_workspace_bytes, "workspace");
}

static PyObject *device_info(PyObject *object, void *Py_UNUSED(closure)) {
    const hn_device_info *i = &((core_device *)object)->info;
    return Py_BuildValue("{s:s,s:i,s:i,s:i,s:i,s:O,s:d,s:i,s:n,s:n,s:n,s:n,s:s}", "name", i->name, "capability",
                         i->capability, "driver", i->driver, "nvrtc", i->nvrtc, "multiprocessors", i->multiprocessors,
                         "found", i->found ? Py_True : Py_False, "seconds", i->seconds, "registers", i->registers,
                         "local_bytes", (Py_ssize_t)i->local_bytes, "inputs", (Py_ssize_t)i->inputs, "outputs",
                         (Py_ssize_t)i->outputs, "rows", (Py_ssize_t)i->rows, "precision",
                         hn_precision_text(i->precision));
}

/* ---- life ---- */

typedef struct create_call {
    const hn_model *model;
    hn_layer_options layer;
    hn_device_options device;
    hn_device_layer *made;
    hn_error error;
} create_call;

static void create(void *context) {
    create_call *call = context;
    hn_device_layer_create(&call->made, call->model, &call->layer, &call->device, &call->error);
}

static bool parse_new(create_call *call, PyObject **model, PyObject *arguments, PyObject *keywords) {
    static const char *const names[] = {"model",  "method", "iterations", "damping", "tolerance", "relative",
                                        "effort", "device", "precision",  "weights", NULL};
    const char *method, *precision, *weights = NULL;
    int relative;
    Py_ssize_t bytes = 0;
    call->layer = hn_layer_defaults();
    call->device = hn_device_defaults();
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "Osiddpdis|z#:DeviceLayer", CORE_KEYWORDS(names), model,
                                     &method, &call->layer.iterations, &call->layer.damping, &call->layer.tolerance,
                                     &relative, &call->layer.effort, &call->device.device, &precision, &weights,
                                     &bytes))
        return false;
    call->layer.weights = (const double *)(const void *)weights; /* bytes are aligned as objects are */
    call->layer.relative = relative != 0;
    if (!hn_method_find(method, &call->layer.method))
        core_invalid("method '%s' is unknown; there are" CORE_METHODS, method);
    else if (!hn_precision_find(precision, &call->device.precision))
        core_invalid("precision '%s' is unknown; there are float64 and float32", precision);
    else
        return true;
    return false;
}

/* A compiler may take seconds: releases the GIL. */
static PyObject *device_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    create_call call = {0};
    PyObject *model;
    int cancel = 0;
    if (!parse_new(&call, &model, arguments, keywords))
        return NULL;
    call.model = core_model_of(core_state_of_type(type), model);
    if (!call.model)
        return NULL;
    core_run(create, &call, false, &cancel);
    if (!call.made)
        return core_raise(&call.error);
    core_device *self = (core_device *)PyType_GenericAlloc(type, 0);
    if (!self) {
        hn_device_layer_destroy(call.made);
        return NULL;
    }
    self->layer = call.made;
    self->info.size = sizeof self->info;
    hn_device_get_info(call.made, &self->info, NULL);
    return (PyObject *)self;
}

static void device_dealloc(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    hn_device_layer_destroy(((core_device *)object)->layer);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"run", (PyCFunction)(void (*)(void))device_run, METH_VARARGS | METH_KEYWORDS, "Starts correcting a batch."},
    {"gradient", (PyCFunction)(void (*)(void))device_gradient, METH_VARARGS | METH_KEYWORDS,
     "Starts computing gradients of a loss through a batch that was run with a tape."},
    {"tape_bytes", device_tape_bytes, METH_O, "The bytes of a tape for so many samples."},
    {"workspace_bytes", device_workspace_bytes, METH_O, "The bytes of a workspace for so many samples."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef attributes[] = {
    {"info", device_info, NULL, "The device, and what its kernels need.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, (void *)device_new},
    {Py_tp_dealloc, (void *)device_dealloc},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "hardnet._core.DeviceLayer",
    .basicsize = sizeof(core_device),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};

int core_add_device(PyObject *module) {
    return core_add_type(module, &spec, &core_state_of(module)->device);
}
