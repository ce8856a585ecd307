/* reference_ipopt.c - reference.h by IPOPT's C interface.
 *
 *     min f(y)   s.t.   gl <= g(y) <= gu,   yl <= y <= yu
 *
 * g are the rows whose body is not a bare output, yl and yu the tightest of the others. An evaluator
 * (hardnet/evaluate.h) computes f and c, their derivatives, and sigma Hess f + sum_i lambda_i Hess c_i, each once per
 * point, when IPOPT first asks for it. IPOPT itself is loaded when the first reference is made (reference_load.h).
 *
 * SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "base/error.h"
#include "reference/reference_parts.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER; /* MUMPS shares data between threads */

/* ---- IPOPT's status in words ---- */

#define STATUS_LIST(X)                                                                                                 \
    X(Solve_Succeeded, "solved")                                                                                       \
    X(Solved_To_Acceptable_Level, "acceptable")                                                                        \
    X(Infeasible_Problem_Detected, "infeasible")                                                                       \
    X(Search_Direction_Becomes_Too_Small, "step_too_small")                                                            \
    X(Diverging_Iterates, "diverging")                                                                                 \
    X(Feasible_Point_Found, "feasible_point")                                                                          \
    X(Maximum_Iterations_Exceeded, "iteration_limit")                                                                  \
    X(Restoration_Failed, "restoration_failed")                                                                        \
    X(Error_In_Step_Computation, "step_failed")                                                                        \
    X(Maximum_CpuTime_Exceeded, "time_limit")                                                                          \
    X(Not_Enough_Degrees_Of_Freedom, "too_few_variables")                                                              \
    X(Invalid_Problem_Definition, "invalid_problem")                                                                   \
    X(Invalid_Option, "invalid_option")                                                                                \
    X(Invalid_Number_Detected, "nonfinite_evaluation")                                                                 \
    X(Insufficient_Memory, "out_of_memory")

#define STATUS_CASE(name, text)                                                                                        \
    case name:                                                                                                         \
        return text;
static const char *status_text(enum ApplicationReturnStatus status) {
    switch (status) {
        STATUS_LIST(STATUS_CASE)
    default:
        return "internal_error";
    }
}

static bool is_solved(enum ApplicationReturnStatus status) {
    return status == Solve_Succeeded || status == Solved_To_Acceptable_Level || status == Feasible_Point_Found;
}

/* ---- evaluating ---- */

static bool has_objective(const struct reference *r) {
    return r->options.goal == REFERENCE_OBJECTIVE && hn_model_objective(r->model).name;
}

static void refresh_values(struct reference *r) {
    hn_evaluation evaluation = {.size = 0};
    if (!r->value_stale)
        return;
    evaluation.values[HN_QUANTITY_OBJECTIVE] = &r->f;
    evaluation.values[HN_QUANTITY_ROWS] = r->c;
    reference_evaluate(r, &evaluation);
    r->value_stale = false;
}

static void refresh_slopes(struct reference *r) {
    hn_evaluation evaluation = {.size = 0};
    if (!r->slope_stale)
        return;
    evaluation.values[HN_QUANTITY_GRADIENT_Y] = r->gradient;
    evaluation.values[HN_QUANTITY_JACOBIAN_Y] = r->nonzero;
    reference_evaluate(r, &evaluation);
    r->slope_stale = false;
}

static struct reference *arrive(UserDataPtr data, const double *y, Bool new_y) {
    struct reference *r = data;
    r->y = y;
    r->value_stale = r->value_stale || new_y;
    r->slope_stale = r->slope_stale || new_y;
    return r;
}

/* ---- callbacks of IPOPT; it shortens its step if a result is not finite ---- */

