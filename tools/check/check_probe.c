/* check_probe.c - see check_probe.h.
 *
 * SPDX-License-Identifier: MIT */
#include "check/check_probe.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

static uint32_t *list_outputs(struct check *check, size_t *count) {
    size_t entries = check_jacobian_count(check), m = check->rows;
    uint32_t *nodes = arena_take(&check->arena, entries + 3 * m + 1, sizeof *nodes);
    *count = entries + 3 * m;
    if (!nodes)
        return NULL;
    memcpy(nodes, check->by_y.node, entries * sizeof *nodes);
    memcpy(nodes + entries, check->problem.body, m * sizeof *nodes);
    memcpy(nodes + entries + m, check->problem.lower, m * sizeof *nodes);
    memcpy(nodes + entries + 2 * m, check->problem.upper, m * sizeof *nodes);
    return nodes;
}

hn_status probe_create(struct probe *probe, struct check *check, hn_error *error) {
    size_t count;
    *probe = (struct probe){.check = check};
    uint32_t *nodes = list_outputs(check, &count);
    probe->residual = arena_take(&check->arena, check->rows + 1, LANES * sizeof *probe->residual);
    probe->gradient = arena_take(&check->arena, check->columns + 1, LANES * sizeof *probe->gradient);
    if (!nodes || !probe->residual || !probe->gradient)
        return error_no_memory(error, "check");
    hn_status status = check_compile(&probe->program, check, nodes, count, error);
    return status == HN_OK ? runner_create(&probe->runner, probe->program, error) : status;
}

void probe_release(struct probe *probe) {
    runner_release(&probe->runner);
    program_destroy(probe->program);
}

void probe_place(const struct probe *probe, size_t lane, const double *x, const double *y) {
    runner_fill_lane(&probe->runner, SPACE_X, x, lane);
    runner_fill_lane(&probe->runner, SPACE_Y, y, lane);
}

const double *probe_entry(const struct probe *probe, size_t entry) {
    return runner_output(&probe->runner, entry);
}

const double *probe_value(const struct probe *probe, size_t row) {
    return runner_output(&probe->runner, check_jacobian_count(probe->check) + row);
}

const double *probe_lower(const struct probe *probe, size_t row) {
    return probe_value(probe, probe->check->rows + row);
}

const double *probe_upper(const struct probe *probe, size_t row) {
    return probe_value(probe, 2 * probe->check->rows + row);
}

/* ---- r, V and J' r ---- */

static double residual_of(double lower, double value, double upper) {
    return value >= lower && value <= upper ? 0 : value > upper ? value - upper : value - lower;
}

static void add_row(struct probe *probe, size_t i) {
    const struct node_matrix *j = &probe->check->by_y;
    const double *lower = probe_lower(probe, i), *value = probe_value(probe, i), *upper = probe_upper(probe, i);
    double *r = probe->residual + i * LANES;
    for (size_t lane = 0; lane < LANES; lane++) {
        r[lane] = residual_of(lower[lane], value[lane], upper[lane]);
        probe->energy[lane] += r[lane] * r[lane] / 2;
        if (!(fabs(r[lane]) <= probe->violation[lane]))
            probe->violation[lane] = fabs(r[lane]);
    }
    for (size_t e = j->first[i]; e < j->first[i + 1]; e++) {
        const double *entry = probe_entry(probe, e);
        double *g = probe->gradient + (size_t)j->column[e] * LANES;
        for (size_t lane = 0; lane < LANES; lane++)
            g[lane] += r[lane] != 0 ? entry[lane] * r[lane] : 0; /* a row that holds has no part in V */
    }
}

void probe_run(struct probe *probe) {
    runner_run(&probe->runner, 0);
    memset(probe->gradient, 0, probe->check->columns * LANES * sizeof *probe->gradient);
    memset(probe->energy, 0, sizeof probe->energy);
    memset(probe->violation, 0, sizeof probe->violation);
    for (size_t i = 0; i < probe->check->rows; i++)
        add_row(probe, i);
}
