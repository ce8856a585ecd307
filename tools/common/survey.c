/* survey.c - see survey.h.
 *
 * Feasibility: every input from the model's start values, by the layer's own method. Optima: the method optimal from the start
 * values and from two disturbances of them; two certified optima whose objectives differ by 1 % are different ones.
 *
 * SPDX-License-Identifier: MIT */
#include "common/survey.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "common/certificate.h"
#include "common/figures.h"
#include "common/inputs.h"

#include <math.h>
#include <string.h>

enum { STARTS = 3, STREAM = 0x737572 };

static const double DIFFERENT = 0.01, LIMIT_SECONDS = 1.2;

struct memory {
    const hn_model *model;
    const struct survey_options *options;
    size_t inputs, outputs, count;
    double *x, *base, *raw, *y, *values; /* rows; base: corrected start values */
    hn_report *reports, *others;         /* of the correction; of one start of optimal */
    double *least, *most;                /* certified objectives of each input */
    size_t *certified;                   /* how many starts led to one */
};

struct survey_options survey_defaults(void) {
    return (struct survey_options){.count = SURVEY_SAMPLES, .seed = 1, .seconds = LIMIT_SECONDS};
}

/* ---- memory ---- */

static void *take(size_t rows, size_t columns, size_t each) {
    size_t bytes;
    bool fits = size_multiply(rows, columns + 1, &bytes) && size_multiply(bytes, each, &bytes);
    void *block = fits ? base_allocate(bytes) : NULL;
    if (block)
        memset(block, 0, bytes);
    return block;
}

static hn_status make_room(struct memory *m, hn_error *error) {
    double **lists[] = {&m->x, &m->base, &m->raw, &m->y, &m->values, &m->least, &m->most};
    const size_t columns[] = {m->inputs, m->outputs, m->outputs, m->outputs, 1, 1, 1};
    bool all = true;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        all = (*lists[i] = take(m->count, columns[i], sizeof(double))) && all;
    m->reports = take(m->count, 1, sizeof *m->reports);
    m->others = take(m->count, 1, sizeof *m->others);
    m->certified = take(m->count, 1, sizeof *m->certified);
    return all && m->reports && m->others && m->certified ? HN_OK : error_no_memory(error, "the survey of the inputs");
}

static void release(struct memory *m) {
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
    hn_method method;
    const double *raw; /* NULL: the start values */
    double *y;
    hn_report *reports;
    double seconds;
};

static hn_status run(const struct memory *m, hn_pool *pool, const struct job *job, hn_error *error) {
    hn_batch batch = {.size = sizeof batch,
                      .count = m->count,
                      .x = m->inputs > 0 ? m->x : NULL,
                      .y_raw = job->raw,
                      .y = job->y,
                      .report_size = sizeof(hn_report),
                      .reports = job->reports,
                      .seconds = job->seconds,
                      .cancel = m->options->cancel};
    return hn_pool_run(pool, &batch, error);
}

static hn_status open_pool(hn_layer **layer, hn_pool **pool, const struct memory *m, hn_method method,
                           hn_error *error) {
    hn_layer_options options = hn_layer_defaults();
    options.method = method;
    *pool = NULL;
    hn_status status = hn_layer_create(layer, m->model, &options, error);
    return status == HN_OK ? hn_pool_create(pool, *layer, m->options->threads, error) : status;
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

static hn_status correct(struct survey *s, struct memory *m, hn_error *error) {
    hn_layer *layer = NULL;
    hn_pool *pool;
    hn_status status = open_pool(&layer, &pool, m, hn_layer_defaults().method, error);
    double begun = clock_seconds();
    const struct job job = {.y = m->base, .reports = m->reports, .seconds = m->options->seconds};
    if (status == HN_OK)
        status = run(m, pool, &job, error);
    s->seconds = (clock_seconds() - begun) / (double)m->count;
    if (status == HN_OK)
        count_feasible(s, m);
    hn_pool_destroy(pool);
    hn_layer_destroy(layer);
    return status;
}

/* ---- optima ---- */

/* Of what was corrected, by n and -n. */
static void disturb(struct memory *m, int start) {
    struct random random = random_start(m->options->seed, STREAM);
    for (size_t j = 0; j < m->outputs; j++) {
        double noise = random_normal(&random) * (start % 2 ? 1 : -1);
        for (size_t k = 0; k < m->count; k++) {
            double at = m->base[k * m->outputs + j];
            m->raw[k * m->outputs + j] = at + noise * fmax(1, fabs(at));
        }
    }
}

static void note_optima(struct memory *m, const hn_report *reports) {
    for (size_t k = 0; k < m->count; k++) {
        double f = reports[k].objective;
        if (m->reports[k].outcome != HN_OUTCOME_OK || !certificate_holds(&reports[k]))
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

static hn_status optimise(struct survey *s, struct memory *m, hn_error *error) {
    hn_layer *layer = NULL;
    hn_pool *pool;
    hn_status status = open_pool(&layer, &pool, m, HN_METHOD_OPTIMAL, error);
    for (int start = 0; status == HN_OK && start < STARTS; start++) {
        const struct job job = {.raw = start > 0 ? m->raw : NULL,
                                .y = start > 0 ? m->raw : m->y,
                                .reports = m->others,
                                .seconds = m->options->seconds / STARTS};
        if (start > 0)
            disturb(m, start);
        status = run(m, pool, &job, error);
        if (status == HN_OK)
            note_optima(m, m->others);
    }
    if (status == HN_OK)
        count_several(s, m);
    hn_pool_destroy(pool);
    hn_layer_destroy(layer);
    return status;
}

/* ---- scale ---- */

static void measure(struct survey *s, const struct memory *m, const double *y) {
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

static hn_status look(struct survey *s, struct memory *m, hn_error *error) {
    bool optimises = hn_model_objective(m->model).name;
    hn_status status = find_inputs(m, error);
    if (status == HN_OK)
        status = correct(s, m, error);
    if (status != HN_OK)
        return status;
    survey_find_place(s, m->x, m->reports);
    measure(s, m, m->base);
    return optimises && s->ok > 0 ? optimise(s, m, error) : HN_OK;
}

hn_status survey_run(struct survey *s, const hn_model *model, const struct survey_options *options, hn_error *error) {
    struct memory m = {.model = model, .options = options};
    m.inputs = hn_model_input_count(model);
    m.outputs = hn_model_output_count(model);
    m.count = m.inputs == 0 ? 1 : options->x && options->rows < options->count ? options->rows : options->count;
    *s = (struct survey){
        .inputs = m.inputs, .outputs = m.outputs, .count = m.count, .least_scale = NAN, .most_scale = NAN};
    if (m.count == 0)
        return HN_OK;
    hn_status status = make_room(&m, error);
    if (status == HN_OK)
        status = look(s, &m, error);
    release(&m);
    return status;
}
