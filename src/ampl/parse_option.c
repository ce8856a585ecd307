/* parse_option.c - option: randseed is applied, the caller skips all others with a note.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/numerals.h"
#include "ampl/parser.h"

#include <math.h>

static const double MOST_SEED = 0x1p53;

/* The following number, bare or in quotes; HUGE_VAL if it is not a number. */
static double seed_here(struct ampl_parser *parser) {
    bool minus = ampl_accept(parser, AMPL_TOKEN_MINUS);
    double number = HUGE_VAL;
    if (ampl_at(parser, AMPL_TOKEN_NUMBER)) {
        number = parser->token.number;
    } else if (ampl_at(parser, AMPL_TOKEN_TEXT)) {
        const struct ampl_symbol *text = &parser->symbols->list[parser->token.symbol];
        if (text->length == 0 || ampl_numeral(text->text, text->length, &number) != text->length)
            number = HUGE_VAL;
    }
    return minus ? -number : number;
}

/* After the word randseed. Without a value, option only displays the seed. */
static bool take_seed(struct ampl_parser *parser) {
    struct ampl_place place = parser->token.place;
    struct ampl_word_text shown = ampl_shown(parser);
    if (ampl_at(parser, AMPL_TOKEN_SEMICOLON) || ampl_at(parser, AMPL_TOKEN_COMMA))
        return true;
    double seed = seed_here(parser);
    if (seed == 0) { /* AMPL would use the clock */
        ampl_note(parser->sources, HN_SEVERITY_WARNING, &place, "randseed 0 would use the clock; 1 is used instead");
        seed = 1;
    }
    if (!(seed >= 1 && seed <= MOST_SEED) || seed != floor(seed))
        return ampl_mistake(parser, HN_UNSUPPORTED, place, "randseed %s: expected a whole number from 1 to 2^53",
                            shown.text);
    ampl_next(parser);
    parser->seed = (uint64_t)seed;
    if (parser->program->first_seed == 0)
        parser->program->first_seed = parser->seed;
    return true;
}

/* Skips to the ',' or the end of the statement. */
static void pass(struct ampl_parser *parser) {
    while (!parser->failed && !ampl_at(parser, AMPL_TOKEN_COMMA) && !ampl_at(parser, AMPL_TOKEN_SEMICOLON) &&
           !ampl_at(parser, AMPL_TOKEN_END))
        ampl_next(parser);
}

bool ampl_parse_option(struct ampl_parser *parser) {
    struct ampl_lexer lexer = parser->lexer;
    struct ampl_token token = parser->token;
    bool others = false;
    do {
        ampl_next(parser);
        bool seed = ampl_at_word(parser, AMPL_WORD_randseed);
        others |= !seed;
        if (!seed)
            pass(parser);
        else
            ampl_next(parser);
        if (seed && !take_seed(parser))
            return true;
    } while (ampl_at(parser, AMPL_TOKEN_COMMA) && !parser->failed);
    if (!others || parser->failed)
        return true;
    parser->lexer = lexer;
    parser->token = token;
    return false;
}
