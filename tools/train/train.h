/* train.h - hardnet train: shared declarations.
 *
 *     source    where rows of x come from: the box, a file, or a set that the reference solver has labelled
 *     rollout   states met in closed loop under the present policy, a share of every batch
 *     search    searches for several optima; these become labels, and exploration starts from them
 *     state     all that changes from step to step; a checkpoint is these numbers
 *     record    the options that decide the bits, as texts: in checkpoints, and in the network
 *
 * What is drawn at a step is a function of the seed and the number of the step only, so that a training that is taken
 * up again ends with the same bits.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_TRAIN_H
#define HN_TOOLS_TRAIN_H

#include "base/random.h"
#include "baselines/baseline.h"
#include "common/device_choice.h"
#include "common/feedback.h"
#include "common/inputs.h"
#include "common/layer_choice.h"
#include "common/options.h"
#include "common/progress.h"
#include "common/prospects.h"
#include "common/survey.h"
#include "hardnet/arrays.h"
#include "hardnet/checkpoint.h"
#include "hardnet/train.h"

/* ---- options: train_options.c ---- */

enum { TRAIN_LEAST_NORMALISED = 16 }; /* minimum neurons of a layer that is normalised by default */

enum train_loss { TRAIN_OBJECTIVE, TRAIN_IMPROVE, TRAIN_TARGETS };

struct train_options {
    struct text_list files, feedback;
    struct common_options common;
    struct layer_choice choice;
    const char *kernel; /* of the layer, where it is compiled: set by train_compile */
    struct device_choice device;
    const hn_device_options *device_asked; /* NULL: the CPU; set by train_settle */
    hn_device_options device_options;
    const char *out, *checkpoint, *log, *validation_inputs, *init;
    const char *x, *targets, *reference; /* NULL: none */
    const char *hidden, *activation, *structure, *loss;
    const char *norm;  /* NULL until train_settle: by loss and widths */
    const char *first; /* how the network begins: train_firsts */
    size_t epochs, steps_per_epoch, steps, batch, warmup, seed;
    size_t improve, candidates, refine, train_iterations;
    size_t labels, target_steps, multistart, survey;
    size_t probed,
        several;  /* results of a search: inputs, and those with a better optimum than the first; 0: none yet */
    size_t found; /* labels from it */
    size_t validation, validate_every, patience;
    size_t feedback_steps, checkpoint_steps;
    size_t correction_steps;
    double rate, last_share, clip_sample, clip_batch, residual_weight, move_weight, inward, explore;
    double penalty, correction_rate, momentum;
    double feedback_share, checkpoint_seconds;
    bool steps_given, epochs_given, validate_given, train_iterations_given, loss_given, refine_given;
    bool penalty_given, correction_steps_given, correction_rate_given, momentum_given;
    bool by_loss; /* the best network is that with the smallest loss, whether its outputs are ok or not */
    bool feedback_beyond, feedback_inside, open_loop, resume, keep;
    bool shape_given, candidates_given; /* by an option of the network's shape; by --candidates */
    struct feedback_hint hint;          /* the feedback suggested by the model */
    /* derived settings */
    enum train_loss goal;
    enum scheme scheme;
    hn_network_options network; /* all but inputs and outputs */
    char checkpoint_name[4096];
    char hidden_text[256]; /* of --init */
};

extern const char *const train_activations[], *const train_structures[], *const train_norms[];
extern const char *const train_losses[], *const train_firsts[];
extern const char *const train_methods[];    /* the methods of the layer, and two without a layer */
extern const char *const train_references[]; /* who computes targets */

/* Whether that is the method optimal. */
bool train_has_teacher(const struct train_options *options);

/* The defaults for this method (NULL: auto) and loss (NULL: the method's): all from train_options.c, hn_train_defaults
 * and hn_policy_defaults. */
struct train_options train_defaults(const char *method, const char *loss);

/* Fills in the derived settings; VERB_OK, or VERB_MISUSED after printing a conflict. */
int train_settle(struct train_options *options);

/* Without --feedback uses the closed loops suggested by the model, if applicable, and prints a line. A verb code. */
int train_feedback(struct train_options *options, const hn_model *model);

/* Compiles the layer where requested; a verb code. */
int train_compile(struct train_options *options, const hn_model *model);

/* The options of the trainer. */
hn_train_options train_trainer_options(const struct train_options *options);
struct baseline train_baseline(const struct train_options *options);

/* ---- the record: train_record.c ---- */

enum { RECORD_MOST = 64, RECORD_TEXT = 128 };

