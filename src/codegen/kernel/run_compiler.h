/* run_compiler.h - compiles C text to a shared object with the system's compiler.
 *
 * The compiler is a command such as `cc` or `ccache gcc-12 -m64`: words separated by blanks, without a shell. Our own flags follow. They
 * select the instruction set and forbid what changes bits: contraction, and everything that -ffast-math allows. CFLAGS are not read. It
 * works in a temporary folder of mode 0700 and in its own process group: it is ended with all of its children.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_RUN_COMPILER_H
#define HN_CODEGEN_RUN_COMPILER_H

#include "base/file.h"

enum { COMPILER_WORDS = 64, COMPILER_LONGEST = 1024 };

/* Words: the command's, then ours; the paths of text and object are added when it runs. */
struct compiler {
    char command[COMPILER_LONGEST]; /* as the caller wrote it */
    char text[COMPILER_LONGEST];    /* its words, each with a 0 behind it */
    const char *words[COMPILER_WORDS + 1];
    size_t count;
};

/* command NULL: $CC, else cc. The compiler points into itself: it is not copied. */
hn_status compiler_choose(struct compiler *compiler, const char *command, hn_instructions instructions,
                          hn_error *error);

/* Checked while the compiler works, ten times a second. */
struct compiler_watch {
    double seconds;                                 /* a time limit */
    const int *cancel;                              /* not 0: the compiler is ended; or NULL */
    void (*waiting)(void *context, double seconds); /* or NULL */
    void *context;
};

/* out is released with base_release. A compiler that is missing, fails or is ended is HN_UNSUPPORTED, with the first line of its output. */
hn_status compiler_run(const struct compiler *compiler, const struct compiler_watch *watch, struct file_bytes *out,
                       const char *text, size_t length, hn_error *error);

#endif
