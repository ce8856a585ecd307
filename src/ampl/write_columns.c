/* write_columns.c - see write.h: inputs and outputs, with ranges, bounds and starts, fixed values, and tables of
 * numbers.
 *
 * A family is declared once. Bounds that differ among its entries are numbers in a table, `param $1{0..9}`, whose
 * entries are in the data section at the end of the text.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/write.h"

#include <math.h>
#include <string.h>

static void write_columns_put(struct writer *writer, const char *text) {
    write_string(&writer->out, text);
}

/* ---- families ---- */

static void write_index(struct writer *writer, const struct write_run *run, bool dummies) {
    static const char letters[] = "ijklm";
    for (uint32_t i = 0; i < run->arity; i++) {
        write_columns_put(writer, i == 0 ? "{" : ", ");
        if (dummies) {
            write_columns_put(writer, writer->dummies_taken ? "$" : "");
            write_bytes(&writer->out, &letters[i], 1);
            write_columns_put(writer, " in ");
        }
        write_number(&writer->out, run->lower[i]);
        write_columns_put(writer, "..");
        write_number(&writer->out, run->upper[i]);
    }
    write_columns_put(writer, "}");
}

static void write_family_name(struct writer *writer, bool input, const struct write_run *run) {
    const char *name =
        input ? hn_model_input(writer->model, run->first).name : hn_model_output(writer->model, run->first).name;
    write_bytes(&writer->out, name, strcspn(name, "["));
}

/* An entry of a table: $1[i,j]. */
static void write_entry(struct writer *writer, const struct write_run *run, uint32_t table) {
    static const char letters[] = "ijklm";
    write_columns_put(writer, "$");
    write_size(&writer->out, table);
    for (uint32_t i = 0; i < run->arity; i++) {
        write_columns_put(writer, i == 0 ? "[" : ",");
        write_columns_put(writer, writer->dummies_taken ? "$" : "");
        write_bytes(&writer->out, &letters[i], 1);
    }
    write_columns_put(writer, "]");
}

/* A bound: an expression that depends on inputs, or a number, which may differ among entries. */
struct side {
    hn_expr expr; /* invalid: a number */
    double number;
    bool varies; /* differs among the entries of a family */
};

static bool is_unbounded(const struct side *side, bool upper) {
    double value = side->number;
    if (side->varies || (hn_is_valid(side->expr) && !hn_is_constant(side->expr, &value)))
        return false;
    return value == (upper ? INFINITY : -INFINITY);
}

static void declare_tables(struct writer *writer, struct write_run *run, const struct side sides[2]) {
    for (int i = 0; i < 2; i++) {
        if (!sides[i].varies)
            continue;
        run->tables[i] = ++writer->apart_count;
        write_columns_put(writer, "param $");
        write_size(&writer->out, run->tables[i]);
        write_index(writer, run, false);
        write_columns_put(writer, ";\n");
    }
}

/* " >= lower, <= upper", as far as bounds exist. */
static bool write_sides(struct writer *writer, const struct write_run *run, const struct side sides[2]) {
    bool any = false;
    for (int i = 0; i < 2; i++) {
        if (is_unbounded(&sides[i], i == 1))
            continue;
        write_columns_put(writer, any ? ", " : " ");
        write_columns_put(writer, i == 0 ? ">= " : "<= ");
        if (sides[i].varies)
            write_entry(writer, run, run->tables[i]);
        else if (hn_is_valid(sides[i].expr))
            write_expression(writer, sides[i].expr);
        else
            write_number(&writer->out, sides[i].number);
        any = true;
    }
    return any;
}

/* ---- inputs ---- */

/* Bitwise: zeros of different signs differ. */
static bool same_number(double a, double b) {
    return a == b && !signbit(a) == !signbit(b);
}

static void write_input(struct writer *writer, struct write_run *run) {
    hn_input_info first = hn_model_input(writer->model, run->first);
    struct side sides[2] = {{.number = first.lower}, {.number = first.upper}};
    if (writer->surveying)
        return;
    for (size_t i = 1; i < run->count; i++) {
        hn_input_info input = hn_model_input(writer->model, run->first + i);
        sides[0].varies |= !same_number(input.lower, first.lower);
        sides[1].varies |= !same_number(input.upper, first.upper);
    }
    declare_tables(writer, run, sides);
    write_columns_put(writer, "param ");
    if (run->family) {
        write_family_name(writer, true, run);
        write_index(writer, run, sides[0].varies || sides[1].varies);
    } else {
        write_leaf(writer, true, run->first);
    }
    write_sides(writer, run, sides);
    write_columns_put(writer, ";\n");
}

/* ---- outputs ---- */

static bool is_zero(hn_expr a) {
    double value;
    return hn_is_constant(a, &value) && value == 0;
}

/* Whether all entries have the same start, which then is in the declaration. */
static bool shares_start(const struct writer *writer, const struct write_run *run) {
    uint32_t start = hn_model_output(writer->model, run->first).start.node;
    for (size_t i = 0; i < run->count; i++) {
        hn_output_info output = hn_model_output(writer->model, run->first + i);
        if (output.start.node != start || hn_is_valid(output.fixed))
            return false;
    }
    return true;
}

