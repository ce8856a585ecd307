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
    {6283, 0x6cf604ba112d4e90},  /* model 0, paper */
    {8323, 0x8c1914b8eab871f4},  /* model 0, auto */
    {8038, 0x69e5e6952b539f7a},  /* model 0, lm */
    {7434, 0xcc1fb3533b7e6fc3},  /* model 1, paper */
    {11141, 0xa2144f2ae2703158}, /* model 1, auto */
    {10817, 0xf23422b6ed22dbef}, /* model 1, lm */
    {6851, 0xfeb10b4b49a87acc},  /* model 2, paper */
    {10478, 0x9c75a656a058a879}, /* model 2, auto */
    {10080, 0xc78bd0752f8dff0e}, /* model 2, lm */
    {9665, 0xc4e7ae81e1e1a1b9},  /* model 3, paper */
    {14252, 0x36a2b8de9c270661}, /* model 3, auto */
    {13735, 0x32d714deb01c9ca2}, /* model 3, lm */
    {44596, 0x9d9762eb29c3e099}, /* model 4, paper */
    {56447, 0xedd3a156d15e1d9c}, /* model 4, auto */
    {53737, 0x2803a551d103f51a}, /* model 4, lm */
    {7239, 0xd99d7f4af2f42a83},  /* model 5, paper */
    {9977, 0xa228338b1d44aef2},  /* model 5, auto */
    {9675, 0x79128d698ca9a19f},  /* model 5, lm */
    {2633, 0x3ebe840c0b70e4ab},  /* model 6, paper */
    {3577, 0x93a5137360ec8562},  /* model 6, auto */
    {3422, 0x24f39b90e656b1ef},  /* model 6, lm */
    {4076, 0xecc218804cb15fc9},  /* model 7, paper */
    {5208, 0x94981ec650c89c0f},  /* model 7, auto */
    {5077, 0xce0a5ac37df47776},  /* model 7, lm */
    {1765, 0xd8cb13df0a9d72be},  /* model 8, paper */
    {2578, 0x009e76dbae451ba1},  /* model 8, auto */
    {2481, 0x49bd932f0b6b5fbd},  /* model 8, lm */
    {11063, 0x7e153cb47e54f3da}, /* model 9, paper */
    {15794, 0x226e18266c4ce018}, /* model 9, auto */
    {14965, 0x62bd4eab9cf51dbd}, /* model 9, lm */
    {5118, 0x17ffd8465a912df7},  /* model 10, paper */
    {7904, 0xa04736c7a063de1b},  /* model 10, auto */
    {7676, 0x700311dbc592aecd},  /* model 10, lm */
    {4643, 0x6242e1dcca533718},  /* model 11, paper */
    {8519, 0xa6bcbce8ba49dc8d},  /* model 11, auto */
    {8227, 0x9f8724f4f8d18fe1},  /* model 11, lm */
    {34253, 0xf7548d5dece0b0e3}, /* model 12, paper */
    {39155, 0x0c8781f1619653e2}, /* model 12, auto */
    {37862, 0x6e8a6e14d981847e}, /* model 12, lm */
    {13905, 0x6b0278561d068eef}, /* model 13, paper */
    {20111, 0x8424f3c5f5bf0648}, /* model 13, auto */
    {19573, 0xd6e8af443e6c1874}, /* model 13, lm */
    {49565, 0x74f2667b82284914}, /* model 14, paper */
    {64691, 0x74f0d7b4f66bc765}, /* model 14, auto */
    {61999, 0x27acacbdecb2f558}, /* model 14, lm */
    {8530, 0xda6d6dcad10c1c81},  /* model 15, paper */
    {12123, 0x329f344a8a35078a}, /* model 15, auto */
    {11762, 0x0f2682cca463a90d}, /* model 15, lm */
    {7481, 0xef5c274596d2e88e},  /* model 16, paper */
    {11801, 0x0ec30eda6123abc0}, /* model 16, auto */
    {11600, 0x0e2ab03832d7192c}, /* model 16, lm */
    {7202, 0x31b94275f158df38},  /* model 17, paper */
    {10514, 0xcd128583acb097b6}, /* model 17, auto */
    {10273, 0xfdddbde96d553a78}, /* model 17, lm */
    {12180, 0x6ee0c974113d70e6}, /* model 18, paper */
    {18135, 0xeb605f312f238143}, /* model 18, auto */
    {17680, 0x6cc1c0b59713cd6c}, /* model 18, lm */
};

#endif
