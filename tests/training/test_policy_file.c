/* test_policy_file.c - policies to files and back: the same outputs, the same settings; nothing that does not fit is taken.
 *
 * SPDX-License-Identifier: MIT */
#include "hardnet/hardnet.h"
#include "nn/network_parts.h"
#include "support/check.h"
#include "support/comma_locale.h"
#include "support/numbers.h"
#include "support/scratch.h"

enum { SAMPLES = 30, MOST_TEXTS = 24 };

static const char disc[] = "param N := 2; param radius >= 0.5, <= 2; var y{1..N} := 0.25;"
                           "subject to inside: sum{i in 1..N} y[i]^2 <= radius^2; subject to line: y[1] + y[2] >= 0.1;"
                           "minimize f: (y[1] - 2)^2 + y[2]^2;";

SCRATCH_FOLDER

/* ---- making ---- */

static hn_model *model_of(const char *text, const char *let) {
    hn_read_options options = hn_read_defaults();
    const hn_text texts[] = {{"m", text, strlen(text)}};
    hn_model *model;
    hn_error error = {.text = ""};
    options.lets = &let;
    options.let_count = let != NULL;
    if (hn_model_read_memory(&model, 1, texts, &options, &error) != HN_OK)
        fail_msg("%s", error.text);
    return model;
}

static hn_network *network_of(size_t inputs, size_t outputs) {
    const hn_network_options options = {.inputs = inputs,
                                        .outputs = outputs,
                                        .hidden_count = 1,
                                        .hidden = {7},
                                        .activation = HN_ACTIVATION_TANH,
                                        .seed = 4};
    return network_with(options);
}

static hn_policy *policy_of(const hn_model *model, const hn_network *network, const hn_policy_options *options) {
    hn_policy *policy;
    hn_error error = {.text = ""};
    if (hn_policy_create(&policy, model, network, options, &error) != HN_OK)
        fail_msg("%s", error.text);
    return policy;
}

static void save(const hn_policy *policy, const char *path, size_t count, const hn_metadata *texts) {
    hn_error error = {.text = ""};
    if (hn_policy_save(policy, path, count, texts, &error) != HN_OK)
        fail_msg("%s", error.text);
}

static hn_policy *load(const hn_model *model, const char *path) {
    hn_policy *policy;
    hn_error error = {.text = ""};
    if (hn_policy_load(&policy, model, path, 1, &error) != HN_OK)
        fail_msg("%s", error.text);
    return policy;
}

static void check_refused(const hn_model *model, const char *path, const char *part) {
    hn_error error = {.text = ""};
    hn_policy *policy;
    assert_int_equal(hn_policy_load(&policy, model, path, 1, &error), HN_INVALID);
    assert_null(policy);
    assert_contains(error.text, path);
    assert_contains(error.text, part);
}

/* ---- there and back ---- */

static void run(hn_policy *policy, double *y, hn_report *reports) {
    double x[SAMPLES];
    for (size_t i = 0; i < SAMPLES; i++)
        x[i] = 0.5 + 0.05 * (double)i;
    assert_int_equal(hn_policy_run(policy, SAMPLES, x, y, NULL, reports, NULL), HN_OK);
}

static void check_same_outputs(hn_policy *policy, hn_policy *back, size_t outputs) {
    double y[2][SAMPLES * 2];
    hn_report reports[2][SAMPLES];
    run(policy, y[0], reports[0]);
    run(back, y[1], reports[1]);
    for (size_t i = 0; i < SAMPLES * outputs; i++)
        assert_same_bits(y[0][i], y[1][i]);
    for (size_t i = 0; i < SAMPLES; i++)
        assert_int_equal(reports[0][i].outcome, reports[1][i].outcome);
}

