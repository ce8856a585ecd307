/* test_size.c - sizes do not wrap around: base/size.h at every pair of boundary values, judged by wider arithmetic.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"

#include "base/random.h"
#include "base/size.h"

__extension__ typedef unsigned __int128 wider;

enum { UNTOUCHED = 12345, RANDOM_PAIRS = 20000 };

static const size_t boundaries[] = {0,
                                    1,
                                    2,
                                    3,
                                    7,
                                    63,
                                    64,
                                    65,
                                    (size_t)1 << 15,
                                    UINT16_MAX,
                                    INT32_MAX - 1,
                                    INT32_MAX,
                                    (size_t)INT32_MAX + 1,
                                    UINT32_MAX - 1,
                                    UINT32_MAX,
                                    (size_t)UINT32_MAX + 1,
                                    SIZE_MAX / 8,
                                    SIZE_MAX / 3,
                                    SIZE_MAX / 2 - 1,
                                    SIZE_MAX / 2,
                                    SIZE_MAX / 2 + 1,
                                    SIZE_MAX - 65,
                                    SIZE_MAX - 64,
                                    SIZE_MAX - 63,
                                    SIZE_MAX - 2,
                                    SIZE_MAX - 1,
                                    SIZE_MAX};

/* The size that came out is the exact one, or there was none and the result is as it was. */
static void check(bool fits, size_t result, wider exact) {
    assert_int_equal(fits, exact <= SIZE_MAX);
    assert_true(result == (fits ? (size_t)exact : UNTOUCHED));
}

static void check_pair(size_t a, size_t b) {
    size_t sum = UNTOUCHED, product = UNTOUCHED;
    bool sum_fits = size_add(a, b, &sum), product_fits = size_multiply(a, b, &product);
    check(sum_fits, sum, (wider)a + b);
    check(product_fits, product, (wider)a * b);
    assert_true(size_sum(a, b) == (sum_fits ? sum : SIZE_MAX));
    assert_true(size_product(a, b) == (product_fits ? product : SIZE_MAX));
}

TEST(sums_and_products_at_the_boundaries_are_exact_or_refused) {
    for (size_t i = 0; i < COUNT_OF(boundaries); i++)
        for (size_t j = 0; j < COUNT_OF(boundaries); j++)
            check_pair(boundaries[i], boundaries[j]);
}

TEST(random_sums_and_products_of_all_lengths_are_exact_or_refused) {
    struct random random = random_start(1, 0);
    for (int i = 0; i < RANDOM_PAIRS; i++) {
        size_t a = (size_t)(random_bits(&random) >> random_below(&random, 64));
        size_t b = (size_t)(random_bits(&random) >> random_below(&random, 64));
        check_pair(a, b);
        check_pair(a, SIZE_MAX / (b | 1)); /* close to the edge of what fits */
        check_pair(a, SIZE_MAX - a);
    }
}

TEST(rounding_up_gives_the_next_multiple_or_is_refused) {
    for (size_t alignment = 1; alignment != 0; alignment *= 2)
        for (size_t i = 0; i < COUNT_OF(boundaries); i++) {
            size_t rounded = UNTOUCHED;
            bool fits = size_round_up(boundaries[i], alignment, &rounded);
            check(fits, rounded, ((wider)boundaries[i] + alignment - 1) / alignment * alignment);
        }
}
