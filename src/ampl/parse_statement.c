/* parse_statement.c - statements: dispatch on the first word, objectives, constraints and nodes, skipped and refused
 * statements, and included files.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/parser.h"

enum { MOST_INCLUDES = 16 };

/* ---- objectives, constraints and nodes ---- */

/* := value after the name: the initial value of a multiplier, which the layer does not use. */
static void skip_multiplier(struct ampl_parser *parser) {
    struct ampl_place place = parser->token.place;
    if (!ampl_accept(parser, AMPL_TOKEN_ASSIGN) && !ampl_accept_word(parser, AMPL_WORD_default))
        return;
    ampl_note_repeated(parser->sources, &place, "the start value of a multiplier is skipped");
    ampl_parse_scalar(parser);
}

static struct ampl_declaration *parse_name(struct ampl_parser *parser, enum ampl_kind kind) {
    struct ampl_declaration *goal = ampl_declare(parser, kind);
    if (!goal)
        return NULL;
    if (ampl_symbols_nameless(parser->symbols, goal->name))
        ampl_mistake(parser, HN_SYNTAX, goal->place, "%s: %s needs a name without '$'", ampl_name(parser, goal->name),
                     kind == AMPL_CONSTRAINTS ? "a constraint" : "an objective");
    skip_multiplier(parser);
    return parser->failed ? NULL : goal;
}

/* A suffix after the expression, optionally preceded by ','. */
static bool at_suffix(const struct ampl_parser *parser) {
    if (!ampl_at(parser, AMPL_TOKEN_COMMA))
        return ampl_at_word(parser, AMPL_WORD_suffix);
    struct ampl_token after = ampl_peek(parser);
    return after.kind == AMPL_TOKEN_NAME && after.symbol == AMPL_WORD_suffix;
}

static void skip_suffixes(struct ampl_parser *parser) {
    while (at_suffix(parser)) {
        ampl_accept(parser, AMPL_TOKEN_COMMA);
        ampl_skip_suffix(parser);
    }
}

static void parse_objective(struct ampl_parser *parser, bool maximize) {
    struct ampl_declaration *objective = parse_name(parser, AMPL_OBJECTIVES);
    if (!objective)
        return;
    objective->maximize = maximize;
    if (ampl_at(parser, AMPL_TOKEN_SEMICOLON)) /* the whole expression is to_come */
        objective->sides[0] = ampl_new_net(parser, objective->place, false);
    else {
        ampl_expect(parser, AMPL_TOKEN_COLON, "after the name");
        objective->sides[0] = ampl_parse_scalar(parser);
    }
    skip_suffixes(parser);
    ampl_end_declaration(parser);
}

/* Operators of logical constraints. */
static bool at_logical(const struct ampl_parser *parser) {
    static const enum ampl_word words[] = {AMPL_WORD_and,    AMPL_WORD_or,     AMPL_WORD_not,
                                           AMPL_WORD_forall, AMPL_WORD_exists, AMPL_WORD_none};
    return ampl_at_one_of(parser, words) || ampl_at(parser, AMPL_TOKEN_AND) || ampl_at(parser, AMPL_TOKEN_OR) ||
           ampl_at(parser, AMPL_TOKEN_NOT) || ampl_at(parser, AMPL_TOKEN_IMPLIES);
}

static void *refuse_logical(struct ampl_parser *parser) {
    return ampl_mistake(parser, HN_UNSUPPORTED, parser->token.place, "%s: logical constraints are not supported",
                        ampl_shown(parser).text);
}

/* A side of a constraint: a number; a condition in parentheses gets a specific error. */
static struct ampl_node *parse_side(struct ampl_parser *parser, const struct ampl_declaration *constraint) {
    if (at_logical(parser))
        return refuse_logical(parser);
    struct ampl_node *side = ampl_parse_any(parser);
    if (side && side->type == AMPL_LOGICAL)
        return ampl_mistake(parser, HN_UNSUPPORTED, side->place,
                            "%s: a condition as a constraint (logical constraint) is not supported",
                            ampl_name(parser, constraint->name));
    return ampl_need(parser, side, AMPL_SCALAR) ? side : NULL;
}

