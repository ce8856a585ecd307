/* safetensors.c - see safetensors.h: parses bytes into a checked list of tensors.
 *
 * Order of the checks: length of the header, its grammar, the checksum, then the tensors. So a damaged file is reported
 * as damaged, and errors about tensors refer to intact files.
 *
 * SPDX-License-Identifier: MIT */
#include "nn/safetensors.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/utf8.h"
#include "io/file_type.h"

#include <stdio.h>
#include <string.h>

/* ---- file type and header ---- */

/* Recognises other file types by their first bytes. */
static hn_status refuse_type(const char *name, const unsigned char *bytes, size_t count, hn_error *error) {
    enum file_type kind = file_type_of(bytes, count);
    if (kind == FILE_TYPE_PICKLE || kind == FILE_TYPE_ZIP)
        return error_in_file(error, HN_UNSUPPORTED, name,
                             "this is a %s, as PyTorch writes .pt files; such files can execute code when they are "
                             "loaded and are refused; save the network with hardnet.torch.save_policy",
                             kind == FILE_TYPE_PICKLE ? "pickle" : "zip archive");
    if (kind == FILE_TYPE_ONNX)
        return error_in_file(error, HN_UNSUPPORTED, name,
                             "this is an ONNX file; these are not supported: save the PyTorch network with "
                             "hardnet.torch.save_policy");
    if (kind == FILE_TYPE_NL)
        return error_in_file(error, HN_UNSUPPORTED, name, "this is an .nl file, a model of AMPL, not a network");
    if (kind == FILE_TYPE_NPY)
        return error_in_file(error, HN_UNSUPPORTED, name, "this is a .npy file, not a safetensors file");
    return error_in_file(error, HN_SYNTAX, name, "this is not a safetensors file, or its beginning is damaged");
}

/* Checks for a header of 0 to MOST_HEADER bytes that starts like a dictionary. */
static hn_status safetensors_begins(const char *name, const struct file_bytes *begun, size_t *most, hn_error *error) {
    if (begun->count <= SAFETENSORS_LENGTH)
        return HN_OK;
    uint64_t length = bytes_integer(begun->data, SAFETENSORS_LENGTH, false);
    if (length > SAFETENSORS_MOST_HEADER || begun->data[SAFETENSORS_LENGTH] != '{')
        return refuse_type(name, begun->data, begun->count, error);
    *most = FILE_ANY;
    return HN_OK;
}

static hn_status measure_header(size_t *length, const char *name, const unsigned char *bytes, size_t count,
                                hn_error *error) {
    if (count < SAFETENSORS_LENGTH)
        return error_in_file(error, HN_SYNTAX, name, "%zu bytes are not a safetensors file", count);
    uint64_t own = bytes_integer(bytes, SAFETENSORS_LENGTH, false);
    if (own > SAFETENSORS_MOST_HEADER)
        return refuse_type(name, bytes, count, error);
    if (own > count - SAFETENSORS_LENGTH)
        return error_in_file(error, HN_SYNTAX, name, "the file ends in its header: it has been cut short");
    *length = (size_t)own;
    return HN_OK;
}

/* ---- the grammar of the header ---- */

enum { KEY_DTYPE = 1, KEY_SHAPE = 2, KEY_OFFSETS = 4, ALL_KEYS = 7 };

static void refuse_name(struct json_cursor *c, const char *what, const char *name, const char *problem) {
    if (c->status == HN_OK)
        c->status = error_in_file(c->error, HN_SYNTAX, c->name, "%s %s %s", what, show_name(name).text, problem);
    c->at = c->end;
}

/* Parses a list of at most two numbers; returns their count. */
static int parse_sizes(struct json_cursor *c, const char *name, size_t *sizes) {
    int count = 0;
    if (!json_expect(c, '[') || json_mark(c, ']'))
        return 0;
    do {
        size_t size;
        json_size(c, &size);
        if (count == 2)
            refuse_name(c, "tensor", name, "has more than two dimensions or offsets");
        else
            sizes[count++] = size;
    } while (json_next(c, ']'));
    return count;
}

