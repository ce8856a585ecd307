/* core_parts.c - the parts of models: inputs and outputs with their ranges, bounds, starts and fixed values;
 * definitions, requirements, rows, the objective.
 *
 * Parts are named after their array and their place in it, from 0 on: "y[3,1]"; a scalar has the bare
 * name. What does not fit is refused before anything is added, so that the model stays good.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>

#include "core_model.h"

/* ---- names ---- */

enum { MOST_AXES = 64, INDEX_CHARACTERS = 21 };

typedef struct label {
    char *text;
    size_t base, bytes; /* characters before the '['; bytes in all */
    size_t shape[MOST_AXES];
    int axes;
} label;

static void label_close(label *l) {
    PyMem_Free(l->text);
    l->text = NULL;
}

static bool take_shape(label *l, PyObject *shape, size_t count) {
    Py_ssize_t axes = PyTuple_Check(shape) ? PyTuple_Size(shape) : -1;
    size_t product = 1;
    if (axes < 0 || axes > MOST_AXES) {
        PyErr_SetString(PyExc_TypeError, "shape must be a tuple of at most 64 integers");
        return false;
    }
    for (l->axes = 0; l->axes < axes; l->axes++) {
        l->shape[l->axes] = PyLong_AsSize_t(PyTuple_GetItem(shape, l->axes));
        if (PyErr_Occurred())
            return false;
        product *= l->shape[l->axes];
    }
    if (product != count)
        core_invalid("%zu elements do not have this shape", count);
    return product == count;
}

static bool label_open(label *l, const char *name, PyObject *shape, size_t count) {
    l->text = NULL;
    if (!take_shape(l, shape, count))
        return false;
    l->base = strlen(name);
    l->bytes = l->base + (size_t)l->axes * INDEX_CHARACTERS + 3;
    l->text = PyMem_Malloc(l->bytes);
    if (l->text)
        memcpy(l->text, name, l->base + 1);
    else
        PyErr_NoMemory();
    return l->text != NULL;
}

/* The name of an element; valid until the next call. */
static const char *label_of(label *l, size_t element) {
    size_t index[MOST_AXES], at = l->base;
    for (int i = l->axes; i-- > 0; element /= l->shape[i])
        index[i] = element % l->shape[i];
    for (int i = 0; i < l->axes; i++)
        at += (size_t)snprintf(l->text + at, l->bytes - at, "%c%zu", i == 0 ? '[' : ',', index[i]);
    if (l->axes > 0)
        memcpy(l->text + at, "]", 2);
    return l->text;
}

/* ---- inputs and outputs ---- */

static PyObject *add_leaves(PyObject *object, PyObject *arguments, hn_expr (*leaf)(hn_model *, const char *)) {
    core_model *self = (core_model *)object;
    const char *name;
    PyObject *shape, *out_object, *result = NULL;
    core_array out;
    label l = {0};
    if (!PyArg_ParseTuple(arguments, "sOO:leaves", &name, &shape, &out_object) || !core_model_is_open(self) ||
        !core_array_view(&out, out_object, "out", CORE_NODE, CORE_ANY, CORE_WRITABLE))
        return NULL;
    if (core_model_has_room(self, out.count) && label_open(&l, name, shape, out.count)) {
        for (size_t i = 0; i < out.count; i++)
            ((uint32_t *)out.data)[i] = leaf(self->model, label_of(&l, i)).node;
        result = core_model_done(self);
    }
    label_close(&l);
    core_array_release(&out);
    return result;
}

PyObject *core_model_inputs(PyObject *object, PyObject *arguments) {
    return add_leaves(object, arguments, hn_input);
}

PyObject *core_model_outputs(PyObject *object, PyObject *arguments) {
    return add_leaves(object, arguments, hn_output);
}

/* ---- their attributes: up to three arrays that belong together element by element ---- */

typedef struct columns {
    core_array nodes, a, b;
} columns;

static void release_columns(columns *c) {
    core_array_release(&c->nodes);
    core_array_release(&c->a);
    core_array_release(&c->b);
}

static uint32_t input_node(const hn_model *model, size_t i) {
    return hn_model_input(model, i).expr.node;
}

static uint32_t output_node(const hn_model *model, size_t i) {
    return hn_model_output(model, i).expr.node;
}

/* Whether all nodes are leaves of one kind, whose numbers ascend. */
static bool are_leaves(const core_model *self, const core_array *nodes, size_t count,
                       uint32_t (*leaf)(const hn_model *, size_t), const char *what) {
    for (size_t i = 0; i < nodes->count; i++) {
        uint32_t node = core_expr(self, nodes, i).node;
        size_t low = 0, high = count;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (leaf(self->model, middle) < node)
                low = middle + 1;
            else
                high = middle;
        }
        if (low < count && leaf(self->model, low) == node)
            continue;
        core_invalid("these are not all %s, but expressions", what);
        return false;
    }
    return true;
}

