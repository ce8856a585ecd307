/* test_compile_kernel.c - hn_kernel_compile and layers with its kernels, through the public interface: the same bits, and nothing that
 * is kept of files, paths and folders but what is promised.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/random_problem.h"
#include "support/run_layer.h"
#include "support/scratch.h"

#include "hardnet/kernel.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COUNT = 21 };

static struct scratch cache, temporary;
static struct random_problem problem;

FIXTURE(make_folders) {
    if (system("cc --version >/dev/null 2>&1") != 0) {
        print_message("skipped: there is no C compiler\n");
        return 0;
    }
    cache = scratch_create();
    temporary = scratch_create();
    setenv("XDG_CACHE_HOME", cache.folder, 1);
    setenv("TMPDIR", temporary.folder, 1);
    unsetenv("CC");
    random_problem_create(&problem, (struct random_problem_options){.outputs = 5, .rows = 4}, 11, 0);
    return 0;
}

FIXTURE(remove_folders) {
    if (!cache.folder[0])
        return 0;
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", cache.folder);
    assert_int_equal(count_entries(temporary.folder), 0);
    scratch_remove(&temporary);
    random_problem_release(&problem);
    int failed = system(command);
    cache.folder[0] = '\0';
    return failed;
}

#define NEED_A_COMPILER()                                                                                              \
    do {                                                                                                               \
        (void)state;                                                                                                   \
        if (!cache.folder[0])                                                                                          \
            skip();                                                                                                    \
    } while (0)

static hn_kernel_info compiled(const hn_layer_options *layer, const hn_kernel_options *options) {
    hn_kernel_info info = {.size = sizeof info};
    hn_error error = {.text = ""};
    hn_status status = hn_kernel_compile(problem.model, layer, options, &info, &error);
    assert_string_equal(error.text, "");
    assert_int_equal(status, HN_OK);
    return info;
}

/* Both layers on the same samples, one by one and all gradients. */
static void expect_same_bits(const hn_layer *listed, const hn_layer *layer) {
    double *x = calloc(COUNT * problem.inputs + 1, sizeof *x), *raw = calloc(COUNT * problem.outputs, sizeof *raw);
    assert_true(x && raw);
    for (size_t k = 0; k < COUNT; k++) {
        memcpy(x + k * problem.inputs, problem.x, problem.inputs * sizeof *x);
        for (size_t j = 0; j < problem.outputs; j++)
            raw[k * problem.outputs + j] = problem.raw[j] * (1 + 0.01 * (double)k);
    }
    struct layer_results a = run_and_pull(listed, COUNT, x, raw, raw), b = run_and_pull(layer, COUNT, x, raw, raw);
    for (size_t k = 0; k < COUNT; k++)
        assert_true(same_results(&a, k, &b, k));
    results_release(&a);
    results_release(&b);
    free(x);
    free(raw);
}

TEST_AROUND(a_layer_with_a_kernel_has_the_bits_of_one_without, make_folders, remove_folders) {
    NEED_A_COMPILER();
    static const hn_method methods[] = {HN_METHOD_AUTO, HN_METHOD_PAPER, HN_METHOD_LM, HN_METHOD_NEAREST};
    for (size_t i = 0; i < COUNT_OF(methods); i++)
        for (int gradients = 0; gradients < 2; gradients++) {
            hn_layer_options options = layer_method(methods[i]);
            hn_kernel_options wanted = hn_kernel_defaults();
            wanted.gradients = gradients;
            hn_layer *listed = layer_of(problem.model, options);
            hn_kernel_info info = compiled(&options, &wanted);
            options.kernel = info.path;
            hn_layer *layer = layer_of(problem.model, options);
            assert_true(hn_layer_info_of(layer).compiled);
            assert_int_equal(hn_layer_info_of(layer).compiled_gradients, gradients);
            assert_false(hn_layer_info_of(listed).compiled);
            expect_same_bits(listed, layer);
            hn_layer_destroy(layer);
            hn_layer_destroy(listed);
        }
}

TEST_AROUND(a_kernel_is_compiled_once, make_folders, remove_folders) {
    NEED_A_COMPILER();
    hn_kernel_info first = compiled(NULL, NULL), second = compiled(NULL, NULL);
    assert_false(first.found);
    assert_true(first.seconds > 0 && first.text_bytes > 1000 && first.code_bytes > 100 && first.gradients);
    assert_true(second.found);
    assert_true(second.seconds == 0);
    assert_string_equal(first.path, second.path);
    assert_int_equal(first.code_bytes, second.code_bytes);
    hn_layer_options other = hn_layer_defaults();
    other.tolerance = 1e-3;
    other.iterations = 7;
    assert_true(compiled(&other, NULL).found);
    hn_kernel_options again = hn_kernel_defaults();
    again.again = true;
    assert_false(compiled(NULL, &again).found);
}

TEST_AROUND(nearest_takes_the_kernel_of_auto, make_folders, remove_folders) {
    NEED_A_COMPILER();
    hn_layer_options nearest = layer_method(HN_METHOD_NEAREST);
    hn_kernel_info first = compiled(NULL, NULL), second = compiled(&nearest, NULL);
    assert_true(second.found);
    assert_string_equal(first.path, second.path);
}

