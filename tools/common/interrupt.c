/* interrupt.c - see interrupt.h.
 *
 * A signal handler can only access globals: the flag is the program's only writable one.
 *
 * SPDX-License-Identifier: MIT */
#include "common/interrupt.h"

#include "common/console.h"
#include "common/verbs.h"

#include <signal.h>
#include <unistd.h>

static int flag;

static int code_of(int number) {
    return number == SIGTERM ? VERB_TERMINATED : VERB_INTERRUPTED;
}

static void raise_flag(int number) {
    if (__atomic_exchange_n(&flag, number, __ATOMIC_RELAXED) != 0)
        _exit(code_of(number));
}

static void interrupt_take(int number) {
    struct sigaction action = {.sa_handler = raise_flag, .sa_flags = SA_RESTART}, before;
    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN) /* ignored: a background job */
        sigaction(number, &action, NULL);
}

const int *interrupt_begin(void) {
    interrupt_take(SIGINT);
    return &flag;
}

void interrupt_take_terminate(void) {
    interrupt_take(SIGTERM);
}

bool interrupt_came(void) {
    return __atomic_load_n(&flag, __ATOMIC_RELAXED) != 0;
}

int interrupt_code(void) {
    int number = __atomic_load_n(&flag, __ATOMIC_RELAXED);
    return number != 0 ? code_of(number) : VERB_OK;
}

static void leave_terminate(void) {
    struct sigaction action = {.sa_handler = SIG_DFL}, before;
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGTERM, NULL, &before) == 0 && before.sa_handler == raise_flag)
        sigaction(SIGTERM, &action, NULL);
}

void interrupt_end(void) {
    console_catch_interrupt();
    leave_terminate();
}
