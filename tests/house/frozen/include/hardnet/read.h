/* SPDX-License-Identifier: MIT */
#ifndef HARDNET_READ_H
#define HARDNET_READ_H
#include "hardnet/model.h"
#ifdef __cplusplus
extern "C" {
#endif
typedef enum hn_severity { HN_SEVERITY_NOTE, HN_SEVERITY_WARNING, HN_SEVERITY_ERROR } hn_severity;
typedef struct hn_message {
    size_t size;
    hn_severity severity;
    hn_code code;
    const char *subject;
    const char *file;
    size_t line, column;
    const char *text;
    const char *excerpt;
    size_t caret;
    const char *hint;
} hn_message;
typedef struct hn_read_options {
    size_t size;
    const char *const *lets;
    size_t let_count;
    bool relax_integrality;
    size_t max_nodes;
    size_t max_bytes;
    void (*message)(void *context, const hn_message *message);
    void *context;
    void (*opened)(void *context, const char *path);
    bool untrusted;
} hn_read_options;
enum { HN_UNTRUSTED_NODES = 200000, HN_UNTRUSTED_BYTES = 1 << 20 };
hn_status hn_read_get_defaults(hn_read_options *out, hn_error *error);
static inline hn_read_options hn_read_defaults(void) {
    hn_read_options options;
    options.size = sizeof options;
    hn_read_get_defaults(&options, NULL);
    return options;
}
hn_status hn_model_read(hn_model **out, size_t count, const char *const *paths, const hn_read_options *options,
                        hn_error *error);
typedef struct hn_text {
    const char *name;
    const char *bytes;
    size_t length;
} hn_text;
hn_status hn_model_read_memory(hn_model **out, size_t count, const hn_text *texts, const hn_read_options *options,
                               hn_error *error);
hn_status hn_model_write(const hn_model *model, char **text, size_t *length, hn_error *error);
void hn_text_release(char *text);
#ifdef __cplusplus
}
#endif
#endif
