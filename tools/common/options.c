/* options.c - see options.h.
 *
 * SPDX-License-Identifier: MIT */
#include "common/options.h"

#include "base/arena.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "common/console.h"
#include "common/verbs.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- help ---- */

static void print_option(const struct option *option) {
    char left[64];
    if (option->flag && option->value)
        snprintf(left, sizeof left, "--%s[=%s]", option->name, option->value);
    else
        snprintf(left, sizeof left, "--%s%s%s", option->name, option->value ? " " : "",
                 option->value ? option->value : "");
    printf("  %-25s %s", left, option->help);
    if (option->shown && option->count)
        printf(" (%zu)", *option->count);
    else if (option->shown && option->real)
        printf(" (%g)", *option->real);
    else if (option->shown && option->text && *option->text)
        printf(" (%s)", *option->text);
    printf("\n");
}

static void print_help(const struct command *command) {
    const char *bold = console_tone(stdout, TONE_HEADING), *plain = console_plain(stdout);
    printf("%sUsage:%s hardnet %s %s\n\n%s\n\n", bold, plain, command->name, command->usage, command->about);
    printf("%sOptions%s (defaults in parentheses)\n", bold, plain);
    for (size_t i = 0; i < command->option_count; i++)
        print_option(&command->options[i]);
    printf("  %-25s %s\n", "--help", "print this help");
    printf("\n%sExample%s\n%s", bold, plain, command->example);
}

/* ---- mistakes ---- */

__attribute__((format(printf, 2, 3))) static enum parse wrong(const struct command *command, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    console_error("%s", text);
    fprintf(stderr, "See hardnet %s --help.\n", command->name);
    return PARSE_WRONG;
}

static enum parse options_no_memory(void) {
    console_error("options: out of memory");
    return PARSE_NO_MEMORY;
}

static enum parse unknown(const struct command *command, const char *name, size_t length) {
    char given[64];
    struct suggestion suggestion = {.best = NULL};
    snprintf(given, sizeof given, "%.*s", (int)(length < sizeof given ? length : sizeof given - 1), name);
    for (size_t i = 0; i < command->option_count; i++)
        suggest_consider(&suggestion, given, command->options[i].name);
    suggest_consider(&suggestion, given, "help");
    if (suggestion.best)
        return wrong(command, "--%s: unknown option; did you mean --%s?", given, suggestion.best);
    return wrong(command, "--%s: unknown option", given);
}

/* ---- values ---- */

bool text_list_append(struct text_list *list, const char *text) {
    void *moved = array_grow(list->items, &list->capacity, list->count + 1, sizeof *list->items);
    if (!moved)
        return false;
    list->items = moved;
    list->items[list->count++] = text;
    return true;
}

static bool whole_number(const char *text, size_t *value) {
    if (*text == '\0' || strspn(text, "0123456789") != strlen(text))
        return false;
    errno = 0;
    unsigned long long number = strtoull(text, NULL, 10);
    if (errno != 0 || number > SIZE_MAX)
        return false;
    *value = (size_t)number;
    return true;
}

static enum parse store_count(const struct command *command, const struct option *option, const char *text) {
    size_t most = option->most ? option->most : SIZE_MAX, value = 0;
    if (whole_number(text, &value) && value >= option->least && value <= most) {
        *option->count = value;
        return PARSE_DONE;
    }
    if (option->most)
        return wrong(command, "--%s: '%s' is not a whole number from %zu to %zu", option->name, text, option->least,
                     most);
    return wrong(command, "--%s: '%s' is not a whole number of at least %zu", option->name, text, option->least);
}

/* strtod takes leading blanks too, and words such as inf and 0x1p3; the first are not a number here, and inf is not
 * finite. */
static enum parse store_real(const struct command *command, const struct option *option, const char *text) {
    char *end = NULL;
    double value = strtod(text, &end);
    bool number = end != text && *end == '\0' && !isspace((unsigned char)*text) && isfinite(value);
    if (number && (option->positive ? value > 0 : value >= 0)) {
        *option->real = value;
        return PARSE_DONE;
    }
    return wrong(command, "--%s: '%s' is not a finite number %s", option->name, text,
                 option->positive ? "above 0" : "of at least 0");
}

