/* overlap.h - refuses a command that would write over what it reads, or write one file twice.
 *
 * Files are the same when device and inode are, or, where a file is yet to be made, when its name is after links, "." and ".." have
 * been resolved. What is read but is not there is left to whoever reads it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_OVERLAP_H
#define HN_TOOLS_OVERLAP_H

#include "common/options.h"

/* Everything that the command line names. VERB_OK, or VERB_MISUSED after a sentence with both options. */
int overlap_refuse(const struct command *command);

/* One more file, that is read (the model includes it), or written by this option under a name of its own. */
int overlap_refuse_included(const struct command *command, const char *path);
int overlap_refuse_written(const struct command *command, const char *option, const char *path);

#endif
