/* test_kinks.c - the gradient where a row lies exactly on its bound, and a little to either side of it.
 *
 * r = max(c - bu, 0) has a kink there. On the bound the gradient is that of one of the two sides, whole: it agrees with
 * the one of a bound 1e-7 further out, or with the one of a bound 1e-7 further in. All gradients are finite.
 *
 * Bounds are inputs, so that one can be laid onto the row's value at y_raw, bit for bit. Other rows are violated there,
 * as random problems are, or none is: then only the row decides whether anything happens.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/model_check.h"
#include "support/random_problem.h"
#include "support/run_layer.h"

#include "base/random.h"

enum { PROBLEMS = 600, PLACES = 3 }; /* the bound at c, and to either side */

static const double BESIDE = 1e-7, LIMIT = 1e-3;

struct setting {
    const char *name;
    hn_method method;
    double damping;
    int iterations;
    double mixed; /* share of rows that may have a gradient of neither side */
};

/* An undamped step leaves a straight row where it is, and that is on its bound, but for rounding: the next step meets the
 * kink again and may take the other side. auto has one undamped attempt, for what its first stages do not correct. */
static const struct setting settings[] = {
    {"paper", HN_METHOD_PAPER, 0.3, 6, 0},
    {"hardnet", HN_METHOD_HARDNET, -1, 1, 0},
    {"hardnet, two steps", HN_METHOD_HARDNET, -1, 2, 0.05},
    {"lm, fixed damping", HN_METHOD_LM, 0.1, 4, 0},
    {"lm", HN_METHOD_LM, -1, 30, 0},
    {"auto", HN_METHOD_AUTO, -1, -1, 0.005},
};

struct summary {
    size_t rows, distinct, feasible, mixed; /* distinct: the two sides differ by more than LIMIT */
    double error;
};

/* ---- one row on its bound ---- */

/* c, lower and upper of a row at y_raw. */
static void evaluate_row(const struct random_problem *problem, size_t row, double values[3]) {
    hn_row_info info = hn_model_row(problem->model, row);
    hn_expr exprs[] = {info.body, info.lower, info.upper};
    assert_int_equal(hn_model_evaluate(problem->model, 3, exprs, problem->x, problem->raw, values, NULL), HN_OK);
}

/* Every gradient of a sample, one after the other. */
static size_t gather(const struct layer_results *r, size_t sample, double *all) {
    size_t n = r->outputs, k = r->inputs, m = r->rows;
    memcpy(all, r->grad_y_raw + sample * n, n * sizeof *all);
    memcpy(all + n, r->grad_x + sample * k, k * sizeof *all);
    memcpy(all + n + k, r->grad_lower + sample * m, m * sizeof *all);
    memcpy(all + n + k + m, r->grad_upper + sample * m, m * sizeof *all);
    return n + k + 2 * m;
}

static double apart(const double *a, const double *b, size_t count) {
    double wrong = 0, size = 0;
    for (size_t i = 0; i < count; i++) {
        wrong += (a[i] - b[i]) * (a[i] - b[i]);
        size += a[i] * a[i];
    }
    return sqrt(wrong) / fmax(1, sqrt(size));
}

/* The distance of the gradient on the bound from the nearer one of its neighbours. */
static double judge(const struct layer_results *results, bool *distinct) {
    double *all[PLACES];
    size_t count = 0;
    for (size_t s = 0; s < PLACES; s++) {
        all[s] = calloc(results->outputs + results->inputs + 2 * results->rows, sizeof *all[s]);
        count = gather(results, s, all[s]);
        for (size_t i = 0; i < count; i++)
            assert_true(isfinite(all[s][i]));
    }
    double error = fmin(apart(all[0], all[1], count), apart(all[0], all[2], count));
    *distinct = apart(all[1], all[2], count) > LIMIT;
    for (size_t s = 0; s < PLACES; s++)
        free(all[s]);
    return error;
}

/* Lays the bound that is input number `input` at c, and BESIDE it, and runs all three in one batch. */
static double check_bound(const struct random_problem *problem, const hn_layer *layer, size_t input, double c,
                          bool *distinct) {
    size_t n = problem->outputs, k = problem->inputs;
    double *x = calloc(PLACES * k, sizeof *x), *raw = calloc(PLACES * n, sizeof *raw);
    double *grad_y = calloc(PLACES * n, sizeof *grad_y);
    struct random random = random_start(52, input);
    for (size_t j = 0; j < n; j++)
        grad_y[j] = random_normal(&random) / sqrt((double)n);
    for (size_t s = 0; s < PLACES; s++) {
        memcpy(x + s * k, problem->x, k * sizeof *x);
        memcpy(raw + s * n, problem->raw, n * sizeof *raw);
        memcpy(grad_y + s * n, grad_y, n * sizeof *grad_y);
        x[s * k + input] = c + (s == 0 ? 0 : s == 1 ? BESIDE : -BESIDE);
    }
    struct layer_results results = results_of(layer, PLACES);
    hn_batch batch = batch_into(&results, x, raw);
    hn_gradient gradient = gradient_into(&results, grad_y);
    layer_run(layer, &batch);
    layer_pull(layer, &batch, &gradient);
    double error = judge(&results, distinct);
    results_release(&results);
    free(x);
    free(raw);
    free(grad_y);
    return error;
}

/* ---- problems ---- */

