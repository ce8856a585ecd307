/* test_symbolic.c - order, elimination tree and pattern of L against elimination on a full matrix of booleans.
 *
 * SPDX-License-Identifier: MIT */
#include "linalg/symbolic.h"

#include "base/random.h"
#include "support/check.h"

enum { PATTERNS = 200, LARGEST = 40, PATH = 1000000, TINY = 7, TINY_PATTERNS = 60 };

/* ---- small patterns and their elimination, written out ---- */

struct small {
    size_t n;
    bool full[LARGEST][LARGEST];
    size_t first[LARGEST + 1];
    uint32_t index[LARGEST * LARGEST];
};

/* The lists of the pattern that is in full. */
static void small_finish(struct small *small) {
    for (size_t i = 0; i < small->n; i++) {
        small->first[i + 1] = small->first[i];
        for (uint32_t j = 0; j < small->n; j++)
            if (small->full[i][j])
                small->index[small->first[i + 1]++] = j;
    }
}

/* A symmetric pattern with `entries` random pairs; some entries of the diagonal are there, some are not. */
static void small_random(struct small *small, size_t n, size_t entries, struct random *random) {
    memset(small, 0, sizeof *small);
    small->n = n;
    for (size_t k = 0; k < entries; k++) {
        size_t i = random_below(random, n), j = random_below(random, n);
        small->full[i][j] = small->full[j][i] = true;
    }
    small_finish(small);
}

static struct small small_of_stream(uint64_t stream) {
    struct random random = random_start(21, stream);
    struct small small;
    size_t n = 1 + random_below(&random, LARGEST);
    small_random(&small, n, random_below(&random, 3 * n), &random);
    return small;
}

static hn_status create(struct symbolic *out, size_t n, const size_t *first, const uint32_t *index, size_t limit,
                        hn_error *error) {
    const struct symbolic_request request = {n, first, index, limit, ARRANGED_BY_SUBTREE, NULL};
    return symbolic_create(out, &request, error);
}

static struct symbolic symbolic_of(const struct small *small, enum arrangement arrangement) {
    struct symbolic s;
    hn_error error;
    const struct symbolic_request request = {small->n, small->first, small->index, SIZE_MAX, arrangement, NULL};
    assert_int_equal(symbolic_create(&s, &request, &error), HN_OK);
    return s;
}

/* Permutes by the order and eliminates: afterwards lower[i][j], i > j, says whether L has an entry there. */
static void eliminate(const struct small *small, const uint32_t *order, bool lower[LARGEST][LARGEST]) {
    for (size_t i = 0; i < small->n; i++)
        for (size_t j = 0; j < small->n; j++)
            lower[i][j] = small->full[order[i]][order[j]];
    for (size_t k = 0; k < small->n; k++)
        for (size_t i = k + 1; i < small->n; i++)
            for (size_t j = k + 1; j < small->n; j++)
                lower[i][j] = lower[i][j] || (lower[i][k] && lower[k][j]);
}

static size_t height_of(const struct symbolic *s) {
    size_t level[LARGEST], height = 0;
    for (size_t k = s->n; k-- > 0;) {
        level[k] = s->parent[k] == SYMBOLIC_ROOT ? 1 : level[s->parent[k]] + 1;
        height = level[k] > height ? level[k] : height;
    }
    return height;
}

/* Of the tree of an order, if its factor has no entry that is not in `filled`, else n + 1. A row's parent is the next that it meets. */
static size_t height_within(const struct small *small, const uint32_t *order, const struct small *filled) {
    bool lower[LARGEST][LARGEST] = {{false}};
    size_t level[LARGEST], height = 0;
    eliminate(small, order, lower);
    for (size_t j = small->n; j-- > 0;) {
        level[j] = 1;
        for (size_t i = small->n; i-- > j + 1;)
            if (lower[i][j]) {
                level[j] = level[i] + 1;
                if (!filled->full[order[i]][order[j]])
                    return small->n + 1;
            }
        height = level[j] > height ? level[j] : height;
    }
    return height;
}

/* Over all orders that begin with the first `fixed` rows of this one. */
static size_t least_height(const struct small *small, uint32_t *order, size_t fixed, const struct small *filled) {
    size_t least = small->n + 1;
    if (fixed == small->n)
        return height_within(small, order, filled);
    for (size_t k = fixed; k < small->n; k++) {
        uint32_t own = order[k];
        order[k] = order[fixed];
        order[fixed] = own;
        size_t height = least_height(small, order, fixed + 1, filled);
        least = height < least ? height : least;
        order[fixed] = order[k];
        order[k] = own;
    }
    return least;
}

/* The entries of L + L' in the numbering of A. */
static struct small filled_of(const struct symbolic *s) {
    struct small filled = {.n = s->n};
    for (size_t j = 0; j < s->n; j++)
        for (size_t e = s->column_first[j]; e < s->column_first[j + 1]; e++) {
            uint32_t row = s->order[s->row_index[e]], column = s->order[j];
            filled.full[row][column] = filled.full[column][row] = true;
        }
    return filled;
}

