/* test_complex_step.c - hn_layer_gradient against the complex step, to 1e-11 (R16).
 *
 * The steps are taken once more by an independent, dense, 80-bit implementation (support/plain_layer.h). A tiny
 * imaginary part in one entry of x or y_raw carries the derivative by it through all steps without any difference
 * being taken, so that the gradient is compared entry by entry. The real parts are compared with the layer's iterates
 * on the way.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/plain_layer.h"
#include "support/random_problem.h"
#include "support/run_layer.h"

#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PROBLEMS = 800, MOST_STEPS = 64 };

/* All but one in a hundred, which may lose two digits: lm may have adapted eps to next to nothing, hardnet has none at
 * all, and what is then left of a nearly singular system is what double precision leaves. */
static const double LIMIT = 1e-11, LIMIT_FOR_FEW = 1e-9;

/* What the layer did: every iterate that was tried, with its eps. */
struct history {
    size_t outputs, count;
    double eps[MOST_STEPS];
    double *y; /* MOST_STEPS x outputs */
};

static void watch(void *context, size_t sample, int iteration, const hn_real *y, hn_real violation, hn_real damping) {
    struct history *history = context;
    (void)violation;
    assert_int_equal(sample, 0);
    assert_int_equal(iteration, history->count);
    assert_true(history->count < MOST_STEPS);
    history->eps[history->count] = damping;
    memcpy(history->y + history->count * history->outputs, y, history->outputs * sizeof *y);
    history->count++;
}

/* ---- the steps once more ---- */

struct replay {
    const struct plain_layer *plain;
    bool weighted, adaptive;
    double damping;         /* unless adaptive */
    size_t steps;           /* to be taken */
    double eps[MOST_STEPS]; /* of each */
    double *scales;
    long double complex *x, *y, *next;
};

static struct replay replay_of(const struct plain_layer *plain, const hn_layer_options *options) {
    struct replay replay = {.plain = plain, .weighted = options->method == HN_METHOD_LM};
    replay.adaptive = replay.weighted && options->damping < 0;
    replay.damping = fmax(0, options->damping);
    replay.scales = calloc(plain->rows + 1, sizeof *replay.scales);
    replay.x = calloc(plain->inputs + 1, sizeof *replay.x);
    replay.y = calloc(plain->outputs + 1, sizeof *replay.y);
    replay.next = calloc(plain->outputs + 1, sizeof *replay.next);
    return replay;
}

static void replay_release(struct replay *replay) {
    free(replay->scales);
    free(replay->x);
    free(replay->y);
    free(replay->next);
}

static void replay_begin(struct replay *replay, const double *x, const double *raw) {
    for (size_t i = 0; i < replay->plain->inputs; i++)
        replay->x[i] = x[i];
    for (size_t j = 0; j < replay->plain->outputs; j++)
        replay->y[j] = raw[j];
}

static void take_step(struct replay *replay, double eps, bool first, long double *squares) {
    struct plain_rows rows = plain_layer_rows(replay->plain, replay->x, replay->y);
    if (first)
        plain_scales(replay->plain, &rows, replay->scales);
    *squares = plain_step(replay->plain, &rows, replay->weighted ? replay->scales : NULL, eps, replay->y, replay->next);
    plain_rows_release(&rows);
}

/* |W r|^2 where a trial step ends. */
static long double squares_at(struct replay *replay, const long double complex *y) {
    struct plain_rows rows = plain_layer_rows(replay->plain, replay->x, y);
    long double sum = 0;
    for (size_t i = 0; i < replay->plain->rows; i++)
        sum += powl(replay->scales[i] * creall(rows.r[i]), 2);
    plain_rows_release(&rows);
    return sum;
}

/* How far an iterate of the layer lies from ours. */
static double distance(const struct replay *replay, const double *y) {
    long double sum = 0, size = 1;
    for (size_t j = 0; j < replay->plain->outputs; j++) {
        sum += powl(creall(replay->next[j]) - y[j], 2);
        size += powl(y[j], 2);
    }
    return (double)sqrtl(sum / size);
}

/* Repeats the layer's trials, accepts those that lower |W r|^2 where the layer adapts eps, and keeps the eps of
 * accepted ones. Returns the largest distance between iterates, infinite when the count of steps is another. */
static double follow(struct replay *replay, const struct history *history, size_t steps) {
    double apart = 0;
    replay->steps = 0;
    for (size_t k = 1; k < history->count && replay->steps < steps; k++) {
        long double squares;
        double eps = replay->adaptive ? history->eps[k] : replay->damping;
        take_step(replay, eps, k == 1, &squares);
        apart = fmax(apart, distance(replay, history->y + k * history->outputs));
        if (replay->adaptive && !(squares_at(replay, replay->next) < squares))
            continue;
        replay->eps[replay->steps++] = eps;
        memcpy(replay->y, replay->next, replay->plain->outputs * sizeof *replay->y);
    }
    return replay->steps == steps ? apart : INFINITY;
}

/* The derivative of grad_y' y by the entry whose imaginary part was seeded. */
static double replay_derivative(struct replay *replay, const double *grad_y) {
    long double sum = 0, unused;
    for (size_t k = 0; k < replay->steps; k++) {
        take_step(replay, replay->eps[k], k == 0, &unused);
        memcpy(replay->y, replay->next, replay->plain->outputs * sizeof *replay->y);
    }
    for (size_t j = 0; j < replay->plain->outputs; j++)
        sum += grad_y[j] * cimagl(replay->y[j]) / PLAIN_SEED;
    return (double)sum;
}

