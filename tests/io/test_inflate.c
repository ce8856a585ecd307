/* test_inflate.c - packed bytes by hand, bit by bit: good ones of every kind of block, and every way to be damaged (RFC 1951).
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"

#include "io/npy.h"

enum { MOST = 100, STORED = 0, FIXED = 1, DYNAMIC = 2, NO_KIND = 3 };

struct bits {
    unsigned char bytes[MOST];
    size_t count;
};

/* ---- writing ---- */

static void put(struct bits *b, unsigned value, unsigned count) {
    for (unsigned i = 0; i < count; i++, b->count++)
        b->bytes[b->count / 8] |= (unsigned char)((value >> i & 1) << b->count % 8);
    assert_true(b->count < 8 * MOST);
}

/* A code begins with its highest bit. */
static void put_code(struct bits *b, unsigned code, unsigned length) {
    while (length-- > 0)
        put(b, code >> length & 1, 1);
}

static struct bits begin(unsigned kind) {
    struct bits b = {.count = 0};
    put(&b, 1, 1);
    put(&b, kind, 2);
    return b;
}

static struct bits stored(unsigned length, unsigned inverse, const char *text) {
    struct bits b = begin(STORED);
    b.count = 8;
    put(&b, length, 16);
    put(&b, inverse, 16);
    for (; *text; text++)
        put(&b, (unsigned char)*text, 8);
    return b;
}

/* The head of a dynamic block, whose lengths are in this code: 1 is 00, 2 is 01, 0 is 100, 16 is 101, 17 is 110, 18 is 111. */
static struct bits dynamic(unsigned literals, unsigned distances) {
    static const unsigned char ahead[18] = {3, 3, 3, 3, [15] = 2, [17] = 2};
    struct bits b = begin(DYNAMIC);
    put(&b, literals - 257, 5);
    put(&b, distances - 1, 5);
    put(&b, sizeof ahead - 4, 4);
    for (size_t i = 0; i < sizeof ahead; i++)
        put(&b, ahead[i], 3);
    return b;
}

static void put_one(struct bits *b) {
    put_code(b, 0, 2);
}

static void put_two(struct bits *b) {
    put_code(b, 1, 2);
}

static void put_zeros(struct bits *b, unsigned count) {
    put_code(b, 7, 3);
    put(b, count - 11, 7);
}

static void put_again(struct bits *b, unsigned count) {
    put_code(b, 5, 3);
    put(b, count - 3, 2);
}

/* Codes of one bit for 'a' and, where it is wanted, for the end of the block. */
static void put_literals(struct bits *b, bool ends) {
    put_zeros(b, 97);
    put_one(b);
    put_zeros(b, 138);
    put_zeros(b, 20);
    if (ends)
        put_one(b);
    else
        put_code(b, 4, 3);
}

/* ---- judging ---- */

static void must_give(const struct bits *b, const char *text) {
    unsigned char out[MOST];
    size_t length = strlen(text), bytes = (b->count + 7) / 8;
    assert_true(inflate_bytes(out, length, b->bytes, bytes));
    assert_memory_equal(out, text, length);
    assert_false(inflate_bytes(out, length + 1, b->bytes, bytes)); /* which has fewer */
    assert_false(inflate_bytes(out, length - 1, b->bytes, bytes));
    for (size_t cut = 0; cut < bytes; cut++)
        assert_false(inflate_bytes(out, length, b->bytes, cut));
}

static void must_be_damaged(struct bits b) {
    unsigned char out[MOST];
    for (size_t room = 0; room <= 4; room++)
        assert_false(inflate_bytes(out, room, b.bytes, (b.count + 7) / 8));
}

/* ---- tests ---- */

