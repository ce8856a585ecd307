/* test_device_text.c - the text of a device's kernels, compiled as C++ for the host, has the library's bits.
 *
 * One thread takes all samples of a batch there, through the same straight rounds, decisions and rare ways as on a device. Outputs,
 * reports, residuals and gradients are compared with those of a layer, to the last bit. `device_text all` takes more problems, and every
 * model by two methods (`make test-long`); a further word is a pattern of tests' names.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/model_check.h"
#include "support/random_problem.h"
#include "support/run_layer.h"
#include "support/scratch.h"
#include "support/shape_models.h"

#include "base/memory.h"
#include "base/random.h"
#include "codegen/cuda/print_kernel.h"
#include "core/sample.h"
#include "hardnet/read.h"
#include "layer/layer_plan.h"

#include <dlfcn.h>

#include "dense_models.h"
#include "device_text_host.h"

/* What runs a batch, and what goes back; slots of a sample where these are no thread's own. */
struct loaded_lists {
    struct kernel_code code[2];
    size_t slots[2];
};

struct pair {
    struct loaded run, pull;
    struct loaded_lists lists;
};

/* How slots and statements are kept: as the library would choose, or in the device's memory, and there as code or as lists. */
enum kept { SPILL_CHOSEN, SPILL_FAR, SPILL_LISTED };

static bool whole;

/* Sanitizers see what prints, which is fast, and wait for the compiler, which is not. */
enum { RANDOM_FIRST = 8, RANDOM_FEW = 1, RANDOM_ALL = 4, HARD = HN_TEST_SHARE > 1 ? 1 : 2, HARD_ALL = 3 };

static bool compiler_is_there(void) {
    return system("c++ --version > /dev/null 2>&1") == 0; // NOLINT(cert-env33-c)
}

/* ---- from a model to functions ---- */

/* Where the text looks for its lists; see codegen/cuda/bytecode_kernel.h. */
struct bytecode_memory {
    const uint32_t *words;
    const double *numbers;
};

static struct loaded make_straight(const struct device_subject *subject) {
    hn_error error = {.text = ""};
    struct kernel_code code;
    if (kernel_print(&code, subject, &error) != HN_OK)
        fail_msg("%s", error.text);
    struct loaded loaded = host_load(code.text, subject->adjoint ? "hardnet_pull" : "hardnet_run");
    kernel_code_release(&code);
    return loaded;
}

static struct loaded make_far(const struct device_subject *subject, struct kernel_code *code, size_t *slots) {
    hn_error error = {.text = ""};
    if (kernel_print(code, subject, &error) != HN_OK)
        fail_msg("%s", error.text);
    struct loaded loaded = host_load(code->text, subject->adjoint ? "hardnet_pull" : "hardnet_run");
    struct bytecode_memory *memory = dlsym(loaded.object, "hardnet_bytecode");
    assert_non_null(memory);
    *memory = (struct bytecode_memory){code->bytecode.words, code->bytecode.numbers};
    *slots = code->slots;
    return loaded;
}

static struct loaded make(const struct plan *plan, bool adjoint, enum kept kept, struct loaded_lists *lists) {
    struct device_subject subject = {.plan = plan, .adjoint = adjoint, .bytecode = kept == SPILL_LISTED};
    hn_device_forecast choice;
    assert_int_equal(form_choose(&choice, plan, NULL), HN_OK);
    if (kept == SPILL_CHOSEN && choice.form == HN_DEVICE_STRAIGHT)
        return make_straight(&subject);
    subject.global = true;
    return make_far(&subject, &lists->code[adjoint], &lists->slots[adjoint]);
}

static struct pair make_pair(const hn_model *model, hn_layer_options options, enum kept kept) {
    struct plan *plan;
    hn_error error = {.text = ""};
    hn_layer_options filled;
    struct pair pair;
    memset(&pair, 0, sizeof pair);
    assert_int_equal(layer_plan_create(&plan, &filled, model, &options, &error), HN_OK);
    pair.run = make(plan, false, kept, &pair.lists);
    pair.pull = make(plan, true, kept, &pair.lists);
    plan_destroy(plan);
    return pair;
}

static void drop_pair(struct pair *pair) {
    kernel_code_release(&pair->lists.code[0]);
    kernel_code_release(&pair->lists.code[1]);
    dlclose(pair->run.object);
    dlclose(pair->pull.object);
}

/* ---- the same batch on both ---- */

