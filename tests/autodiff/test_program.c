/* test_program.c - programs against plain evaluation, node by node and bit for bit, on random graphs in every backend.
 *
 * SPDX-License-Identifier: MIT */

#include "autodiff/compiler.h"
#include "support/check.h"
#include "support/plain_graph.h"
#include "support/random_graph.h"
#include "support/run_program.h"

enum { GRAPHS = 3000, MOST_OUTPUTS = 12, MOST_LEAVES = 6 };

/* A NaN is a NaN: its payload is the processor's own business. */
static bool same_value(double a, double b) {
    return same_bits(a, b) || (isnan(a) && isnan(b));
}

/* A random graph, some of its nodes as outputs, and a point for each lane. */
struct sample {
    struct random_graph random;
    uint32_t outputs[MOST_OUTPUTS];
    size_t output_count;
    double leaves[LANES][SPACE_COUNT][MOST_LEAVES];
};

static void draw_sample(struct sample *sample, uint64_t seed) {
    struct random random = random_start(seed, 7);
    struct random_graph_options options = {.operators = 5 + random_below(&random, 60), .kinks = true};
    for (int space = 0; space < SPACE_COUNT; space++)
        options.leaves[space] = random_below(&random, MOST_LEAVES);
    options.leaves[SPACE_Y] = 1 + random_below(&random, MOST_LEAVES - 1);
    assert_int_equal(random_graph_create(&sample->random, options, &random), HN_OK);
    sample->output_count = 1 + random_below(&random, MOST_OUTPUTS);
    for (size_t i = 0; i < sample->output_count; i++)
        sample->outputs[i] = i % 4 == 3 ? sample->random.terms[random_below(&random, sample->random.count)].node
                                        : random_graph_root(&sample->random, &random);
    for (int lane = 0; lane < LANES; lane++)
        for (int space = 0; space < SPACE_COUNT; space++)
            random_leaves(&random, MOST_LEAVES, sample->leaves[lane][space]);
}

/* Numbers that nobody likes, in some lanes only. */
static void spoil_lanes(struct sample *sample, uint64_t seed) {
    static const double awkward[] = {NAN, INFINITY, -INFINITY, 5e-324, -0.0, 1e308, -1e308, 1e-310};
    struct random random = random_start(seed, 8);
    for (int lane = 1; lane < LANES; lane += 2)
        for (int space = 0; space < SPACE_COUNT; space++)
            sample->leaves[lane][space][random_below(&random, MOST_LEAVES)] = awkward[random_below(&random, 8)];
}

static struct program *compile_sample(const struct sample *sample) {
    struct program_request request =
        request_of(&sample->random.graph, sample->outputs, sample->output_count, sample->random.options.leaves);
    struct program *program = NULL;
    hn_error error = {.text = ""};
    hn_status status = program_create(&program, &request, &error);
    if (status != HN_OK)
        print_error("%s\n", error.text);
    assert_int_equal(status, HN_OK);
    return program;
}

static void set_lane(const struct sample *sample, const struct program *program, double *slots, int from, int lane) {
    for (int space = 0; space < SPACE_COUNT; space++)
        for (size_t i = 0; i < program->leaf_count[space]; i++)
            set_leaf(program, slots, (enum space)space, i, lane, sample->leaves[from][space][i]);
}

static size_t wrong_outputs(const struct sample *sample, const struct program *program, const double *slots, int lane) {
    struct plain_point point;
    size_t wrong = 0;
    for (int space = 0; space < SPACE_COUNT; space++)
        point.leaf[space] = sample->leaves[lane][space];
    double *values = plain_values(&sample->random.graph, point);
    for (size_t i = 0; i < sample->output_count; i++)
        wrong += !same_value(values[sample->outputs[i]], output_at(program, slots, i, lane));
    free(values);
    return wrong;
}

