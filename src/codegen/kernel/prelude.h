/* prelude.h - the text of the headers that generated code is made with, one after the other, without our include lines.
 *
 * The build makes it of the files themselves (cmake/prelude.cmake has their list), so that the library needs none of them later.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_PRELUDE_H
#define HN_CODEGEN_PRELUDE_H

#include <stddef.h>

extern const char generate_prelude[]; /* with a 0 behind it */
extern const size_t generate_prelude_length;

#endif
