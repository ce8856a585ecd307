/* eval.h - the evaluation of a network by `hardnet eval`, and its parts.
 *
 * eval_inputs.c reads or samples inputs, eval_run.c applies the network and its layer, eval_judge.c checks the results
 * by plain evaluation, eval_time.c measures, eval_reference.c and eval_cache.c find optima, eval_gap.c computes the
 * gaps, eval_report.c prints and eval_json.c writes. Objectives are stored for minimisation; reports show them with the
 * model's sign.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_EVAL_H
#define HN_TOOLS_EVAL_H

#include "baselines/baseline.h"
#include "common/compile_choice.h"
#include "common/device_choice.h"
#include "common/groups.h"
#include "common/options.h"
#include "common/prospects.h"
#include "common/samples.h"
#include "reference/judging.h"

enum { CLOSED_LOOP_STARTS = 20, CLOSED_LOOP_STEPS = 40 };

/* --closed-loop: the network as a controller (rollout/closed_loop.h). */
struct loop_options {
    bool asked, allow_outside;
    size_t steps;
    struct text_list feedback;
    const char *cost, *final_cost; /* NULL: stage and final, where the model has them */
};

struct eval_options {
    struct common_options common;
    struct text_list files;
    struct judging judging;
    const char *net, *x, *out, *cache, *csv;
    const char *method; /* NULL: the network's own */
    size_t samples, refine, iterations;
    double tolerance; /* overrides the tolerance of the network's file */
    double effort;
    bool samples_given, refine_given, iterations_given, effort_given;
    struct compile_choice compile;
    struct device_choice device;
    struct loop_options loop;
};

/* Seconds per sample on one thread, medians over a few runs. */
enum {
    TIME_NETWORK,
    TIME_LAYER, /* NaN where there is none */
    TIME_ALL,
    TIME_TOGETHER, /* on all threads */
    TIME_ALONE,    /* everything, a sample at a time */
    TIMES
};

/* The best feasible point that is known for one sample. */
struct optimum {
    double objective; /* as minimised; NaN: none is known */
    size_t starts;    /* that it is the best of */
    bool solved;      /* the solver calls it optimal */
    bool cached;      /* taken from the cache as it is */
    size_t late;      /* starts whose solve was cut at the time limit */
};

/* Of the samples that count and have an optimum: max(0, f - f*) / max(|f*|, 1e-8). */
struct suboptimality {
    size_t count;
    double mean, max, median, ninety, ninety_nine; /* NaN when there are none */
};

/* The gap of samples to their optima, robust against optima near 0: relative to max(|f*|, typical), where typical is
 * the median of |f*| over the set (the mean if the median is below 1e-8). */
enum { GAP_SHARES = 3 };
extern const double eval_gap_shares[GAP_SHARES]; /* 0.1, 1 and 10 % */

struct gap {
    double typical;                /* NaN: every optimum is 0, and nothing is relative */
    struct suboptimality relative; /* max(0, f - f*) / max(|f*|, typical) */
    struct suboptimality absolute; /* max(0, f - f*) */
    size_t within[GAP_SHARES];     /* samples whose relative gap is at most this share */
    bool near_zero;                /* some |f*| is far below the typical one: a gap relative to |f*| alone is
                                    * misleading */
};

/* Samples whose optimum is known, called optimal by the solver, from the cache; those that are clearly better; and
 * solves that were cut at the time limit. */
struct optima_count {
    size_t found, solved, cached, better, late;
};

struct eval {
    const struct eval_options *options;
    const hn_model *model;
    hn_policy *loaded, *policy; /* the policy is the loaded one, or the same with other settings */
    bool changed;               /* it is the latter */
    struct compile_choice compile;
    hn_layer *layer;
    hn_device_options device_options; /* of the settings, if any */
    hn_device_info device;
    hn_policy_options settings;
    struct baseline baseline;
    struct baseline_head *head; /* of the loaded policy, or NULL */
    double file_tolerance;      /* tolerance in the network's file; settings have that of eval */
    hn_network_options network;
    struct samples samples; /* x only */
    size_t unmet, broken,
        outside; /* sampled inputs that violate a requirement; the same from --x; outside the input range */
    size_t inputs, outputs, rows, groups;
    int threads;
    size_t reached;             /* samples that were run: all but after Ctrl-C */
    double *y;                  /* samples x outputs */
    hn_report *reports;         /* samples; violation and worst are the judge's */
    double *objective;          /* samples, as minimised; NaN without one */
    struct group_violation *by; /* groups */
    size_t false_ok;            /* samples that the layer calls ok and the judge does not */
    double seconds;             /* of the run over all samples */
    size_t time_batch;          /* samples that were timed together */
    double times[TIMES];
    struct optimum *optima; /* samples, or NULL */
    double *optimal;        /* samples x outputs */
    size_t lost;            /* samples whose solving process ended early */
    double reference_seconds;
    struct suboptimality suboptimality;
    struct gap gap;
    struct prospects prospects;
    bool interrupted;
};

