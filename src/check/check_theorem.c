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
#include "base/random.h"
#include "check/point_table.h"
#include "check/theorem.h"

#include <math.h>
#include <string.h>

static const double PAPER_EPS = 0.3;
static const double NEARBY = 1e-4; /* |a - b|, relative to |a| above 1 */
static const double WORK_LIMIT = 1.5e9;
static const double TOLERANCE = 1e-8;     /* smaller violations are ignored for mu */
static const double SMALLEST_MOVE = 1e-6; /* of iterates: below this, differences of gradients are rounding errors */
static const double LEAST_ENERGY = 5e-21; /* |r| = 1e-10: below this, V is rounding error */
enum { PATH_STEPS = 100, RUNS = 3 };
enum { FIRST_TURNS = 30, TURNS = 2 }; /* power iteration steps: d and w are updated at every step of the first OFTEN, */
enum { OFTEN = 20, SELDOM = 5 };      /* then at every SELDOM-th: iterates hardly change any more */

/* CHECK_MOST runs of the paper's iteration, from the check's points and the additional ones. */
struct paths {
    struct check *check;
    double *iterate;            /* (PATH_STEPS + 1) x CHECK_MOST x columns */
    int length[CHECK_MOST];     /* iterates of each path: fewer if an evaluation was not finite */
    double *energy, *violation; /* (PATH_STEPS + 1) x CHECK_MOST: V and max |r|, set by visits */
};

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

/* ---- paths ---- */

static double *paths_iterate(const struct paths *paths, int step, size_t path) {
    return paths->iterate + ((size_t)step * CHECK_MOST + path) * paths->check->columns;
}

static void watch(void *context, size_t sample, int iteration, const hn_real *y, hn_real violation, hn_real damping) {
    struct paths *paths = context;
    (void)damping;
    if (iteration > PATH_STEPS || !isfinite(violation) || iteration != paths->length[sample])
        return;
    memcpy(paths_iterate(paths, iteration, sample), y, paths->check->columns * sizeof *y);
    paths->length[sample] = iteration + 1;
}

/* Computes all iterates at a damping; false, with a reason, if no layer can be created. */
static bool paths_run(struct paths *paths, double eps, const char **why_not) {
    struct check *check = paths->check;
    hn_layer_options options = hn_layer_defaults();
    options.method = HN_METHOD_PAPER;
    options.damping = eps;
    options.iterations = PATH_STEPS;
    memset(paths->length, 0, sizeof paths->length);
    hn_layer *layer = check_make_layer(check, &options, why_not);
    double *y = check_take(check, CHECK_MOST * check->columns, sizeof *y);
    const hn_batch batch = {.size = sizeof batch,
                            .count = CHECK_MOST,
                            .x = check->found.x,
                            .y_raw = check->found.y,
                            .y = y,
                            .watch = watch,
                            .watch_context = paths};
    if (layer && y)
        check->status = check_run_layer(layer, &batch, check->error);
    hn_layer_destroy(layer);
    return layer && check->status == HN_OK;
}

/* Sets the probe to the iterates of a step, one sample per path (the last iterate of a shorter path), and stores V. */
static void paths_visit(const struct paths *paths, struct probe *probe, int step) {
    const struct check *check = paths->check;
    for (size_t path = 0; path < CHECK_MOST; path++) {
        int last = paths->length[path] - 1, at = step < last ? step : last;
        const double *x = check->found.x + path * check->inputs, *y = check->found.y + path * check->columns;
        board_place(&probe->board, path, x, at >= 0 ? paths_iterate(paths, at, path) : y);
    }
    probe_run(probe);
    memcpy(paths->energy + (size_t)step * CHECK_MOST, probe->energy, sizeof probe->energy);
    memcpy(paths->violation + (size_t)step * CHECK_MOST, probe->violation, sizeof probe->violation);
}

/* A path contributes until V is nearly 0. */
static void add_path(const struct paths *paths, size_t path, hn_check_rate *rate) {
    for (int step = 0; step + 1 < paths->length[path]; step++) {
        double before = paths->energy[(size_t)step * CHECK_MOST + path];
        double after = paths->energy[((size_t)step + 1) * CHECK_MOST + path];
        if (!(before > LEAST_ENERGY) || !isfinite(after))
            return;
        double ratio = fmax(after, LEAST_ENERGY) / before;
        rate->mean += log(ratio);
        rate->worst = fmax(rate->worst, ratio);
        rate->steps++;
    }
}

/* The rate at which V decreased, over all steps of all visited paths. */
static hn_check_rate paths_rate(const struct paths *paths, double eps) {
    hn_check_rate rate = {.eps = eps};
    for (size_t path = 0; path < CHECK_MOST; path++)
        add_path(paths, path, &rate);
    rate.mean = rate.steps > 0 ? exp(rate.mean / (double)rate.steps) : 0;
    return rate;
}

/* ---- vectors: the lengths of all samples in one pass ---- */

