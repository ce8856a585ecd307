/* xla.h - the interface of XLA, JAX's compiler, to C functions, and helpers for them.
 *
 * The first part declares, in our words, the structs of the C interface of XLA's foreign function
 * interface that our handlers touch, as versions 0.0 to 0.3 lay them out (jaxlib 0.4.31 to 0.10).
 * Every struct begins with its size and grows at its end, so that what stands here is the part that
 * is kept. The asserts give the layout where pointers have 8 bytes; python/tests/jax/xla_layout.cc
 * compares each offset with the header that a jaxlib ships.
 *
 * The second part is ours: a call's operands as views, the registry of layers, the handlers. They run
 * on XLA's threads, several at once, without the interpreter's lock.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HARDNET_PYTHON_XLA_H
#define HARDNET_PYTHON_XLA_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hardnet/device.h"

/* ---- XLA's interface ---- */

enum {
    XLA_MAJOR = 0,
    XLA_MINOR = 1
};                                   /* the version of the handlers: a runtime accepts its own and earlier versions,
                                        * down to 0.1 */
enum { XLA_EXTENSION_METADATA = 1 }; /* a question about the handler rides on the frame */
enum { XLA_STAGE_EXECUTE = 3 };      /* the other stages prepare; we have nothing to prepare */
enum { XLA_BUFFER = 1 };             /* the only kind of operand and result */
enum { XLA_STRING = 4 };             /* the kind of attribute that we have */
enum xla_type { XLA_BOOL = 1, XLA_INT32 = 4, XLA_UINT8 = 6, XLA_FLOAT32 = 11, XLA_FLOAT64 = 12 };
enum xla_code { XLA_INVALID_ARGUMENT = 3, XLA_NOT_FOUND = 5, XLA_RESOURCE_EXHAUSTED = 8, XLA_FAILED_PRECONDITION = 9 };

typedef struct xla_extension {
    size_t size;
    int type;
    struct xla_extension *next;
} xla_extension;

typedef struct xla_version {
    size_t size;
    xla_extension *extensions;
    int major, minor;
} xla_version;

/* Query before the use of a handler: the version that it was written for. */
typedef struct xla_metadata {
    size_t size;
    xla_version version;
    uint32_t traits; /* for devices: none */
} xla_metadata;

typedef struct xla_metadata_extension {
    xla_extension base;
    xla_metadata *metadata;
} xla_metadata_extension;

typedef struct xla_error xla_error; /* XLA's own; no error is NULL */

typedef struct xla_error_arguments {
    size_t size;
    xla_extension *extensions;
    const char *message; /* copied */
    int code;
} xla_error_arguments;

/* Both return a number for the context of a frame: the stream of a device, and the device's index. */
typedef struct xla_stream_arguments {
    size_t size;
    xla_extension *extensions;
    void *context;
    void *stream;
} xla_stream_arguments;

typedef struct xla_ordinal_arguments {
    size_t size;
    xla_extension *extensions;
    void *context;
    int32_t ordinal;
} xla_ordinal_arguments;

typedef struct xla_interface {
    size_t size;
    xla_extension *extensions;
    xla_version version;
    const void *inner;
    xla_error *(*create_error)(xla_error_arguments *arguments);
    const void *others[3];
    xla_error *(*get_stream)(xla_stream_arguments *arguments);
    const void *more[12];
    xla_error *(*get_ordinal)(xla_ordinal_arguments *arguments); /* not in older versions: see size */
} xla_interface;

typedef struct xla_buffer {
    size_t size;
    xla_extension *extensions;
    int type;
    void *data;
    int64_t rank;
    int64_t *extents;
} xla_buffer;

typedef struct xla_text {
    const char *bytes; /* without an end mark */
    size_t length;
} xla_text;

typedef struct xla_buffers {
    size_t size;
    xla_extension *extensions;
    int64_t count;
    int *kinds;
    void **items;
} xla_buffers;