/* Zeroed memory; NULL when out of memory. */
void *eval_take(size_t count, size_t each, size_t size);

/* VERB_OK, or another verb code after printing the error. */
int eval_inputs(struct eval *eval);
int eval_load(struct eval *eval);

const double *eval_x(const struct eval *eval, size_t sample); /* NULL for a model without inputs */

/* Runs and checks all samples, then measures the time. */
hn_status eval_run(struct eval *eval, hn_error *error);
hn_status eval_time(struct eval *eval, hn_error *error);
void eval_close(struct eval *eval); /* ends the threads: the reference uses processes */
void eval_release(struct eval *eval);

/* Finds optima and computes the gaps of the samples (eval_gap.c; values: workspace, one number per sample). */
#define EVAL_LEAST_SCALE 1e-8
hn_status eval_reference(struct eval *eval, hn_error *error);
void eval_summarise(struct eval *eval, double *values);

size_t eval_count(const struct eval *eval, hn_outcome outcome);
double eval_shown(const struct eval *eval, double objective);      /* with the user's sign */
double eval_mean_objective(const struct eval *eval);               /* of samples that count; as shown */
double eval_mean_optimum(const struct eval *eval);                 /* of those that are known; as shown */
double eval_suboptimality(const struct eval *eval, size_t sample); /* NaN where there is none */
double eval_gap(const struct eval *eval, size_t sample);           /* absolute; NaN if missing */
double eval_relative_gap(const struct eval *eval, size_t sample);  /* NaN where there is none */
bool eval_counts(const struct eval *eval, size_t sample);          /* ok, or --allow-infeasible and a number */
bool eval_is_better(const struct eval *eval, size_t sample);       /* than its optimum, clearly */
struct optima_count eval_count_optima(const struct eval *eval);
const char *eval_worst(const struct eval *eval, size_t sample); /* row; NULL: none is violated */
void eval_print(const struct eval *eval);
hn_status eval_write_csv(const struct eval *eval, const char *path, hn_error *error); /* eval_csv.c */
hn_status eval_write_json(const struct eval *eval, const char *path, hn_error *error);

/* ---- the judge: rows and objective by plain evaluation ---- */

struct eval_judge {
    const hn_model *model;
    size_t rows;
    bool relative;    /* as in the layer's options */
    hn_expr *exprs;   /* lower, body and upper of each row, then the objective */
    double *values;   /* of these */
    double *residual; /* rows, of the last judgement; NaN where something is */
};

struct judgement {
    double violation; /* max |r|; infinite where something is NaN */
    size_t worst;     /* its row; SIZE_MAX when there are no rows */
    double objective; /* as minimised; NaN if missing */
    bool held;        /* every row, within the tolerance and what rounding in another order may add */
};

bool eval_judge_create(struct eval_judge *judge, const hn_model *model, bool relative); /* false: out of memory */
void eval_judge_release(struct eval_judge *judge);
hn_status eval_judge_point(struct eval_judge *judge, const double *x, const double *y, double tolerance,
                           struct judgement *judgement, hn_error *error);

/* What counts as feasible for the reference, whose tolerance is 1e-8 too, but in its own scaling. */
double eval_feasible(const struct eval *eval);

/* ---- optima of former runs: one .npy file per model, named by its fingerprint ---- */

struct eval_cache;

enum { EVAL_CACHE_NAME = 4096 };

/* The file that belongs to the model. */
hn_status eval_cache_name(const struct eval *eval, char path[EVAL_CACHE_NAME], hn_error *error);
hn_status eval_cache_open(struct eval_cache **out, const struct eval *eval, hn_error *error);
void eval_cache_close(struct eval_cache *cache);

/* Whether there is a valid entry for this sample; fills optimum and y then. Removes the entry: the sample will be saved
 * in its place. */
bool eval_cache_find(struct eval_cache *cache, size_t sample, struct optimum *optimum, double *y);

/* Writes all optima of this run and the other entries. */
hn_status eval_cache_save(const struct eval_cache *cache, hn_error *error);

#endif
