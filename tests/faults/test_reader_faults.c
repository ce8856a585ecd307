/* test_reader_faults.c - every allocation of a reading and of a writing fails in turn, once and for ever after.
 *
 * For k = 1, 2, ... a text is read, or a model written, with allocation k failing, until that succeeds: each time there is a
 * status and a sentence, no model and no text, and nothing leaks.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/writing.h"
#include "support/failing.h"

/* Something of everything that needs memory. */
static const char *const rich =
    "set S; set A within {S,S}; set I{1..2}; param n := 3; param c{A} default 1; param z{1..n} >= 0, <= 1;\n"
    "param q{i in 1..n} := if i = 1 then z[1] else q[i-1]*2, <= 9; param s symbolic := 'a' & 'b''c'; param w{1..40} := "
    "2;\n"
    "set U := union {i in 1..2} I[i] symdiff {i in 1..40: w[i] > 1}; set V := setof {(i,j) in A} (j,i) diff A inter A "
    "cross {};\n"
    "var x{(i,j) in A} >= 0, <= c[i,j] := .5; var y{1..n} >= z[1]; maximize f: sum {(i,j) in A} c[i,j]*x[i,j]^2 + sum "
    "{i in U} y[1];\n"
    "minimize g: 0; b {k in S}: sum {(k,j) in A} x[k,j] = 1; d {i in 1..n: i <> 2}: q[i] <= y[i] <= 10; e: y[1] <= "
    "exp(y[2]);\n"
    "var t{i in 1..n} = if i = 1 then y[1] else t[i-1] + y[i]; check {i in 1..2}: z[i] <= 1;\n"
    "data; set S := a b 'c'; param: A: c := a b 1 b c 2 c a .; var y := 1 3; set I[1] := 4 5; set I[2] := ; model;\n"
    "let {i in 1..n} y[i] := i/n; fix y[2]; fix x; unfix x; let I[2] := I[1] union {9}; display x; let n := n;\n";

/* The same of commands in blocks, networks, orders, piecewise-linear terms and random functions. */
static const char *const richer =
    "option randseed 5; set T := {'c','a','b'}; set S ordered by T; set D ordered by reversed Integers default "
    "{1,3,2};\n"
    "set K := 1..9 inter interval [2,5); param r{1..3} := Uniform01() + Normal(0,1); param p{1..9} default 0; param "
    "n;\n"
    "minimize cost; node N{i in S}: net_in >= -9; node M; c: to_come <= 4;\n"
    "arc a{i in S} in interval [0,9], from M, to N[i] 2, to {j in S: j <> i} N[j] .5, obj cost r[1], coeff c 1;\n"
    "var x{1..3} >= 0, <= 4 := 1; e{i in 1..3}: <<{k in 1..2} k, 3; 1, 2, {k in 3..4} k>> (x[i], 1) <= x[1].ub + n;\n"
    "minimize other: sum {i in D} x[i]^2 + <<1;2,3>> x[1];\n"
    "for l {i in D} { if i = 2 then { let D := D diff {i}; let p[i] := p[i] + Poisson(40); } else fix x[i] := i;\n"
    "  repeat { let p[1] := p[1] + 1; if p[1] > 3 then break; } until p[1] >= 3; display x; drop e[i]; }\n"
    "restore e; objective other; while p[4] < 2 do { let p[4] := p[4] + 1; continue; }\n"
    "data; set S := b a c;\n";

/* Families, tables, names in backquotes, shared parts, starts, fixed columns, requirements, definitions. */
static const char *const written =
    "param x{i in 1..3} >= -i, <= 2*i; param `a b`; param lo{1..2}; var y{i in 1..2, j in 1..2} >= lo[i], := x[j];\n"
    "var `sum` >= `a b`^2; var z{1..40}; check: x[1] < x[2]; check `c d`: x[3] > 0; fix y[1,1] := sin(x[1]); let "
    "y[1,1].start := 2;\n"
    "var d{i in 1..2} = exp(y[i,1])*y[i,2]; maximize f: sum{i in 1..40} z[i]^2 - d[1]*d[2];\n"
    "c{i in 1..2}: d[i] + sin(d[i]) <= x[i]; e: (if y[2,2] < x[1] then sqrt(`sum`) else 2) + y[1,2]^2 = 1;\n"
    "data; param lo := 1 -1 2 -2;\n";

/* One mistake each, told by a message that needs memory itself. */
static const char *const wrong[] = {"set S; var x{S}; data; set S := a 'b''c' 'b''c';",
                                    "param p{1..2}; var x; data; param p := 1 2 1 3;",
                                    "param n; var x{1..n}; c {i in 1..n}: 0*x[i] >= i - 1;"};

static void ignore(void *context, const hn_message *note) {
    (void)context;
    (void)note;
}

/* What is tried: reading a text, or writing a model. */
struct subject {
    const char *text;
    const hn_model *model;
};

static hn_status read_once(const struct subject *subject, hn_error *error) {
    hn_model *model;
    hn_read_options options = hn_read_defaults();
    const char *lets[] = {"n=3"};
    options.message =
        subject->text == richer ? NULL : ignore; /* a note that repeats is said at once where memory is out */
    options.lets = lets;
    options.let_count = 1;
    hn_status status = read_text(&model, subject->text, &options, error);
    assert_true((status == HN_OK) == (model != NULL));
    hn_model_destroy(model);
    return status;
}

static hn_status write_once(const struct subject *subject, hn_error *error) {
    char *text;
    size_t length = 1;
    hn_status status = hn_model_write(subject->model, &text, &length, error);
    assert_true((text != NULL) == (status == HN_OK) && (length > 0) == (status == HN_OK));
    hn_text_release(text);
    return status;
}

/* Until it succeeds, or fails as expected without a fault; it makes at least so many allocations. */
static void try_with_faults(const struct subject *subject, hn_status expected, size_t least) {
    hn_error error = {.status = HN_OK, .text = ""};
    size_t live = memory_live_blocks();
    for (int for_ever = 0; for_ever < 2; for_ever++)
        for (size_t k = 1;; k++) {
            memory_fail_at(k, for_ever);
            hn_status status = subject->model ? write_once(subject, &error) : read_once(subject, &error);
            bool failed = memory_has_failed();
            memory_fail_never();
            if (status != (failed ? HN_NO_MEMORY : expected) || (failed && !strstr(error.text, "out of memory")))
                fail_msg("allocation %zu: %s", k, error.text);
            assert_int_equal(memory_live_blocks(), live);
            if (!failed) {
                assert_true(k > least);
                break;
            }
        }
}

TEST(a_reading_whose_memory_fails_is_reported_and_nothing_leaks) {
    try_with_faults(&(struct subject){.text = rich}, HN_OK, 100);
    try_with_faults(&(struct subject){.text = richer}, HN_OK, 100);
}

TEST(a_mistake_is_reported_or_the_lack_of_memory_to_report_it) {
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        try_with_faults(&(struct subject){.text = wrong[i]}, HN_INVALID, 0);
}

TEST(a_writing_whose_memory_fails_is_reported_and_nothing_leaks) {
    hn_model *model = model_of_text(written);
    try_with_faults(&(struct subject){.model = model}, HN_OK, 60);
    hn_model_destroy(model);
    assert_int_equal(memory_live_blocks(), 0);
}
