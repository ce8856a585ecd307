/* feasibility_suite.c - the published comparisons: PAL's S1 to S6 and warp, FSNet's nonconvex problems. See feasibility.h.
 *
 * Inputs uniform in their box. PAL S1 to S6: 200 starts uniform between the bounds of y. The warp at kappa 1e6: 300 starts y = x,
 * told apart by |a'x|: where it is at most 1 the equation a'y = sin(w b'y) has a root along b. FSNet: 100 starts uniform in
 * |y| <= 5. All samples of a problem go through in one call on one thread; IPOPT takes them one by one.
 *
 * SPDX-License-Identifier: MIT */
#include "feasibility.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Samples of a problem for which |measure| lies in the interval. */
struct part {
    const char *label;
    double above, most;
};

struct problem {
    const char *file;
    size_t count;
    enum start start;
    struct part parts[2];
};

static const struct problem problems[] = {
    {"pal_s1.mod", 200, START_RANDOM, {{"PAL S1", -1, INFINITY}}},
    {"pal_s2.mod", 200, START_RANDOM, {{"PAL S2", -1, INFINITY}}},
    {"pal_s3.mod", 200, START_RANDOM, {{"PAL S3", -1, INFINITY}}},
    {"pal_s4.mod", 200, START_RANDOM, {{"PAL S4", -1, INFINITY}}},
    {"pal_s5.mod", 200, START_RANDOM, {{"PAL S5", -1, INFINITY}}},
    {"pal_s6.mod", 200, START_RANDOM, {{"PAL S6", -1, INFINITY}}},
    {"pal_warp.mod", 300, START_OWN, {{"warp, a'x within 1", -1, 1}, {"warp, a'x beyond 1", 1, INFINITY}}},
    {"fsnet_qp.mod", 100, START_RANDOM, {{"FSNet qp", -1, INFINITY}}},
    {"fsnet_qcqp.mod", 100, START_RANDOM, {{"FSNet qcqp", -1, INFINITY}}},
    {"fsnet_socp.mod", 100, START_RANDOM, {{"FSNet socp", -1, INFINITY}}},
};

/* ---- the table ---- */

static void print_head(void) {
    printf("\n%-18s %5s %5s %4s", "", "n", "m", "");
    for (int c = 0; c < CONTENDERS; c++)
        printf(" | %-30s", contender_names[c]);
    printf("\n%-18s %5s %5s %4s", "", "", "", "");
    for (int c = 0; c < CONTENDERS; c++)
        printf(" | %5s %5s %4s %6s %6s", "ok", "steps", "most", "moved", "us");
    printf("\n");
}

static void print_cell(const struct contest *contest, enum contender c, const bool *chosen) {
    const struct attempt *attempts = contest->attempts[c];
    size_t count = contest->samples->count, ok = 0, all = 0;
    double *steps = reserve(count, sizeof *steps), *moved = reserve(count, sizeof *moved), most = 0, seconds = 0;
    for (size_t k = 0; k < count; k++) {
        if (!chosen[k])
            continue;
        all++;
        seconds += attempts[k].seconds;
        if (!attempt_is_ok(&attempts[k], contest->wishes->tolerance))
            continue;
        most = fmax(most, attempts[k].steps);
        steps[ok] = attempts[k].steps;
        moved[ok++] = attempts[k].moved;
    }
    printf(" | %5zu %5.3g %4.0f %6.3g %6.*f", ok, median(steps, ok), most, median(moved, ok),
           seconds < 1e-5 * (double)all ? 1 : 0, 1e6 * seconds / (double)all);
    free(steps);
    free(moved);
}

static void print_part(const struct contest *contest, const struct part *part, const double *measure) {
    size_t count = contest->samples->count, chosen_count = 0;
    bool *chosen = reserve(count, sizeof *chosen);
    for (size_t k = 0; k < count; k++) {
        chosen[k] = measure[k] > part->above && measure[k] <= part->most;
        chosen_count += chosen[k];
    }
    printf("%-18s %5zu %5zu %4zu", part->label, contest->samples->outputs, hn_model_row_count(contest->model),
           chosen_count);
    for (int c = 0; c < CONTENDERS; c++) {
        if (contest->attempts[c])
            print_cell(contest, (enum contender)c, chosen);
        else
            printf(" | %-30.30s", contest->errors[c].text);
    }
    printf("\n");
    free(chosen);
}

/* ---- problems ---- */

/* |a'x| of the warp, whose body is a'y - sine: the body at y = x, and the defined variable `sine` added. 0 elsewhere. */
static hn_status measure_warp(const struct contest *contest, double *measure, hn_error *error) {
    const struct samples *samples = contest->samples;
    hn_expr exprs[2] = {hn_model_row(contest->model, 0).body};
    for (size_t i = 0; i < hn_model_definition_count(contest->model); i++) {
        hn_named_expr definition = hn_model_definition(contest->model, i);
        if (strcmp(definition.name, "sine") == 0)
            exprs[1] = definition.value;
    }
    if (!hn_is_valid(exprs[1]))
        return HN_OK;
    for (size_t k = 0; k < samples->count; k++) {
        const double *x = samples->x + k * samples->inputs;
        double values[2];
        hn_status status = hn_model_evaluate(contest->model, 2, exprs, x, x, values, error);
        if (status != HN_OK)
            return status;
        measure[k] = fabs(values[0] + values[1]);
    }
    return HN_OK;
}

static hn_status run_problem(const struct problem *problem, const char *path, const hn_model *model,
                             const struct wishes *wishes, struct score scores[CONTENDERS], hn_error *error) {
    struct samples samples;
    double *measure = reserve(problem->count, sizeof *measure);
    hn_status status = samples_create(&samples, model, problem->count, error);
    for (size_t k = 0; k < problem->count && status == HN_OK; k++)
        status = samples_draw(&samples, model, k, problem->start, wishes->seed, error);
    struct contest contest = {.model = model, .samples = &samples, .wishes = wishes, .together = true};
    if (status == HN_OK && problem->parts[1].label)
        status = measure_warp(&contest, measure, error);
    if (status == HN_OK) {
        contest_run(&contest);
        for (int i = 0; i < 2 && problem->parts[i].label; i++)
            print_part(&contest, &problem->parts[i], measure);
        contest_save_failures(&contest, path);
        scores_add(scores, &contest);
        contest_release(&contest);
    }
    samples_release(&samples);
    free(measure);
    return status;
}

int suite_run(const char *folder, const struct wishes *wishes) {
    enum { COUNT = sizeof problems / sizeof *problems };
    struct score scores[CONTENDERS] = {{.models = 0}};
    size_t read = 0;
    int code = 0;
    print_head();
    for (size_t i = 0; i < COUNT; i++) {
        char path[4096];
        hn_model *model = NULL;
        hn_error error;
        snprintf(path, sizeof path, "%s/%s", folder, problems[i].file);
        hn_status status = read_model(&model, path, wishes, &error);
        if (status == HN_OK)
            status = run_problem(&problems[i], path, model, wishes, scores, &error);
        if (status == HN_OK) {
            read++;
        } else {
            printf("%-18s %s\n", problems[i].parts[0].label, error.text);
            code = 1;
        }
        hn_model_destroy(model);
    }
    scores_print(scores, read, COUNT);
    for (int c = 0; c < IPOPT && code == 0; c++)
        code = scores[c].false_ok > 0 ? FOUND_FALSE : 0;
    scores_release(scores);
    return code;
}
