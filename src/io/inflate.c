/* inflate.c - decompresses DEFLATE data; see npy.h.
 *
 * A stream is a sequence of blocks: stored bytes, or symbols in a canonical Huffman code that is fixed or transmitted
 * first. A symbol is a literal byte, the end of the block, or a length followed by a distance: a match that copies so
 * many bytes from so far back. In a canonical code the codes of one length are consecutive numbers, so that a code is
 * decoded by its offset from the first of its length. Source: RFC 1951.
 *
 * SPDX-License-Identifier: MIT */
#include "io/npy.h"

#include <stdint.h>
#include <string.h>

enum { LONGEST_CODE = 15, SYMBOLS = 288, DISTANCES = 30, LENGTH_CODES = 19, BLOCK_END = 256 };

struct stream {
    const unsigned char *in, *end;
    uint32_t bits; /* read from `in`, not consumed yet; the lowest first */
    unsigned have;
    unsigned char *out;
    size_t used, room;
    bool damaged;
};

/* A Huffman code: the number of symbols for each code length, and the symbols in the order of their codes. */
struct code {
    uint16_t count[LONGEST_CODE + 1];
    uint16_t symbols[SYMBOLS];
};

/* ---- bits ---- */

/* Up to 16 bits as a number; 0 beyond the end, which marks the stream as damaged. */
static unsigned inflate_take(struct stream *s, unsigned count) {
    while (s->have < count) {
        if (s->in == s->end) {
            s->damaged = true;
            return 0;
        }
        s->bits |= (uint32_t)*s->in++ << s->have;
        s->have += 8;
    }
    unsigned value = s->bits & ((1u << count) - 1);
    s->bits >>= count;
    s->have -= count;
    return value;
}

static void inflate_put(struct stream *s, unsigned char byte) {
    if (s->used < s->room)
        s->out[s->used++] = byte;
    else
        s->damaged = true;
}

/* ---- codes ---- */

/* Builds a code from the lengths for all symbols (0: unused). False if it is over-subscribed or incomplete; but codes
 * with at most one symbol may be incomplete. */
static bool make_code(struct code *code, const unsigned char *lengths, unsigned symbols) {
    uint16_t next[LONGEST_CODE + 2] = {0};
    int left = 1; /* unused codes of this length */
    memset(code->count, 0, sizeof code->count);
    for (unsigned i = 0; i < symbols; i++)
        code->count[lengths[i]]++;
    code->count[0] = 0;
    for (unsigned length = 1; length <= LONGEST_CODE; length++) {
        left = 2 * left - code->count[length];
        if (left < 0)
            return false;
        next[length + 1] = (uint16_t)(next[length] + code->count[length]);
    }
    for (unsigned i = 0; i < symbols; i++)
        if (lengths[i] > 0)
            code->symbols[next[lengths[i]]++] = (uint16_t)i;
    unsigned used = next[LONGEST_CODE + 1];
    return left == 0 || used <= 1;
}

static unsigned take_symbol(struct stream *s, const struct code *code) {
    unsigned value = 0, first = 0, before = 0; /* the first code of this length; number of symbols with shorter codes */
    for (unsigned length = 1; length <= LONGEST_CODE && !s->damaged; length++) {
        value = value << 1 | inflate_take(s, 1);
        if (value - first < code->count[length])
            return code->symbols[before + value - first];
        before += code->count[length];
        first = (first + code->count[length]) << 1;
    }
    s->damaged = true;
    return BLOCK_END;
}

/* ---- blocks ---- */

static void copy_stored(struct stream *s) {
    s->bits = 0; /* skip to the next whole byte: fewer than eight bits are left */
    s->have = 0;
    unsigned length = inflate_take(s, 16), inverse = inflate_take(s, 16);
    if (s->damaged || (length ^ inverse) != 0xffff || (size_t)(s->end - s->in) < length || s->room - s->used < length) {
        s->damaged = true;
        return;
    }
    if (length > 0)
        memcpy(s->out + s->used, s->in, length);
    s->in += length;
    s->used += length;
}

