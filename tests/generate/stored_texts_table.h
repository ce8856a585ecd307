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
    {6283, 0x2c1715b5c5621f7c},  /* model 0, paper */
    {8323, 0xa94fb7b3a7422dc1},  /* model 0, auto */
    {8038, 0x828be221e6b35e9f},  /* model 0, lm */
    {7434, 0xee5385b4e1113e4e},  /* model 1, paper */
    {11141, 0xb3f53b24ec06274c}, /* model 1, auto */
    {10817, 0xcb46e5c6f7b80b5a}, /* model 1, lm */
    {6851, 0x450c2780acde8e09},  /* model 2, paper */
    {10478, 0x953f891298e3504a}, /* model 2, auto */
    {10080, 0xc2416d567c27ccce}, /* model 2, lm */
    {9665, 0x332fc9f29c2f52c3},  /* model 3, paper */
    {14252, 0x73c3041759f34be0}, /* model 3, auto */
    {13735, 0xbc48be4928a1fade}, /* model 3, lm */
    {44596, 0xcf332dfb1f878763}, /* model 4, paper */
    {56447, 0x67086df98582bbbb}, /* model 4, auto */
    {53737, 0xf57f74943493a1b5}, /* model 4, lm */
    {7239, 0xa0a875ed09762915},  /* model 5, paper */
    {9977, 0x6ca2ac7618c26ce1},  /* model 5, auto */
    {9675, 0xd605dfdd1709c57e},  /* model 5, lm */
    {2633, 0x5b4f89bf528c6465},  /* model 6, paper */
    {3577, 0x6e22004854573328},  /* model 6, auto */
    {3422, 0x503dec775075b981},  /* model 6, lm */
    {4076, 0x7f623be2f57dc97b},  /* model 7, paper */
    {5208, 0x2cbdf66004e81a95},  /* model 7, auto */
    {5077, 0x5c3d28b54e7270ec},  /* model 7, lm */
    {1765, 0x09cd3c50807f1ac9},  /* model 8, paper */
    {2578, 0x442ad9bf91d733b1},  /* model 8, auto */
    {2481, 0x47d77518b06308f4},  /* model 8, lm */
    {11063, 0x440c8a3d0589f592}, /* model 9, paper */
    {15794, 0xd30debeb66525010}, /* model 9, auto */
    {14965, 0xfe2838f34bbd3d7b}, /* model 9, lm */
    {5118, 0x780d4631daa3eb9b},  /* model 10, paper */
    {7904, 0x82a95758cf2f5d41},  /* model 10, auto */
    {7676, 0xbd1ea454042e6fff},  /* model 10, lm */
    {4643, 0xdba470fd96059081},  /* model 11, paper */
    {8519, 0xe51ed5688df4607e},  /* model 11, auto */
    {8227, 0xa8a4e0f9e0165186},  /* model 11, lm */
    {34253, 0xf7548d5dece0b0e3}, /* model 12, paper */
    {39155, 0x0c8781f1619653e2}, /* model 12, auto */
    {37862, 0x6e8a6e14d981847e}, /* model 12, lm */
    {13905, 0x686da801087eaccd}, /* model 13, paper */
    {20111, 0xdf15a6a5e6cdf868}, /* model 13, auto */
    {19573, 0x2f8843f398c2ec53}, /* model 13, lm */
    {49565, 0xce3c1842210ec79c}, /* model 14, paper */
    {64691, 0x7e66f04c07d8d900}, /* model 14, auto */
    {61999, 0xbd3e12a32f59b19b}, /* model 14, lm */
    {8530, 0xcdfc4bd47239f261},  /* model 15, paper */
    {12123, 0x7e240dacae57d184}, /* model 15, auto */
    {11762, 0x322c9a0f34f0d567}, /* model 15, lm */
    {7481, 0x5b3dd5c20cbbbf14},  /* model 16, paper */
    {11801, 0x0ea8265d2d4a5be1}, /* model 16, auto */
    {11600, 0xa9cb59f1dd60eab8}, /* model 16, lm */
    {7202, 0x8d5d05b7c5d2e75f},  /* model 17, paper */
    {10514, 0x441417658ed59367}, /* model 17, auto */
    {10273, 0x6f5ea5e1e1844536}, /* model 17, lm */
    {12180, 0x5170a0efa94c2b7c}, /* model 18, paper */
    {18135, 0x6d50ad9be9813797}, /* model 18, auto */
    {17680, 0x21d5235bb727c437}, /* model 18, lm */
};

#endif