/* Parses <=, >= or = between two sides; otherwise an error that names `wanted`. */
static uint32_t parse_relation(struct ampl_parser *parser, const char *wanted) {
    enum ampl_token_kind kind = parser->token.kind;
    struct ampl_place place = parser->token.place;
    if (kind == AMPL_TOKEN_LESS || kind == AMPL_TOKEN_GREATER || kind == AMPL_TOKEN_NOT_EQUAL)
        ampl_mistake(parser, HN_UNSUPPORTED, place, "%s: a constraint needs <=, >= or =", ampl_shown(parser).text);
    else if (at_logical(parser))
        refuse_logical(parser);
    else if (ampl_at_word(parser, AMPL_WORD_complements))
        ampl_mistake(parser, HN_UNSUPPORTED, place, "complements: complementarity is not supported");
    else if (kind != AMPL_TOKEN_LESS_EQUAL && kind != AMPL_TOKEN_GREATER_EQUAL && kind != AMPL_TOKEN_EQUAL)
        ampl_unexpected(parser, wanted);
    ampl_next(parser);
    return kind;
}

/* Parses two or three sides and the relations between them. */
static void parse_sides(struct ampl_parser *parser, struct ampl_declaration *constraint) {
    constraint->side_count = 2;
    constraint->sides[0] = parse_side(parser, constraint);
    constraint->relation = parse_relation(parser, "<=, >= or =");
    constraint->sides[1] = parse_side(parser, constraint);
    struct ampl_place place = parser->token.place;
    if (parser->failed || ampl_at(parser, AMPL_TOKEN_SEMICOLON) || at_suffix(parser))
        return;
    uint32_t relation = parse_relation(parser, "';'");
    if (relation != constraint->relation || relation == AMPL_TOKEN_EQUAL)
        ampl_mistake(parser, HN_SYNTAX, place, "the two relations of a constraint must both be <= or both be >=");
    constraint->sides[2] = parse_side(parser, constraint);
    constraint->side_count = 3;
}

static void parse_constraint(struct ampl_parser *parser) {
    struct ampl_declaration *constraint = parse_name(parser, AMPL_CONSTRAINTS);
    if (!constraint)
        return;
    ampl_expect(parser, AMPL_TOKEN_COLON, "after the name");
    parse_sides(parser, constraint);
    skip_suffixes(parser);
    if (ampl_at_word(parser, AMPL_WORD_complements) || at_logical(parser))
        parse_relation(parser, "<=, >= or =");
    ampl_end_declaration(parser);
}

/* node N: net_in = b; without a condition inflow equals outflow. */
static void parse_node(struct ampl_parser *parser) {
    struct ampl_declaration *node = parse_name(parser, AMPL_CONSTRAINTS);
    if (!node)
        return;
    node->node = true;
    if (ampl_accept(parser, AMPL_TOKEN_COLON)) {
        parse_sides(parser, node);
    } else {
        node->side_count = 2;
        node->relation = AMPL_TOKEN_EQUAL;
        node->sides[0] = ampl_new_net(parser, node->place, false);
        node->sides[1] = ampl_node_new(parser, AMPL_NUMERAL, AMPL_SCALAR, node->place, 0);
    }
    if (!parser->failed && !node->placed)
        ampl_mistake(parser, HN_SYNTAX, node->place, "%s: the condition of a node needs net_in or net_out",
                     ampl_name(parser, node->name));
    ampl_end_declaration(parser);
}

/* ---- error recovery ---- */

/* A word that can only start a statement: the preceding ';' is probably missing. */
static bool starts_declaration(const struct ampl_parser *parser) {
    static const enum ampl_word words[] = {AMPL_WORD_set,      AMPL_WORD_param,   AMPL_WORD_var, AMPL_WORD_minimize,
                                           AMPL_WORD_maximize, AMPL_WORD_subject, AMPL_WORD_none};
    return ampl_at_one_of(parser, words) || ampl_at(parser, AMPL_TOKEN_SUBJECT_TO);
}

