/* model_check.h - models in tests: made, finished, evaluated and refused in one line each.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_SUPPORT_MODEL_CHECK_H
#define HN_TESTS_SUPPORT_MODEL_CHECK_H

#include "hardnet/model.h"
#include "support/check.h"

hn_model *model_new(void);
hn_model *model_with_limit(size_t max_nodes);

/* From AMPL. */
hn_model *model_of_text(const char *text);
hn_model *model_of_file(const char *path);

/* Finishes a model that should be good. */
void model_finish_good(hn_model *model);

/* The value of an expression of a finished model. */
double model_value(const hn_model *model, hn_expr expr, const hn_real *x, const hn_real *y);

/* Finishing gives this status and this sentence, again and again; then the model is destroyed. */
#define assert_refused(model, status, text) check_refused(model, status, text, __FILE__, __LINE__)
void check_refused(hn_model *model, hn_status status, const char *text, const char *file, int line);

bool same_expr(hn_expr a, hn_expr b);

#endif
