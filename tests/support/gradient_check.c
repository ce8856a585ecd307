/* gradient_check.c - see gradient_check.h.
 *
 * SPDX-License-Identifier: MIT */
#include "support/gradient_check.h"

#include "base/random.h"
#include "support/check.h"
#include "support/plain_graph.h"
#include "support/run_layer.h"

enum { POINTS = 7 }; /* the middle, then -h, h, -h/2, h/2, -h/4, h/4 */

static const double OFFSETS[POINTS] = {0, -1, 1, -0.5, 0.5, -0.25, 0.25};
static const double NARROWING = 8, NARROWEST = 1e-7, GOOD = 1e-9, RELIABLE = 2e-8, ON_BOUND = 1e-12;

/* ---- what was decided at one point, as a number ---- */

struct decisions {
    const struct gradient_case *one;
    const double *x; /* of all points */
    uint64_t hash[POINTS];
    double *scale;         /* of all points: the rows' weights at the first iterate; NULL unless the method is auto */
    uint64_t rows[POINTS]; /* of the latest iterate, which count once a step goes on from there */
};

static void mix(uint64_t *hash, uint64_t word) {
    *hash = (*hash ^ word) * 0x9E3779B97F4A7C15U;
    *hash ^= *hash >> 29;
}

/* Violated or not, and from which side; a row that a step has put onto its bound, but for rounding, is a case of its
 * own. */
static uint64_t side_of(double c, double lower, double upper) {
    if (fabs(c - lower) <= ON_BOUND || fabs(c - upper) <= ON_BOUND)
        return 3;
    return c > upper ? 2 : c < lower;
}

/* Which rows auto has in its system once |W r| is below 0.1: violated ones, and those closer to a bound than half of |W r|.
 * A row that a step has put onto its bound is among them on either side of it: rounding does not decide here. */
static void mix_held(const struct plain_layer *plain, const double *values, const double *scale, uint64_t *hash) {
    const struct problem *p = &plain->problem;
    double squares = 0;
    for (size_t i = 0; i < plain->rows; i++) {
        double c = values[p->body[i]], r = fmax(0, c - values[p->upper[i]]) - fmax(0, values[p->lower[i]] - c);
        squares += scale[i] * r * (scale[i] * r);
    }
    for (size_t i = 0; i < plain->rows && squares < 0.01; i++) {
        double c = values[p->body[i]], slack = fmin(c - values[p->lower[i]], values[p->upper[i]] - c);
        mix(hash, scale[i] * slack < 0.5 * sqrt(squares));
    }
}

static void mix_rows(const struct plain_layer *plain, const double *x, const double *y, double *scale, bool first,
                     uint64_t *hash) {
    const struct problem *p = &plain->problem;
    struct plain_point point = {.leaf = {[SPACE_X] = x, [SPACE_Y] = y}};
    double *values = plain_values(&p->graph, point);
    for (size_t i = 0; i < plain->rows; i++) {
        double c = values[p->body[i]], lower = values[p->lower[i]], upper = values[p->upper[i]], most = 1;
        if (lower < upper)
            mix(hash, side_of(c, lower, upper));
        for (size_t e = plain->jacobian.first[i]; first && e < plain->jacobian.first[i + 1]; e++)
            most = fmax(most, fabs(values[plain->jacobian.node[e]]));
        mix(hash, (uint64_t)ilogb(most));
        if (first && scale)
            scale[i] = ldexp(1, -ilogb(most));
    }
    if (scale)
        mix_held(plain, values, scale, hash);
    free(values);
}

static void watch(void *context, size_t sample, int iteration, const hn_real *y, hn_real violation, hn_real damping) {
    struct decisions *all = context;
    const struct plain_layer *plain = all->one->plain;
    uint64_t bits;
    int exponent;
    (void)violation;
    if (frexp(damping, &exponent) != 0.5)
        damping = 0; /* follows |W r| and has a derivative; powers of two have none */
    memcpy(&bits, &damping, sizeof bits);
    mix(&all->hash[sample], bits);
    mix(&all->hash[sample], all->rows[sample]);
    all->rows[sample] = 0;
    if (plain)
        mix_rows(plain, all->x + sample * plain->inputs, y, all->scale ? all->scale + sample * plain->rows : NULL,
                 iteration == 0, &all->rows[sample]);
}

/* ---- differences ---- */

struct points {
    double *x, *raw, *scale;
    struct layer_results results;
    struct decisions decisions;
};

static struct points points_of(const struct gradient_case *one) {
    hn_layer_info info = hn_layer_info_of(one->layer);
    struct points points = {.results = results_of(one->layer, POINTS)};
    points.x = calloc(POINTS * info.inputs + 1, sizeof *points.x);
    points.raw = calloc(POINTS * info.outputs + 1, sizeof *points.raw);
    if (hn_layer_options_of(one->layer).method == HN_METHOD_AUTO)
        points.scale = calloc(POINTS * info.rows + 1, sizeof *points.scale);
    return points;
}

static void points_release(struct points *points) {
    free(points->x);
    free(points->raw);
    free(points->scale);
    results_release(&points->results);
}

