/* parse_command.c - commands: let, fix, unfix, drop, restore, objective, check and option; for, repeat, while and if
 * with one command or a block { ... }.
 *
 * Commands are stored in order and run when the model is built; of the options randseed is applied, others are skipped
 * with a note. Inside blocks only the first six, break, continue and solve are accepted, display commands are skipped
 * with a note, and everything else is refused. After a statement the parser is at its ';'; after a block there is none,
 * so the lexer is reset to the following token.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/numerals.h"
#include "ampl/parser.h"

#include <math.h>

static struct ampl_command *new_command(struct ampl_parser *parser, enum ampl_command_kind kind,
                                        struct ampl_place place) {
    struct ampl_command *command = ampl_take(parser, 1, sizeof *command);
    if (!command)
        return NULL;
    command->kind = kind;
    command->place = place;
    command->slots = parser->slot_most;
    *parser->program->last_command = command;
    parser->program->last_command = &command->next;
    return command;
}

/* ---- let ---- */

static void parse_let(struct ampl_parser *parser) {
    struct ampl_place place = parser->token.place;
    const struct ampl_indexing *indexing;
    struct ampl_declaration *declaration;
    if (!ampl_parse_optional_index(parser, &indexing) || !(declaration = ampl_declared_here(parser, "a name")))
        return;
    if (declaration->defined) {
        ampl_mistake(parser, HN_INVALID, parser->token.place, "%s is defined by '=' and cannot be changed",
                     ampl_shown(parser).text);
        return;
    }
    parser->changing = true;
    struct ampl_node *target = ampl_parse_reference(parser);
    bool start = target && declaration->kind == AMPL_VARIABLES && ampl_accept(parser, AMPL_TOKEN_DOT);
    parser->changing = false;
    if (start)
        ampl_next(parser); /* .start */
    if (!target || !ampl_expect(parser, AMPL_TOKEN_ASSIGN, "after the target of let"))
        return;
    struct ampl_node *value = target->type == AMPL_SET ? ampl_parse_set(parser) : ampl_parse_scalar(parser);
    struct ampl_command *command = value ? new_command(parser, start ? AMPL_START : AMPL_LET, place) : NULL;
    if (!command)
        return;
    command->indexing = indexing;
    command->target = target;
    command->value = value;
    if (!start)
        declaration->let = declaration->assigned = true;
}

/* ---- fix, unfix, drop, restore, objective ---- */

/* Whether the command applies to this declaration: variables are fixed, goals dropped, objectives chosen. */
static bool check_target(struct ampl_parser *parser, const struct ampl_declaration *declaration,
                         enum ampl_command_kind kind) {
    bool objective = declaration->kind == AMPL_OBJECTIVES, good;
    const char *problem;
    if (kind == AMPL_FIX || kind == AMPL_UNFIX) {
        good = declaration->kind == AMPL_VARIABLES && !declaration->defined;
        problem = "only variables can be fixed";
    } else if (kind == AMPL_OBJECTIVE) {
        good = objective;
        problem = "not an objective";
    } else {
        good = objective || declaration->kind == AMPL_CONSTRAINTS;
        problem = "only constraints and objectives can be dropped";
    }
    return good || ampl_mistake(parser, HN_INVALID, parser->token.place, "%s: %s", ampl_shown(parser).text, problem);
}

/* x[i], or the whole of x. */
static struct ampl_node *parse_fix_target(struct ampl_parser *parser, enum ampl_command_kind kind) {
    struct ampl_declaration *declaration = ampl_declared_here(parser, "a name");
    if (!declaration || !check_target(parser, declaration, kind))
        return NULL;
    if (ampl_peek(parser).kind == AMPL_TOKEN_OPEN_BRACKET)
        return declaration->kind == AMPL_VARIABLES ? ampl_parse_reference(parser) : ampl_parse_goal_reference(parser);
    struct ampl_node *node = ampl_node_new(parser, AMPL_REFERENCE, AMPL_SCALAR, parser->token.place, 0);
    if (node)
        node->is.declaration = declaration;
    ampl_next(parser);
    return node;
}

static void parse_fix(struct ampl_parser *parser, enum ampl_command_kind kind) {
    struct ampl_place place = parser->token.place;
    const struct ampl_indexing *indexing;
    bool takes_value = kind == AMPL_FIX || kind == AMPL_UNFIX;
    if (!ampl_parse_optional_index(parser, &indexing))
        return;
    do {
        struct ampl_node *target = parse_fix_target(parser, kind), *value = NULL;
        if (!target)
            return;
        if (takes_value && ampl_accept(parser, AMPL_TOKEN_ASSIGN) && !(value = ampl_parse_scalar(parser)))
            return;
        struct ampl_command *command = new_command(parser, kind, place);
        if (!command)
            return;
        command->indexing = indexing;
        command->target = target;
        command->value = value;
    } while (ampl_accept(parser, AMPL_TOKEN_COMMA));
}

