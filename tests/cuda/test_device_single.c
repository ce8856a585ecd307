/* test_device_single.c - precision float32 on a device, in every form of code: the steps are those of an emitted file of floats, to the
 * last bit; ok means that rows hold when they are evaluated in double; reports tell of both precisions; gradients are near those of the
 * CPU.
 *
 * The device is that of fake_device.h, which runs the text of the kernels on the host. `device_single real` judges a device that is
 * there instead, whose compiler fuses products with sums: there the steps are only near those of the file. `device_single all` takes more
 * models and methods (`make test-long`).
 *
 * SPDX-License-Identifier: MIT */
#include "cuda/dense_models.h"
#include "cuda/fake_device.h"
#include "device_single_run.h"
#include "support/check.h"
#include "support/compiled_kernel.h"
#include "support/model_check.h"
#include "support/random_problem.h"
#include "support/run_layer.h"
#include "support/scratch.h"

#include "base/random.h"
#include "hardnet/device.h"
#include "hardnet/emit.h"
#include "model/draw_inputs.h"

#include <dlfcn.h>

enum { COMMAND = 1024, SAMPLES = 24 };

static const struct scratch *scratch;
static bool whole, on_gpu;

static int set_up(void **state) {
    int failed = scratch_set_up_cache(state);
    scratch = *state;
    return failed;
}

/* ---- models ---- */

static const struct single_subject ellipse = {.name = "ellipse"}, unicycle = {.name = "unicycle"};
static const struct single_subject horizon = {.name = "unicycle", .let = "N=24", .form = HN_DEVICE_ROLLED};
static const struct single_subject irregular = {
    .name = "irregular rows",
    .text = "param a >= 1 <= 2; var y{1..900} := 0.5;\n"
            "subject to tie{i in 1..600}: y[i] + 0.2 * sin(y[1 + (i + (i*29) mod 9) mod 900])\n"
            "  * y[1 + (i + 3 + (i*i*i) mod 13) mod 900] = a * ((i mod 5) - 2) / 4;\n"
            "subject to cap{i in 1..200}: y[600 + i]^2 + y[600 + i + 1 + (i*i) mod 5]^2 <= a;",
    .form = HN_DEVICE_LISTED};

/* x, raw outputs and gradients of a batch. */
struct inputs {
    double *x, *raw, *grad_y;
};

static struct inputs draw(const hn_model *model, uint64_t seed) {
    struct random random = random_start(seed, 32);
    size_t k = SAMPLES * hn_model_input_count(model), n = SAMPLES * hn_model_output_count(model);
    struct inputs in = {calloc(k + 1, sizeof(double)), calloc(n, sizeof(double)), calloc(n, sizeof(double))};
    for (size_t i = 0; k > 0 && i < SAMPLES; i++) {
        bool met;
        assert_int_equal(draw_inputs(model, &random, in.x + i * k / SAMPLES, &met, NULL), HN_OK);
    }
    for (size_t i = 0; i < n; i++) {
        in.raw[i] = 0.5 * random_normal(&random);
        in.grad_y[i] = (float)random_normal(&random);
    }
    return in;
}

static void drop(const struct inputs *in) {
    free(in->x);
    free(in->raw);
    free(in->grad_y);
}

/* ---- the same steps as an emitted file of floats ---- */

typedef int run_function(const double *x, double *y, int *iterations, const double *grad_y, double *grad_y_raw,
                         double *grad_x, int *flagged);

