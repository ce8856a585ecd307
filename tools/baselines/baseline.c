/* baseline.c - baselines by name, their settings, and DC3 as a head. See baseline.h.
 *
 * SPDX-License-Identifier: MIT */
#include "baselines/baseline.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "baselines/dc3.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 1000000, TEXTS = 4, TEXT = 40, TOGETHER = 64 /* samples, a multiple of the lanes */ };

static const char keys[TEXTS][24] = {"policy.correction-steps", "policy.correction-rate", "policy.momentum",
                                     "policy.independent"};

struct baseline_head {
    hn_head head;
    struct baseline settings;
    struct completion completion;
    size_t *columns;
    hn_metadata texts[TEXTS];
    char values[TEXTS][TEXT];
};

/* ---- settings ---- */

#define SCHEME_TEXT(name, text) text,
static const char names[SCHEMES][8] = {SCHEME_LIST(SCHEME_TEXT)};
#undef SCHEME_TEXT

const char *scheme_text(enum scheme scheme) {
    return names[scheme];
}

struct baseline baseline_defaults(void) {
    return (struct baseline){.scheme = SCHEME_LAYER, .correction_steps = 100, .correction_rate = 0.1, .momentum = 0.5};
}

static hn_status check_settings(const struct baseline *b, hn_error *error) {
    if (b->correction_steps < 0 || b->correction_steps > MOST_STEPS)
        return error_about(error, HN_INVALID, error_option("correction_steps"), "correction steps %d: choose 0 to %d",
                           b->correction_steps, MOST_STEPS);
    if (!(b->correction_rate > 0 && isfinite(b->correction_rate)))
        return error_about(error, HN_INVALID, error_option("correction_rate"),
                           "correction rate %s: it must be finite and above 0", error_number(b->correction_rate).text);
    if (!(b->momentum >= 0 && b->momentum < 1))
        return error_about(error, HN_INVALID, error_option("momentum"),
                           "momentum %s: choose a number from 0 to below 1", error_number(b->momentum).text);
    return HN_OK;
}

/* ---- the functions of the head ---- */

static void dc3_begin(const void *context, void *memory) {
    const struct baseline_head *h = context;
    completion_begin(&h->completion, memory);
}

static struct dc3_settings settings_for(const struct baseline_head *h, const hn_head_batch *batch) {
    return (struct dc3_settings){h->settings.correction_steps, h->settings.correction_rate, h->settings.momentum,
                                 batch->tolerance, batch->relative};
}

/* Samples from `first` on, as many as go together. */
static size_t take_samples(const struct baseline_head *h, const hn_head_batch *b, size_t first,
                           struct dc3_sample *samples) {
    size_t count = b->count - first < TOGETHER ? b->count - first : TOGETHER, n = h->completion.program.outputs;
    for (size_t i = 0; i < count; i++) {
        size_t s = first + i;
        double *tape = b->tape;
        samples[i] = (struct dc3_sample){.x = b->x + s * h->completion.program.inputs,
                                         .raw = b->raw + s * n,
                                         .y = b->y + s * n,
                                         .tape = tape ? tape + s * n * (size_t)h->settings.correction_steps : NULL,
                                         .steps = b->notes[s].steps,
                                         .completed = !b->notes[s].lost,
                                         .grad_y = b->grad_y ? b->grad_y + s * n : NULL,
                                         .grad_raw = b->grad_raw ? b->grad_raw + s * n : NULL};
    }
    return count;
}

static void dc3_map(const void *context, const hn_head_batch *b) {
    const struct baseline_head *h = context;
    const struct dc3_settings settings = settings_for(h, b);
    struct dc3_sample samples[TOGETHER];
    for (size_t first = 0; first < b->count; first += TOGETHER) {
        size_t count = take_samples(h, b, first, samples);
        dc3_run(&h->completion, b->memory, &settings, samples, count);
        for (size_t i = 0; i < count; i++) {
            const struct dc3_sample *s = &samples[i];
            bool stalled = !s->completed || s->steps < settings.steps; /* a completion did not converge */
            b->notes[first + i] = (hn_head_note){s->before, s->steps, stalled, !s->completed};
        }
    }
}

static void dc3_back(const void *context, const hn_head_batch *b) {
    const struct baseline_head *h = context;
    const struct dc3_settings settings = settings_for(h, b);
    struct dc3_sample samples[TOGETHER];
    for (size_t first = 0; first < b->count; first += TOGETHER) {
        size_t count = take_samples(h, b, first, samples);
        dc3_gradient(&h->completion, b->memory, &settings, samples, count);
    }
}

/* ---- life ---- */