bool ampl_parse_command(struct ampl_parser *parser, enum ampl_word word) {
    static const struct {
        enum ampl_word word;
        enum ampl_command_kind kind;
    } commands[] = {{AMPL_WORD_let, AMPL_LET},         {AMPL_WORD_fix, AMPL_FIX},
                    {AMPL_WORD_unfix, AMPL_UNFIX},     {AMPL_WORD_drop, AMPL_DROP},
                    {AMPL_WORD_restore, AMPL_RESTORE}, {AMPL_WORD_objective, AMPL_OBJECTIVE}};
    size_t i = 0, count = sizeof commands / sizeof commands[0];
    while (i < count && commands[i].word != word)
        i++;
    if (i == count)
        return false;
    parser->command_count++;
    ampl_next(parser);
    if (word == AMPL_WORD_let)
        parse_let(parser);
    else
        parse_fix(parser, commands[i].kind);
    return true;
}

/* ---- check ---- */

/* Optional `name:` after check, which names the requirement. */
static uint32_t parse_check_name(struct ampl_parser *parser) {
    uint32_t symbol = parser->token.symbol;
    if (!ampl_at(parser, AMPL_TOKEN_NAME) || ampl_is_reserved(symbol) || ampl_peek(parser).kind != AMPL_TOKEN_COLON)
        return 0;
    ampl_next(parser);
    return symbol;
}

void ampl_parse_check(struct ampl_parser *parser) {
    const struct ampl_indexing *indexing;
    if (ampl_at(parser, AMPL_TOKEN_SEMICOLON)) /* a repeated check: checks run once, at the end */
        return;
    parser->command_count++;
    uint32_t name = parse_check_name(parser);
    if (!ampl_parse_optional_index(parser, &indexing))
        return;
    ampl_accept(parser, AMPL_TOKEN_COLON);
    parser->no_variables = "a check";
    struct ampl_node *condition = ampl_parse_logical(parser);
    parser->no_variables = NULL;
    struct ampl_command *command = condition ? new_command(parser, AMPL_CHECK, parser->start) : NULL;
    if (!command)
        return;
    command->indexing = indexing;
    command->value = condition;
    command->number = ++parser->check_count;
    command->name = name;
}

/* ---- option ---- */

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
    while (!ampl_at_end(parser) && !ampl_at(parser, AMPL_TOKEN_COMMA))
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

/* ---- blocks ---- */

enum { MOST_BLOCKS = 30 };

struct blocks {
    uint32_t depth;
    bool stops; /* a solve was found */
};

static bool parse_commands(struct ampl_parser *parser, struct blocks *blocks, struct ampl_command **first);

/* Rereads the next token, as if a ';' preceded it. */
static void end_here(struct ampl_parser *parser) {
    parser->lexer.at = parser->token.place.offset;
    parser->token.kind = AMPL_TOKEN_SEMICOLON;
}

static bool next_is(const struct ampl_parser *parser, enum ampl_word word) {
    struct ampl_token next = ampl_peek(parser);
    return next.kind == AMPL_TOKEN_NAME && next.symbol == (uint32_t)word;
}

/* ---- for, repeat, if ---- */

static const enum ampl_word loop_conditions[] = {AMPL_WORD_while, AMPL_WORD_until, AMPL_WORD_none};

/* The name of a loop, before its index, its condition or its block. */
static void parse_loop_name(struct ampl_parser *parser, struct ampl_command *loop) {
    if (!ampl_at(parser, AMPL_TOKEN_NAME) || ampl_at_one_of(parser, loop_conditions))
        return;
    loop->name = parser->token.symbol;
    ampl_next(parser);
}

static bool parse_for(struct ampl_parser *parser, struct blocks *blocks, struct ampl_command *loop) {
    struct ampl_scope scope = ampl_scope_enter(parser);
    parse_loop_name(parser, loop);
    loop->indexing = ampl_parse_indexing(parser);
    if (!loop->indexing)
        return false;
    if (loop->indexing->arity > AMPL_MOST_COMPONENTS)
        return ampl_mistake(parser, HN_LIMIT, loop->place, "more than %d dummies in one loop", AMPL_MOST_COMPONENTS);
    bool good = parse_commands(parser, blocks, &loop->body);
    ampl_scope_leave(parser, scope);
    return good;
}

