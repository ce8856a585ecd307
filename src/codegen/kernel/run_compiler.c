/* run_compiler.c - see run_compiler.h.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/kernel/run_compiler.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/launch.h"
#include "base/memory.h"
#include "codegen/kernel/kernel_source.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

enum { OBJECT_MOST = 1 << 30, SAID_MOST = 1 << 20, SHOWN = 240 };
static const double PAUSE_SECONDS = 0.1, PATIENCE_SECONDS = 2;

static struct error_subject about(const struct compiler *compiler) {
    return (struct error_subject){.code = HN_CODE_COMPILER, .name = compiler->command};
}

/* ---- words ---- */

static hn_status add_word(struct compiler *compiler, const char *word, hn_error *error) {
    if (compiler->count >= COMPILER_WORDS)
        return error_about(error, HN_LIMIT, about(compiler), "the compiler %s: more than %d words", compiler->command,
                           COMPILER_WORDS);
    compiler->words[compiler->count++] = word;
    compiler->words[compiler->count] = NULL;
    return HN_OK;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n';
}

static hn_status split_words(struct compiler *compiler, hn_error *error) {
    hn_status status = HN_OK;
    for (char *at = compiler->text; *at && status == HN_OK;) {
        while (is_blank(*at))
            *at++ = '\0';
        if (*at)
            status = add_word(compiler, at, error);
        while (*at && !is_blank(*at))
            at++;
    }
    return status;
}

/* Our flags come last because they fix the bits: no -ffast-math, then the flags of the generator. Warnings are off. */
static hn_status add_flags(struct compiler *compiler, hn_instructions instructions, hn_error *error) {
    enum { FIRST = 3, MOST = 32 };
    const char *flags[MOST + 1] = {"-fno-fast-math", "-fno-unsafe-math-optimizations", generate_level()};
    size_t count = FIRST + generate_flags(instructions, flags + FIRST, MOST - FIRST);
    hn_status status = HN_OK;
    flags[count++] = "-w";
    for (size_t i = 0; i < count && status == HN_OK; i++)
        status = add_word(compiler, flags[i], error);
    return status;
}

hn_status compiler_choose(struct compiler *compiler, const char *command, hn_instructions instructions,
                          hn_error *error) {
    if (launch_is_privileged()) /* posix_spawnp would search the caller's PATH with the rights of the program's owner */
        return error_about(error, HN_UNSUPPORTED, error_option("compiler"),
                           "this program runs with more rights than its user and does not start a compiler");
    const char *given = command ? command : launch_variable("CC");
    bool empty = !given || given[strspn(given, " \t\n")] == '\0';
    if (empty && command)
        return error_about(error, HN_INVALID, error_option("compiler"), "compiler: the command is empty");
    *compiler = (struct compiler){.count = 0};
    size_t length = strlen(empty ? "cc" : given);
    if (length >= COMPILER_LONGEST)
        return error_about(error, HN_LIMIT, error_option("compiler"), "compiler: more than %d bytes", COMPILER_LONGEST);
    memcpy(compiler->command, empty ? "cc" : given, length);
    memcpy(compiler->text, compiler->command, length);
    hn_status status = split_words(compiler, error);
    return status == HN_OK ? add_flags(compiler, instructions, error) : status;
}

/* ---- the output of a compiler ---- */

/* The first line that mentions an error, else the first line; truncated, without control characters. */
static void first_words(const char *said, char shown[SHOWN]) {
    const char *line = NULL;
    for (const char *at = said; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        size_t length = strcspn(at, "\n");
        const char *word = strstr(at, "error");
        if (!line && length > 0)
            line = at;
        if (word && word < at + length) {
            line = at;
            break;
        }
    }
    size_t length = line ? strcspn(line, "\n") : 0;
    length = length < SHOWN ? length : SHOWN - 1;
    for (size_t i = 0; i < length; i++)
        shown[i] = (unsigned char)line[i] < ' ' ? ' ' : line[i];
    shown[length] = '\0';
}

static hn_status complain(const struct compiler *compiler, int how, const char *output, hn_error *error) {
    struct file_bytes said = {NULL, 0};
    char shown[SHOWN] = "";
    if (file_read(&said, output, SAID_MOST, NULL) == HN_OK)
        first_words((const char *)said.data, shown);
    base_release(said.data);
    return error_about(
        error, HN_UNSUPPORTED, about(compiler),
        WIFSIGNALED(how) ? "the compiler %s was ended by signal %d%s%s" : "the compiler %s failed (exit code %d)%s%s",
        compiler->command, WIFSIGNALED(how) ? WTERMSIG(how) : WEXITSTATUS(how), shown[0] ? ": " : "", shown);
}

/* ---- the folder in which the compiler works ----
 *
 * It is new, of mode 0700, named hardnet-kernel-XXXXXX, in TMPDIR or /tmp. It is also the compiler's TMPDIR, so that
 * all temporary files are removed with it. A killed process leaves its folder: a later one removes folders of that name
 * that belong to the same user, contain the text and have not changed for a day.
 *
 * The compiler reads its text and writes its object by their paths, so no other user may rename a folder of these
 * paths: a folder that others may write to needs the sticky bit. Files are removed through the open folder that was
 * checked, not by a path. */