static size_t compare_everywhere(uint64_t first_seed, bool spoiled) {
    size_t wrong = 0;
    for (uint64_t seed = first_seed; seed < first_seed + GRAPHS; seed++) {
        struct sample sample;
        draw_sample(&sample, seed);
        if (spoiled)
            spoil_lanes(&sample, seed);
        struct program *program = compile_sample(&sample);
        struct backend backend;
        for (size_t b = 0; backend_at(b, &backend); b++) {
            double *slots = fresh_slots(program);
            for (int lane = 0; lane < LANES; lane++)
                set_lane(&sample, program, slots, lane, lane);
            run_all(backend, program, slots);
            for (int lane = 0; lane < LANES; lane++)
                wrong += wrong_outputs(&sample, program, slots, lane);
            free(slots);
        }
        program_destroy(program);
        random_graph_release(&sample.random);
    }
    return wrong;
}

TEST(programs_give_the_bits_of_plain_evaluation_in_every_backend) {
    assert_int_equal(compare_everywhere(1, false), 0);
}

TEST(nan_and_infinities_pass_as_in_plain_evaluation_and_stay_in_their_lane) {
    assert_int_equal(compare_everywhere(100000, true), 0);
}

TEST(a_sample_gets_the_same_bits_in_every_lane) {
    for (uint64_t seed = 1; seed < 300; seed++) {
        struct sample sample;
        draw_sample(&sample, seed);
        spoil_lanes(&sample, seed);
        struct program *program = compile_sample(&sample);
        struct backend backend;
        for (size_t b = 0; backend_at(b, &backend); b++)
            for (int lane = 0; lane < LANES; lane++) {
                double *slots = fresh_slots(program);
                for (int other = 0; other < LANES; other++)
                    set_lane(&sample, program, slots, other == lane ? 0 : 1 + other % (LANES - 1), other);
                run_all(backend, program, slots);
                struct plain_point point;
                for (int space = 0; space < SPACE_COUNT; space++)
                    point.leaf[space] = sample.leaves[0][space];
                double *values = plain_values(&sample.random.graph, point);
                for (size_t i = 0; i < sample.output_count; i++)
                    assert_true(same_value(values[sample.outputs[i]], output_at(program, slots, i, lane)));
                free(values);
                free(slots);
            }
        program_destroy(program);
        random_graph_release(&sample.random);
    }
}

/* Phase 0 once, then new values of later spaces: as if everything had been run anew. */
TEST(later_phases_can_be_run_again_and_again) {
    for (uint64_t seed = 500; seed < 1500; seed++) {
        struct sample sample;
        draw_sample(&sample, seed);
        struct program *program = compile_sample(&sample);
        double *slots = fresh_slots(program);
        for (int round = 0; round < 4; round++) {
            for (int space = round == 0 ? SPACE_X : SPACE_Y; space < SPACE_COUNT; space++)
                for (size_t i = 0; i < program->leaf_count[space]; i++)
                    set_leaf(program, slots, (enum space)space, i, 0, sample.leaves[round][space][i]);
            for (int phase = round == 0 ? 0 : 1; phase < PHASES; phase++)
                best_backend().run(program, phase, slots);
            memcpy(sample.leaves[round][SPACE_X], sample.leaves[0][SPACE_X], sizeof sample.leaves[0][SPACE_X]);
            struct sample now = sample;
            memcpy(now.leaves[0], sample.leaves[round], sizeof now.leaves[0]);
            assert_int_equal(wrong_outputs(&now, program, slots, 0), 0);
        }
        free(slots);
        program_destroy(program);
        random_graph_release(&sample.random);
    }
}

/* ---- code ---- */

static struct graph empty_graph(void) {
    struct graph graph;
    assert_int_equal(graph_create(&graph, 1000000), HN_OK);
    return graph;
}

static const size_t two_of_each[SPACE_COUNT] = {2, 2, 2, 2, 2, 2, 2, 2};

static struct program *compile(const struct graph *graph, const uint32_t *outputs, size_t count) {
    struct program_request request = request_of(graph, outputs, count, two_of_each);
    struct program *program = NULL;
    assert_int_equal(program_create(&program, &request, NULL), HN_OK);
    return program;
}

