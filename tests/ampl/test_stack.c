/* test_stack.c - reading needs little stack: every model up to the limits of nesting, and chains of values of any length, in a thread
 * that has 256 KiB.
 *
 * Sanitizers make frames several times as large; there the thread gets more.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/reading.h"

#include <pthread.h>

enum { KIBIBYTES = HN_TEST_SHARE == 1 ? 256 : 4096, MOST_NESTED = 230, TEXT = 1 << 21 };

struct job {
    char *text;
    hn_status status;
    hn_error error;
    double value; /* of the first row's upper bound */
};

static void *read_it(void *context) {
    struct job *job = context;
    hn_text texts[] = {{"m", job->text, strlen(job->text)}};
    hn_model *model;
    job->error.text[0] = '\0';
    job->status = hn_model_read_memory(&model, 1, texts, NULL, &job->error);
    if (job->status == HN_OK && hn_model_row_count(model) > 0)
        hn_is_constant(hn_model_row(model, 0).upper, &job->value);
    hn_model_destroy(model);
    return NULL;
}

static void read_in_thread(struct job *job) {
    pthread_t thread;
    pthread_attr_t attributes;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, (size_t)KIBIBYTES * 1024), 0);
    assert_int_equal(pthread_create(&thread, &attributes, read_it, job), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
}

static void expect_good(struct job *job) {
    read_in_thread(job);
    if (job->status != HN_OK)
        fail_msg("%s", job->error.text);
}

/* ---- nesting ---- */

TEST(nesting_up_to_its_limit_fits) {
    static const char *const forms[][3] = {
        {"var x; c: ", "(", "x*) <= 1;"},
        {"var x; c: ", "-", "x* <= 1;"},
        {"var x; c: ", "2^", "x* <= 1;"},
        {"var x; c: ", "sin(", "x*) <= 1;"},
        {"var x; c: ", "x*(1 + ", "x*) <= 1;"},
        {"var x; c: ", "if 1 = 1 then ", "x* <= 1;"},
        {"var x; c: ", "if x < 1 then ", "x* <= 1;"},
        {"var x; c: ", "(if ", "x* > 0 then x) <= 1;"},
        {"var x; c: ", "sum {i in 1..1} ", "x* <= 1;"},
        {"var x; c: ", "max(x, ", "x*) <= 1;"},
        {"var x; c: ", "prod {i in {1}} min(x, ", "x*) <= 1;"},
        {"var x; c: x <= ", "card({", "1*});"},
        {"var x; c: x <= ", "card(setof {i in {", "1*}} i);"},
        {"var x; c: x <= ", "card(union {i in {", "1*}} {i});"},
        {"var x; c: x <= ", "if exists {i in 1..1} 1 = ", "1* then 1;"},
        {"var x; c: x <= ", "(if exists {j in 1..1: 1 = ", "1*} 1 = 1 then 1);"},
        {"param p{1..2} := 1; var x; c: x <= ", "p[", "1*];"},
        {"var x{i in ", "setof {i in ", "1..1*} i};"},
        {"var x{{", "{", "1*}}};"},
        {"param s symbolic := ", "('a' & ", "'a'*); var x;"},
        {"var x; c: ", "<<1; 1, 2>> ", "x* <= 1;"},
        {"var x; c: ", "<<1; 1, 2>> (1 + ", "x*) <= 1;"},
        {"param p := ", "<<1; 1, 2>> (1 + ", "2*); var x;"},
        {"param p := ", "Uniform(0, ", "2*); var x;"},
        {"var x; c: x <= ", "<<{i in 1..(", "1*)} i; 1, 2>> 3;"},
        {"var x; ", "for {i in 1..1} ", "let x := 1*;"},
        {"var x; ", "if 1 = 1 then {", "let x := 1;*}"},
        {"var x; ", "repeat while 1 = 0 {", "let x := 1;*}"},
        {"var x; for {a in 1..1} for {b in 1..1} for {c in 1..1} if 1 = 1 then if 1 = 1 then for {d in 1..1} let x := ",
         "(if exists {j in 1..1: 1 = ", "1*} 1 = 1 then 1);"},
    };
    struct job job = {.text = malloc(TEXT)};
    assert_non_null(job.text);
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        size_t good = 0, middle = strcspn(forms[i][2], "*");
        const char *close = forms[i][2] + middle + 1;
        size_t shut = strcspn(close, " ;<");
        for (int times = 1; times <= MOST_NESTED; times++) {
            char *at = job.text;
            at += sprintf(at, "%s", forms[i][0]);
            for (int k = 0; k < times; k++)
                at += sprintf(at, "%s", forms[i][1]);
            at += sprintf(at, "%.*s", (int)middle, forms[i][2]);
            for (int k = 0; k < times; k++)
                at += sprintf(at, "%.*s", (int)shut, close);
            sprintf(at, "%s", close + shut);
            read_in_thread(&job);
            good += job.status == HN_OK;
        }
        if (good == 0)
            fail_msg("%s: %s", forms[i][1], job.error.text);
    }
    free(job.text);
}

