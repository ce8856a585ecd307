/* device_bits_many.c - many models at once: what takes time is the compiler, which one process has for itself. See device_bits_judge.h.
 *
 * Workers are processes that compile, into the user's cache; threads of one more process judge what is there: kernels of one process run
 * side by side on a device, those of several take turns.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "device_bits_judge.h"
#include "support/check.h"
#include "support/run_layer.h"

#include "base/clock.h"
#include "hardnet/inspect.h"
#include "hardnet/read.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_FILES = 256, MOST_WORKERS = 64, MOST_TASKS = 1 << 16, NAME_BYTES = 128, METHODS = 8, SEARCHES = 2 };
enum { GRACE_SECONDS = 60, NAP_MICROSECONDS = 5000 };

/* All processes see it. */
struct shared {
    atomic_uint compiled, judged;     /* the first task that nobody has taken */
    atomic_uchar ready[MOST_TASKS];   /* its kernels are in the cache, or cannot be */
    struct tally tally[MOST_WORKERS]; /* of threads that judge */
};

struct file {
    char name[NAME_BYTES]; /* below models/, without its suffix */
    size_t size;           /* outputs times rows: what is large takes long, and comes first */
};

struct list {
    size_t files;
    struct file file[MOST_FILES];
    uint64_t first, last; /* random problems */
    const char *methods;  /* the only ones; NULL: each */
    double until;         /* by the clock: nothing is begun afterwards */
};

/* ---- what there is ---- */

static size_t size_of(const char *folder, const char *name) {
    char path[2 * NAME_BYTES + 256];
    const char *paths[] = {path};
    hn_model *model;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (hn_model_read(&model, 1, paths, NULL, NULL) != HN_OK)
        return 0;
    size_t size = hn_model_output_count(model) * hn_model_row_count(model);
    hn_model_destroy(model);
    return size;
}

static int by_size(const void *a, const void *b) {
    size_t x = ((const struct file *)a)->size, y = ((const struct file *)b)->size;
    return (x < y) - (x > y);
}

/* Whether its name holds the part; of "-part": whether it does not. */
static bool is_wanted(const char *name, const char *part) {
    return part[0] == '-' ? strstr(name, part + 1) == NULL : strstr(name, part) != NULL;
}

/* Below models/; folders have no suffix. */
static void add_folder(struct list *list, const char *folder, const char *part) {
    char path[NAME_BYTES + 16];
    snprintf(path, sizeof path, "models/%s", folder);
    DIR *open = opendir(path);
    for (const struct dirent *entry; open && (entry = readdir(open));) {
        char below[NAME_BYTES];
        const char *dot = strrchr(entry->d_name, '.');
        int length = snprintf(below, sizeof below, "%s%s%s", folder, folder[0] ? "/" : "", entry->d_name);
        if (entry->d_name[0] == '.' || length >= (int)sizeof below)
            continue;
        if (!dot && entry->d_type == DT_DIR)
            add_folder(list, below, part);
        if (dot && strcmp(dot, ".mod") == 0 && list->files < MOST_FILES && is_wanted(below, part)) {
            struct file *file = &list->file[list->files++];
            below[length - 4] = '\0';
            memcpy(file->name, below, sizeof below);
            file->size = size_of(path, entry->d_name);
        }
    }
    if (open)
        closedir(open);
}

/* Those first that take long. */
static hn_layer_options method_of(size_t number) {
    const hn_layer_options all[METHODS] = {layer_method(HN_METHOD_NEAREST),  layer_method(HN_METHOD_OPTIMAL),
                                           layer_method(HN_METHOD_AUTO),     layer_method(HN_METHOD_LM),
                                           layer_method(HN_METHOD_ENFORCE),  layer_method(HN_METHOD_SNARENET),
                                           layer_steps(HN_METHOD_PAPER, 30), layer_steps(HN_METHOD_HARDNET, 8)};
    return all[number];
}

/* ---- tasks: every model by a method, then random problems ---- */

static uint64_t task_count(const struct list *list) {
    uint64_t count = METHODS * list->files + (list->last - list->first);
    return count < MOST_TASKS ? count : MOST_TASKS;
}

static bool is_model(const struct list *list, uint64_t task) {
    return task < METHODS * list->files;
}

/* The methods that search come first, both for one model after the other. */
static const struct file *file_of(const struct list *list, uint64_t task) {
    return &list->file[task < SEARCHES * list->files ? task / SEARCHES : task % list->files];
}

static hn_layer_options options_of(const struct list *list, uint64_t task) {
    return method_of(task < SEARCHES * list->files ? task % SEARCHES : task / list->files);
}

static uint64_t problem_of(const struct list *list, uint64_t task) {
    return list->first + task - METHODS * list->files;
}