struct train_record {
    size_t count;
    hn_metadata texts[RECORD_MOST];
    char keys[RECORD_MOST][RECORD_TEXT / 4], values[RECORD_MOST][RECORD_TEXT];
};

__attribute__((format(printf, 3, 4))) void record_add(struct train_record *record, const char *key, const char *format,
                                                      ...);
void record_add_real(struct train_record *record, const char *key, double value);

/* ---- random streams: unrelated for every purpose and every step ---- */

enum train_stream {
    STREAM_BATCH = 1,
    STREAM_VALIDATION,
    STREAM_ROLLOUT,
    STREAM_SCALING,
    STREAM_LABELS,
    STREAM_SPLIT,
    STREAM_STARTS,
};

struct random train_random(size_t seed, enum train_stream stream, size_t step);

/* Zeros from base_allocate; NULL when out of memory. */
double *train_numbers(size_t rows, size_t columns);

/* ---- rows of x: train_file.c, train_source.c ---- */

/* An array in a file whose numbers have all been checked; no rows: no file. */
struct train_file {
    const char *path;
    hn_array_rows *array;
    size_t rows, columns;
    size_t each;       /* rows of the array that make one: 1, but where it has one dimension */
    uint32_t checksum; /* of its numbers */
    double *mean;      /* of its columns */
};

/* Opens the file and checks that its numbers are finite; the option is for messages. */
hn_status file_open(struct train_file *file, const struct train_options *options, const hn_model *model,
                    const char *option, hn_error *error);
void file_close(struct train_file *file);
hn_status file_rows(const struct train_file *file, size_t first, size_t count, double *out, hn_error *error);

/* The standard deviation of each column. */
hn_status file_spread(const struct train_file *file, double *deviation, hn_error *error);

struct train_source {
    const hn_model *model;
    size_t seed, inputs, outputs;
    struct train_file x, targets;
    size_t
        *order; /* rows of the file: the first `held` are for validation; of a large file no more than these, sorted */
    size_t held;
    double *label_x, *label_y; /* labelled by a solver; NULL: none */
    double *label_f;           /* objectives, minimised */
    size_t labels, most_labels;
    size_t tried, several; /* inputs solved by the teacher; labels better than the result of its first start */
    double *input_scale;   /* for distances between inputs */
};

/* VERB_OK, or another verb code after what is wrong has been printed. */
int source_create(struct train_source *source, const hn_model *model, const struct train_options *options);
void source_release(struct train_source *source);

/* One row for training, and its target unless NULL. */
hn_status source_row(const struct train_source *source, struct random *random, double *x, double *target,
                     hn_error *error);

/* At most count rows for validation, the same at every call; how many is left in found. */
hn_status source_validation(const struct train_source *source, size_t count, double *x, size_t *found, hn_error *error);

/* Allocates count labels, then computes them until interrupted. */
hn_status source_make_labels(struct train_source *source, size_t count, hn_error *error);
hn_status source_solve_labels(struct train_source *source, const struct train_options *options, hn_error *error);

/* The input of a label: the same for every solver. */
hn_status source_label_input(const struct train_source *source, size_t number, double *x, hn_error *error);

/* ---- labels by the method optimal: train_teacher.c ---- */

struct train_lesson {
    int threads;
    size_t starts; /* of each input */
    size_t most;   /* inputs that are tried, those of earlier lessons included */
};

/* Continues until there are most_labels; then solves each again from the labels of similar inputs. */
hn_status source_teach_labels(struct train_source *source, const struct train_lesson *lesson, hn_error *error);
hn_status source_share_labels(struct train_source *source, int threads, hn_error *error);
void source_drop_labels(struct train_source *source);

/* ---- labels of similar inputs: train_neighbours.c ---- */

enum { NEIGHBOURS = 3 };

bool source_scale_inputs(struct train_source *source); /* false: out of memory */

/* The indices of the nearest labels, nearest first; returns their number. */
size_t source_neighbours(const struct train_source *source, const double *x, size_t nearest[NEIGHBOURS + 1]);

/* What was trained and how, from the options, the model and the numbers of its files. */
hn_status record_make(struct train_record *record, const struct train_options *options, const hn_model *model,
                      const struct train_source *source, hn_error *error);

/* ---- states in closed loop: train_rollout.c ---- */

struct train_rollout {
    struct feedback feedback;
    size_t count;  /* states; 0: none */
    double *x, *y; /* rows */
    hn_report *reports;
    size_t moves, left; /* moves since this training began or went on, and those that ended beyond the box */
};

