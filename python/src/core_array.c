/* core_array.c - checked views of NumPy arrays.
 *
 * The views use NumPy's array interface protocol: the attribute __array_struct__ is a capsule with the struct below,
 * documented under "The array interface protocol", version 3. The capsule holds a reference to the array, so that
 * keeping it keeps the data.
 *
 * SPDX-License-Identifier: MIT */
#include "core.h"

struct array_interface {
    int two; /* is 2 */
    int dimensions;
    char kind; /* f, i, u, b */
    int item_bytes;
    int flags;
    const Py_ssize_t *shape, *strides;
    void *data;
    PyObject *description;
};

enum { FLAG_CONTIGUOUS = 0x1, FLAG_ALIGNED = 0x100, FLAG_NATIVE = 0x200, FLAG_WRITABLE = 0x400 };

static const struct {
    const char *text; /* for messages */
    char kind;
    int bytes;
} kinds[] = {
    [CORE_REAL] = {"float64", 'f', 8}, [CORE_NODE] = {"uint32", 'u', 4},
    [CORE_INDEX] = {"int64", 'i', 8},  [CORE_BYTE] = {"uint8", 'u', 1},
    [CORE_BOOL] = {"bool", 'b', 1},    [CORE_REPORT] = {"uint8, the bytes of records", 'u', 1},
};

/* NULL, with an exception, if the object is not an array. */
static PyObject *capsule_of(PyObject *object, const char *name) {
    PyObject *capsule = PyObject_GetAttrString(object, "__array_struct__");
    if (capsule && PyCapsule_IsValid(capsule, NULL))
        return capsule;
    Py_XDECREF(capsule);
    if (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_AttributeError))
        PyErr_Format(PyExc_TypeError, "%s must be a NumPy array", name);
    return NULL;
}

static size_t element_count(const struct array_interface *array) {
    size_t count = 1;
    for (int i = 0; i < array->dimensions; i++)
        count *= (size_t)array->shape[i];
    return count;
}

static bool is_usable(const struct array_interface *array, const char *name, core_kind kind, int flags) {
    const int layout = FLAG_ALIGNED | FLAG_NATIVE | FLAG_CONTIGUOUS;
    if (array->two != 2)
        PyErr_Format(PyExc_TypeError, "%s describes itself in a way that is not NumPy's", name);
    else if (array->kind != kinds[kind].kind || array->item_bytes != kinds[kind].bytes)
        PyErr_Format(PyExc_TypeError, "%s must be an array of %s", name, kinds[kind].text);
    else if ((array->flags & layout) != layout)
        core_invalid("%s must be contiguous, in C order and native byte order", name);
    else if (kind == CORE_REPORT && (uintptr_t)array->data % _Alignof(hn_report) != 0)
        core_invalid("%s must be aligned as records are", name);
    else if ((flags & CORE_WRITABLE) && !(array->flags & FLAG_WRITABLE))
        core_invalid("%s is read-only", name);
    else
        return true;
    return false;
}

static bool take(core_array *out, PyObject *capsule, const char *name, core_kind kind, int flags) {
    const struct array_interface *array = PyCapsule_GetPointer(capsule, NULL);
    if (!array || !is_usable(array, name, kind, flags)) {
        Py_DECREF(capsule);
        return false;
    }
    *out = (core_array){.owner = capsule, .data = array->data, .count = element_count(array)};
    return true;
}

bool core_array_view(core_array *out, PyObject *object, const char *name, core_kind kind, size_t count, int flags) {
    *out = (core_array){0};
    if ((!object || object == Py_None) && (flags & CORE_OPTIONAL))
        return true;
    PyObject *capsule = object ? capsule_of(object, name) : NULL;
    if (!object)
        PyErr_Format(PyExc_TypeError, "%s is missing", name);
    if (!capsule || !take(out, capsule, name, kind, flags))
        return false;
    if (count == CORE_ANY || out->count == count)
        return true;
    core_invalid("%s has %zu elements instead of %zu", name, out->count, count);
    core_array_release(out);
    return false;
}

void core_array_release(core_array *array) {
    Py_CLEAR(array->owner);
    *array = (core_array){0};
}

bool core_multiply(size_t count, size_t width, const char *name, size_t *out) {
    if (width > 0 && count > PY_SSIZE_T_MAX / width) {
        PyErr_Format(PyExc_OverflowError, "%s would have more elements than there can be", name);
        return false;
    }
    *out = count * width;
    return true;
}

bool core_array_view_all(core_array *arrays, size_t count, const core_wanted *list) {
    for (size_t i = 0; i < count; i++) {
        const core_wanted *w = &list[i];
        size_t elements;
        if (!core_multiply(w->rows, w->columns, w->name, &elements) ||
            !core_array_view(&arrays[w->role], w->object, w->name, w->kind, elements, w->flags))
            return false;
    }
    return true;
}
