/* comma_locale.c - see comma_locale.h.
 *
 * SPDX-License-Identifier: MIT */
#include "support/comma_locale.h"

#include "support/scratch.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#define COPY(category, from) category "\ncopy \"" from "\"\nEND " category "\n"

static const char source[] = COPY("LC_CTYPE", "POSIX") COPY("LC_COLLATE", "POSIX") COPY("LC_MONETARY", "POSIX")
    COPY("LC_NUMERIC", "de_DE") COPY("LC_TIME", "POSIX") COPY("LC_MESSAGES", "POSIX");

static bool set(const char *name) {
    return setlocale(LC_ALL, name) && *localeconv()->decimal_point == ',';
}

/* Warns of categories that are missing, and means it well: the exit status is not looked at. */
static bool compile(const struct scratch *scratch) {
    char command[256];
    FILE *file = fopen(scratch_path(scratch, "source"), "w");
    if (!file)
        return false;
    fputs(source, file);
    fclose(file);
    snprintf(command, sizeof command, "cd %s && localedef -c -i ./source -f ANSI_X3.4-1968 ./comma 2>/dev/null",
             scratch->folder);
    return system(command) != -1;
}

static bool set_compiled(void) {
    struct scratch scratch = scratch_create();
    char command[128];
    setenv("LOCPATH", scratch.folder, 1);
    bool done = compile(&scratch) && set("comma");
    snprintf(command, sizeof command, "rm -r %s", scratch.folder);
    return system(command) == 0 && done;
}

bool comma_locale_enter(void) {
    if (set("de_DE.UTF-8") || set_compiled())
        return true;
    setlocale(LC_ALL, "C");
    return false;
}

void comma_locale_leave(void) {
    setlocale(LC_ALL, "C");
}
