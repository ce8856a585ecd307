/* core_inspect.c - looking at a model: sizes, names, groups, fingerprints; nodes of its parts; values of
 * expressions.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "core_model.h"

static const hn_model *model_of(PyObject *object) {
    return ((const core_model *)object)->model;
}

/* ---- sizes and names: one attribute for each kind of part ---- */

static const char *input_name(const hn_model *model, size_t i) {
    return hn_model_input(model, i).name;
}

static const char *output_name(const hn_model *model, size_t i) {
    return hn_model_output(model, i).name;
}

static const char *row_name(const hn_model *model, size_t i) {
    return hn_model_row(model, i).name;
}

static const char *definition_name(const hn_model *model, size_t i) {
    return hn_model_definition(model, i).name;
}

static const char *requirement_name(const hn_model *model, size_t i) {
    return hn_model_requirement(model, i).name;
}

typedef struct part_kind {
    size_t (*count)(const hn_model *);
    const char *(*name)(const hn_model *, size_t);
} part_kind;

static const part_kind inputs = {hn_model_input_count, input_name};
static const part_kind outputs = {hn_model_output_count, output_name};
static const part_kind rows = {hn_model_row_count, row_name};
static const part_kind definitions = {hn_model_definition_count, definition_name};
static const part_kind requirements = {hn_model_requirement_count, requirement_name};
static const part_kind groups = {hn_model_group_count, NULL};
static const part_kind nodes = {hn_model_node_count, NULL};

static PyObject *get_count(PyObject *object, void *closure) {
    return PyLong_FromSize_t(((const part_kind *)closure)->count(model_of(object)));
}

