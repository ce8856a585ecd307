/* machine.h - what this machine has: its memory, so that what cannot fit is refused before it is tried; its processor.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_MACHINE_H
#define HN_BASE_MACHINE_H

#include "hardnet/base.h"

/* Bytes that this process may use at most: the machine's memory, or its own limit where that is lower. */
size_t machine_memory(void);

/* HN_NO_MEMORY with both figures where so many bytes are more than that; what: "the layer of 3 rows". */
hn_status machine_has(double bytes, const char *what, hn_error *error);

/* The processor that this is compiled for, as kernel files have it: "x86_64"; "other" for those that have no name there. */
const char *machine_processor(void);

#endif
