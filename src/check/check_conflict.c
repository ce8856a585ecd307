/* check_conflict.c - an irreducible set of groups for which no common point is found, by deletion. See check_parts.h.
 *
 * A set of groups is in conflict if auto, restarts included, does not correct the start on the rows of these groups
 * only. That is a statement about auto and this start, not a proof. Starting from all groups, a deletion filter drops
 * groups while the conflict persists (in blocks first if there are many), until dropping any single one resolves it. If
 * there are few groups, all smaller sets are then tried, except subsets of a set that was corrected.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "check/check_parts.h"

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

static bool check_conflict_is_known(const struct search *s, const unsigned char *set) {
    for (const struct known *known = s->known; known; known = known->next)
        if (memcmp(set, known->keep, s->groups) == 0)
            return true;
    return false;
}

static hn_status remember(struct search *s, const unsigned char *set, hn_error *error) {
    struct known *known = arena_take(&s->check->arena, 1, sizeof *known);
    unsigned char *keep = arena_take(&s->check->arena, s->groups, 1);
    if (!known || !keep)
        return error_no_memory(error, "check");
    memcpy(keep, set, s->groups);
    *known = (struct known){s->known, keep};
    s->known = known;
    return HN_OK;
}

/* ---- trying ---- */

static hn_status run_relaxed(struct search *s, const hn_model *model, hn_report *report, hn_error *error) {
    struct check *check = s->check;
    hn_layer *layer = NULL;
    hn_layer_options options = hn_layer_defaults();
    options.iterations = check->correction->options.iterations;
    hn_status status = hn_layer_create(&layer, model, &options, error);
    if (status == HN_OK) {
        hn_batch batch = {.size = sizeof batch,
                          .count = 1,
                          .y = s->y,
                          .report_size = sizeof(hn_report),
                          .reports = report,
                          .residual = s->residual};
        batch.x = check->x + s->conflict->point * check->inputs;
        status = check_run_layer(layer, &batch, error);
    }
    if (status == HN_OK) {
        hn_layer_info info = hn_layer_info_of(layer);
        s->work += check_step_work(&info) * (report->iterations + 1);
    }
    hn_layer_destroy(layer);
    return status;
}

/* Runs auto on a set of groups; the answer is also unknown if no layer can be created for the set. */
static hn_status try_set(struct search *s, const unsigned char *set, enum answer *answer, hn_error *error) {
    hn_model *model = NULL;
    hn_error own = {.status = HN_OK};
    hn_report report = {.outcome = HN_OUTCOME_OK};
    *answer = UNKNOWN;
    if (s->work > WORK_LIMIT)
        return HN_OK;
    s->conflict->solves++;
    s->work += CHECK_WORK_PER_NODE * (double)hn_model_node_count(s->check->model);
    hn_status status = relax_model(&model, s->check, set, &own);
    if (status == HN_OK)
        status = run_relaxed(s, model, &report, &own);
    hn_model_destroy(model);
    if (status == HN_NO_MEMORY)
        return error_set(error, status, "%s", own.text);
    if (status != HN_OK)
        return HN_OK;
    *answer = report.outcome == HN_OUTCOME_OK ? CORRECTABLE : CONFLICTING;
    return *answer == CORRECTABLE ? remember(s, set, error) : HN_OK;
}

/* ---- dropping ---- */

/* Tries the set without `count` groups of the order, and keeps it if the conflict persists. */
static hn_status check_conflict_drop(struct search *s, size_t first, size_t count, enum answer *answer,
                                     hn_error *error) {
    memcpy(s->trial, s->set, s->groups);
    for (size_t i = first; i < first + count && i < s->groups; i++)
        s->trial[s->order[i]] = 0;
    *answer = CORRECTABLE;
    size_t left = size_of(s, s->trial);
    if (left == 0 || left == size_of(s, s->set) || check_conflict_is_known(s, s->trial))
        return HN_OK;
    hn_status status = try_set(s, s->trial, answer, error);
    if (status == HN_OK && *answer == CONFLICTING)
        memcpy(s->set, s->trial, s->groups);
    return status;
}

/* One pass; changed: a group was dropped; minimal is false once the effort is used up. */
static hn_status drop_all(struct search *s, size_t lump, bool *changed, hn_error *error) {
    hn_status status = HN_OK;
    *changed = false;
    for (size_t first = 0; first < s->groups && status == HN_OK && s->conflict->minimal; first += lump) {
        enum answer answer;
        status = check_conflict_drop(s, first, lump, &answer, error);
        *changed = *changed || answer == CONFLICTING;
        s->conflict->minimal = answer != UNKNOWN;
    }
    return status;
}

static hn_status shrink(struct search *s, hn_error *error) {
    bool changed = true;
    hn_status status = HN_OK;
    s->conflict->minimal = true;
    for (size_t lump = s->groups / 4; lump > FEW_GROUPS / 4 && status == HN_OK; lump /= 4)
        status = drop_all(s, lump, &changed, error);
    for (changed = true; changed && s->conflict->minimal && status == HN_OK;)
        status = drop_all(s, 1, &changed, error);
    return status;
}

