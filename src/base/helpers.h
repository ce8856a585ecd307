/* helpers.h - work sharing: idle threads help a busy one with pieces of jobs of a few microseconds.
 *
 * A group of helpers belongs to one thread, its leader, for the duration of a call. While it is open other threads may
 * join; each job of the leader is cut into pieces, and idle members claim them. The leader waits only for threads that
 * have claimed a piece: a group without helpers, or whose helpers are descheduled, does all work on the leader's
 * thread. Helpers poll for pieces for a while, then sleep. Results must not depend on which thread computes a piece,
 * nor on where the job was cut. Nothing is allocated.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_HELPERS_H
#define HN_BASE_HELPERS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Units 0 to count of some work, cut into ranges. */
struct helpers_job {
    size_t count;
    size_t least; /* minimum of units per piece; pieces begin at multiples of it */
    size_t each;  /* pieces per member: 1 if they cost the same, more if not */
    void (*part)(const void *context, void *own, size_t from, size_t to); /* own: memory of the thread that runs it */
    const void *context;
    void *own; /* workspace of the leader */
};

struct helpers {
    uint64_t ticket;      /* number of the job, its first unclaimed piece, and one past the last */
    uint64_t padding[7];  /* keeps the polled word on a cache line without other data */
    size_t finished;      /* pieces */
    size_t pieces, units; /* units of the job per piece */
    struct helpers_job job;
    int open, helpers, sleepers;
    int rests;       /* calls for which it stays closed because a helper was late; */
    int penalty;     /* doubled each time */
    int timings;     /* measurements of a helper's response time, */
    double response; /* and their minimum */
    pthread_mutex_t mutex;
    pthread_cond_t wake;
};

/* Initialises a closed group; until it is released. */
void helpers_make(struct helpers *helpers);
void helpers_release(struct helpers *helpers);

/* By the leader, around its work. After a call in which a helper lost its processor while it had a piece, the group
 * stays closed for one call, then for more, up to 63: the machine is busy. */
void helpers_open(struct helpers *helpers);
void helpers_close(struct helpers *helpers);

/* By other threads, with workspace as large as any leader's: joins the open groups one after the other until none is
 * open. */
void helpers_help(struct helpers *groups, size_t count, void *own);

/* Number of helpers at this moment; NULL: 0. */
static inline int helpers_count(const struct helpers *helpers) {
    return helpers ? __atomic_load_n(&helpers->helpers, __ATOMIC_RELAXED) : 0;
}

/* By the leader, if communication costs are not much less than the work: dismisses helpers unless they share a cache
 * with it, which is measured. Returns whether helpers remain; only run time depends on it. */
bool helpers_keep_near(struct helpers *helpers);

/* By the leader: does the whole job; NULL: without helpers. */
void helpers_share(struct helpers *helpers, const struct helpers_job *job);

#endif
