/* core_graph.c - operators over arrays of nodes: constants, one node per element, folds along an axis, products with a
 * matrix.
 *
 * Results go to arrays of the caller's. Operands have as many elements as the result, or one.
 *
 * SPDX-License-Identifier: MIT */
#include "core_model.h"

#include <math.h>

typedef struct operator_entry {
    const char *name;
    hn_expr (*one)(hn_expr);
    hn_expr (*two)(hn_expr, hn_expr);
    hn_expr (*three)(hn_expr, hn_expr, hn_expr);
} operator_entry;

#define NODE(name)
#define UNARY(name)           {#name, hn_##name, NULL, NULL},
#define FUNCTION(name)        UNARY(name)
#define BINARY(name)          {#name, NULL, hn_##name, NULL},
#define TERNARY(name)         {#name, NULL, NULL, hn_##name},
#define ENTRY(id, name, kind) kind(name)
static const operator_entry operators[] = {HN_OPERATOR_LIST(ENTRY)};
#undef NODE
#undef UNARY
#undef FUNCTION
#undef BINARY
#undef TERNARY
#undef ENTRY

enum { OPERATORS = sizeof operators / sizeof *operators };

static int arity(const operator_entry *entry) {
    return entry->one ? 1 : entry->two ? 2 : 3;
}

static const operator_entry *find_operator(const char *name) {
    for (int i = 0; i < OPERATORS; i++)
        if (strcmp(operators[i].name, name) == 0)
            return &operators[i];
    core_invalid("%s is not an operator", name);
    return NULL;
}

PyObject *core_operators(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused)) {
    PyObject *all = PyDict_New();
    for (int i = 0; all && i < OPERATORS; i++) {
        PyObject *count = PyLong_FromLong(arity(&operators[i]));
        if (!count || PyDict_SetItemString(all, operators[i].name, count) < 0)
            Py_CLEAR(all);
        Py_XDECREF(count);
    }
    return all;
}

static void put(core_model *self, const core_array *out, size_t index, hn_expr value) {
    double number = 0;
    ((uint32_t *)out->data)[index] = value.node;
    if (hn_is_constant(value, &number) && isnan(number))
        self->has_nan = true;
}

/* ---- constants ---- */

PyObject *core_model_constant(PyObject *object, PyObject *arguments) {
    core_model *self = (core_model *)object;
    PyObject *values_object, *out_object;
    core_array values, out;
    if (!PyArg_ParseTuple(arguments, "OO:constant", &values_object, &out_object) || !core_model_is_open(self) ||
        !core_array_view(&values, values_object, "values", CORE_REAL, CORE_ANY, 0))
        return NULL;
    PyObject *result = NULL;
    if (core_model_has_room(self, values.count) &&
        core_array_view(&out, out_object, "out", CORE_NODE, values.count, CORE_WRITABLE)) {
        for (size_t i = 0; i < out.count; i++)
            put(self, &out, i, hn_constant(self->model, ((const double *)values.data)[i]));
        result = core_model_done(self);
        core_array_release(&out);
    }
    core_array_release(&values);
    return result;
}

/* ---- element by element ---- */

typedef struct application {
    const operator_entry *operator;
    core_array out, operands[3];
} application;

static void release_application(application *a) {
    core_array_release(&a->out);
    for (int i = 0; i < 3; i++)
        core_array_release(&a->operands[i]);
}

static bool take_operands(application *a, const core_model *self, PyObject *const *objects) {
    static const char *const names[] = {"a", "b", "c"};
    for (int i = 0; i < arity(a->operator); i++) {
        if (!core_nodes_view(&a->operands[i], self, objects[i], names[i], CORE_ANY))
            return false;
        if (a->operands[i].count != a->out.count && a->operands[i].count != 1) {
            core_invalid("%s has %zu elements instead of %zu", names[i], a->operands[i].count, a->out.count);
            return false;
        }
    }
    return true;
}

static void apply(const application *a, core_model *self) {
    const operator_entry *f = a->operator;
    const core_array *p = a->operands;
    for (size_t i = 0; i < a->out.count; i++)
        put(self, &a->out, i,
            f->one   ? f->one(core_expr(self, &p[0], i))
            : f->two ? f->two(core_expr(self, &p[0], i), core_expr(self, &p[1], i))
                     : f->three(core_expr(self, &p[0], i), core_expr(self, &p[1], i), core_expr(self, &p[2], i)));
}

