/* verb_emit.c - hardnet emit MODEL.mod [DATA.dat ...] [--net NET] --out DIR: a layer as C99 for a controller.
 *
 * SPDX-License-Identifier: MIT */
#include "baselines/baseline.h"
#include "common/command.h"
#include "common/console.h"
#include "common/load.h"
#include "common/verbs.h"
#include "emit/emit.h"
#include "hardnet/policy.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static const char about[] =
    "Writes the layer, with the network if one is given, as one header and one C99 source for a controller\n"
    "without heap or operating system; the header documents the calls and the memory. It includes an example and a "
    "CMake\n"
    "file. In double it computes the same bits as the library on every target with IEEE arithmetic.\n"
    "Prints its memory use, and the steps that 99.9 % of 1000 sampled inputs need: a limit for --iterations.\n"
    "Settings of the network apply unless others are given: those of its layer, candidates and refinement. --method "
    "paper with --iterations takes the\n"
    "same time for every input.";

static const char example[] =
    "  hardnet emit models/unicycle.mod --net net.safetensors --out steer --name steer --real float\n"
    "  hardnet emit models/unicycle.mod --out fixed --method paper --iterations 20 --adjoint\n";

static const char *const reals[] = {"double", "float", NULL};
static const char *const answers[] = {"no", "yes", NULL};
static const char *const interfaces[] = {"casadi", NULL};

static const double FLOAT_TOLERANCE = 1e-4;

/* The model's name: its file's, without folder and ending. */
static void name_model(const struct emit_options *o, char *name, size_t size) {
    const char *path = o->files.items[0], *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    size_t length = dot && dot > base ? (size_t)(dot - base) : strlen(base);
    snprintf(name, size, "%.*s", (int)(length < size ? length : size - 1), base);
}

/* Only the scheme of the layer has a text. */
static int check_policy(const struct emit_options *o, const hn_policy *policy) {
    const char *scheme = hn_network_metadata(hn_policy_network(policy), "policy.scheme");
    if (!scheme || strcmp(scheme, "layer") == 0)
        return VERB_OK;
    console_error("%s: its outputs go through %s, not through the layer; emit takes the layer only", o->net, scheme);
    return VERB_FAILED;
}

/* The settings of the network, unless overridden. */
static void choose_policy(const struct emit_options *o, const hn_policy *policy, hn_emit_options *options) {
    hn_policy_options own = hn_policy_options_of(policy);
    options->layer = own.layer;
    options->candidates = own.candidates;
    options->keep = o->candidates_given ? o->candidates : own.candidates;
    options->refine = o->refine_given ? (int)o->refine : own.refine;
}

/* What leaving candidates or refinement out means. */
static void remark_left_out(const struct emit_options *o, const hn_policy *policy, const hn_emit_options *options) {
    hn_policy_options own = hn_policy_options_of(policy);
    if (options->keep == own.candidates && options->refine >= own.refine)
        return;
    console_remark(
        "%s has %zu candidates and %d refinement steps, the emitted file %zu and %d: its outputs satisfy the "
        "constraints as before, but their objective may be higher",
        o->net, own.candidates, own.refine, options->keep, options->refine);
}

static int explain(const hn_error *error) {
    if (error->code == HN_CODE_OPTION && strcmp(error->subject, "name") == 0) {
        console_error("--%s; give one with --name", error->text);
        return VERB_MISUSED;
    }
    if (error->code == HN_CODE_OPTION && strcmp(error->subject, "casadi") == 0) {
        console_error("--abi casadi: %s", error->text);
        return VERB_MISUSED;
    }
    if (error->code == HN_CODE_OPTION && error->status == HN_UNSUPPORTED && strcmp(error->subject, "refine") == 0) {
        console_error("--%s: --refine 0", error->text);
        return VERB_FAILED;
    }
    if (error->code == HN_CODE_OPTION && strcmp(error->subject, "keep") == 0) {
        console_error("--%s", error->text);
        return VERB_MISUSED;
    }
    return layer_choice_explain(error);
}

