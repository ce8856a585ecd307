/* check_theorem.c - the constants of the paper's theorem, estimated along its iteration. See check_parts.h and
 * theorem.h.
 *
 *     L    the largest |grad V(a) - grad V(b)| / |a - b|, grad V = J' r, over successive iterates a, b and over
 *          b = a + h d, where d approximates the direction of largest curvature: d <- grad V(a + h d) - grad V(a) is a
 *          power iteration with V's Hessian
 *     mu   the smallest |grad V|^2 / 2 V over iterates that violate a row (V* = 0)
 *     G    the largest |J w| / |w|, w by power iteration with J' J
 *
 * Paths run at the paper's eps and at the best eps that the first ones suggest. Iterates with V above its value at the
 * start of the path are ignored: the theorem is about its sublevel set. L and G are lower bounds, mu an upper bound.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/random.h"
#include "check/check_paths.h"

#include <math.h>
#include <string.h>

static const double PAPER_EPS = 0.3;
static const double NEARBY = 1e-4; /* |a - b|, relative to |a| above 1 */
static const double WORK_LIMIT = 1.5e9;
static const double TOLERANCE = 1e-8; /* smaller violations are ignored for mu */
static const double SMALLEST_MOVE =
    1e-6; /* of successive iterates: below, differences of gradients are rounding errors */
enum {
    FIRST_TURNS = 30,
    TURNS = 2,
    RUNS = 3
};                               /* power iteration steps: d and w are updated at every step of the first OFTEN, */
enum { OFTEN = 20, SELDOM = 5 }; /* then at every SELDOM-th: iterates hardly change any more */

/* Vectors have CHECK_MOST numbers for each entry. */
struct explorer {
    struct check *check;
    hn_check_theorem *report;
    struct paths paths;
    struct probe probe;
    double *gradient, *before; /* of V, at this step and the previous one */
    double *direction;         /* d, of length 1 */
    double *vector;            /* w, of length 1 */
    double *product;           /* rows: J w */
    double *point;             /* one sample's a + h d */
    bool counts[CHECK_MOST];   /* the path's current iterate */
};

/* ---- vectors: the lengths of all samples in one pass ---- */

struct lengths {
    double of[CHECK_MOST];
};

static struct lengths check_theorem_distance(const double *a, const double *b, size_t count) {
    struct lengths sum = {{0}};
    for (size_t i = 0; i < count * CHECK_MOST; i += CHECK_MOST)
        for (size_t sample = 0; sample < CHECK_MOST; sample++) {
            double d = a[i + sample] - (b ? b[i + sample] : 0);
            sum.of[sample] += d * d;
        }
    for (size_t sample = 0; sample < CHECK_MOST; sample++)
        sum.of[sample] = sqrt(sum.of[sample]);
    return sum;
}

static struct lengths length(const double *v, size_t count) {
    return check_theorem_distance(v, NULL, count);
}

static void randomise(double *v, size_t count, size_t sample) {
    struct random random = random_start(1, sample);
    for (size_t i = 0; i < count; i++)
        v[i * CHECK_MOST + sample] = random_between(&random, -1, 1);
}

/* Normalises to length 1. A sample whose length is 0 or not finite is restarted. */
static void normalise(double *v, size_t count) {
    struct lengths size = length(v, count);
    for (size_t sample = 0; sample < CHECK_MOST; sample++)
        if (!isfinite(size.of[sample]) || !(size.of[sample] > 0))
            randomise(v, count, sample);
    size = length(v, count);
    for (size_t i = 0; i < count * CHECK_MOST; i += CHECK_MOST)
        for (size_t sample = 0; sample < CHECK_MOST; sample++)
            v[i + sample] /= size.of[sample];
}

/* ---- G ---- */

static void multiply(struct explorer *e) {
    const struct check_matrix *j = &e->check->by_y;
    memset(e->product, 0, e->check->rows * CHECK_MOST * sizeof *e->product);
    for (size_t i = 0; i < e->check->rows; i++)
        for (size_t k = j->first[i]; k < j->first[i + 1]; k++) {
            const double *entry = probe_entry(&e->probe, k), *w = e->vector + (size_t)j->column[k] * CHECK_MOST;
            for (size_t sample = 0; sample < CHECK_MOST; sample++)
                e->product[i * CHECK_MOST + sample] += entry[sample] * w[sample];
        }
}

static void multiply_transposed(struct explorer *e) {
    const struct check_matrix *j = &e->check->by_y;
    memset(e->vector, 0, e->check->columns * CHECK_MOST * sizeof *e->vector);
    for (size_t i = 0; i < e->check->rows; i++)
        for (size_t k = j->first[i]; k < j->first[i + 1]; k++) {
            const double *entry = probe_entry(&e->probe, k);
            double *w = e->vector + (size_t)j->column[k] * CHECK_MOST;
            for (size_t sample = 0; sample < CHECK_MOST; sample++)
                w[sample] += entry[sample] * e->product[i * CHECK_MOST + sample];
        }
}

