/* check_differences.c - J, the gradient and the derivatives by x against differences, entry by entry. See check.h and judge.h.
 *
 * Columns of one colour (colors.h) move together: one run of the value program gives, in its lanes, the functions at all steps
 * of a pass. Column j moves by h s_j d_j, s_j = max(1, |y_j|) and d_j = +-1, so that a row with the single entry J_ij in the colour
 * has the derivative J_ij s_j d_j along the move, and a long row has a sum of such terms.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "check/check.h"
#include "check/colors.h"
#include "check/judge.h"
#include "check/runner.h"
#include "common/parallel.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

static const double WORK_LIMIT = 4e8;   /* instructions over lanes: a second or two */
static const double MEMORY_LIMIT = 1e9; /* bytes for the slots of all threads */
static const double FLOOR = 1e-3; /* a derivative below this part of its row or of the value counts as this part */

struct worker_state {
    struct runner runner;
    size_t point;             /* that its slots hold; points when none */
    struct verdict *verdicts; /* of the entries of one colour, then of the long rows */
    size_t *seen;             /* of each row: 1 + the last job in which it has an entry */
    struct disagreement found[DIFFERENCE_CLASSES];
};

struct sweep {
    struct check *check;
    const struct node_matrix *matrix;
    enum space space;
    const double *derivative; /* points x nonzeros */
    const double *centre;     /* points x columns: what is moved */
    double *floor;            /* points x rows */
    struct coloring coloring;
    struct worker_state *workers;
    size_t worker_count;
    atomic_size_t done;
    struct progress progress;
};

/* One job: a colour at a point. */
struct job {
    struct sweep *sweep;
    struct worker_state *worker;
    size_t number, point, color;
    const double *derivative, *centre, *floor, *value; /* at the point */
};

/* ---- moving ---- */

static double direction(size_t column) {
    return ((column * 2654435761u) >> 7) % 2 != 0 ? 1 : -1; /* signs without a pattern */
}

/* The unit of a column's moves. */
static double scale_of(double centre) {
    double size = fabs(centre);
    return size > 1 ? size : 1;
}

/* How far column j goes, up and down, at a step; exact, because nearby numbers are subtracted. */
static double moved(double centre, double amount) {
    return centre + amount;
}

static double span(const struct job *job, size_t column, double step) {
    double centre = job->centre[column], amount = step * scale_of(centre) * direction(column);
    return (moved(centre, amount) - moved(centre, -amount)) / (2 * step);
}

static void move_column(const struct job *job, size_t column, int pass) {
    double *lanes = runner_leaf(&job->worker->runner, job->sweep->space, column);
    double centre = job->centre[column], scale = scale_of(centre) * direction(column);
    for (size_t s = 0; s < STEPS; s++) {
        lanes[2 * s] = moved(centre, judge_step(pass, s) * scale);
        lanes[2 * s + 1] = moved(centre, -judge_step(pass, s) * scale);
    }
}

static void run_moved(const struct job *job, int pass) {
    const struct coloring *c = &job->sweep->coloring;
    for (size_t k = c->first[job->color]; k < c->first[job->color + 1]; k++)
        move_column(job, c->member[k], pass);
    runner_run(&job->worker->runner, job->sweep->space == SPACE_X ? 0 : 1);
}

static void move_back(const struct job *job) {
    const struct coloring *c = &job->sweep->coloring;
    for (size_t k = c->first[job->color]; k < c->first[job->color + 1]; k++) {
        double *lanes = runner_leaf(&job->worker->runner, job->sweep->space, c->member[k]);
        for (size_t lane = 0; lane < LANES; lane++)
            lanes[lane] = job->centre[c->member[k]];
    }
}

static void load_point(const struct job *job) {
    struct check *check = job->sweep->check;
    struct worker_state *worker = job->worker;
    if (worker->point == job->point)
        return;
    worker->point = job->point;
    runner_fill(&worker->runner, SPACE_X, check->x + job->point * check->inputs);
    runner_fill(&worker->runner, SPACE_Y, check->y + job->point * check->columns);
    runner_run(&worker->runner, 0);
}

/* ---- judging ---- */

/* An entry of a short row, or the part of a long row in the colour: where it is and what its derivative should be. */
struct part {
    size_t row, column, together;
    double derivative[STEPS];
};

static struct part entry_part(const struct job *job, size_t column, struct color_entry entry, int pass) {
    struct part part = {.row = entry.row, .column = column, .together = 1};
    for (size_t s = 0; s < STEPS; s++)
        part.derivative[s] = job->derivative[entry.entry] * span(job, column, judge_step(pass, s));
    return part;
}

static struct part long_part(const struct job *job, size_t row, int pass) {
    const struct node_matrix *matrix = job->sweep->matrix;
    struct part part = {.row = row};
    for (size_t e = matrix->first[row]; e < matrix->first[row + 1]; e++) {
        size_t column = matrix->column[e];
        if (job->sweep->coloring.color[column] != job->color)
            continue;
        part.column = part.together++ == 0 ? column : part.column;
        for (size_t s = 0; s < STEPS; s++)
            part.derivative[s] += job->derivative[e] * span(job, column, judge_step(pass, s));
    }
    return part;
}

