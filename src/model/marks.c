/* marks.c - see marks.h. A node's mark is a sign and a digest: its value is the sign times that of the digest's
 * expression.
 *
 * Signs are kept apart because they do not round: a - b, a + (-b) and -(b - a) are one sum. Sums are digested pairwise
 * from the left, as they are evaluated, so that (a + b) + c is the same sum as a list or as a chain.
 *
 * SPDX-License-Identifier: MIT */
#include "model/marks.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"

#include <math.h>
#include <string.h>

void digest_add_mark(struct digest *digest, const struct mark *mark) {
    digest_add(digest, &mark->sign, 1);
    digest_add(digest, mark->digest, MARK_BYTES);
}

struct mark mark_finish(struct digest *digest, enum mark_sign sign) {
    unsigned char whole[DIGEST_BYTES];
    struct mark mark = {.sign = (unsigned char)sign};
    digest_finish(digest, whole);
    memcpy(mark.digest, whole, MARK_BYTES);
    return mark;
}

static struct digest start(const char *what) {
    struct digest digest = digest_start();
    digest_add_text(&digest, what);
    return digest;
}

static enum mark_sign times(unsigned char a, unsigned char b) {
    return a == b ? MARK_PLUS : MARK_MINUS;
}

static int compare_digests(const struct mark *a, const struct mark *b) {
    return memcmp(a->digest, b->digest, MARK_BYTES);
}

/* ---- nodes ---- */

static struct mark constant_mark(double value) {
    struct digest digest = start("constant");
    digest_add_number(&digest, fabs(value));
    return mark_finish(&digest, value < 0 ? MARK_MINUS : MARK_PLUS);
}

static struct mark leaf_mark(const struct node *node) {
    struct digest digest = start(node->a == SPACE_X ? "x" : "y");
    digest_add_size(&digest, node->b);
    return mark_finish(&digest, MARK_PLUS);
}

/* a + b = s (p + t q): the smaller digest is p and its sign s; where both are equal, s is plus if one of them is. */
static struct mark sum_mark(struct mark a, struct mark b) {
    int order = compare_digests(&a, &b);
    bool swap = order > 0 || (order == 0 && a.sign == MARK_MINUS);
    const struct mark *p = swap ? &b : &a, *q = swap ? &a : &b;
    struct digest digest = start("sum");
    unsigned char sign = (unsigned char)times(p->sign, q->sign);
    digest_add(&digest, p->digest, MARK_BYTES);
    digest_add(&digest, &sign, 1);
    digest_add(&digest, q->digest, MARK_BYTES);
    return mark_finish(&digest, (enum mark_sign)p->sign);
}

static struct mark negative(struct mark a) {
    a.sign = (unsigned char)times(a.sign, MARK_MINUS);
    return a;
}

/* A product, whose factors are unordered, or a quotient. */
static struct mark ratio_mark(enum op op, const struct mark *a, const struct mark *b) {
    bool swap = op == OP_MUL && compare_digests(a, b) > 0;
    struct digest digest = start(operator_text(op));
    digest_add(&digest, swap ? b->digest : a->digest, MARK_BYTES);
    digest_add(&digest, swap ? a->digest : b->digest, MARK_BYTES);
    return mark_finish(&digest, times(a->sign, b->sign));
}

/* Independent of the sign of a. */
static struct mark absolute_mark(struct mark a) {
    struct digest digest = start(operator_text(OP_ABS));
    a.sign = MARK_PLUS;
    digest_add_mark(&digest, &a);
    return mark_finish(&digest, MARK_PLUS);
}

static bool is_symmetric(enum op op) {
    return op == OP_EQUAL || op == OP_NOT_EQUAL || op == OP_AND || op == OP_OR;
}

static struct mark operator_mark(const struct marks *marks, enum op op, const uint32_t *list, size_t count) {
    struct digest digest = start(operator_text(op));
    bool swap = is_symmetric(op) && memcmp(&marks->of[list[0]], &marks->of[list[1]], sizeof(struct mark)) > 0;
    for (size_t i = 0; i < count; i++)
        digest_add_mark(&digest, &marks->of[list[swap ? 1 - i : i]]);
    return mark_finish(&digest, MARK_PLUS);
}

static struct mark list_mark(const struct marks *marks, const uint32_t *list, size_t count) {
    struct mark sum = marks->of[list[0]];
    for (size_t i = 1; i < count; i++)
        sum = sum_mark(sum, marks->of[list[i]]);
    return sum;
}

