/* factor_list.h - writes the streams that the kernels execute.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_FACTOR_LIST_H
#define HN_LINALG_FACTOR_LIST_H

#include "linalg/border.h"
#include "linalg/damped_system.h"
#include "linalg/symbolic.h"

struct list_request {
    const struct damped_request *system;
    const struct vectors *rows, *columns; /* of M, without columns kept out */
    const struct border *border;          /* NULL: no columns kept out */
    const struct symbolic *symbolic;      /* NULL: dense, natural order */
    uint32_t constants;                   /* offset of the first slot for constants */
};

/* FACTOR_LISTED. For each column j of L, in order:
 *     entries below | entries of row j | offset of the shift | pairs of h_jj | these pairs ...
 *     for each entry of row j: offset of l_jk, offset of -n_jk, offset of unknown k
 *     for each entry below: offset of -n_ij | offset of the known part | pairs | these pairs ...
 * FACTOR_DENSE and FACTOR_WALKED: the sums of h, row by row, columns ascending, the diagonal last:
 *     dense:  (offset of the known part | pairs | pairs ...) for every column up to the diagonal
 *     walked: entries, then (column | offset of the known part | pairs | pairs ...) for each of them */
hn_status factor_list(struct damped *system, const struct list_request *request, hn_error *error);

size_t negated_slots(const struct symbolic *symbolic); /* slots for -L D that are live at the same time */

#endif
