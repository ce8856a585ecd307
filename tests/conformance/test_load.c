/* test_load.c - corrections under load: random problems, several threads that call in every way at once, cancellations, deadlines and warm
 * starts; every number has the bits of a serial run, and memory does not grow.
 *
 *     build/tests/conformance/load                    2 seconds
 *     build/tests/conformance/load --seconds 360      as long as one likes
 *     build/tests/conformance/load --first 1200       from that round on: what was wrong is named with its round
 *     build/tests/conformance/load_tsan --seconds 240
 *
 * A round makes a few problems and layers, corrects every sample alone, and then lets threads loose on them: a call with a workspace, a pool,
 * a layer of its own, a deadline, a flag that another thread sets, a warm start, each over some of the samples. What a deadline or the
 * flag ended is cancelled, or ok all the same; all else is compared bit by bit, gradients as well. Then everything is released.
 *
 * Built a second time with ThreadSanitizer, which must stay silent.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/random_problem.h"
#include "support/run_layer.h"

#include "base/clock.h"
#include "base/random.h"
#include "hardnet/layer.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum { SUBJECTS = 4, SAMPLES = 24, WORKERS = 4, CALLS = 30, SETTLED_ROUNDS = 20, WAYS = 6 };
enum { MOST_GROWTH_KIB = 4096, JUDGED_SECONDS = 20 };

#ifdef __SANITIZE_THREAD__
static const bool memory_is_ours = false; /* shadows of threads that were grow on */
#else
static const bool memory_is_ours = true;
#endif

static double seconds = 2;
static uint64_t first_round = 0;
static uint64_t seed = 20261116;

/* ---- what is corrected ---- */

struct subject {
    struct random_problem problem;
    hn_layer_options options;
    hn_layer *layer;
    double *x, *raw;               /* of samples */
    double *y, *gradient, *warmed; /* of a serial run; warmed: of the second call with a warm start */
    hn_report reports[SAMPLES], warm_reports[SAMPLES];
};

/* A call's memory: everything that it writes. */
struct call {
    const hn_layer *layer;
    hn_batch batch;
    hn_gradient gradient;
    hn_report reports[SAMPLES];
    void *workspace;
    size_t bytes;
};

static double *numbers(size_t count) {
    double *made = calloc(count ? count : 1, sizeof *made);
    if (!made)
        abort();
    return made;
}

static void call_begin(struct call *call, const struct subject *s, const hn_layer *layer, size_t first, size_t count) {
    size_t outputs = s->problem.outputs, backward = hn_layer_gradient_workspace_bytes(layer);
    memset(call, 0, sizeof *call);
    call->layer = layer;
    call->bytes = hn_layer_workspace_bytes(layer);
    call->bytes = call->bytes > backward ? call->bytes : backward;
    call->workspace = malloc(call->bytes + 1);
    call->batch = batch_of(count, s->x + first * s->problem.inputs, s->raw + first * outputs, numbers(count * outputs),
                           call->reports);
    call->batch.tape = malloc(hn_layer_tape_bytes(layer, count) + 1);
    call->gradient = (hn_gradient){.size = sizeof call->gradient,
                                   .grad_y = s->raw + first * outputs, /* any numbers */
                                   .grad_y_raw = numbers(count * outputs)};
    if (!call->workspace || !call->batch.tape)
        abort();
}

static void call_end(struct call *call) {
    free(call->workspace);
    free(call->batch.y);
    free(call->batch.tape);
    free(call->gradient.grad_y_raw);
}

static bool call_run(struct call *call, bool back) {
    return hn_layer_run(call->layer, &call->batch, call->workspace, call->bytes, NULL) == HN_OK &&
           (!back ||
            hn_layer_gradient(call->layer, &call->batch, &call->gradient, call->workspace, call->bytes, NULL) == HN_OK);
}

/* Sample by sample, on this thread. */
static void correct_alone(struct subject *s) {
    size_t outputs = s->problem.outputs;
    double *warm = numbers(outputs);
    for (size_t i = 0; i < SAMPLES; i++) {
        struct call call;
        call_begin(&call, s, s->layer, i, 1);
        assert_true(call_run(&call, true));
        memcpy(s->y + i * outputs, call.batch.y, outputs * sizeof *s->y);
        memcpy(s->gradient + i * outputs, call.gradient.grad_y_raw, outputs * sizeof *s->y);
        s->reports[i] = call.reports[0];
        memset(warm, 0, outputs * sizeof *warm);
        call.batch.warm = warm;
        assert_true(call_run(&call, false) && call_run(&call, false));
        memcpy(s->warmed + i * outputs, call.batch.y, outputs * sizeof *s->y);
        s->warm_reports[i] = call.reports[0];
        call_end(&call);
    }
    free(warm);
}

