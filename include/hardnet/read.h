/* hardnet/read.h - reads files in the AMPL modelling language to a finished hn_model, and writes models as text.
 *
 * Model and data files are read in order as one text. A param without a value becomes an input of the network, every
 * var an output, every constraint a row of its group. Unsupported statements are errors with file, line and column;
 * skipped ones (display, option, ...) are reported in a message. The reader never prints and never executes anything.
 *
 *     const char *files[] = {"pooling.mod", "pooling.dat"};
 *     hn_model *m;  hn_error e;
 *     if (hn_model_read(&m, 2, files, NULL, &e)) puts(e.text);                  (pooling.mod:12:7: ...)
 *
 * SPDX-License-Identifier: MIT */
#ifndef HARDNET_READ_H
#define HARDNET_READ_H

#include "hardnet/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hn_severity { HN_SEVERITY_NOTE, HN_SEVERITY_WARNING, HN_SEVERITY_ERROR } hn_severity;

/* A message about a text. Lines and columns count from 1; both are 0, and file is NULL, if it is not about a text. The
 * library owns the struct and its strings, which are valid during the callback only. */
typedef struct hn_message {
    size_t size; /* of the library's struct */
    hn_severity severity;
    hn_code code; /* kind of the subject, as in hn_error */
    const char *subject;
    const char *file;
    size_t line, column;
    const char *text;    /* one sentence */
    const char *excerpt; /* the source line, truncated; NULL if unavailable */
    size_t caret;        /* the position in the excerpt, in characters from 0 */
    const char *hint;    /* a suggestion, one sentence; or NULL */
} hn_message;

/* Start from hn_read_defaults(). */
typedef struct hn_read_options {
    size_t size;             /* sizeof(hn_read_options) */
    const char *const *lets; /* "N=20": the value of a scalar param, which overrides the texts */
    size_t let_count;
    bool relax_integrality; /* integer and binary variables become continuous, with a message */
    size_t max_nodes;       /* limit of the graph, of any set and, times 4, of the steps of all loops together */
    size_t max_bytes;       /* limit of one file */
    void (*message)(void *context, const hn_message *message); /* may be NULL; called on the calling thread */
    void *context;
    void (*opened)(void *context, const char *path); /* may be NULL; called for every file that is read, included ones
                                                      * too */
    bool untrusted; /* for untrusted texts: no included files, and at most the limits below */
} hn_read_options;

/* Limits of untrusted: upper bounds of max_nodes and max_bytes. */
enum { HN_UNTRUSTED_NODES = 200000, HN_UNTRUSTED_BYTES = 1 << 20 };

hn_status hn_read_get_defaults(hn_read_options *out, hn_error *error);
static inline hn_read_options hn_read_defaults(void) {
    hn_read_options options;
    options.size = sizeof options;
    hn_read_get_defaults(&options, NULL);
    return options;
}

/* Reads the files in order, up to the first `solve`. A file whose name ends in .dat starts in data mode. Files named by
 * `include`, `model` and `data` are relative to the file that names them. On failure *out is NULL and the error is the
 * first one found, as file:line:column: sentence; all of them (20 at most), and up to 200 other messages, are passed to
 * the callback. */
hn_status hn_model_read(hn_model **out, size_t count, const char *const *paths, const hn_read_options *options,
                        hn_error *error);

/* A text in memory, under a name for messages. The struct is complete: it will not grow. */
typedef struct hn_text {
    const char *name;
    const char *bytes;
    size_t length;
} hn_text;

/* The same from memory; texts that include files are refused. */
hn_status hn_model_read_memory(hn_model **out, size_t count, const hn_text *texts, const hn_read_options *options,
                               hn_error *error);

/* Writes a finished model as one text that hn_model_read_memory reads back to the same fingerprints, both of them:
 * names, order and every number. Expressions that are used several times are written once. Anything that a text cannot
 * express is an error that names it. *text has *length bytes and a terminating 0 that is not counted; the library
 * allocates it, hn_text_release frees it. On failure *text is NULL. length may be NULL. */
hn_status hn_model_write(const hn_model *model, char **text, size_t *length, hn_error *error);
void hn_text_release(char *text); /* accepts NULL */

#ifdef __cplusplus
}
#endif

#endif
