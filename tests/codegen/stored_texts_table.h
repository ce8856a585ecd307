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
    {8357, 0x6cd8adf4680d30c9},  /* model 0, auto */
    {8074, 0xfacf3d591ba25ad7},  /* model 0, lm */
    {7456, 0xab8669bf8916064b},  /* model 1, paper */
    {11105, 0x5fe7e284f3a06bc6}, /* model 1, auto */
    {10851, 0xa00d25f4597dc703}, /* model 1, lm */
    {6873, 0x183c9f58991c0c6c},  /* model 2, paper */
    {10503, 0x02389b8ddb8c955a}, /* model 2, auto */
    {10117, 0xbc7afe37a81841ef}, /* model 2, lm */
    {9687, 0xa9cfda89741460e8},  /* model 3, paper */
    {14272, 0x195202965e7bc337}, /* model 3, auto */
    {13785, 0xdf91582a3a396e6e}, /* model 3, lm */
    {44618, 0x30fc47ccbfb6a817}, /* model 4, paper */
    {56480, 0x796f100a70e69330}, /* model 4, auto */
    {53803, 0xb2bd2f484a4fc80a}, /* model 4, lm */
    {7261, 0xea381c07c59a1127},  /* model 5, paper */
    {10061, 0x5edfff077c55dfb8}, /* model 5, auto */
    {9715, 0xa1172a3a5b52c27f},  /* model 5, lm */
    {2655, 0x7027ce6cf42df8ad},  /* model 6, paper */
    {3641, 0x0cc300263afabc96},  /* model 6, auto */
    {3460, 0xbd3dbf70ecf707fd},  /* model 6, lm */
    {4098, 0xe755c93fc8c24aa4},  /* model 7, paper */
    {5237, 0x9be491f273812546},  /* model 7, auto */
    {5110, 0x06cf3f10d1ff7dfb},  /* model 7, lm */
    {1787, 0xcfb7250c0ab4fcc3},  /* model 8, paper */
    {2614, 0xee7881f0618957c5},  /* model 8, auto */
    {2513, 0xcc8a8a25c015d895},  /* model 8, lm */
    {11085, 0x1dbfc06e7f61bc2a}, /* model 9, paper */
    {15728, 0xdf827bed9c93091e}, /* model 9, auto */
    {15009, 0x80f8860623d03496}, /* model 9, lm */
    {5140, 0xb08c27ee3e4692bf},  /* model 10, paper */
    {7888, 0x8ffdb6df13df5dc9},  /* model 10, auto */
    {7711, 0x73dd4264e4211688},  /* model 10, lm */
    {4665, 0xae4ce0620d5e032b},  /* model 11, paper */
    {8517, 0xe5697c3577971fc8},  /* model 11, auto */
    {8261, 0x593e64436a000ea2},  /* model 11, lm */
    {34253, 0x324e8a1ce515d7c3}, /* model 12, paper */
    {39155, 0x2b2f4539f3656b96}, /* model 12, auto */
    {37862, 0x8cc8a9b50199a8be}, /* model 12, lm */
    {13927, 0xc1f21f74e368e7f7}, /* model 13, paper */
    {20013, 0xd7b2c975646b80f5}, /* model 13, auto */
    {19621, 0x2ac14a07c313b07a}, /* model 13, lm */
    {49587, 0x77095ec646da2c84}, /* model 14, paper */
    {64789, 0xb14cdef762ffb454}, /* model 14, auto */
    {62078, 0x478e4c71cf8ed08e}, /* model 14, lm */
    {8552, 0xaea70a512688c76f},  /* model 15, paper */
    {12142, 0xef7e9b19e5c76fa9}, /* model 15, auto */
    {11801, 0xecd0c8c7345b00b1}, /* model 15, lm */
    {7503, 0x82c8f7b8f4a70ce4},  /* model 16, paper */
    {11755, 0xfb4eaee6669c9d14}, /* model 16, auto */
    {11632, 0x0bb5fe93b53e52be}, /* model 16, lm */
    {7224, 0xfe31b7852ddfb6ab},  /* model 17, paper */
    {10533, 0xfa40e8084147613a}, /* model 17, auto */
    {10307, 0x8bda239904a2e407}, /* model 17, lm */
    {12202, 0xf133520797c7da16}, /* model 18, paper */
    {18021, 0x94ac87912bc3b308}, /* model 18, auto */
    {17718, 0x686c3097fc6735c9}, /* model 18, lm */
};

#endif
