/* symbols.c - see symbols.h.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/symbols.h"

#include "ampl/numerals.h"
#include "ampl/words.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"

#include <string.h>

static bool add_symbol(struct ampl_symbols *symbols, const char *text, size_t length, uint32_t *symbol) {
    if (symbols->count >= UINT32_MAX - 1)
        return false;
    if (!array_room(&symbols->list, &symbols->capacity, symbols->count + 1, sizeof *symbols->list))
        return false;
    char *copy = arena_copy_text(&symbols->texts, text, length);
    if (!copy || !names_add(&symbols->names, copy, length, (uint32_t)symbols->count))
        return false;
    *symbol = (uint32_t)symbols->count;
    symbols->list[symbols->count++] = (struct ampl_symbol){.text = copy, .length = length};
    return true;
}

bool ampl_symbols_intern(struct ampl_symbols *symbols, const char *text, size_t length, uint32_t *symbol) {
    const uint32_t *found = names_find(&symbols->names, text, length);
    bool good = found || add_symbol(symbols, text, length, symbol);
    symbols->no_memory |= !good;
    if (found)
        *symbol = *found;
    return good;
}

const char *ampl_symbols_text(const struct ampl_symbols *symbols, uint32_t symbol) {
    const struct ampl_symbol *s = &symbols->list[symbol];
    return s->length > 0 && s->text[0] == '\0' ? s->text + 1 : s->text;
}

bool ampl_symbols_nameless(const struct ampl_symbols *symbols, uint32_t symbol) {
    return symbols->list[symbol].text[0] == '$';
}

bool ampl_symbols_create(struct ampl_symbols *symbols) {
#define TEXT(name)          #name,
#define AMPL_FUNCTION(name) #name,
    /* List markers are numbered too; a text with a space is not a word. */
    static const char words[][16] = {"",
                                     AMPL_OPERATOR_LIST(TEXT) " operators",
                                     AMPL_RESERVED_LIST(TEXT) " reserved",
                                     AMPL_STATEMENT_LIST(TEXT) " skipped",
                                     AMPL_SKIPPED_LIST(TEXT) " refused",
                                     AMPL_REFUSED_LIST(TEXT) " refused end",
                                     AMPL_OTHER_LIST(TEXT) " random",
                                     AMPL_RANDOM_LIST(TEXT) " functions",
                                     AMPL_FUNCTION_LIST};
    *symbols = (struct ampl_symbols){.list = NULL};
    uint32_t symbol;
    bool good = true;
    for (size_t i = 0; good && i < sizeof words / sizeof words[0]; i++)
        good = ampl_symbols_intern(symbols, words[i], strlen(words[i]), &symbol);
    if (!good)
        ampl_symbols_release(symbols);
    return good;
}

void ampl_symbols_release(struct ampl_symbols *symbols) {
    arena_release(&symbols->texts);
    base_release(symbols->list);
    names_release(&symbols->names);
    *symbols = (struct ampl_symbols){.list = NULL};
}

/* ---- labels ---- */

/* Appends the text at *at and advances it; false when out of memory. */
static bool put_text(struct ampl_label *label, size_t *at, const char *text, size_t length) {
    if (!array_room(&label->text, &label->capacity, size_sum(size_sum(*at, length), 1), 1))
        return false;
    memcpy(label->text + *at, text, length);
    *at += length;
    label->text[*at] = '\0';
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
