/* device_kernels.c - the kernels of a layer on a device: printed, compiled at the same time in threads of their own, loaded.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "base/thread_start.h"
#include "cuda/kernel_global_plan.h"

#include <string.h>

enum { MOST_KERNELS = 4 };

/* One of them on its way from the plan to code. */
struct kernel_job {
    struct device_subject subject;
    struct device_kernel *kernel;
    hn_device_layer view; /* the layer as this thread sees it: what it finds out about the compiler is its own */
    const char *model;
    struct global_code text;
    struct file_bytes code;
    hn_status status;
    hn_error error;
    pthread_t thread;
    bool apart; /* it has a thread of its own */
};

/* ---- the context ----
 *
 * It takes the driver a tenth of a second to make one, and nothing needs it before code is linked or loaded. */

struct context_job {
    hn_device_layer *layer;
    hn_status status;
    hn_error error;
    pthread_t thread;
    bool apart;
};

static void *make_context(void *argument) {
    struct context_job *job = argument;
    job->status = device_hold(job->layer, &job->error);
    return NULL;
}

static void begin_context(struct context_job *job) {
    job->apart = thread_start(&job->thread, make_context, job);
    if (!job->apart)
        make_context(job);
}

static void end_context(struct context_job *job) {
    if (job->apart)
        pthread_join(job->thread, NULL);
    job->apart = false;
}

/* ---- code ---- */

static bool has_parts(const struct kernel_job *job) {
    return job->view.choice.form == HN_DEVICE_STRAIGHT && device_is_apart(&job->subject);
}

static void *make_code(void *argument) {
    struct kernel_job *job = argument;
    struct code_subject source = {
        .capability = job->view.info.capability,
        .gradients = job->subject.adjoint,
        .way = {.single = job->subject.single, .parts = has_parts(job), .quick = device_searches(&job->subject)},
        .layer = &job->view.layer,
        .model = job->model};
    job->status = device_print_chosen(&job->text, &job->view, &job->subject, &job->error);
    source.text = job->text.text;
    source.length = job->text.length;
    if (job->status == HN_OK)
        job->status = device_code(&job->code, &job->view, &source, &job->error);
    return NULL;
}

/* The last one is made here, the others beside it. */
static void begin_codes(struct kernel_job *jobs, size_t count) {
    for (size_t i = 0; i + 1 < count; i++)
        jobs[i].apart = thread_start(&jobs[i].thread, make_code, &jobs[i]);
}

/* Waits for it; one whose thread did not start is made here. */
static void end_code(struct kernel_job *job) {
    if (job->apart)
        pthread_join(job->thread, NULL);
    else
        make_code(job);
}

/* ---- loading ---- */

/* How many warps can share the memory of a block, and that they may. */
static hn_status share_near(const hn_device_layer *layer, struct device_kernel *kernel, int *warps, hn_error *error) {
    const struct cuda_driver *cu = &layer->driver;
    int own = (int)kernel->near_bytes, most = own > 0 ? layer->near_most / own : *warps;
    *warps = most < *warps ? most : *warps;
    if (own == 0)
        return HN_OK;
    if (most < 1)
        return error_about(error, HN_UNSUPPORTED, error_option("device"),
                           "device cuda: a warp needs %d bytes that its threads share, and this device has %d", own,
                           layer->near_most);
    return driver_status(cu, cu->function_set(kernel->function, CUDA_NEAR_MOST, *warps * own), "share its memory",
                         error);
}

static hn_status load_kernel(const hn_device_layer *layer, struct device_kernel *kernel, const struct file_bytes *code,
                             const struct device_subject *subject, hn_error *error) {
    const struct cuda_driver *cu = &layer->driver;
    const char *name = subject->adjoint ? "hardnet_pull" : "hardnet_run";
    int blocks = 0, local = 0, most = (int)device_most_warps(layer, subject);
    hn_status status = driver_status(cu, cu->module_load(&kernel->module, code->data), "load the kernel", error);
    if (status != HN_OK) {
        kernel->module = NULL;
        return status;
    }
    status = driver_status(cu, cu->module_function(&kernel->function, kernel->module, name), "find the kernel", error);
    if (status == HN_OK)
        status = share_near(layer, kernel, &most, error);
    if (status == HN_OK)
        status = driver_status(cu, cu->occupancy(&blocks, kernel->function, (int)kernel->threads, kernel->near_bytes),
                               "measure the kernel", error);
    if (status != HN_OK)
        return status;
    cu->function_attribute(&kernel->registers, CUDA_REGISTERS, kernel->function);
    cu->function_attribute(&local, CUDA_LOCAL_BYTES, kernel->function);
    kernel->local_bytes = (size_t)local;
    blocks = blocks < 1 ? 1 : blocks < most ? blocks : most;
    kernel->warps = (unsigned)blocks * (unsigned)layer->info.multiprocessors;
    kernel->together = layer->choice.form == HN_DEVICE_STRAIGHT && layer->plan->options.weighted;
    return HN_OK;
}

