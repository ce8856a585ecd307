/* test_device_bits.c - a layer on a GPU has the bits of the CPU: shipped models and random problems, every method, corrections and
 * gradients, twice and in another order. Skipped where there is no device.
 *
 * test_device_bits PATTERN runs the tests whose names match it: long_* for one.
 * test_device_bits FIRST LAST WORKERS SECONDS [MODELS [METHODS]] judges the random problems of these numbers instead, and models that ship
 * whose name holds MODELS ("" is every one, "-socp" those without it), with METHODS only where they are given (nearest,optimal), as far as it gets in that time. WORKERS
 * are 16+24: 16 processes compile, and 24 threads of one more judge; 16 alone is 16+16.
 *
 * SPDX-License-Identifier: MIT */
#include "dense_models.h"
#include "device_bits_judge.h"
#include "support/check.h"
#include "support/model_check.h"

#include "base/clock.h"
#include "support/run_layer.h"

#include "hardnet/device.h"
#include "hardnet/read.h"

#include <sys/wait.h>
#include <unistd.h>

enum { PROBLEMS = 16 };

static void check_all_same(const struct tally *tally, const char *what) {
    tally_print(tally, what);
    assert_true(tally->compared > 0);
    assert_int_equal(tally->different, 0);
    assert_int_equal(tally->failed, 0);
}

TEST(shipped_models_have_the_cpu_s_bits) {
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
    struct tally tally = {.models = 0};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        judge_file(&tally, names[i], layer_method(HN_METHOD_AUTO), i);
        judge_file(&tally, names[i], layer_method(HN_METHOD_LM), i);
        judge_file(&tally, names[i], layer_steps(HN_METHOD_PAPER, 30), i);
        judge_file(&tally, names[i], layer_steps(HN_METHOD_HARDNET, 8), i);
        judge_file(&tally, names[i], layer_method(HN_METHOD_ENFORCE), i);
        judge_file(&tally, names[i], layer_method(HN_METHOD_SNARENET), i);
        judge_file(&tally, names[i], layer_method(HN_METHOD_NEAREST), i);
        judge_file(&tally, names[i], layer_method(HN_METHOD_OPTIMAL), i);
    }
    check_all_same(&tally, "shipped models");
}

TEST(random_problems_have_the_cpu_s_bits) {
    struct tally tally = {.models = 0};
    for (uint64_t seed = 0; seed < PROBLEMS; seed++)
        judge_random(&tally, seed, NULL);
    check_all_same(&tally, "random problems");
}

static hn_model *read_horizon(const char *let) {
    const char *path = "models/unicycle.mod";
    hn_read_options options = hn_read_defaults();
    hn_error error = {.text = ""};
    hn_model *model;
    options.lets = &let;
    options.let_count = 1;
    if (hn_model_read(&model, 1, &path, &options, &error) != HN_OK)
        fail_msg("%s", error.text);
    return model;
}

/* Sparse rows of which no two are alike, so that nothing rolls. */
static hn_model *read_irregular(void) {
    static const char text[] =
        "param a >= 1 <= 2; var y{1..900} := 0.5;\n"
        "subject to tie{i in 1..600}: sum{k in 1..3} (1 + ((i*k) mod 7)/7) * y[1 + (i + (k*k*7 + i*i) mod 11) mod "
        "900]\n"
        "  + sin(y[1 + (i + (i*29) mod 9) mod 900]) * y[1 + (i + 3 + (i*i*i) mod 13) mod 900] = a * ((i mod 5) - 2);\n"
        "subject to cap{i in 1..200}: y[1 + (i*3) mod 900]^2 + y[1 + (i*3 + (i*i) mod 5) mod 900]^2 <= 4 + a;";
    return model_of_text(text);
}

