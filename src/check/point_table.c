/* point_table.c - see point_table.h.
 *
 * SPDX-License-Identifier: MIT */
#include "check/point_table.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"

#include <string.h>

/* The quantities in the order of the functions: rows, objective, lower and upper bounds. */
static const hn_quantity by_part[3][4] = {
    {HN_QUANTITY_ROWS, HN_QUANTITY_OBJECTIVE, HN_QUANTITY_LOWER, HN_QUANTITY_UPPER},
    {HN_QUANTITY_JACOBIAN_Y, HN_QUANTITY_GRADIENT_Y, HN_QUANTITY_COUNT, HN_QUANTITY_COUNT},
    {HN_QUANTITY_JACOBIAN_X, HN_QUANTITY_GRADIENT_X, HN_QUANTITY_LOWER_X, HN_QUANTITY_UPPER_X},
};

static size_t part_count(const struct check *check, int part) {
    return part == 0 ? check->values : part == 1 ? check->by_y.count : check->by_x.count;
}

static bool has(const struct board *board, int part) {
    return (board->parts & 1 << part) != 0;
}

size_t board_bytes(const struct check *check, int parts) {
    return evaluator_workspace(check->evaluator, ((parts & BOARD_VALUES) != 0) << PIECE_VALUES |
                                                     ((parts & (BOARD_BY_Y | BOARD_BY_X)) != 0) << PIECE_FIRST);
}

static double *point_table_take(size_t count) {
    return base_allocate(size_product(size_sum(count, 1), CHECK_MOST * sizeof(double)));
}

static size_t count_results(const struct board *board) {
    size_t count = 0;
    for (int part = 0; part < 3; part++)
        count += has(board, part) ? part_count(board->check, part) : 0;
    return count;
}

hn_status board_create(struct board *board, const struct check *check, int parts, hn_error *error) {
    *board = (struct board){.check = check, .parts = parts};
    size_t bytes = board_bytes(check, parts);
    board->workspace = bytes ? base_allocate(bytes) : NULL;
    board->x = point_table_take(check->inputs);
    board->y = point_table_take(check->columns);
    board->across = point_table_take(count_results(board));
    if (board->across && board->workspace && board->x && board->y) {
        memset(board->x, 0, (check->inputs + 1) * CHECK_MOST * sizeof *board->x);
        memset(board->y, 0, (check->columns + 1) * CHECK_MOST * sizeof *board->y);
        return HN_OK;
    }
    board_release(board);
    return error_no_memory(error, "check");
}

void board_release(struct board *board) {
    base_release(board->workspace);
    base_release(board->x);
    base_release(board->y);
    base_release(board->across);
    *board = (struct board){.parts = 0};
}

void board_place(const struct board *board, size_t point, const double *x, const double *y) {
    size_t inputs = board->check->inputs, columns = board->check->columns;
    if (inputs)
        memcpy(board->x + point * inputs, x, inputs * sizeof *x);
    memcpy(board->y + point * columns, y, columns * sizeof *y);
}

/* ---- running ---- */

void board_run(const struct board *board) {
    const hn_evaluator *evaluator = board->check->evaluator;
    hn_evaluation evaluation = {.size = sizeof evaluation, .count = CHECK_MOST, .x = board->x, .y = board->y};
    double *next = board->across;
    for (int part = 0; part < 3; part++)
        for (int k = 0; k < 4 && has(board, part); k++) {
            hn_quantity q = by_part[part][k];
            if (q == HN_QUANTITY_COUNT || evaluator->quantity[q].piece == PIECES)
                continue;
            evaluation.values[q] = next;
            next += evaluator->quantity[q].count * CHECK_MOST;
        }
    evaluator_run_across(evaluator, &evaluation, board->workspace);
}

/* ---- results ---- */

const double *board_value(const struct board *board, size_t value) {
    return board->across + value * CHECK_MOST;
}

const double *board_by_y(const struct board *board, size_t entry) {
    return board_value(board, (has(board, 0) ? board->check->values : 0) + entry);
}

const double *board_by_x(const struct board *board, size_t entry) {
    return board_by_y(board, (has(board, 1) ? board->check->by_y.count : 0) + entry);
}
