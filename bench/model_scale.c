/* model_scale.c - how building scales, and what evaluation costs per operator.
 *
 * Builds the unicycle MPC for growing horizons through the C API and prints time and memory of graph, derivatives and
 * programs. Then, at horizon 10 on one thread, nanoseconds per sample for c, J and the two second-derivative products of the
 * layer's adjoint, the operators behind each beside a count by hand, and the ratio, for every instruction set that this
 * processor has.
 *
 * SPDX-License-Identifier: MIT */
#include "autodiff/derivatives.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "command_line.h"
#include "cpu/backend.h"
#include "unicycle.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

struct work {
    hn_model *model;
    struct problem problem;
    struct node_matrix jacobian, bracket_y, bracket_x, gradient, hessian;
    struct program *constraints, *derivative, *products;
};

static double megabytes_in_use(void) {
    struct mallinfo2 info = mallinfo2();
    return (double)(info.uordblks + info.hblkhd) / 1e6;
}

static void expect(hn_status status, const hn_error *error) {
    if (status == HN_OK)
        return;
    fprintf(stderr, "model_scale: %s\n", error->text);
    exit(1);
}

/* ---- building ---- */

static void build_model(struct work *w, int horizon) {
    hn_error error;
    expect(hn_model_create(&w->model, NULL, &error), &error);
    unicycle_build(w->model, horizon);
    expect(hn_model_status(w->model, &error), &error);
}

static void build_derivatives(struct work *w) {
    struct problem *p = &w->problem;
    hn_error error;
    uint32_t *weights;
    expect(problem_create(p, w->model, &error), &error);
    struct graph *g = &p->graph;
    expect(derivatives_jacobian(&w->jacobian, g, p->body, p->rows, SPACE_Y, p->outputs, &error), &error);
    expect(derivatives_weights(&weights, g, &w->jacobian, true, true, &error), &error);
    expect(derivatives_contract(&w->bracket_y, g, &w->jacobian, weights, SPACE_Y, p->outputs, &error), &error);
    expect(derivatives_contract(&w->bracket_x, g, &w->jacobian, weights, SPACE_X, p->inputs, &error), &error);
    base_release(weights);
    expect(derivatives_jacobian(&w->gradient, g, &p->objective, 1, SPACE_Y, p->outputs, &error), &error);
    expect(derivatives_hessian_block(&w->hessian, p, SPACE_Y, SPACE_Y, &error), &error);
}

static struct program *compile(const struct work *w, const uint32_t *outputs, size_t count) {
    const struct problem *p = &w->problem;
    struct program_request request = {.stride = LANES, .graph = &p->graph, .outputs = outputs, .output_count = count};
    const size_t leaves[SPACE_COUNT] = {p->inputs, p->outputs, p->rows, p->outputs, p->rows, p->outputs, 1, p->rows};
    static const uint8_t phases[SPACE_COUNT] = {0, 1, 2, 2, 2, 2, 2, 2};
    memcpy(request.leaf_count, leaves, sizeof leaves);
    memcpy(request.phase, phases, sizeof phases);
    struct program *program;
    hn_error error;
    expect(program_create(&program, &request, &error), &error);
    return program;
}

static void build_programs(struct work *w) {
    w->constraints = compile(w, w->problem.body, w->problem.rows);
    w->derivative = compile(w, w->jacobian.node, w->jacobian.count);
    w->products = compile(w, w->bracket_y.node, w->bracket_y.count);
}

static void release(struct work *w) {
    program_destroy(w->constraints);
    program_destroy(w->derivative);
    program_destroy(w->products);
    node_matrix_release(&w->jacobian);
    node_matrix_release(&w->bracket_y);
    node_matrix_release(&w->bracket_x);
    node_matrix_release(&w->gradient);
    node_matrix_release(&w->hessian);
    problem_release(&w->problem);
    hn_model_destroy(w->model);
}

static void print_scale(int horizon) {
    struct work w;
    memset(&w, 0, sizeof w);
    double before = megabytes_in_use(), t0 = clock_seconds();
    build_model(&w, horizon);
    double t1 = clock_seconds();
    build_derivatives(&w);
    double t2 = clock_seconds();
    build_programs(&w);
    double t3 = clock_seconds(), megabytes = megabytes_in_use() - before;
    printf("%6d %8zu %7zu %9zu %9zu | %8.2f %8.2f %8.2f %8.2f | %8.2f %9.2f\n", horizon, w.problem.outputs,
           w.problem.rows, w.jacobian.count, w.problem.graph.count - 1, 1e3 * (t1 - t0), 1e3 * (t2 - t1),
           1e3 * (t3 - t2), 1e3 * (t3 - t0), megabytes, 1e3 * megabytes / horizon);
    release(&w);
}

