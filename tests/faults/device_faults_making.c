/* device_faults_making.c - calls of the driver and allocations fail, each by its name, while a layer or a policy is made whose kernels are
 * in the cache: a sentence, and nothing is left.
 *
 * SPDX-License-Identifier: MIT */
#include "faults/device_faults_runs.h"

#include "support/check.h"
#include "support/failing.h"

#include "cuda/cuda_driver.h"
#include "cuda/device_policy.h"

enum { LOST = 700 };

struct making {
    const hn_model *model;
    const hn_network *network; /* NULL: a layer is made */
    struct fake_device *device;
};

static hn_status make_layer(const struct making *m, hn_error *error) {
    hn_device_layer *layer;
    hn_status status = hn_device_layer_create(&layer, m->model, NULL, NULL, error);
    assert_int_equal(status == HN_OK, layer != NULL);
    hn_device_layer_destroy(layer);
    return status;
}

static hn_status make(const struct making *m, hn_error *error) {
    static const hn_device_options options = {.size = sizeof options};
    const struct device_policy_request request = {
        .model = m->model, .network = m->network, .candidates = 1, .chunk = 1, .device = &options};
    struct device_policy *policy;
    if (!m->network)
        return make_layer(m, error);
    hn_status status = device_policy_create(&policy, &request, error);
    assert_int_equal(status == HN_OK, policy != NULL);
    device_policy_destroy(policy);
    return status;
}

static void check_nothing_is_left(const struct fake_device *device) {
    assert_int_equal(
        device->blocks + device->modules + device->links + device->streams + device->contexts + device->entered, 0);
}

/* Call n of a function fails. How many allocations there were; 0: there is no such call. */
static size_t call_fails(const struct making *m, const char *function, size_t n) {
    hn_error error = {.text = ""};
    size_t live = memory_live_blocks();
    m->device->calls = (struct fake_calls){.fail_at = n, .code = LOST, .only = function};
    memory_fail_never();
    hn_status status = make(m, &error);
    bool failed = m->device->calls.failed != NULL;
    m->device->calls = (struct fake_calls){.made = 0};
    assert_int_equal(status, failed ? HN_UNSUPPORTED : HN_OK);
    if (failed)
        assert_contains(error.text, "device cuda: cannot ");
    assert_int_equal(memory_live_blocks(), live);
    check_nothing_is_left(m->device);
    if (failed)
        fault_count(FAULT_DRIVER_CALL);
    return failed ? memory_allocations() : 0;
}

static void allocation_fails(const struct making *m, size_t k) {
    hn_error error = {.text = ""};
    size_t live = memory_live_blocks();
    memory_fail_at(k, false);
    hn_status status = make(m, &error);
    assert_true(memory_has_failed());
    memory_fail_never();
    assert_error(status, HN_NO_MEMORY, error, "out of memory");
    assert_int_equal(memory_live_blocks(), live);
    check_nothing_is_left(m->device);
}

/* Looking at a device, before anything is printed. */
static void layers_fail(const struct making *m) {
    static const char *const looks[] = {"cuInit",          "cuDeviceGetCount",     "cuDeviceGet",
                                        "cuDeviceGetName", "cuDeviceGetAttribute", "cuDeviceTotalMem_v2"};
    for (size_t i = 0; i < COUNT_OF(looks); i++)
        for (size_t n = 1; call_fails(m, looks[i], n) > 0; n++)
            ;
    assert_true(call_fails(m, "cuDevicePrimaryCtxRetain", 1) > 0);
    size_t until = call_fails(m, "cuDeviceTotalMem_v2", 1);
    for (size_t k = until + 1; k < until + 4; k++) /* a fingerprint, and the list of kernels */
        allocation_fails(m, k);
    assert_true(call_fails(m, "cuModuleGetFunction", 1) > 0);
    assert_true(call_fails(m, "cuOccupancyMaxActiveBlocksPerMultiprocessor", 2) > 0);
    allocation_fails(m, call_fails(m, "cuModuleLoadData", 1)); /* the code, as it is read */
}

static void policies_fail(const struct making *m) {
    allocation_fails(m, 1);
    assert_true(call_fails(m, "cuDeviceGetCount", 1) > 0);
    assert_true(call_fails(m, "cuMemAlloc_v2", 1) > 0);
    assert_true(call_fails(m, "cuModuleGetFunction", 3) > 0);
    allocation_fails(m, call_fails(m, "cuStreamCreate", 1) + 1); /* the text */
    allocation_fails(m, call_fails(m, "cuModuleLoadData", 2));   /* the code, as it is read */
}

void making_fails(const hn_model *model, struct fake_device *device) {
    const hn_network_options sizes = {.inputs = 1, .outputs = 2, .hidden_count = 1, .hidden = {2}, .seed = 4};
    hn_network *network;
    assert_int_equal(hn_network_create(&network, &sizes, NULL), HN_OK);
    layers_fail(&(struct making){model, NULL, device});
    policies_fail(&(struct making){model, network, device});
    hn_network_destroy(network);
}
