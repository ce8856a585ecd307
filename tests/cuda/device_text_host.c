/* device_text_host.c - see device_text_host.h.
 *
 * SPDX-License-Identifier: MIT */
#include "device_text_host.h"

#include "support/check.h"
#include "support/run_layer.h"
#include "support/scratch.h"

#include "codegen/cuda/print_kernel.h"
#include "hardnet/read.h"
#include "layer/layer_plan.h"

#include <dlfcn.h>

enum { COMMAND = 1024 };

static struct scratch scratch;

int host_set_up(void **state) {
    (void)state;
    scratch = scratch_create();
    return 0;
}

int host_tear_down(void **state) {
    (void)state;
    scratch_remove(&scratch);
    return 0;
}

static void write_text(const char *path, const char *text, size_t length) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static kernel_run *find(void *object, const char *name) {
    kernel_run *function = NULL;
    void *found = dlsym(object, name);
    memcpy(&function, &found, sizeof function);
    return function;
}

struct loaded host_load(const char *text, const char *name) {
    static int number; /* dlopen knows files by their names */
    char command[COMMAND], source[256], object[256];
    snprintf(source, sizeof source, "%s/kernel%d.cu", scratch.folder, number);
    snprintf(object, sizeof object, "%s/kernel%d.so", scratch.folder, number++);
    snprintf(command, sizeof command,
             "c++ -std=c++20 -DDEVICE_HOST -O0 -w -ffp-contract=off -fno-strict-aliasing -fPIC -shared -x c++ %s -o %s",
             source, object);
    write_text(source, text, strlen(text));
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c)
    struct loaded loaded = {.object = dlopen(object, RTLD_NOW | RTLD_LOCAL)};
    if (!loaded.object)
        fail_msg("%s", dlerror());
    remove(source);
    remove(object);
    loaded.run = find(loaded.object, name);
    assert_non_null(loaded.run);
    return loaded;
}

hn_model *host_read_with(const char *name, const char *let) {
    char path[256];
    const char *paths[] = {path};
    hn_error error = {.text = ""};
    hn_model *model;
    hn_read_options options = hn_read_defaults();
    options.lets = &let;
    options.let_count = let != NULL;
    snprintf(path, sizeof path, "models/%s.mod", name);
    if (hn_model_read(&model, 1, paths, &options, &error) != HN_OK)
        fail_msg("%s", error.text);
    return model;
}

hn_model *host_read_model(const char *name) {
    return host_read_with(name, NULL);
}

char *host_print_unicycle(hn_method method, bool single) {
    hn_layer_options wanted = layer_method(method), options;
    struct device_subject subject = {.single = single};
    struct kernel_code code;
    hn_error error = {.text = ""};
    struct plan *plan = NULL;
    hn_model *model = host_read_model("unicycle");
    assert_int_equal(layer_plan_create(&plan, &options, model, &wanted, &error), HN_OK);
    subject.plan = plan;
    assert_int_equal(kernel_print(&code, &subject, &error), HN_OK);
    plan_destroy(plan);
    hn_model_destroy(model);
    return code.text;
}
