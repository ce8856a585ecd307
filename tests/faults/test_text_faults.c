/* test_text_faults.c - allocations fail, once or for ever, in whatever is done with the model texts of the tests and the models that ship:
 * they are read, checked, written, made layers of every method, generated as kernels, emitted. Each time there is HN_NO_MEMORY with a
 * sentence, nothing leaks, and without the fault the deed ends as it did before.
 *
 * Of the allocations of a deed those fail that are asked for on a way that is new (failing.h), so that whatever can return for
 * want of memory does; of each text one deed is tried besides reading and writing. With `whole` as an argument all deeds are, with
 * `all` the first allocations of each fail besides, and some of the later ones.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/wrong_texts.h"
#include "support/check.h"
#include "support/failing.h"
#include "support/shape_models.h"

#include "base/memory.h"
#include "codegen/kernel/kernel_source.h"
#include "hardnet/check.h"
#include "hardnet/emit.h"
#include "hardnet/evaluate.h"
#include "hardnet/read.h"
#include "layer/driver.h"

#include <dirent.h>

enum { MOST_BYTES = 1 << 16, LARGE_BYTES = 3000, EMITTED_BYTES = 600 /* what is emitted is searched for pairs */ };

static bool whole, all;

struct subject {
    char path[512], bytes[MOST_BYTES];
    size_t length;
    const hn_model *model; /* NULL: it is to be read */
    hn_method method;
};

typedef hn_status deed(const struct subject *subject, hn_error *error);

/* ---- deeds ---- */

static hn_status read_model(const struct subject *s, hn_model **model, hn_error *error) {
    const hn_text text = {s->path, s->bytes, s->length};
    hn_read_options options = hn_read_defaults();
    options.relax_integrality = true;
    options.max_nodes = 4000; /* texts that are wrong by their size are so soon */
    return hn_model_read_memory(model, 1, &text, &options, error);
}

static hn_status reads(const struct subject *s, hn_error *error) {
    hn_model *model;
    hn_status status = read_model(s, &model, error);
    hn_model_destroy(model);
    return status;
}

static hn_status checks(const struct subject *s, hn_error *error) {
    hn_check *check;
    hn_check_options options = hn_check_defaults();
    options.points = 1;
    options.threads = 1;
    hn_status status = hn_model_check(&check, s->model, &options, error);
    hn_check_destroy(check);
    return status;
}

static hn_status writes(const struct subject *s, hn_error *error) {
    char *text;
    size_t length;
    hn_status status = hn_model_write(s->model, &text, &length, error);
    hn_text_release(text);
    return status;
}

static hn_status layers(const struct subject *s, hn_error *error) {
    hn_layer *layer;
    hn_layer_options options = hn_layer_defaults();
    options.method = s->method;
    hn_status status = hn_layer_create(&layer, s->model, &options, error);
    hn_layer_destroy(layer);
    return status;
}

static hn_status generates(const struct subject *s, hn_error *error) {
    hn_layer *layer;
    hn_layer_options options = hn_layer_defaults();
    options.method = s->method;
    hn_status status = hn_layer_create(&layer, s->model, &options, error);
    if (status == HN_OK) {
        struct generated_text text = {0};
        status = generate_lanes(&text, layer->plan, &(struct generate_options){.adjoint = true}, error);
        base_release(text.bytes);
    }
    hn_layer_destroy(layer);
    return status;
}

static hn_status emits(const struct subject *s, hn_error *error) {
    hn_emitted files = {0};
    hn_emit_options options = {.size = sizeof options};
    hn_status status = hn_emit_get_defaults(&options, error);
    options.name = "some";
    options.adjoint = true;
    options.layer.method = s->method;
    options.layer.iterations = 20;
    if (status == HN_OK)
        status = hn_emit(&files, s->model, NULL, &options, error);
    if (status == HN_OK)
        hn_emitted_release(&files);
    return status;
}

/* ---- faults ---- */

struct turn {
    hn_status status;
    hn_error error;
    bool failed; /* some allocation */
    size_t left; /* blocks */
};

/* The deed, with the fault that was asked for. */
static struct turn take_turn(const struct subject *s, deed *what) {
    struct turn turn = {.error = {.status = HN_OK, .text = ""}};
    size_t live = memory_live_blocks();
    turn.status = what(s, &turn.error);
    turn.failed = memory_has_failed();
    turn.left = memory_live_blocks() - live;
    memory_fail_never();
    return turn;
}

static void judge(const struct turn *turn, const struct subject *s, const char *name, hn_status expected) {
    bool told = turn->status == HN_NO_MEMORY && strstr(turn->error.text, "out of memory");
    if (turn->left > 0)
        fail_msg("%s %s: %zu blocks are left", s->path, name, turn->left);
    if (turn->failed ? !told && (expected == HN_OK || turn->status != expected) /* or the mistake, as before */
                     : turn->status != expected)
        fail_msg("%s %s (%d): status %d, %s", s->path, name, (int)s->method, (int)turn->status, turn->error.text);
}

static struct turn fail_on_a_new_way(const struct subject *s, deed *what, bool for_ever) {
    memory_fail_on_a_new_way(for_ever);
    return take_turn(s, what);
}

static void fail_at_all(const struct subject *s, deed *what, const char *name, hn_status expected) {
    struct turn turn = {.failed = true};
    for (size_t k = 1; turn.failed; k += k < 100 ? 1 : 1 + k / 4) {
        memory_fail_at(k, k % 2 == 0);
        turn = take_turn(s, what);
        judge(&turn, s, name, expected);
    }
}

