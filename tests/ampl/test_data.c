/* test_data.c - data sections in all their forms.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/reading.h"

static void scalars_and_lists_are_read(void **state) {
    (void)state;
    assert_near(constant_of("param a; param b{1..3}; param c{1..2,1..2};", "a + b[1] + 10*b[2] + 100*b[3] + c[2,1]",
                            "data; param a := -1.5e1; param b := 1 2, 2 3, 3 4; param c := 1 1 5  2 1 7;"),
                -15 + 2 + 30 + 400 + 7);
}

static void tables_are_read_by_rows_and_columns(void **state) {
    (void)state;
    const char *sum = "sum {i in 1..2, j in 1..3} c[i,j]*(10^(3*i + j - 4))";
    double expected = 1 + 20 + 300 + 4000 + 50000 + 600000;
    assert_near(constant_of("param c{1..2,1..3};", sum, "data; param c: 1 2 3 := 1 1 2 3 2 4 5 6;"), expected);
    assert_near(constant_of("param c{1..2,1..3};", sum, "data; param c (tr): 1 2 := 1 1 4 2 2 5 3 3 6;"), expected);
    assert_near(constant_of("param c{1..2,1..3};", sum, "data; param c: 1 2 := 1 1 2 2 4 5 : 3 := 1 3 2 6;"), expected);
    assert_near(
        constant_of("param c{1..2,1..3} default 6;", sum, "data; param c := [1,*] 1 1 2 2 3 3 [2,*] 1 4 2 5 3 .;"),
        expected);
    assert_near(
        constant_of("param c{1..2,1..3};", sum, "data; param c default 6 := [*,1] 1 1 2 4 [*,2] 1 2 2 5 [1,3] 3;"),
        expected);
}

static void slices_of_many_dimensions_are_read(void **state) {
    (void)state;
    assert_near(constant_of("param c{1..2,1..2,1..2};", "c[1,1,1] + 10*c[2,1,1] + 100*c[1,2,2] + 1000*c[2,2,2]",
                            "data; param c := [*,*,1]: 1 2 := 1 1 2 2 3 4 [*,*,2] (tr): 1 2 := 1 5 6 2 7 8;"),
                1 + 30 + 700 + 8000);
}

static void several_params_share_a_table(void **state) {
    (void)state;
    const char *declarations = "set S; param a{S}; param b{S} default 100; set A dimen 2; param d{A};";
    assert_near(constant_of(declarations, "sum {i in S} (a[i] + b[i]) + 1000*card(S) + sum {(i,j) in A} d[i,j]",
                            "data; param: S: a b := x 1 2  'y z' 3 .  w 4 5; param: A: d := x w 7  w x 8;"),
                1 + 2 + 3 + 100 + 4 + 5 + 3000 + 15);
    assert_near(constant_of("param a{1..2}; param b{1..2};", "a[2] - b[1]",
                            "data; param default 9: a b := 1 . 2 2 3 .;"
                            ""),
                3 - 2);
}

static void sets_are_read_as_lists_tuples_and_tables(void **state) {
    (void)state;
    const char *expression = "card(S) + 10*card(A) + 100*card(I[1]) + 1000*card(I[2]) + (if ('b',2) in A then 10000)";
    const char *declarations = "set S; set A dimen 2; set I{1..2};";
    assert_near(constant_of(declarations, expression,
                            "data; set S := a, b 'c d' 4; set A := (a,1) (b,2) (c,3); set I[1] := 1 2; set I[2] := ;"),
                4 + 30 + 200 + 10000);
    assert_near(constant_of(declarations, expression,
                            "data; set S := ; set A := a 1 b 2; set I[1] :=; set I[2] := x-y x.y x+y;"),
                20 + 3000 + 10000);
    assert_near(constant_of(declarations, expression,
                            "data; set S := 1; set A := (a,*) 1 2 (b,*) 2; set I[1] := 5; set I[2] := 6;"),
                1 + 30 + 100 + 1000 + 10000);
    assert_near(constant_of(declarations, expression,
                            "data; set S := 1; set A: 1 2 := a + - b - + c - -; set I[1] := 5; set I[2] := 6;"),
                1 + 20 + 100 + 1000 + 10000);
    assert_near(constant_of(declarations, expression,
                            "data; set S := 1; set A (tr): a b := 1 + - 2 + +; set I[1] := 5; set I[2] := 6;"),
                1 + 30 + 100 + 1000 + 10000);
}

static void variables_take_start_values_from_data(void **state) {
    (void)state;
    hn_model *model = must_read("var x{1..3} := 7; var y; data; var x := 1 5 3 6; var y := 2;");
    assert_near(value_at(model, hn_model_output(model, 0).start, NULL, NULL), 5);
    assert_near(value_at(model, hn_model_output(model, 1).start, NULL, NULL), 7);
    assert_near(value_at(model, hn_model_output(model, 3).start, NULL, NULL), 2);
    hn_model_destroy(model);
}

static void any_other_statement_ends_data_mode(void **state) {
    (void)state;
    assert_near(constant_of("param a; data; param a := 4; model; param b := a + 1;", "a + b", ""), 9);
    assert_near(constant_of("param a; data; param a := 4; let a := a + 1;", "a", ""), 5);
    assert_near(constant_of("param a;", "a", "data; param a := 4; end; this is no AMPL at all"), 4);
}

static void a_data_file_starts_in_data_mode(void **state) {
    (void)state;
    const char *text = "param n; var x{1..n};", *data = "param n := 3;";
    hn_text texts[] = {{"a.mod", text, strlen(text)}, {"a.dat", data, strlen(data)}};
    hn_model *model;
    hn_error error;
    assert_int_equal(hn_model_read_memory(&model, 2, texts, NULL, &error), HN_OK);
    assert_int_equal(hn_model_output_count(model), 3);
    hn_model_destroy(model);
}

static void symbols_and_infinities_are_values(void **state) {
    (void)state;
    assert_near(
        constant_of("set S; param home symbolic in S; param top{S}; param c{S} symbolic;",
                    "(if home = 'b' then 1) + (if top['a'] = Infinity and top['b'] = -Infinity then 10)"
                    "+ (if c['a'] = 'x' and c['b'] = 3 then 100)",
                    "data; set S := a b; param home := b; param top := a Infinity b -Infinity; param c := a x b 3;"),
        111);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(scalars_and_lists_are_read),
                                       cmocka_unit_test(tables_are_read_by_rows_and_columns),
                                       cmocka_unit_test(slices_of_many_dimensions_are_read),
                                       cmocka_unit_test(several_params_share_a_table),
                                       cmocka_unit_test(sets_are_read_as_lists_tuples_and_tables),
                                       cmocka_unit_test(variables_take_start_values_from_data),
                                       cmocka_unit_test(any_other_statement_ends_data_mode),
                                       cmocka_unit_test(a_data_file_starts_in_data_mode),
                                       cmocka_unit_test(symbols_and_infinities_are_values)};
    return cmocka_run_group_tests_name("ampl/data", tests, NULL, NULL);
}
