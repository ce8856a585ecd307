/* fingerprint.c - what tells one model from another.
 *
 * Every node gets a digest of its operator's name and its arguments' digests, so that neither the order in which nodes were made
 * nor nodes that nobody uses count; arguments that the graph puts in order by their numbers are put in order by their
 * digests. A reference is what it refers to. The fingerprint is the digest of all lists in order: names, and
 * the digests of their expressions.
 *
 * SPDX-License-Identifier: MIT */
#include "base/digest.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "model/parts.h"

#include <string.h>

/* Of a node: half a digest. Two nodes that differ share it with odds of 2^-128, and a node is one block of the digest. */
enum { MARK_BYTES = 16 };
typedef unsigned char node_mark[MARK_BYTES];

struct marks {
    const hn_model *model;
    node_mark *of;   /* by node; 0 is no expression */
    uint32_t *roots; /* all nodes that the lists name */
    size_t root_count;
    struct digest digest; /* of the lists */
};

/* ---- nodes ---- */

static bool is_commutative(enum op op) {
    static const enum op list[] = {OP_ADD, OP_MUL, OP_EQUAL, OP_NOT_EQUAL, OP_AND, OP_OR};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        if (op == list[i])
            return true;
    return false;
}

static void add_arguments(struct digest *digest, const struct marks *marks, uint32_t number) {
    const uint32_t *list;
    size_t count = graph_arguments(&marks->model->graph, number, &list);
    bool swap = is_commutative((enum op)marks->model->graph.nodes[number].op) &&
                memcmp(marks->of[list[0]], marks->of[list[1]], MARK_BYTES) > 0;
    digest_add_size(digest, count);
    for (size_t i = 0; i < count; i++)
        digest_add(digest, marks->of[list[swap ? 1 - i : i]], MARK_BYTES);
}

/* Its successors have theirs. */
static void mark_node(struct marks *marks, uint32_t number) {
    const struct node *node = &marks->model->graph.nodes[number];
    struct digest digest = digest_start();
    unsigned char whole[DIGEST_BYTES];
    double value;
    if (node->op == OP_REFERENCE) {
        memcpy(marks->of[number], marks->of[marks->model->definitions[node->a].value], MARK_BYTES);
        return;
    }
    digest_add(&digest, operator_text((enum op)node->op), strlen(operator_text((enum op)node->op)) + 1);
    if (graph_is_constant(&marks->model->graph, number, &value)) {
        digest_add_number(&digest, value);
    } else if (node->op == OP_LEAF) {
        digest_add(&digest, node->a == SPACE_X ? "x" : "y", 1);
        digest_add_size(&digest, node->b);
    } else {
        add_arguments(&digest, marks, number);
    }
    digest_finish(&digest, whole);
    memcpy(marks->of[number], whole, MARK_BYTES);
}

/* ---- lists ---- */

/* Told twice: which nodes are needed, and, when they are marked, what they are. */
static void tell_node(struct marks *marks, uint32_t number) {
    if (!marks->of)
        marks->roots[marks->root_count++] = number;
    else
        digest_add(&marks->digest, marks->of[number], MARK_BYTES);
}

static void tell_named(struct marks *marks, const char *list, const struct model_named *named, size_t count) {
    digest_add_text(&marks->digest, list);
    digest_add_size(&marks->digest, count);
    for (size_t i = 0; i < count; i++) {
        digest_add_text(&marks->digest, named[i].name);
        tell_node(marks, named[i].value);
    }
}

static void tell_leaves(struct marks *marks) {
    const hn_model *model = marks->model;
    digest_add_text(&marks->digest, "inputs");
    digest_add_size(&marks->digest, model->input_count);
    for (size_t i = 0; i < model->input_count; i++) {
        digest_add_text(&marks->digest, model->inputs[i].name);
        digest_add_number(&marks->digest, model->inputs[i].lower);
        digest_add_number(&marks->digest, model->inputs[i].upper);
    }
    digest_add_text(&marks->digest, "outputs");
    digest_add_size(&marks->digest, model->output_count);
    for (size_t i = 0; i < model->output_count; i++) {
        const struct model_output *output = &model->outputs[i];
        digest_add_text(&marks->digest, output->name);
        tell_node(marks, output->lower);
        tell_node(marks, output->upper);
        tell_node(marks, output->start);
        tell_node(marks, output->fixed);
    }
}

static void tell_rows(struct marks *marks) {
    const hn_model *model = marks->model;
    digest_add_text(&marks->digest, "groups");
    digest_add_size(&marks->digest, model->group_count);
    for (size_t i = 0; i < model->group_count; i++) {
        digest_add_text(&marks->digest, model->groups[i].name);
        digest_add_size(&marks->digest, model->groups[i].count);
    }
    digest_add_text(&marks->digest, "rows");
    digest_add_size(&marks->digest, model->row_count);
    for (size_t i = 0; i < model->row_count; i++) {
        digest_add_text(&marks->digest, model->rows[i].name);
        tell_node(marks, model->rows[i].lower);
        tell_node(marks, model->rows[i].body);
        tell_node(marks, model->rows[i].upper);
    }
}

static void tell_model(struct marks *marks) {
    const hn_model *model = marks->model;
    marks->digest = digest_start();
    digest_add_text(&marks->digest, "hardnet model 1");
    tell_leaves(marks);
    tell_rows(marks);
    tell_named(marks, model->maximize ? "maximize" : "minimize", &model->objective, model->objective.value != 0);
    tell_named(marks, "definitions", model->definitions, model->definition_count);
    tell_named(marks, "requirements", model->requirements, model->requirement_count);
}

/* ---- the whole ---- */

static hn_status mark_all(struct marks *marks, hn_error *error) {
    uint32_t *order = NULL;
    size_t count = 0, bytes;
    tell_model(marks);
    hn_status status = model_order(marks->model, marks->roots, marks->root_count, &order, &count, error);
    if (status != HN_OK)
        return status;
    if (size_multiply(marks->model->graph.count, sizeof *marks->of, &bytes))
        marks->of = base_allocate(bytes);
    if (marks->of) {
        memset(marks->of[0], 0, MARK_BYTES);
        for (size_t i = 0; i < count; i++)
            mark_node(marks, order[i]);
    }
    base_release(order);
    return marks->of ? HN_OK : error_no_memory(error, "fingerprint");
}

hn_status hn_model_fingerprint(const hn_model *model, char out[HN_FINGERPRINT_BYTES], hn_error *error) {
    struct marks marks = {.model = model};
    if (!out)
        return error_missing(error, "hn_model_fingerprint", "out");
    out[0] = '\0';
    hn_status status = hn_model_status(model, error);
    if (status != HN_OK)
        return status;
    if (!model->finished)
        return error_about(error, HN_INVALID, error_argument("model"), "fingerprint: the model is not finished");
    size_t most = 4 * model->output_count + 3 * model->row_count + model->definition_count + model->requirement_count;
    marks.roots = base_allocate((most + 1) * sizeof *marks.roots); /* fewer bytes than the lists have */
    if (!marks.roots)
        return error_no_memory(error, "fingerprint");
    status = mark_all(&marks, error);
    if (status == HN_OK) {
        tell_model(&marks);
        digest_finish_text(&marks.digest, out);
    }
    base_release(marks.roots);
    base_release(marks.of);
    return status;
}