static void output_sides(const struct writer *writer, const struct write_run *run, struct side sides[2]) {
    hn_output_info first = hn_model_output(writer->model, run->first);
    sides[0] = (struct side){.expr = first.lower};
    sides[1] = (struct side){.expr = first.upper};
    for (size_t i = 1; i < run->count; i++) {
        hn_output_info output = hn_model_output(writer->model, run->first + i);
        sides[0].varies |= output.lower.node != first.lower.node;
        sides[1].varies |= output.upper.node != first.upper.node;
    }
}

static void write_output(struct writer *writer, struct write_run *run) {
    hn_output_info first = hn_model_output(writer->model, run->first);
    struct side sides[2];
    bool start = shares_start(writer, run) && !is_zero(first.start);
    output_sides(writer, run, sides);
    for (int i = 0; i < 2; i++)
        if (!sides[i].varies)
            write_need(writer, sides[i].expr, false);
    if (start)
        write_need(writer, first.start, false);
    if (writer->surveying)
        return;
    declare_tables(writer, run, sides);
    write_columns_put(writer, "var ");
    if (run->family) {
        write_family_name(writer, false, run);
        write_index(writer, run, sides[0].varies || sides[1].varies);
    } else {
        write_leaf(writer, false, run->first);
    }
    bool any = write_sides(writer, run, sides);
    if (start) {
        write_columns_put(writer, any ? ", := " : " := ");
        write_expression(writer, first.start);
    }
    write_columns_put(writer, ";\n");
}

static void write_command(struct writer *writer, const char *command, size_t output, const char *sign, hn_expr value) {
    write_need(writer, value, false);
    if (writer->surveying)
        return;
    write_columns_put(writer, command);
    write_leaf(writer, false, output);
    write_columns_put(writer, sign);
    write_expression(writer, value);
    write_columns_put(writer, ";\n");
}

/* Fixed values, and starts that are not in a declaration. */
static void write_values(struct writer *writer, const struct write_run *run) {
    bool shared = shares_start(writer, run);
    for (size_t i = run->first; i < run->first + run->count; i++) {
        hn_output_info output = hn_model_output(writer->model, i);
        writer->about = output.name;
        if (hn_is_valid(output.fixed))
            write_command(writer, "fix ", i, " := ", output.fixed);
        if (hn_is_valid(output.fixed) && output.fixed.node != output.start.node)
            write_command(writer, "let ", i, ".start := ", output.start);
        else if (!hn_is_valid(output.fixed) && !shared && !is_zero(output.start))
            write_command(writer, "let ", i, " := ", output.start);
    }
}

/* ---- all columns ---- */

void write_columns(struct writer *writer) {
    for (size_t i = 0; i < writer->inputs.count; i++) {
        writer->about = hn_model_input(writer->model, writer->inputs.list[i].first).name;
        write_input(writer, &writer->inputs.list[i]);
    }
    for (size_t i = 0; i < writer->outputs.count; i++) {
        writer->about = hn_model_output(writer->model, writer->outputs.list[i].first).name;
        write_output(writer, &writer->outputs.list[i]);
    }
}

void write_all_values(struct writer *writer) {
    for (size_t i = 0; i < writer->outputs.count; i++)
        write_values(writer, &writer->outputs.list[i]);
}

/* ---- tables ---- */

static double bound_of(const hn_model *model, bool input, size_t index, int side) {
    double number = 0;
    if (input)
        return side == 0 ? hn_model_input(model, index).lower : hn_model_input(model, index).upper;
    hn_output_info output = hn_model_output(model, index);
    hn_is_constant(side == 0 ? output.lower : output.upper, &number);
    return number;
}

static void write_key(struct writer *writer, const char *name) {
    for (const char *at = name + strcspn(name, "["); at[1] != '\0'; at++)
        write_bytes(&writer->out, *at == '[' || *at == ',' ? " " : at, 1);
    write_columns_put(writer, " ");
}

static void write_table(struct writer *writer, bool input, const struct write_run *run, int side) {
    const hn_model *model = writer->model;
    write_columns_put(writer, "param $");
    write_size(&writer->out, run->tables[side]);
    write_columns_put(writer, " :=");
    for (size_t i = run->first; i < run->first + run->count; i++) {
        enum { LINE = 80 };
        if (writer->out.length - writer->out.line > LINE)
            write_break(&writer->out);
        write_key(writer, input ? hn_model_input(model, i).name : hn_model_output(model, i).name);
        write_number(&writer->out, bound_of(model, input, i, side));
        write_columns_put(writer, i + 1 < run->first + run->count ? "," : ";\n");
    }
}

static void write_tables(struct writer *writer, bool input, const struct write_runs *runs, bool *any) {
    for (size_t i = 0; i < runs->count; i++)
        for (int side = 0; side < 2; side++) {
            if (runs->list[i].tables[side] == 0)
                continue;
            write_columns_put(writer, *any ? "" : "\ndata;\n");
            *any = true;
            write_table(writer, input, &runs->list[i], side);
        }
}

void write_data(struct writer *writer) {
    bool any = false;
    write_tables(writer, true, &writer->inputs, &any);
    write_tables(writer, false, &writer->outputs, &any);
}
