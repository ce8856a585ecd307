/* complex_step_replay.c - see complex_step_replay.h.
 *
 * SPDX-License-Identifier: MIT */
#include "complex_step_replay.h"

#include "layer/driver.h"
#include "support/plain_graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of auto, from docs/method.md. */
static const double CLOSE = 0.1, HOLD_SHARE = 0.5, LEAD_SHARE = 0.5;

/* ---- decisions ---- */

/* Rows at an iterate of the layer, in double. */
struct seen {
    size_t rows;
    double *c, *lower, *upper, *r, *most; /* most: the largest entry of J */
    bool *joint;                          /* in several outputs */
};

static struct seen look(const struct plain_layer *plain, const double *x, const double *y) {
    const struct problem *p = &plain->problem;
    size_t m = plain->rows;
    struct plain_point point = {.leaf = {[SPACE_X] = x, [SPACE_Y] = y}};
    double *values = plain_values(&p->graph, point);
    struct seen seen = {.rows = m, .c = calloc(5 * m + 1, sizeof *seen.c), .joint = calloc(m + 1, sizeof *seen.joint)};
    seen.lower = seen.c + m;
    seen.upper = seen.lower + m;
    seen.r = seen.upper + m;
    seen.most = seen.r + m;
    for (size_t i = 0; i < m; i++) {
        double c = seen.c[i] = values[p->body[i]];
        double lower = seen.lower[i] = values[p->lower[i]], upper = seen.upper[i] = values[p->upper[i]];
        seen.r[i] = c > upper ? c - upper : c < lower ? c - lower : 0;
        for (size_t e = plain->jacobian.first[i]; e < plain->jacobian.first[i + 1]; e++)
            seen.most[i] = fmax(seen.most[i], fabs(values[plain->jacobian.node[e]]));
        seen.joint[i] = plain->jacobian.first[i + 1] - plain->jacobian.first[i] > 1 && lower != upper;
    }
    free(values);
    return seen;
}

static void seen_release(struct seen *seen) {
    free(seen->c);
    free(seen->joint);
}

static signed char side_of(const struct seen *seen, size_t i) {
    if (seen->lower[i] == seen->upper[i])
        return 1;
    return (signed char)((seen->r[i] > 0) - (seen->r[i] < 0));
}

/* How close a satisfied row is held; below 0: rows in several outputs wait. Also says whether eps follows |W r|. */
static double hold_of(const struct seen *seen, const double *scales, bool first, bool *follows) {
    double all = 0, joint = 0;
    for (size_t i = 0; i < seen->rows; i++) {
        double part = scales[i] * seen->r[i] * (scales[i] * seen->r[i]);
        all += part;
        joint += seen->joint[i] ? part : 0;
    }
    bool close = sqrt(all) < CLOSE, any = false;
    for (size_t i = 0; i < seen->rows; i++)
        any = any || seen->joint[i];
    bool leads = first && any && !close && joint <= LEAD_SHARE * all;
    *follows = !close && !leads;
    return leads ? -1 : close ? HOLD_SHARE * sqrt(all) : 0;
}

static bool is_active(const struct seen *seen, const double *scales, size_t i, double hold) {
    double slack = fmin(seen->c[i] - seen->lower[i], seen->upper[i] - seen->c[i]);
    if (seen->lower[i] == seen->upper[i])
        return true;
    return (seen->r[i] != 0 || scales[i] * slack < hold) && !(hold < 0 && seen->joint[i]);
}

/* In clipped steps of restarts, outputs on a bound that A' W r would take beyond it are held. */
static void hold_bounds(const struct replay *replay, const struct seen *seen, struct choice *choice) {
    const struct plain_layer *plain = replay->plain;
    const struct plan *plan = replay->layer->plan;
    const uint32_t *outputs = plan_words(plan, plan->clip.entry), *rows_of = plan_words(plan, plan->clip.slot);
    const struct node_matrix *j = &plain->jacobian;
    struct plain_point point = {.leaf = {[SPACE_X] = replay->x, [SPACE_Y] = choice->y}};
    double *values = plain_values(&plain->problem.graph, point), *slope = calloc(plain->outputs + 1, sizeof *slope);
    for (size_t i = 0; i < plain->rows; i++)
        for (size_t e = j->first[i]; e < j->first[i + 1]; e++)
            slope[j->column[e]] += choice->weights[i] * values[j->node[e]] * (choice->weights[i] * seen->r[i]);
    for (size_t e = 0; e < plan->clip.entry.count; e++) {
        size_t column = outputs[e], row = rows_of[e];
        bool below = choice->y[column] <= seen->lower[row] && slope[column] > 0;
        bool above = choice->y[column] >= seen->upper[row] && slope[column] < 0;
        if (below || above)
            choice->weights[row] = replay->scales[row];
    }
    free(values);
    free(slope);
}

