/* kernels.h - all kernels for the WIDTH that the including file defines, and their table.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CPU_KERNELS_H
#define HN_CPU_KERNELS_H

#include "autodiff/program_kernel.h"
#include "core/barrier_kernel.h"
#include "cpu/backend.h"
#include "cpu/rows_kernel.h"
#include "linalg/blocked_ldl_kernel.h"
#include "linalg/damped_kernel.h"
#include "linalg/signed_kernel.h"
#include "nn/matrix_kernel.h"
#include "nn/normalize_kernel.h"

static inline struct backend kernel_table(const char *name) {
#define KERNEL_OF_MEMBER(member, parameters) .member = kernel_##member,
    return (struct backend){.name = name, .run = kernel_program, BACKEND_KERNEL_LIST(KERNEL_OF_MEMBER)};
#undef KERNEL_OF_MEMBER
}

#endif
