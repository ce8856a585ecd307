/* circle.c - says what must hold and looks at a point: the smallest use of the library.
 *
 * A network's output (y1, y2) must lie on a circle of radius r, which comes in with the network's input, and right of the
 * line y1 = 1/2.
 *
 * SPDX-License-Identifier: MIT */
#include "hardnet/hardnet.h"

#include <math.h>
#include <stdio.h>

int main(void) {
    hn_model *model;
    hn_error error;
    if (hn_model_create(&model, NULL, &error) != HN_OK)
        return puts(error.text), 1;

    hn_expr radius = hn_input(model, "radius");
    hn_expr y1 = hn_output(model, "y1"), y2 = hn_output(model, "y2");
    hn_expr square = hn_mul(radius, radius);
    hn_constrain_between(model, "circle", square, hn_add(hn_mul(y1, y1), hn_mul(y2, y2)), square);
    hn_output_bounds(y1, 0.5, INFINITY);
    if (hn_model_finish(model, &error) != HN_OK)
        return puts(error.text), hn_model_destroy(model), 1;

    const double x[] = {2}, y[] = {0.25, 1.5};
    printf("at radius %g, y = (%g, %g):\n", x[0], y[0], y[1]);
    for (size_t i = 0; i < hn_model_row_count(model); i++) {
        hn_row_info row = hn_model_row(model, i);
        const hn_expr parts[] = {row.lower, row.body, row.upper};
        double value[3];
        if (hn_model_evaluate(model, 3, parts, x, y, value, &error) != HN_OK)
            return puts(error.text), hn_model_destroy(model), 1;
        double violation = value[1] > value[2] ? value[1] - value[2] : value[1] < value[0] ? value[1] - value[0] : 0;
        printf("  %-8s %8g <= %8g <= %8g   residual %g\n", row.name, value[0], value[1], value[2], violation);
    }
    hn_model_destroy(model);
    return 0;
}
