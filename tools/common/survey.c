/* survey.c - see survey.h.
 *
 * Feasibility: every input from the model's start values, by the layer's own method. Optima: the method optimal from
 * the start values and from two disturbances of them; two certified optima whose objectives differ by 1 % are different
 * ones.
 *
 * What it may take is counted in operations, not in seconds, so that a busy machine finds the same: inputs go in
 * chunks, and when the steps that were computed come to more than the limit, the others are left undecided.
 *
 * SPDX-License-Identifier: MIT */
#include "common/survey.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "common/certificate.h"
#include "common/effort.h"
#include "common/figures.h"
#include "common/inputs.h"
#include "hardnet/policy.h"

#include <math.h>
#include <string.h>

enum { STARTS = 3, STREAM = 0x737572 };
enum { CHUNK = 40 };
enum { LEAST_SEARCHED = 8 }; /* inputs: several optima of fewer would say little */

static const double DIFFERENT = 0.01, MOST_WORK = 5e9;

struct memory {
    const hn_model *model;
    const struct survey_options *options;
    size_t inputs, outputs, count;
    double *x, *base, *raw, *y, *values; /* rows; base: corrected start values */
    hn_report *reports, *others;         /* of the correction; of one start of optimal */
    double *least, *most;                /* certified objectives of each input */
    size_t *certified;                   /* how many starts led to one */
    bool cut;                            /* samples end after fewer steps than the method would take */
    bool optimises;                      /* there is an objective */
    struct effort cost;
};

struct survey_options survey_defaults(void) {
    return (struct survey_options){.count = SURVEY_SAMPLES, .seed = 1, .work = MOST_WORK};
}

/* ---- memory ---- */

static void *survey_take(size_t rows, size_t columns, size_t each) {
    size_t bytes;
    bool fits = size_multiply(rows, columns + 1, &bytes) && size_multiply(bytes, each, &bytes);
    void *block = fits ? base_allocate(bytes) : NULL;
    if (block)
        memset(block, 0, bytes);
    return block;
}

static hn_status survey_make_room(struct memory *m, hn_error *error) {
    double **lists[] = {&m->x, &m->base, &m->raw, &m->y, &m->values, &m->least, &m->most};
    const size_t columns[] = {m->inputs, m->outputs, m->outputs, m->outputs, 1, 1, 1};
    bool all = true;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        all = (*lists[i] = survey_take(m->count, columns[i], sizeof(double))) && all;
    m->reports = survey_take(m->count, 1, sizeof *m->reports);
    m->others = survey_take(m->count, 1, sizeof *m->others);
    m->certified = survey_take(m->count, 1, sizeof *m->certified);
    return all && m->reports && m->others && m->certified ? HN_OK : error_no_memory(error, "the survey of the inputs");
}

static void survey_release(struct memory *m) {
    double *lists[] = {m->x, m->base, m->raw, m->y, m->values, m->least, m->most};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        base_release(lists[i]);
    base_release(m->reports);
    base_release(m->others);
    base_release(m->certified);
}

/* ---- inputs ---- */

static hn_status find_inputs(struct memory *m, hn_error *error) {
    const struct survey_options *o = m->options;
    hn_status status = HN_OK;
    bool met;
    if (o->x)
        memcpy(m->x, o->x, m->count * m->inputs * sizeof *m->x);
    for (size_t i = 0; !o->x && status == HN_OK && i < m->count; i++) {
        struct random random = random_start(o->seed, STREAM + i);
        status = inputs_sample(m->model, &random, m->x + i * m->inputs, &met, error);
    }
    return status;
}

/* ---- running ---- */

struct job {
    size_t first, count; /* inputs */
    const double *raw;   /* of all inputs; NULL: the start values */
    double *y;
    hn_report *reports;
};

static hn_status correct_samples(const struct memory *m, hn_pool *pool, const struct job *job, hn_error *error) {
    hn_batch batch = {.size = sizeof batch,
                      .count = job->count,
                      .x = m->inputs > 0 ? m->x + job->first * m->inputs : NULL,
                      .y_raw = job->raw ? job->raw + job->first * m->outputs : NULL,
                      .y = job->y + job->first * m->outputs,
                      .report_size = sizeof(hn_report),
                      .reports = job->reports + job->first,
                      .cancel = m->options->cancel};
    return hn_pool_run(pool, &batch, error);
}

static double work_of(const struct memory *m, const struct job *job) {
    double work = 0;
    for (size_t k = job->first; k < job->first + job->count; k++)
        work +=
            m->cost.step * job->reports[k].iterations + m->cost.factorisation * (double)job->reports[k].factorisations;
    return work;
}

/* How many inputs hardly take more than there is. */
static size_t inputs_in(double work, double step) {
    double room = work / (EFFORT_USUAL_STEPS * step);
    return room >= CHUNK ? CHUNK : room >= 1 ? (size_t)room : 0;
}

