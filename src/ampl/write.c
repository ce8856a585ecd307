/* write.c - writes a finished model as text, and verifies that the text reads back to the same model.
 *
 * Columns (write_columns.c), checks, definitions, objective, constraints, in the order of the model's lists, which
 * determines the numbers of columns and rows.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/write.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "hardnet/read.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void write_fail(struct writer *writer, hn_status status, const char *format, ...) {
    char text[sizeof writer->error.text];
    if (writer->status != HN_OK)
        return;
    writer->status = status;
    va_list arguments;
    va_start(arguments, format);
    error_format(text, sizeof text, format, arguments);
    va_end(arguments);
    if (status == HN_NO_MEMORY)
        error_no_memory(&writer->error, "model text");
    else
        error_about(&writer->error, status, error_part(writer->about), "%s", text);
}

void write_no_memory(struct writer *writer) {
    write_fail(writer, HN_NO_MEMORY, "model text: out of memory");
}

/* ---- the text ---- */

void write_bytes(struct writer *writer, const char *bytes, size_t length) {
    size_t needed = size_sum(size_sum(writer->length, length), 1);
    if (writer->status != HN_OK || !array_room(&writer->text, &writer->capacity, needed, 1)) {
        write_no_memory(writer);
        return;
    }
    memcpy(writer->text + writer->length, bytes, length);
    writer->length += length;
    writer->text[writer->length] = '\0';
    if (length > 0 && bytes[length - 1] == '\n')
        writer->line = writer->length;
}

void write_put(struct writer *writer, const char *text) {
    write_bytes(writer, text, strlen(text));
}

void write_break(struct writer *writer) {
    write_put(writer, "\n");
    write_put(writer, "    ");
}

void write_size(struct writer *writer, size_t number) {
    char digits[24];
    size_t n = sizeof digits;
    do
        digits[--n] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    write_bytes(writer, digits + n, sizeof digits - n);
}

void write_number(struct writer *writer, double value) {
    enum { SMALL = 1000000 };
    if (value >= 1 && value < SMALL && value == (double)(uint32_t)value)
        write_size(writer, (size_t)value);
    else
        write_put(writer, error_number(value).text);
}

static bool write_is_number(hn_expr a, double number) {
    double value;
    return hn_is_constant(a, &value) && value == number;
}

/* ---- requirements, definitions, objective ---- */

/* Whether it is the name that the reader assigns to the check with this number: "check 3". */
static bool is_numbered(const char *name, size_t number) {
    char label[32];
    snprintf(label, sizeof label, "check %zu", number);
    return strcmp(label, name) == 0;
}

static void write_requirement(struct writer *writer, size_t index) {
    hn_named_expr requirement = hn_model_requirement(writer->model, index);
    writer->about = requirement.name;
    if (write_is_number(requirement.value, 0))
        write_fail(writer, HN_UNSUPPORTED, "%s: the requirement is never satisfied, which a model text cannot express",
                   requirement.name);
    write_need(writer, requirement.value, true);
    if (writer->surveying)
        return;
    write_put(writer, "check");
    if (!is_numbered(requirement.name, index + 1) || hn_is_constant(requirement.value, NULL)) {
        write_put(writer, " ");
        write_name(writer, requirement.name);
    }
    write_put(writer, ": ");
    write_condition(writer, requirement.value);
    write_put(writer, ";\n");
}

/* From here on the name replaces its expression, if a variable may appear there and the expression was not written
 * before. */
static void write_definition(struct writer *writer, size_t index) {
    hn_named_expr definition = hn_model_definition(writer->model, index);
    hn_expr_info info;
    hn_expr expr = write_resolve(definition.value, &info);
    struct write_node *node = &writer->nodes[expr.node];
    bool fresh = !(node->flags & WRITE_SEEN);
    writer->about = definition.name;
    write_need(writer, expr, false);
    if (writer->surveying && fresh && node->flags & WRITE_OUTPUTS && !(node->flags & WRITE_NUMBER) &&
        !write_is_short(expr, &info))
        node->definition = (uint32_t)index + 1;
    if (writer->surveying)
        return;
    write_put(writer, "var ");
    write_name(writer, definition.name);
    write_put(writer, " = ");
    if (node->definition == index + 1)
        write_body(writer, expr);
    else
        write_expression(writer, expr);
    write_put(writer, ";\n");
}

