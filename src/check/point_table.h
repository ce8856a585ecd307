/* point_table.h - evaluates at up to CHECK_MOST points side by side; the results of one function are contiguous.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CHECK_POINT_TABLE_H
#define HN_CHECK_POINT_TABLE_H

#include "check/check_parts.h"

/* Requested results: functions and bounds; the entries of by_y; those of by_x. */
enum { BOARD_VALUES = 1, BOARD_BY_Y = 2, BOARD_BY_X = 4 };

struct board {
    const struct check *check;
    int parts;
    void *workspace;
    double *x, *y;  /* CHECK_MOST x inputs, CHECK_MOST x columns: the points */
    double *across; /* (values, entries of by_y, of by_x) x CHECK_MOST */
};

hn_status board_create(struct board *board, const struct check *check, int parts, hn_error *error);
void board_release(struct board *board);

/* Bytes of a table's workspace. */
size_t board_bytes(const struct check *check, int parts);

void board_place(const struct board *board, size_t point, const double *x, const double *y);
void board_run(const struct board *board);

/* The CHECK_MOST numbers of a function or bound, of a nonzero of by_y, of by_x. */
const double *board_value(const struct board *board, size_t value);
const double *board_by_y(const struct board *board, size_t entry);
const double *board_by_x(const struct board *board, size_t entry);

#endif
