/* reference_ipopt.c - reference.h by IPOPT's C interface.
 *
 *     min f(y)   s.t.   gl <= g(y) <= gu,   yl <= y <= yu
 *
 * g are the rows whose body is not a bare output, yl and yu the tightest of the others. Three programs compute f and g, their
 * derivatives, and sigma Hess f + sum_k lambda_k Hess g_k; what depends on x alone runs once per solve, and what depends on
 * y once per point, when IPOPT first asks for it.
 *
 * SPDX-License-Identifier: MIT */
#include "backends/backend.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "derivatives/derivatives.h"
#include "reference/reference.h"

#include <IpStdCInterface.h>
#include <IpoptConfig.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

enum { PHASE_X, PHASE_Y, PHASE_MULTIPLIERS };
enum { VALUE, SLOPE, HESSIAN, TASKS }; /* f and g; grad f and J; the Hessian */

struct task {
    struct program *program;
    double *slots; /* of one sample */
    bool stale;    /* y has changed since it ran */
};

struct reference {
    const hn_model *model;
    struct reference_options options;
    struct arena arena; /* of all lists below */
    struct backend backend;
    struct problem problem;
    struct node_matrix slope, hessian; /* of f, where there is one, and of g; of the Lagrangian */
    struct task task[TASKS];
    bool approximate; /* there is no Hessian */
    size_t rows;      /* of g */
    size_t *row;      /* of the model: the k-th of g */
    /* one solve */
    hn_expr *exprs;  /* lower, body and upper of every row, start and fixed value of every output, the objective */
    double *numbers; /* their values */
    double *g_lower, *g_upper, *y_lower, *y_upper, *start;
    int iteration;
};

static const char no_memory[] = "the bridge to IPOPT";
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER; /* MUMPS shares data between threads */

/* ---- what IPOPT says, in words ---- */

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

/* ---- programs ---- */

static hn_status task_create(struct reference *r, struct task *task, const uint32_t *outputs, size_t count,
                             hn_error *error) {
    struct program_request request = {
        .stride = LANES, .graph = &r->problem.graph, .outputs = outputs, .output_count = count};
    request.leaf_count[SPACE_X] = r->problem.inputs;
    request.leaf_count[SPACE_Y] = r->problem.outputs;
    request.leaf_count[SPACE_SIGMA] = 1;
    request.leaf_count[SPACE_LAMBDA] = r->problem.rows;
    request.phase[SPACE_Y] = PHASE_Y;
    request.phase[SPACE_SIGMA] = request.phase[SPACE_LAMBDA] = PHASE_MULTIPLIERS;
    hn_status status = program_create(&task->program, &request, error);
    if (status != HN_OK)
        return status;
    task->slots = arena_take(&r->arena, task->program->slots + 1, sizeof *task->slots);
    if (!task->slots)
        return error_no_memory(error, no_memory);
    memset(task->slots, 0, task->program->slots * sizeof *task->slots);
    memcpy(task->slots, task->program->constants, task->program->constant_count * sizeof *task->slots);
    return HN_OK;
}

static double *leaves(const struct task *task, enum space space) {
    return task->slots + task->program->leaf_slot[space];
}

static void run(struct reference *r, struct task *task, int phase) {
    r->backend.run(task->program, phase, task->slots);
}

/* After this the results that depend on x and y alone are there. */
static void refresh(struct reference *r, struct task *task) {
    if (task->stale)
        run(r, task, PHASE_Y);
    task->stale = false;
}

/* count outputs from first on; false when one is not finite, which makes IPOPT shorten its step. */
static bool collect(const struct task *task, size_t first, size_t count, double *to) {
    bool finite = true;
    for (size_t i = 0; i < count; i++) {
        to[i] = task->slots[task->program->output_slot[first + i]];
        finite = isfinite(to[i]) && finite;
    }
    return finite;
}