/* while or until, and the condition; false with an error. */
static bool parse_condition(struct ampl_parser *parser, struct ampl_node **condition, bool *until) {
    *until = ampl_at_word(parser, AMPL_WORD_until);
    if (!*until && !ampl_at_word(parser, AMPL_WORD_while))
        return true;
    ampl_next(parser);
    *condition = ampl_parse_logical(parser);
    return *condition != NULL;
}

static bool parse_repeat(struct ampl_parser *parser, struct blocks *blocks, struct ampl_command *loop) {
    parse_loop_name(parser, loop);
    if (!parse_condition(parser, &loop->value, &loop->until))
        return false;
    if (!ampl_at(parser, AMPL_TOKEN_OPEN_BRACE))
        return ampl_unexpected(parser, "'{'");
    if (!parse_commands(parser, blocks, &loop->body))
        return false;
    if (!next_is(parser, AMPL_WORD_while) && !next_is(parser, AMPL_WORD_until))
        return true;
    ampl_next(parser);
    return parse_condition(parser, &loop->after, &loop->until_after);
}

/* while condition { ... } is repeat while condition { ... }. */
static bool parse_while(struct ampl_parser *parser, struct blocks *blocks, struct ampl_command *loop) {
    loop->value = ampl_parse_logical(parser);
    if (loop->value)
        ampl_accept_word(parser, AMPL_WORD_do);
    return loop->value && parse_commands(parser, blocks, &loop->body);
}

static bool parse_if(struct ampl_parser *parser, struct blocks *blocks, struct ampl_command *choice) {
    choice->value = ampl_parse_logical(parser);
    if (!choice->value)
        return false;
    if (!ampl_accept_word(parser, AMPL_WORD_then))
        return ampl_unexpected(parser, "'then'");
    if (!parse_commands(parser, blocks, &choice->body))
        return false;
    if (!next_is(parser, AMPL_WORD_else))
        return true;
    ampl_next(parser);
    ampl_next(parser);
    return parse_commands(parser, blocks, &choice->otherwise);
}

/* ---- one command ---- */

bool ampl_at_compound(const struct ampl_parser *parser) {
    static const enum ampl_word words[] = {AMPL_WORD_for, AMPL_WORD_repeat, AMPL_WORD_while, AMPL_WORD_if,
                                           AMPL_WORD_none};
    return ampl_at_one_of(parser, words);
}

static bool parse_compound(struct ampl_parser *parser, struct blocks *blocks) {
    enum ampl_word word = (enum ampl_word)parser->token.symbol;
    enum ampl_command_kind kind = word == AMPL_WORD_for ? AMPL_FOR : word == AMPL_WORD_if ? AMPL_IF : AMPL_REPEAT;
    struct ampl_command *command = new_command(parser, kind, parser->token.place);
    if (!command)
        return false;
    if (blocks->depth >= MOST_BLOCKS)
        return ampl_mistake(parser, HN_LIMIT, command->place, "blocks nested more than %d deep", MOST_BLOCKS);
    parser->command_count++;
    blocks->depth++;
    ampl_next(parser);
    bool good = kind == AMPL_FOR          ? parse_for(parser, blocks, command)
                : kind == AMPL_IF         ? parse_if(parser, blocks, command)
                : word == AMPL_WORD_while ? parse_while(parser, blocks, command)
                                          : parse_repeat(parser, blocks, command);
    blocks->depth--;
    command->slots = parser->slot_most;
    return good;
}

/* break or continue, optionally with the name of a loop. */
static bool parse_leave(struct ampl_parser *parser, enum ampl_command_kind kind) {
    struct ampl_command *command = new_command(parser, kind, parser->token.place);
    ampl_next(parser);
    if (command && ampl_at(parser, AMPL_TOKEN_NAME)) {
        command->name = parser->token.symbol;
        ampl_next(parser);
    }
    return command != NULL;
}

/* Commands after a solve in the same block are unreachable. */
static bool parse_stop(struct ampl_parser *parser, struct blocks *blocks) {
    blocks->stops = true;
    bool good = new_command(parser, AMPL_STOP, parser->token.place) != NULL;
    while (!ampl_at_end(parser))
        ampl_next(parser);
    return good;
}

static bool skip_shown(struct ampl_parser *parser) {
    if (ampl_at_word(parser, AMPL_WORD_option)) {
        struct ampl_place place = parser->token.place;
        uint64_t seed = parser->seed;
        bool done = ampl_parse_option(parser);
        if (parser->failed || parser->seed != seed)
            return ampl_mistake(parser, HN_UNSUPPORTED, place, "option: randseed in a block is not supported");
        if (done)
            return true;
    }
    ampl_note_repeated(parser->sources, &parser->token.place, "%s in a block is skipped", ampl_shown(parser).text);
    parser->failed = true; /* not an error */
    return false;
}