static hn_status device_kernels_load(hn_device_layer *layer, const struct kernel_job *job, hn_error *error) {
    size_t number = job->subject.single ? sizeof(float) : sizeof(double);
    job->kernel->width = job->text.width > 0 ? job->text.width : DEVICE_THREADS;
    job->kernel->threads = job->text.threads > 0 ? job->text.threads : job->kernel->width;
    job->kernel->slot_bytes = job->text.slots * number;
    job->kernel->sample_bytes = ((size_t)job->text.slots + job->text.row) * number;
    job->kernel->near_bytes = job->text.near * DEVICE_THREADS * (unsigned)sizeof(double);
    hn_status status = device_enter(layer, error);
    if (status != HN_OK)
        return status;
    status = load_kernel(layer, job->kernel, &job->code, &job->subject, error);
    if (status == HN_OK)
        status = device_give_lists(layer, job->kernel, &job->text, error);
    device_leave(layer);
    return status;
}

/* What the compilers took is the time of the slowest: they ran side by side. */
static void take_info(hn_device_info *info, const hn_device_info *own) {
    info->found = info->found && own->found;
    info->nvrtc = own->nvrtc > 0 ? own->nvrtc : info->nvrtc;
    info->seconds = own->seconds > info->seconds ? own->seconds : info->seconds;
}

/* Those that are made here first: they are loaded while others are still on their way. */
static hn_status device_kernels_finish(hn_device_layer *layer, struct kernel_job *jobs, size_t count,
                                       struct context_job *context, hn_error *error) {
    hn_status status = HN_OK;
    for (size_t i = count; i-- > 0;) {
        end_code(&jobs[i]);
        end_context(context);
        take_info(&layer->info, &jobs[i].view.info);
        const bool lost = context->status != HN_OK;
        const hn_status made = lost ? context->status : jobs[i].status;
        if (status == HN_OK && made != HN_OK && error)
            *error = lost ? context->error : jobs[i].error;
        if (status == HN_OK)
            status = made != HN_OK ? made : device_kernels_load(layer, &jobs[i], error);
        base_release(jobs[i].code.data);
        global_release(&jobs[i].text);
    }
    return status;
}

/* ---- all of them ---- */

static void device_kernels_add(struct kernel_job *jobs, size_t *count, const hn_device_layer *layer, const char *model,
                               struct device_kernel *kernel, struct device_subject subject) {
    struct kernel_job *job = &jobs[(*count)++];
    memset(job, 0, sizeof *job);
    job->subject = subject;
    job->subject.plan = layer->plan;
    job->kernel = kernel;
    job->view = *layer;
    job->model = model;
}

/* Of float64 one each way; of float32 one of floats, and one of doubles behind it that goes back only where it takes steps. */
hn_status device_make_kernels(hn_device_layer *layer, const hn_model *model, hn_error *error) {
    char fingerprint[HN_FINGERPRINT_BYTES];
    bool single = layer->options.precision == HN_PRECISION_FLOAT32, pulls = layer->options.gradients;
    size_t count = 0;
    hn_status status = hn_model_fingerprint(model, fingerprint, error);
    struct kernel_job *jobs = status == HN_OK ? base_allocate(MOST_KERNELS * sizeof *jobs) : NULL;
    if (!jobs)
        return status == HN_OK ? error_no_memory(error, "the device's kernels") : status;
    layer->info.found = true;
    if (single)
        device_kernels_add(jobs, &count, layer, fingerprint, &layer->coarse_run,
                           (struct device_subject){.single = true});
    if (single && pulls)
        device_kernels_add(jobs, &count, layer, fingerprint, &layer->coarse_pull,
                           (struct device_subject){.single = true, .adjoint = true});
    if (pulls && (!single || layer->plan->options.weighted))
        device_kernels_add(jobs, &count, layer, fingerprint, &layer->pull, (struct device_subject){.adjoint = true});
    device_kernels_add(jobs, &count, layer, fingerprint, &layer->run, (struct device_subject){.polish = single});
    struct context_job context = {.layer = layer};
    begin_context(&context);
    begin_codes(jobs, count);
    status = device_kernels_finish(layer, jobs, count, &context, error);
    base_release(jobs);
    const struct device_kernel *first = single ? &layer->coarse_run : &layer->run;
    layer->info.registers = first->registers;
    layer->info.local_bytes = first->local_bytes;
    return status;
}
