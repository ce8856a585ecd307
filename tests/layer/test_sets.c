/* test_sets.c - matrices that must be positive semidefinite, and second-order cones: corrections judged by an independent Cholesky
 * factorisation and by norms, gradients against differences, every method with row blocks, lanes and single samples.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/gradient_check.h"
#include "support/numbers.h"
#include "support/run_layer.h"

#include "hardnet/inspect.h"
#include "hardnet/model.h"

enum { MOST = 6 };

/* A matrix of expressions, by rows of its lower triangle. */
struct triangle {
    size_t order;
    hn_expr entry[MOST * (MOST + 1) / 2];
};

static size_t at(size_t i, size_t j) {
    return i < j ? at(j, i) : i * (i + 1) / 2 + j;
}

static struct triangle symmetric_outputs(hn_model *model, size_t order) {
    struct triangle p = {.order = order};
    for (size_t i = 0; i < order; i++)
        for (size_t j = 0; j <= i; j++) {
            char name[64];
            snprintf(name, sizeof name, "P[%zu,%zu]", i + 1, j + 1);
            p.entry[at(i, j)] = hn_output(model, name);
        }
    return p;
}

/* -(A'P + P A) - I, with A given by rows. */
static struct triangle lyapunov(hn_model *model, const struct triangle *p, const hn_expr *a) {
    struct triangle out = {.order = p->order};
    for (size_t i = 0; i < p->order; i++)
        for (size_t j = 0; j <= i; j++) {
            hn_expr sum = hn_constant(model, i == j ? -1 : 0);
            for (size_t k = 0; k < p->order; k++) {
                hn_expr left = hn_mul(a[k * p->order + i], p->entry[at(k, j)]);
                hn_expr right = hn_mul(a[k * p->order + j], p->entry[at(i, k)]);
                sum = hn_sub(sum, left);
                sum = hn_sub(sum, right);
            }
            out.entry[at(i, j)] = sum;
        }
    return out;
}

static void finish(hn_model *model) {
    hn_error error = {.text = ""};
    if (hn_model_finish(model, &error) != HN_OK)
        fail_msg("%s", error.text);
}

/* P >= 0 with a Lyapunov inequality of a stable A, whose off-diagonal entries are inputs, and a bound on one entry. */
static hn_model *lyapunov_model(size_t order, uint64_t seed) {
    struct random random = random_start(seed, 1);
    hn_model *model;
    hn_expr a[MOST * MOST];
    assert_int_equal(hn_model_create(&model, NULL, NULL), HN_OK);
    for (size_t k = 0; k < order * order; k++) {
        char name[64];
        snprintf(name, sizeof name, "a[%zu]", k);
        hn_expr input = hn_input(model, name);
        hn_input_range(input, -0.4, 0.4);
        double centre = k % (order + 1) == 0 ? -2 : 0.3 * random_normal(&random);
        a[k] = hn_shift(input, centre);
    }
    struct triangle p = symmetric_outputs(model, order), l = lyapunov(model, &p, a);
    hn_constrain(model, "corner", -3, p.entry[0], 3);
    hn_constrain_psd(model, "lyapunov", order, l.entry);
    hn_constrain_psd(model, "positive", order, p.entry);
    finish(model);
    return model;
}

/* |u| <= t with nonlinear t and u of `order` entries, and a second cone that holds the first output in a ball around 0. */
static hn_model *cone_model(size_t order, uint64_t seed) {
    struct random random = random_start(seed, 1);
    hn_model *model;
    hn_expr u[MOST], y[MOST + 1];
    assert_int_equal(hn_model_create(&model, NULL, NULL), HN_OK);
    hn_expr x = hn_input(model, "x");
    for (size_t j = 0; j <= order; j++) {
        char name[64];
        snprintf(name, sizeof name, "y[%zu]", j);
        y[j] = hn_output(model, name);
    }
    for (size_t j = 0; j < order; j++) {
        hn_expr bent = hn_sin(y[j]), scaled = hn_scale(0.5 + random_uniform(&random), bent);
        hn_expr moved = hn_add(scaled, y[j + 1]);
        u[j] = j == 0 ? hn_sub(moved, x) : moved;
    }
    hn_expr square = hn_mul(y[0], y[0]), t = hn_shift(x, 0.2 + random_uniform(&random));
    t = hn_sub(t, square);
    hn_constrain_soc(model, "cone", t, order, u);
    hn_constrain_soc(model, "ball", hn_constant(model, 0.7), 1, y);
    finish(model);
    return model;
}

