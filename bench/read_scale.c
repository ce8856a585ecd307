/* read_scale.c - how long a large generated model takes from text to derivatives.
 *
 * n variables in a ring, each row a nonlinear relation of three neighbours: 3 n nonzeros. The text is short (indexed
 * declarations) or long (one data line per variable), so that both expansion and data reading are seen. Then a dense matrix
 * of n x n numbers of 16 digits, from data to a layer, with the largest resident size so far.
 *
 * SPDX-License-Identifier: MIT */
#include "autodiff/derivatives.h"
#include "base/clock.h"
#include "base/random.h"
#include "command_line.h"
#include "cpu/backend.h"
#include "hardnet/layer.h"
#include "hardnet/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static char *model_text(int n, bool with_data) {
    size_t room = 1000 + (with_data ? 40 * (size_t)n : 0);
    char *text = malloc(room), *at = text;
    at += sprintf(at,
                  "param n := %d; param a{1..n}%s;\n"
                  "var x{1..n} >= -10, <= 10, := 1;\n"
                  "ring {i in 1..n}: a[i]*x[i]^2 + sin(x[if i = 1 then n else i-1])*x[if i = n then 1 else i+1] = 1;\n",
                  n, with_data ? "" : " := 2");
    if (with_data) {
        at += sprintf(at, "data; param a :=\n");
        for (int i = 1; i <= n; i++)
            at += sprintf(at, "%d %.6f\n", i, 1 + 1.0 / i);
        sprintf(at, ";\n");
    }
    return text;
}

static void print_times(int n, bool with_data) {
    char *text = model_text(n, with_data);
    hn_text texts[] = {{"ring.mod", text, strlen(text)}};
    hn_model *model;
    hn_error error = {.text = ""};
    struct problem problem;
    struct node_matrix jacobian;
    double t0 = clock_seconds();
    if (hn_model_read_memory(&model, 1, texts, NULL, &error) != HN_OK)
        exit(fprintf(stderr, "read_scale: %s\n", error.text));
    double t1 = clock_seconds();
    if (problem_create(&problem, model, &error) != HN_OK ||
        derivatives_jacobian(&jacobian, &problem.graph, problem.body, problem.rows, SPACE_Y, problem.outputs, &error) !=
            HN_OK)
        exit(fprintf(stderr, "read_scale: %s\n", error.text));
    double t2 = clock_seconds();
    printf("%8d variables %8zu nonzeros (%zu with bounds) %s: read %.2f s, differentiated %.2f s\n", n,
           jacobian.count - (size_t)n, jacobian.count, with_data ? "from data   " : "by formula  ", t1 - t0, t2 - t1);
    node_matrix_release(&jacobian);
    problem_release(&problem);
    hn_model_destroy(model);
    free(text);
}

/* A y <= 1 with a table of numbers. */
static char *matrix_text(int n) {
    struct random random = random_start(1, 0);
    char *text = malloc(1000 + (size_t)n * (size_t)(n + 2) * 24), *at = text;
    at += sprintf(at,
                  "param n := %d; param A{1..n, 1..n}; var y{1..n};\n"
                  "rows {i in 1..n}: sum{j in 1..n} A[i,j]*y[j] <= 1;\ndata; param A :",
                  n);
    for (int j = 1; j <= n; j++)
        at += sprintf(at, " %d", j);
    at += sprintf(at, " :=\n");
    for (int i = 1; i <= n; i++) {
        at += sprintf(at, "%d", i);
        for (int j = 1; j <= n; j++)
            at += sprintf(at, " %.16f", random_between(&random, -1, 1));
        *at++ = '\n';
    }
    sprintf(at, ";\n");
    return text;
}

static void print_dense_times(int n) {
    char *text = matrix_text(n);
    hn_text texts[] = {{"dense.mod", text, strlen(text)}};
    hn_model *model;
    hn_layer *layer;
    hn_error error = {.text = ""};
    struct rusage usage;
    double t0 = clock_busy_seconds();
    if (hn_model_read_memory(&model, 1, texts, NULL, &error) != HN_OK)
        exit(fprintf(stderr, "read_scale: %s\n", error.text));
    double t1 = clock_busy_seconds();
    if (hn_layer_create(&layer, model, NULL, &error) != HN_OK)
        exit(fprintf(stderr, "read_scale: %s\n", error.text));
    double t2 = clock_busy_seconds();
    getrusage(RUSAGE_SELF, &usage);
    printf("%8d x %d dense, %.0f MB of text, %zu nodes: read %.2f s, layer %.2f s, largest resident size %ld MB\n", n,
           n, (double)strlen(text) / 1e6, hn_model_node_count(model), t1 - t0, t2 - t1, usage.ru_maxrss / 1000);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
    free(text);
}

static const char HELP[] = "usage: read_scale\n\n"
                           "How long generated models of 1000 to 100 000 variables, and dense ones, take from text to\n"
                           "derivatives.\n";

int main(int count, char **words) {
    static const char *const options[] = {NULL};
    command_line_check(count, words, HELP, options, 0);
    for (int n = 1000; n <= 100000; n *= 10) {
        print_times(n, false);
        print_times(n, true);
    }
    print_dense_times(300);
    print_dense_times(1000);
    return 0;
}
