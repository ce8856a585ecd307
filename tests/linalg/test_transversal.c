/* test_transversal.c - as many rows as possible get a column of their own: the number of those is the rank of random numbers in the
 * pattern, found by elimination modulo a prime.
 *
 * SPDX-License-Identifier: MIT */
#include "base/random.h"
#include "linalg/border.h"
#include "support/check.h"

enum { LARGEST = 30, PATTERNS = 2000 };

static const uint64_t PRIME = 2147483647;

struct pattern {
    size_t rows, columns, first[LARGEST + 1];
    uint32_t index[LARGEST * LARGEST];
    bool wanted[LARGEST];
};

static struct pattern random_pattern(struct random *random) {
    struct pattern p = {.rows = 1 + random_below(random, LARGEST), .columns = 1 + random_below(random, LARGEST)};
    double density = random_between(random, 0.02, 0.3);
    for (size_t i = 0; i < p.rows; i++) {
        p.first[i + 1] = p.first[i];
        p.wanted[i] = random_below(random, 5) > 0;
        for (uint32_t j = 0; j < p.columns; j++)
            if (random_uniform(random) < density)
                p.index[p.first[i + 1]++] = j;
    }
    return p;
}

static uint64_t power(uint64_t base, uint64_t exponent) {
    uint64_t result = 1;
    for (; exponent > 0; exponent /= 2, base = base * base % PRIME)
        if (exponent % 2)
            result = result * base % PRIME;
    return result;
}

/* Of random numbers in the rows that are chosen. */
static size_t rank_of(const struct pattern *p, const bool *chosen, struct random *random) {
    uint64_t a[LARGEST][LARGEST] = {{0}};
    size_t count = 0, rank = 0;
    for (size_t i = 0; i < p->rows; i++) {
        for (size_t e = p->first[i]; chosen[i] && e < p->first[i + 1]; e++)
            a[count][p->index[e]] = 1 + random_below(random, PRIME - 1);
        count += chosen[i];
    }
    for (size_t j = 0; j < p->columns; j++) {
        size_t pivot = rank;
        while (pivot < count && a[pivot][j] == 0)
            pivot++;
        if (pivot == count)
            continue;
        for (size_t k = 0; k < p->columns; k++) {
            uint64_t kept = a[rank][k];
            a[rank][k] = a[pivot][k];
            a[pivot][k] = kept;
        }
        uint64_t inverse = power(a[rank][j], PRIME - 2);
        for (size_t i = rank + 1; i < count; i++) {
            uint64_t factor = a[i][j] * inverse % PRIME;
            for (size_t k = j; k < p->columns; k++)
                a[i][k] = (a[i][k] + (PRIME - factor) * a[rank][k]) % PRIME;
        }
        rank++;
    }
    return rank;
}

static size_t count_of(const bool *flags, size_t count) {
    size_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += flags[i];
    return sum;
}

TEST(what_is_left_over_is_what_the_rank_lacks) {
    size_t lacking = 0;
    for (uint64_t k = 0; k < PATTERNS; k++) {
        struct random random = random_start(31, k);
        struct pattern p = random_pattern(&random);
        struct vectors rows = {p.rows, p.columns, p.first, p.index, NULL};
        bool left[LARGEST], kept[LARGEST];
        size_t count;
        assert_true(transversal(&rows, p.wanted, LARGEST, left, &count));
        assert_int_equal(count, count_of(left, p.rows));
        for (size_t i = 0; i < p.rows; i++) {
            assert_true(p.wanted[i] || !left[i]);
            kept[i] = p.wanted[i] && !left[i];
        }
        assert_int_equal(rank_of(&p, p.wanted, &random), count_of(kept, p.rows));
        assert_int_equal(rank_of(&p, kept, &random), count_of(kept, p.rows));
        lacking += count > 0;
    }
    assert_in_range(lacking, PATTERNS / 4, PATTERNS - PATTERNS / 50);
}

/* Rows (i, i + 1), from the last to the first, and one more: the path of that one leads through all others. */
TEST(a_long_path_is_followed) {
    enum { LENGTH = 200000 };
    size_t *first = calloc(LENGTH + 1, sizeof *first), count;
    uint32_t *index = calloc(2 * LENGTH, sizeof *index);
    bool *wanted = calloc(LENGTH, sizeof *wanted), *left = calloc(LENGTH, sizeof *left);
    for (uint32_t i = 0; i < LENGTH; i++) {
        first[i + 1] = first[i] + (i + 1 < LENGTH ? 2 : 1);
        index[2 * i] = i + 1 < LENGTH ? LENGTH - 2 - i : 0;
        if (i + 1 < LENGTH)
            index[2 * i + 1] = LENGTH - 1 - i;
        wanted[i] = true;
    }
    struct vectors rows = {LENGTH, LENGTH, first, index, NULL};
    assert_true(transversal(&rows, wanted, 10, left, &count));
    assert_int_equal(count, 0);
    free(first);
    free(index);
    free(wanted);
    free(left);
}

TEST(it_ends_once_too_many_are_left_over) {
    enum { ROWS = 100 };
    size_t first[ROWS + 1], count;
    uint32_t index[ROWS];
    bool wanted[ROWS], left[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        first[i + 1] = i + 1;
        index[i] = 0;
        wanted[i] = true;
    }
    first[0] = 0;
    struct vectors rows = {ROWS, 1, first, index, NULL};
    assert_true(transversal(&rows, wanted, 7, left, &count));
    assert_int_equal(count, 8);
    assert_true(transversal(&rows, wanted, ROWS, left, &count));
    assert_int_equal(count, ROWS - 1);
    assert_false(left[0]);
}
