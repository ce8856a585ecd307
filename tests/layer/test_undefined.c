/* test_undefined.c - nothing is ok where a part of a formula has no value, though IEEE arithmetic ends with a number.
 *
 * 1/log(y) is -0 at y = 0, atan(1/y) is pi/2, a comparison with NaN is false: every formula here is finite in plain evaluation at a
 * point where one of its parts is undefined. There the row is NaN, and no method says ok; at the other point the row has the
 * bits of plain evaluation, and the sample is left alone.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/run_layer.h"

#include "hardnet/evaluate.h"
#include "hardnet/read.h"

struct formula {
    const char *text;
    double undefined, defined; /* y */
};

static const struct formula formulas[] = {
    {"1/log(y)", 0, 2},
    {"y + 1/log10(abs(y))", 0, 2},
    {"atan(1/y)", 0, 2},
    {"tanh(3/(y - 1))", 1, 2},
    {"exp(log(y))", 0, 2},
    {"exp(-1/y^2)", 0, 2},
    {"min(1/y, 3)", 0, 2},
    {"max(log(y), -4)", 0, 0.5},
    {"1/(1/y)", 0, 2},
    {"(log(y))^(-1)", 0, 2},
    {"(log(y))^(-1.5)", 0, 2},
    {"2/atanh(y)", 1, 0.5},
    {"atan2(log(y), 1)", 0, 2},
    {"(1 + 1/y)^(-3)", 0, 2},
    {"2^(-1/y^2)", 0, 2},
    {"if log(y) < 0 then 1 else 2", 0, 2},
    {"if sqrt(y) < 3 then 1 else 2", -1, 2},
    {"if y/y = 1 then 1 else 2", 0, 2},
    {"if not (acos(y) < 1) then 1 else 2", 2, 0.5},
    {"if acosh(y) < 1 or y > 3 then 1 else 2", 0.5, 4},
    {"if y < 1 and log(y) < 1 then 1 else 2", -1, 2},
    {"2^(if 1/y > 0 then 1 else 2)", 0, 2},
    {"sum {i in 1..4} (y + atan(i/y))", 0, 2},
    {"if y > 1 then 3 else 1/log(y)", 0, 2},
    {"if log(y) > 0 then y else y", -1, 2},
    {"if not (log(y) > 0) then y else y", -1, 2},
    {"if 1/(y + 1) > 0 then y^2 else y^2", -1, 2},
    {"if sqrt(y) > 1 and y < 9 then 2 else 2", -1, 2},
    {"if y > 5 or log(y) > 1 then y else y", -1, 2},
    {"if y > -2 then (if log(y) > 0 then y else y) else y", -1, 2},
    {"if (if log(y) > 0 then y else y) > 0 then 3 else 3", -1, 2},
    {"(if log(y) > 0 then 1 else 1)*y", -1, 2},
    {"y + 0*(if log(y) > 0 then 1 else 2)", -1, 2},
    {"min(if log(y) > 0 then y else y, y)", -1, 2},
    {"log(y)^0 + y", -1, 2},
    {"y*1^log(y)", -1, 2},
    {"(if log(y) > 0 then 1 else 1)^sqrt(y)", -1, 2},
};

/* Of these the undefined part does not count: a branch that is not taken, a side that the other decides, too large a number. */
static const struct formula harmless[] = {
    {"if y <= 0 then 3 else 1/log(y)", 0, 2},
    {"if y <> 0 and 1/y > 2 then 1 else 2", 0, 2},
    {"if y = 0 or 1/y > 2 then 1 else 2", 0, 2},
    {"1/(1 + exp(-y))", -1000, 2},
    {"atan(1/(y^2 + 1))", 0, 2},
    {"min(y, if y > 1 then log(y) else 3)", 0, 2},
    {"y/2 + 3/(4 + y^2)", 0, 2},
    {"if y > 0 then y else (if y > -3 then y else log(y))", -1, 2},
    {"if 1 = 1 or log(y) > 0 then y else y", -1, 2},
    {"y^0 + 1^y", 0, 2},
};

static hn_model *model_of(const char *formula) {
    char text[400];
    hn_model *model = NULL;
    hn_error error = {.text = ""};
    snprintf(text, sizeof text, "var y; minimize f: y^2; subject to c: -20 <= %s <= 20; subject to d: y <= 2000;",
             formula);
    const hn_text one = {.name = "text", .bytes = text, .length = strlen(text)};
    if (hn_model_read_memory(&model, 1, &one, NULL, &error) != HN_OK)
        fail_msg("%s: %s", formula, error.text);
    return model;
}

