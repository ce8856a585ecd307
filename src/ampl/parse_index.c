/* parse_index.c - braces: an index {i in S, (j,k) in T: condition}, or a set {1, 2, 3}.
 *
 * A name before `in` is a new dummy. Among the components of (i, j, ...) in S a name that is in scope or declared, and
 * any other expression, fixes a component: {i in N, (i,j) in A} iterates over the slice of A at i.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/parser.h"

enum { MOST_LOOKAHEAD = 500 };

/* ---- scope ---- */

struct ampl_scope ampl_scope_enter(const struct ampl_parser *parser) {
    return (struct ampl_scope){parser->dummy_count, parser->slot_next};
}

void ampl_scope_leave(struct ampl_parser *parser, struct ampl_scope scope) {
    parser->dummy_count = scope.dummy_count;
    parser->slot_next = scope.slot_next;
}

const struct ampl_dummy *ampl_find_dummy(const struct ampl_parser *parser, uint32_t symbol) {
    for (uint32_t i = parser->dummy_count; i-- > 0;)
        if (parser->dummies[i].symbol == symbol)
            return &parser->dummies[i];
    return NULL;
}

static uint32_t new_slot(struct ampl_parser *parser) {
    if (parser->slot_next == parser->slot_most)
        parser->slot_most++;
    return parser->slot_next++;
}

static bool add_dummy(struct ampl_parser *parser, uint32_t symbol, uint32_t slot, const struct ampl_index_item *item) {
    if (parser->dummy_count >= AMPL_MOST_DUMMIES)
        return ampl_mistake(parser, HN_LIMIT, parser->token.place, "more than %d dummy indices in scope",
                            AMPL_MOST_DUMMIES);
    parser->dummies[parser->dummy_count++] = (struct ampl_dummy){symbol, slot, item};
    return true;
}

/* ---- look-ahead ---- */

/* Whether the parenthesis opened here is followed by `in`. */
static bool tuple_before_in(const struct ampl_parser *parser) {
    struct ampl_lexer lexer = parser->lexer;
    int open = 1;
    for (int i = 0; i < MOST_LOOKAHEAD; i++) {
        struct ampl_token token = ampl_lex(&lexer);
        if (token.kind == AMPL_TOKEN_END || token.kind == AMPL_TOKEN_BAD || token.kind == AMPL_TOKEN_SEMICOLON)
            return false;
        open += token.kind == AMPL_TOKEN_OPEN;
        open -= token.kind == AMPL_TOKEN_SHUT;
        if (open == 0) {
            token = ampl_lex(&lexer);
            return token.kind == AMPL_TOKEN_NAME && token.symbol == AMPL_WORD_in;
        }
    }
    return false;
}

static bool name_before_in(const struct ampl_parser *parser) {
    if (!ampl_at(parser, AMPL_TOKEN_NAME))
        return false;
    struct ampl_token token = ampl_peek(parser);
    return token.kind == AMPL_TOKEN_NAME && token.symbol == AMPL_WORD_in;
}

/* ---- items ---- */

/* Names of the new dummies, until their slots are assigned. */
struct components {
    uint32_t count;
    uint32_t symbols[AMPL_MOST_COMPONENTS]; /* 0: none */
    struct ampl_node *fixed[AMPL_MOST_COMPONENTS];
};

static bool is_new_name(const struct ampl_parser *parser) {
    if (!ampl_at(parser, AMPL_TOKEN_NAME) || ampl_find_dummy(parser, parser->token.symbol) ||
        ampl_declared(parser, parser->token.symbol))
        return false;
    enum ampl_token_kind after = ampl_peek(parser).kind;
    return after == AMPL_TOKEN_COMMA || after == AMPL_TOKEN_SHUT;
}

/* Whether the current name is already a dummy of this index; its dummies in scope start at `first`. */
static bool is_taken(const struct ampl_parser *parser, const struct components *components, uint32_t first) {
    uint32_t symbol = parser->token.symbol;
    for (uint32_t i = first; i < parser->dummy_count; i++)
        if (parser->dummies[i].symbol == symbol)
            return true;
    for (uint32_t i = 0; i < components->count; i++)
        if (components->symbols[i] == symbol)
            return true;
    return false;
}

/* Adds a new dummy as the next component. */
static bool new_name(struct ampl_parser *parser, struct components *components, uint32_t first) {
    struct ampl_word_text shown = ampl_shown(parser);
    if (ampl_is_reserved(parser->token.symbol))
        return ampl_mistake(parser, HN_SYNTAX, parser->token.place, "%s: a reserved word cannot be a name", shown.text);
    if (is_taken(parser, components, first))
        return ampl_mistake(parser, HN_SYNTAX, parser->token.place, "%s is already a dummy of this index", shown.text);
    components->fixed[components->count] = NULL;
    components->symbols[components->count++] = parser->token.symbol;
    ampl_next(parser);
    return true;
}

