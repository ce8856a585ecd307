/* script.c - see script.h.
 *
 * SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "support/script.h"

#include "support/check.h"

#include <sys/wait.h>

enum { SKIPPED = 77 };

/* All that a stream gives, with a zero behind it. */
static char *read_all(FILE *stream) {
    size_t size = 1 << 16, length = 0, got;
    char *text = malloc(size);
    while (text && (got = fread(text + length, 1, size - length - 1, stream)) > 0) {
        length += got;
        if (size - length < 2)
            text = realloc(text, size *= 2);
    }
    if (text)
        text[length] = '\0';
    return text;
}

static char *output_of(const char *script) {
    const char *python = getenv("HN_TEST_PYTHON");
    char command[1024];
    fflush(NULL);
    snprintf(command, sizeof command, "'%s' -B %s", python ? python : "python3", script);
    FILE *stream = popen(command, "r");
    char *text = stream ? read_all(stream) : NULL;
    int status = stream ? pclose(stream) : -1;
    if (text && status == 0)
        return text;
    bool skipped = WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED;
    if (skipped && text)
        printf("%s", text);
    free(text);
    if (skipped)
        exit(SKIPPED);
    fprintf(stderr, "%s: status %d\n", command, status);
    exit(1);
}

/* The next line that starts with the word and a blank, from a line's start on. */
static char *next_table(char *line, const char *word) {
    size_t length = strlen(word);
    while (line && !(strncmp(line, word, length) == 0 && line[length] == ' ')) {
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    return line;
}

static char *name_of(const char *line, const char *word) {
    const char *name = line + strlen(word) + 1;
    size_t length = strcspn(name, "\n");
    char *copy = calloc(length + 1, 1);
    assert_non_null(copy);
    memcpy(copy, name, length);
    return copy;
}

struct script_tables script_tables(const char *script, const char *word) {
    struct script_tables tables = {.text = output_of(script)};
    for (char *line = next_table(tables.text, word), *next; line; line = next) {
        next = strchr(line, '\n');
        next = next_table(next ? next + 1 : NULL, word);
        tables.table = realloc(tables.table, (tables.count + 1) * sizeof *tables.table);
        assert_non_null(tables.table);
        tables.table[tables.count++] = (struct script_table){
            .name = name_of(line, word), .text = line, .length = next ? (size_t)(next - line) : strlen(line)};
    }
    return tables;
}

void script_tables_release(struct script_tables *tables) {
    for (size_t i = 0; i < tables->count; i++)
        free(tables->table[i].name);
    free(tables->table);
    free(tables->text);
}

FILE *script_table_open(const struct script_table *table) {
    FILE *file = fmemopen(table->text, table->length, "r");
    if (!file)
        fail_msg("%s: no table", table->name);
    return file;
}
