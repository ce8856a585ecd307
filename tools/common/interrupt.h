/* interrupt.h - cooperative Ctrl-C: between begin and end it sets a flag that long work polls, instead of ending the
 * program.
 *
 * A second Ctrl-C ends it at once, with VERB_INTERRUPTED. Outside of begin and end console.h decides. SIGTERM, which a
 * batch system sends before it kills, is taken the same way by those who ask for it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_INTERRUPT_H
#define HN_TOOLS_INTERRUPT_H

#include <stdbool.h>

/* The flag: 0 until Ctrl-C. */
const int *interrupt_begin(void);
void interrupt_take_terminate(void); /* after begin, and until end: SIGTERM too */
bool interrupt_came(void);
int interrupt_code(void); /* the exit code of what came: VERB_INTERRUPTED or VERB_TERMINATED; VERB_OK before */
void interrupt_end(void);

#endif
