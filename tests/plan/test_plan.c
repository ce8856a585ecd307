/* test_plan.c - a plan is plain data: equal models have equal bytes, and every list lies inside the block.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/random_problem.h"
#include "support/run_layer.h"
#include "support/shape_models.h"

#include "layer/driver.h"

enum { PROBLEMS = 60 };

static struct plan *plan_of(uint64_t number, hn_method method) {
    struct random_problem problem;
    struct plan *plan = NULL;
    hn_error error = {.text = ""};
    random_problem_create(
        &problem, (struct random_problem_options){.kind = (enum problem_kind)(number % PROBLEM_KINDS)}, 11, number);
    hn_layer *layer = layer_of(problem.model, layer_method(method));
    if (plan_create(&plan, problem.model, &layer->options, &error) != HN_OK)
        fail_msg("%s", error.text);
    hn_layer_destroy(layer);
    random_problem_release(&problem);
    return plan;
}

TEST(equal_models_have_plans_of_equal_bytes) {
    for (uint64_t k = 0; k < PROBLEMS; k++) {
        hn_method method = k % 2 ? HN_METHOD_AUTO : HN_METHOD_PAPER;
        void *between = malloc(1 + k * 16); /* the second one lies elsewhere */
        struct plan *first = plan_of(k, method), *second = plan_of(k, method);
        assert_int_equal(first->bytes, second->bytes);
        assert_memory_equal(first, second, first->bytes);
        plan_destroy(first);
        plan_destroy(second);
        free(between);
    }
}

static void check_list(const struct plan *plan, struct plan_list list, size_t size) {
    assert_true(8 * (uint64_t)list.at >= sizeof *plan);
    assert_true(8 * (uint64_t)list.at + list.count * size <= plan->bytes);
}

TEST(lists_lie_inside_the_block) {
    for (uint64_t k = 0; k < PROBLEMS; k++) {
        struct plan *p = plan_of(k, k % 2 ? HN_METHOD_LM : HN_METHOD_PAPER);
        const struct plan_list words[] = {p->program.pairs,
                                          p->value,
                                          p->lower,
                                          p->upper,
                                          p->jacobian.first,
                                          p->jacobian.column,
                                          p->jacobian.slot,
                                          p->start,
                                          p->start_x.first,
                                          p->fixed.slot,
                                          p->bounds.slot,
                                          p->clip.entry,
                                          p->joint,
                                          p->bracket_y.slot,
                                          p->pull_x.entry,
                                          p->system.by_rows,
                                          p->system.stream,
                                          p->system.by_columns,
                                          p->system.permutation,
                                          p->system.row_entry,
                                          p->system.row_first,
                                          p->system.constant_slot};
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
            check_list(p, words[i], sizeof(uint32_t));
        check_list(p, p->program.constants, sizeof(double));
        check_list(p, p->program.code, sizeof(struct instruction));
        check_list(p, p->system.constant_value, sizeof(double));
        for (uint32_t i = 0; i < p->entries; i++)
            assert_true(plan_words(p, p->jacobian.slot)[i] < p->slots);
        plan_destroy(p);
    }
}

/* Unknowns that are added have places behind the others, in vectors of the system's own. */
TEST(what_is_kept_out_lies_inside_the_system) {
    for (int method = 0; method < HN_METHOD_OPTIMAL; method++) { /* which needs an objective */
        hn_model *model = bordered_model(60, 2, 1, 1);
        hn_layer *layer = layer_of(model, layer_method((hn_method)method));
        const struct plan *p = layer->plan;
        const struct plan_system *system = &p->system;
        size_t seen = 0, negative = 0;
        assert_int_equal(system->added, 2);
        assert_int_equal(system->order, p->rows + 2);
        assert_int_equal(p->options.bordered, true);
        assert_int_equal(p->options.outputs_side, false);
        assert_true(system->solution >= system->lower + system->nonzeros);
        assert_true(system->solution + 2 * system->order <= p->slots);
        for (uint32_t i = 0; i < system->order; i++)
            seen += plan_words(p, system->permutation)[i];
        assert_int_equal(seen, system->order * (system->order - 1) / 2);
        for (uint32_t i = 0; i < system->constant_value.count; i++) {
            assert_true(plan_words(p, system->constant_slot)[i] < p->slots);
            negative += plan_numbers(p, system->constant_value)[i] == -1;
        }
        assert_int_equal(negative, 1);
        hn_layer_destroy(layer);
        hn_model_destroy(model);
    }
}