/* ---- one problem ---- */

struct verdict {
    double error, apart;
    bool skipped, outputs_side;
};

/* Norms of the difference and of the derivatives, over entries of y_raw and x. */
static double compare(struct replay *replay, const struct random_problem *problem, const struct layer_results *results,
                      const double *grad_y) {
    double wrong = 0, size = 0;
    for (size_t e = 0; e < problem->outputs + problem->inputs; e++) {
        bool by_y = e < problem->outputs;
        size_t i = by_y ? e : e - problem->outputs;
        replay_begin(replay, problem->x, problem->raw);
        *(by_y ? &replay->y[i] : &replay->x[i]) += PLAIN_SEED * I;
        double derivative = replay_derivative(replay, grad_y);
        double gradient = by_y ? results->grad_y_raw[i] : results->grad_x[i];
        wrong += (gradient - derivative) * (gradient - derivative);
        size += derivative * derivative;
    }
    return sqrt(wrong) / fmax(1, sqrt(size));
}

static struct verdict check(const struct random_problem *problem, hn_layer_options options, uint64_t stream) {
    struct verdict verdict = {.skipped = false};
    struct plain_layer plain;
    struct random random = random_start(31, stream);
    hn_layer *layer = layer_of(problem->model, options);
    struct layer_results results = results_of(layer, 1);
    struct history history = {.outputs = problem->outputs};
    history.y = calloc(MOST_STEPS * problem->outputs, sizeof *history.y);
    double *grad_y = calloc(problem->outputs, sizeof *grad_y);
    for (size_t j = 0; j < problem->outputs; j++)
        grad_y[j] = random_normal(&random) / sqrt((double)problem->outputs);

    hn_batch batch = batch_into(&results, problem->x, problem->raw);
    batch.watch = watch;
    batch.watch_context = &history;
    layer_run(layer, &batch);
    hn_gradient gradient = gradient_into(&results, grad_y);
    layer_pull(layer, &batch, &gradient);

    plain_layer_create(&plain, problem->model);
    struct replay replay = replay_of(&plain, &options);
    replay_begin(&replay, problem->x, problem->raw);
    verdict.apart = follow(&replay, &history, (size_t)results.reports[0].steps);
    verdict.skipped = !(verdict.apart <= 1e-9); /* our roundings are not the layer's: some decision was close */
    if (!verdict.skipped)
        verdict.error = compare(&replay, problem, &results, grad_y);
    verdict.outputs_side = hn_layer_describe(layer).outputs_side;

    replay_release(&replay);
    plain_layer_release(&plain);
    free(grad_y);
    free(history.y);
    results_release(&results);
    hn_layer_destroy(layer);
    return verdict;
}

/* ---- all of them ---- */

struct setting {
    const char *name;
    hn_method method;
    double damping, tolerance;
    int iterations;
};

static const struct setting settings[] = {
    {"paper", HN_METHOD_PAPER, 0.3, 1e-8, 6},
    {"hardnet", HN_METHOD_HARDNET, -1, 1e-8, 2},
    {"lm, fixed damping", HN_METHOD_LM, 0.1, 0, 4},
    {"lm", HN_METHOD_LM, -1, 1e-8, 20},
};

static struct verdict check_stream(uint64_t stream, const struct setting *setting) {
    size_t n = 3 + stream / 4 % 8;
    bool few = setting->method == HN_METHOD_HARDNET; /* no more rows than outputs, those of bounds included */
    struct random_problem_options shape = {.interior = true, .bounds_are_inputs = few || stream % 8 < 4, .outputs = n};
    shape.rows = few ? 1 + n / 3 : 1 + stream / 3 % 16;
    struct random_problem problem;
    random_problem_create(&problem, shape, 41, stream);
    hn_layer_options options = layer_method(setting->method);
    options.damping = setting->damping;
    options.iterations = setting->iterations;
    options.tolerance = setting->tolerance;
    struct verdict verdict = check(&problem, options, stream);
    random_problem_release(&problem);
    if (!(verdict.error <= LIMIT_FOR_FEW))
        fail_msg("problem %zu (%s): the gradient is wrong by %g", (size_t)stream, setting->name, verdict.error);
    return verdict;
}

static void the_gradient_is_that_of_the_complex_step(void **state) {
    (void)state;
    size_t skipped = 0, outputs_side = 0, few = 0;
    double largest[COUNT_OF(settings)] = {0}, apart[COUNT_OF(settings)] = {0};
    for (uint64_t stream = 0; stream < PROBLEMS; stream++) {
        size_t i = stream % COUNT_OF(settings);
        struct verdict verdict = check_stream(stream, &settings[i]);
        skipped += verdict.skipped;
        outputs_side += verdict.outputs_side;
        few += verdict.error > LIMIT;
        largest[i] = fmax(largest[i], verdict.error);
        apart[i] = verdict.skipped ? apart[i] : fmax(apart[i], verdict.apart);
    }
    for (size_t i = 0; i < COUNT_OF(settings); i++)
        print_message("%s: largest error %.2g, iterates apart by %.2g\n", settings[i].name, largest[i], apart[i]);
    print_message("%zu of %d problems skipped, %zu above %g, %zu on the outputs' side\n", skipped, PROBLEMS, few, LIMIT,
                  outputs_side);
    assert_true(few * 100 <= PROBLEMS);
    assert_true(skipped * 20 <= PROBLEMS && outputs_side > PROBLEMS / 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gradient_is_that_of_the_complex_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