/* ---- running ---- */

/* The best of several runs, in nanoseconds per sample: the machine may be shared. */
static double time_program(const struct program *program, struct backend backend, int first_phase) {
    enum { REPEATS = 2000, TRIES = 25 };
    size_t bytes = program->slots * LANES * sizeof(double);
    double *slots = aligned_alloc(64, bytes), best = INFINITY;
    struct random random = random_start(1, 0);
    program_prepare(program, slots);
    for (int space = 0; space < SPACE_COUNT; space++)
        for (size_t i = 0; i < program->leaf_count[space] * LANES; i++)
            slots[program->leaf_slot[space] * LANES + i] = random_between(&random, -2, 2);
    backend.run(program, 0, slots);
    for (int attempt = 0; attempt < TRIES; attempt++) {
        double start = clock_seconds();
        for (int i = 0; i < REPEATS; i++)
            for (int phase = first_phase; phase < PHASES; phase++)
                backend.run(program, phase, slots);
        double seconds = clock_seconds() - start;
        best = seconds < best ? seconds : best;
    }
    free(slots);
    return 1e9 * best / ((double)REPEATS * LANES);
}

static void print_cost(const char *what, const struct program *program, int by_hand) {
    size_t operators = program->operators[1] + program->operators[2];
    struct backend backend;
    for (size_t i = 0; backend_at(i, &backend); i++) {
        double ns = time_program(program, backend, 1);
        printf("%-10s %-9s %9.1f ns/sample %6zu operators (%d by hand) %7zu instructions %7.3f ns/operator\n", what,
               backend.name, ns, operators, by_hand, program->first[PHASES] - program->first[1],
               ns / (double)operators);
    }
}

static void print_listing(const struct program *program) {
    size_t length = program_listing(program, NULL, 0);
    char *text = malloc(length + 1);
    program_listing(program, text, length + 1);
    fputs(text, stdout);
    free(text);
}

static const char HELP[] =
    "usage: model_scale [--listing]\n\n"
    "How building scales with the horizon of the unicycle, and what evaluation costs per operator;\n"
    "--listing: the programs, too.\n";

int main(int argc, char **argv) {
    static const int horizons[] = {10, 100, 1000};
    static const char *const options[] = {"--listing", NULL};
    command_line_check(argc, argv, HELP, options, 0);
    printf("unicycle MPC through the C API; times in ms, memory in MB (last column kB per stage)\n");
    printf("%6s %8s %7s %9s %9s | %8s %8s %8s %8s | %8s %9s\n", "N", "outputs", "rows", "nonzeros", "nodes", "graph",
           "deriv.", "programs", "total", "memory", "per stage");
    for (size_t i = 0; i < sizeof horizons / sizeof horizons[0]; i++)
        print_scale(horizons[i]);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("largest resident size %.1f MB\n\n", (double)usage.ru_maxrss / 1e3);

    /* By hand, a stage: c: sin, cos, dt*v, two products, 2 operations for each of 3 rows, dt*w, and 5 for the ellipse: 17 (the
     * first stage's sine and cosine depend on x only). J: sin, cos, -dt*cos, -dt*sin, two products with v, a sign, 2 for the
     * ellipse: 9 (the first: 2). Products: 6 entries of J vary, each weighs v t - q s: 18; d/dheading 9, d/dspeed 4,
     * d/dpx and d/dpy 1 each, sin, cos: 35 (the first stage: 2 entries, 8). */
    struct work w;
    memset(&w, 0, sizeof w);
    build_model(&w, 10);
    build_derivatives(&w);
    build_programs(&w);
    printf("evaluation at N = 10, one thread, %d samples side by side; what depends on x alone is not counted\n",
           LANES);
    print_cost("c", w.constraints, 10 * 17 - 2);
    print_cost("J", w.derivative, 9 * 9 + 2);
    print_cost("products", w.products, 9 * 35 + 8);
    if (argc > 1) {
        print_listing(w.constraints);
        print_listing(w.derivative);
        print_listing(w.products);
    }
    release(&w);
    return 0;
}