/* ---- smaller sets ---- */

static size_t unpack(const struct search *s, unsigned bits) {
    size_t size = 0;
    for (size_t g = 0; g < s->groups; g++)
        size += s->trial[g] = bits >> g & 1u;
    return size;
}

static hn_status search_of_size(struct search *s, size_t size, enum answer *answer, hn_error *error) {
    hn_status status = HN_OK;
    *answer = CORRECTABLE;
    for (unsigned bits = 1; bits < 1u << s->groups && status == HN_OK && *answer == CORRECTABLE; bits++)
        if (unpack(s, bits) == size && !is_inside_known(s, s->trial))
            status = try_set(s, s->trial, answer, error);
    return status;
}

static hn_status search_smaller(struct search *s, hn_error *error) {
    enum answer answer = CORRECTABLE;
    hn_status status = HN_OK;
    size_t most = size_of(s, s->set);
    if (s->groups > FEW_GROUPS || !s->conflict->minimal)
        return HN_OK;
    for (size_t size = 1; size < most && status == HN_OK && answer == CORRECTABLE; size++)
        status = search_of_size(s, size, &answer, error);
    if (status == HN_OK && answer == CONFLICTING)
        memcpy(s->set, s->trial, s->groups);
    s->conflict->smallest = answer != UNKNOWN;
    return status;
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
        if (!(violation <= check->correction->options.tolerance))
            conflict->rows[conflict->violated++] = (hn_check_violated){i, isfinite(violation) ? violation : INFINITY};
    }
    qsort(conflict->rows, conflict->violated, sizeof *conflict->rows, by_violation);
}

static hn_status conclude(struct search *s, hn_error *error) {
    enum answer answer;
    for (size_t g = 0; g < s->groups; g++)
        if (s->set[g])
            s->conflict->groups[s->conflict->count++] = g;
    s->work = 0; /* this layer is needed, whatever the effort so far */
    s->conflict->solves--;
    hn_status status = try_set(s, s->set, &answer, error);
    if (status == HN_OK && answer == CONFLICTING)
        name_rows(s);
    return status;
}

/* ---- setting up ---- */

static bool is_violated(const struct check *check, size_t point, size_t g) {
    hn_group_info group = hn_model_group(check->model, g);
    const double *residual = check->correction->residual + point * check->rows;
    for (size_t i = group.first; i < group.first + group.count; i++)
        if (!(fabs(residual[i]) <= check->correction->options.tolerance))
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

static hn_status check_conflict_begin(struct search *s, hn_error *error) {
    struct arena *arena = &s->check->arena;
    hn_check_conflict *conflict = s->conflict;
    size_t rows = s->check->rows + 1;
    s->order = arena_take(arena, s->groups, sizeof *s->order);
    s->set = arena_take(arena, s->groups, 1);
    s->trial = arena_take(arena, s->groups, 1);
    s->y = arena_take(arena, s->check->columns + 1, sizeof *s->y);
    s->residual = arena_take(arena, rows, sizeof *s->residual);
    conflict->groups = arena_take(arena, s->groups, sizeof *conflict->groups);
    conflict->rows = arena_take(arena, rows, sizeof *conflict->rows);
    if (!s->order || !s->set || !s->trial || !s->y || !s->residual || !conflict->groups || !conflict->rows)
        return error_no_memory(error, "check");
    memset(s->set, 1, s->groups);
    choose_order(s);
    return HN_OK;
}

static hn_status check_conflict_find(struct search *s, hn_error *error) {
    hn_status status = check_conflict_begin(s, error);
    if (status == HN_OK)
        status = shrink(s, error);
    if (status == HN_OK)
        status = search_smaller(s, error);
    return status == HN_OK ? conclude(s, error) : status;
}

/* The reason to skip the search, or NULL. A single attempt must fit well into the limit. */
static const char *reason_against(struct check *check) {
    const hn_check_correction *c = check->correction;
    const hn_report *report = &c->reports[c->failed];
    double nodes = (double)hn_model_node_count(check->model), steps = report->iterations + 1;
    if (report->outcome == HN_OUTCOME_NONFINITE_INPUT && report->culprit < check->inputs + check->columns)
        return check_format(check, "the start of %s is not finite", check_entry(check, report->culprit));
    if (check_step_work(&c->info) * steps + CHECK_WORK_PER_NODE * nodes > WORK_LIMIT / 2)
        return "the model is too large for this search";
    return NULL;
}

hn_status check_conflict(struct check *check, hn_error *error) {
    const hn_check_correction *c = check->correction;
    if (c->why_not || c->failed == c->count)
        return HN_OK;
    hn_check_conflict *conflict = arena_take(&check->arena, 1, sizeof *conflict);
    if (!conflict)
        return error_no_memory(error, "check");
    check_stage(check, "searching for conflicting groups");
    *conflict = (hn_check_conflict){.point = c->failed};
    check->conflict = conflict;
    conflict->why_not = reason_against(check);
    if (conflict->why_not)
        return HN_OK;
    struct search search = {.check = check, .conflict = conflict, .groups = hn_model_group_count(check->model)};
    return check_conflict_find(&search, error);
}
