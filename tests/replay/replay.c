/* replay.c - runs a fuzz target over files instead of a fuzzer's inventions: every file below the folders given.
 *
 * A finding is a crash, an abort or a sanitizer's report; otherwise it says how many files there were.
 *
 * SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700 /* nftw */
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t files;

static int replay_file(const char *path, const struct stat *facts, int kind, struct FTW *place) {
    (void)place;
    if (kind != FTW_F)
        return 0;
    size_t size = (size_t)facts->st_size;
    uint8_t *bytes = malloc(size + 1); /* exactly as large as asked for, so that ASan sees a byte too many */
    FILE *file = fopen(path, "rb");
    if (bytes && file && fread(bytes, 1, size, file) == size) {
        uint8_t *exact = realloc(bytes, size > 0 ? size : 1);
        bytes = exact ? exact : bytes;
        LLVMFuzzerTestOneInput(bytes, size);
        files++;
    } else {
        fprintf(stderr, "replay: cannot read %s\n", path);
        exit(1);
    }
    fclose(file);
    free(bytes);
    return 0;
}

int main(int argc, char **argv) {
    enum { FOLDERS_OPEN = 16 };
    for (int i = 1; i < argc; i++)
        if (nftw(argv[i], replay_file, FOLDERS_OPEN, FTW_PHYS) != 0) {
            fprintf(stderr, "replay: cannot walk %s\n", argv[i]);
            return 1;
        }
    printf("%zu files, no finding\n", files);
    return files > 0 ? 0 : 1;
}