/* A tape of the device's, in one of the two orders. */
struct own_tape {
    struct tape_head *heads;
    double *eps, *y;
    int32_t *kind;
};

static struct own_tape tape_for(struct device_call *call, size_t count, size_t room, size_t outputs) {
    struct own_tape tape = {calloc(count, sizeof *tape.heads), calloc(count * room + 1, sizeof *tape.eps),
                            calloc(count * room * outputs + 1, sizeof *tape.y),
                            calloc(count * room + 1, sizeof *tape.kind)};
    call->heads = tape.heads;
    call->tape_eps = tape.eps;
    call->tape_y = tape.y;
    call->tape_kind = tape.kind;
    call->tape_room = room;
    return tape;
}

static void tape_free(const struct own_tape *tape) {
    free(tape->heads);
    free(tape->eps);
    free(tape->y);
    free(tape->kind);
}

static struct device_call call_of(const struct layer_results *r, const double *x, const double *raw,
                                  const double *grad_y) {
    struct device_call call = {.count = r->count, .x = x, .raw = raw, .y = r->y, .residual = r->residual};
    call.reports = (struct device_report *)(void *)r->reports;
    call.grad_y = grad_y;
    call.grad_raw = r->grad_y_raw;
    call.grad_x = r->grad_x;
    call.grad_lower = r->grad_lower;
    call.grad_upper = r->grad_upper;
    call.flagged = (unsigned char *)r->flagged;
    return call;
}

/* Gradients by x go through those of the bounds: they are the same where nobody asks for the latter. */
static void compare_without_bounds(const struct pair *kernels, struct device_call call,
                                   const struct layer_results *ours) {
    size_t entries = ours->count * ours->inputs;
    double *grad_x = calloc(entries + 1, sizeof *grad_x);
    unsigned next = 0;
    call.next = &next;
    call.grad_x = grad_x;
    call.grad_lower = call.grad_upper = NULL;
    kernels->pull.run(&call);
    for (size_t i = 0; i < entries; i++)
        assert_true(same_bits(grad_x[i], ours->grad_x[i]));
    free(grad_x);
}

static void compare(const struct pair *kernels, const hn_layer *layer, size_t count, const double *x, const double *raw,
                    const double *grad_y) {
    struct layer_results ours = run_and_pull(layer, count, x, raw, grad_y), theirs = results_of(layer, count);
    struct device_call call = call_of(&theirs, x, raw, grad_y);
    const hn_layer_options options = hn_layer_options_of(layer);
    size_t room = options.method == HN_METHOD_AUTO ? 150 : (size_t)options.iterations;
    unsigned next = 0;
    struct own_tape tape = tape_for(&call, count, room, theirs.outputs);
    call.tape_width = raw ? count : 1;
    call.next = &next;
    enum { WIDTH = 4 }; /* GLOBAL_WIDTH of the text */
    double *slots[2], *rows = calloc(theirs.outputs, sizeof *rows);
    for (int i = 0; i < 2; i++)
        slots[i] = calloc(WIDTH * kernels->lists.slots[i] + 1, sizeof *slots[i]);
    call.global_slots = slots[0];
    call.global_rows = rows;
    kernels->run.run(&call);
    next = 0;
    call.global_slots = slots[1];
    kernels->pull.run(&call);
    compare_without_bounds(kernels, call, &ours);
    free(slots[0]);
    free(slots[1]);
    free(rows);
    for (size_t i = 0; i < count; i++)
        if (!same_results(&ours, i, &theirs, i))
            fail_msg("sample %zu: %s after %d steps, %s after %d", i, hn_outcome_text(ours.reports[i].outcome),
                     ours.reports[i].iterations, hn_outcome_text(theirs.reports[i].outcome),
                     theirs.reports[i].iterations);
    tape_free(&tape);
    results_release(&ours);
    results_release(&theirs);
}

static double *draw(struct random *random, size_t count, size_t width, size_t sizes) {
    double *all = calloc(count * width + 1, sizeof *all);
    for (size_t i = 0; i < count * width; i++)
        all[i] = (double)(1 + i / width % sizes) * random_normal(random);
    return all;
}

