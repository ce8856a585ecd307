/* labels.c - see labels.h.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/labels.h"

#include "ampl/numerals.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"

/* Appends the text at *at and advances it; false when out of memory. */
static bool put_text(struct ampl_label *label, size_t *at, const char *text, size_t length) {
    char *grown = array_grow(label->text, &label->capacity, size_sum(size_sum(*at, length), 1), 1);
    if (!grown)
        return false;
    label->text = grown;
    memcpy(grown + *at, text, length);
    *at += length;
    grown[*at] = '\0';
    return true;
}

static bool put_number(struct ampl_label *label, size_t *at, double number) {
    char digits[24];
    size_t n = sizeof digits;
    if (!(number >= -1e15 && number <= 1e15) || number != (double)(int64_t)number) {
        number_text shown = error_number(number);
        return put_text(label, at, shown.text, strlen(shown.text));
    }
    uint64_t rest = (uint64_t)(number < 0 ? -number : number);
    do
        digits[--n] = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    if (number < 0)
        digits[--n] = '-';
    return put_text(label, at, digits + n, sizeof digits - n);
}

/* A symbol that could be mistaken for something else is quoted. */
static bool needs_quotes(const struct ampl_symbol *symbol) {
    double number;
    const char *text = symbol->text;
    size_t sign = text[0] == '-' || text[0] == '+';
    return symbol->length == 0 || strcspn(text, "[],'") < symbol->length ||
           ampl_numeral(text + sign, symbol->length - sign, &number) == symbol->length - sign;
}

static bool put_quoted(struct ampl_label *label, size_t *at, const struct ampl_symbol *symbol) {
    if (!put_text(label, at, "'", 1))
        return false;
    for (size_t i = 0; i < symbol->length; i++) {
        bool quote = symbol->text[i] == '\'';
        if (!put_text(label, at, quote ? "''" : &symbol->text[i], quote ? 2 : 1))
            return false;
    }
    return put_text(label, at, "'", 1);
}

static bool put_atom(struct ampl_label *label, size_t *at, const struct ampl_symbols *symbols, ampl_atom atom) {
    if (!ampl_atom_is_symbol(atom))
        return put_number(label, at, ampl_atom_to_number(atom));
    const struct ampl_symbol *symbol = &symbols->list[ampl_atom_to_symbol(atom)];
    return needs_quotes(symbol) ? put_quoted(label, at, symbol) : put_text(label, at, symbol->text, symbol->length);
}

const char *ampl_label_write(struct ampl_label *label, const struct ampl_symbols *symbols, const char *name,
                             uint32_t count, const ampl_atom *atoms) {
    size_t at = 0;
    bool good = put_text(label, &at, name, strlen(name));
    for (uint32_t i = 0; good && i < count; i++)
        good = put_text(label, &at, i == 0 ? "[" : ",", 1) && put_atom(label, &at, symbols, atoms[i]);
    if (good && count > 0)
        good = put_text(label, &at, "]", 1);
    return good ? label->text : NULL;
}

void ampl_label_release(struct ampl_label *label) {
    base_release(label->text);
    *label = (struct ampl_label){.text = NULL};
}
