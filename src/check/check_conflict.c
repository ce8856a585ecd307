/* check_conflict.c - an irreducible set of groups for which no common point is found, by deletion. See check_parts.h.
 *
 * A set of groups is in conflict if auto, restarts included, does not correct the start on the rows of these groups
 * only. This depends on auto and this start; it is not a proof. Starting from all groups, a deletion filter drops
 * groups while the conflict persists (in blocks first if there are many), until dropping any single one resolves it. If
 * there are few groups, all smaller sets are then tried, except subsets of a set that was corrected.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "check/check_parts.h"
#include "model/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double WORK_LIMIT = 3e9;
enum { FEW_GROUPS = 12 };

enum answer { CORRECTABLE, CONFLICTING, UNKNOWN };

/* A set that was corrected. */
struct known {
    struct known *next;
    unsigned char *keep;
};

struct search {
    struct check *check;
    hn_check_conflict *conflict;
    size_t groups, *order;      /* the order in which groups are dropped */
    unsigned char *set, *trial; /* groups: the conflicting set so far, the current candidate */
    struct known *known;
    double work;
    double *y, *residual; /* result of the last set; residual of its rows */
};

/* ---- a model with the rows of some groups only, and all inputs and outputs ----
 *
 * Nodes are copied from graph to graph: start and fixed value of every output, then lower bound, body and upper bound of
 * every row kept. Definitions and fixed outputs are replaced by their values. The objective and the requirements on
 * inputs are omitted, because the layer does not use them. */

enum { PER_OUTPUT = 2, PER_ROW = 3, EXTRA_NODES = 16 /* initial constants of new outputs */ };

static bool is_kept(const struct check *check, const unsigned char *keep, size_t row) {
    return keep[check->model->rows[row].group] != 0;
}

static uint32_t *list_roots(const struct check *check, const unsigned char *keep, size_t *count) {
    const hn_model *model = check->model;
    size_t capacity = 0, n = 0;
    uint32_t *roots =
        array_grow(NULL, &capacity, PER_OUTPUT * check->columns + PER_ROW * check->rows + 1, sizeof *roots);
    for (size_t j = 0; roots && j < check->columns; j++) {
        roots[n++] = model->outputs[j].start;
        roots[n++] = model->outputs[j].fixed;
    }
    for (size_t i = 0; roots && i < check->rows; i++)
        if (is_kept(check, keep, i)) {
            roots[n++] = model->rows[i].lower;
            roots[n++] = model->rows[i].body;
            roots[n++] = model->rows[i].upper;
        }
    *count = n;
    return roots;
}

static void add_leaves(hn_model *to, const struct check *check) {
    for (size_t i = 0; i < check->inputs; i++)
        hn_input(to, check->model->inputs[i].name);
    for (size_t j = 0; j < check->columns; j++)
        hn_output(to, check->model->outputs[j].name);
}

static void set_outputs(hn_model *to, const struct check *check, const uint32_t *roots) {
    for (size_t j = 0; j < check->columns; j++, roots += PER_OUTPUT) {
        hn_expr output = {to, to->outputs[j].node};
        hn_output_start(output, (hn_expr){to, roots[0]});
        if (roots[1] != 0)
            hn_output_fix(output, (hn_expr){to, roots[1]});
    }
}

/* Names are unique: the bounds of an output must be added as such. */
static void add_rows(hn_model *to, const struct check *check, const unsigned char *keep, const uint32_t *roots) {
    for (size_t i = 0; i < check->rows; i++) {
        size_t column;
        if (!is_kept(check, keep, i))
            continue;
        hn_expr lower = {to, roots[0]}, body = {to, roots[1]}, upper = {to, roots[2]};
        if (check_is_bound(check, i, &column))
            hn_output_between((hn_expr){to, to->outputs[column].node}, lower, upper);
        else
            hn_constrain_between(to, check->model->rows[i].name, lower, body, upper);
        roots += PER_ROW;
    }
}

static hn_status fill_relaxed(hn_model *to, const struct check *check, const unsigned char *keep, hn_error *error) {
    size_t count;
    uint32_t *roots = list_roots(check, keep, &count);
    if (!roots)
        return error_no_memory(error, "a relaxed model");
    add_leaves(to, check);
    hn_status status = hn_model_status(to, error);
    if (status == HN_OK)
        status = model_import(check->model, &to->graph, roots, count, error);
    if (status == HN_OK) {
        set_outputs(to, check, roots);
        add_rows(to, check, keep, roots + PER_OUTPUT * check->columns);
        status = hn_model_finish(to, error);
    }
    base_release(roots);
    return status;
}

static hn_status relax_model(hn_model **out, const struct check *check, const unsigned char *keep, hn_error *error) {
    hn_model_options options = hn_model_defaults();
    options.max_nodes = check->model->graph.max_nodes + EXTRA_NODES;
    hn_status status = hn_model_create(out, &options, error);
    if (status == HN_OK)
        status = fill_relaxed(*out, check, keep, error);
    if (status != HN_OK) {
        hn_model_destroy(*out);
        *out = NULL;
    }
    return status;
}

