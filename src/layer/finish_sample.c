/* finish_sample.c - writes the results of a sample that has ended.
 *
 * SPDX-License-Identifier: MIT */
#include "layer/driver.h"

#include <math.h>
#include <string.h>

#define SAME(name) _Static_assert((int)HN_REASON_##name == (int)NEAREST_##name, "the same list")
SAME(NOT_CONVERGED);
SAME(UNBOUNDED);
SAME(UNDEFINED);
SAME(NOT_CONFIRMED);
SAME(STOPPED);
_Static_assert((int)HN_REASON_NONE == NEAREST_CERTIFIED && (int)HN_REASON_KINK == NEAREST_AT_KINK, "the same list");
#undef SAME

static void report(const struct worker *worker, uint32_t lane, uint32_t y) {
    const struct lane *own = &worker->lane[lane];
    const struct solver *d = &own->solver;
    hn_report out;
    memset(&out, 0, sizeof out); /* padding, too: equal reports have equal bytes */
    solver_fill_report(d, y, &out);
    out.distance = out.moved;
    out.kkt = out.objective = out.complementarity = out.proof = INFINITY;
    if (d->search)
        search_fill_report(d, y, &out);
    if (d->search && !d->search->searched && d->state.outcome == HN_OUTCOME_OK)
        out.reason = HN_REASON_STOPPED;
    report_write(worker->batch, own->sample, &out);
}

/* Whether the sample is not ok and a replacement of y is returned (hn_not_ok). The replacement is written to y, to be
 * evaluated next, and to `best`, from which y is restored after a step of the other lanes. */
static bool replaces(struct worker *worker, uint32_t lane, uint32_t y) {
    const struct plan *plan = worker->plan;
    struct solver *d = &worker->lane[lane].solver;
    const hn_not_ok choice = worker->batch->not_ok;
    if (choice == HN_NOT_OK_BEST || d->state.outcome == HN_OUTCOME_OK || d->state.phase == PHASE_FALLBACK)
        return false;
    if (choice == HN_NOT_OK_FALLBACK)
        solver_fall_back(d, d->state.outcome, d->culprit);
    else {
        if (y != plan->y)
            point_copy(&d->point, y, plan->y, plan->outputs);
        point_clip(&d->point);
        sample_fall_back(&d->state, d->state.outcome);
    }
    point_set_fixed(&d->point);
    point_copy(&d->point, plan->y, plan->best, plan->outputs);
    solver_flag(d, plan->summary + SUMMARY_USABLE, true);
    d->state.best_step = 0;
    if (d->search)
        d->search->proof = INFINITY;
    return true;
}

/* Whether nearest or optimal continues with a search: auto has ended ok, or locally infeasible. */
static bool goes_on(const struct worker *worker, struct solver *d) {
    bool lost = d->state.outcome == HN_OUTCOME_LOCALLY_INFEASIBLE;
    if (!d->search || d->search->searched || worker->cancelled || !(lost || d->state.outcome == HN_OUTCOME_OK))
        return false;
    d->search->lost = lost;
    return true;
}

static void write_tape(const struct worker *worker, uint32_t lane) {
    const struct solver *d = &worker->lane[lane].solver;
    struct tape tape = worker_tape(worker, lane);
    *tape.head = tape_head_of(&d->state, tape.room);
    if (d->search)
        search_write_tape(d, tape.numbers);
}

static void write_residual(const struct point *p, double *rows) {
    const struct plan *plan = p->plan;
    for (uint32_t i = 0; i < plan->rows; i++)
        rows[i] = point_number(*point_at(p, plan->residual + i));
    for (uint32_t k = 0; k < plan->blocks.count; k++) {
        const struct set_block *block = &plan_blocks(plan)[k];
        set_shown_residual(block, point_at(p, block->storage), p->width, rows + block->row);
    }
}

void worker_finish(struct worker *worker, uint32_t lane, uint32_t y) {
    const struct plan *plan = worker->plan;
    const hn_batch *batch = worker->batch;
    struct solver *d = &worker->lane[lane].solver;
    const size_t sample = worker->lane[lane].sample;
    d->state.outcome = solver_verdict(d);
    if (goes_on(worker, d)) {
        worker_defer_search(worker, lane, y);
        return;
    }
    if (replaces(worker, lane, y))
        return;
    if (batch->tape)
        write_tape(worker, lane);
    if (batch->residual)
        write_residual(&d->point, batch->residual + sample * plan->rows);
    if (batch->multipliers)
        search_write_multipliers(d, batch->multipliers + sample * plan->rows);
    if (batch->proof_y)
        search_write_proof_point(d, y, batch->proof_y + sample * plan->outputs);
    if (batch->reports)
        report(worker, lane, y);
    solver_keep_warm(d, y);
    point_read(&d->point, y, plan->outputs, batch->y + sample * plan->outputs);
    d->state.phase = PHASE_IDLE;
}
