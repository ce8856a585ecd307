/* failing.h - memory, files, processes and threads that fail where a test says so: the functions of base/ once more.
 *
 * Blocks are filled with junk when they are made and when they are released, and base_reallocate always moves, so that a test also
 * sees reads of what was never written and pointers that were kept too long.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_SUPPORT_FAILING_H
#define HN_TESTS_SUPPORT_FAILING_H

#include <stdbool.h>
#include <stddef.h>

/* ---- allocations: base/memory.h ---- */

/* The k-th allocation from now on fails (k = 1: the next); for_ever: all after it too. */
void memory_fail_at(size_t k, bool for_ever);
void memory_fail_never(void);

/* The next allocation fails whose way is new: some call on it was never on the way to an allocation that failed by this function.
 * A deed that is done again and again until none fails has seen each of its calls fail for want of memory, in few turns. */
void memory_fail_on_a_new_way(bool for_ever);

bool memory_has_failed(void);      /* since one of the two calls above */
size_t memory_allocations(void);   /* asked for since then, the failed ones included */
size_t memory_largest_block(void); /* likewise, in bytes */
size_t memory_live_blocks(void);

/* ---- system calls: base/system.h, base/launch.h ---- */

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

/* ---- threads: base/thread_start.h ---- */

/* From now on the k-th thread that is started fails, and those after it; 0: none does. */
void threads_fail_at(int k);
void threads_fail_once(int k); /* and those after it start */

/* ---- how many faults a test has made, printed when it ends: "faults: 12 allocations, 3 system calls, ..." ---- */

enum fault { FAULT_ALLOCATION, FAULT_SYSTEM_CALL, FAULT_THREAD, FAULT_DRIVER_CALL, FAULT_KINDS };

/* One more point at which something failed; what goes on failing after it is the same point. */
void fault_count(enum fault kind);

#endif
