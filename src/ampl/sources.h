/* sources.h - the model texts, source locations (places), and messages about them.
 *
 * Files or texts in memory are added; notes go to the caller's callback and the first error to the caller's hn_error,
 * each with file, line and column. A place is two small numbers; line and column are computed only for messages. After
 * a fatal error (memory, limit, too many errors) `stopped` tells all callers to return.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_AMPL_SOURCES_H
#define HN_AMPL_SOURCES_H

#include "base/arena.h"
#include "hardnet/read.h"

struct ampl_place {
    uint32_t source, offset;
};

struct ampl_source {
    const char *name;
    const char *text; /* 0-terminated */
    size_t length;
    unsigned char *owned; /* the bytes to release, NULL for texts owned by the caller */
    bool included;        /* included by another text, or not a text: messages do not quote its lines */
};

/* A note that may be repeated, kept until everything is read. */
struct ampl_repeated {
    const char *text;
    struct ampl_place place; /* of the first */
    size_t count;
};

struct ampl_sources {
    struct ampl_source *list;
    size_t count, capacity;
    struct arena names;
    size_t max_bytes;
    void (*note)(void *context, const hn_message *note);
    void (*opened)(void *context, const char *path);
    void *context;
    hn_error first; /* the first error; HN_OK without errors */
    size_t error_count, note_count;
    struct ampl_repeated *repeated;
    size_t repeated_count, repeated_capacity;
    bool stopped;
    bool capped;   /* max_nodes is the limit for untrusted models: raising it has no effect */
    char hint[80]; /* for the next error; may be "" */
};

enum { AMPL_MOST_ERRORS = 20, AMPL_MOST_NOTES = 200, AMPL_MOST_SOURCES = 1000 };

/* Adds a file, read whole, or a copy of a text; false with an error, reported at the place that includes it (NULL:
 * none). An included file must be a regular one. */
bool ampl_sources_add_file(struct ampl_sources *sources, const char *path, const struct ampl_place *asked);
bool ampl_sources_add_text(struct ampl_sources *sources, const hn_text *text);
void ampl_sources_release(struct ampl_sources *sources);

/* The path of an included file: relative to the including source unless absolute. Allocated in the arena of the
 * sources; NULL when out of memory. */
const char *ampl_sources_beside(struct ampl_sources *sources, uint32_t source, const char *name, size_t length);

/* Reports a message about a place (NULL: none). ampl_error returns false for `return ampl_error(...)`. */
__attribute__((format(printf, 4, 5))) bool ampl_error(struct ampl_sources *sources, hn_status status,
                                                      const struct ampl_place *place, const char *format, ...);
/* The same for an error of another module; without a place its subject is used. */
bool ampl_pass_error(struct ampl_sources *sources, const struct ampl_place *place, const hn_error *error);
__attribute__((format(printf, 4, 5))) void ampl_note(struct ampl_sources *sources, hn_severity severity,
                                                     const struct ampl_place *place, const char *format, ...);
/* A note that is reported once with its first place and a count, by ampl_say_repeated. */
__attribute__((format(printf, 3, 4))) void ampl_note_repeated(struct ampl_sources *sources,
                                                              const struct ampl_place *place, const char *format, ...);
void ampl_say_repeated(struct ampl_sources *sources);
bool ampl_no_memory(struct ampl_sources *sources);

#endif
