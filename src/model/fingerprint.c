/* fingerprint.c - fingerprints of a model: a digest of its mathematics, and one of its names.
 *
 * Both are digests of ordered lists. The mathematics consist of numbers and the marks of expressions (marks.h): ranges
 * of inputs, bounds, starts and fixed values of outputs, rows, the objective, requirements, definitions.
 * docs/fingerprint.md has the definition.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "model/fingerprint_parts.h"
#include "model/marks.h"

#include <stdlib.h>
#include <string.h>

/* The lists are traversed twice: to collect the expressions, and, once those are marked, to digest them. */
struct digester {
    const hn_model *model;
    struct marks marks; /* of is NULL in the first pass */
    uint32_t *roots;
    size_t affine_count, root_count; /* roots that may be marked by their coefficients, and the others after them */
    struct digest digest;
};

static void digest_node(struct digester *digester, uint32_t number) {
    const struct marks *marks = &digester->marks;
    if (!marks->of)
        digester->roots[digester->affine_count++] = number;
    else
        digest_add_mark(&digester->digest,
                        marks->affine[number].sign != 0 ? &marks->affine[number] : &marks->of[number]);
}

/* A root marked by its operations instead of its coefficients, listed after all others: thousands of nested definitions
 * could have millions of coefficients. */
static void digest_computed(struct digester *digester, uint32_t number) {
    if (!digester->marks.of)
        digester->roots[digester->affine_count + digester->root_count++] = number;
    else
        digest_add_mark(&digester->digest, &digester->marks.of[number]);
}

static void digest_count(struct digester *digester, const char *list, size_t count) {
    digest_add_text(&digester->digest, list);
    digest_add_size(&digester->digest, count);
}

/* ---- mathematics ---- */

static size_t part_count(const hn_model *model, enum model_part_name part) {
    const size_t counts[MODEL_PARTS] = {
        [PART_INPUTS] = model->input_count,
        [PART_OUTPUTS] = model->output_count,
        [PART_ROWS] = model->row_count,
        [PART_OBJECTIVE] = model->objective.value != 0,
        [PART_REQUIREMENTS] = model->requirement_count,
        [PART_DEFINITIONS] = model->definition_count,
    };
    return counts[part];
}

static void digest_entry(struct digester *digester, enum model_part_name part, size_t i) {
    const hn_model *model = digester->model;
    switch (part) {
    case PART_INPUTS:
        digest_add_number(&digester->digest, model->inputs[i].lower);
        digest_add_number(&digester->digest, model->inputs[i].upper);
        break;
    case PART_OUTPUTS:
        digest_node(digester, model->outputs[i].lower);
        digest_node(digester, model->outputs[i].upper);
        digest_node(digester, model->outputs[i].start);
        digest_node(digester, model->outputs[i].fixed);
        break;
    case PART_ROWS:
        digest_node(digester, model->rows[i].lower);
        digest_node(digester, model->rows[i].body);
        digest_node(digester, model->rows[i].upper);
        break;
    case PART_OBJECTIVE:
        digest_node(digester, model->objective.value);
        break;
    case PART_REQUIREMENTS:
        digest_node(digester, model->requirements[i].value);
        break;
    default:
        digest_computed(digester, model->definitions[i].value);
    }
}

static void digest_block(struct digester *digester, const struct model_block *block) {
    digest_count(digester, "set", block->set);
    digest_add_size(&digester->digest, block->order);
    digest_add_size(&digester->digest, block->first);
}

static void digest_part(struct digester *digester, enum model_part_name part) {
    static const char names[MODEL_PARTS][16] = {"inputs",    "outputs",      "rows",
                                                "objective", "requirements", "definitions"};
    size_t count = part_count(digester->model, part);
    digest_count(digester, names[part], count);
    if (part == PART_OBJECTIVE) /* node 0 if the model has no objective */
        count = 1;
    for (size_t i = 0; i < count; i++)
        digest_entry(digester, part, i);
    for (size_t i = 0; part == PART_ROWS && i < digester->model->block_count; i++)
        digest_block(digester, &digester->model->blocks[i]);
}

/* ---- names ---- */

/* The names of a list; each element begins with the pointer to its name. */
static void digest_list(struct digester *digester, const char *what, const void *list, size_t count, size_t size) {
    digest_count(digester, what, count);
    for (size_t i = 0; i < count; i++)
        digest_add_text(&digester->digest, *(const char *const *)((const char *)list + i * size));
}

static void digest_all_names(struct digester *digester) {
    const hn_model *model = digester->model;
    digest_list(digester, "inputs", model->inputs, model->input_count, sizeof *model->inputs);
    digest_list(digester, "outputs", model->outputs, model->output_count, sizeof *model->outputs);
    digest_list(digester, "rows", model->rows, model->row_count, sizeof *model->rows);
    digest_list(digester, model->maximize ? "maximize" : "minimize", &model->objective, model->objective.value != 0,
                sizeof model->objective);
    digest_list(digester, "requirements", model->requirements, model->requirement_count, sizeof *model->requirements);
    digest_list(digester, "definitions", model->definitions, model->definition_count, sizeof *model->definitions);
}

