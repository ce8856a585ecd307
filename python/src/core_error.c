/* core_error.c - a failed call of the library becomes an exception.
 *
 * The classes live in hardnet/_errors.py; its function error_of chooses one.
 *
 * SPDX-License-Identifier: MIT */
#include "core.h"

PyObject *core_raise(const hn_error *error) {
    PyObject *module = PyImport_ImportModule("hardnet._errors");
    if (!module)
        return NULL;
    PyObject *exception =
        PyObject_CallMethod(module, "error_of", "issIIs", (int)error->status, hn_code_text(error->code), error->subject,
                            (unsigned)error->line, (unsigned)error->column, error->text);
    Py_DECREF(module);
    if (exception) {
        PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
        Py_DECREF(exception);
    }
    return NULL;
}
