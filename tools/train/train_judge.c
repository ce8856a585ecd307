/* train_judge.c - selects the best weights: compares two validations on the same inputs, input by input.
 *
 * Inputs that are ok with both weights are compared by their mean objective. Of inputs that are ok with one of the two
 * only, each counts for it as much as the middle four fifths of the objectives are apart: so much the mean may be
 * higher for one more ok input of N, divided by N. It is the same for all of them, and no single dear input decides it.
 * Where all inputs are ok, this is the mean objective. Where no input is ok with both weights, more ok inputs are
 * better.
 *
 * Baselines are judged by their own loss, with the largest violation in place of |r|: their outputs are hardly ever ok.
 * An input whose loss is not finite (a constraint is undefined there) comes first: fewer of them are better.
 *
 * SPDX-License-Identifier: MIT */
#include "train/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- a validation ---- */

static struct train_verdict by_loss(const struct training *t) {
    hn_train_options weights = train_trainer_options(t->options);
    struct train_verdict verdict = {.objective = 0};
    double charge = 0, count = (double)t->validation, defined = count;
    for (size_t i = 0; i < t->validation; i++) {
        double size = t->reports[i].violation;
        verdict.violation = fmax(verdict.violation, size);
        verdict.ok += t->reports[i].outcome == HN_OUTCOME_OK;
        if (!isfinite(size) || !isfinite(t->objective[i])) {
            t->objective[i] = NAN;
            defined--;
            continue;
        }
        verdict.objective += t->objective[i] / count;
        if (size > 0)
            charge += (weights.residual_weight * size + weights.square_weight * size * size) / count;
    }
    verdict.figure = verdict.objective + charge;
    if (defined < count) {
        verdict.figure *= count / defined;
        verdict.objective *= count / defined; /* NaN where none is */
    }
    return verdict;
}

static struct train_verdict by_objective(const struct training *t) {
    struct train_verdict verdict = {.objective = 0};
    for (size_t i = 0; i < t->validation; i++) {
        verdict.violation = fmax(verdict.violation, t->reports[i].violation);
        if (t->reports[i].outcome != HN_OUTCOME_OK || !isfinite(t->objective[i])) {
            t->objective[i] = NAN;
            continue;
        }
        verdict.ok++;
        verdict.objective += t->objective[i];
    }
    verdict.objective = verdict.ok > 0 ? verdict.objective / (double)verdict.ok : (double)NAN;
    verdict.figure = verdict.ok > 0 ? verdict.objective : (double)INFINITY;
    return verdict;
}

hn_status judge_run(struct training *t, struct train_verdict *verdict, hn_error *error) {
    hn_policy *policy = hn_trainer_policy(t->trainer);
    hn_status status = hn_policy_run(policy, t->validation, t->validation_x, NULL, t->objective, t->reports, error);
    if (status == HN_OK)
        *verdict = t->options->by_loss ? by_loss(t) : by_objective(t);
    return status;
}

/* ---- against another ---- */

struct judge_pair judge_pair(size_t count, const double *before, const double *after) {
    struct judge_pair pair = {.both = 0};
    for (size_t i = 0; i < count; i++) {
        bool counts_before = !isnan(before[i]), counts_after = !isnan(after[i]);
        pair.lost += counts_before && !counts_after;
        pair.won += counts_after && !counts_before;
        if (!counts_before || !counts_after)
            continue;
        pair.both++;
        pair.before += before[i];
        pair.after += after[i];
    }
    pair.before /= pair.both > 0 ? (double)pair.both : 1;
    pair.after /= pair.both > 0 ? (double)pair.both : 1;
    return pair;
}

static int ascending(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* The distance between the first and the last decile; room: workspace of count numbers. */
static double distance_between_tenths(size_t count, const double *numbers, double *room) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(numbers[i]))
            room[found++] = numbers[i];
    qsort(room, found, sizeof *room, ascending);
    return found > 0 ? room[(found - 1) - (found - 1) / 10] - room[(found - 1) / 10] : 0;
}

static bool is_better(const struct training *t) {
    struct judge_pair pair = judge_pair(t->validation, t->kept, t->objective);
    if (pair.won == pair.lost && pair.both > 0)
        return pair.after < pair.before;
    double each = distance_between_tenths(t->validation, t->kept, t->sorted);
    if (pair.both == 0 || !(each > 0))
        return pair.won > pair.lost;
    return pair.after + each * ((double)pair.lost - (double)pair.won) / (double)pair.both < pair.before;
}

static bool has_less_loss(const struct training *t, const struct train_verdict *verdict) {
    struct judge_pair pair = judge_pair(t->validation, t->kept, t->objective);
    return pair.won == pair.lost ? verdict->figure < t->state.number[NUMBER_BEST_FIGURE] : pair.won > pair.lost;
}

/* While no input is ok the last weights are kept, but patience counts. */
void judge_keep(struct training *t, const struct train_verdict *verdict) {
    double *number = t->state.number;
    bool first = t->state.rows == 0;
    bool better = !first && (t->options->by_loss ? has_less_loss(t, verdict) : is_better(t));
    number[NUMBER_WAITED] = first || better ? 0 : number[NUMBER_WAITED] + 1;
    if (!first && !better && isfinite(number[NUMBER_BEST_FIGURE]))
        return;
    memcpy(t->state.best, hn_network_parameters_of(t->network), t->state.parameters * sizeof *t->state.best);
    memcpy(t->kept, t->objective, t->validation * sizeof *t->kept);
    number[NUMBER_BEST_STEP] = number[NUMBER_STEPS];
    number[NUMBER_BEST_FIGURE] = verdict->figure;
    number[NUMBER_BEST_OBJECTIVE] = verdict->objective;
    number[NUMBER_BEST_OK] = (double)verdict->ok;
    number[NUMBER_BEST_VIOLATION] = verdict->violation;
}

static void swap(double *a, double *b, size_t count) {
    for (size_t i = 0; i < count; i++) {
        double kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

hn_status judge_recall(struct training *t, hn_error *error) {
    double *weights = hn_network_parameters(t->network);
    struct train_verdict verdict;
    if (t->state.rows == 0)
        return HN_OK;
    swap(weights, t->state.best, t->state.parameters);
    hn_status status = judge_run(t, &verdict, error);
    swap(weights, t->state.best, t->state.parameters);
    if (status == HN_OK)
        memcpy(t->kept, t->objective, t->validation * sizeof *t->kept);
    return status;
}
