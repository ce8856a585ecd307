/* restart.c - where auto begins again when it has come to a stand. The points depend on the restart's number alone.
 *
 *     1, 27           y_raw; its steps are not clipped
 *     2, 25, 26       y_raw, clipped into the bounds
 *     3               the model's start values, clipped
 *     4, 6, 8 ...     uniform between the bounds where both are finite, else as below
 *     5, 7, 9 ...     y_raw + sigma u_j z_j with z normal, u_j a power of two, at most max(1, |y_raw_j|), clipped
 *
 * sigma grows from restart to restart. The random numbers of restart k are the first ones of stream k, whatever the sample.
 * Everything is recomputed for the gradient, without y_raw: a point on a bound follows the bound, a uniform one both bounds, a
 * start value nothing, any other y_raw.
 *
 * SPDX-License-Identifier: MIT */
#include "base/random.h"
#include "layer/layer_parts.h"

#include <math.h>

enum { SEED = 20260419, FROM_START = 3, FIRST_PERTURBED = 4 };

static double spread(int attempt) {
    static const double sigma[] = {0.0625, 0.25, 1, 4};
    return attempt < FIRST_PERTURBED || attempt > MOST_RESTARTS ? 0 : sigma[(attempt - FIRST_PERTURBED) / 2 % 4];
}

static bool is_uniform(int attempt) {
    return attempt >= FIRST_PERTURBED && attempt <= MOST_RESTARTS && attempt % 2 == 0;
}

bool restart_unclipped(int attempt) {
    return attempt == UNCLIPPED_ATTEMPT || attempt == LONG_ATTEMPT;
}

/* The bounds of each output, for restarts that spread over them; infinite where there are none. */
struct box {
    const struct worker *worker;
    int lane;
    size_t next; /* among the clipped outputs, whose columns ascend */
};

static bool box_at(struct box *box, size_t column, double *lower, double *upper) {
    const struct clip_task *clip = &box->worker->layer->clip;
    *lower = -INFINITY;
    *upper = INFINITY;
    while (box->next < clip->count && clip->offset[box->next] / LANES < column)
        box->next++;
    if (box->next < clip->count && clip->offset[box->next] / LANES == column) {
        *lower = *lane_at(box->worker, clip->lower[box->next], box->lane);
        *upper = *lane_at(box->worker, clip->upper[box->next], box->lane);
    }
    return isfinite(*lower) && isfinite(*upper) && isfinite(*upper - *lower);
}

void restart_place(const struct worker *worker, int lane) {
    const hn_layer *layer = worker->layer;
    int attempt = worker->lane[lane].attempt;
    struct random random = random_start(SEED, (uint64_t)attempt);
    struct box box = {worker, lane, 0};
    double *y = lane_at(worker, layer->y, lane), *raw = lane_at(worker, layer->raw, lane);
    for (size_t j = 0; j < layer->outputs; j++) {
        double lower, upper, *own = y + j * (size_t)worker->lanes, from = raw[j * (size_t)worker->lanes];
        double uniform = random_uniform(&random), normal = random_normal(&random);
        if (box_at(&box, j, &lower, &upper) && is_uniform(attempt))
            *own = lower + (upper - lower) * uniform;
        else if (attempt == FROM_START)
            *own = *lane_at(worker, layer->start[j], lane);
        else
            *own = from + spread(attempt) * power_of_two(fmax(1, fabs(from))) * normal;
        if (*own < lower && !restart_unclipped(attempt))
            *own = lower;
        if (*own > upper && !restart_unclipped(attempt))
            *own = upper;
    }
    set_fixed(worker, lane);
}

void restart_pull(const struct worker *worker, int lane, int attempt) {
    const hn_layer *layer = worker->layer;
    struct random random = random_start(SEED, (uint64_t)attempt);
    struct box box = {worker, lane, 0};
    for (size_t j = 0; j < layer->outputs; j++) {
        double lower, upper, *p = lane_at(worker, layer->gradient, lane) + j * (size_t)worker->lanes;
        double y = lane_at(worker, layer->y, lane)[j * (size_t)worker->lanes], uniform = random_uniform(&random);
        bool both = box_at(&box, j, &lower, &upper) && is_uniform(attempt);
        random_normal(&random);
        if (restart_unclipped(attempt) || (!both && attempt != FROM_START && y != lower && y != upper))
            continue;
        if (!both && y != lower && y != upper) { /* a start value */
            *p = 0;
            continue;
        }
        double up = both ? uniform : y == upper;
        uint32_t row = layer->clip.row[box.next];
        *lane_at(worker, layer->adjoint.grad_upper + row, lane) += up * *p;
        *lane_at(worker, layer->adjoint.grad_lower + row, lane) += (1 - up) * *p;
        *p = 0;
    }
}
