/* fuzz_policy.c - any bytes as the file of a policy: refused by name, or a policy that runs and is saved and loaded to the same bits.
 *
 * The bytes are read as they are and once more with the checksum made right, for a model with an objective, so that candidates,
 * refinement and every scheme can be asked for. Policies that would take long are not run: what a file may ask for has limits
 * (hardnet/policy.h), and these are checked.
 *
 * SPDX-License-Identifier: MIT */
#include "baselines/baseline.h"
#include "common/circle.h"
#include "common/memory_bound.h"
#include "common/memory_file.h"
#include "common/mend.h"
#include "hardnet/hardnet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define POLICY "fuzz.net"

enum { COUNT = 3, OUTPUTS = 2, LONG = 20 };
/* A layer of two rows with its tape, and as many candidates as there may be: what is asked for beside the network itself. */
enum { FOR_NOTHING = 4 << 20, PER_CANDIDATE = 64 << 10 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds) {
    if (!holds)
        abort();
}

/* One for all runs. */
static hn_model *circle(void) {
    static hn_model *model;
    if (!model)
        model = circle_model();
    return model;
}

/* A policy, and the head that it may have. */
struct loaded {
    hn_policy *policy;
    struct baseline_head *head;
};

static void release(struct loaded loaded) {
    hn_policy_destroy(loaded.policy);
    baseline_head_destroy(loaded.head);
}

static struct loaded load(const uint8_t *data, size_t size) {
    struct loaded loaded = {NULL, NULL};
    hn_error error = {.status = HN_OK, .text = ""};
    memory_file_set(data, size);
    memory_bound_begin("the loading of a policy", 2 * size + FOR_NOTHING + HN_POLICY_MOST_CANDIDATES * PER_CANDIDATE);
    hn_status status = baseline_load(&loaded.policy, &loaded.head, circle(), POLICY, 1, &error);
    memory_bound_end();
    free(memory_file_take().bytes);
    must((status == HN_OK) == (loaded.policy != NULL));
    if (status != HN_OK)
        must(error.status == status && strncmp(error.text, POLICY ": ", strlen(POLICY ": ")) == 0);
    return loaded;
}

static void check_options(const hn_policy_options *o) {
    must(o->candidates >= 1 && o->candidates <= HN_POLICY_MOST_CANDIDATES);
    must(o->refine >= 0 && o->refine <= HN_POLICY_MOST_REFINE && o->layer.iterations <= HN_POLICY_MOST_ITERATIONS);
    must(o->layer.tolerance >= 0 && o->layer.tolerance <= 1 && o->layer.effort > 0 && o->layer.effort <= 1000);
}

struct outputs {
    double y[COUNT * OUTPUTS];
    hn_report reports[COUNT];
};

static void run(hn_policy *policy, struct outputs *out) {
    static const double x[COUNT] = {0.5, 1, 3};
    memset(out, 0, sizeof *out);
    must(hn_policy_run(policy, COUNT, x, out->y, NULL, out->reports, NULL) == HN_OK);
    for (size_t i = 0; i < COUNT * OUTPUTS; i++)
        must(isfinite(out->y[i]) || out->reports[i / OUTPUTS].outcome != HN_OUTCOME_OK);
    for (size_t i = 0; i < COUNT; i++) {
        double u = out->y[2 * i], v = out->y[2 * i + 1], c = u * u + v * v;
        must(out->reports[i].outcome != HN_OUTCOME_OK ||
             fabs(c - x[i] * x[i]) <= hn_policy_options_of(policy).layer.tolerance * fmax(1, x[i] * x[i]));
    }
}

static void save_and_load(hn_policy *policy, const struct outputs *before) {
    struct outputs after;
    must(hn_policy_save(policy, POLICY, 0, NULL, NULL) == HN_OK);
    struct memory_file saved = memory_file_take();
    struct loaded again = load(saved.bytes, saved.count);
    must(again.policy != NULL);
    run(again.policy, &after);
    must(memcmp(before->y, after.y, sizeof after.y) == 0);
    free(saved.bytes);
    release(again);
}

static void parse(const uint8_t *data, size_t size) {
    struct loaded loaded = load(data, size);
    if (!loaded.policy)
        return;
    hn_policy_options o = hn_policy_options_of(loaded.policy);
    struct outputs out;
    check_options(&o);
    if (o.candidates <= LONG && o.refine <= LONG && o.layer.iterations <= 1000 && o.layer.effort <= LONG) {
        run(loaded.policy, &out);
        save_and_load(loaded.policy, &out);
    }
    release(loaded);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint8_t *mended = mend_checksum(data, size);
    parse(data, size);
    if (mended)
        parse(mended, size);
    free(mended);
    return 0;
}
