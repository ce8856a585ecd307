/* device_bits_judge.c - see device_bits_judge.h.
 *
 * SPDX-License-Identifier: MIT */
#include "device_bits_judge.h"

#include "support/check.h"
#include "support/random_problem.h"
#include "support/run_layer.h"

#include "base/clock.h"
#include "base/random.h"
#include "hardnet/device.h"
#include "hardnet/read.h"

enum { SAMPLES = 96, SLOW_SAMPLES = 8, COUNTED_STEPS = 20 };
static const double SLOW_SECONDS = 1; /* of the processor for that many */

void tally_add(struct tally *sum, const struct tally *part) {
    sum->models += part->models;
    sum->failed += part->failed;
    sum->cut += part->cut;
    sum->compared += part->compared;
    sum->different += part->different;
    for (int i = 0; i < HN_OUTCOME_COUNT; i++)
        sum->outcomes[i] += part->outcomes[i];
}

void tally_print(const struct tally *t, const char *what) {
    printf("%s: %zu of them, %zu failed, %zu cut; samples: %zu compared, %zu different;", what, t->models, t->failed,
           t->cut, t->compared, t->different);
    for (int i = 0; i < HN_OUTCOME_COUNT; i++)
        if (t->outcomes[i] > 0)
            printf(" %s %zu", hn_outcome_text((hn_outcome)i), t->outcomes[i]);
    printf("\n");
}

/* ---- batches ---- */

static double *draw(struct random *random, size_t count, size_t width, size_t sizes) {
    double *all = calloc(count * width + 1, sizeof *all);
    for (size_t i = 0; i < count * width; i++)
        all[i] = (double)(1 + i / width % sizes) * random_normal(random);
    return all;
}

/* Row i of the one is row count - 1 - i of the other. */
static double *turn(const double *rows, size_t count, size_t width) {
    double *all = calloc(count * width + 1, sizeof *all);
    for (size_t i = 0; i < count && width > 0; i++)
        memcpy(all + i * width, rows + (count - 1 - i) * width, width * sizeof *all);
    return all;
}

struct scene {
    const hn_layer *layer;
    const hn_device_layer *device;
    const char *name;
    struct tally *tally;
    size_t count, inputs, outputs;
};

/* ---- one batch on both ---- */

/* One that nothing was written to, and a word, where the device has no result. */
static struct layer_results run_device(const struct scene *s, const double *x, const double *raw,
                                       const double *grad_y) {
    struct layer_results r = results_of(s->layer, s->count);
    hn_batch batch = batch_into(&r, x, raw);
    hn_gradient gradient = gradient_into(&r, grad_y);
    hn_error error = {.text = ""};
    if (hn_device_run_host(s->device, &batch, &gradient, &error) != HN_OK) {
        s->tally->failed++;
        printf("%s: %s\n", s->name, error.text);
    }
    return r;
}

static void compare(const struct scene *s, const struct layer_results *ours, const struct layer_results *theirs,
                    bool turned) {
    for (size_t i = 0; i < s->count; i++) {
        bool same = same_results(ours, i, theirs, turned ? s->count - 1 - i : i);
        s->tally->compared++;
        if (same)
            continue;
        s->tally->different++;
        printf("%s, sample %zu: %s after %d steps on the CPU\n", s->name, i, hn_outcome_text(ours->reports[i].outcome),
               ours->reports[i].iterations);
    }
}

static void judge(const struct scene *s, const double *x, const double *raw, const double *grad_y) {
    struct layer_results ours = run_and_pull(s->layer, s->count, x, raw, grad_y);
    struct layer_results once = run_device(s, x, raw, grad_y), twice = run_device(s, x, raw, grad_y);
    compare(s, &ours, &once, false);
    compare(s, &ours, &twice, false);
    results_release(&once);
    results_release(&twice);
    if (raw) {
        double *x_turned = turn(x, s->count, s->inputs), *raw_turned = turn(raw, s->count, s->outputs);
        double *grad_turned = turn(grad_y, s->count, s->outputs);
        struct layer_results turned = run_device(s, x_turned, raw_turned, grad_turned);
        compare(s, &ours, &turned, true);
        results_release(&turned);
        free(x_turned);
        free(raw_turned);
        free(grad_turned);
    }
    for (size_t i = 0; i < s->count; i++)
        s->tally->outcomes[ours.reports[i].outcome]++;
    results_release(&ours);
}

