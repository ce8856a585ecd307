/* multistart.c - see multistart.h.
 *
 * SPDX-License-Identifier: MIT */
#include "reference/multistart.h"

#include "base/digest.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "common/certificate.h"

#include <math.h>
#include <string.h>

static const double NOISE = 0.5;

/* ---- life ---- */

static hn_status create_reference(struct multistart *m, hn_error *error) {
    struct reference_options options = reference_defaults();
    options.seconds = m->seconds;
    return reference_create(&m->reference, m->model, &options, error);
}

static hn_status create_layer(struct multistart *m, hn_error *error) {
    hn_layer_options options = hn_layer_defaults();
    options.method = HN_METHOD_OPTIMAL;
    hn_status status = hn_layer_create(&m->layer, m->model, &options, error);
    if (status == HN_OK && !(m->workspace = base_allocate(hn_layer_workspace_bytes(m->layer))))
        status = error_no_memory(error, "the reference");
    return status;
}

hn_status multistart_create(struct multistart *m, bool relative, hn_error *error) {
    m->inputs = hn_model_input_count(m->model);
    m->outputs = hn_model_output_count(m->model);
    hn_status status = m->optimal ? create_layer(m, error) : create_reference(m, error);
    if (status != HN_OK)
        return status;
    m->start_exprs = eval_take(m->outputs, 1, sizeof *m->start_exprs);
    m->start = eval_take(m->outputs, 3, sizeof *m->start);
    if (!m->start_exprs || !m->start || !eval_judge_create(&m->judge, m->model, relative))
        return error_no_memory(error, "the reference");
    m->model_start = m->start + m->outputs;
    m->y = m->model_start + m->outputs;
    for (size_t j = 0; j < m->outputs; j++)
        m->start_exprs[j] = hn_model_output(m->model, j).start;
    return HN_OK;
}

void multistart_release(struct multistart *m) {
    reference_destroy(m->reference);
    hn_layer_destroy(m->layer);
    base_release(m->workspace);
    eval_judge_release(&m->judge);
    base_release(m->start_exprs);
    base_release(m->start);
    *m = (struct multistart){.model = m->model};
}

/* ---- starts ---- */

static struct random stream_of(const struct multistart *m, const double *x) {
    struct digest digest = digest_start();
    unsigned char bytes[DIGEST_BYTES];
    uint64_t stream = 0;
    for (size_t i = 0; i < m->inputs; i++)
        digest_add_number(&digest, x[i]);
    digest_finish(&digest, bytes);
    for (size_t i = 0; i < sizeof stream; i++)
        stream = stream << 8 | bytes[i];
    return random_start(m->seed, stream);
}

/* Start number s; NULL: the model's own. */
static const double *choose_start(struct multistart *m, const double *own, size_t s, struct random *random) {
    const double *base = own && s % 2 == 0 ? own : m->model_start;
    if (s == 0)
        return NULL;
    if (s == 1 && own)
        return own;
    size_t pair = own ? s / 2 : s;
    double width = NOISE * (double)pair;
    for (size_t j = 0; j < m->outputs; j++)
        m->start[j] = base[j] + width * fmax(1, fabs(base[j])) * random_normal(random);
    return m->start;
}

/* ---- solving ---- */

/* The same from the method optimal. start NULL: the model's. */
static hn_status solve_by_layer(struct multistart *m, const double *x, const double *start,
                                struct reference_result *result, hn_error *error) {
    hn_report report = {.outcome = HN_OUTCOME_OK};
    const hn_batch batch = {.size = sizeof batch,
                            .count = 1,
                            .x = m->inputs > 0 ? x : NULL,
                            .y_raw = start ? start : m->model_start,
                            .y = m->y,
                            .report_size = sizeof report,
                            .reports = &report,
                            .seconds = m->seconds};
    hn_status status = hn_layer_run(m->layer, &batch, m->workspace, hn_layer_workspace_bytes(m->layer), error);
    *result = (struct reference_result){.status = hn_outcome_text(report.outcome),
                                        .solved = certificate_holds(&report),
                                        .late = m->seconds > 0 && report.outcome == HN_OUTCOME_CANCELLED};
    return status;
}

static hn_status multistart_solve(struct multistart *m, const double *x, const double *start,
                                  struct reference_result *result, hn_error *error) {
    return m->layer ? solve_by_layer(m, x, start, result, error)
                    : reference_solve(m->reference, x, start, m->y, result, error);
}

/* Keeps the point in m->y if it is feasible and better than the best. */
static hn_status consider(struct multistart *m, const double *x, bool solved, struct optimum *best, double *y,
                          hn_error *error) {
    struct judgement judgement;
    hn_status status = eval_judge_point(&m->judge, x, m->y, m->feasible, &judgement, error);
    if (status != HN_OK || !judgement.held || !isfinite(judgement.objective))
        return status;
    if (!isnan(best->objective) && judgement.objective >= best->objective)
        return HN_OK;
    best->objective = judgement.objective;
    best->solved = solved;
    memcpy(y, m->y, m->outputs * sizeof *y);
    return HN_OK;
}

hn_status multistart_run(struct multistart *m, const double *x, const double *own, struct optimum *best, double *y,
                         hn_error *error) {
    struct random random = stream_of(m, x);
    best->late = 0;
    memset(m->start, 0, m->outputs * sizeof *m->start); /* the start values have no y in them */
    hn_status status = hn_model_evaluate(m->model, m->outputs, m->start_exprs, x, m->start, m->model_start, error);
    for (size_t s = 0; s < m->starts && status == HN_OK; s++) {
        struct reference_result result = {.status = NULL};
        const double *start = choose_start(m, own, s, &random);
        status = multistart_solve(m, x, start, &result, error);
        m->said = result.status;
        best->late += result.late;
        if (status == HN_OK)
            status = consider(m, x, result.solved, best, y, error);
    }
    if (best->late == 0 && best->starts < m->starts)
        best->starts = m->starts;
    return status;
}
