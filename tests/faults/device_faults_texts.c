/* device_faults_texts.c - allocations fail while a device's kernels are printed: there is no text then, and nothing is left.
 *
 * SPDX-License-Identifier: MIT */
#include "cuda/dense_models.h"
#include "faults/device_faults_runs.h"

#include "support/check.h"
#include "support/failing.h"
#include "support/run_layer.h"

#include "base/memory.h"
#include "codegen/cuda/print_kernel.h"
#include "hardnet/read.h"
#include "layer/layer_plan.h"

struct printing {
    const hn_model *model;
    const struct plan *plan;
    const hn_network *network;
    struct device_subject subject;
};

typedef hn_status print(const struct printing *p, hn_error *error);

static hn_status kernel_with(const struct printing *p, bool global, hn_error *error) {
    struct kernel_code code;
    struct device_subject subject = p->subject;
    subject.global = global;
    hn_status status = kernel_print(&code, &subject, error);
    assert_int_equal(status == HN_OK, code.text != NULL && code.length > 0);
    kernel_code_release(&code);
    return status;
}

static hn_status straight(const struct printing *p, hn_error *error) {
    return kernel_with(p, false, error);
}

static hn_status far(const struct printing *p, hn_error *error) {
    return kernel_with(p, true, error);
}

static hn_status of_policies(const struct printing *p, bool refines, hn_error *error) {
    char *text;
    size_t length;
    hn_status status = policy_print(&text, &length, p->plan, p->network, refines, error);
    assert_int_equal(status == HN_OK, text != NULL && length > 0);
    base_release(text);
    return status;
}

static hn_status of_policy(const struct printing *p, hn_error *error) {
    return of_policies(p, false, error);
}

static hn_status of_refinement(const struct printing *p, hn_error *error) {
    return of_policies(p, true, error);
}

static hn_status predict(const struct printing *p, hn_error *error) {
    hn_device_forecast forecast = {.size = sizeof forecast};
    return hn_device_predict(&forecast, p->model, NULL, error);
}

/* ---- faults ---- */

static void fail_at(const struct printing *p, print *what, size_t k) {
    hn_error error = {.text = ""};
    size_t live = memory_live_blocks();
    memory_fail_at(k, k % 2 == 0);
    hn_status status = what(p, &error);
    bool failed = memory_has_failed();
    memory_fail_never();
    assert_int_equal(memory_live_blocks(), live);
    assert_true(failed);
    assert_error(status, HN_NO_MEMORY, error, "out of memory");
}

/* Of many allocations some, the last ones all: there the text as a whole grows. */
static void fail_in_turn(const struct printing *p, print *what) {
    enum { LAST = 8, BETWEEN = HN_TEST_SHARE > 1 ? 24 : 48 };
    memory_fail_never();
    assert_int_equal(what(p, NULL), HN_OK);
    size_t count = memory_allocations(), step = 1 + count / BETWEEN;
    assert_true(count > 1);
    for (size_t k = 1; k <= count; k += k + LAST < count ? step : 1)
        fail_at(p, what, k);
}

static hn_status lists(const struct printing *p, hn_error *error) {
    static struct plan plan;
    static struct ir_module walk = {.plan = &plan, .slots = 1};
    struct bytecode listed = {.words = NULL};
    (void)p;
    hn_status status = bytecode_create(&listed, &walk, error);
    assert_int_equal(status == HN_OK, listed.words != NULL);
    bytecode_release(&listed);
    return status;
}

static void kernels_fail(struct printing *p) {
    static const struct device_subject subjects[] = {
        {.single = false}, {.adjoint = true}, {.single = true}, {.polish = true}, {.single = true, .adjoint = true}};
    for (size_t i = 0; i < COUNT_OF(subjects); i++) {
        p->subject = subjects[i];
        p->subject.plan = p->plan;
        fail_in_turn(p, straight);
        p->subject.bytecode = i != 1;
        fail_in_turn(p, far);
    }
}

/* Systems that are loops, with what the host computes of constant rows; by auto and with gradients. */
static void dense_kernels_fail(void) {
    const hn_layer_options options = layer_method(HN_METHOD_AUTO);
    for (size_t i = 0; i < COUNT_OF(dense_models); i++) {
        const hn_text text = {"dense", dense_models[i].text, strlen(dense_models[i].text)};
        hn_layer_options filled;
        hn_model *model;
        struct plan *plan;
        memory_fail_never();
        assert_int_equal(hn_model_read_memory(&model, 1, &text, NULL, NULL), HN_OK);
        assert_int_equal(layer_plan_create(&plan, &filled, model, &options, NULL), HN_OK);
        struct printing p = {.model = model, .plan = plan, .subject = {.plan = plan, .adjoint = true}};
        fail_in_turn(&p, far);
        p.subject.single = true;
        fail_in_turn(&p, far);
        plan_destroy(plan);
        hn_model_destroy(model);
    }
}

void printing_fails(const hn_model *model) {
    const hn_network_options sizes = {.inputs = 1, .outputs = 2, .hidden_count = 1, .hidden = {2}, .layer_norm = true};
    const hn_layer_options options = layer_method(HN_METHOD_AUTO);
    struct plan *plan;
    hn_network *network;
    hn_layer_options filled;
    assert_int_equal(layer_plan_create(&plan, &filled, model, &options, NULL), HN_OK);
    assert_int_equal(hn_network_create(&network, &sizes, NULL), HN_OK);
    struct printing p = {.model = model, .plan = plan, .network = network};
    kernels_fail(&p);
    fail_in_turn(&p, of_policy);
    fail_in_turn(&p, of_refinement);
    fail_in_turn(&p, predict);
    fail_in_turn(&p, lists);
    hn_network_destroy(network);
    plan_destroy(plan);
    dense_kernels_fail();
}
