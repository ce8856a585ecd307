/* affine.c - coefficients of affine expressions, for their marks: a' (x, y) + b as a list of pairs and a constant.
 *
 * The operations of an expression are applied to whole coefficient vectors, in the same order and with the same
 * rounding: sums add from left to right, a constant factor or divisor applies to each coefficient. So a row has the
 * same coefficients whether it is a graph or a row of a matrix. Zeros are left out. An expression with a non-finite
 * coefficient is not treated as affine.
 *
 * Lists are computed for the affine roots, arguments first, and freed after their last use.
 *
 * SPDX-License-Identifier: MIT */
#include "base/arena.h"
#include "base/memory.h"
#include "base/size.h"
#include "model/marks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pair {
    uint64_t column;   /* upper half: space; lower half: index */
    uint64_t sequence; /* for sorting: equal columns are added in this order */
    double value;
};

struct form {
    struct pair *pairs; /* by ascending column, without duplicates */
    size_t count, capacity;
    double constant;
};

struct expression {
    struct form form;
    uint32_t uses; /* how many roots and affine expressions still use its form */
    bool affine, root;
};

struct affine {
    const hn_model *model;
    struct expression *of; /* by node */
};

/* ---- lists ---- */

static void form_release(struct form *form) {
    base_release(form->pairs);
    *form = (struct form){NULL, 0, 0, 0};
}

static int by_column(const void *a, const void *b) {
    const struct pair *p = a, *q = b;
    if (p->column != q->column)
        return p->column < q->column ? -1 : 1;
    return p->sequence < q->sequence ? -1 : p->sequence > q->sequence;
}

/* Sorts appended pairs and adds up those of one column. */
static void gather(struct form *form) {
    size_t kept = 0;
    for (size_t i = 0; i < form->count; i++)
        form->pairs[i].sequence = i;
    if (form->count > 1)
        qsort(form->pairs, form->count, sizeof *form->pairs, by_column);
    for (size_t i = 0; i < form->count; i++)
        if (kept > 0 && form->pairs[kept - 1].column == form->pairs[i].column)
            form->pairs[kept - 1].value += form->pairs[i].value;
        else
            form->pairs[kept++] = form->pairs[i];
    form->count = kept;
}

/* Adds one pair to a sorted list. */
static bool insert(struct form *form, struct pair pair) {
    size_t low = 0, high = form->count;
    if (!array_room(&form->pairs, &form->capacity, form->count + 1, sizeof pair))
        return false;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (form->pairs[middle].column < pair.column)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < form->count && form->pairs[low].column == pair.column) {
        form->pairs[low].value += pair.value;
        return true;
    }
    memmove(form->pairs + low + 1, form->pairs + low, (form->count - low) * sizeof pair);
    form->pairs[low] = pair;
    form->count++;
    return true;
}

static bool append(struct form *form, const struct form *more, double sign) {
    if (more->count == 0)
        return true;
    if (!array_room(&form->pairs, &form->capacity, form->count + more->count, sizeof *form->pairs))
        return false;
    for (size_t i = 0; i < more->count; i++) {
        form->pairs[form->count] = more->pairs[i];
        form->pairs[form->count++].value *= sign;
    }
    return true;
}

/* ---- which expressions are affine ---- */

/* The constant node that `number` resolves to, following references; 0 if it is not a constant. */
static uint32_t constant_of(const hn_model *model, uint32_t number) {
    const struct graph *graph = &model->graph;
    while (graph->nodes[number].op == OP_REFERENCE)
        number = model->definitions[graph->nodes[number].a].value;
    return graph->nodes[number].op == OP_CONSTANT ? number : 0;
}

/* The arguments of a node's sum or product, or the definition of a reference. */
static size_t parts(const hn_model *model, uint32_t number, const uint32_t **list) {
    const struct node *node = &model->graph.nodes[number];
    if (node->op != OP_REFERENCE)
        return graph_arguments(&model->graph, number, list);
    *list = &model->definitions[node->a].value;
    return 1;
}

