/* stored_texts_table.h - lines that are printed and their digest, by model and method; `stored_texts all` prints the lines
 * that have changed.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_GENERATE_STORED_TEXTS_TABLE_H
#define HN_TESTS_GENERATE_STORED_TEXTS_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct stored {
    size_t lines;
    uint64_t digest;
};

static const struct stored stored[] = {
    {6305, 0x72fe874fc288720f},  /* model 0, paper */
    {8351, 0x590d329d069f51a4},  /* model 0, auto */
    {8068, 0xaa1aacee8d5b6aaa},  /* model 0, lm */
    {7456, 0xab8669bf8916064b},  /* model 1, paper */
    {11099, 0xb72abc503d72cc36}, /* model 1, auto */
    {10845, 0x617a01537818c59c}, /* model 1, lm */
    {6873, 0x183c9f58991c0c6c},  /* model 2, paper */
    {10497, 0x3e4315e56947c0d7}, /* model 2, auto */
    {10111, 0x40622be83979839a}, /* model 2, lm */
    {9687, 0xa9cfda89741460e8},  /* model 3, paper */
    {14266, 0xf671ca1146de4e04}, /* model 3, auto */
    {13779, 0x45cb751145f3172d}, /* model 3, lm */
    {44618, 0x30fc47ccbfb6a817}, /* model 4, paper */
    {56474, 0xb942da51205c61cd}, /* model 4, auto */
    {53797, 0x9ef30ce2a281f7c2}, /* model 4, lm */
    {7261, 0xea381c07c59a1127},  /* model 5, paper */
    {10055, 0xa4a840c8bd8a182a}, /* model 5, auto */
    {9709, 0xf562a0c44fb41545},  /* model 5, lm */
    {2655, 0x7027ce6cf42df8ad},  /* model 6, paper */
    {3635, 0x07b87c529ea79909},  /* model 6, auto */
    {3454, 0xfffdaea9a698f7e1},  /* model 6, lm */
    {4098, 0xe755c93fc8c24aa4},  /* model 7, paper */
    {5231, 0xe81e7e6fae79e912},  /* model 7, auto */
    {5104, 0xfbf2f8e22a3f07c6},  /* model 7, lm */
    {1787, 0xcfb7250c0ab4fcc3},  /* model 8, paper */
    {2608, 0x7a640a021f8504e4},  /* model 8, auto */
    {2507, 0xf8a900e042ae2485},  /* model 8, lm */
    {11085, 0x1dbfc06e7f61bc2a}, /* model 9, paper */
    {15722, 0x3ee6422cc2ef5e98}, /* model 9, auto */
    {15003, 0x40a80febcdddfe74}, /* model 9, lm */
    {5140, 0xb08c27ee3e4692bf},  /* model 10, paper */
    {7882, 0x33e5cf787ae0d101},  /* model 10, auto */
    {7705, 0x4fa5b4913b4d0c7f},  /* model 10, lm */
    {4665, 0xae4ce0620d5e032b},  /* model 11, paper */
    {8511, 0x0b95f125aae56be4},  /* model 11, auto */
    {8255, 0x5c335ac6c1b8dd2b},  /* model 11, lm */
    {34253, 0x25d40cb2624dc3a4}, /* model 12, paper */
    {39155, 0xf1c9468102fe69a0}, /* model 12, auto */
    {37862, 0x503b77056dad22e6}, /* model 12, lm */
    {13927, 0xc1f21f74e368e7f7}, /* model 13, paper */
    {20007, 0xf55636c4218d0736}, /* model 13, auto */
    {19615, 0x1ad8c4f02523a5da}, /* model 13, lm */
    {49587, 0x77095ec646da2c84}, /* model 14, paper */
    {64783, 0xe9c78c2332232980}, /* model 14, auto */
    {62072, 0xb6f423cc2baecc74}, /* model 14, lm */
    {8552, 0xaea70a512688c76f},  /* model 15, paper */
    {12136, 0xb2c5f64a08cb2101}, /* model 15, auto */
    {11795, 0xe7b105b14508c36c}, /* model 15, lm */
    {7503, 0x82c8f7b8f4a70ce4},  /* model 16, paper */
    {11749, 0x4c2cb433b12695cc}, /* model 16, auto */
    {11626, 0x565167696897878c}, /* model 16, lm */
    {7224, 0xfe31b7852ddfb6ab},  /* model 17, paper */
    {10527, 0x41b59b15c3245156}, /* model 17, auto */
    {10301, 0xb1bb8f776b94af4c}, /* model 17, lm */
    {12202, 0xf133520797c7da16}, /* model 18, paper */
    {18015, 0xf2c4631aa6378f3d}, /* model 18, auto */
    {17712, 0xfdee5bc80c20c2ea}, /* model 18, lm */
};

#endif
