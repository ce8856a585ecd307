/* parse_nodes.c - creates nodes of the tree.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/parser.h"
#include "base/size.h"

struct ampl_node *ampl_node_new(struct ampl_parser *parser, enum ampl_op op, enum ampl_type type,
                                struct ampl_place place, uint32_t count) {
    struct ampl_node *node =
        ampl_take(parser, size_sum(size_product(count, sizeof node->arguments[0]), sizeof *node), 1);
    if (!node)
        return NULL;
    node->op = (uint8_t)op;
    node->type = (uint8_t)type;
    node->place = place;
    node->count = count;
    return node;
}

bool ampl_pending_push(struct ampl_parser *parser, struct ampl_node *node, uint16_t sign) {
    size_t needed = parser->pending_count + 1;
    if (!node || parser->failed)
        return false;
    struct ampl_node **pending = array_grow(parser->pending, &parser->pending_capacity, needed, sizeof *pending);
    if (pending)
        parser->pending = pending;
    uint16_t *signs = array_grow(parser->signs, &parser->sign_capacity, needed, sizeof *signs);
    if (signs)
        parser->signs = signs;
    if (!pending || !signs || needed >= UINT32_MAX) {
        parser->failed = true;
        return ampl_no_memory(parser->sources);
    }
    pending[needed - 1] = node;
    signs[needed - 1] = sign;
    parser->pending_count = needed;
    return true;
}

struct ampl_node *ampl_node_pending(struct ampl_parser *parser, enum ampl_op op, enum ampl_type type,
                                    struct ampl_place place, size_t first) {
    size_t count = parser->pending_count - first;
    struct ampl_node *node = ampl_node_new(parser, op, type, place, (uint32_t)count);
    if (node && count > 0)
        memcpy(node->arguments, parser->pending + first, count * sizeof node->arguments[0]);
    parser->pending_count = first;
    return node;
}

bool ampl_need(struct ampl_parser *parser, const struct ampl_node *node, enum ampl_type type) {
    static const char kinds[][20] = {"a number or string", "a condition", "a set", "a tuple"};
    if (!node || parser->failed)
        return false;
    if (node->type == type || (type == AMPL_LOGICAL && node->type == AMPL_SCALAR))
        return true;
    bool named = node->op == AMPL_REFERENCE;
    return ampl_mistake(parser, HN_SYNTAX, node->place, "%s%s%s instead of %s",
                        named ? ampl_name(parser, node->is.declaration->name) : "", named ? ": " : "",
                        kinds[node->type], kinds[type]);
}