static void write_objective(struct writer *writer) {
    hn_objective_info objective = hn_model_objective(writer->model);
    if (!objective.name)
        return;
    writer->about = objective.name;
    write_need(writer, objective.minimized, false);
    if (writer->surveying)
        return;
    write_put(writer, objective.maximize ? "maximize " : "minimize ");
    write_name(writer, objective.name);
    write_put(writer, ": ");
    if (objective.maximize)
        write_negative(writer, objective.minimized);
    else
        write_expression(writer, objective.minimized);
    write_put(writer, ";\n");
}

/* ---- constraints ---- */

/* Bounds of an output are rows too, but have no separate statements. */
static bool is_bound_of_output(const struct writer *writer, const hn_row_info *row) {
    hn_expr_info info = {.size = sizeof info};
    return hn_expr_get_info(row->body, &info, NULL) == HN_OK && info.op == HN_OPERATOR_OUTPUT &&
           strcmp(hn_model_output(writer->model, info.index).name, row->name) == 0;
}

static bool is_equality(const hn_row_info *row) {
    double lower, upper;
    return row->lower.node == row->upper.node ||
           (hn_is_constant(row->lower, &lower) && hn_is_constant(row->upper, &upper) && lower == upper);
}

static void write_row_text(struct writer *writer, const hn_row_info *row) {
    bool low = !write_is_number(row->lower, -INFINITY), high = !write_is_number(row->upper, INFINITY),
         equal = is_equality(row);
    write_put(writer, "subject to ");
    write_name(writer, row->name);
    write_put(writer, ": ");
    if (low && high && !equal) {
        write_expression(writer, row->lower);
        write_put(writer, " <= ");
    }
    write_expression(writer, row->body);
    write_put(writer, equal ? " = " : high ? " <= " : " >= ");
    write_expression(writer, high ? row->upper : row->lower);
    write_put(writer, ";\n");
}

/* The reader compares a row without variables with its bounds, and fails if it is violated. */
static void check_constant_row(struct writer *writer, const hn_row_info *row) {
    double value, lower = -INFINITY, upper = INFINITY;
    if (!hn_is_constant(row->body, &value))
        return;
    hn_is_constant(row->lower, &lower);
    hn_is_constant(row->upper, &upper);
    if (!(value >= lower && value <= upper))
        write_fail(writer, HN_UNSUPPORTED,
                   "%s: the constant value %s violates the bounds, which a model text cannot express", row->name,
                   error_number(value).text);
}

static void write_row(struct writer *writer, size_t index) {
    hn_row_info row = hn_model_row(writer->model, index);
    if (is_bound_of_output(writer, &row))
        return;
    writer->about = row.name;
    check_constant_row(writer, &row);
    write_need(writer, row.lower, false);
    write_need(writer, row.body, false);
    if (!is_equality(&row))
        write_need(writer, row.upper, false);
    if (!writer->surveying)
        write_row_text(writer, &row);
}

/* ---- all statements ---- */

/* A blank line between nonempty parts of the text. */
static void separate(struct writer *writer, size_t *before) {
    if (!writer->surveying && writer->length > *before)
        write_put(writer, "\n");
    *before = writer->length;
}

static void write_statements(struct writer *writer) {
    const hn_model *model = writer->model;
    size_t before = writer->length;
    write_columns(writer);
    separate(writer, &before);
    write_all_values(writer);
    separate(writer, &before);
    for (size_t i = 0; i < hn_model_requirement_count(model); i++)
        write_requirement(writer, i);
    separate(writer, &before);
    for (size_t i = 0; i < hn_model_definition_count(model); i++)
        write_definition(writer, i);
    separate(writer, &before);
    write_objective(writer);
    separate(writer, &before);
    for (size_t i = 0; i < hn_model_row_count(model); i++)
        write_row(writer, i);
}