/* The same mark as the sum of the products. */
static struct mark linear_mark(const struct marks *marks, const struct node *node) {
    const double *coefficients = marks->model->graph.numbers + node->a;
    const uint32_t *list = marks->model->graph.arguments + node->c;
    struct mark sum = {.sign = MARK_NONE};
    for (uint32_t i = 0; i < node->b; i++) {
        struct mark term = marks->of[list[i]], factor;
        if (coefficients[i] == -1) {
            term = negative(term);
        } else if (coefficients[i] != 1) {
            factor = constant_mark(coefficients[i]);
            term = ratio_mark(OP_MUL, &factor, &term);
        }
        sum = i == 0 ? term : sum_mark(sum, term);
    }
    return sum;
}

/* Successors are marked already. */
static struct mark node_mark(const struct marks *marks, uint32_t number) {
    const struct graph *graph = &marks->model->graph;
    const struct node *node = &graph->nodes[number];
    const struct mark *of = marks->of;
    const uint32_t *list;
    size_t count = graph_arguments(graph, number, &list);
    double value = 0;
    switch (node->op) {
    case OP_CONSTANT:
        graph_is_constant(graph, number, &value);
        return constant_mark(value);
    case OP_LEAF:
        return leaf_mark(node);
    case OP_REFERENCE:
        return of[marks->model->definitions[node->a].value];
    case OP_NEG:
        return negative(of[node->a]);
    case OP_SUM:
        return list_mark(marks, list, count);
    case OP_LINEAR:
        return linear_mark(marks, node);
    case OP_ADD:
        return sum_mark(of[node->a], of[node->b]);
    case OP_SUB:
        return sum_mark(of[node->a], negative(of[node->b]));
    case OP_MUL:
    case OP_DIV:
        return ratio_mark((enum op)node->op, &of[node->a], &of[node->b]);
    case OP_ABS:
        return absolute_mark(of[node->a]);
    default:
        return operator_mark(marks, (enum op)node->op, list, count);
    }
}

/* ---- all nodes ---- */

void marks_release(struct marks *marks) {
    base_release(marks->of);
    base_release(marks->affine);
    marks->of = marks->affine = NULL;
}

/* needed: in, expressions whose mark is requested; out, with everything they depend on. */
static void spread_need(const hn_model *model, const uint32_t *order, size_t count, bool *needed) {
    const struct graph *graph = &model->graph;
    for (size_t i = count; i-- > 0;) {
        const struct node *node = &graph->nodes[order[i]];
        const uint32_t *list;
        size_t parts = needed[order[i]] ? graph_arguments(graph, order[i], &list) : 0;
        for (size_t j = 0; j < parts; j++)
            needed[list[j]] = true;
        if (needed[order[i]] && node->op == OP_REFERENCE)
            needed[model->definitions[node->a].value] = true;
    }
}

/* Roots marked by their coefficients need no other mark. */
static void mark_nodes(const struct marks *marks, const uint32_t *order, size_t count, const bool *needed) {
    marks->of[0] = (struct mark){.sign = MARK_NONE};
    for (size_t i = 0; i < count; i++)
        if (needed[order[i]])
            marks->of[order[i]] = node_mark(marks, order[i]);
}

hn_status marks_create(struct marks *marks, const hn_model *model, const uint32_t *roots, size_t root_count,
                       size_t affine_count, hn_error *error) {
    uint32_t *order = NULL;
    bool *needed = NULL;
    size_t count = 0, bytes = size_product(model->graph.count, sizeof *marks->of);
    *marks = (struct marks){.model = model};
    hn_status status = model_order(model, roots, root_count, &order, &count, error);
    if (status != HN_OK)
        return status;
    marks->of = base_allocate(bytes);
    marks->affine = base_allocate(bytes);
    needed = base_allocate(model->graph.count * sizeof *needed);
    bool good = marks->of && marks->affine && needed;
    if (good) {
        memset(marks->affine, 0, bytes);
        memset(needed, 0, model->graph.count * sizeof *needed);
        good = marks_affine_roots(marks, order, count, roots, affine_count);
        for (size_t i = 0; i < root_count; i++)
            needed[roots[i]] = needed[roots[i]] || i >= affine_count || marks->affine[roots[i]].sign == 0;
        spread_need(model, order, count, needed);
        mark_nodes(marks, order, count, needed);
    }
    base_release(needed);
    base_release(order);
    if (good)
        return HN_OK;
    marks_release(marks);
    return error_no_memory(error, "fingerprint");
}
