/* split.c - see split.h.
 *
 * From the roots down, propagates to every node whether a larger or a smaller value worsens objective and rows; users
 * have larger numbers, so that all uses of a node are known when it is visited. Then the roots are rebuilt bottom-up,
 * with additional outputs in place of the kinks.
 *
 * SPDX-License-Identifier: MIT */
#include "autodiff/split.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>

enum { MOST_PIECES = 128 }; /* per kink */

/* t >= piece; or piece >= t if the kink is used downwards. The second piece of abs is -a. */
struct piece {
    uint32_t node, output;
    bool negated;
};

struct splitter {
    struct problem *problem;
    size_t count;          /* nodes before the additions */
    uint8_t *signs, *uses; /* by node */
    uint32_t *image;       /* by node: its replacement; 0: not visited */
    uint32_t *output;      /* by node: 1 + the additional output that replaces it; 0: none */
    struct piece *pieces;
    size_t piece_count, piece_capacity;
    struct node_list kinks; /* by additional output */
    bool failed;            /* out of memory */
    struct arena arena;     /* of the lists by node */
};

/* ---- detecting kinks that can be split ---- */

static void use_roots(struct splitter *s) {
    const struct problem *p = s->problem;
    s->uses[p->objective] |= p->objective ? USE_UP : 0;
    for (size_t i = 0; i < p->rows; i++) {
        s->uses[p->body[i]] |= graph_is_number(&p->graph, p->upper[i], INFINITY) ? 0 : USE_UP;
        s->uses[p->body[i]] |= graph_is_number(&p->graph, p->lower[i], -INFINITY) ? 0 : USE_DOWN;
    }
}

/* Arguments of max(max(a, b), c), and of min likewise. */
// NOLINTNEXTLINE(misc-no-recursion): depth is limited by the size of the list
static size_t list_arguments(const struct graph *g, uint32_t u, enum op op, uint32_t *list, size_t count) {
    if (g->nodes[u].op == op && count + 1 < MOST_PIECES) {
        count = list_arguments(g, g->nodes[u].a, op, list, count);
        return list_arguments(g, g->nodes[u].b, op, list, count);
    }
    if (count < MOST_PIECES)
        list[count] = u;
    return count + 1;
}

/* The pieces of a kink that can be split; 0: not a kink, or it cannot be split. */
static size_t list_pieces(const struct splitter *s, uint32_t u, uint32_t *list) {
    const struct graph *g = &s->problem->graph;
    enum op op = (enum op)g->nodes[u].op;
    unsigned use = s->uses[u];
    size_t count = 0;
    if (!graph_depends(g, u, SPACE_Y) || (use != USE_UP && use != USE_DOWN))
        return 0;
    if ((op == OP_MAX && use == USE_UP) || (op == OP_MIN && use == USE_DOWN))
        count = list_arguments(g, u, op, list, 0);
    else if (op == OP_ABS && use == USE_UP && s->signs[g->nodes[u].a] == 0) {
        list[0] = list[1] = g->nodes[u].a;
        count = 2;
    } else if (op == OP_IF)
        count = split_find_lines(g, u, (int)use, list, MOST_PIECES);
    return count <= MOST_PIECES ? count : 0;
}

static bool add_piece(struct splitter *s, struct piece piece) {
    struct piece *list = array_grow(s->pieces, &s->piece_capacity, s->piece_count + 1, sizeof *list);
    s->failed = !list;
    if (!list)
        return false;
    s->pieces = list;
    list[s->piece_count++] = piece;
    return true;
}

static bool add_output(struct splitter *s, uint32_t u) {
    s->failed = node_list_add(&s->kinks, &u, 1, NULL) != HN_OK;
    s->output[u] = (uint32_t)s->kinks.count;
    return !s->failed;
}