TEST(a_long_chain_reuses_its_slots) {
    struct graph g = empty_graph();
    uint32_t node = graph_leaf(&g, SPACE_Y, 0), other = graph_leaf(&g, SPACE_Y, 1);
    for (int i = 0; i < 100000; i++)
        node = graph_apply(&g, i % 2 ? OP_SIN : OP_MUL, node, i % 2 ? 0 : other, 0);
    struct program *program = compile(&g, &node, 1);
    assert_true(program->slots < 30);
    program_destroy(program);
    graph_release(&g);
}

TEST(what_depends_on_x_alone_runs_in_its_own_phase) {
    struct graph g = empty_graph();
    uint32_t x = graph_leaf(&g, SPACE_X, 0), y = graph_leaf(&g, SPACE_Y, 0);
    uint32_t product = graph_mul(&g, x, graph_apply(&g, OP_EXP, x, 0, 0)); /* not fused: another phase */
    uint32_t output = graph_add(&g, product, y);
    struct program *program = compile(&g, &output, 1);
    assert_int_equal(program->operators[0], 2);
    assert_int_equal(program->operators[1], 1);
    assert_int_equal(program->first[1], 2);
    program_destroy(program);
    graph_release(&g);
}

/* The phases are the caller's: here x changes more often than y. */
TEST(what_depends_on_x_waits_where_x_comes_late) {
    static const size_t leaves[SPACE_COUNT] = {[SPACE_X] = 1, [SPACE_Y] = 1};
    struct graph g = empty_graph();
    uint32_t x = graph_leaf(&g, SPACE_X, 0), y = graph_leaf(&g, SPACE_Y, 0);
    uint32_t outputs[2] = {graph_apply(&g, OP_EXP, x, 0, 0), graph_apply(&g, OP_EXP, y, 0, 0)};
    struct program_request request = request_of(&g, outputs, 2, leaves);
    struct program *program;
    request.phase[SPACE_X] = 1;
    request.phase[SPACE_Y] = 0;
    assert_int_equal(program_create(&program, &request, NULL), HN_OK);
    assert_int_equal(program->operators[0], 1);
    assert_int_equal(program->operators[1], 1);
    assert_int_equal(program->first[1], 1);
    double *slots = fresh_slots(program);
    set_leaf(program, slots, SPACE_Y, 0, 0, 0);
    best_backend().run(program, 0, slots);
    set_leaf(program, slots, SPACE_X, 0, 0, 0);
    best_backend().run(program, 1, slots);
    assert_true(output_at(program, slots, 0, 0) == 1 && output_at(program, slots, 1, 0) == 1);
    free(slots);
    program_destroy(program);
    graph_release(&g);
}

TEST(products_are_fused_and_sine_goes_with_cosine) {
    struct graph g = empty_graph();
    uint32_t a = graph_leaf(&g, SPACE_Y, 0), b = graph_leaf(&g, SPACE_Y, 1);
    uint32_t sine = graph_apply(&g, OP_SIN, a, 0, 0), cosine = graph_apply(&g, OP_COS, a, 0, 0);
    uint32_t output = graph_add(&g, graph_mul(&g, sine, b), cosine);
    struct program *program = compile(&g, &output, 1);
    assert_int_equal(program->first[PHASES], 2);
    assert_int_equal(program->operators[1], 4);
    assert_int_equal(program->code[0].code, CODE_SINCOS);
    assert_int_equal(program->code[1].code, CODE_MUL_ADD);
    program_destroy(program);
    graph_release(&g);
}

