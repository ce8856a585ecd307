/* test_device_bits.c - a layer on a GPU has the bits of the CPU: shipped models and random problems, every method, corrections and
 * gradients, twice and in another order. Skipped where there is no device.
 *
 * test_device_bits FIRST LAST judges the random problems of these numbers instead.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/random_problem.h"
#include "support/run_layer.h"

#include "base/random.h"
#include "hardnet/device.h"
#include "hardnet/read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 96 };

static size_t first_problem, last_problem = 8;

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
    size_t count, inputs, outputs;
};

static struct layer_results run_device(const struct scene *s, const double *x, const double *raw,
                                       const double *grad_y) {
    struct layer_results r = results_of(s->layer, s->count);
    hn_batch batch = batch_into(&r, x, raw);
    hn_gradient gradient = gradient_into(&r, grad_y);
    hn_error error = {.text = ""};
    if (hn_device_run_host(s->device, &batch, &gradient, &error) != HN_OK)
        fail_msg("%s: %s", s->name, error.text);
    return r;
}

static void compare(const struct scene *s, const struct layer_results *ours, const struct layer_results *theirs,
                    bool turned) {
    for (size_t i = 0; i < s->count; i++)
        if (!same_results(ours, i, theirs, turned ? s->count - 1 - i : i))
            fail_msg("%s, sample %zu: %s after %d steps on the CPU", s->name, i,
                     hn_outcome_text(ours->reports[i].outcome), ours->reports[i].iterations);
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
    results_release(&ours);
}

/* Whether the model is one for straight code. */
static bool try_model(const hn_model *model, const char *name, hn_layer_options options, uint64_t seed) {
    struct random random = random_start(seed, 18);
    hn_device_layer *device;
    hn_error error = {.text = ""};
    hn_status status = hn_device_layer_create(&device, model, &options, NULL, &error);
    if (status != HN_OK) {
        if (!strstr(error.text, "straight code"))
            fail_msg("%s: %s", name, error.text);
        return false;
    }
    hn_layer *layer = layer_of(model, options);
    struct scene s = {layer, device, name, SAMPLES, hn_model_input_count(model), hn_model_output_count(model)};
    double *x = draw(&random, s.count, s.inputs, 1), *raw = draw(&random, s.count, s.outputs, 4);
    double *grad_y = draw(&random, s.count, s.outputs, 1);
    raw[s.outputs] = NAN;
    judge(&s, x, raw, grad_y);
    judge(&s, x, NULL, grad_y);
    free(x);
    free(raw);
    free(grad_y);
    hn_layer_destroy(layer);
    hn_device_layer_destroy(device);
    return true;
}

static void try_file(const char *name, hn_layer_options options, uint64_t seed) {
    char path[256];
    const char *paths[] = {path};
    hn_error error = {.text = ""};
    hn_model *model;
    snprintf(path, sizeof path, "models/%s.mod", name);
    if (hn_model_read(&model, 1, paths, NULL, &error) != HN_OK)
        fail_msg("%s", error.text);
    bool fits = hn_model_output_count(model) >= hn_model_row_count(model);
    if (options.method != HN_METHOD_HARDNET || fits)
        printf("%s %s: %s\n", name, hn_method_text(options.method),
               try_model(model, name, options, seed) ? "the same bits" : "no straight code");
    hn_model_destroy(model);
}

/* ---- tests ---- */

static void shipped_models_have_the_cpu_s_bits(void **state) {
    static const char *const names[] = {"unicycle",
                                        "ellipse",
                                        "figure2",
                                        "simplex",
                                        "opf",
                                        "infeasible",
                                        "feasibility/hs13",
                                        "feasibility/creep_far",
                                        "feasibility/hs116",
                                        "infeasible/sine"};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        try_file(names[i], layer_method(HN_METHOD_AUTO), i);
        try_file(names[i], layer_method(HN_METHOD_LM), i);
        try_file(names[i], layer_steps(HN_METHOD_PAPER, 30), i);
        try_file(names[i], layer_steps(HN_METHOD_HARDNET, 8), i);
    }
}

static void random_problems_have_the_cpu_s_bits(void **state) {
    (void)state;
    for (uint64_t seed = first_problem; seed < last_problem; seed++) {
        const struct random_problem_options options = {.kind = (enum problem_kind)(seed % PROBLEM_KINDS)};
        static const hn_method methods[] = {HN_METHOD_AUTO, HN_METHOD_LM, HN_METHOD_AUTO, HN_METHOD_PAPER,
                                            HN_METHOD_HARDNET};
        struct random_problem problem;
        char name[64];
        snprintf(name, sizeof name, "random problem %u", (unsigned)seed);
        random_problem_create(&problem, options, 18, seed);
        hn_layer_options own = layer_method(methods[seed % COUNT_OF(methods)]);
        if (own.method == HN_METHOD_HARDNET && problem.rows > problem.outputs)
            own.method = HN_METHOD_AUTO;
        own.relative = seed % 4 == 3;
        if (own.method == HN_METHOD_PAPER || own.method == HN_METHOD_HARDNET)
            own.iterations = 20;
        try_model(problem.model, name, own, seed);
        random_problem_release(&problem);
    }
}

static bool device_is_there(void) {
    static const hn_text text = {"m", "var y; subject to row: y = 1;", 29};
    hn_error error = {.text = ""};
    hn_model *model;
    hn_device_layer *layer;
    assert_int_equal(hn_model_read_memory(&model, 1, &text, NULL, &error), HN_OK);
    hn_status status = hn_device_layer_create(&layer, model, NULL, NULL, &error);
    hn_model_destroy(model);
    hn_device_layer_destroy(layer);
    if (status != HN_OK)
        printf("skipped: %s\n", error.text);
    return status == HN_OK;
}

int main(int count, char **words) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_models_have_the_cpu_s_bits),
        cmocka_unit_test(random_problems_have_the_cpu_s_bits),
    };
    bool some = count == 3;
    if (!device_is_there())
        return 77;
    if (some) {
        first_problem = (size_t)strtoul(words[1], NULL, 10);
        last_problem = (size_t)strtoul(words[2], NULL, 10);
    }
    return _cmocka_run_group_tests("device", tests + some, COUNT_OF(tests) - some, NULL, NULL);
}
