/* test_device_far.c - slots and statements that lie in a device's memory: how much there is of them, where they go, and what is said
 * when they cannot go there.
 *
 * On the device of fake_device.h, which is asked for memory and one variable only: no kernel runs.
 *
 * SPDX-License-Identifier: MIT */
#include "cuda/fake_open.h"
#include "support/check.h"

#include "base/layout.h"
#include "base/memory.h"
#include "cuda/device_parts.h"

#include "cuda/kernels/kernel_args.h"

enum { SLOTS = 10, OUTPUTS = 6, CAPABILITY = 90, LOST = 700 };
enum { WARP_BYTES = (SLOTS + OUTPUTS) * DEVICE_THREADS * sizeof(double) };

static struct plan plan = {.outputs = OUTPUTS};

/* A layer of rolled code; two blocks run at once. */
static hn_device_layer global_layer(size_t memory) {
    hn_device_layer layer = {.memory = memory, .plan = &plan};
    layer.choice.form = HN_DEVICE_ROLLED;
    layer.run.slot_bytes = layer.pull.slot_bytes = SLOTS * sizeof(double);
    layer.run.sample_bytes = layer.pull.sample_bytes = WARP_BYTES / DEVICE_THREADS;
    layer.run.width = layer.pull.width = layer.coarse_run.width = DEVICE_THREADS;
    layer.run.warps = 2;
    layer.pull.warps = 1;
    return layer;
}

/* ---- memory ---- */

TEST(samples_that_run_at_once_have_slots) {
    const hn_device_layer layer = global_layer((size_t)1 << 30);
    size_t bytes;
    assert_int_equal(device_warps(&layer, &layer.run, 1), 1);
    assert_int_equal(device_warps(&layer, &layer.run, DEVICE_THREADS + 1), 2);
    assert_int_equal(device_warps(&layer, &layer.run, 1000), 2);
    assert_true(device_slot_bytes(&layer, 1000, &bytes));
    assert_int_equal(bytes, 2 * WARP_BYTES); /* the larger number of the two kernels */
    assert_int_equal(hn_device_workspace_bytes(&layer, 1), WARP_BYTES + 2 * LAYOUT_ALIGNMENT);
}

/* The kernel of gradients may be the one that runs more at once. */
TEST(the_larger_kernel_decides) {
    hn_device_layer layer = global_layer((size_t)1 << 30);
    size_t bytes;
    layer.pull.warps = 3;
    assert_true(device_slot_bytes(&layer, 1000, &bytes));
    assert_int_equal(bytes, 3 * WARP_BYTES);
}

/* Those of searches. */
TEST(narrow_warps_need_less) {
    hn_device_layer layer = global_layer((size_t)1 << 30);
    size_t bytes;
    layer.run.width = layer.pull.width = THREAD_SEARCH_WARP;
    assert_int_equal(device_warps(&layer, &layer.run, THREAD_SEARCH_WARP + 1), 2);
    assert_true(device_slot_bytes(&layer, THREAD_SEARCH_WARP + 1, &bytes));
    assert_int_equal(bytes, 2 * WARP_BYTES / DEVICE_THREADS * THREAD_SEARCH_WARP);
}

/* Floats ahead of doubles use the same memory, and twice as many fit a small one. */
TEST(floats_take_half) {
    hn_device_layer layer = global_layer(16 * WARP_BYTES);
    struct device_call call = {.count = 1000};
    static double memory[2 * WARP_BYTES / sizeof(double)];
    size_t bytes;
    layer.coarse_run.slot_bytes = SLOTS * sizeof(float);
    layer.coarse_run.sample_bytes = WARP_BYTES / DEVICE_THREADS / 2;
    layer.coarse_run.warps = 9;
    assert_int_equal(device_warps(&layer, &layer.run, 1000), 2);
    assert_int_equal(device_warps(&layer, &layer.coarse_run, 1000), 4);
    assert_true(device_slot_bytes(&layer, 1000, &bytes));
    assert_int_equal(bytes, 2 * WARP_BYTES);
    device_place_slots(&layer, &layer.coarse_run, &call, memory);
    assert_ptr_equal(call.global_rows, (float *)memory + 4 * SLOTS * DEVICE_THREADS);
}

TEST(a_small_device_runs_less_at_once) {
    const hn_device_layer little = global_layer(8 * WARP_BYTES), none = global_layer(0);
    assert_int_equal(device_warps(&little, &little.run, 1000), 1);
    assert_int_equal(device_warps(&none, &none.run, 1000), 1); /* at least one */
}