/* lambda_min of the matrix is at least -limit: a Cholesky factorisation of M + limit I succeeds. */
static bool is_positive(const double *lower, size_t order, double limit) {
    double l[MOST][MOST] = {{0}};
    for (size_t j = 0; j < order; j++) {
        double pivot = lower[at(j, j)] + limit;
        for (size_t k = 0; k < j; k++)
            pivot -= l[j][k] * l[j][k];
        if (!(pivot > 0))
            return false;
        l[j][j] = sqrt(pivot);
        for (size_t i = j + 1; i < order; i++) {
            double sum = lower[at(i, j)];
            for (size_t k = 0; k < j; k++)
                sum -= l[i][k] * l[j][k];
            l[i][j] = sum / l[j][j];
        }
    }
    return true;
}

/* Values of the block's entries, from a plain evaluation of the model. */
static void block_values(const hn_model *model, size_t first, size_t count, const double *x, const double *y,
                         double *to) {
    hn_expr entries[MOST * (MOST + 1) / 2];
    for (size_t i = 0; i < count; i++)
        entries[i] = hn_model_row(model, first + i).body;
    assert_int_equal(hn_model_evaluate(model, count, entries, x, y, to, NULL), HN_OK);
}

static void check_blocks(const hn_model *model, const double *x, const double *y, double limit) {
    double values[MOST * (MOST + 1) / 2];
    for (size_t i = 0; i < hn_model_row_count(model); i++) {
        hn_row_info row = hn_model_row(model, i);
        if (row.first != i)
            continue;
        if (row.set == HN_SET_PSD) {
            block_values(model, i, row.order * (row.order + 1) / 2, x, y, values);
            assert_true(is_positive(values, row.order, limit));
        } else if (row.set == HN_SET_SOC) {
            double squares = 0;
            block_values(model, i, row.order, x, y, values);
            for (size_t j = 1; j < row.order; j++)
                squares += values[j] * values[j];
            assert_true(sqrt(squares) - values[0] <= limit);
        }
    }
}

static const hn_method methods[] = {HN_METHOD_AUTO, HN_METHOD_LM, HN_METHOD_PAPER, HN_METHOD_SNARENET,
                                    HN_METHOD_ENFORCE};

static hn_layer *layer_with(const hn_model *model, hn_method method) {
    hn_layer_options options = layer_method(method);
    if (method == HN_METHOD_PAPER)
        options.iterations = 60;
    return layer_of(model, options);
}

static void random_samples(uint64_t seed, const hn_layer *layer, size_t count, double **x, double **raw) {
    struct random random = random_start(seed, 2);
    hn_layer_info info = {.size = sizeof info};
    hn_layer_get_info(layer, &info, NULL);
    *x = normal_numbers(&random, count * info.inputs);
    *raw = normal_numbers(&random, count * info.outputs);
    for (size_t i = 0; i < count * info.inputs; i++)
        (*x)[i] *= 0.1;
}

/* Both families, by a number. */
static hn_model *model_number(size_t number, uint64_t seed) {
    return number <= MOST ? lyapunov_model(number, seed) : cone_model(number - MOST, seed);
}

TEST(every_ok_lies_in_its_sets) {
    enum { COUNT = 50 };
    for (size_t number = 1; number <= (size_t)2 * MOST; number++) {
        hn_model *model = model_number(number, number);
        for (size_t m = 0; m < COUNT_OF(methods); m++) {
            hn_layer *layer = layer_with(model, methods[m]);
            double *x, *raw;
            random_samples(number, layer, COUNT, &x, &raw);
            struct layer_results r = run_forward(layer, COUNT, x, raw);
            size_t ok = 0;
            for (size_t i = 0; i < COUNT; i++) {
                if (r.reports[i].outcome != HN_OUTCOME_OK)
                    continue;
                check_blocks(model, x + i * r.inputs, r.y + i * r.outputs, 1.001e-8);
                ok++;
            }
            if (methods[m] == HN_METHOD_AUTO)
                assert_int_equal(ok, COUNT);
            results_release(&r);
            free(x);
            free(raw);
            hn_layer_destroy(layer);
        }
        hn_model_destroy(model);
    }
}

