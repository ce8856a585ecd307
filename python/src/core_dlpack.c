/* core_dlpack.c - arrays of other libraries in the memory of a CUDA device, and our own that they can take over.
 *
 * _core.dlpack_look(capsule) (address, kind of device, its number, kind of numbers, bits, shape, contiguous)
 * _core.DeviceArray(device, shape, kind, bits) memory of our own; __dlpack__ hands it on, read() copies it to the host
 *
 * The driver is opened when the first array is made. read() waits for what was started on the default stream before.
 *
 * SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <stdlib.h>

#include "core.h"
#include "dlpack.h"

enum { MOST_AXES = 64 };

/* ---- looking ---- */

static bool is_contiguous(const dlpack_tensor *t) {
    int64_t stride = 1;
    for (int i = 0; i < t->rank; i++)
        if (t->extents[i] == 0)
            return true;
    for (int i = t->rank - 1; t->strides && i >= 0; i--) {
        if (t->extents[i] != 1 && t->strides[i] != stride)
            return false;
        stride *= t->extents[i];
    }
    return true;
}

static PyObject *shape_of(const dlpack_tensor *t) {
    PyObject *shape = PyTuple_New(t->rank);
    for (int i = 0; shape && i < t->rank; i++)
        if (PyTuple_SetItem(shape, i, PyLong_FromLongLong(t->extents[i])) < 0)
            return NULL;
    return shape;
}

static PyObject *look(PyObject *Py_UNUSED(module), PyObject *capsule) {
    if (!PyCapsule_IsValid(capsule, "dltensor"))
        return PyErr_Format(PyExc_TypeError, "__dlpack__ gave something else than a capsule of DLPack");
    const dlpack_managed *managed = PyCapsule_GetPointer(capsule, "dltensor");
    const dlpack_tensor *t = &managed->tensor;
    if (t->rank < 0 || t->rank > MOST_AXES || t->lanes != 1)
        return core_invalid("an array of %d axes whose numbers have %d parts cannot be taken", t->rank, t->lanes);
    PyObject *shape = shape_of(t);
    PyObject *address = shape ? PyLong_FromVoidPtr((char *)t->data + t->offset) : NULL;
    PyObject *result = address ? Py_BuildValue("OiiiiOO", address, t->device_kind, t->device, t->kind, t->bits, shape,
                                               is_contiguous(t) ? Py_True : Py_False)
                               : NULL;
    Py_XDECREF(address);
    Py_XDECREF(shape);
    return result;
}

/* ---- the driver ---- */

typedef int cuda_result;
typedef struct cuda_context_s *cuda_context;

/* X(field, name, arguments): see CUDA's driver API. */
#define CUDA_LIST(X)                                                                                                   \
    X(init, "cuInit", (unsigned flags))                                                                                \
    X(device_get, "cuDeviceGet", (int *device, int number))                                                            \
    X(retain, "cuDevicePrimaryCtxRetain", (cuda_context * context, int device))                                        \
    X(release, "cuDevicePrimaryCtxRelease_v2", (int device))                                                           \
    X(push, "cuCtxPushCurrent_v2", (cuda_context context))                                                             \
    X(pop, "cuCtxPopCurrent_v2", (cuda_context * context))                                                             \
    X(allocate, "cuMemAlloc_v2", (uint64_t * address, size_t bytes))                                                   \
    X(free, "cuMemFree_v2", (uint64_t address))                                                                        \
    X(copy_out, "cuMemcpyDtoH_v2", (void *to, uint64_t from, size_t bytes))                                            \
    X(error_text, "cuGetErrorString", (cuda_result result, const char **text))

#define CUDA_FIELD(field, name, arguments) cuda_result(*field) arguments;
typedef struct cuda_driver {
    void *object;
    CUDA_LIST(CUDA_FIELD)
} cuda_driver;

