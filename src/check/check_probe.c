/* check_probe.c - see check_probe.h.
 *
 * SPDX-License-Identifier: MIT */
#include "check/check_probe.h"

#include "base/error.h"
#include "core/residual.h"

#include <math.h>
#include <string.h>

hn_status probe_create(struct probe *probe, struct check *check, hn_error *error) {
    *probe = (struct probe){.check = check};
    probe->residual = arena_take(&check->arena, check->rows + 1, CHECK_MOST * sizeof *probe->residual);
    probe->gradient = arena_take(&check->arena, check->columns + 1, CHECK_MOST * sizeof *probe->gradient);
    if (!probe->residual || !probe->gradient)
        return error_no_memory(error, "check");
    return board_create(&probe->board, check, BOARD_VALUES | BOARD_BY_Y, error);
}

void probe_release(struct probe *probe) {
    board_release(&probe->board);
}

void probe_place(const struct probe *probe, size_t sample, const double *x, const double *y) {
    board_place(&probe->board, sample, x, y);
}

const double *probe_entry(const struct probe *probe, size_t entry) {
    return board_by_y(&probe->board, entry);
}

const double *probe_value(const struct probe *probe, size_t row) {
    return board_value(&probe->board, row);
}

const double *probe_lower(const struct probe *probe, size_t row) {
    return board_value(&probe->board, probe->check->functions + row);
}

const double *probe_upper(const struct probe *probe, size_t row) {
    return probe_lower(probe, probe->check->rows + row);
}

/* ---- r, V and J' r ---- */

static void add_row(struct probe *probe, size_t i) {
    const struct check_matrix *j = &probe->check->by_y;
    const double *lower = probe_lower(probe, i), *value = probe_value(probe, i), *upper = probe_upper(probe, i);
    double *r = probe->residual + i * CHECK_MOST;
    for (size_t sample = 0; sample < CHECK_MOST; sample++) {
        r[sample] = residual_of(value[sample], lower[sample], upper[sample]);
        probe->energy[sample] += r[sample] * r[sample] / 2;
        if (!(fabs(r[sample]) <= probe->violation[sample]))
            probe->violation[sample] = fabs(r[sample]);
    }
    for (size_t e = j->first[i]; e < j->first[i + 1]; e++) {
        const double *entry = probe_entry(probe, e);
        double *g = probe->gradient + (size_t)j->column[e] * CHECK_MOST;
        for (size_t sample = 0; sample < CHECK_MOST; sample++)
            g[sample] += r[sample] != 0 ? entry[sample] * r[sample] : 0; /* a satisfied row does not contribute to V */
    }
}

void probe_run(struct probe *probe) {
    board_run(&probe->board);
    memset(probe->gradient, 0, probe->check->columns * CHECK_MOST * sizeof *probe->gradient);
    memset(probe->energy, 0, sizeof probe->energy);
    memset(probe->violation, 0, sizeof probe->violation);
    for (size_t i = 0; i < probe->check->rows; i++)
        add_row(probe, i);
}