/* Every violated bound is moved onto its row's value and 0.1 beyond, so that y_raw meets all rows. */
static void make_feasible(struct random_problem *problem) {
    for (size_t i = 0; i < problem->rows; i++) {
        double values[3];
        evaluate_row(problem, i, values);
        size_t low = problem->lower_input[i], high = problem->upper_input[i];
        bool equality = low == SIZE_MAX && high != SIZE_MAX && values[1] == values[2];
        if (high != SIZE_MAX && values[0] > values[2])
            problem->x[high] = values[0] + (equality ? 0 : 0.1);
        if (low != SIZE_MAX && values[0] < values[1])
            problem->x[low] = values[0] - 0.1;
        if (equality)
            problem->x[high] = values[0];
    }
}

static void check_problem(uint64_t stream, const struct setting *setting, struct summary *all) {
    size_t n = 3 + stream / COUNT_OF(settings) % 8;
    struct random_problem_options shape = {.interior = true, .bounds_are_inputs = true, .outputs = n};
    shape.rows = setting->method == HN_METHOD_HARDNET ? 1 + n / 2 : 1 + stream / 3 % 12;
    struct random_problem problem;
    random_problem_create(&problem, shape, 51, stream);
    hn_layer_options options = layer_method(setting->method);
    options.damping = setting->damping;
    options.iterations = setting->iterations;
    hn_layer *layer = layer_of(problem.model, options);
    bool feasible = stream / COUNT_OF(settings) % 3 == 0;
    if (feasible)
        make_feasible(&problem);
    for (size_t i = 0; i < problem.rows; i++)
        for (int upper = 0; upper < 2; upper++) {
            size_t input = upper ? problem.upper_input[i] : problem.lower_input[i];
            double values[3];
            bool distinct;
            evaluate_row(&problem, i, values);
            if (input == SIZE_MAX || values[1] == values[2])
                continue; /* an equality has no kink */
            if (upper ? values[1] >= values[0] - BESIDE : values[2] <= values[0] + BESIDE)
                continue; /* its other bound is in the way */
            double error = check_bound(&problem, layer, input, values[0], &distinct);
            if (!(error <= LIMIT) && setting->mixed == 0)
                print_error("problem %zu (%s), row %zu, %s bound: on the bound the gradient is neither side's: %g\n",
                            (size_t)stream, setting->name, i, upper ? "upper" : "lower", error);
            all->rows++;
            all->distinct += distinct;
            all->feasible += feasible;
            all->mixed += !(error <= LIMIT);
            all->error = fmax(all->error, error);
        }
    hn_layer_destroy(layer);
    random_problem_release(&problem);
}

TEST(on_a_bound_the_gradient_is_that_of_one_side) {
    struct summary all[COUNT_OF(settings)] = {{0}};
    for (uint64_t stream = 0; stream < PROBLEMS; stream++)
        check_problem(stream, &settings[stream % COUNT_OF(settings)], &all[stream % COUNT_OF(settings)]);
    for (size_t i = 0; i < COUNT_OF(settings); i++) {
        print_message("%s: %zu rows on a bound, %zu of them at a feasible y_raw, %zu with two sides that differ; %zu "
                      "of neither side, largest error %.2g\n",
                      settings[i].name, all[i].rows, all[i].feasible, all[i].distinct, all[i].mixed, all[i].error);
        assert_true(all[i].rows > PROBLEMS / 10 && all[i].distinct * 2 > all[i].rows);
        assert_true((double)all[i].mixed <= settings[i].mixed * (double)all[i].rows);
    }
}

/* ---- a bound of an output ---- */

/* -1 <= y1 <= 1 and y1 + y2^2 = y3 */
static hn_model *bounded_model(void) {
    hn_model *m = model_new();
    hn_expr y1 = hn_output(m, "y1"), y2 = hn_output(m, "y2"), y3 = hn_output(m, "y3");
    hn_output_bounds(y1, -1, 1);
    hn_constrain(m, "curve", 0, hn_sub(hn_add(y1, hn_mul(y2, y2)), y3), 0);
    model_finish_good(m);
    return m;
}

TEST(an_output_on_its_bound_has_the_gradient_of_one_side) {
    static const double grad_y[] = {0.7, -0.5, 0.4, 0.7, -0.5, 0.4, 0.7, -0.5, 0.4};
    hn_model *model = bounded_model();
    for (size_t i = 0; i < COUNT_OF(settings); i++) {
        hn_layer_options options = layer_method(settings[i].method);
        options.damping = settings[i].damping;
        options.iterations = settings[i].iterations;
        hn_layer *layer = layer_of(model, options);
        for (int k = 0; k < 4; k++) { /* both bounds; y on the curve and off it */
            double bound = k % 2 ? 1 : -1, raw[3 * PLACES];
            for (int s = 0; s < PLACES; s++) {
                raw[3 * s] = bound + (s == 0 ? 0 : s == 1 ? BESIDE : -BESIDE);
                raw[3 * s + 1] = 0.5;
                raw[3 * s + 2] = k / 2 ? raw[3 * s] + 0.25 : 2;
            }
            struct layer_results results = results_of(layer, PLACES);
            hn_batch batch = batch_into(&results, NULL, raw);
            hn_gradient gradient = gradient_into(&results, grad_y);
            bool distinct;
            layer_run(layer, &batch);
            layer_pull(layer, &batch, &gradient);
            double error = judge(&results, &distinct);
            if (settings[i].mixed == 0 && !(error <= LIMIT && distinct))
                fail_msg("%s, y1 on %g, y3 at %g: on the bound the gradient is neither side's: %g", settings[i].name,
                         bound, raw[2], error);
            results_release(&results);
        }
        hn_layer_destroy(layer);
    }
    hn_model_destroy(model);
}
