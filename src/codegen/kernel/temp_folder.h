/* temp_folder.h - the folder in which a compiler works, and what is left of those whose program was killed.
 *
 * A folder is new, mode 0700, named hardnet-kernel-XXXXXX, in TMPDIR or /tmp. The compiler has it as its own TMPDIR, so that all of its files
 * are in it, and goes with it. A program that is killed leaves its folder: whoever opens one removes folders of that name that are
 * the same user's, have the text in them and have not changed for a day.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_TEMP_FOLDER_H
#define HN_CODEGEN_TEMP_FOLDER_H

#include "base/file.h"

struct workshop {
    char folder[FILE_LONGEST], text[FILE_LONGEST], object[FILE_LONGEST], output[FILE_LONGEST];
};

hn_status workshop_open(struct workshop *shop, hn_error *error);
void workshop_close(const struct workshop *shop); /* with all that is in it */

#endif
