/* closed_loop.c - see closed_loop.h.
 *
 * A loop costs too much by (c - c*) / max(|c*|, median |c*|), c* what the reference's loop from the same start costs.
 * It diverges when a state is not finite, or leaves what the box and the reference's own loop from that start span by
 * more than the width of the box.
 *
 * SPDX-License-Identifier: MIT */
#include "rollout/closed_loop.h"

#include "base/error.h"
#include "base/memory.h"
#include "common/console.h"
#include "common/definitions.h"
#include "common/figures.h"
#include "common/headings.h"
#include "common/interrupt.h"
#include "common/verbs.h"
#include "rollout/rollout.h"

#include <math.h>
#include <stdio.h>

static const double NEAR = 0.03; /* loops that cost at most so much more are close */

/* ---- options ---- */

/* The first given option that has no effect here; NULL: none. */
static const char *out_of_place(const struct eval_options *o) {
    const struct {
        const char *name;
        bool given;
    } options[] = {{"out", o->out},
                   {"csv", o->csv},
                   {"cache", o->cache},
                   {"method", o->method},
                   {"refine", o->refine_given},
                   {"iterations", o->iterations_given},
                   {"effort", o->effort_given},
                   {"device", device_choice_asks(&o->device)}};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (options[i].given)
            return options[i].name;
    return NULL;
}

/* The default defined variable. */
static const char *usual(const hn_model *model, const char *given, const char *name) {
    hn_expr value;
    return given ? given : definition_find(model, name, &value) ? name : NULL;
}

/* The requested or available solver; it needs an objective. */
static int find_reference(struct judging *judging, const hn_model *model) {
    hn_error error = {.status = HN_OK};
    bool asked = judging->reference != NULL;
    if (!hn_model_objective(model).name)
        return asked ? verb_misuse("eval", "--reference: the model has no objective that could be compared") : VERB_OK;
    if (judging_find(judging, &error) == HN_OK) {
        judging->reference = asked ? judging->reference : judging_references[0];
        return VERB_OK;
    }
    if (!asked) {
        console_warning("%s; the loops are compared with nothing", error.text);
        return VERB_OK;
    }
    console_error("--reference %s: %s", judging->reference, error.text);
    return VERB_FAILED;
}

static int closed_loop_settle(struct rollout_options *r, struct eval_options *o, const hn_model *model) {
    const char *wrong = out_of_place(o);
    if (wrong) {
        console_error("--%s: has no use with --closed-loop", wrong);
        return VERB_MISUSED;
    }
    *r = (struct rollout_options){.files = o->files,
                                  .judging = o->judging,
                                  .x0 = o->x,
                                  .samples = o->x               ? 0
                                             : o->samples_given ? o->samples
                                                                : CLOSED_LOOP_STARTS,
                                  .steps = o->loop.steps,
                                  .feedback = o->loop.feedback,
                                  .cost = usual(model, o->loop.cost, "stage"),
                                  .allow_outside = o->loop.allow_outside,
                                  .compile = o->compile};
    r->final_cost = r->cost ? usual(model, o->loop.final_cost, "final") : NULL;
    int code = rollout_find_feedback(r, model, "eval");
    o->loop.feedback = r->feedback; /* released with the options */
    if (code == VERB_OK && !text_list_append(&r->nets, o->net))
        code = verb_explain(&(hn_error){.status = HN_NO_MEMORY, .text = "out of memory"});
    if (code == VERB_OK && !r->cost)
        console_warning("the model has no defined variable stage, and --cost names no other: loops have no cost");
    return code == VERB_OK ? find_reference(&r->judging, model) : code;
}

/* ---- loop by loop ---- */

static bool diverges(const struct rollout *r, const struct controller *c, const struct controller *with, size_t start) {
    for (size_t i = 0; i < r->inputs; i++) {
        hn_input_info input = hn_model_input(r->model, i);
        double lower = input.lower, upper = input.upper, width = upper - lower;
        for (size_t k = 0; with && k <= r->steps; k++) {
            lower = fmin(lower, rollout_state(r, with, start, k)[i]);
            upper = fmax(upper, rollout_state(r, with, start, k)[i]);
        }
        for (size_t k = 0; k <= r->steps; k++) {
            double x = rollout_state(r, c, start, k)[i];
            if (!isfinite(x) || x < lower - width || x > upper + width)
                return true;
        }
    }
    return false;
}

/* NaN without a comparison. */
static double excess(const struct controller *c, const struct controller *with, size_t start, double scale) {
    double cost = c->totals[start].cost, least = with->totals[start].cost;
    return (cost - least) / fmax(fabs(least), scale);
}