/* Continues after the next ';', or at a word that starts a statement. */
static void recover(struct ampl_parser *parser, uint32_t start) {
    ampl_resume(parser);
    parser->lexer.at = parser->pieces > 0 ? parser->pieces - 1 : parser->token.place.offset;
    if (parser->pieces > 0 || parser->token.place.offset == start || !starts_declaration(parser))
        ampl_lex_skip_statement(&parser->lexer);
}

/* ---- skipped and refused statements ---- */

static void skip_rest(struct ampl_parser *parser, const char *text) {
    ampl_note(parser->sources, HN_SEVERITY_NOTE, &parser->token.place, "%s is skipped", text);
    ampl_abandon(parser);
}

/* function NAME(...): an imported function. */
static void refuse_function(struct ampl_parser *parser) {
    struct ampl_place place = parser->token.place;
    ampl_next(parser);
    ampl_mistake(parser, HN_UNSUPPORTED, place, "function %s: imported functions are not supported",
                 ampl_shown(parser).text);
}

/* Skips the rest of a source with a note, if it is not blank. */
static void end_source(struct ampl_parser *parser, const char *text) {
    if (ampl_at(parser, AMPL_TOKEN_SEMICOLON))
        ampl_next(parser);
    if (!ampl_at(parser, AMPL_TOKEN_END))
        ampl_note(parser->sources, HN_SEVERITY_NOTE, &parser->token.place, "the text after %s is skipped", text);
    parser->lexer.at = parser->lexer.length;
    parser->token.kind = AMPL_TOKEN_SEMICOLON;
}

/* A loop or an if command; after an error all of it is skipped. */
static void parse_blocks(struct ampl_parser *parser) {
    struct ampl_lexer lexer = parser->lexer;
    bool stops = false;
    if (ampl_parse_blocks(parser, &stops)) {
        if (stops)
            end_source(parser, "the block with solve");
        parser->finished |= stops;
        return;
    }
    ampl_lex_skip_blocks(&lexer);
    parser->lexer.at = lexer.at;
    ampl_resume(parser);
    parser->token.kind = AMPL_TOKEN_SEMICOLON;
    if (parser->symbols->no_memory)
        ampl_exhausted(parser);
}

static void parse_reset(struct ampl_parser *parser) {
    if (parser->program->first) {
        ampl_mistake(parser, HN_UNSUPPORTED, parser->start, "reset after a declaration is not supported");
        return;
    }
    while (!ampl_at_end(parser))
        ampl_next(parser);
}

/* ---- included files ---- */

static void include_file(struct ampl_parser *parser, const char *name, size_t length, struct ampl_place place) {
    if (parser->in_memory || parser->untrusted) {
        ampl_mistake(parser, HN_UNSUPPORTED, place, "%.*s: %s cannot include files", length < 200 ? (int)length : 200,
                     name, parser->untrusted ? "an untrusted model" : "a model in memory");
        return;
    }
    if (parser->include_depth >= MOST_INCLUDES) {
        ampl_mistake(parser, HN_LIMIT, place, "files include each other more than %d deep", MOST_INCLUDES);
        return;
    }
    const char *path = ampl_sources_beside(parser->sources, place.source, name, length);
    if (!path || !ampl_sources_add_file(parser->sources, path, &place)) {
        ampl_abandon(parser);
        return;
    }
    struct ampl_lexer outer = parser->lexer;
    parser->include_depth++;
    ampl_parse_source(parser, (uint32_t)parser->sources->count - 1);
    parser->include_depth--;
    parser->lexer = outer;
}

/* include FILE keeps the mode, model FILE and data FILE set it for that file; without FILE they set it for the
 * following statements. */
