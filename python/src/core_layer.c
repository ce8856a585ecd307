/* core_layer.c - the type _core.Layer: a layer, with thread pools for its callers.
 *
 * Arrays are checked against the layer's sizes before anything runs; core_layer_call.c runs it.
 *
 * SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "core_layer.h"

const hn_layer *core_layer_of(core_state *state, PyObject *object) {
    if (Py_TYPE(object) == state->layer)
        return ((core_layer *)object)->layer;
    PyErr_SetString(PyExc_TypeError, "layer must be a _core.Layer");
    return NULL;
}

bool core_not_ok_of(const char *text, hn_not_ok *choice) {
    if (hn_not_ok_find(text, choice))
        return true;
    core_invalid("not_ok '%s' is unknown; choose best, clip or fallback", text);
    return false;
}

/* ---- the arrays of a call ---- */

static void release_arrays(layer_call *call) {
    for (int i = 0; i < ROLES; i++)
        core_array_release(&call->arrays[i]);
    PyMem_Free(call->shared_inputs);
}

/* Inputs shared by the batch; the library checks their numbers. */
static bool view_shared(const core_layer *self, layer_call *call, PyObject *shared, PyObject *list) {
    core_array *arrays = call->arrays;
    if (!core_array_view(&arrays[SHARED], shared, "shared", CORE_REAL, CORE_ANY, CORE_OPTIONAL))
        return false;
    const size_t count = arrays[SHARED].count;
    if (count > self->info.inputs) {
        core_invalid("shared has %zu elements; the model has %zu inputs", count, self->info.inputs);
        return false;
    }
    if (!core_array_view(&arrays[SHARED_INPUTS], list, "shared_inputs", CORE_INDEX, count, CORE_OPTIONAL))
        return false;
    const int64_t *numbers = arrays[SHARED_INPUTS].data;
    if (!numbers)
        return true;
    call->shared_inputs = PyMem_Malloc((count + 1) * sizeof *call->shared_inputs);
    if (!call->shared_inputs) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t i = 0; i < count; i++)
        call->shared_inputs[i] = numbers[i] < 0 ? SIZE_MAX : (size_t)numbers[i];
    return true;
}

/* ---- forward ---- */

typedef struct run_arguments {
    Py_ssize_t count;
    PyObject *x, *y_raw, *y, *reports, *residual, *tape, *warm, *fallback, *multipliers, *proof_y, *shared,
        *shared_inputs;
    int repeat_x, repeat_y;
    double seconds;
    const char *not_ok;
} run_arguments;

static bool parse_run(run_arguments *a, PyObject *arguments, PyObject *keywords) {
    static const char *const names[] = {"count",       "x",      "y_raw",    "y",        "reports",       "residual",
                                        "tape",        "warm",   "fallback", "repeat_x", "repeat_y",      "seconds",
                                        "multipliers", "not_ok", "proof_y",  "shared",   "shared_inputs", NULL};
    return PyArg_ParseTupleAndKeywords(arguments, keywords, "nOOOO|$OOOOppdOsOOO:run", CORE_KEYWORDS(names), &a->count,
                                       &a->x, &a->y_raw, &a->y, &a->reports, &a->residual, &a->tape, &a->warm,
                                       &a->fallback, &a->repeat_x, &a->repeat_y, &a->seconds, &a->multipliers,
                                       &a->not_ok, &a->proof_y, &a->shared, &a->shared_inputs);
}

static bool view_run(const core_layer *self, layer_call *call, const run_arguments *a) {
    if (!view_shared(self, call, a->shared, a->shared_inputs))
        return false;
    size_t count = (size_t)a->count, inputs = self->info.inputs - call->arrays[SHARED].count;
    size_t outputs = self->info.outputs, tape = hn_layer_tape_bytes(self->layer, count);
    const core_wanted list[] = {
        {X, "x", a->x, CORE_REAL, a->repeat_x ? 1 : count, inputs, inputs ? 0 : CORE_OPTIONAL},
        {Y_RAW, "y_raw", a->y_raw, CORE_REAL, a->repeat_y ? 1 : count, outputs, CORE_OPTIONAL},
        {Y, "y", a->y, CORE_REAL, count, outputs, CORE_WRITABLE},
        {REPORTS, "reports", a->reports, CORE_REPORT, count, sizeof(hn_report), CORE_WRITABLE | CORE_OPTIONAL},
        {RESIDUAL, "residual", a->residual, CORE_REAL, count, self->info.rows, CORE_WRITABLE | CORE_OPTIONAL},
        {TAPE, "tape", a->tape, CORE_BYTE, tape, 1, CORE_WRITABLE | CORE_OPTIONAL},
        {WARM, "warm", a->warm, CORE_REAL, count, outputs, CORE_WRITABLE | CORE_OPTIONAL},
        {FALLBACK, "fallback", a->fallback, CORE_REAL, 1, outputs, CORE_OPTIONAL},
        {MULTIPLIERS, "multipliers", a->multipliers, CORE_REAL, count, self->info.rows, CORE_WRITABLE | CORE_OPTIONAL},
        {PROOF_Y, "proof_y", a->proof_y, CORE_REAL, count, outputs, CORE_WRITABLE | CORE_OPTIONAL},
    };
    if (count > 0 && tape == 0 && a->tape && a->tape != Py_None) {
        PyErr_SetString(PyExc_OverflowError, "the tape of so many samples is larger than memory can be");
        return false;
    }
    return core_array_view_all(call->arrays, sizeof list / sizeof *list, list);
}