static bool open_driver(cuda_driver *cu) {
    cu->object = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    bool complete = cu->object != NULL;
#define CUDA_FIND(field, name, arguments)                                                                              \
    complete = complete && (*(void **)(void *)&cu->field = dlsym(cu->object, name)) != NULL;
    CUDA_LIST(CUDA_FIND)
    if (complete && cu->init(0) == 0)
        return true;
    if (cu->object)
        dlclose(cu->object);
    PyErr_SetString(PyExc_RuntimeError, "there is no driver of CUDA (libcuda.so.1) that can be used");
    return false;
}

static bool succeeded(const cuda_driver *cu, cuda_result result, const char *what) {
    const char *text = NULL;
    if (result == 0)
        return true;
    cu->error_text(result, &text);
    PyErr_Format(result == 2 ? PyExc_MemoryError : PyExc_RuntimeError, "the CUDA device cannot %s: %s", what,
                 text ? text : "unknown error");
    return false;
}

/* ---- allocated memory ---- */

typedef struct core_memory {
    PyObject_HEAD cuda_driver driver; /* object is NULL: not open */
    int device;
    cuda_context context; /* NULL: not held */
    uint64_t address;     /* 0: none */
    size_t bytes;
    dlpack_tensor tensor;
    int64_t extents[MOST_AXES];
} core_memory;

static bool enter(core_memory *self) {
    return succeeded(&self->driver, self->driver.push(self->context), "use its context");
}

static void leave(core_memory *self) {
    cuda_context unused;
    self->driver.pop(&unused);
}

static bool take_shape(core_memory *self, PyObject *shape, int bits) {
    Py_ssize_t rank = PyTuple_Size(shape);
    self->bytes = (size_t)bits / 8;
    if (rank < 0 || rank > MOST_AXES)
        return core_invalid("an array has at most %d axes", MOST_AXES), false;
    for (Py_ssize_t i = 0; i < rank; i++) {
        Py_ssize_t extent = PyNumber_AsSsize_t(PyTuple_GetItem(shape, i), PyExc_OverflowError);
        if (extent < 0)
            return PyErr_Occurred() ? false : (core_invalid("an extent is negative"), false);
        if (!core_multiply(self->bytes, (size_t)extent, "an array of the device", &self->bytes))
            return false;
        self->extents[i] = extent;
    }
    self->tensor.rank = (int32_t)rank;
    return true;
}

static bool take_memory(core_memory *self, int number) {
    cuda_driver *cu = &self->driver;
    if (!open_driver(cu)) {
        cu->object = NULL;
        return false;
    }
    if (!succeeded(cu, cu->device_get(&self->device, number), "be found"))
        return false;
    if (!succeeded(cu, cu->retain(&self->context, self->device), "give its context")) {
        self->context = NULL;
        return false;
    }
    if (!enter(self))
        return false;
    bool taken = succeeded(cu, cu->allocate(&self->address, self->bytes ? self->bytes : 1), "give memory");
    leave(self);
    self->address = taken ? self->address : 0;
    return taken;
}

static PyObject *memory_new(PyTypeObject *type, PyObject *arguments, PyObject *Py_UNUSED(keywords)) {
    int number, kind, bits;
    PyObject *shape;
    if (!PyArg_ParseTuple(arguments, "iO!ii:DeviceArray", &number, &PyTuple_Type, &shape, &kind, &bits))
        return NULL;
    core_memory *self = (core_memory *)PyType_GenericAlloc(type, 0);
    if (!self)
        return NULL;
    if (!take_shape(self, shape, bits) || !take_memory(self, number)) {
        Py_DECREF(self);
        return NULL;
    }
    dlpack_tensor *t = &self->tensor;
    t->data = (void *)(uintptr_t)self->address; /* NOLINT(performance-no-int-to-ptr): an address of the device */
    t->device_kind = DLPACK_CUDA;
    t->device = number;
    t->kind = (uint8_t)kind;
    t->bits = (uint8_t)bits;
    t->lanes = 1;
    t->extents = self->extents;
    return (PyObject *)self;
}