TEST(gradients_are_those_of_differences) {
    static const size_t numbers[] = {1, 2, 3, 4, MOST + 1, MOST + 2, MOST + 3, MOST + 5};
    for (size_t n = 0; n < COUNT_OF(numbers); n++) {
        hn_model *model = model_number(numbers[n], 10 + n);
        for (size_t m = 0; m < COUNT_OF(methods); m++) {
            hn_layer *layer = layer_with(model, methods[m]);
            double *x, *raw, worst = 0;
            size_t inputs = hn_model_input_count(model), outputs = hn_model_output_count(model), directions = 0;
            random_samples(100 + n, layer, 10, &x, &raw);
            for (size_t i = 0; i < 10; i++) {
                const struct gradient_case one = {layer, NULL, x + i * inputs, raw + i * outputs, i, 1e-3};
                struct gradient_verdict verdict = gradient_check(&one);
                assert_true(verdict.finite);
                worst = fmax(worst, verdict.error);
                directions += verdict.directions - verdict.skipped;
                gradient_verdict_release(&verdict);
            }
            assert_in_interval(worst, 0, 1e-7);
            if (methods[m] != HN_METHOD_ENFORCE ||
                numbers[n] == 1) /* it omits dependent rows, and which ones may change */
                assert_true(directions > 10);
            free(x);
            free(raw);
            hn_layer_destroy(layer);
        }
        hn_model_destroy(model);
    }
}

/* ---- lanes, instruction sets ---- */

static void assert_same_results(const struct layer_results *a, const struct layer_results *b, size_t sample) {
    for (size_t j = 0; j < a->outputs; j++) {
        assert_same_bits(a->y[sample * a->outputs + j], b->y[j]);
        assert_same_bits(a->grad_y_raw[sample * a->outputs + j], b->grad_y_raw[j]);
    }
    for (size_t j = 0; j < a->inputs; j++)
        assert_same_bits(a->grad_x[sample * a->inputs + j], b->grad_x[j]);
    for (size_t i = 0; i < a->rows; i++)
        assert_same_bits(a->residual[sample * a->rows + i], b->residual[i]);
    assert_int_equal(a->reports[sample].outcome, b->reports->outcome);
    assert_int_equal(a->reports[sample].iterations, b->reports->iterations);
}

TEST(a_sample_has_the_same_bits_in_a_batch_and_alone_with_every_instruction_set) {
    enum { COUNT = 21 };
    static const hn_instructions sets[] = {HN_INSTRUCTIONS_PORTABLE, HN_INSTRUCTIONS_AVX2, HN_INSTRUCTIONS_AVX512};
    for (size_t m = 0; m < 2 * COUNT_OF(methods); m++) {
        hn_model *model = model_number(m % 2 ? 3 : MOST + 4, 5);
        hn_layer *layer = layer_with(model, methods[m / 2]);
        double *x, *raw, *grad_y = normal_numbers_of(1, 1, (size_t)COUNT * MOST * MOST);
        random_samples(7, layer, COUNT, &x, &raw);
        for (size_t k = 0; k < COUNT_OF(sets); k++) {
            hn_layer_options options = hn_layer_options_of(layer);
            hn_layer *other;
            options.instructions = sets[k];
            if (hn_layer_create(&other, model, &options, NULL) != HN_OK)
                continue; /* not on this processor */
            struct layer_results all = run_and_pull(other, COUNT, x, raw, grad_y);
            for (size_t i = 0; i < COUNT; i++) {
                struct layer_results one =
                    run_and_pull(layer, 1, x + i * all.inputs, raw + i * all.outputs, grad_y + i * all.outputs);
                assert_same_results(&all, &one, i);
                results_release(&one);
            }
            results_release(&all);
            hn_layer_destroy(other);
        }
        free(x);
        free(raw);
        free(grad_y);
        hn_layer_destroy(layer);
        hn_model_destroy(model);
    }
}

/* ---- verdicts ---- */

