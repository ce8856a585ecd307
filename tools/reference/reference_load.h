/* reference_load.h - IPOPT's C interface, loaded when it is needed.
 *
 * The command line does not link IPOPT, because every verb would load OpenBLAS, which starts threads and allocates
 * memory.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_REFERENCE_LOAD_H
#define HN_TOOLS_REFERENCE_LOAD_H

#include "hardnet/base.h"

#include <IpStdCInterface.h>

/* The functions that the bridge calls. */
struct ipopt {
    __typeof__(&CreateIpoptProblem) create;
    __typeof__(&FreeIpoptProblem) release;
    __typeof__(&AddIpoptStrOption) set_text;
    __typeof__(&AddIpoptNumOption) set_number;
    __typeof__(&AddIpoptIntOption) set_whole;
    __typeof__(&OpenIpoptOutputFile) open_log;
    __typeof__(&SetIntermediateCallback) set_callback;
    __typeof__(&IpoptSolve) solve;
};

/* HN_UNSUPPORTED, with the loader's reason, if IPOPT is missing. It stays loaded until the program ends. */
hn_status ipopt_load(struct ipopt *ipopt, hn_error *error);

#endif
