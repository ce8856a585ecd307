/* evaluate_calls.c - the calls of hardnet/evaluate.h: creation, queries, argument checks, running on the caller's thread
 * and on a pool.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/machine.h"
#include "base/memory.h"
#include "base/structs.h"
#include "base/thread_pool.h"
#include "evaluate/evaluate_parts.h"

#include <stdatomic.h>
#include <string.h>

#define TEXT(name, text) text,
static const char texts[HN_QUANTITY_COUNT][16] = {HN_QUANTITY_LIST(TEXT)};

const char *hn_quantity_text(hn_quantity quantity) {
    return (unsigned)quantity < HN_QUANTITY_COUNT ? texts[quantity] : "unknown";
}

bool hn_quantity_find(const char *text, hn_quantity *quantity) {
    for (int q = 0; text && quantity && q < HN_QUANTITY_COUNT; q++)
        if (strcmp(text, texts[q]) == 0) {
            *quantity = (hn_quantity)q;
            return true;
        }
    return false;
}

/* ---- creation ---- */

static hn_status prepare_evaluator(hn_evaluator *evaluator, const hn_model *model, const hn_evaluator_options *options,
                                   hn_error *error) {
    hn_status status = backend_choose(&evaluator->backend, options->instructions, error);
    evaluator->single = backend_single();
    if (status == HN_OK)
        status = evaluator_build(evaluator, model, options, error);
    if (status == HN_OK)
        status = evaluator_widen(evaluator, error);
    if (status != HN_OK)
        return status;
    hn_instructions_find(evaluator->backend.name, &evaluator->instructions);
    evaluator->bytes = evaluator_workspace(evaluator, EVERY_PIECE);
    return evaluator->bytes ? HN_OK : error_no_memory(error, "the evaluator");
}

hn_status hn_evaluator_get_defaults(hn_evaluator_options *out, hn_error *error) {
    hn_evaluator_options own = {.size = sizeof own, .wanted = HN_WANT_VALUES};
    return STRUCT_GIVE(hn_evaluator_options, out, &own, error);
}

hn_status hn_evaluator_create(hn_evaluator **out, const hn_model *model, const hn_evaluator_options *options,
                              hn_error *error) {
    hn_evaluator_options own = hn_evaluator_defaults();
    if (!out)
        return error_missing(error, "hn_evaluator_create", "out");
    *out = NULL;
    if (!model)
        return error_missing(error, "hn_evaluator_create", "model");
    hn_status status = options ? STRUCT_TAKE_OPTIONS(hn_evaluator_options, &own, options, error) : HN_OK;
    if (status != HN_OK)
        return status;
    if (own.wanted & ~HN_WANT_ALL)
        return error_about(error, HN_UNSUPPORTED, error_option("wanted"),
                           "wanted: unknown bits in this version of the library");
    hn_evaluator *evaluator = base_allocate(sizeof *evaluator);
    if (!evaluator)
        return error_no_memory(error, "the evaluator");
    memset(evaluator, 0, sizeof *evaluator);
    status = prepare_evaluator(evaluator, model, &own, error);
    if (status == HN_OK)
        *out = evaluator;
    else
        hn_evaluator_destroy(evaluator);
    return status;
}

void hn_evaluator_destroy(hn_evaluator *evaluator) {
    if (!evaluator)
        return;
    for (int piece = 0; piece < PIECES; piece++) {
        program_destroy(evaluator->program[piece]);
        program_destroy(evaluator->together[piece]);
    }
    arena_release(&evaluator->arena);
    base_release(evaluator);
}

/* ---- queries ---- */

size_t hn_evaluator_width(const hn_evaluator *evaluator, hn_quantity quantity) {
    return evaluator && (unsigned)quantity < HN_QUANTITY_COUNT ? evaluator->quantity[quantity].width : 0;
}

hn_status hn_evaluator_get_pattern(const hn_evaluator *evaluator, hn_quantity matrix, hn_pattern *out,
                                   hn_error *error) {
    if (!evaluator)
        return error_missing(error, "hn_evaluator_get_pattern", "evaluator");
    if ((unsigned)matrix >= HN_QUANTITY_COUNT || !evaluator->quantity[matrix].pattern.first)
        return error_about(error, HN_INVALID, error_argument("matrix"),
                           "hn_evaluator_get_pattern: %s is not a matrix of this evaluator", hn_quantity_text(matrix));
    return STRUCT_GIVE(hn_pattern, out, &evaluator->quantity[matrix].pattern, error);
}