static void write_texts(struct baseline_head *h) {
    const struct baseline *b = &h->settings;
    snprintf(h->values[0], TEXT, "%d", b->correction_steps);
    snprintf(h->values[1], TEXT, "%s", hexadecimal_write(b->correction_rate).text);
    snprintf(h->values[2], TEXT, "%s", hexadecimal_write(b->momentum).text);
    snprintf(h->values[3], TEXT, "%zu with checksum %08lx", h->completion.width,
             (unsigned long)completion_checksum(&h->completion));
    for (size_t i = 0; i < TEXTS; i++)
        h->texts[i] = (hn_metadata){keys[i], h->values[i]};
}

static hn_status fill_head(struct baseline_head *h, hn_error *error) {
    const struct completion *c = &h->completion;
    h->columns = base_allocate(size_product(c->width, sizeof *h->columns));
    if (!h->columns)
        return error_no_memory(error, "the columns");
    for (size_t k = 0; k < c->width; k++)
        h->columns[k] = c->independent[k];
    write_texts(h);
    size_t numbers = size_product((size_t)h->settings.correction_steps, c->program.outputs);
    h->head = (hn_head){.name = scheme_text(SCHEME_DC3),
                        .context = h,
                        .width = c->width,
                        .columns = h->columns,
                        .memory_bytes = c->bytes,
                        .tape_bytes = size_product(numbers, sizeof(double)),
                        .text_count = TEXTS,
                        .texts = h->texts,
                        .begin = dc3_begin,
                        .map = dc3_map,
                        .back = dc3_back};
    return HN_OK;
}

hn_status baseline_head_create(struct baseline_head **out, const hn_model *model, const struct baseline *baseline,
                               hn_instructions instructions, hn_error *error) {
    *out = NULL;
    if (baseline->scheme != SCHEME_DC3)
        return HN_OK;
    hn_status status = check_settings(baseline, error);
    if (status != HN_OK)
        return status;
    struct baseline_head *h = base_allocate(sizeof *h);
    if (!h)
        return error_no_memory(error, "dc3");
    *h = (struct baseline_head){.settings = *baseline};
    status = completion_create(&h->completion, model, instructions, error);
    if (status == HN_OK)
        status = fill_head(h, error);
    if (status == HN_OK)
        *out = h;
    else
        baseline_head_destroy(h);
    return status;
}

void baseline_head_destroy(struct baseline_head *h) {
    if (!h)
        return;
    completion_release(&h->completion);
    base_release(h->columns);
    base_release(h);
}

void baseline_apply(const struct baseline *baseline, const struct baseline_head *head, hn_policy_options *options) {
    options->uncorrected = baseline->scheme == SCHEME_NONE;
    options->head = head ? &head->head : NULL;
}

struct baseline baseline_of(const hn_policy_options *options) {
    struct baseline baseline = baseline_defaults();
    if (options->head)
        return ((const struct baseline_head *)options->head->context)->settings;
    baseline.scheme = options->uncorrected ? SCHEME_NONE : SCHEME_LAYER;
    return baseline;
}

/* ---- from files ---- */

struct search {
    const hn_model *model;
    struct baseline_head *head;
};

/* Settings from their texts; what is written otherwise than here is found when they are compared. */
static hn_status read_settings(struct baseline *b, const hn_network *network, hn_error *error) {
    const char *text[TEXTS];
    for (size_t i = 0; i < TEXTS; i++) {
        text[i] = hn_network_metadata(network, keys[i]);
        if (!text[i])
            return error_set(error, HN_INVALID, "the setting %s is missing", keys[i]);
    }
    long steps = strtol(text[0], NULL, 10);
    b->correction_steps = steps < -1 ? -1 : steps > MOST_STEPS ? MOST_STEPS + 1 : (int)steps;
    double *numbers[] = {&b->correction_rate, &b->momentum};
    for (size_t i = 0; i < 2; i++)
        if (!hexadecimal_read(text[1 + i], numbers[i]))
            return error_set(error, HN_INVALID, "the setting %s is not a number", keys[1 + i]);
    return HN_OK;
}

static hn_status find_dc3(void *context, const hn_network *network, const hn_policy_options *options,
                          const hn_head **head, hn_error *error) {
    struct search *search = context;
    struct baseline baseline = {.scheme = SCHEME_DC3};
    if (strcmp(hn_network_metadata(network, "policy.scheme"), scheme_text(SCHEME_DC3)) != 0)
        return HN_OK;
    hn_status status = read_settings(&baseline, network, error);
    if (status == HN_OK)
        status = baseline_head_create(&search->head, search->model, &baseline, options->layer.instructions, error);
    *head = search->head ? &search->head->head : NULL;
    return status;
}

hn_status baseline_load(hn_policy **policy, struct baseline_head **head, const hn_model *model, const char *path,
                        int threads, hn_error *error) {
    struct search search = {model, NULL};
    hn_status status = hn_policy_load_with(policy, model, path, threads, find_dc3, &search, error);
    if (status != HN_OK) {
        baseline_head_destroy(search.head);
        search.head = NULL;
    }
    *head = search.head;
    return status;
}
