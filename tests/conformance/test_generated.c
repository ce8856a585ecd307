/* test_generated.c - generated kernels compute what the plain executor does, entry by entry and to the last bit.
 *
 * The script of test_executors.c, over plans whose kernels are generated, compiled by the system's C compiler and loaded; then whole
 * layers, run and differentiated. Methods, sides and kinds of the factor come in turns; a chain of stages is long enough to be
 * rolled into loops. `generated all` takes models that a compiler is long at, too (`make test-long`); `generated 1000` 1000 random
 * problems, and nothing else; `generated 250 500` those from 500 on.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/compiled_kernel.h"
#include "support/executor_script.h"
#include "support/plain_executor.h"
#include "support/random_problem.h"
#include "support/run_layer.h"
#include "support/scratch.h"
#include "support/shape_models.h"

#include "base/random.h"
#include "codegen/kernel/kernel_parts.h"
#include "cpu/backend.h"
#include "layer/driver.h"

#include "hardnet/read.h"

#include <dirent.h>
#include <inttypes.h>

/* Sanitizers see the generator, which is fast, and wait for the compiler, which is not. */
enum { PROBLEMS = HN_TEST_SHARE > 1 ? 2 : 8, MODEL_EVERY = HN_TEST_SHARE > 1 ? 5 : 1, SAMPLES = 11 };

/* Compilers are long at models with more outputs, and at optimising plans with more entries. */
enum { FEW_OUTPUTS = 60, FEW_ENTRIES = 500 };
static bool all;

/* As many random problems as the first argument says, from the one that the second says on; 0: a few of them. */
static uint64_t many, from;

/* The instruction sets of this processor, in turns. */
static hn_instructions instructions_in_turn(uint64_t turn) {
    struct backend backend;
    size_t count = 0;
    hn_instructions instructions = HN_INSTRUCTIONS_PORTABLE;
    while (backend_at(count, &backend))
        count++;
    assert_true(backend_at(turn % count, &backend));
    assert_true(hn_instructions_find(backend.name, &instructions));
    return instructions;
}

/* Without a tape rounds are not interrupted. */
static void compare_untaped(const hn_layer *layer, const hn_layer *generated, const double *x, const double *raw) {
    struct layer_results a = results_of(layer, SAMPLES), b = results_of(layer, SAMPLES);
    hn_batch one = batch_into(&a, x, raw), other = batch_into(&b, x, raw);
    one.tape = other.tape = NULL;
    layer_run(layer, &one);
    layer_run(generated, &other);
    assert_memory_equal(a.y, b.y, SAMPLES * a.outputs * sizeof *a.y);
    assert_memory_equal(a.reports, b.reports, SAMPLES * sizeof *a.reports);
    results_release(&a);
    results_release(&b);
}

/* The layer with this executor for batches gives the same as before. */
static void compare_layers(const hn_layer *layer, const struct executor *executor, uint64_t seed) {
    hn_layer generated = *layer;
    size_t n = layer->plan->outputs, k = layer->plan->inputs;
    struct random random = random_start(seed, 9);
    double *x = calloc(SAMPLES * k + 1, sizeof *x), *raw = calloc(SAMPLES * n, sizeof *raw);
    double *grad = calloc(SAMPLES * n, sizeof *grad);
    generated.lanes = *executor;
    for (size_t i = 0; i < SAMPLES * n; i++) {
        raw[i] = random_normal(&random);
        grad[i] = random_normal(&random);
    }
    for (size_t i = 0; i < SAMPLES * k; i++)
        x[i] = 0.5 * random_normal(&random);
    struct layer_results a = run_and_pull(layer, SAMPLES, x, raw, grad);
    struct layer_results b = run_and_pull(&generated, SAMPLES, x, raw, grad);
    for (size_t i = 0; i < SAMPLES; i++)
        assert_true(same_results(&a, i, &b, i));
    results_release(&a);
    results_release(&b);
    compare_untaped(layer, &generated, x, raw);
    free(x);
    free(raw);
    free(grad);
}

static void check_model(const struct scratch *scratch, hn_model *model, size_t setting, uint64_t seed) {
    hn_layer_options layer_options = layer_setting(setting, 60);
    const struct generate_options options = {instructions_in_turn(seed), true};
    struct executor executor;
    layer_options.instructions = options.instructions;
    hn_layer *layer = layer_of(model, layer_options);
    hn_model_destroy(model);
    /* Optimisation is slow; every instruction set has its turn with it. */
    bool plainly = layer->plan->entries > (all ? 4 : 1) * FEW_ENTRIES || seed / 3 % 3 > 0;
    const char *level = plainly ? "-O0" : seed % 2 ? "-O1" : "-O2";
    struct kernel *kernel = compiled_kernel(scratch->folder, layer->plan, options, level);
    struct executor plain = plain_executor(layer->plan);
    assert_int_equal(executor_open_kernel(&executor, layer->plan, kernel, NULL), HN_OK);
    play_script(&executor, &plain, seed);
    compare_layers(layer, &executor, seed);
    executor_close(&executor);
    kernel_close(kernel);
    hn_layer_destroy(layer);
}

/* The problem that is being checked, so that one that fails is named. */
static uint64_t begun = UINT64_MAX;

FIXTURE(name_the_problem) {
    if (begun != UINT64_MAX)
        print_message("random problem %" PRIu64 "\n", begun);
    return 0;
}

