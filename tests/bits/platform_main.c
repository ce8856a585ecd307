/* platform_main.c - platform [INSTRUCTIONS | compiled | cuda]: what this build computes on this machine, as three SHA-256.
 *
 *     corrections   y, outcomes and iterations of every method, on model files and random problems
 *     gradients     of the same
 *     training      the weights after a short training with candidates and refinement
 *
 * Run in the root of the tree, for its models. The digests are the same on every platform, with every instruction set
 * (portable, avx2, avx512), with kernels compiled from generated code, and on a device; scripts/same-bits --platforms compares them.
 * Methods without generated code run as usual in the last two.
 *
 * SPDX-License-Identifier: MIT */
#include "base/digest.h"
#include "bits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_SAMPLES = 8, RANDOM_PROBLEMS = 60, SEED = 20261116, NAME_BYTES = 64 };

static const char *const files[] = {
    "models/unicycle.mod",  "models/ellipse.mod",          "models/pooling.mod",           "models/opf.mod",
    "models/tasks/arm.mod", "models/feasibility/hs73.mod", "models/feasibility/pal_s1.mod"};
static const hn_method methods[] = {HN_METHOD_PAPER, HN_METHOD_HARDNET, HN_METHOD_LM,
                                    HN_METHOD_AUTO,  HN_METHOD_NEAREST, HN_METHOD_OPTIMAL};
#define COUNT_OF(list) (sizeof(list) / sizeof((list)[0]))

struct platform {
    hn_instructions instructions;
    bool compiled; /* methods that have generated code run it, for model files */
    bool device;   /* so they do there */
    char kernel[HN_KERNEL_PATH_BYTES];
    struct digest corrections, gradients;
};

static void stop(const char *what, const hn_error *error) {
    fprintf(stderr, "platform: %s: %s\n", what, error->text);
    exit(2);
}

/* ---- corrections and gradients ---- */

struct call {
    hn_layer *layer;
    hn_batch batch;
    hn_gradient gradient;
    hn_report *reports;
    void *workspace, *tape;
    size_t bytes;
};

static void call_begin(struct call *call, const struct problem *problem, hn_layer *layer) {
    size_t outputs = problem->count * problem->outputs;
    size_t forward = hn_layer_workspace_bytes(layer), backward = hn_layer_gradient_workspace_bytes(layer);
    double *grad_y = bits_reserve(outputs, sizeof *grad_y);
    for (size_t i = 0; i < outputs; i++)
        grad_y[i] = 1 + (double)(i % 7);
    *call = (struct call){.layer = layer, .bytes = (forward > backward ? forward : backward) + 1};
    call->workspace = bits_reserve(1, call->bytes);
    call->tape = bits_reserve(1, hn_layer_tape_bytes(layer, problem->count) + 1);
    call->reports = bits_reserve(problem->count, sizeof *call->reports);
    call->batch = (hn_batch){.size = sizeof call->batch,
                             .count = problem->count,
                             .x = problem->x,
                             .y_raw = problem->y_raw,
                             .y = bits_reserve(outputs, sizeof(double)),
                             .tape = call->tape,
                             .reports = call->reports,
                             .report_size = sizeof *call->reports};
    call->gradient = (hn_gradient){.size = sizeof call->gradient,
                                   .grad_y = grad_y,
                                   .grad_y_raw = bits_reserve(outputs, sizeof(double)),
                                   .grad_x = bits_reserve(problem->count * problem->inputs, sizeof(double))};
}

static void call_end(struct call *call) {
    void *all[] = {call->workspace,           call->tape,           call->reports, call->batch.y,
                   call->gradient.grad_y_raw, call->gradient.grad_x};
    for (size_t i = 0; i < COUNT_OF(all); i++)
        free(all[i]);
    free((void *)(uintptr_t)call->gradient.grad_y);
}

static void add_numbers(struct digest *digest, const double *numbers, size_t count) {
    for (size_t i = 0; i < count; i++)
        digest_add_number(digest, numbers[i]);
}

