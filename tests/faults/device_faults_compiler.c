/* device_faults_compiler.c - a run-time compiler of a test's own, whose functions fail or have nothing to say.
 *
 * SPDX-License-Identifier: MIT */
#include "faults/device_faults_runs.h"

#include "support/check.h"
#include "support/failing.h"

#include "base/memory.h"
#include "cuda/cuda_driver.h"
#include "cuda/nvrtc.h"

enum { FAILED = 6, CAPABILITY = 90, CODE_BYTES = 5 };

static nvrtc_result create(nvrtc_program *program, const char *text, const char *name, int headers,
                           const char *const *header_texts, const char *const *header_names) {
    (void)text, (void)name, (void)headers, (void)header_texts, (void)header_names;
    *program = NULL;
    return 0;
}

static nvrtc_result destroy(nvrtc_program *program) {
    (void)program;
    return 0;
}

static nvrtc_result compiles(nvrtc_program program, int count, const char *const *options) {
    (void)program;
    assert_string_equal(options[0], "--gpu-architecture=sm_90");
    assert_string_equal(options[count - 1], "--fmad=false");
    return 0;
}

static nvrtc_result refuses(nvrtc_program program, int count, const char *const *options) {
    return compiles(program, count, options) == 0 ? FAILED : 0;
}

static nvrtc_result some_bytes(nvrtc_program program, size_t *bytes) {
    (void)program;
    *bytes = CODE_BYTES;
    return 0;
}

static nvrtc_result no_bytes(nvrtc_program program, size_t *bytes) {
    (void)program;
    *bytes = 0;
    return 0;
}

static nvrtc_result bytes_fail(nvrtc_program program, size_t *bytes) {
    (void)program, (void)bytes;
    return FAILED;
}

static nvrtc_result gives(nvrtc_program program, char *to) {
    (void)program;
    snprintf(to, CODE_BYTES, "code");
    return 0;
}

static nvrtc_result gives_nothing(nvrtc_program program, char *to) {
    (void)program;
    to[0] = '\0';
    return 0;
}

static nvrtc_result giving_fails(nvrtc_program program, char *to) {
    (void)program, (void)to;
    return FAILED;
}

static const struct nvrtc good = {.create = create,
                                  .compile = compiles,
                                  .destroy = destroy,
                                  .code_bytes = some_bytes,
                                  .code = gives,
                                  .log_bytes = some_bytes,
                                  .log = gives};

static void says(const struct nvrtc *nvrtc, hn_status expected, const char *words) {
    struct file_bytes code;
    hn_error error = {.text = ""};
    assert_int_equal(nvrtc_compile(nvrtc, &code, "text", CAPABILITY, &(struct nvrtc_way){.parts = false}, &error),
                     expected);
    assert_contains(error.text, words);
    assert_null(code.data);
}

TEST(a_compiler_refuses) {
    struct nvrtc nvrtc = good;
    nvrtc.compile = refuses;
    says(&nvrtc, HN_UNSUPPORTED, "refuses the kernel for compute capability 9.0: code");
    nvrtc.log = gives_nothing;
    says(&nvrtc, HN_UNSUPPORTED, "it does not say why");
    nvrtc.log = giving_fails;
    says(&nvrtc, HN_UNSUPPORTED, "it does not say why");
    nvrtc.log_bytes = no_bytes;
    says(&nvrtc, HN_UNSUPPORTED, "it does not say why");
    nvrtc.log_bytes = bytes_fail;
    says(&nvrtc, HN_UNSUPPORTED, "it does not say why");
}

/* One that knows neither how to compile functions side by side nor how to do less. */
static nvrtc_result knows_few_options(nvrtc_program program, int count, const char *const *options) {
    enum { UNKNOWN_OPTION = 5 };
    (void)program;
    for (int i = 0; i < count; i++)
        if (strstr(options[i], "--split-compile") || strstr(options[i], "--Ofast-compile"))
            return UNKNOWN_OPTION;
    return 0;
}

TEST(an_old_compiler_compiles_at_once) {
    struct nvrtc nvrtc = good;
    struct file_bytes code;
    struct nvrtc_way way = {.parts = true};
    assert_int_equal(nvrtc_compile(&nvrtc, &code, "text", CAPABILITY, &way, NULL), HN_OK);
    assert_true(way.parts);
    base_release(code.data);
    nvrtc.compile = knows_few_options;
    assert_int_equal(nvrtc_compile(&nvrtc, &code, "text", CAPABILITY, &way, NULL), HN_OK);
    assert_false(way.parts);
    base_release(code.data);
    way.quick = true;
    assert_int_equal(nvrtc_compile(&nvrtc, &code, "text", CAPABILITY, &way, NULL), HN_OK);
    assert_false(way.quick);
    base_release(code.data);
    nvrtc.compile = refuses;
    way.parts = true;
    assert_int_equal(nvrtc_compile(&nvrtc, &code, "text", CAPABILITY, &way, NULL), HN_UNSUPPORTED);
    assert_true(way.parts); /* that was no option's fault */
}

TEST(a_compiler_makes_no_code) {
    struct nvrtc nvrtc = good;
    struct file_bytes code;
    assert_int_equal(nvrtc_compile(&nvrtc, &code, "text", CAPABILITY, &(struct nvrtc_way){.parts = false}, NULL),
                     HN_OK);
    assert_int_equal(code.count, CODE_BYTES);
    assert_string_equal((const char *)code.data, "code");
    base_release(code.data);
    memory_fail_at(1, false);
    says(&nvrtc, HN_NO_MEMORY, "the device's kernel");
    memory_fail_never();
    nvrtc.code = giving_fails;
    says(&nvrtc, HN_UNSUPPORTED, "its compiler gives no code away");
    nvrtc.code_bytes = no_bytes;
    says(&nvrtc, HN_UNSUPPORTED, "its compiler made no code");
    nvrtc.code_bytes = bytes_fail;
    says(&nvrtc, HN_UNSUPPORTED, "its compiler made no code");
}

/* ---- a driver without words ---- */

static cuda_result says_nothing(cuda_result result, const char **text) {
    (void)result;
    *text = NULL;
    return FAILED;
}

TEST(a_driver_does_not_say_why) {
    const struct cuda_driver driver = {.error_name = says_nothing, .error_text = says_nothing};
    hn_error error = {.text = ""};
    assert_int_equal(driver_status(&driver, 0, "count", &error), HN_OK);
    assert_int_equal(driver_status(&driver, FAILED, "count", &error), HN_UNSUPPORTED);
    assert_string_equal(error.text, "device cuda: cannot count: unknown error (no name)");
    assert_int_equal(driver_status(&driver, CUDA_OUT_OF_MEMORY, "count", &error), HN_NO_MEMORY);
    assert_string_equal(error.text, "device cuda: cannot count: its memory is out");
}
