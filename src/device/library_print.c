/* library_print.c - see library_print.h.
 *
 * SPDX-License-Identifier: MIT */
#include "device/library_print.h"

#include "emit/amalgamate.h"

void library_print_files(struct text *out, const char (*names)[32], size_t count) {
    for (size_t i = 0; i < count; i++)
        amalgamate_file(out, names[i], false);
}

void library_print_functions(struct text *out) {
    static const char before[][32] = {
        "emit/scalar_double.h",    "emit/scalar_operations.h",      "emit/root.h",  "base/wide_pair.h",
        "base/elementary_round.h", "base/elementary_exponential.h", "base/reduce.h"};
    static const char after[][32] = {"base/reduce.c", "base/elementary_circle.h", "base/elementary_arc.h",
                                     "base/elementary_hyperbolic.h"};
    LIBRARY_PRINT_FILES(out, before);
    text_add(out, "\nstatic SELDOM reduced_angle reduce_angle(real size);\n");
    LIBRARY_PRINT_FILES(out, after);
}
