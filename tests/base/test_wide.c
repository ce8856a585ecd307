/* test_wide.c - one element's bits depend on that element's operands only: not on the width, its position or its
 * neighbours.
 *
 * Every function runs at every width that this processor has, over arguments of its family mixed with NaN, infinities,
 * zeros, denormal and huge numbers, once for each shift of the arguments against the SIMD vectors. Scalar C is the yardstick.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"

#include "base/elementary_arguments.h"
#include "base/elementary_widths.h"

enum { COUNT = 2048, LARGEST_WIDTH = 8, STRAY_EVERY = 5 };

typedef void draw_function(struct random *random, double *a, double *b);

#define LIST_DRAW(name, draw) draw,
#define LIST_NAME(name, draw) #name,
static draw_function *const draws[] = {ELEMENTARY_FUNCTIONS(LIST_DRAW) FUNCTIONS_OF_TWO(LIST_DRAW)};
static const char *const names[] = {ELEMENTARY_FUNCTIONS(LIST_NAME) FUNCTIONS_OF_TWO(LIST_NAME)};

/* Neighbours that take every function's slow path. */
static double stray(struct random *random) {
    static const double strays[] = {NAN, INFINITY,  -INFINITY,  0.0,       -0.0,      1.0,     -1.0,
                                    0.5, 0x1p-1074, -0x1p-1030, 0x1p+1000, -0x1p+900, 0x1p+20, -746.0};
    return one_of(random, strays, sizeof strays / sizeof *strays);
}

static void draw_mixed(int number, double *a, double *b, int count) {
    struct random random = random_start(20260103, (uint64_t)number);
    for (int i = 0; i < count; i++) {
        draws[number](&random, &a[i], &b[i]);
        if (random_below(&random, STRAY_EVERY) == 0)
            a[i] = stray(&random);
        if (random_below(&random, STRAY_EVERY) == 0)
            b[i] = stray(&random);
    }
}

static int same(double a, double b) {
    return to_bits(a) == to_bits(b) || (a != a && b != b);
}

/* How many elements differ from scalar C when the arguments start at the given shift */
static int count_differences(elementary_array *width, int number, int shift) {
    static double a[COUNT + LARGEST_WIDTH], b[COUNT + LARGEST_WIDTH], expected[COUNT], results[COUNT];
    draw_mixed(number, a, b, COUNT + LARGEST_WIDTH);
    elementary_width1(number, COUNT, a + shift, b + shift, expected);
    width(number, COUNT, a + shift, b + shift, results);
    int different = 0;
    for (int i = 0; i < COUNT; i++) {
        if (same(results[i], expected[i]))
            continue;
        if (different++ == 0)
            printf("%s(%a, %a) is %a, in scalar C %a\n", names[number], a[shift + i], b[shift + i], results[i],
                   expected[i]);
    }
    return different;
}

static void check_width(elementary_array *width) {
    int different = 0;
    for (int number = 0; number < FUNCTION_COUNT; number++)
        for (int shift = 0; shift < LARGEST_WIDTH; shift++)
            different += count_differences(width, number, shift);
    assert_int_equal(different, 0);
}

TEST(two_side_by_side_have_the_bits_of_one) {
    check_width(elementary_width2);
}

#if HN_BACKENDS_X86
TEST(four_side_by_side_have_the_bits_of_one) {
    if (!__builtin_cpu_supports("avx2")) {
        printf("skipped: this processor has no AVX2\n");
        skip();
    }
    check_width(elementary_width4);
}

TEST(eight_side_by_side_have_the_bits_of_one) {
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512dq") ||
        !__builtin_cpu_supports("avx512vl")) {
        printf("skipped: this processor has no AVX-512\n");
        skip();
    }
    check_width(elementary_width8);
}
#endif
