/* emit_write.c - writes the files to their folder, all or none. See emit.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/file.h"
#include "base/memory.h"
#include "base/system.h"
#include "common/console.h"
#include "common/verbs.h"
#include "emit/emit.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 4, LONGEST = FILE_LONGEST };

#define MARK "hardnet emit" /* in the first lines of every file */

struct folder_file {
    char name[64];
    const char *text;
};

static void list_files(struct folder_file files[FILES], const char *name, const hn_emitted *texts) {
    const char *const own[FILES] = {texts->header, texts->source, texts->example, texts->cmake};
    snprintf(files[0].name, sizeof files[0].name, "%s.h", name);
    snprintf(files[1].name, sizeof files[1].name, "%s.c", name);
    snprintf(files[2].name, sizeof files[2].name, "example.c");
    snprintf(files[3].name, sizeof files[3].name, "CMakeLists.txt");
    for (int i = 0; i < FILES; i++)
        files[i].text = own[i];
}

static bool emit_write_join(char path[LONGEST], const char *folder, const char *name) {
    if ((size_t)snprintf(path, LONGEST, "%s/%s", folder, name) < LONGEST)
        return true;
    console_error("--out %s: the name is too long", folder);
    return false;
}

static int cannot(const char *path) {
    console_error("%s: %s", path, strerror(errno));
    return VERB_FAILED;
}

/* ---- existing files ---- */

/* Whether it is a regular file written by hardnet emit. */
static bool is_emitted(const char *path) {
    enum { MOST = 1 << 28, LOOKED_AT = 400 };
    struct file_bytes bytes;
    struct stat facts;
    char head[LOOKED_AT + 1] = "";
    if (lstat(path, &facts) == 0 && S_ISREG(facts.st_mode) && file_read_regular(&bytes, path, MOST, NULL) == HN_OK) {
        snprintf(head, sizeof head, "%s", (const char *)bytes.data);
        base_release(bytes.data);
    }
    return strstr(head, MARK) != NULL;
}

/* Files of others are not replaced. */
static int check_file(const char *path) {
    struct stat facts;
    if (lstat(path, &facts) != 0)
        return errno == ENOENT ? VERB_OK : cannot(path);
    if (is_emitted(path))
        return VERB_OK;
    console_error("%s exists and was not written by hardnet emit; choose another --out", path);
    return VERB_FAILED;
}

static int check_folder(const char *folder, const struct folder_file files[FILES]) {
    char path[LONGEST];
    int code = VERB_OK;
    for (int i = 0; i < FILES && code == VERB_OK; i++)
        code = emit_write_join(path, folder, files[i].name) ? check_file(path) : VERB_FAILED;
    return code;
}

/* ---- leftovers of a killed run ---- */

#define TEMPORARY ".emit-"

static bool emit_write_is_temporary(const char *name) {
    return strncmp(name, TEMPORARY, strlen(TEMPORARY)) == 0 && strlen(name) == strlen(TEMPORARY "XXXXXX");
}

/* Removes emitted files; a folder with anything else in it stays. */
static void sweep_temporary(const char *folder) {
    char path[LONGEST];
    DIR *all = opendir(folder);
    for (struct dirent *own = all ? readdir(all) : NULL; own; own = readdir(all))
        if (own->d_name[0] != '.' && emit_write_join(path, folder, own->d_name) && is_emitted(path))
            unlink(path);
    if (all)
        closedir(all);
    rmdir(folder);
}

static void sweep(const char *folder) {
    char path[LONGEST];
    DIR *all = opendir(folder);
    for (struct dirent *own = all ? readdir(all) : NULL; own; own = readdir(all))
        if (emit_write_is_temporary(own->d_name) && emit_write_join(path, folder, own->d_name))
            sweep_temporary(path);
    if (all)
        closedir(all);
}

/* ---- writing ---- */

static int write_into(const char *folder, const struct folder_file files[FILES]) {
    hn_error error = {.status = HN_OK};
    char path[LONGEST];
    for (int i = 0; i < FILES; i++) {
        if (!emit_write_join(path, folder, files[i].name))
            return VERB_FAILED;
        if (file_write(path, files[i].text, strlen(files[i].text), &error) != HN_OK)
            return verb_explain(&error);
    }
    return VERB_OK;
}

static int rename_all(const char *from, const char *to, const struct folder_file files[FILES]) {
    char old[LONGEST], new[LONGEST];
    for (int i = 0; i < FILES; i++)
        if (!emit_write_join(old, from, files[i].name) || !emit_write_join(new, to, files[i].name) ||
            rename(old, new) != 0)
            return cannot(new);
    return VERB_OK;
}

static void remove_all(const char *folder, const struct folder_file files[FILES]) {
    char path[LONGEST];
    for (int i = 0; i < FILES; i++)
        if (emit_write_join(path, folder, files[i].name))
            unlink(path);
    rmdir(folder);
}

/* Renames survive a power cut once the folder is synced; some file systems have no sync of folders. */
static int sync_folder(const char *path, int folder) {
    return system_sync(folder) == 0 || errno == EINVAL || errno == ENOTSUP ? VERB_OK : cannot(path);
}

static int write_all(const char *folder, const struct folder_file files[FILES]) {
    char temporary[LONGEST];
    if (!emit_write_join(temporary, folder, TEMPORARY "XXXXXX"))
        return VERB_FAILED;
    if (!mkdtemp(temporary))
        return cannot(folder);
    int code = write_into(temporary, files);
    if (code == VERB_OK)
        code = rename_all(temporary, folder, files);
    remove_all(temporary, files);
    return code;
}

/* One run at a time: files of a running instance must not be removed. */
static int write_locked(const char *folder, int handle, const struct folder_file files[FILES]) {
    bool locked = flock(handle, LOCK_EX | LOCK_NB) == 0;
    if (!locked && errno == EWOULDBLOCK) {
        console_error("%s: another hardnet emit is writing there", folder);
        return VERB_FAILED;
    }
    int code = check_folder(folder, files);
    if (code == VERB_OK && locked)
        sweep(folder);
    if (code == VERB_OK)
        code = write_all(folder, files);
    return code == VERB_OK ? sync_folder(folder, handle) : code;
}

int emit_write(const char *folder, const char *name, const hn_emitted *texts) {
    struct folder_file files[FILES];
    list_files(files, name, texts);
    bool made = mkdir(folder, 0777) == 0;
    if (!made && errno != EEXIST)
        return cannot(folder);
    int handle = system_open_folder(folder);
    int code = handle < 0 ? cannot(folder) : write_locked(folder, handle, files);
    if (handle >= 0)
        system_close(handle);
    if (code != VERB_OK && made)
        rmdir(folder);
    if (code == VERB_OK)
        printf("%s/%s.h, %s.c, example.c, CMakeLists.txt\n", folder, name, name);
    return code;
}
