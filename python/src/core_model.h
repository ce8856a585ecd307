/* core_model.h - the type _core.Model, as the files that work on it see it.
 *
 * A model is open, and can be added to, until it is finished; then it is constant, and calls without
 * the interpreter's lock may read it. Whatever would leave an error that sticks is refused before the
 * library sees it: node numbers are checked, a finished model takes no more, and there must be room for
 * the most nodes that a call can make. What is left, memory, does stick, and every later call says so.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HARDNET_PYTHON_CORE_MODEL_H
#define HARDNET_PYTHON_CORE_MODEL_H

#include "core.h"

typedef struct core_model {
    PyObject_HEAD hn_model *model;
    size_t max_nodes;
    bool finished;
    bool has_nan; /* one of its nodes is the number NaN */
} core_model;

/* A new object that owns the model from now on; NULL with an exception, and the model destroyed. */
PyObject *core_model_wrap(PyTypeObject *type, hn_model *model, size_t max_nodes, bool finished);

/* False with an exception. */
bool core_model_is_open(const core_model *self);
bool core_model_is_finished(const core_model *self);

/* Whether these elements, of at most a few nodes each, fit into the model's limit. False with an exception. */
bool core_model_has_room(const core_model *self, size_t elements);

/* None, or the error that sticks to the model as an exception. */
PyObject *core_model_done(const core_model *self);

/* A view of node numbers that are all the model's. */
bool core_nodes_view(core_array *out, const core_model *self, PyObject *object, const char *name, size_t count);

static inline hn_expr core_expr(const core_model *self, const core_array *nodes, size_t index) {
    const uint32_t *list = nodes->data;
    return (hn_expr){self->model, list[nodes->count == 1 ? 0 : index]};
}

/* core_read.c */
PyObject *core_read(PyObject *module, PyObject *arguments);
PyObject *core_read_text(PyObject *module, PyObject *arguments);

/* core_graph.c: operators over arrays of nodes. */
PyObject *core_model_constant(PyObject *object, PyObject *arguments);
PyObject *core_model_apply(PyObject *object, PyObject *arguments);
PyObject *core_model_fold(PyObject *object, PyObject *arguments);
PyObject *core_model_products(PyObject *object, PyObject *arguments);
PyObject *core_operators(PyObject *module, PyObject *unused);

/* core_parts.c: the parts of models. */
PyObject *core_model_inputs(PyObject *object, PyObject *arguments);
PyObject *core_model_outputs(PyObject *object, PyObject *arguments);
PyObject *core_model_range(PyObject *object, PyObject *arguments);
PyObject *core_model_bounds(PyObject *object, PyObject *arguments);
PyObject *core_model_start(PyObject *object, PyObject *arguments);
PyObject *core_model_fix(PyObject *object, PyObject *arguments);
PyObject *core_model_define(PyObject *object, PyObject *arguments);
PyObject *core_model_require(PyObject *object, PyObject *arguments);
PyObject *core_model_relate(PyObject *object, PyObject *arguments);
PyObject *core_model_between(PyObject *object, PyObject *arguments);
PyObject *core_model_block(PyObject *object, PyObject *arguments);
PyObject *core_model_objective(PyObject *object, PyObject *arguments);

/* core_inspect.c: looking at models. */
PyObject *core_model_input_parts(PyObject *object, PyObject *arguments);
PyObject *core_model_output_parts(PyObject *object, PyObject *arguments);
PyObject *core_model_row_parts(PyObject *object, PyObject *arguments);
PyObject *core_model_named_parts(PyObject *object, PyObject *arguments);
PyObject *core_model_constants(PyObject *object, PyObject *arguments);
PyObject *core_model_depends(PyObject *object, PyObject *arguments);
PyObject *core_model_values(PyObject *object, PyObject *arguments);
PyObject *core_model_node(PyObject *object, PyObject *number);
PyObject *core_model_write(PyObject *object, PyObject *unused);
extern PyGetSetDef core_model_attributes[];

#endif
