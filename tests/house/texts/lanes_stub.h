/* lanes_stub.h - what kernel_source.c prints before the headers of code that is compiled for a model.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_LANES_STUB_H
#define HN_TESTS_LANES_STUB_H

#define WIDTH  2
#define SLOTS  100
#define ROUNDS /* of methods with a fixed number of steps */
#define BACK_ROUNDS
#define NEAR_ROUNDS   /* of auto */
#define Y_SLOT        10
#define BEST_SLOT     20
#define OTHER_SLOT    100
#define OUTPUTS       5
#define INPUTS        2
#define LEAST_PIVOT   0x1p-40
#define GRADIENT_SLOT 30
#define GRAD_X_SLOT   40
#define SUMMARY_SLOT  50
#define EPS_SLOT      60
#define FLAGS_SLOT    61
#define HOLD_SLOT     62
#define LEADS_SLOT    63

#endif
