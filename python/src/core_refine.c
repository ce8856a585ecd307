/* core_refine.c - the type _core.Refiner: outputs that are lowered along the constraints, and targets
 * for training (hardnet/refine.h).
 *
 * A refiner serves one call at a time; a concurrent call is an error, and the package serialises its callers.
 *
 * SPDX-License-Identifier: MIT */
#include "core.h"

typedef struct core_refiner {
    PyObject_HEAD hn_refiner *refiner;
    PyObject *layer; /* the _core.Layer, which outlives the refiner; NULL: its own */
    size_t inputs, outputs, rows, candidates;
    bool busy;
} core_refiner;

/* ---- a call ---- */

enum role { X, Y_RAW, Y, OBJECTIVE, REPORTS, MULTIPLIERS, TARGETS, BEST, ROLES };

typedef struct refine_call {
    hn_refiner *refiner;
    core_array arrays[ROLES];
    size_t *best; /* as the library has them; Python's are int64 */
    bool improves;
    hn_refinement refinement;
    hn_improvement improvement;
    hn_status status;
    hn_error error;
} refine_call;

static void run_call(void *context) {
    refine_call *call = context;
    call->status = call->improves ? hn_refiner_improve(call->refiner, &call->improvement, &call->error)
                                  : hn_refiner_run(call->refiner, &call->refinement, &call->error);
}

static void close_call(refine_call *call) {
    for (int i = 0; i < ROLES; i++)
        core_array_release(&call->arrays[i]);
    PyMem_Free(call->best);
}

static bool execute(core_refiner *self, refine_call *call) {
    int cancel = 0;
    if (self->busy) {
        PyErr_SetString(PyExc_RuntimeError, "a refiner serves one call at a time");
        return false;
    }
    self->busy = true;
    call->refiner = self->refiner;
    bool quiet = core_run(run_call, call, false, &cancel);
    self->busy = false;
    if (quiet && call->status != HN_OK)
        core_raise(&call->error);
    return quiet && call->status == HN_OK;
}

static bool count_is_good(Py_ssize_t count) {
    if (count < 0)
        core_invalid("count is negative");
    return count >= 0;
}

/* ---- run ---- */

typedef struct run_arguments {
    Py_ssize_t count;
    PyObject *x, *y_raw, *y, *objective, *reports, *multipliers;
    int known;
} run_arguments;

static bool parse_run(run_arguments *a, PyObject *arguments, PyObject *keywords) {
    static const char *const names[] = {"count",   "x",           "y_raw", "y", "objective",
                                        "reports", "multipliers", "known", NULL};
    return PyArg_ParseTupleAndKeywords(arguments, keywords, "nOOO|$OOOp:run", CORE_KEYWORDS(names), &a->count, &a->x,
                                       &a->y_raw, &a->y, &a->objective, &a->reports, &a->multipliers, &a->known) &&
           count_is_good(a->count);
}

static bool view_run(const core_refiner *self, refine_call *call, const run_arguments *a) {
    size_t count = (size_t)a->count;
    const int optional = CORE_WRITABLE | CORE_OPTIONAL;
    const core_wanted list[] = {
        {X, "x", a->x, CORE_REAL, count, self->inputs, self->inputs ? 0 : CORE_OPTIONAL},
        {Y_RAW, "y_raw", a->y_raw, CORE_REAL, count, self->outputs, 0},
        {Y, "y", a->y, CORE_REAL, count, self->outputs, CORE_WRITABLE},
        {OBJECTIVE, "objective", a->objective, CORE_REAL, count, 1, optional},
        {REPORTS, "reports", a->reports, CORE_REPORT, count, sizeof(hn_report), optional},
        {MULTIPLIERS, "multipliers", a->multipliers, CORE_REAL, count, self->rows, optional},
    };
    return core_array_view_all(call->arrays, sizeof list / sizeof *list, list);
}

static PyObject *refiner_run(PyObject *object, PyObject *arguments, PyObject *keywords) {
    core_refiner *self = (core_refiner *)object;
    run_arguments a = {0};
    refine_call call = {0};
    if (!parse_run(&a, arguments, keywords))
        return NULL;
    bool done = view_run(self, &call, &a);
    core_array *arrays = call.arrays;
    call.refinement = (hn_refinement){
        .size = sizeof(hn_refinement),
        .count = (size_t)a.count,
        .x = arrays[X].data,
        .y_raw = arrays[Y_RAW].data,
        .y = arrays[Y].data,
        .objective = arrays[OBJECTIVE].data,
        .report_size = sizeof(hn_report),
        .reports = arrays[REPORTS].data,
        .multipliers = arrays[MULTIPLIERS].data,
        .known = a.known != 0,
    };
    done = done && execute(self, &call);
    close_call(&call);
    return done ? Py_NewRef(Py_None) : NULL;
}

/* ---- improve ---- */

typedef struct improve_arguments {
    Py_ssize_t count;
    PyObject *x, *y_raw, *targets, *best, *objective, *reports;
    double explore;
    int round;
} improve_arguments;

static bool parse_improve(improve_arguments *a, PyObject *arguments, PyObject *keywords) {
    static const char *const names[] = {"count",     "x",       "y_raw",   "targets", "best",
                                        "objective", "reports", "explore", "round",   NULL};
    return PyArg_ParseTupleAndKeywords(arguments, keywords, "nOOO|$OOOdi:improve", CORE_KEYWORDS(names), &a->count,
                                       &a->x, &a->y_raw, &a->targets, &a->best, &a->objective, &a->reports, &a->explore,
                                       &a->round) &&
           count_is_good(a->count);
}