static void check_same_options(hn_policy_options a, hn_policy_options b) {
    assert_int_equal(a.layer.method, b.layer.method);
    assert_same_bits(a.layer.damping, b.layer.damping);
    assert_int_equal(a.layer.iterations, b.layer.iterations);
    assert_same_bits(a.layer.tolerance, b.layer.tolerance);
    assert_int_equal(a.layer.relative, b.layer.relative);
    assert_same_bits(a.layer.effort, b.layer.effort);
    assert_int_equal(a.candidates, b.candidates);
    assert_int_equal(a.refine, b.refine);
    assert_int_equal(a.uncorrected, b.uncorrected);
}

static void there_and_back(hn_policy_options options) {
    hn_model *model = model_of(disc, NULL), *same = model_of(disc, NULL);
    hn_network *network = network_of(1, 2 * options.candidates);
    hn_policy *policy = policy_of(model, network, &options);
    const char *path = scratch_path(&scratch, "net");
    const hn_metadata texts[] = {{"trained", "by hand"}};
    save(policy, path, 1, texts);
    hn_policy *back = load(same, path);
    check_same_options(hn_policy_options_of(policy), hn_policy_options_of(back));
    check_same_outputs(policy, back, 2);
    assert_string_equal(hn_network_metadata(hn_policy_network(back), "trained"), "by hand");
    hn_policy_destroy(back);
    policy_release(policy, network, model);
    hn_model_destroy(same);
}

TEST(a_policy_comes_back_with_its_settings) {
    hn_policy_options options = hn_policy_defaults();
    options.threads = 1;
    there_and_back(options);
    options.layer.effort = 1.0 / 3;
    there_and_back(options);
    options.layer.effort = 1;
    options.layer.method = HN_METHOD_PAPER;
    options.layer.damping = 0.1;
    options.layer.iterations = 37;
    options.layer.tolerance = 1.0 / 3e5;
    options.layer.relative = true;
    there_and_back(options);
    options = hn_policy_defaults();
    options.threads = 1;
    options.candidates = 3;
    options.refine = 4;
    there_and_back(options);
    options.refine = 0;
    options.uncorrected = true;
    there_and_back(options);
}

TEST(the_locale_changes_nothing) {
    hn_policy_options options = hn_policy_defaults();
    options.threads = 1;
    options.layer.damping = 0.017;
    if (!comma_locale_enter())
        skip();
    there_and_back(options);
    comma_locale_leave();
}

TEST(any_negative_number_is_the_methods_own) {
    hn_model *model = model_of(disc, NULL);
    hn_network *network = network_of(1, 2);
    hn_policy_options options = hn_policy_defaults();
    options.threads = 1;
    options.layer.damping = -INFINITY;
    options.layer.iterations = INT32_MIN;
    hn_policy *policy = policy_of(model, network, &options);
    save(policy, scratch_path(&scratch, "own"), 0, NULL);
    hn_policy *back = load(model, scratch_path(&scratch, "own"));
    assert_same_bits(hn_policy_options_of(back).layer.damping, -1);
    assert_int_equal(hn_policy_options_of(back).layer.iterations, -1);
    check_same_outputs(policy, back, 2);
    hn_policy_destroy(back);
    policy_release(policy, network, model);
}

/* ---- what is refused ---- */

static void check_fits(hn_model *model, const char *path) {
    hn_error error = {.text = ""};
    hn_policy *policy = NULL;
    if (hn_policy_load(&policy, model, path, 1, &error) != HN_OK)
        fail_msg("%s", error.text);
    hn_policy_destroy(policy);
}