static void parse_file(struct ampl_parser *parser, enum ampl_word word) {
    struct ampl_place place = parser->token.place;
    size_t length;
    const char *name = ampl_lex_file_name(&parser->lexer, &length);
    bool is_include = word == AMPL_WORD_include || word == AMPL_WORD_commands;
    if (length == 0 && is_include) {
        ampl_mistake(parser, HN_SYNTAX, place, "include needs the name of a file");
        return;
    }
    if (!is_include)
        parser->data_mode = word == AMPL_WORD_data;
    if (length > 0) {
        include_file(parser, name, length, place);
        if (!is_include)
            parser->data_mode = false;
    }
    if (parser->failed)
        return;
    struct ampl_lexer before = parser->lexer;
    ampl_next(parser);
    if (!ampl_at(parser, AMPL_TOKEN_SEMICOLON) && is_include) { /* the ';' after include is optional */
        parser->lexer = before;
        parser->token.kind = AMPL_TOKEN_SEMICOLON;
    }
}

/* ---- one statement ---- */

static void parse_subject_to(struct ampl_parser *parser) {
    bool words = !ampl_at(parser, AMPL_TOKEN_SUBJECT_TO);
    ampl_next(parser);
    if (words && !ampl_accept_word(parser, AMPL_WORD_to))
        ampl_unexpected(parser, "'to'");
    parse_constraint(parser);
}

/* A statement that starts with another word: a constraint if it looks like one. */
static void parse_other(struct ampl_parser *parser) {
    enum ampl_token_kind after = ampl_peek(parser).kind;
    bool constraint = after == AMPL_TOKEN_COLON || after == AMPL_TOKEN_OPEN_BRACE || after == AMPL_TOKEN_ASSIGN ||
                      after == AMPL_TOKEN_TEXT;
    if (constraint && !ampl_is_reserved(parser->token.symbol))
        parse_constraint(parser);
    else
        ampl_mistake(parser, HN_SYNTAX, parser->token.place, "%s: unknown statement", ampl_shown(parser).text);
}

/* Supported statements, after their first word. */
static void parse_known(struct ampl_parser *parser, enum ampl_word word) {
    switch (word) {
    case AMPL_WORD_set:
    case AMPL_WORD_param:
        ampl_parse_declaration(parser, word == AMPL_WORD_set ? AMPL_SETS : AMPL_PARAMS, false);
        break;
    case AMPL_WORD_var:
    case AMPL_WORD_arc:
        ampl_parse_declaration(parser, AMPL_VARIABLES, word == AMPL_WORD_arc);
        break;
    case AMPL_WORD_minimize:
    case AMPL_WORD_maximize:
        parse_objective(parser, word == AMPL_WORD_maximize);
        break;
    case AMPL_WORD_node:
        parse_node(parser);
        break;
    case AMPL_WORD_check:
        ampl_parse_check(parser);
        break;
    case AMPL_WORD_reset:
        parse_reset(parser);
        break;
    case AMPL_WORD_end:
        end_source(parser, "end");
        break;
    default: /* solve, quit, exit */
        end_source(parser, word == AMPL_WORD_solve ? "solve" : "the end");
        parser->finished = true;
    }
}

static void parse_worded(struct ampl_parser *parser, enum ampl_word word) {
    static const enum ampl_word files[] = {AMPL_WORD_data, AMPL_WORD_model, AMPL_WORD_include, AMPL_WORD_commands,
                                           AMPL_WORD_none};
    if (ampl_at_one_of(parser, files)) {
        parse_file(parser, word);
    } else if (word == AMPL_WORD_subject || word == AMPL_WORD_subj) {
        parse_subject_to(parser);
    } else if (ampl_parse_command(parser, word)) {
        return;
    } else if (word > AMPL_RESERVED_END && word < AMPL_SKIPPED_FIRST) {
        ampl_next(parser);
        parse_known(parser, word);
    } else if (word > AMPL_SKIPPED_FIRST && word < AMPL_REFUSED_FIRST) {
        if (word != AMPL_WORD_option || !ampl_parse_option(parser))
            skip_rest(parser, ampl_shown(parser).text);
    } else if (ampl_at_compound(parser)) {
        parse_blocks(parser);
    } else if (word == AMPL_WORD_function) {
        refuse_function(parser);
    } else if (word > AMPL_REFUSED_FIRST && word < AMPL_REFUSED_END) {
        ampl_mistake(parser, HN_UNSUPPORTED, parser->token.place, "%s: this statement is not supported",
                     ampl_shown(parser).text);
    } else {
        parse_other(parser);
    }
}

