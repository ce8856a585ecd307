/* test_texts.c - every model under texts/ comes out as its mathematics says: counts, names, bounds, starts, and at one point
 * c, J, the objective and its gradient.
 *
 * The expected values come from expected.py, which computes them from formulas that were typed a second time. Each text is a
 * test of its own; all that differs in it is reported before it fails.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/lines.h"

#include "autodiff/derivatives.h"
#include "support/node_matrices.h"
#include "support/run_program.h"
#include "support/script.h"

enum { MOST_FILES = 4, LEAST_TEXTS = 90 };

#define FOLDER "tests/ampl/"

struct text {
    const struct script_table *table;
    char files[MOST_FILES][512];
    const char *paths[MOST_FILES];
    size_t file_count;
    char lets[MOST_FILES][64];
    const char *let_list[MOST_FILES];
    hn_read_options options;
    struct messages messages;
    struct complaints complaints;
    hn_model *model;
    double *x, *y;
};

/* ---- reading the expectations ---- */

static void take_files(struct text *text, char *names) {
    for (char *name = strtok(names, " "); name && text->file_count < MOST_FILES; name = strtok(NULL, " ")) {
        snprintf(text->files[text->file_count], sizeof text->files[0], FOLDER "texts/%s", name);
        text->paths[text->file_count] = text->files[text->file_count];
        text->file_count++;
    }
}

static void take_let(struct text *text, const char *let) {
    snprintf(text->lets[text->options.let_count], sizeof text->lets[0], "%s", let);
    text->let_list[text->options.let_count] = text->lets[text->options.let_count];
    text->options.let_count++;
}

static double *take_numbers(char *words) {
    double *list = calloc(strlen(words) + 1, sizeof *list);
    size_t count = 0;
    assert_non_null(list);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
        list[count++] = strtod(word, NULL);
    return list;
}

/* How to read the text, and the point. */
static void take_setting(struct text *text, char *line) {
    char *rest;
    if ((rest = after_word(line, "files")))
        take_files(text, rest);
    else if ((rest = after_word(line, "let")))
        take_let(text, rest);
    else if (after_word(line, "relax"))
        text->options.relax_integrality = true;
    else if ((rest = after_word(line, "x")))
        text->x = take_numbers(rest);
    else if ((rest = after_word(line, "y")))
        text->y = take_numbers(rest);
}

/* ---- comparing ---- */

static bool close_to(double value, double expected) {
    if (isinf(expected) || isinf(value))
        return value == expected;
    return fabs(value - expected) <= 1e-12 * fmax(1, fabs(expected));
}

static void compare_count(struct text *text, const char *what, size_t count, const char *expected) {
    if (count != strtoull(expected, NULL, 10))
        complain(&text->complaints, "%zu %s where %s are expected", count, what, expected);
}

static void compare_name(struct text *text, const char *what, const char *name, const char *expected) {
    if (!name || strcmp(name, expected) != 0)
        complain(&text->complaints, "the %s %s where %s is expected", what, name ? name : "(none)", expected);
}

static void compare_value(struct text *text, const char *what, size_t index, double value, double expected) {
    if (!close_to(value, expected))
        complain(&text->complaints, "%s %zu is %.17g where %.17g is expected", what, index, value, expected);
}

static double value_of(struct text *text, hn_expr expr) {
    static const double zero[1] = {0};
    double value = NAN;
    hn_error error = {.text = ""};
    if (hn_model_evaluate(text->model, 1, &expr, text->x ? text->x : zero, text->y ? text->y : zero, &value, &error) !=
        HN_OK)
        complain(&text->complaints, "%s", error.text);
    return value;
}

static void compare_group(struct text *text, size_t index, char *rest) {
    hn_group_info group = hn_model_group(text->model, index);
    char *count = strrchr(rest, ' ');
    *count++ = '\0';
    compare_name(text, "group", group.name, rest);
    compare_count(text, rest, group.count, count);
}

static void compare_objective(struct text *text, char *rest, bool maximize) {
    char *name;
    double expected = strtod(rest, &name);
    hn_objective_info objective = hn_model_objective(text->model);
    compare_name(text, "objective", objective.name, name + 1);
    if (!objective.name)
        return;
    if (objective.maximize != maximize)
        complain(&text->complaints, "the objective is %s", objective.maximize ? "maximised" : "minimised");
    double value = value_of(text, objective.minimized);
    compare_value(text, "objective", 0, objective.maximize ? -value : value, expected);
}

static void compare_definition(struct text *text, char *rest) {
    char *name;
    double expected = strtod(rest, &name);
    for (size_t i = 0; i < hn_model_definition_count(text->model); i++) {
        hn_named_expr definition = hn_model_definition(text->model, i);
        if (strcmp(definition.name, name + 1) == 0) {
            compare_value(text, "definition", i, value_of(text, definition.value), expected);
            return;
        }
    }
    complain(&text->complaints, "there is no definition%s", name);
}