/* VERB_OK, or another verb code after what is wrong has been printed. */
int rollout_create(struct train_rollout *rollout, const hn_model *model, const struct train_options *options);
void rollout_release(struct train_rollout *rollout);

/* By default loops continue beyond the input range if most optima of the search lead there; prints a line. */
hn_status rollout_choose_beyond(struct train_rollout *rollout, const struct train_source *source,
                                struct train_options *options, hn_error *error);

/* Draws all states from the source. */
hn_status rollout_begin(struct train_rollout *rollout, const struct train_source *source, hn_error *error);

/* Advances every state by a step, or draws it again. */
hn_status rollout_advance(struct train_rollout *rollout, const struct train_source *source,
                          const struct train_options *options, hn_policy *policy, size_t step, hn_error *error);

/* ---- the initial network: train_init.c ---- */

/* Loads --init, if given, and adopts its shape and number of candidates; a verb code. */
int init_load(hn_network **network, struct train_options *options, const hn_model *model);

/* HN_INVALID unless it has this number of inputs, and of outputs per candidate. */
hn_status init_check(const hn_network *network, const struct train_options *options, size_t inputs, size_t outputs,
                     hn_error *error);

/* What it is, for the record. */
void init_record(struct train_record *record, const hn_network *network);

/* ---- shifts and scales of the network: train_scaling.c ---- */

/* The columns of the model's outputs that the network computes for each candidate. */
struct train_columns {
    size_t count;
    size_t *column;
};

hn_status scaling_set(hn_network *network, const struct train_source *source, const struct train_options *options,
                      const struct train_columns *columns, hn_error *error);

/* ---- state: train_state.c ---- */

enum train_number {
    NUMBER_STEPS,     /* done */
    NUMBER_VALIDATED, /* the last step that was validated */
    NUMBER_WAITED,    /* validations since the best */
    NUMBER_DROPPED,   /* samples */
    NUMBER_BEST_STEP, /* 0: the network of --init, or none yet */
    NUMBER_BEST_FIGURE,
    NUMBER_BEST_OBJECTIVE,
    NUMBER_BEST_OK,
    NUMBER_BEST_VIOLATION,
    NUMBER_SUM_STEPS, /* sums since the last validation, for the curve */
    NUMBER_SUM_LOSS,
    NUMBER_SUM_OBJECTIVE,
    NUMBER_SUM_RESIDUAL,
    NUMBER_SUM_MOVED,
    NUMBER_SUM_GRADIENT,
    NUMBER_MOST_VIOLATION,
    NUMBER_PLANNED, /* steps in all */
    NUMBERS
};

enum { CURVE_COLUMNS = 11 }; /* step, means of the steps since the last row, validation */

struct train_state {
    double number[NUMBERS];
    size_t parameters;
    double *best;  /* weights */
    double *curve; /* rows x CURVE_COLUMNS */
    size_t rows, most_rows;
    bool extended; /* a checkpoint with other steps */
};

enum { HOLD_MOST = 2, HOLD_PATH = 4096 + 8 };

struct train_hold {
    size_t count;
    int file[HOLD_MOST];
    char path[HOLD_MOST][HOLD_PATH];
};

struct training {
    struct train_options *options; /* the search fills in what is not given */
    const hn_model *model;
    hn_network *network;
    hn_trainer *trainer;
    struct baseline_head *head; /* of the trainer's policy; NULL: it has none */
    struct train_source source;
    struct train_rollout rollout;
    struct train_state state;
    struct train_record record;
    double *x, *targets; /* of a batch: targets, or starts of exploring */
    size_t validation;   /* validation inputs and their results */
    double *validation_x, *objective;
    double *kept, *sorted; /* objectives with the best weights, NaN if an input does not count; workspace */
    hn_report *reports;
    struct train_hold hold;
    struct survey found;             /* count 0: not requested */
    size_t steps_here, samples;      /* since it began or went on: steps, and samples that have a loss */
    size_t undefined, undefined_row; /* samples that were dropped because a row has no value, and the first such row */
    double layer_steps;              /* of the layer, the sum of means since the last check */
    bool told_slow;
    bool hopeless;     /* every sample was dropped */
    bool looked_again; /* train_search.c */
};

hn_status state_create(struct training *training, hn_error *error);
void state_release(struct train_state *state);

static inline size_t state_count(const struct training *training, enum train_number number) {
    return (size_t)training->state.number[number];
}

/* A figure as the user wrote the objective. */
double state_objective(const struct training *training, double minimized);

