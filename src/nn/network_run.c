/* network_run.c - inference for any number of samples, in a workspace of the caller.
 *
 * Samples are processed in chunks, so the workspace does not grow with their number. The bits of a sample depend on
 * that sample only.
 *
 * SPDX-License-Identifier: MIT */
#include "base/arithmetic.h"
#include "base/error.h"
#include "nn/network_parts.h"
#include "nn/perceptron.h"

enum { CHUNK = 64 };

size_t hn_network_workspace_bytes(const hn_network *network) {
    struct perceptron_memory memory = {.network = network, .count = CHUNK};
    return network ? layout_size(perceptron_place_run, &memory) : 0;
}

static hn_status check_run(const hn_network *network, const double *x, const double *y, hn_error *error) {
    if (!network)
        return error_about(error, HN_INVALID, error_argument("network"), "there is no network to run");
    if (!x)
        return error_about(error, HN_INVALID, error_argument("x"), "network: x is missing; it has %zu inputs",
                           network->options.inputs);
    if (!y)
        return error_about(error, HN_INVALID, error_argument("y"), "network: y, where its outputs go, is missing");
    return arithmetic_check(error);
}

hn_status hn_network_run(const hn_network *network, size_t count, const hn_real *x, hn_real *y, void *workspace,
                         size_t bytes, hn_error *error) {
    struct perceptron_memory memory;
    if (network && count == 0)
        return HN_OK;
    hn_status status = check_run(network, x, y, error);
    if (status != HN_OK)
        return status;
    size_t needed = hn_network_workspace_bytes(network);
    if (!workspace || needed == 0 || bytes < needed)
        return error_set(error, HN_INVALID, "the workspace has %zu bytes, the network needs %zu", workspace ? bytes : 0,
                         needed);
    memory = perceptron_memory_of(network, CHUNK);
    layout_place(perceptron_place_run, &memory, workspace);
    for (size_t s = 0; s < count; s += CHUNK) {
        size_t chunk = count - s < CHUNK ? count - s : CHUNK;
        perceptron_forward(&memory, chunk, x + s * network->options.inputs, y + s * network->options.outputs);
    }
    return HN_OK;
}
