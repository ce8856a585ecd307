/* trainer.c - steps of Adam on batches split into fixed chunks.
 *
 * The rate rises linearly during the warm-up and then decays along a half cosine. Free threads take the next chunk;
 * gradients and sums are added in the order of the chunks, so that the bits do not depend on the number of threads.
 *
 * SPDX-License-Identifier: MIT */
#include "autodiff/derivatives.h"
#include "base/arithmetic.h"
#include "base/error.h"
#include "base/layout.h"
#include "base/memory.h"
#include "base/size.h"
#include "training/trainer_parts.h"

#define WIDTH 1
#include "base/elementary.h"

#include <math.h>
#include <string.h>

static const double BETA[2] = {0.9, 0.999}, ADAM_EPS = 1e-8;

void hn_train_get_defaults(hn_train_options *out) {
    hn_train_options options = {.policy = hn_policy_defaults(),
                                .layer = hn_layer_defaults(),
                                .improve = 1,
                                .explore = 0.01,
                                .huber = 0.1,
                                .others = 0.1,
                                .residual_weight = 10,
                                .move_weight = 0.05,
                                .inward = 1,
                                .clip_sample = 100,
                                .rate = 2e-3,
                                .last_share = 0.01,
                                .warmup = 50,
                                .steps = 4000};
    options.layer.iterations = 40;
    if (out)
        *out = options;
}

/* ---- life ---- */

static hn_status trainer_check_numbers(const hn_train_options *o, hn_error *error) {
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"residual_weight", o->residual_weight},
                   {"square_weight", o->square_weight},
                   {"move_weight", o->move_weight},
                   {"others", o->others},
                   {"clip_sample", o->clip_sample},
                   {"clip_batch", o->clip_batch},
                   {"last_share", o->last_share},
                   {"explore", o->explore},
                   {"huber", o->huber},
                   {"steps", o->steps},
                   {"warmup", o->warmup}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (!(numbers[i].value >= 0))
            return error_about(error, HN_INVALID, error_option(numbers[i].name), "%s %s: choose a number from 0 on",
                               numbers[i].name, error_number(numbers[i].value).text);
    if (!(o->rate > 0 && isfinite(o->rate)))
        return error_about(error, HN_INVALID, error_option("rate"), "rate %s: choose a finite number above 0",
                           error_number(o->rate).text);
    if (o->improve < 0 || o->improve >= REFINE_MOST_STEPS)
        return error_about(error, HN_INVALID, error_option("improve"), "improve %d: choose 0 to %d steps", o->improve,
                           REFINE_MOST_STEPS - 1);
    return HN_OK;
}

static hn_status check_head(const hn_train_options *o, hn_error *error) {
    const char *name = o->policy.head->name;
    if (o->move_weight > 0)
        return error_about(error, HN_INVALID, error_option("move_weight"), "move_weight %s: with %s it must be 0",
                           error_number(o->move_weight).text, name);
    if (!o->policy.head->back)
        return error_about(error, HN_INVALID, error_option("head"), "head %s: it has no way back to train through",
                           name);
    return HN_OK;
}

static hn_status trainer_check_options(const hn_trainer *t, hn_error *error) {
    const hn_train_options *o = &t->options;
    hn_status status = trainer_check_numbers(o, error);
    if (status != HN_OK)
        return status;
    if (!t->policy->has_objective)
        return error_about(error, HN_INVALID, error_argument("model"),
                           "the model has no objective; training needs one");
    return o->policy.head ? check_head(o, error) : HN_OK;
}

/* Creates the layer of the loss, with the iterations of the training options; none without a layer. */
static hn_status make_layer(hn_trainer *t, const hn_model *model, hn_error *error) {
    const hn_policy_options *policy = &t->options.policy;
    const hn_layer_options options = policy->uncorrected ? policy_layer(policy) : t->options.layer;
    if (policy->head || t->options.improve > 0)
        return HN_OK;
    hn_status status = hn_layer_create(&t->layer, model, &options, error);
    bool tape = status == HN_OK && hn_layer_tape_bytes(t->layer, CHUNK * policy->candidates) > 0;
    return status != HN_OK || tape ? status : error_no_memory(error, "training");
}

static void trainer_place(struct layout *layout, void *context) {
    hn_trainer *t = context;
    int threads = thread_pool_size(t->policy->thread_pool);
    for (int i = 0; i < 2; i++)
        t->moments[i] = layout_take(layout, t->parameters, sizeof *t->moments[i]);
    t->bound_row = layout_take(layout, t->rows, sizeof *t->bound_row);
    t->bound_column = layout_take(layout, t->rows, sizeof *t->bound_column);
    t->memory = layout_take(layout, (size_t)threads, sizeof *t->memory);
    for (int i = 0; i < threads; i++) {
        struct learn_memory memory = learn_memory_place(layout, t);
        if (t->memory)
            t->memory[i] = memory;
    }
}