/* What is computed is the same; what is called otherwise, commented or defined besides does not matter. */
TEST(a_harmless_edit_of_the_model_is_accepted) {
    static const char before[] = "param a >= 0, <= 2; param b >= 0, <= 2; var y{1..2} := 0.5;"
                                 "subject to c: y[1] + y[2] <= a + b; minimize f: y[1]^2 + y[2]^2;";
    static const char *const harmless[] = {
        "# a comment\nparam a >= 0, <= 2;\n\nparam b >= 0, <= 2; var y{1..2} := 0.5;"
        "subject to c: y[1]+y[2]<=a+b; minimize f: y[1]^2 + y[2]^2;",
        "param a >= 0, <= 2; param b >= 0, <= 2; var y{1..2} := 0.5;"
        "subject to total: y[1] + y[2] <= a + b; minimize length: y[1]^2 + y[2]^2;",
        "param a >= 0, <= 2; param b >= 0, <= 2; var y{1..2} := 0.5; var next = a + y[1];"
        "subject to c: y[1] + y[2] <= a + b; minimize f: y[1]^2 + y[2]^2;",
        "param first >= 0, <= 2; param second >= 0, <= 2; var z{1..2} := 0.5;"
        "subject to c: z[1] + z[2] <= first + second; minimize f: z[1]^2 + z[2]^2;",
    };
    static const struct {
        const char *text, *saying;
    } harmful[] = {
        {"param b >= 0, <= 2; param a >= 0, <= 2; var y{1..2} := 0.5;"
         "subject to c: y[1] + y[2] <= b + a; minimize f: y[1]^2 + y[2]^2;",
         "come in another order"},
        {"param a >= 0, <= 2; param b >= 0, <= 3; var y{1..2} := 0.5;"
         "subject to c: y[1] + y[2] <= a + b; minimize f: y[1]^2 + y[2]^2;",
         "what differs: inputs;"},
        {"param a >= 0, <= 2; param b >= 0, <= 2; var y{1..2} := 0.5;"
         "subject to c: y[1] + 1.5*y[2] <= a + b; minimize f: y[1]^2 + y[2]^2;",
         "what differs: rows;"},
        {"param a >= 0, <= 2; param b >= 0, <= 2; check: a >= b; var y{1..2} := 0.5;"
         "subject to c: y[1] + y[2] <= a + b; minimize f: y[1]^2 + 2*y[2]^2;",
         "what differs: objective, requirements (0 in the file, 1 here);"},
    };
    hn_model *model = model_of(before, NULL);
    hn_network *network = network_of(2, 2);
    hn_policy *policy = policy_of(model, network, NULL);
    const char *path = scratch_path(&scratch, "net");
    save(policy, path, 0, NULL);
    for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++) {
        hn_model *edited = model_of(harmless[i], NULL);
        check_fits(edited, path);
        hn_model_destroy(edited);
    }
    for (size_t i = 0; i < sizeof harmful / sizeof harmful[0]; i++) {
        hn_model *edited = model_of(harmful[i].text, NULL);
        check_refused(edited, path, harmful[i].saying);
        hn_model_destroy(edited);
    }
    policy_release(policy, network, model);
}

TEST(a_network_of_another_model_is_refused) {
    static const char other[] =
        "param a >= 0, <= 2; var y{1..2}; subject to c: y[1]^2 + y[2]^2 <= a; minimize f: y[1];";
    static const char more[] = "param a{1..2} >= 0, <= 2; var y{1..2}; subject to c: y[1] + y[2] <= a[1] + a[2];";
    hn_model *model = model_of(disc, NULL), *third = model_of(disc, "N=3");
    static const char renamed[] =
        "param radius >= 0.5, <= 2; var y{1..2} := 0.25; subject to within_it: y[1]^2 + y[2]^2 <= radius^2;"
        "subject to line: y[1] + y[2] >= 0.1; minimize f: (y[1] - 2)^2 + y[2]^2;";
    hn_model *different = model_of(other, NULL), *wider = model_of(more, NULL), *called = model_of(renamed, NULL);
    hn_network *network = network_of(1, 2);
    hn_policy *policy = policy_of(model, network, NULL);
    const char *path = scratch_path(&scratch, "net");
    char print[HN_FINGERPRINT_BYTES];
    save(policy, path, 0, NULL);
    check_refused(third, path, "2 outputs");
    check_refused(third, path, "the model 3");
    check_refused(wider, path, "1 inputs, and the model 2");
    check_refused(different, path, "another model");
    assert_int_equal(hn_model_fingerprint(model, print, NULL), HN_OK);
    print[12] = '\0';
    check_refused(different, path, print);
    assert_int_equal(hn_model_fingerprint(different, print, NULL), HN_OK);
    print[12] = '\0';
    check_refused(different, path, print);
    check_refused(different, path,
                  "what differs: inputs, outputs, rows (2 in the file, 1 here), objective; hardnet train --init");
    check_fits(called, path);
    policy_release(policy, network, model);
    hn_model_destroy(called);
    hn_model_destroy(third);
    hn_model_destroy(different);
    hn_model_destroy(wider);
}