static Bool give_objective(Index n, Number *y, Bool new_y, Number *f, UserDataPtr data) {
    struct reference *r = arrive(data, y, new_y);
    *f = 0;
    if (r->options.goal == REFERENCE_NEAREST)
        for (Index j = 0; j < n; j++)
            *f += 0.5 * (y[j] - r->start[j]) * (y[j] - r->start[j]);
    if (!has_objective(r))
        return TRUE;
    refresh_values(r);
    *f = r->f;
    return isfinite(r->f) ? TRUE : FALSE;
}

static Bool give_rows(Index n, Number *y, Bool new_y, Index m, Number *g, UserDataPtr data) {
    struct reference *r = arrive(data, y, new_y);
    bool finite = true;
    (void)n;
    refresh_values(r);
    for (Index k = 0; k < m; k++) {
        g[k] = r->c[r->row[k]];
        finite = finite && isfinite(g[k]);
    }
    return finite;
}

static Bool give_gradient(Index n, Number *y, Bool new_y, Number *gradient, UserDataPtr data) {
    struct reference *r = arrive(data, y, new_y);
    bool finite = true;
    for (Index j = 0; j < n; j++)
        gradient[j] = r->options.goal == REFERENCE_NEAREST ? y[j] - r->start[j] : 0;
    if (!has_objective(r))
        return TRUE;
    refresh_slopes(r);
    for (Index j = 0; j < n; j++) {
        gradient[j] = r->gradient[j];
        finite = finite && isfinite(gradient[j]);
    }
    return finite;
}

/* IPOPT needs at least one entry if there are constraints. */
static Bool give_jacobian(Index n, Number *y, Bool new_y, Index m, Index count, Index *row, Index *column,
                          Number *values, UserDataPtr data) {
    struct reference *r = arrive(data, y, values && new_y);
    bool finite = true;
    (void)n, (void)m;
    if (values) {
        memset(values, 0, (size_t)count * sizeof *values);
        refresh_slopes(r);
    } else {
        memset(row, 0, (size_t)count * sizeof *row);
        memset(column, 0, (size_t)count * sizeof *column);
    }
    for (size_t e = 0; e < r->slope_count; e++) {
        const struct slope_entry *entry = &r->slope[e];
        if (values) {
            values[e] = r->nonzero[entry->nonzero];
            finite = finite && isfinite(values[e]);
        } else {
            row[e] = entry->row;
            column[e] = entry->column;
        }
    }
    return finite;
}