static bool fixed_component(struct ampl_parser *parser, struct components *components) {
    struct ampl_node *fixed = ampl_parse_scalar(parser);
    components->symbols[components->count] = 0;
    components->fixed[components->count++] = fixed;
    return fixed != NULL;
}

static bool parse_tuple(struct ampl_parser *parser, struct components *components, uint32_t first) {
    ampl_next(parser);
    do {
        if (components->count >= AMPL_MOST_COMPONENTS)
            return ampl_mistake(parser, HN_LIMIT, parser->token.place, "more than %d components", AMPL_MOST_COMPONENTS);
        if (is_new_name(parser) ? !new_name(parser, components, first) : !fixed_component(parser, components))
            return false;
    } while (ampl_accept(parser, AMPL_TOKEN_COMMA));
    return ampl_expect(parser, AMPL_TOKEN_SHUT, "to close the tuple");
}

/* An item over a set; the components match those of the set's members. */
static struct ampl_index_item *make_item(struct ampl_parser *parser, struct ampl_node *set,
                                         const struct components *components) {
    if (set->dimension != 0 && components->count != set->dimension)
        return ampl_mistake(parser, HN_SYNTAX, set->place, "%u dummy indices for a set of dimension %u",
                            (unsigned)components->count, (unsigned)set->dimension);
    struct ampl_index_item *item = ampl_take(parser, 1, sizeof *item);
    if (!item)
        return NULL;
    item->set = set;
    item->count = components->count;
    item->components = ampl_take(parser, components->count, sizeof *item->components);
    if (!item->components)
        return NULL;
    for (uint32_t i = 0; i < components->count; i++) {
        item->components[i].fixed = components->fixed[i];
        if (components->fixed[i])
            continue;
        item->components[i].slot = new_slot(parser);
        if (components->symbols[i] != 0 && !add_dummy(parser, components->symbols[i], item->components[i].slot, item))
            return NULL;
    }
    return item;
}

static struct ampl_index_item *parse_dummy_item(struct ampl_parser *parser, uint32_t first) {
    struct components *components = ampl_take(parser, 1, sizeof *components); /* on the heap: large, and braces nest */
    if (!components || (ampl_at(parser, AMPL_TOKEN_OPEN) ? !parse_tuple(parser, components, first)
                                                         : !new_name(parser, components, first)))
        return NULL;
    ampl_next(parser); /* in */
    struct ampl_node *set = ampl_parse_set(parser);
    return set ? make_item(parser, set, components) : NULL;
}

/* A set without dummies: the components of its members get unnamed slots. */
static struct ampl_index_item *anonymous_item(struct ampl_parser *parser, struct ampl_node *set) {
    if (set->dimension == 0)
        return ampl_mistake(parser, HN_SYNTAX, set->place, "the dimension of this empty set is unknown");
    struct components *components = ampl_take(parser, 1, sizeof *components); /* on the heap: large, and braces nest */
    if (!components)
        return NULL;
    components->count = set->dimension;
    return make_item(parser, set, components);
}

/* ---- braces ---- */

/* {a, b, ...}: the members are pending from `first` on. */
static struct ampl_node *finish_members(struct ampl_parser *parser, struct ampl_place place, size_t first) {
    uint32_t dimension = 0;
    for (size_t i = first; i < parser->pending_count; i++) {
        const struct ampl_node *member = parser->pending[i].node;
        uint32_t components = member->type == AMPL_TUPLE ? member->count : 1;
        if (member->type != AMPL_TUPLE && !ampl_need(parser, member, AMPL_SCALAR))
            return NULL;
        if (dimension != 0 && components != dimension)
            return ampl_mistake(parser, HN_SYNTAX, member->place, "one set has members of %u and of %u components",
                                (unsigned)dimension, (unsigned)components);
        dimension = components;
    }
    struct ampl_node *node = ampl_node_pending(parser, AMPL_MEMBERS, AMPL_SET, place, first);
    if (node)
        node->dimension = (uint8_t)dimension;
    return node;
}

struct braces {
    struct ampl_indexing *indexing; /* of items */
    struct ampl_index_item **last;
    size_t first;         /* pending members */
    uint32_t first_dummy; /* in scope */
};

static bool add_item(struct braces *braces, struct ampl_index_item *item) {
    if (item) {
        *braces->last = item;
        braces->last = &item->next;
    }
    return item != NULL;
}