/* ---- both ---- */

/* The results of the two passes: the digest of everything, or one per part. */
struct wanted {
    char *all;                /* HN_FINGERPRINT_BYTES, or NULL */
    char (*parts)[PART_TEXT]; /* MODEL_PARTS, or NULL */
};

static void digest_mathematics(struct digester *digester, const struct wanted *wanted) {
    char text[HN_FINGERPRINT_BYTES];
    digester->digest = digest_start();
    digest_add_text(&digester->digest, "hardnet mathematics 1");
    for (int i = 0; i < MODEL_PARTS; i++) {
        if (wanted->parts)
            digester->digest = digest_start();
        digest_part(digester, (enum model_part_name)i);
        if (!wanted->parts || !digester->marks.of)
            continue;
        digest_finish_text(&digester->digest, text);
        memcpy(wanted->parts[i], text, PART_TEXT - 1);
        wanted->parts[i][PART_TEXT - 1] = '\0';
    }
    if (wanted->all && digester->marks.of)
        digest_finish_text(&digester->digest, wanted->all);
}

static hn_status check_finished(const hn_model *model, hn_error *error) {
    hn_status status = hn_model_status(model, error);
    if (status == HN_OK && !model->finished)
        status = error_about(error, HN_INVALID, error_argument("model"), "fingerprint: the model is not finished");
    return status;
}

static hn_status find_mathematics(const hn_model *model, const struct wanted *wanted, hn_error *error) {
    struct digester digester = {.model = model};
    hn_status status = check_finished(model, error);
    if (status != HN_OK)
        return status;
    size_t most = 4 * model->output_count + 3 * model->row_count + model->definition_count + model->requirement_count;
    digester.roots = base_allocate((most + 1) * sizeof *digester.roots); /* fewer elements than the lists have bytes */
    if (!digester.roots)
        return error_no_memory(error, "fingerprint");
    digest_mathematics(&digester, wanted);
    status = marks_create(&digester.marks, model, digester.roots, digester.affine_count + digester.root_count,
                          digester.affine_count, error);
    if (status == HN_OK)
        digest_mathematics(&digester, wanted);
    marks_release(&digester.marks);
    base_release(digester.roots);
    return status;
}

hn_status hn_model_fingerprint(const hn_model *model, char out[HN_FINGERPRINT_BYTES], hn_error *error) {
    if (!out)
        return error_missing(error, "hn_model_fingerprint", "out");
    out[0] = '\0';
    return find_mathematics(model, &(struct wanted){.all = out}, error);
}

hn_status hn_model_names_fingerprint(const hn_model *model, char out[HN_FINGERPRINT_BYTES], hn_error *error) {
    struct digester digester = {.model = model, .digest = digest_start()};
    if (!out)
        return error_missing(error, "hn_model_names_fingerprint", "out");
    out[0] = '\0';
    hn_status status = check_finished(model, error);
    if (status != HN_OK)
        return status;
    digest_add_text(&digester.digest, "hardnet names 1");
    digest_all_names(&digester);
    digest_finish_text(&digester.digest, out);
    return HN_OK;
}

/* ---- digests per part, for messages about differences ---- */

hn_status model_parts(const hn_model *model, struct model_part out[MODEL_PARTS], hn_error *error) {
    char text[MODEL_PARTS][PART_TEXT];
    hn_status status = find_mathematics(model, &(struct wanted){.parts = text}, error);
    if (status != HN_OK)
        return status;
    for (int i = 0; i < MODEL_PARTS; i++) {
        out[i].count = part_count(model, (enum model_part_name)i);
        memcpy(out[i].digest, text[i], PART_TEXT);
    }
    return HN_OK;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void digest_names(const char *const *names, size_t inputs, size_t count, char out[PART_TEXT]) {
    struct digest digest = digest_start();
    char text[HN_FINGERPRINT_BYTES];
    digest_add_size(&digest, inputs);
    for (size_t i = 0; i < count; i++)
        digest_add_text(&digest, names[i]);
    digest_finish_text(&digest, text);
    memcpy(out, text, PART_TEXT - 1);
    out[PART_TEXT - 1] = '\0';
}

hn_status model_column_names(const hn_model *model, char in_order[PART_TEXT], char sorted[PART_TEXT], hn_error *error) {
    size_t inputs = model->input_count, count = inputs + model->output_count;
    const char **names = base_allocate((count + 1) * sizeof *names); /* fewer elements than the lists have bytes */
    if (!names)
        return error_no_memory(error, "fingerprint");
    for (size_t i = 0; i < count; i++)
        names[i] = i < inputs ? model->inputs[i].name : model->outputs[i - inputs].name;
    digest_names(names, inputs, count, in_order);
    qsort(names, inputs, sizeof *names, compare_names);
    qsort(names + inputs, count - inputs, sizeof *names, compare_names);
    digest_names(names, inputs, count, sorted);
    base_release(names);
    return HN_OK;
}