typedef struct xla_attributes {
    size_t size;
    xla_extension *extensions;
    int64_t count;
    int *kinds;
    xla_text **names;
    void **items; /* of a string: its xla_text */
} xla_attributes;

typedef struct xla_frame {
    size_t size;
    xla_extension *extensions;
    const xla_interface *interface;
    void *context;
    int stage;
    xla_buffers arguments, results;
    xla_attributes attributes;
} xla_frame;

/* Offsets as X(our struct, our field, bytes); the last of each struct is where its known part ends. */
#define XLA_LAYOUT(X)                                                                                                  \
    X(xla_extension, type, 8)                                                                                          \
    X(xla_extension, next, 16)                                                                                         \
    X(xla_version, major, 16)                                                                                          \
    X(xla_version, minor, 20)                                                                                          \
    X(xla_metadata, version, 8)                                                                                        \
    X(xla_metadata, traits, 32)                                                                                        \
    X(xla_metadata_extension, metadata, 24)                                                                            \
    X(xla_error_arguments, message, 16)                                                                                \
    X(xla_error_arguments, code, 24)                                                                                   \
    X(xla_interface, version, 16)                                                                                      \
    X(xla_interface, create_error, 48)                                                                                 \
    X(xla_interface, get_stream, 80)                                                                                   \
    X(xla_interface, get_ordinal, 184)                                                                                 \
    X(xla_stream_arguments, stream, 24)                                                                                \
    X(xla_ordinal_arguments, ordinal, 24)                                                                              \
    X(xla_buffer, type, 16)                                                                                            \
    X(xla_buffer, data, 24)                                                                                            \
    X(xla_buffer, rank, 32)                                                                                            \
    X(xla_buffer, extents, 40)                                                                                         \
    X(xla_text, length, 8)                                                                                             \
    X(xla_buffers, count, 16)                                                                                          \
    X(xla_buffers, kinds, 24)                                                                                          \
    X(xla_buffers, items, 32)                                                                                          \
    X(xla_attributes, kinds, 24)                                                                                       \
    X(xla_attributes, names, 32)                                                                                       \
    X(xla_attributes, items, 40)                                                                                       \
    X(xla_frame, interface, 16)                                                                                        \
    X(xla_frame, stage, 32)                                                                                            \
    X(xla_frame, arguments, 40)                                                                                        \
    X(xla_frame, results, 80)                                                                                          \
    X(xla_frame, attributes, 120)

#define XLA_ASSERT(type, field, bytes) static_assert(sizeof(void *) != 8 || offsetof(type, field) == (bytes), #field);
XLA_LAYOUT(XLA_ASSERT)
#undef XLA_ASSERT

/* ---- the registry: layers by their keys ---- */

/* A pool and a tape, for one call at a time. */
typedef struct xla_slot {
    struct xla_slot *next;
    hn_pool *pool;
    void *tape;
    size_t tape_samples; /* that it has room for */
} xla_slot;

typedef struct xla_entry xla_entry;

/* A layer and how it is called. `owner` keeps it and its fallback alive. */
typedef struct xla_kept {
    const hn_layer *layer;
    int threads;
    const double *fallback; /* hn_batch.fallback */
    hn_not_ok not_ok;       /* hn_batch.not_ok */
    void *owner;
} xla_kept;

/* Registers a layer under a key; xla_registry_drop releases its owner. Calls must be balanced. False when out of
 * memory; *taken tells whether the registry took the owner or already had the key. */
bool xla_registry_keep(const char *key, const xla_kept *kept, bool *taken);

/* False: the key is unknown. *owner is NULL while others keep it. Waits for calls that are running. */
bool xla_registry_drop(const char *key, void **owner);

/* The entry of a key, which stays until it is released; NULL: unknown. */
xla_entry *xla_registry_find(xla_text key);
void xla_registry_release(xla_entry *entry);

