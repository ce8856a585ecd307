/* hardnet/model.h - builds a model: inputs x, outputs y, constraints bl(x) <= c(x, y) <= bu(x), optionally an
 * objective.
 *
 * Expressions are small values (hn_expr) combined by functions; common subexpressions are stored once, constants are
 * folded and trivial algebra is simplified. Rounding follows the order in which expressions are created, and C does not
 * specify the order in which arguments are evaluated: for the same bits with every compiler create one expression per
 * statement. Calls need not be checked individually: the first error is sticky, later calls do nothing, and
 * hn_model_finish reports it. A finished model is immutable: any number of threads may read it.
 *
 *     hn_model *m;  hn_error e;
 *     if (hn_model_create(&m, NULL, &e)) ...
 *     hn_expr y1 = hn_output(m, "y1"), y2 = hn_output(m, "y2");
 *     hn_constrain(m, "circle", 1, hn_add(hn_mul(y1, y1), hn_mul(y2, y2)), 1);     (1 <= y1^2 + y2^2 <= 1)
 *     if (hn_model_finish(m, &e)) puts(e.text);
 *
 * SPDX-License-Identifier: MIT */
#ifndef HARDNET_MODEL_H
#define HARDNET_MODEL_H

#include "hardnet/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Built by one thread; once finished it is immutable, and any number of threads may read it. */
typedef struct hn_model hn_model;

/* A value in a model's graph, valid as long as the model. The zero value is not an expression; using it is a sticky
 * error. The struct is complete: it will not grow. */
typedef struct hn_expr {
    hn_model *model;
    uint32_t node;
} hn_expr;

typedef struct hn_model_options {
    size_t size;      /* sizeof(hn_model_options) */
    size_t max_nodes; /* limit of the graph; HN_LIMIT beyond it */
} hn_model_options;

/* ---- creation ---- */

hn_status hn_model_get_defaults(hn_model_options *out, hn_error *error);
static inline hn_model_options hn_model_defaults(void) {
    hn_model_options options;
    options.size = sizeof options;
    hn_model_get_defaults(&options, NULL);
    return options;
}

hn_status hn_model_create(hn_model **out, const hn_model_options *options, hn_error *error);
void hn_model_destroy(hn_model *model);

/* An unfinished copy of an unfinished or finished model: the same parts, and the same nodes with the same numbers, so
 * that an hn_expr with its model replaced is the same expression there. The original may be destroyed. */
hn_status hn_model_copy(hn_model **out, const hn_model *model, hn_error *error);

/* Checks the whole model, numbers the rows and closes it. Repeated calls return the same status. Adding to a finished
 * model does not change it, but records a sticky error: it is refused from then on. */
hn_status hn_model_finish(hn_model *model, hn_error *error);

/* The sticky error so far; HN_OK without one. */
hn_status hn_model_status(const hn_model *model, hn_error *error);

/* ---- leaves: names are unique in a model; "u[3,1]" belongs to the family "u" ---- */

hn_expr hn_constant(hn_model *model, hn_real value);
hn_expr hn_input(hn_model *model, const char *name);  /* the next entry of x */
hn_expr hn_output(hn_model *model, const char *name); /* the next entry of y, free, starting at 0 */

/* The box from which an input is sampled; infinite unless set. */
void hn_input_range(hn_expr input, hn_real lower, hn_real upper);

/* Bounds of an output become a row of its family's group, after all constraints. Bounds and start may depend on x. */
void hn_output_bounds(hn_expr output, hn_real lower, hn_real upper);
void hn_output_between(hn_expr output, hn_expr lower, hn_expr upper);
void hn_output_start(hn_expr output, hn_expr start);

/* A fixed output keeps its column and has this value, which may depend on x. A constant value within constant bounds
 * has no row; outside them it is an error of hn_model_finish. If the value or a bound depends on x, the bounds are a
 * row, checked for each sample. */
void hn_output_fix(hn_expr output, hn_expr value);

/* Names an expression for later use. hn_defined may be called before the definition exists; it must exist, and must not
 * be circular, when the model is finished. */
void hn_define(hn_model *model, const char *name, hn_expr value);
hn_expr hn_defined(hn_model *model, const char *name);

/* ---- constraints and objective ---- */

/* One row lower <= body <= upper of the group before the '[' of its name; equal bounds make an equality. Bounds may
 * depend on inputs but not on outputs. A row with two infinite bounds is dropped. */
