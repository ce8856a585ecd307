/* pattern.c - see pattern.h.
 *
 * SPDX-License-Identifier: MIT */
#include "check/pattern.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

size_t pattern_place(size_t index, size_t count, size_t cells) {
    return count <= cells ? index : (size_t)((double)index * (double)cells / (double)count);
}

hn_status pattern_create(struct pattern *pattern, struct check_view *check, size_t most_height, size_t most_width,
                         hn_error *error) {
    size_t m = check->found->rows, n = check->found->outputs;
    *pattern = (struct pattern){.height = m < most_height ? m : most_height, .width = n < most_width ? n : most_width};
    pattern->cells = arena_take(&check->arena, pattern->height + 1, (pattern->width + 1) * sizeof *pattern->cells);
    if (!pattern->cells)
        return error_no_memory(error, "pattern");
    memset(pattern->cells, 0, pattern->height * pattern->width * sizeof *pattern->cells);
    for (size_t i = 0; i < m; i++)
        for (size_t e = check->found->jacobian.first[i]; e < check->found->jacobian.first[i + 1]; e++) {
            size_t line = pattern_place(i, m, pattern->height);
            size_t place = pattern_place(check->found->jacobian.column[e], n, pattern->width);
            struct pattern_cell *cell = &pattern->cells[line * pattern->width + place];
            cell->count++;
            cell->varies = cell->varies || isnan(check->found->jacobian.constant[e]);
        }
    return HN_OK;
}