TEST(straight_code_needs_none) {
    hn_device_layer layer = global_layer(0);
    struct device_call call = {.count = 40};
    size_t bytes = 1;
    layer.choice.form = HN_DEVICE_STRAIGHT;
    layer.run.sample_bytes = layer.pull.sample_bytes = 0;
    assert_int_equal(device_warps(&layer, &layer.run, 1000), 2);
    assert_true(device_slot_bytes(&layer, 1000, &bytes));
    assert_int_equal(bytes, 0);
    device_place_slots(&layer, &layer.run, &call, &bytes);
    assert_null(call.global_slots);
}

TEST(rows_lie_behind_the_slots) {
    const hn_device_layer layer = global_layer((size_t)1 << 30);
    static double memory[2 * WARP_BYTES / sizeof(double)];
    struct device_call call = {.count = 40};
    device_place_slots(&layer, &layer.run, &call, memory);
    assert_ptr_equal(call.global_slots, memory);
    assert_ptr_equal(call.global_rows, memory + 2 * SLOTS * DEVICE_THREADS);
    device_place_slots(&layer, &layer.pull, &call, memory);
    assert_ptr_equal(call.global_rows, memory + SLOTS * DEVICE_THREADS);
}

TEST(kernels_run_as_many_warps_as_their_caches_hold) {
    hn_device_layer layer = global_layer(0);
    const struct device_subject plain = {.single = false}, judge = {.polish = true}, single = {.single = true};
    assert_int_equal(device_most_warps(&layer, &plain), 8);
    layer.choice.form = HN_DEVICE_STRAIGHT;
    assert_int_equal(device_most_warps(&layer, &plain), 4);
    assert_int_equal(device_most_warps(&layer, &judge), 16);
    assert_int_equal(device_most_warps(&layer, &single), 8);
}

/* ---- sizes that do not fit ---- */

TEST(tapes_beyond_all_memory_are_none) {
    hn_device_layer layer = global_layer((size_t)1 << 30);
    layer.options.tape_steps = 2;
    assert_true(hn_device_tape_bytes(&layer, 1) > 0);
    const size_t head = sizeof(struct tape_head), each = head + 2 * (sizeof(double) * (1 + OUTPUTS) + sizeof(int32_t));
    /* what a sample has of a tape, part by part: each is the first that does not fit */
    const size_t parts[] = {1, 2, 12, head, head + 16, head + 24, each};
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        assert_int_equal(hn_device_tape_bytes(&layer, SIZE_MAX / parts[i]), 0);
        assert_int_equal(hn_device_tape_bytes(&layer, SIZE_MAX / parts[i] + (i > 0)), 0);
    }
    size_t most = SIZE_MAX / each - 256;
    assert_true(hn_device_tape_bytes(&layer, most) >= most * each);
}

TEST(tapes_of_floats_have_one_of_doubles_behind_them) {
    struct plan weighted = {.outputs = OUTPUTS, .options = {.weighted = true}};
    hn_device_layer layer = global_layer((size_t)1 << 30);
    layer.options.tape_steps = 2;
    layer.options.precision = HN_PRECISION_FLOAT32;
    size_t alone = hn_device_tape_bytes(&layer, 100);
    layer.plan = &weighted;
    assert_true(hn_device_tape_bytes(&layer, 100) > 2 * alone);
    assert_int_equal(hn_device_tape_bytes(&layer, SIZE_MAX / alone * 100), 0);
}

TEST(workspaces_beyond_all_memory_are_none) {
    hn_device_layer layer = global_layer((size_t)1 << 30);
    layer.options.precision = HN_PRECISION_FLOAT32;
    assert_true(hn_device_workspace_bytes(&layer, 1) > 0);
    assert_int_equal(hn_device_workspace_bytes(&layer, SIZE_MAX / 2), 0);
    assert_int_equal(hn_device_workspace_bytes(&layer, SIZE_MAX / OUTPUTS), 0);
    assert_int_equal(hn_device_workspace_bytes(&layer, SIZE_MAX / sizeof(struct device_report)), 0);
    assert_int_equal(hn_device_workspace_bytes(&layer, SIZE_MAX / OUTPUTS / sizeof(double)), 0);
}

/* ---- lists ---- */

static cuda_module load_variable(hn_device_layer *layer, const char *text) {
    struct nvrtc nvrtc;
    struct file_bytes code;
    cuda_module module = NULL;
    hn_error error = {.text = ""};
    if (driver_open(&layer->driver, &error) != HN_OK || nvrtc_open(&nvrtc, NULL, &error) != HN_OK ||
        nvrtc_compile(&nvrtc, &code, text, CAPABILITY, &(struct nvrtc_way){.parts = false}, &error) != HN_OK)
        fail_msg("%s", error.text);
    assert_int_equal(layer->driver.module_load(&module, code.data), 0);
    base_release(code.data);
    return module;
}

static uint32_t words[] = {3, 1, 4, 1, 5};
static double numbers[] = {2.5, -1};

