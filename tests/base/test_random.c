/* test_random.c - the generator gives the numbers of its description, and they are spread as they should be.
 *
 * The stored numbers come from a second implementation of splitmix64 and xoshiro256++ in Python. Moments are judged at
 * six standard deviations, with fixed seeds.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"

#include "base/random.h"

enum { DRAWS = 200000, SIGMAS = 6 };

/* The first three numbers of a stream, and the thousandth. */
static const struct {
    uint64_t seed, stream, bits[4];
} known[] = {
    {0, 0, {0x84f09bf307c1073a, 0xc82ffb597ceee51b, 0xadf96905c5df4417, 0xd63f5007d7a5cc3a}},
    {1, 0, {0x4887886c7244e091, 0x4cfafb3b6cc3ea99, 0xfbce21167403a2c1, 0xe0ff8a003ae5bf94}},
    {1, 1, {0x8d6176e2f1f41696, 0x4488d4fc02c8f1e9, 0x0f2c0ec18a408301, 0xb15cb907f65a1539}},
    {20260101, 7, {0x765591c818d0a26f, 0xdb5b86c8f2ef7096, 0x44a682aa2bc3ca81, 0x38bc44cb1f6a93d3}},
    {UINT64_MAX, UINT64_MAX, {0x5f7e53d0a0e9db9a, 0x20378f93c1450ce7, 0x97749e115e365c77, 0xb9239d9157e6a774}},
};

TEST(the_bits_are_those_of_the_published_generators) {
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        struct random random = random_start(known[i].seed, known[i].stream);
        for (int n = 0; n < 1000; n++) {
            uint64_t bits = random_bits(&random);
            if (n < 3 || n == 999)
                assert_true(bits == known[i].bits[n < 3 ? n : 3]);
        }
    }
}

TEST(uniform_numbers_are_the_upper_53_bits) {
    struct random bits = random_start(20260101, 7), uniform = bits;
    assert_same_bits(random_uniform(&uniform), 0.4622431863325027);
    assert_same_bits(random_uniform(&uniform), 0.8568653336141645);
    uniform = bits;
    for (int i = 0; i < 1000; i++)
        assert_same_bits(random_uniform(&uniform), ldexp((double)(random_bits(&bits) >> 11), -53));
}

TEST(streams_and_seeds_give_sequences_of_their_own) {
    static uint64_t first[64 * 64];
    size_t count = 0;
    for (uint64_t seed = 0; seed < 64; seed++)
        for (uint64_t stream = 0; stream < 64; stream++) {
            struct random random = random_start(seed, stream);
            first[count++] = random_bits(&random);
        }
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            assert_true(first[i] != first[j]);
}

/* The correlation of two streams of uniform numbers, in standard deviations */
static double correlation(struct random a, struct random b) {
    double sum = 0;
    for (int i = 0; i < DRAWS; i++)
        sum += (random_uniform(&a) - 0.5) * (random_uniform(&b) - 0.5);
    return sum * 12 / sqrt(DRAWS);
}

TEST(neighbouring_streams_are_uncorrelated) {
    for (uint64_t stream = 0; stream < 4; stream++)
        assert_in_interval(correlation(random_start(5, stream), random_start(5, stream + 1)), -SIGMAS, SIGMAS);
}

/* The first four moments of draws, as means of powers */
static void moments(double (*draw)(struct random *), double moment[4]) {
    struct random random = random_start(6, 0);
    memset(moment, 0, 4 * sizeof *moment);
    for (int i = 0; i < DRAWS; i++) {
        double a = draw(&random), power = a;
        for (int k = 0; k < 4; k++, power *= a)
            moment[k] += power / DRAWS;
    }
}

TEST(uniform_numbers_have_the_moments_of_the_unit_interval) {
    double moment[4];
    moments(random_uniform, moment);
    for (int k = 1; k <= 4; k++) { /* the mean of u^k is 1/(k+1), its variance 1/(2k+1) - 1/(k+1)^2 */
        double mean = 1.0 / (k + 1), deviation = sqrt((1.0 / (2 * k + 1) - mean * mean) / DRAWS);
        assert_in_interval(moment[k - 1], mean - SIGMAS * deviation, mean + SIGMAS * deviation);
    }
}

TEST(normal_numbers_have_the_moments_of_the_normal_law) {
    static const double means[] = {0, 1, 0, 3}, variances[] = {1, 2, 15, 96}; /* of z^k */
    double moment[4];
    moments(random_normal, moment);
    for (int k = 0; k < 4; k++) {
        double deviation = sqrt(variances[k] / DRAWS);
        assert_in_interval(moment[k], means[k] - SIGMAS * deviation, means[k] + SIGMAS * deviation);
    }
}

TEST(a_pair_of_normal_numbers_comes_from_two_uniform_ones) {
    struct random normal = random_start(7, 0), uniform = normal;
    for (int i = 0; i < 1000; i++) {
        double u = random_uniform(&uniform), v = random_uniform(&uniform);
        double radius = sqrt(-2 * log(1 - u)), angle = 8 * atan(1) * v; /* Box and Muller */
        double slack = 1e-13 * radius, first = random_normal(&normal), second = random_normal(&normal);
        assert_in_interval(first - radius * cos(angle), -slack, slack);
        assert_in_interval(second - radius * sin(angle), -slack, slack);
    }
}

TEST(numbers_stay_within_their_ranges) {
    struct random random = random_start(8, 0);
    for (int i = 0; i < DRAWS; i++) {
        assert_in_interval(random_uniform(&random), 0, 1 - 0x1p-53);
        assert_in_interval(random_between(&random, -3, 5), -3, 5);
        assert_true(random_below(&random, 1) == 0);
    }
    assert_same_bits(random_between(&random, 2, 2), 2);
}

/* With count = 3/4 of 2^64, taking remainders alone would give the lower third twice as often as the rest. */
TEST(random_below_is_unbiased_for_huge_counts) {
    const uint64_t count = UINT64_C(3) << 62;
    struct random random = random_start(9, 0);
    double low = 0, deviation = sqrt(DRAWS * (1.0 / 3) * (2.0 / 3));
    for (int i = 0; i < DRAWS; i++) {
        uint64_t drawn = random_below(&random, count);
        assert_true(drawn < count);
        low += drawn < count / 3;
    }
    assert_in_interval(low, DRAWS / 3.0 - SIGMAS * deviation, DRAWS / 3.0 + SIGMAS * deviation);
}

TEST(random_below_reaches_every_small_number_equally_often) {
    enum { COUNT = 7 };
    struct random random = random_start(10, 0);
    double times[COUNT] = {0}, deviation = sqrt(DRAWS * (1.0 / COUNT) * (1 - 1.0 / COUNT));
    for (int i = 0; i < DRAWS; i++)
        times[random_below(&random, COUNT)]++;
    for (int i = 0; i < COUNT; i++)
        assert_in_interval(times[i] - DRAWS / (double)COUNT, -SIGMAS * deviation, SIGMAS * deviation);
}
