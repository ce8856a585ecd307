/* save.h - checks before the work whether a result can be saved under a name.
 *
 * Files are replaced whole (base/file.h), through symbolic links; devices, pipes and folders are refused.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_SAVE_H
#define HN_TOOLS_SAVE_H

#include "hardnet/base.h"

/* HN_IO when the path (NULL: nothing to save) is there and no regular file, or its folder cannot be written to. */
hn_status save_possible(const char *option, const char *path, hn_error *error);

#endif
