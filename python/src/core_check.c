/* core_check.c - the results of `hardnet check` as nested dicts and lists; arrays of numbers as bytes of doubles. Names
 * of rows and columns are looked up in Python.
 *
 * SPDX-License-Identifier: MIT */
#include "core.h"

/* Indices of rows, points and so on; SIZE_MAX becomes None. */
static PyObject *count_of(size_t value) {
    if (value == SIZE_MAX)
        Py_RETURN_NONE;
    return PyLong_FromSize_t(value);
}

static PyObject *text_of(const char *text) {
    if (!text)
        Py_RETURN_NONE;
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

static PyObject *reals(const hn_real *values, size_t count) {
    return PyBytes_FromStringAndSize((const char *)values, values ? (Py_ssize_t)(count * sizeof *values) : 0);
}

static PyObject *truth(bool value) {
    return PyBool_FromLong(value);
}

/* A list of make(index) for all indices. */
typedef PyObject *element(const hn_check *check, const void *context, size_t index);

static PyObject *list_of(const hn_check *check, const void *context, size_t count, element *make) {
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *item = make(check, context, i);
        if (!item || PyList_SetItem(list, (Py_ssize_t)i, item) < 0)
            Py_CLEAR(list);
    }
    return list;
}

/* ---- parts ---- */

static PyObject *group_at(const hn_check *check, const void *Py_UNUSED(context), size_t index) {
    const hn_check_group *g = &check->group[index];
    return Py_BuildValue("{sNsNsNsNsdsdsNsN}", "equalities", count_of(g->equalities), "one_sided",
                         count_of(g->one_sided), "two_sided", count_of(g->two_sided), "output_bounds",
                         truth(g->output_bounds), "mean", g->mean, "max", g->max, "worst", count_of(g->worst),
                         "not_finite", count_of(g->not_finite));
}

static PyObject *difference_at(const hn_check *check, const void *Py_UNUSED(context), size_t index) {
    const hn_check_difference *d = &check->difference[index];
    return Py_BuildValue("{sNsNsNsdsNsNsNsNsdsd}", "checked", count_of(d->checked), "not_finite",
                         count_of(d->not_finite), "kinks", count_of(d->kinks), "error", d->error, "point",
                         count_of(d->point), "row", count_of(d->row), "column", count_of(d->column), "together",
                         count_of(d->together), "derivative", d->derivative, "difference", d->difference);
}

static PyObject *report_at(const hn_check *check, const void *Py_UNUSED(context), size_t index) {
    const hn_report *r = &check->correction->reports[index];
    return Py_BuildValue("{sisisdsdsNsdsd}", "outcome", (int)r->outcome, "iterations", r->iterations,
                         "violation_before", r->violation_before, "violation", r->violation, "worst",
                         count_of(r->worst), "moved", r->moved, "damping", r->damping);
}

static PyObject *correction_of(const hn_check *check) {
    const hn_check_correction *c = check->correction;
    if (!c)
        Py_RETURN_NONE;
    return Py_BuildValue(
        "{sNsdsisisNsNsNsNsNsN}", "why_not", text_of(c->why_not), "tolerance", c->options.tolerance, "iterations",
        c->options.iterations, "own_iterations", c->own_iterations, "count", count_of(c->count), "ok", count_of(c->ok),
        "failed", count_of(c->failed), "reports", list_of(check, NULL, c->reports ? c->count : 0, report_at), "y",
        reals(c->y, c->count * check->outputs), "residual", reals(c->residual, c->count * check->rows));
}

static PyObject *index_at(const hn_check *Py_UNUSED(check), const void *context, size_t index) {
    return count_of(((const size_t *)context)[index]);
}

static PyObject *violated_at(const hn_check *check, const void *Py_UNUSED(context), size_t index) {
    const hn_check_violated *v = &check->conflict->rows[index];
    return Py_BuildValue("(Nd)", count_of(v->row), v->violation);
}

static PyObject *conflict_of(const hn_check *check) {
    const hn_check_conflict *c = check->conflict;
    if (!c)
        Py_RETURN_NONE;
    return Py_BuildValue("{sNsNsNsNsNsNsN}", "why_not", text_of(c->why_not), "point", count_of(c->point), "groups",
                         list_of(check, c->groups, c->count, index_at), "minimal", truth(c->minimal), "smallest",
                         truth(c->smallest), "solves", count_of(c->solves), "rows",
                         list_of(check, NULL, c->violated, violated_at));
}

static PyObject *dependent_at(const hn_check *check, const void *Py_UNUSED(context), size_t index) {
    const hn_check_dependent *d = &check->rank->dependent[index];
    return Py_BuildValue("{sNsNsN}", "row", count_of(d->row), "total", count_of(d->total), "others",
                         list_of(check, d->others, d->count, index_at));
}

static PyObject *rank_of(const hn_check *check) {
    const hn_check_rank *r = check->rank;
    if (!r)
        Py_RETURN_NONE;
    return Py_BuildValue("{sNsNsNsdsdsN}", "why_not", text_of(r->why_not), "active", count_of(r->active), "rank",
                         count_of(r->rank), "largest", r->largest, "smallest", r->smallest, "dependent",
                         list_of(check, NULL, r->dependents, dependent_at));
}

static PyObject *rate_of(const hn_check_rate *r) {
    return Py_BuildValue("{sdsNsdsd}", "eps", r->eps, "steps", count_of(r->steps), "mean", r->mean, "worst", r->worst);
}