static bool is_finite(const double *numbers, size_t count) {
    bool finite = true;
    for (size_t i = 0; i < count; i++)
        finite = finite && isfinite(numbers[i]);
    return finite;
}

/* Forward, and back where there is something to differentiate: on the device, if there is one, else here. */
static bool run_call(struct call *call, const hn_device_layer *device, size_t outputs) {
    hn_error error;
    if (device && hn_device_run_host(device, &call->batch, &call->gradient, &error) != HN_OK)
        stop("run", &error);
    if (!device && hn_layer_run(call->layer, &call->batch, call->workspace, call->bytes, &error) != HN_OK)
        stop("run", &error);
    bool finite = is_finite(call->batch.y, outputs);
    if (!device && finite &&
        hn_layer_gradient(call->layer, &call->batch, &call->gradient, call->workspace, call->bytes, &error) != HN_OK)
        stop("gradient", &error);
    return finite;
}

static void run_layer(struct platform *p, const struct problem *problem, hn_layer *layer,
                      const hn_device_layer *device) {
    struct call call;
    size_t outputs = problem->count * problem->outputs;
    call_begin(&call, problem, layer);
    bool finite = run_call(&call, device, outputs);
    add_numbers(&p->corrections, call.batch.y, outputs);
    for (size_t k = 0; k < problem->count; k++) {
        digest_add_size(&p->corrections, (uint64_t)call.reports[k].outcome);
        digest_add_size(&p->corrections, (uint64_t)call.reports[k].iterations);
    }
    if (finite) {
        add_numbers(&p->gradients, call.gradient.grad_y_raw, outputs);
        add_numbers(&p->gradients, call.gradient.grad_x, problem->count * problem->inputs);
    }
    call_end(&call);
}

static bool is_generated(hn_method method) {
    return method != HN_METHOD_NEAREST && method != HN_METHOD_OPTIMAL;
}

static void compile(struct platform *p, const hn_model *model, hn_layer_options *options) {
    hn_kernel_info info = {.size = sizeof info};
    hn_error error;
    if (!is_generated(options->method))
        return;
    if (hn_kernel_compile(model, options, NULL, &info, &error) != HN_OK)
        stop("compile", &error);
    memcpy(p->kernel, info.path, sizeof p->kernel);
    options->kernel = p->kernel;
}

static void run_there(struct platform *p, const struct problem *problem, hn_layer *layer,
                      const hn_layer_options *options) {
    hn_device_layer *device;
    hn_error error;
    if (hn_device_layer_create(&device, problem->model, options, NULL, &error) != HN_OK)
        stop(problem->name, &error);
    run_layer(p, problem, layer, device);
    hn_device_layer_destroy(device);
}

static void run_problem(struct platform *p, const struct problem *problem, bool generated) {
    hn_objective_info objective = {.size = sizeof objective};
    hn_model_get_objective(problem->model, &objective, NULL);
    for (size_t m = 0; m < COUNT_OF(methods); m++) {
        hn_layer_options options = hn_layer_defaults();
        hn_layer *layer;
        hn_error error;
        options.method = methods[m];
        options.instructions = p->instructions;
        if (methods[m] == HN_METHOD_PAPER)
            options.iterations = 60;
        if (methods[m] == HN_METHOD_OPTIMAL && !objective.name)
            continue;
        hn_status status = hn_layer_create(&layer, problem->model, &options, &error);
        if (status == HN_UNSUPPORTED)
            stop(problem->name, &error);
        digest_add_size(&p->corrections, status); /* hardnet is not for every model */
        if (status == HN_OK && generated && p->compiled) {
            hn_layer_destroy(layer);
            compile(p, problem->model, &options);
            if (hn_layer_create(&layer, problem->model, &options, &error) != HN_OK)
                stop(problem->name, &error);
        }
        if (status == HN_OK && generated && p->device && is_generated(methods[m]))
            run_there(p, problem, layer, &options);
        else if (status == HN_OK)
            run_layer(p, problem, layer, NULL);
        hn_layer_destroy(layer);
    }
}

