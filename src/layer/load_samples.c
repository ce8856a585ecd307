/* load_samples.c - assigns the next samples to free lanes.
 *
 * SPDX-License-Identifier: MIT */
#include "layer/driver.h"

static bool take_sample(struct worker *worker, uint32_t lane) {
    struct lane *own = &worker->lane[lane];
    const hn_batch *batch = worker->batch;
    bool skips = worker->cancelled && worker_can_skip(worker);
    do
        if (!queue_take(worker->queue, batch->count, &own->sample))
            return false;
    while (skips && worker_skip(worker, lane));
    own->solver.x = batch_inputs(worker, own->sample);
    own->solver.raw = batch_raw(worker, own->sample);
    own->solver.fallback = batch->fallback;
    own->solver.warm = batch->warm ? batch->warm + own->sample * worker->plan->outputs : NULL;
    solver_load(&own->solver);
    if (own->solver.search)
        search_load(own->solver.search);
    return true;
}

bool worker_load(struct worker *worker) {
    bool loaded = false, busy = false, opens[MAX_LANES] = {false};
    for (uint32_t k = 0; k < worker->width; k++) {
        if (lane_is_idle(&worker->lane[k]) && !worker->lane[k].deferred)
            loaded = (opens[k] = take_sample(worker, k)) || loaded;
        busy = busy || !lane_is_idle(&worker->lane[k]);
    }
    if (!loaded)
        return busy;
    worker->executor->prepare(worker->executor, worker->slots);
    for (uint32_t k = 0; k < worker->width; k++)
        if (opens[k])
            solver_open(&worker->lane[k].solver);
    return true;
}
