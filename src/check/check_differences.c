/* check_differences.c - checks J, the gradient and the derivatives with respect to x against finite differences, entry
 * by entry. See check_parts.h and richardson.h.
 *
 * Columns of one colour (colors.h) are perturbed together: one run of a point table gives the functions at all steps of
 * a pass. Column j moves by h s_j d_j, s_j = max(1, |y_j|) and d_j = +-1, so that a row whose only entry in the colour
 * is J_ij has the derivative J_ij s_j d_j along the move, and a long row has a sum of such terms.
 *
 * SPDX-License-Identifier: MIT */
#include "base/thread_pool.h"
#include "check/colors.h"
#include "check/point_table.h"
#include "check/richardson.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

static const double WORK_LIMIT = 4e8;   /* instructions, CHECK_MOST samples each: one or two seconds */
static const double MEMORY_LIMIT = 1e9; /* bytes for the slots of all threads */
static const double FLOOR = 1e-3; /* smaller derivatives, relative to the row or the value, count as this fraction */

struct worker_state {
    struct board board;
    size_t point;             /* point loaded in its table; `points`: none */
    struct verdict *verdicts; /* of the entries of one colour, then of the long rows */
    size_t *seen;             /* of each row: 1 + the last job in which it has an entry */
    hn_check_difference found[HN_CHECK_DERIVATIVES];
};

struct sweep {
    struct check *check;
    const struct check_matrix *matrix;
    bool by_x;                /* perturb x, else y */
    const double *derivative; /* points x nonzeros */
    const double *centre;     /* points x columns: the perturbed vector */
    double *floor;            /* points x rows */
    struct coloring coloring;
    struct worker_state *workers;
    size_t worker_count;
    size_t jobs;
    atomic_size_t done;
};

/* One job: a colour at a point. */
struct job {
    struct sweep *sweep;
    struct worker_state *worker;
    size_t number, point, color;
    const double *derivative, *centre, *floor, *value; /* at the point */
};

/* ---- perturbing ---- */

static double direction(size_t column) {
    return ((column * 2654435761u) >> 7) % 2 != 0 ? 1 : -1; /* pseudorandom signs */
}

/* The unit of a column's perturbations. */
static double scale_of(double centre) {
    double size = fabs(centre);
    return size > 1 ? size : 1;
}

/* The exact perturbation of a column, up and down, at a step: nearby numbers are subtracted. */
static double span(const struct job *job, size_t column, double step) {
    double centre = job->centre[column], amount = step * scale_of(centre) * direction(column);
    return ((centre + amount) - (centre - amount)) / (2 * step);
}

/* The position of a column in the table. */
static double *entry_of(const struct job *job, size_t column, size_t sample) {
    const struct board *board = &job->worker->board;
    return (job->sweep->by_x ? board->x : board->y) + sample * job->sweep->matrix->columns + column;
}

static void move_column(const struct job *job, size_t column, int pass) {
    double centre = job->centre[column], scale = scale_of(centre) * direction(column);
    for (size_t s = 0; s < STEPS; s++) {
        *entry_of(job, column, 2 * s) = centre + judge_step(pass, s) * scale;
        *entry_of(job, column, 2 * s + 1) = centre - judge_step(pass, s) * scale;
    }
}

static void run_moved(const struct job *job, int pass) {
    const struct coloring *c = &job->sweep->coloring;
    for (size_t k = c->first[job->color]; k < c->first[job->color + 1]; k++)
        move_column(job, c->member[k], pass);
    board_run(&job->worker->board);
}

static void move_back(const struct job *job) {
    const struct coloring *c = &job->sweep->coloring;
    for (size_t k = c->first[job->color]; k < c->first[job->color + 1]; k++)
        for (size_t sample = 0; sample < CHECK_MOST; sample++)
            *entry_of(job, c->member[k], sample) = job->centre[c->member[k]];
}

static void load_point(const struct job *job) {
    struct check *check = job->sweep->check;
    struct worker_state *worker = job->worker;
    if (worker->point == job->point)
        return;
    worker->point = job->point;
    for (size_t sample = 0; sample < CHECK_MOST; sample++)
        board_place(&worker->board, sample, check->found.x + job->point * check->inputs,
                    check->found.y + job->point * check->columns);
}

/* ---- comparing ---- */

