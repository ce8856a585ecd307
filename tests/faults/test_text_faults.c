/* test_text_faults.c - allocations fail, once or for ever, in whatever is done with the model texts of the tests and the models that ship:
 * they are read, checked, written, made layers of every method, generated as kernels, emitted. Each time there is HN_NO_MEMORY with a
 * sentence, nothing leaks, and without the fault the deed ends as it did before.
 *
 * Of the allocations of a deed the first fail all, later ones some; of each text one deed is tried besides reading and writing. With
 * `all` as an argument all are, and fewer allocations are left out.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/failing_memory.h"

#include "base/memory.h"
#include "generate/generate.h"
#include "hardnet/check.h"
#include "hardnet/emit.h"
#include "hardnet/evaluate.h"
#include "hardnet/read.h"
#include "layer/driver.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 16, LARGE_BYTES = 3000 };

static bool all;

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

/* The deed with allocation k failing; false when it has fewer. */
static bool fail_at(const struct subject *s, deed *what, const char *name, size_t k, hn_status expected) {
    hn_error error = {.status = HN_OK, .text = ""};
    size_t live = memory_live_blocks();
    memory_fail_at(k, k % 2 == 0);
    hn_status status = what(s, &error);
    bool failed = memory_has_failed();
    memory_fail_never();
    if (memory_live_blocks() != live)
        fail_msg("%s %s, allocation %zu: %zu blocks are left", s->path, name, k, memory_live_blocks() - live);
    bool told = status == HN_NO_MEMORY && strstr(error.text, "out of memory");
    if (failed ? !told && (expected == HN_OK || status != expected)
               : status != expected) /* or the mistake, as before */
        fail_msg("%s %s (%d), allocation %zu: status %d, %s", s->path, name, (int)s->method, k, (int)status,
                 error.text);
    return failed;
}

static void fail_in_turn(const struct subject *s, deed *what, const char *name) {
    memory_fail_never();
    hn_status expected = what(s, NULL);
    for (size_t k = 1; fail_at(s, what, name, k, expected);)
        k += k < (all ? 100 : 10) ? 1 : 1 + k / (all ? 4 : 2);
}

static void try_model(struct subject *s, int number) {
    static const struct {
        deed *what;
        const char *name;
        hn_method method;
    } deeds[] = {{checks, "checked", HN_METHOD_AUTO},         {layers, "as a layer", HN_METHOD_OPTIMAL},
                 {generates, "generated", HN_METHOD_AUTO},    {layers, "as a layer", HN_METHOD_NEAREST},
                 {emits, "emitted", HN_METHOD_AUTO},          {layers, "as a layer", HN_METHOD_AUTO},
                 {generates, "generated", HN_METHOD_OPTIMAL}, {layers, "as a layer", HN_METHOD_SNARENET}};
    fail_in_turn(s, writes, "written");
    for (size_t i = 0; s->length < LARGE_BYTES && i < COUNT_OF(deeds); i++)
        if (all || (size_t)number % COUNT_OF(deeds) == i) {
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
            if (s->length < sizeof s->bytes) {
                if (all || HN_TEST_SHARE == 1 || tried % 4 == 0) /* sanitizers are slow */
                    try_text(s, tried);
                tried++;
            }
        }
        free(entries[i]);
    }
    free(entries);
    free(s);
    return (size_t)tried;
}

static void texts_of_the_tests(void **state) {
    (void)state;
    assert_true(try_folder("tests/ampl/texts") > 60);
}

static void texts_with_mistakes(void **state) {
    (void)state;
    assert_true(try_folder("tests/ampl/wrong") > 100);
}

static void models_that_ship(void **state) {
    (void)state;
    assert_true(try_folder("models/feasibility") > 10);
    assert_true(try_folder("models/infeasible") > 3);
}

int main(int count, char **words) {
    all = count > 1 && strcmp(words[1], "all") == 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_of_the_tests),
        cmocka_unit_test(texts_with_mistakes),
        cmocka_unit_test(models_that_ship),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
