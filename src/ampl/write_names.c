/* write_names.c - see write.h: names in the text, and inputs or outputs that share a declaration.
 *
 * Consecutive u[0,1], u[0,2], u[1,1], u[1,2] become `var u{0..1, 1..2}` if these are all names of the family u, no
 * other part is called u, and their bounds are equal or numbers. Everything else is declared by its whole name, in
 * backquotes: `u[0,1]`.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/write.h"

#include "ampl/words.h"
#include "base/arena.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* ---- names ---- */

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool looks_plain(const char *name, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (!is_letter(name[i]) && !(i > 0 && name[i] >= '0' && name[i] <= '9'))
            return false;
    return length > 0;
}

bool write_is_plain(struct writer *writer, const char *name, size_t length) {
    uint32_t symbol = 0;
    if (!looks_plain(name, length))
        return false;
    if (!ampl_symbols_intern(&writer->symbols, name, length, &symbol))
        write_no_memory(writer);
    return symbol >= AMPL_WORD_COUNT;
}

static void write_quoted(struct writer *writer, const char *name) {
    if (strpbrk(name, "\r\n")) {
        writer->about = name;
        write_fail(writer, HN_UNSUPPORTED, "%s: the name has a line break, which a model text cannot express", name);
    }
    write_put(writer, "`");
    for (const char *end; (end = strchr(name, '`')); name = end + 1) {
        write_bytes(writer, name, (size_t)(end - name));
        write_put(writer, "``");
    }
    write_put(writer, name);
    write_put(writer, "`");
}

void write_name(struct writer *writer, const char *name) {
    if (write_is_plain(writer, name, strlen(name)))
        write_put(writer, name);
    else
        write_quoted(writer, name);
}

void write_leaf(struct writer *writer, bool output, size_t index) {
    const char *name = write_column_at(writer->model, output, index).name;
    if (writer->runs[output].plain[index])
        write_put(writer, name);
    else
        write_quoted(writer, name);
}

/* ---- columns ---- */

size_t write_column_count(const hn_model *model, bool output) {
    return output ? hn_model_output_count(model) : hn_model_input_count(model);
}

struct write_column write_column_at(const hn_model *model, bool output, size_t index) {
    if (!output) {
        hn_input_info input = hn_model_input(model, index);
        return (struct write_column){.name = input.name, .sides = {{.number = input.lower}, {.number = input.upper}}};
    }
    hn_output_info info = hn_model_output(model, index);
    struct write_column column = {info.name, {{info.lower, 0}, {info.upper, 0}}, info.start, info.fixed};
    hn_is_constant(info.lower, &column.sides[0].number);
    hn_is_constant(info.upper, &column.sides[1].number);
    return column;
}

/* Bitwise: zeros of different signs differ. */
bool write_same_side(const struct write_side *a, const struct write_side *b) {
    return a->expr.node == b->expr.node && a->number == b->number && !signbit(a->number) == !signbit(b->number);
}

/* ---- families ---- */

static const char *name_of(const hn_model *model, bool output, size_t index) {
    return write_column_at(model, output, index).name;
}

struct label {
    size_t family; /* length of the name before '[' */
    uint32_t arity;
    int32_t key[WRITE_MOST_ARITY];
};

/* An integer as in labels: no leading zeros, at most nine digits. */
static const char *read_key(const char *at, int32_t *key) {
    bool minus = *at == '-';
    const char *digits = at + minus, *end = digits;
    int32_t value = 0;
    for (; *end >= '0' && *end <= '9' && end - digits < 9; end++)
        value = 10 * value + (*end - '0');
    bool good = end > digits && (digits[0] != '0' || (end == digits + 1 && !minus));
    *key = minus ? -value : value;
    return good ? end : NULL;
}

/* name[1,2] with integers. */
static bool read_label(const char *name, struct label *label) {
    *label = (struct label){.family = strcspn(name, "[")};
    const char *at = name + label->family;
    if (*at != '[')
        return false;
    do {
        if (label->arity == WRITE_MOST_ARITY)
            return false;
        at = read_key(at + 1, &label->key[label->arity++]);
    } while (at && *at == ',');
    return at && at[0] == ']' && at[1] == '\0';
}

/* The next key, last component fastest; false after the last one. */
static bool next_key(const struct write_run *run, int32_t *key) {
    for (uint32_t i = run->arity; i-- > 0;) {
        if (key[i] < run->upper[i]) {
            key[i]++;
            return true;
        }
        key[i] = run->lower[i];
    }
    return false;
}

/* Whether the names of the run are exactly those of its ranges, in order. */
static bool is_rectangle(const hn_model *model, bool output, const struct write_run *run) {
    int32_t key[WRITE_MOST_ARITY];
    struct label label;
    bool more = true;
    memcpy(key, run->lower, sizeof key);
    for (uint32_t i = 0; i < run->arity; i++)
        if (run->lower[i] > run->upper[i])
            return false;
    for (size_t i = 0; i < run->count; i++) {
        read_label(name_of(model, output, run->first + i), &label);
        if (!more || memcmp(label.key, key, run->arity * sizeof *key) != 0)
            return false;
        more = next_key(run, key);
    }
    return !more;
}

