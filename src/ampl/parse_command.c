/* parse_command.c - commands: let, fix, unfix, drop, restore, objective, check and option; for, repeat, while and if
 * with one command or a block { ... }.
 *
 * Commands are stored in order and run when the model is built; of the options randseed is applied, others are skipped
 * with a note. Inside blocks only the first six, break, continue and solve are accepted, display commands are skipped
 * with a note, and everything else is refused. After a statement the parser is at its ';'; a block has no ';', so the
 * lexer is reset to the following token.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/numerals.h"
#include "ampl/parser.h"

#include <math.h>

static struct ampl_command *new_command(struct ampl_parser *parser, enum ampl_command_kind kind,
                                        struct ampl_place place) {
    struct ampl_command *command = parser->failed ? NULL : ampl_take(parser, 1, sizeof *command);
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
    const struct ampl_indexing *indexing = ampl_parse_optional_index(parser);
    struct ampl_declaration *declaration = ampl_declared_here(parser, "a name");
    if (declaration && declaration->defined)
        ampl_mistake(parser, HN_INVALID, parser->token.place, "%s is defined by '=' and cannot be changed",
                     ampl_shown(parser).text);
    if (parser->failed)
        return;
    parser->changing = true;
    struct ampl_node *target = ampl_parse_reference(parser);
    bool start = target && declaration->kind == AMPL_VARIABLES && ampl_accept(parser, AMPL_TOKEN_DOT);
    parser->changing = false;
    if (start)
        ampl_next(parser); /* .start */
    ampl_expect(parser, AMPL_TOKEN_ASSIGN, "after the target of let");
    bool set = target && target->type == AMPL_SET;
    struct ampl_node *value = set ? ampl_parse_set(parser) : ampl_parse_scalar(parser);
    struct ampl_command *command = new_command(parser, start ? AMPL_START : AMPL_LET, place);
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
    const struct ampl_indexing *indexing = ampl_parse_optional_index(parser);
    bool takes_value = kind == AMPL_FIX || kind == AMPL_UNFIX;
    do {
        struct ampl_node *target = parse_fix_target(parser, kind), *value = NULL;
        if (takes_value && ampl_accept(parser, AMPL_TOKEN_ASSIGN))
            value = ampl_parse_scalar(parser);
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
    if (ampl_at(parser, AMPL_TOKEN_SEMICOLON)) /* a repeated check: checks run once, at the end */
        return;
    parser->command_count++;
    uint32_t name = parse_check_name(parser);
    const struct ampl_indexing *indexing = ampl_parse_optional_index(parser);
    ampl_accept(parser, AMPL_TOKEN_COLON);
    parser->no_variables = "a check";
    struct ampl_node *condition = ampl_parse_logical(parser);
    parser->no_variables = NULL;
    struct ampl_command *command = new_command(parser, AMPL_CHECK, parser->start);
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
static void take_seed(struct ampl_parser *parser) {
    struct ampl_place place = parser->token.place;
    struct ampl_word_text shown = ampl_shown(parser);
    if (ampl_at(parser, AMPL_TOKEN_SEMICOLON) || ampl_at(parser, AMPL_TOKEN_COMMA))
        return;
    double seed = seed_here(parser);
    if (seed == 0) { /* AMPL would use the clock */
        ampl_note(parser->sources, HN_SEVERITY_WARNING, &place, "randseed 0 would use the clock; 1 is used instead");
        seed = 1;
    }
    if (!(seed >= 1 && seed <= MOST_SEED) || seed != floor(seed)) {
        ampl_mistake(parser, HN_UNSUPPORTED, place, "randseed %s: expected a whole number from 1 to 2^53", shown.text);
        return;
    }
    ampl_next(parser);
    parser->seed = (uint64_t)seed;
    if (parser->program->first_seed == 0)
        parser->program->first_seed = parser->seed;
}

bool ampl_parse_option(struct ampl_parser *parser) {
    struct ampl_lexer lexer = parser->lexer;
    struct ampl_token token = parser->token;
    bool others = false;
    do {
        ampl_next(parser);
        if (ampl_accept_word(parser, AMPL_WORD_randseed)) {
            take_seed(parser);
            continue;
        }
        others = true;
        while (!ampl_at_end(parser) && !ampl_at(parser, AMPL_TOKEN_COMMA))
            ampl_next(parser);
    } while (ampl_at(parser, AMPL_TOKEN_COMMA));
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

static void parse_commands(struct ampl_parser *parser, struct blocks *blocks, struct ampl_command **first);

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

static void parse_for(struct ampl_parser *parser, struct blocks *blocks, struct ampl_command *loop) {
    struct ampl_scope scope = ampl_scope_enter(parser);
    parse_loop_name(parser, loop);
    loop->indexing = ampl_parse_indexing(parser);
    if (loop->indexing && loop->indexing->arity > AMPL_MOST_COMPONENTS)
        ampl_mistake(parser, HN_LIMIT, loop->place, "more than %d dummies in one loop", AMPL_MOST_COMPONENTS);
    parse_commands(parser, blocks, &loop->body);
    ampl_scope_leave(parser, scope);
}

/* while or until, and the condition; NULL without a condition. */
static struct ampl_node *parse_condition(struct ampl_parser *parser, bool *until) {
    *until = ampl_accept_word(parser, AMPL_WORD_until);
    return *until || ampl_accept_word(parser, AMPL_WORD_while) ? ampl_parse_logical(parser) : NULL;
}

static void parse_repeat(struct ampl_parser *parser, struct blocks *blocks, struct ampl_command *loop) {
    parse_loop_name(parser, loop);
    loop->value = parse_condition(parser, &loop->until);
    if (!ampl_at(parser, AMPL_TOKEN_OPEN_BRACE))
        ampl_unexpected(parser, "'{'");
    parse_commands(parser, blocks, &loop->body);
    if (!next_is(parser, AMPL_WORD_while) && !next_is(parser, AMPL_WORD_until))
        return;
    ampl_next(parser);
    loop->after = parse_condition(parser, &loop->until_after);
}

/* while condition { ... } is repeat while condition { ... }. */
static void parse_while(struct ampl_parser *parser, struct blocks *blocks, struct ampl_command *loop) {
    loop->value = ampl_parse_logical(parser);
    ampl_accept_word(parser, AMPL_WORD_do);
    parse_commands(parser, blocks, &loop->body);
}

static void parse_if(struct ampl_parser *parser, struct blocks *blocks, struct ampl_command *choice) {
    choice->value = ampl_parse_logical(parser);
    if (!ampl_accept_word(parser, AMPL_WORD_then))
        ampl_unexpected(parser, "'then'");
    parse_commands(parser, blocks, &choice->body);
    if (!next_is(parser, AMPL_WORD_else))
        return;
    ampl_next(parser);
    ampl_next(parser);
    parse_commands(parser, blocks, &choice->otherwise);
}

/* ---- one command ---- */

bool ampl_at_compound(const struct ampl_parser *parser) {
    static const enum ampl_word words[] = {AMPL_WORD_for, AMPL_WORD_repeat, AMPL_WORD_while, AMPL_WORD_if,
                                           AMPL_WORD_none};
    return ampl_at_one_of(parser, words);
}

static void parse_compound(struct ampl_parser *parser, struct blocks *blocks) {
    enum ampl_word word = (enum ampl_word)parser->token.symbol;
    enum ampl_command_kind kind = word == AMPL_WORD_for ? AMPL_FOR : word == AMPL_WORD_if ? AMPL_IF : AMPL_REPEAT;
    struct ampl_command *command = new_command(parser, kind, parser->token.place);
    if (!command)
        return;
    if (blocks->depth >= MOST_BLOCKS)
        ampl_mistake(parser, HN_LIMIT, command->place, "blocks nested more than %d deep", MOST_BLOCKS);
    parser->command_count++;
    blocks->depth++;
    ampl_next(parser);
    if (kind == AMPL_FOR)
        parse_for(parser, blocks, command);
    else if (kind == AMPL_IF)
        parse_if(parser, blocks, command);
    else if (word == AMPL_WORD_while)
        parse_while(parser, blocks, command);
    else
        parse_repeat(parser, blocks, command);
    blocks->depth--;
    command->slots = parser->slot_most;
}

/* break or continue, optionally with the name of a loop. */
static void parse_leave(struct ampl_parser *parser, enum ampl_command_kind kind) {
    struct ampl_command *command = new_command(parser, kind, parser->token.place);
    ampl_next(parser);
    if (!ampl_at(parser, AMPL_TOKEN_NAME))
        return;
    command->name = parser->token.symbol;
    ampl_next(parser);
}

/* Commands after a solve in the same block are unreachable. */
static void parse_stop(struct ampl_parser *parser, struct blocks *blocks) {
    blocks->stops = true;
    new_command(parser, AMPL_STOP, parser->token.place);
    while (!ampl_at_end(parser))
        ampl_next(parser);
}

static void skip_shown(struct ampl_parser *parser) {
    struct ampl_place place = parser->token.place;
    uint64_t seed = parser->seed;
    bool done = ampl_at_word(parser, AMPL_WORD_option) && ampl_parse_option(parser);
    if (parser->seed != seed)
        ampl_mistake(parser, HN_UNSUPPORTED, place, "option: randseed in a block is not supported");
    if (done || parser->failed)
        return;
    ampl_note_repeated(parser->sources, &parser->token.place, "%s in a block is skipped", ampl_shown(parser).text);
    ampl_abandon(parser);
}

static void dispatch(struct ampl_parser *parser, struct blocks *blocks) {
    uint32_t symbol = ampl_at(parser, AMPL_TOKEN_NAME) ? parser->token.symbol : AMPL_WORD_none;
    if (symbol == AMPL_WORD_break || symbol == AMPL_WORD_continue)
        parse_leave(parser, symbol == AMPL_WORD_break ? AMPL_BREAK : AMPL_CONTINUE);
    else if (symbol == AMPL_WORD_solve || symbol == AMPL_WORD_quit || symbol == AMPL_WORD_exit)
        parse_stop(parser, blocks);
    else if (symbol > AMPL_SKIPPED_FIRST && symbol < AMPL_REFUSED_FIRST)
        skip_shown(parser);
    else if (!ampl_parse_command(parser, (enum ampl_word)symbol))
        ampl_mistake(parser, HN_UNSUPPORTED, parser->token.place, "%s: not allowed in a block of commands",
                     ampl_shown(parser).text);
}

/* One command with its ';'; skips one that was only noted. */
static void parse_one(struct ampl_parser *parser, struct blocks *blocks) {
    size_t errors = parser->sources->error_count;
    if (parser->failed)
        return;
    parser->no_variables = NULL;
    parser->pieces = 0;
    if (ampl_at_compound(parser)) {
        parse_compound(parser, blocks);
    } else {
        dispatch(parser, blocks);
        if (parser->failed && parser->sources->error_count == errors && !parser->sources->stopped) {
            ampl_resume(parser);
            parser->lexer.at = parser->token.place.offset;
            ampl_lex_skip_statement(&parser->lexer);
            parser->token.kind = AMPL_TOKEN_SEMICOLON;
        }
    }
    if (!ampl_at(parser, AMPL_TOKEN_SEMICOLON))
        ampl_unexpected(parser, "';'");
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

static void parse_braced(struct ampl_parser *parser, struct blocks *blocks) {
    static const enum ampl_word stops[] = {AMPL_WORD_solve, AMPL_WORD_quit, AMPL_WORD_exit, AMPL_WORD_none};
    bool stopped = false;
    ampl_next(parser);
    while (!parser->failed && !ampl_at(parser, AMPL_TOKEN_SHUT_BRACE)) {
        stopped |= ampl_at_one_of(parser, stops);
        if (ampl_at(parser, AMPL_TOKEN_END))
            ampl_unexpected(parser, "'}'");
        else if (!ampl_at(parser, AMPL_TOKEN_SEMICOLON))
            parse_one(parser, blocks);
        ampl_next(parser);
        if (stopped && !parser->failed)
            skip_to_end(parser);
    }
    ampl_next(parser);
    if (parser->failed)
        return;
    parser->lexer.at = parser->token.place.offset; /* rereads the token, as if a ';' preceded it */
    parser->token.kind = AMPL_TOKEN_SEMICOLON;
}

/* { commands } or one command, as a separate list. */
static void parse_commands(struct ampl_parser *parser, struct blocks *blocks, struct ampl_command **first) {
    struct ampl_command **outside = parser->program->last_command;
    parser->program->last_command = first;
    if (ampl_at(parser, AMPL_TOKEN_OPEN_BRACE))
        parse_braced(parser, blocks);
    else
        parse_one(parser, blocks);
    parser->program->last_command = outside;
}

bool ampl_parse_blocks(struct ampl_parser *parser, bool *stops) {
    struct blocks blocks = {0, false};
    parse_compound(parser, &blocks);
    *stops = blocks.stops;
    return !parser->failed;
}