struct workshop {
    char folder[FILE_LONGEST], text[FILE_LONGEST], object[FILE_LONGEST], output[FILE_LONGEST];
};

static const char prefix[] = "hardnet-kernel-", text_name[] = "kernel.c";
enum {
    RANDOM_LETTERS = 6,
    FOLDER_MOST = FILE_LONGEST - 64,
    FOR_OTHERS = 0077,
    OTHERS_MAY_WRITE = 0022,
    STICKY = 01000,
    NOBODY = 65534
};
static const double STALE_SECONDS = 24 * 3600;

static const char *parent_folder(void) {
    const char *given = launch_variable("TMPDIR");
    return given && given[0] == '/' ? given : "/tmp";
}

/* ---- removing ---- */

static void remove_file(void *context, const char *name) {
    system_remove_in(*(const int *)context, name);
}

static bool is_stale(int folder) {
    struct system_facts facts;
    return launch_facts(folder, &facts) == 0 && facts.owner == launch_user() && (facts.mode & FOR_OTHERS) == 0 &&
           launch_age(folder) > STALE_SECONDS;
}

static void look_for_text(void *context, const char *name) {
    bool *found = context;
    *found = *found || strcmp(name, text_name) == 0;
}

/* A folder of this name without the text may belong to another program: it is removed if it is empty. */
static void remove_workshop(const char *path, bool stale_only) {
    int folder = launch_open_folder(path);
    bool has_text = false;
    if (folder < 0)
        return;
    bool wanted = !stale_only || is_stale(folder);
    if (wanted && stale_only)
        system_visit(folder, look_for_text, &has_text);
    if (wanted && (has_text || !stale_only))
        system_visit(folder, remove_file, &folder);
    system_close(folder);
    if (wanted)
        launch_remove_folder(path);
}

static bool is_name(const char *name) {
    size_t length = strlen(prefix);
    if (strncmp(name, prefix, length) != 0 || strlen(name) != length + RANDOM_LETTERS)
        return false;
    for (const char *c = name + length; *c; c++)
        if (!isalnum((unsigned char)*c))
            return false;
    return true;
}

static void sweep_one(void *context, const char *name) {
    char path[FILE_LONGEST];
    if (!is_name(name))
        return;
    snprintf(path, sizeof path, "%.*s/%s", FOLDER_MOST, (const char *)context, name);
    remove_workshop(path, true);
}

/* Removes stale folders; ignores those that cannot be removed. */
static void sweep(const char *parent) {
    char name[FILE_LONGEST];
    snprintf(name, sizeof name, "%s", parent);
    int folder = system_open_folder(parent);
    if (folder < 0)
        return;
    system_visit(folder, sweep_one, name);
    system_close(folder);
}

/* ---- the parent folder ---- */

/* Whether another user may rename entries of the folder. Files whose owner has no id in this user namespace appear as
 * NOBODY's. */
static bool others_may_rename(const struct system_facts *facts) {
    bool known = facts->owner == 0 || facts->owner == launch_user();
    bool writable = (facts->mode & OTHERS_MAY_WRITE) != 0;
    if (!known)
        return facts->owner != NOBODY || writable;
    return writable && !(facts->mode & STICKY);
}

/* Checks every folder of the path, from the root: a user who may rename one of them may replace our text. */
static hn_status check_folders(char *path, hn_error *error) {
    struct system_facts facts;
    for (char *at = path;; at++) {
        char end = at[1];
        if (at != path && end != '/' && end != '\0')
            continue;
        if (at == path || end == '/')
            at[1] = '\0';
        hn_status status = HN_OK;
        if (system_look(path, &facts) != 0)
            status = file_error(error, path, "look at", errno);
        else if (others_may_rename(&facts))
            status =
                error_about(error, HN_IO, error_file(path),
                            "%s: other users may replace files in it (mode %04o), and a compiler would work there; "
                            "set TMPDIR to a folder that only you can write to",
                            path, (unsigned)facts.mode & 07777);
        at[1] = end;
        if (status != HN_OK || end == '\0')
            return status;
    }
}

static hn_status find_parent(char parent[FILE_LONGEST], hn_error *error) {
    _Static_assert(PATH_MAX <= FILE_LONGEST, "a resolved path fits");
    const char *given = parent_folder();
    if (launch_resolve(given, parent) != 0)
        return file_error(error, given, "make a folder in", errno);
    if (strlen(parent) >= FOLDER_MOST)
        return file_error(error, "TMPDIR", "use", ENAMETOOLONG);
    return check_folders(parent, error);
}

