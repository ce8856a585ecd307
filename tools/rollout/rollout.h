/* rollout.h - `hardnet rollout`: closed loops of a plant and its controllers, and the parts that do it.
 *
 *     y = controller(x),   cost(x, y), margin(x, y),   x <- next(x, y)
 *
 * Cost and margin are evaluated at the true inputs and the applied outputs only, so that a controller does not profit
 * from violating the dynamics. Outputs that are not ok are applied, too, and counted. rollout_setup.c reads the
 * options, rollout_run.c runs the loops, rollout_report.c prints, rollout_files.c writes.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_ROLLOUT_H
#define HN_TOOLS_ROLLOUT_H

#include "baselines/baseline.h"
#include "common/compile_choice.h"
#include "common/feedback.h"
#include "common/inputs.h"
#include "hardnet/arrays.h"
#include "reference/judging.h"
#include "reference/multistart.h"

struct rollout_options {
    struct common_options common;
    struct text_list files, nets, feedback, show;
    struct judging judging;
    const char *x0, *cost, *final_cost, *margin, *csv, *states;
    const char *plant, *disturbance; /* NULL: the model itself, none */
    size_t steps;
    size_t samples; /* starts of loops that are drawn; 0: they are those of x0 */
    bool allow_outside;
    struct feedback_hint hint; /* the feedback suggested by the model */
    struct compile_choice compile;
};

/* Formulas evaluated at every step. A margin has several values; the smallest counts. */
struct rollout_formulas {
    bool has_cost, has_final;
    hn_expr cost, final_cost;
    hn_expr *margin;     /* values, or lower, body and upper of each row of a group; NULL: none is asked for */
    size_t margin_count; /* of expressions */
    bool margin_rows;
    double *values;
};

/* Outputs and defined variables that are written step by step. */
struct rollout_shown {
    size_t count;
    size_t *output; /* SIZE_MAX: it is a defined variable, whose ... */
    hn_expr *value; /* ... value this is */
    const char **names;
};

struct rollout_step {
    double cost, margin; /* NaN: not requested */
    double violation;    /* max |r| by plain evaluation, infinite where something is NaN ... */
    size_t worst;        /* ... and its row; SIZE_MAX: no row is violated */
    double seconds;      /* of the controller */
    const char *status;  /* an outcome, or the reference's status; a static string */
    bool ok;
};

/* One loop of one controller, or all of them: then cost is the mean. */
struct rollout_total {
    double cost, highest, final_cost; /* cost: of all steps, with the final cost */
    double margin, violation;         /* the smallest, the largest */
    size_t steps, ok;
    struct outside_inputs outside; /* of the inputs of all steps and those reached */
    size_t loops_outside;          /* that leave the box */
};

struct controller {
    char name[64];
    const char *file;             /* NULL: the reference */
    hn_policy *policy;            /* NULL: the reference */
    struct baseline_head *head;   /* of the policy, or NULL */
    hn_policy *loaded;            /* the policy of the file, which owns the network; NULL: the same policy */
    struct multistart *solver;    /* NULL: a network */
    double tolerance;             /* of its outcome ok */
    bool relative;                /* likewise */
    double *path;                 /* starts x (steps + 1) x inputs */
    double *shown;                /* starts x steps x values of --show; NULL: none */
    struct rollout_step *steps;   /* starts x steps */
    struct rollout_total *totals; /* starts */
    struct rollout_total total;
    double seconds, slowest; /* per step: median and largest */
};

/* Comparison of a network's loops with the reference's: closed_loop.h. Shares are NaN without a comparison. */
struct rollout_verdict {
    double mean, worst; /* how much more they cost, as a share: all together, and the worst of them ... */
    size_t worst_start; /* ... and which that is */
    size_t near;        /* loops that cost hardly more */
    size_t diverged;
};

struct rollout {
    const struct rollout_options *options;
    const hn_model *model;
    const hn_model *plant; /* whose defined variables are fed back; NULL until rollout_setup: the model */
    size_t inputs, outputs, starts, steps;
    hn_array x0;
    double *deviation; /* of each input that is fed back; NULL: no disturbance */
    struct feedback feedback;
    struct rollout_formulas formulas;
    struct rollout_shown shown;
    struct multistart solver;
    size_t count;
    struct controller *controllers;        /* the reference, if any, then networks */
    const struct rollout_verdict *verdict; /* NULL: none */
};

/* Without --feedback uses the model's suggestion; a verb code, after printing the error. */
int rollout_find_feedback(struct rollout_options *options, const hn_model *model, const char *verb);

/* Loads --plant, which must have the model's inputs and outputs by name; *plant NULL without one. A verb code. */
int rollout_load_plant(hn_model **plant, const struct rollout_options *options, const hn_model *model);

/* Reads --disturbance: a verb code after printing the error; and applies it to the inputs x of a step. All controllers
 * get the same disturbance. */
int rollout_find_disturbance(struct rollout *rollout);
void rollout_disturb(const struct rollout *rollout, size_t start, size_t step, double *x);

/* The number of numbers in a text such as -3.2,0.3, of which the first `room` are stored; 0: another kind of text. */
size_t rollout_read_numbers(const char *text, double *values, size_t room);

/* VERB_OK, or another verb code after printing the error; released in either case. */
int rollout_setup(struct rollout *rollout);
void rollout_end(struct rollout *rollout);

/* Reads --show: a verb code after printing the error; and evaluates it at a point. */
int rollout_find_shown(struct rollout *rollout);
void rollout_release_shown(struct rollout_shown *shown);
hn_status rollout_show(const struct rollout *rollout, const double *x, const double *y, double *values,
                       hn_error *error);

/* All loops; ends early on Ctrl-C. */
hn_status rollout_run(struct rollout *rollout, hn_error *error);

bool rollout_all_ok(const struct rollout *rollout);

/* Whether all networks stayed in the range of the inputs, or need not; warns where they did not. The reference may
 * leave it. */
bool rollout_stays(const struct rollout *rollout);
void rollout_print(const struct rollout *rollout);
hn_status rollout_write_json(const struct rollout *rollout, const char *path, hn_error *error);
hn_status rollout_write_csv(const struct rollout *rollout, const char *path, hn_error *error);

/* The inputs of all steps, and those reached: a row each, controller by controller and start by start. */
hn_status rollout_write_states(const struct rollout *rollout, const char *path, hn_error *error);

static inline const double *rollout_state(const struct rollout *r, const struct controller *c, size_t start,
                                          size_t step) {
    return c->path + (start * (r->steps + 1) + step) * r->inputs;
}

#endif
