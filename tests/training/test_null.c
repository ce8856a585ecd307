/* test_null.c - NULL is treated alike everywhere, as hardnet/base.h says.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/model_check.h"
#include "support/run_layer.h"

#include "hardnet/hardnet.h"

/* A call that is refused, with and without an error to fill: the argument that is missing is its subject. */
#define assert_missing(call, name)                                                                                     \
    do {                                                                                                               \
        hn_error *error = NULL;                                                                                        \
        assert_int_equal(call, HN_INVALID);                                                                            \
        hn_error filled = {.status = HN_OK};                                                                           \
        error = &filled;                                                                                               \
        assert_int_equal(call, HN_INVALID);                                                                            \
        assert_int_equal(filled.status, HN_INVALID);                                                                   \
        assert_string_equal(filled.subject, name);                                                                     \
    } while (0)

static hn_model *line(void) {
    return model_of_text("param x; var y; line: 0 <= y - x <= 1; minimize cost: y*y;");
}

TEST(a_place_for_what_is_made_is_needed) {
    hn_model *model = line();
    hn_layer *layer = layer_of(model, hn_layer_defaults());
    hn_network_options shape = {.inputs = 1, .outputs = 1};
    hn_network *network = NULL;
    assert_int_equal(hn_network_create(&network, &shape, NULL), HN_OK);
    assert_missing(hn_model_create(NULL, NULL, error), "out");
    assert_missing(hn_model_read(NULL, 0, NULL, NULL, error), "out");
    assert_missing(hn_model_read_memory(NULL, 0, NULL, NULL, error), "out");
    assert_missing(hn_layer_create(NULL, model, NULL, error), "out");
    assert_missing(hn_pool_create(NULL, layer, 1, error), "out");
    assert_missing(hn_evaluator_create(NULL, model, NULL, error), "out");
    assert_missing(hn_refiner_create(NULL, model, layer, NULL, error), "out");
    assert_missing(hn_network_create(NULL, &shape, error), "out");
    assert_missing(hn_network_load(NULL, "nowhere", error), "out");
    assert_missing(hn_policy_create(NULL, model, network, NULL, error), "out");
    assert_missing(hn_policy_load(NULL, model, "nowhere", 1, error), "out");
    assert_missing(hn_trainer_create(NULL, model, network, NULL, error), "out");
    hn_network_destroy(network);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

TEST(what_is_worked_on_is_needed) {
    hn_model *model = line(), *read = model;
    hn_layer *layer = (hn_layer *)model;
    hn_pool *pool = (hn_pool *)model;
    hn_network *network = (hn_network *)model;
    hn_policy *policy = (hn_policy *)model;
    hn_trainer *trainer = (hn_trainer *)model;
    char text[HN_FINGERPRINT_BYTES];
    hn_batch batch = {.size = sizeof batch};
    hn_gradient gradient = {.size = sizeof gradient};
    hn_evaluator *evaluator = (hn_evaluator *)model;
    hn_evaluator_pool *evaluator_pool = (hn_evaluator_pool *)model;
    hn_evaluation evaluation = {.size = sizeof evaluation};
    hn_pattern pattern = {.size = sizeof pattern};
    hn_refiner *refiner = (hn_refiner *)model;
    hn_refinement refinement = {.size = sizeof refinement};
    hn_improvement improvement = {.size = sizeof improvement};
    assert_missing(hn_model_finish(NULL, error), "model");
    assert_missing(hn_model_status(NULL, error), "model");
    assert_missing(hn_model_fingerprint(NULL, text, error), "model");
    assert_missing(hn_model_fingerprint(model, NULL, error), "out");
    assert_missing(hn_model_evaluate(NULL, 0, NULL, NULL, NULL, NULL, error), "model");
    assert_missing(hn_layer_create(&layer, NULL, NULL, error), "model");
    assert_null(layer);
    assert_missing(hn_pool_create(&pool, NULL, 1, error), "layer");
    assert_null(pool);
    assert_missing(hn_layer_run(NULL, &batch, NULL, 0, error), "layer");
    assert_missing(hn_layer_gradient(NULL, &batch, &gradient, NULL, 0, error), "layer");
    assert_missing(hn_pool_run(NULL, &batch, error), "layer");
    assert_missing(hn_pool_gradient(NULL, &batch, &gradient, error), "layer");
    assert_missing(hn_evaluator_create(&evaluator, NULL, NULL, error), "model");
    assert_null(evaluator);
    assert_missing(hn_evaluator_pool_create(&evaluator_pool, NULL, 1, error), "evaluator");
    assert_null(evaluator_pool);
    assert_missing(hn_evaluator_run(NULL, &evaluation, NULL, 0, error), "evaluator");
    assert_missing(hn_evaluator_get_pattern(NULL, HN_QUANTITY_JACOBIAN_Y, &pattern, error), "evaluator");
    assert_missing(hn_refiner_create(&refiner, NULL, NULL, NULL, error), "model");
    assert_null(refiner);
    assert_missing(hn_refiner_run(NULL, &refinement, error), "refiner");
    assert_missing(hn_refiner_improve(NULL, &improvement, error), "refiner");
    assert_missing(hn_network_create(&network, NULL, error), "options");
    assert_null(network);
    assert_missing(hn_network_load(&network, NULL, error), "path");
    assert_missing(hn_network_save(NULL, "nowhere", 0, NULL, error), "network");
    assert_missing(hn_network_run(NULL, 1, NULL, NULL, NULL, 0, error), "network");
    assert_missing(hn_network_set_input(NULL, NULL, NULL, error), "network");
    assert_missing(hn_network_set_output(NULL, NULL, NULL, error), "network");
    assert_missing(hn_network_get_input(NULL, NULL, NULL, error), "network");
    assert_missing(hn_network_get_output(NULL, NULL, NULL, error), "network");
    assert_missing(hn_network_scale(NULL, model, NULL, error), "network");
    assert_missing(hn_sample_inputs(NULL, 1, 1, 0, NULL, error), "model");
    assert_missing(hn_sample_inputs(model, 1, 1, 1, NULL, error), "x");
    assert_missing(hn_policy_create(&policy, NULL, network, NULL, error), "model");
    assert_null(policy);
    assert_missing(hn_policy_create(&policy, model, NULL, NULL, error), "network");
    assert_missing(hn_policy_load(&policy, NULL, "nowhere", 1, error), "model");
    assert_missing(hn_policy_load(&policy, model, NULL, 1, error), "path");
    assert_missing(hn_policy_run(NULL, 1, NULL, NULL, NULL, NULL, error), "policy");
    assert_missing(hn_policy_save(NULL, "nowhere", 0, NULL, error), "policy");
    assert_missing(hn_trainer_create(&trainer, NULL, network, NULL, error), "model");
    assert_null(trainer);
    assert_missing(hn_trainer_create(&trainer, model, NULL, NULL, error), "network");
    assert_missing(hn_trainer_step(NULL, 1, NULL, NULL, NULL, error), "trainer");
    assert_missing(hn_trainer_step_from(NULL, 1, NULL, NULL, NULL, error), "trainer");
    assert_missing(hn_policy_run_chosen(NULL, 1, NULL, NULL, NULL, NULL, NULL, error), "policy");
    assert_missing(hn_checkpoint_read_text(NULL, "key", 0, NULL, error), "path");
    assert_int_equal(hn_model_read(&read, 1, NULL, NULL, NULL), HN_INVALID);
    assert_null(read);
    read = model;
    assert_int_equal(hn_model_read_memory(&read, 1, NULL, NULL, NULL), HN_INVALID);
    assert_null(read);
    const char *const no_path = NULL;
    const hn_text no_bytes = {"name", NULL, 3}, empty = {NULL, NULL, 0};
    assert_missing(hn_model_read(&read, 1, &no_path, NULL, error), "path");
    assert_missing(hn_model_read_memory(&read, 1, &no_bytes, NULL, error), "text.bytes");
    assert_int_equal(hn_model_read_memory(&read, 1, &empty, NULL, NULL), HN_INVALID); /* a model without outputs */
    assert_missing(hn_refiner_run(NULL, NULL, error), "refiner");
    assert_missing(hn_refiner_improve(NULL, NULL, error), "refiner");
    assert_missing(hn_refiner_create(NULL, model, NULL, NULL, error), "out");
    hn_model_destroy(model);
}

TEST(questions_about_nothing_have_no_answer) {
    hn_expr none = {NULL, 0};
    assert_int_equal(hn_model_input_count(NULL) + hn_model_output_count(NULL) + hn_model_row_count(NULL), 0);
    assert_int_equal(hn_model_group_count(NULL) + hn_model_definition_count(NULL) + hn_model_node_count(NULL), 0);
    assert_int_equal(hn_model_requirement_count(NULL), 0);
    assert_null(hn_model_input(NULL, 0).name);
    assert_null(hn_model_output(NULL, 0).name);
    assert_null(hn_model_row(NULL, 0).name);
    assert_null(hn_model_group(NULL, 0).name);
    assert_null(hn_model_definition(NULL, 0).name);
    assert_null(hn_model_requirement(NULL, 0).name);
    assert_null(hn_model_objective(NULL).name);
    assert_false(hn_is_valid(none) || hn_is_constant(none, NULL));
    assert_false(hn_depends_on_inputs(none) || hn_depends_on_outputs(none));
    assert_int_equal(hn_layer_workspace_bytes(NULL) + hn_layer_gradient_workspace_bytes(NULL), 0);
    assert_int_equal(hn_layer_tape_bytes(NULL, 1), 0);
    assert_int_equal(hn_layer_info_of(NULL).outputs, 0);
    assert_int_equal(hn_layer_options_of(NULL).iterations, 0);
    assert_int_equal(hn_pool_threads(NULL), 0);
    assert_false(hn_method_find(NULL, &(hn_method){0}) || hn_method_find("auto", NULL));
    assert_int_equal(hn_evaluator_width(NULL, HN_QUANTITY_ROWS) + hn_evaluator_workspace_bytes(NULL), 0);
    assert_int_equal(hn_evaluator_info_of(NULL).rows, 0);
    assert_false(hn_quantity_find(NULL, &(hn_quantity){0}) || hn_quantity_find("rows", NULL));
    assert_int_equal(hn_network_options_of(NULL).inputs, 0);
    assert_int_equal(hn_network_parameter_count(NULL) + hn_network_workspace_bytes(NULL), 0);
    assert_null(hn_network_parameters(NULL));
    assert_null(hn_network_metadata(NULL, "key"));
    assert_null(hn_policy_network(NULL));
    assert_null(hn_trainer_policy(NULL));
    assert_null(hn_trainer_moment(NULL, 0));
    assert_int_equal(hn_trainer_steps(NULL), 0);
    assert_false(hn_activation_find(NULL, &(hn_activation){0}) || hn_activation_find("relu", NULL));
}

TEST(adding_to_no_model_does_nothing) {
    hn_expr none = {NULL, 0};
    assert_false(hn_is_valid(hn_constant(NULL, 1)) || hn_is_valid(hn_input(NULL, "x")));
    assert_false(hn_is_valid(hn_output(NULL, "y")) || hn_is_valid(hn_defined(NULL, "d")));
    assert_false(hn_is_valid(hn_sum(NULL, 0, NULL)) || hn_is_valid(hn_add(none, none)));
    hn_define(NULL, "d", none);
    hn_constrain(NULL, "c", 0, none, 1);
    hn_constrain_between(NULL, "c", none, none, none);
    hn_minimize(NULL, "f", none);
    hn_maximize(NULL, "f", none);
    hn_require(NULL, "r", none);
    hn_input_range(none, 0, 1);
    hn_output_bounds(none, 0, 1);
    hn_output_between(none, none, none);
    hn_output_start(none, none);
    hn_output_fix(none, none);
}

TEST(a_struct_to_fill_is_needed) {
    assert_missing(hn_model_get_defaults(NULL, error), "hn_model_options");
    assert_missing(hn_read_get_defaults(NULL, error), "hn_read_options");
    assert_missing(hn_layer_get_defaults(NULL, error), "hn_layer_options");
    assert_missing(hn_layer_get_options(NULL, NULL, error), "hn_layer_options");
    assert_missing(hn_layer_get_info(NULL, NULL, error), "hn_layer_info");
    assert_missing(hn_model_get_row(NULL, 0, NULL, error), "hn_row_info");
    assert_missing(hn_evaluator_get_defaults(NULL, error), "hn_evaluator_options");
    hn_network_get_options(NULL, NULL);
    hn_policy_get_defaults(NULL);
    hn_policy_get_options(NULL, NULL);
    hn_train_get_defaults(NULL);
}

TEST(a_sum_of_missing_terms_is_an_error_that_sticks) {
    hn_error error;
    hn_model *m = model_new();
    hn_output(m, "y");
    assert_false(hn_is_valid(hn_sum(m, 2, NULL)));
    assert_int_equal(hn_model_finish(m, &error), HN_INVALID);
    assert_string_equal(error.subject, "sum");
    hn_model_destroy(m);
}

TEST(nothing_is_destroyed_without_harm) {
    hn_model_destroy(NULL);
    hn_layer_destroy(NULL);
    hn_pool_destroy(NULL);
    hn_network_destroy(NULL);
    hn_policy_destroy(NULL);
    hn_trainer_destroy(NULL);
    hn_evaluator_destroy(NULL);
    hn_evaluator_pool_destroy(NULL);
    hn_refiner_destroy(NULL);
    hn_trainer_set_steps(NULL, 1);
}