static bool judge_part(const struct job *job, const struct part *part, int pass, struct verdict *verdict) {
    const double *lanes = runner_output(&job->worker->runner, part->row);
    double centre = job->value[part->row];
    if (pass == 0)
        *verdict = (struct verdict){.error = INFINITY};
    if (part->together == 0 || !isfinite(centre) || !isfinite(part->derivative[0]) || !judge_doubts(verdict))
        return false;
    judge(verdict, pass, lanes, part->derivative, centre, job->floor[part->row]);
    return judge_doubts(verdict);
}

static enum difference_class class_of(const struct check *check, size_t row) {
    return row < check->rows ? BY_ROWS : row < check->functions ? BY_OBJECTIVE : BY_BOUNDS;
}

static void record_part(const struct job *job, const struct part *part, const struct verdict *verdict) {
    double scale = scale_of(job->centre[part->column]) * direction(part->column);
    double unit = part->together == 1 ? scale : 1; /* back to the units of the entry */
    struct verdict own = *verdict;
    struct disagreement at = {.point = job->point, .row = part->row, .column = part->column};
    if (part->together == 0)
        return;
    own.difference /= unit;
    at.together = part->together;
    at.derivative = part->derivative[0] / unit;
    judge_record(&job->worker->found[class_of(job->sweep->check, part->row)], &own, at);
}

/* Runs one visit over all parts of the colour: judges them (pass >= 0) or, at the end, records the verdicts (pass < 0). True
 * when a further pass may help. */
static bool visit_parts(const struct job *job, int pass) {
    const struct coloring *c = &job->sweep->coloring;
    struct verdict *verdict = job->worker->verdicts;
    bool doubts = false;
    for (size_t k = c->first[job->color]; k < c->first[job->color + 1]; k++) {
        size_t column = c->member[k];
        for (size_t i = c->start[column]; i < c->start[column + 1]; i++) {
            if (c->is_long[c->entries[i].row])
                continue;
            struct part part = entry_part(job, column, c->entries[i], pass < 0 ? 0 : pass);
            if (pass < 0)
                record_part(job, &part, verdict);
            else
                doubts |= judge_part(job, &part, pass, verdict);
            verdict++;
        }
    }
    for (size_t i = 0; i < c->long_count; i++, verdict++) {
        struct part part = long_part(job, c->long_rows[i], pass < 0 ? 0 : pass);
        if (pass < 0)
            record_part(job, &part, verdict);
        else
            doubts |= judge_part(job, &part, pass, verdict);
    }
    return doubts;
}

static void mark_rows(const struct job *job) {
    const struct coloring *c = &job->sweep->coloring;
    for (size_t k = c->first[job->color]; k < c->first[job->color + 1]; k++)
        for (size_t i = c->start[c->member[k]]; i < c->start[c->member[k] + 1]; i++)
            job->worker->seen[c->entries[i].row] = job->number + 1;
}

static bool is_moved(const double *lanes, double centre) {
    for (size_t lane = 0; lane < LANES; lane++)
        if (lanes[lane] != centre)
            return true;
    return false;
}

/* Rows without an entry in the colour must not notice the move, not even in the last bit: the pattern is exact. A row that does,
 * even at the smallest steps, is judged as if it had the entry 0 (it may stand at a jump). */
static bool visit_strangers(const struct job *job, int pass) {
    const struct coloring *c = &job->sweep->coloring;
    bool doubts = false;
    for (size_t row = 0; row < job->sweep->matrix->rows; row++) {
        if (job->worker->seen[row] == job->number + 1 || !isfinite(job->value[row]) ||
            !is_moved(runner_output(&job->worker->runner, row), job->value[row]))
            continue;
        struct part part = {.row = row, .column = c->member[c->first[job->color]]};
        struct verdict verdict = {.error = INFINITY};
        part.together = c->first[job->color + 1] - c->first[job->color];
        doubts = true;
        if (pass < PASSES - 1)
            continue;
        judge(&verdict, pass, runner_output(&job->worker->runner, row), part.derivative, job->value[row],
              job->floor[row]);
        record_part(job, &part, &verdict);
    }
    return doubts;
}

static void run_job(void *context, int worker, size_t number) {
    struct sweep *sweep = context;
    struct check *check = sweep->check;
    struct job job = {.sweep = sweep, .worker = &sweep->workers[worker]};
    job.number = number;
    job.point = number / sweep->coloring.colors;
    job.color = number % sweep->coloring.colors;
    job.derivative = sweep->derivative + job.point * sweep->matrix->count;
    job.centre = sweep->centre + job.point * sweep->matrix->columns;
    job.floor = sweep->floor + job.point * sweep->matrix->rows;
    job.value = check->value + job.point * check->values;
    load_point(&job);
    mark_rows(&job);
    bool doubts = true;
    for (int pass = 0; pass < PASSES && doubts; pass++) {
        run_moved(&job, pass);
        doubts = visit_parts(&job, pass);
        doubts |= visit_strangers(&job, pass);
    }
    move_back(&job);
    visit_parts(&job, -1);
    size_t done = atomic_fetch_add(&sweep->done, 1) + 1;
    if (worker == 0)
        progress_update(&sweep->progress, done);
}