static void fill_batch(layer_call *call, size_t count, bool repeat_x, bool repeat_y) {
    core_array *arrays = call->arrays;
    call->batch = (hn_batch){
        .size = sizeof(hn_batch),
        .count = count,
        .x = arrays[X].data,
        .y_raw = arrays[Y_RAW].data,
        .repeat_x = repeat_x,
        .repeat_y = repeat_y,
        .y = arrays[Y].data,
        .report_size = sizeof(hn_report),
        .reports = arrays[REPORTS].data,
        .residual = arrays[RESIDUAL].data,
        .tape = arrays[TAPE].data,
        .fallback = arrays[FALLBACK].data,
        .warm = arrays[WARM].data,
        .cancel = &call->cancel,
        .multipliers = arrays[MULTIPLIERS].data,
        .proof_y = arrays[PROOF_Y].data,
        .shared_count = arrays[SHARED].count,
        .shared_inputs = call->shared_inputs,
        .shared = arrays[SHARED].data,
    };
}

static PyObject *layer_run(PyObject *object, PyObject *arguments, PyObject *keywords) {
    core_layer *self = (core_layer *)object;
    run_arguments a = {.not_ok = hn_not_ok_text(HN_NOT_OK_BEST)};
    hn_not_ok choice;
    if (!parse_run(&a, arguments, keywords) || !core_not_ok_of(a.not_ok, &choice))
        return NULL;
    if (a.count < 0)
        return core_invalid("count is negative");
    if (!(a.seconds >= 0))
        return core_invalid("seconds must be 0 or more");
    layer_call call = {0};
    PyObject *result = NULL;
    if (view_run(self, &call, &a)) {
        fill_batch(&call, (size_t)a.count, a.repeat_x, a.repeat_y);
        call.batch.seconds = a.seconds;
        call.batch.not_ok = choice;
        result = core_layer_execute(self, &call);
    }
    release_arrays(&call);
    return result;
}

/* ---- backward ---- */

typedef struct gradient_arguments {
    Py_ssize_t count;
    PyObject *x, *y_raw, *y, *reports, *tape, *grad_y, *grad_y_raw, *grad_x, *grad_lower, *grad_upper, *flagged,
        *grad_multipliers, *grad_weights, *shared, *shared_inputs, *grad_shared;
    int repeat_x, repeat_y;
} gradient_arguments;

static bool parse_gradient(gradient_arguments *a, PyObject *arguments, PyObject *keywords) {
    static const char *const names[] = {"count",        "x",       "y_raw",         "y",           "reports",
                                        "tape",         "grad_y",  "grad_y_raw",    "grad_x",      "grad_lower",
                                        "grad_upper",   "flagged", "repeat_x",      "repeat_y",    "grad_multipliers",
                                        "grad_weights", "shared",  "shared_inputs", "grad_shared", NULL};
    return PyArg_ParseTupleAndKeywords(arguments, keywords, "nOOOOOOO|$OOOOppOOOOO:gradient", CORE_KEYWORDS(names),
                                       &a->count, &a->x, &a->y_raw, &a->y, &a->reports, &a->tape, &a->grad_y,
                                       &a->grad_y_raw, &a->grad_x, &a->grad_lower, &a->grad_upper, &a->flagged,
                                       &a->repeat_x, &a->repeat_y, &a->grad_multipliers, &a->grad_weights, &a->shared,
                                       &a->shared_inputs, &a->grad_shared);
}

