/* suggestions.c - unknown names, and suggestions for them.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/parser.h"

#include "base/suggest.h"

#include <stdio.h>
#include <string.h>

/* Attaches the hint to the next error. Names of one letter get no suggestion. */
static void hint(struct ampl_parser *parser, const char *given, const struct suggestion *suggestion) {
    if (suggestion->best && given[0] != '\0' && given[1] != '\0')
        snprintf(parser->sources->hint, sizeof parser->sources->hint, "did you mean %.60s?", suggestion->best);
}

bool ampl_not_declared(struct ampl_parser *parser) {
    struct suggestion suggestion = {NULL, 0};
    const struct ampl_symbols *symbols = parser->symbols;
    const char *given = ampl_name(parser, parser->token.symbol);
    for (size_t i = 0; i < symbols->count; i++)
        if (symbols->list[i].declaration || ampl_find_dummy(parser, (uint32_t)i))
            suggest_consider(&suggestion, given, ampl_symbols_text(symbols, (uint32_t)i));
    if (!parser->failed)
        hint(parser, given, &suggestion);
    return ampl_mistake(parser, HN_SYNTAX, parser->token.place, "%s is not declared", ampl_shown(parser).text);
}

/* Candidates are functions and declared names. */
bool ampl_no_function(struct ampl_parser *parser) {
    struct suggestion suggestion = {NULL, 0};
    const struct ampl_symbols *symbols = parser->symbols;
    const char *given = ampl_name(parser, parser->token.symbol);
    for (uint32_t i = 0; i < symbols->count; i++)
        if (ampl_is_function(i) || symbols->list[i].declaration)
            suggest_consider(&suggestion, given, ampl_symbols_text(symbols, i));
    if (!parser->failed)
        hint(parser, given, &suggestion);
    return ampl_mistake(parser, HN_UNSUPPORTED, parser->token.place, "%s is not a supported function",
                        ampl_shown(parser).text);
}

void ampl_hint_param(struct ampl_parser *parser, uint32_t symbol) {
    struct suggestion suggestion = {NULL, 0};
    const char *given = ampl_name(parser, symbol);
    for (const struct ampl_declaration *d = parser->program->first; d; d = d->next)
        if (d->kind == AMPL_PARAMS && d->arity == 0)
            suggest_consider(&suggestion, given, ampl_name(parser, d->name));
    hint(parser, given, &suggestion);
}