/* A step may be so long that a sample which never ends would take more than there is: then it ends there, undecided. */
static int most_steps(const hn_layer *layer, double work) {
    double room = work / effort_step(layer);
    return room >= HN_POLICY_MOST_ITERATIONS ? HN_POLICY_MOST_ITERATIONS
           : room > EFFORT_USUAL_STEPS       ? (int)room
                                             : EFFORT_USUAL_STEPS;
}

static hn_status open_pool(hn_layer **layer, hn_pool **pool, struct memory *m, hn_method method, hn_error *error) {
    hn_layer_options options = hn_layer_defaults();
    options.method = method;
    *pool = NULL;
    hn_status status = hn_layer_create(layer, m->model, &options, error);
    if (status != HN_OK)
        return status;
    options.iterations = most_steps(*layer, m->options->work);
    m->cut = options.iterations < hn_layer_options_of(*layer).iterations;
    if (m->cut) {
        hn_layer_destroy(*layer);
        status = hn_layer_create(layer, m->model, &options, error);
    }
    return status == HN_OK ? hn_pool_create(pool, *layer, m->options->threads, error) : status;
}

/* ---- feasible outputs ---- */

static void note_cut(struct memory *m) {
    for (size_t k = 0; m->cut && k < m->count; k++)
        if (m->reports[k].outcome == HN_OUTCOME_ITERATION_LIMIT)
            m->reports[k].outcome = HN_OUTCOME_CANCELLED;
}

static void count_feasible(struct survey *s, struct memory *m) {
    size_t decided = 0;
    for (size_t k = 0; k < m->count; k++) {
        s->ok += m->reports[k].outcome == HN_OUTCOME_OK;
        s->undecided += m->reports[k].outcome == HN_OUTCOME_CANCELLED;
        if (m->reports[k].outcome != HN_OUTCOME_CANCELLED)
            m->values[decided++] = m->reports[k].iterations;
    }
    if (decided == 0)
        return;
    struct spread spread = figures_spread(m->values, decided);
    s->median_steps = spread.median;
    s->most_steps = spread.most;
}

static hn_status correct_all(struct memory *m, hn_pool *pool, hn_error *error) {
    size_t chunk = inputs_in(m->options->work, m->cost.step);
    double left = m->options->work;
    hn_status status = HN_OK;
    struct job job = {.count = chunk > 0 ? chunk : 1, .y = m->base, .reports = m->reports};
    for (; status == HN_OK && job.first < m->count; job.first += job.count) {
        job.count = m->count - job.first < job.count ? m->count - job.first : job.count;
        if (left > 0)
            status = correct_samples(m, pool, &job, error);
        for (size_t k = 0; !(left > 0) && k < job.count; k++)
            m->reports[job.first + k] = (hn_report){.outcome = HN_OUTCOME_CANCELLED};
        left -= work_of(m, &job);
    }
    return status;
}

static hn_status survey_correct(struct survey *s, struct memory *m, hn_error *error) {
    hn_layer *layer = NULL;
    hn_pool *pool;
    hn_status status = open_pool(&layer, &pool, m, hn_layer_defaults().method, error);
    double begun = clock_seconds();
    m->cost.step = effort_step(layer);
    if (status == HN_OK)
        status = correct_all(m, pool, error);
    s->seconds = (clock_seconds() - begun) / (double)m->count;
    note_cut(m);
    if (status == HN_OK)
        count_feasible(s, m);
    if (status == HN_OK && m->optimises && s->ok > 0)
        status = effort_find(&m->cost, m->model, layer, error);
    hn_pool_destroy(pool);
    hn_layer_destroy(layer);
    return status;
}

/* ---- optima ---- */

/* Of what was corrected, by n and -n. */
static void survey_disturb(struct memory *m, const struct job *job, int start) {
    struct random random = random_start(m->options->seed, STREAM);
    for (size_t j = 0; j < m->outputs; j++) {
        double noise = random_normal(&random) * (start % 2 ? 1 : -1);
        for (size_t k = job->first; k < job->first + job->count; k++) {
            double at = m->base[k * m->outputs + j];
            m->raw[k * m->outputs + j] = at + noise * fmax(1, fabs(at));
        }
    }
}

static void note_optima(struct memory *m, const struct job *job) {
    for (size_t k = job->first; k < job->first + job->count; k++) {
        double f = job->reports[k].objective;
        if (m->reports[k].outcome != HN_OUTCOME_OK || !certificate_holds(&job->reports[k]))
            continue;
        m->least[k] = m->certified[k] == 0 ? f : fmin(m->least[k], f);
        m->most[k] = m->certified[k] == 0 ? f : fmax(m->most[k], f);
        m->certified[k]++;
    }
}

