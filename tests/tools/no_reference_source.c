/* no_reference_source.c - the bridge to IPOPT where there is none, compiled into its test: tools are no library.
 *
 * SPDX-License-Identifier: MIT */
#include "reference/reference_none.c"
