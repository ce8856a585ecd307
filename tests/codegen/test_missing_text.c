/* test_missing_text.c - what an emitted file cannot have is refused in its own words: texts that the library does not contain, methods without a text.
 *
 * The library's texts are replaced by those below: this file defines the array that the build would make of src/.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/run_layer.h"

#include "codegen/emit/emission.h"
#include "codegen/print/flatten.h"
#include "hardnet/read.h"

const char emit_texts[] =
    "base/one.h\0SIMD_INLINE simd one(simd a) {\n    return a;\n}\n\0"
    "base/nest.h\0#include \"base/one.h\"\n#ifndef FREESTANDING\n#include \"base/library.h\"\n#endif\nint nest;\n\0"
    "base/guarded.h\0#ifndef HN_BASE_GUARDED_H\nint a;\n#endif\n\0"
    "base/lost.h\0#include \"base/none.h\"\n";
const size_t emit_texts_length = sizeof emit_texts;

static hn_model *disc(void) {
    static const char text[] = "var y{1..2}; subject to disc: y[1]^2 + y[2]^2 <= 1;";
    hn_model *model;
    const hn_text all = {.name = "disc.mod", .bytes = text, .length = strlen(text)};
    assert_int_equal(hn_model_read_memory(&model, 1, &all, NULL, NULL), HN_OK);
    return model;
}

TEST(a_missing_text_is_named) {
    hn_emit_options options = {.size = sizeof options};
    hn_model *model = disc();
    hn_emitted files;
    hn_error error = {.status = HN_OK};
    hn_emit_get_defaults(&options, NULL);
    options.name = "layer";
    assert_int_equal(hn_emit(&files, model, NULL, &options, &error), HN_UNSUPPORTED);
    assert_non_null(strstr(error.text, "does not contain the text core/emitted_target.h"));
    assert_null(strstr(error.text, "memory"));
    assert_true(!files.header && !files.source);
    hn_model_destroy(model);
}

TEST(an_include_is_in_place_once) {
    struct text root = {.bytes = NULL}, out = {.bytes = NULL};
    text_add(&root,
             "#include \"own.h\"\n#include <stdint.h>\n#include \"base/nest.h\"\n#include \"base/one.h\"\nint root;");
    flatten(&out, &root);
    assert_false(out.failed);
    assert_string_equal(
        out.bytes, "#include \"own.h\"\n#include <stdint.h>\n\n\nSIMD_INLINE simd one(simd a) {\n    return a;\n}\n"
                   "int nest;\nint root;");
    text_drop(&out);
    text_drop(&root);
}

TEST(an_include_that_is_missing_is_named) {
    struct text root = {.bytes = NULL}, out = {.bytes = NULL};
    hn_error error = {.status = HN_OK};
    text_add(&root, "#include \"base/lost.h\"\n");
    flatten(&out, &root);
    assert_int_equal(text_error(&out, "emitted files", &error), HN_UNSUPPORTED);
    assert_non_null(strstr(error.text, "does not contain the text base/none.h"));
    text_drop(&out);
    text_drop(&root);
}

TEST(an_include_without_its_guard_is_in_place_again) {
    struct text root = {.bytes = NULL}, out = {.bytes = NULL};
    text_add(&root, "#include \"base/guarded.h\"\n#include \"base/guarded.h\"\n#undef HN_BASE_GUARDED\n"
                    "#undef HN_BASE_GUARDED_H\n#include \"base/guarded.h\"\n#include \"base/guarded.h\"\n");
    flatten(&out, &root);
    assert_false(out.failed);
    assert_string_equal(out.bytes, "\n#ifndef HN_BASE_GUARDED_H\nint a;\n#endif\n#undef HN_BASE_GUARDED\n"
                                   "#undef HN_BASE_GUARDED_H\n\n#ifndef HN_BASE_GUARDED_H\nint a;\n#endif\n");
    text_drop(&out);
    text_drop(&root);
}

/* The first reason stays, and memory that is out remains what it was. */
TEST(out_of_memory_is_called_so) {
    struct text out = {.failed = true}, other = {.bytes = NULL};
    hn_error error = {.status = HN_OK};
    text_fail(&out, "a later reason");
    assert_int_equal(text_error(&out, "emitted files", &error), HN_NO_MEMORY);
    text_fail(&other, "a reason");
    text_fail_with(&out, &other);
    assert_int_equal(text_error(&out, "emitted files", &error), HN_NO_MEMORY);
}

/* Every method is either printed under its name or refused; no other takes its place. */
TEST(a_method_without_a_text_is_refused) {
#define METHOD_NAME(name, text) #name,
    static const char *const names[] = {HN_METHOD_LIST(METHOD_NAME)};
    hn_model *model = disc();
    hn_layer *layer = layer_of(model, layer_method(HN_METHOD_LM));
    const hn_layer_options filled = hn_layer_options_of(layer);
    struct plan *plan;
    assert_int_equal(plan_create(&plan, model, &filled, NULL), HN_OK);
    for (int method = 0; method <= HN_METHOD_COUNT; method++) {
        struct text out = {.bytes = NULL};
        struct emission e = {.plan = plan};
        plan->options.method = method;
        emission_print_plan(&e, "static const struct plan layer_plan", &out);
        const char *name = method < HN_METHOD_COUNT ? names[method] : "unknown";
        bool refused = method == HN_METHOD_NEAREST || method == HN_METHOD_OPTIMAL || method == HN_METHOD_COUNT;
        assert_int_equal(out.failed, refused);
        if (refused)
            assert_non_null(strstr(out.lacks, hn_method_text((hn_method)method)));
        else
            assert_non_null(strstr(strstr(out.bytes, ".method = "), name));
        text_drop(&out);
    }
    plan_destroy(plan);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}