static void subject_create(struct subject *s, struct random *random, uint64_t stream) {
    static const hn_method methods[] = {HN_METHOD_AUTO,  HN_METHOD_AUTO,    HN_METHOD_LM,
                                        HN_METHOD_PAPER, HN_METHOD_NEAREST, HN_METHOD_OPTIMAL};
    const struct random_problem_options options = {.kind = (enum problem_kind)random_below(random, PROBLEM_KINDS),
                                                   .objective = true};
    random_problem_create(&s->problem, options, seed, stream);
    s->options = hn_layer_defaults();
    s->options.method = methods[random_below(random, COUNT_OF(methods))];
    if (s->options.method == HN_METHOD_PAPER)
        s->options.iterations = 40;
    assert_int_equal(hn_layer_create(&s->layer, s->problem.model, &s->options, NULL), HN_OK);
    size_t inputs = s->problem.inputs, outputs = s->problem.outputs;
    s->x = numbers(SAMPLES * inputs);
    s->raw = numbers(SAMPLES * outputs);
    s->y = numbers(SAMPLES * outputs);
    s->gradient = numbers(SAMPLES * outputs);
    s->warmed = numbers(SAMPLES * outputs);
    for (size_t i = 0; i < SAMPLES; i++) {
        memcpy(s->x + i * inputs, s->problem.x, inputs * sizeof *s->x);
        for (size_t j = 0; j < outputs; j++)
            s->raw[i * outputs + j] = s->problem.raw[j] + 0.3 * random_normal(random);
    }
    if (random_below(random, 4) == 0)
        s->raw[random_below(random, SAMPLES * outputs)] = NAN;
    correct_alone(s);
}

static void subject_release(struct subject *s) {
    void *all[] = {s->x, s->raw, s->y, s->gradient, s->warmed};
    for (size_t i = 0; i < COUNT_OF(all); i++)
        free(all[i]);
    hn_layer_destroy(s->layer);
    random_problem_release(&s->problem);
}

/* ---- threads that call ---- */

struct tally {
    size_t calls, compared, ended, wrong;
};

struct worker {
    const struct subject *subjects;
    uint64_t round;
    struct random random;
    int cancel; /* set by another thread at any time */
    bool quits; /* there is nothing more to cancel */
    int way;    /* of the present call */
    struct tally tally;
};

static bool same(const double *a, const double *b, size_t count) {
    return memcmp(a, b, count * sizeof *a) == 0;
}

/* A sample that a deadline or the flag may have ended: finite; ok already, which plain evaluation judges, or cancelled, or what it comes to
 * anyhow, before nearest and optimal had polished or proved it. */
static bool is_honest(const struct subject *s, const hn_report *own, const double *y, const hn_report *alone) {
    for (size_t j = 0; j < s->problem.outputs; j++)
        if (!isfinite(y[j]))
            return false;
    if (own->outcome != HN_OUTCOME_OK)
        return own->outcome == HN_OUTCOME_CANCELLED || own->outcome == alone->outcome;
    return judged_violation(s->problem.model, s->problem.x, y, false, NULL) <= (1 + 1e-6) * s->options.tolerance;
}

struct expected {
    const double *y, *gradient; /* gradient: NULL where none was asked for */
    const hn_report *reports;
};

static const char *const ways[WAYS] = {"plain", "pooled", "own layer", "deadline", "cancelled", "warm"};

static void tell(const struct worker *w, const struct subject *s, const struct call *call, size_t sample,
                 const hn_report *alone) {
    const hn_report *own = &call->reports[sample];
    printf("wrong: round %llu, %s, %s, problem %d, sample %zu of %zu: %s after %d steps, %.17g; alone %s after %d "
           "steps, %.17g\n",
           (unsigned long long)w->round, ways[w->way], hn_method_text(s->options.method), (int)(s - w->subjects),
           sample, call->batch.count, hn_outcome_text(own->outcome), own->iterations, own->violation,
           hn_outcome_text(alone->outcome), alone->iterations, alone->violation);
}

/* What was called for samples from first on. */
static void compare(struct worker *w, const struct subject *s, const struct call *call, size_t first,
                    const struct expected *alone) {
    size_t outputs = s->problem.outputs;
    bool may_end = call->batch.cancel || call->batch.seconds > 0;
    for (size_t i = 0; i < call->batch.count; i++) {
        const double *y = call->batch.y + i * outputs, *pulled = call->gradient.grad_y_raw + i * outputs;
        const hn_report *own = &call->reports[i], *other = &alone->reports[first + i];
        size_t at = (first + i) * outputs;
        bool equal =
            same(y, alone->y + at, outputs) && own->outcome == other->outcome && own->iterations == other->iterations;
        if (!equal && may_end && is_honest(s, own, y, other)) {
            w->tally.ended++;
            continue;
        }
        w->tally.compared++;
        if (equal && (!alone->gradient || same(pulled, alone->gradient + at, outputs)))
            continue;
        w->tally.wrong++;
        tell(w, s, call, i, other);
    }
}

static bool run_pool(struct worker *w, struct call *call) {
    hn_pool *pool;
    if (hn_pool_create(&pool, call->layer, 1 + (int)random_below(&w->random, 3), NULL) != HN_OK)
        return false;
    bool good = hn_pool_run(pool, &call->batch, NULL) == HN_OK &&
                hn_pool_gradient(pool, &call->batch, &call->gradient, NULL) == HN_OK;
    hn_pool_destroy(pool);
    return good;
}

