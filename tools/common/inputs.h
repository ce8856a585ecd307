/* inputs.h - rows of x: sampled from the range of each input, or read from a .npy file.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_INPUTS_H
#define HN_TOOLS_INPUTS_H

#include "base/random.h"
#include "hardnet/arrays.h"
#include "hardnet/model.h"

/* One row that meets the model's requirements: each input from its box (base/random.h). *met is false when INPUTS_TRIES
 * rows did not; the last one is left in x then. */
enum { INPUTS_TRIES = 1000 };
hn_status inputs_sample(const hn_model *model, struct random *random, double *x, bool *met, hn_error *error);

/* Rows that depend on seed and number only; streams keeps them apart from what else is drawn with that seed. Those that
 * do not meet the requirements are counted, and warned about. */
hn_status inputs_draw(const hn_model *model, size_t seed, uint64_t streams, size_t count, double *x, size_t *unmet,
                      hn_error *error);

/* The first requirement that the row breaks; the requirement count when it breaks none. */
hn_status inputs_broken(const hn_model *model, const double *x, size_t *requirement, hn_error *error);

bool inputs_finite(const double *x, size_t count);

/* Reads rows of x. A wrong shape is HN_INVALID. The option is for messages, here and below. */
hn_status inputs_read(const hn_model *model, const char *option, const char *path, hn_array *array, hn_error *error);

/* The same of a file that may be larger than the memory; its shape has no values. */
hn_status inputs_open(const hn_model *model, const char *option, const char *path, hn_array_rows **rows,
                      hn_array *shape, hn_error *error);

/* Rows that are taken as they are, but were perhaps not meant so. */
struct unusual_inputs {
    size_t broken; /* rows that break a requirement (check:) of the model: */
    size_t first_broken, requirement;
    size_t outside; /* rows beyond the box of some input: */
    size_t first_outside, first_input, farthest_input;
    double farthest; /* by how much */
};

/* How far the rows of a loop went beyond the range of the inputs. */
struct outside_inputs {
    size_t rows, beyond; /* all of them, and those beyond by more than rounding to single precision */
    double farthest;     /* of the one that is farthest out by the width of its input's box ... */
    double share;        /* ... as a share of that width (infinite: the box has none or no end) ... */
    size_t input;        /* ... and which input that is */
};

void inputs_outside_add(struct outside_inputs *outside, const hn_model *model, const double *x);
void inputs_outside_join(struct outside_inputs *all, const struct outside_inputs *one);

/* Counts such rows, of which the first has this number; and warns about what was found in so many rows. The source is
 * what stood behind the option. */
hn_status inputs_look(const hn_model *model, size_t number, size_t count, const double *x,
                      struct unusual_inputs *unusual, hn_error *error);
void inputs_tell(const hn_model *model, const char *option, const char *source, size_t rows,
                 const struct unusual_inputs *unusual);

/* Both, of an array. */
hn_status inputs_warn(const hn_model *model, const char *option, const char *source, const hn_array *array,
                      struct unusual_inputs *unusual, hn_error *error);

#endif
