/* parse_block.c - compound commands: for, repeat, while and if, each with one command or a block { ... }.
 *
 * Inside them let, fix, unfix, drop, restore, objective, break, continue and solve are accepted, display commands are
 * skipped with a note, and everything else is refused. After a statement the parser is at its ';'; after a block there
 * is none, so the lexer is reset to the following token.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/parser.h"

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

/* ---- for, repeat, if ---- */

/* The name of a loop, before its index, its condition or its block. */
static void parse_loop_name(struct ampl_parser *parser, struct ampl_command *loop) {
    if (!ampl_at(parser, AMPL_TOKEN_NAME) || ampl_at_word(parser, AMPL_WORD_while) ||
        ampl_at_word(parser, AMPL_WORD_until))
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
    struct ampl_token after = ampl_peek(parser);
    bool condition =
        after.kind == AMPL_TOKEN_NAME && (after.symbol == AMPL_WORD_while || after.symbol == AMPL_WORD_until);
    if (!condition)
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
    struct ampl_token after = ampl_peek(parser);
    if (after.kind != AMPL_TOKEN_NAME || after.symbol != AMPL_WORD_else)
        return true;
    ampl_next(parser);
    ampl_next(parser);
    return parse_commands(parser, blocks, &choice->otherwise);
}

/* ---- one command ---- */

static bool parse_compound(struct ampl_parser *parser, struct blocks *blocks) {
    enum ampl_word word = (enum ampl_word)parser->token.symbol;
    enum ampl_command_kind kind = word == AMPL_WORD_for ? AMPL_FOR : word == AMPL_WORD_if ? AMPL_IF : AMPL_REPEAT;
    struct ampl_command *command = ampl_new_command(parser, kind, parser->token.place);
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
    struct ampl_command *command = ampl_new_command(parser, kind, parser->token.place);
    ampl_next(parser);
    if (!command)
        return false;
    if (ampl_at(parser, AMPL_TOKEN_NAME)) {
        command->name = parser->token.symbol;
        ampl_next(parser);
    }
    return true;
}

/* Commands after a solve in the same block are unreachable. */
static bool parse_stop(struct ampl_parser *parser, struct blocks *blocks) {
    blocks->stops = true;
    bool good = ampl_new_command(parser, AMPL_STOP, parser->token.place) != NULL;
    while (!parser->failed && !ampl_at(parser, AMPL_TOKEN_SEMICOLON) && !ampl_at(parser, AMPL_TOKEN_END))
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

static bool parse_simple(struct ampl_parser *parser, enum ampl_word word) {
    ampl_next(parser);
    if (word == AMPL_WORD_let)
        ampl_parse_let(parser);
    else if (word == AMPL_WORD_fix || word == AMPL_WORD_unfix)
        ampl_parse_fix(parser, word == AMPL_WORD_fix ? AMPL_FIX : AMPL_UNFIX);
    else if (word == AMPL_WORD_objective)
        ampl_parse_fix(parser, AMPL_OBJECTIVE);
    else
        ampl_parse_fix(parser, word == AMPL_WORD_drop ? AMPL_DROP : AMPL_RESTORE);
    return !parser->failed;
}

static bool dispatch(struct ampl_parser *parser, struct blocks *blocks) {
    uint32_t symbol = ampl_at(parser, AMPL_TOKEN_NAME) ? parser->token.symbol : AMPL_WORD_none;
    switch (symbol) {
    case AMPL_WORD_for:
    case AMPL_WORD_repeat:
    case AMPL_WORD_while:
    case AMPL_WORD_if:
        return parse_compound(parser, blocks);
    case AMPL_WORD_let:
    case AMPL_WORD_fix:
    case AMPL_WORD_unfix:
    case AMPL_WORD_drop:
    case AMPL_WORD_restore:
    case AMPL_WORD_objective:
        return parse_simple(parser, (enum ampl_word)symbol);
    case AMPL_WORD_break:
    case AMPL_WORD_continue:
        return parse_leave(parser, symbol == AMPL_WORD_break ? AMPL_BREAK : AMPL_CONTINUE);
    case AMPL_WORD_solve:
    case AMPL_WORD_quit:
    case AMPL_WORD_exit:
        return parse_stop(parser, blocks);
    default:
        if (symbol > AMPL_SKIPPED_FIRST && symbol < AMPL_REFUSED_FIRST)
            return skip_shown(parser);
        return ampl_mistake(parser, HN_UNSUPPORTED, parser->token.place, "%s: not allowed in a block of commands",
                            ampl_shown(parser).text);
    }
}

/* ---- blocks ---- */

static bool is_compound(const struct ampl_parser *parser) {
    return ampl_at_word(parser, AMPL_WORD_for) || ampl_at_word(parser, AMPL_WORD_repeat) ||
           ampl_at_word(parser, AMPL_WORD_while) || ampl_at_word(parser, AMPL_WORD_if);
}

/* One command with its ';'; skips one that was only noted. */
static bool parse_one(struct ampl_parser *parser, struct blocks *blocks) {
    size_t errors = parser->sources->error_count;
    bool compound = is_compound(parser);
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
    bool stopped = false;
    ampl_next(parser);
    while (!ampl_at(parser, AMPL_TOKEN_SHUT_BRACE)) {
        bool stop = ampl_at_word(parser, AMPL_WORD_solve) || ampl_at_word(parser, AMPL_WORD_quit) ||
                    ampl_at_word(parser, AMPL_WORD_exit);
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
