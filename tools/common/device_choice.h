/* device_choice.h - the options for device and precision, and the resulting layer.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_DEVICE_CHOICE_H
#define HN_TOOLS_DEVICE_CHOICE_H

#include "hardnet/device.h"

struct device_choice {
    const char *device, *precision; /* NULL: cpu, float64 */
};

extern const char *const device_choice_devices[], *const device_choice_precisions[]; /* NULL after the last */

#define DEVICE_OPTIONS(choice)                                                                                         \
    {.name = "device",                                                                                                 \
     .value = "WHERE",                                                                                                 \
     .help = "where batches run: cpu, or cuda, an NVIDIA GPU, with the same bits (cpu)",                               \
     .text = &(choice).device,                                                                                         \
     .words = device_choice_devices},                                                                                  \
    {                                                                                                                  \
        .name = "precision", .value = "P",                                                                             \
        .help = "precision on a device: float64, or float32 with outcomes checked in float64 (float64)",               \
        .text = &(choice).precision, .words = device_choice_precisions                                                 \
    }

/* Whether a device is requested. */
bool device_choice_asks(const struct device_choice *choice);

/* VERB_OK and the layer, NULL where none is asked for; another verb code after printing the error. Says on stderr what
 * a compiler took. */
int device_choice_create(hn_device_layer **out, const struct device_choice *choice, const hn_model *model,
                         const hn_layer_options *layer, bool gradients);

/* VERB_OK and the options of a device for a policy, or no device where none is asked for; likewise. */
int device_choice_policy(const hn_device_options **out, hn_device_options *own, const struct device_choice *choice);

/* "NVIDIA H200, float64": printed in place of the instruction set. */
struct device_text {
    char text[HN_DEVICE_NAME_BYTES + 16];
};
struct device_text device_choice_text(const hn_device_layer *layer);
struct device_text device_choice_described(const hn_device_info *info);

#endif
