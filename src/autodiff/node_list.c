/* node_list.c - lists of nodes. See derivatives.h.
 *
 * SPDX-License-Identifier: MIT */
#include "autodiff/derivatives.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"

#include <string.h>

hn_status node_list_add(struct node_list *list, const uint32_t *nodes, size_t count, hn_error *error) {
    uint32_t *grown = array_grow(list->nodes, &list->capacity, list->count + count + 1, sizeof *grown);
    if (!grown)
        return error_no_memory(error, "the outputs of a program");
    list->nodes = grown;
    if (count)
        memcpy(grown + list->count, nodes, count * sizeof *grown);
    list->count += count;
    return HN_OK;
}

void node_list_release(struct node_list *list) {
    base_release(list->nodes);
    *list = (struct node_list){.nodes = NULL};
}
