/* refiner.c - see refiner.h; and hardnet/refine.h, which splits batches into chunks for its threads.
 *
 * SPDX-License-Identifier: MIT */
#include "nn/refiner.h"

#include "base/error.h"
#include "base/machine.h"
#include "base/memory.h"
#include "base/structs.h"
#include "base/thread_pool.h"
#include "hardnet/refine.h"
#include "model/parts.h"

#include <string.h>

enum {
    EXPLORE_EVERY = 4, /* rounds; exploration costs as much as a training step */
    GRAIN = 8,         /* chunk sizes are multiples of this, to fill the lanes */
    CHUNK = IMPROVE_CHUNK,
    MOST_CANDIDATES = 1000
};

/* ---- creation ---- */

hn_status refiner_create(struct refiner *r, const hn_model *model, const hn_layer *layer, bool refines,
                         hn_error *error) {
    hn_status status = refines ? model_without_blocks(model, "refinement and improved targets do", error) : HN_OK;
    *r = (struct refiner){.layer = layer, .refines = refines};
    if (status == HN_OK && (refines || hn_model_objective(model).name))
        status = loss_create(&r->loss, model, error);
    if (status == HN_OK && refines)
        status = refine_plan_create_lanes(&r->plan, model, hn_layer_options_of(layer).instructions, error);
    return status;
}

void refiner_release(struct refiner *r) {
    loss_release(&r->loss);
    refine_plan_release(&r->plan);
}

void refiner_place(struct layout *layout, const struct refiner *r, size_t inputs, size_t candidates, bool improves,
                   struct refine_memory *m) {
    hn_layer_info layer = hn_layer_info_of(r->layer);
    size_t samples = inputs * candidates;
    m->workspace = layout_take(layout, hn_layer_workspace_bytes(r->layer), 1);
    m->loss = layout_take(layout, r->loss.bytes, 1);
    if (r->refines) {
        m->steps = layout_take(layout, r->plan.bytes, 1);
        samples_place(layout, &m->trial, samples, 0, layer.outputs);
        m->multipliers = layout_take(layout, samples * layer.rows, sizeof *m->multipliers);
        m->length = layout_take(layout, samples, sizeof *m->length);
    }
    if (improves) {
        samples_place(layout, &m->beyond, inputs, 0, layer.outputs);
        m->targets = layout_take(layout, samples, layer.outputs * sizeof *m->targets);
    }
    samples_place(layout, &m->samples, samples, layer.inputs, layer.outputs);
    m->best = layout_take(layout, inputs, sizeof *m->best);
}

void refiner_begin(const struct refiner *r, const struct refine_memory *m) {
    if (r->loss.program)
        loss_begin(&r->loss, m->loss);
    if (r->refines)
        refine_plan_prepare(&r->plan, m->steps);
}

/* ---- samples ---- */

void samples_place(struct layout *layout, struct samples *s, size_t count, size_t inputs, size_t outputs) {
    s->count = count;
    s->x = layout_take(layout, count, inputs * sizeof *s->x);
    s->raw = layout_take(layout, count, outputs * sizeof *s->raw);
    s->y = layout_take(layout, count, outputs * sizeof *s->y);
    s->objective = layout_take(layout, count, sizeof *s->objective);
    s->residual = layout_take(layout, count, sizeof *s->residual);
    s->reports = layout_take(layout, count, sizeof *s->reports);
}

hn_batch samples_as_batch(const struct samples *s) {
    return (hn_batch){.size = sizeof(hn_batch),
                      .count = s->count,
                      .x = s->x,
                      .y_raw = s->raw,
                      .y = s->y,
                      .report_size = sizeof(hn_report),
                      .reports = s->reports};
}

void choose_best(const struct candidates *c) {
    for (size_t i = 0; i < c->inputs; i++)
        candidates_choose(c, i);
}

void refiner_correct(const struct refiner *r, const struct refine_memory *m, const struct samples *samples) {
    const struct loss_batch values = {samples->count, samples->x,         samples->y,
                                      NULL,           samples->objective, samples->residual};
    const hn_batch batch = samples_as_batch(samples);
    hn_layer_run(r->layer, &batch, m->workspace, hn_layer_workspace_bytes(r->layer), NULL);
    loss_run(&r->loss, m->loss, &values, OBJECTIVE_ONLY);
}

