/* feasibility.c - who reaches the constraints: paper, SnareNet's setting, lm, auto and IPOPT side by side.
 *
 *     build/bench/feasibility                      every model under models/feasibility, from its own start
 *     build/bench/feasibility FOLDER FILE.mod ...  any models; FILE.dat beside FILE.mod is read too
 *     build/bench/feasibility --suite [FOLDER]     PAL S1 to S6, the warp, FSNet's problems, from random starts
 *
 * Inputs are drawn from their box. A contender is ok on a sample when it says so and plain evaluation (hn_model_evaluate: no code
 * of the layer, none of IPOPT's) finds max |r| within the tolerance; saying so without being so is a false ok. A model that
 * cannot be read is counted and named. Times are of one sample alone, on one thread.
 *
 * SPDX-License-Identifier: MIT */
#include "feasibility.h"

#include "common/console.h"
#include "common/json_writer.h"
#include "common/progress.h"
#include "reference/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INSTANCES = 5, MISUSED = 2 };

/* Everything that goes on while models are run. */
struct tour {
    struct wishes wishes;
    struct paths paths;
    const char *folder; /* the last one that was named */
    bool suite;
    struct score scores[CONTENDERS];
    size_t read;
    struct json json;
    struct progress progress;
};

/* ---- JSON ---- */

static void json_attempt(struct json *json, const struct attempt *attempt, double tolerance) {
    json_object(json, NULL);
    json_text(json, "status", attempt->status);
    json_flag(json, "ok", attempt_is_ok(attempt, tolerance));
    json_flag(json, "false_ok", attempt_is_false_ok(attempt, tolerance));
    json_number(json, "steps", attempt->steps);
    json_number(json, "violation", attempt->violation);
    json_number(json, "moved", attempt->moved);
    json_number(json, "seconds", attempt->seconds);
    json_end_object(json);
}

static void json_contest(struct json *json, const struct contest *contest) {
    json_count(json, "outputs", contest->samples->outputs);
    json_count(json, "rows", hn_model_row_count(contest->model));
    for (int c = 0; c < CONTENDERS; c++) {
        if (!contest->attempts[c]) {
            json_text(json, contender_names[c], contest->errors[c].text);
            continue;
        }
        json_list(json, contender_names[c]);
        for (size_t k = 0; k < contest->samples->count; k++)
            json_attempt(json, &contest->attempts[c][k], contest->wishes->tolerance);
        json_end_list(json);
    }
}

static void json_scores(struct tour *tour) {
    struct json *json = &tour->json;
    json_object(json, "summary");
    json_count(json, "models", tour->paths.count);
    json_count(json, "read", tour->read);
    for (int c = 0; c < CONTENDERS; c++) {
        const struct score *score = &tour->scores[c];
        json_object(json, contender_names[c]);
        json_count(json, "models_ok", score->models);
        json_count(json, "samples", score->samples);
        json_count(json, "ok", score->ok);
        json_count(json, "ok_where_auto_is_not", score->alone);
        json_count(json, "false_ok", score->false_ok);
        json_number(json, "median_steps", median(score->steps, score->ok));
        json_number(json, "seconds", score->seconds);
        json_end_object(json);
    }
    json_end_object(json);
}

/* ---- models ---- */

static hn_status draw_samples(struct samples *samples, const hn_model *model, const struct wishes *wishes,
                              hn_error *error) {
    bool has_inputs = hn_model_input_count(model) > 0;
    size_t count = wishes->starts > 0 ? wishes->starts : has_inputs ? INSTANCES : 1;
    hn_status status = samples_create(samples, model, count, error);
    for (size_t k = 0; k < count && status == HN_OK; k++) {
        enum start start = k == 0 || wishes->starts == 0 ? START_OWN : START_RANDOM;
        status = samples_draw(samples, model, k, start, wishes->seed, error);
    }
    return status;
}

static hn_status run_model(struct tour *tour, const char *path, const hn_model *model, hn_error *error) {
    struct samples samples;
    hn_status status = draw_samples(&samples, model, &tour->wishes, error);
    if (status == HN_OK) {
        struct contest contest = {.model = model, .samples = &samples, .wishes = &tour->wishes};
        contest_run(&contest);
        progress_end(&tour->progress);
        table_line(path, &contest);
        contest_save_failures(&contest, path);
        json_contest(&tour->json, &contest);
        scores_add(tour->scores, &contest);
        contest_release(&contest);
    }
    samples_release(&samples);
    return status;
}

static void run_path(struct tour *tour, const char *path) {
    hn_model *model;
    hn_error error;
    hn_status status = read_model(&model, path, &tour->wishes, &error);
    json_object(&tour->json, NULL);
    json_text(&tour->json, "file", path);
    if (status == HN_OK) {
        tour->read++;
        status = run_model(tour, path, model, &error);
        hn_model_destroy(model);
    }
    if (status != HN_OK) {
        progress_end(&tour->progress);
        printf("%-22s %s\n", "not run", error.text);
        json_text(&tour->json, "error", error.text);
    }
    json_end_object(&tour->json);
    fflush(stdout);
}

