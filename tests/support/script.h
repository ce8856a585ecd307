/* script.h - expected values that a Python script of the tests prints while the test runs; they are not stored.
 *
 * The script prints one table after the other. A table starts with a line "WORD NAME".
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_SUPPORT_SCRIPT_H
#define HN_TESTS_SUPPORT_SCRIPT_H

#include <stdio.h>

struct script_tables {
    char *text; /* all that the script printed */
    size_t count;
    struct script_table {
        char *name;
        char *text; /* from its first line */
        size_t length;
    } * table;
};

/* Runs the script with the interpreter HN_TEST_PYTHON (python3 without). Ends the test when the script fails: with 77 (skipped)
 * when the script does because a package is missing, otherwise with 1. Call it before cmocka. */
struct script_tables script_tables(const char *script, const char *word);
void script_tables_release(struct script_tables *tables);

/* The lines of a table, to be read and closed. */
FILE *script_table_open(const struct script_table *table);

#endif
