/* digest_x86.c - see digest_x86.h. The instructions are Intel's SHA extensions of 2013, also available on AMD.
 *
 * SHA256RNDS2 does two rounds. It needs a, b, e, f in one register and c, d, g, h in another; after two rounds the old
 * a, b, e, f are the new c, d, g, h. Words of the schedule, t a multiple of 4 from 16 on (FIPS 180-4, section 6.2.2):
 *
 *     w[t] = s1(w[t - 2]) + w[t - 7] + s0(w[t - 15]) + w[t - 16]
 *
 * SHA256MSG1 computes the last two terms, SHA256MSG2 the first.
 *
 * SPDX-License-Identifier: MIT */
#include "base/digest_x86.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

#define WITH_SHA __attribute__((target("sha,ssse3,sse4.1")))

enum { BLOCK_BYTES = 64, ROUNDS = 64, LANES = 4 };

bool digest_x86_is_there(void) {
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

WITH_SHA static inline void add_block(__m128i *abef, __m128i *cdgh, const uint32_t *k, const unsigned char *block) {
    const __m128i abef_before = *abef, cdgh_before = *cdgh;
    __m128i w[LANES];
    for (size_t i = 0; i < LANES; i++) {
        w[i] = load_words(block + 16 * i);
        four_rounds(abef, cdgh, w[i], k + LANES * i);
    }
    for (size_t t = 16; t < ROUNDS; t += LANES) {
        const __m128i next = next_words(w);
        w[0] = w[1];
        w[1] = w[2];
        w[2] = w[3];
        w[3] = next;
        four_rounds(abef, cdgh, next, k + t);
    }
    *abef = _mm_add_epi32(*abef, abef_before);
    *cdgh = _mm_add_epi32(*cdgh, cdgh_before);
}

WITH_SHA void digest_x86_blocks(uint32_t *state, const uint32_t *constants, const unsigned char *blocks, size_t count) {
    __m128i abef = _mm_set_epi32((int)state[0], (int)state[1], (int)state[4], (int)state[5]);
    __m128i cdgh = _mm_set_epi32((int)state[2], (int)state[3], (int)state[6], (int)state[7]);
    uint32_t ends[2][LANES];
    for (size_t i = 0; i < count; i++)
        add_block(&abef, &cdgh, constants, blocks + i * BLOCK_BYTES);
    _mm_storeu_si128((__m128i *)(void *)ends[0], abef);
    _mm_storeu_si128((__m128i *)(void *)ends[1], cdgh);
    for (size_t half = 0; half < 2; half++) {
        state[2 * half] = ends[half][3];
        state[2 * half + 1] = ends[half][2];
        state[2 * half + 4] = ends[half][1];
        state[2 * half + 5] = ends[half][0];
    }
}

#else

bool digest_x86_is_there(void) {
    return false;
}

void digest_x86_blocks(uint32_t *state, const uint32_t *constants, const unsigned char *blocks, size_t count) {
    (void)state;
    (void)constants;
    (void)blocks;
    (void)count;
}

#endif