static bool are_inputs(const core_model *self, const core_array *nodes) {
    return are_leaves(self, nodes, hn_model_input_count(self->model), input_node, "inputs");
}

static bool are_outputs(const core_model *self, const core_array *nodes) {
    return are_leaves(self, nodes, hn_model_output_count(self->model), output_node, "outputs");
}

/* Whether all nodes are independent of outputs. */
static bool free_of_outputs(const core_model *self, const core_array *nodes, const char *what) {
    for (size_t i = 0; i < nodes->count; i++) {
        if (hn_depends_on_outputs(core_expr(self, nodes, i))) {
            core_invalid("%s may depend on inputs, but not on outputs", what);
            return false;
        }
    }
    return true;
}

/* Bounds that no value can meet, as far as they are constants. */
static bool are_bounds(const core_model *self, const core_array *lower, const core_array *upper) {
    for (size_t i = 0; i < lower->count; i++) {
        double low = -INFINITY, high = INFINITY;
        hn_is_constant(core_expr(self, lower, i), &low);
        hn_is_constant(core_expr(self, upper, i), &high);
        if (!isnan(low) && !isnan(high) && low <= high && low < INFINITY && high > -INFINITY)
            continue;
        PyObject *p = PyFloat_FromDouble(low), *q = PyFloat_FromDouble(high);
        if (p && q)
            core_invalid("a lower bound of %S and an upper bound of %S cannot be met", p, q);
        Py_XDECREF(p);
        Py_XDECREF(q);
        return false;
    }
    return true;
}

PyObject *core_model_range(PyObject *object, PyObject *arguments) {
    core_model *self = (core_model *)object;
    PyObject *nodes, *lower, *upper;
    columns c = {0};
    if (!PyArg_ParseTuple(arguments, "OOO:range", &nodes, &lower, &upper) || !core_model_is_open(self))
        return NULL;
    bool good = core_nodes_view(&c.nodes, self, nodes, "nodes", CORE_ANY) && are_inputs(self, &c.nodes) &&
                core_array_view(&c.a, lower, "lower", CORE_REAL, c.nodes.count, 0) &&
                core_array_view(&c.b, upper, "upper", CORE_REAL, c.nodes.count, 0);
    const double *low = c.a.data, *high = c.b.data;
    for (size_t i = 0; good && i < c.nodes.count; i++) {
        good = low[i] <= high[i];
        if (!good)
            core_invalid("the range of an input is empty or not a number");
    }
    for (size_t i = 0; good && i < c.nodes.count; i++)
        hn_input_range(core_expr(self, &c.nodes, i), low[i], high[i]);
    release_columns(&c);
    return good ? core_model_done(self) : NULL;
}

PyObject *core_model_bounds(PyObject *object, PyObject *arguments) {
    core_model *self = (core_model *)object;
    PyObject *nodes, *lower, *upper;
    columns c = {0};
    if (!PyArg_ParseTuple(arguments, "OOO:bounds", &nodes, &lower, &upper) || !core_model_is_open(self))
        return NULL;
    bool good = core_nodes_view(&c.nodes, self, nodes, "nodes", CORE_ANY) && are_outputs(self, &c.nodes) &&
                core_nodes_view(&c.a, self, lower, "lower", c.nodes.count) &&
                core_nodes_view(&c.b, self, upper, "upper", c.nodes.count) &&
                free_of_outputs(self, &c.a, "the bounds of outputs") &&
                free_of_outputs(self, &c.b, "the bounds of outputs") && are_bounds(self, &c.a, &c.b);
    for (size_t i = 0; good && i < c.nodes.count; i++)
        hn_output_between(core_expr(self, &c.nodes, i), core_expr(self, &c.a, i), core_expr(self, &c.b, i));
    release_columns(&c);
    return good ? core_model_done(self) : NULL;
}

static PyObject *set_outputs(PyObject *object, PyObject *arguments, void (*set)(hn_expr, hn_expr), const char *what) {
    core_model *self = (core_model *)object;
    PyObject *nodes, *values;
    columns c = {0};
    if (!PyArg_ParseTuple(arguments, "OO:outputs", &nodes, &values) || !core_model_is_open(self))
        return NULL;
    bool good = core_nodes_view(&c.nodes, self, nodes, "nodes", CORE_ANY) && are_outputs(self, &c.nodes) &&
                core_nodes_view(&c.a, self, values, "values", c.nodes.count) && free_of_outputs(self, &c.a, what);
    for (size_t i = 0; good && i < c.nodes.count; i++)
        set(core_expr(self, &c.nodes, i), core_expr(self, &c.a, i));
    release_columns(&c);
    return good ? core_model_done(self) : NULL;
}

