/* emission_plan.c - constant data of the source: the layer's plan, as arrays and one struct in the order of
 * core/plan_fields.h (emitted_plan.h has its type), and the network, with weights in the blocks of neurons of mlp.h.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/emit/emission.h"
#include "plan/methods.h"

#include <string.h>

/* ---- arrays ---- */

void emission_number(const struct emission *e, struct text *out, double value) {
    if (isnan(value))
        text_add(out, "REAL_NAN");
    else if (isinf(value))
        text_add(out, "%sREAL_INFINITY", value < 0 ? "-" : "");
    else if (e->options.single)
        text_add(out, "%af", (double)(float)value);
    else
        text_add(out, "%a", value);
}

void emission_print_element(const struct emission *e, struct text *out, size_t i, double value) {
    enum { PER_LINE = 6 };
    text_add(out, "%s", i % PER_LINE ? " " : "\n    ");
    emission_number(e, out, value);
    text_add(out, ",");
}

void emission_print_words(struct text *out, const struct word_list *lists, size_t count) {
    enum { PER_LINE = 16 };
    for (const struct word_list *list = lists; list < lists + count; list++) {
        if (list->count == 0)
            continue;
        text_add(out, "static const uint32_t %s[] = {", list->name);
        for (size_t i = 0; i < list->count; i++)
            text_add(out, "%s%u,", i % PER_LINE ? " " : "\n    ", list->words[i]);
        text_add(out, "\n};\n");
    }
}

size_t emission_count_words(const struct word_list *lists, size_t count) {
    size_t words = 0;
    for (size_t i = 0; i < count; i++)
        words += lists[i].count;
    return words;
}

/* ---- lists, in the order of the plan's fields ---- */

