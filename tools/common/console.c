/* console.c - see console.h.
 *
 * SPDX-License-Identifier: MIT */
#include "common/console.h"

#include "base/utf8.h"
#include "common/verbs.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { MOST_TEXT = 16384 }; /* of a message: several paths fit */

/* ---- terminals ---- */

bool console_is_terminal(FILE *stream) {
    return isatty(fileno(stream)) == 1;
}

bool console_rewrites(FILE *stream) {
    const char *terminal = getenv("TERM");
    return console_is_terminal(stream) && terminal && strcmp(terminal, "dumb") != 0;
}

static bool wants_colour(FILE *stream) {
    const char *no_colour = getenv("NO_COLOR");
    return !(no_colour && *no_colour) && console_rewrites(stream);
}

const char *console_tone(FILE *stream, enum tone tone) {
    static const char sequences[][8] = {
        [TONE_HEADING] = "\033[1m",  [TONE_GOOD] = "\033[32m", [TONE_WARNING] = "\033[33m",
        [TONE_ERROR] = "\033[1;31m", [TONE_FAINT] = "\033[2m",
    };
    return wants_colour(stream) ? sequences[tone] : "";
}

const char *console_plain(FILE *stream) {
    return wants_colour(stream) ? "\033[0m" : "";
}

size_t console_columns(FILE *stream) {
    enum { USUAL = 80, MOST = 1000 };
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    long width = 0;
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        width = size.ws_col;
    else if (columns)
        width = strtol(columns, NULL, 10);
    return width <= 0 ? USUAL : width > MOST ? MOST : (size_t)width;
}

size_t console_width(void) {
    enum { LEAST = 40 };
    size_t width = console_columns(stdout);
    return width < LEAST ? LEAST : width;
}

/* ---- messages ---- */

void console_put(FILE *stream, const char *text) {
    while (*text) {
        char piece[PRINTABLE_PIECE] = "";
        fwrite(piece, 1, printable_piece(&text, piece), stream);
    }
}

__attribute__((format(printf, 3, 0))) static void message(enum tone tone, const char *kind, const char *format,
                                                          va_list arguments) {
    char text[MOST_TEXT];
    vsnprintf(text, sizeof text, format, arguments);
    fflush(stdout); /* keeps the order if both streams go to the same file */
    if (console_rewrites(stderr))
        fputs("\r\033[K", stderr); /* in place of a line of progress */
    fprintf(stderr, "hardnet: %s%s%s", console_tone(stderr, tone), kind, console_plain(stderr));
    console_put(stderr, text);
    fputc('\n', stderr);
}

void console_error(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    message(TONE_ERROR, "error: ", format, arguments);
    va_end(arguments);
}

void console_warning(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    message(TONE_WARNING, "warning: ", format, arguments);
    va_end(arguments);
}

void console_remark(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    message(TONE_FAINT, "", format, arguments);
    va_end(arguments);
}

/* Prints the line of the source and marks the subject of the message under it. */
static void show_excerpt(const hn_message *note) {
    fputs("    ", stderr);
    console_put(stderr, note->excerpt);
    fprintf(stderr, "\n    %*s%s^%s\n", (int)note->caret, "", console_tone(stderr, TONE_ERROR), console_plain(stderr));
}

void console_hint(const char *hint) {
    fputs("    ", stderr);
    console_put(stderr, hint);
    fputc('\n', stderr);
}

void console_note(const hn_message *note) {
    static const char words[][8] = {"note", "warning", "error"};
    static const enum tone tones[] = {TONE_FAINT, TONE_WARNING, TONE_ERROR};
    console_put(stderr, note->file ? note->file : "hardnet");
    fputc(':', stderr);
    if (note->line > 0)
        fprintf(stderr, "%zu:%zu:", note->line, note->column);
    fprintf(stderr, " %s%s:%s ", console_tone(stderr, tones[note->severity]), words[note->severity],
            console_plain(stderr));
    console_put(stderr, note->text);
    fputc('\n', stderr);
    if (note->excerpt && note->severity == HN_SEVERITY_ERROR)
        show_excerpt(note);
    if (note->hint)
        console_hint(note->hint);
}

int console_finish(int code) {
    bool failed = ferror(stdout) != 0;
    if (fflush(stdout) != 0 || failed) {
        console_error("cannot write to standard output: %s", errno ? strerror(errno) : "an earlier write failed");
        return VERB_FAILED;
    }
    return code;
}

/* ---- Ctrl-C ---- */

static void leave(int number) {
    (void)number;
    _exit(VERB_INTERRUPTED);
}

void console_catch_interrupt(void) {
    struct sigaction action = {.sa_handler = leave}, before;
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGINT, NULL, &before) == 0 && before.sa_handler != SIG_IGN) /* ignored: a background job */
        sigaction(SIGINT, &action, NULL);
}

static void mask_interrupt(int how) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigprocmask(how, &set, NULL);
}

void console_hold_interrupt(void) {
    mask_interrupt(SIG_BLOCK);
}

void console_release_interrupt(void) {
    mask_interrupt(SIG_UNBLOCK);
}