static void move_to(struct reference *r, const double *y) {
    for (int i = 0; i < TASKS - r->approximate; i++) {
        memcpy(leaves(&r->task[i], SPACE_Y), y, r->problem.outputs * sizeof *y);
        r->task[i].stale = true;
    }
}

static struct reference *arrive(UserDataPtr data, const double *y, Bool new_y) {
    if (new_y)
        move_to(data, y);
    return data;
}

static void set_inputs(struct reference *r, const double *x) {
    for (int i = 0; i < TASKS - r->approximate; i++) {
        if (r->problem.inputs > 0)
            memcpy(leaves(&r->task[i], SPACE_X), x, r->problem.inputs * sizeof *x);
        run(r, &r->task[i], PHASE_X);
    }
}

/* ---- what IPOPT calls; f comes before g among the outputs, and its gradient before the Jacobian ---- */

static size_t objectives(const struct reference *r) {
    return r->problem.objective != 0;
}

static size_t gradient_count(const struct reference *r) {
    return r->slope.first[objectives(r)];
}

static size_t jacobian_count(const struct reference *r) {
    return r->slope.count - gradient_count(r);
}

static Bool give_objective(Index n, Number *y, Bool new_y, Number *f, UserDataPtr data) {
    struct reference *r = arrive(data, y, new_y);
    *f = 0;
    if (r->options.goal == REFERENCE_NEAREST)
        for (Index j = 0; j < n; j++)
            *f += 0.5 * (y[j] - r->start[j]) * (y[j] - r->start[j]);
    if (objectives(r) == 0)
        return TRUE;
    refresh(r, &r->task[VALUE]);
    return collect(&r->task[VALUE], 0, 1, f);
}

static Bool give_rows(Index n, Number *y, Bool new_y, Index m, Number *g, UserDataPtr data) {
    struct reference *r = arrive(data, y, new_y);
    (void)n;
    refresh(r, &r->task[VALUE]);
    return collect(&r->task[VALUE], objectives(r), (size_t)m, g);
}

static Bool give_gradient(Index n, Number *y, Bool new_y, Number *gradient, UserDataPtr data) {
    struct reference *r = arrive(data, y, new_y);
    bool finite = true;
    for (Index j = 0; j < n; j++)
        gradient[j] = r->options.goal == REFERENCE_NEAREST ? y[j] - r->start[j] : 0;
    if (objectives(r) == 0)
        return TRUE;
    refresh(r, &r->task[SLOPE]);
    for (size_t k = 0; k < gradient_count(r); k++)
        finite = collect(&r->task[SLOPE], k, 1, &gradient[r->slope.column[k]]) && finite;
    return finite;
}

/* The pattern when IPOPT asks for it, else the values. An empty one has a zero in it: IPOPT wants an entry. */
static Bool give_jacobian(Index n, Number *y, Bool new_y, Index m, Index count, Index *row, Index *column,
                          Number *values, UserDataPtr data) {
    struct reference *r = arrive(data, y, values && new_y);
    (void)n, (void)m;
    if (values) {
        memset(values, 0, (size_t)count * sizeof *values);
        refresh(r, &r->task[SLOPE]);
        return collect(&r->task[SLOPE], gradient_count(r), jacobian_count(r), values);
    }
    memset(row, 0, (size_t)count * sizeof *row);
    memset(column, 0, (size_t)count * sizeof *column);
    for (size_t i = objectives(r); i < r->slope.rows; i++)
        for (size_t k = r->slope.first[i]; k < r->slope.first[i + 1]; k++) {
            row[k - gradient_count(r)] = (Index)(i - objectives(r));
            column[k - gradient_count(r)] = (Index)r->slope.column[k];
        }
    return TRUE;
}