TEST(a_network_without_settings_is_refused) {
    hn_model *model = model_of(disc, NULL);
    hn_network *network = network_of(1, 2);
    const char *path = scratch_path(&scratch, "bare");
    hn_error error = {.text = ""};
    hn_policy *policy;
    assert_int_equal(hn_network_save(network, path, 0, NULL, NULL), HN_OK);
    check_refused(model, path, "policy.model is missing");
    assert_int_equal(hn_policy_load(&policy, model, scratch_path(&scratch, "none"), 1, &error), HN_IO);
    assert_null(policy);
    assert_int_equal(hn_policy_load(&policy, NULL, path, 1, &error), HN_INVALID);
    assert_int_equal(hn_policy_load(&policy, model, NULL, 1, &error), HN_INVALID);
    hn_network_destroy(network);
    hn_model_destroy(model);
}

/* Saves a good file's texts with one of them changed (or left out: value NULL; or added). */
static void save_changed(const hn_network *good, const char *path, const char *key, const char *value) {
    hn_metadata texts[MOST_TEXTS];
    size_t count = 0;
    bool found = false;
    for (const char *at = good->texts; at < good->texts + good->text_bytes;) {
        const char *own = at + strlen(at) + 1;
        bool ours = strncmp(at, "policy.", 7) == 0, same = strcmp(at, key) == 0;
        found = found || same;
        if (ours && !(same && !value))
            texts[count++] = (hn_metadata){at, same ? value : own};
        at = own + strlen(own) + 1;
    }
    if (!found)
        texts[count++] = (hn_metadata){key, value};
    assert_int_equal(hn_network_save(good, path, count, texts, NULL), HN_OK);
}