/* Few steps: a listed one takes as long for one sample as for a thousand. */
static void judge_long(struct tally *tally, const hn_model *model, const char *name, hn_device_form form) {
    const hn_layer_options all[] = {layer_steps(HN_METHOD_PAPER, 12), layer_steps(HN_METHOD_AUTO, 40),
                                    layer_steps(HN_METHOD_LM, 40)};
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        hn_device_forecast forecast = {.size = sizeof forecast};
        assert_int_equal(hn_device_predict(&forecast, model, &all[i], NULL), HN_OK);
        assert_int_equal(forecast.form, form);
        double begun = clock_seconds();
        judge_model(tally, model, name, all[i], 60 + i);
        printf("%s, %s: %.1f s\n", name, hn_method_text(all[i].method), clock_seconds() - begun);
        fflush(stdout);
    }
}

TEST(long_models_have_the_cpu_s_bits) {
    struct tally tally = {.models = 0};
    hn_model *hundred = read_horizon("N=100"), *irregular = read_irregular();
    judge_long(&tally, hundred, "unicycle, N = 100", HN_DEVICE_ROLLED);
    judge_long(&tally, irregular, "irregular rows", HN_DEVICE_LISTED);
    hn_model_destroy(hundred);
    hn_model_destroy(irregular);
    check_all_same(&tally, "long models");
}

static void judge_text(struct tally *tally, const char *text, const char *name, hn_layer_options options,
                       uint64_t seed) {
    hn_model *model = model_of_text(text);
    double begun = clock_seconds();
    judge_model(tally, model, name, options, seed);
    printf("%s, %s: %.1f s\n", name, hn_method_text(options.method), clock_seconds() - begun);
    fflush(stdout);
    hn_model_destroy(model);
}

/* Shipped ones are among those of device_bits 0 0 WORKERS SECONDS feasibility. */
TEST(dense_models_have_the_cpu_s_bits) {
    const hn_layer_options all[] = {layer_method(HN_METHOD_AUTO), layer_steps(HN_METHOD_PAPER, 12),
                                    layer_method(HN_METHOD_LM), layer_method(HN_METHOD_ENFORCE)};
    struct tally tally = {.models = 0};
    for (size_t i = 0; i < COUNT_OF(dense_models); i++)
        for (size_t k = 0; k < COUNT_OF(all); k++)
            judge_text(&tally, dense_models[i].text, dense_models[i].name, all[k], 80 + i);
    judge_file(&tally, "feasibility/fsnet_qp", all[0], 90);
    judge_text(&tally, walked_model, "a factor too full for lists", layer_steps(HN_METHOD_HARDNET, 1), 91);
    check_all_same(&tally, "dense models");
}

/* Asked in a process of its own: a driver that is open does not go through a fork. */
static bool device_is_there(void) {
    static const hn_text text = {"m", "var y; subject to row: y = 1;", 29};
    int status = 1;
    fflush(stdout);
    if (fork() == 0) {
        hn_error error = {.text = ""};
        hn_model *model;
        hn_device_layer *layer = NULL;
        if (hn_model_read_memory(&model, 1, &text, NULL, &error) == HN_OK)
            hn_device_layer_create(&layer, model, NULL, NULL, &error);
        if (!layer)
            printf("skipped: %s\n", error.text);
        fflush(stdout);
        _exit(layer == NULL);
    }
    wait(&status);
    return status == 0;
}

int main(int count, char **words) {
    if (!device_is_there())
        return 77;
    if (count == 2)
        cmocka_set_test_filter(words[1]);
    if (count < 5)
        return run_registered_tests();
    char *end;
    struct many many = {.first = strtoul(words[1], NULL, 10),
                        .last = strtoul(words[2], NULL, 10),
                        .models = count > 5 ? words[5] : NULL,
                        .methods = count > 6 ? words[6] : NULL,
                        .workers = (int)strtoul(words[3], &end, 10),
                        .seconds = strtod(words[4], NULL)};
    many.threads = *end == '+' ? (int)strtoul(end + 1, NULL, 10) : many.workers;
    uint64_t begun;
    struct tally tally = judge_many(&many, &begun);
    printf("random problems from %u up to %u\n", (unsigned)many.first, (unsigned)begun);
    tally_print(&tally, "models and random problems, a method each");
    return tally.different > 0 || tally.failed > 0;
}