void hn_constrain(hn_model *model, const char *name, hn_real lower, hn_expr body, hn_real upper);
void hn_constrain_between(hn_model *model, const char *name, hn_expr lower, hn_expr body, hn_expr upper);

/* The symmetric matrix with this lower triangle, by rows, is positive semidefinite: order (order + 1) / 2 expressions,
 * order at most HN_SET_ORDER. One row per entry, the first with this name, the others name[2,1], name[2,2] and so on. The
 * violation is -lambda_min, reported for the first row. The residual of its rows are the negative eigenvalues, ascending, in
 * the rows of the diagonal, and 0 elsewhere. */
void hn_constrain_psd(hn_model *model, const char *name, size_t order, const hn_expr *lower);
enum { HN_SET_ORDER = 32 };

/* The second-order cone |u|_2 <= t with count expressions in u, 1 to HN_SET_CONE. Rows t with this name, and u, named name[1],
 * name[2] and so on. The violation is |u| - t, reported for the first row, and its residual t - |u|; that of the others is 0. */
void hn_constrain_soc(hn_model *model, const char *name, hn_expr t, size_t count, const hn_expr *u);
enum { HN_SET_CONE = 1024 };

/* At most one objective. Maximisation is stored as minimisation of -f, with a flag. */
void hn_minimize(hn_model *model, const char *name, hn_expr objective);
void hn_maximize(hn_model *model, const char *name, hn_expr objective);

/* A condition on inputs only that sampled inputs must satisfy. */
void hn_require(hn_model *model, const char *name, hn_expr condition);

/* ---- operators ---- */

/* A list, expanded to hn_operator (hardnet/inspect.h) and to tables of names: X(OPERATOR, name, kind). It grows at its
 * end. A NODE has no function; UNARY, BINARY and TERNARY have hn_name of one, two and three arguments; FUNCTION is
 * UNARY and has the same name in model files. */
/* clang-format off */
#define HN_OPERATOR_LIST(X)                                                                                            \
    X(NONE, none, NODE) /* not an expression */                                                                        \
    X(CONSTANT, constant, NODE)                                                                                        \
    X(INPUT, input, NODE)                                                                                              \
    X(OUTPUT, output, NODE)                                                                                            \
    X(DEFINED, defined, NODE) /* hn_defined before its definition: a reference to it */                                \
    X(SUM, sum, NODE)         /* of any number of terms, added from left to right */                                   \
    X(ADD, add, BINARY)                                                                                                \
    X(SUB, sub, BINARY)                                                                                                \
    X(MUL, mul, BINARY)                                                                                                \
    X(DIV, div, BINARY)                                                                                                \
    X(NEG, neg, UNARY)                                                                                                 \
    X(POW, pow, BINARY)                                                                                                \
    X(SQRT, sqrt, FUNCTION)                                                                                            \
    X(EXP, exp, FUNCTION)                                                                                              \
    X(LOG, log, FUNCTION)                                                                                              \
    X(LOG10, log10, FUNCTION)                                                                                          \
    X(SIN, sin, FUNCTION)                                                                                              \
    X(COS, cos, FUNCTION)                                                                                              \
    X(TAN, tan, FUNCTION)                                                                                              \
    X(ASIN, asin, FUNCTION)                                                                                            \
    X(ACOS, acos, FUNCTION)                                                                                            \
    X(ATAN, atan, FUNCTION)                                                                                            \
    X(ATAN2, atan2, BINARY)                                                                                            \
    X(SINH, sinh, FUNCTION)                                                                                            \
    X(COSH, cosh, FUNCTION)                                                                                            \
    X(TANH, tanh, FUNCTION)                                                                                            \
    X(ASINH, asinh, FUNCTION)                                                                                          \
    X(ACOSH, acosh, FUNCTION)                                                                                          \
    X(ATANH, atanh, FUNCTION)                                                                                          \
    X(ABS, abs, FUNCTION)                                                                                              \
    X(MIN, min, BINARY)                                                                                                \
    X(MAX, max, BINARY)                                                                                                \
    X(LESS, less, BINARY)                                                                                              \
    X(LESS_EQUAL, less_equal, BINARY)                                                                                  \
    X(EQUAL, equal, BINARY)                                                                                            \
    X(NOT_EQUAL, not_equal, BINARY)                                                                                    \
    X(AND, and, BINARY)                                                                                                \
    X(OR, or, BINARY)                                                                                                  \
    X(NOT, not, UNARY)                                                                                                 \
    X(IF, if, TERNARY)                                                                                                 \
    X(LINEAR, linear, NODE) /* like SUM, of arguments times numbers: hn_expr_coefficient returns them */