static void parse_offsets(struct json_cursor *c, struct tensor *tensor) {
    size_t offsets[2] = {0, 0};
    if (parse_sizes(c, tensor->name, offsets) != 2)
        refuse_name(c, "tensor", tensor->name, "does not have two offsets");
    tensor->begin = offsets[0];
    tensor->end = offsets[1];
}

static unsigned which_key(const char *key) {
    if (strcmp(key, "dtype") == 0)
        return KEY_DTYPE;
    if (strcmp(key, "shape") == 0)
        return KEY_SHAPE;
    return strcmp(key, "data_offsets") == 0 ? KEY_OFFSETS : 0;
}

static void parse_pair(struct json_cursor *c, struct tensor *tensor, unsigned *seen) {
    char key[SAFETENSORS_NAME];
    struct json_text text;
    json_read_text(c, &text, key, sizeof key);
    unsigned which = which_key(key);
    if (which == 0 || (*seen & which))
        refuse_name(c, "tensor", tensor->name, which ? "has a key twice" : "has an unknown key");
    *seen |= which;
    if (!json_expect(c, ':'))
        return;
    if (which == KEY_DTYPE)
        json_read_text(c, &text, tensor->dtype, sizeof tensor->dtype);
    else if (which == KEY_SHAPE)
        tensor->dimensions = parse_sizes(c, tensor->name, tensor->shape);
    else
        parse_offsets(c, tensor);
}

static void parse_tensor(struct json_cursor *c, struct tensor *tensor) {
    unsigned seen = 0;
    if (!json_expect(c, '{'))
        return;
    do
        parse_pair(c, tensor, &seen);
    while (json_next(c, '}'));
    if (seen != ALL_KEYS)
        refuse_name(c, "tensor", tensor->name, "lacks dtype, shape or data_offsets");
}

static void add_tensor(struct safetensors *file, struct json_cursor *c, const char *name) {
    if (safetensors_find(file, name))
        refuse_name(c, "tensor", name, "appears twice");
    if (file->tensor_count == SAFETENSORS_MOST_TENSORS) {
        refuse_name(c, "tensor", name, "is one too many: no network has so many");
        return;
    }
    struct tensor *tensor = &file->tensors[file->tensor_count++];
    *tensor = (struct tensor){.shape = {1, 1}};
    memcpy(tensor->name, name, strlen(name) + 1);
    parse_tensor(c, tensor);
}

static bool is_checksum(const struct json_text *text) {
    for (size_t i = 0; i < text->raw_bytes; i++)
        if (!memchr("0123456789abcdef", text->raw[i], 16))
            return false;
    return text->raw_bytes == SAFETENSORS_DIGITS;
}

/* Appends a key and its value to the texts. */
static void add_text(struct safetensors *file, struct json_cursor *c) {
    struct json_text key, value;
    char *own = file->texts + file->text_bytes;
    json_read_text(c, &key, own, SIZE_MAX);
    if (!json_expect(c, ':') || json_read_text(c, &value, own + key.length + 1, SIZE_MAX) != HN_OK)
        return;
    if (safetensors_text(file, own))
        refuse_name(c, "the metadata has the key", own, "twice");
    if (file->text_count++ == SAFETENSORS_MOST_TEXTS)
        refuse_name(c, "the metadata's key", own, "is one too many");
    if (strcmp(own, SAFETENSORS_CHECKSUM) == 0) {
        file->checksum = value.raw;
        if (!is_checksum(&value))
            refuse_name(c, "the metadata's", own, "is not eight hexadecimal digits");
    }
    file->text_bytes += key.length + value.length + 2;
}

