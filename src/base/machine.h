/* machine.h - properties of the machine and the thread: memory size, to reject oversized requests early; processor;
 * floating-point mode.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_MACHINE_H
#define HN_BASE_MACHINE_H

#include "hardnet/base.h"

/* Bytes that this process may use: the machine's memory, or a lower limit of the process. */
size_t machine_memory(void);

/* HN_NO_MEMORY, with both figures, if more bytes are needed than available; what: "the layer of 3 rows". */
hn_status machine_has(double bytes, const char *what, hn_error *error);

/* The processor of this build, as named in kernel files: "x86_64"; "other" for unnamed ones. */
const char *machine_processor(void);

/* HN_UNSUPPORTED, with a message naming the setting, unless this thread's floating-point mode is the one that bitwise
 * reproducibility requires: round to nearest, subnormal operands and results kept. A caller may have changed it
 * (fesetround, the FTZ and DAZ bits, torch.set_flush_denormal), or a library linked with -ffast-math when it was loaded.
 * About ten operations. */
hn_status arithmetic_check(hn_error *error);

#endif
