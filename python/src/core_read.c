/* core_read.c - models from files and texts. The lock is not held while they are read; remarks go to a
 * list, as tuples.
 *
 * SPDX-License-Identifier: MIT */
#include "core_model.h"

/* ---- remarks ---- */

typedef struct remarks {
    PyObject *list;
    PyThreadState *thread; /* of the caller, while it does not hold the GIL */
    bool failed;
} remarks;

static PyObject *text_or_none(const char *text) {
    if (!text)
        Py_RETURN_NONE;
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

static PyObject *file_or_none(const char *file) {
    if (!file)
        Py_RETURN_NONE;
    return PyUnicode_DecodeFSDefault(file);
}

/* (severity, file, line, column, text, excerpt, caret, hint) */
static PyObject *remark_of(const hn_message *message) {
    return Py_BuildValue("(iNnnNNnN)", (int)message->severity, file_or_none(message->file), (Py_ssize_t)message->line,
                         (Py_ssize_t)message->column, text_or_none(message->text), text_or_none(message->excerpt),
                         (Py_ssize_t)message->caret, text_or_none(message->hint));
}

static void take_remark(void *context, const hn_message *message) {
    remarks *taken = context;
    if (taken->failed)
        return;
    PyEval_RestoreThread(taken->thread);
    PyObject *remark = remark_of(message);
    taken->failed = !remark || PyList_Append(taken->list, remark) < 0;
    Py_XDECREF(remark);
    taken->thread = PyEval_SaveThread();
}

/* ---- arguments ---- */

/* A list of bytes objects, and pointers to their bytes. */
typedef struct strings {
    PyObject *keep;
    const char **list;
    size_t count;
} strings;

static void release_strings(strings *all) {
    PyMem_Free(all->list);
    Py_CLEAR(all->keep);
}

/* The bytes of a str: a path as the file system has it, another text as UTF-8. A 0 in it is refused. */
static PyObject *bytes_of(PyObject *object, bool is_path) {
    PyObject *bytes = NULL;
    if (is_path)
        return PyUnicode_FSConverter(object, &bytes) ? bytes : NULL;
    return PyUnicode_Check(object) ? PyUnicode_AsUTF8String(object)
                                   : PyErr_Format(PyExc_TypeError, "a text must be a str");
}

static bool add_string(strings *all, PyObject *object, bool is_path) {
    char *text;
    PyObject *bytes = bytes_of(object, is_path);
    bool good = bytes && PyBytes_AsStringAndSize(bytes, &text, NULL) == 0 && PyList_Append(all->keep, bytes) == 0;
    Py_XDECREF(bytes); /* the list keeps it */
    if (good)
        all->list[all->count++] = text;
    return good;
}

static bool take_strings(strings *out, PyObject *sequence, bool are_paths) {
    Py_ssize_t count = PySequence_Size(sequence);
    *out = (strings){.keep = PyList_New(0), .list = PyMem_Malloc((size_t)(count > 0 ? count : 1) * sizeof *out->list)};
    bool good = count >= 0 && out->keep && out->list;
    for (Py_ssize_t i = 0; good && i < count; i++) {
        PyObject *item = PySequence_GetItem(sequence, i);
        good = item && add_string(out, item, are_paths);
        Py_XDECREF(item);
    }
    if (!good)
        release_strings(out);
    if (!good && !PyErr_Occurred())
        PyErr_NoMemory();
    return good;
}

/* ---- reading ---- */

typedef struct reading {
    PyObject *sources, *lets, *messages;
    int relax_integrality, untrusted;
    Py_ssize_t max_nodes;
} reading;

static bool parse(reading *r, PyObject *arguments, const char *format) {
    if (!PyArg_ParseTuple(arguments, format, &r->sources, &r->lets, &r->relax_integrality, &r->untrusted, &r->max_nodes,
                          &r->messages))
        return false;
    bool good = PyList_Check(r->messages) && r->max_nodes >= 0;
    if (!good)
        core_invalid("messages must be a list, max_nodes 0 or more");
    return good;
}

/* paths, or else texts, count of them. */
static PyObject *run(PyObject *module, const reading *r, size_t count, const char *const *paths, const hn_text *texts) {
    strings lets;
    hn_model *model = NULL;
    hn_error error;
    if (!take_strings(&lets, r->lets, false))
        return NULL;
    remarks taken = {.list = r->messages};
    hn_read_options options = hn_read_defaults();
    options.lets = lets.list;
    options.let_count = lets.count;
    options.relax_integrality = r->relax_integrality != 0;
    options.untrusted = r->untrusted != 0;
    options.message = take_remark;
    options.context = &taken;
    if (r->max_nodes > 0)
        options.max_nodes = (size_t)r->max_nodes;
    taken.thread = PyEval_SaveThread();
    hn_status status = paths ? hn_model_read(&model, count, paths, &options, &error)
                             : hn_model_read_memory(&model, count, texts, &options, &error);
    PyEval_RestoreThread(taken.thread);
    release_strings(&lets);
    if (status != HN_OK && !taken.failed)
        return core_raise(&error);
    if (taken.failed) {
        hn_model_destroy(model);
        return NULL;
    }
    return core_model_wrap(core_state_of(module)->model, model, options.max_nodes, true);
}

PyObject *core_read(PyObject *module, PyObject *arguments) {
    reading r;
    strings paths;
    if (!parse(&r, arguments, "OOppnO:read") || !take_strings(&paths, r.sources, true))
        return NULL;
    PyObject *model = run(module, &r, paths.count, paths.list, NULL);
    release_strings(&paths);
    return model;
}

/* A (name, text) pair; the bytes belong to its strings. */
static bool text_of(hn_text *out, PyObject *pair) {
    Py_ssize_t length;
    if (!pair || !PyTuple_Check(pair) || !PyArg_ParseTuple(pair, "ss#:text", &out->name, &out->bytes, &length)) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "texts must be a list of (name, text)");
        return false;
    }
    out->length = (size_t)length;
    return true;
}

PyObject *core_read_text(PyObject *module, PyObject *arguments) {
    reading r;
    if (!parse(&r, arguments, "OOppnO:read_text"))
        return NULL;
    PyObject *pairs = PySequence_Tuple(r.sources); /* a tuple cannot change while the GIL is released */
    if (!pairs)
        return NULL;
    Py_ssize_t count = PyTuple_Size(pairs);
    hn_text *texts = PyMem_Calloc((size_t)count + 1, sizeof *texts);
    bool good = texts != NULL;
    if (!texts)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; good && i < count; i++)
        good = text_of(&texts[i], PyTuple_GetItem(pairs, i));
    PyObject *model = good ? run(module, &r, (size_t)count, NULL, texts) : NULL;
    PyMem_Free(texts);
    Py_DECREF(pairs);
    return model;
}
