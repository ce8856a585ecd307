/* library_print.c - see library_print.h.
 *
 * SPDX-License-Identifier: MIT */
#include "device/library_print.h"

#include "emit/amalgamate.h"
#include "program/program.h"

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

/* ---- operators ---- */

#define PRINT_CASE(label, meaning)                     text_add(out, "    case %d:\n        return %s;\n", (int)(label), #meaning);
#define PRINT_OPERATOR(name, text, arguments, meaning) PRINT_CASE(OP_##name, meaning)
#define PRINT_FUSED(name, text, meaning)               PRINT_CASE(CODE_##name, meaning)

void library_print_operators(struct text *out) {
    text_add(out, "\nenum { PROGRAM_DOT = %d, PROGRAM_LINEAR = %d, PROGRAM_SINCOS = %d };\n", (int)CODE_DOT,
             (int)CODE_LINEAR, (int)CODE_SINCOS);
    text_add(out, "\nstatic real program_operator(uint32_t code, real a, real b, real c) {\n    switch (code) {\n");
    OPERATOR_LIST(PRINT_OPERATOR)
    FUSED_LIST(PRINT_FUSED)
    text_add(out, "    default:\n        return REAL_NAN;\n    }\n}\n");
}
