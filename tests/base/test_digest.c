/* test_digest.c - SHA-256 against the examples of FIPS 180-4 and others that are widely known.
 *
 * SPDX-License-Identifier: MIT */
#include "base/digest.h"
#include "base/random.h"
#include "support/check.h"

static void check_digest(const char *text, size_t count, size_t at_a_time, const char *expected) {
    struct digest digest = digest_start();
    char found[DIGEST_TEXT];
    for (size_t i = 0; i < count; i += at_a_time)
        digest_add(&digest, text + i, at_a_time < count - i ? at_a_time : count - i);
    digest_finish_text(&digest, found);
    assert_string_equal(found, expected);
}

TEST(known_texts_have_their_known_digests) {
    static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    check_digest("", 0, 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check_digest("abc", 3, 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    for (size_t step = 1; step <= 56; step++)
        check_digest(two_blocks, 56, step, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(a_million_letters_have_theirs) {
    static char letters[1000000];
    memset(letters, 'a', sizeof letters);
    check_digest(letters, sizeof letters, 997, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    check_digest(letters, sizeof letters, sizeof letters,
                 "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* Many blocks at once may go through instructions of the processor's own; few never do. */
TEST(the_same_bytes_have_one_digest_however_they_come) {
    enum { BYTES = 40000, PIECE = 16384 };
    static unsigned char bytes[BYTES];
    struct random random = random_start(3, 1);
    for (size_t i = 0; i < BYTES; i++)
        bytes[i] = (unsigned char)random_below(&random, 256);
    for (size_t before = 0; before < 130; before += 13) {
        struct digest whole = digest_start(), parts = digest_start();
        char first[DIGEST_TEXT], second[DIGEST_TEXT];
        digest_add(&whole, bytes, before);
        digest_add(&whole, bytes + before, PIECE + 7 * before);
        digest_add(&whole, bytes + before + PIECE + 7 * before, BYTES - before - PIECE - 7 * before);
        for (size_t i = 0; i < BYTES; i += 100)
            digest_add(&parts, bytes + i, 100);
        digest_finish_text(&whole, first);
        digest_finish_text(&parts, second);
        assert_string_equal(first, second);
    }
}

/* Padding has to go on into a further block from 56 bytes on. */
TEST(every_length_has_another_digest) {
    enum { LENGTHS = 200 };
    static unsigned char found[LENGTHS][DIGEST_BYTES], zeros[LENGTHS];
    for (size_t i = 0; i < LENGTHS; i++) {
        struct digest digest = digest_start();
        digest_add(&digest, zeros, i);
        digest_finish(&digest, found[i]);
        for (size_t j = 0; j < i; j++)
            assert_memory_not_equal(found[i], found[j], DIGEST_BYTES);
    }
}

static void check_parts(void (*add)(struct digest *digest), const void *bytes, size_t count) {
    struct digest one = digest_start(), other = digest_start();
    char first[DIGEST_TEXT], second[DIGEST_TEXT];
    add(&one);
    digest_add(&other, bytes, count);
    digest_finish_text(&one, first);
    digest_finish_text(&other, second);
    assert_string_equal(first, second);
}

static void add_size(struct digest *digest) {
    digest_add_size(digest, UINT64_C(0x0123456789abcdef));
}

static void add_text(struct digest *digest) {
    digest_add_text(digest, "hm");
}

static void add_number(struct digest *digest) {
    digest_add_number(digest, -2);
}

static void add_nan(struct digest *digest) {
    digest_add_number(digest, copysign((double)NAN, -1));
}

TEST(parts_are_the_same_bytes_on_every_machine) {
    check_parts(add_size, "\xef\xcd\xab\x89\x67\x45\x23\x01", 8);
    check_parts(add_text, "\2\0\0\0\0\0\0\0hm", 10);
    check_parts(add_number, "\0\0\0\0\0\0\0\xc0", 8);
    check_parts(add_nan, "\0\0\0\0\0\0\xf8\x7f", 8);
}