static bool view_gradient(const core_layer *self, layer_call *call, const gradient_arguments *a) {
    if (!view_shared(self, call, a->shared, a->shared_inputs))
        return false;
    size_t shared = call->arrays[SHARED].count, inputs = self->info.inputs - shared;
    size_t count = (size_t)a->count, outputs = self->info.outputs, rows = self->info.rows;
    const int optional = CORE_WRITABLE | CORE_OPTIONAL;
    const core_wanted list[] = {
        {X, "x", a->x, CORE_REAL, a->repeat_x ? 1 : count, inputs, inputs ? 0 : CORE_OPTIONAL},
        {Y_RAW, "y_raw", a->y_raw, CORE_REAL, a->repeat_y ? 1 : count, outputs, CORE_OPTIONAL},
        {Y, "y", a->y, CORE_REAL, count, outputs, CORE_WRITABLE},
        {REPORTS, "reports", a->reports, CORE_REPORT, count, sizeof(hn_report), CORE_WRITABLE},
        {TAPE, "tape", a->tape, CORE_BYTE, hn_layer_tape_bytes(self->layer, count), 1, CORE_WRITABLE},
        {GRAD_Y, "grad_y", a->grad_y, CORE_REAL, count, outputs, 0},
        {GRAD_Y_RAW, "grad_y_raw", a->grad_y_raw, CORE_REAL, count, outputs, CORE_WRITABLE},
        {GRAD_X, "grad_x", a->grad_x, CORE_REAL, count, inputs, optional},
        {GRAD_LOWER, "grad_lower", a->grad_lower, CORE_REAL, count, rows, optional},
        {GRAD_UPPER, "grad_upper", a->grad_upper, CORE_REAL, count, rows, optional},
        {FLAGGED, "flagged", a->flagged, CORE_BOOL, count, 1, optional},
        {GRAD_MULTIPLIERS, "grad_multipliers", a->grad_multipliers, CORE_REAL, count, rows, CORE_OPTIONAL},
        {GRAD_WEIGHTS, "grad_weights", a->grad_weights, CORE_REAL, count, outputs, optional},
        {GRAD_SHARED, "grad_shared", a->grad_shared, CORE_REAL, 1, shared, optional},
    };
    return core_array_view_all(call->arrays, sizeof list / sizeof *list, list);
}

static void fill_gradient(layer_call *call) {
    core_array *arrays = call->arrays;
    call->backward = true;
    call->gradient = (hn_gradient){
        .size = sizeof(hn_gradient),
        .grad_y = arrays[GRAD_Y].data,
        .grad_y_raw = arrays[GRAD_Y_RAW].data,
        .grad_x = arrays[GRAD_X].data,
        .grad_lower = arrays[GRAD_LOWER].data,
        .grad_upper = arrays[GRAD_UPPER].data,
        .flagged = arrays[FLAGGED].data,
        .grad_multipliers = arrays[GRAD_MULTIPLIERS].data,
        .grad_weights = arrays[GRAD_WEIGHTS].data,
        .grad_shared = arrays[SHARED].count ? arrays[GRAD_SHARED].data : NULL,
    };
}

static PyObject *layer_gradient(PyObject *object, PyObject *arguments, PyObject *keywords) {
    core_layer *self = (core_layer *)object;
    gradient_arguments a = {0};
    if (!parse_gradient(&a, arguments, keywords))
        return NULL;
    if (a.count < 0)
        return core_invalid("count is negative");
    layer_call call = {0};
    PyObject *result = NULL;
    if (view_gradient(self, &call, &a)) {
        fill_batch(&call, (size_t)a.count, a.repeat_x, a.repeat_y);
        fill_gradient(&call);
        result = core_layer_execute(self, &call);
    }
    release_arrays(&call);
    return result;
}

/* ---- looking ---- */

static PyObject *layer_tape_bytes(PyObject *object, PyObject *argument) {
    Py_ssize_t count = PyNumber_AsSsize_t(argument, PyExc_OverflowError);
    if (count == -1 && PyErr_Occurred())
        return NULL;
    size_t bytes = count < 0 ? 0 : hn_layer_tape_bytes(((core_layer *)object)->layer, (size_t)count);
    if (count < 0 || bytes > PY_SSIZE_T_MAX || (count > 0 && bytes == 0))
        return PyErr_Format(PyExc_OverflowError, "a tape for %zd samples cannot be", count);
    return PyLong_FromSize_t(bytes);
}