/* Where the kernel looks, in the memory of a device that is the host's. */
static void check_lists(const hn_device_layer *layer, const struct device_kernel *kernel, size_t number_count) {
    struct {
        const uint32_t *words;
        const double *numbers;
    } found;
    cuda_address place;
    size_t bytes;
    assert_int_equal(layer->driver.module_global(&place, &bytes, kernel->module, "hardnet_bytecode"), 0);
    memcpy(&found, (void *)(uintptr_t)place, sizeof found); // NOLINT(performance-no-int-to-ptr)
    assert_memory_equal(found.words, words, sizeof words);
    assert_memory_equal(found.numbers, numbers, number_count * sizeof *numbers);
}

TEST(lists_go_where_the_kernel_looks_for_them) {
    hn_device_layer layer = global_layer((size_t)1 << 30);
    struct device_kernel kernel = {.module = load_variable(&layer, "extern \"C\" { void *hardnet_bytecode[2]; }")};
    struct kernel_code code = {.bytecode = {.words = words, .count = 5, .numbers = numbers, .number_count = 2}};
    struct fake_device *device = fake_ask(fake_open("libcuda.so.1"), "fake_device");
    const struct kernel_code none = {.text = NULL};
    hn_error error = {.text = ""};
    assert_int_equal(device_upload_bytecode(&layer, &kernel, &none, &error), HN_OK);
    assert_int_equal(kernel.lists, 0);
    for (size_t k = 1;; k++) { /* each call fails, until none does */
        device->calls = (struct fake_calls){.fail_at = k, .code = LOST};
        hn_status status = device_upload_bytecode(&layer, &kernel, &code, &error);
        bool failed = device->calls.failed != NULL;
        device->calls = (struct fake_calls){.made = 0};
        assert_int_equal(status, failed ? HN_UNSUPPORTED : HN_OK);
        if (!failed)
            break;
        assert_contains(error.text, "device cuda: cannot ");
        if (kernel.lists)
            assert_int_equal(layer.driver.release(kernel.lists), 0);
        kernel.lists = 0;
    }
    check_lists(&layer, &kernel, 2);
    layer.driver.release(kernel.lists);
    code.bytecode.number_count = 0;
    assert_int_equal(device_upload_bytecode(&layer, &kernel, &code, &error), HN_OK);
    check_lists(&layer, &kernel, 0);
    layer.driver.release(kernel.lists);
    layer.driver.module_unload(kernel.module);
    assert_int_equal(device->blocks, 0);
}

/* Words are numbered by 32 bits, operands counted by 24. */
TEST(lists_that_are_too_long_are_refused) {
    enum { MOST = (1 << 24) - 1, MANY = 300 };
    static struct statement list[MANY];
    static struct ir_module ir;
    struct bytecode listed = {.entry = {true}};
    hn_error error = {.text = ""};
    ir.entry[0] = (struct statements){.list = list, .count = 1};
    list[0].count = MOST + 1;
    assert_int_equal(bytecode_create(&listed, &ir, &error), HN_LIMIT);
    assert_contains(error.text, "a sum has 16777216 operands; at most 16777215 are possible");
    for (size_t i = 0; i < MANY; i++)
        list[i].count = MOST;
    ir.entry[0].count = MANY;
    listed.entry[0] = true;
    assert_int_equal(bytecode_create(&listed, &ir, &error), HN_LIMIT);
    assert_contains(error.text, "would have 5033164800 words, too many to number");
}

/* Each in its place of four bytes; one that is too large is named. */
TEST(numbers_of_floats_lie_one_behind_the_other) {
    double own[] = {2.5, -1, HUGE_VAL}, large[] = {0.5, -1e39};
    struct bytecode listed = {.numbers = own, .number_count = 3};
    float rounded[3];
    hn_error error = {.text = ""};
    assert_int_equal(bytecode_number_bytes(&listed), sizeof(double));
    assert_int_equal(bytecode_round(&listed, &error), HN_OK);
    assert_int_equal(bytecode_number_bytes(&listed), sizeof(float));
    memcpy(rounded, own, sizeof rounded);
    assert_true(rounded[0] == 2.5F && rounded[1] == -1 && isinf(rounded[2]));
    listed = (struct bytecode){.numbers = large, .number_count = 2};
    assert_int_equal(bytecode_round(&listed, &error), HN_UNSUPPORTED);
    assert_contains(error.text,
                    "precision float32: -1e+39, a number of the model's linear system, does not fit a float");
}

int main(void) {
    if (!fake_can_compile()) {
        puts("skipped: there is no C++ compiler");
        return TEST_SKIPPED;
    }
    fake_open("libcuda.so.1");
    fake_open("libnvrtc.so.13");
    return run_registered_tests();
}
