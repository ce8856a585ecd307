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

/* ---- families ---- */

static void write_dummy(struct writer *writer, uint32_t i) {
    write_put(writer, writer->dummies_taken ? "$" : "");
    write_bytes(writer, &"ijklm"[i], 1);
}

/* {0..9, 1..2}, or with dummies {i in 0..9, j in 1..2} */
static void write_index(struct writer *writer, const struct write_run *run, bool dummies) {
    for (uint32_t i = 0; i < run->arity; i++) {
        write_put(writer, i == 0 ? "{" : ", ");
        if (dummies) {
            write_dummy(writer, i);
            write_put(writer, " in ");
        }
        write_number(writer, run->lower[i]);
        write_put(writer, "..");
        write_number(writer, run->upper[i]);
    }
    write_put(writer, "}");
}

static void write_table_name(struct writer *writer, uint32_t table) {
    write_put(writer, "$");
    write_size(writer, table);
}

/* An entry of a table: $1[i,j]. */
static void write_entry(struct writer *writer, const struct write_run *run, uint32_t table) {
    write_table_name(writer, table);
    for (uint32_t i = 0; i < run->arity; i++) {
        write_put(writer, i == 0 ? "[" : ",");
        write_dummy(writer, i);
    }
    write_put(writer, "]");
}

/* ---- declarations ---- */

/* A run of columns: its first column, and the properties that differ between columns. */
struct family {
    struct write_run *run;
    bool output;
    struct write_column first;
    bool varies[2]; /* the bounds */
    bool starts;    /* all have the same start, which is in the declaration */
};

static struct family family_of(const struct writer *writer, bool output, struct write_run *run) {
    struct family family = {run, output, write_column_at(writer->model, output, run->first), {false, false}, output};
    for (size_t i = 0; i < run->count; i++) {
        struct write_column column = write_column_at(writer->model, output, run->first + i);
        for (int side = 0; side < 2; side++)
            family.varies[side] |= !write_same_side(&column.sides[side], &family.first.sides[side]);
        if (column.start.node != family.first.start.node || hn_is_valid(column.fixed))
            family.starts = false;
    }
    return family;
}

static bool is_zero(hn_expr a) {
    double value;
    return hn_is_constant(a, &value) && value == 0;
}

static void declare_tables(struct writer *writer, const struct family *family) {
    for (int i = 0; i < 2; i++) {
        if (!family->varies[i])
            continue;
        family->run->tables[i] = ++writer->apart_count;
        write_put(writer, "param ");
        write_table_name(writer, family->run->tables[i]);
        write_index(writer, family->run, false);
        write_put(writer, ";\n");
    }
}

/* " >= lower, <= upper", as far as bounds exist. */
static bool write_sides(struct writer *writer, const struct family *family) {
    bool any = false;
    for (int i = 0; i < 2; i++) {
        const struct write_side *side = &family->first.sides[i];
        bool known = !hn_is_valid(side->expr) || hn_is_constant(side->expr, NULL);
        if (!family->varies[i] && known && side->number == (i == 1 ? INFINITY : -INFINITY))
            continue;
        write_put(writer, any ? ", " : " ");
        write_put(writer, i == 0 ? ">= " : "<= ");
        if (family->varies[i])
            write_entry(writer, family->run, family->run->tables[i]);
        else if (hn_is_valid(side->expr))
            write_expression(writer, side->expr);
        else
            write_number(writer, side->number);
        any = true;
    }
    return any;
}

static void write_family(struct writer *writer, bool output, struct write_run *run) {
    struct family family = family_of(writer, output, run);
    bool start = family.starts && !is_zero(family.first.start);
    writer->about = family.first.name;
    for (int i = 0; i < 2; i++)
        if (output && !family.varies[i])
            write_need(writer, family.first.sides[i].expr, false);
    if (start)
        write_need(writer, family.first.start, false);
    if (writer->surveying)
        return;
    declare_tables(writer, &family);
    write_put(writer, output ? "var " : "param ");
    if (run->family) {
        write_bytes(writer, family.first.name, strcspn(family.first.name, "["));
        write_index(writer, run, family.varies[0] || family.varies[1]);
    } else {
        write_leaf(writer, output, run->first);
    }
    bool any = write_sides(writer, &family);
    if (start) {
        write_put(writer, any ? ", := " : " := ");
        write_expression(writer, family.first.start);
    }
    write_put(writer, ";\n");
}

void write_columns(struct writer *writer) {
    for (int output = 0; output < 2; output++)
        for (size_t i = 0; i < writer->runs[output].count; i++)
            write_family(writer, output == 1, &writer->runs[output].list[i]);
}

/* ---- fixed values, and starts that are not in a declaration ---- */

static void write_command(struct writer *writer, const char *command, size_t output, const char *sign, hn_expr value) {
    write_need(writer, value, false);
    if (writer->surveying)
        return;
    write_put(writer, command);
    write_leaf(writer, true, output);
    write_put(writer, sign);
    write_expression(writer, value);
    write_put(writer, ";\n");
}

void write_all_values(struct writer *writer) {
    for (size_t r = 0; r < writer->runs[1].count; r++) {
        struct write_run *run = &writer->runs[1].list[r];
        bool shared = family_of(writer, true, run).starts;
        for (size_t i = run->first; i < run->first + run->count; i++) {
            struct write_column column = write_column_at(writer->model, true, i);
            bool fixed = hn_is_valid(column.fixed);
            writer->about = column.name;
            if (fixed)
                write_command(writer, "fix ", i, " := ", column.fixed);
            if (fixed && column.fixed.node != column.start.node)
                write_command(writer, "let ", i, ".start := ", column.start);
            else if (!fixed && !shared && !is_zero(column.start))
                write_command(writer, "let ", i, " := ", column.start);
        }
    }
}

/* ---- tables ---- */

static void write_key(struct writer *writer, const char *name) {
    for (const char *at = name + strcspn(name, "["); at[1] != '\0'; at++)
        write_bytes(writer, *at == '[' || *at == ',' ? " " : at, 1);
    write_put(writer, " ");
}

static void write_table(struct writer *writer, bool output, const struct write_run *run, int side) {
    enum { LINE = 80 };
    write_put(writer, "param ");
    write_table_name(writer, run->tables[side]);
    write_put(writer, " :=");
    for (size_t i = run->first; i < run->first + run->count; i++) {
        struct write_column column = write_column_at(writer->model, output, i);
        if (writer->length - writer->line > LINE)
            write_break(writer);
        write_key(writer, column.name);
        write_number(writer, column.sides[side].number);
        write_put(writer, i + 1 < run->first + run->count ? "," : ";\n");
    }
}

void write_data(struct writer *writer) {
    bool any = false;
    for (int output = 0; output < 2; output++)
        for (size_t i = 0; i < writer->runs[output].count; i++)
            for (int side = 0; side < 2; side++) {
                const struct write_run *run = &writer->runs[output].list[i];
                if (run->tables[side] == 0)
                    continue;
                write_put(writer, any ? "" : "\ndata;\n");
                any = true;
                write_table(writer, output == 1, run, side);
            }
}
