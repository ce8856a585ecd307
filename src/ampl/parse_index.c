/* parse_index.c - braces: an index {i in S, (j,k) in T: condition}, or a set {1, 2, 3}.
 *
 * A name before `in` is a new dummy. Among the components of (i, j, ...) in S a name that is in scope or declared, and
 * any other expression, fixes a component: {i in N, (i,j) in A} iterates over the slice of A at i.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/parser.h"

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

/* ---- items ---- */

/* Whether the name or the parenthesis here is followed by `in`. */
static bool before_in(const struct ampl_parser *parser) {
    bool tuple = ampl_at(parser, AMPL_TOKEN_OPEN);
    if (!tuple && !ampl_at(parser, AMPL_TOKEN_NAME))
        return false;
    struct ampl_token next = tuple ? ampl_after_brackets(parser, AMPL_TOKEN_OPEN, AMPL_TOKEN_SHUT) : ampl_peek(parser);
    return next.kind == AMPL_TOKEN_NAME && next.symbol == AMPL_WORD_in;
}

static bool is_new_name(const struct ampl_parser *parser) {
    if (!ampl_at(parser, AMPL_TOKEN_NAME) || ampl_find_dummy(parser, parser->token.symbol) ||
        ampl_declared(parser, parser->token.symbol))
        return false;
    enum ampl_token_kind after = ampl_peek(parser).kind;
    return after == AMPL_TOKEN_COMMA || after == AMPL_TOKEN_SHUT;
}

/* Adds a new dummy as the next component; those of this index that are in scope start at `first`. */
static void parse_new_name(struct ampl_parser *parser, struct ampl_index_item *item, uint32_t first) {
    struct ampl_word_text shown = ampl_shown(parser);
    uint32_t symbol = parser->token.symbol;
    bool taken = false;
    for (uint32_t i = first; i < parser->dummy_count; i++)
        taken |= parser->dummies[i].symbol == symbol;
    for (uint32_t i = 0; i < item->count; i++)
        taken |= item->components[i].symbol == symbol;
    if (ampl_is_reserved(symbol))
        ampl_mistake(parser, HN_SYNTAX, parser->token.place, "%s: a reserved word cannot be a name", shown.text);
    if (taken)
        ampl_mistake(parser, HN_SYNTAX, parser->token.place, "%s is already a dummy of this index", shown.text);
    item->components[item->count++].symbol = symbol;
    ampl_next(parser);
}

/* ( new names and fixed components ) */
static void parse_tuple(struct ampl_parser *parser, struct ampl_index_item *item, uint32_t first) {
    ampl_next(parser);
    do {
        if (item->count >= AMPL_MOST_COMPONENTS)
            ampl_mistake(parser, HN_LIMIT, parser->token.place, "more than %d components", AMPL_MOST_COMPONENTS);
        else if (is_new_name(parser))
            parse_new_name(parser, item, first);
        else
            item->components[item->count++].fixed = ampl_parse_scalar(parser);
    } while (ampl_accept(parser, AMPL_TOKEN_COMMA));
    ampl_expect(parser, AMPL_TOKEN_SHUT, "to close the tuple");
}

static struct ampl_index_item *new_item(struct ampl_parser *parser, uint32_t most) {
    struct ampl_index_item *item = ampl_take(parser, 1, sizeof *item);
    if (item)
        item->components = ampl_take(parser, most, sizeof *item->components);
    return parser->failed ? NULL : item;
}

/* Sets the set of an item, whose components must match its members, and assigns slots to its free components. */
static struct ampl_index_item *finish_item(struct ampl_parser *parser, struct ampl_index_item *item,
                                           struct ampl_node *set) {
    if (parser->failed)
        return NULL;
    if (set->dimension != 0 && item->count != set->dimension)
        return ampl_mistake(parser, HN_SYNTAX, set->place, "%u dummy indices for a set of dimension %u",
                            (unsigned)item->count, (unsigned)set->dimension);
    item->set = set;
    for (uint32_t i = 0; i < item->count; i++) {
        struct ampl_component *component = &item->components[i];
        if (component->fixed)
            continue;
        component->slot = parser->slot_next++;
        if (component->symbol == 0)
            continue;
        if (parser->dummy_count >= AMPL_MOST_DUMMIES)
            return ampl_mistake(parser, HN_LIMIT, parser->token.place, "more than %d dummy indices in scope",
                                AMPL_MOST_DUMMIES);
        parser->dummies[parser->dummy_count++] = (struct ampl_dummy){component->symbol, component->slot, item};
    }
    if (parser->slot_next > parser->slot_most)
        parser->slot_most = parser->slot_next;
    return item;
}

static struct ampl_index_item *parse_dummy_item(struct ampl_parser *parser, uint32_t first) {
    bool tuple = ampl_at(parser, AMPL_TOKEN_OPEN);
    struct ampl_index_item *item = new_item(parser, tuple ? AMPL_MOST_COMPONENTS : 1);
    if (!item)
        return NULL;
    if (tuple)
        parse_tuple(parser, item, first);
    else
        parse_new_name(parser, item, first);
    ampl_next(parser); /* in */
    return finish_item(parser, item, ampl_parse_set(parser));
}

/* A set without dummies: the components of its members get unnamed slots. */
static struct ampl_index_item *anonymous_item(struct ampl_parser *parser, struct ampl_node *set) {
    if (set->dimension == 0)
        return ampl_mistake(parser, HN_SYNTAX, set->place, "the dimension of this empty set is unknown");
    struct ampl_index_item *item = new_item(parser, set->dimension);
    if (item)
        item->count = set->dimension;
    return item ? finish_item(parser, item, set) : NULL;
}

