/* core_evaluate.c - the type _core.Evaluator: values and derivatives of a model's rows and objective, for batches. It
 * is constant; every call uses a separate workspace or a pool of threads.
 *
 * SPDX-License-Identifier: MIT */
#include "core.h"

typedef struct core_evaluator {
    PyObject_HEAD hn_evaluator *evaluator;
    hn_evaluator_info info;
} core_evaluator;

/* ---- names of quantities ---- */

static bool find_quantity(PyObject *name, hn_quantity *quantity) {
    PyObject *bytes = PyUnicode_Check(name) ? PyUnicode_AsUTF8String(name) : NULL;
    bool found = bytes && hn_quantity_find(PyBytes_AsString(bytes), quantity);
    Py_XDECREF(bytes);
    if (!found)
        core_invalid("%R is not a quantity that an evaluator computes", name);
    return found;
}

static bool take_wanted(PyObject *sequence, uint64_t *wanted) {
    Py_ssize_t count = PySequence_Size(sequence);
    *wanted = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        hn_quantity quantity;
        PyObject *name = PySequence_GetItem(sequence, i);
        bool found = name && find_quantity(name, &quantity);
        Py_XDECREF(name);
        if (!found)
            return false;
        *wanted |= HN_WANT(quantity);
    }
    return count >= 0;
}

/* ---- life ---- */

typedef struct creation {
    const hn_model *model;
    hn_evaluator_options options;
    hn_evaluator *evaluator;
    hn_status status;
    hn_error error;
} creation;

static void create(void *context) {
    creation *c = context;
    c->status = hn_evaluator_create(&c->evaluator, c->model, &c->options, &c->error);
}

static PyObject *wrap(PyTypeObject *type, hn_evaluator *evaluator) {
    core_evaluator *self = (core_evaluator *)PyType_GenericAlloc(type, 0);
    if (!self) {
        hn_evaluator_destroy(evaluator);
        return NULL;
    }
    self->evaluator = evaluator;
    self->info = hn_evaluator_info_of(evaluator);
    return (PyObject *)self;
}

static PyObject *evaluator_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    static const char *const names[] = {"model", "wanted", "without_objective", "instructions", NULL};
    PyObject *model, *wanted;
    const char *instructions = "best";
    int without_objective = 0, cancel = 0;
    creation c = {.options = hn_evaluator_defaults()};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|ps:Evaluator", CORE_KEYWORDS(names), &model, &wanted,
                                     &without_objective, &instructions) ||
        !take_wanted(wanted, &c.options.wanted) || !(c.model = core_model_of(core_state_of_type(type), model)))
        return NULL;
    if (!hn_instructions_find(instructions, &c.options.instructions))
        return core_invalid("instructions: %s is unknown", instructions);
    c.options.without_objective = without_objective != 0;
    if (!core_run(create, &c, false, &cancel))
        return NULL;
    return c.status == HN_OK ? wrap(type, c.evaluator) : core_raise(&c.error);
}

