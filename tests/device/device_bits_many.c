/* device_bits_many.c - many models at once: what takes time is the compiler, which one process has for itself. See device_bits_judge.h.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "device_bits_judge.h"
#include "support/check.h"
#include "support/run_layer.h"

#include "base/clock.h"

#include <dirent.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_FILES = 256, MOST_WORKERS = 64, NAME_BYTES = 128, METHODS = 8 };

/* All processes see it. */
struct shared {
    atomic_uint next;
    struct tally tally[MOST_WORKERS];
};

struct list {
    size_t files;
    char name[MOST_FILES][NAME_BYTES];
    uint64_t first, last; /* random problems */
    const char *methods;  /* the only ones; NULL: each */
    double until;         /* by the clock: nothing is begun afterwards */
};

/* ---- what there is ---- */

/* Below models/; folders have no suffix. Those whose name holds a text. */
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
        if (dot && strcmp(dot, ".mod") == 0 && list->files < MOST_FILES && strstr(below, part)) {
            below[length - 4] = '\0';
            memcpy(list->name[list->files++], below, sizeof below);
        }
    }
    if (open)
        closedir(open);
}

static hn_layer_options method_of(size_t number) {
    const hn_layer_options all[METHODS] = {layer_method(HN_METHOD_AUTO),     layer_method(HN_METHOD_LM),
                                           layer_method(HN_METHOD_ENFORCE),  layer_method(HN_METHOD_SNARENET),
                                           layer_steps(HN_METHOD_PAPER, 30), layer_steps(HN_METHOD_HARDNET, 8),
                                           layer_method(HN_METHOD_NEAREST),  layer_method(HN_METHOD_OPTIMAL)};
    return all[number % METHODS];
}

/* ---- a process ---- */

/* What takes long says so. */
static void judge_named(const struct list *list, struct tally *tally, uint64_t task) {
    enum { LONG_SECONDS = 30 };
    const hn_layer_options options = method_of(task);
    const char *name = list->name[task / METHODS], *method = hn_method_text(options.method);
    double begun = clock_seconds();
    if (list->methods && !strstr(list->methods, method))
        return;
    judge_file(tally, name, options, task);
    double took = clock_seconds() - begun;
    if (took > LONG_SECONDS)
        printf("%s, %s: %.0f s\n", name, method, took);
}

static void judge_task(const struct list *list, struct tally *tally, uint64_t task) {
    if (task < METHODS * list->files)
        judge_named(list, tally, task);
    else
        judge_random(tally, list->first + task - METHODS * list->files, list->methods);
}

static void say_task(const struct list *list, uint64_t task, const char *what) {
    if (task < METHODS * list->files)
        printf("%s, %s: %s\n", list->name[task / METHODS], hn_method_text(method_of(task).method), what);
    else
        printf("random problem %u: %s\n", (unsigned)(list->first + task - METHODS * list->files), what);
}

/* In a process of its own: a context that is lost, or a compiler that ends its process, is one task's. It is cut where it is not done some
 * time after the end. */
static void watch_task(const struct list *list, struct tally *tally, uint64_t task) {
    enum { GRACE_SECONDS = 60, NAP_MICROSECONDS = 5000 };
    int status = 0;
    fflush(stdout);
    pid_t ended, process = fork();
    if (process == 0) {
        judge_task(list, tally, task);
        fflush(stdout);
        _exit(0);
    }
    while ((ended = waitpid(process, &status, WNOHANG)) == 0 && clock_seconds() < list->until + GRACE_SECONDS)
        usleep(NAP_MICROSECONDS);
    if (ended == 0) {
        kill(process, SIGKILL);
        waitpid(process, &status, 0);
        tally->cut++;
        say_task(list, task, "cut");
    } else if (status != 0) {
        tally->failed++;
        say_task(list, task, "its process ended badly");
    }
}

static void work(const struct list *list, struct shared *shared, int worker) {
    while (clock_seconds() < list->until) {
        uint64_t task = atomic_fetch_add(&shared->next, 1u);
        if (task >= METHODS * list->files + (list->last - list->first))
            return;
        watch_task(list, &shared->tally[worker], task);
    }
}

/* ---- all of them ---- */

static void fill(struct list *list, const struct many *many) {
    list->first = many->first;
    list->last = many->last;
    list->methods = many->methods;
    list->until = clock_seconds() + many->seconds;
    if (many->models)
        add_folder(list, "", many->models);
}

struct tally judge_many(const struct many *many, uint64_t *begun) {
    struct list *list = calloc(1, sizeof *list);
    struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct tally sum = {.models = 0};
    assert_true(list && shared != MAP_FAILED && many->workers >= 1 && many->workers <= MOST_WORKERS);
    fill(list, many);
    fflush(stdout);
    for (int i = 0; i < many->workers; i++)
        if (fork() == 0) {
            setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
            work(list, shared, i);
            fflush(stdout);
            _exit(0);
        }
    for (int i = 0; i < many->workers; i++)
        wait(NULL);
    for (int i = 0; i < many->workers; i++)
        tally_add(&sum, &shared->tally[i]);
    uint64_t taken = atomic_load(&shared->next), models = METHODS * list->files;
    uint64_t problems = taken - (taken < models ? taken : models);
    *begun = list->first + problems < list->last ? list->first + problems : list->last;
    munmap(shared, sizeof *shared);
    free(list);
    return sum;
}