/* ---- sets ---- */

static size_t size_of(const struct search *s, const unsigned char *set) {
    size_t count = 0;
    for (size_t g = 0; g < s->groups; g++)
        count += set[g];
    return count;
}

static bool is_inside(const struct search *s, const unsigned char *inner, const unsigned char *outer) {
    for (size_t g = 0; g < s->groups; g++)
        if (inner[g] && !outer[g])
            return false;
    return true;
}

static bool is_inside_known(const struct search *s, const unsigned char *set) {
    for (const struct known *known = s->known; known; known = known->next)
        if (is_inside(s, set, known->keep))
            return true;
    return false;
}

static bool is_known(const struct search *s, const unsigned char *set) {
    for (const struct known *known = s->known; known; known = known->next)
        if (memcmp(set, known->keep, s->groups) == 0)
            return true;
    return false;
}

static void remember(struct search *s, const unsigned char *set) {
    struct known *known = check_take(s->check, 1, sizeof *known);
    unsigned char *keep = check_take(s->check, s->groups, 1);
    if (!known || !keep)
        return;
    memcpy(keep, set, s->groups);
    *known = (struct known){s->known, keep};
    s->known = known;
}

/* ---- trying ---- */

static hn_status run_relaxed(struct search *s, const hn_model *model, hn_report *report, hn_error *error) {
    hn_layer *layer = NULL;
    hn_layer_options options = hn_layer_defaults();
    options.iterations = s->check->found.correction->options.iterations;
    hn_status status = hn_layer_create(&layer, model, &options, error);
    if (status != HN_OK)
        return status;
    const hn_layer_info info = hn_layer_info_of(layer);
    const hn_batch batch = {.size = sizeof batch,
                            .count = 1,
                            .x = s->check->found.x + s->conflict->point * s->check->inputs,
                            .y = s->y,
                            .report_size = sizeof(hn_report),
                            .reports = report,
                            .residual = s->residual};
    status = check_run_layer(layer, &batch, error);
    if (status == HN_OK)
        s->work += check_step_work(&info) * (report->iterations + 1);
    hn_layer_destroy(layer);
    return status;
}

/* Runs auto on a set of groups; the answer is also unknown if no layer can be created for the set. */
static enum answer try_set(struct search *s, const unsigned char *set) {
    struct check *check = s->check;
    hn_model *model = NULL;
    hn_error own = {.status = HN_OK};
    hn_report report = {.outcome = HN_OUTCOME_OK};
    if (s->work > WORK_LIMIT)
        return UNKNOWN;
    s->conflict->solves++;
    s->work += CHECK_WORK_PER_NODE * (double)hn_model_node_count(check->model);
    hn_status status = relax_model(&model, check, set, &own);
    if (status == HN_OK)
        status = run_relaxed(s, model, &report, &own);
    hn_model_destroy(model);
    if (status == HN_NO_MEMORY)
        check->status = error_set(check->error, status, "%s", own.text);
    if (status != HN_OK)
        return UNKNOWN;
    if (report.outcome == HN_OUTCOME_OK)
        remember(s, set);
    return report.outcome == HN_OUTCOME_OK ? CORRECTABLE : CONFLICTING;
}

/* ---- dropping ---- */

/* Tries the set without `count` groups of the order, and keeps it if the conflict persists. */
static enum answer drop(struct search *s, size_t first, size_t count) {
    memcpy(s->trial, s->set, s->groups);
    for (size_t i = first; i < first + count && i < s->groups; i++)
        s->trial[s->order[i]] = 0;
    size_t left = size_of(s, s->trial);
    if (left == 0 || left == size_of(s, s->set) || is_known(s, s->trial))
        return CORRECTABLE;
    enum answer answer = try_set(s, s->trial);
    if (answer == CONFLICTING)
        memcpy(s->set, s->trial, s->groups);
    return answer;
}

/* One pass, true if a group was dropped; minimal is false once the effort is used up. */
static bool drop_all(struct search *s, size_t lump) {
    bool changed = false;
    for (size_t first = 0; first < s->groups && s->conflict->minimal; first += lump) {
        enum answer answer = drop(s, first, lump);
        changed = changed || answer == CONFLICTING;
        s->conflict->minimal = answer != UNKNOWN;
    }
    return changed;
}

static void shrink(struct search *s) {
    s->conflict->minimal = true;
    for (size_t lump = s->groups / 4; lump > FEW_GROUPS / 4; lump /= 4)
        drop_all(s, lump);
    while (s->conflict->minimal && drop_all(s, 1))
        continue;
}

/* ---- smaller sets ---- */

static size_t unpack(const struct search *s, unsigned bits) {
    size_t size = 0;
    for (size_t g = 0; g < s->groups; g++)
        size += s->trial[g] = bits >> g & 1u;
    return size;
}

static enum answer search_of_size(struct search *s, size_t size) {
    enum answer answer = CORRECTABLE;
    for (unsigned bits = 1; bits < 1u << s->groups && answer == CORRECTABLE; bits++)
        if (unpack(s, bits) == size && !is_inside_known(s, s->trial))
            answer = try_set(s, s->trial);
    return answer;
}