static void hessian_pattern(const struct reference *r, Index n, Index *row, Index *column) {
    for (size_t i = 0; i < r->problem.outputs; i++)
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
    (void)m, (void)count, (void)new_lambda;
    if (!values) {
        hessian_pattern(r, n, row, column);
        return TRUE;
    }
    *leaves(&r->task[HESSIAN], SPACE_SIGMA) = sigma;
    for (size_t k = 0; k < r->rows; k++)
        leaves(&r->task[HESSIAN], SPACE_LAMBDA)[r->row[k]] = lambda[k];
    refresh(r, &r->task[HESSIAN]);
    run(r, &r->task[HESSIAN], PHASE_MULTIPLIERS);
    for (Index j = 0; j < n && r->options.goal == REFERENCE_NEAREST; j++)
        values[r->hessian.count + (size_t)j] = sigma; /* entries that are listed twice are added */
    return collect(&r->task[HESSIAN], 0, r->hessian.count, values);
}

static Bool note_iteration(Index mode, Index iteration, Number f, Number primal, Number dual, Number mu, Number step,
                           Number regularization, Number alpha_dual, Number alpha, Index trials, UserDataPtr data) {
    struct reference *r = data;
    (void)mode, (void)f, (void)primal, (void)dual, (void)mu, (void)step, (void)regularization, (void)alpha_dual;
    (void)alpha, (void)trials;
    r->iteration = iteration;
    return TRUE;
}

/* ---- building ---- */

static bool is_bare_output(const struct problem *problem, size_t row) {
    const struct node *node = &problem->graph.nodes[problem->body[row]];
    return node->op == OP_LEAF && node->a == SPACE_Y;
}

static hn_status take_lists(struct reference *r, hn_error *error) {
    size_t m = r->problem.rows, n = r->problem.outputs, all = 3 * m + 2 * n + 1;
    r->row = arena_take(&r->arena, m + 1, sizeof *r->row);
    r->exprs = arena_take(&r->arena, all, sizeof *r->exprs);
    r->numbers = arena_take(&r->arena, all, sizeof *r->numbers);
    r->g_lower = arena_take(&r->arena, 2 * m + 1, sizeof *r->g_lower);
    r->y_lower = arena_take(&r->arena, 3 * n, sizeof *r->y_lower);
    if (!r->row || !r->exprs || !r->numbers || !r->g_lower || !r->y_lower)
        return error_no_memory(error, no_memory);
    r->g_upper = r->g_lower + m;
    r->y_upper = r->y_lower + n;
    r->start = r->y_upper + n;
    for (size_t i = 0; i < m; i++) {
        hn_row_info row = hn_model_row(r->model, i);
        r->exprs[i] = row.lower;
        r->exprs[m + i] = row.body;
        r->exprs[2 * m + i] = row.upper;
        if (!is_bare_output(&r->problem, i))
            r->row[r->rows++] = i;
    }
    for (size_t j = 0; j < n; j++) {
        hn_output_info output = hn_model_output(r->model, j);
        r->exprs[3 * m + j] = output.start;
        r->exprs[3 * m + n + j] = hn_is_valid(output.fixed) ? output.fixed : output.start;
    }
    r->exprs[3 * m + 2 * n] = hn_model_objective(r->model).minimized;
    return HN_OK;
}

static hn_status compile(struct reference *r, hn_error *error) {
    struct problem *p = &r->problem;
    size_t f = objectives(r), n = p->outputs;
    uint32_t *nodes = arena_take(&r->arena, 1 + r->rows, sizeof *nodes); /* f and g */
    if (!nodes)
        return error_no_memory(error, no_memory);
    nodes[0] = p->objective;
    for (size_t k = 0; k < r->rows; k++)
        nodes[f + k] = p->body[r->row[k]];
    hn_status status = derivatives_jacobian(&r->slope, &p->graph, nodes, f + r->rows, SPACE_Y, n, error);
    if (status == HN_OK && (n > INT_MAX || r->rows > INT_MAX || r->slope.count > INT_MAX))
        return error_set(error, HN_LIMIT, "IPOPT: the model is too large for its numbers of 32 bits");
    if (status == HN_OK)
        status = task_create(r, &r->task[VALUE], nodes, f + r->rows, error);
    if (status == HN_OK)
        status = task_create(r, &r->task[SLOPE], r->slope.node, r->slope.count, error);
    if (status != HN_OK)
        return status;
    status = derivatives_hessian(&r->hessian, p, error);
    if (status == HN_LIMIT || r->hessian.count > (size_t)INT_MAX - n) { /* IPOPT will do without */
        r->approximate = true;
        return HN_OK;
    }
    return status == HN_OK ? task_create(r, &r->task[HESSIAN], r->hessian.node, r->hessian.count, error) : status;
}

