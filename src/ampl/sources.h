/* sources.h - the texts being read, places in them, and what is said about those places.
 *
 * In come files or texts in memory; out go notes to the caller's callback and the first error to the caller's
 * hn_error, each with file, line and column. A place is two small numbers; line and column are counted only when
 * something is said. Once a fatal error (memory, limit, too many errors) was reported, `stopped` tells everyone to
 * unwind.
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
    const char *text; /* ended by 0 */
    size_t length;
    unsigned char *owned; /* the bytes to release, NULL for texts of the caller's */
    bool included;        /* named by another text, not by the caller, or no text: little of it is quoted */
};

/* A note that may come many times, kept until everything is read. */
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
    hn_error first; /* the first error; HN_OK while there is none */
    size_t error_count, note_count;
    struct ampl_repeated *repeated;
    size_t repeated_count, repeated_capacity;
    bool stopped;
    bool capped;   /* max_nodes is that of models that are not trusted: raising it has no effect */
    char hint[80]; /* for the next error; "" without */
};

enum { AMPL_MOST_ERRORS = 20, AMPL_MOST_NOTES = 200, AMPL_MOST_SOURCES = 1000 };

/* Adds a file, read whole, or a copy of a text; false with an error, reported at the place that asked for it (NULL:
 * none). A file that a text asks for must be a regular one. */
bool ampl_sources_add_file(struct ampl_sources *sources, const char *path, const struct ampl_place *asked);
bool ampl_sources_add_text(struct ampl_sources *sources, const hn_text *text);
void ampl_sources_release(struct ampl_sources *sources);

/* The path of a file that is named in a source: beside it unless absolute. From the sources' arena; NULL: no memory. */
const char *ampl_sources_beside(struct ampl_sources *sources, uint32_t source, const char *name, size_t length);

/* Says something about a place (NULL: none). ampl_error returns false for `return ampl_error(...)`. */
__attribute__((format(printf, 4, 5))) bool ampl_error(struct ampl_sources *sources, hn_status status,
                                                      const struct ampl_place *place, const char *format, ...);
/* The same of an error of another module; its subject counts where there is no place. */
bool ampl_pass_error(struct ampl_sources *sources, const struct ampl_place *place, const hn_error *error);
__attribute__((format(printf, 4, 5))) void ampl_note(struct ampl_sources *sources, hn_severity severity,
                                                     const struct ampl_place *place, const char *format, ...);
/* A note that is said once with its first place and a count, by ampl_say_repeated. */
__attribute__((format(printf, 3, 4))) void ampl_note_repeated(struct ampl_sources *sources,
                                                              const struct ampl_place *place, const char *format, ...);
void ampl_say_repeated(struct ampl_sources *sources);
bool ampl_no_memory(struct ampl_sources *sources);

#endif
