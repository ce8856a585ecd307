/* train_write.c - the network that was trained, with the record of its training, as a file. See train.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/file.h"
#include "common/console.h"
#include "train/train.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The record of the training, under keys that start with "train.". */
static void make_record(struct train_record *record, const struct training *t) {
    const double *number = t->state.number;
    record->count = 0;
    for (size_t i = 0; i < t->record.count; i++) {
        const char *key = t->record.texts[i].key;
        char name[RECORD_TEXT / 4];
        snprintf(name, sizeof name, "train.%s", strncmp(key, "--", 2) == 0 ? key + 2 : key);
        if (strcmp(key, "model") != 0) /* written by the policy */
            record_add(record, name, "%s", t->record.texts[i].value);
    }
    record_add(record, "train.steps-done", "%zu", state_count(t, NUMBER_STEPS));
    record_add(record, "train.best-step", "%zu", state_count(t, NUMBER_BEST_STEP));
    record_add_real(record, "train.validation-objective", state_objective(t, number[NUMBER_BEST_OBJECTIVE]));
    record_add(record, "train.validation-ok", "%zu of %zu", state_count(t, NUMBER_BEST_OK), t->validation);
    record_add_real(record, "train.validation-violation", number[NUMBER_BEST_VIOLATION]);
}

/* In a new folder for temporary files, for want of --out. HN_IO, with where the network is now, or as it was. */
static hn_status save_elsewhere(const struct training *t, hn_policy *policy, const struct train_record *record,
                                hn_error *error) {
    const char *const parents[] = {getenv("TMPDIR"), "/tmp", getenv("HOME")};
    const char *slash = strrchr(t->options->out, '/'), *name = slash ? slash + 1 : t->options->out;
    char folder[FILE_LONGEST], path[2 * FILE_LONGEST];
    for (size_t i = 0; i < sizeof parents / sizeof parents[0]; i++) {
        if (!parents[i] || snprintf(folder, sizeof folder, "%s/hardnet-XXXXXX", parents[i]) >= (int)sizeof folder ||
            !mkdtemp(folder))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, name);
        if (hn_policy_save(policy, path, record->count, record->texts, NULL) == HN_OK) {
            char reason[sizeof error->text];
            memcpy(reason, error->text, sizeof reason);
            return error_set(error, HN_IO, "%s; the network was written to %s instead", reason, path);
        }
        rmdir(folder);
    }
    return HN_IO;
}

/* As the trainer's, with the refinement that was chosen. */
static hn_status save(const struct training *t, const struct train_record *record, hn_error *error) {
    hn_policy *trained = hn_trainer_policy(t->trainer), *policy = trained;
    hn_policy_options options = hn_policy_options_of(trained);
    hn_status status = HN_OK;
    if (options.refine != (int)t->options->refine) {
        options.refine = (int)t->options->refine;
        status = hn_policy_create(&policy, t->model, t->network, &options, error);
    }
    console_hold_interrupt();
    if (status == HN_OK)
        status = hn_policy_save(policy, t->options->out, record->count, record->texts, error);
    if (status == HN_IO)
        status = save_elsewhere(t, policy, record, error);
    console_release_interrupt();
    if (policy != trained)
        hn_policy_destroy(policy);
    return status;
}

hn_status training_write(struct training *t, hn_error *error) {
    struct train_record record;
    make_record(&record, t);
    memcpy(hn_network_parameters(t->network), t->state.best, t->state.parameters * sizeof *t->state.best);
    hn_status status = train_choose_refine(t, error);
    hold_give_room(&t->hold);
    return status == HN_OK ? save(t, &record, error) : status;
}
