/* core_call.c - long calls: without the interpreter's lock, and stopped by Ctrl-C.
 *
 * Python handles signals on its main thread, between two instructions of Python. A call that may
 * take long is therefore computed by a separate thread, while the calling thread wakes every
 * 50 ms to let Python look. Starting that thread costs about 20 us, which short calls do not pay.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "core.h"

struct call {
    core_job *job;
    void *context;
    pthread_mutex_t mutex;
    pthread_cond_t finished;
    bool done;
};

static void *work(void *argument) {
    struct call *call = argument;
    call->job(call->context);
    pthread_mutex_lock(&call->mutex);
    call->done = true;
    pthread_cond_signal(&call->finished);
    pthread_mutex_unlock(&call->mutex);
    return NULL;
}

/* Waits for 50 ms at most; true when the job is done. */
static bool wait_a_while(struct call *call) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 50000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&call->mutex);
    int status = 0;
    while (!call->done && status != ETIMEDOUT)
        status = pthread_cond_timedwait(&call->finished, &call->mutex, &until);
    bool done = call->done;
    pthread_mutex_unlock(&call->mutex);
    return done;
}

/* Until the job is done; false when a signal's handler raised. Python keeps the exception. */
static bool attend(struct call *call, PyThreadState **thread, int *cancel) { // NOLINT(readability-non-const-parameter)
    bool quiet = true;
    while (!wait_a_while(call)) {
        if (!quiet)
            continue;
        PyEval_RestoreThread(*thread);
        quiet = PyErr_CheckSignals() == 0;
        if (!quiet)
            __atomic_store_n(cancel, 1, __ATOMIC_RELAXED);
        *thread = PyEval_SaveThread();
    }
    return quiet;
}

struct attended {
    pthread_t worker;
    int *cancel;
};

/* At interpreter shutdown PyEval_RestoreThread ends this thread unless it is the main one. The worker uses this
 * thread's stack, so it is stopped first. */
static void abandon(void *argument) {
    struct attended *attended = argument;
    __atomic_store_n(attended->cancel, 1, __ATOMIC_RELAXED);
    pthread_join(attended->worker, NULL);
}

static bool attend_or_abandon(struct call *call, PyThreadState **thread, struct attended *attended) {
    bool quiet;
    pthread_cleanup_push(abandon, attended);
    quiet = attend(call, thread, attended->cancel);
    pthread_cleanup_pop(0);
    return quiet;
}

/* False when no thread could be started. */
static bool run_attended(struct call *call, int *cancel, bool *quiet) { // NOLINT(readability-non-const-parameter)
    struct attended attended = {.cancel = cancel};
    if (pthread_create(&attended.worker, NULL, work, call) != 0)
        return false;
    PyThreadState *thread = PyEval_SaveThread();
    *quiet = attend_or_abandon(call, &thread, &attended);
    pthread_join(attended.worker, NULL);
    PyEval_RestoreThread(thread);
    return true;
}

bool core_run(core_job *job, void *context, bool lengthy, int *cancel) {
    struct call call = {.job = job, .context = context};
    bool quiet = true, attended = false;
    if (lengthy && pthread_mutex_init(&call.mutex, NULL) == 0) {
        if (pthread_cond_init(&call.finished, NULL) == 0) {
            attended = run_attended(&call, cancel, &quiet);
            pthread_cond_destroy(&call.finished);
        }
        pthread_mutex_destroy(&call.mutex);
    }
    if (!attended) {
        PyThreadState *thread = PyEval_SaveThread();
        job(context);
        PyEval_RestoreThread(thread);
    }
    return quiet;
}