PyObject *core_model_apply(PyObject *object, PyObject *arguments) {
    core_model *self = (core_model *)object;
    const char *name;
    PyObject *out, *operands[3] = {NULL, NULL, NULL}, *result = NULL;
    application a = {0};
    if (!PyArg_ParseTuple(arguments, "sOO|OO:apply", &name, &out, &operands[0], &operands[1], &operands[2]) ||
        !core_model_is_open(self) || !(a.operator= find_operator(name)))
        return NULL;
    if (core_array_view(&a.out, out, "out", CORE_NODE, CORE_ANY, CORE_WRITABLE) && take_operands(&a, self, operands) &&
        core_model_has_room(self, a.out.count)) {
        apply(&a, self);
        result = core_model_done(self);
    }
    release_application(&a);
    return result;
}

/* ---- folds ---- */

/* Sums are one node each; other operators go from left to right. */
static bool fold(core_model *self, const operator_entry *f, const core_array *out, const core_array *terms) {
    size_t length = terms->count / out->count;
    const uint32_t *nodes = terms->data;
    hn_expr *list = PyMem_Calloc(length + 1, sizeof *list);
    if (!list) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t i = 0; i < out->count; i++) {
        for (size_t j = 0; j < length; j++)
            list[j] = (hn_expr){self->model, nodes[i * length + j]};
        for (size_t j = 1; f && j < length; j++)
            list[0] = f->two(list[0], list[j]);
        put(self, out, i, f ? list[0] : hn_sum(self->model, length, list));
    }
    PyMem_Free(list);
    return true;
}

/* Whether terms can be folded into out: rows of equal length, and for other operators than sums not empty. */
static bool fits(const operator_entry *f, const core_array *out, const core_array *terms) {
    if (out->count == 0 ? terms->count == 0 : terms->count % out->count == 0 && (!f || terms->count > 0))
        return true;
    core_invalid("terms has %zu elements, which do not fold into %zu", terms->count, out->count);
    return false;
}

PyObject *core_model_fold(PyObject *object, PyObject *arguments) {
    core_model *self = (core_model *)object;
    const char *name;
    PyObject *out_object, *terms_object, *result = NULL;
    if (!PyArg_ParseTuple(arguments, "sOO:fold", &name, &out_object, &terms_object) || !core_model_is_open(self))
        return NULL;
    bool sum = strcmp(name, "sum") == 0;
    const operator_entry *f = sum ? NULL : find_operator(name);
    if (!sum && (!f || !f->two))
        return f ? core_invalid("%s does not fold", name) : NULL;
    core_array out = {0}, terms = {0};
    if (core_array_view(&out, out_object, "out", CORE_NODE, CORE_ANY, CORE_WRITABLE) &&
        core_nodes_view(&terms, self, terms_object, "terms", CORE_ANY) && fits(f, &out, &terms) &&
        core_model_has_room(self, terms.count) && core_model_has_room(self, out.count) &&
        (out.count == 0 || fold(self, f, &out, &terms)))
        result = core_model_done(self);
    core_array_release(&out);
    core_array_release(&terms);
    return result;
}

/* ---- products with a matrix ---- */

/* Whether first is ascending from 0 to the number of entries. */
static bool is_partition(const core_array *first, size_t entries) {
    const int64_t *list = first->data;
    bool good = first->count > 0 && list[0] == 0 && list[first->count - 1] == (int64_t)entries;
    for (size_t i = 1; good && i < first->count; i++)
        good = list[i - 1] <= list[i];
    if (!good)
        core_invalid("first does not divide the entries into rows");
    return good;
}

