/* compile_kernel.c - loads kernels, and compiles them to files in the cache. See compile.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "base/error.h"
#include "base/launch.h"
#include "base/memory.h"
#include "codegen/kernel/kernel_file.h"
#include "codegen/kernel/kernel_parts.h"
#include "codegen/kernel/kernel_source.h"
#include "codegen/kernel/run_compiler.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- shared objects ---- */

static hn_status load_object(struct kernel *kernel, const char *path, hn_error *error) {
    kernel->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!kernel->object) {
        const char *reason = dlerror();
        return error_about(error, HN_IO, error_file(path), "kernel %s: %s", path, reason ? reason : "cannot be loaded");
    }
    kernel->table = dlsym(kernel->object, KERNEL_EXPORT);
    if (!kernel->table)
        return error_about(error, HN_INVALID, error_file(path), "kernel %s: not a kernel: %s is missing", path,
                           KERNEL_EXPORT);
    if (kernel->table->version != KERNEL_VERSION)
        return error_about(error, HN_INVALID, error_file(path),
                           "kernel %s: has version %u of the table, this library knows %d", path,
                           kernel->table->version, KERNEL_VERSION);
    return HN_OK;
}

/* The table of a text contains the digest of the text before the table. */
static bool has_digest(const char *text, const char *digest) {
    return memchr(digest, 0, KERNEL_DIGEST) == digest + KERNEL_DIGEST - 1 && strstr(text, digest) != NULL;
}

static hn_status compare_text(const struct kernel *kernel, const char *path, const struct plan *plan, hn_error *error) {
    const struct generate_options options = {kernel->instructions, kernel->table->adjoint != 0};
    struct generated_text text;
    hn_status status = generate_lanes(&text, plan, &options, error);
    if (status != HN_OK)
        return status;
    bool same = has_digest(text.bytes, kernel->table->digest);
    base_release(text.bytes);
    return same ? HN_OK
                : error_about(error, HN_INVALID, error_file(path),
                              "kernel %s: was generated for another model, method, instruction set or library", path);
}

static hn_status check_kernel(struct kernel *kernel, const char *path, const struct plan *plan, hn_error *error) {
    hn_status status = executor_check(kernel->instructions, error);
    if (status == HN_OK)
        status = load_object(kernel, path, error);
    if (status == HN_OK)
        status = compare_text(kernel, path, plan, error);
    return status == HN_OK ? kernel_test(kernel, plan, error) : status;
}

hn_status kernel_open(struct kernel **out, const char *path, const struct plan *plan, hn_instructions instructions,
                      hn_error *error) {
    struct kernel *kernel = base_allocate(sizeof *kernel);
    *out = NULL;
    if (!kernel)
        return error_no_memory(error, "the kernel");
    *kernel = (struct kernel){.instructions = generate_instructions(instructions), .copy = -1};
    hn_status status = check_kernel(kernel, path, plan, error);
    if (status == HN_OK)
        *out = kernel;
    else
        kernel_close(kernel);
    return status;
}

void kernel_close(struct kernel *kernel) {
    if (!kernel)
        return;
    if (kernel->object)
        dlclose(kernel->object);
    if (kernel->copy >= 0)
        system_close(kernel->copy);
    base_release(kernel);
}

bool kernel_has_adjoint(const struct kernel *kernel) {
    return kernel->table->adjoint != 0;
}

/* ---- files ---- */

enum { MEMORY_PATH = 32 };

/* Replaces the name of the in-memory copy in an error by the user's path. */
static hn_status rename_error(hn_error *error, const char *own, const char *shown, const hn_error *said) {
    const struct error_subject file = {.code = HN_CODE_KERNEL, .name = shown};
    const char *rest = strstr(said->text, own);
    bool named = rest && strncmp(rest + strlen(own), ": ", 2) == 0;
    return error_about(error, said->status, file, "%s%s%s", shown, named ? "" : ": ",
                       named ? rest + strlen(own) : said->text);
}

static hn_status load_bytes(struct kernel **out, const char *shown, const struct file_bytes *object,
                            const struct kernel_subject *subject, hn_error *error) {
    char own[MEMORY_PATH];
    hn_error said = {.status = HN_OK};
    *out = NULL;
    int file = launch_memory_file();
    if (file < 0)
        return file_error(error, shown, "be loaded: no file in memory", errno);
    snprintf(own, sizeof own, "/proc/self/fd/%d", file);
    hn_status status = file_put(file, object->data, object->count) == 0
                           ? kernel_open(out, own, subject->plan, subject->options->instructions, &said)
                           : file_error(&said, own, "be copied into memory", errno);
    if (status == HN_OK) {
        (*out)->copy = file;
        return HN_OK;
    }
    system_close(file);
    return status == HN_NO_MEMORY ? error_no_memory(error, shown) : rename_error(error, own, shown, &said);
}

hn_status kernel_load(struct kernel **out, const char *path, const struct kernel_subject *subject, hn_error *error) {
    const struct kernel_source source = {.model = subject->model, .options = subject->options};
    struct kernel_identity found, wanted = kernel_identify(&source);
    struct file_bytes object;
    *out = NULL;
    hn_status status = kernel_file_read(&object, path, &found, error);
    if (status == HN_OK)
        status = kernel_fits_here(path, &found, &wanted, error);
    if (status == HN_OK)
        status = load_bytes(out, path, &object, subject, error);
    if (status == HN_INVALID && kernel_fits_here(path, &found, &wanted, NULL) == HN_OK)
        kernel_is_foreign(path, &found, &wanted, error);
    base_release(object.data);
    return status;
}

