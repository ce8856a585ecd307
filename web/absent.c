/* absent.c - what a WebAssembly module cannot have: kernels that a C compiler made, and devices.
 *
 * Nothing in the module asks for them (shim.c offers neither). The names stand here so that the linker leaves src/compile, src/generate
 * and src/device out, a third of the module; calls to them return an error.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "codegen/kernel/compile.h"
#include "cuda/device_policy.h"

static hn_status absent(hn_error *error, const char *what) {
    return error_set(error, HN_UNSUPPORTED, "%s: there are none in WebAssembly", what);
}

hn_status kernel_load(struct kernel **out, const char *path, const struct kernel_subject *subject, hn_error *error) {
    (void)out, (void)path, (void)subject;
    return absent(error, "compiled kernels");
}

void kernel_close(struct kernel *kernel) {
    (void)kernel;
}

bool kernel_has_adjoint(const struct kernel *kernel) {
    (void)kernel;
    return false;
}

hn_status executor_open_kernel(struct executor *out, const struct plan *plan, const struct kernel *kernel,
                               hn_error *error) {
    (void)out, (void)plan, (void)kernel;
    return absent(error, "compiled kernels");
}

hn_status device_policy_create(struct device_policy **out, const struct device_policy_request *request,
                               hn_error *error) {
    (void)request;
    *out = NULL;
    return absent(error, "devices");
}

void device_policy_destroy(struct device_policy *policy) {
    (void)policy;
}

const hn_device_layer *device_policy_layer(const struct device_policy *policy) {
    (void)policy;
    return NULL;
}

bool device_policy_refines(const struct device_policy *policy) {
    (void)policy;
    return false;
}

hn_status device_policy_run(struct device_policy *policy, const struct device_policy_run *run, hn_error *error) {
    (void)policy, (void)run;
    return absent(error, "devices");
}

hn_status device_policy_candidates(struct device_policy *policy, size_t count, const double *x,
                                   const struct samples *samples, hn_error *error) {
    (void)policy, (void)count, (void)x, (void)samples;
    return absent(error, "devices");
}

hn_status hn_device_get_info(const hn_device_layer *layer, hn_device_info *out, hn_error *error) {
    (void)layer, (void)out;
    return absent(error, "devices");
}