/* An upper bound on the nodes of the rows: one each if all terms are leaves, except for short rows. */
static size_t operations_of(const core_model *self, const core_array *first, const core_array *terms) {
    enum { SHORT = 16 };
    const int64_t *list = first->data;
    hn_expr_info info = {.size = sizeof info};
    bool leaves = true;
    size_t count = 0;
    for (size_t i = 0; leaves && i < terms->count; i++) {
        hn_expr_get_info(core_expr(self, terms, i), &info, NULL);
        leaves = info.op == HN_OPERATOR_INPUT || info.op == HN_OPERATOR_OUTPUT;
    }
    for (size_t i = 1; i < first->count; i++) {
        size_t entries = (size_t)(list[i] - list[i - 1]);
        count += leaves && entries >= SHORT ? 1 : entries + 1;
    }
    return count;
}

/* Numbers have the same limit as nodes. */
static bool has_room_for_numbers(const core_model *self, size_t numbers) {
    size_t used = hn_model_number_count(self->model), room = self->max_nodes > used ? self->max_nodes - used : 0;
    hn_error error = {.status = HN_LIMIT, .code = HN_CODE_OPTION, .subject = "max_nodes"};
    if (numbers < room)
        return true;
    snprintf(error.text, sizeof error.text,
             "a matrix of %zu numbers does not fit into the model; raise max_nodes (%zu, of which %zu are used)",
             numbers, self->max_nodes, used);
    core_raise(&error);
    return false;
}

/* What the library would refuse for good: a column that is not there or twice, a number that is not finite. */
static bool is_matrix(const core_array *first, const core_array *column, const core_array *values, size_t columns) {
    const int64_t *list = first->data;
    size_t *last = PyMem_Calloc(columns + 1, sizeof *last); /* by column: the row that has it, from 1 on */
    bool good = true;
    if (!last) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t i = 1; i < first->count && good; i++)
        for (int64_t e = list[i - 1]; e < list[i] && good; e++) {
            uint32_t j = ((const uint32_t *)column->data)[e];
            good = j < columns && last[j] != i && isfinite(((const double *)values->data)[e]);
            if (good)
                last[j] = i;
            else
                core_invalid("row %zu of the matrix: column %u is not there, twice or not finite", i - 1, (unsigned)j);
        }
    PyMem_Free(last);
    return good;
}

static bool multiply(core_model *self, const hn_matrix *matrix, const core_array *terms, const core_array *out) {
    hn_expr *exprs = PyMem_Calloc(terms->count + out->count + 1, sizeof *exprs);
    if (!exprs) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t i = 0; i < terms->count; i++)
        exprs[i] = core_expr(self, terms, i);
    hn_products(self->model, matrix, exprs, exprs + terms->count);
    for (size_t i = 0; i < out->count; i++)
        put(self, out, i, exprs[terms->count + i]);
    PyMem_Free(exprs);
    return true;
}

PyObject *core_model_products(PyObject *object, PyObject *arguments) {
    core_model *self = (core_model *)object;
    PyObject *objects[5], *result = NULL;
    core_array first = {0}, column = {0}, values = {0}, terms = {0}, out = {0};
    if (!PyArg_ParseTuple(arguments, "OOOOO:products", &objects[0], &objects[1], &objects[2], &objects[3],
                          &objects[4]) ||
        !core_model_is_open(self))
        return NULL;
    if (core_array_view(&first, objects[0], "first", CORE_INDEX, CORE_ANY, 0) &&
        core_array_view(&values, objects[2], "values", CORE_REAL, CORE_ANY, 0) &&
        core_array_view(&column, objects[1], "column", CORE_NODE, values.count, 0) &&
        is_partition(&first, values.count) && core_nodes_view(&terms, self, objects[3], "terms", CORE_ANY) &&
        core_array_view(&out, objects[4], "out", CORE_NODE, first.count - 1, CORE_WRITABLE) &&
        is_matrix(&first, &column, &values, terms.count) &&
        core_model_has_room(self, operations_of(self, &first, &terms)) && has_room_for_numbers(self, values.count)) {
        hn_matrix matrix = {.size = sizeof matrix,
                            .rows = out.count,
                            .columns = terms.count,
                            .values = values.data,
                            .first = (const size_t *)first.data,
                            .column = column.data};
        if (multiply(self, &matrix, &terms, &out))
            result = core_model_done(self);
    }
    core_array_release(&first);
    core_array_release(&column);
    core_array_release(&values);
    core_array_release(&terms);
    core_array_release(&out);
    return result;
}