static hn_status build(struct reference *r, hn_error *error) {
    hn_status status = problem_create(&r->problem, r->model, error);
    if (status != HN_OK)
        return status;
    if (r->options.goal != REFERENCE_OBJECTIVE)
        r->problem.objective = 0;
    status = take_lists(r, error);
    return status == HN_OK ? compile(r, error) : status;
}

struct reference_options reference_defaults(void) {
    return (struct reference_options){.goal = REFERENCE_OBJECTIVE, .tolerance = 1e-8, .iterations = 3000};
}

const char *reference_name(void) {
    return "IPOPT " IPOPT_VERSION;
}

hn_status reference_create(struct reference **out, const hn_model *model, const struct reference_options *options,
                           hn_error *error) {
    struct reference *r = base_allocate(sizeof *r);
    *out = NULL;
    if (!r)
        return error_no_memory(error, no_memory);
    *r = (struct reference){.model = model, .options = options ? *options : reference_defaults()};
    r->backend = backend_single();
    hn_status status = build(r, error);
    if (status == HN_OK)
        *out = r;
    else
        reference_destroy(r);
    return status;
}

void reference_destroy(struct reference *reference) {
    if (!reference)
        return;
    for (int i = 0; i < TASKS; i++)
        program_destroy(reference->task[i].program);
    node_matrix_release(&reference->slope);
    node_matrix_release(&reference->hessian);
    problem_release(&reference->problem);
    arena_release(&reference->arena);
    base_release(reference);
}

/* ---- solving ---- */

/* The bounds of g and y, and the start, from the numbers at x. */
static void set_bounds(struct reference *r, const double *start) {
    size_t m = r->problem.rows, n = r->problem.outputs, k = 0;
    const double *lower = r->numbers, *upper = r->numbers + 2 * m, *own = r->numbers + 3 * m, *fixed = own + n;
    for (size_t j = 0; j < n; j++) {
        bool free = r->problem.fixed[j] == 0;
        r->start[j] = free ? start ? start[j] : own[j] : fixed[j];
        r->y_lower[j] = free ? -INFINITY : fixed[j];
        r->y_upper[j] = free ? INFINITY : fixed[j];
    }
    for (size_t i = 0; i < m; i++) {
        if (k < r->rows && r->row[k] == i) {
            r->g_lower[k] = lower[i];
            r->g_upper[k++] = upper[i];
            continue;
        }
        uint32_t j = r->problem.graph.nodes[r->problem.body[i]].b;
        r->y_lower[j] = lower[i] > r->y_lower[j] ? lower[i] : r->y_lower[j];
        r->y_upper[j] = upper[i] < r->y_upper[j] ? upper[i] : r->y_upper[j];
    }
}

static bool are_bounds(const double *lower, const double *upper, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!(lower[i] <= upper[i] && lower[i] < INFINITY && upper[i] > -INFINITY))
            return false;
    return true;
}

static IpoptProblem new_solver(struct reference *r) {
    size_t diagonal = r->options.goal == REFERENCE_NEAREST ? r->problem.outputs : 0;
    size_t entries = r->rows > 0 && jacobian_count(r) == 0 ? 1 : jacobian_count(r);
    return CreateIpoptProblem((Index)r->problem.outputs, r->y_lower, r->y_upper, (Index)r->rows, r->g_lower, r->g_upper,
                              (Index)entries, (Index)(r->hessian.count + diagonal), 0, give_objective, give_rows,
                              give_gradient, give_jacobian, give_hessian);
}

