/* order_patterns.c - see order_patterns.h.
 *
 * SPDX-License-Identifier: MIT */
#include "linalg/order_patterns.h"

#include "support/check.h"

void pattern_release(struct pattern *pattern) {
    free(pattern->first);
    free(pattern->index);
    *pattern = (struct pattern){.n = 0};
}

/* ---- edges ---- */

void edges_add(struct edges *edges, size_t i, size_t j) {
    if (i == j || i >= edges->n || j >= edges->n)
        return;
    if (edges->count == edges->capacity) {
        edges->capacity = 2 * edges->capacity + 64;
        edges->ends = realloc(edges->ends, 2 * edges->capacity * sizeof *edges->ends);
        assert_non_null(edges->ends);
    }
    edges->ends[2 * edges->count] = (uint32_t)i;
    edges->ends[2 * edges->count++ + 1] = (uint32_t)j;
}

void edges_clique(struct edges *edges, const uint32_t *rows, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++)
            edges_add(edges, rows[i], rows[j]);
}

static void scramble_rows(struct edges *edges, struct random *random) {
    uint32_t *name = calloc(edges->n + 1, sizeof *name);
    assert_non_null(name);
    for (uint32_t i = 0; i < edges->n; i++) {
        size_t j = random_below(random, i + 1);
        name[i] = name[j];
        name[j] = i;
    }
    for (size_t k = 0; k < 2 * edges->count; k++)
        edges->ends[k] = name[edges->ends[k]];
    free(name);
}

/* Every edge in both directions, equal ones still there; first[i + 1] is then where row i ends. */
static struct pattern with_duplicates(const struct edges *edges) {
    struct pattern p = {.n = edges->n};
    p.first = calloc(edges->n + 2, sizeof *p.first);
    p.index = calloc(2 * edges->count + 1, sizeof *p.index);
    assert_non_null(p.first);
    assert_non_null(p.index);
    for (size_t k = 0; k < 2 * edges->count; k++)
        p.first[edges->ends[k] + 2]++;
    for (size_t i = 1; i <= p.n; i++)
        p.first[i + 1] += p.first[i];
    for (size_t k = 0; k < 2 * edges->count; k++)
        p.index[p.first[edges->ends[k] + 1]++] = edges->ends[k ^ 1];
    return p;
}

struct pattern edges_finish(struct edges *edges, struct random *scramble) {
    if (scramble)
        scramble_rows(edges, scramble);
    struct pattern p = with_duplicates(edges);
    size_t *seen = calloc(p.n + 1, sizeof *seen);
    size_t to = 0;
    assert_non_null(seen);
    for (size_t i = 0, from = 0; i < p.n; i++) {
        for (size_t end = p.first[i + 1]; from < end; from++)
            if (seen[p.index[from]] != i + 1) {
                seen[p.index[from]] = i + 1;
                p.index[to++] = p.index[from];
            }
        p.first[i + 1] = to;
    }
    free(seen);
    free(edges->ends);
    *edges = (struct edges){.n = 0};
    return p;
}

/* ---- shapes ---- */

static void add_sparse(struct edges *edges, struct random *random) {
    edges->n = 200 + random_below(random, 600);
    size_t count = edges->n + random_below(random, 2 * edges->n);
    for (size_t k = 0; k < count; k++)
        edges_add(edges, random_below(random, edges->n), random_below(random, edges->n));
}

static void add_band(struct edges *edges, struct random *random) {
    size_t width = 1 + random_below(random, 12);
    edges->n = 100 + random_below(random, 5000);
    for (size_t i = 0; i < edges->n; i++)
        for (size_t d = 1; d <= width; d++)
            edges_add(edges, i, i + d);
}

static void add_grid2(struct edges *edges, struct random *random) {
    size_t simd = 10 + random_below(random, 90), high = 10 + random_below(random, 90);
    edges->n = simd * high;
    for (size_t i = 0; i < edges->n; i++) {
        edges_add(edges, i, i % simd + 1 < simd ? i + 1 : i);
        edges_add(edges, i, i + simd);
    }
}

static void add_grid3(struct edges *edges, struct random *random) {
    size_t a = 4 + random_below(random, 10), b = 4 + random_below(random, 10), c = 4 + random_below(random, 10);
    edges->n = a * b * c;
    for (size_t i = 0; i < edges->n; i++) {
        edges_add(edges, i, i % a + 1 < a ? i + 1 : i);
        edges_add(edges, i, i / a % b + 1 < b ? i + a : i);
        edges_add(edges, i, i + a * b);
    }
}

/* A band bordered by full rows, sometimes few enough entries to be no dense rows. */
static void add_arrow(struct edges *edges, struct random *random) {
    size_t heads = 1 + random_below(random, 6);
    edges->n = 50 + random_below(random, 3000);
    for (size_t i = 0; i < edges->n; i++) {
        edges_add(edges, i, i + 1);
        for (size_t h = 0; h < heads; h++)
            edges_add(edges, i, h);
    }
}

static void add_blocks(struct edges *edges, struct random *random) {
    size_t first = 0;
    edges->n = 500 + random_below(random, 3000);
    while (first < edges->n) {
        size_t size = 1 + random_below(random, 30);
        for (size_t i = first; i < first + size; i++)
            for (size_t j = first; j < i; j++)
                if (random_below(random, 3) != 0)
                    edges_add(edges, i, j);
        first += size;
    }
}

/* New rows attach to ends of edges that are there, so that rows with many neighbours get more (Barabasi, Albert 1999). */
static void add_scale_free(struct edges *edges, struct random *random) {
    edges->n = 500 + random_below(random, 4000);
    edges_add(edges, 0, 1);
    for (size_t i = 2; i < edges->n; i++)
        for (int k = 0; k < 2; k++)
            edges_add(edges, i, edges->ends[random_below(random, 2 * edges->count)]);
}

/* Stages of a horizon: full blocks, each coupled at random to the next. */
static void add_stages(struct edges *edges, struct random *random) {
    size_t size = 2 + random_below(random, 8), stages = 20 + random_below(random, 400);
    edges->n = size * stages;
    for (size_t i = 0; i < edges->n; i++) {
        size_t next = (i / size + 1) * size;
        for (size_t j = i + 1; j < next; j++)
            edges_add(edges, i, j);
        for (size_t j = next; j < next + size; j++)
            if (random_below(random, 2) == 0)
                edges_add(edges, i, j);
    }
}

static const struct {
    const char *name;
    void (*add)(struct edges *edges, struct random *random);
} shapes[SHAPES] = {
    [SPARSE] = {"sparse", add_sparse},
    [BAND] = {"band", add_band},
    [GRID2] = {"2-D grid", add_grid2},
    [GRID3] = {"3-D grid", add_grid3},
    [ARROW] = {"arrow", add_arrow},
    [BLOCKS] = {"blocks", add_blocks},
    [SCALE_FREE] = {"scale-free", add_scale_free},
    [STAGES] = {"stages", add_stages},
};

const char *shape_name(enum shape shape) {
    return shapes[shape].name;
}

struct pattern random_pattern(enum shape shape, struct random *random, bool scramble) {
    struct edges edges = {.n = 0};
    shapes[shape].add(&edges, random);
    return edges_finish(&edges, scramble ? random : NULL);
}