/* An objective near 0 is measured by what is typical. */
static void count_several(struct survey *s, struct memory *m) {
    size_t found = 0;
    for (size_t k = 0; k < m->count; k++)
        if (m->certified[k] > 0)
            m->values[found++] = fabs(m->least[k]);
    double typical = found > 0 ? figures_spread(m->values, found).median : 0;
    for (size_t k = 0; k < m->count; k++) {
        s->optimised += m->certified[k] >= 2;
        s->several +=
            m->certified[k] >= 2 && m->most[k] - m->least[k] > DIFFERENT * fmax(fmax(fabs(m->least[k]), typical), 1e-8);
    }
}

/* A few inputs, from all starts; the work that it took. */
static hn_status optimise_some(struct memory *m, hn_pool *pool, struct job job, double *work, hn_error *error) {
    hn_status status = HN_OK;
    for (int start = 0; status == HN_OK && start < STARTS; start++) {
        if (start > 0)
            survey_disturb(m, &job, start);
        job.raw = start > 0 ? m->raw : NULL;
        job.y = start > 0 ? m->raw : m->y;
        status = correct_samples(m, pool, &job, error);
        *work += status == HN_OK ? work_of(m, &job) : 0;
        if (status == HN_OK)
            note_optima(m, &job);
    }
    return status;
}

/* Every few inputs from all starts before the next ones, so that those which the work was enough for are decided. */
static hn_status optimise_all(struct memory *m, hn_pool *pool, size_t chunk, hn_error *error) {
    double work = 0;
    hn_status status = HN_OK;
    struct job job = {.count = chunk, .reports = m->others};
    for (; status == HN_OK && job.first < m->count && work < m->options->work; job.first += job.count) {
        job.count = m->count - job.first < chunk ? m->count - job.first : chunk;
        status = optimise_some(m, pool, job, &work, error);
    }
    return status;
}

static hn_status optimise(struct survey *s, struct memory *m, hn_error *error) {
    hn_layer *layer = NULL;
    hn_pool *pool = NULL;
    size_t chunk = inputs_in(m->options->work, STARTS * m->cost.factorisation);
    s->too_large = chunk < LEAST_SEARCHED && chunk < m->count;
    if (s->too_large)
        return HN_OK;
    hn_status status = open_pool(&layer, &pool, m, HN_METHOD_OPTIMAL, error);
    if (status == HN_OK)
        status = optimise_all(m, pool, chunk, error);
    if (status == HN_OK)
        count_several(s, m);
    hn_pool_destroy(pool);
    hn_layer_destroy(layer);
    return status;
}

/* ---- scale ---- */

static void survey_measure(struct survey *s, const struct memory *m, const double *y) {
    s->least_scale = s->most_scale = NAN;
    for (size_t j = 0; s->ok > 0 && j < m->outputs; j++) {
        double sum = 0;
        for (size_t k = 0; k < m->count; k++)
            sum += m->reports[k].outcome == HN_OUTCOME_OK ? fabs(y[k * m->outputs + j]) : 0;
        double mean = sum / (double)s->ok;
        if (!(mean >= s->least_scale) && mean > 0) {
            s->least_scale = mean;
            s->least_output = j;
        }
        if (!(mean <= s->most_scale)) {
            s->most_scale = mean;
            s->most_output = j;
        }
    }
}

/* ---- all of it ---- */

size_t survey_decided(const struct survey *s) {
    return s->count - s->undecided;
}

double survey_bad_share(const struct survey *s) {
    size_t decided = survey_decided(s);
    return decided > 0 ? (double)(decided - s->ok) / (double)decided : 0;
}

static hn_status survey_look(struct survey *s, struct memory *m, hn_error *error) {
    hn_status status = find_inputs(m, error);
    if (status == HN_OK)
        status = survey_correct(s, m, error);
    if (status != HN_OK)
        return status;
    survey_find_place(s, m->x, m->reports);
    survey_measure(s, m, m->base);
    if (survey_is_slow(s->median_steps))
        status = survey_find_slow(s, m->model, m->x, error);
    if (status != HN_OK)
        return status;
    return m->optimises && s->ok > 0 ? optimise(s, m, error) : HN_OK;
}

hn_status survey_run(struct survey *s, const hn_model *model, const struct survey_options *options, hn_error *error) {
    struct memory m = {.model = model, .options = options};
    m.inputs = hn_model_input_count(model);
    m.outputs = hn_model_output_count(model);
    m.optimises = hn_model_objective(model).name;
    m.count = m.inputs == 0 ? 1 : options->x && options->rows < options->count ? options->rows : options->count;
    *s = (struct survey){.inputs = m.inputs,
                         .outputs = m.outputs,
                         .count = m.count,
                         .least_scale = NAN,
                         .most_scale = NAN,
                         .slow_group = SIZE_MAX};
    if (m.count == 0)
        return HN_OK;
    hn_status status = survey_make_room(&m, error);
    if (status == HN_OK)
        status = survey_look(s, &m, error);
    survey_release(&m);
    return status;
}