static void choose(struct replay *replay, size_t step, const struct tape_step *taken) {
    const hn_layer_options *options = &replay->layer->options;
    struct choice *choice = &replay->choices[step];
    struct seen seen = look(replay->plain, replay->x, choice->y);
    bool weighted = options->method != HN_METHOD_PAPER && options->method != HN_METHOD_HARDNET &&
                    options->method != HN_METHOD_SNARENET;
    double hold = 0;
    for (size_t i = 0; i < seen.rows && step == 0; i++)
        replay->scales[i] = weighted ? ldexp(1, -ilogb(fmax(1, seen.most[i]))) : 1;
    choice->eps = weighted ? taken->eps : options->damping;
    choice->clipped = taken->kind == SAMPLE_CLIPPED;
    if (options->method == HN_METHOD_AUTO && replay->attempt == 0 && !choice->clipped)
        hold = hold_of(&seen, replay->scales, step == 0, &choice->follows);
    choice->follows = choice->follows && choice->eps < 1;
    choice->weights = calloc(seen.rows + 1, sizeof *choice->weights);
    for (size_t i = 0; i < seen.rows; i++) {
        bool active = !weighted || is_active(&seen, replay->scales, i, hold);
        choice->weights[i] = active ? replay->scales[i] : 0;
        replay->sides[step * seen.rows + i] = side_of(&seen, i);
    }
    if (choice->clipped && replay->attempt > 1)
        hold_bounds(replay, &seen, choice);
    for (size_t i = 0; i < seen.rows; i++)
        replay->condition = fmax(replay->condition, pow(choice->weights[i] * seen.most[i], 2) / choice->eps);
    replay->following += choice->follows;
    seen_release(&seen);
}

struct replay replay_of(const struct plain_layer *plain, const hn_layer *layer, const hn_batch *batch) {
    struct replay replay = {.plain = plain, .layer = layer, .x = batch->x, .raw = batch->y_raw};
    const struct tape tape = tape_of(layer->plan, batch->tape, 0);
    const double *iterates = tape.iterate;
    replay.steps = (size_t)tape.head->steps;
    replay.first = replay.steps > 0 ? iterates : batch->y;
    replay.attempt = tape.head->attempt;
    replay.choices = calloc(replay.steps + 1, sizeof *replay.choices);
    replay.scales = calloc(3 * plain->rows + 1, sizeof *replay.scales);
    replay.lower = replay.scales + plain->rows;
    replay.upper = replay.lower + plain->rows;
    struct seen seen = look(plain, replay.x, replay.first);
    memcpy(replay.lower, seen.lower, plain->rows * sizeof *seen.lower);
    memcpy(replay.upper, seen.upper, plain->rows * sizeof *seen.upper);
    seen_release(&seen);
    replay.sides = calloc(replay.steps * plain->rows + 1, sizeof *replay.sides);
    replay.at_x = calloc(plain->inputs + 1, sizeof *replay.at_x);
    replay.at_y = calloc(plain->outputs + 1, sizeof *replay.at_y);
    for (size_t k = 0; k < replay.steps; k++) {
        replay.choices[k].y = iterates + k * plain->outputs;
        replay.choices[k].y_after = k + 1 < replay.steps ? iterates + (k + 1) * plain->outputs : batch->y;
        choose(&replay, k, &tape.step[k]);
    }
    return replay;
}

void replay_release(struct replay *replay) {
    for (size_t k = 0; k < replay->steps; k++)
        free(replay->choices[k].weights);
    free(replay->choices);
    free(replay->scales);
    free(replay->sides);
    free(replay->at_x);
    free(replay->at_y);
}

/* ---- steps ---- */

void replay_begin(struct replay *replay) {
    for (size_t i = 0; i < replay->plain->inputs; i++)
        replay->at_x[i] = replay->x[i];
    for (size_t j = 0; j < replay->plain->outputs; j++)
        replay->at_y[j] = replay->raw[j];
}

