/* stack.c - how much stack a call of an emitted file takes on a bare Cortex-M: what lies below the stack pointer is painted, the file is
 * called, and the lowest word that has changed tells. One line of bytes for each sample of states.h.
 *
 * SPDX-License-Identifier: MIT */
#include "layer.h"
#include "states.h"

#include <stddef.h>
#include <stdint.h>

void put_text(const char *text);

extern uint32_t bss_end; /* the stack grows down to it */
enum { PAINT = 0x5a17c0de, MOST_WORDS = 16384 };

static layer_work work;
static layer_report report;
static layer_real y[layer_OUTPUTS];

/* Bytes below this function's own frame. */
__attribute__((noinline)) static uint32_t painted_call(const layer_real *x) {
    uint32_t *top;
    __asm__ volatile("mov %0, sp" : "=r"(top));
    volatile uint32_t *bottom = top - MOST_WORDS;
    if (bottom < &bss_end)
        return 0;
    for (volatile uint32_t *at = bottom; at < top; at++)
        *at = PAINT;
    layer_solve(&work, x, y, &report);
    volatile uint32_t *at = bottom;
    while (at < top && *at == PAINT)
        at++;
    return (uint32_t)((uintptr_t)top - (uintptr_t)at);
}

static void put_number(uint32_t value) {
    char text[12], *at = text + sizeof text;
    *--at = 0;
    *--at = '\n';
    for (; value || at == text + sizeof text - 2; value /= 10)
        *--at = (char)('0' + value % 10);
    put_text(at);
}

int main(void) {
    layer_init(&work);
    for (int s = 0; s < COUNT; s++) {
        for (int j = 0; j < layer_OUTPUTS; j++)
            y[j] = raw[RAW_ROWS > 1 ? s : 0][j];
        put_number(painted_call(states[s]));
    }
    return 0;
}
