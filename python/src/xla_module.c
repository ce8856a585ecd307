/* xla_module.c - Python's side of the handlers for XLA: their addresses, and which layers are kept.
 *
 *   _core.xla_handlers               {"forward": capsule, "backward": capsule}
 *   _core.xla_keep(key, layer, threads), _core.xla_drop(key)
 *
 * SPDX-License-Identifier: MIT */
#include "core.h"
#include "xla.h"

static PyObject *keep(PyObject *module, PyObject *arguments) {
    const char *key;
    PyObject *object;
    int threads;
    bool taken;
    if (!PyArg_ParseTuple(arguments, "sOi:xla_keep", &key, &object, &threads))
        return NULL;
    const hn_layer *layer = core_layer_of(core_state_of(module), object);
    if (!layer)
        return NULL;
    if (!*key || threads < 0)
        return PyErr_Format(PyExc_ValueError, "a layer is kept under a key that is not empty, with 0 threads or more");
    if (!xla_registry_keep(key, layer, threads, object, &taken))
        return PyErr_NoMemory();
    if (taken)
        Py_INCREF(object);
    Py_RETURN_NONE;
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
        status = PyModule_AddObjectRef(module, "xla_handlers", handlers);
    Py_XDECREF(handlers);
    return status;
}
