/* interrupt.c - see interrupt.h.
 *
 * A signal handler reaches nothing but what is global: the flag is the program's one writable variable.
 *
 * SPDX-License-Identifier: MIT */
#include "interrupt.h"

#include "console.h"
#include "verbs.h"

#include <signal.h>
#include <unistd.h>

static int flag;

static void raise_flag(int number) {
    (void)number;
    if (__atomic_exchange_n(&flag, 1, __ATOMIC_RELAXED) != 0)
        _exit(VERB_INTERRUPTED);
}

const int *interrupt_begin(void) {
    struct sigaction action = {.sa_handler = raise_flag, .sa_flags = SA_RESTART}, before;
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGINT, NULL, &before) == 0 && before.sa_handler != SIG_IGN) /* ignored: a background job */
        sigaction(SIGINT, &action, NULL);
    return &flag;
}

bool interrupt_came(void) {
    return __atomic_load_n(&flag, __ATOMIC_RELAXED) != 0;
}

void interrupt_end(void) {
    console_catch_interrupt();
}
