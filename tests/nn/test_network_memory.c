/* test_network_memory.c - loading takes at most twice the file and 64 KiB, however the file is made up.
 *
 * The functions of base/memory.h are replaced by ones that count.
 *
 * SPDX-License-Identifier: MIT */
#include "nn/file_bytes.h"
#include "support/scratch.h"

#include <stdalign.h>

struct block {
    size_t bytes;
    alignas(max_align_t) unsigned char data[];
};

static size_t live, most;

static void count(size_t gone, size_t come) {
    live = live - gone + come;
    most = live > most ? live : most;
}

void *base_allocate(size_t bytes) {
    return base_reallocate(NULL, bytes);
}

/* Both blocks live for a moment. */
void *base_reallocate(void *old, size_t bytes) {
    struct block *block = malloc(sizeof *block + bytes);
    assert_non_null(block);
    block->bytes = bytes;
    count(0, bytes);
    if (old) {
        struct block *before = (struct block *)(void *)((unsigned char *)old - offsetof(struct block, data));
        memcpy(block->data, old, before->bytes < bytes ? before->bytes : bytes);
        base_release(old);
    }
    return block->data;
}

void base_release(void *data) {
    if (!data)
        return;
    struct block *block = (struct block *)(void *)((unsigned char *)data - offsetof(struct block, data));
    count(block->bytes, 0);
    free(block);
}

static void check_memory(const char *path) {
    hn_network *network;
    struct bytes bytes = bytes_of_file(path);
    size_t before = live;
    most = live;
    assert_int_equal(hn_network_load(&network, path, NULL), HN_OK);
    assert_in_interval((double)(most - before), (double)bytes.count, 2.0 * (double)bytes.count + 65536);
    hn_network_destroy(network);
    assert_int_equal(live, before);
    free(bytes.data);
}

TEST(a_network_of_any_size_is_loaded_within_its_means) {
    static const size_t widths[] = {1, 10, 100, 500};
    struct scratch scratch = scratch_create();
    for (size_t i = 0; i < COUNT_OF(widths); i++) {
        hn_network_options options = {
            .inputs = 3, .outputs = 50, .hidden_count = 3, .hidden = {widths[i], widths[i], widths[i]}};
        hn_network *network;
        assert_int_equal(hn_network_create(&network, &options, NULL), HN_OK);
        assert_int_equal(hn_network_save(network, scratch_path(&scratch, "net"), 0, NULL, NULL), HN_OK);
        check_memory(scratch_path(&scratch, "net"));
        hn_network_destroy(network);
    }
    scratch_remove(&scratch);
}

TEST(long_and_many_texts_are_loaded_within_their_means) {
    enum { LONG = 1000000, MANY = 1000 };
    hn_network_options options = {.inputs = 1, .outputs = 1};
    hn_network *network;
    struct scratch scratch = scratch_create();
    char *text = malloc(LONG + 1), keys[MANY][8];
    hn_metadata texts[MANY];
    memset(text, 'x', LONG);
    text[LONG] = '\0';
    assert_int_equal(hn_network_create(&network, &options, NULL), HN_OK);
    assert_int_equal(hn_network_save(network, scratch_path(&scratch, "net"), 1, &(hn_metadata){"long", text}, NULL),
                     HN_OK);
    check_memory(scratch_path(&scratch, "net"));
    for (size_t i = 0; i < MANY; i++) {
        snprintf(keys[i], sizeof keys[i], "%zu", i);
        texts[i] = (hn_metadata){keys[i], ""};
    }
    assert_int_equal(hn_network_save(network, scratch_path(&scratch, "net"), MANY, texts, NULL), HN_OK);
    check_memory(scratch_path(&scratch, "net"));
    hn_network_destroy(network);
    scratch_remove(&scratch);
    free(text);
}
