/* command_line.h - what every benchmark does with its command line: --help prints what it takes, and what it does not know it
 * refuses by name.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BENCH_COMMAND_LINE_H
#define HN_BENCH_COMMAND_LINE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMMAND_LINE_WRONG = 2 };

/* Ends the program: the word is nothing that it takes. */
static inline void command_line_refuse(const char *program, const char *word) {
    fprintf(stderr, "%s: %s is not understood; see --help\n", program, word);
    exit(COMMAND_LINE_WRONG);
}

/* Where --help is among the words: prints the help and ends the program. Then looks for options that are none of these (NULL: the
 * end of the list), and for more than `most` words besides. */
static inline void command_line_check(int count, char **words, const char *help, const char *const *options, int most) {
    const char *name = strrchr(words[0], '/') ? strrchr(words[0], '/') + 1 : words[0];
    for (int i = 1; i < count; i++)
        if (strcmp(words[i], "--help") == 0 || strcmp(words[i], "-h") == 0) {
            fputs(help, stdout);
            exit(0);
        }
    for (int i = 1; i < count; i++) {
        const char *const *option = options;
        while (*option && strcmp(*option, words[i]) != 0)
            option++;
        if (!*option && (words[i][0] == '-' || most-- <= 0))
            command_line_refuse(name, words[i]);
    }
}

#endif
