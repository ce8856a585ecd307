/* parse_declaration.c - set, param, var and arc with their attributes.
 *
 * A variable may contribute to objectives and constraints in its declaration:
 *
 *     from NODE factor    to NODE factor    obj OBJECTIVE factor    coeff CONSTRAINT factor    cover CONSTRAINT
 *
 * each optionally with an index before the goal. The factor after from and to is optional and defaults to 1.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/parser.h"

#include <math.h>

/* ---- common to all declarations ---- */

static void check_new_name(struct ampl_parser *parser) {
    struct ampl_word_text shown = ampl_shown(parser);
    if (!ampl_at(parser, AMPL_TOKEN_NAME)) {
        ampl_unexpected(parser, "a name");
    } else if (ampl_is_reserved(parser->token.symbol)) {
        parser->symbols->list[parser->token.symbol].misused = true;
        ampl_mistake(parser, HN_SYNTAX, parser->token.place, "%s: a reserved word cannot be a name", shown.text);
    } else if (ampl_declared(parser, parser->token.symbol)) {
        ampl_mistake(parser, HN_INVALID, parser->token.place, "%s is already declared", shown.text);
    }
}

struct ampl_declaration *ampl_declare(struct ampl_parser *parser, enum ampl_kind kind) {
    check_new_name(parser);
    struct ampl_declaration *declaration = parser->failed ? NULL : ampl_take(parser, 1, sizeof *declaration);
    if (!declaration)
        return NULL;
    declaration->kind = kind;
    declaration->name = parser->token.symbol;
    declaration->place = parser->token.place;
    parser->owner = declaration->name;
    declaration->dimension = kind == AMPL_SETS ? 1 : 0;
    *parser->program->last = declaration;
    parser->program->last = &declaration->next;
    ampl_next(parser);
    ampl_accept(parser, AMPL_TOKEN_TEXT); /* an alias, used only for display */
    declaration->indexing = ampl_parse_optional_index(parser);
    declaration->arity = declaration->indexing ? declaration->indexing->arity : 0;
    if (declaration->arity > AMPL_MOST_COMPONENTS)
        ampl_mistake(parser, HN_LIMIT, declaration->place, "%s has more than %d subscripts",
                     ampl_name(parser, declaration->name), AMPL_MOST_COMPONENTS);
    parser->symbols->list[declaration->name].declaration = declaration;
    parser->declaration = declaration;
    parser->last_attribute = &declaration->attributes;
    parser->last_contribution = &declaration->contributions;
    return parser->failed ? NULL : declaration;
}

static void add_attribute(struct ampl_parser *parser, enum ampl_token_kind relation, struct ampl_node *bound) {
    struct ampl_attribute *attribute = parser->failed ? NULL : ampl_take(parser, 1, sizeof *attribute);
    if (!attribute)
        return;
    *attribute = (struct ampl_attribute){.relation = relation, .bound = bound};
    *parser->last_attribute = attribute;
    parser->last_attribute = &attribute->next;
}

/* >= <= > < <> with a bound; false if the token is another one. */
static bool parse_relation(struct ampl_parser *parser) {
    enum ampl_token_kind relation = parser->token.kind;
    if (relation < AMPL_TOKEN_NOT_EQUAL || relation > AMPL_TOKEN_GREATER_EQUAL)
        return false;
    ampl_next(parser);
    add_attribute(parser, relation, ampl_parse_scalar(parser));
    return true;
}

/* in interval [a, b): its ends become relations; the ends for a variable must be closed or infinite. */
static void add_interval(struct ampl_parser *parser, struct ampl_declaration *declaration, struct ampl_node *interval) {
    bool variable = declaration->kind == AMPL_VARIABLES;
    declaration->integer |= (interval->is.slot & AMPL_WHOLE) != 0;
    for (uint32_t i = 0; i < interval->count; i++) {
        struct ampl_node *end = interval->arguments[i];
        bool open = (interval->is.slot & (i == 0 ? AMPL_ABOVE_LOW : AMPL_BELOW_HIGH)) != 0;
        bool infinite = end->op == AMPL_NUMERAL && isinf(end->is.number);
        if (variable && open && !infinite)
            ampl_mistake(parser, HN_UNSUPPORTED, end->place, "the bound of a variable cannot be open");
        else if (!infinite)
            add_attribute(parser,
                          i == 0 ? (open ? AMPL_TOKEN_GREATER : AMPL_TOKEN_GREATER_EQUAL)
                                 : (open ? AMPL_TOKEN_LESS : AMPL_TOKEN_LESS_EQUAL),
                          end);
    }
}