static void try_kept(const hn_model *model, hn_layer_options options, size_t count, uint64_t seed, enum kept kept) {
    struct random random = random_start(seed, 18);
    size_t inputs = hn_model_input_count(model), outputs = hn_model_output_count(model);
    struct pair kernels = make_pair(model, options, kept);
    hn_layer *layer = layer_of(model, options);
    double *x = draw(&random, count, inputs, 1), *raw = draw(&random, count, outputs, 4);
    double *grad_y = draw(&random, count, outputs, 1);
    raw[outputs] = NAN;
    compare(&kernels, layer, count, x, raw, grad_y);
    compare(&kernels, layer, count, x, NULL, grad_y);
    hn_layer_destroy(layer);
    free(x);
    free(raw);
    free(grad_y);
    drop_pair(&kernels);
}

static void try_model(const hn_model *model, hn_layer_options options, size_t count, uint64_t seed) {
    try_kept(model, options, count, seed, SPILL_CHOSEN);
}

/* let: "N=20", or NULL. */
/* ---- tests ---- */

TEST(the_unicycle_has_the_library_s_bits) {
    hn_model *model = host_read_model("unicycle");
    if (whole)
        try_model(model, layer_steps(HN_METHOD_PAPER, 20), 20, 1);
    try_model(model, layer_method(HN_METHOD_AUTO), 40, 2);
    hn_model_destroy(model);
}

/* Restarts, elastic programmes, outputs held on their bounds, infeasible rows, steps that are not finite. */
TEST(models_that_are_hard_have_the_library_s_bits) {
    static const char *const names[] = {"infeasible/sine", "feasibility/hs13", "feasibility/creep_hull"};
    for (size_t i = 0; i < (whole ? HARD_ALL : HARD); i++) {
        hn_model *model = host_read_model(names[i]);
        try_model(model, layer_method(HN_METHOD_AUTO), 24, 10 + i);
        if (i == 1)
            try_model(model, layer_method(HN_METHOD_LM), 24, 20 + i);
        hn_model_destroy(model);
    }
}

TEST(random_problems_have_the_library_s_bits) {
    for (uint64_t seed = RANDOM_FIRST; seed < RANDOM_FIRST + (whole ? RANDOM_ALL : RANDOM_FEW); seed++) {
        const struct random_problem_options options = {.kind = (enum problem_kind)(seed % PROBLEM_KINDS)};
        struct random_problem problem;
        random_problem_create(&problem, options, 18, seed);
        hn_layer_options own = layer_method(seed % 3 == 2 ? HN_METHOD_LM : HN_METHOD_AUTO);
        own.relative = seed % 4 == 3;
        if (seed % 5 == 4)
            own.damping = 0.1;
        try_model(problem.model, own, 16, seed);
        if (seed < 10)
            try_model(problem.model, layer_method(seed % 2 ? HN_METHOD_SNARENET : HN_METHOD_ENFORCE), 16, seed);
        if (seed % 3 == 0)
            try_model(problem.model, layer_steps(HN_METHOD_PAPER, 12), 16, seed);
        else if (problem.rows <= problem.outputs)
            try_model(problem.model, layer_steps(HN_METHOD_HARDNET, 6), 16, seed);
        random_problem_release(&problem);
    }
}

TEST(rows_that_may_be_undefined_have_the_library_s_bits) {
    hn_model *model = undefined_model(1);
    try_kept(model, layer_method(HN_METHOD_AUTO), 24, 60, SPILL_CHOSEN);
    if (whole)
        try_kept(model, layer_steps(HN_METHOD_PAPER, 9), 24, 61, SPILL_LISTED);
    hn_model_destroy(model);
}

/* Loops over stages, and lists, over slots in memory. */
TEST(long_horizons_have_the_library_s_bits) {
    hn_model *model = host_read_with("unicycle", whole ? "N=60" : "N=30");
    if (whole)
        try_kept(model, layer_method(HN_METHOD_AUTO), 6, 31, SPILL_FAR);
    try_kept(model, layer_steps(HN_METHOD_PAPER, 6), 6, 30, SPILL_FAR);
    try_kept(model, layer_method(HN_METHOD_LM), 6, 32, SPILL_LISTED);
    hn_model_destroy(model);
}

TEST(slots_in_memory_have_the_library_s_bits) {
    static const char *const names[] = {"feasibility/hs13", "feasibility/creep_hull", "infeasible/sine", "simplex",
                                        "opf"};
    for (size_t i = 0; i < (whole ? COUNT_OF(names) : HN_TEST_SHARE > 1 ? 1 : 2); i++) {
        hn_model *model = host_read_model(names[i]);
        try_kept(model, layer_method(HN_METHOD_AUTO), 16, 40 + i, i % 2 ? SPILL_FAR : SPILL_LISTED);
        if (whole || i == 0)
            try_kept(model, layer_steps(HN_METHOD_PAPER, 9), 8, 50 + i, i % 2 ? SPILL_LISTED : SPILL_FAR);
        hn_model_destroy(model);
    }
}

