/* test_adjoint.c - emitted files give the library's results and the library's gradients, to the last bit.
 *
 * A layer is emitted with its adjoint, compiled by the system's C compiler, loaded, and run beside the library: one sample at a time,
 * by the driver's text (core/solver.h, core/solver_adjoint.h). Methods, sides and kinds of problems come in turns; clipped steps,
 * restarts, ways that are lost, bounds that follow x and fixed outputs are among them. `adjoint 200` takes as many random problems,
 * and all shipped models, the smaller ones by all methods, which takes long.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/compiled_kernel.h"
#include "support/random_problem.h"
#include "support/run_layer.h"
#include "support/scratch.h"
#include "support/shape_models.h"

#include "base/random.h"

#include "hardnet/emit.h"
#include "hardnet/read.h"

#include <dirent.h>
#include <dlfcn.h>

enum { PROBLEMS = HN_TEST_SHARE > 1 ? 2 : 8, SAMPLES = 24, COMMAND = 4096 };

/* As many random problems as the argument says, and every shipped model by every method; 0: a few of them. */
static uint64_t many;

enum { AUTO = 4 }; /* of layer_settings */
/* What was met on the way. */
static struct { size_t emitted, refused, samples, flagged; } seen;

/* ---- the emitted file, as a shared object ---- */

typedef int run_function(const double *x, double *y, int *iterations, const double *grad_y, double *grad_y_raw,
                         double *grad_x, int *flagged);

static const char wrapper[] =
    "#include \"layer.c\"\n"
    "int run(const double *, double *, int *, const double *, double *, double *, int *);\n"
    "int run(const double *x, double *y, int *iterations, const double *grad_y, double *grad_y_raw,\n"
    "        double *grad_x, int *flagged) {\n"
    "    static layer_work work;\n    static int ready;\n    layer_report report;\n"
    "    if (!ready)\n        layer_init(&work);\n    ready = 1;\n"
    "    int outcome = layer_solve(&work, x, y, &report);\n    *iterations = report.iterations;\n"
    "    *flagged = layer_gradient(&work, x, grad_y, grad_y_raw, grad_x);\n    return outcome;\n}\n";

static void write_file(const char *folder, const char *name, const char *text) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* NULL where the layer has no straight code. */
static void *emitted_object(const char *folder, const hn_model *model, hn_layer_options layer) {
    static int number; /* dlopen knows files by their names as long as they are loaded */
    char path[512], command[COMMAND];
    hn_emit_options options = {.size = sizeof options};
    hn_error error;
    hn_emitted files;
    hn_emit_get_defaults(&options, NULL);
    options.layer = layer;
    options.name = "layer";
    options.adjoint = true;
    hn_status status = hn_emit(&files, model, NULL, &options, &error);
    if (status == HN_UNSUPPORTED)
        return NULL;
    if (status != HN_OK)
        fail_msg("%s", error.text);
    write_file(folder, "layer.h", files.header);
    write_file(folder, "layer.c", files.source);
    write_file(folder, "run.c", wrapper);
    snprintf(path, sizeof path, "%s/emitted%d.so", folder, number++);
    /* Some are optimised, which takes a compiler more than linear time. */
    bool optimised = number % (many > 0 ? 2 : 6) == 0 && strlen(files.source) < 600000;
    snprintf(command, sizeof command, "cc -std=c99 -O%d -fPIC -shared -o %s %s/run.c", optimised, path, folder);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c)
    hn_emitted_release(&files);
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(object);
    remove(path);
    return object;
}

/* ---- the library beside it ---- */

static void assert_same(const double *mine, const double *theirs, size_t count, const char *what, size_t sample) {
    for (size_t i = 0; i < count; i++)
        if (!same_bits(mine[i], theirs[i]))
            fail_msg("sample %zu, %s %zu: %a, the library has %a", sample, what, i, mine[i], theirs[i]);
}

struct inputs {
    size_t k, n;
    double *x, *raw, *grad;
};

static void compare(const hn_layer *layer, run_function *run, const struct inputs *in) {
    struct layer_results want = run_and_pull(layer, SAMPLES, in->x, in->raw, in->grad);
    size_t k = in->k, n = in->n;
    double *y = calloc(n, sizeof *y), *grad_raw = calloc(n, sizeof *y), *grad_x = calloc(k + 1, sizeof *y);
    for (size_t i = 0; i < SAMPLES; i++) {
        int iterations, flagged;
        memcpy(y, in->raw + i * n, n * sizeof *y);
        int outcome = run(in->x + i * k, y, &iterations, in->grad + i * n, grad_raw, grad_x, &flagged);
        assert_int_equal(outcome, want.reports[i].outcome);
        assert_int_equal(iterations, want.reports[i].iterations);
        assert_int_equal(flagged, want.flagged[i]);
        assert_same(y, want.y + i * n, n, "output", i);
        assert_same(grad_raw, want.grad_y_raw + i * n, n, "gradient by raw output", i);
        assert_same(grad_x, want.grad_x + i * k, k, "gradient by input", i);
        seen.samples++;
        seen.flagged += flagged != 0;
    }
    results_release(&want);
    free(y);
    free(grad_raw);
    free(grad_x);
}

