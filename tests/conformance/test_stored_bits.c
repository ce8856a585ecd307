/* test_stored_bits.c - what layers compute is what they computed when it was last looked at, to the last bit.
 *
 * The bits are the same on every platform (scripts/same-bits --platforms), so they can be stored: per problem and method one digest of
 * corrections, reports, residuals, multipliers and gradients, of all ways to call, and of the sizes of the layer. Where results move on
 * purpose `stored_bits all` prints the lines that have changed; the move stands in CHANGELOG.md under Numerics.
 *
 * SPDX-License-Identifier: MIT */
#include "stored_bits_problems.h"
#include "stored_bits_table.h"
#include "support/check.h"
#include "support/run_layer.h"

#include "base/digest.h"
#include "base/random.h"

#include "hardnet/inspect.h"

#include <inttypes.h>

enum { SAMPLES = 11, OTHERS = 3 };

/* ---- the samples of a problem ---- */

struct samples {
    double *x, *raw, *grad, *grad_multipliers;
};

static double *drawn(struct random *random, size_t count, double size) {
    double *list = malloc((count + 1) * sizeof *list);
    for (size_t i = 0; i < count; i++)
        list[i] = size * random_normal(random);
    return list;
}

/* Some of them strange. */
static struct samples samples_of(const struct stored_problem *problem, const hn_layer_info *info) {
    struct random random = random_start(20261117, 1);
    struct samples s = {.x = drawn(&random, SAMPLES * info->inputs, 0.5),
                        .raw = drawn(&random, SAMPLES * info->outputs, problem->size),
                        .grad = drawn(&random, SAMPLES * info->outputs, 1),
                        .grad_multipliers = drawn(&random, SAMPLES * info->rows, 1)};
    for (size_t k = 0; k < info->inputs * (SAMPLES / 2) && problem->x; k++)
        s.x[k] = problem->x[k % info->inputs];
    for (size_t j = 0; j < info->outputs; j++)
        s.raw[2 * info->outputs + j] *= 1e-3;
    s.raw[3 * info->outputs] = NAN;
    s.raw[4 * info->outputs] = 1e200;
    s.raw[6 * info->outputs] = -0.0;
    return s;
}

static void samples_release(struct samples *s) {
    free(s->x);
    free(s->raw);
    free(s->grad);
    free(s->grad_multipliers);
}

/* ---- what is written down ---- */

static void add_numbers(struct digest *digest, const double *numbers, size_t count) {
    for (size_t i = 0; i < count; i++)
        digest_add_number(digest, numbers[i]);
}

static void add_reports(struct digest *digest, const struct layer_results *r) {
    for (size_t k = 0; k < r->count; k++) {
        const hn_report *report = &r->reports[k];
        const uint64_t counts[] = {
            (uint64_t)report->outcome, (uint64_t)report->iterations, (uint64_t)report->steps,
            report->worst == SIZE_MAX, (uint32_t)report->worst,      report->culprit == SIZE_MAX,
            (uint32_t)report->culprit, (uint64_t)report->programmes, (uint64_t)report->factorisations};
        const double numbers[] = {report->violation_before, report->violation,       report->moved,
                                  report->damping,          report->slope,           report->kkt,
                                  report->distance,         report->complementarity, report->proof};
        for (size_t i = 0; i < COUNT_OF(counts); i++)
            digest_add_size(digest, counts[i]);
        add_numbers(digest, numbers, COUNT_OF(numbers));
        digest_add_number(digest, report->objective);
    }
}

static void add_info(struct digest *digest, const hn_layer_info *info) {
    const uint64_t counts[] = {info->jacobian_nonzeros,     info->factor_order, info->factor_nonzeros,
                               info->outputs_side,          info->dense,        info->operators,
                               info->multiply_adds,         info->factor_added, (uint64_t)info->usual_steps,
                               (uint64_t)info->budget_steps};
    for (size_t i = 0; i < COUNT_OF(counts); i++)
        digest_add_size(digest, counts[i]);
}

static void add_results(struct digest *digest, const struct layer_results *r) {
    add_numbers(digest, r->y, r->count * r->outputs);
    add_numbers(digest, r->residual, r->count * r->rows);
    add_reports(digest, r);
}

static void add_gradients(struct digest *digest, const struct layer_results *r) {
    add_numbers(digest, r->grad_y_raw, r->count * r->outputs);
    add_numbers(digest, r->grad_x, r->count * r->inputs);
    add_numbers(digest, r->grad_lower, r->count * r->rows);
    add_numbers(digest, r->grad_upper, r->count * r->rows);
    for (size_t k = 0; k < r->count; k++)
        digest_add_size(digest, r->flagged[k]);
}

/* ---- the ways to call ---- */

struct way {
    struct digest *digest;
    const hn_layer *layer;
    const struct samples *samples;
    bool has_multipliers;
    size_t outputs;
};

static void run_with_gradients(const struct way *way) {
    struct layer_results r = results_of(way->layer, SAMPLES);
    hn_batch batch = batch_into(&r, way->samples->x, way->samples->raw);
    hn_gradient gradient = gradient_into(&r, way->samples->grad);
    double *multipliers = calloc(SAMPLES * r.rows + 1, sizeof *multipliers);
    double *weights = calloc(SAMPLES * r.outputs + 1, sizeof *weights);
    if (way->has_multipliers) {
        batch.multipliers = multipliers;
        gradient.grad_multipliers = way->samples->grad_multipliers;
        gradient.grad_weights = weights;
    }
    layer_run(way->layer, &batch);
    layer_pull(way->layer, &batch, &gradient);
    add_results(way->digest, &r);
    add_gradients(way->digest, &r);
    add_numbers(way->digest, multipliers, SAMPLES * r.rows);
    add_numbers(way->digest, weights, SAMPLES * r.outputs);
    free(multipliers);
    free(weights);
    results_release(&r);
}

