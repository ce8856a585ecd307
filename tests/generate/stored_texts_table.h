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
    {5907, 0x96762e64828e5ec7},  /* model 0, paper */
    {8005, 0xa7441ee3866c5290},  /* model 0, auto */
    {7706, 0xf8e149c9d2458bee},  /* model 0, lm */
    {6850, 0x0244e2b99ce7f585},  /* model 1, paper */
    {10335, 0x595bb1587a245846}, /* model 1, auto */
    {10065, 0xd4d51107ac3e5e40}, /* model 1, lm */
    {6313, 0x7c71bb611dc80727},  /* model 2, paper */
    {9715, 0xeea2bd2e81ae6d37},  /* model 2, auto */
    {9311, 0x8652e842add50956},  /* model 2, lm */
    {9125, 0x938131d21656afb5},  /* model 3, paper */
    {13544, 0x6059677873fbc0ba}, /* model 3, auto */
    {13025, 0xfa3c2112f0a56a4f}, /* model 3, lm */
    {40442, 0x9405799df90d7ee6}, /* model 4, paper */
    {52776, 0xca3ad5367af6e096}, /* model 4, auto */
    {50167, 0x7f9a696c83e79b16}, /* model 4, lm */
    {6939, 0x2fabf3936429cb82},  /* model 5, paper */
    {9771, 0x7dd7302064b47020},  /* model 5, auto */
    {9397, 0x11f7bedc6cfa7675},  /* model 5, lm */
    {2683, 0x73520db08919d4cc},  /* model 6, paper */
    {3751, 0x74801099c4f29102},  /* model 6, auto */
    {3560, 0x0a7686d3986a0609},  /* model 6, lm */
    {3990, 0x1b0cd4c46845590f},  /* model 7, paper */
    {5121, 0x25a582a2647280b6},  /* model 7, auto */
    {4980, 0x25177a37d0b9f0bd},  /* model 7, lm */
    {1719, 0x164ca08b73b00baf},  /* model 8, paper */
    {2494, 0x481946cbec6aea48},  /* model 8, auto */
    {2381, 0x2108107c15002bef},  /* model 8, lm */
    {10355, 0x84376b7f43f6a2b4}, /* model 9, paper */
    {14914, 0x07b79e9d20ffa89b}, /* model 9, auto */
    {14219, 0xaaef6ed6f71b525d}, /* model 9, lm */
    {4716, 0x886b391ef66a8013},  /* model 10, paper */
    {7296, 0x958bdbe9885476c9},  /* model 10, auto */
    {7101, 0x587f8c056f5a85b1},  /* model 10, lm */
    {4281, 0x41fffccf025163b5},  /* model 11, paper */
    {7671, 0xef69d7fa5ebab27f},  /* model 11, auto */
    {7393, 0xb3170673503ef56b},  /* model 11, lm */
    {34253, 0xf1e167975563030f}, /* model 12, paper */
    {39155, 0xb95c753671a92a61}, /* model 12, auto */
    {37862, 0x9e624d2be44412a9}, /* model 12, lm */
    {12789, 0x0329f2e2ce24e38a}, /* model 13, paper */
    {18591, 0xcc2aea7cb7a7b526}, /* model 13, auto */
    {18155, 0xc5fcfa48e19f1277}, /* model 13, lm */
    {45670, 0x6c502424582202c5}, /* model 14, paper */
    {61449, 0x19b5ab01ef582302}, /* model 14, auto */
    {58832, 0x2d790a5e029c7e32}, /* model 14, lm */
    {8004, 0xecc631093189a832},  /* model 15, paper */
    {11456, 0x48da121415f5751d}, /* model 15, auto */
    {11089, 0x5d01d6e4ef63a48e}, /* model 15, lm */
    {7189, 0x68694d19728920f5},  /* model 16, paper */
    {11339, 0x48abce3f4560619d}, /* model 16, auto */
    {11204, 0xbc812a9d8d90ee7d}, /* model 16, lm */
    {6750, 0x029208a60d99c0c5},  /* model 17, paper */
    {9883, 0x6e6ce68a98bd86f1},  /* model 17, auto */
    {9641, 0xd852ea8b1d03b223},  /* model 17, lm */
    {11220, 0x3c91e13ca423cd38}, /* model 18, paper */
    {16711, 0xc602d043da5884ff}, /* model 18, auto */
    {16384, 0x0e52ae65711a6e42}, /* model 18, lm */
};

#endif
