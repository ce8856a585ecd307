/* program.c - a program of another age than the library: it uses every struct of the kept interface and says what it got.
 *
 * test_frozen.py compiles it with stored headers as they are, with structs that end earlier (EARLIER), and with structs that
 * have a field more (LATER: `later`), and runs it on the present library. What it prints must be the same each time, but for
 * lines that begin with "size". It uses no last field of a struct.
 *
 * SPDX-License-Identifier: MIT */
#include "hardnet/evaluate.h"
#include "hardnet/layer.h"
#include "hardnet/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 20, INPUTS = 1, OUTPUTS = 2, ROWS = 2 };

static const char model_text[] = "param p >= -1, <= 1;\n"
                                 "var y{1..2} := 0.5;\n"
                                 "var unused >= 0, integer;\n"
                                 "s.t. circle: y[1]^2 + y[2]^2 = 1 + p^2;\n"
                                 "s.t. line: y[1] + unused <= 0.9;\n"
                                 "minimize cost: (y[1] - 2)^2 + y[2]^2;\n"
                                 "display y;\n";

static void need(hn_status status, const hn_error *error, const char *what) {
    if (status == HN_OK)
        return;
    printf("%s: %s\n", what, error->text);
    exit(1);
}

static void on_message(void *context, const hn_message *message) {
    (void)context;
    printf("message %d %s %zu:%zu: %s\n", (int)message->severity, message->file, message->line, message->column,
           message->size >= sizeof(size_t) ? "with a size" : "without a size");
}

static hn_model *read_model(void) {
    hn_model *model = NULL;
    hn_error error;
    hn_read_options options = hn_read_defaults();
    hn_text text = {"frozen.mod", model_text, sizeof model_text - 1};
    options.relax_integrality = true;
    options.message = on_message;
    options.context = NULL;
    printf("read %d nodes %zu\n", options.max_nodes > 0, options.max_bytes);
    need(hn_model_read_memory(&model, 1, &text, &options, &error), &error, "read");
    return model;
}

static void build_model(void) {
    hn_model *model = NULL;
    hn_error error;
    hn_model_options options = hn_model_defaults();
    need(hn_model_create(&model, &options, &error), &error, "create");
    hn_expr y = hn_output(model, "y");
    hn_constrain(model, "c", 1, hn_mul(y, y), 2);
    need(hn_model_finish(model, &error), &error, "finish");
    printf("built %s %zu\n", hn_model_row(model, 0).name, hn_model_output_count(model));
    hn_model_destroy(model);
}

static void inspect(const hn_model *model) {
    for (size_t i = 0; i < hn_model_input_count(model); i++)
        printf("input %s\n", hn_model_input(model, i).name);
    for (size_t i = 0; i < hn_model_output_count(model); i++)
        printf("output %s %d\n", hn_model_output(model, i).name, hn_is_valid(hn_model_output(model, i).lower));
    for (size_t i = 0; i < hn_model_row_count(model); i++)
        printf("row %s %zu\n", hn_model_row(model, i).name, hn_model_row(model, i).group);
    for (size_t i = 0; i < hn_model_group_count(model); i++)
        printf("group %s\n", hn_model_group(model, i).name);
    printf("objective %s, definition %d, requirement %d\n", hn_model_objective(model).name,
           hn_model_definition(model, 0).name != NULL, hn_model_requirement(model, 0).name != NULL);
}

/* Samples, and everything that a layer writes for them. */
struct samples {
    double x[COUNT], raw[COUNT][OUTPUTS + 1], y[COUNT][OUTPUTS + 1], grad[COUNT][OUTPUTS + 1], grad_x[COUNT];
    hn_report reports[COUNT + 1]; /* the last one is nobody's */
};

static void fill(struct samples *s) {
    memset(s, 0xee, sizeof *s);
    for (size_t i = 0; i < COUNT; i++) {
        s->x[i] = 0.05 * (double)i;
        s->raw[i][0] = 1 + 0.1 * (double)i;
        s->raw[i][1] = 0.7 - 0.2 * (double)i;
        s->raw[i][2] = 0.5;
    }
}

/* As the headers describe one: zeros, its size, what is given. */
static hn_batch batch_of(struct samples *s, void *tape) {
    hn_batch batch;
    memset(&batch, 0, sizeof batch);
    batch.size = sizeof batch;
    batch.count = COUNT;
    batch.x = s->x;
    batch.y_raw = s->raw[0];
    batch.y = s->y[0];
    batch.report_size = sizeof(hn_report);
    batch.reports = s->reports;
    batch.tape = tape;
    return batch;
}

static void show(const struct samples *s) {
    hn_report untouched;
    memset(&untouched, 0xee, sizeof untouched);
    for (size_t i = 0; i < COUNT; i++) {
        const hn_report *report = &s->reports[i];
        printf("%s %d %d %a %a %zu %a %a: %a %a %a\n", hn_outcome_text(report->outcome), report->iterations,
               report->steps, report->violation_before, report->violation, report->worst, report->moved,
               report->damping, s->y[i][0], s->y[i][1], s->y[i][2]);
#ifdef LATER
        if (report->later != 0)
            printf("report %zu: what the library does not know is not zero\n", i);
#endif
    }
    printf("behind the reports: %s\n",
           memcmp(&untouched, &s->reports[COUNT], sizeof untouched) == 0 ? "nothing" : "written");
}

