/* reference_load.c - see reference_load.h. IPOPT_FILE is the name that the build found: libipopt.so.1.
 *
 * SPDX-License-Identifier: MIT */
#include "reference/reference_load.h"

#include "base/error.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    const char *name;
    void *function; /* destination of its address */
};

hn_status ipopt_load(struct ipopt *ipopt, hn_error *error) {
    const struct entry entries[] = {
        {"CreateIpoptProblem", &ipopt->create},
        {"FreeIpoptProblem", &ipopt->release},
        {"AddIpoptStrOption", &ipopt->set_text},
        {"AddIpoptNumOption", &ipopt->set_number},
        {"AddIpoptIntOption", &ipopt->set_whole},
        {"OpenIpoptOutputFile", &ipopt->open_log},
        {"SetIntermediateCallback", &ipopt->set_callback},
        {"IpoptSolve", &ipopt->solve},
    };
    setenv("OPENBLAS_NUM_THREADS", "1",
           0); /* by default: threads do not help at these sizes, and OpenBLAS aborts if it cannot create them */
    void *library = dlopen(IPOPT_FILE, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library)
        return error_set(error, HN_UNSUPPORTED, "IPOPT cannot be loaded (Debian: coinor-libipopt1v5): %.200s",
                         dlerror());
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        void *address = dlsym(library, entries[i].name);
        if (!address) {
            dlclose(library);
            return error_set(error, HN_UNSUPPORTED, "IPOPT cannot be used: " IPOPT_FILE " has no %s", entries[i].name);
        }
        memcpy(entries[i].function, &address, sizeof address);
    }
    dlclose(library); /* the functions stay: RTLD_NODELETE */
    return HN_OK;
}
