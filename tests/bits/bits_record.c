/* bits_record.c - the file of records. See bits.h.
 *
 * A record is: bytes of the key, bytes of the body (two 32-bit words), key, body. The body is a list of fields: bytes of the name and
 * kind ('d' or 'u'; two bytes), name, count (32-bit), count 64-bit words.
 *
 * SPDX-License-Identifier: MIT */
#include "bits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void append(struct record *record, const void *bytes, size_t count) {
    if (record->length + count > record->capacity) {
        record->capacity = 2 * record->capacity + count;
        record->bytes = realloc(record->bytes, record->capacity);
        if (!record->bytes)
            abort();
    }
    if (count > 0)
        memcpy(record->bytes + record->length, bytes, count);
    record->length += count;
}

static void append_head(struct record *record, const char *name, char kind, size_t count) {
    unsigned char head[2] = {(unsigned char)strlen(name), (unsigned char)kind};
    uint32_t words = (uint32_t)count;
    append(record, head, sizeof head);
    append(record, name, strlen(name));
    append(record, &words, sizeof words);
}

void bits_record_begin(struct record *record) {
    record->length = 0;
}

void bits_record_reals(struct record *record, const char *name, size_t count, const double *values) {
    append_head(record, name, 'd', count);
    for (size_t i = 0; i < count; i++) {
        double value = isnan(values[i]) ? (double)NAN : values[i];
        append(record, &value, sizeof value);
    }
}

void bits_record_words(struct record *record, const char *name, size_t count, const uint64_t *values) {
    append_head(record, name, 'u', count);
    append(record, values, count * sizeof *values);
}

void bits_record_write(const struct record *record, FILE *out, const char *key) {
    uint32_t head[2] = {(uint32_t)strlen(key), (uint32_t)record->length};
    bool good = fwrite(head, sizeof head, 1, out) == 1 && fwrite(key, head[0], 1, out) == 1 &&
                fwrite(record->bytes, 1, record->length, out) == record->length;
    if (!good) {
        fputs("bits: cannot write the records\n", stderr);
        exit(2);
    }
}
