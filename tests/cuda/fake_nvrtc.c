/* fake_nvrtc.c - libnvrtc.so.13 of fake_device.h: the system's C++ compiler.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cuda/nvrtc.h"
#include "fake_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { OUT_OF_MEMORY = 1, COMPILATION = 6, COMMAND = 512 };

/* What watches the test: a wild pointer that the host happens to have is found. */
#if defined(__SANITIZE_ADDRESS__)
#define WATCHED "-fsanitize=address,undefined -fno-sanitize-recover=undefined "
#else
#define WATCHED ""
#endif

struct nvrtc_program_s {
    char *text;
    struct fake_code *code;
};

static struct fake_calls calls;
static const char log_text[] = "hardnet.cu(1): error: a test wants it so";

FAKE_EXPORT struct fake_calls *fake_compiler(void) {
    return &calls;
}

#define BEGIN                                                                                                          \
    if (fake_fails(&calls, __func__))                                                                                  \
        return calls.code;

FAKE_EXPORT nvrtc_result nvrtcVersion(int *major, int *minor) {
    BEGIN *major = 13;
    *minor = 0;
    return 0;
}

FAKE_EXPORT nvrtc_result nvrtcCreateProgram(nvrtc_program *program, const char *text, const char *name, int headers,
                                            const char *const *header_texts, const char *const *header_names) {
    BEGIN(void) name;
    (void)headers;
    (void)header_texts;
    (void)header_names;
    *program = calloc(1, sizeof **program);
    if (!*program)
        return OUT_OF_MEMORY;
    (*program)->text = strdup(text);
    return 0;
}

FAKE_EXPORT nvrtc_result nvrtcDestroyProgram(nvrtc_program *program) {
    BEGIN free((*program)->text);
    free((*program)->code);
    free(*program);
    *program = NULL;
    return 0;
}

static bool write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    bool good = file && fputs(text, file) >= 0;
    return file && fclose(file) == 0 && good;
}

static struct fake_code *read_object(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        return NULL;
    long count = ftell(file);
    rewind(file);
    struct fake_code *code = malloc(sizeof *code + (size_t)count);
    if (code) {
        memcpy(code->mark, FAKE_MARK, sizeof code->mark);
        code->count = fread(code->bytes, 1, (size_t)count, file);
    }
    fclose(file);
    return code;
}

FAKE_EXPORT nvrtc_result nvrtcCompileProgram(nvrtc_program program, int count, const char *const *options) {
    BEGIN char folder[] = "/tmp/fake-nvrtc-XXXXXX", source[64], object[64], command[COMMAND];
    bool fused = true; /* which only floats may be */
    for (int i = 0; i < count; i++)
        fused = fused && strcmp(options[i], "--fmad=false") != 0;
    if (fused != (strstr(program->text, "#define DEVICE_SINGLE\n") != NULL) || !mkdtemp(folder))
        return COMPILATION;
    snprintf(source, sizeof source, "%s/kernel.cc", folder);
    snprintf(object, sizeof object, "%s/kernel.so", folder);
    snprintf(
        command, sizeof command, "c++ -std=c++20 -DDEVICE_HOST %s%s -w -fno-strict-aliasing -fPIC -shared %s -o %s",
        calls.watched ? WATCHED : "",
        fused && calls.fuses ? "-O2 -mfma -ffp-contract=fast -DQUICK_SINES" : "-O0 -ffp-contract=off", source, object);
    if (write_text(source, program->text) && system(command) == 0) // NOLINT(cert-env33-c)
        program->code = read_object(object);
    remove(source);
    remove(object);
    rmdir(folder);
    return program->code ? 0 : COMPILATION;
}

FAKE_EXPORT nvrtc_result nvrtcGetCUBINSize(nvrtc_program program, size_t *bytes) {
    BEGIN *bytes = sizeof *program->code + program->code->count;
    return 0;
}

FAKE_EXPORT nvrtc_result nvrtcGetCUBIN(nvrtc_program program, char *code) {
    BEGIN memcpy(code, program->code, sizeof *program->code + program->code->count);
    return 0;
}

FAKE_EXPORT nvrtc_result nvrtcGetProgramLogSize(nvrtc_program program, size_t *bytes) {
    BEGIN(void) program;
    *bytes = sizeof log_text;
    return 0;
}

FAKE_EXPORT nvrtc_result nvrtcGetProgramLog(nvrtc_program program, char *log) {
    BEGIN(void) program;
    memcpy(log, log_text, sizeof log_text);
    return 0;
}
