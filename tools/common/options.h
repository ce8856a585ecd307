/* options.h - the parser of command lines, shared by all verbs.
 *
 * A verb describes itself as a struct command (command.h runs it): its options, each with the address that its value
 * goes to, and the texts of its help. `--name value`, `--name=value`, flags, options that may be repeated; what is no
 * option is a file, and `--` ends the options. A mistake is reported by the option's name on stderr. Texts point into
 * argv.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_OPTIONS_H
#define HN_TOOLS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct text_list {
    const char **items; /* released by options_release */
    size_t count, capacity;
};

/* The text is kept where it is; false: out of memory. */
bool text_list_append(struct text_list *list, const char *text);

/* The kind of file that an option names. */
enum file_use {
    FILE_NONE,
    FILE_READ,
    FILE_READ_NAMED, /* NAME=FILE, or FILE */
    FILE_WRITTEN,
};

/* Exactly one of the addresses is set, and says what kind of value the option takes; a flag takes none. A flag with a
 * text and its words may have one of them, as in --compile=try. */
struct option {
    const char *name;  /* without the dashes */
    const char *value; /* placeholder of the value in the help */
    const char *help;
    bool *flag;
    const char **text;
    struct text_list *list;
    size_t *count;            /* a whole number ... */
    size_t least, most;       /* ... in this range; most 0: no limit */
    double *real;             /* a finite number from 0 on ... */
    bool positive;            /* ... and not 0 */
    bool *given;              /* may be NULL: set when the option is there */
    bool shown;               /* the help shows what the address holds: the default */
    enum file_use file;       /* of a text or of each text in a list */
    const char *const *words; /* of a text: the allowed values, NULL after the last; NULL: any text */
};

#define READ_FILE(NAME, VALUE, HELP, ADDRESS)                                                                          \
    { .name = (NAME), .value = (VALUE), .help = (HELP), .text = &(ADDRESS), .file = FILE_READ }
#define WRITTEN_FILE(NAME, VALUE, HELP, ADDRESS)                                                                       \
    { .name = (NAME), .value = (VALUE), .help = (HELP), .text = &(ADDRESS), .file = FILE_WRITTEN }

/* The part of a struct command that follows from its table of options and from its values. */
#define COMMAND_OPTIONS(table, o)                                                                                      \
    .options = (table), .option_count = sizeof(table) / sizeof((table)[0]), .files = &(o).files, .values = &(o)

struct common_options;

struct command {
    const char *name;
    const char *usage; /* after "hardnet NAME" */
    const char *about;
    const char *example; /* lines, each with its newline */
    const struct option *options;
    size_t option_count;
    struct common_options *common; /* NULL: no model is read */
    struct text_list *files;
    bool files_are_reports;      /* each is NAME=FILE[,FILE...], not a part of a model */
    int (*settle)(void *values); /* may be NULL: completes the values before files are looked at; a verb code */
    int (*run)(void *values);    /* does the work; returns a verb code */
    void *values;                /* the addresses of the options point into it */
};

/* Options of every verb that reads a model. */
struct common_options {
    const struct command *command; /* set by command_run */
    struct text_list lets;
    size_t threads; /* 0: all cores */
    bool relax_integrality;
    size_t max_nodes; /* 0: the reader's default */
    bool untrusted;
};

#define COMMON_OPTIONS(common)                                                                                         \
    {.name = "let",                                                                                                    \
     .value = "NAME=VALUE",                                                                                            \
     .help = "override a scalar param of the files; may be repeated",                                                  \
     .list = &(common).lets},                                                                                          \
        {.name = "threads",                                                                                            \
         .value = "N",                                                                                                 \
         .help = "threads to use (all cores)",                                                                         \
         .count = &(common).threads,                                                                                   \
         .least = 1,                                                                                                   \
         .most = 1024},                                                                                                \
        {.name = "relax-integrality",                                                                                  \
         .help = "treat integer and binary variables as continuous",                                                   \
         .flag = &(common).relax_integrality},                                                                         \
        {.name = "untrusted",                                                                                          \
         .help = "untrusted model: it cannot open other files, and its size is limited",                               \
         .flag = &(common).untrusted},                                                                                 \
    {                                                                                                                  \
        .name = "max-nodes", .value = "N", .help = "maximum size of the model, in expression nodes",                   \
        .count = &(common).max_nodes, .least = 1                                                                       \
    }

enum parse { PARSE_DONE, PARSE_HELPED, PARSE_WRONG, PARSE_NO_MEMORY };

/* The last value of this option, or NULL; for defaults that depend on it. */
const char *options_peek(int argc, char **argv, const char *name);

/* argv[0] is the first argument after the verb. PARSE_HELPED: --help was asked for and printed. */
enum parse options_parse(const struct command *command, int argc, char **argv);
/* The exit code of a verb whose options were not PARSE_DONE. */
int options_code(enum parse parse);
void options_release(const struct command *command);

#endif
