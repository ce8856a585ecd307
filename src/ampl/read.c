/* read.c - the interface of the reader: parses texts, evaluates values and expands declarations to a model.
 *
 * SPDX-License-Identifier: MIT */
#include "hardnet/read.h"

#include "ampl/evaluator.h"
#include "ampl/numerals.h"
#include "ampl/parser.h"
#include "base/error.h"
#include "base/machine.h"
#include "base/structs.h"

#include <math.h>

enum {
    DEFAULT_MAX_BYTES = 1 << 30,
    LEAST_HELD = 1 << 20 /* minimum limit on the memory of sets, tables and names */
};

hn_status hn_read_get_defaults(hn_read_options *out, hn_error *error) {
    const hn_read_options own = {
        .size = sizeof own, .max_nodes = hn_model_defaults().max_nodes, .max_bytes = DEFAULT_MAX_BYTES};
    return STRUCT_GIVE(hn_read_options, out, &own, error);
}

struct reader {
    struct ampl_sources sources;
    struct ampl_symbols symbols;
    struct arena arena;
    struct ampl_program program;
    struct ampl_parser parser;
    struct ampl_evaluator evaluator;
};

static bool reader_start(struct reader *reader, const hn_read_options *options) {
    *reader = (struct reader){.arena = {NULL}};
    reader->sources.max_bytes = options->max_bytes < UINT32_MAX - 1 ? options->max_bytes : UINT32_MAX - 1;
    reader->sources.note = options->message;
    reader->sources.opened = options->opened;
    reader->sources.context = options->context;
    reader->program.last = &reader->program.first;
    reader->program.last_command = &reader->program.first_command;
    reader->parser.sources = &reader->sources;
    reader->parser.symbols = &reader->symbols;
    reader->parser.arena = &reader->arena;
    reader->parser.program = &reader->program;
    reader->sources.capped = options->untrusted && options->max_nodes == HN_UNTRUSTED_NODES;
    reader->parser.untrusted = options->untrusted;
    struct ampl_evaluator *e = &reader->evaluator;
    e->sources = &reader->sources;
    e->symbols = &reader->symbols;
    e->program = &reader->program;
    e->max_nodes = options->max_nodes;
    e->relax_integrality = options->relax_integrality;
    e->max_steps =
        options->max_nodes < SIZE_MAX / AMPL_STEPS_PER_NODE ? options->max_nodes * AMPL_STEPS_PER_NODE : SIZE_MAX - 1;
    e->max_held =
        options->max_nodes < SIZE_MAX / AMPL_BYTES_PER_NODE ? options->max_nodes * AMPL_BYTES_PER_NODE : SIZE_MAX;
    e->max_held += e->max_held < SIZE_MAX - LEAST_HELD ? LEAST_HELD : 0;
    return ampl_symbols_create(&reader->symbols) || ampl_no_memory(&reader->sources);
}

static void reader_end(struct reader *reader) {
    for (struct ampl_declaration *d = reader->program.first; d; d = d->next) {
        ampl_table_release(&d->given);
        ampl_table_release(&d->known);
        ampl_table_release(&d->fixed);
        ampl_table_release(&d->added);
        ampl_table_release(&d->started);
    }
    ampl_evaluator_release(&reader->evaluator);
    ampl_parser_release(&reader->parser);
    ampl_symbols_release(&reader->symbols);
    ampl_sources_release(&reader->sources);
    arena_release(&reader->arena);
}

/* ---- parsing ---- */

static bool is_data_name(const char *name) {
    size_t length = strlen(name);
    return length >= 4 && strcmp(name + length - 4, ".dat") == 0;
}

/* What to read: files, or texts in memory. */
struct request {
    size_t count;
    const char *const *paths;
    const hn_text *texts;
};

