/* fingerprint.c - what tells one model from another: a digest of its mathematics, and one of its names.
 *
 * Both are digests of lists in order. The mathematics are numbers and the marks of expressions (marks.h): ranges of inputs, bounds,
 * starts and fixed values of outputs, rows, what is minimised, requirements, definitions. docs/fingerprint.md has the definition.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "model/marks.h"

/* The lists are walked twice: for which expressions they name, and, once those are marked, for what they are. */
struct teller {
    const hn_model *model;
    struct marks marks; /* of is NULL the first time */
    uint32_t *roots;
    size_t affine_count, root_count; /* those that may count by their coefficients, and the others after them */
    struct digest digest;
};

static void tell_node(struct teller *teller, uint32_t number) {
    const struct marks *marks = &teller->marks;
    if (!marks->of)
        teller->roots[teller->affine_count++] = number;
    else
        digest_add_mark(&teller->digest, marks->affine[number].sign != 0 ? &marks->affine[number] : &marks->of[number]);
}

/* One that counts by what is computed, after all others: thousands of definitions that are built on each other would have
 * millions of coefficients. */
static void tell_computed(struct teller *teller, uint32_t number) {
    if (!teller->marks.of)
        teller->roots[teller->affine_count + teller->root_count++] = number;
    else
        digest_add_mark(&teller->digest, &teller->marks.of[number]);
}

static void tell_count(struct teller *teller, const char *list, size_t count) {
    digest_add_text(&teller->digest, list);
    digest_add_size(&teller->digest, count);
}

/* ---- mathematics ---- */

static void tell_mathematics(struct teller *teller) {
    const hn_model *model = teller->model;
    tell_count(teller, "inputs", model->input_count);
    for (size_t i = 0; i < model->input_count; i++) {
        digest_add_number(&teller->digest, model->inputs[i].lower);
        digest_add_number(&teller->digest, model->inputs[i].upper);
    }
    tell_count(teller, "outputs", model->output_count);
    for (size_t i = 0; i < model->output_count; i++) {
        tell_node(teller, model->outputs[i].lower);
        tell_node(teller, model->outputs[i].upper);
        tell_node(teller, model->outputs[i].start);
        tell_node(teller, model->outputs[i].fixed);
    }
    tell_count(teller, "rows", model->row_count);
    for (size_t i = 0; i < model->row_count; i++) {
        tell_node(teller, model->rows[i].lower);
        tell_node(teller, model->rows[i].body);
        tell_node(teller, model->rows[i].upper);
    }
    tell_count(teller, "objective", model->objective.value != 0);
    tell_node(teller, model->objective.value);
    tell_count(teller, "requirements", model->requirement_count);
    for (size_t i = 0; i < model->requirement_count; i++)
        tell_node(teller, model->requirements[i].value);
    tell_count(teller, "definitions", model->definition_count);
    for (size_t i = 0; i < model->definition_count; i++)
        tell_computed(teller, model->definitions[i].value);
}

/* ---- names ---- */

static void tell_names(struct teller *teller) {
    const hn_model *model = teller->model;
    struct digest *digest = &teller->digest;
    tell_count(teller, "inputs", model->input_count);
    for (size_t i = 0; i < model->input_count; i++)
        digest_add_text(digest, model->inputs[i].name);
    tell_count(teller, "outputs", model->output_count);
    for (size_t i = 0; i < model->output_count; i++)
        digest_add_text(digest, model->outputs[i].name);
    tell_count(teller, "rows", model->row_count);
    for (size_t i = 0; i < model->row_count; i++)
        digest_add_text(digest, model->rows[i].name);
    tell_count(teller, model->maximize ? "maximize" : "minimize", model->objective.value != 0);
    if (model->objective.value != 0)
        digest_add_text(digest, model->objective.name);
    tell_count(teller, "requirements", model->requirement_count);
    for (size_t i = 0; i < model->requirement_count; i++)
        digest_add_text(digest, model->requirements[i].name);
    tell_count(teller, "definitions", model->definition_count);
    for (size_t i = 0; i < model->definition_count; i++)
        digest_add_text(digest, model->definitions[i].name);
}

/* ---- both ---- */

static void tell(struct teller *teller, bool names) {
    teller->digest = digest_start();
    digest_add_text(&teller->digest, names ? "hardnet names 1" : "hardnet mathematics 1");
    if (names)
        tell_names(teller);
    else
        tell_mathematics(teller);
}

static hn_status print(const hn_model *model, bool names, char out[HN_FINGERPRINT_BYTES], hn_error *error) {
    struct teller teller = {.model = model};
    if (!out)
        return error_missing(error, names ? "hn_model_names_fingerprint" : "hn_model_fingerprint", "out");
    out[0] = '\0';
    hn_status status = hn_model_status(model, error);
    if (status != HN_OK)
        return status;
    if (!model->finished)
        return error_about(error, HN_INVALID, error_argument("model"), "fingerprint: the model is not finished");
    size_t most = 4 * model->output_count + 3 * model->row_count + model->definition_count + model->requirement_count;
    teller.roots = base_allocate((most + 1) * sizeof *teller.roots); /* fewer bytes than the lists have */
    if (!teller.roots)
        return error_no_memory(error, "fingerprint");
    tell(&teller, names);
    status = marks_create(&teller.marks, model, teller.roots, teller.affine_count + teller.root_count,
                          teller.affine_count, error);
    if (status == HN_OK) {
        tell(&teller, names);
        digest_finish_text(&teller.digest, out);
    }
    marks_release(&teller.marks);
    base_release(teller.roots);
    return status;
}

hn_status hn_model_fingerprint(const hn_model *model, char out[HN_FINGERPRINT_BYTES], hn_error *error) {
    return print(model, false, out, error);
}

hn_status hn_model_names_fingerprint(const hn_model *model, char out[HN_FINGERPRINT_BYTES], hn_error *error) {
    return print(model, true, out, error);
}