static void hessian_pattern(const struct reference *r, Index n, Index *row, Index *column) {
    for (size_t i = 0; i < r->hessian.rows; i++)
        for (size_t k = r->hessian.first[i]; k < r->hessian.first[i + 1]; k++) {
            row[k] = (Index)i;
            column[k] = (Index)r->hessian.column[k];
        }
    for (Index j = 0; j < n && r->options.goal == REFERENCE_NEAREST; j++)
        row[r->hessian.count + (size_t)j] = column[r->hessian.count + (size_t)j] = j;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the type is IPOPT's */
static Bool give_hessian(Index n, Number *y, Bool new_y, Number sigma, Index m, Number *lambda, Bool new_lambda,
                         Index count, Index *row, Index *column, Number *values, UserDataPtr data) {
    struct reference *r = arrive(data, y, values && new_y);
    hn_evaluation evaluation = {.sigma = &sigma, .lambda = r->lambda};
    bool finite = true;
    (void)m, (void)count, (void)new_lambda;
    if (!values) {
        hessian_pattern(r, n, row, column);
        return TRUE;
    }
    for (size_t k = 0; k < r->rows; k++)
        r->lambda[r->row[k]] = lambda[k];
    evaluation.values[HN_QUANTITY_HESSIAN_YY] = values;
    reference_evaluate(r, &evaluation);
    for (size_t k = 0; k < r->hessian.count; k++)
        finite = finite && isfinite(values[k]);
    for (Index j = 0; j < n && r->options.goal == REFERENCE_NEAREST; j++)
        values[r->hessian.count + (size_t)j] = sigma; /* entries that are listed twice are added */
    return finite;
}

static Bool note_iteration(Index mode, Index iteration, Number f, Number primal, Number dual, Number mu, Number step,
                           Number regularization, Number alpha_dual, Number alpha, Index trials, UserDataPtr data) {
    struct reference *r = data;
    (void)mode, (void)f, (void)primal, (void)dual, (void)mu, (void)step, (void)regularization, (void)alpha_dual;
    (void)alpha, (void)trials;
    r->iteration = iteration;
    return TRUE;
}

/* ---- solving ---- */

/* The bounds of g and y, and the start, at x. lower and upper are those of all rows. */
static void set_bounds(struct reference *r, const double *lower, const double *upper, const double *start) {
    for (size_t j = 0; j < r->outputs; j++) {
        double fixed = r->gradient[j]; /* set by set_start */
        r->start[j] = r->fixed[j] ? fixed : start ? start[j] : r->start[j];
        r->y_lower[j] = r->fixed[j] ? fixed : -INFINITY;
        r->y_upper[j] = r->fixed[j] ? fixed : INFINITY;
    }
    for (size_t k = 0; k < r->rows; k++) {
        r->g_lower[k] = lower[r->row[k]];
        r->g_upper[k] = upper[r->row[k]];
    }
    for (size_t i = 0; i < r->model_rows; i++) {
        size_t j = r->column[i];
        if (j == SIZE_MAX)
            continue;
        r->y_lower[j] = lower[i] > r->y_lower[j] ? lower[i] : r->y_lower[j];
        r->y_upper[j] = upper[i] < r->y_upper[j] ? upper[i] : r->y_upper[j];
    }
}

/* What depends on x only. */
static void reference_ipopt_begin(struct reference *r, const double *x, const double *start) {
    hn_evaluation evaluation = {.size = 0};
    double *lower = r->numbers, *upper = r->numbers + r->model_rows;
    evaluation.values[HN_QUANTITY_LOWER] = lower;
    evaluation.values[HN_QUANTITY_UPPER] = upper;
    evaluation.values[HN_QUANTITY_START] = r->start;
    evaluation.values[HN_QUANTITY_FIXED] = r->gradient;
    r->x = x;
    r->y = NULL;
    reference_evaluate(r, &evaluation);
    set_bounds(r, lower, upper, start);
    r->y = r->start;
    r->value_stale = r->slope_stale = true;
}

static bool are_bounds(const double *lower, const double *upper, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!(lower[i] <= upper[i] && lower[i] < INFINITY && upper[i] > -INFINITY))
            return false;
    return true;
}

static IpoptProblem new_solver(struct reference *r) {
    size_t diagonal = r->options.goal == REFERENCE_NEAREST ? r->outputs : 0;
    size_t entries = r->rows > 0 && r->slope_count == 0 ? 1 : r->slope_count;
    return r->ipopt.create((Index)r->outputs, r->y_lower, r->y_upper, (Index)r->rows, r->g_lower, r->g_upper,
                           (Index)entries, (Index)(r->hessian.count + diagonal), 0, give_objective, give_rows,
                           give_gradient, give_jacobian, give_hessian);
}

/* Options of one solver. The interface wants texts that it may change, and does not. */
struct settings {
    const struct ipopt *ipopt;
    IpoptProblem solver;
};

static bool set_text(struct settings s, const char *name, const char *value) {
    return s.ipopt->set_text(s.solver, (char *)name, (char *)value);
}

static bool set_number(struct settings s, const char *name, double value) {
    return s.ipopt->set_number(s.solver, (char *)name, value);
}

static bool set_whole(struct settings s, const char *name, int value) {
    return s.ipopt->set_whole(s.solver, (char *)name, value);
}

