/* device_kernels.c - the kernels of a layer on a device: printed and compiled in parallel threads, then loaded.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "base/thread_start.h"
#include "cuda/device_parts.h"

#include <string.h>

/* Resident warps of a multiprocessor. paper's register kernels in double: one warp for each scheduler; with 8 their slots and
 * spilled registers leave the caches, and the steps of 100 000 samples take 1.5 times as long. Methods with weights and slots in
 * global memory leave the caches anyway, and floats fit: 8 warps take 0.9 and 0.6 of the time of 4. */
enum { MOST_PAPER = 4, MOST_MANY = 8, MOST_VERDICTS = 16 };

enum { MOST_KERNELS = 4 };

/* ---- threads ---- */

struct worker {
    pthread_t thread;
    void (*work)(void *argument);
    void *argument;
    bool started, done;
};

static void *run_worker(void *argument) {
    const struct worker *w = argument;
    w->work(w->argument);
    return NULL;
}

static void worker_start(struct worker *w) {
    w->started = thread_start(&w->thread, run_worker, w);
}

/* Joins the thread; if none was started, runs the job here. */
static void worker_finish(struct worker *w) {
    if (w->done)
        return;
    w->done = true;
    if (w->started)
        pthread_join(w->thread, NULL);
    else
        w->work(w->argument);
}

/* ---- jobs ---- */

/* Creating the context takes 0.1 s; it is not needed until code is linked or loaded. */
struct context_job {
    hn_device_layer *layer;
    hn_status status;
    hn_error error;
    struct worker worker;
};

static void make_context(void *argument) {
    struct context_job *job = argument;
    job->status = device_hold(job->layer, &job->error);
}

/* One kernel, from the plan to machine code. */
struct kernel_job {
    struct device_subject subject;
    struct device_kernel *kernel;
    hn_device_layer view; /* a copy of the layer: threads note facts about the compiler in its info */
    const char *model;
    struct kernel_code text;
    struct file_bytes code;
    hn_status status;
    hn_error error;
    struct worker worker;
};

static void make_code(void *argument) {
    struct kernel_job *job = argument;
    const struct device_subject *subject = &job->subject;
    struct code_subject source = {.capability = job->view.info.capability,
                                  .gradients = subject->adjoint,
                                  .way = {.single = subject->single,
                                          .parts = !subject->global && device_is_apart(subject),
                                          .quick = device_searches(subject)},
                                  .layer = &job->view.layer,
                                  .model = job->model};
    job->status = kernel_print(&job->text, subject, &job->error);
    source.text = job->text.text;
    source.length = job->text.length;
    if (job->status == HN_OK)
        job->status = device_code(&job->code, &job->view, &source, &job->error);
}

/* ---- loading ---- */

/* struct bytecode_memory of bytecode_kernel.h; the kernel module has its size. */
hn_status device_upload_bytecode(const hn_device_layer *layer, struct device_kernel *kernel,
                                 const struct kernel_code *code, hn_error *error) {
    const struct cuda_driver *cu = &layer->driver;
    const struct bytecode *b = &code->bytecode;
    struct {
        const void *words, *numbers;
    } memory;
    struct device_lists all = {.count = 0};
    cuda_address place = 0;
    size_t bytes = 0;
    if (b->count == 0)
        return HN_OK;
    device_lists_add(&all, b->words, b->count, sizeof *b->words, &memory.words);
    device_lists_add(&all, b->numbers, b->number_count, bytecode_number_bytes(b), &memory.numbers);
    hn_status status = driver_status(cu, cu->module_global(&place, &bytes, kernel->module, "hardnet_bytecode"),
                                     "find the kernel's bytecode", error);
    if (status == HN_OK)
        status = device_upload(cu, &kernel->lists, &all, error);
    if (status == HN_OK)
        status = driver_status(cu, cu->copy_in(place, &memory, sizeof memory, NULL), "copy to it", error);
    hn_status waited = driver_status(cu, cu->stream_wait(NULL), "copy to it", status == HN_OK ? error : NULL);
    return status == HN_OK ? waited : status;
}

unsigned device_most_warps(const hn_device_layer *layer, const struct device_subject *subject) {
    bool weighted = layer->plan->options.weighted;
    if (layer->choice.form != HN_DEVICE_STRAIGHT)
        return MOST_MANY;
    if (subject->polish && !weighted)
        return MOST_VERDICTS;
    return subject->single || weighted ? MOST_MANY : MOST_PAPER;
}