static void search_smaller(struct search *s) {
    enum answer answer = CORRECTABLE;
    size_t most = size_of(s, s->set);
    if (s->groups > FEW_GROUPS || !s->conflict->minimal)
        return;
    for (size_t size = 1; size < most && answer == CORRECTABLE; size++)
        answer = search_of_size(s, size);
    if (answer == CONFLICTING)
        memcpy(s->set, s->trial, s->groups);
    s->conflict->smallest = answer != UNKNOWN;
}

/* ---- the result ---- */

static int by_violation(const void *a, const void *b) {
    const hn_check_violated *one = a, *other = b;
    if (one->violation != other->violation)
        return one->violation > other->violation ? -1 : 1;
    return one->row < other->row ? -1 : one->row > other->row;
}

/* The rows of the relaxed model are in the same order as in the whole one. */
static void name_rows(struct search *s) {
    struct check *check = s->check;
    hn_check_conflict *conflict = s->conflict;
    const double *residual = s->residual;
    for (size_t i = 0; i < check->rows; i++) {
        if (!s->set[hn_model_row(check->model, i).group])
            continue;
        double violation = fabs(*residual++);
        if (!(violation <= check->found.correction->options.tolerance))
            conflict->rows[conflict->violated++] = (hn_check_violated){i, isfinite(violation) ? violation : INFINITY};
    }
    qsort(conflict->rows, conflict->violated, sizeof *conflict->rows, by_violation);
}

static void conclude(struct search *s) {
    for (size_t g = 0; g < s->groups; g++)
        if (s->set[g])
            s->conflict->groups[s->conflict->count++] = g;
    s->work = 0; /* this layer is required, regardless of the effort so far */
    s->conflict->solves--;
    if (try_set(s, s->set) == CONFLICTING)
        name_rows(s);
}

/* ---- setting up ---- */

static bool is_violated(const struct check *check, size_t point, size_t g) {
    hn_group_info group = hn_model_group(check->model, g);
    const double *residual = check->found.correction->residual + point * check->rows;
    for (size_t i = group.first; i < group.first + group.count; i++)
        if (!(fabs(residual[i]) <= check->found.correction->options.tolerance))
            return true;
    return false;
}

/* Groups that are satisfied at the end of the correction come first: they are least likely to be part of the
 * conflict. */
static void choose_order(struct search *s) {
    size_t n = 0;
    for (int violated = 0; violated < 2; violated++)
        for (size_t g = 0; g < s->groups; g++)
            if (is_violated(s->check, s->conflict->point, g) == (violated == 1))
                s->order[n++] = g;
}

static void reserve_sets(struct search *s) {
    struct check *check = s->check;
    s->order = check_take(check, s->groups, sizeof *s->order);
    s->set = check_take(check, s->groups, 1);
    s->trial = check_take(check, s->groups, 1);
    s->y = check_take(check, check->columns, sizeof *s->y);
    s->residual = check_take(check, check->rows, sizeof *s->residual);
    s->conflict->groups = check_take(check, s->groups, sizeof *s->conflict->groups);
    s->conflict->rows = check_take(check, check->rows, sizeof *s->conflict->rows);
}

/* The name of an entry of x or, after those, of y. */
static const char *entry_name(const struct check *check, size_t entry) {
    return entry < check->inputs ? hn_model_input(check->model, entry).name
                                 : hn_model_output(check->model, entry - check->inputs).name;
}

/* The reason to skip the search, or NULL. A single attempt must be well within the limit. */
static const char *reason_against(struct check *check) {
    const hn_check_correction *c = check->found.correction;
    const hn_report *report = &c->reports[c->failed];
    double nodes = (double)hn_model_node_count(check->model), steps = report->iterations + 1;
    if (report->outcome == HN_OUTCOME_NONFINITE_INPUT && report->culprit < check->inputs + check->columns)
        return check_format(check, "the start of %s is not finite", entry_name(check, report->culprit));
    if (check_step_work(&c->info) * steps + CHECK_WORK_PER_NODE * nodes > WORK_LIMIT / 2)
        return "the model is too large for this search";
    return NULL;
}

void check_conflict(struct check *check) {
    const hn_check_correction *c = check->found.correction;
    if (c->why_not || c->failed == c->count)
        return;
    hn_check_conflict *conflict = check->found.conflict = check_take(check, 1, sizeof *conflict);
    if (!conflict)
        return;
    check_stage(check, "searching for conflicting groups");
    conflict->point = c->failed;
    conflict->why_not = reason_against(check);
    if (conflict->why_not)
        return;
    struct search search = {.check = check, .conflict = conflict, .groups = hn_model_group_count(check->model)};
    reserve_sets(&search);
    if (check->status != HN_OK)
        return;
    memset(search.set, 1, search.groups);
    choose_order(&search);
    shrink(&search);
    search_smaller(&search);
    conclude(&search);
}
