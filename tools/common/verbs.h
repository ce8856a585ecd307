/* verbs.h - the verbs: functions from the arguments after the verb to the exit code.
 *
 * A new verb is a file NAME/verb_NAME.c, its line here and its line in the table of main.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_VERBS_H
#define HN_TOOLS_VERBS_H

#include "hardnet/base.h"

/* The contract of the command line. */
enum verb_code {
    VERB_OK = 0,
    VERB_FAILED = 1,        /* model, file or machine */
    VERB_MISUSED = 2,       /* options or array shapes */
    VERB_NOT_OK = 3,        /* some sample is not ok */
    VERB_INTERRUPTED = 130, /* Ctrl-C */
    VERB_TERMINATED = 143,  /* SIGTERM, where it is waited for */
};

/* Prints the error; returns VERB_FAILED. */
int verb_explain(const hn_error *error);

/* Prints the misuse and a pointer to the help; returns VERB_MISUSED. */
int verb_misuse(const char *verb, const char *text);

int verb_check(int argc, char **argv);
int verb_project(int argc, char **argv);
int verb_solve(int argc, char **argv);
int verb_bench(int argc, char **argv);
int verb_compile(int argc, char **argv);
int verb_table(int argc, char **argv);
int verb_write(int argc, char **argv);
int verb_train(int argc, char **argv);
int verb_eval(int argc, char **argv);
int verb_rollout(int argc, char **argv);
int verb_emit(int argc, char **argv);

#endif
