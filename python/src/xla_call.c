/* xla_call.c - one call of a handler: the frame that XLA gives, its attributes, operands and results,
 * and the error that goes back.
 *
 * Frames are untrusted: kinds, types, ranks and extents are compared with the layer before an address is used. Numbers
 * are computed in double; float32 buffers are converted here.
 *
 * SPDX-License-Identifier: MIT */
#include <fenv.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "xla.h"

/* ---- errors ---- */

bool xla_fail(xla_call *call, int code, const char *format, ...) {
    if (call->code)
        return false;
    call->code = code;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(call->sentence, sizeof call->sentence, format, arguments);
    va_end(arguments);
    return false;
}

bool xla_fail_with(xla_call *call, const hn_error *error) {
    int code = error->status == HN_NO_MEMORY ? XLA_RESOURCE_EXHAUSTED : XLA_INVALID_ARGUMENT;
    return xla_fail(call, code, "%s", error->text);
}

void *xla_memory(xla_call *call, size_t count, size_t bytes) {
    void *block = NULL;
    if (call->blocks < XLA_MOST_BLOCKS && (count == 0 || bytes <= PTRDIFF_MAX / count))
        block = malloc(count ? count * bytes : 1);
    if (block)
        call->block[call->blocks++] = block;
    else
        xla_fail(call, XLA_RESOURCE_EXHAUSTED, "out of memory: %zu x %zu bytes for a call of the layer", count, bytes);
    return block;
}

/* ---- attributes ---- */

bool xla_text_is(xla_text text, const char *other) {
    return text.length == strlen(other) && (text.length == 0 || memcmp(text.bytes, other, text.length) == 0);
}

xla_text xla_attribute(const xla_call *call, const char *name) {
    const xla_attributes *list = &call->frame->attributes;
    for (int64_t i = 0; i < list->count; i++)
        if (list->kinds[i] == XLA_STRING && xla_text_is(*list->names[i], name))
            return *(const xla_text *)list->items[i];
    return (xla_text){0};
}

/* ---- operands and results ---- */

static const xla_buffer *buffer_at(xla_call *call, const xla_buffers *list, int64_t index) {
    if (list->kinds[index] == XLA_BUFFER)
        return list->items[index];
    xla_fail(call, XLA_INVALID_ARGUMENT, "operand or result %" PRId64 " of a hardnet layer is not an array", index);
    return NULL;
}

/* The product of the first extents. */
static size_t product(const xla_buffer *buffer, int64_t extents) {
    size_t result = 1;
    for (int64_t i = 0; i < extents; i++)
        result *= (size_t)buffer->extents[i];
    return result;
}

bool xla_expect(xla_call *call, int64_t least, int64_t most, int64_t results) {
    int64_t given = call->frame->arguments.count, wanted = call->frame->results.count;
    if (given < least || given > most)
        return xla_fail(call, XLA_INVALID_ARGUMENT,
                        "the layer's handler got %" PRId64 " operands; %" PRId64 " to %" PRId64 " are expected", given,
                        least, most);
    if (wanted != results)
        return xla_fail(call, XLA_INVALID_ARGUMENT,
                        "the layer's handler has %" PRId64 " results to fill; it fills %" PRId64, wanted, results);
    const xla_buffer *first = buffer_at(call, &call->frame->results, 0);
    if (first && first->rank < 1)
        return xla_fail(call, XLA_INVALID_ARGUMENT, "the layer's first result is a scalar");
    call->count = first ? product(first, first->rank - 1) : 0;
    return first != NULL;
}

static bool check_shape(xla_call *call, const xla_buffer *buffer, const char *name, size_t width) {
    int64_t lead = width ? buffer->rank - 1 : buffer->rank;
    if (lead < 0 || (width && (size_t)buffer->extents[lead] != width))
        return xla_fail(call, XLA_INVALID_ARGUMENT, "the last axis of %s must be %zu long, not %" PRId64, name, width,
                        lead < 0 ? (int64_t)0 : buffer->extents[lead]);
    if (product(buffer, lead) != call->count)
        return xla_fail(call, XLA_INVALID_ARGUMENT, "%s has %zu samples, not %zu", name, product(buffer, lead),
                        call->count);
    return true;
}

static bool view_reals(xla_call *call, const xla_buffer *buffer, size_t width, xla_view *view) {
    if (!buffer || !check_shape(call, buffer, view->name, width))
        return false;
    if (buffer->type != XLA_FLOAT32 && buffer->type != XLA_FLOAT64)
        return xla_fail(call, XLA_INVALID_ARGUMENT, "%s must be of float32 or float64", view->name);
    view->buffer = buffer;
    view->elements = call->count * (width ? width : 1);
    view->reals = buffer->type == XLA_FLOAT64 ? buffer->data : xla_memory(call, view->elements, sizeof(double));
    return call->code == 0;
}

