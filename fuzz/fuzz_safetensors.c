/* fuzz_safetensors.c - any bytes as a network file: an error, or a network that runs.
 *
 * The bytes are read as they are and once more with the checksum made right, so that what lies behind it is reached.
 *
 * SPDX-License-Identifier: MIT */
#include "common/memory_bound.h"
#include "common/mend.h"
#include "nn/network_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was read is finite and can be run. */
static void run(const hn_network *network) {
    hn_network_options options = hn_network_options_of(network);
    size_t bytes = hn_network_workspace_bytes(network), count = hn_network_parameter_count(network);
    for (size_t i = 0; i < count; i++)
        if (!isfinite(hn_network_parameters_of(network)[i]))
            abort();
    double *x = calloc(options.inputs, sizeof *x), *y = calloc(options.outputs, sizeof *y);
    void *workspace = malloc(bytes);
    if (x && y && workspace && hn_network_run(network, 1, x, y, workspace, bytes, NULL) != HN_OK)
        abort();
    free(x);
    free(y);
    free(workspace);
}

static void parse(const uint8_t *data, size_t size) {
    hn_network *network;
    hn_error error = {.status = HN_OK, .text = ""};
    memory_bound_begin("the loading of a network", 2 * size + (64 << 10)); /* as is promised */
    hn_status status = network_parse(&network, "fuzz.net", data, size, &error);
    memory_bound_end();
    if (status == HN_OK)
        run(network);
    else if (network || error.status == HN_OK || strncmp(error.text, "fuzz.net: ", 10) != 0)
        abort();
    hn_network_destroy(network);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    parse(data, size);
    uint8_t *mended = mend_checksum(data, size);
    if (mended)
        parse(mended, size);
    free(mended);
    return 0;
}
