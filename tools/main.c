/* main.c - the command line: hardnet VERB MODEL.mod [DATA.dat ...] [options].
 *
 * Knows the verbs by name and hands over. Exit codes are in verbs.h; docs/hardnet.1 is the manual.
 *
 * SPDX-License-Identifier: MIT */
#include "base/suggest.h"
#include "common/console.h"
#include "common/verbs.h"

#include <stdio.h>
#include <string.h>

struct verb {
    const char *name;
    int (*run)(int argc, char **argv); /* the arguments after the verb */
    const char *summary;
};

static const struct verb verbs[] = {
    {"check", verb_check, "report the contents of a model, check its derivatives, list findings"},
    {"project", verb_project, "correct outputs onto the constraints, with a status for every sample"},
    {"solve", verb_solve, "find the optimum of every sample, with a certificate"},
    {"bench", verb_bench, "time the correction and its gradient"},
    {"compile", verb_compile, "compile the correction for a model, so that batches run several times as fast"},
    {"write", verb_write, "write a model, with its data, as one file with the same fingerprints"},
    {"table", verb_table, "compare reports side by side"},
    {"train", verb_train, "train a network whose corrected outputs satisfy the constraints"},
    {"eval", verb_eval, "evaluate a trained network: statuses, violations, objective, time"},
    {"rollout", verb_rollout, "run trained networks and a solver in closed loop: paths, costs, margins"},
    {"emit", verb_emit, "write the layer and its network as C99 for a controller without heap or operating system"},
};
enum { VERBS = sizeof verbs / sizeof verbs[0] };

static void print_help(FILE *stream) {
    const char *bold = console_tone(stream, TONE_HEADING), *plain = console_plain(stream);
    fprintf(stream, "hardnet - hard constraints on the outputs of neural networks\n\n");
    fprintf(stream, "%sUsage:%s hardnet VERB MODEL.mod [DATA.dat ...] [options]\n\n%sVerbs%s\n", bold, plain, bold,
            plain);
    for (size_t i = 0; i < VERBS; i++)
        fprintf(stream, "  %-10s %s\n", verbs[i].name, verbs[i].summary);
    fprintf(stream, "\nhardnet help VERB explains a verb and shows an example; hardnet version prints the version.\n");
    fprintf(stream,
            "Exit codes: 0 all went well; 1 an error in the model, a file or the machine; 2 wrong options or array\n"
            "shapes; 3 some sample is not ok, or a controller left the box of its inputs; 130 interrupted.\n");
}

static int unknown_verb(const char *given) {
    struct suggestion suggestion = {.best = NULL};
    for (size_t i = 0; i < VERBS; i++)
        suggest_consider(&suggestion, given, verbs[i].name);
    suggest_consider(&suggestion, given, "help");
    suggest_consider(&suggestion, given, "version");
    if (suggestion.best)
        console_error("%s: unknown verb; did you mean %s?", given, suggestion.best);
    else
        console_error("%s: unknown verb", given);
    fprintf(stderr, "See hardnet --help.\n");
    return VERB_MISUSED;
}

static int print_version(void) {
    printf("hardnet %d.%d.%d\n", HN_VERSION_MAJOR, HN_VERSION_MINOR, HN_VERSION_PATCH);
    return VERB_OK;
}

static const struct verb *main_find(const char *name) {
    for (size_t i = 0; i < VERBS; i++)
        if (strcmp(name, verbs[i].name) == 0)
            return &verbs[i];
    return NULL;
}

/* hardnet help [VERB] */
static int help(int argc, char **argv) {
    char option[] = "--help", *arguments[] = {option, NULL};
    const struct verb *verb = argc > 0 ? main_find(argv[0]) : NULL;
    if (argc > 0 && !verb)
        return unknown_verb(argv[0]);
    if (verb)
        return verb->run(1, arguments);
    print_help(stdout);
    return VERB_OK;
}

static bool is_either(const char *given, const char *word, const char *option) {
    return strcmp(given, word) == 0 || strcmp(given, option) == 0;
}

static int main_run(int argc, char **argv) {
    if (argc < 2) {
        print_help(stderr);
        return VERB_MISUSED;
    }
    if (is_either(argv[1], "help", "--help") || strcmp(argv[1], "-h") == 0)
        return help(argc - 2, argv + 2);
    if (is_either(argv[1], "version", "--version"))
        return print_version();
    const struct verb *verb = main_find(argv[1]);
    return verb ? verb->run(argc - 2, argv + 2) : unknown_verb(argv[1]);
}

int main(int argc, char **argv) {
    console_catch_interrupt();
    return console_finish(main_run(argc, argv));
}