static PyObject *layer_info(PyObject *object, void *Py_UNUSED(closure)) {
    const hn_layer_info *i = &((core_layer *)object)->info;
    return Py_BuildValue("{s:n,s:n,s:n,s:n,s:n,s:n,s:n,s:O,s:O,s:n,s:n,s:s,s:O,s:O}", "inputs", (Py_ssize_t)i->inputs,
                         "outputs", (Py_ssize_t)i->outputs, "rows", (Py_ssize_t)i->rows, "jacobian_nonzeros",
                         (Py_ssize_t)i->jacobian_nonzeros, "factor_order", (Py_ssize_t)i->factor_order, "factor_added",
                         (Py_ssize_t)i->factor_added, "factor_nonzeros", (Py_ssize_t)i->factor_nonzeros, "outputs_side",
                         i->outputs_side ? Py_True : Py_False, "dense", i->dense ? Py_True : Py_False, "operators",
                         (Py_ssize_t)i->operators, "multiply_adds", (Py_ssize_t)i->multiply_adds, "instructions",
                         hn_instructions_text(i->instructions), "compiled", i->compiled ? Py_True : Py_False,
                         "compiled_gradients", i->compiled_gradients ? Py_True : Py_False);
}

static PyObject *layer_options(PyObject *object, void *Py_UNUSED(closure)) {
    const hn_layer_options *o = &((core_layer *)object)->options;
    return Py_BuildValue("{s:s,s:i,s:d,s:d,s:O,s:s,s:d}", "method", hn_method_text(o->method), "iterations",
                         o->iterations, "damping", o->damping, "tolerance", o->tolerance, "relative",
                         o->relative ? Py_True : Py_False, "instructions", hn_instructions_text(o->instructions),
                         "effort", o->effort);
}

static PyObject *layer_address(PyObject *object, void *Py_UNUSED(closure)) {
    return PyLong_FromVoidPtr(((core_layer *)object)->layer);
}

/* ---- life ---- */

typedef struct new_arguments {
    PyObject *model, *weights;
    const char *method, *instructions;
    int relative, threads, compile;
    hn_layer_options options;
} new_arguments;

static bool parse_new(new_arguments *a, PyObject *arguments, PyObject *keywords) {
    static const char *const names[] = {"model",    "method",       "iterations", "damping", "tolerance",
                                        "relative", "instructions", "threads",    "compile", "kernel",
                                        "effort",   "weights",      NULL};
    a->options = hn_layer_defaults();
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "Osiddpsipz|dO:Layer", CORE_KEYWORDS(names), &a->model,
                                     &a->method, &a->options.iterations, &a->options.damping, &a->options.tolerance,
                                     &a->relative, &a->instructions, &a->threads, &a->compile, &a->options.kernel,
                                     &a->options.effort, &a->weights))
        return false;
    a->options.relative = a->relative != 0;
    if (!hn_method_find(a->method, &a->options.method))
        core_invalid("method '%s' is unknown; there are" CORE_METHODS, a->method);
    else if (!hn_instructions_find(a->instructions, &a->options.instructions))
        core_invalid("instructions '%s' are unknown; there are best, portable, avx2 and avx512", a->instructions);
    else if (a->threads < 0)
        core_invalid("threads must be 0 (one per core) or more, not %d", a->threads);
    else
        return true;
    return false;
}

typedef struct create_call {
    const hn_model *model;
    hn_layer_options *options;
    bool compile;
    const int *cancel;
    hn_layer *layer;
    hn_error error;
} create_call;

/* The layer copies the kernel's name. */
static void create_layer(void *context) {
    create_call *call = context;
    hn_kernel_info kernel = {.size = sizeof kernel};
    if (call->compile) {
        hn_kernel_options wanted = hn_kernel_defaults();
        wanted.cancel = call->cancel;
        if (hn_kernel_compile(call->model, call->options, &wanted, &kernel, &call->error) != HN_OK)
            return;
        call->options->kernel = kernel.path;
    }
    hn_layer_create(&call->layer, call->model, call->options, &call->error);
}

/* One per output, which the layer copies. */
static bool view_weights(core_array *to, const hn_model *model, PyObject *weights) {
    const core_wanted wanted = {0, "weights", weights, CORE_REAL, 1, hn_model_output_count(model), CORE_OPTIONAL};
    return core_array_view_all(to, 1, &wanted);
}