/* An entry of a short row, or the part of a long row in the colour: its position and its expected derivative. */
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
    const struct check_matrix *matrix = job->sweep->matrix;
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
    const double *samples = board_at(&job->worker->board, BOARD_VALUES, part->row);
    double centre = job->value[part->row];
    if (pass == 0)
        *verdict = (struct verdict){.error = INFINITY};
    if (part->together == 0 || !isfinite(centre) || !isfinite(part->derivative[0]) || !judge_doubts(verdict))
        return false;
    judge(verdict, pass, samples, part->derivative, centre, job->floor[part->row]);
    return judge_doubts(verdict);
}

static hn_check_derivative derivative_of(const struct sweep *sweep, size_t row) {
    const struct check *check = sweep->check;
    if (row < check->rows)
        return sweep->by_x ? HN_CHECK_JACOBIAN_X : HN_CHECK_JACOBIAN_Y;
    if (row < check->functions)
        return sweep->by_x ? HN_CHECK_GRADIENT_X : HN_CHECK_GRADIENT_Y;
    return HN_CHECK_BOUNDS_X;
}

static void record_part(const struct job *job, const struct part *part, const struct verdict *verdict) {
    double scale = scale_of(job->centre[part->column]) * direction(part->column);
    double unit = part->together == 1 ? scale : 1; /* the unit of the entry */
    struct verdict own = *verdict;
    hn_check_difference at = {.point = job->point, .row = part->row, .column = part->column};
    if (part->together == 0)
        return;
    own.difference /= unit;
    at.together = part->together;
    at.derivative = part->derivative[0] / unit;
    judge_record(&job->worker->found[derivative_of(job->sweep, part->row)], &own, at);
}

/* Compares a part (pass >= 0) or, at the end, records its verdict (pass < 0). True if another pass may help. */
static bool visit_part(const struct job *job, const struct part *part, int pass, struct verdict *verdict) {
    if (pass >= 0)
        return judge_part(job, part, pass, verdict);
    record_part(job, part, verdict);
    return false;
}

static bool visit_parts(const struct job *job, int pass) {
    const struct coloring *c = &job->sweep->coloring;
    struct verdict *verdict = job->worker->verdicts;
    int steps = pass < 0 ? 0 : pass;
    bool doubts = false;
    for (size_t k = c->first[job->color]; k < c->first[job->color + 1]; k++) {
        size_t column = c->member[k];
        for (size_t i = c->start[column]; i < c->start[column + 1]; i++) {
            if (c->is_long[c->entries[i].row])
                continue;
            struct part part = entry_part(job, column, c->entries[i], steps);
            doubts |= visit_part(job, &part, pass, verdict++);
        }
    }
    for (size_t i = 0; i < c->long_count; i++) {
        struct part part = long_part(job, c->long_rows[i], steps);
        doubts |= visit_part(job, &part, pass, verdict++);
    }
    return doubts;
}

static void mark_rows(const struct job *job) {
    const struct coloring *c = &job->sweep->coloring;
    for (size_t k = c->first[job->color]; k < c->first[job->color + 1]; k++)
        for (size_t i = c->start[c->member[k]]; i < c->start[c->member[k] + 1]; i++)
            job->worker->seen[c->entries[i].row] = job->number + 1;
}

static bool is_moved(const double *samples, double centre) {
    for (size_t sample = 0; sample < CHECK_MOST; sample++)
        if (samples[sample] != centre)
            return true;
    return false;
}

/* Rows without an entry in the colour must not change in any bit: the pattern is exact. A row that changes, even at the
 * smallest steps, is compared with an entry of 0 (it may be at a jump). */
static bool visit_strangers(const struct job *job, int pass) {
    const struct coloring *c = &job->sweep->coloring;
    bool doubts = false;
    for (size_t row = 0; row < job->sweep->matrix->rows; row++) {
        if (job->worker->seen[row] == job->number + 1 || !isfinite(job->value[row]) ||
            !is_moved(board_at(&job->worker->board, BOARD_VALUES, row), job->value[row]))
            continue;
        struct part part = {.row = row, .column = c->member[c->first[job->color]]};
        struct verdict verdict = {.error = INFINITY};
        part.together = c->first[job->color + 1] - c->first[job->color];
        doubts = true;
        if (pass < PASSES - 1)
            continue;
        judge(&verdict, pass, board_at(&job->worker->board, BOARD_VALUES, row), part.derivative, job->value[row],
              job->floor[row]);
        record_part(job, &part, &verdict);
    }
    return doubts;
}

