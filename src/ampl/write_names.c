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
        write_fail(writer, HN_NO_MEMORY, "model text: out of memory");
    return symbol >= AMPL_WORD_COUNT;
}

static void write_quoted(struct writer *writer, const char *name) {
    if (strpbrk(name, "\r\n")) {
        writer->about = name;
        write_fail(writer, HN_UNSUPPORTED, "%s: the name has a line break, which a model text cannot express", name);
    }
    write_string(&writer->out, "`");
    for (const char *end; (end = strchr(name, '`')); name = end + 1) {
        write_bytes(&writer->out, name, (size_t)(end - name));
        write_string(&writer->out, "``");
    }
    write_string(&writer->out, name);
    write_string(&writer->out, "`");
}

void write_name(struct writer *writer, const char *name) {
    if (write_is_plain(writer, name, strlen(name)))
        write_string(&writer->out, name);
    else
        write_quoted(writer, name);
}

static const char *name_of(const hn_model *model, bool input, size_t index) {
    return input ? hn_model_input(model, index).name : hn_model_output(model, index).name;
}

void write_leaf(struct writer *writer, bool input, size_t index) {
    const char *name = name_of(writer->model, input, index);
    if (input ? writer->input_plain[index] : writer->output_plain[index])
        write_string(&writer->out, name);
    else
        write_quoted(writer, name);
}

/* ---- families ---- */

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
static bool is_rectangle(const hn_model *model, bool input, const struct write_run *run) {
    int32_t key[WRITE_MOST_ARITY];
    struct label label;
    bool more = true;
    memcpy(key, run->lower, sizeof key);
    for (uint32_t i = 0; i < run->arity; i++)
        if (run->lower[i] > run->upper[i])
            return false;
    for (size_t i = 0; i < run->count; i++) {
        read_label(name_of(model, input, run->first + i), &label);
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
static struct write_run run_at(const hn_model *model, bool input, size_t first, size_t count) {
    struct write_run run = {.first = first, .count = 1};
    const char *name = name_of(model, input, first);
    struct label start, label;
    if (!read_label(name, &start))
        return run;
    label = start;
    for (; first + run.count < count; run.count++) {
        struct label next;
        const char *other = name_of(model, input, first + run.count);
        if (!read_label(other, &next) || !same_family(name, other, &start, &next))
            break;
        label = next;
    }
    run.family = true;
    run.arity = start.arity;
    memcpy(run.lower, start.key, sizeof run.lower);
    memcpy(run.upper, label.key, sizeof run.upper);
    run.family = is_rectangle(model, input, &run);
    return run;
}

/* ---- whether a family can be declared at once ---- */

static bool write_names_is_number(hn_expr a) {
    return hn_is_constant(a, NULL);
}

/* Bounds of outputs: equal for all entries, or numbers, which go into a table. */
static bool bounds_fit(const hn_model *model, const struct write_run *run) {
    hn_output_info first = hn_model_output(model, run->first);
    bool same[2] = {true, true}, numbers[2] = {true, true};
    for (size_t i = 0; i < run->count; i++) {
        hn_output_info output = hn_model_output(model, run->first + i);
        same[0] &= output.lower.node == first.lower.node;
        same[1] &= output.upper.node == first.upper.node;
        numbers[0] &= write_names_is_number(output.lower);
        numbers[1] &= write_names_is_number(output.upper);
    }
    return (same[0] || numbers[0]) && (same[1] || numbers[1]);
}

/* How often a name is declared: as a family or as a part with exactly this name. */
struct census {
    uint32_t *counts; /* by symbol */
    size_t capacity, count;
};

static bool count_name(struct writer *writer, struct census *census, const char *name, size_t length) {
    uint32_t symbol;
    if (!ampl_symbols_intern(&writer->symbols, name, length, &symbol))
        return false;
    uint32_t *counts = array_grow(census->counts, &census->capacity, (size_t)symbol + 1, sizeof *counts);
    if (!counts)
        return false;
    census->counts = counts;
    for (; census->count <= symbol; census->count++)
        counts[census->count] = 0;
    counts[symbol]++;
    writer->dummies_taken |= length == 1 && strchr("ijklm", name[0]);
    return true;
}

/* A name without '[', which might be the name of a family. */
static bool count_whole(struct writer *writer, struct census *census, const char *name) {
    return strchr(name, '[') || count_name(writer, census, name, strlen(name));
}

static bool count_others(struct writer *writer, struct census *census) {
    const hn_model *model = writer->model;
    const char *objective = hn_model_objective(model).name;
    bool good = !objective || count_whole(writer, census, objective);
    for (size_t i = 0; good && i < hn_model_row_count(model); i++)
        good = count_whole(writer, census, hn_model_row(model, i).name);
    for (size_t i = 0; good && i < hn_model_definition_count(model); i++)
        good = count_whole(writer, census, hn_model_definition(model, i).name);
    return good;
}

static bool add_run(struct write_runs *runs, struct write_run run) {
    struct write_run *list = array_grow(runs->list, &runs->capacity, runs->count + 1, sizeof *list);
    if (!list)
        return false;
    runs->list = list;
    list[runs->count++] = run;
    return true;
}

static bool write_names_collect(struct writer *writer, bool input, struct write_runs *runs, struct census *census) {
    const hn_model *model = writer->model;
    size_t count = input ? hn_model_input_count(model) : hn_model_output_count(model);
    for (size_t i = 0; i < count;) {
        struct write_run run = run_at(model, input, i, count);
        const char *name = name_of(model, input, i);
        size_t length = strcspn(name, "[");
        if (!count_name(writer, census, name, length))
            return false;
        run.family = run.family && write_is_plain(writer, name, length) && (input || bounds_fit(model, &run));
        if (!add_run(runs, run))
            return false;
        i += run.count;
    }
    return true;
}

/* Splits runs that are not families or whose name is used, and classifies every name. */
static bool write_names_settle(struct writer *writer, bool input, struct write_runs *runs,
                               const struct census *census) {
    struct write_runs settled = {NULL, 0, 0};
    bool good = true;
    for (size_t r = 0; good && r < runs->count; r++) {
        struct write_run run = runs->list[r];
        const char *name = name_of(writer->model, input, run.first);
        uint32_t symbol = 0;
        size_t length = strcspn(name, "["), count = run.count;
        bool *plain = (input ? writer->input_plain : writer->output_plain) + run.first;
        good = ampl_symbols_intern(&writer->symbols, name, length, &symbol);
        run.family = run.family && census->counts[symbol] == 1;
        for (size_t k = 0; k < count; k++)
            plain[k] = run.family || (name[length] == '\0' && write_is_plain(writer, name, length));
        for (size_t k = 0; good && k < (run.family ? 1 : count); k++) {
            struct write_run part = run;
            part.first += k;
            part.count = run.family ? count : 1;
            good = add_run(&settled, part);
        }
    }
    base_release(runs->list);
    *runs = settled;
    return good;
}

bool write_find_runs(struct writer *writer) {
    struct census census = {NULL, 0, 0};
    size_t inputs = hn_model_input_count(writer->model), outputs = hn_model_output_count(writer->model);
    writer->input_plain = base_allocate(inputs + 1);
    writer->output_plain = base_allocate(outputs + 1);
    bool good = writer->input_plain && writer->output_plain &&
                write_names_collect(writer, true, &writer->inputs, &census) &&
                write_names_collect(writer, false, &writer->outputs, &census) && count_others(writer, &census) &&
                write_names_settle(writer, true, &writer->inputs, &census) &&
                write_names_settle(writer, false, &writer->outputs, &census);
    base_release(census.counts);
    return good;
}