/* How many conditions on inputs hold at x; their order is the reader's. */
static size_t count_holding(struct text *text) {
    size_t count = 0;
    for (size_t i = 0; i < hn_model_requirement_count(text->model); i++)
        count += value_of(text, hn_model_requirement(text->model, i).value) != 0;
    return count;
}

/* Lines of the form: word index value. */
static bool compare_indexed(struct text *text, char *line) {
    char *rest = strchr(line, ' ');
    if (!rest)
        return false;
    size_t index = strtoull(rest + 1, &rest, 10);
    const char *name = *rest ? rest + 1 : rest;
    hn_output_info output = hn_model_output(text->model, index);
    hn_row_info row = hn_model_row(text->model, index);
    double expected = strtod(name, &rest);
    if (after_word(line, "name_input"))
        compare_name(text, "input", hn_model_input(text->model, index).name, name);
    else if (after_word(line, "name_column"))
        compare_name(text, "column", output.name, name);
    else if (after_word(line, "name_row"))
        compare_name(text, "row", row.name, name);
    else if (after_word(line, "start"))
        compare_value(text, "start", index, value_of(text, output.start), expected);
    else if (after_word(line, "fixed") && !hn_is_valid(output.fixed))
        complain(&text->complaints, "column %zu is not fixed", index);
    else if (after_word(line, "fixed"))
        compare_value(text, "fixed", index, value_of(text, output.fixed), expected);
    else if (after_word(line, "c"))
        compare_value(text, "c", index, value_of(text, row.body), expected);
    else if (after_word(line, "lower"))
        compare_value(text, "lower", index, value_of(text, row.lower), expected);
    else if (after_word(line, "upper"))
        compare_value(text, "upper", index, value_of(text, row.upper), expected);
    else if (after_word(line, "range")) {
        compare_value(text, "lower end of input", index, hn_model_input(text->model, index).lower, expected);
        compare_value(text, "upper end of input", index, hn_model_input(text->model, index).upper, strtod(rest, NULL));
    } else
        return false;
    return true;
}

/* ---- derivatives ---- */

struct derivatives {
    struct problem problem;
    struct node_matrix jacobian, gradient;
    double *values; /* of the Jacobian's nodes, then of the gradient's */
    bool maximize;
};

static void run_derivatives(struct derivatives *d, const struct text *text) {
    size_t count = d->jacobian.count + d->gradient.count, leaves[SPACE_COUNT] = {d->problem.inputs, d->problem.outputs};
    uint32_t *nodes = calloc(count + 1, sizeof *nodes);
    struct program *program;
    hn_error error = {.text = ""};
    memcpy(nodes, d->jacobian.node, d->jacobian.count * sizeof *nodes);
    if (d->gradient.count > 0)
        memcpy(nodes + d->jacobian.count, d->gradient.node, d->gradient.count * sizeof *nodes);
    struct program_request request = request_of(&d->problem.graph, nodes, count, leaves);
    if (program_create(&program, &request, &error) != HN_OK)
        fail_msg("%s", error.text);
    double *slots = fresh_slots(program);
    for (size_t i = 0; i < d->problem.inputs; i++)
        set_leaf(program, slots, SPACE_X, i, 0, text->x[i]);
    for (size_t i = 0; i < d->problem.outputs; i++)
        set_leaf(program, slots, SPACE_Y, i, 0, text->y[i]);
    run_all(best_backend(), program, slots);
    d->values = calloc(count + 1, sizeof *d->values);
    for (size_t i = 0; i < count; i++)
        d->values[i] = output_at(program, slots, i, 0);
    free(slots);
    free(nodes);
    program_destroy(program);
}

static void differentiate(struct derivatives *d, const struct text *text) {
    hn_error error = {.text = ""};
    memset(d, 0, sizeof *d);
    d->maximize = hn_model_objective(text->model).maximize;
    if (problem_create(&d->problem, text->model, &error) != HN_OK)
        fail_msg("%s: %s", text->table->name, error.text);
    struct problem *p = &d->problem;
    d->jacobian = jacobian_of(&p->graph, p->body, p->rows, SPACE_Y, p->outputs);
    if (p->objective != 0)
        d->gradient = jacobian_of(&p->graph, &p->objective, 1, SPACE_Y, p->outputs);
    if (d->jacobian.count + d->gradient.count > 0)
        run_derivatives(d, text);
}

static void derivatives_release(struct derivatives *d) {
    node_matrix_release(&d->jacobian);
    node_matrix_release(&d->gradient);
    problem_release(&d->problem);
    free(d->values);
}

/* The place of an entry in a matrix; its number of entries when there is none. */
static size_t entry_at(const struct node_matrix *matrix, size_t row, size_t column) {
    size_t i = row < matrix->rows ? matrix->first[row] : matrix->count;
    while (i < matrix->count && i < matrix->first[row + 1] && matrix->column[i] != column)
        i++;
    return row < matrix->rows && i < matrix->first[row + 1] ? i : matrix->count;
}

