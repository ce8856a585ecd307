/* survey_slow.c - why corrections take many steps: rows that stay violated, units, norms. See survey.h.
 *
 * Steps of auto measure distances between outputs in their own units. Where some outputs are thousands and others are
 * ones, and rows that are norms (sqrt) bind, the first stages do not end, and long ones follow. What is named here are
 * candidates: the group of the worst row after FEW_STEPS steps, the smallest and the largest outputs, groups with a
 * square root of outputs.
 *
 * SPDX-License-Identifier: MIT */
#include "common/figures.h"
#include "common/survey.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FEW_STEPS = 100, MOST_INPUTS = 16, MOST_DEPTH = 6, MOST_ARGUMENTS = 64 };

static const double SLOW = 100;  /* steps of a correction */
static const double APART = 100; /* ratio of sizes of outputs that is worth a word */

bool survey_is_slow(double steps) {
    return steps >= SLOW;
}

/* ---- rows that stay violated ---- */

/* The group that has the worst row of most samples. */
static size_t blame(const hn_model *model, const hn_report *reports, size_t count) {
    size_t votes[MOST_INPUTS] = {0}, group[MOST_INPUTS], most = 0;
    for (size_t k = 0; k < count; k++) {
        bool fails = reports[k].outcome != HN_OUTCOME_OK && reports[k].worst != SIZE_MAX;
        group[k] = fails ? hn_model_row(model, reports[k].worst).group : SIZE_MAX;
        for (size_t i = 0; fails && i <= k; i++)
            votes[i] += group[i] == group[k];
    }
    for (size_t k = 1; k < count; k++)
        most = votes[k] > votes[most] ? k : most;
    return count > 0 && votes[most] > 0 ? group[most] : SIZE_MAX;
}

// NOLINTNEXTLINE(readability-non-const-parameter): written through the batch
static hn_status run_few(const hn_model *model, size_t count, const double *x, double *y, hn_report *reports,
                         hn_error *error) {
    hn_layer_options options = hn_layer_defaults();
    hn_layer *layer = NULL;
    hn_pool *pool = NULL;
    const hn_batch batch = {
        .size = sizeof batch, .count = count, .x = x, .y = y, .report_size = sizeof *reports, .reports = reports};
    options.iterations = FEW_STEPS;
    hn_status status = hn_layer_create(&layer, model, &options, error);
    if (status == HN_OK)
        status = hn_pool_create(&pool, layer, 1, error);
    if (status == HN_OK)
        status = hn_pool_run(pool, &batch, error);
    hn_pool_destroy(pool);
    hn_layer_destroy(layer);
    return status;
}

hn_status survey_find_slow(struct survey *s, const hn_model *model, const double *x, hn_error *error) {
    hn_report reports[MOST_INPUTS];
    size_t count = s->count < MOST_INPUTS ? s->count : MOST_INPUTS, bytes;
    bool fits = size_multiply(count * sizeof(double), s->outputs, &bytes);
    double *y = fits ? base_allocate(bytes) : NULL;
    if (!y)
        return error_no_memory(error, "the survey of the inputs");
    hn_status status = run_few(model, count, s->inputs > 0 ? x : NULL, y, reports, error);
    if (status == HN_OK)
        s->slow_group = blame(model, reports, count);
    base_release(y);
    return status;
}

/* ---- norms ---- */

static bool has_output(hn_expr e, int depth) {
    hn_expr_info info = {.size = sizeof info};
    if (depth > MOST_DEPTH || hn_expr_get_info(e, &info, NULL) != HN_OK)
        return false;
    if (info.op == HN_OPERATOR_OUTPUT)
        return true;
    for (size_t i = 0; i < info.count && i < MOST_ARGUMENTS; i++)
        if (has_output(hn_expr_argument(e, i), depth + 1))
            return true;
    return false;
}

/* Through sums, differences and multiples only. */
static bool has_norm(hn_expr e, int depth) {
    hn_expr_info info = {.size = sizeof info};
    if (depth > MOST_DEPTH || hn_expr_get_info(e, &info, NULL) != HN_OK)
        return false;
    if (info.op == HN_OPERATOR_SQRT)
        return has_output(hn_expr_argument(e, 0), 0);
    bool passes = info.op == HN_OPERATOR_ADD || info.op == HN_OPERATOR_SUB || info.op == HN_OPERATOR_SUM ||
                  info.op == HN_OPERATOR_LINEAR || info.op == HN_OPERATOR_NEG;
    for (size_t i = 0; passes && i < info.count && i < MOST_ARGUMENTS; i++)
        if (has_norm(hn_expr_argument(e, i), depth + 1))
            return true;
    return false;
}

/* Names of groups whose first row has one, "thrust and glide"; empty where there is none. */
static struct survey_words norms(const hn_model *model) {
    struct survey_words words = {""};
    size_t last = SIZE_MAX, used = 0, size = sizeof words.text / 2;
    for (size_t i = 0; i < hn_model_row_count(model); i++) {
        hn_row_info row = hn_model_row(model, i);
        if (row.group == last)
            continue;
        last = row.group;
        if (used < size && has_norm(row.body, 0))
            used += (size_t)snprintf(words.text + used, size - used, "%s%s", used > 0 ? ", " : "",
                                     figures_name(hn_model_group(model, row.group).name).text);
    }
    return words;
}

/* ---- in words ---- */

__attribute__((format(printf, 2, 3))) static void add(struct survey_words *words, const char *format, ...) {
    size_t used = strlen(words->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words->text + used, sizeof words->text - used, format, arguments);
    va_end(arguments);
}

struct survey_words survey_slow_sentence(const struct survey *s, const hn_model *model) {
    struct survey_words words = {""}, roots = norms(model);
    add(&words, "corrections take %.0f steps in the median, which makes training slow", s->median_steps);
    if (s->slow_group != SIZE_MAX)
        add(&words, "; after %d steps %s is still violated", FEW_STEPS,
            figures_name(hn_model_group(model, s->slow_group).name).text);
    if (s->most_scale > APART * s->least_scale)
        add(&words, "; outputs differ in size, from %.3g (%s) to %.3g (%s): choose units in which they are alike",
            s->least_scale, figures_name(hn_model_output(model, s->least_output).name).text, s->most_scale,
            figures_name(hn_model_output(model, s->most_output).name).text);
    if (roots.text[0])
        add(&words, "; square roots of outputs in %s: squared rows may take fewer steps", roots.text);
    return words;
}
