/* run_compiler.h - a C text in, a shared object out, by the system's compiler.
 *
 * The compiler is a command such as `cc` or `ccache gcc-12 -m64`: words that blanks part, no shell. Our own flags come after its
 * words. They say the instruction set and forbid what changes bits: contraction, and everything that -ffast-math stands for. CFLAGS
 * are not read. It works in a folder of its own, mode 0700, that is gone afterwards, and in a process group of its own: one that
 * must not go on is ended with all of its children.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_RUN_COMPILER_H
#define HN_CODEGEN_RUN_COMPILER_H

#include "base/file.h"

enum { COMPILER_WORDS = 64, COMPILER_LONGEST = 1024 };

/* Words: the command's, then ours; the last two, where the text is and where the object goes, are put in when it runs. */
struct compiler {
    char command[COMPILER_LONGEST]; /* as it was given */
    char text[COMPILER_LONGEST];    /* its words, each with a 0 behind it */
    const char *words[COMPILER_WORDS + 1];
    size_t count;
};

/* command NULL: $CC, else cc. The compiler points into itself: it is not copied. */
hn_status compiler_choose(struct compiler *compiler, const char *command, hn_instructions instructions,
                          hn_error *error);

/* What happens while the compiler works, ten times a second. */
struct compiler_watch {
    double seconds;                                 /* after as many it is ended */
    const int *cancel;                              /* not 0: it is ended; or NULL */
    void (*waiting)(void *context, double seconds); /* or NULL */
    void *context;
};

/* out is released with base_release. A compiler that is not there, fails or is ended is HN_UNSUPPORTED, with the first of what it said. */
hn_status compiler_run(const struct compiler *compiler, const struct compiler_watch *watch, struct file_bytes *out,
                       const char *text, size_t length, hn_error *error);

#endif