/* Parses all texts, up to a solve. */
static bool parse_all(struct reader *reader, const struct request *request) {
    bool good = true;
    for (size_t i = 0; good && i < request->count; i++) {
        good = request->paths ? ampl_sources_add_file(&reader->sources, request->paths[i], NULL)
                              : ampl_sources_add_text(&reader->sources, &request->texts[i]);
        uint32_t source = (uint32_t)reader->sources.count - 1;
        const char *name = good ? reader->sources.list[source].name : NULL;
        if (good && reader->parser.finished) {
            ampl_note(&reader->sources, HN_SEVERITY_WARNING, &(struct ampl_place){source, 0},
                      "%s is skipped: it follows solve", name);
        } else if (good) {
            reader->parser.data_mode = is_data_name(name);
            ampl_parse_source(&reader->parser, source);
        }
    }
    ampl_say_repeated(&reader->sources);
    return good;
}

/* ---- values from the caller ---- */

static bool bad_let(struct reader *reader, const char *let, const char *problem) {
    hn_error error;
    error_about(&error, HN_INVALID, (struct error_subject){.code = HN_CODE_LET, .name = let}, "let %s: %s", let,
                problem);
    return ampl_pass_error(&reader->sources, NULL, &error);
}

static bool let_value(struct reader *reader, const struct ampl_declaration *param, const char *text,
                      struct ampl_value *value) {
    size_t length = strlen(text), sign = text[0] == '-' || text[0] == '+';
    double number = HUGE_VAL;
    uint32_t symbol;
    if (length > sign &&
        (strcmp(text + sign, "Infinity") == 0 || ampl_numeral(text + sign, length - sign, &number) == length - sign)) {
        *value = ampl_value_number(text[0] == '-' ? -number : number);
        return true;
    }
    if (!param->symbolic)
        return false;
    bool stored = ampl_symbols_intern(&reader->symbols, text, length, &symbol);
    *value = stored ? ampl_value_symbol(symbol) : ampl_value_nothing();
    return stored;
}

/* "N=20" */
static bool apply_let(struct reader *reader, const char *let) {
    const char *equals = let ? strchr(let, '=') : NULL;
    struct ampl_value value;
    uint32_t symbol;
    if (!equals)
        return bad_let(reader, let ? let : "", "expected NAME=VALUE");
    if (!ampl_symbols_intern(&reader->symbols, let, (size_t)(equals - let), &symbol))
        return ampl_no_memory(&reader->sources);
    struct ampl_declaration *param = reader->symbols.list[symbol].declaration;
    if (!param || param->kind != AMPL_PARAMS || param->arity > 0) {
        ampl_hint_param(&reader->parser, symbol);
        return bad_let(reader, let, "no scalar param has this name");
    }
    if (!let_value(reader, param, equals + 1, &value))
        return bad_let(reader, let, "the value is not a number");
    param->assigned = param->pinned = true;
    return ampl_table_set(&param->given, 0, NULL, value) || ampl_no_memory(&reader->sources);
}

/* ---- building ---- */

/* A model must have outputs; the error refers to its declarations. */
static bool check_outputs(struct reader *reader) {
    bool declared = false;
    if (hn_model_output_count(reader->evaluator.model) > 0 || reader->sources.count == 0)
        return true;
    for (const struct ampl_declaration *d = reader->program.first; d; d = d->next)
        declared |= d->kind == AMPL_VARIABLES;
    return ampl_error(
        &reader->sources, HN_INVALID, NULL, "%s %s: the model has no outputs", reader->sources.list[0].name,
        declared ? "declares only variables that are defined by '=' or have an empty index" : "declares no variables");
}