/* ---- a compilation: the text ---- */

enum { FOR_OWNER = 0600, FOR_ALL_TO_READ = 0644 };

struct job {
    const struct kernel_subject *subject;
    const hn_kernel_options *options;
    bool gradients;
    struct compiler compiler;
    struct generated_text text;
    struct kernel_identity identity;
    char path[FILE_LONGEST];
};

static hn_status write_text(struct job *job, hn_error *error) {
    const hn_layer_options *layer = job->subject->options;
    const struct generate_options wanted = {.instructions = layer->instructions, .adjoint = job->gradients};
    base_release(job->text.bytes);
    hn_status status = generate_lanes(&job->text, job->subject->plan, &wanted, error);
    if (status != HN_OK)
        return status;
    const struct kernel_source source = {.model = job->subject->model,
                                         .options = layer,
                                         .gradients = job->gradients,
                                         .text = job->text.bytes,
                                         .length = job->text.length};
    job->identity = kernel_identify(&source);
    return HN_OK;
}

static void describe(const struct job *job, const struct file_bytes *object, hn_kernel_info *out) {
    snprintf(out->path, sizeof out->path, "%s", job->path);
    out->gradients = job->gradients;
    out->instructions = job->subject->options->instructions;
    out->text_bytes = job->text.length;
    out->left_bytes = job->text.left;
    out->code_bytes = kernel_code_bytes(object);
}

/* ---- the cache ---- */

/* Generates the text, with or without gradients, and looks up its kernel in the cache. */
static hn_status find_cached(struct job *job, bool gradients, hn_kernel_info *out, hn_error *error) {
    struct file_bytes object = {NULL, 0};
    job->gradients = gradients;
    hn_status status = write_text(job, error);
    if (status == HN_OK)
        status = cache_path(job->path, &job->identity, job->compiler.words, ".so", error);
    if (status == HN_OK && !job->options->again)
        status = cache_read(&object, job->path, &job->identity, error);
    if (object.data) {
        describe(job, &object, out);
        out->found = true;
    }
    base_release(object.data);
    return status;
}

/* A kernel with gradients can replace one without. */
static hn_status find_any(struct job *job, hn_kernel_info *out, hn_error *error) {
    bool gradients = job->options->gradients;
    hn_status status = find_cached(job, gradients, out, error);
    if (status != HN_OK || out->found || gradients || job->options->again)
        return status;
    status = find_cached(job, true, out, error);
    return status == HN_OK && !out->found ? find_cached(job, false, out, error) : status;
}

/* ---- compiling ---- */

/* An unusable object is reported as an error of the compiler, not of the caller. */
static hn_status blame_compiler(const struct compiler *compiler, hn_status status, hn_error *error) {
    if (status == HN_OK || status == HN_NO_MEMORY || status == HN_UNSUPPORTED)
        return status;
    const struct error_subject subject = {.code = HN_CODE_COMPILER, .name = compiler->command};
    const hn_error said = error ? *error : (hn_error){.text = ""};
    return error_about(error, HN_UNSUPPORTED, subject, "%s", said.text);
}

/* The file is written only after the test. */
static hn_status make_kernel(struct job *job, hn_kernel_info *out, hn_error *error) {
    const struct compiler *compiler = &job->compiler;
    struct kernel *kernel;
    struct file_bytes object;
    double begun = clock_seconds();
    if (job->options->begin)
        job->options->begin(job->options->context, compiler->command, job->text.length);
    const struct compiler_watch watch = {.seconds = job->options->seconds,
                                         .cancel = job->options->cancel,
                                         .waiting = job->options->waiting,
                                         .context = job->options->context};
    hn_status status = compiler_run(compiler, &watch, &object, job->text.bytes, job->text.length, error);
    if (status != HN_OK)
        return status;
    out->seconds = clock_seconds() - begun;
    status = load_bytes(&kernel, "the compiled kernel", &object, job->subject, error);
    if (status == HN_OK) {
        kernel_close(kernel);
        describe(job, &object, out);
        status = kernel_file_write(job->path, &job->identity, &object, job->options->out ? FOR_ALL_TO_READ : FOR_OWNER,
                                   error);
    } else
        status = blame_compiler(compiler, status, error);
    base_release(object.data);
    return status;
}

static hn_status choose_path(struct job *job, hn_error *error) {
    const char *out = job->options->out;
    if (strlen(out) >= sizeof job->path)
        return error_about(error, HN_IO, error_file(out), "%s: the name is too long", out);
    snprintf(job->path, sizeof job->path, "%s", out);
    return HN_OK;
}

static hn_status compile_job(struct job *job, hn_kernel_info *out, hn_error *error) {
    hn_status status =
        compiler_choose(&job->compiler, job->options->compiler, job->subject->options->instructions, error);
    if (status == HN_OK && !job->options->out)
        status = find_any(job, out, error);
    else if (status == HN_OK) {
        job->gradients = job->options->gradients;
        status = write_text(job, error);
        if (status == HN_OK)
            status = choose_path(job, error);
    }
    return status == HN_OK && !out->found ? make_kernel(job, out, error) : status;
}

hn_status compile_kernel(hn_kernel_info *out, const struct kernel_subject *subject, const hn_kernel_options *options,
                         hn_error *error) {
    struct job *job = base_allocate(sizeof *job);
    if (!job)
        return error_no_memory(error, "the kernel");
    *job = (struct job){.subject = subject, .options = options};
    hn_status status = compile_job(job, out, error);
    base_release(job->text.bytes);
    base_release(job);
    return status;
}