static bool run_warm(struct call *call, size_t outputs) {
    call->batch.warm = numbers(call->batch.count * outputs);
    bool good = call_run(call, false) && call_run(call, false);
    free(call->batch.warm);
    call->batch.warm = NULL;
    return good;
}

/* One call of some kind over some of the samples of some subject. */
static void call_once(struct worker *w) {
    enum { PLAIN, POOLED, OWN_LAYER, DEADLINE, CANCELLED, WARM };
    int way = w->way = (int)random_below(&w->random, WAYS);
    const struct subject *s = &w->subjects[random_below(&w->random, SUBJECTS)];
    size_t first = random_below(&w->random, SAMPLES), count = 1 + random_below(&w->random, SAMPLES - first);
    hn_layer *own = NULL;
    struct call call;
    if (way == OWN_LAYER && hn_layer_create(&own, s->problem.model, &s->options, NULL) != HN_OK)
        w->tally.wrong++;
    call_begin(&call, s, own ? own : s->layer, first, count);
    __atomic_store_n(&w->cancel, 0, __ATOMIC_RELAXED);
    if (way == DEADLINE)
        call.batch.seconds = pow(10, random_between(&w->random, -7, -3));
    if (way == CANCELLED)
        call.batch.cancel = &w->cancel;
    bool back = way == PLAIN || way == POOLED || way == OWN_LAYER;
    bool good = way == POOLED ? run_pool(w, &call)
                : way == WARM ? run_warm(&call, s->problem.outputs)
                              : call_run(&call, back);
    w->tally.calls++;
    w->tally.wrong += !good;
    const struct expected cold = {s->y, back ? s->gradient : NULL, s->reports},
                          warm = {s->warmed, NULL, s->warm_reports};
    compare(w, s, &call, first, way == WARM ? &warm : &cold);
    call_end(&call);
    hn_layer_destroy(own);
}

static void *work(void *argument) {
    struct worker *w = argument;
    for (int i = 0; i < CALLS; i++)
        call_once(w);
    return NULL;
}

/* Sets every flag every now and then, until told to stop. */
static void *disturb(void *argument) {
    struct worker *workers = argument;
    const struct timespec pause = {.tv_nsec = 50000};
    while (!__atomic_load_n(&workers[0].quits, __ATOMIC_RELAXED)) {
        for (int i = 0; i < WORKERS; i++)
            __atomic_store_n(&workers[i].cancel, 1, __ATOMIC_RELAXED);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

/* ---- rounds ---- */

static void run_round(uint64_t round, struct tally *tally) {
    struct random random = random_start(seed, round);
    struct subject *subjects = calloc(SUBJECTS, sizeof *subjects);
    struct worker workers[WORKERS] = {{.quits = false}};
    pthread_t threads[WORKERS], other;
    assert_non_null(subjects);
    for (uint64_t i = 0; i < SUBJECTS; i++)
        subject_create(&subjects[i], &random, round * SUBJECTS + i);
    for (uint64_t i = 0; i < WORKERS; i++) {
        workers[i] = (struct worker){.subjects = subjects, .round = round, .random = random_start(seed + 1 + i, round)};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    assert_int_equal(pthread_create(&other, NULL, disturb, workers), 0);
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(threads[i], NULL);
        tally->calls += workers[i].tally.calls;
        tally->compared += workers[i].tally.compared;
        tally->ended += workers[i].tally.ended;
        tally->wrong += workers[i].tally.wrong;
    }
    __atomic_store_n(&workers[0].quits, true, __ATOMIC_RELAXED);
    pthread_join(other, NULL);
    for (int i = 0; i < SUBJECTS; i++)
        subject_release(&subjects[i]);
    free(subjects);
}

/* What this process holds in memory. */
static long resident_kib(void) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%*s %ld", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

TEST(a_serial_run_has_the_same_bits_and_memory_stays) {
    struct tally tally = {0};
    uint64_t round = 0;
    long settled = 0, growth = 0;
    for (double start = clock_seconds(); clock_seconds() - start < seconds || round == 0; round++) {
        run_round(first_round + round, &tally);
        long now =
            resident_kib(); /* the allocator of the C library keeps what it has for later rounds, up to a point */
        if (round < SETTLED_ROUNDS || clock_seconds() - start < seconds / 4)
            settled = now > settled ? now : settled;
        else
            growth = now - settled > growth ? now - settled : growth;
    }
    print_message(
        "load: %zu rounds, %zu calls, %zu samples compared, %zu ended early, %zu wrong, memory grew by %ld KiB of "
        "%ld\n",
        (size_t)round, tally.calls, tally.compared, tally.ended, tally.wrong, growth, settled);
    assert_int_equal(tally.wrong, 0);
    assert_true(tally.compared > 0);
    if (seconds >= JUDGED_SECONDS && memory_is_ours)
        assert_in_range(growth, 0, MOST_GROWTH_KIB);
}

int main(int argc, char **argv) {
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--seconds") == 0)
            seconds = strtod(argv[i + 1], NULL);
        if (strcmp(argv[i], "--first") == 0)
            first_round = strtoull(argv[i + 1], NULL, 10);
    }
    return run_registered_tests();
}