/* clang-format on */

hn_expr hn_add(hn_expr a, hn_expr b);
hn_expr hn_sub(hn_expr a, hn_expr b);
hn_expr hn_mul(hn_expr a, hn_expr b);
hn_expr hn_div(hn_expr a, hn_expr b);
hn_expr hn_neg(hn_expr a);
hn_expr hn_scale(hn_real factor, hn_expr a); /* factor * a */
hn_expr hn_shift(hn_expr a, hn_real offset); /* a + offset */
hn_expr hn_sum(hn_model *model, size_t count, const hn_expr *terms);
hn_expr hn_pow(hn_expr a, hn_expr b); /* a^b */
hn_expr hn_sqrt(hn_expr a);
hn_expr hn_exp(hn_expr a);
hn_expr hn_log(hn_expr a);
hn_expr hn_log10(hn_expr a);
hn_expr hn_sin(hn_expr a);
hn_expr hn_cos(hn_expr a);
hn_expr hn_tan(hn_expr a);
hn_expr hn_asin(hn_expr a);
hn_expr hn_acos(hn_expr a);
hn_expr hn_atan(hn_expr a);
hn_expr hn_atan2(hn_expr a, hn_expr b); /* the angle of the point with x = b, y = a */
hn_expr hn_sinh(hn_expr a);
hn_expr hn_cosh(hn_expr a);
hn_expr hn_tanh(hn_expr a);
hn_expr hn_asinh(hn_expr a);
hn_expr hn_acosh(hn_expr a);
hn_expr hn_atanh(hn_expr a);
hn_expr hn_abs(hn_expr a);
hn_expr hn_min(hn_expr a, hn_expr b);
hn_expr hn_max(hn_expr a, hn_expr b);

/* Conditions are 0 or 1; every nonzero number is true, including NaN. Comparisons with NaN are false, except !=. */
hn_expr hn_less(hn_expr a, hn_expr b);
hn_expr hn_less_equal(hn_expr a, hn_expr b);
hn_expr hn_equal(hn_expr a, hn_expr b);
hn_expr hn_not_equal(hn_expr a, hn_expr b);
hn_expr hn_and(hn_expr a, hn_expr b);
hn_expr hn_or(hn_expr a, hn_expr b);
hn_expr hn_not(hn_expr a);
/* A NaN in the branch that is not taken affects neither the value nor a derivative. */
hn_expr hn_if(hn_expr condition, hn_expr yes, hn_expr no);

/* ---- queries of expressions ---- */

bool hn_is_valid(hn_expr a);
bool hn_is_constant(hn_expr a, hn_real *value); /* value may be NULL */
bool hn_depends_on_inputs(hn_expr a);
bool hn_depends_on_outputs(hn_expr a);

/* Plain evaluation, one number at a time, at inputs x and outputs y; fixed outputs have their fixed values. For rows,
 * objective and derivatives of many samples create an evaluator (hardnet/evaluate.h). Needs a finished model. */
hn_status hn_model_evaluate(const hn_model *model, size_t count, const hn_expr *exprs, const hn_real *x,
                            const hn_real *y, hn_real *values, hn_error *error);

/* Fingerprints, which distinguish finished models: 64 hexadecimal digits each, the same on every machine and in every
 * version (docs/fingerprint.md). The first depends on the mathematics: ranges, bounds, expressions and their order;
 * affine rows are compared by their coefficients. The second depends on all names and on whether the objective is
 * maximised. Neither depends on file names, comments or how the model was built. */
enum { HN_FINGERPRINT_BYTES = 65 };
hn_status hn_model_fingerprint(const hn_model *model, char out[HN_FINGERPRINT_BYTES], hn_error *error);
hn_status hn_model_names_fingerprint(const hn_model *model, char out[HN_FINGERPRINT_BYTES], hn_error *error);

#ifdef __cplusplus
}
#endif

#include "hardnet/inspect.h" /* queries of models, in separate files */
#include "hardnet/matrix.h"  /* matrices of numbers */

#endif
