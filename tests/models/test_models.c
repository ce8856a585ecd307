/* test_models.c - every shipped model against its table, which expected.py computes from formulas of its own while the test
 * runs: names, counts, boxes, start, c, bounds, objective, definitions and J.
 *
 * A table is read line by line; the first word of a line names what to compare (the list is in expected.py). Values
 * come from one program over everything in the model, J included.
 *
 * SPDX-License-Identifier: MIT */
#include "autodiff/derivatives.h"
#include "hardnet/read.h"
#include "hardnet/train.h"
#include "support/check.h"
#include "support/node_matrices.h"
#include "support/run_layer.h"
#include "support/run_program.h"
#include "support/script.h"

enum { LINE_BYTES = 1 << 14, WORD_BYTES = 256 };

/* A model, its program, and the values at the point that was read last. */
struct judged {
    hn_model *model;
    struct problem problem;
    struct node_matrix J;
    struct program *program; /* outputs: body, lower and upper of the rows, J, start of the columns, objective */
    double *slots, *x, *y;
    size_t inputs_seen, columns_seen, groups_seen, rows_seen, entries_seen;
};

static hn_model *read_model(const char *path, const char *let) {
    hn_read_options options = hn_read_defaults();
    options.lets = &let;
    options.let_count = let ? 1 : 0;
    hn_model *model;
    hn_error error;
    if (hn_model_read(&model, 1, &path, &options, &error) != HN_OK)
        fail_msg("%s", error.text);
    return model;
}

/* ---- one program for all values ---- */

static uint32_t *all_outputs(const struct judged *s, size_t *count) {
    size_t rows = s->problem.rows, columns = s->problem.outputs, n = 0;
    uint32_t *outputs = malloc((3 * rows + s->J.count + columns + 1) * sizeof *outputs);
    const uint32_t *const parts[] = {s->problem.body, s->problem.lower, s->problem.upper, s->J.node, s->problem.start};
    const size_t counts[] = {rows, rows, rows, s->J.count, columns};
    for (size_t part = 0; part < COUNT_OF(parts); part++)
        for (size_t i = 0; i < counts[part]; i++)
            outputs[n++] = parts[part][i];
    if (hn_model_objective(s->model).name)
        outputs[n++] = s->problem.objective;
    *count = n;
    return outputs;
}

static void compile(struct judged *s) {
    hn_error error;
    if (problem_create(&s->problem, s->model, &error) != HN_OK)
        fail_msg("%s", error.text);
    s->J = jacobian_of(&s->problem.graph, s->problem.body, s->problem.rows, SPACE_Y, s->problem.outputs);
    size_t count, leaves[SPACE_COUNT] = {[SPACE_X] = s->problem.inputs, [SPACE_Y] = s->problem.outputs};
    uint32_t *outputs = all_outputs(s, &count);
    struct program_request request = request_of(&s->problem.graph, outputs, count, leaves);
    if (program_create(&s->program, &request, &error) != HN_OK)
        fail_msg("%s", error.text);
    s->slots = fresh_slots(s->program);
    s->x = calloc(s->problem.inputs + 1, sizeof *s->x);
    s->y = calloc(s->problem.outputs + 1, sizeof *s->y);
    free(outputs);
}

static void evaluate(struct judged *s) {
    for (size_t i = 0; i < s->problem.inputs; i++)
        set_leaf(s->program, s->slots, SPACE_X, i, 0, s->x[i]);
    for (size_t j = 0; j < s->problem.outputs; j++)
        set_leaf(s->program, s->slots, SPACE_Y, j, 0, s->y[j]);
    run_all(best_backend(), s->program, s->slots);
}

static double value(const struct judged *s, size_t output) {
    return output_at(s->program, s->slots, output, 0);
}

static double derivative(const struct judged *s, size_t entry) {
    return value(s, 3 * s->problem.rows + entry);
}

/* ---- comparisons, one per first word of a line; rest is what follows it ---- */

static void near(double found, double expected, const char *line) {
    if (!(found == expected || fabs(found - expected) <= 1e-9 * (1 + fabs(expected))))
        fail_msg("%.17g is not what the table says: %s", found, line);
}

static void check_model(struct judged *s, const char *rest, const char *line) {
    (void)line;
    s->model = read_model(rest, NULL);
    compile(s);
}

static void check_counts(struct judged *s, const char *rest, const char *line) {
    size_t inputs, columns, rows, nonzeros;
    if (sscanf(rest, "%zu %zu %zu %zu", &inputs, &columns, &rows, &nonzeros) != 4)
        fail_msg("no counts: %s", line);
    assert_int_equal(hn_model_input_count(s->model), inputs);
    assert_int_equal(hn_model_output_count(s->model), columns);
    assert_int_equal(hn_model_row_count(s->model), rows);
    assert_int_equal(s->J.count, nonzeros);
}

static void check_input(struct judged *s, const char *rest, const char *line) {
    char name[WORD_BYTES];
    double lower, upper;
    hn_input_info input = hn_model_input(s->model, s->inputs_seen++);
    if (sscanf(rest, "%255s %lf %lf", name, &lower, &upper) != 3)
        fail_msg("no input: %s", line);
    assert_string_equal(input.name, name);
    near(input.lower, lower, line);
    near(input.upper, upper, line);
}

