/* test_layout.c - one function run twice, to measure and to place: what is measured suffices, whatever the block's address.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"

#include "base/layout.h"
#include "base/memory.h"
#include "base/random.h"

enum { PARTS = 40, LARGEST = 300 };

struct parts {
    size_t count[PARTS], size[PARTS];
    unsigned char *place[PARTS];
};

static void draw(struct parts *parts, struct random *random) {
    for (int i = 0; i < PARTS; i++) {
        parts->count[i] = (size_t)random_below(random, LARGEST);
        parts->size[i] = (size_t)random_below(random, 17);
    }
}

static void place(struct layout *layout, void *context) {
    struct parts *parts = context;
    for (int i = 0; i < PARTS; i++)
        parts->place[i] = layout_take(layout, parts->count[i], parts->size[i]);
}

static void fill_and_read_back(const struct parts *parts) {
    for (int i = 0; i < PARTS; i++)
        memset(parts->place[i], i, parts->count[i] * parts->size[i]);
    for (int i = 0; i < PARTS; i++)
        for (size_t j = 0; j < parts->count[i] * parts->size[i]; j++)
            assert_int_equal(parts->place[i][j], i);
}

TEST(parts_fit_the_measured_block_wherever_it_starts) {
    struct random random = random_start(3, 0);
    for (size_t shift = 0; shift < LAYOUT_ALIGNMENT; shift++) {
        struct parts parts;
        draw(&parts, &random);
        struct layout layout = layout_measure();
        place(&layout, &parts);
        for (int i = 0; i < PARTS; i++)
            assert_null(parts.place[i]);
        size_t bytes = layout_bytes(&layout);
        unsigned char *block = malloc(bytes + shift), *start = block + shift;
        layout = layout_over(start);
        place(&layout, &parts);
        for (int i = 0; i < PARTS; i++) {
            assert_int_equal((uintptr_t)parts.place[i] % LAYOUT_ALIGNMENT, 0);
            assert_true(parts.place[i] >= start);
            assert_true(parts.place[i] + parts.count[i] * parts.size[i] <= start + bytes);
        }
        fill_and_read_back(&parts);
        assert_int_equal(layout_bytes(&layout), bytes);
        free(block);
    }
}

TEST(a_layout_of_nothing_has_a_size_that_can_be_asked_for) {
    struct layout layout = layout_measure();
    assert_true(layout_bytes(&layout) > 0);
}

TEST(a_sum_that_does_not_fit_has_no_size) {
    static const size_t takes[][2] = {{SIZE_MAX, 1},         {SIZE_MAX, 2},      {SIZE_MAX / 2 + 1, 2},
                                      {1, SIZE_MAX},         {SIZE_MAX - 62, 1}, {(size_t)1 << 32, (size_t)1 << 32},
                                      {SIZE_MAX / 8 + 1, 8}, {SIZE_MAX - 63, 1}};
    for (size_t i = 0; i < COUNT_OF(takes); i++) {
        struct layout layout = layout_measure();
        layout_take(&layout, takes[i][0], takes[i][1]);
        layout_take(&layout, 1, 1); /* what fits afterwards does not heal it */
        assert_int_equal(layout_bytes(&layout), 0);
    }
}

TEST(parts_that_fit_one_by_one_may_not_fit_together) {
    struct layout layout = layout_measure();
    layout_take(&layout, SIZE_MAX / 2 + 1, 1);
    assert_true(layout_bytes(&layout) > SIZE_MAX / 2);
    layout_take(&layout, SIZE_MAX / 2 + 1, 1);
    assert_int_equal(layout_bytes(&layout), 0);
}

TEST(one_call_measures_allocates_and_places) {
    struct random random = random_start(4, 0);
    struct parts parts, huge;
    draw(&parts, &random);
    size_t bytes = layout_size(place, &parts);
    assert_null(parts.place[0]);
    unsigned char *block = layout_allocate(place, &parts);
    assert_non_null(block);
    for (int i = 0; i < PARTS; i++) {
        assert_int_equal((uintptr_t)parts.place[i] % LAYOUT_ALIGNMENT, 0);
        assert_true(parts.place[i] >= block);
        assert_true(parts.place[i] + parts.count[i] * parts.size[i] <= block + bytes);
    }
    fill_and_read_back(&parts);
    base_release(block);
    huge = parts;
    huge.count[PARTS / 2] = SIZE_MAX;
    huge.size[PARTS / 2] = 8;
    assert_int_equal(layout_size(place, &huge), 0);
    assert_null(layout_allocate(place, &huge));
}
