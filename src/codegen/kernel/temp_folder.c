/* temp_folder.c - the folder in which a compiler works. See run_compiler.h.
 *
 * The compiler reads its text and writes its object by their paths, so no other user may rename a folder of these paths: a folder that
 * others may write to needs the sticky bit. Files are removed through the open folder that was checked, not by a path.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/kernel/run_compiler.h"

#include "base/error.h"
#include "base/launch.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char prefix[] = "hardnet-kernel-", text_name[] = "kernel.c";
enum {
    RANDOM_LETTERS = 6,
    FOLDER_MOST = FILE_LONGEST - 64,
    FOR_OTHERS = 0077,
    OTHERS_MAY_WRITE = 0022,
    STICKY = 01000,
    NOBODY = 65534
};
static const double STALE_SECONDS = 24 * 3600;

static const char *parent_folder(void) {
    const char *given = launch_variable("TMPDIR");
    return given && given[0] == '/' ? given : "/tmp";
}

/* ---- removing ---- */

static void remove_file(void *context, const char *name) {
    system_remove_in(*(const int *)context, name);
}

static bool is_stale(int folder) {
    struct system_facts facts;
    return launch_facts(folder, &facts) == 0 && facts.owner == launch_user() && (facts.mode & FOR_OTHERS) == 0 &&
           launch_age(folder) > STALE_SECONDS;
}

static void look_for_text(void *context, const char *name) {
    bool *found = context;
    *found = *found || strcmp(name, text_name) == 0;
}

/* A folder of this name without the text may belong to another program: it is removed if it is empty. */
static void remove_workshop(const char *path, bool stale_only) {
    int folder = launch_open_folder(path);
    bool has_text = false;
    if (folder < 0)
        return;
    bool wanted = !stale_only || is_stale(folder);
    if (wanted && stale_only)
        system_visit(folder, look_for_text, &has_text);
    if (wanted && (has_text || !stale_only))
        system_visit(folder, remove_file, &folder);
    system_close(folder);
    if (wanted)
        launch_remove_folder(path);
}

static bool is_name(const char *name) {
    size_t length = strlen(prefix);
    if (strncmp(name, prefix, length) != 0 || strlen(name) != length + RANDOM_LETTERS)
        return false;
    for (const char *c = name + length; *c; c++)
        if (!isalnum((unsigned char)*c))
            return false;
    return true;
}

static void sweep_one(void *context, const char *name) {
    char path[FILE_LONGEST];
    if (!is_name(name))
        return;
    snprintf(path, sizeof path, "%.*s/%s", FOLDER_MOST, (const char *)context, name);
    remove_workshop(path, true);
}

/* Folders that cannot be removed are ignored. */
static void sweep(const char *parent) {
    char name[FILE_LONGEST];
    snprintf(name, sizeof name, "%s", parent);
    int folder = system_open_folder(parent);
    if (folder < 0)
        return;
    system_visit(folder, sweep_one, name);
    system_close(folder);
}

/* ---- the folder that ours is in ---- */

/* Whether another user may rename what is in the folder. Files that no user of this namespace owns appear as NOBODY's. */
static bool others_may_rename(const struct system_facts *facts) {
    bool known = facts->owner == 0 || facts->owner == launch_user();
    bool writable = (facts->mode & OTHERS_MAY_WRITE) != 0;
    if (!known)
        return facts->owner != NOBODY || writable;
    return writable && !(facts->mode & STICKY);
}

/* Every folder of the path, from the root on: a user who may rename one of them may replace our text. */
static hn_status check_folders(char *path, hn_error *error) {
    struct system_facts facts;
    for (char *at = path;; at++) {
        char end = at[1];
        if (at != path && end != '/' && end != '\0')
            continue;
        if (at == path || end == '/')
            at[1] = '\0';
        hn_status status = HN_OK;
        if (system_look(path, &facts) != 0)
            status = file_error(error, path, "look at", errno);
        else if (others_may_rename(&facts))
            status =
                error_about(error, HN_IO, error_file(path),
                            "%s: other users may replace files in it (mode %04o), and a compiler would work there; "
                            "set TMPDIR to a folder that only you can write to",
                            path, (unsigned)facts.mode & 07777);
        at[1] = end;
        if (status != HN_OK || end == '\0')
            return status;
    }
}

static hn_status find_parent(char parent[FILE_LONGEST], hn_error *error) {
    _Static_assert(PATH_MAX <= FILE_LONGEST, "a resolved path fits");
    const char *given = parent_folder();
    if (launch_resolve(given, parent) != 0)
        return file_error(error, given, "make a folder in", errno);
    if (strlen(parent) >= FOLDER_MOST)
        return file_error(error, "TMPDIR", "use", ENAMETOOLONG);
    return check_folders(parent, error);
}

/* ---- life ---- */

hn_status workshop_open(struct workshop *shop, hn_error *error) {
    char parent[FILE_LONGEST];
    hn_status status = find_parent(parent, error);
    if (status != HN_OK)
        return status;
    sweep(parent);
    snprintf(shop->folder, sizeof shop->folder, "%.*s/%sXXXXXX", FOLDER_MOST, parent, prefix);
    if (launch_make_scratch(shop->folder) != 0)
        return file_error(error, parent, "make a folder in", errno);
    snprintf(shop->text, sizeof shop->text, "%.*s/%s", FOLDER_MOST + 32, shop->folder, text_name);
    snprintf(shop->object, sizeof shop->object, "%.*s/kernel.so", FOLDER_MOST + 32, shop->folder);
    snprintf(shop->output, sizeof shop->output, "%.*s/output", FOLDER_MOST + 32, shop->folder);
    return HN_OK;
}

void workshop_close(const struct workshop *shop) {
    remove_workshop(shop->folder, false);
}
