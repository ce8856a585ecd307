/* parallel.c - see parallel.h.
 *
 * SPDX-License-Identifier: MIT */
#include "common/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

struct shared {
    atomic_size_t next;
    size_t jobs;
    void (*job)(void *context, size_t worker, size_t number);
    void *context;
};

struct worker {
    struct shared *shared;
    size_t index;
    pthread_t thread;
};

size_t parallel_threads(size_t wished) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t threads = wished > 0 ? wished : cores > 0 ? (size_t)cores : 1;
    return threads < PARALLEL_MOST ? threads : PARALLEL_MOST;
}

static void *work(void *argument) {
    struct worker *worker = argument;
    struct shared *shared = worker->shared;
    for (;;) {
        size_t number = atomic_fetch_add(&shared->next, 1);
        if (number >= shared->jobs)
            return NULL;
        shared->job(shared->context, worker->index, number);
    }
}

void parallel_run(size_t threads, size_t jobs, void (*job)(void *context, size_t worker, size_t number),
                  void *context) {
    struct shared shared = {.jobs = jobs, .job = job, .context = context};
    struct worker workers[PARALLEL_MOST];
    size_t started = 1;
    atomic_init(&shared.next, 0);
    threads = threads < jobs ? threads : jobs;
    workers[0] = (struct worker){.shared = &shared};
    for (; started < threads && started < PARALLEL_MOST; started++) {
        workers[started] = (struct worker){.shared = &shared, .index = started};
        if (pthread_create(&workers[started].thread, NULL, work, &workers[started]) != 0)
            break;
    }
    work(&workers[0]);
    for (size_t i = 1; i < started; i++)
        pthread_join(workers[i].thread, NULL);
}