PyObject *core_model_start(PyObject *object, PyObject *arguments) {
    return set_outputs(object, arguments, hn_output_start, "the start of outputs");
}

PyObject *core_model_fix(PyObject *object, PyObject *arguments) {
    return set_outputs(object, arguments, hn_output_fix, "what outputs are fixed at");
}

/* ---- definitions and requirements ---- */

static PyObject *add_named(PyObject *object, PyObject *arguments, void (*add)(hn_model *, const char *, hn_expr),
                           const char *inputs_only) {
    core_model *self = (core_model *)object;
    const char *name;
    PyObject *shape, *nodes_object, *result = NULL;
    core_array nodes;
    label l = {0};
    if (!PyArg_ParseTuple(arguments, "sOO:named", &name, &shape, &nodes_object) || !core_model_is_open(self) ||
        !core_nodes_view(&nodes, self, nodes_object, "nodes", CORE_ANY))
        return NULL;
    if ((!inputs_only || free_of_outputs(self, &nodes, inputs_only)) && label_open(&l, name, shape, nodes.count)) {
        for (size_t i = 0; i < nodes.count; i++)
            add(self->model, label_of(&l, i), core_expr(self, &nodes, i));
        result = core_model_done(self);
    }
    label_close(&l);
    core_array_release(&nodes);
    return result;
}

PyObject *core_model_define(PyObject *object, PyObject *arguments) {
    return add_named(object, arguments, hn_define, NULL);
}

PyObject *core_model_require(PyObject *object, PyObject *arguments) {
    return add_named(object, arguments, hn_require, "a requirement");
}

/* ---- rows ---- */

/* A row without variables is either satisfied or infeasible, up to rounding of its constants. */
static bool can_hold(hn_expr lower, hn_expr body, hn_expr upper, const char *name) {
    static const double rounding = 1e-9;
    double low, value, high;
    if (!hn_is_constant(lower, &low) || !hn_is_constant(body, &value) || !hn_is_constant(upper, &high) ||
        (value >= low - rounding * (1 + fabs(low)) && value <= high + rounding * (1 + fabs(high))))
        return true;
    core_invalid("%s: it has no variables and does not hold", name);
    return false;
}

typedef struct rows {
    core_model *model;
    label label;
    int relation; /* -1 <=, 0 ==, 1 >=; between has three arrays instead */
    core_array lower, body, upper;
} rows;

/* One row in the form lower <= body <= upper. Of two sides the one with outputs is the body; where both have some it is
 * left minus right, as the reader of model files has it. */
typedef struct row {
    hn_expr lower, body, upper;
} row;

static row related(const rows *r, size_t i) {
    hn_model *model = r->model->model;
    hn_expr left = core_expr(r->model, &r->lower, i), right = core_expr(r->model, &r->upper, i);
    bool on_left = hn_depends_on_outputs(left), on_right = hn_depends_on_outputs(right);
    int relation = on_right && !on_left ? -r->relation : r->relation;
    hn_expr body = on_right && !on_left ? right : left, bound = on_right && !on_left ? left : right;
    if (on_left && on_right) {
        body = hn_sub(left, right);
        bound = hn_constant(model, 0);
    }
    return (row){relation >= 0 ? bound : hn_constant(model, -INFINITY), body,
                 relation <= 0 ? bound : hn_constant(model, INFINITY)};
}

static row row_of(const rows *r, size_t i) {
    if (!r->body.owner)
        return related(r, i);
    return (row){core_expr(r->model, &r->lower, i), core_expr(r->model, &r->body, i),
                 core_expr(r->model, &r->upper, i)};
}

/* Checks all rows against the library's rules; then adds them. */
static PyObject *add_rows(rows *r, size_t count) {
    for (size_t i = 0; i < count; i++) {
        row next = row_of(r, i);
        core_array low = {.data = &next.lower.node, .count = 1}, high = {.data = &next.upper.node, .count = 1};
        PyObject *good = core_model_done(r->model);
        Py_XDECREF(good);
        if (!good || !are_bounds(r->model, &low, &high) ||
            !can_hold(next.lower, next.body, next.upper, label_of(&r->label, i)))
            return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        row next = row_of(r, i);
        hn_constrain_between(r->model->model, label_of(&r->label, i), next.lower, next.body, next.upper);
    }
    return core_model_done(r->model);
}

