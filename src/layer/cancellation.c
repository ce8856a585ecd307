/* cancellation.c - early end of a call: the caller's flag and the deadline.
 *
 * A worker polls the flag before every iteration, or between fused iterations; the clock, which costs more, about every
 * LOOK seconds. The number of iterations between two clock reads is measured while running.
 *
 * SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "layer/driver.h"

static const double LOOK = 20e-6;
enum { MOST_ROUNDS = 256 };

static bool is_watched(const struct worker *worker) {
    return worker->batch->cancel || worker->queue->deadline > 0;
}

/* Iterations until the next clock read: estimated from the last ones, at most twice as many as before. */
static int rounds_to_go(const struct pace *pace, double now) {
    int most = 2 * pace->every < MOST_ROUNDS ? 2 * pace->every : MOST_ROUNDS;
    double passed = now - pace->looked, rounds = (double)pace->since * LOOK;
    if (pace->every == 0)
        return 1;
    return passed * most <= rounds ? most : passed >= rounds ? 1 : (int)(rounds / passed);
}

void worker_poll(struct worker *worker) {
    const int *cancel = worker->batch->cancel;
    struct pace *pace = &worker->pace;
    if (!is_watched(worker))
        return;
    if (cancel && __atomic_load_n(cancel, __ATOMIC_RELAXED) != 0)
        worker->cancelled = true;
    if (pace->since >= pace->every) {
        double now = clock_seconds();
        if (worker->queue->deadline > 0 && now > worker->queue->deadline)
            worker->cancelled = true;
        *pace = (struct pace){.looked = now, .every = rounds_to_go(pace, now)};
    }
    pace->since++;
}

static bool ends(void *context) {
    struct worker *worker = context;
    const int *cancel = worker->batch->cancel;
    bool flag = cancel && __atomic_load_n(cancel, __ATOMIC_RELAXED) != 0;
    bool late = worker->queue->deadline > 0 && clock_seconds() > worker->queue->deadline;
    worker->cancelled = worker->cancelled || flag || late;
    return worker->cancelled;
}

struct nearest_watch worker_cancellation(struct worker *worker) {
    return (struct nearest_watch){ends, worker};
}

int worker_unpolled_iterations(const struct worker *worker) {
    int left = worker->pace.every - worker->pace.since;
    return !is_watched(worker) ? INT32_MAX : left > 1 ? left : 1;
}

void worker_count_iterations(struct worker *worker, int rounds) {
    if (is_watched(worker))
        worker->pace.since += rounds;
}