static int emit(const struct emit_options *o, const hn_model *model, const hn_policy *policy) {
    hn_error error = {.status = HN_OK};
    hn_emit_options options = {.size = sizeof options};
    hn_emitted files;
    char name[256];
    hn_emit_get_defaults(&options, &error);
    if (policy)
        choose_policy(o, policy, &options);
    bool relative = options.layer.relative;
    options.single = o->real && strcmp(o->real, "float") == 0;
    options.libm = o->libm && strcmp(o->libm, "yes") == 0;
    options.adjoint = o->adjoint;
    options.casadi = o->abi != NULL;
    if (options.single)
        options.layer.tolerance = FLOAT_TOLERANCE;
    options.layer = layer_choice_options(&o->layer, options.layer);
    options.layer.relative = relative || o->layer.relative;
    name_model(o, name, sizeof name);
    options.name = o->name ? o->name : name;
    if (hn_emit(&files, model, policy ? hn_policy_network(policy) : NULL, &options, &error) != HN_OK)
        return explain(&error);
    int code = emit_write(o->out, options.name, &files);
    if (policy && code == VERB_OK)
        remark_left_out(o, policy, &options);
    struct emit_probe probe;
    if (code == VERB_OK) {
        emit_probe(&probe, model, policy ? hn_policy_network(policy) : NULL, &options.layer);
        emit_print(&files, &probe, options.single);
    }
    hn_emitted_release(&files);
    return code;
}

static int load_policy(hn_policy **out, const struct emit_options *o, const hn_model *model) {
    hn_error error = {.status = HN_OK};
    *out = NULL;
    if (!o->net)
        return VERB_OK;
    struct baseline_head *head = NULL;
    if (baseline_load(out, &head, model, o->net, 1, &error) != HN_OK)
        return verb_explain(&error);
    int code = check_policy(o, *out); /* one with a head is refused: nothing needs it afterwards */
    baseline_head_destroy(head);
    return code;
}

static int verb_emit_run(void *values) {
    const struct emit_options *o = values;
    hn_model *model = NULL;
    hn_policy *policy = NULL;
    if (!o->out)
        return verb_misuse("emit", "--out, the output folder, is missing");
    if (!o->net && (o->candidates_given || o->refine_given))
        return verb_misuse("emit", "--candidates and --refine are settings of a network; --net is missing");
    int code = load_model(&model, &o->files, &o->common);
    if (code == VERB_OK)
        code = load_policy(&policy, o, model);
    if (code == VERB_OK)
        code = emit(o, model, policy);
    hn_policy_destroy(policy);
    hn_model_destroy(model);
    return code;
}

int verb_emit(int argc, char **argv) {
    struct emit_options o = {.out = NULL};
    const struct option table[] = {
        {.name = "out", .value = "DIR", .help = "output folder; created if missing", .text = &o.out},
        READ_FILE("net", "NET", "a network written by hardnet train; without one the caller passes raw outputs", o.net),
        {.name = "candidates",
         .value = "K",
         .help = "emit the first K candidates of the network only (all)",
         .count = &o.candidates,
         .least = 1,
         .most = HN_POLICY_MOST_CANDIDATES,
         .given = &o.candidates_given},
        {.name = "refine",
         .value = "K",
         .help = "refinement steps of each candidate (the network's own)",
         .count = &o.refine,
         .most = HN_POLICY_MOST_REFINE,
         .given = &o.refine_given},
        {.name = "real", .value = "TYPE", .help = "double or float (double)", .text = &o.real, .words = reals},
        {.name = "name", .value = "PREFIX", .help = "prefix of all names (the model file's name)", .text = &o.name},
        {.name = "libm",
         .value = "yes|no",
         .help = "use the target's <math.h> instead of hardnet's elementary functions (no)",
         .text = &o.libm,
         .words = answers},
        {.name = "adjoint",
         .help = "also write gradients, NAME_gradient; their tape is part of the workspace",
         .flag = &o.adjoint},
        {.name = "abi",
         .value = "casadi",
         .help = "also write an external function for CasADi, with its adjoint",
         .text = &o.abi,
         .words = interfaces},
        LAYER_OPTIONS(o.layer),
        COMMON_OPTIONS(o.common),
    };
    const struct command command = {.name = "emit",
                                    .usage = "MODEL.mod [DATA.dat ...] [--net NET] --out DIR [options]",
                                    .about = about,
                                    .example = example,
                                    .common = &o.common,
                                    .run = verb_emit_run,
                                    COMMAND_OPTIONS(table, o)};
    return command_run(&command, argc, argv);
}