/* Stores the value of := = default, at most once. */
static void set_value(struct ampl_parser *parser, struct ampl_node **value, struct ampl_node *given) {
    if (given && *value)
        ampl_mistake(parser, HN_SYNTAX, given->place, "%s has two values",
                     ampl_name(parser, parser->declaration->name));
    *value = given;
}

void ampl_skip_suffix(struct ampl_parser *parser) {
    ampl_note_repeated(parser->sources, &parser->token.place, "suffix is skipped");
    ampl_next(parser);
    ampl_next(parser); /* its name */
    ampl_accept(parser, AMPL_TOKEN_ASSIGN);
    ampl_parse_scalar(parser);
}

/* The value after '='. A definition without a name in the model may be a condition: 1 or 0. */
static struct ampl_node *parse_equal_value(struct ampl_parser *parser) {
    if (!ampl_symbols_nameless(parser->symbols, parser->declaration->name))
        return ampl_parse_scalar(parser);
    struct ampl_node *value = ampl_parse_condition_or_any(parser);
    return ampl_need(parser, value, AMPL_LOGICAL) ? value : NULL;
}

void ampl_end_declaration(struct ampl_parser *parser) {
    parser->declaration->slots = parser->slot_most;
    parser->declaration = NULL;
    parser->no_variables = NULL;
}

/* := or = and its value, which is permanent after '='. False for another token. */
static bool accept_value_sign(struct ampl_parser *parser, struct ampl_declaration *declaration) {
    declaration->defined |= ampl_at(parser, AMPL_TOKEN_EQUAL);
    return ampl_accept(parser, AMPL_TOKEN_ASSIGN) || ampl_accept(parser, AMPL_TOKEN_EQUAL);
}

/* ---- sets ---- */

static void set_dimension(struct ampl_parser *parser, struct ampl_declaration *set, uint32_t dimension,
                          struct ampl_place place) {
    if (dimension == 0)
        return;
    if (set->dimensioned && dimension != set->dimension)
        ampl_mistake(parser, HN_SYNTAX, place, "%s has dimension %u here, but %u before", ampl_name(parser, set->name),
                     (unsigned)dimension, (unsigned)set->dimension);
    set->dimension = dimension;
    set->dimensioned = true;
}

static void parse_dimen(struct ampl_parser *parser, struct ampl_declaration *set) {
    double number = parser->token.number;
    if (ampl_at(parser, AMPL_TOKEN_NUMBER) && number >= 1 && number <= AMPL_MOST_COMPONENTS &&
        number == (double)(uint32_t)number)
        set_dimension(parser, set, (uint32_t)number, parser->token.place);
    else
        ampl_unexpected(parser, "a dimension from 1 to 32");
    ampl_next(parser);
}

static struct ampl_node *parse_set_value(struct ampl_parser *parser, struct ampl_declaration *set) {
    struct ampl_node *value = ampl_parse_set(parser);
    if (value)
        set_dimension(parser, set, value->dimension, value->place);
    return value;
}

static void parse_set_attribute(struct ampl_parser *parser, struct ampl_declaration *set) {
    if (ampl_accept_word(parser, AMPL_WORD_dimen)) {
        parse_dimen(parser, set);
    } else if (ampl_accept_word(parser, AMPL_WORD_within) || ampl_accept_word(parser, AMPL_WORD_in)) {
        add_attribute(parser, AMPL_TOKEN_NAME, parse_set_value(parser, set));
    } else if (ampl_accept_word(parser, AMPL_WORD_ordered)) {
        set->ordered = true;
    } else if (ampl_accept_word(parser, AMPL_WORD_circular)) {
        set->ordered = set->circular = true;
    } else if (set->ordered && !set->order && ampl_accept_word(parser, AMPL_WORD_by)) {
        set->reversed = ampl_accept_word(parser, AMPL_WORD_reversed);
        set->order = ampl_parse_set(parser);
    } else if (ampl_accept_word(parser, AMPL_WORD_default)) {
        set_value(parser, &set->fallback, parse_set_value(parser, set));
    } else if (accept_value_sign(parser, set)) {
        set_value(parser, &set->value, parse_set_value(parser, set));
    } else {
        ampl_unexpected(parser, "';' or an attribute of the set");
    }
}