static const struct {
    const char *key, *value, *part;
} senseless[] = {
    {"policy.method", "newton", "policy.method is \"newton\""},
    {"policy.method", "", "policy.method"},
    {"policy.damping", "0.1", "policy.damping is \"0.1\""},
    {"policy.damping", "inf", "policy.damping"},
    {"policy.damping", "nan", "policy.damping"},
    {"policy.iterations", "3.5", "policy.iterations"},
    {"policy.iterations", " 3", "policy.iterations"},
    {"policy.iterations", "99999999999", "policy.iterations"},
    {"policy.iterations", "99999999999999999999999", "policy.iterations"},
    {"policy.tolerance", "-0x1.0000000000000p+0", "tolerance -1"},
    {"policy.tolerance", "", "policy.tolerance"},
    {"policy.tolerance", "0x1.1ccf385ebc8a0p+1023", "tolerance 1e+308: a policy has at most 1"},
    {"policy.tolerance", "0x1.0000000000001p+0", "a policy has at most 1"},
    {"policy.iterations", "2147483647", "iterations 2147483647: a policy has at most 100000"},
    {"policy.refine", "2147483647", "refine 2147483647: choose 0 to 1000 steps"},
    {"policy.relative", "yes", "policy.relative is \"yes\""},
    {"policy.candidates", "0", "policy.candidates"},
    {"policy.candidates", "-1", "policy.candidates"},
    {"policy.candidates", "2", "for 2 candidates"},
    {"policy.candidates", "3", "for 3 candidates"},
    {"policy.effort", "two", "policy.effort is \"two\""},
    {"policy.effort", "-0x1.0000000000000p+0", "effort -1: it must be above 0"},
    {"policy.refine", "-1", "policy.refine"},
    {"policy.refine", "two", "policy.refine is \"two\""},
    {"policy.scheme", "penalty", "policy.scheme is \"penalty\", and there is no such head here"},
    {"policy.correction-steps", "-1", "policy.correction-steps"},
    {"policy.correction-rate", "0.1", "policy.correction-rate is \"0.1\""},
    {"policy.correction-rate", "-0x1.0000000000000p+0", "policy.correction-rate is \"-0x1.0000000000000p+0\""},
    {"policy.momentum", "0x1.0000000000000p+0", "policy.momentum is \"0x1.0000000000000p+0\""},
    {"policy.momentum", "half", "policy.momentum is \"half\""},
    {"policy.independent", "2 with checksum 00000000", "policy.independent is"},
    {"policy.model", "", "another model"},
    {"policy.model", "\x01\x02", "another model"},
    {"policy.unheard", "of", "unknown setting policy.unheard"},
    {"policy.", "", "unknown setting policy."},
    {"policy.method", NULL, "policy.method is missing"},
    {"policy.damping", NULL, "policy.damping is missing"},
    {"policy.iterations", NULL, "policy.iterations is missing"},
    {"policy.tolerance", NULL, "policy.tolerance is missing"},
    {"policy.relative", NULL, "policy.relative is missing"},
    {"policy.candidates", NULL, "policy.candidates is missing"},
    {"policy.refine", NULL, "policy.refine is missing"},
    {"policy.scheme", NULL, "policy.scheme is missing"},
    {"policy.correction-steps", NULL, "policy.correction-steps is missing"},
    {"policy.correction-rate", NULL, "policy.correction-rate is missing"},
    {"policy.momentum", NULL, "policy.momentum is missing"},
    {"policy.independent", NULL, "policy.independent is missing"},
    {"policy.model", NULL, "policy.model is missing"},
};

TEST(settings_that_make_no_sense_are_refused_by_name) {
    hn_model *model = model_of(disc, NULL);
    hn_network *network = network_of(1, 2), *good;
    hn_policy *policy = policy_of(model, network, NULL);
    const char *path = scratch_path(&scratch, "net");
    save(policy, path, 0, NULL);
    assert_int_equal(hn_network_load(&good, path, NULL), HN_OK);
    path = scratch_path(&scratch, "changed");
    save_changed(good, path, "policy.refine", "1");
    hn_policy_destroy(load(model, path));
    for (size_t i = 0; i < COUNT_OF(senseless); i++) {
        save_changed(good, path, senseless[i].key, senseless[i].value);
        check_refused(model, path, senseless[i].part);
    }
    hn_network_destroy(good);
    policy_release(policy, network, model);
}

TEST(texts_that_look_like_settings_are_not_saved) {
    hn_model *model = model_of(disc, NULL);
    hn_network *network = network_of(1, 2);
    hn_policy *policy = policy_of(model, network, NULL);
    const char *path = scratch_path(&scratch, "texts");
    hn_error error = {.text = ""};
    const hn_metadata setting = {"policy.more", "1"}, missing = {NULL, "1"};
    assert_error(hn_policy_save(policy, path, 1, &setting, &error), HN_INVALID, error, "policy.more");
    assert_int_equal(hn_policy_save(policy, path, 1, &missing, &error), HN_INVALID);
    assert_int_equal(hn_policy_save(policy, path, 1, NULL, &error), HN_INVALID);
    assert_int_equal(hn_policy_save(policy, path, SIZE_MAX, &setting, &error), HN_LIMIT);
    assert_int_equal(hn_policy_save(policy, NULL, 0, NULL, &error), HN_INVALID);
    assert_int_equal(hn_policy_save(NULL, path, 0, NULL, &error), HN_INVALID);
    policy_release(policy, network, model);
}

TEST_GROUP(make_folder, remove_folder)
