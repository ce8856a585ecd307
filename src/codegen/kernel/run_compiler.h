/* run_compiler.h - compiles C text to a shared object with the system's compiler.
 *
 * The compiler is a command such as `cc` or `ccache gcc-12 -m64`: words separated by blanks, without a shell. Our own
 * flags follow. They select the instruction set and disable contraction and all optimisations of -ffast-math. CFLAGS
 * are ignored. The compiler runs in a temporary folder of mode 0700 and in its own process group, so that it can be
 * killed with its children.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_RUN_COMPILER_H
#define HN_CODEGEN_RUN_COMPILER_H

#include "base/file.h"

enum { COMPILER_WORDS = 64, COMPILER_LONGEST = 1024 };

/* Words: the command's, then ours; paths of text and object are added at run time. */
struct compiler {
    char command[COMPILER_LONGEST]; /* as passed by the caller */
    char text[COMPILER_LONGEST];    /* its words, each terminated by 0 */
    const char *words[COMPILER_WORDS + 1];
    size_t count;
};

/* command NULL: $CC, else cc. The struct contains pointers into itself: do not copy it. */
hn_status compiler_choose(struct compiler *compiler, const char *command, hn_instructions instructions,
                          hn_error *error);

/* Checked ten times a second while the compiler runs. */
struct compiler_watch {
    double seconds;                                 /* a time limit */
    const int *cancel;                              /* the compiler is ended when it becomes nonzero; or NULL */
    void (*waiting)(void *context, double seconds); /* or NULL */
    void *context;
};

/* Release out with base_release. A compiler that is missing, fails or is ended is HN_UNSUPPORTED, with the first line
 * of its output. */
hn_status compiler_run(const struct compiler *compiler, const struct compiler_watch *watch, struct file_bytes *out,
                       const char *text, size_t length, hn_error *error);

#endif
