/* circle.c - see circle.h.
 *
 * SPDX-License-Identifier: MIT */
#include "common/circle.h"

#include <stdlib.h>

hn_model *circle_model(void) {
    hn_model *model;
    hn_status status = hn_model_create(&model, NULL, NULL);
    if (status != HN_OK)
        abort();
    hn_expr x = hn_input(model, "x"), u = hn_output(model, "u"), v = hn_output(model, "v"), one = hn_constant(model, 1);
    hn_expr square = hn_mul(x, x), right = hn_sub(u, one), up = hn_sub(v, one);
    hn_constrain_between(model, "circle", square, hn_add(hn_mul(u, u), hn_mul(v, v)), square);
    hn_minimize(model, "distance", hn_add(hn_mul(right, right), hn_mul(up, up)));
    if (hn_model_finish(model, NULL) != HN_OK)
        abort();
    return model;
}