TEST(blocks_of_every_kind_are_unpacked) {
    struct bits b = stored(3, 3 ^ 0xffff, "abc");
    must_give(&b, "abc");

    b = begin(FIXED);
    put_code(&b, 0x30 + 'a', 8);
    put_code(&b, 2, 7); /* four more of them: symbol 258 */
    put_code(&b, 0, 5);
    put_code(&b, 0, 7);
    must_give(&b, "aaaaa");

    b = dynamic(257, 1);
    put_literals(&b, true);
    put_one(&b);
    put_code(&b, 1, 4); /* 'a' is 0, the end is 1 */
    must_give(&b, "aaa");

    b = dynamic(258,
                1); /* a code of three: 'a' 0, the end 10, three more 11, at a distance of one, a code of one bit */
    put_zeros(&b, 97);
    put_one(&b);
    put_zeros(&b, 138);
    put_zeros(&b, 20);
    put_two(&b);
    put_two(&b);
    put_one(&b);
    put_code(&b, 0, 1);
    put_code(&b, 3, 2);
    put_code(&b, 0, 1);
    put_code(&b, 2, 2);
    must_give(&b, "aaaa");
}

TEST(stored_blocks_that_contradict_themselves_are_damaged) {
    must_be_damaged(stored(3, 3, "abc"));
    must_be_damaged(stored(9, 9 ^ 0xffff, "abc"));
    struct bits b = begin(NO_KIND);
    must_be_damaged(b);
}

TEST(codes_that_are_none_are_damaged) {
    must_be_damaged(dynamic(288, 1)); /* more symbols than there are */
    must_be_damaged(dynamic(257, 32));

    struct bits b = dynamic(257, 1);
    b.bytes[2] |= 0x0e; /* lengths of another code: too many of one bit, or too few */
    must_be_damaged(b);
    b = begin(DYNAMIC);
    put(&b, 0, 14);
    put(&b, 1 | 1 << 3 | 1 << 6, 12); /* three codes of one bit */
    must_be_damaged(b);

    b = dynamic(257, 1);
    put_again(&b, 3); /* of nothing */
    must_be_damaged(b);
    b = dynamic(257, 1);
    put_zeros(&b, 138);
    put_zeros(&b, 138); /* one more than there are */
    must_be_damaged(b);
    b = dynamic(257, 1);
    put_literals(&b, false); /* it never ends */
    put_one(&b);
    put_code(&b, 0, 8);
    must_be_damaged(b);
}

TEST(codes_of_too_many_or_too_few_bits_are_damaged) {
    struct bits b = dynamic(257, 1);
    put_one(&b);
    put_again(&b, 3);
    put_zeros(&b, 138);
    put_zeros(&b, 114);
    put_one(&b);
    put_one(&b);
    must_be_damaged(b); /* five literals of one bit */

    b = dynamic(257, 3);
    put_literals(&b, true);
    put_one(&b);
    put_one(&b);
    put_one(&b);
    must_be_damaged(b); /* three distances of one bit */

    b = dynamic(257, 2);
    put_literals(&b, true);
    put_two(&b);
    put_two(&b);
    must_be_damaged(b); /* two of two bits, and two that tell nothing */

    b = dynamic(258, 1); /* a repetition, and no code for its distance */
    put_zeros(&b, 97);
    put_one(&b);
    put_zeros(&b, 138);
    put_zeros(&b, 20);
    put_two(&b);
    put_two(&b);
    put_code(&b, 4, 3);
    put_code(&b, 0, 1);
    put_code(&b, 3, 2);
    put(&b, 0, 20);
    must_be_damaged(b);
}

TEST(repetitions_of_what_is_not_there_are_damaged) {
    struct bits b = begin(FIXED);
    put_code(&b, 0x30 + 'a', 8);
    put_code(&b, 2, 7);
    put_code(&b, 1, 5); /* from two bytes before */
    must_be_damaged(b);
    b = begin(FIXED);
    put_code(&b, 0x30 + 'a', 8);
    put_code(&b, 2, 7);
    put_code(&b, 30, 5); /* a distance that there is not */
    must_be_damaged(b);
    b = begin(FIXED);
    put_code(&b, 0xc6, 8); /* a length that there is not */
    put(&b, 0, 20);
    must_be_damaged(b);
}
