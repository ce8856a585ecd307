/* feedback.h - what a closed loop feeds back: inputs of the model that become defined variables of it.
 *
 * `--feedback z0=next` says that inputs z0[...] become the defined variables next[...] with the same subscripts. Their values are those
 * at the true inputs and the applied outputs. Inputs that are not fed back stay as they are.
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

/* wanted: texts INPUT=DEFINED. VERB_OK, or another verb code after what is wrong has been printed; released in either case. */
int feedback_create(struct feedback *feedback, const hn_model *model, const struct text_list *wanted);
void feedback_release(struct feedback *feedback);

/* x becomes the inputs of the next step. */
hn_status feedback_advance(const struct feedback *feedback, const hn_model *model, double *x, const double *y,
                           hn_error *error);

#endif
