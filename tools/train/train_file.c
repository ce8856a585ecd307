/* train_file.c - the files of --x and --targets: all numbers are checked, a stripe at a time, before rows are drawn.
 * See train.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "common/inputs.h"
#include "train/train.h"

#include <math.h>
#include <string.h>

/* Called for each stripe: count rows from this index on. */
typedef hn_status look_function(void *context, size_t number, size_t count, const double *x, hn_error *error);

static hn_status walk(const struct train_file *file, look_function *look, void *context, hn_error *error) {
    enum { STRIPE = 1 << 16 }; /* numbers */
    size_t most = file->columns < STRIPE ? STRIPE / (file->columns > 0 ? file->columns : 1) : 1;
    double *x = train_numbers(file->rows < most ? file->rows : most, file->columns);
    hn_status status = x ? HN_OK : error_no_memory(error, file->path);
    for (size_t i = 0; i < file->rows && status == HN_OK; i += most) {
        size_t count = file->rows - i < most ? file->rows - i : most;
        status = file_rows(file, i, count, x, error);
        if (status == HN_OK)
            status = look(context, i, count, x, error);
    }
    base_release(x);
    return status;
}

/* ---- the check of all rows ---- */

struct first_look {
    struct train_file *file;
    const char *option;
    const hn_model *model; /* of inputs; NULL: their range is not checked */
    struct unusual_inputs unusual;
};

static hn_status look(void *context, size_t number, size_t count, const double *x, hn_error *error) {
    struct first_look *l = context;
    size_t columns = l->file->columns;
    for (size_t i = 0; i < count * columns; i++)
        if (!isfinite(x[i]))
            return error_set(error, HN_INVALID, "--%s %s: row %zu, column %zu, counted from 0, is not finite",
                             l->option, l->file->path, number + i / columns, i % columns);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < columns; j++)
            l->file->mean[j] += x[i * columns + j];
    l->file->checksum = checksum_add(l->file->checksum, x, count * columns * sizeof *x);
    return l->model ? inputs_look(l->model, number, count, x, &l->unusual, error) : HN_OK;
}

hn_status file_open(struct train_file *file, const struct train_options *options, const hn_model *model,
                    const char *option, hn_error *error) {
    bool inputs = strcmp(option, "x") == 0;
    struct first_look l = {.file = file, .option = option, .model = inputs ? model : NULL};
    *file = (struct train_file){.path = inputs ? options->x : options->targets};
    hn_array shape, own;
    hn_status status = inputs ? inputs_open(model, option, file->path, &file->array, &shape, error)
                              : hn_array_rows_open(&file->array, file->path, error);
    if (status != HN_OK)
        return status;
    if (!inputs)
        hn_array_rows_get_shape(file->array, &shape);
    hn_array_rows_get_shape(file->array, &own);
    file->rows = shape.rows;
    file->columns = shape.columns;
    file->each = own.columns > 0 ? shape.columns / own.columns : 1;
    file->mean = train_numbers(1, file->columns);
    status = file->mean ? walk(file, look, &l, error) : error_no_memory(error, file->path);
    for (size_t j = 0; status == HN_OK && j < file->columns; j++)
        file->mean[j] /= (double)file->rows;
    if (status == HN_OK && inputs)
        inputs_tell(model, option, options->x, file->rows, &l.unusual); /* they are trained on */
    return status;
}

hn_status file_rows(const struct train_file *file, size_t first, size_t count, double *out, hn_error *error) {
    return hn_array_rows_read(file->array, first * file->each, count * file->each, out, error);
}

void file_close(struct train_file *file) {
    hn_array_rows_close(file->array);
    base_release(file->mean);
}

/* ---- once more ---- */

struct spread {
    const struct train_file *file;
    double *squares;
};

static hn_status add_squares(void *context, size_t number, size_t count, const double *x, hn_error *error) {
    const struct spread *s = context;
    size_t columns = s->file->columns;
    (void)number;
    (void)error;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < columns; j++) {
            double difference = x[i * columns + j] - s->file->mean[j];
            s->squares[j] += difference * difference;
        }
    return HN_OK;
}

hn_status file_spread(const struct train_file *file, double *deviation, hn_error *error) {
    struct spread s = {file, deviation};
    memset(deviation, 0, file->columns * sizeof *deviation);
    hn_status status = walk(file, add_squares, &s, error);
    for (size_t j = 0; j < file->columns; j++)
        deviation[j] = sqrt(deviation[j] / (double)file->rows);
    return status;
}
