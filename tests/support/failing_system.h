/* failing_system.h - the functions of base/system.h and base/launch.h once more: POSIX, with calls that fail, are interrupted or come short
 * on request.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_SUPPORT_FAILING_SYSTEM_H
#define HN_TESTS_SUPPORT_FAILING_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>

enum system_call {
    CALL_NONE,
    CALL_OPEN_READ,
    CALL_CREATE,
    CALL_CREATE_UNNAMED,
    CALL_NAME,
    CALL_OPEN_FOLDER,
    CALL_LOOK,
    CALL_READ_LINK,
    CALL_TAKE_AFTER,
    CALL_PERMIT,
    CALL_SIZE,
    CALL_READ,
    CALL_WRITE,
    CALL_SYNC,
    CALL_CLOSE,
    CALL_RENAME,
    CALL_REMOVE,
    CALL_FOLDER, /* of base/launch.h: making, opening and removing folders, */
    CALL_FACTS,
    CALL_START,
    CALL_WAIT,
    CALL_MEMORY_FILE
};

/* The k-th call from now on (k = 1: the next) fails with this errno. A close that fails has closed the file. */
void system_fail_at(size_t k, int code);
void system_fail_from(size_t k, int code); /* and all calls after it */
void system_fail_never(void);

/* From now on one read or write moves at most so many bytes; 0: as many as asked for. */
void system_move_at_most(size_t bytes);

/* From now on there are no files without a name, as on some file systems. */
void system_forbid_unnamed(bool forbid);

enum system_call system_failed_call(void); /* the first one since the last system_fail_... */
size_t system_calls(void);                 /* made since then, the failed one included */

/* Counts a call; true, with errno, when it is the one that fails. For the files of support/failing_*.c. */
bool system_fails_now(enum system_call call);

#endif