void refiner_run(const struct refiner *r, const struct refine_memory *m, const struct samples *samples, bool known,
                 int steps) {
    size_t outputs = r->plan.outputs;
    struct samples trial = m->trial;
    trial.count = samples->count;
    trial.x = samples->x;
    trial.residual = samples->residual;
    for (size_t s = 0; s < samples->count; s++)
        m->length[s] = 1;
    for (int k = 0; k < steps; k++) {
        const struct refine_batch step = {samples->count, samples->x,     samples->y, trial.raw,
                                          m->multipliers, known || k > 0, m->length};
        refine_plan_run(&r->plan, m->steps, &step);
        refiner_correct(r, m, &trial);
        for (size_t s = 0; s < samples->count; s++)
            refine_keep(samples, &trial, m->length, outputs, s);
    }
    for (size_t s = 0; steps > 0 && s < samples->count; s++)
        refine_measure(samples, outputs, s);
}

/* ---- improved outputs as targets ---- */

size_t improve_chunk_size(size_t count, size_t threads) {
    size_t share = count / (4 * threads) + 1, size = (share + GRAIN - 1) / GRAIN * GRAIN;
    return size < IMPROVE_CHUNK ? size : IMPROVE_CHUNK;
}

bool improve_explores(const struct improve_settings *settings) {
    return settings->explore > 0 && (settings->starts || settings->round % EXPLORE_EVERY == 0);
}

size_t improve_distance(const struct improve_settings *settings) {
    return 1 + (size_t)settings->round / EXPLORE_EVERY % (IMPROVE_CHUNK - 1);
}

static void explore(const struct refiner *r, const struct refine_memory *m, const struct improve_task *t, int steps) {
    for (size_t i = 0; i < t->beyond.count; i++)
        improve_start(t, i);
    refiner_correct(r, m, &t->beyond);
    refiner_run(r, m, &t->beyond, false, steps);
    for (size_t i = 0; i < t->beyond.count; i++)
        improve_adopt(t, i);
}

void improve_run(const struct refiner *r, const struct refine_memory *m, const struct samples *samples, size_t inputs,
                 const struct improve_settings *settings) {
    struct improve_task t = {.outputs = r->plan.outputs,
                             .samples = *samples,
                             .among = {inputs, samples->count / inputs, samples->objective, samples->reports, m->best},
                             .targets = m->targets,
                             .beyond = m->beyond,
                             .starts = settings->starts,
                             .chunk = IMPROVE_CHUNK,
                             .distance = improve_distance(settings),
                             .explore = settings->explore};
    t.beyond.count = inputs;
    t.beyond.x = samples->x; /* of the first candidates */
    t.beyond.residual = NULL;
    refiner_run(r, m, samples, false, settings->steps);
    choose_best(&t.among);
    for (size_t s = 0; s < samples->count; s++)
        improve_target(&t, s);
    if (improve_explores(settings))
        explore(r, m, &t, settings->steps + 1);
}

/* ---- the public refiner ---- */

struct hn_refiner {
    const hn_layer *layer;
    hn_layer *owned; /* the refiner's own layer if the caller passed none; else NULL */
    hn_refine_options options;
    size_t inputs, outputs, rows;
    struct refiner refiner;
    struct thread_pool *thread_pool;
    struct refine_memory *memory; /* one per thread, for CHUNK inputs */
    void *block;                  /* of all memory */
    /* the present call */
    const void *batch; /* hn_refinement or hn_improvement */
    size_t chunk;      /* samples or inputs per chunk */
};

static const hn_refine_options defaults = {.size = sizeof defaults, .steps = 1, .candidates = 1};

hn_status hn_refine_get_defaults(hn_refine_options *out, hn_error *error) {
    return STRUCT_GIVE(hn_refine_options, out, &defaults, error);
}

static hn_status refine_check_options(const hn_refine_options *o, hn_error *error) {
    if (o->steps < 0 || o->steps > REFINE_MOST_STEPS)
        return error_about(error, HN_INVALID, error_option("steps"), "refine: %d steps: choose 0 to %d", o->steps,
                           REFINE_MOST_STEPS);
    if (o->candidates < 1 || o->candidates > MOST_CANDIDATES)
        return error_about(error, HN_INVALID, error_option("candidates"), "refine: %zu candidates: choose 1 to %d",
                           o->candidates, MOST_CANDIDATES);
    return HN_OK;
}

static hn_status check_layer(const hn_refiner *r, const hn_model *model, hn_error *error) {
    hn_layer_info info = hn_layer_info_of(r->layer);
    if (info.inputs == r->inputs && info.outputs == r->outputs && info.rows == hn_model_row_count(model))
        return HN_OK;
    return error_about(error, HN_INVALID, error_argument("layer"), "hn_refiner_create: the layer is of another model");
}

