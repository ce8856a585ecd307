/* interrupt.h - Ctrl-C as a wish: between begin and end it sets a flag that long work polls, instead of ending the program.
 *
 * A second Ctrl-C ends it at once, with VERB_INTERRUPTED. Outside of begin and end console.h decides.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_INTERRUPT_H
#define HN_TOOLS_INTERRUPT_H

#include <stdbool.h>

/* The flag: 0 until Ctrl-C. */
const int *interrupt_begin(void);
bool interrupt_came(void);
void interrupt_end(void);

#endif
