/* test_absent.c - the parts of the WebAssembly module, linked for this machine: web/shim.c, web/memory_files.c, web/absent.c. A name that
 * web/absent.c lacks draws what it replaces from the archive, and the linker refuses the double names, or a name below has an address.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/model_check.h"

#include "codegen/kernel/compile.h"
#include "codegen/kernel/kernel_source.h"
#include "cuda/cuda_driver.h"
#include "hardnet/hardnet.h"

/* Where the archive has to give them for something else, they are there; else not. */
#pragma weak driver_open
#pragma weak generate_lanes
#pragma weak compile_kernel

/* What the module imports from JavaScript. */
void web_hear(int severity, size_t line, size_t column, const char *text, const char *excerpt, size_t caret,
              const char *hint);
void web_watch(size_t sample, int iteration, const double *y, size_t outputs, double violation, double damping);

void web_hear(int severity, size_t line, size_t column, const char *text, const char *excerpt, size_t caret,
              const char *hint) {
    (void)severity, (void)line, (void)column, (void)excerpt, (void)caret, (void)hint;
    fail_msg("%s", text);
}

void web_watch(size_t sample, int iteration, const double *y, size_t outputs, double violation, double damping) {
    (void)sample, (void)iteration, (void)y, (void)outputs, (void)violation, (void)damping;
    fail();
}

TEST(devices_and_compilers_are_left_out) {
    assert_true((uintptr_t)driver_open == 0);
    assert_true((uintptr_t)generate_lanes == 0);
    assert_true((uintptr_t)compile_kernel == 0);
}

static hn_model *half_line(void) {
    hn_model *m = model_new();
    hn_constrain(m, "line", 0, hn_sub(hn_output(m, "y"), hn_input(m, "x")), 1);
    model_finish_good(m);
    return m;
}

TEST(who_asks_for_a_device_is_told) {
    hn_model *model = half_line();
    hn_network_options shape = {.inputs = 1, .outputs = 1};
    hn_policy_options options = hn_policy_defaults();
    hn_device_options device = {.size = sizeof device, .gradients = true};
    hn_network *network = NULL;
    hn_policy *policy = NULL;
    hn_error error = {.status = HN_OK};
    assert_int_equal(hn_network_create(&network, &shape, NULL), HN_OK);
    assert_int_equal(hn_policy_create(&policy, model, network, &options, &error), HN_OK);
    hn_policy_destroy(policy);
    options.device = &device;
    assert_int_equal(hn_policy_create(&policy, model, network, &options, &error), HN_UNSUPPORTED);
    assert_string_equal(error.text, "devices: there are none in WebAssembly");
    hn_network_destroy(network);
    hn_model_destroy(model);
}
