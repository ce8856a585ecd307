/* test_arena.c - arenas hand out places that are aligned, apart and stay put; arrays grow and keep what they hold.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"

#include "base/arena.h"
#include "base/memory.h"
#include "base/random.h"

#include <stdalign.h>

enum { PLACES = 3000, LARGEST = 400 };

TEST(places_are_aligned_and_do_not_touch_each_other) {
    static unsigned char *places[PLACES];
    static size_t sizes[PLACES];
    struct arena arena = {NULL};
    struct random random = random_start(2, 0);
    for (size_t i = 0; i < PLACES; i++) {
        sizes[i] = (size_t)random_below(&random, LARGEST);
        places[i] = arena_take(&arena, sizes[i], 1);
        assert_non_null(places[i]);
        assert_int_equal((uintptr_t)places[i] % alignof(max_align_t), 0);
        memset(places[i], (int)(i % 251), sizes[i]);
    }
    for (size_t i = 0; i < PLACES; i++)
        for (size_t j = 0; j < sizes[i]; j++)
            assert_int_equal(places[i][j], i % 251);
    arena_release(&arena);
    assert_null(arena.newest);
}

TEST(a_request_larger_than_a_block_is_met) {
    struct arena arena = {NULL};
    char *small = arena_take(&arena, 1, 10);
    double *large = arena_take(&arena, 100000, sizeof *large);
    char *after = arena_take(&arena, 10, 1);
    assert_true(small && large && after);
    memset(small, 1, 10);
    memset(large, 2, 100000 * sizeof *large);
    memset(after, 3, 10);
    assert_int_equal(small[9], 1);
    arena_release(&arena);
}

TEST(a_released_arena_can_be_used_and_released_again) {
    struct arena arena = {NULL};
    arena_release(&arena);
    assert_non_null(arena_take(&arena, 1, 1));
    arena_release(&arena);
    assert_non_null(arena_take(&arena, 1, 1));
    arena_release(&arena);
    arena_release(&arena);
}

TEST(a_text_is_copied_to_its_length_and_ended) {
    struct arena arena = {NULL};
    char *speed = arena_copy_text(&arena, "speed[7]", 5), *empty = arena_copy_text(&arena, "x", 0);
    assert_string_equal(speed, "speed");
    assert_string_equal(empty, "");
    arena_release(&arena);
}

TEST(sizes_beyond_memory_are_refused_and_leave_the_arena_alone) {
    static const size_t counts[][2] = {
        {SIZE_MAX, 1},     {SIZE_MAX - 14, 1}, {SIZE_MAX - 16, 1},    {SIZE_MAX / 2 + 1, 2},
        {1, SIZE_MAX - 1}, {SIZE_MAX, 64},     {SIZE_MAX / 4 + 1, 4}, {(size_t)1 << 32, (size_t)1 << 32}};
    struct arena arena = {NULL};
    char *place = arena_take(&arena, 1, 1);
    struct arena_block *newest = arena.newest;
    *place = 'p';
    for (size_t i = 0; i < COUNT_OF(counts); i++)
        assert_null(arena_take(&arena, counts[i][0], counts[i][1]));
    assert_null(arena_copy_text(&arena, "", SIZE_MAX));
    assert_ptr_equal(arena.newest, newest);
    assert_int_equal(*place, 'p');
    arena_release(&arena);
}

TEST(an_array_grows_and_keeps_its_elements) {
    int *array = NULL;
    size_t capacity = 0, moves = 0;
    for (int i = 0; i < 5000; i++) {
        size_t before = capacity;
        array = array_grow(array, &capacity, (size_t)i + 1, sizeof *array);
        assert_non_null(array);
        assert_true(capacity >= (size_t)i + 1);
        moves += capacity != before;
        array[i] = i;
    }
    for (int i = 0; i < 5000; i++)
        assert_int_equal(array[i], i);
    assert_true(moves <= 13); /* doubling: log2(5000) */
    assert_ptr_equal(array_grow(array, &capacity, capacity, sizeof *array), array);
    base_release(array);
}

TEST(an_array_that_cannot_grow_stays_as_it_was) {
    size_t capacity = 0;
    int *array = array_grow(NULL, &capacity, 3, sizeof *array);
    size_t before = capacity;
    array[2] = 7;
    assert_null(array_grow(array, &capacity, SIZE_MAX, sizeof *array));
    assert_null(array_grow(array, &capacity, SIZE_MAX / 2 + 2, 1));
    assert_null(array_grow(array, &capacity, SIZE_MAX / 2 + 1, 2));
    assert_null(array_grow(array, &capacity, SIZE_MAX / 8, 16));
    assert_int_equal(capacity, before);
    assert_int_equal(array[2], 7);
    base_release(array);
}
