/* xla_module.c - Python's side of the handlers for XLA: their addresses, and which layers are kept.
 *
 *   _core.xla_handlers               {"forward": capsule, "backward": capsule, and both with "_cuda"}
 *   _core.xla_keep(key, layer, threads, devices=None, fallback=None, not_ok="best"), _core.xla_drop(key)
 *
 * fallback: bytes of one float64 per output.
 * devices(number) gives the _core.DeviceLayer for a device, and keeps it. It is called when a program first runs there.
 *
 * SPDX-License-Identifier: MIT */
#include "core.h"
#include "xla.h"

/* The numbers of a bytes object, one per output; NULL for None, and with an exception when they are not that. */
static const double *fallback_of(const hn_layer *layer, PyObject *fallback) {
    if (fallback == Py_None)
        return NULL;
    size_t bytes = hn_layer_info_of(layer).outputs * sizeof(double);
    if (PyBytes_Check(fallback) && (size_t)PyBytes_Size(fallback) == bytes)
        return (const double *)(const void *)PyBytes_AsString(fallback);
    core_invalid("fallback must be %zu bytes", bytes);
    return NULL;
}

static PyObject *keep_owned(const char *key, xla_kept *kept) {
    bool taken, known = kept->owner && xla_registry_keep(key, kept, &taken);
    if (kept->owner && (!known || !taken))
        Py_DECREF((PyObject *)kept->owner);
    if (!known)
        return PyErr_NoMemory();
    Py_RETURN_NONE;
}

static PyObject *keep(PyObject *module, PyObject *arguments) {
    const char *key, *not_ok = hn_not_ok_text(HN_NOT_OK_BEST);
    PyObject *object, *devices = Py_None, *fallback = Py_None;
    xla_kept kept = {.owner = NULL};
    if (!PyArg_ParseTuple(arguments, "sOi|OOs:xla_keep", &key, &object, &kept.threads, &devices, &fallback, &not_ok))
        return NULL;
    kept.layer = core_layer_of(core_state_of(module), object);
    if (!kept.layer || !core_not_ok_of(not_ok, &kept.not_ok))
        return NULL;
    kept.fallback = fallback_of(kept.layer, fallback);
    if (PyErr_Occurred())
        return NULL;
    if (!*key || kept.threads < 0)
        return core_invalid("a layer is kept under a key that is not empty, with 0 threads or more");
    kept.owner = PyTuple_Pack(4, object, devices, module, fallback);
    return keep_owned(key, &kept);
}

static PyObject *drop(PyObject *Py_UNUSED(module), PyObject *arguments) {
    const char *key;
    void *owner;
    if (!PyArg_ParseTuple(arguments, "s:xla_drop", &key))
        return NULL;
    PyThreadState *thread = PyEval_SaveThread();
    bool known = xla_registry_drop(key, &owner);
    PyEval_RestoreThread(thread);
    Py_XDECREF((PyObject *)owner);
    return PyBool_FromLong(known);
}

bool xla_warn(const char *sentence) {
    if (!Py_IsInitialized())
        return true;
    PyGILState_STATE state = PyGILState_Ensure();
    bool fine = PyErr_WarnEx(PyExc_RuntimeWarning, sentence, 1) == 0;
    if (!fine)
        PyErr_Clear(); /* the caller tells it to XLA instead */
    PyGILState_Release(state);
    return fine;
}

/* What went wrong in Python, as text; nothing is pending afterwards. */
static void take_sentence(char *sentence, size_t bytes) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *text = value ? PyObject_Str(value) : NULL;
    PyObject *encoded = text ? PyUnicode_AsUTF8String(text) : NULL;
    PyErr_Clear();
    PyOS_snprintf(sentence, bytes, "%s", encoded ? PyBytes_AsString(encoded) : "the kernels cannot be made");
    Py_XDECREF(encoded);
    Py_XDECREF(text);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
}

const hn_device_layer *xla_make_device(void *owner, int number, char *sentence, size_t bytes) {
    PyOS_snprintf(sentence, bytes, "Python has ended: no kernels are made");
    if (!Py_IsInitialized())
        return NULL;
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *devices = PyTuple_GetItem(owner, 1), *module = PyTuple_GetItem(owner, 2);
    PyObject *made = devices ? PyObject_CallFunction(devices, "i", number) : NULL;
    const hn_device_layer *layer = made ? core_device_of(core_state_of(module), made) : NULL;
    if (!layer)
        take_sentence(sentence, bytes);
    Py_XDECREF(made); /* its maker keeps it */
    PyGILState_Release(state);
    return layer;
}

static int add_handler(PyObject *handlers, const char *name, xla_error *(*handler)(xla_frame *)) {
    PyObject *capsule = PyCapsule_New((void *)(uintptr_t)handler, "xla._CUSTOM_CALL_TARGET", NULL);
    int status = capsule ? PyDict_SetItemString(handlers, name, capsule) : -1;
    Py_XDECREF(capsule);
    return status;
}

static PyMethodDef functions[] = {
    {"xla_keep", keep, METH_VARARGS, "Lets handlers for XLA find a layer by a key."},
    {"xla_drop", drop, METH_VARARGS, "Undoes one xla_keep; whether the key was known."},
    {NULL, NULL, 0, NULL},
};

int core_add_xla(PyObject *module) {
    PyObject *handlers = PyDict_New();
    int status = handlers ? PyModule_AddFunctions(module, functions) : -1;
    if (status == 0)
        status = add_handler(handlers, "forward", xla_forward);
    if (status == 0)
        status = add_handler(handlers, "backward", xla_backward);
    if (status == 0)
        status = add_handler(handlers, "forward_cuda", xla_forward_cuda);
    if (status == 0)
        status = add_handler(handlers, "backward_cuda", xla_backward_cuda);
    if (status == 0)
        status = PyModule_AddObjectRef(module, "xla_handlers", handlers);
    Py_XDECREF(handlers);
    return status;
}
