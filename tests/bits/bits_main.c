/* bits_main.c - bits OUT MODELS SEED COUNT: the records of all model files below MODELS and of COUNT random problems. See bits.h.
 *
 * SPDX-License-Identifier: MIT */
#include "bits.h"

#include <stdlib.h>

enum { NAME_BYTES = 64 };

static void run_random(FILE *out, uint64_t seed, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        struct problem problem;
        char name[NAME_BYTES];
        bits_random_problem_make(&problem, name, sizeof name, seed, i);
        bits_run_problem(out, &problem);
        bits_problem_release(&problem);
    }
}

int main(int argc, char **argv) {
    FILE *out = argc == 5 ? fopen(argv[1], "wb") : NULL;
    if (!out) {
        fputs("usage: bits OUT MODELS SEED COUNT\n", stderr);
        return 2;
    }
    uint64_t seed = strtoull(argv[3], NULL, 10), count = strtoull(argv[4], NULL, 10);
    size_t files = bits_run_files(out, argv[2], seed);
    run_random(out, seed, count);
    printf("%zu model files, samples from seed %s; %s random problems of tests/bits/bits_random.c, seed %s\n", files,
           argv[3], argv[4], argv[3]);
    return fclose(out) == 0 ? 0 : 2;
}