static bool compare_derivative(struct text *text, const struct derivatives *d, char *line) {
    char *rest;
    bool entry = (rest = after_word(line, "J")) != NULL;
    if (!entry && !(rest = after_word(line, "gradient")))
        return false;
    size_t row = entry ? strtoull(rest, &rest, 10) : 0, column = strtoull(rest, &rest, 10);
    double expected = strtod(rest, NULL), sign = entry || !d->maximize ? 1 : -1;
    const struct node_matrix *matrix = entry ? &d->jacobian : &d->gradient;
    size_t at = entry_at(matrix, row, column);
    if (at == matrix->count) {
        complain(&text->complaints, "%s has no entry in row %zu, column %zu", entry ? "J" : "the gradient", row,
                 column);
        return true;
    }
    double value = sign * d->values[entry ? at : d->jacobian.count + at];
    if (!close_to(value, expected))
        complain(&text->complaints, "%s in row %zu, column %zu is %.17g where %.17g is expected",
                 entry ? "J" : "the gradient", row, column, value, expected);
    return true;
}

/* ---- one text ---- */

static void compare_line(struct text *text, const struct derivatives *d, char *line, size_t *groups) {
    char *rest;
    if ((rest = after_word(line, "inputs")))
        compare_count(text, "inputs", hn_model_input_count(text->model), rest);
    else if ((rest = after_word(line, "columns")))
        compare_count(text, "columns", hn_model_output_count(text->model), rest);
    else if ((rest = after_word(line, "rows")))
        compare_count(text, "rows", hn_model_row_count(text->model), rest);
    else if ((rest = after_word(line, "nonzeros")))
        compare_count(text, "nonzeros", d->jacobian.count, rest);
    else if ((rest = after_word(line, "definitions")))
        compare_count(text, "definitions", hn_model_definition_count(text->model), rest);
    else if ((rest = after_word(line, "requirements")))
        compare_count(text, "requirements", hn_model_requirement_count(text->model), rest);
    else if ((rest = after_word(line, "holding")))
        compare_count(text, "requirements that hold", count_holding(text), rest);
    else if ((rest = after_word(line, "group")))
        compare_group(text, (*groups)++, rest);
    else if ((rest = after_word(line, "minimize")))
        compare_objective(text, rest, false);
    else if ((rest = after_word(line, "maximize")))
        compare_objective(text, rest, true);
    else if (after_word(line, "no_objective") && hn_model_objective(text->model).name)
        complain(&text->complaints, "there is an objective");
    else if ((rest = after_word(line, "definition")))
        compare_definition(text, rest);
    else if ((rest = after_word(line, "note")) && !strstr(text->messages.text, rest))
        complain(&text->complaints, "no note says '%s'", rest);
    else if (!compare_derivative(text, d, line))
        compare_indexed(text, line);
}

static void each_line(struct text *text, const struct derivatives *d) {
    char *line = malloc(MOST_LINE);
    FILE *file = script_table_open(text->table);
    size_t groups = 0;
    while (next_line(file, line)) {
        if (d)
            compare_line(text, d, line, &groups);
        else
            take_setting(text, line);
    }
    if (d && groups != hn_model_group_count(text->model))
        complain(&text->complaints, "%zu groups where %zu are expected", hn_model_group_count(text->model), groups);
    fclose(file);
    free(line);
}

static void a_text_comes_out_as_its_mathematics_says(void **state) {
    struct text *text = *state;
    struct derivatives d;
    hn_error error = {.text = ""};
    text->complaints.about = text->table->name;
    text->options = hn_read_defaults();
    text->options.lets = text->let_list;
    text->options.message = keep_message;
    text->options.context = &text->messages;
    each_line(text, NULL);
    if (hn_model_read(&text->model, text->file_count, text->paths, &text->options, &error) != HN_OK)
        fail_msg("%s", error.text);
    differentiate(&d, text);
    each_line(text, &d);
    derivatives_release(&d);
    hn_model_destroy(text->model);
    free(text->x);
    free(text->y);
    complaints_must_be_none(&text->complaints);
}

/* ---- all texts ---- */

static void there_are_texts_enough(void **state) {
    const struct script_tables *tables = *state;
    assert_true(tables->count >= LEAST_TEXTS);
}

int main(void) {
    struct script_tables tables = script_tables("tests/ampl/expected.py", "text");
    struct text *texts = calloc(tables.count + 1, sizeof *texts);
    struct CMUnitTest *tests = calloc(tables.count + 1, sizeof *tests);
    tests[0] = (struct CMUnitTest){
        .name = "there_are_texts_enough", .test_func = there_are_texts_enough, .initial_state = &tables};
    for (size_t i = 0; i < tables.count; i++) {
        texts[i].table = &tables.table[i];
        tests[i + 1] = (struct CMUnitTest){.name = tables.table[i].name,
                                           .test_func = a_text_comes_out_as_its_mathematics_says,
                                           .initial_state = &texts[i]};
    }
    int failed = _cmocka_run_group_tests("ampl/texts", tests, tables.count + 1, NULL, NULL);
    script_tables_release(&tables);
    free(tests);
    free(texts);
    return failed;
}