static void check_column(struct judged *s, const char *rest, const char *line) {
    (void)line;
    assert_string_equal(hn_model_output(s->model, s->columns_seen++).name, rest);
}

static void check_group(struct judged *s, const char *rest, const char *line) {
    char name[WORD_BYTES];
    size_t count;
    hn_group_info group = hn_model_group(s->model, s->groups_seen++);
    if (sscanf(rest, "%255s %zu", name, &count) != 2)
        fail_msg("no group: %s", line);
    assert_string_equal(group.name, name);
    assert_int_equal(group.count, count);
}

static void numbers(double *out, size_t count, const char *text, const char *line) {
    for (size_t i = 0; i < count; i++) {
        char *end;
        out[i] = strtod(text, &end);
        if (end == text)
            fail_msg("%zu numbers of %zu: %s", i, count, line);
        text = end;
    }
}

static void take_x(struct judged *s, const char *rest, const char *line) {
    numbers(s->x, s->problem.inputs, rest, line);
    s->rows_seen = s->entries_seen = 0;
}

static void take_y(struct judged *s, const char *rest, const char *line) {
    numbers(s->y, s->problem.outputs, rest, line);
    evaluate(s);
}

static void check_start(struct judged *s, const char *rest, const char *line) {
    double *start = calloc(s->problem.outputs + 1, sizeof *start);
    numbers(start, s->problem.outputs, rest, line);
    for (size_t j = 0; j < s->problem.outputs; j++)
        near(value(s, 3 * s->problem.rows + s->J.count + j), start[j], hn_model_output(s->model, j).name);
    free(start);
}

static void check_objective(struct judged *s, const char *rest, const char *line) {
    assert_non_null(hn_model_objective(s->model).name);
    near(value(s, s->program->output_count - 1), strtod(rest, NULL), line);
}

static void check_definition(struct judged *s, const char *rest, const char *line) {
    char name[WORD_BYTES];
    double expected, found;
    hn_error error;
    if (sscanf(rest, "%255s %lf", name, &expected) != 2)
        fail_msg("no definition: %s", line);
    for (size_t i = 0; i < hn_model_definition_count(s->model); i++) {
        hn_named_expr definition = hn_model_definition(s->model, i);
        if (strcmp(definition.name, name) != 0)
            continue;
        assert_int_equal(hn_model_evaluate(s->model, 1, &definition.value, s->x, s->y, &found, &error), HN_OK);
        near(found, expected, line);
        return;
    }
    fail_msg("there is no %s", name);
}

static void check_row(struct judged *s, const char *rest, const char *line) {
    char name[WORD_BYTES];
    double lower, body, upper;
    size_t row = s->rows_seen++, rows = s->problem.rows;
    if (sscanf(rest, "%255s %lf %lf %lf", name, &lower, &body, &upper) != 4)
        fail_msg("no row: %s", line);
    assert_string_equal(hn_model_row(s->model, row).name, name);
    near(value(s, row), body, line);
    near(value(s, rows + row), lower, line);
    near(value(s, 2 * rows + row), upper, line);
}

static void check_entry(struct judged *s, const char *rest, const char *line) {
    size_t row, column, entry = s->entries_seen++;
    double expected;
    if (sscanf(rest, "%zu %zu %lf", &row, &column, &expected) != 3 || row >= s->J.rows || entry >= s->J.count)
        fail_msg("no entry: %s", line);
    assert_in_range(entry, s->J.first[row], s->J.first[row + 1] - 1);
    assert_int_equal(s->J.column[entry], column);
    near(derivative(s, entry), expected, line);
}

static void check_forward(struct judged *s, const char *rest, const char *line) {
    size_t row;
    double expected, sum = 0;
    if (sscanf(rest, "%zu %lf", &row, &expected) != 2 || row >= s->J.rows)
        fail_msg("no row of J: %s", line);
    for (size_t k = s->J.first[row]; k < s->J.first[row + 1]; k++)
        sum += derivative(s, k) * cos((double)s->J.column[k] + 1);
    near(sum, expected, line);
}

static void check_backward(struct judged *s, const char *rest, const char *line) {
    size_t column;
    double expected, sum = 0;
    if (sscanf(rest, "%zu %lf", &column, &expected) != 2 || column >= s->J.columns)
        fail_msg("no column of J: %s", line);
    for (size_t row = 0; row < s->J.rows; row++)
        for (size_t k = s->J.first[row]; k < s->J.first[row + 1]; k++)
            if (s->J.column[k] == column)
                sum += derivative(s, k) * cos(2 * (double)row + 1);
    near(sum, expected, line);
}

static const struct {
    const char *word;
    void (*check)(struct judged *s, const char *rest, const char *line);
} checks[] = {
    {"model", check_model},
    {"counts", check_counts},
    {"input", check_input},
    {"column", check_column},
    {"group", check_group},
    {"x", take_x},
    {"y", take_y},
    {"start", check_start},
    {"row", check_row},
    {"entry", check_entry},
    {"objective", check_objective},
    {"definition", check_definition},
    {"forward", check_forward},
    {"backward", check_backward},
};