static hn_status make_memory(hn_trainer *t, hn_error *error) {
    t->block = layout_allocate(trainer_place, t);
    if (!t->block)
        return error_no_memory(error, "training");
    for (int i = 0; i < 2; i++)
        memset(t->moments[i], 0, t->parameters * sizeof *t->moments[i]);
    return HN_OK;
}

static hn_status find_bounds(hn_trainer *t, const hn_model *model, hn_error *error) {
    struct problem problem;
    hn_status status = problem_create(&problem, model, error);
    if (status != HN_OK)
        return status;
    for (size_t i = 0; i < problem.rows; i++) {
        const struct node *node = &problem.graph.nodes[problem.body[i]];
        if (node->op != OP_LEAF || node->a != SPACE_Y)
            continue;
        t->bound_row[t->bounds] = i;
        t->bound_column[t->bounds++] = node->b;
    }
    problem_release(&problem);
    return HN_OK;
}

static hn_status trainer_build(hn_trainer *t, const hn_model *model, hn_error *error) {
    const struct policy_request request = {model, t->network, &t->options.policy, t->options.improve > 0};
    hn_status status = policy_create(&t->policy, &request, error);
    if (status == HN_OK)
        status = trainer_check_options(t, error);
    if (status == HN_OK)
        status = make_layer(t, model, error);
    if (status == HN_OK)
        status = make_memory(t, error);
    if (status == HN_OK && t->layer)
        status = find_bounds(t, model, error);
    return status == HN_OK && t->policy->device ? trainer_device_create(t, model, error) : status;
}

hn_status hn_trainer_create(hn_trainer **out, const hn_model *model, hn_network *network,
                            const hn_train_options *options, hn_error *error) {
    if (!out)
        return error_missing(error, "hn_trainer_create", "out");
    *out = NULL;
    if (!model || !network)
        return error_missing(error, "hn_trainer_create", model ? "network" : "model");
    if (options && (options->layer.weights || options->policy.layer.weights))
        return error_about(error, HN_INVALID, error_option("weights"),
                           "weights: training has none, because a network file cannot store them");
    hn_trainer *t = base_allocate(sizeof *t);
    if (!t)
        return error_no_memory(error, "training");
    *t = (hn_trainer){.network = network, .options = options ? *options : hn_train_defaults()};
    t->inputs = hn_model_input_count(model);
    t->outputs = hn_model_output_count(model);
    t->rows = hn_model_row_count(model);
    t->parameters = hn_network_parameter_count(network);
    hn_status status = trainer_build(t, model, error);
    if (status != HN_OK) {
        hn_trainer_destroy(t);
        return status;
    }
    *out = t;
    return HN_OK;
}

void hn_trainer_destroy(hn_trainer *t) {
    if (!t)
        return;
    device_policy_destroy(t->device);
    hn_policy_destroy(t->policy);
    hn_layer_destroy(t->layer);
    base_release(t->block);
    base_release(t->gradients);
    base_release(t->sums);
    base_release(t);
}

/* ---- batches ---- */

static size_t chunks_of(const hn_trainer *t) {
    return (t->job.count + CHUNK - 1) / CHUNK;
}

static hn_status trainer_make_room(hn_trainer *t, size_t chunks, hn_error *error) {
    if (chunks <= t->chunks)
        return HN_OK;
    hn_train_report *sums = base_reallocate(t->sums, size_product(chunks, sizeof *t->sums));
    if (!sums)
        return error_no_memory(error, "training");
    t->sums = sums;
    size_t numbers = size_product(chunks, t->parameters);
    double *gradients = base_reallocate(t->gradients, size_product(numbers, sizeof *t->gradients));
    if (!gradients)
        return error_no_memory(error, "training");
    t->gradients = gradients;
    t->chunks = chunks;
    return HN_OK;
}

static void trainer_work(void *context, int member, size_t chunk) {
    hn_trainer *t = context;
    if (!t->batch)
        memset(t->gradients + chunk * t->parameters, 0, t->parameters * sizeof *t->gradients);
    learn_chunk(t, member, chunk);
}

void trainer_share(hn_trainer *t) {
    thread_pool_share(t->policy->thread_pool, chunks_of(t), trainer_work, t);
}

/* Adds the chunks' gradients in order into the first; returns the norm. */
static double add_gradients(const hn_trainer *t) {
    for (size_t c = 1; c < chunks_of(t); c++)
        for (size_t i = 0; i < t->parameters; i++)
            t->gradients[i] += t->gradients[c * t->parameters + i];
    return train_norm(t->gradients, t->parameters);
}

/* Sums of chunks, the gradient and its norm. */
static hn_status run_batch(hn_trainer *t, double *norm, hn_error *error) {
    hn_status status = trainer_make_room(t, chunks_of(t), error);
    if (status != HN_OK)
        return status;
    if (t->device)
        return trainer_device_batch(t, norm, error);
    trainer_share(t);
    *norm = add_gradients(t);
    return HN_OK;
}

