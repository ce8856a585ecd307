/* device_text_host.h - texts of a device's kernels as functions of the host: parts of test_device_text.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_DEVICE_TEXT_HOST_H
#define HN_TESTS_DEVICE_TEXT_HOST_H

#include "hardnet/hardnet.h"

#include <stddef.h>

#include "cuda/kernels/kernel_args.h"

typedef void kernel_run(const struct device_call *call);

struct loaded {
    void *object;
    kernel_run *run;
};

/* Of a group of tests: a folder for what is compiled. */
int host_set_up(void **state);
int host_tear_down(void **state);

struct loaded host_load(const char *text, const char *name);

/* models/NAME.mod; let: as of the command line, or NULL. */
hn_model *host_read_with(const char *name, const char *let);
hn_model *host_read_model(const char *name);

/* The unicycle's kernel; base_release releases it. */
char *host_print_unicycle(hn_method method, bool single);

#endif
