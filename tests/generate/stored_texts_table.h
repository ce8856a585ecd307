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
    {6301, 0x0a0975ef1923d4fe},  /* model 0, paper */
    {8347, 0x7c366c8dfd898d76},  /* model 0, auto */
    {8064, 0x6ee76ab40f3eb762},  /* model 0, lm */
    {7452, 0x35ff515f5314801b},  /* model 1, paper */
    {11095, 0x428a48a41d74ebd3}, /* model 1, auto */
    {10841, 0x666e5860ef3d75b0}, /* model 1, lm */
    {6869, 0xccb75a55bcb380e7},  /* model 2, paper */
    {10493, 0xe49b4a00d5b31301}, /* model 2, auto */
    {10107, 0x68651539fbece659}, /* model 2, lm */
    {9683, 0x17fcd1ab70a14846},  /* model 3, paper */
    {14262, 0x726d5454b3422a14}, /* model 3, auto */
    {13775, 0x6db914671c03c057}, /* model 3, lm */
    {44614, 0x74b4bae3a72a3349}, /* model 4, paper */
    {56470, 0xaf7a67f04c367106}, /* model 4, auto */
    {53793, 0x574d44769b3999af}, /* model 4, lm */
    {7257, 0xcbf7fbb1a92d0303},  /* model 5, paper */
    {10051, 0xde422d7d0720dc09}, /* model 5, auto */
    {9705, 0x6a43b2b9818c6d52},  /* model 5, lm */
    {2651, 0x9537c373fc1dd961},  /* model 6, paper */
    {3631, 0xb24d789ff37f37a0},  /* model 6, auto */
    {3450, 0x638846d767f8df1f},  /* model 6, lm */
    {4094, 0xc4b6a3c51d309029},  /* model 7, paper */
    {5227, 0x307d5949700e191b},  /* model 7, auto */
    {5100, 0xa7eeb7ed7046df53},  /* model 7, lm */
    {1783, 0xf4bbd4b4793aa09c},  /* model 8, paper */
    {2604, 0xcffef2a6515cd5c2},  /* model 8, auto */
    {2503, 0x46c825bf883b864b},  /* model 8, lm */
    {11081, 0x291181d088e4159c}, /* model 9, paper */
    {15718, 0x102bf6dc25682a48}, /* model 9, auto */
    {14999, 0x7d956f85d57ac996}, /* model 9, lm */
    {5136, 0x50683be4dcc684f5},  /* model 10, paper */
    {7878, 0x7d43eb08a5dd15f4},  /* model 10, auto */
    {7701, 0x0be0f39f62e31cc5},  /* model 10, lm */
    {4661, 0xe53414841773a484},  /* model 11, paper */
    {8507, 0x04a02e763ef8e143},  /* model 11, auto */
    {8251, 0x47b7683b85fba675},  /* model 11, lm */
    {34253, 0xf7548d5dece0b0e3}, /* model 12, paper */
    {39155, 0x0c8781f1619653e2}, /* model 12, auto */
    {37862, 0x6e8a6e14d981847e}, /* model 12, lm */
    {13923, 0x408e019ab1729e26}, /* model 13, paper */
    {20003, 0xb8e583e25ac4551a}, /* model 13, auto */
    {19611, 0x33e22ee863288ab7}, /* model 13, lm */
    {49583, 0x865ee2c601103320}, /* model 14, paper */
    {64779, 0x5aa411c952703fb1}, /* model 14, auto */
    {62068, 0xefd1c2140f3b6010}, /* model 14, lm */
    {8548, 0xc0c57495c2727d65},  /* model 15, paper */
    {12132, 0x46f68c12b438bad9}, /* model 15, auto */
    {11791, 0xa21e3b54d055d9b3}, /* model 15, lm */
    {7499, 0x847254cc92aec638},  /* model 16, paper */
    {11745, 0xd5409638260d8cc5}, /* model 16, auto */
    {11622, 0x6daa68c4a9f61c64}, /* model 16, lm */
    {7220, 0x677929808b284bfd},  /* model 17, paper */
    {10523, 0xf5b31597e241856d}, /* model 17, auto */
    {10297, 0x33e529878d213449}, /* model 17, lm */
    {12198, 0x5bca989982e85ea8}, /* model 18, paper */
    {18011, 0xb536be34d6820ef5}, /* model 18, auto */
    {17708, 0x9337e97bc5cf463d}, /* model 18, lm */
};

#endif
