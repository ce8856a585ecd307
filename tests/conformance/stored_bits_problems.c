/* stored_bits_problems.c - see stored_bits_problems.h.
 *
 * SPDX-License-Identifier: MIT */
#include "stored_bits_problems.h"

#include "support/check.h"
#include "support/model_check.h"
#include "support/random_problem.h"
#include "support/shape_models.h"
#include "support/smooth_model.h"

#include "hardnet/read.h"

static const char *const files[] = {
    "models/ellipse.mod",
    "models/simplex.mod",
    "models/infeasible.mod",
    "models/pooling.mod",
    "models/tasks/arm.mod",
    "models/tasks/portfolio.mod",
    "models/tasks/opf5.mod",
    "models/unicycle.mod",
    "models/feasibility/hs13.mod",
    "models/feasibility/hs61.mod",
    "models/feasibility/powellbs.mod",
    "models/feasibility/hs65.mod",
    "models/feasibility/creep_far.mod",
};
enum { SHAPES = 17, RANDOM = STORED_PROBLEMS - SHAPES - COUNT_OF(files) };

/* Start values, bounds and a fixed value that are not finite, or contradict, where x is not positive. */
static hn_model *risky_start_model(void) {
    hn_model *model = model_new();
    hn_expr x = hn_input(model, "x"), a = hn_output(model, "a"), b = hn_output(model, "b"), c = hn_output(model, "c");
    hn_output_start(a, hn_log(x));
    hn_output_start(b, hn_scale(3, x));
    hn_output_between(b, hn_constant(model, -1), hn_shift(x, 0.5));
    hn_output_fix(c, hn_scale(2, hn_sqrt(x)));
    hn_constrain(model, "circle", 1, hn_add(hn_mul(a, a), hn_mul(b, c)), 2);
    hn_constrain_between(model, "line", hn_log(hn_shift(x, 0.25)), hn_add(a, b), hn_constant(model, 1));
    model_finish_good(model);
    return model;
}

static hn_model *shape_of(size_t number) {
    switch (number) {
    case 0:
        return dense_model(7, 5, 3);
    case 1:
        return dense_model(19, 24, 4);
    case 2:
        return mixed_model(9, 12, 2, 5);
    case 3:
        return affine_model((struct affine_shape){9, 14, 3, 2}, 6);
    case 4:
        return affine_model((struct affine_shape){50, 52, 6, 0}, 7);
    case 5:
        return block_model(3, 5, 2, 8);
    case 6:
        return one_row_model(23, 9);
    case 7:
        return one_column_model(21, 10);
    case 8:
        return bordered_model(34, 1, 2, 11);
    case 9:
        return undefined_model(12);
    case 10:
        return smooth_model(13, true);
    case 11:
        return dense_model(30, 8, 14);
    case 12:
        return affine_model((struct affine_shape){49, 50, 2, 1}, 15);
    case 13:
        return bordered_model(46, 2, 1, 16);
    case 14:
        return block_model(4, 2, 1, 17); /* rows in twos */
    case 15:
        return affine_model((struct affine_shape){48, 48, 0, 0}, 18);
    default:
        return risky_start_model();
    }
}

static void draw_random(struct stored_problem *out, size_t number) {
    static const enum problem_kind kinds[] = {PROBLEM_FEASIBLE, PROBLEM_DEGENERATE, PROBLEM_FEASIBLE,
                                              PROBLEM_INFEASIBLE};
    struct random_problem_options options = {.kind = kinds[number % COUNT_OF(kinds)],
                                             .objective = number % 3 == 2,
                                             .bounds_are_inputs = number == 4,
                                             .interior = number == 6};
    struct random_problem problem;
    random_problem_create(&problem, options, 20261117, number);
    out->model = problem.model;
    out->x = problem.x;
    problem.model = NULL;
    problem.x = NULL;
    random_problem_release(&problem);
    snprintf(out->name, sizeof out->name, "random problem %zu", number);
}

void stored_problem_create(struct stored_problem *out, size_t number) {
    hn_error error = {.text = ""};
    *out = (struct stored_problem){.size = 1};
    if (number < SHAPES) {
        snprintf(out->name, sizeof out->name, "shape %zu", number);
        out->model = shape_of(number);
    } else if (number < SHAPES + COUNT_OF(files)) {
        const char *path = files[number - SHAPES];
        snprintf(out->name, sizeof out->name, "%s", path);
        if (hn_model_read(&out->model, 1, &path, NULL, &error) != HN_OK)
            fail_msg("%s", error.text);
        out->size = number % 2 ? 1 : 30;
    } else
        draw_random(out, number - SHAPES - COUNT_OF(files));
}

void stored_problem_release(struct stored_problem *problem) {
    hn_model_destroy(problem->model);
    free(problem->x);
}