static PyObject *layer_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    new_arguments a = {0};
    if (!parse_new(&a, arguments, keywords))
        return NULL;
    int cancel = 0;
    create_call call = {.model = core_model_of(core_state_of_type(type), a.model),
                        .options = &a.options,
                        .compile = a.compile != 0,
                        .cancel = &cancel};
    core_array weights[1] = {{0}};
    if (!call.model || !view_weights(weights, call.model, a.weights))
        return NULL;
    a.options.weights = weights[0].data;
    bool quiet =
        core_run(create_layer, &call, call.compile, &cancel); /* compiling takes seconds; Ctrl-C ends the compiler */
    core_array_release(&weights[0]);
    if (!quiet)
        hn_layer_destroy(call.layer);
    if (!quiet || !call.layer)
        return quiet ? core_raise(&call.error) : NULL;
    core_layer *self = (core_layer *)PyType_GenericAlloc(type, 0);
    if (!self) {
        hn_layer_destroy(call.layer);
        return NULL;
    }
    self->layer = call.layer;
    self->threads = a.threads;
    self->info = hn_layer_info_of(call.layer);
    self->options = hn_layer_options_of(call.layer);
    return (PyObject *)self;
}

static void layer_dealloc(PyObject *object) {
    core_layer *self = (core_layer *)object;
    PyTypeObject *type = Py_TYPE(object);
    while (self->idle_count > 0)
        hn_pool_destroy(self->idle[--self->idle_count]);
    hn_layer_destroy(self->layer);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"run", (PyCFunction)(void (*)(void))layer_run, METH_VARARGS | METH_KEYWORDS, "Corrects a batch."},
    {"gradient", (PyCFunction)(void (*)(void))layer_gradient, METH_VARARGS | METH_KEYWORDS,
     "Gradients of a loss through a batch that was run with a tape."},
    {"tape_bytes", layer_tape_bytes, METH_O, "The bytes of a tape for so many samples."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef attributes[] = {
    {"info", layer_info, NULL, "Sizes of the layer.", NULL},
    {"options", layer_options, NULL, "The options in use.", NULL},
    {"address", layer_address, NULL, "The hn_layer behind it, as a number.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, (void *)layer_new},
    {Py_tp_dealloc, (void *)layer_dealloc},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "hardnet._core.Layer",
    .basicsize = sizeof(core_layer),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};

/* How NumPy describes an hn_report: names, formats, offsets, itemsize. */
static int add_report_fields(PyObject *module) {
#define FIELD(name) offsetof(hn_report, name)
    const char *word = sizeof(size_t) == 8 ? "u8" : "u4";
    PyObject *fields = Py_BuildValue(
        "{s:[ssssssssssssssssss],s:[ssssssssssssssssss],s:[nnnnnnnnnnnnnnnnnn],s:n}", "names", "outcome", "iterations",
        "steps", "violation_before", "violation", "worst", "moved", "damping", "culprit", "slope", "kkt", "distance",
        "objective", "complementarity", "proof", "programmes", "factorisations", "reason", "formats", "i4", "i4", "i4",
        "f8", "f8", word, "f8", "f8", word, "f8", "f8", "f8", "f8", "f8", "f8", word, word, "i4", "offsets",
        FIELD(outcome), FIELD(iterations), FIELD(steps), FIELD(violation_before), FIELD(violation), FIELD(worst),
        FIELD(moved), FIELD(damping), FIELD(culprit), FIELD(slope), FIELD(kkt), FIELD(distance), FIELD(objective),
        FIELD(complementarity), FIELD(proof), FIELD(programmes), FIELD(factorisations), FIELD(reason), "itemsize",
        sizeof(hn_report));
#undef FIELD
    int status = fields ? PyModule_AddObjectRef(module, "report_fields", fields) : -1;
    Py_XDECREF(fields);
    return status;
}

/* Texts by number. */
static int add_texts(PyObject *module, const char *name, int count, const char *(*text_of)(int)) {
    PyObject *list = PyList_New(count);
    for (int i = 0; list && i < count; i++)
        if (PyList_SetItem(list, i, PyUnicode_FromString(text_of(i))) < 0)
            return -1;
    int status = list ? PyModule_AddObjectRef(module, name, list) : -1;
    Py_XDECREF(list);
    return status;
}

static const char *outcome_text(int outcome) {
    return hn_outcome_text((hn_outcome)outcome);
}

static const char *reason_text(int reason) {
    return hn_reason_text((hn_reason)reason);
}

int core_add_layer(PyObject *module) {
    if (core_add_type(module, &spec, &core_state_of(module)->layer) < 0 || add_report_fields(module) < 0)
        return -1;
    return add_texts(module, "outcomes", HN_OUTCOME_COUNT, outcome_text) < 0
               ? -1
               : add_texts(module, "reasons", HN_REASON_COUNT, reason_text);
}
