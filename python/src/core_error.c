/* core_error.c - a failed call of the library becomes an exception.
 *
 * The classes live in hardnet/_errors.py; its function error_of chooses one.
 *
 * SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <string.h>

#include "core.h"

/* Texts of the library, which may have been cut within a character. */
static PyObject *text_of(const char *text) {
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

PyObject *core_raise(const hn_error *error) {
    PyObject *module = PyImport_ImportModule("hardnet._errors");
    PyObject *subject = text_of(error->subject), *text = text_of(error->text), *exception = NULL;
    if (module && subject && text)
        exception = PyObject_CallMethod(module, "error_of", "isOIIO", (int)error->status, hn_code_text(error->code),
                                        subject, (unsigned)error->line, (unsigned)error->column, text);
    Py_XDECREF(module);
    Py_XDECREF(subject);
    Py_XDECREF(text);
    if (exception) {
        PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
        Py_DECREF(exception);
    }
    return NULL;
}

PyObject *core_invalid(const char *format, ...) {
    PyObject *module = PyImport_ImportModule("hardnet._errors");
    PyObject *kind = module ? PyObject_GetAttrString(module, "InvalidError") : NULL;
    va_list arguments;
    va_start(arguments, format);
    if (kind)
        PyErr_FormatV(kind, format, arguments);
    va_end(arguments);
    Py_XDECREF(kind);
    Py_XDECREF(module);
    return NULL;
}