/* ---- params ---- */

static void parse_param_attribute(struct ampl_parser *parser, struct ampl_declaration *param) {
    if (parse_relation(parser))
        return;
    if (ampl_accept_word(parser, AMPL_WORD_integer)) {
        param->integer = true;
    } else if (ampl_accept_word(parser, AMPL_WORD_binary) || ampl_accept_word(parser, AMPL_WORD_logical)) {
        param->binary = true;
    } else if (ampl_accept_word(parser, AMPL_WORD_symbolic)) {
        param->symbolic = true;
    } else if (ampl_accept_word(parser, AMPL_WORD_in) || ampl_accept_word(parser, AMPL_WORD_within)) {
        struct ampl_node *set = ampl_parse_set(parser);
        if (set && set->op == AMPL_INTERVAL)
            add_interval(parser, param, set);
        else
            add_attribute(parser, AMPL_TOKEN_NAME, set);
    } else if (ampl_accept_word(parser, AMPL_WORD_default)) {
        set_value(parser, &param->fallback, ampl_parse_scalar(parser));
    } else if (accept_value_sign(parser, param)) {
        set_value(parser, &param->value, param->defined ? parse_equal_value(parser) : ampl_parse_scalar(parser));
    } else {
        ampl_unexpected(parser, "';' or an attribute of the param");
    }
}

/* ---- contributions of a variable ---- */

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
    struct ampl_declaration *goal = ampl_declared_here(parser, phrase->target);
    if (!goal)
        return NULL;
    if (!fits(phrase, goal))
        return ampl_mistake(parser, HN_SYNTAX, parser->token.place, "%s is not %s", ampl_shown(parser).text,
                            phrase->target);
    goal->receives = true;
    return ampl_parse_goal_reference(parser);
}

/* Whether an expression starts here, rather than the next attribute. */
static bool at_factor(const struct ampl_parser *parser, bool arc) {
    static const enum ampl_word attributes[] = {AMPL_WORD_integer, AMPL_WORD_binary, AMPL_WORD_default,
                                                AMPL_WORD_in,      AMPL_WORD_suffix, AMPL_WORD_none};
    if (ampl_at(parser, AMPL_TOKEN_NAME))
        return !phrase_here(parser, arc) && !ampl_at_one_of(parser, attributes);
    return ampl_at(parser, AMPL_TOKEN_NUMBER) || ampl_at(parser, AMPL_TOKEN_OPEN) ||
           ampl_at(parser, AMPL_TOKEN_MINUS) || ampl_at(parser, AMPL_TOKEN_PLUS);
}

/* False for another token. */
static bool parse_contribution(struct ampl_parser *parser, bool arc) {
    const struct phrase *phrase = phrase_here(parser, arc);
    struct ampl_contribution *contribution = phrase ? ampl_take(parser, 1, sizeof *contribution) : NULL;
    if (!contribution)
        return phrase != NULL;
    contribution->place = parser->token.place;
    contribution->minus = phrase->word == AMPL_WORD_from;
    parser->no_variables = "the contribution of a variable";
    ampl_next(parser);
    struct ampl_scope scope = ampl_scope_enter(parser);
    contribution->indexing = ampl_parse_optional_index(parser);
    contribution->target = parse_target(parser, phrase);
    if (phrase->needs_factor || (phrase->takes_factor && at_factor(parser, arc)))
        contribution->factor = ampl_parse_scalar(parser);
    ampl_scope_leave(parser, scope);
    if (!parser->failed) {
        *parser->last_contribution = contribution;
        parser->last_contribution = &contribution->next;
    }
    return true;
}

/* ---- variables ---- */

