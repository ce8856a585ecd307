/* core_network.c - the type _core.Network: networks and their files, with the settings of a policy
 * (hardnet/network.h, hardnet/policy.h).
 *
 * Numbers are copied in and out by `get` and `set`: the parameters, layer by layer W and b, then
 * shifts and scales of inputs and outputs.
 *
 * SPDX-License-Identifier: MIT */
#include "core_network.h"

static core_network *wrap(PyTypeObject *type, hn_network *network, hn_policy *policy, PyObject *model) {
    core_network *self = (core_network *)PyType_GenericAlloc(type, 0);
    if (!self) {
        hn_policy_destroy(policy);
        hn_network_destroy(network);
        return NULL;
    }
    self->owned = network;
    self->policy = policy;
    self->network = policy ? hn_policy_network(policy) : network;
    self->model = policy ? Py_NewRef(model) : NULL;
    return self;
}

/* ---- new ones ---- */

static bool read_hidden(hn_network_options *options, PyObject *hidden) {
    Py_ssize_t count = PyTuple_Check(hidden) ? PyTuple_Size(hidden) : -1;
    if (count < 0) {
        PyErr_SetString(PyExc_TypeError, "hidden must be a tuple of widths");
        return false;
    }
    if (count > HN_NETWORK_MOST_HIDDEN) {
        core_invalid("%zd hidden layers: there may be %d", count, HN_NETWORK_MOST_HIDDEN);
        return false;
    }
    options->hidden_count = (size_t)count;
    for (Py_ssize_t i = 0; i < count; i++) {
        options->hidden[i] = PyLong_AsSize_t(PyTuple_GetItem(hidden, i));
        if (PyErr_Occurred())
            return false;
    }
    return true;
}

static PyObject *network_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    static const char *const names[] = {"inputs",  "outputs",  "hidden",     "activation", "seed",
                                        "uniform", "residual", "layer_norm", NULL};
    Py_ssize_t inputs, outputs;
    PyObject *hidden;
    const char *activation;
    unsigned long long seed;
    int uniform, residual = 0, layer_norm = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "nnOsKp|pp:Network", CORE_KEYWORDS(names), &inputs, &outputs,
                                     &hidden, &activation, &seed, &uniform, &residual, &layer_norm))
        return NULL;
    hn_network_options options = {.inputs = inputs < 0 ? 0 : (size_t)inputs,
                                  .outputs = outputs < 0 ? 0 : (size_t)outputs,
                                  .seed = seed,
                                  .uniform = uniform != 0,
                                  .residual = residual != 0,
                                  .layer_norm = layer_norm != 0};
    if (!read_hidden(&options, hidden))
        return NULL;
    if (!hn_activation_find(activation, &options.activation))
        return core_invalid("activation '%s' is unknown; there are relu, tanh and silu", activation);
    hn_network *network;
    hn_error error;
    if (hn_network_create(&network, &options, &error) != HN_OK)
        return core_raise(&error);
    return (PyObject *)wrap(type, network, NULL, NULL);
}

/* ---- files ---- */

typedef struct load_call {
    const char *path;
    const hn_model *model; /* NULL: the network alone */
    int threads;           /* of the policy's runs */
    hn_network *network;
    hn_policy *policy;
    hn_status status;
    hn_error error;
} load_call;

static void load_file(void *context) {
    load_call *call = context;
    call->status = call->model ? hn_policy_load(&call->policy, call->model, call->path, call->threads, &call->error)
                               : hn_network_load(&call->network, call->path, &call->error);
}