#define NO_FIELD(...)
#define NAME_PART(name, part, adjoint)                                                                                 \
    {"list_" #name "_" #part, plan_words(p, p->name.part), (adjoint) ? p->name.part.count : 0},
#define NAME_LIST(name)    {"list_" #name, plan_words(p, p->name), p->name.count},
#define NAME_ENTRIES(name) NAME_PART(name, slot, true) NAME_PART(name, entry, true)
#define NAME_MATRIX(name)  NAME_PART(name, first, true) NAME_PART(name, column, true) NAME_PART(name, slot, true)
#define NAME_ADJOINT(name) /* empty in a file without gradients */                                                     \
    NAME_PART(name, first, e->options.adjoint)                                                                         \
    NAME_PART(name, column, e->options.adjoint) NAME_PART(name, slot, e->options.adjoint)
#define ONE_LIST(name)    +1
#define TWO_LISTS(name)   +2
#define THREE_LISTS(name) +3

enum { PLAN_LISTS = PLAN_FIELD_LIST(NO_FIELD, ONE_LIST, TWO_LISTS, THREE_LISTS, THREE_LISTS, NO_FIELD) };

static void name_lists(const struct emission *e, struct word_list lists[PLAN_LISTS]) {
    const struct plan *p = e->plan;
    const struct word_list all[PLAN_LISTS] = {
        PLAN_FIELD_LIST(NO_FIELD, NAME_LIST, NAME_ENTRIES, NAME_MATRIX, NAME_ADJOINT, NO_FIELD)};
    memcpy(lists, all, sizeof all);
}

size_t emission_plan_bytes(const struct emission *e) {
    struct word_list lists[PLAN_LISTS];
    name_lists(e, lists);
    return emission_count_words(lists, PLAN_LISTS) * sizeof(uint32_t);
}

/* ---- fields ---- */

/* An emitted float file adds its rounding bound before it judges (rounding_bound.h): half of the tolerance is reserved
 * for it. On a GPU floats have rounding errors of a few units in the last place of the rows' terms: 1e-6 for terms of
 * size 10. */
double emission_tolerance(const struct emission *e) {
    const double room = e->rounding.number ? 1.0 / 2 : 1.0 / 16;
    return e->options.single ? e->plan->options.tolerance * (1 - room) : e->plan->options.tolerance;
}

const char *emission_method(hn_method method) {
#define METHOD_NAME(name, text) #name,
    static const char names[][24] = {HN_METHOD_LIST(METHOD_NAME)};
#undef METHOD_NAME
    return (unsigned)method >= HN_METHOD_COUNT || method_searches(method) ? NULL : names[method];
}

static void print_options(const struct emission *e, struct text *out) {
    const struct sample_options *o = &e->plan->options;
    const char *method = emission_method((hn_method)o->method);
    text_add(out, "    .options = {.damping = ");
    emission_number(e, out, o->damping);
    text_add(out, ",\n                .tolerance = ");
    emission_number(e, out, emission_tolerance(e));
    if (!method)
        text_fail(out, "they have no method %s", hn_method_text((hn_method)o->method));
    text_add(out,
             ",\n                .method = %s,\n                .iterations = %d,\n                .weighted = %d,\n"
             "                .stops = %d,\n                .pivots = %d,\n                .adaptive = %d,\n"
             "                .relative = %d,\n                .outputs_side = %d,\n                .joint_rows = %d,\n"
             "                .bordered = %d,\n                .usual = %d,\n                .budget = %d},\n",
             method ? method : "", o->iterations, o->weighted, o->stops, o->pivots, o->adaptive, o->relative,
             o->outputs_side, o->joint_rows, o->bordered, (int)o->usual, (int)o->budget);
}

/* Prints a field of several lists; returns the list after them. */
static const struct word_list *print_lists(struct text *out, const char *field, const struct word_list *list,
                                           int count) {
    text_add(out, "    .%s = %s", field, count > 1 ? "{" : "");
    for (int i = 0; i < count; i++, list++) {
        text_add(out, i > 0 ? ", " : "");
        text_add(out, "{%s, %zu}", list->count > 0 ? list->name : "0", list->count);
    }
    text_add(out, "%s,\n", count > 1 ? "}" : "");
    return list;
}

#define PRINT_NUMBER(name)  text_add(out, "    ." #name " = %u,\n", (unsigned)p->name);
#define PRINT_LIST(name)    list = print_lists(out, #name, list, 1);
#define PRINT_ENTRIES(name) list = print_lists(out, #name, list, 2);
#define PRINT_MATRIX(name)  list = print_lists(out, #name, list, 3);

void emission_print_plan(const struct emission *e, const char *declaration, struct text *out) {
    const struct plan *p = e->plan;
    struct word_list lists[PLAN_LISTS];
    const struct word_list *list = lists;
    name_lists(e, lists);
    text_add(out, "\n/* The layer: where its numbers lie among the slots. */\n\n");
    emission_print_words(out, lists, PLAN_LISTS);
    text_add(out, "\n%s = {\n", declaration);
    print_options(e, out);
    text_add(out, "    .program = {{0, %u}},\n    .system = {%u},\n", p->program.constants.count,
             p->system.pivot_range);
    PLAN_FIELD_LIST(PRINT_NUMBER, PRINT_LIST, PRINT_ENTRIES, PRINT_MATRIX, PRINT_MATRIX, NO_FIELD)
    text_add(out, "};\n");
}

/* ---- the network ---- */

bool emission_network_is_shaped(const struct emission *e) {
    return e->network && (e->network->options.residual || e->network->options.layer_norm);
}

size_t emission_network_bytes(const struct emission *e) {
    const hn_network *n = e->network;
    size_t numbers = 0;
    if (!n)
        return 0;
    for (size_t k = 0; k < n->layers; k++)
        numbers += emission_whole_blocks(n->width[k + 1]) * (n->width[k] + 1);
    return (numbers + 2 * (n->width[0] + n->width[n->layers])) * emission_real(e);
}

static void print_vector(const struct emission *e, struct text *out, const char *name, const double *values,
                         size_t count) {
    text_add(out, "static const real %s[] = {", name);
    for (size_t i = 0; i < count; i++)
        emission_print_element(e, out, i, values[i]);
    text_add(out, "\n};\n");
}

static void print_layer(const struct emission *e, struct text *out, size_t k) {
    const hn_network *n = e->network;
    const double *weights = layer_weights(n, k), *biases = layer_biases(n, k);
    size_t in = n->width[k], neurons = n->width[k + 1], whole = emission_whole_blocks(neurons), printed = 0;
    text_add(out, "static const real network_weights_%zu[] = {", k);
    for (size_t j = 0; j < whole; j += EMIT_BLOCK)
        for (size_t i = 0; i < in; i++)
            for (size_t b = 0; b < EMIT_BLOCK; b++)
                emission_print_element(e, out, printed++, j + b < neurons ? weights[(j + b) * in + i] : 0);
    text_add(out, "\n};\nstatic const real network_biases_%zu[] = {", k);
    for (size_t j = 0; j < whole; j++)
        emission_print_element(e, out, j, j < neurons ? biases[j] : 0);
    text_add(out, "\n};\n");
}

void emission_print_network(const struct emission *e, struct text *out) {
    const hn_network *n = e->network;
    text_add(out, "\n/* The network: %zu layers of weights. */\n\n", n->layers);
    for (size_t k = 0; k < n->layers; k++)
        print_layer(e, out, k);
    print_vector(e, out, "network_input_shift", n->input.shift, n->width[0]);
    print_vector(e, out, "network_input_scale", n->input.scale, n->width[0]);
    print_vector(e, out, "network_output_shift", n->output.shift, n->width[n->layers]);
    print_vector(e, out, "network_output_scale", n->output.scale, n->width[n->layers]);
    text_add(out,
             "\nstruct network_layer {\n    const real *weights, *biases;\n"
             "    size_t inputs, outputs; /* without what fills the last block */\n%s};\n\n",
             emission_network_is_shaped(e) ? "    int residual;\n" : "");
    if (emission_network_is_shaped(e))
        text_add(out, "#define NETWORK_SHAPED\nenum { NETWORK_NORM = %d };\n", n->options.layer_norm);
    text_add(out, "enum { NETWORK_LAYERS = %zu };\n#define NETWORK_ACTIVATION %s\n\n", n->layers,
             n->options.activation == HN_ACTIVATION_TANH   ? "HN_ACTIVATION_TANH"
             : n->options.activation == HN_ACTIVATION_SILU ? "HN_ACTIVATION_SILU"
                                                           : "HN_ACTIVATION_RELU");
    text_add(out, "static const struct network_layer network_layers[NETWORK_LAYERS] = {\n");
    for (size_t k = 0; k < n->layers; k++)
        text_add(out, "    {network_weights_%zu, network_biases_%zu, %zu, %zu%s},\n", k, k, n->width[k],
                 n->width[k + 1],
                 !emission_network_is_shaped(e) ? ""
                 : layer_is_residual(n, k)      ? ", 1"
                                                : ", 0");
    text_add(out, "};\n");
}

/* ---- selection of outputs ---- */

hn_status emission_network_first(hn_network **out, const hn_network *network, size_t outputs, hn_error *error) {
    hn_network_options options = network->options;
    size_t last = network->layers - 1, before = network->first[last], weights = outputs * network->width[last];
    options.outputs = outputs;
    hn_status status = network_allocate(out, &options, error);
    if (status != HN_OK)
        return status;
    double *own = (*out)->parameters;
    memcpy(own, network->parameters, before * sizeof *own);
    memcpy(own + before, layer_weights(network, last), weights * sizeof *own);
    memcpy(own + before + weights, layer_biases(network, last), outputs * sizeof *own);
    memcpy((*out)->input.shift, network->input.shift, network->width[0] * sizeof *own);
    memcpy((*out)->input.scale, network->input.scale, network->width[0] * sizeof *own);
    memcpy((*out)->output.shift, network->output.shift, outputs * sizeof *own);
    memcpy((*out)->output.scale, network->output.scale, outputs * sizeof *own);
    return HN_OK;
}