/* ---- linear systems that are loops ---- */

enum { METHODS = 6 };

static hn_layer_options method_of(size_t number) {
    const hn_layer_options all[METHODS] = {layer_method(HN_METHOD_AUTO),     layer_steps(HN_METHOD_PAPER, 6),
                                           layer_method(HN_METHOD_LM),       layer_method(HN_METHOD_ENFORCE),
                                           layer_method(HN_METHOD_SNARENET), layer_steps(HN_METHOD_HARDNET, 4)};
    return all[number];
}

static void try_loops(const char *text, enum factor_kind kind, hn_layer_options options, size_t count, uint64_t seed) {
    hn_model *model = model_of_text(text);
    hn_layer_options filled;
    hn_device_forecast forecast = {.size = sizeof forecast};
    struct plan *plan;
    assert_int_equal(layer_plan_create(&plan, &filled, model, &options, NULL), HN_OK);
    assert_int_equal(plan->system.kind, kind);
    assert_int_equal(hn_device_predict(&forecast, model, &options, NULL), HN_OK);
    assert_int_equal(forecast.form, HN_DEVICE_DENSE);
    plan_destroy(plan);
    try_kept(model, options, count, seed, seed % 2 ? SPILL_FAR : SPILL_LISTED);
    hn_model_destroy(model);
}

TEST(dense_systems_have_the_library_s_bits) {
    for (size_t i = 0; i < COUNT_OF(dense_models); i++)
        for (size_t k = 0; k < (whole ? METHODS : 1); k++)
            try_loops(dense_models[i].text, dense_models[i].kind, method_of(k), 6, 70 + i + k);
}

TEST(factors_too_full_for_lists_have_the_library_s_bits) {
    if (!whole)
        skip();
    try_loops(walked_model, FACTOR_WALKED, layer_steps(HN_METHOD_HARDNET, 1), 2, 75);
    try_loops(walked_model, FACTOR_WALKED, layer_steps(HN_METHOD_ENFORCE, 2), 2, 76);
}

TEST(shipped_dense_models_have_the_library_s_bits) {
    static const char *const names[] = {"feasibility/fsnet_qp", "feasibility/fsnet_qcqp", "feasibility/fsnet_socp",
                                        "feasibility/pal_s6", "feasibility/pal_s4"};
    if (!whole)
        skip();
    for (size_t i = 0; i < COUNT_OF(names); i++)
        for (size_t k = 0; k < METHODS; k++) {
            hn_model *model = host_read_model(names[i]);
            if (method_of(k).method != HN_METHOD_HARDNET) /* which wants fewer rows */
                try_kept(model, method_of(k), 4, 80 + i, SPILL_CHOSEN);
            hn_model_destroy(model);
        }
}

/* The line before a loop says how far it is unrolled. */
static bool rules_loop(const char *word) {
    static const char rules[][16] = {"DEVICE_UNROLL", "DEVICE_ROLLED", "SHARED_LOOP", "POINT_UNROLL", "SOLVER_UNROLL"};
    for (size_t i = 0; i < COUNT_OF(rules); i++)
        if (strncmp(word, rules[i], strlen(rules[i])) == 0)
            return true;
    return false;
}

TEST(loops_beside_straight_rounds_stay_loops) {
    size_t rolled = 0;
    char *text = host_print_unicycle(HN_METHOD_AUTO, false);
    bool ruled = false;
    const char *kernels = strstr(text, "extern \"C\" void"); /* the first one is the host's */
    assert_non_null(kernels);
    for (const char *line = text, *end; (end = strchr(line, '\n')) && end < kernels; line = end + 1) {
        const char *word = line + strspn(line, " ");
        if (strncmp(word, "for (", 5) == 0 && !ruled)
            fail_msg("%.*s", (int)(end - line), line);
        ruled = rules_loop(word);
        rolled += ruled;
    }
    assert_true(rolled > 50);
    base_release(text);
}

TEST_GROUP(host_set_up, host_tear_down)

int main(int count, char **words) {
    whole = count > 1 && strcmp(words[1], "all") == 0;
    if (count > 2)
        cmocka_set_test_filter(words[2]);
    if (!compiler_is_there()) {
        puts("skipped: there is no C++ compiler");
        return 77;
    }
    return run_registered_tests();
}
