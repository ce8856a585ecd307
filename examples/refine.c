/* refine.c - takes corrected outputs along the constraints to a lower objective, and shows what a network should have given instead.
 *
 * A robot at (px, py) has to be outside the unit disc and moves at most 0.5 at a time; it wants to get to (2, 0). Its network's
 * proposals are made safe by the layer and then refined.
 *
 *     cc refine.c -o refine $(pkg-config --cflags --libs hardnet)
 *
 * SPDX-License-Identifier: MIT */
#include <hardnet/hardnet.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 3 };

static void check(hn_status status, const hn_error *error) {
    if (status == HN_OK)
        return;
    fprintf(stderr, "refine: %s\n", error->text);
    exit(1);
}

static hn_expr squared_length(hn_expr a, hn_expr b) {
    return hn_add(hn_mul(a, a), hn_mul(b, b));
}

int main(void) {
    const double x[COUNT][2] = {{-1.5, 0.1}, {-0.5, 1.1}, {0.8, 0.9}};
    const double raw[COUNT][2] = {{-0.9, 0.0}, {0.0, 0.8}, {1.5, 0.2}};
    double y[COUNT][2], refined[COUNT][2], before[COUNT], after[COUNT], targets[COUNT][2];
    hn_error error;

    /* What must hold, and what is wanted. */
    hn_model *model;
    check(hn_model_create(&model, NULL, &error), &error);
    hn_expr px = hn_input(model, "px"), py = hn_input(model, "py");
    hn_expr qx = hn_output(model, "qx"), qy = hn_output(model, "qy");
    hn_constrain(model, "obstacle", 1, squared_length(qx, qy), INFINITY);
    hn_constrain(model, "speed", 0, squared_length(hn_sub(qx, px), hn_sub(qy, py)), 0.25);
    hn_minimize(model, "distance", squared_length(hn_shift(qx, -2), qy));
    check(hn_model_finish(model, &error), &error);

    /* Without steps a refiner corrects only; with three it also lowers the objective. */
    hn_refine_options options = hn_refine_defaults();
    hn_refiner *plain, *refiner;
    options.steps = 0;
    check(hn_refiner_create(&plain, model, NULL, &options, &error), &error);
    options.steps = 3;
    check(hn_refiner_create(&refiner, model, NULL, &options, &error), &error);

    hn_refinement batch = {
        .size = sizeof batch, .count = COUNT, .x = x[0], .y_raw = raw[0], .y = y[0], .objective = before};
    check(hn_refiner_run(plain, &batch, &error), &error);
    batch.y = refined[0];
    batch.objective = after;
    check(hn_refiner_run(refiner, &batch, &error), &error);

    /* The targets that a training would draw the network's outputs to. */
    hn_improvement improvement = {
        .size = sizeof improvement, .count = COUNT, .x = x[0], .y_raw = raw[0], .targets = targets[0]};
    check(hn_refiner_improve(refiner, &improvement, &error), &error);

    for (int i = 0; i < COUNT; i++)
        printf(
            "from (%5.2f, %5.2f): corrected (%6.3f, %6.3f) %.4f, refined (%6.3f, %6.3f) %.4f, target (%6.3f, %6.3f)\n",
            x[i][0], x[i][1], y[i][0], y[i][1], before[i], refined[i][0], refined[i][1], after[i], targets[i][0],
            targets[i][1]);
    hn_refiner_destroy(plain);
    hn_refiner_destroy(refiner);
    hn_model_destroy(model);
    return 0;
}
