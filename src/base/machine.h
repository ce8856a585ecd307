/* machine.h - this machine's memory size, to refuse what cannot fit in advance, and its processor.
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

#endif
