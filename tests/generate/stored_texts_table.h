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
    {5907, 0xcb7353ed47b7e23e},  /* model 0, paper */
    {8005, 0xa614a934b4f136c4},  /* model 0, auto */
    {7706, 0x26163df8c43e69ce},  /* model 0, lm */
    {6850, 0xc7abc5f704c9de33},  /* model 1, paper */
    {10335, 0xe6a511c2ca005e46}, /* model 1, auto */
    {10065, 0x5316c31a785059bc}, /* model 1, lm */
    {6313, 0x8412193c4a2ed9f1},  /* model 2, paper */
    {9715, 0x8ed452226f4ae6c2},  /* model 2, auto */
    {9311, 0xa5bb5f92574e42aa},  /* model 2, lm */
    {9125, 0xb1cc1e32aa409261},  /* model 3, paper */
    {13544, 0xd2bb1d1e8a5af238}, /* model 3, auto */
    {13025, 0x3f81f276d4e40027}, /* model 3, lm */
    {40442, 0x8e285c9277cb6714}, /* model 4, paper */
    {52776, 0xc1db15e771f0ac21}, /* model 4, auto */
    {50167, 0x097805cfa5a2ea7c}, /* model 4, lm */
    {6939, 0x3e9a482d943178f5},  /* model 5, paper */
    {9771, 0x282472cafddf29c0},  /* model 5, auto */
    {9397, 0x985664acf9cfd2b6},  /* model 5, lm */
    {2683, 0x93303f2e5b04e877},  /* model 6, paper */
    {3751, 0xfccd94063f4493cf},  /* model 6, auto */
    {3560, 0xdf8084d28276e62a},  /* model 6, lm */
    {3990, 0xa49cf98ff6fe2536},  /* model 7, paper */
    {5121, 0xabc007405134537a},  /* model 7, auto */
    {4980, 0x62e6f646c2e9a67d},  /* model 7, lm */
    {1719, 0x2d93e45d8749ade9},  /* model 8, paper */
    {2494, 0x7f52c07b9e5a6be8},  /* model 8, auto */
    {2381, 0x755c442111f81abe},  /* model 8, lm */
    {10355, 0x1d42d423c77c4604}, /* model 9, paper */
    {14914, 0x95e26828dfe4f673}, /* model 9, auto */
    {14219, 0x20b7f2950107e7b9}, /* model 9, lm */
    {4716, 0xfa4da86ed28789d9},  /* model 10, paper */
    {7296, 0x122ff86adfb86655},  /* model 10, auto */
    {7101, 0xb62efa786f80f8f6},  /* model 10, lm */
    {4281, 0x0e6e18bf9ca012fc},  /* model 11, paper */
    {7671, 0x63635c675254064c},  /* model 11, auto */
    {7393, 0x480d3004f08912e6},  /* model 11, lm */
    {34253, 0x796854e9d94cd7ce}, /* model 12, paper */
    {39155, 0xbb309059d8e0721a}, /* model 12, auto */
    {37862, 0x1271ab6dc0435226}, /* model 12, lm */
    {12789, 0x3d6118eb3c75b6fc}, /* model 13, paper */
    {18591, 0xe5f6d117133088a7}, /* model 13, auto */
    {18155, 0x6b76cd89150b69f6}, /* model 13, lm */
    {45670, 0xb9988e90087d7ab5}, /* model 14, paper */
    {61449, 0x361d2719529dcbb4}, /* model 14, auto */
    {58832, 0x9e293b81809593b7}, /* model 14, lm */
    {8004, 0x5b96b5b566508c78},  /* model 15, paper */
    {11456, 0x6bea7fa6404a6637}, /* model 15, auto */
    {11089, 0x7e722c4740709635}, /* model 15, lm */
    {7189, 0x7d224869bdb49338},  /* model 16, paper */
    {11339, 0xe814eb94cb79df01}, /* model 16, auto */
    {11204, 0xae023ecc2f7883a3}, /* model 16, lm */
    {6750, 0x0edcc0ae091fc018},  /* model 17, paper */
    {9883, 0xd66ba483e3983749},  /* model 17, auto */
    {9641, 0xd1c0bb7e740a52c6},  /* model 17, lm */
    {11220, 0xe5cb91a6ca5badb7}, /* model 18, paper */
    {16711, 0xb815f62aafb2722d}, /* model 18, auto */
    {16384, 0x853f51cc9a7a5370}, /* model 18, lm */
};

#endif