const hn_layer *xla_entry_layer(const xla_entry *entry);
const xla_kept *xla_entry_kept(const xla_entry *entry);

/* The kernels for a device, by its number; NULL: none were given. The owner keeps them. */
const hn_device_layer *xla_entry_device(const xla_entry *entry, int number);
bool xla_entry_add_device(xla_entry *entry, int number, const hn_device_layer *layer); /* false: no memory */

/* An exclusive slot until it is put back. NULL, with an error, when out of memory. */
xla_slot *xla_entry_take(xla_entry *entry, hn_error *error);
void xla_entry_put(xla_entry *entry, xla_slot *slot);

/* ---- one call of a handler ---- */

enum { XLA_MOST_BLOCKS = 8 };

/* Code and message of the first error; later steps do nothing after an error. */
typedef struct xla_call {
    const xla_frame *frame;
    xla_entry *entry;
    hn_layer_info info;
    size_t count; /* samples: the leading extents of the first result, multiplied */
    int code;     /* 0: all is well so far */
    char sentence[1024];
    int blocks;
    void *block[XLA_MOST_BLOCKS]; /* freed when the call ends */
} xla_call;

/* Records the first error. Returns false. */
bool xla_fail(xla_call *call, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool xla_fail_with(xla_call *call, const hn_error *error);

/* Memory until the call ends; NULL when out of memory or after too many requests. */
void *xla_memory(xla_call *call, size_t count, size_t bytes);

/* The attribute of this name; the empty text if missing. */
xla_text xla_attribute(const xla_call *call, const char *name);
bool xla_text_is(xla_text text, const char *other);

/* The layer that the attribute "layer" names, and how many samples there are; false when something is
 * wrong. So many operands and results are expected. */
bool xla_open(xla_call *call);
bool xla_expect(xla_call *call, int64_t least, int64_t most, int64_t results);

/* One operand or result, checked: count rows of a width, or, if the width is 0, one number per sample. */
typedef struct xla_view {
    const xla_buffer *buffer;
    size_t elements;
    const char *name;
    double *reals; /* float64: the buffer's own; float32: a copy */
} xla_view;

bool xla_operand(xla_call *call, int64_t index, const char *name, size_t width, xla_view *view);
bool xla_result(xla_call *call, int64_t index, const char *name, size_t width, xla_view *view); /* of reals */
void xla_round(const xla_view *result);                                                         /* back to float32 */

/* A result of other numbers, one a sample; NULL when it is not of this type. */
void *xla_column(xla_call *call, int64_t index, const char *name, enum xla_type type);

/* Numbers in the memory of a device, which must be doubles; NULL when something is wrong. */
double *xla_device_operand(xla_call *call, int64_t index, const char *name, size_t width);
double *xla_device_result(xla_call *call, int64_t index, const char *name, size_t width);

/* A result that is memory alone, of bytes or words; *bytes is how much there is. */
void *xla_device_memory(xla_call *call, int64_t index, const char *name, size_t *bytes);

/* Runs body(call) with the default floating-point environment and ends the call: XLA computes with
 * denormal numbers flushed to zero, the library must not. Answers XLA's questions itself. */
xla_error *xla_run(const xla_frame *frame, void (*body)(xla_call *call));

/* ---- the handlers, and their Python interface ---- */

xla_error *xla_forward(xla_frame *frame);
xla_error *xla_backward(xla_frame *frame);
xla_error *xla_forward_cuda(xla_frame *frame);
xla_error *xla_backward_cuda(xla_frame *frame);

/* Advances a batch by this number of samples. */
void xla_move_on(const hn_layer_info *info, size_t samples, hn_batch *batch, hn_gradient *gradient);

/* The kernels of a layer for a device, made by its owner; NULL, and a sentence, when they cannot be. */
const hn_device_layer *xla_make_device(void *owner, int number, char *sentence, size_t bytes);

/* Warns in Python; false when warnings are errors. */
bool xla_warn(const char *sentence);

#endif