static void fail_in_turn(const struct subject *s, deed *what, const char *name) {
    struct turn turn = fail_on_a_new_way(s, what, false);
    if (!turn.failed && !all) /* whatever it calls has failed before */
        return;
    hn_status expected = what(s, NULL);
    for (; turn.failed; turn = fail_on_a_new_way(s, what, false))
        judge(&turn, s, name, expected);
    judge(&turn, s, name, expected);
    for (turn = fail_on_a_new_way(s, what, true); turn.failed; turn = fail_on_a_new_way(s, what, true))
        judge(&turn, s, name, expected);
    if (all)
        fail_at_all(s, what, name, expected);
}

static void try_model(struct subject *s, int number) {
    static const struct {
        deed *what;
        const char *name;
        hn_method method;
        size_t most; /* bytes of the text */
    } deeds[] = {{checks, "checked", HN_METHOD_AUTO, LARGE_BYTES},
                 {layers, "as a layer", HN_METHOD_OPTIMAL, LARGE_BYTES},
                 {generates, "generated", HN_METHOD_AUTO, LARGE_BYTES},
                 {layers, "as a layer", HN_METHOD_NEAREST, LARGE_BYTES},
                 {emits, "emitted", HN_METHOD_AUTO, EMITTED_BYTES},
                 {layers, "as a layer", HN_METHOD_AUTO, LARGE_BYTES},
                 {generates, "generated", HN_METHOD_OPTIMAL, LARGE_BYTES},
                 {layers, "as a layer", HN_METHOD_SNARENET, LARGE_BYTES},
                 {generates, "generated", HN_METHOD_PAPER, LARGE_BYTES}};
    fail_in_turn(s, writes, "written");
    for (size_t i = 0; i < COUNT_OF(deeds); i++)
        if (s->length < deeds[i].most && (whole || (size_t)number % COUNT_OF(deeds) == i)) {
            s->method = deeds[i].method;
            fail_in_turn(s, deeds[i].what, deeds[i].name);
        }
}

static void try_text(struct subject *s, int number) {
    hn_model *model;
    fail_in_turn(s, reads, "read");
    if (read_model(s, &model, NULL) != HN_OK)
        return;
    s->model = model;
    try_model(s, number);
    s->model = NULL;
    hn_model_destroy(model);
    assert_int_equal(memory_live_blocks(), 0);
}

static void try_some(struct subject *s, int number) {
    if (whole || HN_TEST_SHARE == 1 || number % 4 == 0) /* sanitizers are slow */
        try_text(s, number);
}

static size_t try_folder(const char *folder) {
    struct subject *s = calloc(1, sizeof *s);
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort), tried = 0;
    assert_true(s && count > 0);
    for (int i = 0; i < count; i++) {
        snprintf(s->path, sizeof s->path, "%s/%s", folder, entries[i]->d_name);
        FILE *file = strstr(s->path, ".mod") ? fopen(s->path, "rb") : NULL;
        if (file) {
            s->length = fread(s->bytes, 1, sizeof s->bytes, file);
            fclose(file);
            if (s->length < sizeof s->bytes)
                try_some(s, tried++);
        }
        free(entries[i]);
    }
    free(entries);
    free(s);
    return (size_t)tried;
}

TEST(texts_of_the_tests) {
    assert_true(try_folder("tests/ampl/texts") > 60);
}

TEST(texts_with_mistakes) {
    size_t count;
    struct wrong *texts = wrong_texts(&count);
    struct subject *s = calloc(1, sizeof *s);
    assert_true(s && count > 100);
    for (size_t i = 0; i < count; i++) {
        snprintf(s->path, sizeof s->path, "%s", texts[i].name);
        s->length = texts[i].length;
        memcpy(s->bytes, texts[i].text, s->length);
        try_some(s, (int)i);
    }
    free(s);
    free(texts);
}

TEST(models_that_ship) {
    assert_true(try_folder("models/feasibility") > 10);
    assert_true(try_folder("models/infeasible") > 3);
}

/* Layers of every method and their kernels, of models that ask for other systems: full, bordered, affine throughout. */
TEST(models_of_other_shapes) {
    hn_model *models[] = {dense_model(9, 12, 1),
                          affine_model((struct affine_shape){7, 12, 4, 2}, 1),
                          affine_model((struct affine_shape){7, 12, 4, 0}, 1),
                          block_model(3, 4, 2, 1),
                          one_row_model(12, 1),
                          one_column_model(12, 1),
                          bordered_model(9, 2, 1, 1)};
    struct subject *s = calloc(1, sizeof *s);
    assert_non_null(s);
    for (size_t i = 0; i < COUNT_OF(models); i++) {
        s->model = models[i];
        snprintf(s->path, sizeof s->path, "shape %zu", i);
        for (int method = 0; method < HN_METHOD_COUNT; method++) {
            s->method = (hn_method)method;
            fail_in_turn(s, layers, "as a layer");
            fail_in_turn(s, generates, "generated");
        }
        hn_model_destroy(models[i]);
    }
    free(s);
    assert_int_equal(memory_live_blocks(), 0);
}

/* Each allocation in turn, of kernels that run all their rounds by themselves: half a list of statements is none. */
TEST(rounds_of_a_kernel) {
    hn_model *model = undefined_model(1);
    struct subject *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->model = model;
    s->method = HN_METHOD_PAPER;
    snprintf(s->path, sizeof s->path, "rounds");
    struct turn turn = {.failed = true};
    for (size_t k = 1; turn.failed; k++) {
        memory_fail_at(k, false);
        turn = take_turn(s, generates);
        judge(&turn, s, "generated", HN_OK);
    }
    hn_model_destroy(model);
    free(s);
}

int main(int count, char **words) {
    all = count > 1 && strcmp(words[1], "all") == 0;
    whole = all || (count > 1 && strcmp(words[1], "whole") == 0);
    return run_registered_tests();
}