static size_t instructions_of(const hn_evaluator *evaluator, enum piece piece) {
    return evaluator->program[piece] ? evaluator->program[piece]->first[PHASES] : 0;
}

static hn_evaluator_info info_of(const hn_evaluator *evaluator) {
    return (hn_evaluator_info){.size = sizeof(hn_evaluator_info),
                               .inputs = evaluator->inputs,
                               .outputs = evaluator->outputs,
                               .rows = evaluator->rows,
                               .hessian_left_out = evaluator->hessian_left_out,
                               .nodes = evaluator->nodes,
                               .value_instructions = instructions_of(evaluator, PIECE_VALUES),
                               .first_instructions = instructions_of(evaluator, PIECE_FIRST),
                               .hessian_instructions = instructions_of(evaluator, PIECE_HESSIAN),
                               .instructions = evaluator->instructions};
}

hn_status hn_evaluator_get_info(const hn_evaluator *evaluator, hn_evaluator_info *out, hn_error *error) {
    hn_evaluator_info none = {.size = sizeof none}, own = evaluator ? info_of(evaluator) : none;
    hn_status status = STRUCT_GIVE(hn_evaluator_info, out, &own, error);
    return status == HN_OK && !evaluator ? error_missing(error, "hn_evaluator_get_info", "evaluator") : status;
}

size_t hn_evaluator_workspace_bytes(const hn_evaluator *evaluator) {
    return evaluator ? evaluator->bytes : 0;
}

/* ---- running ---- */

static const uint64_t WITHOUT_Y = WANT(LOWER) | WANT(UPPER) | WANT(START) | WANT(FIXED) | WANT(LOWER_X) | WANT(UPPER_X);
static const uint64_t ALONG_Y = WANT(JACOBIAN_Y_V) | WANT(HESSIAN_YY_V) | WANT(HESSIAN_XY_V);
static const uint64_t ALONG_X = WANT(JACOBIAN_X_V) | WANT(HESSIAN_YX_V) | WANT(HESSIAN_XX_V);
static const uint64_t SECOND = WANT(HESSIAN_YY) | WANT(HESSIAN_YX) | WANT(HESSIAN_XX) | WANT(HESSIAN_YY_V) |
                               WANT(HESSIAN_XY_V) | WANT(HESSIAN_YX_V) | WANT(HESSIAN_XX_V);
static const uint64_t PULLS = WANT(JACOBIAN_Y_W) | WANT(JACOBIAN_X_W);

/* The name of an input that the quantity needs and the evaluation lacks, or NULL. */
static const char *missing_for(uint64_t quantity, const hn_evaluator *e, const hn_evaluation *at) {
    if (!(quantity & WITHOUT_Y) && !at->y && e->outputs > 0)
        return "y";
    if (quantity & ALONG_Y && !at->v_y && e->outputs > 0)
        return "v_y";
    if (quantity & ALONG_X && !at->v_x && e->inputs > 0)
        return "v_x";
    if (quantity & SECOND && !at->lambda && e->rows > 0)
        return "lambda";
    return quantity & PULLS && !at->w && e->rows > 0 ? "w" : NULL;
}

hn_status evaluation_check(hn_evaluation *own, const hn_evaluator *evaluator, const hn_evaluation *evaluation,
                           hn_error *error) {
    if (!evaluator)
        return error_missing(error, "hn_evaluator_run", "evaluator");
    hn_status status = STRUCT_TAKE(hn_evaluation, own, evaluation, error);
    if (status == HN_OK)
        status = arithmetic_check(error);
    if (status != HN_OK || own->count == 0)
        return status;
    if (!own->x && evaluator->inputs > 0)
        return error_about(error, HN_INVALID, error_argument("x"), "evaluation: x is missing; the model has %zu inputs",
                           evaluator->inputs);
    for (int q = 0; q < HN_QUANTITY_MOST; q++) {
        if (!own->values[q])
            continue;
        if (q >= HN_QUANTITY_COUNT)
            return error_about(error, HN_UNSUPPORTED, error_argument("values"),
                               "evaluation: quantity %d is unknown in version %s", q, hn_version());
        if (evaluator->quantity[q].piece == PIECES)
            return error_about(error, HN_INVALID, error_argument(texts[q]), "evaluation: %s was %s", texts[q],
                               evaluator->hessian_left_out && HN_WANT(q) & SECOND
                                   ? "omitted because it is too large"
                                   : "not requested when the evaluator was created");
        const char *missing = missing_for(HN_WANT(q), evaluator, own);
        if (missing)
            return error_about(error, HN_INVALID, error_argument(missing), "evaluation: %s is missing; %s needs it",
                               missing, texts[q]);
    }
    return HN_OK;
}

