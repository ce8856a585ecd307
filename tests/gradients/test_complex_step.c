/* test_complex_step.c - hn_layer_gradient against the complex step, entry by entry and along directions.
 *
 * The steps are taken once more by an independent, dense, 80-bit implementation (complex_step_replay.h) with the layer's
 * decisions. A tiny imaginary part in entries of x or y_raw carries the derivative by them through all steps without
 * any difference being taken. The real parts are compared with the layer's iterates on the way.
 *
 *     entries   the gradient w'J by every entry of y_raw and x, against 1 and its own norm
 *     dot test  w'(J v) by the complex step along one direction v, against (J'w)'v by the adjoint, relative to the largest
 *               of |w| |J v|, |J'w| |v| and 1e-6 |w| |v|
 *
 * Problems of more than MOST_ENTRIES outputs, the unicycle among them, get the dot test only. Where each bound is an input of
 * its own, the gradient by the bound is that by the input. test_shapes.c has the other kernels, against differences of runs.
 *
 * Where eps is adapted it becomes next to nothing near the end. With one unknown per row, and rows that do not depend on
 * each other, that costs no digits; with one per output A'A + eps I is nearly singular, and an error of the order of
 * u |A|^2 / eps is what double precision leaves.
 *
 * SPDX-License-Identifier: MIT */
#include "complex_step_replay.h"

#include "base/random.h"
#include "support/check.h"
#include "support/model_check.h"
#include "support/random_problem.h"
#include "support/run_layer.h"

enum { PROBLEMS = 800 / HN_TEST_SHARE, PROBLEMS_OF_AUTO = 400 / HN_TEST_SHARE, HARD_PROBLEMS = 2000 / HN_TEST_SHARE };
enum { LARGE_EVERY = 16, MOST_ENTRIES = 16 };

struct setting {
    const char *name;
    hn_method method;
    double damping, tolerance;
    int iterations;
    double limit, dot_limit; /* of entries, of the dot test; on the outputs' side where eps is adapted: */
    double outputs_limit;    /* of both, unless 4 u |A|^2 / eps is less */
    double far; /* more than 1: y_raw so many times as far away, no room at the solution; what ends near is left out */
};

static const double OUTPUTS_FLOOR = 1e-12;

static const struct setting settings[] = {
    {"paper", HN_METHOD_PAPER, 0.3, 1e-8, 6, 1e-13, 1e-13, NAN, 1},
    {"hardnet", HN_METHOD_HARDNET, -1, 1e-8, 2, 1e-13, 1e-13, NAN, 1},
    {"lm, fixed damping", HN_METHOD_LM, 0.1, 0, 4, 1e-13, 1e-13, NAN, 1},
    {"lm", HN_METHOD_LM, -1, 1e-8, 20, 1e-12, 1e-13, 1e-11, 1},
    {"enforce", HN_METHOD_ENFORCE, -1, 1e-8, 2, 1e-13, 1e-13, NAN, 1},
    {"snarenet", HN_METHOD_SNARENET, -1, 1e-8, 6, 1e-12, 1e-12, NAN, 1},
};

static const struct setting setting_auto = {"auto", HN_METHOD_AUTO, -1, 1e-8, -1, 1e-12, 1e-13, 1e-8, 1};
static const struct setting setting_hard = {"auto, far away", HN_METHOD_AUTO, -1, 1e-8, -1, 1e-9, 1e-9, 1e-7, 4};

/* ---- one problem ---- */

struct verdict {
    double error, dot, apart, condition;
    bool skipped, compared, outputs_side, clipped, follows, restarted;
};

static double norm(const double *values, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i] * values[i];
    return sqrt(sum);
}

static void draw(struct random *random, double *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        values[i] = random_normal(random) / sqrt((double)count);
}

/* J v for what the seeds were, times their size. */
static void read_derivatives(const struct replay *replay, double *derivatives) {
    for (size_t j = 0; j < replay->plain->outputs; j++)
        derivatives[j] = (double)(cimagl(replay->at_y[j]) / PLAIN_SEED);
}

static double inner(const double *a, const double *b, size_t count) {
    long double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (long double)a[i] * b[i];
    return (double)sum;
}