/* ---- what is checked of each ---- */

static void check_order(const struct symbolic *s) {
    bool seen[LARGEST] = {false};
    for (size_t k = 0; k < s->n; k++) {
        assert_true(s->order[k] < s->n);
        assert_false(seen[s->order[k]]);
        seen[s->order[k]] = true;
        assert_int_equal(s->position[s->order[k]], k);
    }
}

static void check_columns(const struct symbolic *s, bool lower[LARGEST][LARGEST]) {
    size_t entry = 0;
    for (size_t j = 0; j < s->n; j++) {
        assert_int_equal(s->column_first[j], entry);
        for (size_t i = j + 1; i < s->n; i++)
            if (lower[i][j])
                assert_int_equal(s->row_index[entry++], i);
    }
    assert_int_equal(s->column_first[s->n], entry);
    assert_int_equal(s->nonzeros, entry);
}

static void check_rows(const struct symbolic *s, bool lower[LARGEST][LARGEST]) {
    size_t entry = 0;
    for (size_t i = 0; i < s->n; i++) {
        assert_int_equal(s->row_first[i], entry);
        for (size_t j = 0; j < i; j++) {
            if (!lower[i][j])
                continue;
            size_t by_columns = s->row_entry[entry];
            assert_int_equal(s->column_index[entry++], j);
            assert_in_range(by_columns, s->column_first[j], s->column_first[j + 1] - 1);
            assert_int_equal(s->row_index[by_columns], i);
        }
    }
    assert_int_equal(s->row_first[s->n], entry);
}

/* The parent of a column is its first entry below the diagonal. */
static void check_tree(const struct symbolic *s) {
    for (size_t j = 0; j < s->n; j++) {
        bool root = s->column_first[j] == s->column_first[j + 1];
        assert_int_equal(s->parent[j], root ? SYMBOLIC_ROOT : s->row_index[s->column_first[j]]);
    }
}

/* The subtree of k is k - size + 1 .. k, for every k: children end where the next one begins. */
static void check_postorder(const struct symbolic *s) {
    size_t *size = calloc(s->n + 1, sizeof *size), *least = calloc(s->n + 1, sizeof *least);
    assert_true(size && least);
    for (size_t k = 0; k < s->n; k++) {
        least[k] = size[k]++ == 0 ? k : least[k];
        assert_int_equal(k + 1 - least[k], size[k]);
        uint32_t parent = s->parent[k];
        if (parent == SYMBOLIC_ROOT)
            continue;
        assert_true(parent > k && parent < s->n);
        least[parent] = size[parent] == 0 || least[k] < least[parent] ? least[k] : least[parent];
        size[parent] += size[k];
    }
    free(size);
    free(least);
}

/* Nobody comes before a row that is farther from its root. */
static void check_depths(const struct symbolic *s) {
    size_t depth[LARGEST] = {0};
    for (size_t k = s->n; k-- > 0;) {
        depth[k] = s->parent[k] == SYMBOLIC_ROOT ? 0 : depth[s->parent[k]] + 1;
        assert_true(k + 1 == s->n || depth[k] >= depth[k + 1]);
    }
}

static void check_work(const struct symbolic *s) {
    double work = 0;
    for (size_t j = 0; j < s->n; j++) {
        double c = (double)(s->column_first[j + 1] - s->column_first[j]);
        work += c * (c + 1) / 2;
    }
    assert_same_bits(s->factor_work, work);
}

/* ---- tests ---- */

TEST(the_pattern_is_that_of_elimination_written_out) {
    for (uint64_t i = 0; i < PATTERNS; i++) {
        enum arrangement arrangement = (enum arrangement)(i % 4);
        struct small small = small_of_stream(i);
        struct symbolic s = symbolic_of(&small, arrangement);
        bool lower[LARGEST][LARGEST] = {{false}};
        check_order(&s);
        eliminate(&small, s.order, lower);
        check_columns(&s, lower);
        check_rows(&s, lower);
        check_tree(&s);
        if (arrangement == ARRANGED_BY_SUBTREE)
            check_postorder(&s);
        else
            check_depths(&s);
        check_work(&s);
        symbolic_release(&s);
    }
}