static void report_progress(const struct sweep *sweep, size_t done) {
    const hn_check_options *options = &sweep->check->options;
    if (options->progress)
        options->progress(options->progress_context, "checking derivatives", done, sweep->jobs);
}

static void run_job(void *context, int worker, size_t number) {
    struct sweep *sweep = context;
    const size_t point = number / sweep->coloring.colors;
    const struct job job = {.sweep = sweep,
                            .worker = &sweep->workers[worker],
                            .number = number,
                            .point = point,
                            .color = number % sweep->coloring.colors,
                            .derivative = sweep->derivative + point * sweep->matrix->count,
                            .centre = sweep->centre + point * sweep->matrix->columns,
                            .floor = sweep->floor + point * sweep->matrix->rows,
                            .value = sweep->check->value + point * sweep->check->values};
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
    if (worker == 0 && done < sweep->jobs)
        report_progress(sweep, done);
}

/* ---- setting up ---- */

static void fill_floors(const struct sweep *sweep) {
    const struct check *check = sweep->check;
    const struct check_matrix *matrix = sweep->matrix;
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
    const struct program *program = check->evaluator->program[PIECE_VALUES];
    double instructions = program ? (double)program->first[PHASES] + (double)program->pair_count + 1 : 1;
    double limit = WORK_LIMIT / (instructions * (double)check->points);
    return limit < 1 ? 1 : limit > 1e6 ? 1000000 : (size_t)limit;
}

/* Creates as many threads as requested and useful, limited by the memory of their tables. */
static struct thread_pool *gather_threads(struct check *check, size_t jobs) {
    struct thread_pool *pool = NULL;
    double most = MEMORY_LIMIT / ((double)board_bytes(check) + 1);
    int threads = check->options.threads ? check->options.threads : thread_pool_cores();
    most = most < 1 ? 1 : most < (double)jobs ? most : (double)jobs;
    check->status = thread_pool_gather(&pool, threads <= most ? threads : (int)most, check->error);
    return pool;
}

static void start_workers(struct sweep *sweep, size_t count) {
    struct check *check = sweep->check;
    size_t verdicts = sweep->coloring.most_entries + sweep->coloring.long_count;
    sweep->workers = check_take(check, count, sizeof *sweep->workers);
    for (; sweep->worker_count < count && check->status == HN_OK; sweep->worker_count++) {
        struct worker_state *worker = &sweep->workers[sweep->worker_count];
        worker->point = check->points;
        worker->verdicts = check_take(check, verdicts, sizeof *worker->verdicts);
        worker->seen = check_take(check, sweep->matrix->rows, sizeof *worker->seen);
        board_create(&worker->board, check, 1u << BOARD_VALUES);
    }
}

static void run_jobs(struct sweep *sweep) {
    struct check *check = sweep->check;
    struct thread_pool *pool = gather_threads(check, sweep->jobs);
    if (pool)
        start_workers(sweep, (size_t)thread_pool_size(pool));
    if (check->status == HN_OK) {
        report_progress(sweep, 0);
        thread_pool_share(pool, sweep->jobs, run_job, sweep);
        report_progress(sweep, sweep->jobs);
    }
    thread_pool_destroy(pool);
    for (size_t w = 0; w < sweep->worker_count; w++) {
        for (int d = 0; d < HN_CHECK_DERIVATIVES; d++)
            judge_merge(&check->found.difference[d], &sweep->workers[w].found[d]);
        board_release(&sweep->workers[w].board);
    }
}

static void run_sweep(struct sweep *sweep) {
    struct check *check = sweep->check;
    sweep->floor = check_take(check, check->points * sweep->matrix->rows, sizeof *sweep->floor);
    coloring_create(&sweep->coloring, sweep->matrix, color_limit(check), check);
    if (check->status != HN_OK)
        return;
    fill_floors(sweep);
    sweep->jobs = sweep->coloring.colors * check->points;
    if (sweep->jobs > 0)
        run_jobs(sweep);
}

void check_differences(struct check *check) {
    struct sweep by_y = {.check = check, .matrix = &check->by_y, .derivative = check->first, .centre = check->found.y};
    struct sweep by_x = {.check = check,
                         .matrix = &check->by_x,
                         .by_x = true,
                         .derivative = check->sensitivity,
                         .centre = check->found.x};
    run_sweep(&by_y);
    run_sweep(&by_x);
}
