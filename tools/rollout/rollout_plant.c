/* rollout_plant.c - a plant that is not the model: another model's defined variables, and disturbances. See rollout.h.
 *
 * After each step the inputs that are fed back get x_i + s_i N(0, 1). The random numbers depend on the seed, the start
 * and the step only.
 *
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "base/random.h"
#include "common/console.h"
#include "common/load.h"
#include "common/verbs.h"
#include "rollout/rollout.h"

#include <math.h>
#include <string.h>

/* ---- the plant ---- */

static int rollout_plant_refuse(const char *kind, size_t at, const char *wanted, const char *found) {
    console_error(
        "--plant: %s %zu is %s, and that of the model is %s: a plant has the model's inputs and outputs, in its order",
        kind, at + 1, found ? found : "missing", wanted ? wanted : "missing");
    return VERB_MISUSED;
}

static const char *input_name(const hn_model *model, size_t i) {
    return i < hn_model_input_count(model) ? hn_model_input(model, i).name : NULL;
}

static const char *output_name(const hn_model *model, size_t i) {
    return i < hn_model_output_count(model) ? hn_model_output(model, i).name : NULL;
}

static bool same(const char *a, const char *b) {
    return a && b && strcmp(a, b) == 0;
}

static int rollout_plant_compare(const hn_model *plant, const hn_model *model) {
    for (size_t i = 0; input_name(plant, i) || input_name(model, i); i++)
        if (!same(input_name(plant, i), input_name(model, i)))
            return rollout_plant_refuse("input", i, input_name(model, i), input_name(plant, i));
    for (size_t i = 0; output_name(plant, i) || output_name(model, i); i++)
        if (!same(output_name(plant, i), output_name(model, i)))
            return rollout_plant_refuse("output", i, output_name(model, i), output_name(plant, i));
    return VERB_OK;
}

int rollout_load_plant(hn_model **plant, const struct rollout_options *o, const hn_model *model) {
    const char *path = o->plant;
    const struct text_list files = {.count = 1, .items = &path};
    *plant = NULL;
    if (!path)
        return VERB_OK;
    int code = load_model(plant, &files, &o->common);
    return code == VERB_OK ? rollout_plant_compare(*plant, model) : code;
}

/* ---- disturbances ---- */

/* "dist": no seed makes them the starts. */
static const uint64_t STREAMS = UINT64_C(0x64697374) << 32;

/* One number for all inputs that are fed back, or one for each. */
int rollout_find_disturbance(struct rollout *r) {
    const char *text = r->options->disturbance;
    size_t links = r->feedback.links;
    if (!text)
        return VERB_OK;
    r->deviation = eval_take(links, 1, sizeof *r->deviation);
    if (!r->deviation) {
        console_error("--disturbance: out of memory");
        return VERB_FAILED;
    }
    size_t count = rollout_read_numbers(text, r->deviation, links);
    bool right = count == 1 || count == links;
    for (size_t i = 0; right && i < links; i++) {
        r->deviation[i] = r->deviation[count == 1 ? 0 : i];
        right = isfinite(r->deviation[i]) && r->deviation[i] >= 0;
    }
    if (!right)
        console_error(
            "--disturbance %s: give one standard deviation from 0 on, or one for each of the %zu inputs that are fed "
            "back, as in 0.1,0,0.02",
            text, links);
    return right ? VERB_OK : VERB_MISUSED;
}

void rollout_disturb(const struct rollout *r, size_t start, size_t step, double *x) {
    if (!r->deviation)
        return;
    struct random random = random_start(r->options->judging.seed, STREAMS | (uint64_t)(start * r->steps + step));
    for (size_t i = 0; i < r->feedback.links; i++)
        x[r->feedback.input[i]] += r->deviation[i] * random_normal(&random);
}
