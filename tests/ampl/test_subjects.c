/* test_subjects.c - what an error of the reader is about, for programs: code, subject, line and column; and messages alike.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"

#include "hardnet/read.h"

/* The last message, with its texts copied: they live during the callback only. */
struct heard {
    hn_message message;
    char subject[64], text[256];
    int count;
};

static void hear(void *context, const hn_message *message) {
    struct heard *heard = context;
    heard->message = *message;
    strncat(strcpy(heard->subject, ""), message->subject, sizeof heard->subject - 1);
    strncat(strcpy(heard->text, ""), message->text, sizeof heard->text - 1);
    heard->count++;
}

/* Reads a text that is refused. */
static hn_error refused(const char *text, hn_read_options options, struct heard *heard) {
    hn_error error;
    hn_model *model;
    const hn_text texts[] = {{"m.mod", text, strlen(text)}};
    *heard = (struct heard){.count = 0};
    options.message = hear;
    options.context = heard;
    assert_int_not_equal(hn_model_read_memory(&model, 1, texts, &options, &error), HN_OK);
    assert_null(model);
    assert_int_equal(heard->count, 1);
    assert_int_equal(heard->message.size, sizeof heard->message);
    assert_int_equal(heard->message.severity, HN_SEVERITY_ERROR);
    assert_int_equal(heard->message.code, error.code);
    assert_string_equal(heard->subject, error.subject);
    assert_non_null(strstr(error.text, heard->text));
    return error;
}

TEST(a_mistake_in_a_text_has_a_position) {
    struct heard heard;
    hn_error error = refused("var y;\ns.t. c: y <= zebra;\n", hn_read_defaults(), &heard);
    assert_int_equal(error.code, HN_CODE_POSITION);
    assert_string_equal(error.subject, "m.mod");
    assert_true(error.line == 2 && error.column == 14);
    assert_true(heard.message.line == 2 && heard.message.column == 14);
}

TEST(a_value_of_the_caller_s_is_named_as_it_was_given) {
    struct heard heard;
    const char *lets[] = {"N=many"};
    hn_read_options options = hn_read_defaults();
    options.lets = lets;
    options.let_count = 1;
    hn_error error = refused("param N; var y >= N;\n", options, &heard);
    assert_int_equal(error.code, HN_CODE_LET);
    assert_string_equal(error.subject, "N=many");
    assert_true(error.line == 0 && error.column == 0 && !heard.message.file);
    options.lets = NULL;
    assert_int_equal(hn_model_read_memory(&(hn_model *){NULL}, 0, NULL, &options, &error), HN_INVALID);
    assert_int_equal(error.code, HN_CODE_OPTION);
    assert_string_equal(error.subject, "lets");
}

TEST(a_file_that_is_not_there_is_named) {
    hn_error error;
    hn_model *model;
    const char *path = "/nowhere/let me.mod";
    assert_int_equal(hn_model_read(&model, 1, &path, NULL, &error), HN_IO);
    assert_int_equal(error.code, HN_CODE_FILE);
    assert_string_equal(error.subject, path);
}

TEST(a_part_of_the_model_is_named) {
    hn_error error;
    hn_model *model;
    assert_int_equal(hn_model_create(&model, NULL, &error), HN_OK);
    hn_expr y = hn_output(model, "y");
    hn_constrain(model, "band", 2, y, 1);
    assert_int_equal(hn_model_finish(model, &error), HN_INVALID);
    assert_int_equal(error.code, HN_CODE_PART);
    assert_string_equal(error.subject, "band");
    hn_model_destroy(model);
}

TEST(a_limit_names_its_option) {
    hn_error error;
    hn_model *model;
    const hn_model_options options = {.size = sizeof options, .max_nodes = 3};
    assert_int_equal(hn_model_create(&model, &options, &error), HN_OK);
    hn_expr sum = hn_output(model, "y");
    for (int i = 0; i < 10; i++)
        sum = hn_exp(sum);
    hn_constrain(model, "c", 0, sum, 1);
    assert_int_equal(hn_model_finish(model, &error), HN_LIMIT);
    assert_int_equal(error.code, HN_CODE_OPTION);
    assert_string_equal(error.subject, "max_nodes");
    hn_model_destroy(model);
}