static void memory_dealloc(PyObject *object) {
    core_memory *self = (core_memory *)object;
    PyTypeObject *type = Py_TYPE(object);
    cuda_driver *cu = &self->driver;
    if (self->address && cu->push(self->context) == 0) {
        cu->free(self->address);
        leave(self);
    }
    if (self->context)
        cu->release(self->device);
    if (cu->object)
        dlclose(cu->object);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static PyObject *memory_read(PyObject *object, PyObject *target) {
    core_memory *self = (core_memory *)object;
    core_array to;
    if (!core_array_view(&to, target, "the array", CORE_BYTE, self->bytes, CORE_WRITABLE))
        return NULL;
    bool fine = enter(self);
    if (fine) {
        cuda_result result = 0;
        if (self->bytes > 0) {
            PyThreadState *thread = PyEval_SaveThread();
            result = self->driver.copy_out(to.data, self->address, self->bytes);
            PyEval_RestoreThread(thread);
        }
        leave(self);
        fine = succeeded(&self->driver, result, "be read");
    }
    core_array_release(&to);
    if (!fine)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *memory_address(PyObject *object, void *Py_UNUSED(closure)) {
    return PyLong_FromUnsignedLongLong(((core_memory *)object)->address);
}

/* ---- handing it on ---- */

/* May be called on any thread, and after the interpreter: then the memory ends with the process. */
static void delete_managed(dlpack_managed *managed) {
    if (Py_IsInitialized()) {
        PyGILState_STATE state = PyGILState_Ensure();
        Py_DECREF((PyObject *)managed->owner);
        PyGILState_Release(state);
    }
    free(managed);
}

static void end_capsule(PyObject *capsule) {
    if (PyCapsule_IsValid(capsule, "dltensor"))
        delete_managed(PyCapsule_GetPointer(capsule, "dltensor"));
}

/* Everything that was computed is there already: the stream of the one who asks need not wait. */
static PyObject *memory_dlpack(PyObject *object, PyObject *Py_UNUSED(arguments), PyObject *Py_UNUSED(keywords)) {
    dlpack_managed *managed = malloc(sizeof *managed);
    if (!managed)
        return PyErr_NoMemory();
    *managed = (dlpack_managed){((core_memory *)object)->tensor, object, delete_managed};
    PyObject *capsule = PyCapsule_New(managed, "dltensor", end_capsule);
    if (!capsule) {
        free(managed);
        return NULL;
    }
    Py_INCREF(object);
    return capsule;
}

static PyObject *memory_dlpack_device(PyObject *object, PyObject *Py_UNUSED(unused)) {
    return Py_BuildValue("ii", DLPACK_CUDA, ((core_memory *)object)->tensor.device);
}

static PyMethodDef methods[] = {
    {"read", memory_read, METH_O, "Copies all of it into an array of bytes, and waits for what was started before."},
    {"__dlpack__", (PyCFunction)(void (*)(void))memory_dlpack, METH_VARARGS | METH_KEYWORDS, "For from_dlpack."},
    {"__dlpack_device__", memory_dlpack_device, METH_NOARGS, "For from_dlpack."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef attributes[] = {
    {"address", memory_address, NULL, "Where it is, as a number.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, (void *)memory_new},
    {Py_tp_dealloc, (void *)memory_dealloc},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "hardnet._core.DeviceArray",
    .basicsize = sizeof(core_memory),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};

static PyMethodDef functions[] = {
    {"dlpack_look", look, METH_O, "What a capsule of DLPack describes."},
    {NULL, NULL, 0, NULL},
};

int core_add_dlpack(PyObject *module) {
    if (PyModule_AddFunctions(module, functions) < 0)
        return -1;
    return core_add_type(module, &spec, NULL);
}