/* Norms of the difference and of the derivatives, over entries of y_raw and x; gradient is both one after the other. */
static double compare_entries(struct replay *replay, const double *grad_y, const double *gradient) {
    size_t n = replay->plain->outputs, all = n + replay->plain->inputs;
    double wrong = 0, size = 0, *column = calloc(n + 1, sizeof *column);
    for (size_t e = 0; e < all; e++) {
        replay_begin(replay);
        *(e < n ? &replay->at_y[e] : &replay->at_x[e - n]) += PLAIN_SEED * I;
        replay_run(replay);
        read_derivatives(replay, column);
        double derivative = inner(grad_y, column, n);
        wrong += pow(gradient[e] - derivative, 2);
        size += derivative * derivative;
    }
    free(column);
    return sqrt(wrong) / fmax(1, sqrt(size));
}

static double compare_products(struct replay *replay, const double *grad_y, const double *gradient) {
    size_t n = replay->plain->outputs, all = n + replay->plain->inputs;
    double *v = calloc(all, sizeof *v), *product = calloc(n + 1, sizeof *product);
    struct random random = random_start(32, all);
    draw(&random, v, all);
    replay_begin(replay);
    for (size_t e = 0; e < all; e++)
        *(e < n ? &replay->at_y[e] : &replay->at_x[e - n]) += v[e] * PLAIN_SEED * I;
    replay_run(replay);
    read_derivatives(replay, product);
    double apart = fabs(inner(grad_y, product, n) - inner(gradient, v, all));
    double size = fmax(norm(grad_y, n) * norm(product, n), norm(gradient, all) * norm(v, all));
    /* Where y is wholly on bounds J is 0 but for rounding. */
    size = fmax(size, 1e-6 * norm(grad_y, n) * norm(v, all));
    free(v);
    free(product);
    return apart / size;
}

/* Of a layer that has run: the replay, and both comparisons; late: unless nothing was clipped and no restart needed. */
static struct verdict judge(const struct plain_layer *plain, const hn_layer *layer, const hn_batch *batch,
                            const struct layer_results *results, const double *grad_y, bool late) {
    struct verdict verdict = {.outputs_side = hn_layer_info_of(layer).outputs_side};
    struct replay replay = replay_of(plain, layer, batch);
    size_t n = results->outputs, all = n + results->inputs;
    double *gradient = calloc(all, sizeof *gradient);
    for (size_t e = 0; e < all; e++)
        gradient[e] = e < n ? results->grad_y_raw[e] : results->grad_x[e - n];
    replay_begin(&replay);
    verdict.apart = replay_run(&replay);
    bool lost =
        results->flagged[0] && results->reports[0].outcome == HN_OUTCOME_OK; /* there is no gradient, and it says so */
    verdict.skipped = lost || !(verdict.apart <= 1e-9);
    verdict.restarted = replay.attempt > 0;
    verdict.condition = replay.condition;
    verdict.clipped = replay.clipped > 0;
    verdict.follows = replay.following > 0;
    verdict.compared = !verdict.skipped && (!late || verdict.clipped || verdict.restarted);
    if (verdict.compared && n <= MOST_ENTRIES)
        verdict.error = compare_entries(&replay, grad_y, gradient);
    if (verdict.compared)
        verdict.dot = compare_products(&replay, grad_y, gradient);
    free(gradient);
    replay_release(&replay);
    return verdict;
}

/* The gradient by a bound is the gradient by the input that it is. */
static void check_bounds(const struct random_problem *problem, const struct layer_results *results) {
    const double *gradients[] = {results->grad_lower, results->grad_upper};
    const size_t *inputs[] = {problem->lower_input, problem->upper_input};
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < problem->rows; i++) {
            size_t input = inputs[side][i];
            assert_same_bits(gradients[side][i] + 0.0, input == SIZE_MAX ? 0 : results->grad_x[input] + 0.0);
        }
}

/* One sample of a model; bounds: of which each bound is an input, else NULL. */
struct sample {
    const hn_model *model;
    const double *x, *raw;
    const struct random_problem *bounds;
};