bool xla_operand(xla_call *call, int64_t index, const char *name, size_t width, xla_view *view) {
    *view = (xla_view){.name = name};
    if (!view_reals(call, buffer_at(call, &call->frame->arguments, index), width, view))
        return false;
    const float *single = view->buffer->data;
    for (size_t i = 0; view->buffer->type == XLA_FLOAT32 && i < view->elements; i++)
        view->reals[i] = (double)single[i];
    return true;
}

bool xla_result(xla_call *call, int64_t index, const char *name, size_t width, xla_view *view) {
    *view = (xla_view){.name = name};
    return view_reals(call, buffer_at(call, &call->frame->results, index), width, view);
}

void xla_round(const xla_view *result) {
    float *single = result->buffer->data;
    for (size_t i = 0; result->buffer->type == XLA_FLOAT32 && i < result->elements; i++)
        single[i] = (float)result->reals[i];
}

void *xla_column(xla_call *call, int64_t index, const char *name, enum xla_type type) {
    const xla_buffer *buffer = buffer_at(call, &call->frame->results, index);
    if (!buffer || !check_shape(call, buffer, name, 0))
        return NULL;
    if (buffer->type == (int)type)
        return buffer->data;
    xla_fail(call, XLA_INVALID_ARGUMENT, "%s is of the wrong type", name);
    return NULL;
}

/* ---- buffers in device memory, which are not read here ---- */

static double *device_reals(xla_call *call, const xla_buffer *buffer, const char *name, size_t width) {
    if (!buffer || !check_shape(call, buffer, name, width))
        return NULL;
    if (buffer->type == XLA_FLOAT64)
        return buffer->data;
    xla_fail(call, XLA_INVALID_ARGUMENT, "%s must be of float64 on a device", name);
    return NULL;
}

double *xla_device_operand(xla_call *call, int64_t index, const char *name, size_t width) {
    return device_reals(call, buffer_at(call, &call->frame->arguments, index), name, width);
}

double *xla_device_result(xla_call *call, int64_t index, const char *name, size_t width) {
    return device_reals(call, buffer_at(call, &call->frame->results, index), name, width);
}

void *xla_device_memory(xla_call *call, int64_t index, const char *name, size_t *bytes) {
    const xla_buffer *buffer = buffer_at(call, &call->frame->results, index);
    *bytes = 0;
    if (!buffer)
        return NULL;
    if (buffer->type != XLA_UINT8 && buffer->type != XLA_INT32) {
        xla_fail(call, XLA_INVALID_ARGUMENT, "%s must be of uint8 or int32", name);
        return NULL;
    }
    *bytes = product(buffer, buffer->rank) * (buffer->type == XLA_INT32 ? 4 : 1);
    return buffer->data;
}

/* ---- a call from its begin to its end ---- */

bool xla_open(xla_call *call) {
    xla_text key = xla_attribute(call, "layer");
    call->entry = xla_registry_find(key);
    if (!call->entry)
        return xla_fail(call, XLA_NOT_FOUND,
                        "layer '%.*s' is not known in this process: make it with hardnet.jax.layer before the compiled "
                        "function is called, and do not release it",
                        (int)(key.length < 80 ? key.length : 80), key.length ? key.bytes : "");
    call->info = hn_layer_info_of(xla_entry_layer(call->entry));
    return true;
}

static void close_call(xla_call *call) {
    for (int i = 0; i < call->blocks; i++)
        free(call->block[i]);
    if (call->entry)
        xla_registry_release(call->entry);
}

static void answer(const xla_extension *question) {
    xla_metadata *metadata = ((const xla_metadata_extension *)(const void *)question)->metadata;
    metadata->version.major = XLA_MAJOR;
    metadata->version.minor = XLA_MINOR;
    metadata->traits = 0;
}

static bool is_question(const xla_frame *frame) {
    for (const xla_extension *extension = frame->extensions; extension; extension = extension->next) {
        if (extension->type == XLA_EXTENSION_METADATA) {
            answer(extension);
            return true;
        }
    }
    return false;
}

static xla_error *error_of(const xla_call *call) {
    xla_error_arguments arguments = {
        .size = offsetof(xla_error_arguments, code) + sizeof arguments.code,
        .message = call->sentence,
        .code = call->code,
    };
    return call->code ? call->frame->interface->create_error(&arguments) : NULL;
}

xla_error *xla_run(const xla_frame *frame, void (*body)(xla_call *call)) {
    if (is_question(frame) || frame->stage != XLA_STAGE_EXECUTE)
        return NULL;
    xla_call call = {.frame = frame};
    fenv_t theirs;
    fegetenv(&theirs);
    fesetenv(FE_DFL_ENV); /* threads that a pool starts in here inherit it */
    body(&call);
    close_call(&call);
    fesetenv(&theirs);
    return error_of(&call);
}
