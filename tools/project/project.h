/* project.h - `hardnet project` and `hardnet solve`: the data and the parts.
 *
 * project_run.c corrects, common/starts.c does so from several starts, project_trace.c writes every iterate,
 * project_report.c prints and project_json.c writes the results. Samples, rows and columns of files are counted from 0,
 * as NumPy counts them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_PROJECT_H
#define HN_TOOLS_PROJECT_H

#include "common/device_choice.h"
#include "common/groups.h"
#include "common/inputs.h"
#include "common/layer_choice.h"
#include "common/options.h"
#include "common/samples.h"
#include "common/starts.h"
#include "common/text.h"
#include "hardnet/evaluate.h"

struct project_options {
    struct common_options common;
    struct text_list files;
    struct layer_choice choice;
    struct device_choice device;
    const char *x, *y, *out, *report, *trace;
    const char *weights, *multipliers; /* of the methods nearest, and optimal, */
    const char *proof_point;           /* likewise */
    const char *objective;             /* of solve: a file for the objectives */
    const char *verb;                  /* whose options these are */
    size_t multistart;                 /* starts of each sample; 0: one, by default */
    bool allow_infeasible;
    double time_limit; /* seconds; 0: none */
};

struct project {
    const struct project_options *options;
    const hn_model *model;
    const hn_layer *layer;
    const hn_device_layer *device; /* NULL: the CPU */
    struct samples samples;
    struct unusual_inputs unusual; /* rows of --x that violate a requirement or are out of range */
    size_t inputs, outputs, rows, groups;
    double *y;                  /* samples x outputs: corrected */
    double *multipliers;        /* samples x rows; NULL: not requested */
    double *proof_y;            /* samples x outputs; NULL: not requested */
    hn_report *reports;         /* samples */
    uint32_t *start;            /* samples: the start that was best; NULL: there is only one */
    struct group_violation *by; /* groups */
    struct text trace;
    size_t reached; /* samples started; fewer than all only after Ctrl-C */
    double seconds; /* spent on correcting */
    int threads;
    bool interrupted;
};

/* Needs model, layer and samples. */
hn_status project_run(struct project *project, hn_error *error);
void project_release(struct project *project);

/* Samples among those reached with this outcome. */
size_t project_count(const struct project *project, hn_outcome outcome);

/* The name of a sample's worst row; NULL when no row is violated. */
const char *project_worst(const struct project *project, size_t sample);

/* Of solve with a single sample that is ok: its outputs, and rows with slacks and multipliers, by name. */
void project_print_solution(const struct project *project);

/* Whether an array is written as CSV: the name ends in .csv. Columns are the sample, its status, and the named
 * values. */
bool project_is_csv(const char *path);
enum project_columns { PROJECT_OUTPUTS, PROJECT_ROWS, PROJECT_OBJECTIVE };
hn_status project_write_csv(const struct project *project, const char *path, enum project_columns columns, size_t count,
                            const double *values, hn_error *error);

/* Everything after the options were read, struct project_options: the verb's exit code. */
int project_command(void *values);

/* The last options of both verbs, and the command of a verb whose options are o and table. */
#define PROJECT_PROOF(o)                                                                                               \
    WRITTEN_FILE("proof-point", "P.npy", "write the points at which these multipliers certify local infeasibility",    \
                 (o).proof_point)
#define PROJECT_ALLOWANCE(o)                                                                                           \
    {                                                                                                                  \
        .name = "allow-infeasible", .help = "exit 0 even if a sample is not ok or not certified",                      \
        .flag = &(o).allow_infeasible                                                                                  \
    }
#define PROJECT_TIME_LIMIT(o)                                                                                          \
    {                                                                                                                  \
        .name = "time-limit", .value = "SECONDS", .help = "cancel samples that are not finished after this time",      \
        .real = &(o).time_limit, .positive = true                                                                      \
    }
#define PROJECT_COMMAND(NAME)                                                                                          \
    {                                                                                                                  \
        .name = (NAME), .usage = "MODEL.mod [DATA.dat ...] [options]", .about = about, .example = example,             \
        .common = &o.common, .run = project_command, COMMAND_OPTIONS(table, o)                                         \
    }

void project_print(const struct project *project);
hn_status project_write_json(const struct project *project, const char *path, hn_error *error);

/* ---- every iterate as a line of CSV, by sample, then by iteration, however many threads there are ---- */

struct trace {
    size_t outputs;
    struct text *lines; /* one text for each sample of a chunk: a sample has one thread at a time */
    size_t count;
};

void trace_head(struct text *text, const hn_model *model);
bool trace_begin(struct trace *trace, size_t outputs, size_t count); /* false: out of memory */
void trace_watch(void *context, size_t sample, int iteration, const hn_real *y, hn_real violation, hn_real damping);

/* Moves the lines of a chunk of count samples, the first of which is sample `first`, to the end of the text. */
void trace_collect(struct trace *trace, struct text *text, size_t first, size_t count);
void trace_end(struct trace *trace);

#endif