static bool build_model(struct reader *reader) {
    struct ampl_evaluator *e = &reader->evaluator;
    hn_model_options options = hn_model_defaults();
    hn_error error;
    options.max_nodes = e->max_nodes;
    ampl_mark_inputs(e);
    ampl_mark_varying(e);
    hn_status status = hn_model_create(&e->model, &options, &error);
    if (status != HN_OK)
        return ampl_pass_error(&reader->sources, NULL, &error);
    if (!ampl_run_commands(e) || !ampl_check_inputs(e) || !ampl_check_given(e) || !ampl_run_checks(e) ||
        !ampl_expand(e) || !check_outputs(reader))
        return false;
    status = hn_model_finish(e->model, &error);
    return status == HN_OK || ampl_pass_error(&reader->sources, NULL, &error);
}

static bool apply_lets_and_build(struct reader *reader, const hn_read_options *options) {
    bool good = reader->sources.error_count == 0;
    for (size_t i = 0; good && i < options->let_count; i++)
        good = apply_let(reader, options->lets[i]);
    return good && build_model(reader);
}

/* Returns the model, or the first error. */
static hn_status leave(struct reader *reader, bool good, hn_model **out, hn_error *error) {
    hn_status status = HN_OK;
    if (good) {
        *out = reader->evaluator.model;
    } else {
        status = reader->sources.first.status != HN_OK ? reader->sources.first.status : HN_NO_MEMORY;
        if (reader->sources.first.status == HN_OK)
            error_no_memory(error, "model text");
        else if (error)
            *error = reader->sources.first;
        hn_model_destroy(reader->evaluator.model);
    }
    reader_end(reader);
    return status;
}

/* Checks the arguments and options of both calls. */
static hn_status check_request(hn_model **out, size_t count, const void *list, const hn_read_options *options,
                               hn_read_options *chosen, hn_error *error) {
    *chosen = hn_read_defaults();
    if (!out)
        return error_missing(error, "hn_model_read", "out");
    *out = NULL;
    if (count > 0 && !list)
        return error_missing(error, "hn_model_read", "text");
    hn_status status = options ? STRUCT_TAKE_OPTIONS(hn_read_options, chosen, options, error) : HN_OK;
    if (status == HN_OK && chosen->let_count > 0 && !chosen->lets)
        return error_about(error, HN_INVALID, error_option("lets"), "hn_model_read: let_count is %zu without lets",
                           chosen->let_count);
    if (chosen->untrusted) {
        chosen->max_nodes = chosen->max_nodes < HN_UNTRUSTED_NODES ? chosen->max_nodes : HN_UNTRUSTED_NODES;
        chosen->max_bytes = chosen->max_bytes < HN_UNTRUSTED_BYTES ? chosen->max_bytes : HN_UNTRUSTED_BYTES;
    }
    return status == HN_OK ? arithmetic_check(error) : status;
}

static hn_status read_all(hn_model **out, const struct request *request, const hn_read_options *options,
                          hn_error *error) {
    struct reader reader;
    bool good = reader_start(&reader, options);
    reader.parser.in_memory = !request->paths;
    good = good && parse_all(&reader, request) && apply_lets_and_build(&reader, options);
    return leave(&reader, good, out, error);
}

hn_status hn_model_read(hn_model **out, size_t count, const char *const *paths, const hn_read_options *options,
                        hn_error *error) {
    hn_read_options chosen;
    hn_status status = check_request(out, count, paths, options, &chosen, error);
    for (size_t i = 0; i < count && status == HN_OK; i++)
        if (!paths[i])
            status = error_missing(error, "hn_model_read", "path");
    return status == HN_OK ? read_all(out, &(struct request){count, paths, NULL}, &chosen, error) : status;
}

hn_status hn_model_read_memory(hn_model **out, size_t count, const hn_text *texts, const hn_read_options *options,
                               hn_error *error) {
    hn_read_options chosen;
    hn_status status = check_request(out, count, texts, options, &chosen, error);
    for (size_t i = 0; i < count && status == HN_OK; i++)
        if (!texts[i].bytes && texts[i].length > 0)
            status = error_missing(error, "hn_model_read_memory", "text.bytes");
    return status == HN_OK ? read_all(out, &(struct request){count, NULL, texts}, &chosen, error) : status;
}
