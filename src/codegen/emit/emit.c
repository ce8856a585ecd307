/* emit.c - from a model and a network to the texts of hardnet/emit.h, and the checks of the options.
 *
 * SPDX-License-Identifier: MIT */
#include "base/digest.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/structs.h"
#include "codegen/emit/emission.h"
#include "hardnet/policy.h"
#include "layer/layer_plan.h"
#include "model/parts.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

hn_status hn_emit_get_defaults(hn_emit_options *out, hn_error *error) {
    const hn_emit_options own = {.size = sizeof own, .layer = hn_layer_defaults(), .candidates = 1};
    return STRUCT_GIVE(hn_emit_options, out, &own, error);
}

/* ---- unsupported options and models ---- */

static bool is_keyword(const char *name) {
    static const char words[][12] = {
        "auto",   "break",    "case",     "char",   "const",  "continue",  "default",  "do",     "double",  "else",
        "enum",   "extern",   "float",    "for",    "goto",   "if",        "inline",   "int",    "long",    "register",
        "return", "restrict", "short",    "signed", "sizeof", "static",    "struct",   "switch", "typedef", "union",
        "void",   "unsigned", "volatile", "while",  "class",  "namespace", "template", "this",   "new",     "delete"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(name, words[i]) == 0)
            return true;
    return false;
}

/* Case-insensitive: file systems may not distinguish Example.c from example.c. */
static bool is_example(const char *name) {
    static const char own[] = "example";
    for (size_t i = 0; i < sizeof own; i++)
        if (tolower((unsigned char)name[i]) != own[i])
            return false;
    return true;
}

static hn_status check_name(const char *name, hn_error *error) {
    size_t length = name ? strlen(name) : 0;
    bool good = length > 0 && length <= EMIT_LONGEST_NAME && isalpha((unsigned char)name[0]) && !is_keyword(name);
    for (size_t i = 0; i < length && good; i++)
        good = isalnum((unsigned char)name[i]) || name[i] == '_';
    if (good && is_example(name))
        return error_about(error, HN_INVALID, error_option("name"),
                           "name %s: %s.c would be two files, the layer and the example that calls it", name, name);
    if (good)
        return HN_OK;
    return error_about(error, HN_INVALID, error_option("name"),
                       "name %.60s: it must be a C identifier that begins with a letter, at most %d characters long",
                       name ? name : "(none)", EMIT_LONGEST_NAME);
}

/* Accuracy of floats of size 1 after a few operations. */
static const double FLOAT_LEAST_TOLERANCE = 1e-6;

static hn_status check_tolerance(const struct emission *e, hn_error *error) {
    if (!e->options.single || e->options.layer.tolerance >= FLOAT_LEAST_TOLERANCE)
        return HN_OK;
    return error_about(error, HN_INVALID, error_option("tolerance"),
                       "tolerance %s: floats hold %g at best; emit it in double, or ask for less",
                       error_number(e->options.layer.tolerance).text, FLOAT_LEAST_TOLERANCE);
}

static hn_status check_casadi(const struct emission *e, hn_error *error) {
    if (!e->options.casadi || !e->options.single)
        return HN_OK;
    return error_about(error, HN_INVALID, error_option("casadi"), "CasADi's numbers are doubles: emit it in double");
}

static hn_status check_candidates(const struct emission *e, hn_error *error) {
    const hn_emit_options *o = &e->options;
    if (o->candidates < 1 || o->candidates > HN_POLICY_MOST_CANDIDATES)
        return error_about(error, HN_INVALID, error_option("candidates"), "candidates %zu: choose 1 to %d",
                           o->candidates, HN_POLICY_MOST_CANDIDATES);
    if (o->keep > o->candidates)
        return error_about(error, HN_INVALID, error_option("keep"), "candidates %zu: the network has %zu", o->keep,
                           o->candidates);
    if (o->refine < 0 || o->refine > HN_POLICY_MOST_REFINE)
        return error_about(error, HN_INVALID, error_option("refine"), "refine %d: choose 0 to %d steps", o->refine,
                           HN_POLICY_MOST_REFINE);
    if (o->refine > 0 && !e->network)
        return error_about(error, HN_INVALID, error_option("refine"),
                           "refine %d: refinement is emitted with a network only", o->refine);
    if (o->refine > 0 && o->adjoint)
        return error_about(error, HN_UNSUPPORTED, error_option("refine"),
                           "refine %d: refinement steps are not differentiated; emit gradients without refinement",
                           o->refine);
    return HN_OK;
}