static void refine_place(struct layout *layout, void *context) {
    hn_refiner *r = context;
    int threads = thread_pool_size(r->thread_pool);
    r->memory = layout_take(layout, (size_t)threads, sizeof *r->memory);
    for (int i = 0; i < threads; i++) {
        struct refine_memory memory = {.best = NULL};
        refiner_place(layout, &r->refiner, CHUNK, r->options.candidates, true, &memory);
        if (r->memory)
            r->memory[i] = memory;
    }
}

static hn_status make_memory(hn_refiner *r, hn_error *error) {
    r->block = layout_allocate(refine_place, r);
    if (!r->block)
        return error_no_memory(error, "a refiner");
    for (int i = 0; i < thread_pool_size(r->thread_pool); i++)
        refiner_begin(&r->refiner, &r->memory[i]);
    return HN_OK;
}

static hn_status refine_build(hn_refiner *r, const hn_model *model, hn_error *error) {
    hn_status status = r->layer ? HN_OK : hn_layer_create(&r->owned, model, NULL, error);
    if (!r->layer)
        r->layer = r->owned;
    if (status == HN_OK)
        status = check_layer(r, model, error);
    if (status == HN_OK)
        status = refiner_create(&r->refiner, model, r->layer, true, error);
    if (status == HN_OK)
        status = thread_pool_create(&r->thread_pool, r->options.threads, error);
    return status == HN_OK ? make_memory(r, error) : status;
}

hn_status hn_refiner_create(hn_refiner **out, const hn_model *model, const hn_layer *layer,
                            const hn_refine_options *options, hn_error *error) {
    hn_refine_options own = defaults;
    if (out)
        *out = NULL;
    if (!out || !model)
        return error_missing(error, "hn_refiner_create", out ? "model" : "out");
    hn_status status = options ? STRUCT_TAKE_OPTIONS(hn_refine_options, &own, options, error) : HN_OK;
    if (status == HN_OK)
        status = refine_check_options(&own, error);
    if (status != HN_OK)
        return status;
    hn_refiner *r = base_allocate(sizeof *r);
    if (!r)
        return error_no_memory(error, "a refiner");
    *r = (hn_refiner){.layer = layer, .options = own};
    r->inputs = hn_model_input_count(model);
    r->outputs = hn_model_output_count(model);
    r->rows = hn_model_row_count(model);
    status = refine_build(r, model, error);
    if (status == HN_OK)
        *out = r;
    else
        hn_refiner_destroy(r);
    return status;
}

void hn_refiner_destroy(hn_refiner *r) {
    if (!r)
        return;
    base_release(r->block);
    thread_pool_destroy(r->thread_pool);
    refiner_release(&r->refiner);
    hn_layer_destroy(r->owned);
    base_release(r);
}

/* ---- its chunks ---- */

/* Copies count numbers unless a pointer is NULL. */
static void copy(double *to, const double *from, size_t count) {
    if (to && from && count > 0)
        memcpy(to, from, count * sizeof *to);
}

/* A report in an array with the caller's stride. */
static void give_report(void *reports, size_t stride, size_t number, const hn_report *own) {
    unsigned char *to = (unsigned char *)reports + number * stride;
    size_t common = stride < sizeof *own ? stride : sizeof *own;
    memcpy(to, own, common);
    memset(to + common, 0, stride - common);
}

static hn_status check_reports(const void *reports, size_t stride, hn_error *error) {
    if (!reports || stride >= sizeof(hn_outcome))
        return HN_OK;
    return error_about(error, HN_INVALID, error_argument("batch.report_size"),
                       "batch: the size of a report is not set; write .report_size = sizeof(hn_report)");
}

/* Without residuals, which no caller sees. */
static struct samples samples_of(const struct refine_memory *m, size_t count) {
    struct samples samples = m->samples;
    samples.count = count;
    samples.residual = NULL;
    return samples;
}

static void refine_chunk(void *context, int member, size_t number) {
    const hn_refiner *r = context;
    const hn_refinement *b = r->batch;
    struct refine_memory memory = r->memory[member];
    size_t first = number * r->chunk, left = b->count - first, count = left < r->chunk ? left : r->chunk;
    const struct samples all = samples_of(&memory, count);
    if (b->multipliers)
        memory.multipliers = b->multipliers + first * r->rows;
    copy(all.x, b->x ? b->x + first * r->inputs : NULL, count * r->inputs);
    copy(all.raw, b->y_raw + first * r->outputs, count * r->outputs);
    refiner_correct(&r->refiner, &memory, &all);
    refiner_run(&r->refiner, &memory, &all, b->known && b->multipliers, r->options.steps);
    copy(b->y + first * r->outputs, all.y, count * r->outputs);
    copy(b->objective ? b->objective + first : NULL, all.objective, count);
    for (size_t s = 0; b->reports && s < count; s++)
        give_report(b->reports, b->report_size, first + s, &all.reports[s]);
}