TEST(constants_and_leaves_can_be_outputs) {
    struct graph g = empty_graph();
    uint32_t outputs[3] = {graph_constant(&g, 2.5), graph_leaf(&g, SPACE_Y, 1), graph_constant(&g, 1)};
    struct program *program = compile(&g, outputs, 3);
    double *slots = fresh_slots(program);
    set_leaf(program, slots, SPACE_Y, 1, 3, 7);
    run_all(best_backend(), program, slots);
    assert_true(output_at(program, slots, 0, 7) == 2.5);
    assert_true(output_at(program, slots, 1, 3) == 7);
    assert_true(output_at(program, slots, 2, 0) == 1);
    free(slots);
    program_destroy(program);
    graph_release(&g);
}

TEST(a_program_without_outputs_does_nothing) {
    struct graph g = empty_graph();
    struct program *program = compile(&g, NULL, 0);
    assert_int_equal(program->first[PHASES], 0);
    program_destroy(program);
    program_destroy(NULL);
    graph_release(&g);
}

TEST(wrong_requests_are_refused_in_words) {
    struct graph g = empty_graph();
    uint32_t wrong[4] = {0, 99, graph_leaf(&g, SPACE_Y, 2), graph_reference(&g, 0)};
    static const char *const words[4] = {"output 0", "output 0", "leaf 2", "definition"};
    for (int i = 0; i < 4; i++) {
        struct program_request request = request_of(&g, &wrong[i], 1, two_of_each);
        struct program *program = (struct program *)(void *)&g;
        hn_error error = {.text = ""};
        assert_int_equal(program_create(&program, &request, &error), HN_INVALID);
        assert_null(program);
        assert_non_null(strstr(error.text, words[i]));
    }
    graph_release(&g);
}

TEST(a_listing_tells_every_instruction_and_fits_any_buffer) {
    struct graph g = empty_graph();
    uint32_t a = graph_leaf(&g, SPACE_Y, 0), b = graph_leaf(&g, SPACE_X, 1);
    uint32_t terms[3] = {graph_mul(&g, a, b), graph_apply(&g, OP_SIN, a, 0, 0), graph_neg(&g, a)};
    uint32_t outputs[2] = {graph_sum(&g, terms, 3), graph_apply(&g, OP_COS, a, 0, 0)};
    struct program *program = compile(&g, outputs, 2);
    char whole[1000], part[40];
    size_t length = program_listing(program, whole, sizeof whole);
    assert_int_equal(length, strlen(whole));
    assert_non_null(strstr(whole, "sincos y[0]"));
    assert_non_null(strstr(whole, "y[0]*x[1] + ") ? whole : strstr(whole, "x[1]*y[0] + "));
    assert_non_null(strstr(whole, " + y[0]*-1"));
    assert_non_null(strstr(whole, "output 1: #"));
    assert_null(strstr(whole, "output 2"));
    assert_int_equal(program_listing(program, part, sizeof part), length);
    assert_int_equal(strlen(part), sizeof part - 1);
    assert_memory_equal(part, whole, sizeof part - 1);
    assert_int_equal(program_listing(program, NULL, 0), length);
    for (size_t size = 1; size <= length; size++) {
        char *exact = malloc(size); /* ASan sees a byte too many */
        assert_int_equal(program_listing(program, exact, size), length);
        assert_int_equal(strlen(exact), size - 1);
        free(exact);
    }
    program_destroy(program);
    graph_release(&g);
}

TEST(a_listing_tells_numbers_times_slots) {
    enum { TERMS = 18 };
    static const size_t leaves[SPACE_COUNT] = {[SPACE_Y] = TERMS};
    struct graph g = empty_graph();
    double numbers[TERMS];
    uint32_t terms[TERMS];
    char expected[TERMS * 20] = "", text[1000];
    for (uint32_t j = 0; j < TERMS; j++) {
        size_t length = strlen(expected);
        numbers[j] = j + 2;
        terms[j] = graph_leaf(&g, SPACE_Y, j);
        snprintf(expected + length, sizeof expected - length, "%s%u*y[%u]%s", j == 0 ? " = linear " : " + ", j + 2, j,
                 j + 1 == TERMS ? "\n" : "");
    }
    uint32_t output = graph_linear(&g, numbers, terms, TERMS);
    struct program_request request = request_of(&g, &output, 1, leaves);
    struct program *program;
    assert_int_equal(program_create(&program, &request, NULL), HN_OK);
    assert_in_range(program_listing(program, text, sizeof text), 1, sizeof text - 1);
    assert_non_null(strstr(text, expected));
    program_destroy(program);
    graph_release(&g);
}