/* Accepted here; rejected during expansion if the variable has columns. */
static void parse_integrality(struct ampl_parser *parser, struct ampl_declaration *variable) {
    variable->integrality = parser->token.place;
    variable->integer |= ampl_at_word(parser, AMPL_WORD_integer);
    variable->binary |= ampl_at_word(parser, AMPL_WORD_binary);
    ampl_next(parser);
}

static bool at_interval_after_in(const struct ampl_parser *parser) {
    struct ampl_token after = ampl_peek(parser);
    return ampl_at_word(parser, AMPL_WORD_in) && after.kind == AMPL_TOKEN_NAME &&
           (after.symbol == AMPL_WORD_interval || after.symbol == AMPL_WORD_Reals ||
            after.symbol == AMPL_WORD_Integers || after.symbol == AMPL_WORD_integer) &&
           !ampl_declared(parser, after.symbol);
}

static void parse_var_interval(struct ampl_parser *parser, struct ampl_declaration *variable) {
    ampl_next(parser); /* in */
    variable->integrality = parser->token.place;
    struct ampl_node *interval = ampl_parse_interval(parser);
    if (interval)
        add_interval(parser, variable, interval);
}

static void parse_var_attribute(struct ampl_parser *parser, struct ampl_declaration *variable, bool arc) {
    struct ampl_token token = parser->token;
    parser->no_variables = "a bound or start value";
    if (parse_contribution(parser, arc))
        return;
    if (token.kind == AMPL_TOKEN_GREATER || token.kind == AMPL_TOKEN_LESS || token.kind == AMPL_TOKEN_NOT_EQUAL) {
        ampl_unexpected(parser, "'>=' or '<='");
    } else if (parse_relation(parser)) {
        return;
    } else if (ampl_at_word(parser, AMPL_WORD_integer) || ampl_at_word(parser, AMPL_WORD_binary)) {
        parse_integrality(parser, variable);
    } else if (ampl_at_word(parser, AMPL_WORD_suffix)) {
        ampl_skip_suffix(parser);
    } else if (ampl_accept(parser, AMPL_TOKEN_ASSIGN) || ampl_accept_word(parser, AMPL_WORD_default)) {
        set_value(parser, &variable->fallback, ampl_parse_scalar(parser));
    } else if (ampl_accept(parser, AMPL_TOKEN_EQUAL)) {
        parser->no_variables = NULL;
        variable->defined = true;
        set_value(parser, &variable->value, parse_equal_value(parser));
    } else if (at_interval_after_in(parser)) {
        parse_var_interval(parser, variable);
    } else if (ampl_at_word(parser, AMPL_WORD_in) || ampl_at_word(parser, AMPL_WORD_symbolic)) {
        ampl_mistake(parser, HN_UNSUPPORTED, token.place, "%s: this attribute of a variable is not supported",
                     ampl_shown(parser).text);
    } else {
        ampl_unexpected(parser, "';' or an attribute of the variable");
    }
}

static void check_variable(struct ampl_parser *parser, const struct ampl_declaration *variable) {
    const char *name = ampl_name(parser, variable->name);
    if (variable->defined && (variable->attributes || variable->fallback || variable->contributions))
        ampl_mistake(parser, HN_SYNTAX, variable->place, "%s is defined by '=' and cannot have %s", name,
                     variable->contributions ? "from, to, obj, coeff or cover" : "bounds or start value");
    if (!variable->defined && ampl_symbols_nameless(parser->symbols, variable->name))
        ampl_mistake(parser, HN_SYNTAX, variable->place, "%s: a column needs a name without '$'", name);
}

/* ---- set, param, var, arc ---- */

void ampl_parse_declaration(struct ampl_parser *parser, enum ampl_kind kind, bool arc) {
    struct ampl_declaration *declaration = ampl_declare(parser, kind);
    if (!declaration)
        return;
    parser->no_variables = kind == AMPL_SETS ? "a set" : "a param";
    for (ampl_skip_commas(parser); !ampl_at_end(parser); ampl_skip_commas(parser))
        if (kind == AMPL_SETS)
            parse_set_attribute(parser, declaration);
        else if (kind == AMPL_PARAMS)
            parse_param_attribute(parser, declaration);
        else
            parse_var_attribute(parser, declaration, arc);
    if (kind == AMPL_VARIABLES)
        check_variable(parser, declaration);
    ampl_end_declaration(parser);
}
