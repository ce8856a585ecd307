/* parse_command.c - let, fix, unfix, drop, restore, objective and check. They are stored in order and run when the
 * model is built.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/parser.h"

struct ampl_command *ampl_new_command(struct ampl_parser *parser, enum ampl_command_kind kind,
                                      struct ampl_place place) {
    struct ampl_command *command = ampl_take(parser, 1, sizeof *command);
    if (!command)
        return NULL;
    command->kind = kind;
    command->place = place;
    *parser->program->last_command = command;
    parser->program->last_command = &command->next;
    return command;
}

/* Parses an optional index before a target; false with an error. */
static bool parse_command_index(struct ampl_parser *parser, const struct ampl_indexing **indexing) {
    *indexing = NULL;
    if (!ampl_at(parser, AMPL_TOKEN_OPEN_BRACE))
        return true;
    *indexing = ampl_parse_indexing(parser);
    return *indexing != NULL;
}

static struct ampl_declaration *target_here(struct ampl_parser *parser) {
    struct ampl_declaration *declaration = NULL;
    if (!ampl_at(parser, AMPL_TOKEN_NAME))
        ampl_unexpected(parser, "a name");
    else if (!(declaration = ampl_declared(parser, parser->token.symbol)))
        ampl_not_declared(parser);
    return declaration;
}

void ampl_parse_let(struct ampl_parser *parser) {
    struct ampl_place place = parser->token.place;
    const struct ampl_indexing *indexing;
    struct ampl_declaration *declaration;
    parser->command_count++;
    if (!parse_command_index(parser, &indexing) || !(declaration = target_here(parser)))
        return;
    struct ampl_word_text shown = ampl_shown(parser);
    if (declaration->defined) {
        ampl_mistake(parser, HN_INVALID, parser->token.place, "%s is defined by '=' and cannot be changed", shown.text);
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
    struct ampl_command *command = value ? ampl_new_command(parser, start ? AMPL_START : AMPL_LET, place) : NULL;
    if (!command)
        return;
    command->indexing = indexing;
    command->target = target;
    command->value = value;
    command->slots = parser->slot_most;
    if (!start)
        declaration->let = declaration->assigned = true;
}

/* Whether the command applies to this declaration: variables are fixed, goals dropped, objectives chosen. */
static bool check_target(struct ampl_parser *parser, const struct ampl_declaration *declaration,
                         enum ampl_command_kind kind) {
    bool variable = declaration->kind == AMPL_VARIABLES && !declaration->defined;
    bool objective = declaration->kind == AMPL_OBJECTIVES;
    const char *problem = NULL;
    if (kind == AMPL_FIX || kind == AMPL_UNFIX)
        problem = variable ? NULL : "only variables can be fixed";
    else if (kind == AMPL_OBJECTIVE)
        problem = objective ? NULL : "not an objective";
    else
        problem = objective || declaration->kind == AMPL_CONSTRAINTS ? NULL
                                                                     : "only constraints and objectives can be "
                                                                       "dropped";
    return !problem ||
           ampl_mistake(parser, HN_INVALID, parser->token.place, "%s: %s", ampl_shown(parser).text, problem);
}

/* x[i], or the whole of x. */
static struct ampl_node *parse_fix_target(struct ampl_parser *parser, enum ampl_command_kind kind) {
    struct ampl_declaration *declaration = target_here(parser);
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

void ampl_parse_fix(struct ampl_parser *parser, enum ampl_command_kind kind) {
    struct ampl_place place = parser->token.place;
    const struct ampl_indexing *indexing;
    bool takes_value = kind == AMPL_FIX || kind == AMPL_UNFIX;
    parser->command_count++;
    if (!parse_command_index(parser, &indexing))
        return;
    do {
        struct ampl_node *target = parse_fix_target(parser, kind), *value = NULL;
        if (!target)
            return;
        if (takes_value && ampl_accept(parser, AMPL_TOKEN_ASSIGN) && !(value = ampl_parse_scalar(parser)))
            return;
        struct ampl_command *command = ampl_new_command(parser, kind, place);
        if (!command)
            return;
        command->indexing = indexing;
        command->target = target;
        command->value = value;
        command->slots = parser->slot_most;
    } while (ampl_accept(parser, AMPL_TOKEN_COMMA));
}

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
    if (!parse_command_index(parser, &indexing))
        return;
    ampl_accept(parser, AMPL_TOKEN_COLON);
    parser->no_variables = "a check";
    struct ampl_node *condition = ampl_parse_logical(parser);
    parser->no_variables = NULL;
    struct ampl_command *command = condition ? ampl_new_command(parser, AMPL_CHECK, parser->start) : NULL;
    if (!command)
        return;
    command->indexing = indexing;
    command->value = condition;
    command->slots = parser->slot_most;
    command->number = ++parser->check_count;
    command->name = name;
}