/* The file and the caller's name for it may go as soon as the layer is made; a layer that was made before stays what it is when the
 * path gets another kernel. */
TEST_AROUND(a_layer_keeps_what_it_was_made_with, make_folders, remove_folders) {
    NEED_A_COMPILER();
    char path[512], name[512];
    snprintf(path, sizeof path, "%s", scratch_path(&cache, "kernel.so"));
    hn_kernel_options out = hn_kernel_defaults();
    out.out = path;
    static const hn_method methods[] = {HN_METHOD_PAPER, HN_METHOD_LM};
    hn_layer *layers[2], *listed[2];
    size_t open_files = count_open_files();
    for (int i = 0; i < 2; i++) {
        hn_layer_options options = layer_method(methods[i]);
        listed[i] = layer_of(problem.model, options);
        assert_string_equal(compiled(&options, &out).path, path);
        snprintf(name, sizeof name, "%s", path);
        options.kernel = name;
        layers[i] = layer_of(problem.model, options);
        memset(name, 'x', sizeof name - 1);
        assert_string_equal(hn_layer_options_of(layers[i]).kernel, path);
    }
    assert_int_equal(unlink(path), 0);
    for (int i = 0; i < 2; i++)
        expect_same_bits(listed[i], layers[i]);
    for (int i = 0; i < 2; i++) {
        hn_layer_destroy(layers[i]);
        hn_layer_destroy(listed[i]);
    }
    assert_int_equal(count_open_files(), open_files);
}

TEST_AROUND(a_kernel_that_does_not_fit_is_refused_by_name, make_folders, remove_folders) {
    NEED_A_COMPILER();
    hn_layer_options options = layer_method(HN_METHOD_PAPER);
    hn_layer *layer;
    hn_error error = {.text = ""};
    size_t open_files = count_open_files();
    hn_kernel_info info = compiled(&options, NULL);
    options.kernel = info.path;
    options.method = HN_METHOD_LM;
    assert_int_equal(hn_layer_create(&layer, problem.model, &options, &error), HN_INVALID);
    assert_null(layer);
    assert_int_equal(error.code, HN_CODE_KERNEL);
    assert_string_equal(error.subject, info.path);
    assert_contains(error.text, "a kernel of the method paper; the layer's is lm");
    options.method = HN_METHOD_PAPER;
    options.relative = true; /* part of the code */
    assert_int_equal(hn_layer_create(&layer, problem.model, &options, &error), HN_INVALID);
    assert_contains(error.text, "a kernel of this model with other options");
    options.kernel = "/nowhere/at/all";
    assert_int_equal(hn_layer_create(&layer, problem.model, &options, &error), HN_IO);
    assert_int_equal(count_open_files(), open_files);
}

TEST_AROUND(wrong_calls_are_refused_before_anything_is_compiled, make_folders, remove_folders) {
    NEED_A_COMPILER();
    hn_kernel_info info = {.size = 0}, good = {.size = sizeof good};
    hn_kernel_options options = {.size = 0};
    hn_error error;
    assert_int_equal(hn_kernel_compile(NULL, NULL, NULL, &good, &error), HN_INVALID);
    assert_int_equal(hn_kernel_compile(problem.model, NULL, NULL, NULL, &error), HN_INVALID);
    assert_int_equal(hn_kernel_compile(problem.model, NULL, NULL, &info, &error), HN_INVALID);
    assert_int_equal(hn_kernel_compile(problem.model, NULL, &options, &good, &error), HN_INVALID);
    hn_layer_options layer = hn_layer_defaults();
    layer.tolerance = -1;
    assert_error(hn_kernel_compile(problem.model, &layer, NULL, &good, &error), HN_INVALID, error, "tolerance");
    options = hn_kernel_defaults();
    options.compiler = "";
    assert_int_equal(hn_kernel_compile(problem.model, NULL, &options, &good, &error), HN_INVALID);
    assert_int_equal(count_entries(cache.folder), 0);
}

/* A caller of before there were kernels. */
TEST_AROUND(options_that_end_before_the_kernel_have_none, make_folders, remove_folders) {
    NEED_A_COMPILER();
    hn_layer_options options = hn_layer_defaults();
    hn_layer *layer;
    options.kernel = "/nowhere/at/all";
    options.size = offsetof(hn_layer_options, kernel);
    assert_int_equal(hn_layer_create(&layer, problem.model, &options, NULL), HN_OK);
    assert_null(hn_layer_options_of(layer).kernel);
    hn_layer_destroy(layer);
}

TEST_AROUND(the_text_at_its_end_is_what_tells_a_kernel, make_folders, remove_folders) {
    NEED_A_COMPILER();
    hn_layer_options options = hn_layer_defaults();
    hn_kernel_info info = compiled(NULL, NULL);
    hn_layer *layer;
    hn_error error;
    struct stat facts;
    options.kernel = info.path;
    assert_int_equal(stat(info.path, &facts), 0);
    assert_int_equal(truncate(info.path, facts.st_size - 512), 0); /* the shared object alone, as a compiler makes it */
    assert_int_equal(hn_layer_create(&layer, problem.model, &options, &error), HN_SYNTAX);
    assert_false(compiled(NULL, NULL).found);
    assert_true(compiled(NULL, NULL).found);
}
