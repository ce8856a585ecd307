/* device_calls_cache.c - see device_calls_cache.h.
 *
 * SPDX-License-Identifier: MIT */
#include "cuda/device_calls_cache.h"

#include "support/check.h"
#include "support/run_layer.h"

#include "hardnet/device.h"

#include <dirent.h>
#include <sys/stat.h>

enum { PATH_BYTES = 512, STEPS = 4 }; /* a number of steps that no other test has: their kernels are these */

static hn_status make(const hn_model *model, bool gradients, bool *found, hn_error *error) {
    const hn_layer_options steps = layer_steps(HN_METHOD_PAPER, STEPS);
    hn_device_options options = hn_device_defaults();
    hn_device_info info = {.size = sizeof info};
    hn_device_layer *layer;
    options.gradients = gradients;
    options.tape_steps = 3;
    hn_status status = hn_device_layer_create(&layer, model, &steps, &options, error);
    if (status == HN_OK)
        hn_device_get_info(layer, &info, NULL);
    hn_device_layer_destroy(layer);
    *found = info.found;
    return status;
}

static void is_made(const hn_model *model, bool expect_found) {
    bool found;
    hn_error error = {.text = ""};
    if (make(model, false, &found, &error) != HN_OK)
        fail_msg("%s", error.text);
    assert_int_equal(found, expect_found);
}

static void is_refused(const hn_model *model, const char *words) {
    bool found;
    hn_error error = {.text = ""};
    assert_error(make(model, false, &found, &error), HN_IO, error, words);
    assert_int_equal(make(model, false, &found, NULL), HN_IO);
}

/* The newest kernel of the folder is the one that was made last. */
static void find_newest(const char *folder, char path[PATH_BYTES]) {
    DIR *entries = opendir(folder);
    struct timespec newest = {0, 0};
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        char own[PATH_BYTES];
        struct stat facts;
        if (!strstr(entry->d_name, ".cubin"))
            continue;
        snprintf(own, sizeof own, "%s/%.200s", folder, entry->d_name);
        assert_int_equal(stat(own, &facts), 0);
        bool newer = facts.st_mtim.tv_sec != newest.tv_sec ? facts.st_mtim.tv_sec > newest.tv_sec
                                                           : facts.st_mtim.tv_nsec > newest.tv_nsec;
        if (newer) {
            newest = facts.st_mtim;
            memcpy(path, own, PATH_BYTES);
        }
    }
    closedir(entries);
}

static void run(const char *action, const char *file, const char *into) {
    char command[3 * PATH_BYTES];
    snprintf(command, sizeof command, "%s %s %s", action, file, into);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c)
}

void check_cache(const hn_model *model, const char *cache) {
    char folder[PATH_BYTES], own[PATH_BYTES], other[PATH_BYTES];
    snprintf(folder, sizeof folder, "%s/hardnet", cache);
    find_newest(folder, other); /* of another layer */
    is_made(model, false);
    find_newest(folder, own);
    is_made(model, true);
    run("truncate -s 1000", own, "");
    is_made(model, false);
    run("cp", other, own);
    is_made(model, false);
    assert_int_equal(chmod(own, 0666), 0);
    is_refused(model, "others may write to it (mode 0666)");
    assert_int_equal(chmod(own, 0600), 0);
    setenv("XDG_CACHE_HOME", "relative", 1);
    const char *home = getenv("HOME");
    char kept[PATH_BYTES];
    snprintf(kept, sizeof kept, "%s", home ? home : "");
    unsetenv("HOME");
    is_refused(model, "neither XDG_CACHE_HOME nor HOME names an absolute folder");
    setenv("HOME", kept, 1);
    setenv("XDG_CACHE_HOME", cache, 1);
    is_made(model, true);
}
