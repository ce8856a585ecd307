/* test_spoilt_kernels.c - a kernel that computes a single number wrongly is refused, and the refusal says which.
 *
 * The table of a kernel that is right is copied; one of its functions changes one number of one sample behind the right ones, in one of
 * its calls. kernel_test must find it: every vector that it compares, the first and the last entry of it, the first and the last
 * sample, the first and the last call.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/compiled_kernel.h"
#include "support/model_check.h"
#include "support/run_layer.h"
#include "support/scratch.h"

#include "codegen/kernel/kernel_parts.h"
#include "layer/driver.h"

/* ---- the table that spoils ---- */

enum spoiler { SPOILS_ROUNDS = KERNEL_ENTRIES, SPOILS_NEAR, SPOILS_NEAR_ROUNDS, SPOILS_BACK_ROUNDS, SPOILERS };

/* What is changed behind a function, in call number `call`, from 1 on; 0: nothing is. */
static struct {
    const struct kernel_table *right;
    int which, call;
    uint32_t slot, lane;
    int said;        /* of rounds: which word about a sample instead of a slot, from 1 on */
    uint32_t unless; /* nothing is changed where this slot is 0 */
    bool mildly;     /* there is such a slot */
    int calls[SPOILERS];
} now;

/* The last bit of a number; all of a mask, and of 0. */
static void spoil_number(double *number) {
    uint64_t bits;
    memcpy(&bits, number, sizeof bits);
    bits ^= bits == 0 || bits == UINT64_MAX ? UINT64_MAX : 1;
    memcpy(number, &bits, sizeof bits);
}

static bool is_time(int which) {
    return ++now.calls[which] == now.call && now.which == which;
}

static void spoil(int which, double *slots) {
    bool right = now.mildly && slots[(size_t)now.unless * now.right->width + now.lane] == 0;
    if (is_time(which) && !now.said && !right)
        spoil_number(&slots[(size_t)now.slot * now.right->width + now.lane]);
}

#define ENTRY_LIST(X)                                                                                                  \
    X(PREPARE)                                                                                                         \
    X(EVALUATE)                                                                                                        \
    X(RESIDUAL)                                                                                                        \
    X(RESIDUAL_BRIEF)                                                                                                  \
    X(RESCALE)                                                                                                         \
    X(WEIGH)                                                                                                           \
    X(WEIGH_ALL)                                                                                                       \
    X(LARGEST)                                                                                                         \
    X(STEP_BEGIN)                                                                                                      \
    X(STEP_END)                                                                                                        \
    X(BACK_BEGIN)                                                                                                      \
    X(BACK_MIDDLE)                                                                                                     \
    X(BACK_ROWS)                                                                                                       \
    X(BACK_ROWS_BOUNDS)                                                                                                \
    X(BACK_PROGRAM)                                                                                                    \
    X(BACK_END)
