/* eval_cache.c - optima of former runs, in a file that NumPy reads: FOLDER/FINGERPRINT.npy (of the method optimal
 * FINGERPRINT.optimal.npy), a row per input. See eval.h.
 *
 *     inputs | outputs of the best known point | its objective as minimised, 1 if the solver called it optimal, number of starts
 *
 * An entry is used if plain evaluation yields exactly its objective and the point is feasible; otherwise the sample is
 * solved again. A file of another kind is replaced with a warning. Concurrent runs do not share entries; the file of
 * the last to end remains.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "common/console.h"
#include "eval/eval.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { AFTER = 3 };

/* A row, found by the bytes of its inputs. */
struct entry {
    const double *row;
    size_t bytes; /* of the inputs */
    bool replaced;
};

struct eval_cache {
    const struct eval *eval;
    char path[EVAL_CACHE_NAME];
    struct eval_judge judge;
    hn_array table;
    struct entry *entries; /* in the order of their inputs */
    size_t count, columns;
};

/* ---- opening ---- */

/* Creates the folder with its parents. */
static hn_status make_folder(const char *folder, hn_error *error) {
    char path[EVAL_CACHE_NAME];
    snprintf(path, sizeof path, "%s", folder);
    for (char *at = path + 1; *at; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        mkdir(path, 0777); /* an error here also fails below */
        *at = '/';
    }
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return HN_OK;
    return error_set(error, HN_IO, "--cache %s: cannot make the folder: %s", folder, strerror(errno));
}

hn_status eval_cache_name(const struct eval *eval, char path[EVAL_CACHE_NAME], hn_error *error) {
    char print[HN_FINGERPRINT_BYTES];
    hn_status status = hn_model_fingerprint(eval->model, print, error);
    if (status != HN_OK)
        return status;
    int length = snprintf(path, EVAL_CACHE_NAME, "%s/%s%s.npy", eval->options->cache, print,
                          judging_is_own(&eval->options->judging) ? ".optimal" : "");
    if (length < 0 || length >= EVAL_CACHE_NAME)
        return error_set(error, HN_IO, "--cache: the name of the folder is too long");
    return HN_OK;
}

static int eval_cache_compare(const void *a, const void *b) {
    const struct entry *left = a, *right = b;
    return left->bytes > 0 ? memcmp(left->row, right->row, left->bytes) : 0;
}

static hn_status read_table(struct eval_cache *cache, hn_error *error) {
    hn_error problem = {.text = ""};
    if (access(cache->path, F_OK) != 0)
        return HN_OK;
    if (hn_array_read(&cache->table, cache->path, 0, &problem) != HN_OK) {
        console_warning("--cache: %s; it is replaced", problem.text);
        return HN_OK;
    }
    if (cache->table.columns != cache->columns) {
        console_warning("--cache: %s: %zu columns instead of %zu; it is replaced", cache->path, cache->table.columns,
                        cache->columns);
        return HN_OK;
    }
    cache->entries = eval_take(cache->table.rows, 1, sizeof *cache->entries);
    if (!cache->entries)
        return error_no_memory(error, cache->path);
    cache->count = cache->table.rows;
    for (size_t i = 0; i < cache->count; i++)
        cache->entries[i] = (struct entry){.row = cache->table.values + i * cache->columns,
                                           .bytes = cache->eval->inputs * sizeof(double)};
    qsort(cache->entries, cache->count, sizeof *cache->entries, eval_cache_compare);
    return HN_OK;
}

hn_status eval_cache_open(struct eval_cache **out, const struct eval *eval, hn_error *error) {
    struct eval_cache *cache = eval_take(1, 1, sizeof *cache);
    *out = NULL;
    if (!cache)
        return error_no_memory(error, "--cache");
    cache->eval = eval;
    cache->columns = eval->inputs + eval->outputs + AFTER;
    hn_status status = eval_cache_name(eval, cache->path, error);
    if (status == HN_OK)
        status = make_folder(eval->options->cache, error);
    if (status == HN_OK && !eval_judge_create(&cache->judge, eval->model, eval->settings.layer.relative))
        status = error_no_memory(error, "--cache");
    if (status == HN_OK)
        status = read_table(cache, error);
    if (status == HN_OK)
        *out = cache;
    else
        eval_cache_close(cache);
    return status;
}

void eval_cache_close(struct eval_cache *cache) {
    if (!cache)
        return;
    hn_array_release(&cache->table);
    eval_judge_release(&cache->judge);
    base_release(cache->entries);
    base_release(cache);
}

/* ---- finding ---- */

/* The first entry that does not sort before these inputs. */
static size_t lower_bound(const struct eval_cache *cache, const struct entry *wanted) {
    size_t low = 0, high = cache->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (eval_cache_compare(&cache->entries[middle], wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_good(struct eval_cache *cache, const struct entry *entry) {
    const double *y = entry->row + cache->eval->inputs, *after = y + cache->eval->outputs;
    struct judgement judgement;
    if (!(after[2] >= 1 && after[2] <= 1e9) ||
        eval_judge_point(&cache->judge, entry->row, y, eval_feasible(cache->eval), &judgement, NULL) != HN_OK)
        return false;
    return judgement.held && judgement.objective == after[0];
}

bool eval_cache_find(struct eval_cache *cache, size_t sample, struct optimum *optimum, double *y) {
    size_t outputs = cache->eval->outputs;
    const struct entry wanted = {.row = eval_x(cache->eval, sample), .bytes = cache->eval->inputs * sizeof(double)};
    bool found = false;
    for (size_t i = lower_bound(cache, &wanted);
         i < cache->count && eval_cache_compare(&cache->entries[i], &wanted) == 0; i++) {
        const double *own = cache->entries[i].row + cache->eval->inputs, *after = own + outputs;
        cache->entries[i].replaced = true;
        if (!is_good(cache, &cache->entries[i]) || (found && after[0] >= optimum->objective))
            continue;
        *optimum = (struct optimum){.objective = after[0], .starts = (size_t)after[2], .solved = after[1] == 1};
        memcpy(y, own, outputs * sizeof *y);
        found = true;
    }
    return found;
}

/* ---- saving ---- */

static void put_sample(const struct eval_cache *cache, size_t sample, double *row) {
    const struct eval *eval = cache->eval;
    const struct optimum *optimum = &eval->optima[sample];
    memcpy(row, eval_x(eval, sample), eval->inputs * sizeof *row);
    memcpy(row + eval->inputs, eval->optimal + sample * eval->outputs, eval->outputs * sizeof *row);
    row += eval->inputs + eval->outputs;
    row[0] = optimum->objective;
    row[1] = optimum->solved;
    row[2] = (double)optimum->starts;
}

hn_status eval_cache_save(const struct eval_cache *cache, hn_error *error) {
    size_t rows = 0, samples = cache->eval->samples.count;
    double *all = eval_take(cache->count + samples, cache->columns, sizeof *all);
    if (!all)
        return error_no_memory(error, cache->path);
    for (size_t i = 0; i < cache->count; i++)
        if (!cache->entries[i].replaced)
            memcpy(all + rows++ * cache->columns, cache->entries[i].row, cache->columns * sizeof *all);
    for (size_t k = 0; k < samples; k++)
        if (!isnan(cache->eval->optima[k].objective))
            put_sample(cache, k, all + rows++ * cache->columns);
    console_hold_interrupt();
    hn_status status = hn_array_write(cache->path, rows, cache->columns, all, error);
    console_release_interrupt();
    base_release(all);
    return status;
}