static bool dispatch(struct ampl_parser *parser, struct blocks *blocks) {
    uint32_t symbol = ampl_at(parser, AMPL_TOKEN_NAME) ? parser->token.symbol : AMPL_WORD_none;
    switch (symbol) {
    case AMPL_WORD_for:
    case AMPL_WORD_repeat:
    case AMPL_WORD_while:
    case AMPL_WORD_if:
        return parse_compound(parser, blocks);
    case AMPL_WORD_break:
    case AMPL_WORD_continue:
        return parse_leave(parser, symbol == AMPL_WORD_break ? AMPL_BREAK : AMPL_CONTINUE);
    case AMPL_WORD_solve:
    case AMPL_WORD_quit:
    case AMPL_WORD_exit:
        return parse_stop(parser, blocks);
    default:
        if (ampl_parse_command(parser, (enum ampl_word)symbol))
            return !parser->failed;
        if (symbol > AMPL_SKIPPED_FIRST && symbol < AMPL_REFUSED_FIRST)
            return skip_shown(parser);
        return ampl_mistake(parser, HN_UNSUPPORTED, parser->token.place, "%s: not allowed in a block of commands",
                            ampl_shown(parser).text);
    }
}

/* One command with its ';'; skips one that was only noted. */
static bool parse_one(struct ampl_parser *parser, struct blocks *blocks) {
    size_t errors = parser->sources->error_count;
    bool compound = ampl_at_compound(parser);
    parser->no_variables = NULL;
    parser->pieces = 0;
    bool good = dispatch(parser, blocks);
    if (!good && parser->sources->error_count == errors && !parser->sources->stopped && !compound) {
        parser->lexer.at = parser->token.place.offset;
        ampl_lex_skip_statement(&parser->lexer);
        parser->token.kind = AMPL_TOKEN_SEMICOLON;
        parser->failed = false;
        return true;
    }
    if (good && !ampl_at(parser, AMPL_TOKEN_SEMICOLON))
        return ampl_unexpected(parser, "';'");
    return good;
}

/* Skips the commands after a solve, up to the current '}'. */
static void skip_to_end(struct ampl_parser *parser) {
    struct ampl_place place = parser->token.place;
    bool any = !ampl_at(parser, AMPL_TOKEN_SHUT_BRACE);
    for (size_t open = 1; !parser->failed && !ampl_at(parser, AMPL_TOKEN_END); ampl_next(parser)) {
        open += ampl_at(parser, AMPL_TOKEN_OPEN_BRACE);
        open -= ampl_at(parser, AMPL_TOKEN_SHUT_BRACE);
        if (open == 0)
            break;
    }
    if (any)
        ampl_note(parser->sources, HN_SEVERITY_NOTE, &place, "the commands after solve in its block are skipped");
}

static bool parse_braced(struct ampl_parser *parser, struct blocks *blocks) {
    static const enum ampl_word stops[] = {AMPL_WORD_solve, AMPL_WORD_quit, AMPL_WORD_exit, AMPL_WORD_none};
    bool stopped = false;
    ampl_next(parser);
    while (!ampl_at(parser, AMPL_TOKEN_SHUT_BRACE)) {
        bool stop = ampl_at_one_of(parser, stops);
        if (ampl_at(parser, AMPL_TOKEN_END))
            return ampl_unexpected(parser, "'}'");
        if (!ampl_at(parser, AMPL_TOKEN_SEMICOLON) && !parse_one(parser, blocks))
            return false;
        stopped |= stop;
        ampl_next(parser);
        if (stopped)
            skip_to_end(parser);
    }
    ampl_next(parser);
    end_here(parser);
    return !parser->failed;
}

/* { commands } or one command, as a separate list. */
static bool parse_commands(struct ampl_parser *parser, struct blocks *blocks, struct ampl_command **first) {
    struct ampl_command **outside = parser->program->last_command;
    parser->program->last_command = first;
    bool braced = ampl_at(parser, AMPL_TOKEN_OPEN_BRACE);
    bool good = braced ? parse_braced(parser, blocks) : parse_one(parser, blocks);
    parser->program->last_command = outside;
    return good;
}

bool ampl_parse_blocks(struct ampl_parser *parser, bool *stops) {
    struct blocks blocks = {0, false};
    bool good = parse_compound(parser, &blocks);
    *stops = blocks.stops;
    return good && !parser->failed;
}
