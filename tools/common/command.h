/* command.h - from a command line to an exit code: what every verb does around its own work.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_COMMAND_H
#define HN_TOOLS_COMMAND_H

#include "common/options.h"

/* Parses the arguments, settles the values, refuses files that cannot be written or would destroy what is read (overlap.h), runs the
 * command and releases its lists. The exit code; whatever is wrong has been printed. */
int command_run(const struct command *command, int argc, char **argv);

#endif
