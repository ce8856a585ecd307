/* test_order.c - minimum degree: its fill beside that of SuiteSparse's AMD on models and random patterns, and corner cases.
 *
 * SPDX-License-Identifier: MIT */
#include "linalg/symbolic.h"

#include "linalg/order_patterns.h"
#include "support/check.h"

#include <suitesparse/amd.h>

#include <glob.h>
#include <time.h>

enum { RANDOM_PATTERNS = 56, STAR_LEAVES = 100000 };

#define FILL_ALLOWED 1.1 /* entries of L, by those with AMD's order */

/* ---- what an order costs ---- */

static void check_permutation(const uint32_t *order, size_t n) {
    uint8_t *seen = calloc(n + 1, 1);
    assert_non_null(seen);
    for (size_t k = 0; k < n; k++) {
        assert_true(order[k] < n);
        assert_false(seen[order[k]]);
        seen[order[k]] = 1;
    }
    free(seen);
}

static uint32_t *order_of(const struct pattern *p) {
    uint32_t *order = calloc(p->n + 1, sizeof *order);
    hn_error error;
    assert_non_null(order);
    assert_int_equal(order_minimum_degree(p->n, p->first, p->index, order, &error), HN_OK);
    check_permutation(order, p->n);
    return order;
}

/* Entries of L below the diagonal: row k holds what is met on the way from each neighbour up the tree. */
static size_t count_entries(const struct pattern *p, const uint32_t *order) {
    uint32_t *place = calloc(p->n + 1, sizeof *place), *met = calloc(p->n + 1, sizeof *met);
    uint32_t *parent = calloc(p->n + 1, sizeof *parent);
    size_t count = 0;
    assert_true(place && met && parent);
    for (uint32_t k = 0; k < p->n; k++)
        place[order[k]] = k;
    for (uint32_t k = 0; k < p->n; k++) {
        met[k] = parent[k] = k;
        for (size_t e = p->first[order[k]]; e < p->first[order[k] + 1]; e++)
            for (uint32_t j = place[p->index[e]]; j < k && met[j] != k; j = parent[j], count++) {
                met[j] = k;
                parent[j] = parent[j] == j ? k : parent[j];
            }
    }
    free(place);
    free(met);
    free(parent);
    return count;
}

static size_t entries_of(const struct pattern *p) {
    uint32_t *order = order_of(p);
    size_t count = count_entries(p, order);
    free(order);
    return count;
}

static size_t entries_of_amd(const struct pattern *p) {
    int *first = calloc(p->n + 1, sizeof *first);
    int *index = calloc(p->first[p->n] + 1, sizeof *index), *found = calloc(p->n + 1, sizeof *found);
    uint32_t *order = calloc(p->n + 1, sizeof *order);
    assert_true(first && index && found && order);
    for (size_t i = 0; i <= p->n; i++)
        first[i] = (int)p->first[i];
    for (size_t e = 0; e < p->first[p->n]; e++)
        index[e] = (int)p->index[e];
    int status = amd_order((int)p->n, first, index, found, NULL, NULL);
    assert_true(status == AMD_OK || status == AMD_OK_BUT_JUMBLED);
    for (size_t k = 0; k < p->n; k++)
        order[k] = (uint32_t)found[k];
    size_t count = count_entries(p, order);
    free(first);
    free(index);
    free(found);
    free(order);
    return count;
}

/* The ratio of the entries of L, diagonal included; releases the pattern. */
static double compare_with_amd(struct pattern *p, const char *what) {
    size_t ours = entries_of(p) + p->n, theirs = entries_of_amd(p) + p->n;
    double ratio = theirs == 0 ? 1 : (double)ours / (double)theirs;
    if (ratio > 1.02)
        print_message("%s: %zu rows, %zu entries, in L %zu, with AMD %zu: %.3f\n", what, p->n, p->first[p->n], ours,
                      theirs, ratio);
    pattern_release(p);
    return ratio;
}

/* ---- beside AMD ---- */

static double worst_of_model(const char *path, const char *let) {
    struct pattern rows = model_pattern(path, let, false), columns = model_pattern(path, let, true);
    double a = compare_with_amd(&rows, path), b = compare_with_amd(&columns, path);
    return a > b ? a : b;
}

