/* point_table.h - evaluates at CHECK_MOST points side by side; the results of one function are contiguous.
 *
 * A board evaluates functions and derivatives; a probe adds r, V = |r|^2 / 2 and its gradient J' r.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CHECK_POINT_TABLE_H
#define HN_CHECK_POINT_TABLE_H

#include "check/check_parts.h"

/* Parts of the results: functions and bounds; the entries of by_y; those of by_x. */
enum board_part { BOARD_VALUES, BOARD_BY_Y, BOARD_BY_X, BOARD_PARTS };

/* A part stacks up to so many quantities, in the order of the functions: rows, objective, lower and upper bounds.
 * HN_QUANTITY_COUNT: none. */
enum { BOARD_STACK = 4 };
hn_quantity board_quantity(enum board_part part, int k);

struct board {
    const struct check *check;
    void *workspace;
    double *x, *y;               /* CHECK_MOST x inputs, CHECK_MOST x columns: the points */
    double *result[BOARD_PARTS]; /* x CHECK_MOST: values, entries of by_y, of by_x */
};

/* Evaluates these parts (bits 1 << part). False when out of memory. */
bool board_create(struct board *board, struct check *check, unsigned parts);
void board_release(struct board *board);

/* Bytes of a workspace for BOARD_VALUES. */
size_t board_bytes(const struct check *check);

void board_place(const struct board *board, size_t point, const double *x, const double *y);
void board_run(const struct board *board);

/* The CHECK_MOST numbers of result `i` of a part. */
static inline const double *board_at(const struct board *board, enum board_part part, size_t i) {
    return board->result[part] + i * CHECK_MOST;
}

/* Vectors have CHECK_MOST numbers for each entry. */
struct probe {
    const struct check *check;
    struct board board;
    double *residual;                                 /* rows: NaN if c or a bound is not finite */
    double *gradient;                                 /* columns: J' r */
    double energy[CHECK_MOST], violation[CHECK_MOST]; /* V, max |r| */
};

/* board_release releases its board. */
bool probe_create(struct probe *probe, struct check *check);

/* Call after board_place for every point; afterwards the board contains c, the bounds and J. */
void probe_run(struct probe *probe);

#endif
