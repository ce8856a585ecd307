/* digest.c - see digest.h. The letters are those of FIPS 180-4, section 6.2.
 *
 * SPDX-License-Identifier: MIT */
#include "base/digest.h"

#include "base/bytes.h"

#include <math.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

enum { ROUNDS = 64, LENGTH_BYTES = 8 };

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t K[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

struct digest digest_start(void) { /* likewise the square roots of the first eight primes */
    return (struct digest){
        .state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

/* ---- one block ---- */

static uint32_t rotate(uint32_t word, int by) {
    return word >> by | word << (32 - by);
}

static void expand(uint32_t *w, const unsigned char *block) {
    for (size_t t = 0; t < 16; t++)
        w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 | (uint32_t)block[4 * t + 2] << 8 |
               block[4 * t + 3];
    for (size_t t = 16; t < ROUNDS; t++) {
        uint32_t s0 = rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ w[t - 15] >> 3;
        uint32_t s1 = rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
}

/* The variables a to h rotate by index, not by copying; after eight rounds the indices repeat. */
static inline void round_of(uint32_t *v, size_t t, uint32_t added) {
    uint32_t *a = &v[-t & 7], *d = &v[(3 - t) & 7], *e = &v[(4 - t) & 7], *h = &v[(7 - t) & 7];
    uint32_t b = v[(1 - t) & 7], c = v[(2 - t) & 7], f = v[(5 - t) & 7], g = v[(6 - t) & 7];
    uint32_t t1 = *h + (rotate(*e, 6) ^ rotate(*e, 11) ^ rotate(*e, 25)) + ((*e & f) ^ (~*e & g)) + added;
    uint32_t t2 = (rotate(*a, 2) ^ rotate(*a, 13) ^ rotate(*a, 22)) + ((*a & b) ^ (*a & c) ^ (b & c));
    *d += t1;
    *h = t1 + t2;
}

/* Unrolled so that a to h stay in registers: 1.4 times as fast as a loop. */
static inline void eight_rounds(uint32_t *v, const uint32_t *k, const uint32_t *w) {
    round_of(v, 0, k[0] + w[0]);
    round_of(v, 1, k[1] + w[1]);
    round_of(v, 2, k[2] + w[2]);
    round_of(v, 3, k[3] + w[3]);
    round_of(v, 4, k[4] + w[4]);
    round_of(v, 5, k[5] + w[5]);
    round_of(v, 6, k[6] + w[6]);
    round_of(v, 7, k[7] + w[7]);
}

static void compress(uint32_t *state, const unsigned char *block) {
    uint32_t w[ROUNDS], v[DIGEST_WORDS]; /* a b c d e f g h */
    expand(w, block);
    memcpy(v, state, sizeof v);
    for (size_t t = 0; t < ROUNDS; t += DIGEST_WORDS)
        eight_rounds(v, K + t, w + t);
    for (size_t i = 0; i < DIGEST_WORDS; i++)
        state[i] += v[i];
}

/* ---- blocks with Intel's SHA extensions of 2013, also available on AMD ----
 *
 * SHA256RNDS2 does two rounds. It needs a, b, e, f in one register and c, d, g, h in another; after two rounds the old
 * a, b, e, f are the new c, d, g, h. Words of the schedule, t a multiple of 4 from 16 on:
 *
 *     w[t] = s1(w[t - 2]) + w[t - 7] + s0(w[t - 15]) + w[t - 16]
 *
 * SHA256MSG1 computes the last two terms, SHA256MSG2 the first. */

#if defined(__x86_64__)

#define WITH_SHA __attribute__((target("sha,ssse3,sse4.1")))

enum { WORDS_AT_ONCE = 4 };

/* Whether this processor has the instructions. The test costs as much as hashing a few kilobytes. */
static bool has_instructions(void) {
    unsigned eax, ebx, ecx, edx;
    const bool has_shuffles =
        __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & (unsigned)bit_SSSE3) && (ecx & (unsigned)bit_SSE4_1);
    return has_shuffles && __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (ebx & (unsigned)bit_SHA);
}

/* Loads four big-endian words. */
WITH_SHA static inline __m128i load_words(const unsigned char *bytes) {
    const __m128i turned = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
    return _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)bytes), turned);
}

/* The four words after the sixteen of w. */
WITH_SHA static inline __m128i next_words(const __m128i *w) {
    const __m128i seven_before = _mm_alignr_epi8(w[3], w[2], 4);
    return _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(w[0], w[1]), seven_before), w[3]);
}

WITH_SHA static inline void four_rounds(__m128i *abef, __m128i *cdgh, __m128i w, const uint32_t *k) {
    const __m128i added = _mm_add_epi32(w, _mm_loadu_si128((const __m128i *)(const void *)k));
    *cdgh = _mm_sha256rnds2_epu32(*cdgh, *abef, added); /* the new a, b, e, f */
    *abef = _mm_sha256rnds2_epu32(*abef, *cdgh, _mm_shuffle_epi32(added, 0x0e));
}