static PyObject *text_of(const char *text) {
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

static PyObject *get_names(PyObject *object, void *closure) {
    const part_kind *kind = closure;
    size_t count = kind->count(model_of(object));
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *name = text_of(kind->name(model_of(object), i));
        if (!name || PyList_SetItem(list, (Py_ssize_t)i, name) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *get_groups(PyObject *object, void *Py_UNUSED(closure)) {
    size_t count = hn_model_group_count(model_of(object));
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        hn_group_info info = hn_model_group(model_of(object), i);
        PyObject *group = Py_BuildValue("(Nnn)", text_of(info.name), (Py_ssize_t)info.first, (Py_ssize_t)info.count);
        if (!group || PyList_SetItem(list, (Py_ssize_t)i, group) < 0)
            Py_CLEAR(list);
    }
    return list;
}

/* ---- the whole ---- */

static PyObject *get_goal(PyObject *object, void *Py_UNUSED(closure)) {
    hn_objective_info info = hn_model_objective(model_of(object));
    if (!info.name)
        Py_RETURN_NONE;
    return Py_BuildValue("(NIN)", text_of(info.name), (unsigned)info.minimized.node, PyBool_FromLong(info.maximize));
}

static PyObject *get_finished(PyObject *object, void *Py_UNUSED(closure)) {
    return PyBool_FromLong(((const core_model *)object)->finished);
}

static PyObject *get_has_nan(PyObject *object, void *Py_UNUSED(closure)) {
    return PyBool_FromLong(((const core_model *)object)->has_nan);
}

typedef hn_status fingerprint(const hn_model *model, char out[HN_FINGERPRINT_BYTES], hn_error *error);

static PyObject *print_of(PyObject *object, fingerprint *print) {
    char text[HN_FINGERPRINT_BYTES];
    hn_error error;
    if (!core_model_is_finished((const core_model *)object))
        return NULL;
    if (print(model_of(object), text, &error) != HN_OK)
        return core_raise(&error);
    return PyUnicode_FromString(text);
}

static PyObject *get_fingerprint(PyObject *object, void *Py_UNUSED(closure)) {
    return print_of(object, hn_model_fingerprint);
}

static PyObject *get_names_fingerprint(PyObject *object, void *Py_UNUSED(closure)) {
    return print_of(object, hn_model_names_fingerprint);
}

#define COUNT_AND_NAMES(kind)                                                                                          \
    {#kind "_count", get_count, NULL, NULL, (void *)&kind##s}, {                                                       \
#kind "_names", get_names, NULL, NULL, (void *)&kind##s                                                        \
    }

PyGetSetDef core_model_attributes[] = {
    COUNT_AND_NAMES(input),
    COUNT_AND_NAMES(output),
    COUNT_AND_NAMES(row),
    COUNT_AND_NAMES(definition),
    COUNT_AND_NAMES(requirement),
    {"group_count", get_count, NULL, NULL, (void *)&groups},
    {"node_count", get_count, NULL, NULL, (void *)&nodes},
    {"groups", get_groups, NULL, "(name, first row, rows) of each group.", NULL},
    {"goal", get_goal, NULL, "(name, node, maximize) of the objective, or None.", NULL},
    {"finished", get_finished, NULL, NULL, NULL},
    {"has_nan", get_has_nan, NULL, "Whether one of the nodes is the number NaN.", NULL},
    {"fingerprint", get_fingerprint, NULL, NULL, NULL},
    {"names_fingerprint", get_names_fingerprint, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

/* ---- parts, into arrays of the caller's ---- */

enum { MOST_ARRAYS = 5 };

typedef struct wanted {
    const char *name;
    core_kind kind;
} wanted;

static void release(core_array *arrays) {
    for (int i = 0; i < MOST_ARRAYS; i++)
        core_array_release(&arrays[i]);
}

/* Views of all arguments, each of `count` elements; false with an exception, and nothing to release. */
static bool take(core_array *arrays, PyObject *arguments, const wanted *list, Py_ssize_t list_count, size_t count) {
    memset(arrays, 0, MOST_ARRAYS * sizeof *arrays);
    if (PyTuple_Size(arguments) != list_count) {
        PyErr_Format(PyExc_TypeError, "%zd arrays are needed", list_count);
        return false;
    }
    for (Py_ssize_t i = 0; i < list_count; i++) {
        if (!core_array_view(&arrays[i], PyTuple_GetItem(arguments, i), list[i].name, list[i].kind, count,
                             CORE_WRITABLE)) {
            release(arrays);
            return false;
        }
    }
    return true;
}

static void put_node(const core_array *array, size_t i, hn_expr value) {
    ((uint32_t *)array->data)[i] = value.node;
}

static void put_real(const core_array *array, size_t i, double value) {
    ((double *)array->data)[i] = value;
}

PyObject *core_model_input_parts(PyObject *object, PyObject *arguments) {
    static const wanted list[] = {{"nodes", CORE_NODE}, {"lower", CORE_REAL}, {"upper", CORE_REAL}};
    core_array arrays[MOST_ARRAYS];
    size_t count = hn_model_input_count(model_of(object));
    if (!take(arrays, arguments, list, 3, count))
        return NULL;
    for (size_t i = 0; i < count; i++) {
        hn_input_info info = hn_model_input(model_of(object), i);
        put_node(&arrays[0], i, info.expr);
        put_real(&arrays[1], i, info.lower);
        put_real(&arrays[2], i, info.upper);
    }
    release(arrays);
    Py_RETURN_NONE;
}

PyObject *core_model_output_parts(PyObject *object, PyObject *arguments) {
    static const wanted list[] = {
        {"nodes", CORE_NODE}, {"lower", CORE_NODE}, {"upper", CORE_NODE}, {"start", CORE_NODE}, {"fixed", CORE_NODE}};
    core_array arrays[MOST_ARRAYS];
    size_t count = hn_model_output_count(model_of(object));
    if (!take(arrays, arguments, list, 5, count))
        return NULL;
    for (size_t i = 0; i < count; i++) {
        hn_output_info info = hn_model_output(model_of(object), i);
        const hn_expr parts[] = {info.expr, info.lower, info.upper, info.start, info.fixed};
        for (int j = 0; j < 5; j++)
            put_node(&arrays[j], i, parts[j]);
    }
    release(arrays);
    Py_RETURN_NONE;
}

PyObject *core_model_row_parts(PyObject *object, PyObject *arguments) {
    static const wanted list[] = {{"lower", CORE_NODE}, {"body", CORE_NODE}, {"upper", CORE_NODE}};
    core_array arrays[MOST_ARRAYS];
    size_t count = hn_model_row_count(model_of(object));
    if (!take(arrays, arguments, list, 3, count))
        return NULL;
    for (size_t i = 0; i < count; i++) {
        hn_row_info info = hn_model_row(model_of(object), i);
        put_node(&arrays[0], i, info.lower);
        put_node(&arrays[1], i, info.body);
        put_node(&arrays[2], i, info.upper);
    }
    release(arrays);
    Py_RETURN_NONE;
}

PyObject *core_model_named_parts(PyObject *object, PyObject *arguments) {
    const hn_model *model = model_of(object);
    PyObject *first, *second;
    core_array defined = {0}, required = {0};
    if (!PyArg_ParseTuple(arguments, "OO:named_parts", &first, &second) ||
        !core_array_view(&defined, first, "definitions", CORE_NODE, hn_model_definition_count(model), CORE_WRITABLE))
        return NULL;
    if (!core_array_view(&required, second, "requirements", CORE_NODE, hn_model_requirement_count(model),
                         CORE_WRITABLE)) {
        core_array_release(&defined);
        return NULL;
    }
    for (size_t i = 0; i < defined.count; i++)
        put_node(&defined, i, hn_model_definition(model, i).value);
    for (size_t i = 0; i < required.count; i++)
        put_node(&required, i, hn_model_requirement(model, i).value);
    core_array_release(&defined);
    core_array_release(&required);
    Py_RETURN_NONE;
}

/* ---- expressions ---- */

PyObject *core_model_constants(PyObject *object, PyObject *arguments) {
    const core_model *self = (const core_model *)object;
    PyObject *objects[3], *result = NULL;
    core_array arrays[MOST_ARRAYS] = {0};
    if (!PyArg_ParseTuple(arguments, "OOO:constants", &objects[0], &objects[1], &objects[2]))
        return NULL;
    if (core_nodes_view(&arrays[0], self, objects[0], "nodes", CORE_ANY) &&
        core_array_view(&arrays[1], objects[1], "known", CORE_BOOL, arrays[0].count, CORE_WRITABLE) &&
        core_array_view(&arrays[2], objects[2], "values", CORE_REAL, arrays[0].count, CORE_WRITABLE)) {
        for (size_t i = 0; i < arrays[0].count; i++) {
            double value = NAN;
            ((bool *)arrays[1].data)[i] = hn_is_constant(core_expr(self, &arrays[0], i), &value);
            put_real(&arrays[2], i, value);
        }
        result = Py_NewRef(Py_None);
    }
    release(arrays);
    return result;
}

PyObject *core_model_depends(PyObject *object, PyObject *arguments) {
    const core_model *self = (const core_model *)object;
    PyObject *objects[3], *result = NULL;
    core_array arrays[MOST_ARRAYS] = {0};
    if (!PyArg_ParseTuple(arguments, "OOO:depends", &objects[0], &objects[1], &objects[2]))
        return NULL;
    if (core_nodes_view(&arrays[0], self, objects[0], "nodes", CORE_ANY) &&
        core_array_view(&arrays[1], objects[1], "on_inputs", CORE_BOOL, arrays[0].count, CORE_WRITABLE) &&
        core_array_view(&arrays[2], objects[2], "on_outputs", CORE_BOOL, arrays[0].count, CORE_WRITABLE)) {
        for (size_t i = 0; i < arrays[0].count; i++) {
            ((bool *)arrays[1].data)[i] = hn_depends_on_inputs(core_expr(self, &arrays[0], i));
            ((bool *)arrays[2].data)[i] = hn_depends_on_outputs(core_expr(self, &arrays[0], i));
        }
        result = Py_NewRef(Py_None);
    }
    release(arrays);
    return result;
}

#define NAME(id, name, kind) #name,
static const char *const operator_names[] = {HN_OPERATOR_LIST(NAME)};
#undef NAME

static PyObject *arguments_of(hn_expr expr, size_t count) {
    PyObject *arguments = PyTuple_New((Py_ssize_t)count);
    for (size_t i = 0; arguments && i < count; i++) {
        PyObject *number = PyLong_FromUnsignedLong(hn_expr_argument(expr, i).node);
        if (!number || PyTuple_SetItem(arguments, (Py_ssize_t)i, number) < 0)
            Py_CLEAR(arguments);
    }
    return arguments;
}

/* Of a sum of numbers times arguments; of others none. */
static PyObject *coefficients_of(hn_expr expr, const hn_expr_info *info) {
    size_t count = info->op == HN_OPERATOR_LINEAR ? info->count : 0;
    PyObject *coefficients = PyTuple_New((Py_ssize_t)count);
    for (size_t i = 0; coefficients && i < count; i++) {
        PyObject *number = PyFloat_FromDouble(hn_expr_coefficient(expr, i));
        if (!number || PyTuple_SetItem(coefficients, (Py_ssize_t)i, number) < 0)
            Py_CLEAR(coefficients);
    }
    return coefficients;
}

PyObject *core_model_node(PyObject *object, PyObject *number) {
    unsigned long node = PyLong_AsUnsignedLong(number);
    hn_expr expr = {((core_model *)object)->model, (uint32_t)node};
    hn_expr_info info = {.size = sizeof info};
    hn_error error;
    if (PyErr_Occurred())
        return NULL;
    if (node > UINT32_MAX || !hn_is_valid(expr))
        return core_invalid("%lu is not a node of this model", node);
    if (hn_expr_get_info(expr, &info, &error) != HN_OK)
        return core_raise(&error);
    if ((size_t)info.op >= sizeof operator_names / sizeof *operator_names)
        return core_invalid("node %lu has an operator that is not known here", node);
    double value = info.op == HN_OPERATOR_CONSTANT ? info.value : (double)info.index;
    return Py_BuildValue("(sdNN)", operator_names[info.op], value, arguments_of(expr, info.count),
                         coefficients_of(expr, &info));
}

typedef struct evaluation {
    const hn_model *model;
    core_array nodes, x, y, out;
    hn_expr *exprs;
    size_t count;
    hn_status status;
    hn_error error;
} evaluation;

static void evaluate(void *context) {
    evaluation *e = context;
    const double *x = e->x.data, *y = e->y.data;
    double *out = e->out.data;
    size_t inputs_each = hn_model_input_count(e->model), outputs_each = hn_model_output_count(e->model);
    for (size_t i = 0; i < e->count && e->status == HN_OK; i++)
        e->status = hn_model_evaluate(e->model, e->nodes.count, e->exprs, x ? x + i * inputs_each : NULL,
                                      y ? y + i * outputs_each : NULL, out + i * e->nodes.count, &e->error);
}

/* count samples of these widths, with the arrays checked against them. */
static bool take_samples(evaluation *e, const core_model *self, PyObject *const *objects) {
    const size_t most = SIZE_MAX / 64;
    if (!core_nodes_view(&e->nodes, self, objects[0], "nodes", CORE_ANY))
        return false;
    size_t wide = e->nodes.count + hn_model_input_count(e->model) + hn_model_output_count(e->model);
    if (wide > 0 && e->count > most / wide) {
        PyErr_SetString(PyExc_OverflowError, "that many samples cannot be");
        return false;
    }
    return core_array_view(&e->x, objects[1], "x", CORE_REAL, e->count * hn_model_input_count(e->model), 0) &&
           core_array_view(&e->y, objects[2], "y", CORE_REAL, e->count * hn_model_output_count(e->model), 0) &&
           core_array_view(&e->out, objects[3], "out", CORE_REAL, e->count * e->nodes.count, CORE_WRITABLE);
}

static PyObject *run_evaluation(evaluation *e, const core_model *self) {
    int cancel = 0;
    e->exprs = PyMem_Calloc(e->nodes.count + 1, sizeof *e->exprs);
    if (!e->exprs)
        return PyErr_NoMemory();
    for (size_t i = 0; i < e->nodes.count; i++)
        e->exprs[i] = core_expr(self, &e->nodes, i);
    bool quiet = core_run(evaluate, e, false, &cancel);
    PyMem_Free(e->exprs);
    if (!quiet)
        return NULL;
    return e->status == HN_OK ? Py_NewRef(Py_None) : core_raise(&e->error);
}

PyObject *core_model_values(PyObject *object, PyObject *arguments) {
    const core_model *self = (const core_model *)object;
    PyObject *objects[4], *result = NULL;
    Py_ssize_t count;
    evaluation e = {.model = self->model, .status = HN_OK};
    if (!PyArg_ParseTuple(arguments, "OnOOO:values", &objects[0], &count, &objects[1], &objects[2], &objects[3]) ||
        !core_model_is_finished(self))
        return NULL;
    if (count < 0)
        return core_invalid("count must be 0 or more");
    e.count = (size_t)count;
    if (take_samples(&e, self, objects))
        result = run_evaluation(&e, self);
    core_array_release(&e.nodes);
    core_array_release(&e.x);
    core_array_release(&e.y);
    core_array_release(&e.out);
    return result;
}

/* ---- text ---- */

typedef struct writing {
    const hn_model *model;
    char *text;
    size_t length;
    hn_status status;
    hn_error error;
} writing;

static void write_text(void *context) {
    writing *w = context;
    w->status = hn_model_write(w->model, &w->text, &w->length, &w->error);
}

PyObject *core_model_write(PyObject *object, PyObject *Py_UNUSED(unused)) {
    writing w = {.model = model_of(object)};
    int cancel = 0;
    if (!core_model_is_finished((const core_model *)object) || !core_run(write_text, &w, false, &cancel))
        return NULL;
    if (w.status != HN_OK)
        return core_raise(&w.error);
    PyObject *text = PyUnicode_DecodeUTF8(w.text, (Py_ssize_t)w.length, "surrogateescape");
    hn_text_release(w.text);
    return text;
}
