/* perceptron.h - what training needs of a network: the forward pass with its memory, and the way back.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NN_PERCEPTRON_H
#define HN_NN_PERCEPTRON_H

#include "cpu/backend.h"
#include "hardnet/network.h"

/* Room for `count` samples (at most this many at a time), from base_allocate; one per thread. */
struct perceptron_memory;

hn_status perceptron_memory_create(struct perceptron_memory **out, const hn_network *network, size_t count,
                                   hn_error *error);
void perceptron_memory_destroy(struct perceptron_memory *memory);

/* y = network(x) for count samples, rows of x and y; keeps what the way back needs. */
void perceptron_forward(const hn_network *network, struct perceptron_memory *memory, size_t count, const double *x,
                        double *y);

/* Adds to grad_parameters (as hn_network_parameters) the gradient of a loss whose gradient by y is grad_y; the sum over
 * samples runs in ascending order. Uses the last forward pass. */
void perceptron_backward(const hn_network *network, struct perceptron_memory *memory, size_t count,
                         const double *grad_y, double *grad_parameters);

#endif