/* P >= low I and P <= high I. */
static hn_model *between_model(size_t order, double low, double high) {
    hn_model *model;
    struct triangle above, below;
    assert_int_equal(hn_model_create(&model, NULL, NULL), HN_OK);
    above = symmetric_outputs(model, order);
    below = above;
    for (size_t i = 0; i < order; i++)
        for (size_t j = 0; j <= i; j++) {
            hn_expr entry = above.entry[at(i, j)];
            above.entry[at(i, j)] = hn_shift(entry, i == j ? -low : 0);
            hn_expr negated = hn_neg(entry);
            below.entry[at(i, j)] = hn_shift(negated, i == j ? high : 0);
        }
    hn_constrain_psd(model, "above", order, above.entry);
    hn_constrain_psd(model, "below[7]", order, below.entry);
    finish(model);
    return model;
}

/* The projection of a diagonal matrix onto an interval of matrices. */
TEST(a_diagonal_matrix_is_clipped) {
    hn_model *model = between_model(2, -1, 1);
    hn_layer *layer = layer_with(model, HN_METHOD_AUTO);
    const double raw[] = {3, 0, -4};
    struct layer_results r = run_forward(layer, 1, NULL, raw);
    assert_int_equal(r.reports->outcome, HN_OUTCOME_OK);
    assert_true(fabs(r.reports->violation_before - 3) <= 1e-15);
    assert_true(fabs(r.y[0] - 1) <= 2e-8 && r.y[1] == 0 && fabs(r.y[2] + 1) <= 2e-8);
    results_release(&r);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

TEST(a_contradiction_is_locally_infeasible_and_names_a_block) {
    hn_model *model = between_model(3, 1, 0);
    static const hn_method stopping[] = {HN_METHOD_AUTO, HN_METHOD_LM};
    for (size_t m = 0; m < COUNT_OF(stopping); m++) {
        hn_layer *layer = layer_with(model, stopping[m]);
        double *x, *raw;
        random_samples(3, layer, 5, &x, &raw);
        struct layer_results r = run_forward(layer, 5, x, raw);
        for (size_t i = 0; i < 5; i++) {
            size_t row = r.reports[i].worst;
            assert_int_equal(r.reports[i].outcome, HN_OUTCOME_LOCALLY_INFEASIBLE);
            assert_true(fabs(r.reports[i].violation - 0.5) < 1e-4);
            assert_true(hn_model_row(model, row).first == row);
            assert_true(r.residual[i * r.rows + row] == -r.reports[i].violation);
        }
        results_release(&r);
        free(x);
        free(raw);
        hn_layer_destroy(layer);
    }
    hn_model_destroy(model);
}

TEST(a_matrix_that_cannot_be_evaluated_does_not_touch_its_neighbours) {
    hn_model *model;
    assert_int_equal(hn_model_create(&model, NULL, NULL), HN_OK);
    struct triangle p = symmetric_outputs(model, 2);
    p.entry[at(1, 0)] = hn_log(p.entry[at(1, 0)]);
    hn_constrain_psd(model, "logs", 2, p.entry);
    finish(model);
    hn_layer *layer = layer_with(model, HN_METHOD_LM);
    const double raw[] = {1, 2, 0.1, 1, -1, 1, 2, 3, 0.2};
    struct layer_results r = run_forward(layer, 3, NULL, raw), alone = run_forward(layer, 1, NULL, raw + 6);
    assert_int_equal(r.reports[0].outcome, HN_OUTCOME_OK);
    assert_int_equal(r.reports[1].outcome, HN_OUTCOME_NONFINITE_EVALUATION);
    assert_int_equal(r.reports[2].outcome, HN_OUTCOME_OK);
    for (size_t j = 0; j < 3; j++)
        assert_same_bits(r.y[6 + j], alone.y[j]);
    results_release(&r);
    results_release(&alone);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

/* Outside, in the polar cone and at the apex. */
TEST(points_are_projected_onto_a_cone) {
    hn_model *model;
    hn_expr y[3];
    static const char *const names[] = {"t", "u1", "u2"};
    assert_int_equal(hn_model_create(&model, NULL, NULL), HN_OK);
    for (size_t j = 0; j < 3; j++)
        y[j] = hn_output(model, names[j]);
    hn_constrain_soc(model, "cone", y[0], 2, y + 1);
    finish(model);
    hn_layer *layer = layer_with(model, HN_METHOD_AUTO);
    const double raw[] = {1, 3, 4, -2, 0.6, 0.8, -1, 0, 0, 5, 3, 4, 0, 0, 0};
    const double nearest[] = {3, 1.8, 2.4, 0, 0, 0, 0, 0, 0, 5, 3, 4, 0, 0, 0}, before[] = {4, 3, 1, 0, 0};
    struct layer_results r = run_forward(layer, 5, NULL, raw);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(r.reports[i].outcome, HN_OUTCOME_OK);
        assert_true(fabs(r.reports[i].violation_before - before[i]) <= 1e-15);
        for (size_t j = 0; j < 3; j++)
            assert_true(fabs(r.y[3 * i + j] - nearest[3 * i + j]) <= 3e-8);
    }
    results_release(&r);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

/* ---- models ---- */

TEST(rows_of_a_block_are_named_and_copied) {
    hn_model *model = between_model(2, 0, 1), *copy;
    static const char *const names[] = {"above",    "above[2,1]",   "above[2,2]",
                                        "below[7]", "below[7,2,1]", "below[7,2,2]"};
    char print[HN_FINGERPRINT_BYTES], other[HN_FINGERPRINT_BYTES];
    hn_model_fingerprint(model, print, NULL);
    assert_int_equal(hn_model_copy(&copy, model, NULL), HN_OK);
    hn_model_destroy(model);
    finish(copy);
    assert_int_equal(hn_model_row_count(copy), COUNT_OF(names));
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        hn_row_info row = hn_model_row(copy, i);
        assert_string_equal(row.name, names[i]);
        assert_string_equal(row.block, names[i - i % 3]);
        assert_int_equal(row.set, HN_SET_PSD);
        assert_int_equal(row.order, 2);
        assert_int_equal(row.first, i - i % 3);
    }
    hn_model_fingerprint(copy, other, NULL);
    assert_string_equal(print, other);
    hn_model_destroy(copy);
}

static void refuse(size_t order, bool missing, const char *words) {
    hn_model *model;
    hn_error error = {.text = ""};
    assert_int_equal(hn_model_create(&model, NULL, NULL), HN_OK);
    struct triangle p = symmetric_outputs(model, 2);
    hn_constrain_psd(model, "m", order, missing ? NULL : p.entry);
    assert_error(hn_model_finish(model, &error), HN_INVALID, error, words);
    hn_model_destroy(model);
}

TEST(wrong_matrices_are_refused) {
    refuse(0, false, "constraint m: 0 is not a size from 1 to 32");
    refuse(33, false, "constraint m: 33 is not a size from 1 to 32");
    refuse(2, true, "constraint m: the list of expressions is NULL");
}

TEST(what_does_not_support_blocks_says_so) {
    hn_model *model = between_model(2, 0, 1);
    hn_error error = {.text = ""};
    hn_layer *layer;
    hn_layer_options options = layer_method(HN_METHOD_NEAREST);
    assert_error(hn_layer_create(&layer, model, &options, &error), HN_UNSUPPORTED, error,
                 "constraint above: methods nearest and optimal do not support sets");
    hn_model_destroy(model);
}

/* Diagonal entries are affine, the other is not: a stall must not count as a proof, which holds for affine blocks only. */
TEST(a_block_with_one_nonlinear_entry_is_not_affine) {
    hn_model *model;
    assert_int_equal(hn_model_create(&model, NULL, NULL), HN_OK);
    hn_expr y = hn_output(model, "y"), bent = hn_mul(y, y);
    hn_expr slope = hn_scale(-2, bent), entries[3] = {hn_constant(model, 1), hn_shift(slope, 2), hn_constant(model, 1)};
    hn_constrain_psd(model, "bent", 2, entries); /* |2 - 2 y^2| <= 1 */
    finish(model);
    hn_layer *layer = layer_with(model, HN_METHOD_AUTO);
    const double raw[] = {0};
    struct layer_results r = run_forward(layer, 1, NULL, raw);
    assert_int_equal(r.reports->outcome, HN_OUTCOME_OK);
    assert_true(fabs(2 - 2 * r.y[0] * r.y[0]) <= 1 + 1e-8);
    results_release(&r);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}