static hn_status check_network(const struct emission *e, hn_error *error) {
    size_t inputs = hn_model_input_count(e->model), outputs = hn_model_output_count(e->model);
    if (!e->network)
        return HN_OK;
    hn_network_options o = hn_network_options_of(e->network);
    if (o.inputs == inputs && o.outputs == e->options.candidates * outputs)
        return HN_OK;
    return error_about(error, HN_INVALID, error_argument("network"),
                       "the network maps %zu inputs to %zu outputs, the model has %zu and %zu, for each of %zu "
                       "candidates",
                       o.inputs, o.outputs, inputs, outputs, e->options.candidates);
}

/* Keeps the emitted candidates and the part of the network that computes them. */
static hn_status keep_candidates(struct emission *e, hn_error *error) {
    size_t keep = e->options.keep ? e->options.keep : e->options.candidates;
    e->policy.candidates = e->network ? keep : 1;
    e->policy.refine = e->options.refine;
    if (!e->network || keep == e->options.candidates)
        return HN_OK;
    hn_status status = emission_network_first(&e->kept, e->network, keep * hn_model_output_count(e->model), error);
    e->network = e->kept;
    return status;
}

static hn_status check_floats(const struct emission *e, hn_error *error) {
    if (!e->options.single)
        return HN_OK;
    for (uint32_t i = 0; i < e->ir.constant_count; i++)
        if (!emission_fits_float(e->ir.constants[i]))
            return error_set(error, HN_UNSUPPORTED, "the model's constant %s does not fit a float: emit it in double",
                             error_number(e->ir.constants[i]).text);
    for (size_t i = 0; e->network && i < hn_network_parameter_count(e->network); i++)
        if (fabs(e->network->parameters[i]) > FLT_MAX)
            return error_set(error, HN_UNSUPPORTED,
                             "weight %zu of the network, %s, does not fit a float: emit it in double", i,
                             error_number(e->network->parameters[i]).text);
    return HN_OK;
}

/* A text with this many operands compiles in one to two minutes. */
enum { MOST_OPERANDS = 2000000 };

static hn_status check_size(const struct emission *e, hn_error *error) {
    size_t operands = 0;
    for (int i = 0; i < KERNEL_ENTRIES; i++)
        operands += e->ir.entry[i].operand_count;
    if (operands > MOST_OPERANDS)
        return error_set(error, HN_LIMIT, "the emitted statements would have %zu operands; at most %d are possible",
                         operands, MOST_OPERANDS);
    return HN_OK;
}

static hn_status check_tape(const struct emission *e, hn_error *error) {
    size_t bytes = emission_tape_steps(e) * ((e->plan->outputs + (size_t)1) * emission_real(e) + sizeof(int32_t));
    if (!e->options.adjoint || bytes <= EMIT_MOST_TAPE)
        return HN_OK;
    return error_set(error, HN_LIMIT,
                     "the tape of %u steps over %u outputs would take %zu bytes of workspace; at most %d are "
                     "possible: ask for fewer iterations",
                     e->plan->tape_steps, e->plan->outputs, bytes, EMIT_MOST_TAPE);
}

/* Models that the library generates as loops over lists cannot be emitted. */
hn_status emission_check_walk(const struct emission *e, hn_error *error) {
    const struct plan_program *program = &e->plan->program;
    if (!e->ir.solves)
        return error_set(error, HN_UNSUPPORTED,
                         "the factor of the linear system is too full for straight code: %u unknowns, %u entries",
                         e->plan->system.order, e->plan->system.nonzeros);
    const enum kernel_entry entries[PHASES] = {KERNEL_PREPARE, KERNEL_EVALUATE, KERNEL_BACK_PROGRAM};
    for (int phase = 0; phase < (e->options.adjoint ? 3 : 2); phase++)
        if (program->first[phase + 1] > program->first[phase] && e->ir.entry[entries[phase]].count == 0)
            return error_set(error, HN_UNSUPPORTED, "the model's sums are too long for straight code: %u terms in all",
                             program->pairs.count / 2 + program->columns.count);
    return HN_OK;
}

/* ---- the workspace ---- */

static void add_field(struct emission *e, enum work_kind kind, const char *name, size_t count) {
    e->work[e->work_fields++] = (struct work_field){kind, name, count};
}

/* An array has at least one element. */
static void add_policy_fields(struct emission *e) {
    const struct emission_policy *p = &e->policy;
    add_field(e, WORK_REAL, "candidate", e->plan->outputs);
    add_field(e, WORK_REAL, "objective", p->objective.alone.program->slots);
    if (p->refine == 0)
        return;
    add_field(e, WORK_REAL, "refine", p->refinement.slots);
    add_field(e, WORK_REAL, "trial", e->plan->outputs);
    add_field(e, WORK_REAL, "multipliers", e->plan->rows > 0 ? e->plan->rows : 1);
}

