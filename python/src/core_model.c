/* core_model.c - the type _core.Model: models that are read from files or texts.
 *
 * SPDX-License-Identifier: MIT */
#include "core.h"

typedef struct core_model {
    PyObject_HEAD hn_model *model;
} core_model;

const hn_model *core_model_of(core_state *state, PyObject *object) {
    hn_error error;
    if (Py_TYPE(object) != state->model) {
        PyErr_SetString(PyExc_TypeError, "model must be a _core.Model");
        return NULL;
    }
    core_model *self = (core_model *)object;
    if (hn_model_finish(self->model, &error) == HN_OK)
        return self->model;
    core_raise(&error);
    return NULL;
}

static PyObject *read_text(PyObject *module, PyObject *arguments) {
    hn_text text = {.name = "text"};
    Py_ssize_t length;
    if (!PyArg_ParseTuple(arguments, "s#:read_text", &text.bytes, &length))
        return NULL;
    text.length = (size_t)length;
    hn_model *model;
    hn_error error;
    if (hn_model_read_memory(&model, 1, &text, NULL, &error) != HN_OK)
        return core_raise(&error);
    core_model *self = (core_model *)PyType_GenericAlloc(core_state_of(module)->model, 0);
    if (self)
        self->model = model;
    else
        hn_model_destroy(model);
    return (PyObject *)self;
}

static PyObject *row_names(PyObject *object, void *Py_UNUSED(closure)) {
    const hn_model *model = ((core_model *)object)->model;
    size_t count = hn_model_row_count(model);
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++)
        if (PyList_SetItem(list, (Py_ssize_t)i, PyUnicode_FromString(hn_model_row(model, i).name)) < 0)
            Py_CLEAR(list);
    return list;
}

static void model_dealloc(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    hn_model_destroy(((core_model *)object)->model);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static PyGetSetDef attributes[] = {
    {"row_names", row_names, NULL, "The names of the rows.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_dealloc, (void *)model_dealloc},
    {Py_tp_getset, attributes},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "hardnet._core.Model",
    .basicsize = sizeof(core_model),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = slots,
};

static PyMethodDef functions[] = {
    {"read_text", read_text, METH_VARARGS, "A model from text."},
    {NULL, NULL, 0, NULL},
};

int core_add_model(PyObject *module) {
    if (core_add_type(module, &spec, &core_state_of(module)->model) < 0)
        return -1;
    return PyModule_AddFunctions(module, functions);
}
