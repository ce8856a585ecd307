/* core_model.c - the type _core.Model: its life and its table of methods. See core_model.h.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "core_model.h"

/* ---- functions for other files ---- */

PyObject *core_model_wrap(PyTypeObject *type, hn_model *model, size_t max_nodes, bool finished) {
    core_model *self = (core_model *)PyType_GenericAlloc(type, 0);
    if (!self) {
        hn_model_destroy(model);
        return NULL;
    }
    self->model = model;
    self->max_nodes = max_nodes;
    self->finished = finished;
    return (PyObject *)self;
}

bool core_model_is_open(const core_model *self) {
    if (self->finished)
        core_invalid("the model is finished and cannot be changed");
    return !self->finished;
}

bool core_model_is_finished(const core_model *self) {
    if (!self->finished)
        core_invalid("the model is not finished");
    return self->finished;
}

/* name: of the elements; empty: they have none. */
static bool has_room(const core_model *self, size_t elements, const char *name) {
    enum { MOST_EACH = 4, SPARE = 8 }; /* a fourth power, or an output with its bounds and start */
    size_t used = hn_model_node_count(self->model), room = self->max_nodes > used ? self->max_nodes - used : 0;
    hn_error error = {.status = HN_LIMIT, .code = HN_CODE_OPTION, .subject = "max_nodes"};
    if (room > SPARE && elements <= (room - SPARE) / MOST_EACH)
        return true;
    snprintf(
        error.text, sizeof error.text,
        "%s%s%zu elements may take more nodes than the model has left; raise max_nodes (%zu, of which %zu are used)",
        name, *name ? ": " : "", elements, self->max_nodes, used);
    core_raise(&error);
    return false;
}

bool core_model_has_room(const core_model *self, size_t elements) {
    return has_room(self, elements, "");
}

PyObject *core_model_done(const core_model *self) {
    hn_error error;
    if (hn_model_status(self->model, &error) != HN_OK)
        return core_raise(&error);
    Py_RETURN_NONE;
}

bool core_nodes_view(core_array *out, const core_model *self, PyObject *object, const char *name, size_t count) {
    if (!core_array_view(out, object, name, CORE_NODE, count, 0))
        return false;
    const uint32_t *nodes = out->data;
    for (size_t i = 0; i < out->count; i++) {
        if (!hn_is_valid((hn_expr){self->model, nodes[i]})) {
            core_invalid("%s: %u is not a node of this model", name, (unsigned)nodes[i]);
            core_array_release(out);
            return false;
        }
    }
    return true;
}

static bool finish(core_model *self) {
    hn_error error;
    if (!self->finished && hn_model_finish(self->model, &error) != HN_OK) {
        core_raise(&error);
        return false;
    }
    self->finished = true;
    return true;
}

const hn_model *core_model_of(core_state *state, PyObject *object) {
    if (Py_TYPE(object) != state->model) {
        PyErr_SetString(PyExc_TypeError, "model must be a _core.Model");
        return NULL;
    }
    core_model *self = (core_model *)object;
    return finish(self) ? self->model : NULL;
}

/* ---- life ---- */

static PyObject *model_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    static const char *const names[] = {"max_nodes", NULL};
    Py_ssize_t max_nodes = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|n:Model", CORE_KEYWORDS(names), &max_nodes))
        return NULL;
    if (max_nodes < 0)
        return core_invalid("max_nodes must be 0 or more");
    hn_model_options options = hn_model_defaults();
    hn_model *model;
    hn_error error;
    if (max_nodes > 0)
        options.max_nodes = (size_t)max_nodes;
    if (hn_model_create(&model, &options, &error) != HN_OK)
        return core_raise(&error);
    return core_model_wrap(type, model, options.max_nodes, false);
}

