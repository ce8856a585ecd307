/* point_table.c - see point_table.h.
 *
 * SPDX-License-Identifier: MIT */
#include "check/point_table.h"

#include "base/memory.h"
#include "base/size.h"
#include "core/residual.h"

#include <math.h>
#include <string.h>

hn_quantity board_quantity(enum board_part part, int k) {
    static const hn_quantity stacked[BOARD_PARTS][BOARD_STACK] = {
        {HN_QUANTITY_ROWS, HN_QUANTITY_OBJECTIVE, HN_QUANTITY_LOWER, HN_QUANTITY_UPPER},
        {HN_QUANTITY_JACOBIAN_Y, HN_QUANTITY_GRADIENT_Y, HN_QUANTITY_COUNT, HN_QUANTITY_COUNT},
        {HN_QUANTITY_JACOBIAN_X, HN_QUANTITY_GRADIENT_X, HN_QUANTITY_LOWER_X, HN_QUANTITY_UPPER_X},
    };
    return stacked[part][k];
}

/* ---- boards ---- */

static size_t bytes_of(const struct check *check, unsigned parts) {
    bool values = (parts & 1u << BOARD_VALUES) != 0, derivatives = parts >> BOARD_BY_Y != 0;
    return evaluator_workspace(check->evaluator, values << PIECE_VALUES | derivatives << PIECE_FIRST);
}

size_t board_bytes(const struct check *check) {
    return bytes_of(check, 1u << BOARD_VALUES);
}

static double *allocate_numbers(size_t count) {
    return base_allocate(size_product(size_sum(count, 1), CHECK_MOST * sizeof(double)));
}

bool board_create(struct board *board, struct check *check, unsigned parts) {
    const size_t counts[BOARD_PARTS] = {check->values, check->by_y.count, check->by_x.count};
    size_t bytes = bytes_of(check, parts);
    *board = (struct board){.check = check};
    board->workspace = bytes ? base_allocate(bytes) : NULL;
    board->x = allocate_numbers(check->inputs);
    board->y = allocate_numbers(check->columns);
    bool complete = board->workspace && board->x && board->y;
    for (int part = 0; part < BOARD_PARTS; part++)
        if ((parts & 1u << part) != 0) {
            board->result[part] = allocate_numbers(counts[part]);
            complete = complete && board->result[part];
        }
    if (complete) {
        memset(board->x, 0, (check->inputs + 1) * CHECK_MOST * sizeof *board->x);
        memset(board->y, 0, (check->columns + 1) * CHECK_MOST * sizeof *board->y);
    } else {
        board_release(board);
        check_starve(check);
    }
    return complete;
}

void board_release(struct board *board) {
    base_release(board->workspace);
    base_release(board->x);
    base_release(board->y);
    for (int part = 0; part < BOARD_PARTS; part++)
        base_release(board->result[part]);
    *board = (struct board){.check = NULL};
}

void board_place(const struct board *board, size_t point, const double *x, const double *y) {
    size_t inputs = board->check->inputs, columns = board->check->columns;
    if (inputs)
        memcpy(board->x + point * inputs, x, inputs * sizeof *x);
    memcpy(board->y + point * columns, y, columns * sizeof *y);
}

void board_run(const struct board *board) {
    const hn_evaluator *evaluator = board->check->evaluator;
    hn_evaluation evaluation = {.size = sizeof evaluation, .count = CHECK_MOST, .x = board->x, .y = board->y};
    for (int part = 0; part < BOARD_PARTS; part++) {
        double *next = board->result[part];
        for (int k = 0; k < BOARD_STACK && next; k++) {
            hn_quantity q = board_quantity((enum board_part)part, k);
            if (q == HN_QUANTITY_COUNT || evaluator->quantity[q].piece == PIECES)
                continue;
            evaluation.values[q] = next;
            next += evaluator->quantity[q].count * CHECK_MOST;
        }
    }
    evaluator_run_across(evaluator, &evaluation, board->workspace);
}

/* ---- probes: r, V and J' r ---- */

bool probe_create(struct probe *probe, struct check *check) {
    *probe = (struct probe){.check = check};
    probe->residual = check_take(check, check->rows, CHECK_MOST * sizeof *probe->residual);
    probe->gradient = check_take(check, check->columns, CHECK_MOST * sizeof *probe->gradient);
    return check->status == HN_OK && board_create(&probe->board, check, 1u << BOARD_VALUES | 1u << BOARD_BY_Y);
}

static void add_row(struct probe *probe, size_t i) {
    const struct board *board = &probe->board;
    const struct check_matrix *j = &probe->check->by_y;
    size_t lower = probe->check->functions + i, upper = lower + probe->check->rows;
    double *r = probe->residual + i * CHECK_MOST;
    for (size_t sample = 0; sample < CHECK_MOST; sample++) {
        r[sample] = residual_of(board_at(board, BOARD_VALUES, i)[sample], board_at(board, BOARD_VALUES, lower)[sample],
                                board_at(board, BOARD_VALUES, upper)[sample]);
        probe->energy[sample] += r[sample] * r[sample] / 2;
        if (!(fabs(r[sample]) <= probe->violation[sample]))
            probe->violation[sample] = fabs(r[sample]);
    }
    for (size_t e = j->first[i]; e < j->first[i + 1]; e++) {
        const double *entry = board_at(board, BOARD_BY_Y, e);
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