static void run_points(const struct gradient_case *one, struct points *p, const double *dx, const double *dy,
                       double h) {
    size_t n = p->results.outputs, k = p->results.inputs;
    for (size_t s = 0; s < POINTS; s++) {
        for (size_t i = 0; i < k; i++)
            p->x[s * k + i] = one->x[i] + (dx ? OFFSETS[s] * h * dx[i] : 0);
        for (size_t j = 0; j < n; j++)
            p->raw[s * n + j] = one->raw[j] + (dy ? OFFSETS[s] * h * dy[j] : 0);
    }
    p->decisions = (struct decisions){.one = one, .x = p->x, .scale = p->scale};
    hn_batch batch = batch_into(&p->results, p->x, p->raw);
    batch.watch = watch;
    batch.watch_context = &p->decisions;
    layer_run(one->layer, &batch);
    for (size_t s = 0; s < POINTS; s++) {
        const hn_report *report = &p->results.reports[s];
        mix(&p->decisions.hash[s], (uint64_t)report->outcome);
        mix(&p->decisions.hash[s], (uint64_t)report->iterations);
        mix(&p->decisions.hash[s], (uint64_t)report->steps);
    }
}

static bool same_decisions(const struct points *p) {
    for (size_t s = 1; s < POINTS; s++)
        if (p->decisions.hash[s] != p->decisions.hash[0])
            return false;
    return true;
}

static double inner(const double *a, const double *b, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* The difference over h; false when its two extrapolations disagree: too much curvature, or too much rounding. */
static bool extrapolated(const struct points *p, const double *grad_y, double h, double *difference) {
    size_t n = p->results.outputs;
    double d[3];
    for (size_t level = 0; level < 3; level++) {
        const double *minus = p->results.y + (1 + 2 * level) * n, *plus = minus + n;
        double sum = 0;
        for (size_t j = 0; j < n; j++)
            sum += grad_y[j] * (plus[j] - minus[j]);
        d[level] = sum / (2 * h * OFFSETS[2 + 2 * level]);
    }
    double first = (4 * d[1] - d[0]) / 3, second = (4 * d[2] - d[1]) / 3;
    *difference = (16 * second - first) / 15;
    return fabs(second - first) <= RELIABLE * fmax(1, fabs(*difference));
}

/* The gradient along (dx, dy) against differences; goes on with a smaller h while that may help. */
static void check_direction(const struct gradient_case *one, struct points *p, const double *grad_y, const double *dx,
                            const double *dy, double slope, struct gradient_verdict *verdict) {
    double least = INFINITY;
    verdict->directions++;
    for (double h = one->widest; h >= NARROWEST && !(least <= GOOD); h /= NARROWING) {
        double difference;
        run_points(one, p, dx, dy, h);
        if (!same_decisions(p) || !extrapolated(p, grad_y, h, &difference))
            continue;
        least = fmin(least, fabs(slope - difference) / fmax(1, fabs(difference)));
        verdict->width = fmin(verdict->width, h);
    }
    if (least == INFINITY)
        verdict->skipped++;
    else
        verdict->error = fmax(verdict->error, least);
}

/* ---- all of it ---- */

static double *draw_direction(struct random *random, size_t count) {
    double *d = calloc(count + 1, sizeof *d), sum = 0;
    for (size_t i = 0; i < count; i++) {
        d[i] = random_normal(random);
        sum += d[i] * d[i];
    }
    for (size_t i = 0; i < count; i++)
        d[i] /= sqrt(sum);
    return d;
}

static bool all_finite(const double *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

static double *copied(const double *values, size_t count) {
    double *copy = calloc(count + 1, sizeof *copy);
    memcpy(copy, values, count * sizeof *copy);
    return copy;
}

/* The gradient of the middle, in a batch of its own copies. */
static void pull(const struct gradient_case *one, struct points *p, const double *grad_y, struct gradient_verdict *v) {
    size_t n = p->results.outputs, k = p->results.inputs, m = p->results.rows;
    double *repeated = calloc(POINTS * n + 1, sizeof *repeated);
    for (size_t s = 0; s < POINTS; s++)
        memcpy(repeated + s * n, grad_y, n * sizeof *grad_y);
    run_points(one, p, NULL, NULL, 0);
    hn_batch batch = batch_into(&p->results, p->x, p->raw);
    hn_gradient gradient = gradient_into(&p->results, repeated);
    layer_pull(one->layer, &batch, &gradient);
    v->finite = all_finite(gradient.grad_y_raw, n) && all_finite(gradient.grad_x, k) &&
                all_finite(gradient.grad_lower, m) && all_finite(gradient.grad_upper, m);
    v->ok = p->results.reports[0].outcome == HN_OUTCOME_OK;
    v->flagged = p->results.flagged[0];
    v->grad_x = copied(gradient.grad_x, k);
    v->grad_lower = copied(gradient.grad_lower, m);
    v->grad_upper = copied(gradient.grad_upper, m);
    free(repeated);
}

struct gradient_verdict gradient_check(const struct gradient_case *one) {
    struct random random = random_start(one->seed, 99);
    struct gradient_verdict verdict = {.width = INFINITY};
    struct points points = points_of(one);
    size_t n = points.results.outputs, k = points.results.inputs;
    double *grad_y = draw_direction(&random, n), *dy = draw_direction(&random, n), *dx = draw_direction(&random, k);
    pull(one, &points, grad_y, &verdict);
    double along_y = inner(points.results.grad_y_raw, dy, n), along_x = inner(points.results.grad_x, dx, k);
    check_direction(one, &points, grad_y, NULL, dy, along_y, &verdict);
    if (k > 0)
        check_direction(one, &points, grad_y, dx, NULL, along_x, &verdict);
    free(grad_y);
    free(dy);
    free(dx);
    points_release(&points);
    return verdict;
}

void gradient_verdict_release(struct gradient_verdict *verdict) {
    free(verdict->grad_x);
    free(verdict->grad_lower);
    free(verdict->grad_upper);
    *verdict = (struct gradient_verdict){.directions = 0};
}