static enum parse store_word(const struct command *command, const struct option *option, const char *text) {
    struct suggestion suggestion = {.best = NULL};
    char known[128] = "";
    for (const char *const *word = option->words; *word; word++) {
        size_t used = strlen(known);
        if (strcmp(*word, text) == 0) {
            *option->text = *word;
            return PARSE_DONE;
        }
        snprintf(known + used, sizeof known - used, "%s%s", used > 0 ? ", " : "", *word);
        suggest_consider(&suggestion, text, *word);
    }
    if (suggestion.best)
        return wrong(command, "--%s: '%s' is not one of %s; did you mean %s?", option->name, text, known,
                     suggestion.best);
    return wrong(command, "--%s: '%s' is not one of %s", option->name, text, known);
}

static enum parse store(const struct command *command, const struct option *option, const char *text) {
    if (option->given)
        *option->given = true;
    if (option->count)
        return store_count(command, option, text);
    if (*text == '\0')
        return wrong(command, "--%s: %s is missing", option->name, option->value);
    if (option->real)
        return store_real(command, option, text);
    if (option->words)
        return store_word(command, option, text);
    if (option->text)
        *option->text = text;
    else if (!text_list_append(option->list, text))
        return options_no_memory();
    return PARSE_DONE;
}

/* ---- the line ---- */

static const struct option *options_find(const struct command *command, const char *name, size_t length) {
    for (size_t i = 0; i < command->option_count; i++) {
        const struct option *option = &command->options[i];
        if (strncmp(option->name, name, length) == 0 && option->name[length] == '\0')
            return option;
    }
    return NULL;
}

/* argv[*at] is an option; *at moves on over the value that follows it. */
static enum parse parse_option(const struct command *command, int argc, char **argv, int *at) {
    const char *name = argv[*at] + 2, *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const struct option *option = options_find(command, name, length);
    if (!option)
        return unknown(command, name, length);
    if (option->flag) {
        if (equals && !option->words)
            return wrong(command, "--%s takes no value", option->name);
        *option->flag = true;
        return equals ? store_word(command, option, equals + 1) : PARSE_DONE;
    }
    if (!equals && *at + 1 >= argc)
        return wrong(command, "--%s: %s is missing", option->name, option->value);
    return store(command, option, equals ? equals + 1 : argv[++*at]);
}

static bool asks_for_help(int argc, char **argv) {
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}

const char *options_peek(int argc, char **argv, const char *name) {
    size_t length = strlen(name);
    const char *found = NULL;
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const char *own = strncmp(argv[i], "--", 2) == 0 ? argv[i] + 2 : "";
        if (strncmp(own, name, length) != 0)
            continue;
        if (own[length] == '=')
            found = own + length + 1;
        else if (own[length] == '\0' && i + 1 < argc)
            found = argv[i + 1];
    }
    return found;
}

enum parse options_parse(const struct command *command, int argc, char **argv) {
    bool ended = false;
    enum parse result = PARSE_DONE;
    if (asks_for_help(argc, argv)) {
        print_help(command);
        return PARSE_HELPED;
    }
    for (int i = 0; i < argc && result == PARSE_DONE; i++) {
        const char *argument = argv[i];
        if (!ended && strcmp(argument, "--") == 0)
            ended = true;
        else if (!ended && strncmp(argument, "--", 2) == 0)
            result = parse_option(command, argc, argv, &i);
        else if (!ended && argument[0] == '-' && argument[1] != '\0')
            result = wrong(command, "%s: unknown option; options start with two dashes", argument);
        else if (!text_list_append(command->files, argument))
            result = options_no_memory();
    }
    return result;
}

void options_release(const struct command *command) {
    for (size_t i = 0; i < command->option_count; i++)
        if (command->options[i].list)
            base_release(command->options[i].list->items);
    base_release(command->files->items);
}

int options_code(enum parse parse) {
    static const int codes[] = {[PARSE_DONE] = VERB_OK,
                                [PARSE_HELPED] = VERB_OK,
                                [PARSE_WRONG] = VERB_MISUSED,
                                [PARSE_NO_MEMORY] = VERB_FAILED};
    return codes[parse];
}
