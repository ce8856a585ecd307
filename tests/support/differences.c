/* differences.c - see differences.h.
 *
 * SPDX-License-Identifier: MIT */
#include "support/differences.h"

#include "base/random.h"
#include "support/check.h"
#include "training/training_parts.h"

struct line {
    hn_trainer *trainer;
    const double *x;
    double *from, *direction;
};

static double loss_at(const struct line *line, double h, double *steps) {
    double *parameters = hn_network_parameters(line->trainer->network);
    hn_train_report report;
    for (size_t i = 0; i < line->trainer->parameters; i++)
        parameters[i] = line->from[i] + h * line->direction[i];
    assert_int_equal(hn_trainer_step(line->trainer, 1, line->x, NULL, &report, NULL), HN_OK);
    memcpy(parameters, line->from, line->trainer->parameters * sizeof *parameters);
    if (steps)
        *steps += report.steps;
    assert_int_equal(report.samples, 1); /* one that is dropped has nothing to compare */
    return report.loss;
}

static double difference(const struct line *line, double h) {
    return (loss_at(line, h, NULL) - loss_at(line, -h, NULL)) / (2 * h);
}

/* NaN when no h is small enough. */
static double slope_by_differences(const struct line *line) {
    for (double h = 1e-3; h > 1e-6; h /= 4) {
        double simd = difference(line, h), narrow = difference(line, h / 2), third = difference(line, h / 4);
        double first = (4 * narrow - simd) / 3, second = (4 * third - narrow) / 3;
        if (fabs(first - second) <= 1e-7 * fmax(1, fabs(second)))
            return second;
    }
    return NAN;
}

void difference_check(hn_trainer *trainer, const double *x, uint64_t seed, struct difference_verdict *verdict) {
    size_t count = trainer->parameters;
    struct line line = {trainer, x, calloc(count, sizeof(double)), calloc(count, sizeof(double))};
    struct random random = random_start(6, seed);
    double slope = 0;
    memcpy(line.from, hn_network_parameters(trainer->network), count * sizeof *line.from);
    for (size_t i = 0; i < count; i++)
        line.direction[i] = random_normal(&random) / sqrt((double)count);
    loss_at(&line, 0, &verdict->steps);
    for (size_t i = 0; i < count; i++)
        slope += trainer->gradients[i] * line.direction[i];
    double wanted = slope_by_differences(&line), error = fabs(slope - wanted) / fmax(1, fabs(wanted));
    if (error < 1e-6) {
        verdict->good++;
        verdict->worst = fmax(verdict->worst, error);
    }
    free(line.from);
    free(line.direction);
}
