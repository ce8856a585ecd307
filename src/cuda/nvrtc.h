/* nvrtc.h - the run-time compiler of CUDA, opened when a kernel must be compiled; declared here from its documentation.
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

/* path: of the library; NULL: it is searched for (nvrtc_find.c). HN_UNSUPPORTED where there is none. A compiler that was opened stays in
 * the process: unloaded between two texts, the second one crashed in it (docs/decisions.md). */
hn_status nvrtc_open(struct nvrtc *nvrtc, const char *path, hn_error *error);

/* CUDA 13.0 has two builds of the compiler, libnvrtc and libnvrtc.alt, side by side. One takes the first half of its work for one
 * text at a time; the other one has locks of its own. This changes to the other one where it is there. */
void nvrtc_take_apart(struct nvrtc *nvrtc);

/* dlopen of the first libnvrtc that is found; NULL: none. */
void *nvrtc_find(void);

/* How a text is compiled. */
struct nvrtc_way {
    bool single; /* a kernel of floats */
    bool parts;  /* its functions side by side: the code must be linked (cuda_driver.h) before it can be loaded */
    bool quick;  /* with less optimisation, where that costs little: long functions that wait for memory */
};

/* Machine code for devices of a compute capability, such as 90. way->parts and way->quick become false where the compiler is too
 * old for them. The code is released by base_release. */
hn_status nvrtc_compile(const struct nvrtc *nvrtc, struct file_bytes *code, const char *text, int capability,
                        struct nvrtc_way *way, hn_error *error);

/* Option i of the compiler, beside the architecture; NULL: there are no more. */
const char *nvrtc_option(size_t i, const struct nvrtc_way *way);

#endif
