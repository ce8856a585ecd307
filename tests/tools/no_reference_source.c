/* no_reference_source.c - the bridge to IPOPT where there is none, compiled into its test: tools are no library.
 *
 * SPDX-License-Identifier: MIT */
#include "../../tools/reference_none.c"