TEST(a_shallow_tree_is_the_lowest_of_all_orders_with_the_same_entries) {
    size_t lowered = 0;
    for (uint64_t i = 0; i < TINY_PATTERNS; i++) {
        struct random random = random_start(22, i);
        struct small small;
        uint32_t order[TINY] = {0, 1, 2, 3, 4, 5, 6}, shallow[TINY], height[2];
        small_random(&small, TINY, TINY + random_below(&random, TINY), &random);
        struct symbolic s = symbolic_of(&small, ARRANGED_BY_DEPTH);
        struct small filled = filled_of(&s);
        assert_true(order_shallow(&s, shallow, height));
        assert_int_equal(height[0], height_within(&small, s.order, &filled));
        assert_int_equal(height[1], height_within(&small, shallow, &filled));
        assert_int_equal(height[1], least_height(&small, order, 0, &filled));
        lowered += height[1] < height[0];
        symbolic_release(&s);
    }
    assert_true(lowered > 0);
}

/* Minimum degree takes its rows from the light end, and ends in the clique. */
TEST(a_chain_with_a_heavy_end_is_eliminated_from_both) {
    enum { CHAIN = 30, CLIQUE = 4 };
    struct small small = {.n = CHAIN + CLIQUE};
    for (size_t i = 1; i < small.n; i++)
        small.full[i][i - 1] = small.full[i - 1][i] = true;
    for (size_t i = CHAIN; i < small.n; i++)
        for (size_t j = CHAIN; j < small.n; j++)
            small.full[i][j] = true;
    small_finish(&small);
    struct symbolic before = symbolic_of(&small, ARRANGED_BY_DEPTH), s = symbolic_of(&small, ARRANGED_SHALLOW);
    assert_true(height_of(&before) > CHAIN);
    assert_int_equal(height_of(&s), (CHAIN + CLIQUE) / 2 + 1);
    assert_int_equal(s.nonzeros, before.nonzeros);
    symbolic_release(&before);
    symbolic_release(&s);
}

TEST(counting_alone_gives_the_same_numbers) {
    for (uint64_t i = 0; i < PATTERNS; i++) {
        struct small small = small_of_stream(i);
        struct symbolic s = symbolic_of(&small, ARRANGED_FOR_SPEED);
        size_t nonzeros;
        double work;
        const struct symbolic_request request = {.n = small.n, .first = small.first, .index = small.index};
        assert_int_equal(symbolic_count(&request, &nonzeros, &work, NULL), HN_OK);
        assert_int_equal(nonzeros, s.nonzeros);
        assert_same_bits(work, s.factor_work);
        symbolic_release(&s);
    }
}

TEST(a_factor_beyond_the_limit_is_refused_with_its_numbers) {
    struct small small; /* full: all 780 entries are there, whatever the order */
    for (uint32_t e = 0; e < LARGEST * LARGEST; e++)
        small.index[e] = e % LARGEST;
    for (size_t i = 0; i <= LARGEST; i++)
        small.first[i] = i * LARGEST;
    struct symbolic s;
    hn_error error;
    assert_error(create(&s, LARGEST, small.first, small.index, 779, &error), HN_LIMIT, error, "40 rows");
    assert_contains(error.text, "780 entries");
    assert_contains(error.text, "more than the limit of 779");
    assert_null(s.block);
    symbolic_release(&s);
    assert_int_equal(create(&s, LARGEST, small.first, small.index, 780, &error), HN_OK);
    assert_int_equal(s.nonzeros, 780);
    symbolic_release(&s);
}

TEST(nothing_has_an_empty_factor) {
    const size_t first[] = {0};
    size_t nonzeros = 1;
    double work = 1;
    struct symbolic s;
    assert_int_equal(create(&s, 0, first, NULL, 0, NULL), HN_OK);
    assert_int_equal(s.nonzeros + s.column_first[0] + s.row_first[0], 0);
    symbolic_release(&s);
    assert_null(s.block);
    symbolic_release(&s);
    const struct symbolic_request request = {.first = first};
    assert_int_equal(symbolic_count(&request, &nonzeros, &work, NULL), HN_OK);
    assert_int_equal(nonzeros, 0);
    assert_same_bits(work, 0);
}

/* Its tree is half as deep as it has rows. */
TEST(a_path_of_a_million_rows_has_no_fill) {
    size_t *first = calloc(PATH + 1, sizeof *first), depth = 0, deepest = 0;
    uint32_t *index = calloc((size_t)2 * PATH, sizeof *index);
    assert_true(first && index);
    for (uint32_t i = 0; i < PATH; i++) {
        first[i + 1] = first[i];
        if (i > 0)
            index[first[i + 1]++] = i - 1;
        if (i + 1 < PATH)
            index[first[i + 1]++] = i + 1;
    }
    struct symbolic s;
    assert_int_equal(create(&s, PATH, first, index, PATH - 1, NULL), HN_OK);
    assert_int_equal(s.nonzeros, PATH - 1);
    check_tree(&s);
    check_postorder(&s);
    for (size_t k = 0; k<s.n; k++, deepest = depth> deepest ? depth : deepest)
        depth = k > 0 && s.parent[k - 1] == k ? depth + 1 : 0;
    assert_true(deepest > PATH / 4);
    symbolic_release(&s);
    free(first);
    free(index);
}