static void find_kinks(struct splitter *s) {
    const struct graph *g = &s->problem->graph;
    uint32_t list[MOST_PIECES];
    use_roots(s);
    for (uint32_t u = (uint32_t)s->count; --u > 0 && !s->failed;) {
        size_t count = s->uses[u] ? list_pieces(s, u, list) : 0;
        bool is_abs = g->nodes[u].op == OP_ABS;
        if (count == 0 && s->uses[u])
            split_propagate(g, s->signs, u, s->uses);
        if (count == 0 || !add_output(s, u))
            continue;
        for (size_t i = 0; i < count; i++) {
            s->uses[list[i]] |= is_abs ? USE_BOTH : s->uses[u];
            if (!add_piece(s, (struct piece){list[i], (uint32_t)s->kinks.count - 1, is_abs && i == 1}))
                return;
        }
    }
}

/* ---- rebuilding the roots ---- */

static uint32_t image_of_list(struct splitter *s, uint32_t u) {
    struct graph *g = &s->problem->graph;
    const struct node n = g->nodes[u];
    size_t first = n.op == OP_SUM ? n.a : n.c;
    uint32_t *terms = arena_take(&s->arena, n.b, sizeof *terms);
    double *factors = arena_take(&s->arena, n.b, sizeof *factors);
    s->failed = s->failed || !terms || !factors;
    if (s->failed)
        return 0;
    for (uint32_t i = 0; i < n.b; i++) { /* adding nodes may move the graph's lists */
        terms[i] = s->image[g->arguments[first + i]];
        factors[i] = n.op == OP_SUM ? 1 : g->numbers[n.a + i];
    }
    return n.op == OP_SUM ? graph_sum(g, terms, n.b) : graph_linear(g, factors, terms, n.b);
}

static uint32_t image_of(struct splitter *s, uint32_t u) {
    struct graph *g = &s->problem->graph;
    const struct node n = g->nodes[u];
    const uint32_t *arguments;
    size_t count = graph_arguments(g, u, &arguments);
    bool same = true;
    for (size_t i = 0; i < count; i++)
        same = same && s->image[arguments[i]] == arguments[i];
    if (same)
        return u;
    if (n.op == OP_SUM || n.op == OP_LINEAR)
        return image_of_list(s, u);
    return graph_apply(g, (enum op)n.op, s->image[n.a], count > 1 ? s->image[n.b] : 0, count > 2 ? s->image[n.c] : 0);
}

static void make_images(struct splitter *s) {
    const struct problem *p = s->problem;
    for (uint32_t u = 1; u < s->count && !s->failed; u++)
        if (s->output[u])
            s->image[u] = graph_leaf(&s->problem->graph, SPACE_Y, (uint32_t)(p->outputs + s->output[u] - 1));
        else if (s->uses[u])
            s->image[u] = image_of(s, u);
}

/* The row of a piece; the additional outputs come after those of the model. */
static void write_piece(struct splitter *s, const struct problem_split *split, size_t i) {
    const struct piece *piece = &s->pieces[i];
    struct problem *p = s->problem;
    struct graph *g = &p->graph;
    uint32_t t = graph_leaf(g, SPACE_Y, (uint32_t)(split->outputs + piece->output));
    uint32_t line = piece->negated ? graph_neg(g, s->image[piece->node]) : s->image[piece->node];
    bool up = s->uses[s->kinks.nodes[piece->output]] == USE_UP;
    p->body[split->rows + i] = up ? graph_sub(g, t, line) : graph_sub(g, line, t);
    p->lower[split->rows + i] = graph_constant(g, 0);
    p->upper[split->rows + i] = graph_constant(g, INFINITY);
}