static bool same_family(const char *a, const char *b, const struct label *p, const struct label *q) {
    return p->family == q->family && p->arity == q->arity && memcmp(a, b, p->family) == 0;
}

/* The maximal run of one family from first on, possibly a single name. */
static struct write_run run_at(const hn_model *model, bool output, size_t first, size_t count) {
    struct write_run run = {.first = first, .count = 1};
    const char *name = name_of(model, output, first);
    struct label start, label;
    if (!read_label(name, &start))
        return run;
    label = start;
    for (; first + run.count < count; run.count++) {
        struct label next;
        const char *other = name_of(model, output, first + run.count);
        if (!read_label(other, &next) || !same_family(name, other, &start, &next))
            break;
        label = next;
    }
    run.family = true;
    run.arity = start.arity;
    memcpy(run.lower, start.key, sizeof run.lower);
    memcpy(run.upper, label.key, sizeof run.upper);
    run.family = is_rectangle(model, output, &run);
    return run;
}

/* ---- joint declarations ---- */

/* Bounds must be equal for all entries, or numbers, which go into a table. */
static bool bounds_fit(const hn_model *model, bool output, const struct write_run *run) {
    struct write_column first = write_column_at(model, output, run->first);
    bool same[2] = {true, true}, numbers[2] = {true, true};
    for (size_t i = 0; i < run->count; i++) {
        struct write_column column = write_column_at(model, output, run->first + i);
        for (int side = 0; side < 2; side++) {
            hn_expr expr = column.sides[side].expr;
            same[side] &= write_same_side(&column.sides[side], &first.sides[side]);
            numbers[side] &= !hn_is_valid(expr) || hn_is_constant(expr, NULL);
        }
    }
    return (same[0] || numbers[0]) && (same[1] || numbers[1]);
}

/* Counts how often a name is declared: as a family or as a part with exactly this name. */
static bool count_name(struct writer *writer, struct names *counts, const char *name, size_t length) {
    uint32_t *count = names_find(counts, name, length);
    writer->dummies_taken |= length == 1 && strchr("ijklm", name[0]);
    if (!count)
        return names_add(counts, name, length, 1);
    ++*count;
    return true;
}

/* A name without '[', which might be the name of a family. */
static bool count_whole(struct writer *writer, struct names *counts, const char *name) {
    return strchr(name, '[') || count_name(writer, counts, name, strlen(name));
}

static bool count_others(struct writer *writer, struct names *counts) {
    const hn_model *model = writer->model;
    const char *objective = hn_model_objective(model).name;
    bool good = !objective || count_whole(writer, counts, objective);
    for (size_t i = 0; good && i < hn_model_row_count(model); i++)
        good = count_whole(writer, counts, hn_model_row(model, i).name);
    for (size_t i = 0; good && i < hn_model_definition_count(model); i++)
        good = count_whole(writer, counts, hn_model_definition(model, i).name);
    return good;
}

static bool add_run(struct write_runs *runs, struct write_run run) {
    bool good = array_room(&runs->list, &runs->capacity, runs->count + 1, sizeof run);
    if (good)
        runs->list[runs->count++] = run;
    return good;
}

static bool collect_runs(struct writer *writer, bool output, struct names *counts) {
    const hn_model *model = writer->model;
    size_t count = write_column_count(model, output);
    for (size_t i = 0; i < count;) {
        struct write_run run = run_at(model, output, i, count);
        const char *name = name_of(model, output, i);
        size_t length = strcspn(name, "[");
        if (!count_name(writer, counts, name, length))
            return false;
        run.family = run.family && write_is_plain(writer, name, length) && bounds_fit(model, output, &run);
        if (!add_run(&writer->runs[output], run))
            return false;
        i += run.count;
    }
    return true;
}

/* Splits runs that are not families or whose name is used, and classifies every name. */
static bool split_runs(struct writer *writer, bool output, const struct names *counts) {
    const struct write_runs runs = writer->runs[output];
    struct write_runs settled = {.plain = runs.plain};
    bool good = true;
    for (size_t r = 0; good && r < runs.count; r++) {
        struct write_run run = runs.list[r];
        const char *name = name_of(writer->model, output, run.first);
        size_t length = strcspn(name, "["), count = run.count;
        run.family = run.family && *names_find(counts, name, length) == 1;
        for (size_t k = 0; k < count; k++)
            runs.plain[run.first + k] = run.family || (name[length] == '\0' && write_is_plain(writer, name, length));
        if (!run.family)
            run.count = 1;
        for (size_t end = run.first + count; good && run.first < end; run.first += run.count)
            good = add_run(&settled, run);
    }
    base_release(runs.list);
    writer->runs[output] = settled;
    return good;
}

bool write_find_runs(struct writer *writer) {
    struct names counts = {NULL, 0, 0};
    bool good = true;
    for (int output = 0; output < 2; output++) {
        writer->runs[output].plain = base_allocate(write_column_count(writer->model, output == 1) + 1);
        good = good && writer->runs[output].plain && collect_runs(writer, output == 1, &counts);
    }
    good = good && count_others(writer, &counts) && split_runs(writer, false, &counts) &&
           split_runs(writer, true, &counts);
    names_release(&counts);
    return good;
}
