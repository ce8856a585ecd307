/* harness.c - calls an emitted file for a list of inputs, and writes outcome, iterations, worst row and the bits of y for each, one line
 * of hexadecimal digits per sample. The same text on every target: hosted targets write by the C library, bare ones by semihosting
 * (semihost.c).
 *
 * states.h, made by the test, has COUNT, states[] and raw[] (without a network); work is static: it is what a controller would have.
 *
 * SPDX-License-Identifier: MIT */
#include "layer.h"
#include "states.h"

#include <stddef.h>

void put_text(const char *text);

static layer_work work;

static char *put_hex(char *at, unsigned long long value, int digits) {
    for (int i = digits - 1; i >= 0; i--)
        *at++ = "0123456789abcdef"[value >> (4 * i) & 15];
    return at;
}

static char *put_real(char *at, layer_real value) {
    union {
        layer_real number;
        unsigned char bytes[sizeof(layer_real)];
    } view;
    view.number = value;
    for (size_t i = 0; i < sizeof(layer_real); i++) /* all targets have the lowest byte first */
        at = put_hex(at, view.bytes[sizeof(layer_real) - 1 - i], 2);
    return at;
}

int main(void) {
    static char line[64 + 16 * (layer_OUTPUTS + 4)];
    layer_init(&work);
    for (int s = 0; s < COUNT; s++) {
        layer_real y[layer_OUTPUTS];
        layer_report report;
        char *at = line;
        for (int j = 0; j < layer_OUTPUTS; j++)
            y[j] = raw[RAW_ROWS > 1 ? s : 0][j];
        at = put_hex(at, (unsigned)layer_solve(&work, states[s], y, &report), 2);
        at = put_hex(at, (unsigned)report.iterations, 8);
        at = put_hex(at, (unsigned)report.worst, 8);
        at = put_real(at, report.violation);
        for (int j = 0; j < layer_OUTPUTS; j++)
            at = put_real(at, y[j]);
        *at++ = '\n';
        *at = 0;
        put_text(line);
    }
    return 0;
}
