/* test_products.c - the Hessian's entries by products against the evaluator's, which are expressions of their own.
 *
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "base/random.h"
#include "hardnet/evaluate.h"
#include "hardnet/layer.h"
#include "nearest/nearest.h"
#include "support/model_check.h"
#include "support/random_problem.h"
#include "support/run_layer.h"

#define NEAREST_AT(slots, offset) ((slots) + (offset))
#include "core/nearest_solve.h"

/* sigma Hess f + sum lambda Hess c by the evaluator, outputs x outputs, lower triangle. */
static void known_hessian(const struct random_problem *p, double sigma, const double *lambda, double *full) {
    hn_evaluator *evaluator;
    hn_evaluator_options options = hn_evaluator_defaults();
    options.wanted = HN_WANT(HN_QUANTITY_HESSIAN_YY);
    assert_int_equal(hn_evaluator_create(&evaluator, p->model, &options, NULL), HN_OK);
    hn_pattern pattern = {.size = sizeof pattern};
    assert_int_equal(hn_evaluator_get_pattern(evaluator, HN_QUANTITY_HESSIAN_YY, &pattern, NULL), HN_OK);
    double *values = calloc(pattern.count + 1, sizeof *values);
    hn_evaluation e = {.size = sizeof e, .count = 1, .x = p->x, .y = p->raw, .sigma = &sigma, .lambda = lambda};
    e.values[HN_QUANTITY_HESSIAN_YY] = values;
    size_t bytes = hn_evaluator_workspace_bytes(evaluator);
    void *workspace = malloc(bytes);
    assert_int_equal(hn_evaluator_run(evaluator, &e, workspace, bytes, NULL), HN_OK);
    for (size_t i = 0; i < p->outputs; i++)
        for (size_t k = pattern.first[i]; k < pattern.first[i + 1]; k++)
            full[i * p->outputs + pattern.column[k]] = values[k];
    free(values);
    free(workspace);
    hn_evaluator_destroy(evaluator);
}

/* Memory as the plan has it: x, y, sigma, lambda, then the entries, a slot each. */
static void check_products(const struct random_problem *p, const double *lambda, double sigma) {
    struct nearest_products products;
    size_t n = p->outputs;
    assert_int_equal(nearest_products_create(&products, p->model, true, false, 1, NULL), HN_OK);
    size_t entries = products.first[n], count = p->inputs + n + 1 + p->rows + entries;
    double *memory = calloc(count + 1, sizeof *memory), *known = calloc(n * n, sizeof *known);
    double *own = aligned_alloc(64, (products.bytes + 63) / 64 * 64);
    memcpy(memory, p->x, p->inputs * sizeof *memory);
    memcpy(memory + p->inputs, p->raw, n * sizeof *memory);
    memory[p->inputs + n] = sigma;
    memcpy(memory + p->inputs + n + 1, lambda, p->rows * sizeof *memory);
    memset(own, 0, products.bytes);
    program_prepare(products.program, own);
    const struct backend backend = backend_single();
    const struct product_places places = {memory,
                                          0,
                                          (uint32_t)p->inputs,
                                          (uint32_t)(p->inputs + n),
                                          (uint32_t)(p->inputs + n + 1),
                                          (uint32_t)(p->inputs + n + 1 + p->rows)};
    products_run(&backend, &products, own, &places);
    known_hessian(p, sigma, lambda, known);
    for (size_t j = 0; j < n; j++)
        for (size_t e = products.first[j]; e < products.first[j + 1]; e++) {
            double *there = &known[j * n + products.column[e]], ours = memory[places.entries + e];
            assert_in_interval(ours - *there, -1e-11 * (1 + fabs(*there)), 1e-11 * (1 + fabs(*there)));
            *there = 0;
        }
    for (size_t i = 0; i < n * n; i++) /* nothing is missing in the pattern */
        assert_true(known[i] == 0);
    free(memory);
    free(known);
    free(own);
    nearest_products_release(&products);
}

TEST(entries_are_those_of_the_hessian) {
    for (uint64_t number = 0; number < 60; number++) {
        struct random_problem p;
        struct random random = random_start(61, number);
        random_problem_create(&p, (struct random_problem_options){.kind = PROBLEM_FEASIBLE, .objective = true}, 62,
                              number);
        double *lambda = malloc((p.rows + 1) * sizeof *lambda);
        for (size_t i = 0; i < p.rows; i++)
            lambda[i] = random_between(&random, -1, 1);
        check_products(&p, lambda, 0.75);
        free(lambda);
        random_problem_release(&p);
    }
}

/* Norms of affine forms of cosines over all outputs: entries would be millions of nodes. */
TEST(a_layer_of_long_norms_is_made_and_solves) {
    enum { OUTPUTS = 80, NORMS = 8, TERMS = 30 };
    hn_model *m = model_new();
    hn_expr y[OUTPUTS], cosine[OUTPUTS], sum = hn_constant(m, 0);
    struct random random = random_start(63, 1);
    double raw[OUTPUTS], out[OUTPUTS];
    char name[32];
    for (size_t j = 0; j < OUTPUTS; j++) {
        snprintf(name, sizeof name, "y%zu", j);
        y[j] = hn_output(m, name);
        cosine[j] = hn_cos(y[j]);
        hn_expr away = hn_shift(y[j], -0.5);
        sum = hn_add(sum, hn_mul(away, away));
        raw[j] = random_between(&random, 0.5, 1.5);
    }
    hn_minimize(m, "f", sum);
    for (size_t i = 0; i < NORMS; i++) {
        hn_expr squares = hn_constant(m, 0);
        for (size_t k = 0; k < TERMS; k++) {
            hn_expr terms[OUTPUTS];
            for (size_t j = 0; j < OUTPUTS; j++)
                terms[j] = hn_scale(random_between(&random, -1, 1), cosine[j]);
            hn_expr form = hn_sum(m, OUTPUTS, terms);
            squares = hn_add(squares, hn_mul(form, form));
        }
        snprintf(name, sizeof name, "norm%zu", i);
        hn_constrain(m, name, -INFINITY, hn_sqrt(hn_shift(squares, 0.01)), 10);
    }
    model_finish_good(m);
    struct nearest search;
    const struct nearest_goal goal = {.optimal = true};
    assert_int_equal(nearest_create(&search, m, &goal, HN_INSTRUCTIONS_BEST, true, NULL), HN_OK);
    assert_non_null(search.parts.products.program);
    nearest_release(&search);
    hn_layer *layer = layer_of(m, layer_method(HN_METHOD_OPTIMAL));
    hn_report report;
    const hn_batch batch = {
        .size = sizeof batch, .count = 1, .y_raw = raw, .y = out, .report_size = sizeof report, .reports = &report};
    layer_run(layer, &batch);
    assert_int_equal(report.outcome, HN_OUTCOME_OK);
    assert_in_interval(report.kkt, 0, HN_CERTIFIED);
    hn_layer_destroy(layer);
    hn_model_destroy(m);
}
