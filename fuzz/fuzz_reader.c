/* fuzz_reader.c - any bytes as a model text: an error or a model, and nothing else; and the model comes back from its own text.
 *
 * The first byte chooses options; a 0x01 byte splits the rest into a model text and a data text.
 *
 * SPDX-License-Identifier: MIT */
#include "common/memory_bound.h"
#include "hardnet/read.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A limit of nodes limits everything else (docs/models.md): these take about a kilobyte each, sets and tables included. */
enum { MOST_NODES = 4000, MOST_MEMORY = 4 << 20 };

static void look(void *context, const hn_message *note) {
    size_t *length = context;
    *length += strlen(note->text) + (note->file ? strlen(note->file) : 0);
}

/* What was read can be evaluated: at the start values, without a crash. */
static void evaluate(const hn_model *model) {
    size_t outputs = hn_model_output_count(model), inputs = hn_model_input_count(model);
    double *point = calloc(outputs + inputs + 1, sizeof *point), value;
    hn_error error;
    for (size_t i = 0; point && i < hn_model_row_count(model) && i < 50; i++) {
        hn_expr body = hn_model_row(model, i).body;
        hn_model_evaluate(model, 1, &body, point + outputs, point, &value, &error);
    }
    free(point);
}

/* A model that was read can be written, but for what no text can say; the writer itself compares what it reads back. */
static void write_back(const hn_model *model) {
    static const char *const said[] = {"contains NaN", "by the constant 0", "violates the bounds, which"};
    hn_error error = {.status = HN_OK, .text = ""};
    char *text;
    bool known = hn_model_write(model, &text, NULL, &error) == HN_OK;
    for (size_t i = 0; i < sizeof said / sizeof said[0]; i++)
        known |= strstr(error.text, said[i]) != NULL;
    if (!known)
        abort();
    hn_text_release(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0)
        return 0;
    size_t said = 0;
    hn_read_options options = hn_read_defaults();
    options.max_nodes = MOST_NODES;
    options.max_bytes = 1 << 20;
    options.relax_integrality = data[0] & 1;
    options.message = data[0] & 2 ? look : NULL;
    options.context = &said;
    const char *text = (const char *)data + 1, *split = memchr(text, 1, size - 1);
    size_t length = split ? (size_t)(split - text) : size - 1;
    hn_text texts[] = {{"model.mod", text, length},
                       {"data.dat", split ? split + 1 : text, split ? size - 2 - length : 0}};
    hn_model *model;
    hn_error error;
    memory_bound_begin("the reading of a model", 64 * size + MOST_MEMORY);
    hn_status status = hn_model_read_memory(&model, split ? 2 : 1, texts, &options, &error);
    memory_bound_end();
    if (status == HN_OK) {
        evaluate(model);
        write_back(model);
    } else if (model || error.status == HN_OK || strlen(error.text) == 0) {
        abort();
    }
    hn_model_destroy(model);
    return 0;
}
