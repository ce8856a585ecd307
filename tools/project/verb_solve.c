/* verb_solve.c - hardnet solve MODEL.mod [DATA.dat ...]: the optimum of every sample, with multipliers that prove it.
 *
 * What `hardnet project --method optimal` does, and from several starts (common/starts.c).
 *
 * SPDX-License-Identifier: MIT */
#include "common/command.h"
#include "common/verbs.h"
#include "project/project.h"

#include <limits.h>

static const char about[] =
    "Finds a local optimum of the model for every sample, certified by its multipliers: the\n"
    "optimality conditions hold to 1e-8. Each row of --x and --y is a sample; a file with a single row\n"
    "is used for all samples. Without --y the search starts from the model's start values. The solution\n"
    "of a single sample is printed: outputs, and rows with slacks and multipliers, 20 of each.";

static const char example[] =
    "  hardnet solve models/pooling.mod --x x.npy --out y.npy --multipliers m.npy --report report.json\n"
    "  hardnet solve models/unicycle.mod --x data/unicycle/states.npy --multistart 4\n";

int verb_solve(int argc, char **argv) {
    struct project_options o = {.verb = "solve", .multistart = 1, .choice = {.method = "optimal"}};
    const struct option table[] = {
        READ_FILE("y", "Y.npy", "start points, a row per sample", o.y),
        READ_FILE("x", "X.npy", "inputs, a row per sample", o.x),
        {.name = "multistart",
         .value = "K",
         .help = "start points of every sample; the best result is kept (1)",
         .count = &o.multistart,
         .least = 1,
         .most = 1000000},
        WRITTEN_FILE("out", "OUT.npy", "write the optima, as float64; as CSV with names if the name ends in .csv",
                     o.out),
        WRITTEN_FILE("multipliers", "M.npy",
                     "write the multipliers of the constraints, or the certificate of local infeasibility",
                     o.multipliers),
        WRITTEN_FILE("objective", "F.npy", "write the objectives; infinite if no feasible point was found",
                     o.objective),
        WRITTEN_FILE("report", "FILE", "write status, certificate and objective of every sample, as JSON", o.report),
        PROJECT_PROOF(o),
        PROJECT_ALLOWANCE(o),
        LAYER_SETTINGS(o.choice),
        PROJECT_TIME_LIMIT(o),
        COMMON_OPTIONS(o.common),
    };
    const struct command command = PROJECT_COMMAND("solve");
    return command_run(&command, argc, argv);
}