/* Whether a name, optionally with an index, is followed by ':': then it names a constraint, even if it is a word of the
 * language. */
static bool names_constraint(const struct ampl_parser *parser) {
    static const enum ampl_word shows[] = {AMPL_WORD_display, AMPL_WORD_print, AMPL_WORD_printf, AMPL_WORD_csvdisplay,
                                           AMPL_WORD_none}; /* with an optional index and ':' before their operands */
    if (ampl_is_reserved(parser->token.symbol) || starts_declaration(parser) || ampl_at_word(parser, AMPL_WORD_check))
        return false;
    if (ampl_peek(parser).kind == AMPL_TOKEN_OPEN_BRACE && ampl_at_one_of(parser, shows))
        return false;
    return ampl_after_brackets(parser, AMPL_TOKEN_OPEN_BRACE, AMPL_TOKEN_SHUT_BRACE).kind == AMPL_TOKEN_COLON;
}

static void parse_model_statement(struct ampl_parser *parser) {
    if (ampl_at(parser, AMPL_TOKEN_SUBJECT_TO)) {
        parse_subject_to(parser);
    } else if (!ampl_at(parser, AMPL_TOKEN_NAME)) {
        ampl_unexpected(parser, "a statement");
    } else if (names_constraint(parser)) {
        parse_constraint(parser);
    } else {
        parse_worded(parser, (enum ampl_word)parser->token.symbol);
    }
}

/* In data mode only set, param, var and include continue it; other statements return to the model. */
static void parse_statement(struct ampl_parser *parser) {
    static const enum ampl_word data[] = {AMPL_WORD_set, AMPL_WORD_param, AMPL_WORD_var, AMPL_WORD_none};
    if (parser->data_mode && ampl_at_one_of(parser, data)) {
        ampl_parse_data_statement(parser, (enum ampl_word)parser->token.symbol);
        return;
    }
    if (parser->data_mode && !ampl_at_word(parser, AMPL_WORD_include)) {
        parser->data_mode = false;
        parser->lexer.at = parser->token.place.offset;
        ampl_next(parser);
    }
    parse_model_statement(parser);
}

static void start_statement(struct ampl_parser *parser) {
    parser->failed = parser->misused = false;
    parser->depth = parser->dummy_count = parser->slot_next = parser->slot_most = 0;
    parser->pending_count = parser->pieces = 0;
    parser->owner = parser->draw_count = 0;
    parser->no_variables = NULL;
    parser->declaration = NULL;
    ampl_next(parser);
    parser->start = parser->token.place;
}

/* An included file that does not begin like a model is abandoned at once: it may have any format. */
void ampl_parse_source(struct ampl_parser *parser, uint32_t source) {
    bool unproven = parser->sources->list[source].included;
    parser->lexer = ampl_lexer_start(parser->sources, source, parser->symbols);
    while (!parser->sources->stopped && !parser->finished) {
        start_statement(parser);
        uint32_t start = parser->token.place.offset;
        if (ampl_at(parser, AMPL_TOKEN_END))
            return;
        if (ampl_at(parser, AMPL_TOKEN_SEMICOLON))
            continue;
        parse_statement(parser);
        if (!parser->failed && !ampl_at(parser, AMPL_TOKEN_SEMICOLON))
            ampl_unexpected(parser, "';'");
        if (parser->failed && unproven)
            return;
        if (parser->failed)
            recover(parser, start);
        unproven = false;
    }
}