#define SPOIL_ENTRY(name)                                                                                              \
    static void spoilt_##name(double *slots) {                                                                         \
        now.right->entry[KERNEL_##name](slots);                                                                        \
        spoil(KERNEL_##name, slots);                                                                                   \
    }
ENTRY_LIST(SPOIL_ENTRY)

static void spoilt_rounds(double *slots, struct kernel_rounds *rounds) {
    now.right->rounds(slots, rounds);
    bool time = now.which == SPOILS_ROUNDS && now.said;
    if (time && now.said == 1)
        spoil_number(&rounds->best[now.lane]);
    if (time && now.said == 2)
        rounds->best_at[now.lane] += 1;
    spoil(SPOILS_ROUNDS, slots);
}

static int spoilt_near(double *slots) {
    int done = now.right->near(slots);
    spoil(SPOILS_NEAR, slots);
    return done;
}

enum { NEAR_WORDS = 9 }; /* about a sample */

static void spoilt_near_rounds(double *slots, struct fused_auto *rounds) {
    double *const numbers[] = {rounds->before, rounds->best, rounds->squares, rounds->halved, rounds->eps};
    double *const counts[] = {rounds->done, rounds->best_at, rounds->waited};
    now.right->near_rounds(slots, rounds);
    if (now.which == SPOILS_NEAR_ROUNDS && now.said > 0) {
        size_t word = (size_t)now.said - 1;
        if (word < COUNT_OF(numbers))
            spoil_number(&numbers[word][now.lane]);
        else if (word < NEAR_WORDS - 1)
            counts[word - COUNT_OF(numbers)][now.lane] += 1;
        else
            rounds->leads[now.lane] = ~rounds->leads[now.lane];
    }
    spoil(SPOILS_NEAR_ROUNDS, slots);
}

static int spoilt_back_rounds(double *slots, const struct kernel_back_rounds *rounds) {
    int done = now.right->back_rounds(slots, rounds);
    spoil(SPOILS_BACK_ROUNDS, slots);
    return done;
}

static struct kernel_table spoilt_table(const struct kernel_table *right) {
    struct kernel_table table = *right;
#define TAKE_ENTRY(name) table.entry[KERNEL_##name] = right->entry[KERNEL_##name] ? spoilt_##name : NULL;
    ENTRY_LIST(TAKE_ENTRY)
    table.rounds = right->rounds ? spoilt_rounds : NULL;
    table.near = right->near ? spoilt_near : NULL;
    table.near_rounds = right->near_rounds ? spoilt_near_rounds : NULL;
    table.back_rounds = right->back_rounds ? spoilt_back_rounds : NULL;
    return table;
}

/* ---- one change ---- */

static const struct plan *plan;
static struct kernel kernel;

static hn_status test_kernel(hn_error *error) {
    memset(now.calls, 0, sizeof now.calls);
    return kernel_test(&kernel, plan, error);
}

static void assert_noticed(const char *what) {
    hn_error error = {.text = ""};
    hn_status status = test_kernel(&error);
    if (status != HN_UNSUPPORTED || !strstr(error.text, what))
        fail_msg("%s, slot %u of sample %u in call %d of %d: %s", what, now.slot, now.lane, now.call, now.which,
                 status == HN_OK ? "not noticed" : error.text);
}

/* In the first and in the last call that is compared: some are followed by others before anybody looks. */
static void spoil_slot(int which, const char *what, uint32_t slot, int first, int last) {
    for (int at = 0; at < 2; at++)
        for (int side = 0; side < 2; side++) {
            now.which = which;
            now.slot = slot;
            now.lane = side ? now.right->width - 1 : 0;
            now.call = at ? last : first;
            assert_noticed(what);
        }
    now.call = 0;
}

static void spoil_vector(int which, const char *what, uint32_t slot, size_t count, int first, int last) {
    if (count == 0)
        return;
    spoil_slot(which, what, slot, first, last);
    spoil_slot(which, what, slot + (uint32_t)count - 1, first, last);
}

static void spoil_list(int which, const char *what, struct plan_list list, int first, int last) {
    const uint32_t *slots = plan_words(plan, list);
    if (list.count == 0)
        return;
    spoil_slot(which, what, slots[0], first, last);
    spoil_slot(which, what, slots[list.count - 1], first, last);
}

/* A kernel that is right for numbers that are 0, of a vector. */
static void spoil_mildly(int which, const char *what, uint32_t slot, uint32_t unless) {
    now.mildly = true;
    now.unless = unless;
    spoil_slot(which, what, slot, 1, 1);
    now.mildly = false;
}

/* What is no result of an entry may be anything. */
static void spoil_unnoticed(int which, uint32_t slot) {
    hn_error error = {.text = ""};
    now.which = which;
    now.slot = slot;
    now.call = 1;
    if (test_kernel(&error) != HN_OK)
        fail_msg("slot %u of %d: %s", slot, which, error.text);
    now.call = 0;
}

/* ---- all of them ---- */

static void spoil_preparation(void) {
    spoil_list(KERNEL_PREPARE, "lower bounds", plan->lower, 1, 1);
    spoil_list(KERNEL_PREPARE, "upper bounds", plan->upper, 1, 1);
    spoil_list(KERNEL_PREPARE, "start values", plan->start, 1, 1);
    spoil_list(KERNEL_PREPARE, "fixed values", plan->fixed.slot, 1, 1);
    spoil_list(KERNEL_PREPARE, "derivatives of lower bounds", plan->lower_x.slot, 1, 1);
    spoil_list(KERNEL_PREPARE, "derivatives of upper bounds", plan->upper_x.slot, 1, 1);
    for (uint32_t i = 0; i < plan->inputs; i++)
        spoil_mildly(KERNEL_PREPARE, "lower bounds", plan_words(plan, plan->lower)[0], plan->x + i);
}

static void spoil_evaluation(void) {
    int calls = now.calls[KERNEL_EVALUATE], residuals = now.calls[KERNEL_RESIDUAL];
    int brief = now.calls[KERNEL_RESIDUAL_BRIEF];
    spoil_list(KERNEL_EVALUATE, "values of rows", plan->value, 1, calls);
    spoil_list(KERNEL_EVALUATE, "the Jacobian", plan->jacobian.slot, 1, calls);
    for (uint32_t j = 0; j < plan->outputs; j++)
        spoil_mildly(KERNEL_EVALUATE, "values of rows", plan_words(plan, plan->value)[0], plan->y + j);
    spoil_vector(KERNEL_RESIDUAL, "residuals", plan->residual, plan->rows, 1, residuals);
    spoil_vector(KERNEL_RESIDUAL, "the largest violation", plan->summary + SUMMARY_WORST, 1, 1, residuals);
    spoil_vector(KERNEL_RESIDUAL, "what is finite", plan->summary + SUMMARY_FINITE, 1, 1, residuals);
    if (brief > 0)
        spoil_vector(KERNEL_RESIDUAL_BRIEF, "residuals", plan->residual, plan->rows, 1, brief);
    if (!plan->options.weighted)
        return;
    spoil_vector(KERNEL_RESIDUAL, "the sum of squares", plan->summary + SUMMARY_SQUARES, 1, 1, residuals);
    spoil_vector(KERNEL_RESCALE, "row weights", plan->scale, plan->rows, 1, 2);
}

static void spoil_weights(void) {
    const uint32_t *first = plan_words(plan, plan->jacobian.first);
    for (int part = 0; part < 2 && plan->options.weighted; part++) {
        int which = part ? KERNEL_WEIGH_ALL : KERNEL_WEIGH, calls = now.calls[which];
        if (calls == 0)
            continue;
        for (uint32_t i = 0; i < plan->rows; i++)
            if (!plan_knows(plan, i))
                spoil_vector(which, "weighted rows", plan->matrix + first[i], first[i + 1] - first[i], 1, calls);
        spoil_vector(which, "active rows", plan->active, plan->rows, 1, calls);
        spoil_vector(which, "weighted residuals", plan->right, plan->rows, 1, calls);
    }
    if (plan->options.weighted)
        spoil_vector(KERNEL_LARGEST, "the largest row", plan->largest, 1, 1, now.calls[KERNEL_LARGEST]);
}

static void spoil_steps(void) {
    int which = now.right->solves ? KERNEL_STEP_BEGIN : KERNEL_STEP_END, calls = now.calls[which];
    spoil_vector(which, "y", plan->y, plan->outputs, 1, calls);
    spoil_vector(which, "what is finite", plan->summary + SUMMARY_USABLE, 1, 1, calls);
    if (sample_asks_moved(&plan->options))
        spoil_vector(which, "what moved", plan->summary + SUMMARY_MOVED, 1, 1, calls);
    if (sample_asks_pivots(&plan->options))
        spoil_vector(which, "the pivots", plan->system.pivot_range, 2, 1, calls);
    if (plan->options.adaptive) {
        spoil_vector(which, "the gain", plan->step_gain, 1, 1, calls);
        spoil_vector(which, "the step's square", plan->step_squares, 1, 1, calls);
        spoil_unnoticed(which, plan->kept); /* a forward run has no use for the vectors of the adjoint */
    }
}

static void spoil_rounds(void) {
    if (now.right->rounds) {
        spoil_vector(SPOILS_ROUNDS, "y after rounds", plan->y, plan->outputs, 1, 1);
        spoil_vector(SPOILS_ROUNDS, "the best y of rounds", plan->best, plan->outputs, 1, 1);
        for (now.said = 1; now.said <= 2; now.said++)
            spoil_vector(SPOILS_ROUNDS, "the best y of rounds", 0, 1, 1, 1);
        now.said = 0;
    }
    if (now.right->near) {
        spoil_vector(SPOILS_NEAR, "y after near's step", plan->y, plan->outputs, 1, 1);
        spoil_vector(SPOILS_NEAR, "the moved flags of near's step", plan->summary + SUMMARY_MOVED, 2, 1, 1);
    }
    if (now.right->near_rounds) {
        spoil_vector(SPOILS_NEAR_ROUNDS, "y after near's rounds", plan->y, plan->outputs, 1, 1);
        spoil_vector(SPOILS_NEAR_ROUNDS, "the best y of near's rounds", plan->best, plan->outputs, 1, 1);
        for (now.said = 1; now.said <= NEAR_WORDS; now.said++)
            spoil_vector(SPOILS_NEAR_ROUNDS, "the sample states after near's rounds", 0, 1, 1, 1);
        now.said = 0;
    }
}

static void spoil_gradients(void) {
    int calls = now.calls[KERNEL_BACK_END], bounds = now.calls[KERNEL_BACK_ROWS_BOUNDS];
    spoil_vector(KERNEL_BACK_END, "the gradient with respect to y", plan->gradient, plan->outputs, 1, calls);
    spoil_vector(KERNEL_BACK_END, "the gradient with respect to x", plan->grad_x, plan->inputs, 1, calls);
    spoil_vector(KERNEL_BACK_ROWS_BOUNDS, "the gradient with respect to lower bounds", plan->grad_lower, plan->rows, 1,
                 bounds);
    spoil_vector(KERNEL_BACK_ROWS_BOUNDS, "the gradient with respect to upper bounds", plan->grad_upper, plan->rows, 1,
                 bounds);
    if (now.right->back_rounds) {
        spoil_vector(SPOILS_BACK_ROUNDS, "with respect to y after steps back", plan->gradient, plan->outputs, 1, 1);
        spoil_vector(SPOILS_BACK_ROUNDS, "with respect to x after steps back", plan->grad_x, plan->inputs, 1, 1);
    }
}

/* Bounds, start values and a fixed value that depend on x. */
static hn_model *shifted_model(void) {
    hn_model *model = model_new();
    hn_expr x = hn_input(model, "x"), z = hn_input(model, "z");
    hn_expr a = hn_output(model, "a"), b = hn_output(model, "b"), c = hn_output(model, "c"), d = hn_output(model, "d");
    hn_output_start(a, hn_scale(0.5, x));
    hn_output_start(b, hn_mul(x, z));
    hn_output_fix(d, hn_mul(z, z));
    hn_constrain_between(model, "product", hn_mul(x, x), hn_add(hn_mul(a, b), hn_mul(c, d)), hn_shift(hn_exp(z), 3));
    hn_constrain_between(model, "sum", hn_mul(z, x), hn_add(a, hn_add(b, c)), hn_mul(z, x));
    hn_constrain_between(model, "wave", hn_sin(x), hn_add(hn_sin(c), hn_mul(a, x)), hn_shift(hn_exp(x), 2));
    model_finish_good(model);
    return model;
}

static void try_method(const struct scratch *scratch, hn_method method) {
    const struct generate_options wanted = {HN_INSTRUCTIONS_BEST, true};
    hn_model *model = shifted_model();
    hn_layer *layer = layer_of(model, layer_steps(method, 20));
    struct kernel *right = compiled_kernel(scratch->folder, layer->plan, wanted, "-O1");
    struct kernel_table table = spoilt_table(right->table);
    hn_error error = {.text = ""};
    now.right = right->table;
    plan = layer->plan;
    if (method == HN_METHOD_PAPER)
        assert_true(table.rounds && table.back_rounds);
    if (method == HN_METHOD_AUTO)
        assert_true(table.near && table.near_rounds);
    kernel = (struct kernel){.table = &table, .instructions = right->instructions};
    assert_int_equal(test_kernel(&error), HN_OK);
    void (*const parts[])(void) = {spoil_preparation, spoil_evaluation, spoil_weights,
                                   spoil_steps,       spoil_rounds,     spoil_gradients};
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        assert_int_equal(test_kernel(&error), HN_OK); /* counts the calls */
        parts[i]();
    }
    kernel_close(right);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

/* Another width would read other samples' numbers, fewer slots would write beyond the end. */
TEST(a_kernel_of_another_shape_is_refused) {
    const struct scratch *scratch = *state;
    const struct generate_options wanted = {HN_INSTRUCTIONS_BEST, true};
    hn_model *model = shifted_model();
    hn_layer *layer = layer_of(model, layer_steps(HN_METHOD_PAPER, 20));
    struct kernel *right = compiled_kernel(scratch->folder, layer->plan, wanted, "-O1");
    for (int i = 0; i < 3; i++) {
        struct kernel_table table = *right->table;
        struct kernel other = {.table = &table, .instructions = right->instructions};
        hn_error error = {.text = ""};
        table.width = i == 1 ? 2 * table.width : table.width;
        table.slots = i == 2 ? layer->plan->slots - 1 : table.slots;
        assert_int_equal(kernel_test(&other, layer->plan, &error), i == 0 ? HN_OK : HN_INVALID);
        assert_int_equal(strstr(error.text, " lanes and ") != NULL, i > 0);
    }
    kernel_close(right);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

TEST(a_number_that_is_wrong_is_found) {
    try_method(*state, HN_METHOD_PAPER);
    try_method(*state, HN_METHOD_AUTO);
    try_method(*state, HN_METHOD_LM);
    try_method(*state, HN_METHOD_HARDNET);
}

TEST_GROUP(compiler_set_up, scratch_tear_down)
