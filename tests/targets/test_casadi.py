"""`hardnet emit --abi casadi` as an external function of the casadi package: the library's bits forward, and an adjoint that agrees with
differences.

Run with the path of the built program: test_casadi.py BUILD/hardnet, by a Python that has casadi (`scripts/python casadi` installs it).
Without it the test is skipped by name.
"""
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))

import emitted  # noqa: E402
import tool  # noqa: E402
from samples import np  # noqa: E402

try:
    import casadi
except ImportError:
    print("skipped: casadi is not installed")
    sys.exit(77)

UNICYCLE = tool.root / "models" / "unicycle.mod"
STATES = tool.root / "data" / "unicycle" / "states.npy"
STEP = 1e-6


def flat(matrix):
    return np.array(matrix).ravel()


class CasADi(tool.Tool):
    def external(self, model, *options, name="layer"):
        folder = self.folder / name
        self.run_it("emit", model, "--out", folder, "--name", name, "--abi", "casadi", *options)
        subprocess.run(["cc", *emitted.STRICT, "-O2", "-fPIC", "-shared", str(folder / f"{name}.c"), "-o", str(folder / f"{name}.so")],
                       check=True)
        return casadi.external(name, str(folder / f"{name}.so"))

    def agrees(self, function, *arguments):
        """The gradient of a random combination of the outputs, by CasADi through the adjoint, against central differences."""
        symbols = [casadi.MX.sym(f"s{i}", len(a)) for i, a in enumerate(arguments)]
        weights = np.random.default_rng(2).normal(size=function.size1_out(0))
        value = casadi.dot(weights, function(*symbols))
        loss = casadi.Function("loss", symbols, [value])
        gradient = casadi.Function("gradient", symbols, [casadi.gradient(value, s) for s in symbols])
        found = gradient(*arguments)
        for k, (argument, own) in enumerate(zip(arguments, found if isinstance(found, tuple) else [found])):
            def at(moved):
                return float(loss(*(moved if i == k else a for i, a in enumerate(arguments))))
            wanted = np.array([(at(argument + STEP * e) - at(argument - STEP * e)) / (2 * STEP) for e in np.eye(len(argument))])
            wrong = np.max(np.abs(flat(own) - wanted)) / np.max(np.abs(wanted))
            print(f"{function.name()}, by argument {k}: differs from differences by {wrong:.1e} of the largest entry")
            self.assertLess(wrong, 1e-6)

    def test_the_layer_has_the_library_s_bits_and_an_adjoint(self):
        x, y = np.load(STATES)[:20], np.random.default_rng(1).normal(size=(20, 50))
        np.save(self.folder / "raw.npy", y)
        np.save(self.folder / "x.npy", x)
        self.run_it("project", UNICYCLE, "--x", self.folder / "x.npy", "--y", self.folder / "raw.npy", "--out", self.folder / "y.npy")
        function = self.external(UNICYCLE)
        self.assertEqual((function.name_in(), function.name_out()), (["x", "y_raw"], ["y"]))
        found = b"".join(flat(function(*pair)).tobytes() for pair in zip(x, y))
        self.assertEqual(found, np.load(self.folder / "y.npy").tobytes())
        self.agrees(function, x[0], y[0])
        self.assertEqual(function.jacobian()(x[0], y[0], 0)[1].shape, (50, 50))

    def test_with_its_network_it_is_a_function_of_x(self):
        net = self.folder / "net.safetensors"
        self.run_it("train", UNICYCLE, "--out", net, "--epochs", "1", "--steps-per-epoch", "2", "--hidden", "20,13", "--activation", "tanh")
        self.run_it("eval", UNICYCLE, "--net", net, "--x", STATES, "--out", self.folder / "y.npy")
        function = self.external(UNICYCLE, "--net", net, name="steer")
        self.assertEqual(function.name_in(), ["x"])
        found = b"".join(flat(function(x)).tobytes() for x in np.load(STATES))
        self.assertEqual(found, np.load(self.folder / "y.npy").tobytes())
        self.agrees(function, np.load(STATES)[3])

    def test_bounds_that_follow_x_and_fixed_outputs_have_adjoints(self):
        model = self.file("disc.mod", "param r >= 0.5, <= 2; var y{1..2} >= -2, <= 2, := r; var z; subject to fix: z = r^3;\n"
                          "subject to disc: y[1]^2 + y[2]^2 <= r^2; line: y[1] + z * y[2] >= 0.1;\n")
        self.agrees(self.external(model), np.array([1.3]), np.array([1.7, -0.4, 0.2]))

    def test_a_call_that_is_not_ok_fails(self):
        function = self.external(UNICYCLE)
        with self.assertRaises(RuntimeError):
            function(np.full(3, np.nan), np.zeros(50))


tool.main()