static PyObject *theorem_of(const hn_check *check) {
    const hn_check_theorem *t = check->theorem;
    if (!t)
        Py_RETURN_NONE;
    return Py_BuildValue("{sNsNsNsdsdsdsNsNsdsdsdsdsNsN}", "why_not", text_of(t->why_not), "points",
                         count_of(t->points), "pairs", count_of(t->pairs), "L", t->L, "mu", t->mu, "G", t->G,
                         "mu_point", count_of(t->mu_point), "mu_step", count_of(t->mu_step), "eps", t->eps, "k", t->k,
                         "rate", t->rate, "paper_rate", t->paper_rate, "at_best", rate_of(&t->at_best), "at_paper",
                         rate_of(&t->at_paper));
}

static PyObject *subject_at(const hn_check *Py_UNUSED(check), const void *context, size_t index) {
    return text_of(((const hn_check_finding *)context)->subjects[index]);
}

static PyObject *finding_at(const hn_check *check, const void *Py_UNUSED(context), size_t index) {
    const hn_check_finding *f = &check->finding[index];
    return Py_BuildValue("{sisNsNsN}", "severity", (int)f->severity, "kind", text_of(f->kind), "text", text_of(f->text),
                         "subjects", list_of(check, f, f->subjects ? f->count : 0, subject_at));
}

/* ---- the whole ---- */

static PyObject *sizes_of(const hn_check *c) {
    return Py_BuildValue(
        "{sNsNsNsNsNsNsNsNsNsNsNsNsNsNsNsN}", "points", count_of(c->points), "unmet", count_of(c->unmet), "middle",
        truth(c->middle), "smallest_row", count_of(c->smallest_row), "largest_row", count_of(c->largest_row),
        "jacobian_nonzeros", count_of(c->jacobian.count), "jacobian_constant", count_of(c->jacobian_constant),
        "jacobian_x_nonzeros", count_of(c->jacobian_x_nonzeros), "bounds_x_nonzeros", count_of(c->bounds_x_nonzeros),
        "gradient_nonzeros", count_of(c->gradient_nonzeros), "hessian_nonzeros", count_of(c->hessian_nonzeros),
        "hessian_left_out", truth(c->hessian_left_out), "value_instructions", count_of(c->value_instructions),
        "first_instructions", count_of(c->first_instructions), "hessian_instructions",
        count_of(c->hessian_instructions), "rows", count_of(c->rows));
}

static PyObject *values_of(const hn_check *c, size_t definitions) {
    return Py_BuildValue("{sNsNsNsNsdsNsNsNsNsNsN}", "x", reals(c->x, c->points * c->inputs), "y",
                         reals(c->y, c->points * c->outputs), "lower", reals(c->lower, c->outputs), "upper",
                         reals(c->upper, c->outputs), "objective", c->objective, "row_value",
                         reals(c->row_value, c->rows), "row_lower", reals(c->row_lower, c->rows), "row_upper",
                         reals(c->row_upper, c->rows), "violation", reals(c->violation, c->rows), "row_norm",
                         reals(c->row_norm, c->rows), "definition", reals(c->definition, definitions));
}

static PyObject *result_of(const hn_check *c, const hn_model *model) {
    return Py_BuildValue("{sNsNsNsNsNsNsNsNsN}", "sizes", sizes_of(c), "values",
                         values_of(c, hn_model_definition_count(model)), "groups",
                         list_of(c, NULL, hn_model_group_count(model), group_at), "differences",
                         list_of(c, NULL, HN_CHECK_DERIVATIVES, difference_at), "correction", correction_of(c),
                         "conflict", conflict_of(c), "rank", rank_of(c), "theorem", theorem_of(c), "findings",
                         list_of(c, NULL, c->findings, finding_at));
}

typedef struct checking {
    const hn_model *model;
    hn_check_options options;
    hn_check *check;
    hn_status status;
    hn_error error;
} checking;

static void run(void *context) {
    checking *c = context;
    c->status = hn_model_check(&c->check, c->model, &c->options, &c->error);
}

static PyObject *run_check(checking *c) {
    int cancel = 0;
    bool quiet = core_run(run, c, false, &cancel);
    PyObject *result = NULL;
    if (quiet && c->status == HN_OK)
        result = result_of(c->check, c->model);
    else if (quiet)
        core_raise(&c->error);
    hn_check_destroy(c->check);
    return result;
}

static PyObject *check(PyObject *module, PyObject *arguments) {
    PyObject *model, *x_object, *result = NULL;
    Py_ssize_t points, x_rows;
    unsigned long long seed;
    int sample_start, threads;
    core_array x;
    checking c = {.options = hn_check_defaults()};
    if (!PyArg_ParseTuple(arguments, "OnKpOni:check", &model, &points, &seed, &sample_start, &x_object, &x_rows,
                          &threads) ||
        !(c.model = core_model_of(core_state_of(module), model)))
        return NULL;
    if (points < 1 || points > HN_CHECK_POINTS || x_rows < 0 || threads < 0)
        return core_invalid("points must be from 1 to %d", (int)HN_CHECK_POINTS);
    size_t inputs = hn_model_input_count(c.model);
    if (!core_array_view(&x, x_object, "x", CORE_REAL, CORE_ANY, CORE_OPTIONAL))
        return NULL;
    if (x.count == (size_t)x_rows * inputs && (inputs == 0 || (size_t)x_rows <= x.count)) {
        c.options.points = (size_t)points;
        c.options.seed = seed;
        c.options.sample_start = sample_start != 0;
        c.options.x = x.data;
        c.options.x_rows = x.data ? (size_t)x_rows : 0;
        c.options.threads = threads;
        result = run_check(&c);
    } else {
        core_invalid("x does not have one row of inputs for each of its points");
    }
    core_array_release(&x);
    return result;
}

static PyMethodDef functions[] = {
    {"check", check, METH_VARARGS, "check(model, points, seed, sample_start, x, x_rows, threads)"},
    {NULL, NULL, 0, NULL},
};

int core_add_check(PyObject *module) {
    return PyModule_AddFunctions(module, functions);
}
