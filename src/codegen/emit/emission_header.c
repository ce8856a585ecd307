/* emission_header.c - NAME.h, the example and the CMake file.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/emit/emission.h"

#include <ctype.h>
#include <stdio.h>

/* ---- what stands at the top ---- */

static const double LARGE_CALL = 5e5; /* instructions: some hundred depend on the input */

static void print_sizes(const struct emission *e, struct text *out) {
    const struct emission_cost *c = &e->cost;
    text_add(out, " * Sizes, in bytes:\n *     workspace  %zu\n *     constants  %zu", e->work_bytes,
             e->constant_bytes);
    if (e->network)
        text_add(out, ", of which the network's numbers are %zu", emission_network_bytes(e));
    text_add(out, "\n");
    text_add(out, " *     code       about %.0f on a Cortex-M7, %.0f on x86-64 (gcc -O2)\n", c->code_arm, c->code_x86);
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
    const char *name = e->options.name;
    text_add(out, "/* %s.h - a layer%s as C99: corrects outputs onto constraints. Made by hardnet emit %s.\n *\n", name,
             e->network ? " with its network" : "", hn_version());
    text_add(out,
             " *     static struct %s_work work;              a workspace per thread, of yours\n"
             " *     %s_real x[%s_INPUTS + 1], y[%s_OUTPUTS];\n *     %s_report report;\n"
             " *     %s_init(&work);                          once\n",
             name, name, name, name, name, name);
    if (!e->network)
        text_add(out, " *     %s_start(&work, x, y);                   or raw outputs of yours in y\n", name);
    text_add(out,
             " *     if (%s_solve(&work, x, y, &report) == 0)  y holds within the tolerance: freshly evaluated\n *\n",
             name);
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

void emission_print_upper(struct text *out, const char *text) {
    for (; *text; text++)
        text_add(out, "%c", toupper((unsigned char)*text));
}

static void print_names(const struct emission *e, struct text *out) {
    const char *name = e->options.name;
    text_add(out, "\nenum {\n    %s_INPUTS = %u,\n    %s_OUTPUTS = %u,\n    %s_ROWS = %u,\n    %s_SLOTS = %u\n};\n",
             name, e->plan->inputs, name, e->plan->outputs, name, e->plan->rows, name, e->ir.slots);
    text_add(out, "\n/* What happened: what %s_solve returns. */\nenum {\n", name);
    for (int i = 0; i < HN_OUTCOME_COUNT; i++) {
        text_add(out, "    %s_", name);
        emission_print_upper(out, hn_outcome_text((hn_outcome)i));
        text_add(out, "%s,\n", i == 0 ? " = 0" : "");
    }
    text_add(out, "};\n");
}

static void print_types(const struct emission *e, struct text *out) {
    const char *name = e->options.name;
    text_add(out, "\ntypedef %s %s_real;\n", e->options.single ? "float" : "double", name);
    if (e->options.single)
        text_add(out,
                 "\n/* A number, and how far it may be from what exact arithmetic would give. */\n"
                 "struct %s_rounded {\n    %s_real value, error;\n};\n",
                 name, name);
    text_add(
        out,
        "\n/* Everything that a call needs. Set warm_start to 1 after %s_init to begin each call from the correction\n"
        " * of the one before; nothing else in it is yours. */\n"
        "struct %s_work {\n    %s_real slots[%s_SLOTS];\n    %s_real raw[%zu], warm[%zu], row[%s_OUTPUTS];\n",
        name, name, name, name, name, e->policy.candidates * e->plan->outputs, e->policy.candidates * e->plan->outputs,
        name);
    if (emission_has_policy(e))
        emission_print_policy_work(e, out);
    if (e->network)
        text_add(out, "    %s_real turn_1[%zu], turn_2[%zu];\n", name, e->width, e->width);
    if (emission_network_is_shaped(e))
        text_add(out, "    %s_real turn_3[%zu];\n", name, e->width);
    if (e->options.single)
        text_add(out, "    struct %s_rounded rounded[%zu];\n", name, emission_rounding_numbers(e) / 2);
    if (e->options.adjoint)
        emission_print_gradient_work(e, out);
    text_add(out, "    int32_t warm_start;\n};\n");
    if (!e->options.casadi) /* in whose interface a function has the name */
        text_add(out, "typedef struct %s_work %s_work;\n", name, name);
    text_add(
        out,
        "\ntypedef struct %s_report {\n    int32_t outcome;\n    int32_t iterations; /* steps computed */\n"
        "    int32_t steps;      /* steps between the raw output and y */\n"
        "    int32_t worst;      /* the row of the largest violation; -1 when there is none */\n"
        "    int32_t culprit;    /* of bad_bounds: the row; of nonfinite_input: the entry, inputs first; else -1 */\n"
        "    %s_real violation_before; /* max |r| of the raw output; infinite when it could not be evaluated */\n"
        "    %s_real violation;        /* max |r| of y */\n"
        "    %s_real moved;            /* |y - raw output|, 2-norm */\n"
        "    %s_real damping;          /* eps of the last step */\n",
        name, name, name, name, name);
    if (e->options.single)
        text_add(out, "    %s_real violation_most;   /* max |r| of y with what rounding may hide: what is judged */\n",
                 name);
    if (emission_has_policy(e))
        text_add(out,
                 "    int32_t candidate;        /* that y comes from, counted from 0 */\n"
                 "    %s_real objective;        /* of y, as it is minimised */\n",
                 name);
    text_add(out, "} %s_report;\n", name);
}

static void print_functions(const struct emission *e, struct text *out) {
    const char *name = e->options.name;
    text_add(out, "\n/* Before the first call, and to forget a warm start. */\nvoid %s_init(struct %s_work *work);\n",
             name, name);
    text_add(out,
             "\n/* y = the model's start values at x. */\nvoid %s_start(struct %s_work *work, const %s_real x[], "
             "%s_real y[]);\n",
             name, name, name, name);
    text_add(out,
             "\n/* %s; y holds the corrected one afterwards. 0 (ok) when a fresh\n"
             " * evaluation found every row within the tolerance. Otherwise y is the best iterate seen, finite and "
             "never worse\n"
             " * than what came in; for input that is not finite, or bounds that cross, the start values within their "
             "bounds.\n"
             " * x may be NULL without inputs, report may be NULL. */\n"
             "int %s_solve(struct %s_work *work, const %s_real x[], %s_real y[], %s_report *report);\n",
             e->network ? "Runs the network at x and corrects its output" : "Corrects the raw output that y holds",
             name, name, name, name, name);
    if (e->options.adjoint)
        emission_print_gradient_declaration(e, out);
    text_add(out, "\n/* ok, iteration_limit, ... */\nconst char *%s_outcome_text(int outcome);\n", name);
}

void emission_print_header(const struct emission *e, struct text *out) {
    const char *name = e->options.name;
    print_about(e, out);
    text_add(out, "#ifndef ");
    emission_print_upper(out, name);
    text_add(out, "_H\n#define ");
    emission_print_upper(out, name);
    text_add(out, "_H\n\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
    text_add(out,
             "\n/* The same number as in %s.c, which does not compile with the header of another run. */\n#define ",
             name);
    emission_print_upper(out, name);
    text_add(out, "_PAIR " EMIT_NO_PAIR "\n");
    print_names(e, out);
    print_types(e, out);
    print_functions(e, out);
    text_add(out, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

/* ---- what comes along ---- */

void emission_print_example(const struct emission *e, struct text *out) {
    const char *name = e->options.name;
    text_add(
        out,
        "/* example.c - calls %s_solve once, with inputs from the command line (zeros where there are none). Made by\n"
        " * hardnet emit. */\n"
        "#include \"%s.h\"\n\n#include <stdio.h>\n#include <stdlib.h>\n\nint main(int argc, char **argv) {\n"
        "    static struct %s_work work;\n    %s_real x[%s_INPUTS + 1] = {0}, y[%s_OUTPUTS];\n    %s_report report;\n"
        "    for (int i = 0; i < %s_INPUTS && i + 1 < argc; i++)\n"
        "        x[i] = (%s_real)strtod(argv[i + 1], NULL);\n    %s_init(&work);\n",
        name, name, name, name, name, name, name, name, name, name);
    if (!e->network)
        text_add(out, "    %s_start(&work, x, y);\n", name);
    text_add(out,
             "    int outcome = %s_solve(&work, x, y, &report);\n"
             "    printf(\"%%s after %%d steps, violation %%g\\n\", %s_outcome_text(outcome), (int)report.iterations,\n"
             "           (double)report.violation);\n    for (int j = 0; j < %s_OUTPUTS; j++)\n"
             "        printf(\"%%.17g\\n\", (double)y[j]);\n    return outcome;\n}\n",
             name, name, name);
}

void emission_print_cmake(const struct emission *e, struct text *out) {
    const char *name = e->options.name;
    text_add(out,
             "# The emitted layer as a library, and an example that calls it. Made by hardnet "
             "emit.\ncmake_minimum_required(VERSION 3.13)\n"
             "project(%s LANGUAGES C)\nset(CMAKE_C_STANDARD 99)\nif(NOT CMAKE_BUILD_TYPE)\n"
             "    set(CMAKE_BUILD_TYPE Release)\nendif()\n\nadd_library(%s STATIC %s.c)\n"
             "target_include_directories(%s PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})\n"
             "target_compile_options(%s PRIVATE -ffp-contract=off)\n",
             name, name, name, name, name);
    if (e->options.libm)
        text_add(out, "target_link_libraries(%s PUBLIC m)\n", name);
    if (e->options.casadi)
        text_add(out,
                 "\nadd_library(%s_external MODULE %s.c) # casadi.external(\"%s\", \"./%s.so\")\n"
                 "set_target_properties(%s_external PROPERTIES PREFIX \"\" OUTPUT_NAME %s)\n"
                 "target_compile_options(%s_external PRIVATE -ffp-contract=off)\n%s%s%s",
                 name, name, name, name, name, name, name, e->options.libm ? "target_link_libraries(" : "",
                 e->options.libm ? name : "", e->options.libm ? "_external PRIVATE m)\n" : "");
    text_add(out, "\nadd_executable(%s_example example.c)\ntarget_link_libraries(%s_example PRIVATE %s)\n", name, name,
             name);
}
