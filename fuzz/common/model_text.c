/* model_text.c - see model_text.h.
 *
 * SPDX-License-Identifier: MIT */
#include "common/model_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { DEEPEST = 5, MOST_COLUMNS = 4, MOST_ROWS = 5 };

struct writer {
    char *text;
    size_t length;
    struct byte_source *source;
    unsigned inputs, outputs;
};

/* ---- bytes ---- */

static unsigned take(struct byte_source *source) {
    if (source->left == 0)
        return 0;
    source->left--;
    return *source->bytes++;
}

unsigned bytes_choose(struct byte_source *source, unsigned count) {
    return take(source) % count;
}

double bytes_number(struct byte_source *source) {
    static const double table[] = {0,      1,     -1,     2,      0.5,     -0.5,  3,     3.5,  10,     -10,
                                   0.9,    1e-8,  100,    1e3,    1e6,     -1e6,  1e-3,  1e8,  1e16,   1e-16,
                                   1e30,   -1e30, 700,    -700,   40,      1e150, 1e154, 1e-5, -1e150, 1e-160,
                                   1e-310, 1e308, 5e-324, -1e308, 1.5e308, -2,    0.25,  1e-12};
    enum { KNOWN = sizeof table / sizeof table[0], EXACT = 255 };
    unsigned which = take(source);
    if (which != EXACT)
        return table[which % KNOWN];
    double value;
    uint64_t bits = 0;
    for (int i = 0; i < 8; i++)
        bits = bits << 8 | take(source);
    memcpy(&value, &bits, sizeof value);
    return isfinite(value) ? value : 1;
}

/* ---- text ---- */

__attribute__((format(printf, 2, 3))) static void put(struct writer *w, const char *format, ...) {
    size_t left = MODEL_TEXT_BYTES - w->length;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(w->text + w->length, left, format, arguments);
    va_end(arguments);
    w->length += length < 0 ? 0 : (size_t)length < left ? (size_t)length : left - 1;
}

static void put_number(struct writer *w) {
    double value = bytes_number(w->source);
    put(w, value < 0 ? "(%.17g)" : "%.17g", value);
}

/* A constant, an input or an output; without outputs where bounds are written. */
static void put_leaf(struct writer *w, int outputs) {
    unsigned kind = bytes_choose(w->source, outputs ? 5 : 3);
    if (kind == 0 || (kind < 3 && w->inputs == 0))
        put_number(w);
    else if (kind < 3)
        put(w, "x[%u]", 1 + bytes_choose(w->source, w->inputs));
    else
        put(w, "y[%u]", 1 + bytes_choose(w->source, w->outputs));
}

static void put_expression(struct writer *w, int depth, int outputs);

/* The format's marks % stand for parts. */
static void put_form(struct writer *w, const char *form, int depth, int outputs) {
    for (; *form; form++)
        if (*form == '%')
            put_expression(w, depth - 1, outputs);
        else
            put(w, "%c", *form);
}

static void put_expression(struct writer *w, int depth, int outputs) {
    static const char *const forms[] = {"(% + %)",
                                        "(% - %)",
                                        "(% * %)",
                                        "(% / %)",
                                        "(%) ^ 2",
                                        "(%) ^ (%)",
                                        "(%) ^ 1.5",
                                        "-(%)",
                                        "exp(%)",
                                        "log(%)",
                                        "sqrt(%)",
                                        "1/(1+exp(-(%)))",
                                        "tanh(%)",
                                        "sin(%)",
                                        "cos(%)",
                                        "tan(%)",
                                        "abs(%)",
                                        "atan(%)",
                                        "asin(%)",
                                        "acosh(%)",
                                        "sinh(%)",
                                        "atanh(%)",
                                        "log10(%)",
                                        "min(%, %)",
                                        "max(%, %)",
                                        "atan2(%, %)",
                                        "(if % < % then % else %)",
                                        "(if % >= % then % else %)",
                                        "(% + % + %)",
                                        "(%) ^ 3",
                                        "(%) ^ (-1)",
                                        "acos(%)",
                                        "asinh(%)",
                                        "cosh(%)"};
    enum { FORMS = sizeof forms / sizeof forms[0], LEAVES = 14 };
    unsigned which = depth > 0 && w->length < MODEL_TEXT_BYTES / 2 ? bytes_choose(w->source, FORMS + LEAVES) : FORMS;
    if (which < FORMS)
        put_form(w, forms[which], depth, outputs);
    else
        put_leaf(w, outputs);
}

/* ---- declarations ---- */

/* A number, a formula in x, or one that is infinite for some x. */
static void put_bound(struct writer *w, const char *infinite) {
    switch (bytes_choose(w->source, 6)) {
    case 0:
        put_expression(w, 2, 0);
        break;
    case 1:
        put(w, "(if ");
        put_expression(w, 1, 0);
        put(w, " < ");
        put_expression(w, 1, 0);
        put(w, " then %s else ", infinite);
        put_number(w);
        put(w, ")");
        break;
    default:
        put_number(w);
    }
}

static void put_row(struct writer *w, unsigned number) {
    unsigned form = bytes_choose(w->source, 4);
    put(w, "s.t. c%u: ", number);
    if (form == 0 || form == 2) {
        put_bound(w, "-Infinity");
        put(w, " <= ");
    }
    put_expression(w, DEEPEST, 1);
    if (form == 0 || form == 1) {
        put(w, " <= ");
        put_bound(w, "Infinity");
    } else if (form == 3) {
        put(w, " = ");
        put_bound(w, "0");
    }
    put(w, ";\n");
}

static void put_output(struct writer *w, unsigned number) {
    unsigned form = bytes_choose(w->source, 8);
    if (form == 1 || form == 2) {
        put(w, "s.t. b%u: ", number);
        put_bound(w, "-Infinity");
        put(w, " <= y[%u] <= ", number);
        put_bound(w, "Infinity");
        put(w, ";\n");
    } else if (form == 3) {
        put(w, "let y[%u] := ", number);
        put_expression(w, 2, 0);
        put(w, ";\n");
    } else if (form == 4) {
        put(w, "fix y[%u] := ", number);
        put_expression(w, 2, 0);
        put(w, ";\n");
    }
}

/* Bounds that belong to the outputs themselves, so that corrections are clipped to them. */
static void put_columns(struct writer *w) {
    unsigned form = bytes_choose(w->source, 4);
    put(w, "var y{1..%u}", w->outputs);
    if (form == 1 || form == 2) {
        put(w, " >= ");
        put_bound(w, "-Infinity");
    }
    if (form == 1) {
        put(w, ", <= ");
        put_bound(w, "Infinity");
    }
    put(w, ";\n");
}

size_t model_text_make(char text[MODEL_TEXT_BYTES], struct byte_source *source, bool objective) {
    struct writer w = {.text = text, .source = source};
    w.inputs = bytes_choose(source, MOST_COLUMNS);
    w.outputs = 1 + bytes_choose(source, MOST_COLUMNS);
    unsigned rows = 1 + bytes_choose(source, MOST_ROWS);
    text[0] = 0;
    if (w.inputs > 0)
        put(&w, "param x{1..%u};\n", w.inputs);
    put_columns(&w);
    for (unsigned i = 1; i <= rows; i++)
        put_row(&w, i);
    for (unsigned j = 1; j <= w.outputs; j++)
        put_output(&w, j);
    if (objective) {
        put(&w, "minimize f: ");
        put_expression(&w, DEEPEST, 1);
        put(&w, ";\n");
    }
    return w.length;
}