/* The present state as a checkpoint, and a checkpoint as the present state. */
hn_status state_save(struct training *training, hn_error *error);
hn_status state_load(struct training *training, hn_error *error);

/* The curve as CSV. */
hn_status state_write_log(const struct training *training, hn_error *error);

/* ---- which weights are the best: train_judge.c ---- */

struct train_verdict {
    double figure, objective; /* as minimised; the objective over the states that are ok, by loss over all */
    double violation;
    size_t ok;
};

/* Validates the present weights; objectives of inputs that do not count become NaN. */
hn_status judge_run(struct training *training, struct train_verdict *verdict, hn_error *error);

/* Keeps the weights that were validated last where they are better than the best so far. */
void judge_keep(struct training *training, const struct train_verdict *verdict);

/* What the best weights of a checkpoint do for each input. */
hn_status judge_recall(struct training *training, hn_error *error);

/* Two rows of objectives, NaN where an input does not count: means over the inputs that count in both, and how many
 * others. */
struct judge_pair {
    size_t both, lost, won;
    double before, after;
};

struct judge_pair judge_pair(size_t count, const double *before, const double *after);

/* ---- survey of the inputs: train_survey.c ---- */

/* Surveys the inputs; VERB_NOT_OK, with an error, if no input has a feasible output. */
int training_survey(struct training *training);
void training_print_survey(const struct training *training);

/* ---- files that are this training's: train_hold.c ---- */

/* Locks --out and --checkpoint, as FILE.lock, until hold_release; VERB_FAILED if another training holds a lock. */
int hold_begin(struct train_hold *hold, const struct train_options *options);

/* Reserves disk space for the network until hold_give_room. HN_IO if there is not enough. */
hn_status hold_take_room(struct train_hold *hold, const struct training *training, hn_error *error);
void hold_give_room(struct train_hold *hold);
void hold_release(struct train_hold *hold);

/* ---- several optima: train_search.c ---- */

/* Whether settings are chosen automatically: not for baselines or short trainings. */
bool train_chooses(const struct train_options *options);

/* Whether the training searches for several optima. */
bool train_searches(const struct train_options *options);

/* Labels, the number of candidates and the steps that imitate, into source and options. */
hn_status training_search(struct training *training, hn_error *error);

/* Whether it is time for a second search after the first found one optimum only; the training may restart then. */
bool training_looks_again(const struct training *training);
hn_status training_look_again(struct training *training, hn_error *error);

/* ---- the loop: train_build.c, train_run.c ---- */

/* Network, trainer and batches, from source and options; one step, with its report unless NULL; a validation. */
hn_status training_prepare(struct training *training, hn_error *error);
hn_status training_step(struct training *training, hn_train_report *report, hn_error *error);

/* Restarts from the first step with the present options. */
hn_status training_restart(struct training *training, hn_error *error);

/* Builds everything; VERB_OK, or another verb code after printing the error. */
int training_create(struct training *training);
void training_release(struct training *training);

/* Trains to the end, to the end of patience, or until an interrupt; *done unless interrupted. */
hn_status training_run(struct training *training, bool *done, hn_error *error);

/* Judges the present weights: the best are kept, and the curve has a row more. */
hn_status training_validate(struct training *training, hn_error *error);

/* Writes the best network to --out; where that fails to a new temporary folder, which the error (HN_IO) names:
 * train_write.c. */
hn_status training_write(struct training *training, hn_error *error);

/* Writes checkpoint and curve; prints errors and keeps the previous files then. */
void training_keep(struct training *training);

/* ---- signs of life and the last words: train_progress.c ---- */

struct train_progress {
    struct progress line;
    size_t first; /* steps at the beginning */
};

void train_progress_begin(struct train_progress *progress, const struct training *training);
void train_progress_step(struct train_progress *progress, const struct training *training,
                         const hn_train_report *report);
void train_progress_end(struct train_progress *progress);

/* What was reached, on stdout. */
void train_print(const struct training *training);

/* A warning where most steps of closed loops ended beyond the box. */
void train_warn_of_loops(const struct training *training);

/* Chooses one refinement step if it lowers the objective enough, unless given; prints a line. */
hn_status train_choose_refine(struct training *training, hn_error *error);

/* Prints the use of candidates and the expected gain of more candidates and refinement: train_prospects.c. */
void train_print_prospects(const struct training *training);

/* The same for the present weights, as numbers; count 0: nothing to report. */
hn_status train_find_prospects(const struct training *training, struct prospects *prospects, hn_error *error);

#endif