/* The median cost of the reference's loops; NaN if one has no cost. */
static hn_status typical_cost(const struct rollout *r, const struct controller *with, double *typical,
                              hn_error *error) {
    double *costs = eval_take(r->starts, 1, sizeof *costs);
    *typical = NAN;
    if (!costs)
        return error_no_memory(error, "the loops");
    bool all = r->starts > 0;
    for (size_t i = 0; i < r->starts; i++) {
        costs[i] = fabs(with->totals[i].cost);
        all = all && isfinite(costs[i]);
    }
    if (all)
        *typical = figures_spread(costs, r->starts).median;
    base_release(costs);
    return HN_OK;
}

static hn_status closed_loop_compare(const struct rollout *r, struct rollout_verdict *v, hn_error *error) {
    const struct controller *c = &r->controllers[r->count - 1], *with = r->count > 1 ? &r->controllers[0] : NULL;
    double typical = NAN;
    *v = (struct rollout_verdict){.mean = NAN, .worst = NAN};
    for (size_t start = 0; start < r->starts; start++)
        v->diverged += diverges(r, c, with, start);
    hn_status status = with ? typical_cost(r, with, &typical, error) : HN_OK;
    if (status != HN_OK || isnan(typical))
        return status;
    v->mean = (c->total.cost - with->total.cost) / fmax(fabs(with->total.cost), 1e-8);
    for (size_t start = 0; start < r->starts; start++) {
        double more = excess(c, with, start, typical);
        v->near += more <= NEAR;
        if (start == 0 || isnan(more) || more > v->worst) {
            v->worst = more;
            v->worst_start = start;
        }
    }
    return HN_OK;
}

/* ---- the verdict ---- */

static const char *plus(double number) {
    return number >= 0 ? "+" : "";
}

static void print_verdict(const struct rollout *r, const struct rollout_verdict *v) {
    const struct controller *c = &r->controllers[r->count - 1];
    report_heading("The network%s%s, loop by loop", r->count > 1 ? " against " : "",
                   r->count > 1 ? r->options->judging.reference : "");
    if (!isnan(v->mean))
        printf("  cost        %s%s %% in the mean; %zu of %zu loop%s within %g %%, the worst %s%s %% (start %zu)\n",
               plus(v->mean), figures_percent(v->mean).text, v->near, r->starts, report_plural(r->starts), 100 * NEAR,
               plus(v->worst), figures_percent(v->worst).text, v->worst_start);
    printf("  violation   at most %.3g, %zu of %zu steps ok\n", c->total.violation, c->total.ok, c->total.steps);
    printf("  diverged    %zu of %zu loop%s\n", v->diverged, r->starts, report_plural(r->starts));
    printf("  outside     %zu of %zu states, in %zu of %zu loop%s\n", c->total.outside.beyond, c->total.outside.rows,
           c->total.loops_outside, r->starts, report_plural(r->starts));
}

static int closed_loop_finish(struct rollout *r) {
    hn_error error = {.status = HN_OK};
    struct rollout_verdict verdict;
    const struct controller *c = &r->controllers[r->count - 1];
    if (closed_loop_compare(r, &verdict, &error) != HN_OK)
        return verb_explain(&error);
    r->verdict = &verdict;
    hn_status status = r->options->judging.report ? rollout_write_json(r, r->options->judging.report, &error) : HN_OK;
    r->verdict = NULL;
    rollout_print(r);
    print_verdict(r, &verdict);
    if (status != HN_OK)
        return verb_explain(&error);
    bool ok = c->total.ok == c->total.steps || r->options->judging.allow_infeasible;
    bool stays = rollout_stays(r) && (verdict.diverged == 0 || r->options->allow_outside);
    return ok && stays ? VERB_OK : VERB_NOT_OK;
}

static int drive(struct rollout *r, double tolerance) {
    hn_error error = {.status = HN_OK};
    int code = rollout_setup(r);
    if (code != VERB_OK)
        return code;
    r->controllers[r->count - 1].tolerance = tolerance;
    interrupt_begin();
    hn_status status = rollout_run(r, &error);
    bool interrupted = interrupt_came();
    interrupt_end();
    if (status != HN_OK)
        return verb_explain(&error);
    if (!interrupted)
        return closed_loop_finish(r);
    console_error("interrupted; nothing was written");
    return VERB_INTERRUPTED;
}

int closed_loop(struct eval_options *options, const hn_model *model) {
    struct rollout_options wanted = {.steps = 0};
    struct rollout rollout = {.options = &wanted, .model = model};
    int code = closed_loop_settle(&wanted, options, model);
    if (code == VERB_OK)
        code = drive(&rollout, options->tolerance);
    rollout_end(&rollout);
    base_release(wanted.nets.items);
    return code;
}