static void release_rows(rows *r) {
    label_close(&r->label);
    core_array_release(&r->lower);
    core_array_release(&r->body);
    core_array_release(&r->upper);
}

PyObject *core_model_relate(PyObject *object, PyObject *arguments) {
    rows r = {.model = (core_model *)object};
    const char *name;
    PyObject *shape, *left, *right, *result = NULL;
    if (!PyArg_ParseTuple(arguments, "sOiOO:relate", &name, &shape, &r.relation, &left, &right) ||
        !core_model_is_open(r.model))
        return NULL;
    if (core_nodes_view(&r.lower, r.model, left, "left", CORE_ANY) &&
        core_nodes_view(&r.upper, r.model, right, "right", r.lower.count) &&
        core_model_has_room(r.model, r.lower.count) && label_open(&r.label, name, shape, r.lower.count))
        result = add_rows(&r, r.lower.count);
    release_rows(&r);
    return result;
}

PyObject *core_model_between(PyObject *object, PyObject *arguments) {
    rows r = {.model = (core_model *)object};
    const char *name;
    PyObject *shape, *lower, *body, *upper, *result = NULL;
    if (!PyArg_ParseTuple(arguments, "sOOOO:between", &name, &shape, &lower, &body, &upper) ||
        !core_model_is_open(r.model))
        return NULL;
    if (core_nodes_view(&r.body, r.model, body, "body", CORE_ANY) &&
        core_nodes_view(&r.lower, r.model, lower, "lower", r.body.count) &&
        core_nodes_view(&r.upper, r.model, upper, "upper", r.body.count) &&
        free_of_outputs(r.model, &r.lower, "the bounds of between") &&
        free_of_outputs(r.model, &r.upper, "the bounds of between") && label_open(&r.label, name, shape, r.body.count))
        result = add_rows(&r, r.body.count);
    release_rows(&r);
    return result;
}

/* One row block: the lower triangle of a matrix of this size, or t and u of a cone with so many rows. */
static PyObject *add_block(core_model *self, const char *name, bool psd, size_t size, const core_array *parts) {
    hn_expr *entries = PyMem_Malloc(parts->count * sizeof *entries);
    if (!entries)
        return PyErr_NoMemory();
    for (size_t i = 0; i < parts->count; i++)
        entries[i] = core_expr(self, parts, i);
    if (psd)
        hn_constrain_psd(self->model, name, size, entries);
    else
        hn_constrain_soc(self->model, name, entries[0], size - 1, entries + 1);
    PyMem_Free(entries);
    return core_model_done(self);
}

PyObject *core_model_block(PyObject *object, PyObject *arguments) {
    core_model *self = (core_model *)object;
    const char *name;
    Py_ssize_t size;
    int psd;
    PyObject *nodes, *result = NULL;
    core_array parts = {0};
    if (!PyArg_ParseTuple(arguments, "spnO:block", &name, &psd, &size, &nodes) || !core_model_is_open(self))
        return NULL;
    Py_ssize_t most = psd ? HN_SET_ORDER : HN_SET_CONE + 1;
    if (size < (psd ? 1 : 2) || size > most)
        return psd ? core_invalid("constraint %s: a matrix of order %zd; at most %d is possible", name, size,
                                  HN_SET_ORDER)
                   : core_invalid("constraint %s: a cone of %zd components; at most %d are possible", name, size - 1,
                                  HN_SET_CONE);
    if (core_nodes_view(&parts, self, nodes, "rows", (size_t)(psd ? size * (size + 1) / 2 : size)) &&
        core_model_has_room(self, parts.count))
        result = add_block(self, name, psd, (size_t)size, &parts);
    core_array_release(&parts);
    return result;
}

/* ---- the objective ---- */

PyObject *core_model_objective(PyObject *object, PyObject *arguments) {
    core_model *self = (core_model *)object;
    const char *name;
    PyObject *node_object;
    int maximize;
    core_array node;
    if (!PyArg_ParseTuple(arguments, "sOp:objective", &name, &node_object, &maximize) || !core_model_is_open(self) ||
        !core_nodes_view(&node, self, node_object, "node", 1))
        return NULL;
    hn_expr value = core_expr(self, &node, 0);
    core_array_release(&node);
    if (hn_model_objective(self->model).name)
        return core_invalid("the model has an objective already, %s", hn_model_objective(self->model).name);
    if (!core_model_has_room(self, 1))
        return NULL;
    if (maximize)
        hn_maximize(self->model, name, value);
    else
        hn_minimize(self->model, name, value);
    return core_model_done(self);
}
