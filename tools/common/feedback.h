/* feedback.h - feedback of a closed loop: inputs of the model that are set to its defined variables.
 *
 * `--feedback z0=next` says that inputs z0[...] become the defined variables next[...] with the same subscripts. Their
 * values are those at the true inputs and the applied outputs. Inputs that are not fed back stay as they are.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_FEEDBACK_H
#define HN_TOOLS_FEEDBACK_H

#include "common/options.h"
#include "hardnet/model.h"

struct feedback {
    size_t links;  /* inputs that are fed back ... */
    size_t *input; /* ... which they are ... */
    hn_expr *next; /* ... what they become ... */
    double *values;
};

/* The link suggested by the model: an input and the defined variable `next` with the same subscripts. */
struct feedback_hint {
    size_t fitting;  /* number of input families that `next` matches: a link if it is 1 */
    char text[1024]; /* INPUT=next, of the first */
};

struct feedback_hint feedback_suggest(const hn_model *model);

/* Appends the model's own link where no link is wanted and there is just one; the hint keeps its text. false: out of
 * memory. */
bool feedback_default(struct text_list *wanted, struct feedback_hint *hint, const hn_model *model);

/* wanted: texts INPUT=DEFINED. VERB_OK, or another verb code after printing the error; released in either case. */
int feedback_create(struct feedback *feedback, const hn_model *model, const struct text_list *wanted);
void feedback_release(struct feedback *feedback);

/* Sets x to the inputs of the next step. */
hn_status feedback_advance(const struct feedback *feedback, const hn_model *model, double *x, const double *y,
                           hn_error *error);

#endif