/* ---- setting up ---- */

static void fill_floors(const struct sweep *sweep) {
    const struct check *check = sweep->check;
    const struct node_matrix *matrix = sweep->matrix;
    for (size_t k = 0; k < check->points; k++)
        for (size_t i = 0; i < matrix->rows; i++) {
            double largest = fabs(check->value[k * check->values + i]);
            for (size_t e = matrix->first[i]; e < matrix->first[i + 1]; e++) {
                double centre = sweep->centre[k * matrix->columns + matrix->column[e]];
                double size = fabs(sweep->derivative[k * matrix->count + e]) * scale_of(centre);
                largest = size > largest ? size : largest;
            }
            sweep->floor[k * matrix->rows + i] = FLOOR * largest;
        }
}

static size_t color_limit(const struct check *check) {
    double instructions = (double)check->value_program->first[PHASES] + (double)check->value_program->pair_count + 1;
    double limit = WORK_LIMIT / (instructions * (double)check->points);
    return limit < 1 ? 1 : limit > 1e6 ? 1000000 : (size_t)limit;
}

static size_t thread_limit(const struct check *check, size_t jobs) {
    double bytes = (double)check->value_program->slots * LANES * sizeof(double), most = MEMORY_LIMIT / (bytes + 1);
    size_t threads = parallel_threads(check->options->common.threads);
    threads = threads < jobs ? threads : jobs;
    return (double)threads <= most ? threads : most > 1 ? (size_t)most : 1;
}

static hn_status start_workers(struct sweep *sweep, size_t count, hn_error *error) {
    struct check *check = sweep->check;
    size_t verdicts = sweep->coloring.most_entries + sweep->coloring.long_count + 1;
    sweep->workers = arena_take(&check->arena, count, sizeof *sweep->workers);
    if (!sweep->workers)
        return error_no_memory(error, "differences");
    memset(sweep->workers, 0, count * sizeof *sweep->workers);
    for (; sweep->worker_count < count; sweep->worker_count++) {
        struct worker_state *worker = &sweep->workers[sweep->worker_count];
        worker->point = check->points;
        worker->verdicts = arena_take(&check->arena, verdicts, sizeof *worker->verdicts);
        worker->seen = arena_take(&check->arena, sweep->matrix->rows + 1, sizeof *worker->seen);
        hn_status status = runner_create(&worker->runner, check->value_program, error);
        if (status != HN_OK || !worker->verdicts || !worker->seen) {
            runner_release(&worker->runner);
            return status != HN_OK ? status : error_no_memory(error, "differences");
        }
        memset(worker->seen, 0, (sweep->matrix->rows + 1) * sizeof *worker->seen);
    }
    return HN_OK;
}

static hn_status run_sweep(struct sweep *sweep, struct disagreement *found, hn_error *error) {
    struct check *check = sweep->check;
    sweep->floor = arena_take(&check->arena, check->points, (sweep->matrix->rows + 1) * sizeof *sweep->floor);
    if (!sweep->floor)
        return error_no_memory(error, "differences");
    fill_floors(sweep);
    hn_status status = coloring_create(&sweep->coloring, sweep->matrix, color_limit(check), &check->arena, error);
    size_t jobs = sweep->coloring.colors * check->points, threads = thread_limit(check, jobs);
    if (status == HN_OK && jobs > 0)
        status = start_workers(sweep, threads, error);
    if (status == HN_OK && jobs > 0) {
        progress_begin(&sweep->progress, "checking derivatives", jobs);
        parallel_run(threads, jobs, run_job, sweep);
        progress_end(&sweep->progress);
    }
    for (size_t w = 0; w < sweep->worker_count; w++) {
        for (int class = 0; class < DIFFERENCE_CLASSES; class ++)
            judge_merge(&found[class], &sweep->workers[w].found[class]);
        runner_release(&sweep->workers[w].runner);
    }
    return status;
}

hn_status check_differences(struct check *check, hn_error *error) {
    struct sweep by_y = {.check = check, .matrix = &check->by_y, .space = SPACE_Y};
    struct sweep by_x = {.check = check, .matrix = &check->by_x, .space = SPACE_X};
    by_y.derivative = check->jacobian;
    by_y.centre = check->y;
    by_x.derivative = check->sensitivity;
    by_x.centre = check->x;
    hn_status status = run_sweep(&by_y, check->y_check, error);
    return status == HN_OK ? run_sweep(&by_x, check->x_check, error) : status;
}