/* The interface wants texts that it may change, and does not. */
static bool set_text(IpoptProblem solver, const char *name, const char *value) {
    return AddIpoptStrOption(solver, (char *)name, (char *)value);
}

static bool set_number(IpoptProblem solver, const char *name, double value) {
    return AddIpoptNumOption(solver, (char *)name, value);
}

static bool set_whole(IpoptProblem solver, const char *name, int value) {
    return AddIpoptIntOption(solver, (char *)name, value);
}

/* Bounds are meant as they stand: IPOPT would widen them by 1e-8 before it starts. */
static bool set_options(IpoptProblem solver, const struct reference_options *options, bool approximate) {
    bool done = set_whole(solver, "print_level", 0) && set_text(solver, "sb", "yes") &&
                set_text(solver, "option_file_name", "") && set_number(solver, "tol", options->tolerance) &&
                set_number(solver, "constr_viol_tol", options->tolerance) &&
                set_number(solver, "bound_relax_factor", 0) && set_whole(solver, "max_iter", options->iterations);
    if (options->seconds > 0)
        done = done && set_number(solver, "max_cpu_time", options->seconds);
    if (approximate)
        done = done && set_text(solver, "hessian_approximation", "limited-memory");
    if (options->derivatives)
        done = done && set_text(solver, "derivative_test", "second-order");
    if (options->log)
        done = done && OpenIpoptOutputFile(solver, (char *)options->log, 5);
    return done && SetIntermediateCallback(solver, note_iteration);
}

static hn_status solve(struct reference *r, double *y, struct reference_result *result, hn_error *error) {
    double begun = clock_seconds();
    IpoptProblem solver = new_solver(r);
    if (!solver)
        return error_set(error, HN_INVALID, "IPOPT does not take the model");
    if (!set_options(solver, &r->options, r->approximate)) {
        FreeIpoptProblem(solver);
        return error_set(error, HN_INVALID, "IPOPT refuses an option%s%s", r->options.log ? " or to write to " : "",
                         r->options.log ? r->options.log : "");
    }
    move_to(r, r->start);
    r->iteration = 0;
    enum ApplicationReturnStatus status = Invalid_Problem_Definition;
    if (are_bounds(r->g_lower, r->g_upper, r->rows) && are_bounds(r->y_lower, r->y_upper, r->problem.outputs))
        status = IpoptSolve(solver, y, NULL, NULL, NULL, NULL, NULL, r);
    FreeIpoptProblem(solver);
    result->status = status_text(status);
    result->solved = is_solved(status);
    result->iterations = r->iteration;
    result->seconds = clock_seconds() - begun;
    if (status == Insufficient_Memory)
        return error_no_memory(error, "IPOPT");
    return HN_OK;
}

/* Objective and violation at y. */
static hn_status look(struct reference *r, const double *x, const double *y, struct reference_result *result,
                      hn_error *error) {
    size_t m = r->problem.rows, count = 3 * m + 2 * r->problem.outputs;
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
    size_t n = r->problem.outputs, count = 3 * r->problem.rows + 2 * n;
    *result = (struct reference_result){.status = "internal_error", .objective = NAN, .violation = INFINITY};
    memset(r->start, 0, n * sizeof *r->start); /* bounds, start and fixed values depend on x alone: any y will do */
    hn_status status = hn_model_evaluate(r->model, count, r->exprs, x, r->start, r->numbers, error);
    if (status != HN_OK)
        return status;
    set_bounds(r, start);
    set_inputs(r, x);
    memcpy(y, r->start, n * sizeof *y);
    pthread_mutex_lock(&one_at_a_time);
    status = solve(r, y, result, error);
    pthread_mutex_unlock(&one_at_a_time);
    return status == HN_OK ? look(r, x, y, result, error) : status;
}
