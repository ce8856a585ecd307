/* core.h - shared declarations of the extension hardnet._core: arrays from Python, exceptions, objects, and long calls
 * without the GIL.
 *
 * The extension is the thin part: it checks every argument, calls libhardnet's public functions and
 * raises what they report. It uses Python's stable ABI only, keeps no globals, and knows NumPy
 * through the array interface protocol (the attribute __array_struct__), so that no header of
 * NumPy's is needed. Conversions and broadcasting are done in Python before.
 *
 * A file core_NAME.c adds its types and functions to the module by core_add_NAME, listed in
 * core_module.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HARDNET_PYTHON_CORE_H
#define HARDNET_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030A0000
#endif
#include <Python.h>

#include "hardnet/hardnet.h"

/* ---- the module ---- */

/* Types that other files ask for; each is set by its core_add_NAME. */
typedef struct core_state {
    PyTypeObject *model, *layer, *evaluator, *refiner, *device;
} core_state;

/* The state, from an object of one of the module's types (they have no subclasses), or from the type
 * itself, or from the module. */
core_state *core_state_of(PyObject *self);
core_state *core_state_of_type(PyTypeObject *type);

/* Makes a type from its description and adds it to the module; *out, unless NULL, borrows it from
 * the module. 0, or -1 with an exception. */
int core_add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **out);

int core_add_model(PyObject *module);
int core_add_evaluate(PyObject *module);
int core_add_check(PyObject *module);
int core_add_layer(PyObject *module);
int core_add_device(PyObject *module);
int core_add_dlpack(PyObject *module);
int core_add_refine(PyObject *module);
int core_add_network(PyObject *module);
int core_add_inputs(PyObject *module);
int core_add_xla(PyObject *module);

/* For errors. */
#define CORE_METHOD(name, text) " " text
#define CORE_METHODS            HN_METHOD_LIST(CORE_METHOD) /* " auto paper ..." */

/* Names of keyword arguments; Python's parameter is char **, but it does not write to it. */
#define CORE_KEYWORDS(names) ((char **)(uintptr_t)(names))

/* ---- errors ---- */

/* Raises hardnet.Error with the library's sentence; NULL. */
PyObject *core_raise(const hn_error *error);

/* Raises hardnet.InvalidError, which is a ValueError, with a sentence in the format of PyErr_Format; NULL. */
PyObject *core_invalid(const char *format, ...);

/* ---- arrays ---- */

/* CORE_REPORT: bytes aligned for hn_report; NumPy does not describe record arrays well enough. */
typedef enum core_kind { CORE_REAL, CORE_NODE, CORE_INDEX, CORE_BYTE, CORE_BOOL, CORE_REPORT } core_kind;

enum { CORE_OPTIONAL = 1, CORE_WRITABLE = 2 };
#define CORE_ANY SIZE_MAX

/* A view of a NumPy array: C-contiguous, aligned, native byte order. It keeps a reference to the array until it is
 * released. The zero value, and None where allowed, has no data. */
typedef struct core_array {
    PyObject *owner;
    void *data;
    size_t count; /* elements in all */
} core_array;

/* Fills *out from an array of this kind with count elements (CORE_ANY: any number). Otherwise false, with a TypeError
 * or ValueError that names the argument. */
bool core_array_view(core_array *out, PyObject *object, const char *name, core_kind kind, size_t count, int flags);
void core_array_release(core_array *array);

/* count times width elements. False on overflow, with an exception that names the array. */
bool core_multiply(size_t count, size_t width, const char *name, size_t *out);

/* An array of rows x columns elements, and the index of its view in the arrays of a call. */
typedef struct core_wanted {
    size_t role;
    const char *name;
    PyObject *object;
    core_kind kind;
    size_t rows, columns;
    int flags;
} core_wanted;

/* Views all of them, as core_array_view does; on failure those before the culprit are held already. */
bool core_array_view_all(core_array *arrays, size_t count, const core_wanted *list);

/* ---- objects ---- */

/* The finished model behind an object of type _core.Model; NULL with an exception when the object is
 * none, or when the model cannot be finished. */
const hn_model *core_model_of(core_state *state, PyObject *object);

/* The layer behind an object of type _core.Layer; NULL with an exception. */
const hn_layer *core_layer_of(core_state *state, PyObject *object);

/* What is returned for samples that are not ok, by its name; false with an exception. */
bool core_not_ok_of(const char *text, hn_not_ok *choice);

/* The layer behind an object of type _core.DeviceLayer; NULL with an exception. */
const hn_device_layer *core_device_of(core_state *state, PyObject *object);

/* ---- long calls ---- */

/* Runs job(context) without the GIL. A long job runs on a new thread while this one checks for signals every 50 ms; if
 * a handler raises (Ctrl-C), *cancel becomes 1, the job is joined, and the result is false, with the handler's
 * exception. */
typedef void core_job(void *context);
bool core_run(core_job *job, void *context, bool lengthy, int *cancel);

#endif
