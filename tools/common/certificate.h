/* certificate.h - certificates in the reports of the methods nearest and optimal.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_CERTIFICATE_H
#define HN_TOOLS_CERTIFICATE_H

#include "common/json_writer.h"
#include "hardnet/layer.h"

/* Whether a layer's method has certificates. */
bool certificate_expected(const hn_layer *layer);

/* Whether the sample is ok and its KKT residual is small enough. */
bool certificate_holds(const hn_report *report);

size_t certificate_count(const hn_report *reports, size_t count);

/* Prints the number of certified samples, and a line per reason why ok samples are not certified; nothing for other
 * methods. */
void certificate_print(const hn_layer *layer, const hn_report *reports, size_t count, int width);

/* Keys of a sample's object. */
void certificate_write(struct json *json, const hn_report *report);

#endif