static bool view_improve(const core_refiner *self, refine_call *call, const improve_arguments *a) {
    size_t count = (size_t)a->count, candidates = self->candidates, numbers = candidates * self->outputs;
    const int optional = CORE_WRITABLE | CORE_OPTIONAL;
    const core_wanted list[] = {
        {X, "x", a->x, CORE_REAL, count, self->inputs, self->inputs ? 0 : CORE_OPTIONAL},
        {Y_RAW, "y_raw", a->y_raw, CORE_REAL, count, numbers, 0},
        {TARGETS, "targets", a->targets, CORE_REAL, count, numbers, CORE_WRITABLE},
        {BEST, "best", a->best, CORE_INDEX, count, 1, optional},
        {OBJECTIVE, "objective", a->objective, CORE_REAL, count, candidates, optional},
        {REPORTS, "reports", a->reports, CORE_REPORT, count, candidates * sizeof(hn_report), optional},
    };
    if (!core_array_view_all(call->arrays, sizeof list / sizeof *list, list))
        return false;
    if (!call->arrays[BEST].data)
        return true;
    call->best = PyMem_Calloc(count + 1, sizeof *call->best);
    if (!call->best)
        PyErr_NoMemory();
    return call->best != NULL;
}

static void give_best(const refine_call *call) {
    int64_t *best = call->arrays[BEST].data;
    for (size_t i = 0; call->best && i < call->improvement.count; i++)
        best[i] = (int64_t)call->best[i];
}

static PyObject *refiner_improve(PyObject *object, PyObject *arguments, PyObject *keywords) {
    core_refiner *self = (core_refiner *)object;
    improve_arguments a = {0};
    refine_call call = {.improves = true};
    if (!parse_improve(&a, arguments, keywords))
        return NULL;
    bool done = view_improve(self, &call, &a);
    core_array *arrays = call.arrays;
    call.improvement = (hn_improvement){
        .size = sizeof(hn_improvement),
        .count = (size_t)a.count,
        .x = arrays[X].data,
        .y_raw = arrays[Y_RAW].data,
        .targets = arrays[TARGETS].data,
        .best = call.best,
        .objective = arrays[OBJECTIVE].data,
        .report_size = sizeof(hn_report),
        .reports = arrays[REPORTS].data,
        .explore = a.explore,
        .round = a.round,
    };
    done = done && execute(self, &call);
    if (done)
        give_best(&call);
    close_call(&call);
    return done ? Py_NewRef(Py_None) : NULL;
}

/* ---- life ---- */

typedef struct create_call {
    const hn_model *model;
    const hn_layer *layer;
    const hn_refine_options *options;
    hn_refiner *refiner;
    hn_error error;
} create_call;

static void create_refiner(void *context) {
    create_call *call = context;
    hn_refiner_create(&call->refiner, call->model, call->layer, call->options, &call->error);
}

static core_refiner *wrap(PyTypeObject *type, const create_call *call, PyObject *layer) {
    core_refiner *self = (core_refiner *)PyType_GenericAlloc(type, 0);
    if (!self) {
        hn_refiner_destroy(call->refiner);
        return NULL;
    }
    self->refiner = call->refiner;
    self->layer = call->layer ? Py_NewRef(layer) : NULL;
    self->inputs = hn_model_input_count(call->model);
    self->outputs = hn_model_output_count(call->model);
    self->rows = hn_model_row_count(call->model);
    self->candidates = call->options->candidates;
    return self;
}

static PyObject *refiner_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    static const char *const names[] = {"model", "layer", "steps", "candidates", "threads", NULL};
    PyObject *model, *layer;
    Py_ssize_t candidates;
    hn_refine_options options = hn_refine_defaults();
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OOini:Refiner", CORE_KEYWORDS(names), &model, &layer,
                                     &options.steps, &candidates, &options.threads))
        return NULL;
    options.candidates = candidates < 0 ? 0 : (size_t)candidates; /* which the library refuses */
    core_state *state = core_state_of_type(type);
    create_call call = {.model = core_model_of(state, model), .options = &options};
    if (!call.model)
        return NULL;
    if (layer != Py_None && !(call.layer = core_layer_of(state, layer)))
        return NULL;
    int cancel = 0;
    core_run(create_refiner, &call, false, &cancel);
    return call.refiner ? (PyObject *)wrap(type, &call, layer) : core_raise(&call.error);
}

static void refiner_dealloc(PyObject *object) {
    core_refiner *self = (core_refiner *)object;
    PyTypeObject *type = Py_TYPE(object);
    hn_refiner_destroy(self->refiner);
    Py_XDECREF(self->layer);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"run", (PyCFunction)(void (*)(void))refiner_run, METH_VARARGS | METH_KEYWORDS,
     "Corrects a batch and lowers its objective."},
    {"improve", (PyCFunction)(void (*)(void))refiner_improve, METH_VARARGS | METH_KEYWORDS,
     "Targets for what a network gave."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, (void *)refiner_new},
    {Py_tp_dealloc, (void *)refiner_dealloc},
    {Py_tp_methods, methods},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "hardnet._core.Refiner",
    .basicsize = sizeof(core_refiner),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};

int core_add_refine(PyObject *module) {
    return core_add_type(module, &spec, &core_state_of(module)->refiner);
}
