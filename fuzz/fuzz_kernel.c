/* fuzz_kernel.c - any bytes as a kernel file: refused by name, or its identity, and nothing of it is run.
 *
 * The bytes are read as they are and once more with the digest at their end made right, so that what lies behind it is reached. What
 * is taken for a kernel is none any more when one of its bits is turned, or its last byte is missing.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/kernel/kernel_file.h"
#include "common/memory_bound.h"

#include <stdlib.h>
#include <string.h>

#define KERNEL "fuzz.kernel"

enum { MOST_MEMORY = 1 << 10 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds) {
    if (!holds)
        abort();
}

static bool is_kernel(const uint8_t *data, size_t size, struct kernel_identity *found) {
    hn_error error = {.status = HN_OK, .text = ""};
    const struct file_bytes all = {(unsigned char *)(uintptr_t)data, size};
    memory_bound_begin("the check of a kernel", MOST_MEMORY);
    hn_status status = kernel_file_check(KERNEL, &all, found, &error);
    memory_bound_end();
    if (status != HN_OK)
        must(status == HN_SYNTAX && strncmp(error.text, KERNEL ": ", strlen(KERNEL ": ")) == 0);
    return status == HN_OK;
}

static bool is_word(const char *text, size_t size) {
    return memchr(text, 0, size) && !strchr(text, '\n');
}

static void check_identity(const struct kernel_identity *found) {
    const hn_layer_options options = hn_layer_defaults();
    const struct kernel_source source = {.model = found->model, .options = &options};
    struct kernel_identity own = kernel_identify(&source);
    hn_error error = {.status = HN_OK, .text = ""};
    must(is_word(found->version, KERNEL_WORD) && is_word(found->machine, KERNEL_WORD));
    must(is_word(found->instructions, KERNEL_WORD) && is_word(found->method, KERNEL_WORD));
    must(is_word(found->gradients, KERNEL_WORD) && is_word(found->model, DIGEST_TEXT));
    must(is_word(found->code, DIGEST_TEXT));
    if (kernel_fits_here(KERNEL, found, &own, &error) == HN_OK)
        must(kernel_is_foreign(KERNEL, found, &own, &error) == HN_INVALID);
    must(strncmp(error.text, KERNEL ": ", strlen(KERNEL ": ")) == 0);
}

/* The object lies before the text at the end; how much of it is code is never more than all of it. */
static void look_at_object(const uint8_t *data, size_t size) {
    const struct file_bytes object = {(unsigned char *)(uintptr_t)data, size};
    must(kernel_code_bytes(&object) <= size);
}

static void damage(const uint8_t *data, size_t size) {
    struct kernel_identity found;
    uint8_t *other = malloc(size);
    must(other != NULL);
    memcpy(other, data, size);
    other[(size_t)data[size / 2] * 7919 % (size - 1)] ^= (uint8_t)(1 << data[0] % 8); /* all but the line's end */
    must(!is_kernel(other, size, &found) && !is_kernel(data, size - 1, &found));
    free(other);
}

static uint8_t *mend(const uint8_t *data, size_t size) {
    char sum[DIGEST_TEXT];
    struct digest digest = digest_start();
    uint8_t *mended = size > DIGEST_TEXT ? malloc(size) : NULL;
    if (!mended)
        return NULL;
    memcpy(mended, data, size);
    digest_add(&digest, mended, size - DIGEST_TEXT);
    digest_finish_text(&digest, sum);
    memcpy(mended + size - DIGEST_TEXT, sum, DIGEST_TEXT - 1);
    return mended;
}

static void parse(const uint8_t *data, size_t size) {
    struct kernel_identity found;
    if (is_kernel(data, size, &found)) {
        check_identity(&found);
        damage(data, size);
    }
    look_at_object(data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint8_t *mended = mend(data, size);
    parse(data, size);
    if (mended)
        parse(mended, size);
    free(mended);
    return 0;
}