static void turn_vector(struct explorer *e) {
    multiply(e);
    struct lengths stretch = length(e->product, e->check->rows);
    for (size_t sample = 0; sample < CHECK_MOST; sample++)
        if (e->counts[sample] && isfinite(stretch.of[sample]))
            e->report->G = fmax(e->report->G, stretch.of[sample]);
    multiply_transposed(e);
    normalise(e->vector, e->check->columns);
}

/* ---- L ---- */

static double step_of(const double *y, size_t n) {
    double largest = 1;
    for (size_t j = 0; j < n; j++)
        largest = fmax(largest, fabs(y[j]));
    return NEARBY * largest;
}

static void add_pair(struct explorer *e, double change, double distance) {
    double ratio = change / distance;
    e->report->pairs++;
    if (isfinite(ratio))
        e->report->L = fmax(e->report->L, ratio);
}

/* Places the sample at a + h d; returns |a - b| as rounded. */
static double place_nearby(struct explorer *e, size_t sample, const double *y) {
    size_t n = e->check->columns;
    double h = step_of(y, n), sum = 0;
    for (size_t j = 0; j < n; j++) {
        e->point[j] = y[j] + h * e->direction[j * CHECK_MOST + sample];
        sum += (e->point[j] - y[j]) * (e->point[j] - y[j]);
    }
    probe_place(&e->probe, sample, e->check->x + sample * e->check->inputs, e->point);
    return sqrt(sum);
}

/* Ignored samples, and those where V is flat, keep their d. */
static void turn_direction(struct explorer *e, int step) {
    size_t n = e->check->columns;
    double moved[CHECK_MOST] = {0};
    for (size_t sample = 0; sample < CHECK_MOST; sample++)
        if (e->counts[sample])
            moved[sample] = place_nearby(e, sample, paths_iterate(&e->paths, step, sample));
    probe_run(&e->probe);
    struct lengths change = check_theorem_distance(e->probe.gradient, e->gradient, n);
    for (size_t sample = 0; sample < CHECK_MOST; sample++) {
        if (!e->counts[sample] || !isfinite(change.of[sample]) || !(change.of[sample] > 0) || !(moved[sample] > 0))
            continue;
        add_pair(e, change.of[sample], moved[sample]);
        for (size_t j = 0; j < n * CHECK_MOST; j += CHECK_MOST)
            e->direction[j + sample] = (e->probe.gradient[j + sample] - e->gradient[j + sample]) / change.of[sample];
    }
}

/* change: |grad V(a) - grad V(b)| between this iterate and the previous one. */
static void add_step(struct explorer *e, size_t sample, int step, double change) {
    const double *a = paths_iterate(&e->paths, step - 1, sample), *b = paths_iterate(&e->paths, step, sample);
    double sum = 0, size = 1;
    for (size_t j = 0; j < e->check->columns; j++) {
        sum += (a[j] - b[j]) * (a[j] - b[j]);
        size = fmax(size, fabs(b[j]));
    }
    if (sqrt(sum) > SMALLEST_MOVE * size)
        add_pair(e, change, sqrt(sum));
}

/* ---- mu ---- */

static void weigh(struct explorer *e, size_t sample, int step, double size) {
    double ratio = size * size / (2 * e->probe.energy[sample]);
    if (!(e->probe.violation[sample] > TOLERANCE) || !(ratio < e->report->mu))
        return;
    e->report->mu = ratio;
    e->report->mu_point = sample;
    e->report->mu_step = (size_t)step;
}

/* ---- running the paths ---- */

static void add_iterates(struct explorer *e, int step) {
    struct lengths size = length(e->gradient, e->check->columns);
    struct lengths change = check_theorem_distance(e->gradient, e->before, e->check->columns);
    for (size_t sample = 0; sample < CHECK_MOST; sample++) {
        bool counted = e->counts[sample] && step > 0;
        bool within = step < e->paths.length[sample] && e->probe.energy[sample] <= e->paths.energy[sample];
        e->counts[sample] = within && isfinite(size.of[sample]);
        e->report->points += e->counts[sample];
        if (e->counts[sample])
            weigh(e, sample, step, size.of[sample]);
        if (e->counts[sample] && counted)
            add_step(e, sample, step, change.of[sample]);
    }
}

