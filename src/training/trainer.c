/* trainer.c - steps of Adam. The rate rises linearly during the warm-up and then decays along a half cosine.
 *
 * SPDX-License-Identifier: MIT */
#include "autodiff/derivatives.h"
#include "base/error.h"
#include "base/layout.h"
#include "base/machine.h"
#include "base/memory.h"
#include "model/parts.h"
#include "training/training_parts.h"

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

/* ---- creation ---- */

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

static struct learn_memory place_member(struct layout *layout, const hn_trainer *t) {
    struct learn_memory m = {.tape = NULL};
    struct train_batch *b = &m.batch;
    const hn_head *head = t->options.policy.head;
    size_t samples = CHUNK * t->options.policy.candidates, numbers = samples * t->outputs;
    if (t->layer) {
        m.workspace = layout_take(layout, hn_layer_workspace_bytes(t->layer), 1);
        m.tape = layout_take(layout, hn_layer_tape_bytes(t->layer, samples), 1);
        b->grad_lower = layout_take(layout, samples * t->rows, sizeof *b->grad_lower);
        b->grad_upper = layout_take(layout, samples * t->rows, sizeof *b->grad_upper);
    }
    if (head)
        m.tape = layout_take(layout, samples, head->tape_bytes);
    b->grad_y = layout_take(layout, numbers, sizeof *b->grad_y);
    b->grad_raw = layout_take(layout, numbers, sizeof *b->grad_raw);
    b->moved = layout_take(layout, samples, sizeof *b->moved);
    b->total = layout_take(layout, samples, sizeof *b->total);
    b->dropped = layout_take(layout, samples, sizeof *b->dropped);
    return m;
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
        struct learn_memory memory = place_member(layout, t);
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

static hn_status create_device(hn_trainer *t, hn_error *error) {
    const hn_layer_options layer = policy_layer(&t->options.policy);
    hn_layer_options through = hn_layer_options_of(t->layer);
    struct device_policy_request request = policy_on_device(t->policy, &layer);
    through.kernel = NULL; /* the layer's own */
    request.through = t->layer ? &through : NULL;
    request.corrected = request.learns = true;
    request.refines = t->options.improve > 0;
    request.bounds = t->bounds;
    request.bound_row = t->bound_row;
    request.bound_column = t->bound_column;
    return device_policy_create(&t->device, &request, error);
}

static hn_status trainer_build(hn_trainer *t, const hn_model *model, hn_error *error) {
    const struct policy_request request = {model, t->network, &t->options.policy, t->options.improve > 0};
    hn_status status = policy_create(&t->policy, &request, error);
    if (status == HN_OK && t->options.square_weight > 0)
        status = model_without_blocks(model, "penalties on violations do", error);
    if (status == HN_OK)
        status = trainer_check_options(t, error);
    if (status == HN_OK)
        status = make_layer(t, model, error);
    if (status == HN_OK)
        status = make_memory(t, error);
    if (status == HN_OK && t->layer)
        status = find_bounds(t, model, error);
    return status == HN_OK && t->policy->device ? create_device(t, error) : status;
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
    if (status == HN_OK)
        *out = t;
    else
        hn_trainer_destroy(t);
    return status;
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

static hn_status take_step(hn_trainer *t, hn_train_report *report, hn_error *error) {
    hn_train_report r = {.samples = 0};
    hn_status status = train_batch_run(t, &r, error);
    if (status != HN_OK)
        return status;
    if (isfinite(r.gradient)) {
        double most = t->options.clip_batch;
        status = adam(t, most > 0 && r.gradient > most ? most / r.gradient : 1, error);
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
    status = take_step(t, report, error);
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