static PyObject *network_load(PyObject *type, PyObject *arguments) {
    PyObject *bytes = NULL, *model = Py_None, *result = NULL;
    load_call call = {.threads = 1, .status = HN_OK};
    int cancel = 0;
    if (!PyArg_ParseTuple(arguments, "O&|Oi:load", PyUnicode_FSConverter, &bytes, &model, &call.threads))
        return NULL;
    call.path = PyBytes_AsString(bytes);
    if (model != Py_None)
        call.model = core_model_of(core_state_of_type((PyTypeObject *)type), model);
    if (call.model || model == Py_None) {
        core_run(load_file, &call, false, &cancel);
        result = call.status != HN_OK ? core_raise(&call.error)
                                      : (PyObject *)wrap((PyTypeObject *)type, call.network, call.policy, model);
    }
    Py_DECREF(bytes);
    return result;
}

typedef struct save_arguments {
    PyObject *path, *model, *texts;
    const char *method;
    hn_policy_options options;
    Py_ssize_t candidates;
    int relative;
} save_arguments;

static bool parse_save(save_arguments *a, PyObject *arguments, PyObject *keywords) {
    static const char *const names[] = {"path",     "model",      "method", "iterations", "damping", "tolerance",
                                        "relative", "candidates", "refine", "texts",      "effort",  NULL};
    a->options = hn_policy_defaults();
    a->options.threads = 1;
    if (!PyArg_ParseTupleAndKeywords(
            arguments, keywords, "O&OsiddpniO|d:save", CORE_KEYWORDS(names), PyUnicode_FSConverter, &a->path, &a->model,
            &a->method, &a->options.layer.iterations, &a->options.layer.damping, &a->options.layer.tolerance,
            &a->relative, &a->candidates, &a->options.refine, &a->texts, &a->options.layer.effort))
        return false;
    a->options.layer.relative = a->relative != 0;
    a->options.candidates = a->candidates < 0 ? 0 : (size_t)a->candidates;
    if (hn_method_find(a->method, &a->options.layer.method))
        return true;
    core_invalid("method '%s' is unknown; there are" CORE_METHODS, a->method);
    return false;
}

/* Keys and values, pointing to memory owned by the dictionary. False with an exception. */
static bool read_texts(hn_metadata *texts, PyObject *dictionary) {
    PyObject *key, *value;
    Py_ssize_t at = 0;
    for (size_t i = 0; PyDict_Next(dictionary, &at, &key, &value); i++) {
        if (!PyUnicode_Check(key) || !PyUnicode_Check(value)) {
            PyErr_SetString(PyExc_TypeError, "texts must have texts for keys and values");
            return false;
        }
        texts[i] = (hn_metadata){PyUnicode_AsUTF8AndSize(key, NULL), PyUnicode_AsUTF8AndSize(value, NULL)};
        if (!texts[i].key || !texts[i].value)
            return false;
    }
    return true;
}

typedef struct save_call {
    const hn_network *network;
    const hn_model *model;
    const hn_policy_options *options;
    const char *path;
    size_t count;
    hn_metadata *texts;
    hn_status status;
    hn_error error;
} save_call;

static void save_file(void *context) {
    save_call *call = context;
    hn_policy *policy;
    call->status = hn_policy_create(&policy, call->model, call->network, call->options, &call->error);
    if (call->status == HN_OK)
        call->status = hn_policy_save(policy, call->path, call->count, call->texts, &call->error);
    hn_policy_destroy(policy);
}

static bool save_policy(save_call *call, PyObject *texts) {
    int cancel = 0;
    if (!read_texts(call->texts, texts))
        return false;
    core_run(save_file, call, false, &cancel);
    if (call->status != HN_OK)
        core_raise(&call->error);
    return call->status == HN_OK;
}

