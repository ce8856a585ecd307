/* test_process_state.c - the library leaves the process as it found it.
 *
 * A cycle builds, finishes, evaluates and destroys a rich model, and then one that is refused with numbers in its
 * sentence. Around it nothing changes: rounding and the other controls of floating-point arithmetic, errno, the locale, the
 * signals, the open files, standard output.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/comma_locale.h"
#include "support/rich_model.h"
#include "support/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a cycle comes home with. */
struct result {
    hn_real values[RICH_VALUES_MOST];
    size_t count;
    hn_error refusal;
};

static void refused_model(hn_error *error) {
    hn_model *m;
    assert_int_equal(hn_model_create(&m, NULL, error), HN_OK);
    hn_constrain(m, "speed[7]", 3.5, hn_output(m, "y"), -5e-324);
    assert_int_equal(hn_model_finish(m, error), HN_INVALID);
    hn_model_destroy(m);
}

static void cycle(struct result *result) {
    hn_model *m;
    assert_int_equal(rich_model_build(&m, &result->refusal), HN_OK);
    assert_int_equal(rich_model_evaluate(m, result->values, &result->count, &result->refusal), HN_OK);
    hn_model_destroy(m);
    refused_model(&result->refusal);
}

/* ---- floating-point arithmetic ---- */

/* The control bits, rounding apart: flush to zero, denormals are zero, traps. The flags of past exceptions are no part. */
static unsigned arithmetic_controls(void) {
#if defined(__x86_64__)
    enum { EXCEPTION_FLAGS = 0x3f };
    return __builtin_ia32_stmxcsr() & ~(unsigned)EXCEPTION_FLAGS;
#else
    return 0;
#endif
}

static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

TEST(arithmetic_keeps_its_controls) {
    static struct result result;
    unsigned before = arithmetic_controls();
    cycle(&result);
    assert_int_equal(arithmetic_controls(), before);
    assert_int_equal(fegetround(), FE_TONEAREST);
}

/* A refused model (test_arithmetic.c has the refusals) leaves the mode alone; so does an evaluation, and its values differ by
 * rounding alone. */
TEST(another_rounding_stays_as_it_is) {
    static struct result nearest, other;
    hn_model *m, *refused;
    assert_int_equal(rich_model_build(&m, NULL), HN_OK);
    assert_int_equal(rich_model_evaluate(m, nearest.values, &nearest.count, NULL), HN_OK);
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        fesetround(modes[i]);
        hn_status built = rich_model_build(&refused, NULL);
        hn_status status = rich_model_evaluate(m, other.values, &other.count, NULL);
        int mode = fegetround();
        fesetround(FE_TONEAREST);
        hn_model_destroy(refused);
        assert_int_equal(mode, modes[i]);
        assert_int_equal(built, HN_UNSUPPORTED);
        assert_int_equal(status, HN_OK);
        assert_int_equal(other.count, nearest.count);
        for (size_t j = 0; j < nearest.count; j++) {
            double slack = 1e-13 * (1 + fabs(nearest.values[j]));
            if (isfinite(nearest.values[j]))
                assert_in_interval(other.values[j], nearest.values[j] - slack, nearest.values[j] + slack);
            else
                assert_within_ulps(other.values[j], nearest.values[j], 0);
        }
    }
    hn_model_destroy(m);
}

/* ---- errno, locale, signals ---- */

TEST(errno_stays_when_nothing_fails_in_the_system) {
    static struct result result;
    errno = 4321;
    cycle(&result);
    assert_int_equal(errno, 4321);
}

TEST(the_locale_stays) {
    static struct result result;
    char before[256];
    comma_locale_enter(); /* any locale will do */
    snprintf(before, sizeof before, "%s", setlocale(LC_ALL, NULL));
    cycle(&result);
    int same = strcmp(before, setlocale(LC_ALL, NULL)) == 0;
    comma_locale_leave();
    assert_true(same);
}

TEST(values_and_sentences_do_not_know_the_locale) {
    static struct result plain, german;
    cycle(&plain);
    if (!comma_locale_enter()) {
        print_message("skipped: de_DE.UTF-8 is not installed and cannot be made\n");
        skip();
    }
    cycle(&german);
    comma_locale_leave();
    assert_string_equal(german.refusal.text, plain.refusal.text);
    assert_string_equal(plain.refusal.text, "constraint speed[7]: lower bound 3.5 exceeds upper bound -5e-324");
    assert_int_equal(german.count, plain.count);
    assert_memory_equal(german.values, plain.values, plain.count * sizeof *plain.values);
}

TEST(signals_stay_as_they_are) {
    static struct result result;
    static const int numbers[] = {SIGFPE, SIGSEGV, SIGINT, SIGPIPE, SIGALRM, SIGUSR1, SIGABRT, SIGTERM};
    struct sigaction before[COUNT_OF(numbers)], after;
    sigset_t blocked, still;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR2);
    assert_int_equal(sigprocmask(SIG_BLOCK, &blocked, NULL), 0);
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        sigaction(numbers[i], NULL, &before[i]);
    cycle(&result);
    assert_int_equal(sigprocmask(SIG_SETMASK, NULL, &still), 0);
    for (int number = 1; number < 32; number++)
        assert_int_equal(sigismember(&still, number), number == SIGUSR2);
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        sigaction(numbers[i], NULL, &after);
        assert_true(after.sa_handler == before[i].sa_handler);
    }
    sigprocmask(SIG_UNBLOCK, &blocked, NULL);
}

/* ---- files ---- */

TEST(nothing_is_printed_and_nothing_stays_open) {
    static struct result result;
    struct scratch scratch = scratch_create();
    fflush(stdout);
    int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
    int file = open(scratch_path(&scratch, "printed"), O_CREAT | O_RDWR, 0600);
    size_t open_files = count_open_files();
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    cycle(&result);
    fflush(stdout);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    struct stat facts;
    assert_int_equal(fstat(file, &facts), 0);
    assert_int_equal(facts.st_size, 0);
    assert_int_equal(count_open_files(), open_files);
    close(out);
    close(err);
    close(file);
    scratch_remove(&scratch);
}
