/* emission_header.c - NAME.h, the example and the CMake file.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/emit/emission.h"

#include <ctype.h>

static void print_upper(struct text *out, const char *text) {
    for (; *text; text++)
        text_add(out, "%c", toupper((unsigned char)*text));
}

void emission_add(const struct emission *e, struct text *out, const char *format, ...) {
    struct text own = {.bytes = NULL};
    va_list arguments;
    va_start(arguments, format);
    text_add_list(&own, format, arguments);
    va_end(arguments);
    if (own.failed)
        text_fail_with(out, &own);
    for (size_t i = 0; i < own.length; i++)
        if (own.bytes[i] == '@')
            text_add(out, "%s", e->options.name);
        else if (own.bytes[i] == '^')
            print_upper(out, e->options.name);
        else
            text_add_bytes(out, own.bytes + i, 1);
    text_drop(&own);
}

/* ---- the head comment ---- */

static const double LARGE_CALL = 5e5; /* instructions; a few hundred depend on the input */

static void print_sizes(const struct emission *e, struct text *out) {
    const struct emission_cost *c = &e->cost;
    text_add(out, " * Sizes, in bytes:\n *     workspace  %zu\n *     constants  %zu", e->work_bytes,
             e->constant_bytes);
    if (e->network)
        text_add(out, ", of which the network's numbers are %zu", emission_network_bytes(e));
    text_add(out, "\n *     code       about %.0f on a Cortex-M7, %.0f on x86-64 (gcc -O2)\n", c->code_arm,
             c->code_x86);
    text_add(out, " *     stack      at most %zu (gcc -O2, Cortex-M7); no recursion, no array of variable length\n",
             EMIT_STACK * emission_real(e));
    text_add(out, " * Work, at most:\n *     steps      %.0f, evaluations %.0f\n", e->layer.iterations * c->corrections,
             c->rounds * c->corrections);
    if (emission_has_policy(e))
        text_add(out, " *     in %.0f corrections: of each candidate, and after each of its refinement steps\n",
                 c->corrections);
    text_add(out, " *     operations %.0f in a step with its evaluation, %.0f in a call\n", c->operations,
             c->operations_worst);
    text_add(out, " *     instructions %.0f in a call (x86-64, gcc -O2)%s\n", c->worst,
             !c->fixed               ? ""
             : c->worst < LARGE_CALL ? "; every finite input takes as many, within half a per cent"
                                     : "; every finite input takes as many, within a per mille");
}

static void print_about(const struct emission *e, struct text *out) {
    emission_add(e, out,
                 "/* @.h - a layer%s as C99: corrects outputs onto constraints. Made by hardnet emit %s.\n *\n"
                 " *     static struct @_work work;              a workspace per thread, of yours\n"
                 " *     @_real x[@_INPUTS + 1], y[@_OUTPUTS];\n *     @_report report;\n"
                 " *     @_init(&work);                          once\n",
                 e->network ? " with its network" : "", hn_version());
    if (!e->network)
        emission_add(e, out, " *     @_start(&work, x, y);                   or raw outputs of yours in y\n");
    emission_add(
        e, out,
        " *     if (@_solve(&work, x, y, &report) == 0)  y holds within the tolerance: freshly evaluated\n *\n");
    text_add(out, " * Method %s, at most %d steps, tolerance %g%s. %u inputs, %u outputs, %u rows.\n",
             hn_method_text(e->layer.method), e->layer.iterations, e->layer.tolerance,
             e->layer.relative ? " relative to bounds above 1" : "", e->plan->inputs, e->plan->outputs, e->plan->rows);
    if (emission_has_policy(e))
        text_add(out,
                 " * Candidates: %zu, refinement steps of each: %d; y is the best: ok before not ok, then the smallest "
                 "objective.\n",
                 e->policy.candidates, e->policy.refine);
    if (e->options.single)
        text_add(
            out,
            " * What rounding may hide counts as violation: ok holds for exact arithmetic at x and y as they are.\n");
    text_add(out, " * Numbers are %s; elementary functions are %s.\n *\n", e->options.single ? "floats" : "doubles",
             e->options.libm     ? "those of <math.h>"
             : e->options.single ? "in the file"
                                 : "in the file, with the library's bits");
    print_sizes(e, out);
    text_add(out, " * Fingerprints:\n *     model      %s\n *     names      %s\n */\n", e->fingerprint,
             e->names_fingerprint);
}

