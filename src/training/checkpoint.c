/* checkpoint.c - see hardnet/checkpoint.h.
 *
 * SPDX-License-Identifier: MIT */
#include "hardnet/checkpoint.h"

#include "base/error.h"
#include "base/utf8.h"
#include "nn/safetensors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define KEY_FORMAT "format"
#define FORMAT     "hardnet checkpoint 1"

hn_status hn_checkpoint_save(const hn_checkpoint *checkpoint, const char *path, hn_error *error) {
    struct memory_tensor tensors[HN_CHECKPOINT_MOST_PARTS];
    if (!checkpoint || !path)
        return error_missing(error, "hn_checkpoint_save", checkpoint ? "path" : "checkpoint");
    if (checkpoint->part_count > HN_CHECKPOINT_MOST_PARTS)
        return error_in_file(error, HN_LIMIT, path, "a checkpoint has at most %d parts", HN_CHECKPOINT_MOST_PARTS);
    for (size_t i = 0; i < checkpoint->part_count; i++) {
        const hn_checkpoint_part *part = &checkpoint->parts[i];
        tensors[i] = (struct memory_tensor){
            .name = part->name, .dimensions = 2, .shape = {part->rows, part->columns}, .numbers = part->numbers};
    }
    const hn_metadata own = {KEY_FORMAT, FORMAT};
    const struct safetensors_content content = {.own_count = 1,
                                                .own = &own,
                                                .text_count = checkpoint->text_count,
                                                .texts = checkpoint->texts,
                                                .tensor_count = checkpoint->part_count,
                                                .tensors = tensors};
    return safetensors_write(&content, path, error);
}

/* ---- loading ---- */

static hn_status refuse_key(const struct safetensors *file, const char *key) {
    return error_in_file(file->error, HN_INVALID, file->name, "it does not record the %s that made it", key);
}

static hn_status check_texts(const hn_checkpoint *checkpoint, const struct safetensors *file) {
    const char *format = safetensors_text(file, KEY_FORMAT);
    if (!format || strcmp(format, FORMAT) != 0)
        return error_in_file(file->error, HN_UNSUPPORTED, file->name, "its format is \"%s\", not \"" FORMAT "\"",
                             show_name(format ? format : "").text);
    for (size_t i = 0; i < checkpoint->text_count; i++) {
        const hn_metadata *text = &checkpoint->texts[i];
        const char *value = safetensors_text(file, text->key);
        if (!value)
            return refuse_key(file, text->key);
        if (strcmp(value, text->value) != 0)
            return error_in_file(file->error, HN_INVALID, file->name, "it was made with %s %s, but this is %s %.64s",
                                 text->key, show_name(value).text, text->key, text->value);
    }
    return HN_OK;
}

static hn_status check_part(const hn_checkpoint_part *part, const struct safetensors *file) {
    const struct tensor *tensor = safetensors_find(file, part->name);
    if (!tensor)
        return error_in_file(file->error, HN_SYNTAX, file->name, "%s is missing", part->name);
    bool rows = part->fewer ? tensor->shape[0] <= part->rows : tensor->shape[0] == part->rows;
    if (tensor->dimensions != 2 || tensor->item != sizeof(double) || !rows || tensor->shape[1] != part->columns)
        return error_in_file(file->error, HN_SYNTAX, file->name,
                             "%s has %zu x %zu numbers, but this training needs %zu x %zu", part->name,
                             tensor->shape[0], tensor->shape[1], part->rows, part->columns);
    return HN_OK;
}

static bool in_range(double number, hn_checkpoint_range range) {
    return range == HN_CHECKPOINT_ANY || (isfinite(number) && (range == HN_CHECKPOINT_FINITE || number >= 0));
}

static hn_status check_part_numbers(const hn_checkpoint_part *part, const struct safetensors *file) {
    const struct tensor *tensor = safetensors_find(file, part->name);
    for (size_t i = 0; i < tensor->shape[0] * tensor->shape[1]; i++) {
        double number = tensor_number(file, tensor, i);
        if (!in_range(number, part->range))
            return error_in_file(file->error, HN_INVALID, file->name,
                                 "number %zu of %s is %s: training cannot resume from it", i, part->name,
                                 error_number(number).text);
    }
    return HN_OK;
}

static void take_part(hn_checkpoint_part *part, const struct safetensors *file) {
    const struct tensor *tensor = safetensors_find(file, part->name);
    part->rows = tensor->shape[0];
    for (size_t i = 0; i < part->rows * part->columns; i++)
        part->numbers[i] = tensor_number(file, tensor, i);
}

/* Makes all checks before copying anything. */
static hn_status checkpoint_take(const hn_checkpoint *checkpoint, const struct safetensors *file) {
    hn_status status = check_texts(checkpoint, file);
    for (size_t i = 0; status == HN_OK && i < checkpoint->part_count; i++)
        status = check_part(&checkpoint->parts[i], file);
    for (size_t i = 0; status == HN_OK && i < checkpoint->part_count; i++)
        status = check_part_numbers(&checkpoint->parts[i], file);
    for (size_t i = 0; status == HN_OK && i < checkpoint->part_count; i++)
        take_part(&checkpoint->parts[i], file);
    return status;
}

/* An upper bound on the size of a checkpoint of this training. */
static size_t most_bytes(const hn_checkpoint *checkpoint) {
    size_t bytes = SAFETENSORS_LENGTH + SAFETENSORS_MOST_HEADER;
    for (size_t i = 0; i < checkpoint->part_count; i++)
        bytes += checkpoint->parts[i].rows * checkpoint->parts[i].columns * sizeof(double); /* cannot overflow: the
                                                                                             * parts are in memory */
    return bytes;
}

hn_status hn_checkpoint_load(const hn_checkpoint *checkpoint, const char *path, hn_error *error) {
    struct safetensors file;
    if (!checkpoint || !path)
        return error_missing(error, "hn_checkpoint_load", checkpoint ? "path" : "checkpoint");
    hn_status status = safetensors_read(&file, path, most_bytes(checkpoint), error);
    if (status != HN_OK)
        return status;
    status = checkpoint_take(checkpoint, &file);
    safetensors_release(&file);
    return status;
}

hn_status hn_checkpoint_read_text(const char *path, const char *key, size_t bytes, char *text, hn_error *error) {
    struct safetensors file;
    if (!path || !key || !text || bytes == 0)
        return error_missing(error, "hn_checkpoint_read_text", !path ? "path" : !key ? "key" : "text");
    hn_status status = safetensors_read(&file, path, SIZE_MAX / 2, error);
    if (status != HN_OK)
        return status;
    const char *value = safetensors_text(&file, key);
    if (value)
        snprintf(text, bytes, "%s", value);
    else
        status = refuse_key(&file, key);
    safetensors_release(&file);
    return status;
}
