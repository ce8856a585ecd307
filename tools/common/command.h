/* command.h - from a command line to an exit code: the frame of every verb.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_COMMAND_H
#define HN_TOOLS_COMMAND_H

#include "common/options.h"

/* Parses the arguments, completes the values, rejects output files that cannot be written or would overwrite inputs
 * (overlap.h), runs the command and releases its lists. Returns the exit code after printing any error. */
int command_run(const struct command *command, int argc, char **argv);

#endif