static void add_network_fields(struct emission *e) {
    const hn_network *network = e->network;
    size_t width = 0;
    for (size_t k = 0; k <= network->layers; k++) {
        size_t own = emission_whole_blocks(network->width[k]);
        width = own > width ? own : width;
        e->hidden += k > 0 && k < network->layers ? own + emission_network_is_shaped(e) : 0;
    }
    add_field(e, WORK_REAL, "turn_1", width);
    add_field(e, WORK_REAL, "turn_2", width);
    if (emission_network_is_shaped(e))
        add_field(e, WORK_REAL, "turn_3", width);
}

static void add_gradient_fields(struct emission *e) {
    enum { TAPE_HEAD = 3 }; /* numbers of struct tape_head on the tape */
    add_field(e, WORK_REAL, "tape_eps", emission_tape_steps(e));
    add_field(e, WORK_REAL, "tape_y", emission_tape_steps(e) * e->plan->outputs);
    if (e->hidden > 0)
        add_field(e, WORK_REAL, "hidden", e->hidden);
    add_field(e, WORK_INTEGER, "tape_kind", emission_tape_steps(e));
    add_field(e, WORK_INTEGER, "tape_head", TAPE_HEAD);
    add_field(e, WORK_INTEGER, "outcome", 0);
    if (!emission_has_policy(e))
        return;
    add_field(e, WORK_INTEGER, "tape_kept", 0);
    add_field(e, WORK_INTEGER, "chosen", 0);
}

/* The slots are the first field. */
static void plan_workspace(struct emission *e) {
    size_t outputs = e->plan->outputs, number = emission_real(e), bytes = e->ir.slots * number;
    add_field(e, WORK_REAL, "raw", e->policy.candidates * outputs);
    add_field(e, WORK_REAL, "warm", e->policy.candidates * outputs);
    add_field(e, WORK_REAL, "row", outputs);
    if (emission_has_policy(e))
        add_policy_fields(e);
    if (e->network)
        add_network_fields(e);
    if (e->options.single)
        add_field(e, WORK_ROUNDED, "rounded", emission_rounding_numbers(e));
    if (e->options.adjoint)
        add_gradient_fields(e);
    add_field(e, WORK_INTEGER, "warm_start", 0);
    for (size_t i = 0; i < e->work_fields; i++) {
        const size_t each[] = {number, 2 * number, sizeof(int32_t)};
        bytes += (e->work[i].count > 0 ? e->work[i].count : 1) * each[e->work[i].kind];
    }
    e->work_bytes = (bytes + number - 1) / number * number;
}

/* ---- the emission ---- */

static hn_status emit_plan(struct emission *e, hn_error *error) {
    hn_method method = e->options.layer.method;
    if (!emission_method(method))
        return error_about(error, HN_INVALID, error_option("method"),
                           "method %s: it cannot be emitted; all but nearest and optimal can", hn_method_text(method));
    return layer_plan_create(&e->plan, &e->layer, e->model, &e->options.layer, error);
}

static hn_status emit_prepare(struct emission *e, hn_error *error) {
    hn_status status = emit_plan(e, error);
    e->paired = !e->options.single;
    if (status == HN_OK)
        status = ir_create(&e->ir, e->plan, e->options.adjoint, error);
    if (status == HN_OK)
        status = emission_check_walk(e, error);
    if (status != HN_OK)
        return status;
    emission_drop_unasked(e);
    if (!emission_drop_zeros(e))
        return error_no_memory(error, "emitted files");
    status = check_floats(e, error);
    if (status == HN_OK)
        status = check_tape(e, error);
    if (status == HN_OK)
        status = check_size(e, error);
    return status == HN_OK ? emission_policy_create(e, error) : status;
}

/* Prepares the parts besides the layer. */
static hn_status complete(struct emission *e, hn_error *error) {
    hn_status status = hn_model_fingerprint(e->model, e->fingerprint, error);
    if (status == HN_OK)
        status = hn_model_names_fingerprint(e->model, e->names_fingerprint, error);
    if (status == HN_OK)
        status = emission_find_rounding(e, error);
    if (status != HN_OK)
        return status;
    plan_workspace(e);
    e->constant_bytes =
        emission_plan_bytes(e) + emission_network_bytes(e) + emission_policy_bytes(e) + emission_rounding_bytes(e);
    return emission_pair(e) && emission_cost(&e->cost, e) ? HN_OK : error_no_memory(error, "emitted files");
}

