/* correct.c - makes what a network proposes safe, says for each proposal whether that worked, and takes a gradient through it.
 *
 * A robot is at (px, py), the network's input. The network says where to go next: (qx, qy), its output. That point must lie
 * outside the unit disc, and at most 0.5 away from where the robot is.
 *
 *     cc correct.c -o correct $(pkg-config --cflags --libs hardnet)
 *
 * SPDX-License-Identifier: MIT */
#include <hardnet/hardnet.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 4 };

static void check(hn_status status, const hn_error *error) {
    if (status == HN_OK)
        return;
    fprintf(stderr, "correct: %s\n", error->text);
    exit(1);
}

static hn_expr squared_length(hn_expr a, hn_expr b) {
    return hn_add(hn_mul(a, a), hn_mul(b, b));
}

int main(void) {
    const double x[COUNT][2] = {{-1.5, 0.0}, {-1.2, 0.2}, {0.0, 1.1}, {0.1, 0.2}}; /* the last is caught inside */
    const double raw[COUNT][2] = {{-1.4, 0.3}, {-0.8, 0.2}, {1.0, 1.2}, {0.5, 0.6}};
    double y[COUNT][2], grad_y[COUNT][2], grad_raw[COUNT][2];
    hn_report reports[COUNT];
    hn_error error;

    /* What must hold. The first mistake sticks to the model, so that only the end needs a check. */
    hn_model *model;
    check(hn_model_create(&model, NULL, &error), &error);
    hn_expr px = hn_input(model, "px"), py = hn_input(model, "py");
    hn_expr qx = hn_output(model, "qx"), qy = hn_output(model, "qy");
    hn_constrain(model, "obstacle", 1, squared_length(qx, qy), INFINITY);
    hn_constrain(model, "speed", 0, squared_length(hn_sub(qx, px), hn_sub(qy, py)), 0.25);
    check(hn_model_finish(model, &error), &error);

    /* The layer is built once; the pool has a thread per core. */
    hn_layer *layer;
    hn_pool *pool;
    check(hn_layer_create(&layer, model, NULL, &error), &error);
    check(hn_pool_create(&pool, layer, 0, &error), &error);

    /* Forward. Only the gradient needs a tape. */
    void *tape = malloc(hn_layer_tape_bytes(layer, COUNT));
    hn_batch batch = {.size = sizeof batch,
                      .count = COUNT,
                      .x = x[0],
                      .y_raw = raw[0],
                      .y = y[0],
                      .report_size = sizeof(hn_report),
                      .reports = reports,
                      .tape = tape};
    check(hn_pool_run(pool, &batch, &error), &error);

    /* Backward. The loss is |q - (2, 0)|^2 / 2, summed over the samples. */
    for (int k = 0; k < COUNT; k++) {
        grad_y[k][0] = y[k][0] - 2;
        grad_y[k][1] = y[k][1];
    }
    hn_gradient gradient = {.size = sizeof gradient, .grad_y = grad_y[0], .grad_y_raw = grad_raw[0]};
    check(hn_pool_gradient(pool, &batch, &gradient, &error), &error);

    for (int k = 0; k < COUNT; k++)
        printf("(%4.1f, %4.1f) -> (%6.3f, %6.3f)  %-18s violation %.1e, was %.1e; gradient (%6.3f, %6.3f)\n", raw[k][0],
               raw[k][1], y[k][0], y[k][1], hn_outcome_text(reports[k].outcome), reports[k].violation,
               reports[k].violation_before, grad_raw[k][0], grad_raw[k][1]);
    free(tape);
    hn_pool_destroy(pool);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
    return 0;
}
