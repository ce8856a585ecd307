/* print_library.c - see print_library.h.
 *
 * SPDX-License-Identifier: MIT */
#include "cuda/print_library.h"

#include "codegen/emit/amalgamate.h"

void library_print_files(struct text *out, const char (*names)[48], size_t count) {
    for (size_t i = 0; i < count; i++)
        amalgamate_file(out, names[i]);
}

void library_print_functions(struct text *out) {
    static const char before[][48] = {
        "core/scalar_double.h",    "core/scalar_operations.h",      "core/sqrt.h",  "base/simd_pair.h",
        "base/elementary_round.h", "base/elementary_exponential.h", "base/reduce.h"};
    static const char after[][48] = {"base/reduce.c", "base/elementary_circle.h", "base/elementary_arc.h",
                                     "base/elementary_hyperbolic.h"};
    LIBRARY_PRINT_FILES(out, before);
    LIBRARY_PRINT_FILES(out, after);
}
