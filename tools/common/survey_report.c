/* survey_report.c - what a survey found, in words and as JSON. See survey.h.
 *
 * SPDX-License-Identifier: MIT */
#include "common/console.h"
#include "common/figures.h"
#include "common/headings.h"
#include "common/survey.h"

#include <math.h>
#include <stdio.h>

static const double WORTH_A_WARNING = 0.02;

static struct survey_words conditions(const struct survey *s, const hn_model *model) {
    struct survey_words words = {""};
    size_t used = 0, size = sizeof words.text;
    for (size_t i = 0; i < s->conditions && used < size; i++) {
        const struct survey_condition *c = &s->condition[i];
        used +=
            (size_t)snprintf(words.text + used, size - used, "%s%s %s %.3g", i > 0 ? " and " : "",
                             figures_name(hn_model_input(model, c->input).name).text, c->above ? ">=" : "<=", c->at);
    }
    return words;
}

/* ", 88 % of those where a >= 1.2 (5 % elsewhere)" */
static struct survey_words survey_report_place(const struct survey *s, const hn_model *model) {
    size_t bad = survey_decided(s) - s->ok, outside = survey_decided(s) - s->inside;
    struct survey_words words = {""};
    if (s->conditions == 0)
        snprintf(words.text, sizeof words.text, ", spread over the input range");
    else
        snprintf(words.text, sizeof words.text, ": %.0f %% of those with %.300s, %.0f %% elsewhere",
                 100 * (double)s->inside_bad / (double)s->inside, conditions(s, model).text,
                 outside > 0 ? 100 * (double)(bad - s->inside_bad) / (double)outside : 0);
    return words;
}

struct survey_words survey_sentence(const struct survey *s, const hn_model *model) {
    struct survey_words words = {""};
    snprintf(words.text, sizeof words.text,
             "for %zu of %zu sampled inputs (%s %%) no feasible output was found%.500s; smaller ranges or a check: "
             "keep a "
             "training from them",
             survey_decided(s) - s->ok, survey_decided(s), figures_percent(survey_bad_share(s)).text,
             survey_report_place(s, model).text);
    return words;
}

void survey_warn(const struct survey *s, const hn_model *model) {
    if (survey_bad_share(s) >= WORTH_A_WARNING)
        console_warning("%s", survey_sentence(s, model).text);
    if (survey_is_slow(s->median_steps))
        console_warning("%s", survey_slow_sentence(s, model).text);
}

void survey_print(const struct survey *s, const hn_model *model, int width) {
    size_t decided = survey_decided(s);
    printf("  %-*s  %zu of %zu (%.1f %%), median %.0f steps, most %.0f, %s each\n", width, "feasible", s->ok, decided,
           100 * (1 - survey_bad_share(s)), s->median_steps, s->most_steps, figures_duration(s->seconds).text);
    if (s->undecided > 0)
        printf("  %-*s  %zu more were not checked: the model is large\n", width, "", s->undecided);
    if (s->ok < decided)
        printf("  %-*s  %zu%s\n", width, "not feasible", decided - s->ok, survey_report_place(s, model).text);
    if (s->optimised > 0)
        printf("  %-*s  found for %zu of %zu (%.1f %%)%s\n", width, "several optima", s->several, s->optimised,
               100 * (double)s->several / (double)s->optimised,
               s->several * 50 >= s->optimised ? ": several --candidates may help a network" : "");
    if (s->too_large)
        printf("  %-*s  not searched for: the model is large\n", width, "several optima");
    if (!isnan(s->most_scale) && !isnan(s->least_scale))
        printf("  %-*s  |y| from %.3g (%s) to %.3g (%s) in the mean\n", width, "scale of outputs", s->least_scale,
               figures_name(hn_model_output(model, s->least_output).name).text, s->most_scale,
               figures_name(hn_model_output(model, s->most_output).name).text);
}

static void write_place(struct json *json, const struct survey *s, const hn_model *model) {
    json_list(json, "place");
    for (size_t i = 0; i < s->conditions; i++) {
        json_object(json, NULL);
        json_text(json, "input", hn_model_input(model, s->condition[i].input).name);
        json_text(json, "side", s->condition[i].above ? "above" : "below");
        json_number(json, "at", s->condition[i].at);
        json_end_object(json);
    }
    json_end_list(json);
    json_count(json, "inside", s->inside);
    json_count(json, "inside_infeasible", s->inside_bad);
}

void survey_write(struct json *json, const struct survey *s, const hn_model *model) {
    json_object(json, "survey");
    json_count(json, "inputs", s->count);
    json_count(json, "feasible", s->ok);
    json_count(json, "undecided", s->undecided);
    write_place(json, s, model);
    json_number(json, "median_steps", s->median_steps);
    json_number(json, "most_steps", s->most_steps);
    json_flag(json, "slow", survey_is_slow(s->median_steps));
    json_text(json, "slow_group", s->slow_group != SIZE_MAX ? hn_model_group(model, s->slow_group).name : NULL);
    json_number(json, "seconds_per_input", s->seconds);
    json_flag(json, "too_large_for_optima", s->too_large);
    json_count(json, "optimised", s->optimised);
    json_count(json, "several_optima", s->several);
    json_number(json, "least_scale", s->least_scale);
    json_number(json, "most_scale", s->most_scale);
    json_end_object(json);
}