static void model_dealloc(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    hn_model_destroy(((core_model *)object)->model);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static PyObject *model_finish(PyObject *object, PyObject *Py_UNUSED(unused)) {
    if (!finish((core_model *)object))
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *model_copy(PyObject *object, PyObject *Py_UNUSED(unused)) {
    hn_model *copy;
    hn_error error;
    if (hn_model_copy(&copy, ((core_model *)object)->model, &error) != HN_OK)
        return core_raise(&error);
    core_model *made = (core_model *)core_model_wrap(Py_TYPE(object), copy, ((core_model *)object)->max_nodes, false);
    if (made)
        made->has_nan = ((core_model *)object)->has_nan;
    return (PyObject *)made;
}

static PyObject *model_check_room(PyObject *object, PyObject *arguments) {
    unsigned long long elements;
    const char *name;
    if (!PyArg_ParseTuple(arguments, "Ks:check_room", &elements, &name))
        return NULL;
    return has_room((core_model *)object, (size_t)elements, name) ? Py_NewRef(Py_None) : NULL;
}

/* ---- tables ---- */

static PyMethodDef methods[] = {
    {"finish", model_finish, METH_NOARGS, "Closes the model."},
    {"copy", model_copy, METH_NOARGS, "An open copy with the same node numbers."},
    {"check_room", model_check_room, METH_VARARGS,
     "check_room(elements, name): refuses more elements than the model has room for."},
    {"constant", core_model_constant, METH_VARARGS, "constant(values, out)"},
    {"apply", core_model_apply, METH_VARARGS, "apply(operator, out, a, b=None, c=None)"},
    {"fold", core_model_fold, METH_VARARGS, "fold(operator, out, terms): along the last axis of terms"},
    {"products", core_model_products, METH_VARARGS, "products(first, column, values, terms, out): a matrix by rows"},
    {"inputs", core_model_inputs, METH_VARARGS, "inputs(name, shape, out)"},
    {"outputs", core_model_outputs, METH_VARARGS, "outputs(name, shape, out)"},
    {"range", core_model_range, METH_VARARGS, "range(nodes, lower, upper): numbers"},
    {"bounds", core_model_bounds, METH_VARARGS, "bounds(nodes, lower, upper): nodes"},
    {"start", core_model_start, METH_VARARGS, "start(nodes, values)"},
    {"fix", core_model_fix, METH_VARARGS, "fix(nodes, values)"},
    {"define", core_model_define, METH_VARARGS, "define(name, shape, nodes)"},
    {"require", core_model_require, METH_VARARGS, "require(name, shape, nodes)"},
    {"relate", core_model_relate, METH_VARARGS, "relate(name, shape, relation, left, right)"},
    {"block", core_model_block, METH_VARARGS, "block(name, psd, size, rows)"},
    {"between", core_model_between, METH_VARARGS, "between(name, shape, lower, body, upper)"},
    {"objective", core_model_objective, METH_VARARGS, "objective(name, node, maximize)"},
    {"input_parts", core_model_input_parts, METH_VARARGS, "input_parts(nodes, lower, upper)"},
    {"output_parts", core_model_output_parts, METH_VARARGS, "output_parts(nodes, lower, upper, start, fixed)"},
    {"row_parts", core_model_row_parts, METH_VARARGS, "row_parts(lower, body, upper)"},
    {"named_parts", core_model_named_parts, METH_VARARGS, "named_parts(definitions, requirements)"},
    {"constants", core_model_constants, METH_VARARGS, "constants(nodes, known, values)"},
    {"depends", core_model_depends, METH_VARARGS, "depends(nodes, on_inputs, on_outputs)"},
    {"node", core_model_node, METH_O, "(operator, value or index, arguments, coefficients) of a node."},
    {"write", core_model_write, METH_NOARGS, "The model as a text that reads back to the same fingerprints."},
    {"values", core_model_values, METH_VARARGS, "values(nodes, count, x, y, out)"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, (void *)model_new},
    {Py_tp_dealloc, (void *)model_dealloc},
    {Py_tp_methods, methods},
    {Py_tp_getset, core_model_attributes},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "hardnet._core.Model",
    .basicsize = sizeof(core_model),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};

static PyMethodDef functions[] = {
    {"read", core_read, METH_VARARGS, "read(paths, lets, relax_integrality, max_nodes, messages)"},
    {"read_text", core_read_text, METH_VARARGS, "read_text(texts, lets, relax_integrality, max_nodes, messages)"},
    {"operators", core_operators, METH_NOARGS, "The operators by name, with the number of their arguments."},
    {NULL, NULL, 0, NULL},
};

int core_add_model(PyObject *module) {
    if (core_add_type(module, &spec, &core_state_of(module)->model) < 0)
        return -1;
    return PyModule_AddFunctions(module, functions);
}