/* The row as it is written, one operation after the other. */
static double plainly(const hn_model *model, double y) {
    hn_expr body = hn_model_row(model, 0).body;
    double value;
    assert_int_equal(hn_model_evaluate(model, 1, &body, NULL, &y, &value, NULL), HN_OK);
    return value;
}

/* The row as layers see it. */
static double evaluated(const hn_model *model, double y) {
    hn_evaluator *evaluator = NULL;
    double rows[2];
    hn_evaluation evaluation = {.size = sizeof evaluation, .count = 1, .y = &y};
    evaluation.values[HN_QUANTITY_ROWS] = rows;
    assert_int_equal(hn_evaluator_create(&evaluator, model, NULL, NULL), HN_OK);
    size_t bytes = hn_evaluator_workspace_bytes(evaluator);
    void *workspace = malloc(bytes);
    assert_int_equal(hn_evaluator_run(evaluator, &evaluation, workspace, bytes, NULL), HN_OK);
    free(workspace);
    hn_evaluator_destroy(evaluator);
    return rows[0];
}

/* Corrects nine samples at y by every method; how many are ok and still there. */
static int ok_at(const hn_model *model, double y) {
    static const hn_method methods[] = {HN_METHOD_AUTO,    HN_METHOD_LM,       HN_METHOD_PAPER,   HN_METHOD_HARDNET,
                                        HN_METHOD_ENFORCE, HN_METHOD_SNARENET, HN_METHOD_NEAREST, HN_METHOD_OPTIMAL};
    enum { COUNT = 9 };
    double raw[COUNT], grad[COUNT];
    int ok = 0;
    for (int i = 0; i < COUNT; i++)
        raw[i] = y, grad[i] = 1;
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
        if (methods[m] == HN_METHOD_HARDNET) /* refused: more rows than outputs */
            continue;
        hn_layer *layer = layer_of(model, layer_method(methods[m]));
        for (size_t count = 1; count <= COUNT; count += COUNT - 1) {
            struct layer_results r = run_and_pull(layer, count, NULL, raw, grad);
            assert_finite_results(&r);
            for (size_t i = 0; i < count; i++)
                ok += r.reports[i].outcome == HN_OUTCOME_OK && r.y[i] == y;
            results_release(&r);
        }
        hn_layer_destroy(layer);
    }
    return ok;
}

static void check_defined(const hn_model *model, const char *formula, double y) {
    double found = evaluated(model, y), wanted = plainly(model, y);
    if (memcmp(&found, &wanted, sizeof found) != 0)
        fail_msg("%s at %g is %a instead of %a", formula, y, found, wanted);
    if (ok_at(model, y) == 0)
        fail_msg("%s: nothing is ok at %g", formula, y);
}

TEST(nothing_is_ok_where_a_part_is_undefined) {
    for (size_t i = 0; i < sizeof formulas / sizeof formulas[0]; i++) {
        const struct formula *f = &formulas[i];
        hn_model *model = model_of(f->text);
        if (!isfinite(plainly(model, f->undefined)))
            fail_msg("%s is not finite at %g: it tests nothing", f->text, f->undefined);
        if (!isnan(evaluated(model, f->undefined)))
            fail_msg("%s is %a at %g", f->text, evaluated(model, f->undefined), f->undefined);
        if (ok_at(model, f->undefined) != 0)
            fail_msg("%s is ok at %g", f->text, f->undefined);
        check_defined(model, f->text, f->defined);
        hn_model_destroy(model);
    }
}

TEST(what_does_not_count_may_be_undefined) {
    for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++) {
        hn_model *model = model_of(harmless[i].text);
        check_defined(model, harmless[i].text, harmless[i].undefined);
        check_defined(model, harmless[i].text, harmless[i].defined);
        hn_model_destroy(model);
    }
}

/* y <= 1/log(x) has a bound in IEEE arithmetic at x = 0. */
TEST(bounds_that_are_undefined_are_bad) {
    static const char *const texts[] = {"param x; var y; subject to c: y <= 1/log(x);",
                                        "param x; var y; subject to c: y = atan(1/x);"};
    const double x = 0, raw = -5, grad = 1;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        hn_model *model = NULL;
        const hn_text one = {.name = "text", .bytes = texts[i], .length = strlen(texts[i])};
        assert_int_equal(hn_model_read_memory(&model, 1, &one, NULL, NULL), HN_OK);
        hn_layer *layer = layer_of(model, layer_method(HN_METHOD_AUTO));
        struct layer_results r = run_and_pull(layer, 1, &x, &raw, &grad);
        assert_int_equal(r.reports[0].outcome, HN_OUTCOME_BAD_BOUNDS);
        results_release(&r);
        hn_layer_destroy(layer);
        hn_model_destroy(model);
    }
}
