/* nvrtc_find.c - where the run-time compiler of CUDA may lie: under its name, in CUDA's folder, or in a package of PyPI.
 *
 * Packages put it into nvidia/cu13/lib (CUDA 13) or nvidia/cuda_nvrtc/lib (CUDA 12) of the folder that other packages are in: so
 * every loaded object is asked for the folders above it. No variable of the environment is read.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "cuda/nvrtc.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

enum { ABOVE = 5 }; /* folders */

static const char names[][40] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so",
                                 "/usr/local/cuda/lib64/libnvrtc.so.13", "/usr/local/cuda/lib64/libnvrtc.so.12"};
static const char packaged[][48] = {"nvidia/cu13/lib/libnvrtc.so.13", "nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
                                    "nvidia/cuda_nvrtc/lib/libnvrtc.so.13"};

static void *open_in(const char *folder, size_t length) {
    char path[FILE_LONGEST];
    for (size_t i = 0; i < sizeof packaged / sizeof packaged[0]; i++) {
        int written = snprintf(path, sizeof path, "%.*s/%s", (int)length, folder, packaged[i]);
        void *object = written > 0 && (size_t)written < sizeof path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
        if (object)
            return object;
    }
    return NULL;
}

static int look_beside(struct dl_phdr_info *info, size_t size, void *found) {
    size_t length = info->dlpi_name ? strlen(info->dlpi_name) : 0;
    (void)size;
    if (length == 0 || length >= FILE_LONGEST)
        return 0;
    for (int above = 0; above < ABOVE && length > 0 && !*(void **)found; above++) {
        while (length > 0 && info->dlpi_name[length - 1] != '/')
            length--;
        while (length > 0 && info->dlpi_name[length - 1] == '/')
            length--;
        if (length > 0)
            *(void **)found = open_in(info->dlpi_name, length);
    }
    return *(void **)found != NULL;
}

void *nvrtc_find(void) {
    void *object = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !object; i++)
        object = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!object)
        dl_iterate_phdr(look_beside, &object);
    return object;
}
