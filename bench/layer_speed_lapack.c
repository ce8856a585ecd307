/* layer_speed_lapack.c - the yardstick: what the same steps cost with a dense matrix per sample and a tuned LAPACK.
 *
 *     H = J J' + eps I      dsyrk
 *     H = L L'              dpotrf
 *     v = H^-1 r            dpotrs
 *     y = y - J' v          dgemv
 *
 * c and J come from the layer's own program and kernel, for LANES samples at once, and are copied out sample by sample; the time
 * of both is included. One OpenBLAS thread per worker; a worker's numbers (85 kB) stay in its cache.
 *
 * SPDX-License-Identifier: MIT */
#include "layer/layer_parts.h"
#include "layer_speed.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* Fortran's names, as every LAPACK has them. */
void dsyrk_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha, const double *a,
            const int *lda, const double *beta, double *c, const int *ldc);
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info);
void dpotrs_(const char *uplo, const int *n, const int *sides, const double *a, const int *lda, double *b,
             const int *ldb, int *info);
void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy);
void openblas_set_num_threads(int threads);
char *openblas_get_corename(void);
char *openblas_get_config(void);

const char *lapack_name(void) {
    static char text[256];
    snprintf(text, sizeof text, "%.180s, kernel %.60s", openblas_get_config(), openblas_get_corename());
    return text;
}

struct yardstick {
    const hn_layer *layer;
    const hn_batch *batch;
    size_t next; /* sample not yet taken */
};

struct worker_memory {
    double *slots;    /* of the program */
    double *J, *H;    /* m x n and m x m, by columns */
    double *residual; /* m */
};

/* r = max(0, c - bu) - max(0, bl - c), and J: entries outside the pattern stay 0. */
static void copy_out(const hn_layer *layer, const struct worker_memory *memory, int lane) {
    const struct rows_task *task = &layer->task;
    const double *slots = memory->slots + lane;
    for (size_t i = 0; i < layer->rows; i++) {
        double c = slots[task->value[i]], over = c - slots[task->upper[i]], under = slots[task->lower[i]] - c;
        memory->residual[i] = (over > 0 ? over : 0) - (under > 0 ? under : 0);
        for (size_t e = layer->jacobian.first[i]; e < layer->jacobian.first[i + 1]; e++)
            memory->J[layer->jacobian.column[e] * layer->rows + i] = slots[layer->jacobian.place[e]];
    }
}

static void step(const hn_layer *layer, const struct worker_memory *memory, int lane) {
    static const int one = 1, stride = LANES;
    static const double plus = 1, zero = 0, minus = -1;
    const int m = (int)layer->rows, n = (int)layer->outputs;
    double *H = memory->H, *v = memory->residual;
    int info;
    copy_out(layer, memory, lane);
    dsyrk_("L", "N", &m, &n, &plus, memory->J, &m, &zero, H, &m); /* H = J J' */
    for (int i = 0; i < m; i++)
        H[i + i * m] += layer->options.damping;  /* H = J J' + eps I */
    dpotrf_("L", &m, H, &m, &info);              /* H = L L' */
    dpotrs_("L", &m, &one, H, &m, v, &m, &info); /* v = H^-1 r */
    dgemv_("T", &m, &n, &minus, memory->J, &m, v, &one, &plus, memory->slots + layer->y + lane, &stride); /* y - J' v */
}

static void correct_lanes(const struct yardstick *all, const struct worker_memory *memory, size_t first) {
    const hn_layer *layer = all->layer;
    size_t left = all->batch->count - first, inputs = layer->inputs, outputs = layer->outputs;
    int lanes = left < LANES ? (int)left : LANES;
    for (int lane = 0; lane < lanes; lane++) {
        size_t sample = first + (size_t)lane;
        for (size_t i = 0; i < inputs; i++)
            memory->slots[layer->x + i * LANES + (size_t)lane] = all->batch->x[sample * inputs + i];
        for (size_t j = 0; j < outputs; j++)
            memory->slots[layer->y + j * LANES + (size_t)lane] = all->batch->y_raw[sample * outputs + j];
    }
    layer->backend.run(layer->program, 0, memory->slots);
    for (int k = 0; k < layer->options.iterations; k++) {
        layer->backend.run(layer->program, 1, memory->slots);
        for (int lane = 0; lane < lanes; lane++)
            step(layer, memory, lane);
    }
    for (int lane = 0; lane < lanes; lane++)
        for (size_t j = 0; j < outputs; j++)
            all->batch->y[(first + (size_t)lane) * outputs + j] = memory->slots[layer->y + j * LANES + (size_t)lane];
}

static void *work(void *argument) {
    struct yardstick *all = argument;
    const hn_layer *layer = all->layer;
    size_t m = layer->rows, n = layer->outputs, first;
    struct worker_memory memory = {.J = reserve(m * n, sizeof(double)),
                                   .H = reserve(m * m, sizeof(double)),
                                   .residual = reserve(m, sizeof(double))};
    memory.slots = aligned_alloc(64, layer->program->slots * LANES * sizeof(double));
    program_prepare(layer->program, memory.slots);
    while ((first = __atomic_fetch_add(&all->next, LANES, __ATOMIC_RELAXED)) < all->batch->count)
        correct_lanes(all, &memory, first);
    free(memory.slots);
    free(memory.J);
    free(memory.H);
    free(memory.residual);
    return NULL;
}

void lapack_run(const hn_layer *layer, const hn_batch *batch, int threads) {
    struct yardstick all = {layer, batch, 0};
    pthread_t *others = reserve((size_t)threads, sizeof *others);
    openblas_set_num_threads(1);
    for (int i = 1; i < threads; i++)
        if (pthread_create(&others[i], NULL, work, &all) != 0)
            fail("a thread could not be started");
    work(&all);
    for (int i = 1; i < threads; i++)
        pthread_join(others[i], NULL);
    free(others);
}