/* Whether samples take so long that few are judged: the second derivatives of fsnet_socp are 20 ms of a processor. */
static bool is_slow(const struct scene *s, const double *x, const double *raw, const double *grad_y) {
    double begun = clock_seconds();
    struct layer_results first = run_and_pull(s->layer, SLOW_SAMPLES, x, raw, grad_y);
    results_release(&first);
    return clock_seconds() - begun > SLOW_SECONDS;
}

/* ---- models ---- */

void judge_model(struct tally *tally, const hn_model *model, const char *name, hn_layer_options options,
                 uint64_t seed) {
    struct random random = random_start(seed, 18);
    hn_device_layer *device;
    hn_error error = {.text = ""};
    hn_status status = hn_device_layer_create(&device, model, &options, NULL, &error);
    if (!tally) {
        hn_device_layer_destroy(device);
        return;
    }
    tally->models++;
    if (status != HN_OK) {
        tally->failed++;
        printf("%s %s: %s\n", name, hn_method_text(options.method), error.text);
        return;
    }
    hn_layer *layer = layer_of(model, options);
    struct scene s = {layer, device, name, tally, SAMPLES, hn_model_input_count(model), hn_model_output_count(model)};
    double *x = draw(&random, s.count, s.inputs, 1), *raw = draw(&random, s.count, s.outputs, 4);
    double *grad_y = draw(&random, s.count, s.outputs, 1);
    raw[s.outputs] = NAN;
    s.count = is_slow(&s, x, raw, grad_y) ? SLOW_SAMPLES : SAMPLES;
    judge(&s, x, raw, grad_y);
    judge(&s, x, NULL, grad_y);
    free(x);
    free(raw);
    free(grad_y);
    hn_layer_destroy(layer);
    hn_device_layer_destroy(device);
}

void judge_file(struct tally *tally, const char *name, hn_layer_options options, uint64_t seed) {
    char path[256];
    const char *paths[] = {path};
    hn_error error = {.text = ""};
    hn_model *model;
    snprintf(path, sizeof path, "models/%s.mod", name);
    if (hn_model_read(&model, 1, paths, NULL, &error) != HN_OK) {
        if (tally)
            tally->failed++;
        printf("%s\n", error.text);
        return;
    }
    bool fits = hn_model_output_count(model) >= hn_model_row_count(model); /* as the method hardnet wants it */
    bool aims = hn_model_objective(model).name != NULL;                    /* as optimal does */
    if ((options.method != HN_METHOD_HARDNET || fits) && (options.method != HN_METHOD_OPTIMAL || aims))
        judge_model(tally, model, name, options, seed);
    hn_model_destroy(model);
}

/* Every method; the one that wants fewer rows than outputs has problems of that kind. */
void judge_random(struct tally *tally, uint64_t seed, const char *only) {
    static const hn_method methods[] = {HN_METHOD_AUTO,    HN_METHOD_PAPER,  HN_METHOD_LM,       HN_METHOD_ENFORCE,
                                        HN_METHOD_HARDNET, HN_METHOD_AUTO,   HN_METHOD_SNARENET, HN_METHOD_HARDNET,
                                        HN_METHOD_NEAREST, HN_METHOD_OPTIMAL};
    struct random_problem_options options = {.kind = (enum problem_kind)(seed % PROBLEM_KINDS)};
    hn_layer_options own = layer_method(methods[seed / PROBLEM_KINDS % COUNT_OF(methods)]);
    options.objective = own.method == HN_METHOD_OPTIMAL;
    struct random_problem problem;
    char name[64];
    if (own.method == HN_METHOD_HARDNET) {
        options.outputs = 12;
        options.rows = 1 + seed % 5;
    }
    if (only && !strstr(only, hn_method_text(own.method)))
        return;
    random_problem_create(&problem, options, 18, seed);
    if (own.method == HN_METHOD_HARDNET && problem.rows > problem.outputs)
        own.method = HN_METHOD_PAPER;
    own.relative = seed % 5 == 3;
    if (own.method == HN_METHOD_PAPER || own.method == HN_METHOD_HARDNET)
        own.iterations = COUNTED_STEPS;
    snprintf(name, sizeof name, "random problem %u", (unsigned)seed);
    judge_model(tally, problem.model, name, own, seed);
    random_problem_release(&problem);
}