WITH_SHA static inline void add_block(__m128i *abef, __m128i *cdgh, const unsigned char *block) {
    const __m128i abef_before = *abef, cdgh_before = *cdgh;
    __m128i w[WORDS_AT_ONCE];
    for (size_t i = 0; i < WORDS_AT_ONCE; i++) {
        w[i] = load_words(block + 16 * i);
        four_rounds(abef, cdgh, w[i], K + WORDS_AT_ONCE * i);
    }
    for (size_t t = 16; t < ROUNDS; t += WORDS_AT_ONCE) {
        const __m128i next = next_words(w);
        w[0] = w[1];
        w[1] = w[2];
        w[2] = w[3];
        w[3] = next;
        four_rounds(abef, cdgh, next, K + t);
    }
    *abef = _mm_add_epi32(*abef, abef_before);
    *cdgh = _mm_add_epi32(*cdgh, cdgh_before);
}

WITH_SHA static void compress_blocks(uint32_t *state, const unsigned char *blocks, size_t count) {
    __m128i abef = _mm_set_epi32((int)state[0], (int)state[1], (int)state[4], (int)state[5]);
    __m128i cdgh = _mm_set_epi32((int)state[2], (int)state[3], (int)state[6], (int)state[7]);
    uint32_t ends[2][WORDS_AT_ONCE];
    for (size_t i = 0; i < count; i++)
        add_block(&abef, &cdgh, blocks + i * DIGEST_BLOCK);
    _mm_storeu_si128((__m128i *)(void *)ends[0], abef);
    _mm_storeu_si128((__m128i *)(void *)ends[1], cdgh);
    for (size_t half = 0; half < 2; half++) {
        state[2 * half] = ends[half][3];
        state[2 * half + 1] = ends[half][2];
        state[2 * half + 4] = ends[half][1];
        state[2 * half + 5] = ends[half][0];
    }
}

#endif

/* ---- bytes ---- */

static void compress_all(uint32_t *state, const unsigned char *blocks, size_t count) {
#if defined(__x86_64__)
    enum { MANY = 256 }; /* minimum number of blocks for the processor test */
    if (count >= MANY && has_instructions()) {
        compress_blocks(state, blocks, count);
        return;
    }
#endif
    for (size_t i = 0; i < count; i++)
        compress(state, blocks + i * DIGEST_BLOCK);
}

/* Completes a pending block; buffers an incomplete last block. */
void digest_add(struct digest *digest, const void *bytes, size_t count) {
    const unsigned char *at = bytes;
    size_t used = (size_t)(digest->count % DIGEST_BLOCK), room = DIGEST_BLOCK - used;
    digest->count += count;
    if (used > 0 && count >= room) {
        memcpy(digest->block + used, at, room);
        compress(digest->state, digest->block);
        at += room;
        count -= room;
        used = 0;
    }
    const size_t whole = used > 0 ? 0 : count / DIGEST_BLOCK;
    compress_all(digest->state, at, whole);
    if (count > whole * DIGEST_BLOCK) /* with no bytes left the address may be invalid */
        memcpy(digest->block + used, at + whole * DIGEST_BLOCK, count - whole * DIGEST_BLOCK);
}

void digest_add_size(struct digest *digest, uint64_t value) {
    unsigned char bytes[sizeof value];
    bytes_put_integer(bytes, value);
    digest_add(digest, bytes, sizeof bytes);
}

void digest_add_text(struct digest *digest, const char *text) {
    size_t length = strlen(text);
    digest_add_size(digest, length);
    digest_add(digest, text, length);
}

void digest_add_number(struct digest *digest, double value) {
    const uint64_t not_a_number = UINT64_C(0x7ff8000000000000);
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    digest_add_size(digest, isnan(value) ? not_a_number : bits);
}

/* ---- finish ---- */

/* Appends a 1 bit, zeros up to the last eight bytes of a block, and the length in bits. */
static void pad(struct digest *digest) {
    static const unsigned char padding[DIGEST_BLOCK] = {0x80};
    unsigned char length[LENGTH_BYTES];
    uint64_t bits = 8 * digest->count;
    size_t used = (size_t)(digest->count % DIGEST_BLOCK), end = DIGEST_BLOCK - LENGTH_BYTES;
    for (size_t i = 0; i < LENGTH_BYTES; i++)
        length[i] = (unsigned char)(bits >> (56 - 8 * i));
    digest_add(digest, padding, used < end ? end - used : DIGEST_BLOCK + end - used);
    digest_add(digest, length, sizeof length);
}

void digest_finish(struct digest *digest, unsigned char out[DIGEST_BYTES]) {
    pad(digest);
    for (size_t i = 0; i < DIGEST_BYTES; i++)
        out[i] = (unsigned char)(digest->state[i / 4] >> (24 - 8 * (i % 4)));
}

void digest_finish_text(struct digest *digest, char out[DIGEST_TEXT]) {
    static const char digits[] = "0123456789abcdef";
    unsigned char bytes[DIGEST_BYTES];
    digest_finish(digest, bytes);
    for (size_t i = 0; i < DIGEST_BYTES; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
    out[DIGEST_TEXT - 1] = '\0';
}