TEST_AROUND(random_problems_have_the_same_bits, NULL, name_the_problem) {
    for (uint64_t k = from; k < from + (many > 0 ? many : PROBLEMS); k++) {
        struct random_problem problem;
        struct random_problem_options options = {.kind = (enum problem_kind)(k % PROBLEM_KINDS)};
        random_problem_create(&problem, options, 77, k);
        hn_model *model = problem.model;
        size_t setting = k % LAYER_SETTINGS;
        if (layer_settings[setting].method == HN_METHOD_HARDNET &&
            hn_model_row_count(model) > hn_model_output_count(model))
            setting = 0;
        problem.model = NULL;
        random_problem_release(&problem);
        begun = k;
        check_model(*state, model, setting, k);
    }
    begun = UINT64_MAX;
}

TEST(every_kind_of_factor_has_the_same_bits) {
    check_model(*state, dense_model(20, 30, 1), 0, 1); /* nearly full, on the rows' side, */
    if (all || HN_TEST_SHARE == 1)
        check_model(*state, dense_model(50, 21, 4), 2, 2);                           /* on the outputs' side, */
    check_model(*state, affine_model((struct affine_shape){52, 54, 6, 2}, 7), 5, 3); /* in tiles, */
    check_model(*state, bordered_model(60, 1, 2, 10), 0, 5); /* with outputs kept out of the system, */
    if (all)
        check_model(*state, bordered_model(70, 3, 3, 12), 4, 6);
}

TEST(rows_that_may_be_undefined_have_the_same_bits) {
    check_model(*state, undefined_model(1), 4, 2);
    check_model(*state, undefined_model(2), 0, 1);
    if (all)
        check_model(*state, undefined_model(3), 3, 0);
}

static struct kernel *kernel_of(const struct scratch *scratch, const hn_layer *layer, const char *level) {
    const struct generate_options options = {HN_INSTRUCTIONS_BEST, true};
    return compiled_kernel(scratch->folder, layer->plan, options, level);
}

/* Too long to be played by the plain executor: a kernel that opens has the bits of the listed kernels on numbers of its own. */
TEST(a_walked_factor_has_the_same_bits) {
    if (!all)
        skip();
    hn_model *model = block_model(33, 155, 2, 1);
    hn_layer *layer = layer_of(model, layer_method(HN_METHOD_HARDNET));
    hn_model_destroy(model);
    assert_int_equal(layer->plan->system.kind, FACTOR_WALKED);
    struct kernel *kernel = kernel_of(*state, layer, "-O0");
    assert_int_equal(kernel->table->solves, 0);
    assert_non_null(kernel->table->entry[KERNEL_STEP_END]);
    kernel_close(kernel);
    hn_layer_destroy(layer);
}

/* Parts that would be long stay with the listed kernels: of a tiled factor its loops, and sums of many terms. */
TEST(what_is_large_stays_loops_and_has_the_same_bits) {
    hn_model *model = affine_model((struct affine_shape){52, 54, 6, 2}, 5);
    hn_layer *layer = layer_of(model, layer_setting(5, 60));
    hn_model_destroy(model);
    assert_int_equal(layer->plan->system.kind, FACTOR_TILED);
    struct kernel *kernel = kernel_of(*state, layer, "-O0");
    for (int entry = KERNEL_RESCALE; entry < KERNEL_ENTRIES; entry++)
        assert_null(kernel->table->entry[entry]);
    kernel_close(kernel);
    hn_layer_destroy(layer);
}

/* Where nothing is left, that is said before anything is printed. */
TEST(a_model_without_a_part_that_is_small_is_refused) {
    const struct generate_options options = {HN_INSTRUCTIONS_BEST, true};
    struct generated_text text;
    hn_error error = {.text = ""};
    hn_model *model = mixed_model(70, 75, 2, 7);
    hn_layer *layer = layer_of(model, layer_setting(5, 60));
    hn_model_destroy(model);
    assert_int_equal(generate_lanes(&text, layer->plan, &options, &error), HN_UNSUPPORTED);
    assert_null(text.bytes);
    assert_contains(error.text, "its linear system is dense");
    assert_contains(error.text, "kB of C");
    hn_layer_destroy(layer);
}

TEST(loops_have_the_same_bits) {
    int stages = all ? 400 : 200;
    check_model(*state, chain_model(stages, false), 0, 0);
    check_model(*state, chain_model(stages + 1, false), 4, 1);
}

/* Those that read without data beside them, by `auto`; where they have no inputs, their points are as good as any. */
static void models_of(const struct scratch *scratch, const char *folder) {
    DIR *open = opendir(folder);
    uint64_t turn = 0;
    assert_non_null(open);
    for (struct dirent *entry = readdir(open); entry; entry = readdir(open)) {
        char path[512];
        const char *files[] = {path}, *end = strrchr(entry->d_name, '.');
        hn_model *model;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (!end || strcmp(end, ".mod") != 0 || hn_model_read(&model, 1, files, NULL, NULL) != HN_OK)
            continue;
        if (all || (turn % MODEL_EVERY == 0 && hn_model_output_count(model) <= FEW_OUTPUTS))
            check_model(scratch, model, 4, turn);
        else
            hn_model_destroy(model);
        turn++;
    }
    assert_true(turn > 0);
    closedir(open);
}

TEST(shipped_models_have_the_same_bits) {
    models_of(*state, "models");
}

TEST_GROUP(compiler_set_up, scratch_tear_down)

int main(int count, char **words) {
    all = count > 1 && strcmp(words[1], "all") == 0;
    many = count > 1 && !all ? strtoull(words[1], NULL, 10) : 0;
    from = count > 2 ? strtoull(words[2], NULL, 10) : 0;
    if (many > 0)
        cmocka_set_test_filter("random_problems_have_the_same_bits");
    return run_registered_tests();
}