static const char wrapper[] =
    "#include \"layer.c\"\n"
    "int run(const double *, double *, int *, const double *, double *, double *, int *);\n"
    "static void from(const double *a, real *b, int n) { for (int i = 0; i < n; i++) b[i] = (real)a[i]; }\n"
    "static void to(const real *a, double *b, int n) { for (int i = 0; i < n; i++) b[i] = a[i]; }\n"
    "enum { K = 64, N = 256 };\n"
    "int run(const double *x, double *y, int *iterations, const double *grad_y, double *grad_y_raw,\n"
    "        double *grad_x, int *flagged) {\n"
    "    static layer_work work;\n    layer_report report;\n    real fx[K], fy[N], fg[N], fr[N], fgx[K];\n"
    "    int k = (int)layer_plan.inputs, n = (int)layer_plan.outputs;\n"
    "    layer_init(&work);\n    from(x, fx, k);\n    from(y, fy, n);\n    from(grad_y, fg, n);\n"
    "    int outcome = layer_solve(&work, fx, fy, &report);\n    *iterations = report.iterations;\n"
    "    *flagged = layer_gradient(&work, fx, fg, fr, fgx);\n    to(fy, y, n);\n    to(fr, grad_y_raw, n);\n"
    "    to(fgx, grad_x, k);\n    return outcome;\n}\n";