/* ---- chains ---- */

/* # stands for the number of the link, @ for that of the one before it. */
static char *put_link(char *at, const char *link, int number) {
    for (; *link; link++) {
        if (*link == '#' || *link == '@')
            at += sprintf(at, "%d", number + (*link == '@'));
        else
            *at++ = *link;
    }
    *at = '\0';
    return at;
}

TEST(chains_of_params_sets_and_variables_of_any_length_fit) {
    enum { LENGTH = 5000 };
    static const char *const links[][3] = {
        {"param p# := 1;", "param p# := p@ + 1;", "var x; c: x <= p0;"},
        {"set S# := {0, -1};", "set S# := S@ union {1};", "var x; c: x <= card(S0);"},
        {"var z; var d# = z;", "var d# = sum {i in 1..2} (d@ + i);", "c: d0 <= 1;"},
        {"param q{i in 1..2} := 1;param p#{i in 1..2} := 1;", "param p#{i in 1..2} := sum {j in 1..1} p@[i]/j + q[i];",
         "var x; c: x <= p0[1];"},
    };
    static const double expected[] = {LENGTH, 3, 1, LENGTH};
    struct job job = {.text = malloc(TEXT)};
    assert_non_null(job.text);
    for (size_t k = 0; k < sizeof links / sizeof links[0]; k++) {
        char *at = job.text;
        for (int i = LENGTH; i-- > 0;)
            at = put_link(at, links[k][i < LENGTH - 1], i);
        sprintf(at, "%s", links[k][2]);
        expect_good(&job);
        if (job.value != expected[k])
            fail_msg("%s: %g", links[k][1], job.value);
    }
    free(job.text);
}

/* Entries that need each other in an order that is not that of the index. */
TEST(entries_in_an_order_of_their_own_fit) {
    static const char *const forms[] = {
        "param n := 20000; param p{i in 0..n-1} := if i = 0 then 0 else p[(i + 7919) mod n] + 1; var x; c: x <= "
        "p[7919];",
        "param n := 20000; var x; var p{i in 0..n-1} = if i = 0 then 0 else p[(i + 7919) mod n] + 1; c: x <= 19999;"
        "d: x <= p[7919];",
        "param n := 2000; set P{i in 0..n-1} := if i = 0 then {0} else P[(i + 791) mod n] union {i mod 9}; var x;"
        "c: x <= card(P[791]) + 19990;"};
    struct job job = {.text = malloc(TEXT)};
    assert_non_null(job.text);
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        strcpy(job.text, forms[i]);
        expect_good(&job);
        assert_true(job.value == 19999);
    }
    free(job.text);
}

TEST(a_long_circle_is_called_one) {
    static const char *const forms[] = {
        "param n := 20000; param p{i in 0..n-1} := p[(i + 7919) mod n] + 1; var x; c: x <= p[5];",
        "param n := 20000; param p{i in 0..n-1} := if i = 9 then 0 else p[(i + 2) mod n] + 1; var x; c: x <= p[4];",
        "set S{i in 0..1999} := S[(i + 791) mod 2000] union {i}; var x{S[7]};"};
    struct job job = {.text = malloc(TEXT)};
    assert_non_null(job.text);
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        strcpy(job.text, forms[i]);
        read_in_thread(&job);
        assert_int_equal(job.status, HN_INVALID);
        if (!strstr(job.error.text, "is defined in terms of itself"))
            fail_msg("%s", job.error.text);
    }
    free(job.text);
}
