/* derivatives.c - values and exact derivatives of a model: what a solver of your own, or a check of it, needs.
 *
 * One step of Newton's method on the conditions of a stationary point,
 *
 *     [ H  J' ] [ dy     ]     [ grad f + J' lambda ]
 *     [ J  0  ] [ dlambda]  = -[ c - b              ],     H = Hess f + sum_i lambda_i Hess c_i
 *
 * for  minimise (y1 - 2)^2 + y2^2  subject to  y1^2 + y2^2 = x^2,  repeated for three inputs x side by side.
 *
 *     cc derivatives.c -o derivatives $(pkg-config --cflags --libs hardnet)
 *
 * SPDX-License-Identifier: MIT */
#include <hardnet/hardnet.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 3, STEPS = 12 };

static void check(hn_status status, const hn_error *error) {
    if (status == HN_OK)
        return;
    fprintf(stderr, "derivatives: %s\n", error->text);
    exit(1);
}

static hn_model *make_model(hn_error *error) {
    hn_model *model;
    check(hn_model_create(&model, NULL, error), error);
    hn_expr x = hn_input(model, "x"), y1 = hn_output(model, "y1"), y2 = hn_output(model, "y2");
    hn_expr square = hn_mul(x, x), away = hn_shift(y1, -2);
    hn_constrain_between(model, "circle", square, hn_add(hn_mul(y1, y1), hn_mul(y2, y2)), square);
    hn_minimize(model, "distance", hn_add(hn_mul(away, away), hn_mul(y2, y2)));
    check(hn_model_finish(model, error), error);
    return model;
}

/* Solves the 3 x 3 system by Cramer's rule; right is overwritten by the solution. */
static double determinant(double a[3][3]) {
    return a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) - a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
           a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
}

static void solve(double a[3][3], double right[3]) {
    double whole = determinant(a), solution[3];
    for (int k = 0; k < 3; k++) {
        double saved[3];
        for (int i = 0; i < 3; i++) {
            saved[i] = a[i][k];
            a[i][k] = right[i];
        }
        solution[k] = determinant(a) / whole;
        for (int i = 0; i < 3; i++)
            a[i][k] = saved[i];
    }
    for (int k = 0; k < 3; k++)
        right[k] = solution[k];
}

/* J has the entries (0,0) and (0,1); the lower triangle of H has (0,0) and (1,1): hn_evaluator_get_pattern says so. */
static void step(const double gradient[2], const double jacobian[2], const double hessian[2], double residual,
                 double y[2], double *lambda) {
    double a[3][3] = {{hessian[0], 0, jacobian[0]}, {0, hessian[1], jacobian[1]}, {jacobian[0], jacobian[1], 0}};
    double right[3] = {-(gradient[0] + *lambda * jacobian[0]), -(gradient[1] + *lambda * jacobian[1]), -residual};
    solve(a, right);
    y[0] += right[0];
    y[1] += right[1];
    *lambda += right[2];
}

int main(void) {
    const double x[COUNT] = {1, 1.5, 3};
    double y[COUNT][2] = {{1, 1}, {1, 1}, {1, 1}}, lambda[COUNT] = {0}, f[COUNT];
    double residual[COUNT], gradient[COUNT][2], jacobian[COUNT][2], hessian[COUNT][2];
    hn_error error;

    /* What is wanted is compiled once; the model is not needed any more. */
    hn_model *model = make_model(&error);
    hn_evaluator *evaluator;
    hn_evaluator_options options = hn_evaluator_defaults();
    options.wanted = HN_WANT_VALUES | HN_WANT(HN_QUANTITY_GRADIENT_Y) | HN_WANT(HN_QUANTITY_JACOBIAN_Y) |
                     HN_WANT(HN_QUANTITY_HESSIAN_YY);
    check(hn_evaluator_create(&evaluator, model, &options, &error), &error);
    hn_model_destroy(model);

    /* Each array that is given is filled, a row per sample. */
    size_t bytes = hn_evaluator_workspace_bytes(evaluator);
    void *workspace = malloc(bytes);
    hn_evaluation evaluation = {.size = sizeof evaluation, .count = COUNT, .x = x, .y = y[0], .lambda = lambda};
    evaluation.values[HN_QUANTITY_OBJECTIVE] = f;
    evaluation.values[HN_QUANTITY_RESIDUAL] = residual;
    evaluation.values[HN_QUANTITY_GRADIENT_Y] = gradient[0];
    evaluation.values[HN_QUANTITY_JACOBIAN_Y] = jacobian[0];
    evaluation.values[HN_QUANTITY_HESSIAN_YY] = hessian[0];
    for (int k = 0; k <= STEPS; k++) {
        check(hn_evaluator_run(evaluator, &evaluation, workspace, bytes, &error), &error);
        for (int s = 0; s < COUNT && k < STEPS; s++)
            step(gradient[s], jacobian[s], hessian[s], residual[s], y[s], &lambda[s]);
    }

    int wrong = 0;
    for (int s = 0; s < COUNT; s++) {
        printf("x = %.1f: y = (%.9f, %.9f), f = %.9f, multiplier %.9f, violation %.1e\n", x[s], y[s][0], y[s][1], f[s],
               lambda[s], fabs(residual[s]));
        wrong += !(fabs(residual[s]) < 1e-12);
    }
    free(workspace);
    hn_evaluator_destroy(evaluator);
    return wrong > 0;
}