static void write_file(const char *name, const char *text) {
    FILE *file = fopen(scratch_path(scratch, name), "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* An emitted float file aims at half of its tolerance, floats of a device at 15/16: with this factor both aim at the same number. */
static const double SAME_AIM = 1.875;

static void *emitted_object(const hn_model *model, hn_layer_options layer) {
    static int number; /* dlopen knows files by their names as long as they are loaded */
    char path[128], command[COMMAND];
    hn_emit_options options = {.size = sizeof options};
    hn_error error = {.text = ""};
    hn_emitted files;
    hn_emit_get_defaults(&options, NULL);
    options.layer = layer;
    options.layer.tolerance *= SAME_AIM;
    options.name = "layer";
    options.adjoint = options.single = true;
    if (hn_emit(&files, model, NULL, &options, &error) != HN_OK)
        fail_msg("%s", error.text);
    write_file("layer.h", files.header);
    write_file("layer.c", files.source);
    write_file("run.c", wrapper);
    hn_emitted_release(&files);
    snprintf(path, sizeof path, "%s/emitted%d.so", scratch->folder, number++);
    snprintf(command, sizeof command, "cc -std=c99 -O1 -fPIC -shared -o %s %s/run.c", path, scratch->folder);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c)
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(object);
    return object;
}

/* Sample i; outputs that floats do not move keep the digits that came in. False where steps in double came after the floats'. */
static bool compare_sample(run_function *run, const struct inputs *in, const struct layer_results *r, size_t i) {
    enum { MOST = 256 };
    double y[MOST], grad_raw[MOST], grad_x[MOST];
    const double *raw = in->raw + i * r->outputs;
    int iterations, flagged;
    memcpy(y, raw, r->outputs * sizeof *y);
    run(in->x + i * r->inputs, y, &iterations, in->grad_y + i * r->outputs, grad_raw, grad_x, &flagged);
    if (iterations != r->reports[i].iterations)
        return false;
    for (size_t j = 0; j < r->outputs; j++) {
        double want = y[j] == (double)(float)raw[j] ? raw[j] : y[j];
        if (!same_bits(r->y[i * r->outputs + j], want))
            fail_msg("sample %zu, output %zu: %a, the emitted file has %a", i, j, r->y[i * r->outputs + j], want);
        if (!same_bits(r->grad_y_raw[i * r->outputs + j], grad_raw[j]))
            fail_msg("sample %zu, gradient %zu: %a, the emitted file has %a", i, j, r->grad_y_raw[i * r->outputs + j],
                     grad_raw[j]);
    }
    for (size_t j = 0; j < r->inputs; j++)
        assert_true(same_bits(r->grad_x[i * r->inputs + j], grad_x[j]));
    return true;
}

/* At least so many samples must take the floats' steps only. */
static void compare_with_emitted(const hn_model *model, hn_layer_options options, uint64_t seed, size_t least) {
    struct inputs in = draw(model, seed);
    void *object = emitted_object(model, options), *found = dlsym(object, "run");
    run_function *run;
    size_t same = 0;
    memcpy(&run, &found, sizeof run);
    hn_layer *like = layer_of(model, options);
    hn_device_layer *device = single_layer(model, options);
    struct layer_results r = single_run(device, like, SAMPLES, in.x, in.raw, in.grad_y);
    for (size_t i = 0; i < SAMPLES; i++)
        same += compare_sample(run, &in, &r, i);
    if (same < least)
        fail_msg("only %zu of %d samples took the steps of floats alone", same, SAMPLES);
    results_release(&r);
    hn_device_layer_destroy(device);
    hn_layer_destroy(like);
    dlclose(object);
    drop(&in);
}

TEST(steps_are_those_of_an_emitted_file) {
    static const struct {
        const struct single_subject *subject;
        hn_method method;
        int iterations;
    } trials[] = {{&horizon, HN_METHOD_AUTO, 300},  {&ellipse, HN_METHOD_LM, 300},    {&unicycle, HN_METHOD_AUTO, 300},
                  {&ellipse, HN_METHOD_HARDNET, 6}, {&unicycle, HN_METHOD_PAPER, 30}, {&horizon, HN_METHOD_PAPER, 12},
                  {&horizon, HN_METHOD_LM, 300}};
    if (on_gpu)
        skip();
    for (size_t i = 0; i < (whole ? COUNT_OF(trials) : HN_TEST_SHARE > 1 ? 1 : 2); i++) {
        hn_layer_options options = layer_steps(trials[i].method, trials[i].iterations);
        options.tolerance = 0x1p-8; /* so that floats reach it */
        hn_model *model = single_read(trials[i].subject, &options);
        compare_with_emitted(model, options, 1 + i, SAMPLES);
        hn_model_destroy(model);
    }
}

/* ---- the verdict and the report ---- */

/* b: NULL for zeros. */
static double distance(const double *a, const double *b, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (a[i] - (b ? b[i] : 0)) * (a[i] - (b ? b[i] : 0));
    return sqrt(sum);
}

static void judge_report(const hn_model *model, const struct layer_results *ours, const struct layer_results *cpu,
                         const struct inputs *in, double tolerance, size_t i) {
    const double *y = ours->y + i * ours->outputs, *x = in->x + i * ours->inputs, *raw = in->raw + i * ours->outputs;
    const hn_report *report = &ours->reports[i];
    double violation = judged_violation(model, x, y, false, NULL);
    assert_true(same_bits(report->violation, violation));
    assert_true(same_bits(report->violation_before, cpu->reports[i].violation_before));
    assert_true((report->outcome == HN_OUTCOME_OK) == (violation <= tolerance));
    assert_true(fabs(report->moved - distance(y, raw, ours->outputs)) <= 1e-12 * (1 + report->moved));
    assert_true(report->iterations >= report->steps);
}

/* How many are ok, on the CPU, too; how many gradients are near those of the CPU. */
struct tally {
    size_t ok, cpu_ok, near;
};

static struct tally judge(const hn_model *model, hn_layer_options options, const struct inputs *in) {
    struct tally tally = {0, 0, 0};
    hn_layer *layer = layer_of(model, options);
    hn_device_layer *device = single_layer(model, options);
    struct layer_results cpu = run_and_pull(layer, SAMPLES, in->x, in->raw, in->grad_y);
    struct layer_results ours = single_run(device, layer, SAMPLES, in->x, in->raw, in->grad_y);
    for (size_t i = 0; i < SAMPLES; i++) {
        const double *grad = ours.grad_y_raw + i * ours.outputs, *want = cpu.grad_y_raw + i * ours.outputs;
        judge_report(model, &ours, &cpu, in, hn_layer_options_of(layer).tolerance, i);
        tally.ok += ours.reports[i].outcome == HN_OUTCOME_OK;
        tally.cpu_ok += cpu.reports[i].outcome == HN_OUTCOME_OK;
        double size = distance(want, NULL, ours.outputs);
        tally.near += distance(grad, want, ours.outputs) <= 1e-3 * size + 1e-6;
        if (options.method == HN_METHOD_PAPER && distance(grad, want, ours.outputs) > 1e-2 * size + 1e-5)
            fail_msg("sample %zu: a gradient is off by %g of %g", i, distance(grad, want, ours.outputs), size);
    }
    results_release(&cpu);
    results_release(&ours);
    hn_device_layer_destroy(device);
    hn_layer_destroy(layer);
    return tally;
}

struct verdict {
    const struct single_subject *subject;
    hn_method method;
    double tolerance;
    size_t near; /* gradients, at least: lm's eps may go another way in floats */
};

/* The paper's steps reach less than the others in as many. */
static void try_verdict(const struct verdict *trial, int steps, uint64_t seed) {
    hn_layer_options options = layer_steps(trial->method, steps);
    options.tolerance = trial->tolerance;
    hn_model *model = single_read(trial->subject, &options);
    struct inputs in = draw(model, seed);
    struct tally tally = judge(model, options, &in);
    printf("%s, %s: %zu of %d ok, %zu on the CPU; %zu gradients within 0.001\n", trial->subject->name,
           hn_method_text(trial->method), tally.ok, SAMPLES, tally.cpu_ok, tally.near);
    if (trial->method != HN_METHOD_PAPER)
        assert_int_equal(tally.ok, tally.cpu_ok);
    assert_true(tally.near >= trial->near);
    drop(&in);
    hn_model_destroy(model);
}

TEST(the_verdict_is_that_of_double) {
    static const struct verdict trials[] = {
        {&ellipse, HN_METHOD_LM, 1e-8, SAMPLES / 2},      {&ellipse, HN_METHOD_PAPER, 1e-3, SAMPLES - 2},
        {&horizon, HN_METHOD_AUTO, 1e-8, SAMPLES - 2},    {&irregular, HN_METHOD_AUTO, 1e-8, SAMPLES - 2},
        {&irregular, HN_METHOD_PAPER, 1e-3, SAMPLES - 2}, {&horizon, HN_METHOD_PAPER, 1e-3, SAMPLES - 2},
        {&unicycle, HN_METHOD_AUTO, 1e-8, SAMPLES - 2}};
    for (size_t i = 0; i < (whole ? COUNT_OF(trials) : 3); i++)
        try_verdict(&trials[i], 200, 5 + i);
}

/* Loops, with what the host has computed of constant rows as floats. Of one of the models no sample can be corrected: its gradients are
 * compared after few steps only. */
TEST(so_it_is_with_dense_systems) {
    for (size_t i = 0; i < COUNT_OF(dense_models); i++)
        for (size_t k = 0; k < (whole || (i == 1 && HN_TEST_SHARE == 1) ? 2 : i == 2); k++) {
            const struct single_subject subject = {
                .name = dense_models[i].name, .text = dense_models[i].text, .form = HN_DEVICE_DENSE};
            const struct verdict few = {&subject, HN_METHOD_PAPER, 1e-8, SAMPLES - 2};
            const struct verdict many = {&subject, HN_METHOD_AUTO, 1e-8, i == 2 ? 0 : SAMPLES - 2};
            try_verdict(k == 0 ? &few : &many, k == 0 ? 5 : 200, 20 + i);
        }
    const struct single_subject full = {
        .name = "a factor too full for lists", .text = walked_model, .form = HN_DEVICE_DENSE};
    const struct verdict once = {&full, HN_METHOD_HARDNET, 1e-8, SAMPLES - 2};
    if (whole)
        try_verdict(&once, 1, 30);
}

TEST(constants_beyond_floats_are_refused) {
    static const char *const texts[] = {
        "var y; subject to row: 1e60 * y^2 = 1;",
        "var y{1..2000}; subject to row{k in 1..1999}: 1e60 * y[k] * y[k + 1] + y[k] = 1;"};
    hn_device_options options = hn_device_defaults();
    options.precision = HN_PRECISION_FLOAT32;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        hn_device_layer *device;
        hn_error error = {.text = ""};
        hn_model *model = model_of_text(texts[i]);
        assert_int_equal(hn_device_layer_create(&device, model, NULL, &options, &error), HN_UNSUPPORTED);
        assert_non_null(strstr(error.text, "precision float32: the model's constant 1e+60"));
        hn_model_destroy(model);
    }
}

