/* device_text_quick.c - what rounds compute without branches, judged number by number: see codegen/cuda/branchless_kernel.h.
 *
 * SPDX-License-Identifier: MIT */
#include "device_text_host.h"

#include "support/check.h"

#include "base/memory.h"
#include "base/random.h"

#include <dlfcn.h>

/* The unicycle's kernel with a function behind it; *function is what has that name. */
static struct loaded load_with(bool single, const char *begins, const char *ends, const char *name, void *function) {
    char *text = host_print_unicycle(HN_METHOD_PAPER, single);
    size_t length = strlen(begins) + strlen(text) + strlen(ends);
    char *all = base_allocate(length + 1);
    assert_non_null(all);
    snprintf(all, length + 1, "%s%s%s", begins, text, ends);
    struct loaded loaded = host_load(all, "hardnet_run");
    void *found = dlsym(loaded.object, name);
    assert_non_null(found);
    memcpy(function, &found, sizeof found);
    base_release(all);
    base_release(text);
    return loaded;
}

/* ---- sines ---- */

/* Units in the last place of a float that is not near 0. */
static double units(double error, double value) {
    return error / ldexp(1, ilogb(value) - 23);
}

typedef int quick_sine(float angle, float *sine, float *cosine);

static void judge_sine(quick_sine *near, float angle) {
    float sine, cosine;
    double error[2], value[2] = {sin((double)angle), cos((double)angle)};
    assert_true(near(angle, &sine, &cosine));
    error[0] = fabs((double)sine - value[0]);
    error[1] = fabs((double)cosine - value[1]);
    for (int k = 0; k < 2; k++)
        if (error[k] > 0x1p-36 && units(error[k], value[k]) > 2)
            fail_msg("%s of %a is off by %g", k ? "the cosine" : "the sine", (double)angle, error[k]);
}

/* What rounds in floats take for sine and cosine where products are fused with sums. */
TEST(quick_sines_are_within_two_units) {
    struct random random = random_start(7, 1);
    quick_sine *near;
    float sine, cosine;
    struct loaded loaded = load_with(true, "#define QUICK_SINES\n",
                                     "\nextern \"C\" int quick_sine(float angle, float *sine, float *cosine) {\n"
                                     "    return sincos_near(angle, sine, cosine);\n}\n",
                                     "quick_sine", &near);
    for (int i = 0; i < 200000; i++)
        judge_sine(near, (float)(random_normal(&random) * ldexp(1, (int)random_below(&random, 24) - 12)));
    for (int quarter = -10000; quarter <= 10000; quarter++)
        judge_sine(near, (float)(quarter * 1.57079632679489662));
    judge_sine(near, 0x1p+14f);
    assert_false(near(nextafterf(0x1p+14f, INFINITY), &sine, &cosine));
    assert_false(near(-INFINITY, &sine, &cosine));
    assert_false(near(NAN, &sine, &cosine));
    dlclose(loaded.object);
}

/* ---- quotients ---- */

typedef int quick_ratio(double a, double b, double *ratio);

/* A quotient that is not called right may be anything; whether one is called right is the second judge's. */
static void judge_ratio(quick_ratio *divide, double a, double b, bool right) {
    double ratio = 0, exact = a / b;
    if (divide(a, b, &ratio) != right)
        fail_msg("%a / %a is called %s", a, b, right ? "wrong" : "right");
    if (right && memcmp(&ratio, &exact, sizeof exact) != 0)
        fail_msg("%a / %a is %a, not %a", a, b, exact, ratio);
}

/* 1 up to, but not including, 2; every fourth is next to one of the ends. */
static double mantissa(struct random *random) {
    double any = 1 + random_uniform(random), small = (double)random_below(random, 8) * 0x1p-52;
    uint64_t kind = random_below(random, 8);
    return kind == 0 ? 1 + small : kind == 1 ? 2 - 0x1p-52 - small : any < 2 ? any : 1;
}

typedef int quick_inverse(double d, double *inverse);

static void judge_inverse(quick_inverse *invert, double d, bool right) {
    double inverse = 0, exact = 1 / d;
    if (invert(d, &inverse) != right)
        fail_msg("1 / %a is called %s", d, right ? "wrong" : "right");
    if (right && memcmp(&inverse, &exact, sizeof exact) != 0)
        fail_msg("1 / %a is %a, not %a", d, exact, inverse);
}

/* Newton's method as on a device, from an estimate of as many bits. */
TEST(quick_reciprocals_are_rounded_correctly) {
    struct random random = random_start(13, 1);
    quick_inverse *invert;
    struct loaded loaded = load_with(false, "",
                                     "\nextern \"C\" int quick_inverse(double d, double *inverse) {\n"
                                     "    return quick_reciprocal(d, inverse);\n}\n",
                                     "quick_inverse", &invert);
    for (int i = 0; i < 400000; i++) {
        double d = ldexp(mantissa(&random), (int)random_below(&random, 5) - 2);
        judge_inverse(invert, i % 2 ? d : -d, true);
    }
    judge_inverse(invert, 8, false);
    judge_inverse(invert, -0.125, false);
    judge_inverse(invert, 0, false);
    judge_inverse(invert, INFINITY, false);
    judge_inverse(invert, NAN, false);
    dlclose(loaded.object);
}

TEST(quick_quotients_are_rounded_correctly) {
    struct random random = random_start(11, 1);
    quick_ratio *divide;
    struct loaded loaded = load_with(false, "",
                                     "\nextern \"C\" int quick_ratio(double a, double b, double *ratio) {\n"
                                     "    *ratio = quick_quotient(a, b, 1 / b);\n"
                                     "    return quick_divides(b) && (a == 0 || !(fabs(a) < b * QUOTIENT_LEAST));\n}\n",
                                     "quick_ratio", &divide);
    for (int i = 0; i < 400000; i++) {
        int size = (int)random_below(&random, 999) - 499, less = (int)random_below(&random, i % 2 ? 3 : 399);
        double b = ldexp(mantissa(&random), size), a = ldexp(mantissa(&random), size - less);
        judge_ratio(divide, i % 3 ? a : -a, b, true);
    }
    judge_ratio(divide, 0, 3, true);
    judge_ratio(divide, 3 * 0x1p-400, 3, true);
    judge_ratio(divide, nextafter(3 * 0x1p-400, 0), 3, false);
    judge_ratio(divide, 0x1p-1074, 1, false);
    judge_ratio(divide, 0x1p+499, nextafter(0x1p+500, 0), true);
    judge_ratio(divide, 0x1p+499, 0x1p+500, false);
    judge_ratio(divide, 0x1p-501, nextafter(0x1p-500, 1), true);
    judge_ratio(divide, 0x1p-501, 0x1p-500, false);
    dlclose(loaded.object);
}