static PyObject *network_save(PyObject *object, PyObject *arguments, PyObject *keywords) {
    save_arguments a = {0};
    if (!parse_save(&a, arguments, keywords)) {
        Py_XDECREF(a.path);
        return NULL;
    }
    bool saved = false;
    save_call call = {.network = ((core_network *)object)->network,
                      .model = core_model_of(core_state_of(object), a.model),
                      .options = &a.options,
                      .path = PyBytes_AsString(a.path)};
    PyObject *texts =
        call.model && PyDict_Check(a.texts) ? PyDict_Copy(a.texts) : NULL; /* a copy cannot change meanwhile */
    call.count = texts ? (size_t)PyDict_Size(texts) : 0;
    if (call.model && !PyDict_Check(a.texts))
        PyErr_SetString(PyExc_TypeError, "texts must be a dict");
    else if (texts && !(call.texts = PyMem_Calloc(call.count + 1, sizeof *call.texts)))
        PyErr_NoMemory();
    else if (texts)
        saved = save_policy(&call, texts);
    PyMem_Free(call.texts);
    Py_XDECREF(texts);
    Py_DECREF(a.path);
    return saved ? Py_NewRef(Py_None) : NULL;
}

/* ---- numbers ---- */

enum { PARAMETERS, INPUT_SHIFT, INPUT_SCALE, OUTPUT_SHIFT, OUTPUT_SCALE, NUMBERS };

static bool view_numbers(core_array arrays[NUMBERS], const hn_network *network, PyObject *arguments, int flags) {
    static const char *const names[NUMBERS] = {"parameters", "input_shift", "input_scale", "output_shift",
                                               "output_scale"};
    PyObject *objects[NUMBERS];
    hn_network_options o = hn_network_options_of(network);
    const size_t counts[NUMBERS] = {hn_network_parameter_count(network), o.inputs, o.inputs, o.outputs, o.outputs};
    if (!PyArg_ParseTuple(arguments, "OOOOO", &objects[0], &objects[1], &objects[2], &objects[3], &objects[4]))
        return false;
    for (int i = 0; i < NUMBERS; i++)
        if (!core_array_view(&arrays[i], objects[i], names[i], CORE_REAL, counts[i], flags))
            return false;
    return true;
}

static void release_numbers(core_array arrays[NUMBERS]) {
    for (int i = 0; i < NUMBERS; i++)
        core_array_release(&arrays[i]);
}

static PyObject *network_get(PyObject *object, PyObject *arguments) {
    const core_network *self = (core_network *)object;
    core_array a[NUMBERS] = {{0}};
    bool good = view_numbers(a, self->network, arguments, CORE_WRITABLE);
    if (good) {
        memcpy(a[PARAMETERS].data, hn_network_parameters_of(self->network), a[PARAMETERS].count * sizeof(hn_real));
        hn_network_get_input(self->network, a[INPUT_SHIFT].data, a[INPUT_SCALE].data, NULL);
        hn_network_get_output(self->network, a[OUTPUT_SHIFT].data, a[OUTPUT_SCALE].data, NULL);
    }
    release_numbers(a);
    return good ? Py_NewRef(Py_None) : NULL;
}

/* Of a network that no policy owns. */
static bool is_open(const core_network *self) {
    if (!self->owned)
        core_invalid("the network belongs to a policy and cannot be changed");
    return self->owned != NULL;
}

static PyObject *network_set(PyObject *object, PyObject *arguments) {
    const core_network *self = (core_network *)object;
    core_array a[NUMBERS] = {{0}};
    hn_error error;
    hn_status status = HN_OK;
    bool good = is_open(self) && view_numbers(a, self->network, arguments, 0);
    if (good)
        status = hn_network_set_input(self->owned, a[INPUT_SHIFT].data, a[INPUT_SCALE].data, &error);
    if (good && status == HN_OK)
        status = hn_network_set_output(self->owned, a[OUTPUT_SHIFT].data, a[OUTPUT_SCALE].data, &error);
    if (good && status == HN_OK)
        memcpy(hn_network_parameters(self->owned), a[PARAMETERS].data, a[PARAMETERS].count * sizeof(hn_real));
    release_numbers(a);
    if (status != HN_OK)
        return core_raise(&error);
    return good ? Py_NewRef(Py_None) : NULL;
}