static void give_sizes(const struct emission *e, hn_emitted *out) {
    out->workspace = e->work_bytes;
    out->constants = e->constant_bytes;
    out->stack = EMIT_STACK * emission_real(e);
    out->code_arm = e->cost.code_arm;
    out->code_x86 = e->cost.code_x86;
    out->operations = e->cost.operations_worst;
    out->instructions = e->cost.worst;
    out->steps = e->layer.iterations;
    out->fixed = e->cost.fixed;
}

/* Header and source carry the same number, so a source does not compile with the header of another run. */
static void mark_pair(const hn_emitted *out) {
    enum { PLACE = sizeof EMIT_NO_PAIR - 1 };
    struct digest digest = digest_start();
    unsigned char bytes[DIGEST_BYTES];
    char number[PLACE + 1], *const texts[] = {out->header, out->source};
    for (int i = 0; i < 2; i++)
        digest_add(&digest, texts[i], strlen(texts[i]));
    digest_finish(&digest, bytes);
    snprintf(number, sizeof number, "0x%02x%02x%02x%02xu", bytes[0], bytes[1], bytes[2], bytes[3]);
    for (int i = 0; i < 2; i++)
        memcpy(strstr(texts[i], EMIT_NO_PAIR), number, PLACE);
}

static hn_status emit_print_all(const struct emission *e, hn_emitted *out, hn_error *error) {
    const struct {
        char **text;
        void (*print)(const struct emission *e, struct text *out);
    } files[] = {{&out->header, emission_print_header},
                 {&out->source, emission_print_source},
                 {&out->example, emission_print_example},
                 {&out->cmake, emission_print_cmake}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct text text = {.bytes = NULL};
        files[i].print(e, &text);
        *files[i].text = text.bytes;
        if (text.failed) {
            hn_emitted_release(out);
            return text_error(&text, "emitted files", error);
        }
    }
    mark_pair(out);
    give_sizes(e, out);
    return HN_OK;
}

/* Options, network and layer. The caller releases e in any case. */
static hn_status emit_begin(struct emission *e, const hn_emit_options *options, bool named, hn_error *error) {
    e->options.size = sizeof e->options;
    hn_emit_get_defaults(&e->options, NULL);
    hn_status status = options ? STRUCT_TAKE_OPTIONS(hn_emit_options, &e->options, options, error) : HN_OK;
    if (status == HN_OK)
        status = model_without_blocks(e->model, "emitted files do", error);
    if (status == HN_OK && named)
        status = check_name(e->options.name, error);
    e->options.adjoint = e->options.adjoint || e->options.casadi;
    if (status == HN_OK)
        status = check_tolerance(e, error);
    if (status == HN_OK)
        status = check_casadi(e, error);
    if (status == HN_OK)
        status = check_candidates(e, error);
    if (status == HN_OK)
        status = check_network(e, error);
    if (status == HN_OK)
        status = keep_candidates(e, error);
    return status == HN_OK ? emit_prepare(e, error) : status;
}

static void emit_release(struct emission *e) {
    emission_release_pairs(e);
    emission_release_rounding(e);
    emission_policy_release(e);
    ir_release(&e->ir);
    plan_destroy(e->plan);
    hn_network_destroy(e->kept);
}

hn_status hn_emit(hn_emitted *out, const hn_model *model, const hn_network *network, const hn_emit_options *options,
                  hn_error *error) {
    struct emission e = {.model = model, .network = network};
    if (!out)
        return error_missing(error, "hn_emit", "out");
    *out = (hn_emitted){.header = NULL};
    if (!model || !options)
        return error_missing(error, "hn_emit", model ? "options" : "model");
    hn_status status = emit_begin(&e, options, true, error);
    if (status == HN_OK)
        status = complete(&e, error);
    if (status == HN_OK)
        status = emit_print_all(&e, out, error);
    emit_release(&e);
    return status;
}

hn_status hn_emit_check(const hn_model *model, const hn_network *network, const hn_emit_options *options,
                        hn_error *error) {
    struct emission e = {.model = model, .network = network};
    if (!model)
        return error_missing(error, "hn_emit_check", "model");
    hn_status status = emit_begin(&e, options, false, error);
    emit_release(&e);
    return status;
}

void hn_emitted_release(hn_emitted *emitted) {
    if (!emitted)
        return;
    base_release(emitted->header);
    base_release(emitted->source);
    base_release(emitted->example);
    base_release(emitted->cmake);
    *emitted = (hn_emitted){.header = NULL};
}
