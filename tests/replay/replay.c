/* replay.c - runs a fuzz target over files instead of a fuzzer's inventions: every file below the folders given.
 *
 * A finding is a crash, an abort or a sanitizer's report; otherwise it says how many files there were. The folders are walked by
 * scandir: MemorySanitizer knows what that writes, and not what nftw does.
 *
 * SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PATH_BYTES = 4096 };

static size_t files;

static void give_up(const char *path) {
    fprintf(stderr, "replay: cannot read %s\n", path);
    exit(1);
}

static void replay_file(const char *path, size_t size) {
    uint8_t *bytes = malloc(size > 0 ? size : 1); /* exactly as large as asked for, so that ASan sees a byte too many */
    FILE *file = fopen(path, "rb");
    if (!bytes || !file || fread(bytes, 1, size, file) != size)
        give_up(path);
    LLVMFuzzerTestOneInput(bytes, size);
    files++;
    fclose(file);
    free(bytes);
}

static int is_below(const struct dirent *entry) {
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static void replay(const char *path) {
    struct stat facts;
    struct dirent **entries;
    if (stat(path, &facts) != 0)
        give_up(path);
    if (!S_ISDIR(facts.st_mode)) {
        replay_file(path, (size_t)facts.st_size);
        return;
    }
    int count = scandir(path, &entries, is_below, alphasort);
    if (count < 0)
        give_up(path);
    for (int i = 0; i < count; i++) {
        char below[PATH_BYTES];
        int length = snprintf(below, sizeof below, "%s/%s", path, entries[i]->d_name);
        if (length < 0 || length >= PATH_BYTES)
            give_up(path);
        replay(below);
        free(entries[i]);
    }
    free(entries);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        replay(argv[i]);
    printf("%zu files, no finding\n", files);
    return files > 0 ? 0 : 1;
}
