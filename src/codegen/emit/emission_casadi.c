/* emission_casadi.c - what casadi_external.h stands on: names, and the shapes of the vectors.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/emit/emission.h"

/* A dense column: rows, columns, where each begins, and the row of each entry. */
static void print_vector(struct text *out, const char *name, size_t rows) {
    enum { PER_LINE = 20 };
    text_add(out, "static const casadi_int %s[] = {%zu, 1, 0, %zu,", name, rows, rows);
    for (size_t i = 0; i < rows; i++)
        text_add(out, "%s%zu,", i % PER_LINE ? " " : "\n    ", i);
    text_add(out, "};\n");
}

void emission_print_casadi(const struct emission *e, struct text *out) {
    const char *name = e->options.name;
    text_add(out,
             "\n#ifndef casadi_real\n#define casadi_real double\n#endif\n#ifndef casadi_int\n"
             "#define casadi_int long long int\n#endif\n#define EXTERNAL(suffix) %s##suffix\n"
             "#define EXTERNAL_BACK(suffix) adj1_%s##suffix\n#define EXTERNAL_RAW %d\n\n",
             name, name, e->network ? 0 : 1);
    print_vector(out, "external_of_inputs", e->plan->inputs);
    print_vector(out, "external_of_outputs", e->plan->outputs);
    text_add(out, "#include \"core/casadi_external.h\"\n");
}
