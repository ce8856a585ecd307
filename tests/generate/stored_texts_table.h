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
    {6305, 0xa030a7dbe7021111},  /* model 0, paper */
    {8351, 0x67f89944f3743671},  /* model 0, auto */
    {8068, 0x3b8b6c7c3ed54232},  /* model 0, lm */
    {7456, 0x0ca009a2dfd40514},  /* model 1, paper */
    {11099, 0x81e9ffecc6457239}, /* model 1, auto */
    {10845, 0x472e7365e13f95ed}, /* model 1, lm */
    {6873, 0x15e1d228f41f5c9f},  /* model 2, paper */
    {10497, 0x436b3259ee9fb204}, /* model 2, auto */
    {10111, 0xd3654c9f61b26a15}, /* model 2, lm */
    {9687, 0x29e5b00c8845f7e4},  /* model 3, paper */
    {14266, 0xed0ab9680fd45a27}, /* model 3, auto */
    {13779, 0x1779a72bfae3d668}, /* model 3, lm */
    {44618, 0x31cd8e8dca498b9b}, /* model 4, paper */
    {56474, 0x20da459447ea75e2}, /* model 4, auto */
    {53797, 0xe08233a07a5e2dfa}, /* model 4, lm */
    {7261, 0xdc30f6eb587efd65},  /* model 5, paper */
    {10055, 0x41b76fc289b07bf1}, /* model 5, auto */
    {9709, 0x601af79e9b8c4b42},  /* model 5, lm */
    {2655, 0x48336fdcfdaf4b56},  /* model 6, paper */
    {3635, 0x38cb4baae397d343},  /* model 6, auto */
    {3454, 0x07aaa07bf73429b1},  /* model 6, lm */
    {4098, 0xcb44d4470c6c7e89},  /* model 7, paper */
    {5231, 0xcf1fc9ee483f2acf},  /* model 7, auto */
    {5104, 0x77034182f73fa4c4},  /* model 7, lm */
    {1787, 0xa232aab296e4279b},  /* model 8, paper */
    {2608, 0x883e6dc668a652b1},  /* model 8, auto */
    {2507, 0x2082aceb34cccd6f},  /* model 8, lm */
    {11085, 0x6446cb37ae3186b8}, /* model 9, paper */
    {15722, 0x1ddc0ac0f9fad525}, /* model 9, auto */
    {15003, 0x862a4058d66aa810}, /* model 9, lm */
    {5140, 0x9e3c45c969d68c31},  /* model 10, paper */
    {7882, 0x0191728931ad448e},  /* model 10, auto */
    {7705, 0x653581c940b142fb},  /* model 10, lm */
    {4665, 0x82a5d63213a6e634},  /* model 11, paper */
    {8511, 0x62d3ad9819b8f006},  /* model 11, auto */
    {8255, 0x01a47daa38d26376},  /* model 11, lm */
    {34253, 0x796854e9d94cd7ce}, /* model 12, paper */
    {39155, 0xbb309059d8e0721a}, /* model 12, auto */
    {37862, 0x1271ab6dc0435226}, /* model 12, lm */
    {13927, 0x994035e752285dfb}, /* model 13, paper */
    {20007, 0x24ff534e1ce897c5}, /* model 13, auto */
    {19615, 0x2dee4bbc800d1104}, /* model 13, lm */
    {49587, 0x31a5793508e46029}, /* model 14, paper */
    {64783, 0x0954c510f11d56a6}, /* model 14, auto */
    {62072, 0x48db24f32cc4a212}, /* model 14, lm */
    {8552, 0xe14189c231ea8a35},  /* model 15, paper */
    {12136, 0xd6ed350b4065b234}, /* model 15, auto */
    {11795, 0x1f65fee6be0fc798}, /* model 15, lm */
    {7503, 0x78baed56266cb5e6},  /* model 16, paper */
    {11749, 0xedf669a6bf206bb6}, /* model 16, auto */
    {11626, 0x03c70afb10d690b7}, /* model 16, lm */
    {7224, 0xc9576f2320bc8435},  /* model 17, paper */
    {10527, 0xdc39c5c7058d0887}, /* model 17, auto */
    {10301, 0xec9cad30e7301955}, /* model 17, lm */
    {12202, 0x5ffbf0c5662936cd}, /* model 18, paper */
    {18015, 0xbce45c994fdce9b8}, /* model 18, auto */
    {17712, 0xebaeec48d59826c4}, /* model 18, lm */
};

#endif