static int run_paths(struct tour *tour) {
    hn_error error;
    int code = 0;
    json_object(&tour->json, NULL);
    json_list(&tour->json, "models");
    progress_begin(&tour->progress, "models", console_is_terminal(stderr) ? tour->paths.count : 0);
    table_head();
    for (size_t i = 0; i < tour->paths.count; i++) {
        run_path(tour, tour->paths.items[i]);
        progress_update(&tour->progress, i + 1);
    }
    progress_end(&tour->progress);
    scores_print(tour->scores, tour->read, tour->paths.count);
    json_end_list(&tour->json);
    json_scores(tour);
    json_end_object(&tour->json);
    if (tour->wishes.json && text_write(&tour->json.text, tour->wishes.json, &error) != HN_OK) {
        fprintf(stderr, "feasibility: %s\n", error.text);
        code = 1;
    }
    for (int c = 0; c < IPOPT && code == 0; c++)
        code = tour->scores[c].false_ok > 0 ? FOUND_FALSE : 0;
    return code;
}

/* ---- the command line ---- */

static void print_help(void) {
    puts("usage: feasibility [options] [FOLDER or FILE.mod ...]      (" FEASIBILITY_MODELS ")\n"
         "       feasibility --suite [options] [FOLDER]\n\n"
         "  --starts N           samples per model: its own start, then random ones (1; 5 of a model with inputs)\n"
         "  --seed S             of inputs and starts (1)\n"
         "  --tolerance T        on max |r| (1e-8)\n"
         "  --seconds S          for one sample, then it is given up (20)\n"
         "  --relax-integrality  let integer and binary variables be continuous\n"
         "  --layers-alone       without IPOPT, which takes most of the time\n"
         "  --json FILE          everything, for programs\n"
         "  --failures FOLDER    write the samples on which auto is not ok there, and how to run them again\n"
         "  --suite              PAL S1 to S6, the warp and FSNet's problems of the folder, from random starts\n\n"
         "exit status 3: a layer reported ok and was not");
}

static bool read_number(const char *text, double *number) {
    char *end = NULL;
    *number = text ? strtod(text, &end) : -1;
    return end && end != text && *end == 0 && *number >= 0 && isfinite(*number);
}

/* One argument, with its value; false: it is not understood. *used says how many were taken. */
static bool parse_one(struct tour *tour, char **argv, int *used) {
    struct wishes *wishes = &tour->wishes;
    double starts = (double)wishes->starts, seed = (double)wishes->seed;
    const struct {
        const char *name;
        double *number;
    } numbers[] = {
        {"--starts", &starts}, {"--seed", &seed}, {"--tolerance", &wishes->tolerance}, {"--seconds", &wishes->seconds}};
    *used = 1;
    if (strcmp(argv[0], "--suite") == 0)
        return tour->suite = true;
    if (strcmp(argv[0], "--layers-alone") == 0)
        return wishes->layers_alone = true;
    if (strcmp(argv[0], "--relax-integrality") == 0)
        return wishes->relax_integrality = true;
    if (strncmp(argv[0], "--", 2) != 0) {
        tour->folder = argv[0];
        return paths_add(&tour->paths, argv[0]);
    }
    *used = 2;
    if (strcmp(argv[0], "--json") == 0)
        return (wishes->json = argv[1]) != NULL;
    if (strcmp(argv[0], "--failures") == 0)
        return (wishes->failures = argv[1]) != NULL;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        bool meant = strcmp(argv[0], numbers[i].name) == 0, good = meant && read_number(argv[1], numbers[i].number);
        wishes->starts = (size_t)starts;
        wishes->seed = (uint64_t)seed;
        if (meant)
            return good;
    }
    return false;
}

/* 0 when all is well; -1 after the help. argv ends with NULL. */
static int parse(struct tour *tour, int argc, char **argv) {
    for (int i = 1, used = 0; i < argc; i += used) {
        if (strcmp(argv[i], "--help") == 0) {
            print_help();
            return -1;
        }
        if (!parse_one(tour, argv + i, &used)) {
            fprintf(stderr, "feasibility: %s is not understood or cannot be read; see --help\n", argv[i]);
            return MISUSED;
        }
    }
    return 0;
}

int main(int argc, char **argv) {
    struct tour tour = {.wishes = {.seed = 1, .seconds = 20, .tolerance = 1e-8}, .folder = FEASIBILITY_MODELS};
    int code = parse(&tour, argc, argv);
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (code == 0)
        printf("tolerance %g; %s\n", tour.wishes.tolerance, reference_name() ? reference_name() : "without IPOPT");
    if (code == 0 && tour.suite)
        code = suite_run(tour.folder, &tour.wishes);
    else if (code == 0) {
        if (tour.paths.count == 0)
            paths_add(&tour.paths, tour.folder);
        code = run_paths(&tour);
    }
    text_release(&tour.json.text);
    scores_release(tour.scores);
    paths_release(&tour.paths);
    return code < 0 ? 0 : code;
}
