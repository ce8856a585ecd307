/* feasibility_table.c - one line per model, one line per contender. See feasibility.h.
 *
 * SPDX-License-Identifier: MIT */
#include "feasibility.h"

#include "base/memory.h"
#include "common/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double median(double *numbers, size_t count) {
    return count > 0 ? figures_spread(numbers, count).median : NAN;
}

/* ---- scores ---- */

static void keep_steps(struct score *score, int steps) {
    score->steps = reserve_more(score->steps, &score->capacity, score->ok + 1, sizeof *score->steps);
    score->steps[score->ok++] = steps;
}

void scores_add(struct score scores[CONTENDERS], const struct contest *contest) {
    for (int c = 0; c < CONTENDERS; c++) {
        struct score *score = &scores[c];
        size_t ok_before = score->ok;
        if (!contest->attempts[c])
            continue;
        for (size_t k = 0; k < contest->samples->count; k++) {
            const struct attempt *attempt = &contest->attempts[c][k];
            if (attempt_is_ok(attempt, contest->wishes->tolerance))
                keep_steps(score, attempt->steps);
            if (contest->attempts[AUTO] && attempt_is_ok(attempt, contest->wishes->tolerance))
                score->alone += !attempt_is_ok(&contest->attempts[AUTO][k], contest->wishes->tolerance);
            score->false_ok += attempt_is_false_ok(attempt, contest->wishes->tolerance);
            score->seconds += attempt->seconds;
        }
        score->samples += contest->samples->count;
        score->models += score->ok - ok_before == contest->samples->count;
    }
}

void scores_print(const struct score scores[CONTENDERS], size_t read, size_t models) {
    printf("\n%-9s %11s %10s %15s %12s %9s %13s %10s\n", "", "read", "models ok", "samples ok", "auto not ok",
           "false ok", "median steps", "seconds");
    for (int c = 0; c < CONTENDERS; c++) {
        const struct score *score = &scores[c];
        char middle[32] = "-";
        if (score->ok > 0)
            snprintf(middle, sizeof middle, "%g", median(score->steps, score->ok));
        printf("%-9s %5zu/%-5zu %10zu %7zu/%-7zu %12zu %9zu %13s %10.3f\n", contender_names[c], read, models,
               score->models, score->ok, score->samples, score->alone, score->false_ok, middle, score->seconds);
    }
}

void scores_release(struct score scores[CONTENDERS]) {
    for (int c = 0; c < CONTENDERS; c++)
        base_release(scores[c].steps);
}

/* ---- lines ---- */

void table_head(void) {
    printf("%-22s %5s %5s %4s", "model", "n", "m", "");
    for (int c = 0; c < CONTENDERS; c++)
        printf(" | %-33s", contender_names[c]);
    printf("\n%-22s %5s %5s %4s", "", "", "", "");
    for (int c = 0; c < CONTENDERS; c++)
        printf(" | %-6s %4s %5s %7s %7s", "status", "step", "viol", "moved", "us");
    printf("\n");
}

/* Statuses of layers and of IPOPT in six letters. */
static const char *short_status(const struct attempt *attempt, double tolerance) {
    static const char *const words[][2] = {
        {"iteration_limit", "limit"}, {"locally_infeasible", "infeas"}, {"stalled", "stall"},
        {"bad_bounds", "bounds"},     {"nonfinite_input", "input"},     {"nonfinite_evaluation", "nonfin"},
        {"cancelled", "time"},        {"infeasible", "infeas"},         {"step_too_small", "small"},
        {"diverging", "diverg"},      {"restoration_failed", "resto"},  {"step_failed", "step"},
        {"time_limit", "time"},       {"too_few_variables", "m > n"},   {"invalid_problem", "bounds"},
        {"out_of_memory", "memory"},
    };
    if (attempt_is_ok(attempt, tolerance))
        return "ok";
    if (attempt->says_ok)
        return "FALSE";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i][0], attempt->status) == 0)
            return words[i][1];
    return "error";
}

/* Over the samples: how many are ok, median steps, largest violation, median distance, mean time. */
static void table_cell(const struct contest *contest, enum contender c) {
    const struct attempt *attempts = contest->attempts[c];
    size_t count = contest->samples->count, ok = 0, false_ok = 0;
    double tolerance = contest->wishes->tolerance, worst = 0, seconds = 0;
    double *steps = reserve(count, sizeof *steps), *moved = reserve(count, sizeof *moved);
    char status[32];
    for (size_t k = 0; k < count; k++) {
        ok += attempt_is_ok(&attempts[k], tolerance);
        false_ok += attempt_is_false_ok(&attempts[k], tolerance);
        worst = fmax(worst, attempts[k].violation);
        seconds += attempts[k].seconds / (double)count;
        steps[k] = attempts[k].steps;
        moved[k] = attempts[k].moved;
    }
    if (count == 1 || false_ok > 0)
        snprintf(status, sizeof status, "%s", false_ok > 0 ? "FALSE" : short_status(attempts, tolerance));
    else
        snprintf(status, sizeof status, "%zu/%zu", ok, count);
    printf(" | %-6s %4.0f %5.0e %7.2g %7.*f", status, median(steps, count), worst, median(moved, count),
           seconds < 1e-5 ? 1 : 0, 1e6 * seconds);
    free(steps);
    free(moved);
}

void table_line(const char *path, const struct contest *contest) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strlen(name);
    bool model = length > 4 && strcmp(name + length - 4, ".mod") == 0;
    char count[32] = "";
    if (contest->samples->count > 1)
        snprintf(count, sizeof count, "%zux", contest->samples->count);
    printf("%-22.*s %5zu %5zu %4s", (int)(model ? length - 4 : length), name, contest->samples->outputs,
           hn_model_row_count(contest->model), count);
    for (int c = 0; c < CONTENDERS; c++) {
        if (contest->attempts[c])
            table_cell(contest, (enum contender)c);
        else
            printf(" | %-33s", contest->errors[c].status == HN_UNSUPPORTED ? "-" : "error");
    }
    printf("\n");
    for (int c = 0; c < CONTENDERS; c++)
        if (!contest->attempts[c] && contest->errors[c].status != HN_UNSUPPORTED)
            printf("    %s: %s\n", contender_names[c], contest->errors[c].text);
}
