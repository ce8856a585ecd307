/* emission_operators.c - operators of programs as a function of C, for texts that run programs (core/program_run.h).
 *
 * SPDX-License-Identifier: MIT */
#include "autodiff/program.h"
#include "codegen/emit/emission.h"

static void print_case(struct text *out, const bool *used, int code, const char *meaning) {
    if (!used || used[code])
        text_add(out, "    case %d:\n        return %s;\n", code, meaning);
}

#define PRINT_OPERATOR(name, text, arguments, meaning) print_case(out, used, (int)(OP_##name), #meaning);
#define PRINT_FUSED(name, text, meaning)               print_case(out, used, (int)(CODE_##name), #meaning);

void emission_print_operators(struct text *out, const bool *used) {
    text_add(out, "\nenum { PROGRAM_DOT = %d, PROGRAM_LINEAR = %d, PROGRAM_SINCOS = %d };\n", (int)CODE_DOT,
             (int)CODE_LINEAR, (int)CODE_SINCOS);
    text_add(out, "\nstatic real program_operator(uint32_t code, real a, real b, real c) {\n"
                  "    (void)a;\n    (void)b;\n    (void)c;\n    switch (code) {\n");
    OPERATOR_LIST(PRINT_OPERATOR)
    FUSED_LIST(PRINT_FUSED)
    text_add(out, "    default:\n        return REAL_NAN;\n    }\n}\n");
}