/* Limits *warps to the shared memory of a block, and requests that memory. */
static hn_status share_memory(const hn_device_layer *layer, struct device_kernel *kernel, int *warps, hn_error *error) {
    const struct cuda_driver *cu = &layer->driver;
    int own = (int)kernel->shared_bytes, most = own > 0 ? layer->shared_most / own : *warps;
    *warps = most < *warps ? most : *warps;
    if (own == 0)
        return HN_OK;
    if (most < 1)
        return error_about(error, HN_UNSUPPORTED, error_option("device"),
                           "device cuda: a warp needs %d bytes of shared memory, and this device has %d", own,
                           layer->shared_most);
    return driver_status(cu, cu->function_set(kernel->function, CUDA_SHARED_MOST, *warps * own), "share its memory",
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
        status = share_memory(layer, kernel, &most, error);
    if (status == HN_OK)
        status = driver_status(cu, cu->occupancy(&blocks, kernel->function, (int)kernel->threads, kernel->shared_bytes),
                               "measure the kernel", error);
    if (status != HN_OK)
        return status;
    cu->function_attribute(&kernel->registers, CUDA_REGISTERS, kernel->function);
    cu->function_attribute(&local, CUDA_LOCAL_BYTES, kernel->function);
    kernel->local_bytes = (size_t)local;
    blocks = blocks < 1 ? 1 : blocks < most ? blocks : most;
    kernel->warps = (unsigned)blocks * (unsigned)layer->info.multiprocessors;
    kernel->together = !subject->global && layer->plan->options.weighted;
    return HN_OK;
}

static hn_status load_job(hn_device_layer *layer, const struct kernel_job *job, hn_error *error) {
    size_t number = job->subject.single ? sizeof(float) : sizeof(double);
    struct device_kernel *kernel = job->kernel;
    kernel->width = job->subject.global ? job->text.width : DEVICE_THREADS;
    kernel->threads = job->subject.global ? job->text.threads : DEVICE_THREADS;
    kernel->slot_bytes = job->text.slots * number;
    kernel->sample_bytes = ((size_t)job->text.slots + job->text.row) * number;
    kernel->shared_bytes = job->text.shared * DEVICE_THREADS * (unsigned)sizeof(double);
    hn_status status = device_enter(layer, error);
    if (status != HN_OK)
        return status;
    status = load_kernel(layer, kernel, &job->code, &job->subject, error);
    if (status == HN_OK)
        status = device_upload_bytecode(layer, kernel, &job->text, error);
    device_leave(layer);
    return status;
}

/* The compilers ran in parallel: their time is that of the slowest. */
static void merge_info(hn_device_info *info, const hn_device_info *own) {
    info->found = info->found && own->found;
    info->nvrtc = own->nvrtc > 0 ? own->nvrtc : info->nvrtc;
    info->seconds = own->seconds > info->seconds ? own->seconds : info->seconds;
}

/* Last kernel first: this thread compiles it, and it is loaded while others are still being compiled. */
static hn_status finish_jobs(hn_device_layer *layer, struct kernel_job *jobs, size_t count, struct context_job *context,
                             hn_error *error) {
    hn_status status = HN_OK;
    for (size_t i = count; i-- > 0;) {
        worker_finish(&jobs[i].worker);
        worker_finish(&context->worker);
        merge_info(&layer->info, &jobs[i].view.info);
        const bool lost = context->status != HN_OK;
        const hn_status made = lost ? context->status : jobs[i].status;
        if (status == HN_OK && made != HN_OK && error)
            *error = lost ? context->error : jobs[i].error;
        if (status == HN_OK)
            status = made != HN_OK ? made : load_job(layer, &jobs[i], error);
        base_release(jobs[i].code.data);
        kernel_code_release(&jobs[i].text);
    }
    return status;
}

/* ---- all kernels ---- */

static void add_job(struct kernel_job *jobs, size_t *count, const hn_device_layer *layer, const char *model,
                    struct device_kernel *kernel, struct device_subject subject) {
    struct kernel_job *job = &jobs[(*count)++];
    memset(job, 0, sizeof *job);
    job->subject = subject;
    job->subject.plan = layer->plan;
    job->subject.global = layer->choice.form != HN_DEVICE_STRAIGHT;
    job->kernel = kernel;
    job->view = *layer;
    job->model = model;
    job->worker = (struct worker){.work = make_code, .argument = job};
}

/* float64: a forward kernel and a gradient kernel. float32: both in float, then in double; double gradients only if
 * there are steps in double. */
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
        add_job(jobs, &count, layer, fingerprint, &layer->coarse_run, (struct device_subject){.single = true});
    if (single && pulls)
        add_job(jobs, &count, layer, fingerprint, &layer->coarse_pull,
                (struct device_subject){.single = true, .adjoint = true});
    if (pulls && (!single || layer->plan->options.weighted))
        add_job(jobs, &count, layer, fingerprint, &layer->pull, (struct device_subject){.adjoint = true});
    add_job(jobs, &count, layer, fingerprint, &layer->run, (struct device_subject){.polish = single});
    struct context_job context = {.layer = layer};
    context.worker = (struct worker){.work = make_context, .argument = &context};
    worker_start(&context.worker);
    for (size_t i = 0; i + 1 < count; i++)
        worker_start(&jobs[i].worker);
    status = finish_jobs(layer, jobs, count, &context, error);
    base_release(jobs);
    const struct device_kernel *first = single ? &layer->coarse_run : &layer->run;
    layer->info.registers = first->registers;
    layer->info.local_bytes = first->local_bytes;
    return status;
}