static bool is_affine(const struct affine *affine, uint32_t number) {
    const struct node *node = &affine->model->graph.nodes[number];
    const uint32_t *list;
    size_t count = parts(affine->model, number, &list);
    bool good = true;
    switch (node->op) {
    case OP_CONSTANT:
    case OP_LEAF:
        return true;
    case OP_MUL:
        good = constant_of(affine->model, node->a) != 0 || constant_of(affine->model, node->b) != 0;
        break;
    case OP_DIV:
        good = constant_of(affine->model, node->b) != 0;
        break;
    case OP_REFERENCE:
    case OP_NEG:
    case OP_ADD:
    case OP_SUB:
    case OP_SUM:
    case OP_LINEAR:
        break;
    default:
        return false;
    }
    for (size_t i = 0; i < count && good; i++)
        good = affine->of[list[i]].affine;
    return good;
}

static void count_uses(struct affine *affine, const uint32_t *order, size_t count) {
    for (size_t i = count; i-- > 0;) {
        const uint32_t *list;
        size_t part_count = affine->of[order[i]].uses != 0 ? parts(affine->model, order[i], &list) : 0;
        for (size_t j = 0; j < part_count; j++)
            affine->of[list[j]].uses++;
    }
}

/* ---- the list of a node ---- */

/* Moves the list of a part if this is its last use, else copies it. */
static bool take_form(struct affine *affine, uint32_t part, struct form *out) {
    struct form *form = &affine->of[part].form;
    *out = (struct form){NULL, 0, 0, form->constant};
    if (--affine->of[part].uses > 0)
        return append(out, form, 1);
    *out = *form;
    *form = (struct form){NULL, 0, 0, 0};
    return true;
}

/* out + factor * part. A single pair is inserted; several are sorted later. */
static bool add_part(struct affine *affine, uint32_t part, double factor, struct form *out, bool *sorted) {
    struct form *form = &affine->of[part].form;
    bool good = true;
    out->constant += factor * form->constant;
    if (form->count == 1 && *sorted)
        good = insert(out, (struct pair){form->pairs[0].column, 0, factor * form->pairs[0].value});
    else if (form->count > 0) {
        good = append(out, form, factor);
        *sorted = false;
    }
    if (--affine->of[part].uses == 0)
        form_release(form);
    return good;
}

static void scale(struct form *form, double factor, bool divide) {
    form->constant = divide ? form->constant / factor : form->constant * factor;
    for (size_t i = 0; i < form->count; i++)
        form->pairs[i].value = divide ? form->pairs[i].value / factor : form->pairs[i].value * factor;
}

static bool add_parts(struct affine *affine, uint32_t number, const uint32_t *list, size_t count, struct form *out) {
    bool minus = affine->model->graph.nodes[number].op == OP_SUB, sorted = count == 2, good = true;
    /* For two terms, extends the longer list: a + b = b + a and a - b = -b + a round alike. */
    bool swap = count == 2 && affine->of[list[0]].form.count < affine->of[list[1]].form.count;
    if (!take_form(affine, list[swap], out))
        return false;
    if (swap && minus)
        scale(out, -1, false);
    for (size_t i = 1; i < count; i++) /* always to the end, so that all lists are released */
        good = add_part(affine, list[swap ? 0 : i], minus && !swap ? -1 : 1, out, &sorted) && good;
    if (!sorted)
        gather(out);
    return good;
}

static bool add_linear(struct affine *affine, const struct node *node, struct form *out) {
    const struct graph *graph = &affine->model->graph;
    bool good = true, ascending = true, sorted = false;
    for (uint32_t i = 0; i < node->b; i++) /* always to the end, so that all lists are released */
        good = add_part(affine, graph->arguments[node->c + i], graph->numbers[node->a + i], out, &sorted) && good;
    for (size_t i = 1; i < out->count && ascending; i++)
        ascending = out->pairs[i - 1].column < out->pairs[i].column;
    if (!ascending)
        gather(out);
    return good;
}

