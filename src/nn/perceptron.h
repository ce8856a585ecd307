/* perceptron.h - what training needs of a network: the forward pass with its activations, and the backward pass.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NN_PERCEPTRON_H
#define HN_NN_PERCEPTRON_H

#include "cpu/backend.h"
#include "hardnet/network.h"

/* Activations of at most `count` samples, from base_allocate; one per thread. */
struct perceptron_memory;

hn_status perceptron_memory_create(struct perceptron_memory **out, const hn_network *network, size_t count,
                                   hn_error *error);
void perceptron_memory_destroy(struct perceptron_memory *memory);

/* y = network(x) for count samples, rows of x and y; keeps the activations for the backward pass. */
void perceptron_forward(const struct perceptron_memory *memory, size_t count, const double *x, double *y);

/* Adds to grad_parameters (ordered as hn_network_parameters) the gradient of a loss, given its gradient grad_y with
 * respect to y; sums over samples run in ascending order. Uses the last forward pass. */
void perceptron_backward(const struct perceptron_memory *memory, size_t count, const double *grad_y,
                         double *grad_parameters);

#endif