/* A struct with something that the library does not know is refused, in words. */
static void ask_for_later(hn_pool *pool, const hn_model *model, hn_batch batch) {
#ifdef LATER
    hn_error error;
    hn_layer *layer;
    hn_layer_options options = hn_layer_defaults();
    options.later = 1;
    batch.later = 1;
    if (hn_pool_run(pool, &batch, &error) != HN_UNSUPPORTED || strcmp(error.subject, "hn_batch") != 0 ||
        !strstr(error.text, "later version"))
        printf("a batch of a later version is not refused: %s\n", error.text);
    if (hn_layer_create(&layer, model, &options, &error) != HN_UNSUPPORTED || layer)
        printf("options of a later version are not refused\n");
#else
    (void)pool, (void)model, (void)batch;
#endif
}

static void correct(const hn_model *model) {
    static struct samples s;
    hn_error error;
    hn_layer *layer = NULL;
    hn_pool *pool = NULL;
    hn_layer_options options = hn_layer_defaults();
    options.tolerance = 1e-9;
    need(hn_layer_create(&layer, model, &options, &error), &error, "layer");
    need(hn_pool_create(&pool, layer, 2, &error), &error, "pool");
    hn_layer_info info = hn_layer_info_of(layer);
    printf("layer %zu %zu %zu, tolerance %g\n", info.inputs, info.outputs, info.rows,
           hn_layer_options_of(layer).tolerance);
    void *tape = malloc(hn_layer_tape_bytes(layer, COUNT));
    fill(&s);
    hn_batch batch = batch_of(&s, tape);
    need(hn_pool_run(pool, &batch, &error), &error, "run");
    show(&s);
    hn_gradient gradient;
    memset(&gradient, 0, sizeof gradient);
    gradient.size = sizeof gradient;
    gradient.grad_y = s.raw[0];
    gradient.grad_y_raw = s.grad[0];
    gradient.grad_x = s.grad_x;
    need(hn_pool_gradient(pool, &batch, &gradient, &error), &error, "gradient");
    for (size_t i = 0; i < COUNT; i++)
        printf("gradient %a %a %a, %a\n", s.grad[i][0], s.grad[i][1], s.grad[i][2], s.grad_x[i]);
    ask_for_later(pool, model, batch);
    free(tape);
    hn_pool_destroy(pool);
    hn_layer_destroy(layer);
}

/* hn_evaluation's last field is what it is for: it stays in the headers that end earlier. */
static void evaluate(const hn_model *model) {
    double x[INPUTS] = {0.5}, y[OUTPUTS + 1] = {0.3, 0.4, 0.5}, rows[ROWS + 1], entries[16];
    hn_error error;
    hn_evaluator *evaluator = NULL;
    hn_evaluator_options options = hn_evaluator_defaults();
    options.wanted = HN_WANT(HN_QUANTITY_ROWS) | HN_WANT(HN_QUANTITY_JACOBIAN_Y);
    need(hn_evaluator_create(&evaluator, model, &options, &error), &error, "evaluator");
    hn_pattern pattern;
    pattern.size = sizeof pattern;
    need(hn_evaluator_get_pattern(evaluator, HN_QUANTITY_JACOBIAN_Y, &pattern, &error), &error, "pattern");
    hn_evaluation evaluation;
    memset(&evaluation, 0, sizeof evaluation);
    evaluation.size = sizeof evaluation;
    evaluation.count = 1;
    evaluation.x = x;
    evaluation.y = y;
    evaluation.values[HN_QUANTITY_ROWS] = rows;
    evaluation.values[HN_QUANTITY_JACOBIAN_Y] = entries;
    size_t bytes = hn_evaluator_workspace_bytes(evaluator);
    void *workspace = malloc(bytes);
    need(hn_evaluator_run(evaluator, &evaluation, workspace, bytes, &error), &error, "evaluate");
    printf("evaluated %zu rows, %zu entries:", hn_evaluator_info_of(evaluator).rows, pattern.count);
    for (size_t i = 0; i < hn_evaluator_width(evaluator, HN_QUANTITY_ROWS); i++)
        printf(" %a", rows[i]);
    for (size_t i = 0; i < pattern.count; i++)
        printf(" %u:%a", (unsigned)pattern.column[i], entries[i]);
    printf("\n");
    free(workspace);
    hn_evaluator_destroy(evaluator);
}

static void show_sizes(void) {
    printf("size hn_report %zu, hn_batch %zu, hn_layer_options %zu, hn_evaluation %zu\n", sizeof(hn_report),
           sizeof(hn_batch), sizeof(hn_layer_options), sizeof(hn_evaluation));
}

int main(void) {
    hn_error error;
    hn_model *model = read_model();
    show_sizes();
    build_model();
    inspect(model);
    correct(model);
    evaluate(model);
    hn_layer *layer = NULL;
    hn_status status = hn_layer_create(&layer, NULL, NULL, &error);
    printf("error %d %d %s: %s\n", (int)status, (int)error.code, error.subject, error.text);
    printf("at least version %d: %d\n", HN_VERSION_MINOR,
           hn_version_number() >= 10000 * HN_VERSION_MAJOR + 100 * HN_VERSION_MINOR);
    hn_model_destroy(model);
    return 0;
}