static void repeat(struct stream *s, unsigned symbol, const struct code *distances) {
    static const uint16_t length_base[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                           31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const unsigned char length_bits[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                                2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    static const uint16_t distance_base[] = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                             33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                             1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    unsigned index = symbol - BLOCK_END - 1;
    if (index >= sizeof length_bits) {
        s->damaged = true;
        return;
    }
    size_t length = length_base[index] + (size_t)inflate_take(s, length_bits[index]);
    unsigned which = take_symbol(s, distances);
    if (s->damaged)
        return;
    size_t distance = distance_base[which] + (size_t)inflate_take(s, which < 2 ? 0 : which / 2 - 1);
    if (distance > s->used)
        s->damaged = true;
    for (; length > 0 && !s->damaged; length--)
        inflate_put(s, s->out[s->used - distance]);
}

static void unpack_symbols(struct stream *s, const struct code *literals, const struct code *distances) {
    while (!s->damaged) {
        unsigned symbol = take_symbol(s, literals);
        if (symbol < BLOCK_END)
            inflate_put(s, (unsigned char)symbol);
        else if (symbol == BLOCK_END)
            return;
        else
            repeat(s, symbol, distances);
    }
}

static void unpack_fixed(struct stream *s) {
    unsigned char lengths[SYMBOLS];
    struct code literals, distances;
    for (unsigned i = 0; i < SYMBOLS; i++)
        lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    make_code(&literals, lengths, SYMBOLS);
    memset(lengths, 5, DISTANCES);
    make_code(&distances, lengths, DISTANCES); /* two of the 32 codes are never used */
    unpack_symbols(s, &literals, &distances);
}

/* Code lengths, which are Huffman-coded: 16 repeats the previous one, 17 and 18 are zeros. */
static void take_lengths(struct stream *s, const struct code *code, unsigned char *lengths, unsigned count) {
    for (unsigned at = 0; at < count && !s->damaged;) {
        unsigned symbol = take_symbol(s, code), times = 1;
        unsigned char value = (unsigned char)symbol;
        if (symbol >= 16) {
            times = symbol == 16   ? 3 + inflate_take(s, 2)
                    : symbol == 17 ? 3 + inflate_take(s, 3)
                                   : 11 + inflate_take(s, 7);
            value = symbol == 16 && at > 0 ? lengths[at - 1] : 0;
        }
        if ((symbol == 16 && at == 0) || symbol > 18 || times > count - at)
            s->damaged = true;
        else
            memset(lengths + at, value, times);
        at += times;
    }
}

static void unpack_dynamic(struct stream *s) {
    static const unsigned char order[LENGTH_CODES] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    unsigned char lengths[SYMBOLS + 32] = {0};
    struct code ahead, literals, distances;
    unsigned literal_count = 257 + inflate_take(s, 5), distance_count = 1 + inflate_take(s, 5),
             ahead_count = 4 + inflate_take(s, 4);
    for (unsigned i = 0; i < ahead_count; i++)
        lengths[order[i]] = (unsigned char)inflate_take(s, 3);
    if (s->damaged || literal_count > 286 || distance_count > DISTANCES || !make_code(&ahead, lengths, LENGTH_CODES)) {
        s->damaged = true;
        return;
    }
    memset(lengths, 0, sizeof lengths);
    take_lengths(s, &ahead, lengths, literal_count + distance_count);
    if (s->damaged || lengths[BLOCK_END] == 0 || !make_code(&literals, lengths, literal_count) ||
        !make_code(&distances, lengths + literal_count, distance_count))
        s->damaged = true;
    else
        unpack_symbols(s, &literals, &distances);
}

bool inflate_bytes(unsigned char *out, size_t room, const unsigned char *packed, size_t count) {
    struct stream s = {.in = packed, .end = packed + count, .room = room};
    bool last = false;
    s.out = out;
    while (!last && !s.damaged) {
        last = inflate_take(&s, 1);
        unsigned kind = inflate_take(&s, 2);
        if (s.damaged)
            break;
        if (kind == 0)
            copy_stored(&s);
        else if (kind == 1)
            unpack_fixed(&s);
        else if (kind == 2)
            unpack_dynamic(&s);
        else
            s.damaged = true;
    }
    return !s.damaged && s.used == room;
}