struct lengths {
    double of[CHECK_MOST];
};

static struct lengths distance_of(const double *a, const double *b, size_t count) {
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
    return distance_of(v, NULL, count);
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
            const double *entry = board_at(&e->probe.board, BOARD_BY_Y, k),
                         *w = e->vector + (size_t)j->column[k] * CHECK_MOST;
            for (size_t sample = 0; sample < CHECK_MOST; sample++)
                e->product[i * CHECK_MOST + sample] += entry[sample] * w[sample];
        }
}

static void multiply_transposed(struct explorer *e) {
    const struct check_matrix *j = &e->check->by_y;
    memset(e->vector, 0, e->check->columns * CHECK_MOST * sizeof *e->vector);
    for (size_t i = 0; i < e->check->rows; i++)
        for (size_t k = j->first[i]; k < j->first[i + 1]; k++) {
            const double *entry = board_at(&e->probe.board, BOARD_BY_Y, k);
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
    board_place(&e->probe.board, sample, e->check->found.x + sample * e->check->inputs, e->point);
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
    struct lengths change = distance_of(e->probe.gradient, e->gradient, n);
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
    struct lengths change = distance_of(e->gradient, e->before, e->check->columns);
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
static bool walk(struct explorer *e, double eps, bool explore, hn_check_rate *rate) {
    if (!paths_run(&e->paths, eps, &e->report->why_not))
        return false;
    memset(e->counts, 0, sizeof e->counts);
    for (int step = 0; step <= PATH_STEPS; step++) {
        paths_visit(&e->paths, &e->probe, step);
        if (explore)
            look_around(e, step);
    }
    *rate = paths_rate(&e->paths, eps);
    return true;
}

/* ---- the check ---- */

static void create_explorer(struct explorer *e) {
    struct check *check = e->check;
    size_t numbers = (size_t)(PATH_STEPS + 1) * CHECK_MOST, vector = CHECK_MOST * check->columns;
    e->gradient = check_take(check, vector, sizeof(double));
    e->before = check_take(check, vector, sizeof(double));
    e->direction = check_take(check, vector, sizeof(double));
    e->vector = check_take(check, vector, sizeof(double));
    e->product = check_take(check, CHECK_MOST * check->rows, sizeof(double));
    e->point = check_take(check, check->columns, sizeof(double));
    e->paths = (struct paths){.check = check,
                              .iterate = check_take(check, numbers * check->columns, sizeof(double)),
                              .energy = check_take(check, numbers, sizeof(double)),
                              .violation = check_take(check, numbers, sizeof(double))};
    if (check->status != HN_OK)
        return;
    normalise(e->direction, check->columns);
    normalise(e->vector, check->columns);
}

static struct theorem_constants constants_of(const hn_check_theorem *t) {
    return (struct theorem_constants){.L = t->L, .mu = t->mu, .G = t->G};
}

static void estimate(struct explorer *e) {
    hn_check_theorem *t = e->report;
    t->mu = INFINITY;
    if (!walk(e, PAPER_EPS, true, &t->at_paper))
        return;
    if (t->points == 0)
        t->why_not = "the paper's iteration could not be evaluated anywhere";
    else if (!(t->L > 0) || t->mu == INFINITY)
        t->why_not = "no checked point violates a row";
    struct theorem_constants constants = constants_of(t);
    if (t->why_not || !walk(e, theorem_best_eps(&constants), true, &t->at_best))
        return;
    constants = constants_of(t);
    t->eps = theorem_best_eps(&constants);
    t->k = theorem_k(&constants, t->eps);
    t->rate = theorem_rate(&constants, t->eps);
    t->paper_rate = theorem_rate(&constants, PAPER_EPS);
    walk(e, t->eps, false, &t->at_best);
}

/* Three layers, three runs with a few evaluations around the iterates; the constants are measured. */
static bool is_affordable(const struct check *check) {
    const hn_check_correction *c = check->found.correction;
    double making = CHECK_WORK_PER_NODE * (double)hn_model_node_count(check->model);
    double stepping = 1.5 * PATH_STEPS * check_step_work(&c->info);
    double looking =
        24 * PATH_STEPS *
        ((double)c->info.operators + (double)check->found.value_instructions + 4 * (double)check->found.jacobian.count);
    return RUNS * (making + stepping + looking) < WORK_LIMIT;
}

void check_theorem(struct check *check) {
    if (check->found.correction->why_not)
        return;
    hn_check_theorem *report = check->found.theorem = check_take(check, 1, sizeof *report);
    if (!report)
        return;
    if (!is_affordable(check)) {
        report->why_not = "the model is too large for this check";
        return;
    }
    check_stage(check, "the theorem's constants");
    struct explorer explorer = {.check = check, .report = report};
    create_explorer(&explorer);
    if (probe_create(&explorer.probe, check))
        estimate(&explorer);
    board_release(&explorer.probe.board);
}