static void run_files(struct platform *p) {
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        struct problem problem;
        struct dice dice = bits_dice_start(SEED, i);
        hn_model *model;
        hn_error error;
        if (hn_model_read(&model, 1, &files[i], NULL, &error) != HN_OK)
            stop(files[i], &error);
        bits_problem_begin(&problem, files[i], model, FILE_SAMPLES);
        bits_problem_draw(&problem, &dice);
        run_problem(p, &problem, true);
        bits_problem_release(&problem);
    }
}

static void run_random(struct platform *p) {
    for (uint64_t i = 0; i < RANDOM_PROBLEMS; i++) {
        struct problem problem;
        char name[NAME_BYTES];
        bits_random_problem_make(&problem, name, sizeof name, SEED, i);
        run_problem(p, &problem, false);
        bits_problem_release(&problem);
    }
}

/* ---- a short training ---- */

#ifdef __EMSCRIPTEN__
enum { THREADS = 1 }; /* there are no others */
#else
enum { THREADS = 2 };
#endif

static void train(struct digest *digest) {
    enum { BATCH = 48, STEPS = 10, INPUTS = 3, CANDIDATES = 2 };
    const hn_network_options shape = {.inputs = INPUTS,
                                      .outputs = 50 * CANDIDATES,
                                      .hidden_count = 2,
                                      .hidden = {24, 16},
                                      .activation = HN_ACTIVATION_SILU,
                                      .seed = 7};
    hn_train_options options = hn_train_defaults();
    hn_model *model;
    hn_network *network;
    hn_trainer *trainer;
    hn_error error;
    struct dice dice = bits_dice_start(SEED, 1000);
    options.policy.candidates = CANDIDATES;
    options.policy.threads = THREADS;
    options.steps = STEPS;
    if (hn_model_read(&model, 1, &files[0], NULL, &error) != HN_OK ||
        hn_network_create(&network, &shape, &error) != HN_OK ||
        hn_trainer_create(&trainer, model, network, &options, &error) != HN_OK)
        stop("training", &error);
    for (int step = 0; step < STEPS; step++) {
        double x[BATCH * INPUTS];
        hn_train_report report;
        for (size_t i = 0; i < COUNT_OF(x); i++)
            x[i] = i % INPUTS == 0 ? bits_dice_between(&dice, -4, -2.5) : bits_dice_between(&dice, -0.45, 0.45);
        if (hn_trainer_step(trainer, BATCH, x, NULL, &report, &error) != HN_OK)
            stop("training", &error);
        digest_add_number(digest, report.loss);
    }
    add_numbers(digest, hn_network_parameters_of(network), hn_network_parameter_count(network));
    hn_trainer_destroy(trainer);
    hn_network_destroy(network);
    hn_model_destroy(model);
}

static void print(const char *name, struct digest *digest) {
    char text[DIGEST_TEXT];
    digest_finish_text(digest, text);
    printf("%-12s %s\n", name, text);
}

int main(int argc, char **argv) {
    struct platform p = {.corrections = digest_start(), .gradients = digest_start()};
    struct digest training = digest_start();
    p.compiled = argc == 2 && strcmp(argv[1], "compiled") == 0;
    p.device = argc == 2 && strcmp(argv[1], "cuda") == 0;
    if (argc > 2 || (argc == 2 && !p.compiled && !p.device && !hn_instructions_find(argv[1], &p.instructions))) {
        fputs("usage: platform [portable | avx2 | avx512 | compiled | cuda]\n", stderr);
        return 2;
    }
    run_files(&p);
    run_random(&p);
    train(&training);
    print("corrections", &p.corrections);
    print("gradients", &p.gradients);
    print("training", &training);
    return 0;
}
