/* layer_speed_lapack.c - the yardstick: what the same steps cost with a dense matrix per sample and a tuned LAPACK.
 *
 *     H = J J' + eps I      dsyrk
 *     H = L L'              dpotrf
 *     v = H^-1 r            dpotrs
 *     y = y - J' v          dgemv
 *
 * c and J come from the layer's own executor, for several samples at once, and are copied out sample by sample; the time
 * of both is included. One OpenBLAS thread per worker; a worker's numbers (85 kB) stay in its cache.
 *
 * SPDX-License-Identifier: MIT */
#include "layer/driver.h"
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
static void copy_out(const struct plan *plan, const struct worker_memory *memory, const struct point *p) {
    const uint32_t *value = plan_words(plan, plan->value), *first = plan_words(plan, plan->jacobian.first);
    const uint32_t *lower = plan_words(plan, plan->lower), *upper = plan_words(plan, plan->upper);
    const uint32_t *column = plan_words(plan, plan->jacobian.column), *slot = plan_words(plan, plan->jacobian.slot);
    for (size_t i = 0; i < plan->rows; i++) {
        double c = *point_at(p, value[i]), over = c - *point_at(p, upper[i]), under = *point_at(p, lower[i]) - c;
        memory->residual[i] = (over > 0 ? over : 0) - (under > 0 ? under : 0);
        for (size_t e = first[i]; e < first[i + 1]; e++)
            memory->J[column[e] * plan->rows + i] = *point_at(p, slot[e]);
    }
}

static void step(const struct plan *plan, const struct worker_memory *memory, const struct point *p) {
    static const int one = 1;
    static const double plus = 1, zero = 0, minus = -1;
    const int m = (int)plan->rows, n = (int)plan->outputs, stride = (int)p->width;
    double *H = memory->H, *v = memory->residual;
    int info;
    copy_out(plan, memory, p);
    dsyrk_("L", "N", &m, &n, &plus, memory->J, &m, &zero, H, &m); /* H = J J' */
    for (int i = 0; i < m; i++)
        H[i + i * m] += plan->options.damping;                                                 /* H = J J' + eps I */
    dpotrf_("L", &m, H, &m, &info);                                                            /* H = L L' */
    dpotrs_("L", &m, &one, H, &m, v, &m, &info);                                               /* v = H^-1 r */
    dgemv_("T", &m, &n, &minus, memory->J, &m, v, &one, &plus, point_at(p, plan->y), &stride); /* y - J' v */
}

static void correct_together(const struct yardstick *all, const struct worker_memory *memory, size_t first) {
    const struct executor *x = &all->layer->lanes;
    const struct plan *plan = x->plan;
    size_t left = all->batch->count - first, inputs = plan->inputs, outputs = plan->outputs;
    uint32_t count = left < x->width ? (uint32_t)left : x->width;
    for (uint32_t k = 0; k < count; k++) {
        const struct point p = {plan, memory->slots + k, x->width};
        point_write(&p, plan->x, inputs, all->batch->x + (first + k) * inputs);
        point_write(&p, plan->y, outputs, all->batch->y_raw + (first + k) * outputs);
    }
    x->prepare(x, memory->slots);
    for (int i = 0; i < plan->options.iterations; i++) {
        x->evaluate(x, memory->slots, NULL, true);
        for (uint32_t k = 0; k < count; k++) {
            const struct point p = {plan, memory->slots + k, x->width};
            step(plan, memory, &p);
        }
    }
    for (uint32_t k = 0; k < count; k++) {
        const struct point p = {plan, memory->slots + k, x->width};
        point_read(&p, plan->y, outputs, all->batch->y + (first + k) * outputs);
    }
}

static void *work(void *argument) {
    struct yardstick *all = argument;
    const struct executor *x = &all->layer->lanes;
    size_t m = x->plan->rows, n = x->plan->outputs, first;
    struct worker_memory memory = {.J = reserve(m * n, sizeof(double)),
                                   .H = reserve(m * m, sizeof(double)),
                                   .residual = reserve(m, sizeof(double))};
    memory.slots = aligned_alloc(64, (x->bytes + 63) / 64 * 64);
    x->begin(x, memory.slots);
    while ((first = __atomic_fetch_add(&all->next, x->width, __ATOMIC_RELAXED)) < all->batch->count)
        correct_together(all, &memory, first);
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