/* The split keeps the lists of the model. */
static void change_problem(struct splitter *s, struct problem_split *split) {
    struct problem *p = s->problem;
    const struct problem old = *p;
    make_images(s);
    if (s->failed)
        return;
    s->failed = !problem_take_lists(p, old.rows + s->piece_count, old.outputs + s->kinks.count);
    if (s->failed) {
        p->body = old.body;
        return;
    }
    for (size_t i = 0; i < old.rows; i++) {
        p->body[i] = s->image[old.body[i]];
        p->lower[i] = old.lower[i];
        p->upper[i] = old.upper[i];
    }
    for (size_t j = 0; j < p->outputs; j++) {
        p->start[j] = j < old.outputs ? old.start[j] : graph_constant(&p->graph, 0);
        p->fixed[j] = j < old.outputs ? old.fixed[j] : 0;
    }
    for (size_t i = 0; i < s->piece_count; i++)
        write_piece(s, split, i);
    p->objective = p->objective ? s->image[p->objective] : 0;
    split->body = old.body;
    split->objective = old.objective;
    split->count = s->kinks.count;
    split->kink = s->kinks.nodes;
    s->kinks = (struct node_list){.nodes = NULL};
}

static bool split_begin(struct splitter *s, struct problem *problem) {
    size_t count = problem->graph.count;
    *s = (struct splitter){.problem = problem, .count = count};
    s->signs = arena_take(&s->arena, count, sizeof *s->signs);
    s->uses = arena_zeros(&s->arena, count, sizeof *s->uses);
    s->image = arena_zeros(&s->arena, count, sizeof *s->image);
    s->output = arena_zeros(&s->arena, count, sizeof *s->output);
    if (!s->signs || !s->uses || !s->image || !s->output)
        return false;
    split_find_signs(&problem->graph, s->signs);
    return true;
}

hn_status problem_split_kinks(struct problem *problem, struct problem_split *split, hn_error *error) {
    struct splitter s;
    *split = (struct problem_split){.outputs = problem->outputs, .rows = problem->rows};
    s.failed = !split_begin(&s, problem);
    if (!s.failed)
        find_kinks(&s);
    if (!s.failed && s.kinks.count > 0)
        change_problem(&s, split);
    base_release(s.pieces);
    node_list_release(&s.kinks);
    arena_release(&s.arena);
    if (s.failed || problem->graph.status == HN_NO_MEMORY)
        return error_no_memory(error, "derivatives");
    return problem->graph.status == HN_OK
               ? HN_OK
               : error_set(error, HN_LIMIT, "splitting kinks needs more than %zu nodes", problem->graph.max_nodes);
}

void problem_split_release(struct problem_split *split) {
    base_release(split->body);
    base_release(split->kink);
    *split = (struct problem_split){.count = 0};
}

/* ---- locating kinks ---- */

/* The two nodes that are equal at a kink; false if the node has no kink. */
static bool kink_of(const struct graph *g, uint32_t u, uint32_t zero, uint32_t *pair) {
    const struct node *n = &g->nodes[u];
    switch ((enum op)n->op) {
    case OP_ABS:
    case OP_SQRT:
        pair[0] = n->a;
        pair[1] = zero;
        return true;
    case OP_MIN:
    case OP_MAX:
    case OP_LESS:
    case OP_LESS_EQUAL:
    case OP_EQUAL:
    case OP_NOT_EQUAL:
        pair[0] = n->a;
        pair[1] = n->b;
        return true;
    default:
        return false;
    }
}

hn_status problem_list_kinks(struct problem *problem, struct node_list *pairs, hn_error *error) {
    struct graph *g = &problem->graph;
    struct arena arena = {NULL};
    size_t count = g->count;
    uint32_t zero = graph_constant(g, 0), pair[2];
    uint8_t *met = arena_zeros(&arena, g->count, sizeof *met);
    if (!met)
        return error_no_memory(error, "derivatives");
    hn_status status = HN_OK;
    if (problem->objective)
        met[problem->objective] = 1;
    for (size_t i = 0; i < problem->rows; i++)
        met[problem->body[i]] = 1;
    for (uint32_t u = (uint32_t)count; status == HN_OK && --u > 0;) {
        const uint32_t *arguments;
        size_t many = met[u] ? graph_arguments(g, u, &arguments) : 0;
        for (size_t i = 0; i < many; i++)
            met[arguments[i]] = 1;
        if (met[u] && graph_depends(g, u, SPACE_Y) && kink_of(g, u, zero, pair))
            status = node_list_add(pairs, pair, 2, error);
    }
    arena_release(&arena);
    return status;
}
