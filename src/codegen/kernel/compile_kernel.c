/* compile_kernel.c - from a plan to a kernel's file, by way of the cache. See compile.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/system.h"
#include "codegen/kernel/kernel_parts.h"
#include "codegen/kernel/kernel_source.h"
#include "codegen/kernel/run_compiler.h"

#include <stdio.h>
#include <string.h>

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

/* ---- the text ---- */

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

/* Whether the cache has the kernel. A damaged one is ignored and replaced. One that must not be trusted is an error, and stays. */
static bool find_cached(struct job *job, hn_kernel_info *out, hn_status *status, hn_error *error) {
    struct kernel_identity found;
    struct file_bytes object = {NULL, 0};
    hn_error said = {.status = HN_OK};
    struct system_facts facts;
    *status = cache_path(job->path, &job->identity, job->compiler.words, error);
    if (*status != HN_OK || job->options->again || system_look(job->path, &facts) != 0)
        return false;
    hn_status read = kernel_file_read(&object, job->path, &found, &said);
    bool same = read == HN_OK && strcmp(found.code, job->identity.code) == 0;
    if (same) {
        describe(job, &object, out);
        out->found = true;
    } else if (read != HN_OK && read != HN_SYNTAX) {
        *status = read;
        if (error)
            *error = said;
    }
    base_release(object.data);
    return same;
}

/* A kernel with gradients can replace one without. */
static bool find_any(struct job *job, hn_kernel_info *out, hn_status *status, hn_error *error) {
    if (find_cached(job, out, status, error))
        return true;
    if (*status != HN_OK || job->gradients || job->options->again)
        return false;
    job->gradients = true;
    *status = write_text(job, error);
    if (*status == HN_OK && find_cached(job, out, status, error))
        return true;
    job->gradients = false;
    if (*status == HN_OK)
        *status = write_text(job, error);
    if (*status == HN_OK)
        *status = cache_path(job->path, &job->identity, job->compiler.words, error);
    return false;
}

/* ---- compiling ---- */

/* An unusable object is the compiler's error, not the caller's. */
static hn_status blame_compiler(const struct compiler *compiler, hn_status status, hn_error *error) {
    if (status == HN_OK || status == HN_NO_MEMORY || status == HN_UNSUPPORTED)
        return status;
    const struct error_subject subject = {.code = HN_CODE_COMPILER, .name = compiler->command};
    const hn_error said = error ? *error : (hn_error){.text = ""};
    return error_about(error, HN_UNSUPPORTED, subject, "%s", said.text);
}

/* Not written before it is tested. */
static hn_status make(struct job *job, hn_kernel_info *out, hn_error *error) {
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
    status = kernel_load_bytes(&kernel, "the compiled kernel", &object, job->subject, error);
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
    if (status == HN_OK)
        status = write_text(job, error);
    if (status == HN_OK && job->options->out)
        status = choose_path(job, error);
    else if (status == HN_OK && find_any(job, out, &status, error))
        return HN_OK;
    return status == HN_OK ? make(job, out, error) : status;
}

hn_status compile_kernel(hn_kernel_info *out, const struct kernel_subject *subject, const hn_kernel_options *options,
                         hn_error *error) {
    struct job *job = base_allocate(sizeof *job);
    if (!job)
        return error_no_memory(error, "the kernel");
    *job = (struct job){.subject = subject, .options = options, .gradients = options->gradients};
    hn_status status = compile_job(job, out, error);
    base_release(job->text.bytes);
    base_release(job);
    return status;
}
