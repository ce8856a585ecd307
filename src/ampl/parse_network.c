/* parse_network.c - contributions of a variable to objectives and constraints, in its declaration:
 *
 *     from NODE factor    to NODE factor    obj OBJECTIVE factor    coeff CONSTRAINT factor    cover CONSTRAINT
 *
 * each optionally with an index before the goal. The factor after from and to is optional and defaults to 1.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/parser.h"

struct phrase {
    enum ampl_word word;
    bool of_arcs, needs_factor, takes_factor;
    char target[16];
};

static const struct phrase *phrase_here(const struct ampl_parser *parser, bool arc) {
    static const struct phrase phrases[] = {{AMPL_WORD_from, true, false, true, "a node"},
                                            {AMPL_WORD_to, true, false, true, "a node"},
                                            {AMPL_WORD_obj, false, true, true, "an objective"},
                                            {AMPL_WORD_coeff, false, true, true, "a constraint"},
                                            {AMPL_WORD_cover, false, false, false, "a constraint"}};
    for (size_t i = 0; i < sizeof phrases / sizeof phrases[0]; i++)
        if (ampl_at_word(parser, phrases[i].word) && (arc || !phrases[i].of_arcs))
            return &phrases[i];
    return NULL;
}

static bool fits(const struct phrase *phrase, const struct ampl_declaration *goal) {
    if (phrase->word == AMPL_WORD_obj)
        return goal->kind == AMPL_OBJECTIVES;
    return goal->kind == AMPL_CONSTRAINTS && (!phrase->of_arcs || goal->node);
}

static struct ampl_node *parse_target(struct ampl_parser *parser, const struct phrase *phrase) {
    struct ampl_declaration *goal = NULL;
    if (!ampl_at(parser, AMPL_TOKEN_NAME))
        ampl_unexpected(parser, phrase->target);
    else if (!(goal = ampl_declared(parser, parser->token.symbol)))
        ampl_not_declared(parser);
    else if (!fits(phrase, goal))
        ampl_mistake(parser, HN_SYNTAX, parser->token.place, "%s is not %s", ampl_shown(parser).text, phrase->target);
    if (!goal || parser->failed)
        return NULL;
    goal->receives = true;
    return ampl_parse_goal_reference(parser);
}

/* Whether an expression starts here, rather than the next attribute. */
static bool at_factor(const struct ampl_parser *parser, bool arc) {
    if (ampl_at(parser, AMPL_TOKEN_NUMBER) || ampl_at(parser, AMPL_TOKEN_OPEN) || ampl_at(parser, AMPL_TOKEN_MINUS) ||
        ampl_at(parser, AMPL_TOKEN_PLUS))
        return true;
    if (!ampl_at(parser, AMPL_TOKEN_NAME) || phrase_here(parser, arc))
        return false;
    return !ampl_at_word(parser, AMPL_WORD_integer) && !ampl_at_word(parser, AMPL_WORD_binary) &&
           !ampl_at_word(parser, AMPL_WORD_default) && !ampl_at_word(parser, AMPL_WORD_in) &&
           !ampl_at_word(parser, AMPL_WORD_suffix);
}

static bool parse_index(struct ampl_parser *parser, struct ampl_contribution *contribution) {
    if (!ampl_at(parser, AMPL_TOKEN_OPEN_BRACE))
        return true;
    contribution->indexing = ampl_parse_indexing(parser);
    return contribution->indexing != NULL;
}

static bool parse_parts(struct ampl_parser *parser, const struct phrase *phrase, bool arc,
                        struct ampl_contribution *contribution) {
    parser->no_variables = "the contribution of a variable";
    if (!parse_index(parser, contribution) || !(contribution->target = parse_target(parser, phrase)))
        return false;
    bool factor = phrase->needs_factor || (phrase->takes_factor && at_factor(parser, arc));
    if (factor)
        contribution->factor = ampl_parse_scalar(parser);
    return !factor || contribution->factor;
}

bool ampl_parse_contribution(struct ampl_parser *parser, struct ampl_declaration *variable, bool arc) {
    const struct phrase *phrase = phrase_here(parser, arc);
    struct ampl_contribution *contribution = phrase ? ampl_take(parser, 1, sizeof *contribution) : NULL;
    if (!contribution)
        return phrase != NULL;
    contribution->place = parser->token.place;
    contribution->minus = phrase->word == AMPL_WORD_from;
    ampl_next(parser);
    struct ampl_scope scope = ampl_scope_enter(parser);
    bool good = parse_parts(parser, phrase, arc, contribution);
    ampl_scope_leave(parser, scope);
    struct ampl_contribution **last = &variable->contributions;
    while (*last)
        last = &(*last)->next;
    if (good)
        *last = contribution;
    return true;
}
