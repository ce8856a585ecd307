/* nvrtc.h - CUDA's run-time compiler, declared from its documentation and loaded by dlopen when a kernel must be compiled.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_NVRTC_H
#define HN_CUDA_NVRTC_H

#include "base/file.h"

typedef struct nvrtc_program_s *nvrtc_program;
typedef int nvrtc_result; /* 0: success */

/* X(field, name, arguments) */
#define NVRTC_FUNCTION_LIST(X)                                                                                         \
    X(version, "nvrtcVersion", (int *major, int *minor))                                                               \
    X(create, "nvrtcCreateProgram",                                                                                    \
      (nvrtc_program * program, const char *text, const char *name, int headers, const char *const *header_texts,      \
       const char *const *header_names))                                                                               \
    X(compile, "nvrtcCompileProgram", (nvrtc_program program, int count, const char *const *options))                  \
    X(destroy, "nvrtcDestroyProgram", (nvrtc_program * program))                                                       \
    X(code_bytes, "nvrtcGetCUBINSize", (nvrtc_program program, size_t * bytes))                                        \
    X(code, "nvrtcGetCUBIN", (nvrtc_program program, char *code))                                                      \
    X(log_bytes, "nvrtcGetProgramLogSize", (nvrtc_program program, size_t * bytes))                                    \
    X(log, "nvrtcGetProgramLog", (nvrtc_program program, char *log))

#define NVRTC_FIELD(field, name, arguments) nvrtc_result(*field) arguments;
struct nvrtc {
    void *object; /* of dlopen */
    NVRTC_FUNCTION_LIST(NVRTC_FIELD)
};
#undef NVRTC_FIELD

/* path: of the library; NULL: nvrtc_find. HN_UNSUPPORTED if not found. The library stays loaded: a compiler that was
 * unloaded and loaded again crashed (docs/decisions.md). */
hn_status nvrtc_open(struct nvrtc *nvrtc, const char *path, hn_error *error);

/* Changes to libnvrtc.alt if CUDA has it (13.0): a second build of the compiler, whose locks are separate, so that the front ends
 * of both run in parallel. */
void nvrtc_take_apart(struct nvrtc *nvrtc);

/* dlopen of the first libnvrtc: by name, in CUDA's folder, or in a package of PyPI; NULL: none. No environment variable is read. */
void *nvrtc_find(void);

/* How a text is compiled. */
struct nvrtc_way {
    bool single; /* a float kernel */
    bool parts;  /* compile functions in parallel: the code must be linked (cuda_driver.h) before it is loaded */
    bool quick;  /* less optimisation: for long, memory-bound functions */
};

/* Machine code for devices of a compute capability, such as 90. way->parts and way->quick become false if the compiler is too
 * old for them. The code is released by base_release. */
hn_status nvrtc_compile(const struct nvrtc *nvrtc, struct file_bytes *code, const char *text, int capability,
                        struct nvrtc_way *way, hn_error *error);

/* Option i of the compiler, without the architecture; NULL after the last. */
const char *nvrtc_option(size_t i, const struct nvrtc_way *way);

#endif
