/* test_no_allocation.c - a layer, a gradient and a pool that run do not ask for memory, in 100 000 calls.
 *
 * This program has the C library's allocators under its own name and counts who comes by, on every thread; tests of
 * faults/ count the library's own seam. Where a sanitizer has taken the allocators already, or the C library gives no
 * other way to its own, the tests are skipped.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/model_check.h"
#include "support/run_layer.h"

#include "base/random.h"

#include <errno.h>
#include <stdatomic.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#endif

#if defined(__GLIBC__) && !defined(SANITIZED)
#define COUNTED 1
#else
#define COUNTED 0
#endif

enum { CALLS = 100000, CALLS_OF_OTHERS = 5000, CALLS_OF_A_POOL = 2000, THREADS = 3, BATCH = 40 };

static atomic_size_t requests;

/* ---- the allocators, counted ---- */

#if COUNTED
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void *memalign(size_t alignment, size_t bytes);

void *malloc(size_t bytes) {
    atomic_fetch_add(&requests, 1);
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes) {
    atomic_fetch_add(&requests, 1);
    return __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes) {
    atomic_fetch_add(&requests, 1);
    return __libc_realloc(old, bytes);
}

void *memalign(size_t alignment, size_t bytes) {
    atomic_fetch_add(&requests, 1);
    return __libc_memalign(alignment, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes) {
    atomic_fetch_add(&requests, 1);
    return __libc_memalign(alignment, bytes);
}

int posix_memalign(void **out, size_t alignment, size_t bytes) {
    atomic_fetch_add(&requests, 1);
    void *block = __libc_memalign(alignment, bytes);
    if (!block)
        return ENOMEM;
    *out = block;
    return 0;
}
#endif

/* Through pointers that the compiler cannot see through: it may leave out a malloc that is freed at once. */
static void *(*volatile const plain_malloc)(size_t) = malloc;
static void *(*volatile const plain_calloc)(size_t, size_t) = calloc;
static void *(*volatile const plain_realloc)(void *, size_t) = realloc;
static void *(*volatile const plain_aligned)(size_t, size_t) = aligned_alloc;
static int (*volatile const plain_memalign)(void **, size_t, size_t) = posix_memalign;

TEST(the_counter_sees_every_allocator) {
    if (!COUNTED)
        skip();
    size_t before = atomic_load(&requests);
    void *blocks[] = {plain_malloc(24), plain_calloc(3, 8), plain_realloc(NULL, 24), plain_aligned(64, 64), NULL};
    assert_int_equal(plain_memalign(&blocks[4], 64, 24), 0);
    size_t after = atomic_load(&requests);
    for (size_t i = 0; i < COUNT_OF(blocks); i++) {
        assert_non_null(blocks[i]);
        free(blocks[i]);
    }
    assert_int_equal(after - before, COUNT_OF(blocks));
}

/* ---- a small problem ---- */

/* y1^2 + y2^2 = x1^2, y3 <= sin(y1) + x2, 0.2 <= y1 <= 5, -5 <= y4 <= 5 */
static hn_model *small_model(void) {
    return model_of_text("param x1; param x2; var y1 >= 0.2, <= 5; var y2; var y3; var y4 >= -5, <= 5; circle: y1*y1 + "
                         "y2*y2 = x1*x1; wave: y3 - sin(y1) <= x2;");
}

/* Inputs and gradients of a batch, other ones in every call. */
struct samples {
    double *x, *raw, *grad_y;
    struct random random;
};

static struct samples samples_of(hn_layer_info info, size_t count) {
    struct samples samples = {.random = random_start(81, count)};
    samples.x = calloc(count * info.inputs, sizeof *samples.x);
    samples.raw = calloc(count * info.outputs, sizeof *samples.raw);
    samples.grad_y = calloc(count * info.outputs, sizeof *samples.grad_y);
    return samples;
}

static void draw(struct samples *samples, hn_layer_info info, size_t count) {
    for (size_t i = 0; i < count * info.inputs; i++)
        samples->x[i] = random_between(&samples->random, 0.5, 2);
    for (size_t i = 0; i < count * info.outputs; i++) {
        samples->raw[i] = 2 * random_normal(&samples->random);
        samples->grad_y[i] = random_normal(&samples->random);
    }
}

static void samples_release(struct samples *samples) {
    free(samples->x);
    free(samples->raw);
    free(samples->grad_y);
}

/* ---- calls ---- */

struct tally {
    size_t requests, wrong, ok; /* allocations; calls that failed; samples that are ok */
};

/* On a pool or, without one, on a workspace. Nothing of the test's own comes between the two readings of the counter
 * but drawing numbers. */
static struct tally call(const hn_layer *layer, hn_pool *pool, size_t count, size_t calls) {
    hn_layer_info info = hn_layer_info_of(layer);
    struct samples samples = samples_of(info, count);
    struct layer_results results = results_of(layer, count);
    hn_batch batch = batch_into(&results, samples.x, samples.raw);
    hn_gradient gradient = gradient_into(&results, samples.grad_y);
    size_t bytes = hn_layer_workspace_bytes(layer), gradient_bytes = hn_layer_gradient_workspace_bytes(layer);
    void *workspace = malloc(bytes > gradient_bytes ? bytes : gradient_bytes);
    struct tally tally = {0};
    size_t before = atomic_load(&requests);
    for (size_t k = 0; k < calls; k++) {
        hn_error error;
        draw(&samples, info, count);
        hn_status forward =
            pool ? hn_pool_run(pool, &batch, &error) : hn_layer_run(layer, &batch, workspace, bytes, &error);
        hn_status back = pool ? hn_pool_gradient(pool, &batch, &gradient, &error)
                              : hn_layer_gradient(layer, &batch, &gradient, workspace, gradient_bytes, &error);
        tally.wrong += forward != HN_OK || back != HN_OK;
        for (size_t s = 0; s < count; s++)
            tally.ok += results.reports[s].outcome == HN_OUTCOME_OK;
    }
    tally.requests = atomic_load(&requests) - before;
    free(workspace);
    results_release(&results);
    samples_release(&samples);
    return tally;
}

TEST(one_hundred_thousand_calls_of_auto_ask_for_no_memory) {
    if (!COUNTED)
        skip();
    hn_model *model = small_model();
    hn_layer *layer = layer_of(model, hn_layer_defaults());
    struct tally tally = call(layer, NULL, 1, CALLS);
    print_message("%zu requests in %d calls, %zu samples ok\n", tally.requests, CALLS, tally.ok);
    assert_int_equal(tally.requests, 0);
    assert_int_equal(tally.wrong, 0);
    assert_true(tally.ok > CALLS - CALLS / 100);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

TEST(no_method_asks_for_memory) {
    static const hn_method methods[] = {HN_METHOD_PAPER, HN_METHOD_HARDNET, HN_METHOD_LM,
                                        HN_METHOD_AUTO,  HN_METHOD_ENFORCE, HN_METHOD_SNARENET};
    if (!COUNTED)
        skip();
    hn_model *model = small_model();
    for (size_t i = 0; i < COUNT_OF(methods); i++)
        for (size_t count = 1; count <= BATCH; count += BATCH - 1) {
            hn_layer_options options = layer_method(methods[i]);
            options.iterations = 12;
            hn_layer *layer = layer_of(model, options);
            struct tally tally = call(layer, NULL, count, CALLS_OF_OTHERS / count);
            assert_int_equal(tally.requests, 0);
            assert_int_equal(tally.wrong, 0);
            hn_layer_destroy(layer);
        }
    hn_model_destroy(model);
}

TEST(a_pool_asks_for_no_memory) {
    if (!COUNTED)
        skip();
    hn_model *model = small_model();
    hn_layer *layer = layer_of(model, hn_layer_defaults());
    hn_pool *pool;
    assert_int_equal(hn_pool_create(&pool, layer, THREADS, NULL), HN_OK);
    struct tally tally = call(layer, pool, BATCH, CALLS_OF_A_POOL);
    assert_int_equal(tally.requests, 0);
    assert_int_equal(tally.wrong, 0);
    assert_true(tally.ok > 0);
    hn_pool_destroy(pool);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}
