"""What the tests of the verb `eval` share: a model with known optima, networks with known outputs, and a run of the verb.

Networks are written here (networks.py): y_raw = W x + b, so that what comes out is known.
"""
import json
import subprocess

import networks
import tool
from samples import SampleTool, np

DISC = """
param radius >= 0.5, <= 2;
check: radius <> 1.5;
var y{1..2} := 0.25;
minimize cost: (y[1] - 3)^2 + y[2]^2;                # optimal at (radius, 0)
subject to disc: y[1]^2 + y[2]^2 <= radius^2;
subject to line: y[1] + y[2] >= 0.1;
"""


def cost(y):
    return (y[:, 0] - 3) ** 2 + y[:, 1] ** 2


class EvalTool(SampleTool):
    def fingerprint(self, model, *options):
        target = self.folder / "check.json"
        self.run_it("check", model, "--json", target, *options)
        return json.loads(target.read_text())["fingerprint"]

    def network(self, model, weight, bias, name="net.safetensors", **settings):
        return networks.linear(self.folder / name, self.fingerprint(model), weight, bias, **settings)

    def eval(self, model, net, *options, code=0):
        """Outputs, report, what was printed, what was said."""
        out, report = self.folder / "y.npy", self.folder / "report.json"
        printed, said = self.run_it("eval", model, "--net", net, "--out", out, "--report", report, *options, code=code)
        y = np.load(out)
        self.assertEqual(y.dtype, np.float64)
        self.assertTrue(np.isfinite(y).all())
        return y, json.loads(report.read_text()), printed, said

    def disc(self, **settings):
        """A model and a network whose outputs (radius / 2, 0.3) are feasible: the layer leaves them alone."""
        model = self.file("disc.mod", DISC)
        return model, self.network(model, [[0.5], [0]], [0, 0.3], **settings)

    def need_reference(self):
        model, net = self.disc()
        done = subprocess.run([tool.program, "eval", model, "--net", net, "--reference", "ipopt", "--samples", "1"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if b"IPOPT was not found" in done.stderr:
            self.assertEqual(done.returncode, 1)
            self.skipTest("IPOPT is not installed")
