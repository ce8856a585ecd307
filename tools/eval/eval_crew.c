/* eval_crew.c - see eval_crew.h.
 *
 * SPDX-License-Identifier: MIT */
#include "eval/eval_crew.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "common/interrupt.h"
#include "common/progress.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { POLL_MILLISECONDS = 200, HELPERS_MOST = 64 }; /* members: processes */

/* A result on its way through a pipe: the outputs follow. */
struct message {
    size_t sample;
    struct optimum optimum;
};

struct member {
    pid_t process;
    int pipe;              /* to read from; -1: closed */
    unsigned char *buffer; /* buffer for one message */
    size_t used;
};

struct helpers {
    struct eval *eval;
    struct multistart *solver;
    const size_t *jobs;
    size_t count, size; /* jobs, members */
    size_t bytes, done; /* of a message; messages so far */
    struct member members[HELPERS_MOST];
};

/* ---- in a worker process ---- */

static bool send_bytes(int pipe, const unsigned char *bytes, size_t count) {
    while (count > 0) {
        ssize_t sent = write(pipe, bytes, count);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        bytes += sent;
        count -= (size_t)sent;
    }
    return true;
}

/* Runs every size-th job from `first` on. Ends the process without output: streams and files belong to the parent. */
static _Noreturn void eval_crew_work(const struct helpers *helpers, size_t first, int pipe) {
    struct eval *eval = helpers->eval;
    unsigned char *buffer = helpers->members[first].buffer;
    for (size_t i = first; i < helpers->count && !interrupt_came(); i += helpers->size) {
        struct message message = {.sample = helpers->jobs[i]};
        double *y = eval->optimal + message.sample * eval->outputs;
        message.optimum = eval->optima[message.sample];
        const double *x = eval_x(eval, message.sample), *own = eval->y + message.sample * eval->outputs;
        if (multistart_run(helpers->solver, x, own, &message.optimum, y, NULL) != HN_OK)
            _exit(1);
        memcpy(buffer, &message, sizeof message);
        memcpy(buffer + sizeof message, y, eval->outputs * sizeof *y);
        if (!send_bytes(pipe, buffer, helpers->bytes))
            _exit(1);
    }
    _exit(0);
}

/* ---- in the parent ---- */

static bool start_member(struct helpers *helpers, size_t number) {
    struct member *member = &helpers->members[number];
    int ends[2];
    member->pipe = -1;
    if (pipe(ends) != 0)
        return false;
    member->process = fork();
    if (member->process == 0) {
        for (size_t i = 0; i < number; i++)
            close(helpers->members[i].pipe);
        close(ends[0]);
        eval_crew_work(helpers, number, ends[1]);
    }
    close(ends[1]);
    member->pipe = ends[0];
    if (member->process < 0)
        close(ends[0]);
    return member->process > 0;
}

static hn_status start(struct helpers *helpers, hn_error *error) {
    size_t started = 0;
    for (size_t i = 0; i < helpers->size; i++) {
        helpers->members[i].buffer = eval_take(helpers->bytes, 1, 1);
        if (!helpers->members[i].buffer) {
            helpers->size = 0;
            return error_no_memory(error, "the reference");
        }
    }
    while (started < helpers->size && start_member(helpers, started))
        started++;
    if (started == helpers->size)
        return HN_OK;
    hn_status status = error_set(error, HN_IO, "cannot start a process for the reference: %s", strerror(errno));
    helpers->size = started;
    return status;
}

static void accept_message(struct helpers *helpers, const struct member *member) {
    struct eval *eval = helpers->eval;
    struct message message;
    memcpy(&message, member->buffer, sizeof message);
    eval->optima[message.sample] = message.optimum;
    memcpy(eval->optimal + message.sample * eval->outputs, member->buffer + sizeof message,
           eval->outputs * sizeof *eval->optimal);
    helpers->done++;
}

static void hear(struct helpers *helpers, struct member *member) {
    ssize_t got = read(member->pipe, member->buffer + member->used, helpers->bytes - member->used);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (got <= 0) {
        close(member->pipe);
        member->pipe = -1;
        return;
    }
    member->used += (size_t)got;
    if (member->used < helpers->bytes)
        return;
    accept_message(helpers, member);
    member->used = 0;
}

/* Until every pipe is closed. */
static void listen_to_all(struct helpers *helpers, struct progress *progress) {
    struct pollfd waiting[HELPERS_MOST];
    size_t open = helpers->size;
    while (open > 0 && !interrupt_came()) {
        for (size_t i = 0; i < helpers->size; i++)
            waiting[i] = (struct pollfd){.fd = helpers->members[i].pipe, .events = POLLIN}; /* -1 is left out */
        if (poll(waiting, helpers->size, POLL_MILLISECONDS) < 0) {
            if (errno == EINTR)
                continue;
            return;
        }
        for (size_t i = 0; i < helpers->size; i++) {
            if (!(waiting[i].revents & (POLLIN | POLLHUP | POLLERR)))
                continue;
            hear(helpers, &helpers->members[i]);
            open -= helpers->members[i].pipe < 0;
        }
        progress_update(progress, helpers->done);
    }
}

static void end(struct helpers *helpers) {
    for (size_t i = 0; i < helpers->size; i++) {
        struct member *member = &helpers->members[i];
        if (member->pipe >= 0) {
            kill(member->process, SIGKILL); /* it has nothing to put away */
            close(member->pipe);
        }
        while (waitpid(member->process, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    for (size_t i = 0; i < HELPERS_MOST; i++)
        base_release(helpers->members[i].buffer);
}

hn_status helpers_solve(struct eval *eval, struct multistart *solver, const size_t *jobs, size_t count,
                        hn_error *error) {
    struct helpers helpers = {.eval = eval, .solver = solver, .jobs = jobs, .count = count};
    struct progress progress;
    size_t wished = eval->options->common.threads, members = wished > 0 ? wished : (size_t)thread_pool_cores();
    members = members < HELPERS_MOST ? members : HELPERS_MOST;
    helpers.size = members < count ? members : count;
    helpers.bytes = sizeof(struct message) + eval->outputs * sizeof(double);
    progress_begin(&progress, "solving for the reference", count);
    hn_status status = start(&helpers, error);
    if (status == HN_OK)
        listen_to_all(&helpers, &progress);
    progress_end(&progress);
    end(&helpers);
    eval->lost = interrupt_came() ? 0 : count - helpers.done;
    return status;
}