/* ---- declarations ---- */

static void print_names(const struct emission *e, struct text *out) {
    emission_add(e, out,
                 "\nenum {\n    @_INPUTS = %u,\n    @_OUTPUTS = %u,\n    @_ROWS = %u,\n    @_SLOTS = %u\n};\n"
                 "\n/* What happened: what @_solve returns. */\nenum {\n",
                 e->plan->inputs, e->plan->outputs, e->plan->rows, e->ir.slots);
    for (int i = 0; i < HN_OUTCOME_COUNT; i++) {
        emission_add(e, out, "    @_");
        print_upper(out, hn_outcome_text((hn_outcome)i));
        text_add(out, "%s,\n", i == 0 ? " = 0" : "");
    }
    text_add(out, "};\n");
}

static void print_workspace(const struct emission *e, struct text *out) {
    static const char types[][24] = {"@_real", "struct @_rounded", "int32_t"};
    if (e->options.single)
        emission_add(e, out,
                     "\n/* A number, and how far it may be from what exact arithmetic would give. */\n"
                     "struct @_rounded {\n    @_real value, error;\n};\n");
    emission_add(e, out,
                 "\n/* Everything that a call needs. Set warm_start to 1 after @_init to begin each call from the "
                 "correction\n * of the one before; nothing else in it is yours. */\n"
                 "struct @_work {\n    @_real slots[@_SLOTS];\n");
    for (size_t i = 0; i < e->work_fields; i++) {
        const struct work_field *field = &e->work[i];
        emission_add(e, out, "    %s %s", types[field->kind], field->name);
        if (field->count > 0)
            text_add(out, "[%zu]", field->count);
        text_add(out, ";\n");
    }
    text_add(out, "};\n");
    if (!e->options.casadi) /* the CasADi interface has a function of this name */
        emission_add(e, out, "typedef struct @_work @_work;\n");
}

static void print_report(const struct emission *e, struct text *out) {
    emission_add(
        e, out,
        "\ntypedef struct @_report {\n    int32_t outcome;\n    int32_t iterations; /* steps computed */\n"
        "    int32_t steps;      /* steps between the raw output and y */\n"
        "    int32_t worst;      /* the row of the largest violation; -1 when there is none */\n"
        "    int32_t culprit;    /* of bad_bounds: the row; of nonfinite_input: the entry, inputs first; else -1 */\n"
        "    @_real violation_before; /* max |r| of the raw output; infinite when it could not be evaluated */\n"
        "    @_real violation;        /* max |r| of y */\n"
        "    @_real moved;            /* |y - raw output|, 2-norm */\n"
        "    @_real damping;          /* eps of the last step */\n");
    if (e->options.single)
        emission_add(e, out,
                     "    @_real violation_most;   /* max |r| of y with what rounding may hide: what is judged */\n");
    if (emission_has_policy(e))
        emission_add(e, out,
                     "    int32_t candidate;        /* that y comes from, counted from 0 */\n"
                     "    @_real objective;        /* of y, as it is minimised */\n");
    emission_add(e, out, "} @_report;\n");
}

static void print_gradient_declaration(const struct emission *e, struct text *out) {
    emission_add(
        e, out,
        "\n/* The exact gradient of the last @_solve with this workspace, at the same x. grad_y: the gradient of a "
        "loss with "
        "respect to y;\n * grad_y_raw: with respect to the raw output%s; grad_x: with respect to x%s. Either result "
        "may be "
        "NULL.\n * Returns 0 if it is exact; 1 if the outcome was not ok, or the gradient is 0: it was not finite, the "
        "sample "
        "took more than\n * the %u steps of the tape, or one of its steps was the solution of an elastic QP. */\n"
        "int @_gradient(struct @_work *work, const @_real x[], const @_real grad_y[], @_real grad_y_raw[],\n"
        "    @_real grad_x[]);\n",
        emission_has_policy(e) ? " of the network's candidate that y comes from"
        : e->network           ? " of the network"
                               : "",
        e->network ? ", through network and layer" : ", the raw output held fixed", e->plan->tape_steps);
}