static void say_task(const struct list *list, uint64_t task, const char *what) {
    if (is_model(list, task))
        printf("%s, %s: %s\n", file_of(list, task)->name, hn_method_text(options_of(list, task).method), what);
    else
        printf("random problem %u: %s\n", (unsigned)problem_of(list, task), what);
}

/* tally: NULL where only the kernels are to be made. */
static void do_task(const struct list *list, struct tally *tally, uint64_t task) {
    if (!is_model(list, task)) {
        judge_random(tally, problem_of(list, task), list->methods);
        return;
    }
    const hn_layer_options options = options_of(list, task);
    if (!list->methods || strstr(list->methods, hn_method_text(options.method)))
        judge_file(tally, file_of(list, task)->name, options, task);
}

/* What takes long says so. */
static void judge_task(const struct list *list, struct tally *tally, uint64_t task) {
    enum { LONG_SECONDS = 30 };
    char what[32];
    double begun = clock_seconds();
    do_task(list, tally, task);
    double took = clock_seconds() - begun;
    snprintf(what, sizeof what, "%.0f s", took);
    if (took > LONG_SECONDS)
        say_task(list, task, what);
}

/* Whether there is one, and time for it. */
static bool take_task(const struct list *list, atomic_uint *next, uint64_t *task) {
    if (clock_seconds() >= list->until)
        return false;
    *task = atomic_fetch_add(next, 1u);
    return *task < task_count(list);
}

/* ---- processes ---- */

static void compile_tasks(const struct list *list, struct shared *shared) {
    for (uint64_t task; take_task(list, &shared->compiled, &task);) {
        do_task(list, NULL, task);
        atomic_store(&shared->ready[task], 1);
    }
}

/* ---- threads ---- */

struct judge {
    const struct list *list;
    struct shared *shared;
    struct tally *tally;
    pthread_t thread;
    atomic_bool done;
};

static void *judge_ready(void *argument) {
    struct judge *j = argument;
    for (uint64_t task; take_task(j->list, &j->shared->judged, &task);) {
        while (!atomic_load(&j->shared->ready[task]) && clock_seconds() < j->list->until)
            usleep(NAP_MICROSECONDS);
        if (atomic_load(&j->shared->ready[task]))
            judge_task(j->list, j->tally, task);
        else
            j->tally->cut++;
    }
    atomic_store(&j->done, true);
    return NULL;
}

/* Threads that are not done some time after the end are left alone: the process ends. */
static void judge_in_threads(const struct list *list, struct shared *shared, int threads) {
    struct judge *judges = calloc((size_t)threads, sizeof *judges);
    assert_non_null(judges);
    for (int i = 0; i < threads; i++) {
        judges[i] = (struct judge){.list = list, .shared = shared, .tally = &shared->tally[i]};
        assert_int_equal(pthread_create(&judges[i].thread, NULL, judge_ready, &judges[i]), 0);
    }
    for (int i = 0; i < threads; i++)
        while (!atomic_load(&judges[i].done) && clock_seconds() < list->until + GRACE_SECONDS)
            usleep(NAP_MICROSECONDS);
    for (int i = 0; i < threads; i++)
        shared->tally[i].cut += !atomic_load(&judges[i].done);
    fflush(stdout);
    _exit(0);
}

/* ---- all of them ---- */

static void fill(struct list *list, const struct many *many) {
    list->first = many->first;
    list->last = many->last;
    list->methods = many->methods;
    if (many->models)
        add_folder(list, "", many->models);
    qsort(list->file, list->files, sizeof list->file[0], by_size);
    list->until = clock_seconds() + many->seconds;
}

/* Worker number `workers` is the process of threads. */
static void start(const struct list *list, struct shared *shared, const struct many *many, int worker) {
    fflush(stdout);
    if (fork() != 0)
        return;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    if (worker == many->workers)
        judge_in_threads(list, shared, many->threads);
    compile_tasks(list, shared);
    fflush(stdout);
    _exit(0);
}

struct tally judge_many(const struct many *many, uint64_t *begun) {
    struct list *list = calloc(1, sizeof *list);
    struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct tally sum = {.models = 0};
    int processes = many->workers + 1;
    assert_true(list && shared != MAP_FAILED && many->workers >= 1 && many->workers <= MOST_WORKERS);
    assert_true(many->threads >= 1 && many->threads <= MOST_WORKERS);
    fill(list, many);
    for (int i = 0; i < processes; i++)
        start(list, shared, many, i);
    for (int i = 0; i < processes; i++) {
        int status = 0;
        wait(&status);
        sum.failed += status != 0;
    }
    for (int i = 0; i < MOST_WORKERS; i++)
        tally_add(&sum, &shared->tally[i]);
    uint64_t taken = atomic_load(&shared->judged), models = METHODS * list->files;
    uint64_t problems = taken - (taken < models ? taken : models);
    *begun = list->first + problems < list->last ? list->first + problems : list->last;
    munmap(shared, sizeof *shared);
    free(list);
    return sum;
}