static bool make_form(struct affine *affine, uint32_t number) {
    const struct graph *graph = &affine->model->graph;
    const struct node *node = &graph->nodes[number];
    const uint32_t *list;
    struct form *out = &affine->of[number].form;
    size_t count = parts(affine->model, number, &list);
    double value = 0;
    bool good = true, first_is_constant;
    *out = (struct form){NULL, 0, 0, 0};
    switch (node->op) {
    case OP_CONSTANT:
        return graph_is_constant(graph, number, &out->constant);
    case OP_LEAF:
        return insert(out, (struct pair){(uint64_t)node->a << 32 | node->b, 0, 1});
    case OP_NEG:
        good = take_form(affine, node->a, out);
        scale(out, -1, false);
        return good;
    case OP_MUL:
    case OP_DIV:
        first_is_constant = node->op == OP_MUL && constant_of(affine->model, node->a) != 0;
        graph_is_constant(graph, constant_of(affine->model, first_is_constant ? node->a : node->b), &value);
        good = take_form(affine, first_is_constant ? node->b : node->a, out);
        affine->of[first_is_constant ? node->a : node->b].uses--;
        scale(out, value, node->op == OP_DIV);
        return good;
    case OP_LINEAR:
        return add_linear(affine, node, out);
    default:
        return add_parts(affine, number, list, count, out);
    }
}

/* ---- the mark of a list ---- */

static bool is_finite(const struct form *form) {
    bool finite = isfinite(form->constant);
    for (size_t i = 0; i < form->count && finite; i++)
        finite = isfinite(form->pairs[i].value);
    return finite;
}

static struct mark form_mark(const struct form *form) {
    struct digest digest = digest_start();
    digest_add_text(&digest, "affine");
    digest_add_number(&digest, form->constant == 0 ? 0 : form->constant);
    for (size_t i = 0; i < form->count; i++) {
        if (form->pairs[i].value == 0)
            continue;
        digest_add(&digest, form->pairs[i].column >> 32 == SPACE_X ? "x" : "y", 1);
        digest_add_size(&digest, form->pairs[i].column & UINT32_MAX);
        digest_add_number(&digest, form->pairs[i].value);
    }
    return mark_finish(&digest, MARK_AFFINE);
}

static bool mark_roots(struct affine *affine, struct marks *marks, const uint32_t *order, size_t count) {
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        uint32_t number = order[i];
        if (affine->of[number].uses == 0)
            continue;
        good = make_form(affine, number);
        if (good && affine->of[number].root) {
            if (is_finite(&affine->of[number].form))
                marks->affine[number] = form_mark(&affine->of[number].form);
            if (--affine->of[number].uses == 0)
                form_release(&affine->of[number].form);
        }
    }
    return good;
}

bool marks_affine_roots(struct marks *marks, const uint32_t *order, size_t count, const uint32_t *roots,
                        size_t root_count) {
    size_t n = marks->model->graph.count, bytes = size_product(n, sizeof(struct expression));
    struct affine affine = {marks->model, base_allocate(bytes)};
    if (!affine.of)
        return false;
    memset(affine.of, 0, bytes);
    for (size_t i = 0; i < count; i++)
        affine.of[order[i]].affine = is_affine(&affine, order[i]);
    for (size_t i = 0; i < root_count; i++) {
        struct expression *root = &affine.of[roots[i]];
        if (roots[i] == 0 || !root->affine || root->root)
            continue;
        root->root = true;
        root->uses++;
    }
    count_uses(&affine, order, count);
    bool good = mark_roots(&affine, marks, order, count);
    for (size_t i = 0; i < n; i++)
        form_release(&affine.of[i].form);
    base_release(affine.of);
    return good;
}