/* Candidate k of input i is row k * count + i here; in the caller's arrays the candidates of an input are
 * contiguous. */
static void spread(const hn_refiner *r, const struct refine_memory *m, size_t first, size_t count) {
    const hn_improvement *b = r->batch;
    size_t n = r->outputs, most = r->options.candidates;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < most; k++) {
            size_t s = k * count + i;
            copy(m->samples.x + s * r->inputs, b->x ? b->x + (first + i) * r->inputs : NULL, r->inputs);
            copy(m->samples.raw + s * n, b->y_raw + ((first + i) * most + k) * n, n);
        }
}

static void refine_gather(const hn_refiner *r, const struct refine_memory *m, size_t first, size_t count) {
    const hn_improvement *b = r->batch;
    size_t n = r->outputs, most = r->options.candidates;
    for (size_t s = 0; s < count * most; s++) {
        size_t to = (first + s % count) * most + s / count;
        copy(b->targets + to * n, m->targets + s * n, n);
        if (b->objective)
            b->objective[to] = m->samples.objective[s];
        if (b->reports)
            give_report(b->reports, b->report_size, to, &m->samples.reports[s]);
    }
    for (size_t i = 0; b->best && i < count; i++)
        b->best[first + i] = m->best[i] / count;
}

static void improve_chunk(void *context, int member, size_t number) {
    const hn_refiner *r = context;
    const hn_improvement *b = r->batch;
    const struct refine_memory *m = &r->memory[member];
    size_t first = number * CHUNK, left = b->count - first, count = left < CHUNK ? left : CHUNK;
    const struct samples samples = samples_of(m, count * r->options.candidates);
    const struct improve_settings settings = {.steps = r->options.steps, .explore = b->explore, .round = b->round};
    spread(r, m, first, count);
    refiner_correct(&r->refiner, m, &samples);
    improve_run(&r->refiner, m, &samples, count, &settings);
    refine_gather(r, m, first, count);
}

/* ---- its calls ---- */

/* Shares a batch of `count` samples or inputs among the threads, in chunks. */
static hn_status refiner_share(hn_refiner *r, void (*run)(void *context, int member, size_t number), const void *batch,
                               size_t count, size_t chunk, hn_error *error) {
    hn_status status = thread_pool_claim(r->thread_pool, "the refiner", error);
    if (status != HN_OK)
        return status;
    r->batch = batch;
    r->chunk = chunk;
    thread_pool_share(r->thread_pool, (count + chunk - 1) / chunk, run, r);
    thread_pool_yield(r->thread_pool);
    return HN_OK;
}

hn_status hn_refiner_run(hn_refiner *r, const hn_refinement *batch, hn_error *error) {
    hn_refinement own;
    if (!r)
        return error_missing(error, "hn_refiner_run", "refiner");
    hn_status status = STRUCT_TAKE(hn_refinement, &own, batch, error);
    if (status == HN_OK)
        status = arithmetic_check(error);
    if (status != HN_OK || own.count == 0)
        return status;
    if (!own.x && r->inputs)
        return error_missing(error, "hn_refiner_run", "batch.x");
    if (!own.y_raw || !own.y)
        return error_missing(error, "hn_refiner_run", own.y ? "batch.y_raw" : "batch.y");
    status = check_reports(own.reports, own.report_size, error);
    if (status != HN_OK)
        return status;
    size_t chunk = improve_chunk_size(own.count, (size_t)thread_pool_size(r->thread_pool));
    return refiner_share(r, refine_chunk, &own, own.count, chunk, error);
}

hn_status hn_refiner_improve(hn_refiner *r, const hn_improvement *batch, hn_error *error) {
    hn_improvement own;
    if (!r)
        return error_missing(error, "hn_refiner_improve", "refiner");
    hn_status status = STRUCT_TAKE(hn_improvement, &own, batch, error);
    if (status == HN_OK)
        status = arithmetic_check(error);
    if (status != HN_OK || own.count == 0)
        return status;
    if (!own.x && r->inputs)
        return error_missing(error, "hn_refiner_improve", "batch.x");
    if (!own.y_raw || !own.targets)
        return error_missing(error, "hn_refiner_improve", own.targets ? "batch.y_raw" : "batch.targets");
    if (!(own.explore >= 0) || own.round < 0)
        return error_about(error, HN_INVALID, error_argument(own.round < 0 ? "batch.round" : "batch.explore"),
                           "hn_refiner_improve: explore and round must not be negative");
    status = check_reports(own.reports, own.report_size, error);
    return status == HN_OK ? refiner_share(r, improve_chunk, &own, own.count, CHUNK, error) : status;
}
