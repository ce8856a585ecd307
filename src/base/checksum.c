/* checksum.c - see checksum.h. Four bits at a time with a table of 64 bytes; long inputs eight bytes at a time, with
 * tables built on the stack (M. E. Kounavis, F. L. Berry, "A systematic approach to building high performance
 * software-based CRC generators", 2005).
 *
 * SPDX-License-Identifier: MIT */
#include "base/checksum.h"

enum { AT_ONCE = 8, BYTES = 256, MUCH = 1 << 14 }; /* MUCH: the length from which building the tables is faster */

/* The remainders of the sixteen numbers of four bits. */
static const uint32_t remainders[16] = {
    0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
    0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
};

static uint32_t add_byte(uint32_t rest, unsigned char byte) {
    rest ^= byte;
    rest = rest >> 4 ^ remainders[rest & 15];
    return rest >> 4 ^ remainders[rest & 15];
}

static uint32_t four_bytes(const unsigned char *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* table[k][b]: the remainder of byte b with k zeros behind it. */
static uint32_t add_many(uint32_t rest, const unsigned char *at, size_t eights) {
    uint32_t table[AT_ONCE][BYTES];
    for (unsigned b = 0; b < BYTES; b++) {
        table[0][b] = add_byte(0, (unsigned char)b);
        for (int k = 1; k < AT_ONCE; k++)
            table[k][b] = add_byte(table[k - 1][b], 0);
    }
    for (size_t i = 0; i < eights; i++, at += AT_ONCE) {
        uint32_t a = rest ^ four_bytes(at), b = four_bytes(at + 4);
        rest = table[7][a & 255] ^ table[6][a >> 8 & 255] ^ table[5][a >> 16 & 255] ^ table[4][a >> 24] ^
               table[3][b & 255] ^ table[2][b >> 8 & 255] ^ table[1][b >> 16 & 255] ^ table[0][b >> 24];
    }
    return rest;
}

uint32_t checksum_add(uint32_t before, const void *bytes, size_t count) {
    const unsigned char *at = bytes;
    uint32_t rest = ~before;
    size_t done = count >= MUCH ? count / AT_ONCE * AT_ONCE : 0;
    if (done > 0)
        rest = add_many(rest, at, done / AT_ONCE);
    for (size_t i = done; i < count; i++)
        rest = add_byte(rest, at[i]);
    return ~rest;
}
