/* compiled_kernel.c - see compiled_kernel.h.
 *
 * SPDX-License-Identifier: MIT */
#include "support/compiled_kernel.h"

#include "support/check.h"
#include "support/scratch.h"

#include "base/memory.h"

enum { COMMAND = 4096, FLAGS = 32 };

bool compiler_is_there(void) {
    return system("cc --version > /dev/null 2>&1") == 0; // NOLINT(cert-env33-c)
}

int compiler_set_up(void **state) {
    if (!compiler_is_there()) {
        puts("skipped: there is no C compiler");
        exit(0);
    }
    return scratch_set_up(state);
}

bool compile_text(const char *text, const char *path, hn_instructions instructions, const char *level) {
    char command[COMMAND], source[512];
    const char *flags[FLAGS];
    size_t count = generate_flags(instructions, flags, FLAGS);
    snprintf(source, sizeof source, "%s.c", path);
    FILE *file = fopen(source, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
    int length = snprintf(command, sizeof command, "cc %s", level);
    for (size_t i = 0; i < count; i++)
        length += snprintf(command + length, sizeof command - (size_t)length, " %s", flags[i]);
    snprintf(command + length, sizeof command - (size_t)length, " -o %s %s -lm", path, source);
    return system(command) == 0; // NOLINT(cert-env33-c)
}

struct kernel *compiled_kernel(const char *folder, const struct plan *plan, struct generate_options options,
                               const char *level) {
    static int number; /* dlopen knows files by their names as long as they are loaded */
    char path[512];
    struct generated_text text;
    hn_error error = {.text = ""};
    struct kernel *kernel;
    snprintf(path, sizeof path, "%s/kernel%d.so", folder, number++);
    if (generate_lanes(&text, plan, &options, &error) != HN_OK)
        fail_msg("%s", error.text);
    assert_int_equal(strlen(text.bytes), text.length);
    assert_true(compile_text(text.bytes, path, options.instructions, level));
    base_release(text.bytes);
    if (kernel_open(&kernel, path, plan, options.instructions, &error) != HN_OK)
        fail_msg("%s", error.text);
    assert_int_equal(kernel_has_adjoint(kernel), options.adjoint);
    remove(path);
    return kernel;
}
