/* overlap.h - rejects a command that would overwrite its inputs or write a file twice.
 *
 * Files are the same if device and inode are, or, if a file does not exist yet, if the resolved paths are. Missing
 * inputs are reported by their readers.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_OVERLAP_H
#define HN_TOOLS_OVERLAP_H

#include "common/options.h"

/* Everything that the command line names. VERB_OK, or VERB_MISUSED after a sentence with both options. */
int overlap_refuse(const struct command *command);

/* One more file, that is read (the model includes it), or written by this option under another name. */
int overlap_refuse_included(const struct command *command, const char *path);
int overlap_refuse_written(const struct command *command, const char *option, const char *path);

#endif