TEST(shipped_models_fill_little_more_than_with_amd) {
    double worst = 0;
    glob_t found;
    assert_int_equal(glob("models/*.mod", 0, NULL, &found), 0);
    assert_int_equal(glob("models/feasibility/*.mod", GLOB_APPEND, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        double ratio = worst_of_model(found.gl_pathv[i], NULL);
        worst = ratio > worst ? ratio : worst;
    }
    print_message("%zu models: at worst %.3f times the entries that AMD leaves\n", found.gl_pathc, worst);
    globfree(&found);
    assert_in_interval(worst, 0, FILL_ALLOWED);
}

TEST(long_horizons_fill_little_more_than_with_amd) {
    static const char *const lets[] = {"N=100", "N=1000"};
    for (size_t i = 0; i < COUNT_OF(lets); i++) {
        double ratio = worst_of_model("models/unicycle.mod", lets[i]);
        print_message("unicycle with %s: %.3f times the entries that AMD leaves\n", lets[i], ratio);
        assert_in_interval(ratio, 0, FILL_ALLOWED);
    }
}

TEST(random_patterns_fill_little_more_than_with_amd) {
    double worst[SHAPES] = {0}, most = 0;
    for (uint64_t i = 0; i < RANDOM_PATTERNS; i++) {
        struct random random = random_start(7, i);
        enum shape shape = (enum shape)(i % SHAPES);
        struct pattern p = random_pattern(shape, &random, i / SHAPES % 2 == 0);
        double ratio = compare_with_amd(&p, shape_name(shape));
        worst[shape] = ratio > worst[shape] ? ratio : worst[shape];
    }
    for (size_t i = 0; i < SHAPES; i++) {
        print_message("%s: at worst %.3f times the entries that AMD leaves\n", shape_name((enum shape)i), worst[i]);
        most = worst[i] > most ? worst[i] : most;
    }
    assert_in_interval(most, 0, FILL_ALLOWED);
}

/* ---- corner cases ---- */

TEST(nothing_is_ordered_by_nothing) {
    const size_t first[] = {0};
    assert_int_equal(order_minimum_degree(0, first, NULL, NULL, NULL), HN_OK);
}

TEST(one_row_comes_first_with_or_without_its_diagonal) {
    for (size_t entries = 0; entries < 2; entries++) {
        const size_t first[] = {0, entries};
        const uint32_t index[] = {0};
        uint32_t order[] = {7};
        assert_int_equal(order_minimum_degree(1, first, index, order, NULL), HN_OK);
        assert_int_equal(order[0], 0);
    }
}

TEST(more_rows_than_a_number_holds_are_refused_in_words) {
    hn_error error;
    assert_error(order_minimum_degree((size_t)1 << 31, NULL, NULL, NULL, &error), HN_LIMIT, error, "2147483648 rows");
}

TEST(rows_without_neighbours_are_ordered) {
    struct edges edges = {.n = 1000};
    struct pattern p = edges_finish(&edges, NULL);
    assert_int_equal(entries_of(&p), 0);
    pattern_release(&p);
}

TEST(a_full_pattern_is_ordered_and_filled_already) {
    static const size_t sizes[] = {2, 50, 400}; /* all rows of the last are dense */
    for (size_t s = 0; s < COUNT_OF(sizes); s++) {
        struct edges edges = {.n = sizes[s]};
        for (size_t i = 0; i < edges.n; i++)
            for (size_t j = 0; j < i; j++)
                edges_add(&edges, i, j);
        struct pattern p = edges_finish(&edges, NULL);
        assert_int_equal(entries_of(&p), sizes[s] * (sizes[s] - 1) / 2);
        pattern_release(&p);
    }
}

TEST(entries_on_the_diagonal_change_nothing) {
    struct random random = random_start(11, 0);
    struct pattern p = random_pattern(GRID2, &random, true);
    struct pattern q = {.n = p.n, .first = calloc(p.n + 1, sizeof *q.first)};
    q.index = calloc(p.first[p.n] + p.n, sizeof *q.index);
    assert_true(q.first && q.index);
    for (uint32_t i = 0; i < p.n; i++) {
        size_t count = p.first[i + 1] - p.first[i];
        memcpy(q.index + q.first[i], p.index + p.first[i], count * sizeof *q.index);
        q.index[q.first[i] + count] = i;
        q.first[i + 1] = q.first[i] + count + 1;
    }
    uint32_t *without = order_of(&p), *with = order_of(&q);
    assert_memory_equal(without, with, p.n * sizeof *with);
    free(without);
    free(with);
    pattern_release(&p);
    pattern_release(&q);
}

/* Leaves around the row `centre`, and the seconds that ordering them takes. */
static size_t star_entries(size_t leaves, size_t centre, double *seconds) {
    struct edges edges = {.n = leaves + 1};
    for (size_t i = 0; i < edges.n; i++)
        edges_add(&edges, i, centre);
    struct pattern p = edges_finish(&edges, NULL);
    clock_t start = clock();
    uint32_t *order = order_of(&p);
    *seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    size_t entries = count_entries(&p, order);
    free(order);
    pattern_release(&p);
    return entries;
}

TEST(a_star_is_ordered_without_fill) {
    double seconds;
    for (size_t centre = 0; centre < 21; centre += 5)
        assert_int_equal(star_entries(20, centre, &seconds), 20);
    assert_int_equal(star_entries(STAR_LEAVES, 12345, &seconds), STAR_LEAVES);
    print_message("a star with %d leaves is ordered in %.3f s\n", STAR_LEAVES, seconds);
    assert_in_interval(seconds, 0, 2); /* a quadratic method would take far longer */
}

/* Every row hangs on an earlier one: a tree, some of whose rows have many children but are not dense. */
TEST(a_tree_is_ordered_without_fill) {
    struct random random = random_start(12, 0);
    struct edges edges = {.n = 200000};
    for (size_t i = 1; i < edges.n; i++)
        edges_add(&edges, i, random_below(&random, i % 3 == 0 ? i : i / 2 + 1));
    struct pattern p = edges_finish(&edges, &random);
    assert_int_equal(entries_of(&p), p.n - 1);
    pattern_release(&p);
}

TEST(equal_patterns_get_equal_orders) {
    for (uint64_t i = 0; i < SHAPES; i++) {
        struct random random = random_start(13, i);
        struct pattern p = random_pattern((enum shape)i, &random, true);
        uint32_t *once = order_of(&p), *again = order_of(&p);
        assert_memory_equal(once, again, p.n * sizeof *once);
        free(once);
        free(again);
        pattern_release(&p);
    }
}
