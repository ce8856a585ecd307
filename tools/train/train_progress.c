/* train_progress.c - signs of life of a training on stderr, and what it reached on stdout.
 *
 * SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "common/console.h"
#include "common/figures.h"
#include "train/train.h"

#include <stdio.h>

static const double MANY_LEFT = 0.02; /* of all steps: such loops are cut short */
static const double SILENT_SECONDS = 1, BAR_SECONDS = 0.1, LINE_SECONDS = 5;

/* ---- on the way ---- */

void train_progress_begin(struct train_progress *p, const struct training *t) {
    *p = (struct train_progress){.terminal = console_is_terminal(stderr), .first = state_count(t, NUMBER_STEPS)};
    p->begun = p->said = clock_seconds();
}

static void say_bar(double share) {
    enum { CELLS = 16 };
    static const char full[] = "################", empty[] = "................";
    int filled = (int)(share * CELLS);
    fprintf(stderr, "\r\033[K[%.*s%.*s] ", filled, full, CELLS - filled, empty);
}

static void say(const struct train_progress *p, const struct training *t, const hn_train_report *report, double spent) {
    size_t steps = state_count(t, NUMBER_STEPS), all = t->options->steps, done = steps - p->first;
    double left = spent / (double)done * (double)(all - steps);
    if (p->terminal)
        say_bar((double)steps / (double)all);
    else
        fprintf(stderr, "hardnet: ");
    fprintf(stderr, "step %zu of %zu, loss %.5g, violation %.1e, %.0f samples/s, %.0f s left", steps, all, report->loss,
            report->violation, (double)(done * t->options->batch) / spent, left);
    if (state_count(t, NUMBER_DROPPED) > 0)
        fprintf(stderr, ", %zu dropped", state_count(t, NUMBER_DROPPED));
    if (!p->terminal)
        fputc('\n', stderr);
    fflush(stderr);
}

void train_progress_step(struct train_progress *p, const struct training *t, const hn_train_report *report) {
    double now = clock_seconds(), spent = now - p->begun;
    if (spent < SILENT_SECONDS || now - p->said < (p->terminal ? BAR_SECONDS : LINE_SECONDS) ||
        state_count(t, NUMBER_STEPS) == p->first)
        return;
    p->said = now;
    p->visible = true;
    say(p, t, report, spent);
}

void train_progress_end(struct train_progress *p) {
    if (p->visible && p->terminal)
        fputs("\r\033[K", stderr);
    p->visible = false;
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

/* A device that has no room for refinement leaves it to the CPU to improve targets and to refine, which is said. */
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
        printf(", %.2g %% of their steps left the box%s", 100 * (double)r->left / (double)r->moves,
               (double)r->left > MANY_LEFT * (double)r->moves ? " and ended there; --feedback-beyond goes on" : "");
    printf("\n");
}

void train_print(const struct training *t) {
    static const char how[HN_SCHEME_COUNT][24] = {
        [HN_SCHEME_NONE] = ", no correction", [HN_SCHEME_DC3] = ", corrected by dc3"};
    print_network(t);
    printf("  training    %zu of %zu steps of %zu samples, loss %s%s\n", state_count(t, NUMBER_STEPS),
           t->options->steps, t->options->batch, t->options->loss, how[t->options->scheme]);
    print_device(t);
    print_loops(t);
    print_best(t);
    printf("  dropped     %zu samples\n", state_count(t, NUMBER_DROPPED));
}