/* Keep the bounds exact: IPOPT would relax them by 1e-8. */
static bool set_options(struct settings s, const struct reference_options *options, bool approximate) {
    bool done = set_whole(s, "print_level", 0) && set_text(s, "sb", "yes") && set_text(s, "option_file_name", "") &&
                set_number(s, "tol", options->tolerance) && set_number(s, "constr_viol_tol", options->tolerance) &&
                set_number(s, "bound_relax_factor", 0) && set_whole(s, "max_iter", options->iterations);
    if (options->seconds > 0)
        done = done && set_number(s, "max_cpu_time", options->seconds);
    if (approximate)
        done = done && set_text(s, "hessian_approximation", "limited-memory");
    if (options->derivatives)
        done = done && set_text(s, "derivative_test", "second-order");
    if (options->log)
        done = done && s.ipopt->open_log(s.solver, (char *)options->log, 5);
    return done && s.ipopt->set_callback(s.solver, note_iteration);
}

static hn_status reference_ipopt_solve(struct reference *r, double *y, struct reference_result *result,
                                       hn_error *error) {
    double begun = clock_seconds();
    IpoptProblem solver = new_solver(r);
    if (!solver)
        return error_set(error, HN_INVALID, "IPOPT does not take the model");
    if (!set_options((struct settings){&r->ipopt, solver}, &r->options, r->approximate)) {
        r->ipopt.release(solver);
        return error_set(error, HN_INVALID, "IPOPT refuses an option%s%s", r->options.log ? " or to write to " : "",
                         r->options.log ? r->options.log : "");
    }
    r->iteration = 0;
    enum ApplicationReturnStatus status = Invalid_Problem_Definition;
    if (are_bounds(r->g_lower, r->g_upper, r->rows) && are_bounds(r->y_lower, r->y_upper, r->outputs))
        status = r->ipopt.solve(solver, y, NULL, NULL, NULL, NULL, NULL, r);
    r->ipopt.release(solver);
    result->status = status_text(status);
    result->solved = is_solved(status);
    result->late = status == Maximum_CpuTime_Exceeded;
    result->iterations = r->iteration;
    result->seconds = clock_seconds() - begun;
    if (status == Insufficient_Memory)
        return error_no_memory(error, "IPOPT");
    return HN_OK;
}

/* Objective and violation at y. */
static hn_status reference_ipopt_look(struct reference *r, const double *x, const double *y,
                                      struct reference_result *result, hn_error *error) {
    size_t m = r->model_rows, count = 3 * m;
    hn_objective_info objective = hn_model_objective(r->model);
    hn_status status = hn_model_evaluate(r->model, count + (objective.name != NULL), r->exprs, x, y, r->numbers, error);
    if (status != HN_OK)
        return status;
    result->objective = !objective.name ? NAN : objective.maximize ? -r->numbers[count] : r->numbers[count];
    result->violation = 0;
    for (size_t i = 0; i < m; i++) {
        double lower = r->numbers[i], c = r->numbers[m + i], upper = r->numbers[2 * m + i];
        double own = c > upper ? c - upper : c < lower ? lower - c : 0;
        if (isnan(lower) || isnan(c) || isnan(upper))
            own = INFINITY;
        result->violation = own > result->violation ? own : result->violation;
    }
    return HN_OK;
}

hn_status reference_solve(struct reference *reference, const hn_real *x, const hn_real *start, hn_real *y,
                          struct reference_result *result, hn_error *error) {
    struct reference *r = reference;
    *result = (struct reference_result){.status = "internal_error", .objective = NAN, .violation = INFINITY};
    if (!x && hn_model_input_count(r->model) > 0)
        return error_set(error, HN_INVALID, "reference_solve: x is missing");
    reference_ipopt_begin(r, x, start);
    memcpy(y, r->start, r->outputs * sizeof *y);
    pthread_mutex_lock(&one_at_a_time);
    hn_status status = reference_ipopt_solve(r, y, result, error);
    pthread_mutex_unlock(&one_at_a_time);
    return status == HN_OK ? reference_ipopt_look(r, x, y, result, error) : status;
}