/* ---- braces ---- */

/* {a, b, ...}: the members are pending from `first` on. */
static struct ampl_node *finish_members(struct ampl_parser *parser, struct ampl_place place, size_t first) {
    uint32_t dimension = 0;
    for (size_t i = first; i < parser->pending_count; i++) {
        const struct ampl_node *member = parser->pending[i].node;
        uint32_t components = member->type == AMPL_TUPLE ? member->count : 1;
        if (member->type != AMPL_TUPLE)
            ampl_need(parser, member, AMPL_SCALAR);
        if (dimension != 0 && components != dimension)
            ampl_mistake(parser, HN_SYNTAX, member->place, "one set has members of %u and of %u components",
                         (unsigned)dimension, (unsigned)components);
        dimension = components;
    }
    struct ampl_node *node = ampl_node_pending(parser, AMPL_MEMBERS, AMPL_SET, place, first);
    if (node)
        node->dimension = (uint8_t)dimension;
    return node;
}

/* Items, or members, which are pending from `first` on. */
static void parse_elements(struct ampl_parser *parser, struct ampl_indexing *indexing, size_t first) {
    struct ampl_index_item **last = &indexing->items;
    uint32_t first_dummy = parser->dummy_count;
    do {
        struct ampl_node *element = NULL;
        if (before_in(parser))
            *last = parse_dummy_item(parser, first_dummy);
        else if ((element = ampl_parse_any(parser)) && element->type == AMPL_SET)
            *last = anonymous_item(parser, element);
        else
            ampl_push(parser, element, 0);
        if (*last)
            last = &(*last)->next;
    } while (ampl_accept(parser, AMPL_TOKEN_COMMA));
    if (indexing->items && parser->pending_count > first)
        ampl_mistake(parser, HN_SYNTAX, indexing->place, "members and index sets cannot be mixed in braces");
    if (!ampl_accept(parser, AMPL_TOKEN_COLON))
        return;
    if (!indexing->items)
        ampl_mistake(parser, HN_SYNTAX, indexing->place, "a condition without an index set");
    indexing->condition = ampl_parse_logical(parser);
}

/* An index; without items *set is a set of members. */
static struct ampl_indexing *parse_braces(struct ampl_parser *parser, struct ampl_node **set) {
    struct ampl_indexing *indexing = ampl_take(parser, 1, sizeof *indexing);
    const char *outside = parser->no_variables;
    size_t first = parser->pending_count;
    if (!indexing)
        return NULL;
    indexing->place = parser->token.place;
    indexing->first_slot = parser->slot_next;
    parser->no_variables = "a set or the condition of an index";
    ampl_next(parser);
    if (!ampl_at(parser, AMPL_TOKEN_SHUT_BRACE))
        parse_elements(parser, indexing, first);
    ampl_expect(parser, AMPL_TOKEN_SHUT_BRACE, "to close the braces");
    parser->no_variables = outside;
    indexing->arity = parser->slot_next - indexing->first_slot;
    *set = indexing->items || parser->failed ? NULL : finish_members(parser, indexing->place, first);
    return parser->failed ? NULL : indexing;
}

/* {3} is a set with one member, but as an index 1..3 is meant. */
static void check_index_members(struct ampl_parser *parser, const struct ampl_node *set) {
    const struct ampl_node *member = set->count == 1 ? set->arguments[0] : NULL;
    if (member && member->type != AMPL_TUPLE && member->op != AMPL_LITERAL)
        ampl_mistake(parser, HN_SYNTAX, member->place, "%s: a number is not an index set; write 1..n",
                     ampl_shown_at(parser, member->place).text);
}

struct ampl_indexing *ampl_parse_indexing(struct ampl_parser *parser) {
    struct ampl_node *set;
    if (!ampl_at(parser, AMPL_TOKEN_OPEN_BRACE))
        return ampl_unexpected(parser, "an index in { }");
    parser->depth++; /* an index and its content: two levels of stack depth */
    struct ampl_indexing *indexing = parse_braces(parser, &set);
    parser->depth--;
    if (!indexing || !set)
        return indexing;
    check_index_members(parser, set);
    indexing->items = anonymous_item(parser, set);
    indexing->arity = parser->slot_next - indexing->first_slot;
    return parser->failed ? NULL : indexing;
}

struct ampl_indexing *ampl_parse_optional_index(struct ampl_parser *parser) {
    return ampl_at(parser, AMPL_TOKEN_OPEN_BRACE) ? ampl_parse_indexing(parser) : NULL;
}

struct ampl_node *ampl_parse_braces(struct ampl_parser *parser) {
    struct ampl_scope scope = ampl_scope_enter(parser);
    struct ampl_place place = parser->token.place;
    struct ampl_node *set = NULL;
    struct ampl_indexing *indexing = parse_braces(parser, &set);
    ampl_scope_leave(parser, scope);
    if (!indexing || set)
        return set;
    if (indexing->arity > AMPL_MOST_COMPONENTS)
        return ampl_mistake(parser, HN_LIMIT, place, "a set of more than %d dimensions", AMPL_MOST_COMPONENTS);
    set = ampl_node_new(parser, AMPL_SET_OVER, AMPL_SET, place, 0);
    if (set) {
        set->over.indexing = indexing;
        set->dimension = (uint8_t)indexing->arity;
    }
    return set;
}