hn_status hn_evaluator_run(const hn_evaluator *evaluator, const hn_evaluation *evaluation, void *workspace,
                           size_t bytes, hn_error *error) {
    hn_evaluation own = {.size = 0};
    hn_status status = evaluation_check(&own, evaluator, evaluation, error);
    if (status != HN_OK || own.count == 0)
        return status;
    if (!workspace || bytes < evaluator->bytes)
        return error_about(error, HN_INVALID, error_argument("workspace"),
                           "the workspace has %zu bytes, the evaluator needs %zu", workspace ? bytes : 0,
                           evaluator->bytes);
    evaluator_run(evaluator, &own, 0, own.count, workspace);
    return HN_OK;
}

/* ---- a pool: threads claim ranges of samples from one counter ---- */

enum { STRETCH = 64 }; /* samples per range: enough to amortise initialising constants */

struct hn_evaluator_pool {
    const hn_evaluator *evaluator;
    struct thread_pool *thread_pool;
    void **workspaces; /* one per member */
    const hn_evaluation *evaluation;
    atomic_size_t next; /* range */
};

static void run_ranges(void *context, int member) {
    hn_evaluator_pool *pool = context;
    size_t count = pool->evaluation->count, stretches = count / STRETCH + (count % STRETCH != 0), stretch;
    while ((stretch = atomic_fetch_add(&pool->next, 1)) < stretches) {
        size_t first = stretch * STRETCH, end = count - first < STRETCH ? count : first + STRETCH;
        evaluator_run(pool->evaluator, pool->evaluation, first, end, pool->workspaces[member]);
    }
}

hn_status hn_evaluator_pool_create(hn_evaluator_pool **out, const hn_evaluator *evaluator, int threads,
                                   hn_error *error) {
    if (!out)
        return error_missing(error, "hn_evaluator_pool_create", "out");
    *out = NULL;
    if (!evaluator)
        return error_missing(error, "hn_evaluator_pool_create", "evaluator");
    hn_evaluator_pool *pool = base_allocate(sizeof *pool);
    if (!pool)
        return error_no_memory(error, "the evaluator's pool");
    *pool = (hn_evaluator_pool){.evaluator = evaluator};
    hn_status status = thread_pool_create(&pool->thread_pool, threads, error);
    if (status == HN_OK) {
        pool->workspaces = thread_pool_create_workspaces(pool->thread_pool, evaluator->bytes);
        status = pool->workspaces ? HN_OK : error_no_memory(error, "the evaluator's pool");
    }
    if (status == HN_OK)
        *out = pool;
    else
        hn_evaluator_pool_destroy(pool);
    return status;
}

void hn_evaluator_pool_destroy(hn_evaluator_pool *pool) {
    if (!pool)
        return;
    thread_pool_destroy_workspaces(pool->thread_pool, pool->workspaces);
    thread_pool_destroy(pool->thread_pool);
    base_release(pool);
}

hn_status hn_evaluator_pool_run(hn_evaluator_pool *pool, const hn_evaluation *evaluation, hn_error *error) {
    hn_evaluation own = {.size = 0};
    hn_status status = evaluation_check(&own, pool ? pool->evaluator : NULL, evaluation, error);
    if (status == HN_OK && own.count > 0)
        status = thread_pool_claim(pool->thread_pool, "the evaluator's pool", error);
    if (status != HN_OK || own.count == 0)
        return status;
    pool->evaluation = &own;
    atomic_store(&pool->next, 0);
    if (own.count > STRETCH)
        thread_pool_run(pool->thread_pool, run_ranges, pool);
    else
        run_ranges(pool, 0);
    pool->evaluation = NULL;
    thread_pool_yield(pool->thread_pool);
    return HN_OK;
}
