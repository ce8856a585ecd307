/* bare.c - start, vectors and put_text of a bare Cortex-M under QEMU: semihosting (Arm, "Semihosting for AArch32 and AArch64") is the
 * only service. No C library.
 *
 * SPDX-License-Identifier: MIT */
#include <stdint.h>

extern uint32_t stack_top, data_start, data_end, data_load, bss_start, bss_end;
int main(void);
void put_text(const char *text);
void reset(void);

enum { SYS_WRITE0 = 0x04, SYS_EXIT = 0x18, EXIT_GOOD = 0x20026, EXIT_BAD = 0x20023 };

static int host(int operation, const void *argument) {
    register int r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

void put_text(const char *text) {
    host(SYS_WRITE0, text);
}

static void failed(void) {
    put_text("fault\n");
    host(SYS_EXIT, (const void *)EXIT_BAD);
    for (;;)
        ;
}

__attribute__((section(".vectors"), used)) static const void *const vectors[16] = {
    &stack_top,           (const void *)reset,  (const void *)failed, (const void *)failed,
    (const void *)failed, (const void *)failed, (const void *)failed};

void reset(void) {
    *(volatile uint32_t *)0xe000ed88 |= 0xfu << 20; /* CPACR: the floating-point unit is on */
    __asm__ volatile("dsb\n\tisb");
    for (uint32_t *to = &data_start, *from = &data_load; to < &data_end; to++, from++)
        *to = *from;
    for (uint32_t *to = &bss_start; to < &bss_end; to++)
        *to = 0;
    int code = main();
    host(SYS_EXIT, (const void *)(code == 0 ? EXIT_GOOD : EXIT_BAD));
    for (;;)
        ;
}
