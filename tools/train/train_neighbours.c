/* train_neighbours.c - the labelled inputs that are nearest to an input, in units of the box. See train.h.
 *
 * Compares all labels, or a subset with many inputs: at most WORK numbers.
 *
 * SPDX-License-Identifier: MIT */
#include "base/size.h"
#include "train/train.h"

#include <math.h>

enum { WORK = 200000 };

bool source_scale_inputs(struct train_source *s) {
    s->input_scale = train_numbers(1, s->inputs);
    for (size_t j = 0; s->input_scale && j < s->inputs; j++) {
        hn_input_info input = hn_model_input(s->model, j);
        double width = input.upper - input.lower;
        s->input_scale[j] = isfinite(width) && width > 0 ? 1 / width : 1;
    }
    return s->input_scale != NULL;
}

static double train_neighbours_distance(const struct train_source *s, const double *x, size_t label) {
    double sum = 0;
    for (size_t j = 0; j < s->inputs; j++) {
        double d = (x[j] - s->label_x[label * s->inputs + j]) * s->input_scale[j];
        sum += d * d;
    }
    return sum;
}

size_t source_neighbours(const struct train_source *s, const double *x, size_t nearest[NEIGHBOURS + 1]) {
    double far[NEIGHBOURS + 1];
    size_t found = 0, stride = s->labels * s->inputs / WORK + 1;
    for (size_t label = 0; label < s->labels; label += stride) {
        double d = train_neighbours_distance(s, x, label);
        if (found == NEIGHBOURS + 1 && !(d < far[found - 1]))
            continue;
        size_t at = found < NEIGHBOURS + 1 ? found++ : found - 1;
        for (; at > 0 && d < far[at - 1]; at--) {
            far[at] = far[at - 1];
            nearest[at] = nearest[at - 1];
        }
        far[at] = d;
        nearest[at] = label;
    }
    return found;
}