static void look_around(struct explorer *e, int step) {
    size_t bytes = e->check->columns * CHECK_MOST * sizeof(double);
    int turns = step == 0 ? FIRST_TURNS : step < OFTEN || step % SELDOM == 0 ? TURNS : 0;
    memcpy(e->before, e->gradient, bytes);
    memcpy(e->gradient, e->probe.gradient, bytes);
    add_iterates(e, step);
    for (int i = 0; i < turns; i++)
        turn_vector(e);
    for (int i = 0; i < turns; i++)
        turn_direction(e, step);
}

/* Runs the paths at an eps and visits their iterates; `explore` also updates the estimates. */
static hn_status check_theorem_walk(struct explorer *e, double eps, bool explore, hn_check_rate *rate,
                                    hn_error *error) {
    hn_status status = paths_run(&e->paths, eps, &e->report->why_not, error);
    if (status != HN_OK || e->report->why_not)
        return status;
    memset(e->counts, 0, sizeof e->counts);
    for (int step = 0; step <= PATH_STEPS; step++) {
        paths_visit(&e->paths, &e->probe, step);
        if (explore)
            look_around(e, step);
    }
    *rate = paths_rate(&e->paths, eps);
    return HN_OK;
}

/* ---- the check ---- */

static hn_status check_theorem_create(struct explorer *e, hn_error *error) {
    struct check *check = e->check;
    double **vectors[] = {&e->gradient, &e->before, &e->direction, &e->vector};
    bool placed = true;
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        *vectors[i] = arena_take(&check->arena, check->columns + 1, CHECK_MOST * sizeof(double));
        placed = placed && *vectors[i];
    }
    e->product = arena_take(&check->arena, check->rows + 1, CHECK_MOST * sizeof(double));
    e->point = arena_take(&check->arena, check->columns + 1, sizeof(double));
    if (!placed || !e->product || !e->point)
        return error_no_memory(error, "check");
    memset(e->gradient, 0, check->columns * CHECK_MOST * sizeof(double));
    memset(e->direction, 0, check->columns * CHECK_MOST * sizeof(double));
    memset(e->vector, 0, check->columns * CHECK_MOST * sizeof(double));
    normalise(e->direction, check->columns);
    normalise(e->vector, check->columns);
    return paths_create(&e->paths, check, error);
}

static struct theorem_constants constants_of(const hn_check_theorem *t) {
    return (struct theorem_constants){.L = t->L, .mu = t->mu, .G = t->G};
}

static hn_status estimate(struct explorer *e, hn_error *error) {
    hn_check_theorem *t = e->report;
    t->mu = INFINITY;
    hn_status status = check_theorem_walk(e, PAPER_EPS, true, &t->at_paper, error);
    if (status != HN_OK || t->why_not)
        return status;
    if (t->points == 0)
        t->why_not = "the paper's iteration could not be evaluated anywhere";
    else if (!(t->L > 0) || t->mu == INFINITY)
        t->why_not = "no checked point violates a row";
    if (t->why_not)
        return HN_OK;
    struct theorem_constants constants = constants_of(t);
    status = check_theorem_walk(e, theorem_best_eps(&constants), true, &t->at_best, error);
    if (status != HN_OK || t->why_not)
        return status;
    constants = constants_of(t);
    t->eps = theorem_best_eps(&constants);
    t->k = theorem_k(&constants, t->eps);
    t->rate = theorem_rate(&constants, t->eps);
    t->paper_rate = theorem_rate(&constants, PAPER_EPS);
    return check_theorem_walk(e, t->eps, false, &t->at_best, error);
}

/* Three layers, three runs with a few evaluations around the iterates; the constants are measured. */
static bool is_affordable(const struct check *check) {
    const hn_check_correction *c = check->correction;
    double making = CHECK_WORK_PER_NODE * (double)hn_model_node_count(check->model);
    double stepping = 1.5 * PATH_STEPS * check_step_work(&c->info);
    double looking =
        24 * PATH_STEPS *
        ((double)c->info.operators + (double)check->info.value_instructions + 4 * (double)check_jacobian_count(check));
    return RUNS * (making + stepping + looking) < WORK_LIMIT;
}

hn_status check_theorem(struct check *check, hn_error *error) {
    if (check->correction->why_not)
        return HN_OK;
    hn_check_theorem *report = arena_take(&check->arena, 1, sizeof *report);
    if (!report)
        return error_no_memory(error, "check");
    *report = (hn_check_theorem){.points = 0};
    check->theorem = report;
    if (!is_affordable(check)) {
        report->why_not = "the model is too large for this check";
        return HN_OK;
    }
    check_stage(check, "the theorem's constants");
    struct explorer explorer = {.check = check, .report = report};
    hn_status status = check_theorem_create(&explorer, error);
    if (status == HN_OK)
        status = probe_create(&explorer.probe, check, error);
    if (status == HN_OK)
        status = estimate(&explorer, error);
    probe_release(&explorer.probe);
    return status;
}
