/* train_progress.c - progress of a training on stderr, its summary on stdout.
 *
 * SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "common/console.h"
#include "common/figures.h"
#include "train/train.h"

#include <stdio.h>

static const double MANY_LEFT = 0.02; /* of all steps: such loops are cut short */
static const double MOST_LEFT = 0.5;  /* of all steps: a closed loop would be elsewhere */
/* ---- on the way ---- */

void train_progress_begin(struct train_progress *p, const struct training *t) {
    progress_begin(&p->line, "", t->options->steps);
    p->first = state_count(t, NUMBER_STEPS);
}

/* The most important first: a narrow terminal shows as many as fit. */
static void train_progress_show(struct train_progress *p, const struct training *t, const hn_train_report *report) {
    size_t steps = state_count(t, NUMBER_STEPS), all = t->options->steps, done = steps - p->first;
    double spent = clock_seconds() - p->line.begun;
    struct progress_text left = progress_left(spent / (double)done * (double)(all - steps));
    char step[64], loss[64], violation[64], rate[64], dropped[64];
    const char *const texts[] = {step, left.text, loss, violation, rate, dropped};
    snprintf(step, sizeof step, "step %zu of %zu", steps, all);
    snprintf(loss, sizeof loss, "loss %.5g", report->loss);
    snprintf(violation, sizeof violation, "violation %.1e", report->violation);
    snprintf(rate, sizeof rate, "%.0f samples/s", (double)(done * t->options->batch) / spent);
    snprintf(dropped, sizeof dropped, "%zu dropped", state_count(t, NUMBER_DROPPED));
    progress_show(&p->line, (double)steps / (double)all,
                  sizeof texts / sizeof texts[0] - (state_count(t, NUMBER_DROPPED) == 0), texts);
}

void train_progress_step(struct train_progress *p, const struct training *t, const hn_train_report *report) {
    if (state_count(t, NUMBER_STEPS) > p->first && progress_is_due(&p->line))
        train_progress_show(p, t, report);
}

void train_progress_end(struct train_progress *p) {
    progress_end(&p->line);
}

/* ---- in the end ---- */

static void print_network(const struct training *t) {
    hn_network_options network = hn_network_options_of(t->network);
    printf("  network     %zu input%s", network.inputs, network.inputs == 1 ? "" : "s");
    for (size_t i = 0; i < network.hidden_count; i++)
        printf(", %zu", network.hidden[i]);
    printf(", %zu outputs (%s%s%s)", network.outputs, hn_activation_text(network.activation),
           network.residual ? ", residual" : "", network.layer_norm ? ", layer norm" : "");
    if (t->options->candidates > 1)
        printf(", %zu candidates", t->options->candidates);
    printf("\n");
}

static void print_best(const struct training *t) {
    const double *number = t->state.number;
    size_t ok = state_count(t, NUMBER_BEST_OK);
    if (t->state.rows == 0) {
        printf("  best        nothing validated yet\n");
        return;
    }
    printf("  best        step %zu\n", state_count(t, NUMBER_BEST_STEP));
    printf("  validation  %s %.8g in the mean, %zu of %zu ok, largest violation %.2g\n",
           hn_model_objective(t->model).name, state_objective(t, number[NUMBER_BEST_OBJECTIVE]), ok, t->validation,
           number[NUMBER_BEST_VIOLATION]);
}

/* Reports improvement and refinement on the CPU, which happen if the device lacks memory. */
static void print_device(const struct training *t) {
    hn_device_info info = {.size = sizeof info};
    if (hn_policy_get_device(hn_trainer_policy(t->trainer), &info, NULL) != HN_OK)
        return;
    printf("  device      %s%s%s\n", device_choice_described(&info).text,
           !info.refines && t->options->goal == TRAIN_IMPROVE ? "; outputs are improved on the CPU" : "",
           !info.refines && t->options->refine > 0 ? "; refinement on the CPU" : "");
}

static void print_loops(const struct training *t) {
    const struct train_rollout *r = &t->rollout;
    if (r->count == 0)
        return;
    printf("  loops       ");
    for (size_t i = 0; i < t->options->feedback.count; i++)
        printf("%s%s", i > 0 ? ", " : "", figures_name(t->options->feedback.items[i]).text);
    printf(", %zu states of each batch", r->count);
    if (r->moves > 0 && !t->options->feedback_beyond)
        printf(", %s %% of their steps left the box%s", figures_percent((double)r->left / (double)r->moves).text,
               (double)r->left > MANY_LEFT * (double)r->moves ? " and ended there; --feedback-beyond goes on" : "");
    printf("\n");
}

void train_warn_of_loops(const struct training *t) {
    const struct train_rollout *r = &t->rollout;
    if (t->options->feedback_beyond || !((double)r->left > MOST_LEFT * (double)r->moves))
        return;
    console_warning(
        "%s %% of the steps of closed loops left the box of the inputs, and this network was not trained beyond "
        "it: do not use it in closed loop. --feedback-beyond trains there; or widen the ranges of the inputs",
        figures_percent((double)r->left / (double)r->moves).text);
}

void train_print(const struct training *t) {
    static const char how[SCHEMES][24] = {[SCHEME_NONE] = ", no correction", [SCHEME_DC3] = ", corrected by dc3"};
    print_network(t);
    printf("  training    %zu of %zu steps of %zu samples, loss %s%s\n", state_count(t, NUMBER_STEPS),
           t->options->steps, t->options->batch, t->options->loss, how[t->options->scheme]);
    print_device(t);
    print_loops(t);
    print_best(t);
    printf("  dropped     %zu samples", state_count(t, NUMBER_DROPPED));
    if (t->undefined > 0)
        printf(", %zu of them because a constraint is undefined (NaN) at the output, first %s", t->undefined,
               figures_name(hn_model_row(t->model, t->undefined_row).name).text);
    printf("\n");
}
