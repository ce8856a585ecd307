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
    {5907, 0xd967add9693f71e2},  /* model 0, paper */
    {8005, 0xabd25c7f3e0e128f},  /* model 0, auto */
    {7706, 0x5b6830d1805ef544},  /* model 0, lm */
    {6850, 0xb931b0ac1452442b},  /* model 1, paper */
    {10335, 0xed47323f98b6854e}, /* model 1, auto */
    {10065, 0x097234ace92d219e}, /* model 1, lm */
    {6313, 0x541c951666d69989},  /* model 2, paper */
    {9715, 0xf948cb41246b7a67},  /* model 2, auto */
    {9311, 0x9ecb276fb63c8019},  /* model 2, lm */
    {9125, 0x5a99b27fae80695d},  /* model 3, paper */
    {13544, 0xbf35d71f12890b14}, /* model 3, auto */
    {13025, 0x4a2bf5a2efeffc85}, /* model 3, lm */
    {40442, 0xe433011ae1aeabdc}, /* model 4, paper */
    {52776, 0x60d47e45de6bf7fe}, /* model 4, auto */
    {50167, 0x5109745d1c0a120a}, /* model 4, lm */
    {6939, 0x8fd9074702f1d695},  /* model 5, paper */
    {9771, 0xda5db232cf0d4679},  /* model 5, auto */
    {9397, 0x62d7c1a76f0862b4},  /* model 5, lm */
    {2683, 0xf53aadfc2507e9e3},  /* model 6, paper */
    {3751, 0x717ccccb565d9cf9},  /* model 6, auto */
    {3560, 0x954b006213ec1790},  /* model 6, lm */
    {3990, 0xfad26b84181b2007},  /* model 7, paper */
    {5121, 0x965c48087865839c},  /* model 7, auto */
    {4980, 0x2fab2b993271c849},  /* model 7, lm */
    {1719, 0x0229b086a1ac2783},  /* model 8, paper */
    {2494, 0x811b4588eac18372},  /* model 8, auto */
    {2381, 0x5db05b0c058aab26},  /* model 8, lm */
    {10355, 0x1c86b873d002d264}, /* model 9, paper */
    {14914, 0xc183cdc8961fdf0f}, /* model 9, auto */
    {14219, 0xae90ebd352fc374e}, /* model 9, lm */
    {4716, 0x267333dde311057a},  /* model 10, paper */
    {7296, 0xa359cc4ce0faf352},  /* model 10, auto */
    {7101, 0xb27056c718ae03e5},  /* model 10, lm */
    {4281, 0xadeecbd81ad256e6},  /* model 11, paper */
    {7671, 0xf9692035e7c7f558},  /* model 11, auto */
    {7393, 0x9e7f3bef1418171f},  /* model 11, lm */
    {34253, 0xf7548d5dece0b0e3}, /* model 12, paper */
    {39155, 0x0c8781f1619653e2}, /* model 12, auto */
    {37862, 0x6e8a6e14d981847e}, /* model 12, lm */
    {12789, 0x79188e7bc8f6e593}, /* model 13, paper */
    {18591, 0x7c6563bcf48db9ce}, /* model 13, auto */
    {18155, 0x1d6ba6e1bf878539}, /* model 13, lm */
    {45670, 0xfb9bbde7df2c5f25}, /* model 14, paper */
    {61449, 0x3df60a464b7eeb4d}, /* model 14, auto */
    {58832, 0x4d009a86c65098da}, /* model 14, lm */
    {8004, 0x70de194783e82f8d},  /* model 15, paper */
    {11456, 0xf877db90e9850f8f}, /* model 15, auto */
    {11089, 0x6f170bec461722f0}, /* model 15, lm */
    {7189, 0xae4059778edd5d06},  /* model 16, paper */
    {11339, 0x125d52b0acd6d124}, /* model 16, auto */
    {11204, 0x60db1390299f0025}, /* model 16, lm */
    {6750, 0xd15053fde1363611},  /* model 17, paper */
    {9883, 0x40c8a3847b016e92},  /* model 17, auto */
    {9641, 0xeaa1a4e47a8f13bc},  /* model 17, lm */
    {11220, 0x15834998a178d072}, /* model 18, paper */
    {16711, 0xe42f033f32a69491}, /* model 18, auto */
    {16384, 0x417235fa2c992acc}, /* model 18, lm */
};

#endif
