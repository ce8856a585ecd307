/* fuzz_emit.c - bytes as a model that is emitted: refused in a sentence, or texts of plain characters, the same ones each time.
 *
 * The first byte is 'T' for a model text at the end of the bytes, after a 0; otherwise the model is made from bytes, too
 * (common/model_text.h). Bytes choose method and options. Whatever names the model has, nothing of it but numbers may reach the text: it is
 * code that somebody compiles.
 *
 * SPDX-License-Identifier: MIT */
#include "common/memory_bound.h"
#include "common/model_text.h"
#include "hardnet/hardnet.h"

#include <stdlib.h>
#include <string.h>

enum { LARGEST = 64, MOST_NODES = 2000, MOST_MEMORY = 256 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds) {
    if (!holds)
        abort();
}

/* Printable characters and line ends; every brace is closed. */
static void check_text(const char *text) {
    long open = 0;
    for (const char *at = text; *at; at++) {
        must((*at >= ' ' && *at <= '~') || *at == '\n');
        open += (*at == '{') - (*at == '}');
        must(open >= 0);
    }
    must(open == 0 && *text);
}

static hn_emit_options choose(struct byte_source *source) {
    static const int steps[] = {-1, 40, 7, 1};
    static const double tolerances[] = {1e-8, 1e-4, 1e-3, 0};
    hn_emit_options o = {.size = sizeof o};
    must(hn_emit_get_defaults(&o, NULL) == HN_OK);
    o.name = "layer";
    o.layer.method = (hn_method)bytes_choose(source, HN_METHOD_COUNT);
    o.layer.iterations = steps[bytes_choose(source, 4)];
    o.layer.tolerance = tolerances[bytes_choose(source, 4)];
    unsigned flags = bytes_choose(source, 32);
    o.single = flags & 1;
    o.libm = flags & 2;
    o.adjoint = flags & 4;
    o.casadi = flags & 8;
    o.layer.relative = flags & 16;
    return o;
}

static void emit(const hn_model *model, const hn_emit_options *options) {
    hn_emitted first, second;
    hn_error error = {.status = HN_OK, .text = ""};
    memory_bound_begin("the emission of a layer", MOST_MEMORY);
    hn_status status = hn_emit(&first, model, NULL, options, &error);
    must((status == HN_OK) == (error.status == HN_OK) && (status == HN_OK || strlen(error.text) > 0));
    if (status == HN_OK) {
        const char *texts[] = {first.header, first.source, first.example, first.cmake};
        for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
            check_text(texts[i]);
        must(hn_emit(&second, model, NULL, options, &error) == HN_OK);
        must(strcmp(first.header, second.header) == 0 && strcmp(first.source, second.source) == 0);
        hn_emitted_release(&second);
    } else
        must(!first.header && !first.source && !first.example && !first.cmake);
    hn_emitted_release(&first);
    memory_bound_end();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct byte_source source = {data, size};
    char *text = calloc(MODEL_TEXT_BYTES, 1);
    hn_model *model;
    must(text != NULL);
    bool written = bytes_choose(&source, 256) == 'T';
    hn_emit_options options = choose(&source);
    const uint8_t *end = written ? memchr(source.bytes, 0, source.left) : NULL;
    size_t length = 0;
    if (end) {
        length = source.left - 1 - (size_t)(end - source.bytes);
        length = length < MODEL_TEXT_BYTES ? length : MODEL_TEXT_BYTES - 1;
        memcpy(text, end + 1, length);
    } else
        length = model_text_make(text, &source, false);
    hn_read_options reading = hn_read_defaults();
    reading.max_nodes = MOST_NODES;
    hn_text texts[] = {{"model.mod", text, length}};
    if (hn_model_read_memory(&model, 1, texts, &reading, NULL) == HN_OK && hn_model_output_count(model) <= LARGEST &&
        hn_model_row_count(model) <= LARGEST)
        emit(model, &options);
    hn_model_destroy(model);
    free(text);
    return 0;
}