/* ---- products that are fused with sums ---- */

static void *open_fake(const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", FAKE_DEVICE, name);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static struct fake_calls *compiler_of_the_fake(void) {
    struct fake_calls *(*find)(void) = NULL;
    void *found = dlsym(open_fake("libnvrtc.so.13"), "fake_compiler");
    memcpy(&find, &found, sizeof found);
    return find();
}

static bool processor_fuses(void) {
    FILE *facts = fopen("/proc/cpuinfo", "r");
    char word[64];
    bool found = false;
    while (facts && !found && fscanf(facts, "%63s", word) == 1)
        found = strcmp(word, "fma") == 0;
    if (facts)
        fclose(facts);
    return found;
}

/* eps is a power of two, which it owes to a rounded product, as does what asks whether a number is finite. */
static void try_fused(const struct single_subject *subject, const double *x, const double *raw, size_t count) {
    hn_layer_options options = layer_method(HN_METHOD_AUTO);
    hn_device_options how = hn_device_defaults();
    hn_device_layer *device;
    options.tolerance = 0x1p-8; /* so that floats reach it, and their eps is that of the report */
    hn_model *model = single_read(subject, &options);
    hn_layer *layer = layer_of(model, options);
    struct inputs in = draw(model, 3);
    struct layer_results ours = results_of(layer, count);
    hn_batch found = batch_into(&ours, x ? x : in.x, raw ? raw : in.raw);
    how.precision = HN_PRECISION_FLOAT32;
    how.gradients = false;
    compiler_of_the_fake()->fuses = true;
    assert_int_equal(hn_device_layer_create(&device, model, &options, &how, NULL), HN_OK);
    compiler_of_the_fake()->fuses = false;
    assert_int_equal(hn_device_run_host(device, &found, NULL, NULL), HN_OK);
    for (size_t i = 0; i < count; i++) {
        int exponent;
        assert_int_equal(ours.reports[i].outcome, HN_OUTCOME_OK);
        assert_true(ours.reports[i].steps > 0);
        assert_true(same_bits(frexp(ours.reports[i].damping, &exponent), 0.5));
    }
    hn_device_layer_destroy(device);
    results_release(&ours);
    drop(&in);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

TEST(fused_products_leave_decisions_alone) {
    static const struct single_subject curved = {.text =
                                                     "param a >= 1; var y{1..2}; subject to product: y[1] * y[2] = a;\n"
                                                     "subject to steep: 37 * y[1] - 3 * y[2] <= a;"};
    static const double x[2] = {1.3, 1.7}, raw[4] = {3.1, -0.4, 0.7, 2.9};
    const struct single_subject dense = {.text = dense_models[1].text, .form = HN_DEVICE_DENSE};
    if (on_gpu || !processor_fuses())
        skip();
    try_fused(&curved, x, raw, 2);
    try_fused(&irregular, NULL, NULL, 4);
    try_fused(&dense, NULL, NULL, 4);
}

TEST_GROUP(set_up, scratch_tear_down_cache)

int main(int count, char **words) {
    on_gpu = count > 1 && strcmp(words[1], "real") == 0;
    whole = on_gpu || (count > 1 && strcmp(words[1], "all") == 0);
    if (!compiler_is_there() || (!on_gpu && !(open_fake("libcuda.so.1") && open_fake("libnvrtc.so.13")))) {
        puts("skipped: there is no compiler");
        return 77;
    }
    return run_registered_tests();
}