static struct verdict check(const struct sample *sample, const struct setting *setting, uint64_t stream) {
    hn_layer_options options = layer_method(setting->method);
    options.damping = setting->damping;
    options.iterations = setting->iterations;
    options.tolerance = setting->tolerance;
    struct plain_layer plain;
    struct random random = random_start(31, stream);
    hn_layer *layer = layer_of(sample->model, options);
    struct layer_results results = results_of(layer, 1);
    double *grad_y = calloc(results.outputs, sizeof *grad_y);
    draw(&random, grad_y, results.outputs);
    hn_batch batch = batch_into(&results, sample->x, sample->raw);
    hn_gradient gradient = gradient_into(&results, grad_y);
    layer_run(layer, &batch);
    layer_pull(layer, &batch, &gradient);
    assert_finite_results(&results);
    bool ok = results.reports[0].outcome == HN_OUTCOME_OK;
    if (!ok || setting->method != HN_METHOD_AUTO) /* few ways of auto have no gradient: skipped, see judge */
        assert_int_equal(results.flagged[0], !ok);
    if (sample->bounds)
        check_bounds(sample->bounds, &results);
    plain_layer_create(&plain, sample->model);
    struct verdict verdict = judge(&plain, layer, &batch, &results, grad_y, setting->far > 1);
    plain_layer_release(&plain);
    free(grad_y);
    results_release(&results);
    hn_layer_destroy(layer);
    return verdict;
}

/* The limits of a setting hold; enforce leaves no row out, so that rows may depend on others there. */
static struct verdict within_limits(struct verdict verdict, const struct setting *setting, uint64_t stream) {
    bool loses = !isnan(setting->outputs_limit) && verdict.outputs_side;
    double most = fmin(setting->outputs_limit, fmax(OUTPUTS_FLOOR, 4 * 0x1p-53 * verdict.condition));
    if (setting->method == HN_METHOD_ENFORCE && isnan(verdict.dot)) {
        verdict.skipped = true;
        verdict.compared = false;
        return verdict;
    }
    if (!(verdict.error <= (loses ? most : setting->limit)) || !(verdict.dot <= (loses ? most : setting->dot_limit)))
        fail_msg("problem %zu (%s): the gradient is wrong by %g, its product by %g", (size_t)stream, setting->name,
                 verdict.error, verdict.dot);
    return verdict;
}

/* ---- all of them ---- */

static struct verdict check_stream(uint64_t stream, const struct setting *setting) {
    bool large = setting->far == 1 && stream / COUNT_OF(settings) % LARGE_EVERY == 0;
    size_t n = large ? 24 + stream / 4 % 8 : 3 + stream / 4 % 8;
    bool few = setting->method == HN_METHOD_HARDNET ||
               setting->method == HN_METHOD_ENFORCE; /* no more rows than outputs, those of bounds included */
    struct random_problem_options shape = {.interior = true, .bounds_are_inputs = few || stream % 8 < 4, .outputs = n};
    shape.rows = few ? 1 + n / 3 : large ? 16 + stream % 4 : 1 + stream / 3 % 16;
    if (setting->far > 1)
        shape.interior = shape.bounds_are_inputs = false;
    struct random_problem problem;
    random_problem_create(&problem, shape, 41, stream);
    for (size_t j = 0; j < n; j++)
        problem.raw[j] = problem.solution[j] + setting->far * (problem.raw[j] - problem.solution[j]);
    struct sample sample = {problem.model, problem.x, problem.raw, shape.bounds_are_inputs ? &problem : NULL};
    struct verdict verdict = within_limits(check(&sample, setting, stream), setting, stream);
    random_problem_release(&problem);
    return verdict;
}

struct summary {
    size_t checked, skipped, outputs_side, clipped, follows, restarted;
    double error[2], dot[2], apart; /* on the rows' side, on the outputs' side */
};

static void add_verdict(struct summary *all, const struct verdict *verdict) {
    int side = verdict->outputs_side;
    all->checked++;
    all->skipped += verdict->skipped;
    all->outputs_side += verdict->outputs_side;
    if (!verdict->compared)
        return;
    all->clipped += verdict->clipped;
    all->follows += verdict->follows;
    all->restarted += verdict->restarted;
    all->error[side] = fmax(all->error[side], verdict->error);
    all->dot[side] = fmax(all->dot[side], verdict->dot);
    all->apart = fmax(all->apart, verdict->apart);
}

static void print_summary(const struct setting *setting, const struct summary *all) {
    print_message(
        "%s: %zu problems, %zu skipped; rows' side: largest error %.2g, of products %.2g; outputs' side (%zu): "
        "%.2g and %.2g; steps apart by %.2g\n",
        setting->name, all->checked, all->skipped, all->error[0], all->dot[0], all->outputs_side, all->error[1],
        all->dot[1], all->apart);
    assert_true(all->skipped * 20 <= all->checked);
}