static void parse_metadata(struct safetensors *file, struct json_cursor *c) {
    if (file->text_count > 0)
        json_refuse(c, "the metadata appear twice");
    if (json_expect(c, '{'))
        do
            add_text(file, c);
        while (json_next(c, '}'));
}

static void parse_entry(struct safetensors *file, struct json_cursor *c) {
    char name[SAFETENSORS_NAME];
    struct json_text text;
    json_read_text(c, &text, name, sizeof name);
    if (!json_expect(c, ':'))
        return;
    if (strcmp(name, SAFETENSORS_METADATA) == 0)
        parse_metadata(file, c);
    else
        add_tensor(file, c, name);
}

/* Fills tensors, texts and checksum; texts must be as large as the header. */
static hn_status parse_header(struct safetensors *file, struct json_cursor *c) {
    if (c->at == c->end || *c->at != '{')
        return json_refuse(c, "'{' is missing");
    c->at++;
    do
        parse_entry(file, c);
    while (json_next(c, '}'));
    json_mark(c, ' '); /* blanks pad the header */
    return c->at == c->end ? c->status : json_refuse(c, "something follows the header");
}

/* ---- the checksum ---- */

static hn_status check_sum(const struct safetensors *file, const unsigned char *bytes, size_t count) {
    static const char zeros[] = "00000000";
    char digits[SAFETENSORS_DIGITS + 1];
    if (!file->checksum)
        return error_in_file(
            file->error, HN_UNSUPPORTED, file->name,
            "it was not written by hardnet, since its metadata has no checksum (\"" SAFETENSORS_CHECKSUM
            "\"); hardnet.torch.save_policy saves a PyTorch network for hardnet");
    size_t before = (size_t)(file->checksum - bytes), after = before + SAFETENSORS_DIGITS;
    uint32_t sum = checksum_add(0, bytes, before);
    sum = checksum_add(sum, zeros, SAFETENSORS_DIGITS);
    sum = checksum_add(sum, bytes + after, count - after);
    snprintf(digits, sizeof digits, "%08lx", (unsigned long)sum);
    if (memcmp(file->checksum, digits, SAFETENSORS_DIGITS) != 0)
        return error_in_file(file->error, HN_SYNTAX, file->name,
                             "the file is damaged: its checksum is %s, but the file states %.8s", digits,
                             (const char *)file->checksum);
    return HN_OK;
}

/* ---- the tensors ---- */

static hn_status check_tensor(const struct safetensors *file, struct tensor *tensor) {
    size_t numbers, bytes;
    const char *shown = tensor->name;
    if (strcmp(tensor->dtype, "F64") != 0 && strcmp(tensor->dtype, "F32") != 0)
        return error_in_file(file->error, HN_UNSUPPORTED, file->name, "tensor %s: dtype %s is neither F64 nor F32",
                             show_name(shown).text, show_name(tensor->dtype).text);
    tensor->item = tensor->dtype[1] == '6' ? sizeof(double) : sizeof(float);
    if (!size_multiply(tensor->shape[0], tensor->shape[1], &numbers) || !size_multiply(numbers, tensor->item, &bytes))
        return error_in_file(file->error, HN_SYNTAX, file->name, "tensor %s: its shape is too large",
                             show_name(shown).text);
    if (tensor->begin > tensor->end || tensor->end - tensor->begin != bytes)
        return error_in_file(file->error, HN_SYNTAX, file->name,
                             "tensor %s: its shape needs %zu bytes, and its offsets are %zu and %zu",
                             show_name(shown).text, bytes, tensor->begin, tensor->end);
    return HN_OK;
}

static bool overlap(const struct tensor *a, const struct tensor *b) {
    return a->begin < b->end && b->begin < a->end && a->begin < a->end && b->begin < b->end;
}