static hn_train_report add_up(const hn_trainer *t) {
    hn_train_report r = {.samples = 0};
    for (size_t c = 0; c < chunks_of(t); c++) {
        const hn_train_report *s = &t->sums[c];
        r.samples += s->samples;
        r.ok += s->ok;
        r.dropped += s->dropped;
        if (r.undefined == 0 && s->undefined > 0)
            r.undefined_row = s->undefined_row;
        r.undefined += s->undefined;
        r.loss += s->loss;
        r.objective += s->objective;
        r.residual += s->residual;
        r.moved += s->moved;
        r.steps += s->steps;
        r.violation = s->violation > r.violation ? s->violation : r.violation;
    }
    double samples = r.samples ? (double)r.samples : 1;
    r.loss /= samples;
    r.objective /= samples;
    r.residual /= samples;
    r.moved /= samples;
    r.steps /= samples;
    return r;
}

/* ---- Adam ---- */

static double rate_now(const hn_trainer *t) {
    const hn_train_options *o = &t->options;
    double done = t->steps + 1;
    if (done <= o->warmup)
        return o->rate * done / o->warmup;
    double share = o->steps > o->warmup ? (done - o->warmup) / (o->steps - o->warmup) : 1;
    double cosine = 0.5 + 0.5 * elementary_cos(3.14159265358979323846 * fmin(1, share));
    return o->rate * (o->last_share + (1 - o->last_share) * cosine);
}

/* By repeated squaring: the same bits on every platform. */
static double power(double base, int exponent) {
    double result = 1;
    while (exponent > 0) {
        if (exponent % 2)
            result *= base;
        base *= base;
        exponent /= 2;
    }
    return result;
}

static hn_status adam(hn_trainer *t, double scale, hn_error *error) {
    const double rate = rate_now(t);
    t->steps++;
    const struct adam a = {.parameters = hn_network_parameters(t->network),
                           .first = t->moments[0],
                           .second = t->moments[1],
                           .gradient = t->gradients,
                           .scale = scale,
                           .rate = rate,
                           .first_share = 1 - power(BETA[0], t->steps),
                           .second_share = 1 - power(BETA[1], t->steps),
                           .beta_1 = BETA[0],
                           .beta_2 = BETA[1],
                           .eps = ADAM_EPS};
    if (t->device)
        return device_policy_adam(t->device, &a, error);
    for (size_t i = 0; i < t->parameters; i++)
        train_adam(&a, i);
    return HN_OK;
}

static hn_status trainer_take_step(hn_trainer *t, hn_train_report *report, hn_error *error) {
    double norm = 0, most = t->options.clip_batch;
    hn_status status = run_batch(t, &norm, error);
    if (status != HN_OK)
        return status;
    hn_train_report r = add_up(t);
    r.gradient = norm;
    if (isfinite(norm)) {
        status = adam(t, most > 0 && norm > most ? most / norm : 1, error);
    } else {
        r.dropped = t->job.count; /* the step is not taken */
        t->steps++;
    }
    if (report)
        *report = r;
    return status;
}

static hn_status step(hn_trainer *t, const struct train_job *job, hn_train_report *report, hn_error *error) {
    hn_status status = thread_pool_claim(t->policy->thread_pool, "the trainer", error);
    if (status != HN_OK)
        return status;
    t->job = *job;
    status = trainer_take_step(t, report, error);
    thread_pool_yield(t->policy->thread_pool);
    return status;
}

hn_status hn_trainer_step(hn_trainer *t, size_t count, const hn_real *x, const hn_real *targets,
                          hn_train_report *report, hn_error *error) {
    if (!t || count == 0 || !x)
        return error_missing(error, "hn_trainer_step", t ? "x" : "trainer");
    if (arithmetic_check(error) != HN_OK)
        return HN_UNSUPPORTED;
    if (targets && t->options.policy.head)
        return error_about(error, HN_INVALID, error_argument("targets"), "hn_trainer_step: %s does not support targets",
                           t->options.policy.head->name);
    return step(t, &(struct train_job){count, x, targets, NULL}, report, error);
}

hn_status hn_trainer_step_from(hn_trainer *t, size_t count, const hn_real *x, const hn_real *starts,
                               hn_train_report *report, hn_error *error) {
    if (!t || count == 0 || !x || !starts)
        return error_missing(error, "hn_trainer_step_from", !t ? "trainer" : !x ? "x" : "starts");
    if (arithmetic_check(error) != HN_OK)
        return HN_UNSUPPORTED;
    if (t->options.improve == 0 || !(t->options.explore > 0))
        return error_about(error, HN_INVALID, error_argument("starts"),
                           "hn_trainer_step_from: only the loss improve explores, with explore above 0");
    return step(t, &(struct train_job){count, x, NULL, starts}, report, error);
}

/* ---- state ---- */

hn_policy *hn_trainer_policy(hn_trainer *trainer) {
    return trainer ? trainer->policy : NULL;
}

hn_real *hn_trainer_moment(hn_trainer *trainer, int which) {
    return trainer ? trainer->moments[which != 0] : NULL;
}

int hn_trainer_steps(const hn_trainer *trainer) {
    return trainer ? trainer->steps : 0;
}

void hn_trainer_set_steps(hn_trainer *trainer, int steps) {
    if (trainer)
        trainer->steps = steps;
}
