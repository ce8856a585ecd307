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
    {5907, 0xae046a130b04f817},  /* model 0, paper */
    {8005, 0x1374aaa14792ab88},  /* model 0, auto */
    {7706, 0x60c4f575d19fc335},  /* model 0, lm */
    {6850, 0xc7082b55a725ff9a},  /* model 1, paper */
    {10335, 0x222d67025f2fdf6f}, /* model 1, auto */
    {10065, 0xafb0d6713578b686}, /* model 1, lm */
    {6313, 0x93ed9ba7f59548d1},  /* model 2, paper */
    {9715, 0x1f91fec4969f071e},  /* model 2, auto */
    {9311, 0xf7237d0a97d24e4b},  /* model 2, lm */
    {9125, 0x7997d85788fe1203},  /* model 3, paper */
    {13544, 0x9a88cc0903ec031b}, /* model 3, auto */
    {13025, 0x900393c3d360775f}, /* model 3, lm */
    {40442, 0xb9d9dcf6cafe65a4}, /* model 4, paper */
    {52776, 0x98b6d80d270268d5}, /* model 4, auto */
    {50167, 0x8fdce4887137b111}, /* model 4, lm */
    {6939, 0x96d882bdaa4106bc},  /* model 5, paper */
    {9771, 0x47ef0195862cf88f},  /* model 5, auto */
    {9397, 0xf81e634f6dfe4e4d},  /* model 5, lm */
    {2683, 0x261f294080b2afc9},  /* model 6, paper */
    {3751, 0x051da322ad2a644c},  /* model 6, auto */
    {3560, 0x3097bde1d075f30c},  /* model 6, lm */
    {3990, 0x3e8c008f7fb2d15d},  /* model 7, paper */
    {5121, 0x9116e6fcabe95806},  /* model 7, auto */
    {4980, 0x8ce2617a5fba5f10},  /* model 7, lm */
    {1719, 0xc03fb2b825ab6421},  /* model 8, paper */
    {2494, 0x99075849f73c6bcc},  /* model 8, auto */
    {2381, 0x92e31231fe32806c},  /* model 8, lm */
    {10355, 0x2dfa3fcc573a05d7}, /* model 9, paper */
    {14914, 0xa929dc1dd6cb259c}, /* model 9, auto */
    {14219, 0x8a7de461265d8947}, /* model 9, lm */
    {4716, 0x4f7aa3905e1fd158},  /* model 10, paper */
    {7296, 0x53a3e7a2b534894c},  /* model 10, auto */
    {7101, 0x8d7908b2d61240fe},  /* model 10, lm */
    {4281, 0x84cb865b61bbf050},  /* model 11, paper */
    {7671, 0x4a2304b4002c4628},  /* model 11, auto */
    {7393, 0xcb7d227a491f13b1},  /* model 11, lm */
    {34253, 0x25d40cb2624dc3a4}, /* model 12, paper */
    {39155, 0xf1c9468102fe69a0}, /* model 12, auto */
    {37862, 0x503b77056dad22e6}, /* model 12, lm */
    {12789, 0x483502989a80d64d}, /* model 13, paper */
    {18591, 0x371c40432f20f79d}, /* model 13, auto */
    {18155, 0x3fe8fa9185f2b30a}, /* model 13, lm */
    {45670, 0x4fa6264bdcbdff8a}, /* model 14, paper */
    {61449, 0x7a3db6b244c1d628}, /* model 14, auto */
    {58832, 0xb04b98e6052da299}, /* model 14, lm */
    {8004, 0x5fea2dd80a46bff1},  /* model 15, paper */
    {11456, 0x20315351041e8791}, /* model 15, auto */
    {11089, 0xec6e6002a8f8005f}, /* model 15, lm */
    {7189, 0x9bc94fcd71d91a77},  /* model 16, paper */
    {11339, 0x3697bbcf3f69d5f4}, /* model 16, auto */
    {11204, 0x871163e3dc2c9b5f}, /* model 16, lm */
    {6750, 0xd494967554a9f93a},  /* model 17, paper */
    {9883, 0x8ca0307b0c2fedb4},  /* model 17, auto */
    {9641, 0x1940e2b745d29740},  /* model 17, lm */
    {11220, 0x6bd683ae0157edc4}, /* model 18, paper */
    {16711, 0x78982a75468bb4f5}, /* model 18, auto */
    {16384, 0x532b4c52804ccecf}, /* model 18, lm */
};

#endif