/* An instruction names a number by 32 bits. */
TEST(programs_of_too_many_slots_are_refused) {
    static const struct {
        uint32_t stride;
        size_t slots;
        hn_status status;
    } shapes[] = {{8, UINT32_MAX / 8, HN_OK}, {8, (size_t)UINT32_MAX / 8 + 1, HN_LIMIT}, {0, 1, HN_LIMIT}};
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        const struct program shape = {.stride = shapes[i].stride, .slots = shapes[i].slots};
        struct program *program;
        hn_error error = {.text = ""};
        assert_int_equal(program_allocate(&program, &shape, &error), shapes[i].status);
        assert_int_equal(program != NULL, shapes[i].status == HN_OK);
        assert_int_equal(strstr(error.text, "slots are more") != NULL, shapes[i].status == HN_LIMIT);
        program_destroy(program);
    }
}

/* Rows of a matrix and its numbers as outputs: what a Jacobian of constants is. */
TEST(numbers_can_be_outputs_and_equal_columns_are_listed_once) {
    enum { ROWS = 6, COLUMNS = 20 };
    struct graph g;
    double a[ROWS][COLUMNS];
    uint32_t leaves[COLUMNS], outputs[ROWS + ROWS * COLUMNS];
    assert_int_equal(graph_create(&g, 1000), HN_OK);
    for (uint32_t j = 0; j < COLUMNS; j++)
        leaves[j] = graph_leaf(&g, SPACE_Y, j);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < COLUMNS; j++)
            a[i][j] = j < 2 ? -1 : 1 / (double)(i + j + 1);
        outputs[i] = graph_linear(&g, a[i], leaves, COLUMNS);
        for (uint32_t j = 0; j < COLUMNS; j++)
            outputs[ROWS + i * COLUMNS + j] = ENTRY_NUMBER | (g.nodes[outputs[i]].a + j);
    }
    struct program_request request =
        request_of(&g, outputs, ROWS + ROWS * COLUMNS, (const size_t[SPACE_COUNT]){[SPACE_Y] = COLUMNS});
    struct program *program = NULL;
    assert_int_equal(program_create(&program, &request, NULL), HN_OK);
    assert_int_equal(program->coefficient_count, ROWS * COLUMNS);
    assert_int_equal(program->column_count, COLUMNS);
    assert_int_equal(program->constant_count, 2 + COLUMNS - 2 + ROWS - 1); /* 1, -1, and 1/3 up to 1/25 */
    struct backend backend;
    for (size_t b = 0; backend_at(b, &backend); b++) {
        double *slots = fresh_slots(program);
        for (int lane = 0; lane < LANES; lane++)
            for (size_t j = 0; j < COLUMNS; j++)
                set_leaf(program, slots, SPACE_Y, j, lane, sin((double)(lane + 1) * (double)(j + 1)));
        run_all(backend, program, slots);
        for (int lane = 0; lane < LANES; lane++)
            for (size_t i = 0; i < ROWS; i++) {
                double sum = 0;
                for (size_t j = 0; j < COLUMNS; j++) {
                    sum += a[i][j] * sin((double)(lane + 1) * (double)(j + 1));
                    assert_true(output_at(program, slots, ROWS + i * COLUMNS + j, lane) == a[i][j]);
                }
                assert_true(output_at(program, slots, i, lane) == sum);
            }
        free(slots);
    }
    outputs[5] = ENTRY_NUMBER | (ROWS * COLUMNS); /* no such number */
    struct program *none = NULL;
    assert_int_equal(program_create(&none, &request, NULL), HN_INVALID);
    program_destroy(program);
    graph_release(&g);
}