static bool parse_brace_element(struct ampl_parser *parser, struct braces *braces) {
    if (name_before_in(parser) || (ampl_at(parser, AMPL_TOKEN_OPEN) && tuple_before_in(parser)))
        return add_item(braces, parse_dummy_item(parser, braces->first_dummy));
    struct ampl_node *element = ampl_parse_any(parser);
    if (!element || parser->failed)
        return false;
    if (element->type == AMPL_SET)
        return add_item(braces, anonymous_item(parser, element));
    return ampl_pending_push(parser, element, 0);
}

static bool parse_brace_elements(struct ampl_parser *parser, struct braces *braces) {
    ampl_next(parser);
    if (ampl_at(parser, AMPL_TOKEN_SHUT_BRACE))
        return true;
    do
        if (!parse_brace_element(parser, braces))
            return false;
    while (ampl_accept(parser, AMPL_TOKEN_COMMA));
    if (braces->indexing->items && parser->pending_count > braces->first)
        return ampl_mistake(parser, HN_SYNTAX, braces->indexing->place,
                            "members and index sets cannot be mixed in braces");
    if (!ampl_accept(parser, AMPL_TOKEN_COLON))
        return true;
    if (!braces->indexing->items)
        return ampl_mistake(parser, HN_SYNTAX, braces->indexing->place, "a condition without an index set");
    braces->indexing->condition = ampl_parse_logical(parser);
    return braces->indexing->condition != NULL;
}

/* Sets either *indexing with items, or *set to a set of members. */
static bool parse_braces(struct ampl_parser *parser, struct ampl_indexing **indexing, struct ampl_node **set) {
    struct braces braces = {.indexing = ampl_take(parser, 1, sizeof **indexing),
                            .first = parser->pending_count,
                            .first_dummy = parser->dummy_count};
    if (!braces.indexing)
        return false;
    braces.last = &braces.indexing->items;
    braces.indexing->place = parser->token.place;
    braces.indexing->first_slot = parser->slot_next;
    const char *outside = parser->no_variables;
    parser->no_variables = "a set or the condition of an index";
    bool good =
        parse_brace_elements(parser, &braces) && ampl_expect(parser, AMPL_TOKEN_SHUT_BRACE, "to close the braces");
    parser->no_variables = outside;
    braces.indexing->arity = parser->slot_next - braces.indexing->first_slot;
    *set = NULL;
    *indexing = braces.indexing;
    if (good && !braces.indexing->items)
        *set = finish_members(parser, braces.indexing->place, braces.first);
    return good && (braces.indexing->items || *set);
}

/* {3} is a set with one member, but as an index 1..3 is meant. */
static bool check_index_members(struct ampl_parser *parser, const struct ampl_node *set) {
    const struct ampl_node *member = set->count == 1 ? set->arguments[0] : NULL;
    if (!member || member->type == AMPL_TUPLE || member->op == AMPL_LITERAL)
        return true;
    return ampl_mistake(parser, HN_SYNTAX, member->place, "%s: a number is not an index set; write 1..n",
                        ampl_shown_at(parser, member->place).text);
}

struct ampl_indexing *ampl_parse_indexing(struct ampl_parser *parser) {
    struct ampl_indexing *indexing;
    struct ampl_node *set;
    if (!ampl_at(parser, AMPL_TOKEN_OPEN_BRACE))
        return ampl_unexpected(parser, "an index in { }");
    parser->depth++; /* an index and its content: two levels of stack depth */
    bool good = parse_braces(parser, &indexing, &set);
    parser->depth--;
    if (!good)
        return NULL;
    if (!set)
        return indexing;
    if (!check_index_members(parser, set))
        return NULL;
    indexing->items = anonymous_item(parser, set);
    indexing->arity = parser->slot_next - indexing->first_slot;
    return indexing->items ? indexing : NULL;
}

bool ampl_parse_optional_index(struct ampl_parser *parser, const struct ampl_indexing **indexing) {
    bool here = ampl_at(parser, AMPL_TOKEN_OPEN_BRACE);
    *indexing = here ? ampl_parse_indexing(parser) : NULL;
    return *indexing || !here;
}

struct ampl_node *ampl_parse_braces(struct ampl_parser *parser) {
    struct ampl_scope scope = ampl_scope_enter(parser);
    struct ampl_place place = parser->token.place;
    struct ampl_indexing *indexing;
    struct ampl_node *set = NULL;
    bool good = parse_braces(parser, &indexing, &set);
    ampl_scope_leave(parser, scope);
    if (!good || set)
        return good ? set : NULL;
    if (indexing->arity > AMPL_MOST_COMPONENTS)
        return ampl_mistake(parser, HN_LIMIT, place, "a set of more than %d dimensions", AMPL_MOST_COMPONENTS);
    set = ampl_node_new(parser, AMPL_SET_OVER, AMPL_SET, place, 0);
    if (set) {
        set->over.indexing = indexing;
        set->dimension = (uint8_t)indexing->arity;
    }
    return set;
}