static void write_all(struct writer *writer) {
    if (!ampl_symbols_create(&writer->symbols) || !write_find_runs(writer) || !write_survey_start(writer)) {
        write_no_memory(writer);
        return;
    }
    write_statements(writer);
    write_survey_end(writer);
    if (writer->status != HN_OK)
        return;
    write_put(writer,
              "# Written by hardnet. Any text in backquotes is a name; $1, $2, ... have no name in the model.\n\n");
    write_statements(writer);
    write_data(writer);
}

/* ---- verification ---- */

struct prints {
    char mathematics[HN_FINGERPRINT_BYTES], names[HN_FINGERPRINT_BYTES];
};

static hn_status take_prints(const hn_model *model, struct prints *prints, hn_error *error) {
    hn_status status = hn_model_fingerprint(model, prints->mathematics, error);
    return status == HN_OK ? hn_model_names_fingerprint(model, prints->names, error) : status;
}

/* Final check: rejects a text that reads back to another model. */
static hn_status prove(const struct writer *writer, const struct prints *prints, hn_error *error) {
    const hn_text text = {"the model's text", writer->text, writer->length};
    hn_read_options options = hn_read_defaults();
    hn_model *model = NULL;
    struct prints again;
    size_t nodes = hn_model_node_count(writer->model);
    if (options.max_nodes / 4 < nodes)
        options.max_nodes = nodes < SIZE_MAX / 4 ? 4 * nodes : SIZE_MAX;
    if (options.max_bytes < text.length)
        options.max_bytes = text.length;
    hn_status status = hn_model_read_memory(&model, 1, &text, &options, error);
    if (status == HN_OK)
        status = take_prints(model, &again, error);
    if (status == HN_OK && memcmp(prints, &again, sizeof again) != 0)
        status = error_set(error, HN_UNSUPPORTED,
                           "model: not exactly expressible as text: it would be simplified when it is read, to a model "
                           "with another fingerprint");
    hn_model_destroy(model);
    return status;
}

static void release_writer(struct writer *writer) {
    ampl_symbols_release(&writer->symbols);
    for (int i = 0; i < 2; i++) {
        base_release(writer->runs[i].list);
        base_release(writer->runs[i].plain);
    }
    base_release(writer->nodes);
    base_release(writer->order);
    base_release(writer->ends);
    base_release(writer->stack);
    base_release(writer->next);
}

static hn_status check_request(const hn_model *model, char **text, size_t *length, hn_error *error) {
    if (!text)
        return error_missing(error, "hn_model_write", "text");
    *text = NULL;
    if (length)
        *length = 0;
    return hn_model_status(model, error);
}

hn_status hn_model_write(const hn_model *model, char **text, size_t *length, hn_error *error) {
    struct prints prints;
    struct writer writer = {.model = model, .status = HN_OK};
    hn_status status = check_request(model, text, length, error);
    if (status != HN_OK)
        return status;
    status = take_prints(model, &prints, error);
    if (status == HN_INVALID)
        return error_about(error, HN_INVALID, error_argument("model"), "hn_model_write: the model is not finished");
    if (status != HN_OK)
        return status;
    for (size_t i = 0; i < hn_model_row_count(model); i++) {
        hn_row_info row = hn_model_row(model, i);
        if (row.set != HN_SET_BOX)
            return error_about(error, HN_UNSUPPORTED, error_part(row.block),
                               "constraint %s: model files do not support sets of rows (psd, soc)", row.block);
    }
    write_all(&writer);
    if (writer.status != HN_OK && error)
        *error = writer.error;
    status = writer.status == HN_OK ? prove(&writer, &prints, error) : writer.status;
    release_writer(&writer);
    if (status != HN_OK) {
        base_release(writer.text);
        return status;
    }
    *text = writer.text;
    if (length)
        *length = writer.length;
    return HN_OK;
}

void hn_text_release(char *text) {
    base_release(text);
}