static void check_line(struct judged *s, char *line) {
    line[strcspn(line, "\n")] = 0;
    size_t length = strcspn(line, " ");
    const char *rest = line + length + (line[length] == ' ');
    for (size_t i = 0; i < COUNT_OF(checks); i++) {
        if (strlen(checks[i].word) == length && strncmp(checks[i].word, line, length) == 0) {
            checks[i].check(s, rest, line);
            return;
        }
    }
    fail_msg("unknown line: %s", line);
}

/* ---- tests ---- */

static void the_model_says_what_its_formulas_say(void **state) {
    char *line = malloc(LINE_BYTES);
    struct judged s = {.model = NULL};
    FILE *file = script_table_open(*state);
    while (fgets(line, LINE_BYTES, file))
        check_line(&s, line);
    assert_int_equal(s.inputs_seen, hn_model_input_count(s.model));
    assert_int_equal(s.columns_seen, hn_model_output_count(s.model));
    assert_int_equal(s.groups_seen, hn_model_group_count(s.model));
    assert_int_equal(s.rows_seen, hn_model_row_count(s.model));
    fclose(file);
    free(line);
    free(s.slots);
    free(s.x);
    free(s.y);
    program_destroy(s.program);
    node_matrix_release(&s.J);
    problem_release(&s.problem);
    hn_model_destroy(s.model);
}

static void a_longer_horizon_has_as_many_times_the_rows(void **state) {
    (void)state;
    hn_model *model = read_model("models/unicycle.mod", "N=100");
    assert_int_equal(hn_model_input_count(model), 3);
    assert_int_equal(hn_model_output_count(model), 500);
    assert_int_equal(hn_model_row_count(model), 600);
    hn_model_destroy(model);
}

/* At x the equation is a'x = sin(w b'x), and w = sqrt(kappa) = 0 leaves a'x. */
static void the_warp_flattens_with_its_kappa(void **state) {
    (void)state;
    hn_model *model = read_model("models/feasibility/pal_warp.mod", "kappa=0");
    hn_row_info row = hn_model_row(model, 0);
    double x[8] = {0}, y[8] = {1, 2, 3, 4, 5, 6, 7, 8}, twice[8], one, two;
    for (int i = 0; i < 8; i++)
        twice[i] = 2 * y[i];
    hn_error error;
    assert_int_equal(hn_model_evaluate(model, 1, &row.body, x, y, &one, &error), HN_OK);
    assert_int_equal(hn_model_evaluate(model, 1, &row.body, x, twice, &two, &error), HN_OK);
    near(two, 2 * one, "linear");
    hn_model_destroy(model);
}

/* A network is trained on the whole box: each input that is drawn from it has a feasible point. */
static void every_input_of_a_task_is_feasible(void **state) {
    enum { SAMPLES = 24, MOST_INPUTS = 16 };
    hn_model *model = read_model(*state, NULL);
    hn_layer *layer = layer_of(model, layer_method(HN_METHOD_AUTO));
    struct layer_results results = results_of(layer, SAMPLES);
    double x[SAMPLES * MOST_INPUTS];
    hn_error error;
    assert_true(hn_model_input_count(model) <= MOST_INPUTS);
    assert_int_equal(hn_sample_inputs(model, 1, 0, SAMPLES, x, &error), HN_OK);
    hn_batch batch = batch_into(&results, x, NULL); /* from the start values */
    layer_run(layer, &batch);
    for (size_t i = 0; i < SAMPLES; i++)
        if (results.reports[i].outcome != HN_OUTCOME_OK)
            fail_msg("%s: sample %zu is %s", (const char *)*state, i, hn_outcome_text(results.reports[i].outcome));
    results_release(&results);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

#define TASK(name)                                                                                                     \
    { "feasible: " name, every_input_of_a_task_is_feasible, NULL, NULL, (void *)("models/tasks/" name ".mod") }

int main(void) {
    const struct CMUnitTest others[] = {
        TASK("quadrotor"),
        TASK("cartpole"),
        cmocka_unit_test(a_longer_horizon_has_as_many_times_the_rows),
        cmocka_unit_test(the_warp_flattens_with_its_kappa),
    };
    struct script_tables tables = script_tables("tests/models/expected.py", "model");
    struct CMUnitTest *tests = calloc(tables.count + COUNT_OF(others), sizeof *tests);
    for (size_t i = 0; i < tables.count; i++)
        tests[i] = (struct CMUnitTest){.name = tables.table[i].name,
                                       .test_func = the_model_says_what_its_formulas_say,
                                       .initial_state = &tables.table[i]};
    memcpy(tests + tables.count, others, sizeof others);
    int failed = _cmocka_run_group_tests("models", tests, tables.count + COUNT_OF(others), NULL, NULL);
    script_tables_release(&tables);
    free(tests);
    return failed;
}
