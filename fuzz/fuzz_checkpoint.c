/* fuzz_checkpoint.c - any bytes as the checkpoint of a training: refused by name and nothing taken, or a state that is saved and
 * loaded to the same bits, whose curve can be written and that a training goes on from.
 *
 * The bytes are read as they are and once more with the checksum made right, by a training without labels and by one with them.
 *
 * SPDX-License-Identifier: MIT */
#include "base/bytes.h"
#include "common/circle.h"
#include "common/memory_bound.h"
#include "common/memory_file.h"
#include "common/mend.h"
#include "train/train.h"

#include <stdlib.h>
#include <string.h>

#define CHECKPOINT "fuzz.checkpoint"

enum { STEPS = 6, EVERY = 2, MOST_LABELS = 2, STATES = 1, ARRAYS = 9 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds) {
    if (!holds)
        abort();
}

/* ---- a small training ---- */

static void build(struct training *t) {
    static struct train_options options = {
        .checkpoint = CHECKPOINT, .log = "fuzz.csv", .steps = STEPS, .validate_every = EVERY};
    const hn_network_options network = {.inputs = 1, .outputs = 2, .activation = HN_ACTIVATION_TANH};
    hn_train_options trainer = hn_train_defaults();
    trainer.steps = STEPS;
    trainer.policy.threads = 1;
    t->options = &options;
    t->model = circle_model();
    must(hn_network_create(&t->network, &network, NULL) == HN_OK);
    must(hn_trainer_create(&t->trainer, t->model, t->network, &trainer, NULL) == HN_OK);
    must(state_create(t, NULL) == HN_OK);
    t->source.inputs = 1;
    t->source.outputs = 2;
    t->source.label_x = train_numbers(MOST_LABELS, 1);
    t->source.label_y = train_numbers(MOST_LABELS, 2);
    t->rollout.count = STATES;
    t->rollout.x = train_numbers(STATES, 1);
    t->record.count = 2;
    t->record.texts[0] = (hn_metadata){"model", "circle"};
    t->record.texts[1] = (hn_metadata){"--seed", "1"};
}

/* The same one at every call. */
static struct training *small_training(void) {
    static struct training training;
    if (!training.model)
        build(&training);
    return &training;
}

/* ---- its numbers ---- */

struct array {
    double *numbers;
    size_t count;
};

static void list_arrays(struct training *t, struct array list[ARRAYS]) {
    const struct array all[ARRAYS] = {
        {t->state.number, NUMBERS},
        {hn_network_parameters(t->network), t->state.parameters},
        {hn_trainer_moment(t->trainer, 0), t->state.parameters},
        {hn_trainer_moment(t->trainer, 1), t->state.parameters},
        {t->state.best, t->state.parameters},
        {t->state.curve, t->state.rows * CURVE_COLUMNS},
        {t->rollout.x, STATES},
        {t->source.label_x, t->source.labels},
        {t->source.label_y, t->source.labels * 2},
    };
    memcpy(list, all, sizeof all);
}

static uint32_t digest(struct training *t) {
    struct array list[ARRAYS];
    uint32_t sum = 0;
    list_arrays(t, list);
    for (size_t i = 0; i < ARRAYS; i++)
        sum = checksum_add(sum, list[i].numbers, list[i].count * sizeof(double));
    return sum;
}

/* As many rows as there is room for, and every byte of their numbers this one; the digest of that. */
static uint32_t forget(struct training *t, int byte) {
    struct array list[ARRAYS];
    t->state.rows = t->state.most_rows;
    t->source.labels = t->source.most_labels;
    list_arrays(t, list);
    for (size_t i = 0; i < ARRAYS; i++)
        memset(list[i].numbers, byte, list[i].count * sizeof(double));
    return digest(t);
}

/* ---- what a loaded state can do ---- */

static void check_numbers(const struct training *t) {
    const double *number = t->state.number;
    must(t->state.rows <= t->state.most_rows && t->source.labels <= t->source.most_labels);
    must((t->source.labels > 0) == (t->source.most_labels > 0));
    must(number[NUMBER_STEPS] <= STEPS && number[NUMBER_BEST_STEP] <= number[NUMBER_STEPS]);
    must(hn_trainer_steps(t->trainer) == (int)number[NUMBER_STEPS]);
}

static struct memory_file save(struct training *t) {
    must(state_save(t, NULL) == HN_OK);
    return memory_file_take();
}

static void save_and_load(struct training *t) {
    uint32_t loaded = digest(t);
    struct memory_file first = save(t);
    memory_file_set(first.bytes, first.count);
    forget(t, 0xa5);
    must(state_load(t, NULL) == HN_OK && digest(t) == loaded);
    struct memory_file second = save(t);
    must(first.count == second.count && memcmp(first.bytes, second.bytes, first.count) == 0);
    free(first.bytes);
    free(second.bytes);
}

static size_t count_of(const struct memory_file *file, char mark) {
    size_t count = 0;
    for (size_t i = 0; i < file->count; i++)
        count += file->bytes[i] == (unsigned char)mark;
    return count;
}

/* A heading and the rows. */
static void write_log(const struct training *t) {
    must(state_write_log(t, NULL) == HN_OK);
    struct memory_file log = memory_file_take();
    must(count_of(&log, '\n') == t->state.rows + 1 && log.bytes[log.count - 1] == '\n');
    must(count_of(&log, ',') == (t->state.rows + 1) * (CURVE_COLUMNS - 1));
    free(log.bytes);
}

/* A step and a validation, from any weights and moments. */
static void go_on(struct training *t) {
    const double x = 0.5;
    hn_train_report step;
    hn_report report;
    must(hn_trainer_step(t->trainer, 1, &x, NULL, &step, NULL) == HN_OK);
    must(hn_policy_run(hn_trainer_policy(t->trainer), 1, &x, NULL, NULL, &report, NULL) == HN_OK);
}

/* ---- loading ---- */

static void load(const uint8_t *data, size_t size, size_t most_labels) {
    struct training *t = small_training();
    hn_error error = {.status = HN_OK, .text = ""};
    t->source.most_labels = most_labels;
    uint32_t nothing = forget(t, 0x5a);
    memory_file_set(data, size);
    memory_bound_begin("the loading of a checkpoint", 2 * (size + 1) + (64 << 10));
    hn_status status = state_load(t, &error);
    memory_bound_end();
    if (status == HN_OK) {
        check_numbers(t);
        save_and_load(t);
        write_log(t);
        go_on(t);
    } else {
        must(error.status != HN_OK && strncmp(error.text, CHECKPOINT ": ", strlen(CHECKPOINT ": ")) == 0);
        must(digest(t) == nothing || strstr(error.text, "make no sense"));
    }
    free(memory_file_take().bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint8_t *mended = mend_checksum(data, size);
    load(data, size, 0);
    if (mended) {
        load(mended, size, 0);
        load(mended, size, MOST_LABELS);
    }
    free(mended);
    return 0;
}
