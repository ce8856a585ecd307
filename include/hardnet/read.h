/* hardnet/read.h - models from text and to text: files in the AMPL modelling language in, a finished
 * hn_model out, and back.
 *
 * Model and data files are read in order as one text. A param without any value becomes an input of
 * the network, every var an output, every constraint a row of its group. What the reader does not
 * know it refuses by name, with file, line and column; what it leaves out (display, option, ...) it
 * reports in a message. It never prints and never runs anything.
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

/* A remark about a text. Lines and columns count from 1; both are 0, and file is NULL, where it is
 * about no text. It is the library's, as its texts are, and lives during the callback only. */
typedef struct hn_message {
    size_t size; /* as the library knows it */
    hn_severity severity;
    hn_code code; /* what the subject is, as in hn_error */
    const char *subject;
    const char *file;
    size_t line, column;
    const char *text;    /* one sentence */
    const char *excerpt; /* what stands there, one line that is cut to fit; NULL where there is nothing to show */
    size_t caret;        /* the character of the excerpt that it is about, from 0 */
    const char *hint;    /* what may have been meant, one sentence; NULL: none */
} hn_message;

/* Start from hn_read_defaults(). */
typedef struct hn_read_options {
    size_t size;             /* sizeof(hn_read_options) */
    const char *const *lets; /* "N=20": the value of a scalar param, whatever the texts say */
    size_t let_count;
    bool relax_integrality; /* integer and binary variables become continuous, with a message */
    size_t max_nodes;       /* limit of the graph, of any set and, times 4, of all loops together */
    size_t max_bytes;       /* limit of one file */
    void (*message)(void *context, const hn_message *message); /* may be NULL; called on the calling thread */
    void *context;
    void (*opened)(void *context, const char *path); /* may be NULL; every file that is read, included ones too */
    bool untrusted; /* texts from strangers: no further files are opened, and limits are those below at most */
} hn_read_options;

/* What untrusted allows: max_nodes and max_bytes are not more than these. */
enum { HN_UNTRUSTED_NODES = 200000, HN_UNTRUSTED_BYTES = 1 << 20 };

hn_status hn_read_get_defaults(hn_read_options *out, hn_error *error);
static inline hn_read_options hn_read_defaults(void) {
    hn_read_options options;
    options.size = sizeof options;
    hn_read_get_defaults(&options, NULL);
    return options;
}

/* Reads the files in order, up to the first `solve`. A file whose name ends in .dat starts in data
 * mode. Files named by `include`, `model` and `data` are looked for beside the file that names
 * them. On failure *out is NULL and the error is the first one found, as file:line:column:
 * sentence; all of them (20 at most), and up to 200 other messages, go to the callback. */
hn_status hn_model_read(hn_model **out, size_t count, const char *const *paths, const hn_read_options *options,
                        hn_error *error);

/* A text in memory, under a name for messages. The struct is complete: it will not grow. */
typedef struct hn_text {
    const char *name;
    const char *bytes;
    size_t length;
} hn_text;

/* The same from memory; texts that name further files are refused. */
hn_status hn_model_read_memory(hn_model **out, size_t count, const hn_text *texts, const hn_read_options *options,
                               hn_error *error);

/* Writes a finished model as one text that hn_model_read_memory reads back to the same fingerprints, both of them: names,
 * order and every number. Expressions that are used several times are written once. What a text cannot say is refused by
 * name. *text is of *length bytes and ended by a 0 that does not count; the library allocates it, hn_text_release frees it.
 * On failure *text is NULL. length may be NULL. */
hn_status hn_model_write(const hn_model *model, char **text, size_t *length, hn_error *error);
void hn_text_release(char *text); /* accepts NULL */

#ifdef __cplusplus
}
#endif

#endif