static void print_functions(const struct emission *e, struct text *out) {
    emission_add(e, out,
                 "\n/* Before the first call, and to forget a warm start. */\nvoid @_init(struct @_work *work);\n"
                 "\n/* y = the model's start values at x. */\n"
                 "void @_start(struct @_work *work, const @_real x[], @_real y[]);\n"
                 "\n/* %s; y holds the corrected one afterwards. 0 (ok) when a fresh\n"
                 " * evaluation found every row within the tolerance. Otherwise y is the best iterate seen, finite and "
                 "never worse\n"
                 " * than what came in; for input that is not finite, or bounds that cross, the start values within "
                 "their bounds.\n"
                 " * x may be NULL without inputs, report may be NULL. */\n"
                 "int @_solve(struct @_work *work, const @_real x[], @_real y[], @_report *report);\n",
                 e->network ? "Runs the network at x and corrects its output" : "Corrects the raw output that y holds");
    if (e->options.adjoint)
        print_gradient_declaration(e, out);
    emission_add(e, out, "\n/* ok, iteration_limit, ... */\nconst char *@_outcome_text(int outcome);\n");
}

void emission_print_header(const struct emission *e, struct text *out) {
    print_about(e, out);
    emission_add(e, out,
                 "#ifndef ^_H\n#define ^_H\n\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
                 "\n/* The same number as in @.c, which does not compile with the header of another run. */\n"
                 "#define ^_PAIR " EMIT_NO_PAIR "\n");
    print_names(e, out);
    emission_add(e, out, "\ntypedef %s @_real;\n", e->options.single ? "float" : "double");
    print_workspace(e, out);
    print_report(e, out);
    print_functions(e, out);
    text_add(out, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

/* ---- the other files ---- */

void emission_print_example(const struct emission *e, struct text *out) {
    emission_add(
        e, out,
        "/* example.c - calls @_solve once, with inputs from the command line (zeros where there are none). Made by\n"
        " * hardnet emit. */\n"
        "#include \"@.h\"\n\n#include <stdio.h>\n#include <stdlib.h>\n\nint main(int argc, char **argv) {\n"
        "    static struct @_work work;\n    @_real x[@_INPUTS + 1] = {0}, y[@_OUTPUTS];\n    @_report report;\n"
        "    for (int i = 0; i < @_INPUTS && i + 1 < argc; i++)\n"
        "        x[i] = (@_real)strtod(argv[i + 1], NULL);\n    @_init(&work);\n%s"
        "    int outcome = @_solve(&work, x, y, &report);\n"
        "    printf(\"%%s after %%d steps, violation %%g\\n\", @_outcome_text(outcome), (int)report.iterations,\n"
        "           (double)report.violation);\n    for (int j = 0; j < @_OUTPUTS; j++)\n"
        "        printf(\"%%.17g\\n\", (double)y[j]);\n    return outcome;\n}\n",
        e->network ? "" : "    @_start(&work, x, y);\n");
}

void emission_print_cmake(const struct emission *e, struct text *out) {
    emission_add(e, out,
                 "# The emitted layer as a library, and an example that calls it. Made by hardnet "
                 "emit.\ncmake_minimum_required(VERSION 3.13)\n"
                 "project(@ LANGUAGES C)\nset(CMAKE_C_STANDARD 99)\nif(NOT CMAKE_BUILD_TYPE)\n"
                 "    set(CMAKE_BUILD_TYPE Release)\nendif()\n\nadd_library(@ STATIC @.c)\n"
                 "target_include_directories(@ PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})\n"
                 "target_compile_options(@ PRIVATE -ffp-contract=off)\n");
    if (e->options.libm)
        emission_add(e, out, "target_link_libraries(@ PUBLIC m)\n");
    if (e->options.casadi)
        emission_add(e, out,
                     "\nadd_library(@_external MODULE @.c) # casadi.external(\"@\", \"./@.so\")\n"
                     "set_target_properties(@_external PROPERTIES PREFIX \"\" OUTPUT_NAME @)\n"
                     "target_compile_options(@_external PRIVATE -ffp-contract=off)\n%s",
                     e->options.libm ? "target_link_libraries(@_external PRIVATE m)\n" : "");
    emission_add(e, out, "\nadd_executable(@_example example.c)\ntarget_link_libraries(@_example PRIVATE @)\n");
}
