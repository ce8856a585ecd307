/* infeasibility.c - nearest and optimal: a certificate that a sample is locally infeasible.
 *
 * nearest_prove computes its multipliers at auto's y, the returned iterate with the smallest violation. If that is not
 * a stationary point the certificate is weak; then the multipliers are computed where auto's steps stalled.
 * hn_batch.proof_y receives the point of the certificate.
 *
 * SPDX-License-Identifier: MIT */
#include "layer/driver.h"

#include <string.h>

static const double PROVEN = 1e-6; /* times 1 / max(1, |y|): a certificate with a larger residual is weak */

void worker_record_stationary(struct worker *worker, uint32_t lane, const struct sample_slope *slope) {
    const struct plan *plan = worker->plan;
    const struct point p = worker_point(worker, lane);
    struct lane *own = &worker->lane[lane];
    double scale = slope->entries * slope->squares;
    bool smaller = sample_is_finite(scale) && scale > 0 && slope->slope < own->least_slope * scale;
    if (!method_searches(worker->layer->options.method) || !smaller)
        return;
    own->least_slope = slope->slope / scale;
    point_read(&p, plan->base, plan->outputs, worker_near_row(worker, lane, ROW_NEAREST));
}

/* Whether the certificate is weak, relative to the size of the outputs at its point. */
static bool proves_little(const struct worker *worker, const struct nearest_proof *proof) {
    double size = 1;
    for (size_t j = 0; j < worker->plan->outputs; j++)
        size = sample_greater(size, point_abs(proof->y[j]));
    return !(proof->rest * size <= PROVEN);
}

/* Certificates at the points of this row, for the flagged lanes. */
static void prove_at(struct worker *worker, size_t which, const bool *flags, struct nearest_proof *proofs) {
    const struct nearest_watch watch = worker_cancellation(worker);
    struct nearest_proof list[MAX_LANES];
    size_t count = 0, done = 0, ahead = which == ROW_NEAREST ? worker->plan->rows : 0;
    for (uint32_t k = 0; k < worker->width; k++)
        if (flags[k])
            list[count++] = (struct nearest_proof){.x = batch_inputs(worker, worker->lane[k].sample),
                                                   .y = worker_near_row(worker, k, which),
                                                   .multipliers = worker_near_row(worker, k, ROW_MULTIPLIERS) + ahead};
    if (count > 0)
        nearest_prove(worker_nearest(worker), worker->near, list, count, &watch);
    for (uint32_t k = 0; k < worker->width; k++)
        if (flags[k])
            proofs[k] = list[done++];
}

/* Selects the better of the certificates; stores its point in the row of the search result. */
static void infeasibility_choose(struct worker *worker, uint32_t lane, const struct nearest_proof *at_best,
                                 const struct nearest_proof *at_stand) {
    struct lane *own = &worker->lane[lane];
    bool elsewhere = at_stand && at_stand->rest < at_best->rest;
    own->proof = elsewhere ? at_stand->rest : at_best->rest;
    own->near = (struct nearest_sample){.multipliers = elsewhere ? at_stand->multipliers : at_best->multipliers};
    if (!elsewhere)
        memcpy(worker_near_row(worker, lane, ROW_NEAREST), at_best->y, worker->plan->outputs * sizeof *at_best->y);
}

void worker_find_certificate(struct worker *worker) {
    struct nearest_proof at_best[MAX_LANES] = {{.x = NULL}}, at_stand[MAX_LANES] = {{.x = NULL}};
    bool lost[MAX_LANES] = {false}, again[MAX_LANES] = {false};
    for (uint32_t k = 0; k < worker->width; k++)
        lost[k] = worker->lane[k].deferred && worker->lane[k].lost;
    prove_at(worker, ROW_AUTO, lost, at_best);
    for (uint32_t k = 0; k < worker->width; k++)
        again[k] = lost[k] && sample_is_finite(worker->lane[k].least_slope) && proves_little(worker, &at_best[k]);
    prove_at(worker, ROW_NEAREST, again, at_stand);
    for (uint32_t k = 0; k < worker->width; k++)
        if (lost[k])
            infeasibility_choose(worker, k, &at_best[k], again[k] ? &at_stand[k] : NULL);
}