typedef struct scale_call {
    hn_network *network;
    const hn_model *model;
    hn_scaling scaling;
    hn_status status;
    hn_error error;
} scale_call;

static void scale_network(void *context) {
    scale_call *call = context;
    call->status = hn_network_scale(call->network, call->model, &call->scaling, &call->error);
}

static PyObject *network_scale(PyObject *object, PyObject *arguments) {
    const core_network *self = (core_network *)object;
    PyObject *model, *x, *data;
    core_array rows = {0}, given = {0};
    Py_ssize_t count, data_count;
    if (!PyArg_ParseTuple(arguments, "OnOnO:scale", &model, &count, &x, &data_count, &data) || !is_open(self))
        return NULL;
    const hn_model *of = core_model_of(core_state_of(object), model);
    size_t inputs = of ? hn_model_input_count(of) : 0;
    if (!of)
        return NULL;
    if (count < 0 || data_count < 0 || (inputs && (size_t)count > PY_SSIZE_T_MAX / inputs) ||
        (inputs && (size_t)data_count > PY_SSIZE_T_MAX / inputs))
        return core_invalid("count is out of range");
    bool good = core_array_view(&rows, x, "x", CORE_REAL, (size_t)count * inputs, 0) &&
                core_array_view(&given, data, "data", CORE_REAL, (size_t)data_count * inputs, CORE_OPTIONAL);
    scale_call call = {.network = self->owned, .model = of};
    call.scaling =
        (hn_scaling){.count = (size_t)count, .x = rows.data, .data_count = (size_t)data_count, .data = given.data};
    int cancel = 0;
    if (good)
        core_run(scale_network, &call, false, &cancel);
    core_array_release(&rows);
    core_array_release(&given);
    if (call.status != HN_OK)
        return core_raise(&call.error);
    return good ? Py_NewRef(Py_None) : NULL;
}

/* ---- running ---- */

typedef struct forward_call {
    const hn_network *network;
    size_t count, bytes;
    core_array x, y;
    void *workspace;
    hn_status status;
    hn_error error;
} forward_call;

static void run_network(void *context) {
    forward_call *call = context;
    call->status = hn_network_run(call->network, call->count, call->x.data, call->y.data, call->workspace, call->bytes,
                                  &call->error);
}

static bool view_forward(forward_call *call, Py_ssize_t count, PyObject *x, PyObject *y) {
    hn_network_options o = hn_network_options_of(call->network);
    size_t most = PY_SSIZE_T_MAX / (o.inputs > o.outputs ? o.inputs : o.outputs);
    if (count < 0 || (size_t)count > most) {
        core_invalid("count is out of range");
        return false;
    }
    call->count = (size_t)count;
    call->bytes = hn_network_workspace_bytes(call->network);
    return core_array_view(&call->x, x, "x", CORE_REAL, call->count * o.inputs, 0) &&
           core_array_view(&call->y, y, "y", CORE_REAL, call->count * o.outputs, CORE_WRITABLE);
}

static PyObject *network_run(PyObject *object, PyObject *arguments) {
    forward_call call = {.network = ((core_network *)object)->network};
    PyObject *x, *y;
    Py_ssize_t count;
    int cancel = 0;
    if (!PyArg_ParseTuple(arguments, "nOO:run", &count, &x, &y))
        return NULL;
    bool good = view_forward(&call, count, x, y);
    if (good && !(call.workspace = PyMem_Malloc(call.bytes))) {
        PyErr_NoMemory();
        good = false;
    }
    if (good)
        core_run(run_network, &call, false, &cancel);
    core_array_release(&call.x);
    core_array_release(&call.y);
    PyMem_Free(call.workspace);
    if (call.status != HN_OK)
        return core_raise(&call.error);
    return good ? Py_NewRef(Py_None) : NULL;
}

/* ---- looking ---- */