static struct summary check_setting(const struct setting *setting, uint64_t first, uint64_t stride, uint64_t problems) {
    struct summary all = {0};
    for (uint64_t stream = first; stream < problems; stream += stride) {
        struct verdict verdict = check_stream(stream, setting);
        add_verdict(&all, &verdict);
    }
    print_summary(setting, &all);
    return all;
}

/* ---- the unicycle: states from its box, raw outputs around its start values ---- */

enum { UNICYCLE_INPUTS = 3, UNICYCLE_OUTPUTS = 50 };

static const struct {
    struct setting setting;
    size_t samples;
} unicycles[] = {
    {{"unicycle, paper", HN_METHOD_PAPER, -1, 1e-8, 20, 1e-13, 1e-13, NAN, 1}, 4},
    {{"unicycle, paper, many steps", HN_METHOD_PAPER, -1, 0, 100, 1e-13, 1e-13, NAN, 1}, 1},
    {{"unicycle, lm", HN_METHOD_LM, -1, 1e-8, -1, 1e-12, 1e-13, NAN, 1}, 8},
    {{"unicycle, lm, fixed damping", HN_METHOD_LM, 0.05, 0, 12, 1e-13, 1e-13, NAN, 1}, 4},
    {{"unicycle, auto", HN_METHOD_AUTO, -1, 1e-8, -1, 1e-12, 1e-13, NAN, 1}, 8},
};

static void draw_unicycle(const hn_model *model, uint64_t stream, double *x, double *raw) {
    struct random random = random_start(61, stream);
    hn_expr starts[UNICYCLE_OUTPUTS];
    for (size_t i = 0; i < UNICYCLE_INPUTS; i++)
        x[i] = random_between(&random, hn_model_input(model, i).lower, hn_model_input(model, i).upper);
    for (size_t j = 0; j < UNICYCLE_OUTPUTS; j++)
        starts[j] = hn_model_output(model, j).start;
    assert_int_equal(hn_model_evaluate(model, UNICYCLE_OUTPUTS, starts, x, raw, raw, NULL), HN_OK);
    for (size_t j = 0; j < UNICYCLE_OUTPUTS; j++)
        raw[j] += 0.3 * random_normal(&random);
}

static void check_unicycle(const hn_model *model, const struct setting *setting, size_t samples) {
    struct summary all = {0};
    for (uint64_t stream = 0; stream < samples; stream++) {
        double x[UNICYCLE_INPUTS], raw[UNICYCLE_OUTPUTS] = {0};
        draw_unicycle(model, stream, x, raw);
        struct sample sample = {model, x, raw, NULL};
        struct verdict verdict = within_limits(check(&sample, setting, stream), setting, stream);
        add_verdict(&all, &verdict);
    }
    print_summary(setting, &all);
}

TEST(the_gradient_of_the_unicycle_likewise) {
    hn_model *model = model_of_file("models/unicycle.mod");
    assert_int_equal(hn_model_input_count(model), UNICYCLE_INPUTS);
    assert_int_equal(hn_model_output_count(model), UNICYCLE_OUTPUTS);
    for (size_t i = 0; i < COUNT_OF(unicycles); i++)
        check_unicycle(model, &unicycles[i].setting, unicycles[i].samples);
    hn_model_destroy(model);
}

TEST(the_gradient_is_that_of_the_complex_step) {
    size_t outputs_side = 0;
    for (size_t i = 0; i < COUNT_OF(settings); i++)
        outputs_side += check_setting(&settings[i], i, COUNT_OF(settings), PROBLEMS).outputs_side;
    assert_true(outputs_side > PROBLEMS / 10);
}

TEST(the_gradient_of_auto_is_that_of_the_complex_step) {
    struct summary all = check_setting(&setting_auto, 0, 1, PROBLEMS_OF_AUTO);
    print_message("%zu with an eps that follows |W r|\n", all.follows);
    assert_true(all.outputs_side > PROBLEMS_OF_AUTO / 10 && all.follows > PROBLEMS_OF_AUTO / 10);
}

TEST(clipped_steps_and_restarts_of_auto_likewise) {
    struct summary all = check_setting(&setting_hard, 0, 1, HARD_PROBLEMS);
    print_message("%zu with clipped entries, %zu after a restart\n", all.clipped, all.restarted);
    assert_true(all.clipped > HARD_PROBLEMS / 100 && all.restarted > HARD_PROBLEMS / 50);
}