/* x: where the model has a solution, for every other sample; NULL: that is not known. */
static void check_at(const struct scratch *scratch, hn_model *model, const double *x, size_t setting, uint64_t seed) {
    hn_layer_options options = layer_setting(setting, 300);
    struct inputs in = {hn_model_input_count(model), hn_model_output_count(model), NULL, NULL, NULL};
    struct random random = random_start(seed, 11);
    if (layer_settings[setting].method == HN_METHOD_HARDNET && hn_model_row_count(model) > in.n)
        options = layer_setting(0, 300);
    hn_layer *layer = layer_of(model, options);
    void *object = emitted_object(scratch->folder, model, options), *symbol = object ? dlsym(object, "run") : NULL;
    run_function *run;
    memcpy(&run, &symbol, sizeof run);
    in.x = calloc(SAMPLES * in.k + 1, sizeof *in.x);
    in.raw = calloc(SAMPLES * in.n, sizeof *in.raw);
    in.grad = calloc(SAMPLES * in.n, sizeof *in.grad);
    for (size_t i = 0; i < SAMPLES * in.n; i++) {
        in.raw[i] = (i / in.n % 4 == 3 ? 30 : 2) * random_normal(&random);
        in.grad[i] = random_normal(&random);
    }
    for (size_t i = 0; i < SAMPLES * in.k; i++)
        in.x[i] = x && i / in.k % 2 ? x[i % in.k] : 0.5 * random_normal(&random);
    in.raw[0] = NAN;
    if (run)
        compare(layer, run, &in);
    seen.emitted += run != NULL;
    seen.refused += run == NULL;
    if (object)
        dlclose(object);
    free(in.x);
    free(in.raw);
    free(in.grad);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

static void check_model(const struct scratch *scratch, hn_model *model, size_t setting, uint64_t seed) {
    check_at(scratch, model, NULL, setting, seed);
}

/* ---- problems ---- */

TEST(random_problems_have_the_library_s_gradients) {
    for (uint64_t k = 0; k < (many > 0 ? many : PROBLEMS); k++) {
        struct random_problem problem;
        struct random_problem_options options = {.kind = (enum problem_kind)(k % PROBLEM_KINDS)};
        random_problem_create(&problem, options, 78, k);
        hn_model *model = problem.model;
        problem.model = NULL;
        check_at(*state, model, problem.x, (k + k / LAYER_SETTINGS) % LAYER_SETTINGS, k);
        random_problem_release(&problem);
    }
    assert_true(seen.flagged > 0 && seen.flagged < seen.samples);
}

TEST(both_sides_and_kept_out_outputs_have_the_library_s_gradients) {
    check_model(*state, dense_model(9, 5, 4), AUTO, 2);
    check_model(*state, dense_model(5, 9, 4), AUTO, 3);
    check_model(*state, bordered_model(20, 1, 2, 10), AUTO, 5);
    check_model(*state, undefined_model(1), AUTO, 7);
    if (HN_TEST_SHARE == 1)
        check_model(*state, bordered_model(20, 3, 3, 12), 2, 6);
}

/* Large models by one method, and where all of them are asked for only. */
static bool takes_long(const hn_model *model, size_t setting) {
    return (many == 0 || setting != AUTO) && hn_model_output_count(model) > 60;
}

/* Those that read without data beside them; large ones where all of them are asked for. */
static void models_of(const struct scratch *scratch, const char *folder) {
    DIR *open = opendir(folder);
    uint64_t turn = 0;
    assert_non_null(open);
    for (struct dirent *entry = readdir(open); entry; entry = readdir(open)) {
        char path[512];
        const char *files[] = {path}, *end = strrchr(entry->d_name, '.');
        hn_model *model;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        for (size_t s = many > 0 ? 0 : AUTO; s < (many > 0 ? LAYER_SETTINGS : AUTO + 1); s++)
            if (end && strcmp(end, ".mod") == 0 && hn_model_read(&model, 1, files, NULL, NULL) == HN_OK)
                takes_long(model, s) ? hn_model_destroy(model) : check_model(scratch, model, s, turn++);
    }
    assert_true(turn > 0);
    closedir(open);
}

TEST(shipped_models_have_the_library_s_gradients) {
    size_t refused = seen.refused, emitted = seen.emitted;
    if (HN_TEST_SHARE == 1)
        models_of(*state, "models");
    models_of(*state, "models/infeasible");
    if (many > 0)
        models_of(*state, "models/feasibility");
    assert_true(seen.emitted - emitted > 5 * (seen.refused - refused));
    printf("%zu layers emitted, %zu refused; %zu samples, %zu flagged\n", seen.emitted, seen.refused, seen.samples,
           seen.flagged);
}

TEST_GROUP(compiler_set_up, scratch_tear_down)

int main(int count, char **words) {
    many = count > 1 ? strtoull(words[1], NULL, 10) : 0;
    return run_registered_tests();
}