static void watch(void *context, size_t sample, int iteration, const hn_real *y, hn_real violation, hn_real damping) {
    const struct way *way = context;
    digest_add_size(way->digest, sample);
    digest_add_size(way->digest, (uint64_t)iteration);
    add_numbers(way->digest, y, way->outputs);
    digest_add_number(way->digest, violation);
    digest_add_number(way->digest, damping);
}

/* From the start values, each iterate seen; then what it left behind and raw outputs nearby, one gradient only. */
static void run_from_start(struct way *way) {
    struct layer_results r = results_of(way->layer, OTHERS);
    double *warm = calloc(OTHERS * r.outputs, sizeof *warm);
    hn_batch batch = batch_into(&r, way->samples->x, NULL);
    batch.watch = watch;
    batch.watch_context = way;
    batch.warm = warm;
    layer_run(way->layer, &batch);
    add_results(way->digest, &r);
    batch.watch = NULL;
    batch.y_raw = way->samples->raw + (SAMPLES - OTHERS) * r.outputs;
    layer_run(way->layer, &batch);
    add_results(way->digest, &r);
    add_numbers(way->digest, warm, OTHERS * r.outputs);
    hn_gradient gradient = {.size = sizeof gradient, .grad_y = way->samples->grad, .grad_y_raw = r.grad_y_raw};
    layer_pull(way->layer, &batch, &gradient);
    add_numbers(way->digest, r.grad_y_raw, OTHERS * r.outputs);
    free(warm);
    results_release(&r);
}

/* ---- methods ---- */

/* The method as it is, and with other options. */
static hn_layer_options options_of(hn_method method, int setting, const double *weights) {
    hn_layer_options options = layer_steps(method, setting == 2 ? 7 : method == HN_METHOD_PAPER ? 60 : -1);
    options.relative = setting == 1;
    options.tolerance = setting == 1 ? 1e-5 : setting == 2 ? 0 : options.tolerance;
    options.damping = setting == 1 && (method == HN_METHOD_LM || method == HN_METHOD_AUTO) ? 0.05 : options.damping;
    if (setting == 2 && (method == HN_METHOD_PAPER || method == HN_METHOD_LM || method == HN_METHOD_AUTO))
        options.damping = 0;
    options.effort = setting == 1 ? 0.5 : 1;
    options.weights = method == HN_METHOD_NEAREST && setting == 1 ? weights : NULL;
    options.instructions = setting == 1 ? HN_INSTRUCTIONS_PORTABLE : HN_INSTRUCTIONS_BEST;
    return options;
}

static double *weights_of(const hn_model *model) {
    size_t count = hn_model_output_count(model);
    double *weights = malloc((count + 1) * sizeof *weights);
    for (size_t j = 0; j < count; j++)
        weights[j] = 0.5 + (double)(j % 4);
    return weights;
}

/* The first eight bytes of the digest. */
static uint64_t digest_of(const struct stored_problem *problem, hn_method method) {
    struct digest digest = digest_start();
    unsigned char bytes[DIGEST_BYTES];
    double *weights = weights_of(problem->model);
    uint64_t word = 0;
    for (int setting = 0; setting < 3; setting++) {
        hn_layer_options options = options_of(method, setting, weights);
        hn_layer *layer;
        hn_status status = hn_layer_create(&layer, problem->model, &options, NULL);
        digest_add_size(&digest, (uint64_t)status);
        if (status != HN_OK)
            continue;
        hn_layer_info info = hn_layer_info_of(layer);
        struct samples samples = samples_of(problem, &info);
        struct way way = {&digest, layer, &samples, method == HN_METHOD_NEAREST, info.outputs};
        add_info(&digest, &info);
        run_with_gradients(&way);
        run_from_start(&way);
        samples_release(&samples);
        hn_layer_destroy(layer);
    }
    free(weights);
    digest_finish(&digest, bytes);
    for (int i = 0; i < 8; i++)
        word = word << 8 | bytes[i];
    return word;
}

/* ---- the table ---- */

static bool check_problem(size_t i) {
    struct stored_problem problem;
    bool same = true;
    uint64_t found[HN_METHOD_COUNT];
    stored_problem_create(&problem, i);
    for (int method = 0; method < HN_METHOD_COUNT; method++) {
        found[method] = digest_of(&problem, (hn_method)method);
        same = same && i < COUNT_OF(stored) && found[method] == stored[i][method];
    }
    if (!same) {
        print_error("    {");
        for (int method = 0; method < HN_METHOD_COUNT; method++)
            print_error("0x%016" PRIx64 "%s", found[method], method + 1 < HN_METHOD_COUNT ? ", " : "");
        print_error("}, /* %s */\n", problem.name);
    }
    stored_problem_release(&problem);
    return same;
}

static bool all;

TEST(the_bits_are_those_that_are_stored) {
    size_t moved = 0;
    for (size_t i = 0; i < STORED_PROBLEMS && (all || moved == 0); i++)
        moved += !check_problem(i);
    assert_int_equal(moved, 0);
    assert_int_equal(COUNT_OF(stored), STORED_PROBLEMS);
}

int main(int count, char **words) {
    all = count > 1 && strcmp(words[1], "all") == 0;
    return run_registered_tests();
}