static hn_status workshop_open(struct workshop *shop, hn_error *error) {
    char parent[FILE_LONGEST];
    hn_status status = find_parent(parent, error);
    if (status != HN_OK)
        return status;
    sweep(parent);
    snprintf(shop->folder, sizeof shop->folder, "%.*s/%sXXXXXX", FOLDER_MOST, parent, prefix);
    if (launch_make_scratch(shop->folder) != 0)
        return file_error(error, parent, "make a folder in", errno);
    snprintf(shop->text, sizeof shop->text, "%.*s/%s", FOLDER_MOST + 32, shop->folder, text_name);
    snprintf(shop->object, sizeof shop->object, "%.*s/kernel.so", FOLDER_MOST + 32, shop->folder);
    snprintf(shop->output, sizeof shop->output, "%.*s/output", FOLDER_MOST + 32, shop->folder);
    return HN_OK;
}

/* ---- running ---- */

/* Ends the process and its children: requests it, then kills them after a timeout. */
static void end(pid_t process) {
    int how;
    double begun = clock_seconds();
    launch_end(process, false);
    while (launch_look(process, &how) == 0 && clock_seconds() - begun < PATIENCE_SECONDS)
        launch_pause(PAUSE_SECONDS / 10);
    launch_end(process, true);
    launch_wait(process, &how); /* fails if it has already been waited for */
}

/* Why the compiler must be ended, or NULL. */
static const char *reason_to_end(const struct compiler_watch *watch, double seconds) {
    if (watch->cancel && __atomic_load_n(watch->cancel, __ATOMIC_RELAXED) != 0)
        return "because the caller cancelled it";
    return seconds > watch->seconds ? "because it took too long" : NULL;
}

static hn_status wait_for(const struct compiler *compiler, pid_t process, const struct compiler_watch *watch, int *how,
                          hn_error *error) {
    double begun = clock_seconds(), pause = PAUSE_SECONDS / 100;
    for (;;) {
        pid_t ended = launch_look(process, how);
        if (ended == process)
            return HN_OK;
        if (ended < 0 && errno != EINTR)
            return error_about(
                error, HN_UNSUPPORTED, about(compiler),
                "the compiler %s: how it ended is not known; this program ignores SIGCHLD or waits for others",
                compiler->command);
        double seconds = clock_seconds() - begun;
        const char *reason = reason_to_end(watch, seconds);
        if (reason) {
            end(process);
            return error_about(error, HN_UNSUPPORTED, about(compiler), "the compiler %s was ended after %.3g s, %s",
                               compiler->command, seconds, reason);
        }
        if (watch->waiting)
            watch->waiting(watch->context, seconds);
        launch_pause(pause);
        pause = 1.5 * pause < PAUSE_SECONDS ? 1.5 * pause : PAUSE_SECONDS;
    }
}

static hn_status start(const struct compiler *compiler, const struct workshop *shop, pid_t *process, hn_error *error) {
    const char *words[COMPILER_WORDS + 4];
    const size_t count = compiler->count;
    char reason[128];
    const char *const paths[] = {"-o", shop->object, shop->text, NULL};
    memcpy(words, compiler->words, count * sizeof *words);
    memcpy(words + count, paths, sizeof paths);
    *process = launch_start(words, shop->output, shop->folder);
    if (*process >= 0)
        return HN_OK;
    int code = errno;
    if (code == ENOENT)
        return error_about(error, HN_UNSUPPORTED, about(compiler),
                           "the compiler %s is not there; install a C compiler, or name one in CC", words[0]);
    if (strerror_r(code, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "error %d", code);
    return error_about(error, HN_UNSUPPORTED, about(compiler), "the compiler %s cannot be started: %s", words[0],
                       reason);
}

static hn_status compile_in(const struct compiler *compiler, const struct workshop *shop,
                            const struct compiler_watch *watch, struct file_bytes *out, hn_error *error) {
    pid_t process = -1;
    int how = 0;
    hn_status status = start(compiler, shop, &process, error);
    if (status == HN_OK)
        status = wait_for(compiler, process, watch, &how, error);
    if (status != HN_OK)
        return status;
    if (!WIFEXITED(how) || WEXITSTATUS(how) != 0)
        return complain(compiler, how, shop->output, error);
    status = file_read_regular(out, shop->object, OBJECT_MOST, NULL);
    if (status == HN_NO_MEMORY)
        return error_no_memory(error, "the kernel");
    if (status != HN_OK || out->count == 0) {
        base_release(out->data);
        *out = (struct file_bytes){NULL, 0};
        return error_about(error, HN_UNSUPPORTED, about(compiler), "the compiler %s wrote no shared object",
                           compiler->command);
    }
    return HN_OK;
}

hn_status compiler_run(const struct compiler *compiler, const struct compiler_watch *watch, struct file_bytes *out,
                       const char *text, size_t length, hn_error *error) {
    struct workshop shop;
    *out = (struct file_bytes){NULL, 0};
    hn_status status = workshop_open(&shop, error);
    if (status != HN_OK)
        return status;
    status = file_write(shop.text, text, length, error);
    if (status == HN_OK)
        status = compile_in(compiler, &shop, watch, out, error);
    remove_workshop(shop.folder, false);
    return status;
}
