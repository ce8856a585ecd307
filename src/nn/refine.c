/* refine.c - see hardnet/refine.h: splits batches into chunks for the refiner's threads.
 *
 * SPDX-License-Identifier: MIT */
#include "hardnet/refine.h"
#include "base/arithmetic.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/structs.h"
#include "base/thread_pool.h"
#include "nn/refiner.h"

#include <string.h>

enum { CHUNK = IMPROVE_CHUNK, MOST_CANDIDATES = 1000 };

/* Workspace of one thread, for CHUNK inputs with all their candidates. */
struct chunk_memory {
    const hn_refiner *owner;
    struct refine_memory refine;
    struct samples samples, beyond;
    double *targets;
    size_t *best;
    void *block;
};

struct hn_refiner {
    const hn_layer *layer;
    hn_layer *owned; /* the refiner's own layer if the caller passed none; else NULL */
    hn_refine_options options;
    size_t inputs, outputs, rows;
    struct loss loss;
    struct refiner refiner;
    struct thread_pool *thread_pool;
    struct chunk_memory *memory; /* one per thread */
    /* the present call */
    const hn_refinement *refinement;
    const hn_improvement *improvement;
    size_t chunk; /* samples per chunk of a refinement */
};

/* ---- options ---- */

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

/* ---- life ---- */

static void place_memory(struct layout *layout, void *context) {
    struct chunk_memory *m = context;
    const hn_refiner *r = m->owner;
    size_t samples = CHUNK * r->options.candidates;
    m->refine.workspace = layout_take(layout, hn_layer_workspace_bytes(r->layer), 1);
    m->refine.loss = layout_take(layout, r->loss.bytes, 1);
    refiner_place(layout, &r->refiner, samples, &m->refine);
    samples_place(layout, &m->beyond, CHUNK, 0, r->outputs);
    samples_place(layout, &m->samples, samples, r->inputs, r->outputs);
    m->targets = layout_take(layout, samples * r->outputs, sizeof *m->targets);
    m->best = layout_take(layout, CHUNK, sizeof *m->best);
}

static hn_status make_memory(hn_refiner *r, hn_error *error) {
    size_t capacity = 0, members = (size_t)thread_pool_size(r->thread_pool);
    r->memory = array_grow(NULL, &capacity, members, sizeof *r->memory);
    if (!r->memory)
        return error_no_memory(error, "a refiner");
    for (size_t i = 0; i < members; i++)
        r->memory[i] = (struct chunk_memory){.owner = r};
    for (size_t i = 0; i < members; i++) {
        struct chunk_memory *m = &r->memory[i];
        m->block = layout_allocate(place_memory, m);
        if (!m->block)
            return error_no_memory(error, "a refiner");
        loss_begin(&r->loss, m->refine.loss);
        refiner_begin(&r->refiner, &m->refine);
    }
    return HN_OK;
}

static hn_status refine_build(hn_refiner *r, const hn_model *model, hn_error *error) {
    hn_status status = HN_OK;
    if (!r->layer)
        status = hn_layer_create(&r->owned, model, NULL, error);
    if (!r->layer)
        r->layer = r->owned;
    if (status == HN_OK)
        status = check_layer(r, model, error);
    if (status == HN_OK)
        status = loss_create(&r->loss, model, error);
    if (status == HN_OK)
        status =
            refiner_create(&r->refiner, model, r->layer, &r->loss, hn_layer_options_of(r->layer).instructions, error);
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
    if (status != HN_OK) {
        hn_refiner_destroy(r);
        return status;
    }
    *out = r;
    return HN_OK;
}

void hn_refiner_destroy(hn_refiner *r) {
    if (!r)
        return;
    for (int i = 0; r->memory && i < thread_pool_size(r->thread_pool); i++)
        base_release(r->memory[i].block);
    base_release(r->memory);
    thread_pool_destroy(r->thread_pool);
    refiner_release(&r->refiner);
    loss_release(&r->loss);
    hn_layer_destroy(r->owned);
    base_release(r);
}

/* ---- copies of inputs and outputs ---- */

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
static struct samples samples_of(const struct chunk_memory *m, size_t count) {
    struct samples samples = m->samples;
    samples.count = count;
    samples.residual = NULL;
    return samples;
}

/* ---- refine ---- */

static void refine_chunk(void *context, int member, size_t number) {
    const hn_refiner *r = context;
    const hn_refinement *b = r->refinement;
    const struct chunk_memory *m = &r->memory[member];
    struct refine_memory memory = m->refine;
    size_t first = number * r->chunk, left = b->count - first, count = left < r->chunk ? left : r->chunk;
    const struct samples all = samples_of(m, count);
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

/* ---- improve ---- */

/* Candidate k of input i is row k * count + i here; in the caller's arrays the candidates of an input are
 * contiguous. */
static void spread(const hn_refiner *r, const struct chunk_memory *m, size_t first, size_t count) {
    const hn_improvement *b = r->improvement;
    size_t n = r->outputs, most = r->options.candidates;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < most; k++) {
            size_t s = k * count + i;
            copy(m->samples.x + s * r->inputs, b->x ? b->x + (first + i) * r->inputs : NULL, r->inputs);
            copy(m->samples.raw + s * n, b->y_raw + ((first + i) * most + k) * n, n);
        }
}

static void refine_gather(const hn_refiner *r, const struct chunk_memory *m, size_t first, size_t count) {
    const hn_improvement *b = r->improvement;
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
    const hn_improvement *b = r->improvement;
    const struct chunk_memory *m = &r->memory[member];
    size_t first = number * CHUNK, left = b->count - first, count = left < CHUNK ? left : CHUNK;
    size_t candidates = r->options.candidates;
    struct improve_task task = {.samples = samples_of(m, count * candidates),
                                .among = {count, candidates, m->samples.objective, m->samples.reports, m->best},
                                .targets = m->targets,
                                .beyond = m->beyond};
    const struct improve_settings settings = {r->options.steps, b->explore, b->round};
    spread(r, m, first, count);
    refiner_correct(&r->refiner, &m->refine, &task.samples);
    improve_run(&r->refiner, &m->refine, &task, &settings);
    refine_gather(r, m, first, count);
}

/* ---- calls ---- */

/* One of the two, of `count` samples or inputs, shared among the threads in chunks. */
static hn_status refiner_share(hn_refiner *r, const hn_refinement *refinement, const hn_improvement *improvement,
                               size_t count, size_t chunk, hn_error *error) {
    hn_status status = thread_pool_claim(r->thread_pool, "the refiner", error);
    if (status != HN_OK)
        return status;
    r->refinement = refinement;
    r->improvement = improvement;
    r->chunk = chunk;
    thread_pool_share(r->thread_pool, (count + chunk - 1) / chunk, refinement ? refine_chunk : improve_chunk, r);
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
    return refiner_share(r, &own, NULL, own.count, chunk, error);
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
    return status == HN_OK ? refiner_share(r, NULL, &own, own.count, CHUNK, error) : status;
}
