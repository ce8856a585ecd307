/* helpers.h - threads that have run out of work of their own help one that has not, with pieces of jobs of a few microseconds.
 *
 * A crew belongs to a thread, its leader, for the length of a call. While it is open others may join; whatever the leader
 * shares is cut into pieces, and each goes to whoever is free. Nobody is waited for but those who have taken a piece: a crew
 * that no one has joined, or whose helpers do not get a processor, does everything on the leader's own thread. Helpers watch
 * for pieces for a while, then they sleep. What a piece computes must not depend on who computes it, nor on where it was cut.
 * Nothing is allocated.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_HELPERS_H
#define HN_BASE_HELPERS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Units 0 to count of some work, in stretches. */
struct helpers_job {
    size_t count;
    size_t least; /* units that a piece has at least; where pieces begin is a multiple of it */
    size_t each;  /* pieces for each member: 1 where they are alike, more where they are not */
    void (*part)(const void *context, void *own, size_t from, size_t to); /* own: memory of the thread that runs it */
    const void *context;
    void *own; /* the leader's */
};

struct helpers {
    uint64_t ticket;     /* number of the job, its first piece that nobody has taken yet, and the one behind the last */
    uint64_t padding[7]; /* what helpers look at all the time lies alone */
    size_t finished;     /* pieces */
    size_t pieces, stretch;
    struct helpers_job job;
    int open, helpers, sleepers;
    int rests;     /* calls in which it stays closed, because a helper was late; */
    int penalty;   /* twice as many the next time */
    int timings;   /* that were made of a helper's answer, */
    double answer; /* and the shortest */
    pthread_mutex_t mutex;
    pthread_cond_t wake;
};

/* Closed; until it is released. */
void helpers_make(struct helpers *helpers);
void helpers_release(struct helpers *helpers);

/* By the leader, around its work. After a call in which a helper lost its processor with a piece in hand a crew stays closed for
 * one call, then for more, up to 63: the machine is busy. */
void helpers_open(struct helpers *helpers);
void helpers_close(struct helpers *helpers);

/* By others, with memory as large as any leader's: joins those of these crews that are open, one after the other, until none
 * is. */
void helpers_help(struct helpers *crews, size_t count, void *own);

/* Helpers that are there at this moment; NULL: 0. */
static inline int helpers_count(const struct helpers *helpers) {
    return helpers ? __atomic_load_n(&helpers->helpers, __ATOMIC_RELAXED) : 0;
}

/* By the leader, where what goes from thread to thread is not much less than what they compute: sends helpers home unless they
 * share a cache with it, which is found out by trying. Whether some are there and stay; only time depends on it. */
bool helpers_keep_near(struct helpers *helpers);

/* By the leader: does the whole job; NULL: alone. */
void helpers_share(struct helpers *helpers, const struct helpers_job *job);

#endif