static void evaluator_dealloc(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    hn_evaluator_destroy(((core_evaluator *)object)->evaluator);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

/* ---- running ---- */

enum { X, Y, SIGMA, LAMBDA, V_Y, V_X, W, GIVEN };

typedef struct running {
    const core_evaluator *self;
    core_array given[GIVEN], results[HN_QUANTITY_COUNT];
    hn_evaluation evaluation;
    void *workspace; /* or else a pool */
    size_t bytes;
    int threads;
    hn_status status;
    hn_error error;
} running;

static void release(running *r) {
    for (int i = 0; i < GIVEN; i++)
        core_array_release(&r->given[i]);
    for (int i = 0; i < HN_QUANTITY_COUNT; i++)
        core_array_release(&r->results[i]);
    PyMem_Free(r->workspace);
}

/* The inputs: x and y are required, unless they have width 0 or no requested quantity depends on them; the library
 * reports missing ones. */
static bool take_given(running *r, PyObject *const *objects) {
    static const char *const names[] = {"x", "y", "sigma", "multipliers", "v_y", "v_x", "w"};
    const hn_evaluator_info *info = &r->self->info;
    hn_evaluation *e = &r->evaluation;
    const size_t widths[] = {info->inputs, info->outputs, 1, info->rows, info->outputs, info->inputs, info->rows};
    const bool repeated[GIVEN] = {e->repeat_x, e->repeat_y};
    for (int i = 0; i < GIVEN; i++) {
        size_t count;
        if (!core_multiply(repeated[i] ? 1 : e->count, widths[i], names[i], &count) ||
            !core_array_view(&r->given[i], objects[i], names[i], CORE_REAL, count, CORE_OPTIONAL))
            return false;
    }
    e->x = r->given[X].data;
    e->y = r->given[Y].data;
    e->sigma = r->given[SIGMA].data;
    e->lambda = r->given[LAMBDA].data;
    e->v_y = r->given[V_Y].data;
    e->v_x = r->given[V_X].data;
    e->w = r->given[W].data;
    return true;
}

/* Where results go: a dict of arrays by quantity. */
static bool take_results(running *r, PyObject *results) {
    PyObject *name, *array;
    Py_ssize_t place = 0;
    while (PyDict_Next(results, &place, &name, &array)) {
        hn_quantity quantity;
        size_t count;
        if (!find_quantity(name, &quantity) ||
            !core_multiply(r->evaluation.count, hn_evaluator_width(r->self->evaluator, quantity),
                           hn_quantity_text(quantity), &count) ||
            !core_array_view(&r->results[quantity], array, hn_quantity_text(quantity), CORE_REAL, count, CORE_WRITABLE))
            return false;
        r->evaluation.values[quantity] = r->results[quantity].data;
    }
    return true;
}

static void run_on_pool(running *r) {
    hn_evaluator_pool *pool;
    r->status = hn_evaluator_pool_create(&pool, r->self->evaluator, r->threads, &r->error);
    if (r->status == HN_OK)
        r->status = hn_evaluator_pool_run(pool, &r->evaluation, &r->error);
    hn_evaluator_pool_destroy(pool);
}

static void run(void *context) {
    running *r = context;
    if (r->workspace)
        r->status = hn_evaluator_run(r->self->evaluator, &r->evaluation, r->workspace, r->bytes, &r->error);
    else
        run_on_pool(r);
}

static PyObject *run_all(running *r) {
    int cancel = 0;
    if (r->threads == 1) {
        r->bytes = hn_evaluator_workspace_bytes(r->self->evaluator);
        r->workspace = PyMem_Malloc(r->bytes + 1);
        if (!r->workspace)
            return PyErr_NoMemory();
    }
    if (!core_run(run, r, false, &cancel))
        return NULL;
    return r->status == HN_OK ? Py_NewRef(Py_None) : core_raise(&r->error);
}

static PyObject *evaluator_run(PyObject *object, PyObject *arguments, PyObject *keywords) {
    static const char *const names[] = {"count", "x", "y",        "results",  "sigma",   "multipliers", "v_y",
                                        "v_x",   "w", "repeat_x", "repeat_y", "threads", NULL};
    PyObject *objects[GIVEN] = {NULL}, *results, *result = NULL;
    Py_ssize_t count;
    int repeat_x = 0, repeat_y = 0;
    running r = {.self = (core_evaluator *)object, .threads = 1, .evaluation = {.size = sizeof r.evaluation}};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "nOOO!|$OOOOOppi:run", CORE_KEYWORDS(names), &count,
                                     &objects[X], &objects[Y], &PyDict_Type, &results, &objects[SIGMA],
                                     &objects[LAMBDA], &objects[V_Y], &objects[V_X], &objects[W], &repeat_x, &repeat_y,
                                     &r.threads))
        return NULL;
    if (count < 0 || r.threads < 0)
        return core_invalid("count and threads must be 0 or more");
    r.evaluation.count = (size_t)count;
    r.evaluation.repeat_x = repeat_x != 0;
    r.evaluation.repeat_y = repeat_y != 0;
    if (take_given(&r, objects) && take_results(&r, results))
        result = run_all(&r);
    release(&r);
    return result;
}

/* ---- looking ---- */

static PyObject *evaluator_width(PyObject *object, PyObject *name) {
    hn_quantity quantity;
    if (!find_quantity(name, &quantity))
        return NULL;
    return PyLong_FromSize_t(hn_evaluator_width(((core_evaluator *)object)->evaluator, quantity));
}

static PyObject *bytes_of(const void *data, size_t count, size_t size) {
    return PyBytes_FromStringAndSize(data, (Py_ssize_t)(count * size));
}

/* (rows, columns, first, column, constant), lists as bytes of size_t, uint32 and double. */
static PyObject *evaluator_pattern(PyObject *object, PyObject *name) {
    hn_quantity quantity;
    hn_pattern p = {.size = sizeof p};
    hn_error error;
    if (!find_quantity(name, &quantity))
        return NULL;
    if (hn_evaluator_get_pattern(((core_evaluator *)object)->evaluator, quantity, &p, &error) != HN_OK)
        return core_raise(&error);
    return Py_BuildValue("(nnNNN)", (Py_ssize_t)p.rows, (Py_ssize_t)p.columns,
                         bytes_of(p.first, p.rows + 1, sizeof *p.first), bytes_of(p.column, p.count, sizeof *p.column),
                         bytes_of(p.constant, p.count, sizeof *p.constant));
}

static PyObject *get_info(PyObject *object, void *Py_UNUSED(closure)) {
    const hn_evaluator_info *info = &((core_evaluator *)object)->info;
    return Py_BuildValue("{snsnsnsnss}", "inputs", (Py_ssize_t)info->inputs, "outputs", (Py_ssize_t)info->outputs,
                         "rows", (Py_ssize_t)info->rows, "nodes", (Py_ssize_t)info->nodes, "instructions",
                         hn_instructions_text(info->instructions));
}

static PyMethodDef methods[] = {
    {"run", (PyCFunction)(void (*)(void))evaluator_run, METH_VARARGS | METH_KEYWORDS, "Computes samples."},
    {"width", evaluator_width, METH_O, "Numbers per sample of a quantity."},
    {"pattern", evaluator_pattern, METH_O, "Where the nonzeros of a matrix stand."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef attributes[] = {
    {"info", get_info, NULL, "Sizes.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, (void *)evaluator_new},
    {Py_tp_dealloc, (void *)evaluator_dealloc},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "hardnet._core.Evaluator",
    .basicsize = sizeof(core_evaluator),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};

int core_add_evaluate(PyObject *module) {
    return core_add_type(module, &spec, &core_state_of(module)->evaluator);
}