static hn_status check_place(const struct safetensors *file, size_t i) {
    const struct tensor *tensor = &file->tensors[i];
    if (tensor->end > file->data_bytes)
        return error_in_file(file->error, HN_SYNTAX, file->name,
                             "tensor %s ends at byte %zu of the data, which has %zu", show_name(tensor->name).text,
                             tensor->end, file->data_bytes);
    for (size_t j = 0; j < i; j++)
        if (overlap(tensor, &file->tensors[j]))
            return error_in_file(file->error, HN_SYNTAX, file->name, "tensors %s and %s overlap",
                                 show_name(file->tensors[j].name).text, show_name(tensor->name).text);
    return HN_OK;
}

/* Checks that every byte of the data belongs to exactly one tensor. */
static hn_status check_places(const struct safetensors *file) {
    size_t covered = 0;
    for (size_t i = 0; i < file->tensor_count; i++) {
        hn_status status = check_place(file, i);
        if (status != HN_OK)
            return status;
        covered += file->tensors[i].end - file->tensors[i].begin;
    }
    if (covered != file->data_bytes)
        return error_in_file(file->error, HN_SYNTAX, file->name, "%zu bytes of the data belong to no tensor",
                             file->data_bytes - covered);
    return HN_OK;
}

static hn_status check_tensors(struct safetensors *file) {
    hn_status status = HN_OK;
    for (size_t i = 0; i < file->tensor_count && status == HN_OK; i++)
        status = check_tensor(file, &file->tensors[i]);
    return status == HN_OK ? check_places(file) : status;
}

hn_status safetensors_parse(struct safetensors *file, const char *name, const unsigned char *bytes, size_t count,
                            hn_error *error) {
    size_t length = 0;
    *file = (struct safetensors){.name = name, .error = error};
    hn_status status = measure_header(&length, name, bytes, count, error);
    if (status != HN_OK)
        return status;
    file->data = bytes + SAFETENSORS_LENGTH + length;
    file->data_bytes = count - SAFETENSORS_LENGTH - length;
    struct json_cursor c = {bytes, bytes + SAFETENSORS_LENGTH, file->data, name, error, HN_OK};
    file->texts = base_allocate(length + 1);
    if (!file->texts)
        return error_no_memory(error, name);
    status = parse_header(file, &c);
    if (status == HN_OK)
        status = check_sum(file, bytes, count);
    if (status == HN_OK)
        status = check_tensors(file);
    if (status != HN_OK)
        safetensors_release(file);
    return status;
}

hn_status safetensors_read(struct safetensors *file, const char *path, size_t most, hn_error *error) {
    struct file_bytes bytes;
    hn_status status = file_read_begun(&bytes, path, most, safetensors_begins, error);
    if (status == HN_OK)
        status = safetensors_parse(file, path, bytes.data, bytes.count, error);
    if (status == HN_OK)
        file->bytes = bytes;
    else
        base_release(bytes.data);
    return status;
}

void safetensors_release(struct safetensors *file) {
    base_release(file->texts);
    base_release(file->bytes.data);
    *file = (struct safetensors){.texts = NULL};
}

/* ---- queries ---- */

const struct tensor *safetensors_find(const struct safetensors *file, const char *name) {
    for (size_t i = 0; i < file->tensor_count; i++)
        if (strcmp(file->tensors[i].name, name) == 0)
            return &file->tensors[i];
    return NULL;
}

const char *texts_find(const char *texts, size_t bytes, const char *key) {
    const char *at = texts, *end = texts ? texts + bytes : NULL;
    while (at < end) {
        const char *value = at + strlen(at) + 1;
        if (strcmp(at, key) == 0)
            return value;
        at = value + strlen(value) + 1;
    }
    return NULL;
}

const char *safetensors_text(const struct safetensors *file, const char *key) {
    return texts_find(file->texts, file->text_bytes, key);
}

double tensor_number(const struct safetensors *file, const struct tensor *tensor, size_t i) {
    const unsigned char *bytes = file->data + tensor->begin + i * tensor->item;
    return bytes_real(bytes_integer(bytes, tensor->item, false), tensor->item);
}