/* r from the side that was decided, whatever rounding makes of it here. */
static void take_sides(const struct replay *replay, size_t step, struct plain_rows *rows) {
    const signed char *side = replay->sides + step * replay->plain->rows;
    for (size_t i = 0; i < replay->plain->rows; i++)
        rows->r[i] = side[i] > 0 ? rows->c[i] - rows->upper[i] : side[i] < 0 ? rows->c[i] - rows->lower[i] : 0;
}

static long double complex eps_of(const struct replay *replay, size_t step, const struct plain_rows *rows) {
    long double complex sum = 0;
    if (!replay->choices[step].follows)
        return replay->choices[step].eps;
    for (size_t i = 0; i < replay->plain->rows; i++)
        sum += replay->scales[i] * rows->r[i] * (replay->scales[i] * rows->r[i]);
    return replay->layer->options.damping * csqrtl(sum);
}

/* Entries of next that the layer has left on a bound follow the bound; returns how many. */
static size_t clip(const struct replay *replay, const double *theirs, const struct plain_rows *rows,
                   long double complex *next) {
    const struct plan *plan = replay->layer->plan;
    const uint32_t *outputs = plan_words(plan, plan->clip.entry), *rows_of = plan_words(plan, plan->clip.slot);
    size_t count = 0;
    for (size_t e = 0; e < plan->clip.entry.count; e++) {
        size_t j = outputs[e], row = rows_of[e];
        bool low = theirs[j] == replay->lower[row], high = theirs[j] == replay->upper[row];
        if (low || high)
            next[j] = low ? rows->lower[row] : rows->upper[row];
        count += low || high;
    }
    return count;
}

/* Where a restart begins: at y_raw and a constant, at the start values, or between two bounds; clipped but for the first. */
static void place_start(struct replay *replay) {
    enum { UNCLIPPED = 1, FROM_START = 3 };
    const struct plan *plan = replay->layer->plan;
    const uint32_t *outputs = plan_words(plan, plan->clip.entry), *rows_of = plan_words(plan, plan->clip.slot);
    if (replay->attempt <= UNCLIPPED || replay->attempt == RESTART_LONG)
        return;
    struct plain_rows rows = plain_layer_rows(replay->plain, replay->at_x, replay->at_y);
    for (size_t j = 0; j < replay->plain->outputs; j++) {
        long double imaginary = replay->attempt == FROM_START ? 0 : cimagl(replay->at_y[j]);
        replay->at_y[j] = replay->first[j] + imaginary * I;
    }
    for (size_t e = 0; e < plan->clip.entry.count && replay->attempt > FROM_START && replay->attempt <= RESTART_LAST &&
                       replay->attempt % 2 == 0;
         e++) {
        size_t j = outputs[e], row = rows_of[e];
        long double complex lower = rows.lower[row], upper = rows.upper[row];
        if (isfinite((double)creall(upper - lower)))
            replay->at_y[j] = lower + (upper - lower) * ((replay->first[j] - creall(lower)) / creall(upper - lower));
    }
    clip(replay, replay->first, &rows, replay->at_y);
    plain_rows_release(&rows);
}

static double distance(const long double complex *ours, const double *theirs, size_t count) {
    long double sum = 0, size = 1;
    for (size_t j = 0; j < count; j++) {
        sum += powl(creall(ours[j]) - theirs[j], 2);
        size += powl(theirs[j], 2);
    }
    return (double)sqrtl(sum / size);
}

double replay_run(struct replay *replay) {
    size_t n = replay->plain->outputs;
    long double complex *next = calloc(n + 1, sizeof *next);
    double apart = 0;
    replay->clipped = 0;
    place_start(replay);
    for (size_t k = 0; k < replay->steps; k++) {
        const struct choice *choice = &replay->choices[k];
        struct plain_rows rows = plain_layer_rows(replay->plain, replay->at_x, replay->at_y);
        take_sides(replay, k, &rows);
        plain_weighted_step(replay->plain, &rows, choice->weights, eps_of(replay, k, &rows), replay->at_y, next);
        if (choice->clipped)
            replay->clipped += clip(replay, choice->y_after, &rows, next);
        plain_rows_release(&rows);
        apart = fmax(apart, distance(next, choice->y_after, n));
        for (size_t j = 0; j < n; j++)
            replay->at_y[j] = choice->y_after[j] + cimagl(next[j]) * I;
    }
    free(next);
    return apart;
}