static PyObject *hidden_of(const hn_network_options *o) {
    PyObject *hidden = PyTuple_New((Py_ssize_t)o->hidden_count);
    for (size_t i = 0; hidden && i < o->hidden_count; i++)
        if (PyTuple_SetItem(hidden, (Py_ssize_t)i, PyLong_FromSize_t(o->hidden[i])) < 0)
            Py_CLEAR(hidden);
    return hidden;
}

static PyObject *network_info(PyObject *object, void *Py_UNUSED(closure)) {
    const core_network *self = (core_network *)object;
    hn_network_options o = hn_network_options_of(self->network);
    return Py_BuildValue("{s:n,s:n,s:N,s:s,s:n,s:O,s:O}", "inputs", (Py_ssize_t)o.inputs, "outputs",
                         (Py_ssize_t)o.outputs, "hidden", hidden_of(&o), "activation", hn_activation_text(o.activation),
                         "parameters", (Py_ssize_t)hn_network_parameter_count(self->network), "residual",
                         o.residual ? Py_True : Py_False, "layer_norm", o.layer_norm ? Py_True : Py_False);
}

static PyObject *network_texts(PyObject *object, void *Py_UNUSED(closure)) {
    const core_network *self = (core_network *)object;
    PyObject *texts = PyDict_New();
    for (size_t i = 0; texts && i < hn_network_metadata_count(self->network); i++) {
        hn_metadata text = hn_network_metadata_at(self->network, i);
        PyObject *value = PyUnicode_FromString(text.value);
        if (!value || PyDict_SetItemString(texts, text.key, value) < 0)
            Py_CLEAR(texts);
        Py_XDECREF(value);
    }
    return texts;
}

static PyObject *network_policy(PyObject *object, void *Py_UNUSED(closure)) {
    const core_network *self = (core_network *)object;
    if (!self->policy)
        Py_RETURN_NONE;
    hn_policy_options o = hn_policy_options_of(self->policy);
    return Py_BuildValue("{s:s,s:i,s:d,s:d,s:O,s:n,s:i,s:s,s:d}", "method", hn_method_text(o.layer.method),
                         "iterations", o.layer.iterations, "damping", o.layer.damping, "tolerance", o.layer.tolerance,
                         "relative", o.layer.relative ? Py_True : Py_False, "candidates", (Py_ssize_t)o.candidates,
                         "refine", o.refine, "scheme", o.uncorrected ? "none" : "layer", "effort", o.layer.effort);
}

/* ---- life ---- */

static void network_dealloc(PyObject *object) {
    core_network *self = (core_network *)object;
    PyTypeObject *type = Py_TYPE(object);
    hn_policy_destroy(self->policy);
    hn_network_destroy(self->owned);
    Py_XDECREF(self->model);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"load", network_load, METH_VARARGS | METH_CLASS, "A network from a file; with a model its policy, too."},
    {"save", (PyCFunction)(void (*)(void))network_save, METH_VARARGS | METH_KEYWORDS, "Writes the file of a policy."},
    {"get", network_get, METH_VARARGS, "Copies the numbers into arrays."},
    {"set", network_set, METH_VARARGS, "Copies the numbers from arrays."},
    {"run", network_run, METH_VARARGS, "Raw outputs of inputs."},
    {"apply", core_network_apply, METH_VARARGS, "apply(count, x, y, objective, reports): runs the policy."},
    {"scale", network_scale, METH_VARARGS, "Shifts and scales that fit a model."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef attributes[] = {
    {"info", network_info, NULL, "Widths and activation.", NULL},
    {"texts", network_texts, NULL, "The texts beside the weights of a file.", NULL},
    {"policy", network_policy, NULL, "The settings of a policy; None without one.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, (void *)network_new},
    {Py_tp_dealloc, (void *)network_dealloc},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "hardnet._core.Network",
    .basicsize = sizeof(core_network),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};

int core_add_network(PyObject *module) {
    return core_add_type(module, &spec, NULL);
}
