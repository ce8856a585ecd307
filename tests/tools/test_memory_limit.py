"""No verb takes more memory or threads than its own work needs: IPOPT, and OpenBLAS behind it, are loaded for --reference only.

Linked, they made every verb start threads: under `ulimit -v 100000` project and train never ended, under 60000 they ended with 130.
"""
import resource
import subprocess

import tool

KILOBYTE = 1024
MODEL = "param radius >= 0.5, <= 2; var y{1..2}; minimize f: (y[1] - 3)^2 + y[2]^2;" \
        " subject to disc: y[1]^2 + y[2]^2 <= radius^2;"


def loaded():
    """The libraries that the program is linked to."""
    return subprocess.run(["ldd", tool.program], stdout=subprocess.PIPE, check=True).stdout.decode()


class MemoryLimit(tool.Tool):
    def setUp(self):
        super().setUp()
        if tool.sanitized or "asan" in loaded() or "tsan" in loaded():
            self.skipTest("sanitizers reserve terabytes")

    def limited(self, kilobytes, *arguments, **more):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (kilobytes * KILOBYTE, kilobytes * KILOBYTE))
        return self.run_it(*arguments, preexec_fn=limit, **more)

    def test_the_program_links_neither_ipopt_nor_blas(self):
        self.assertNotRegex(loaded(), "ipopt|blas|lapack|mumps")

    def test_project_and_train_end_under_little_memory(self):
        model = self.file("disc.mod", MODEL.replace("param radius >= 0.5, <= 2;", "param radius := 1;"))
        inputs = self.file("inputs.mod", MODEL)
        for kilobytes in 100000, 60000:
            self.limited(kilobytes, "check", model, "--threads", 2)
            self.limited(kilobytes, "project", model, "--out", self.folder / "y.npy", "--threads", 2)
            self.limited(kilobytes, "train", inputs, "--steps", 5, "--hidden", 16, "--threads", 2,
                         "--out", self.folder / f"net{kilobytes}.safetensors")

    def test_inputs_may_be_larger_than_the_memory(self):
        """A sparse file of zeros: nearly all of what it takes to train on it is reading it twice."""
        rows, columns = 1_200_000 if tool.all_of_it else 500_000, 300
        model = self.file("wide.mod", "param a{1..300} >= -1, <= 1; var y; minimize f: (y - 3 - sum{i in 1..300} a[i])^2;"
                                      "subject to c: y <= 2 + a[1];")
        header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {columns}), }}".ljust(117) + "\n"
        path = self.folder / "x.npy"
        with open(path, "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
            file.truncate(10 + len(header) + 8 * rows * columns)
        net = self.folder / "net.safetensors"
        self.limited(100000, "train", model, "--x", path, "--steps", 3, "--hidden", 16, "--threads", 2, "--out", net, "--survey", 20)
        self.assertIn(f"{rows} x {columns} numbers with checksum".encode(), net.read_bytes())

    def test_a_reference_that_cannot_be_loaded_is_an_error_that_says_so(self):
        inputs = self.file("inputs.mod", MODEL)
        net = self.folder / "net.safetensors"
        self.run_it("train", inputs, "--steps", 5, "--hidden", 16, "--out", net)
        wanted = ("eval", inputs, "--net", str(net), "--reference", "ipopt", "--samples", "3")
        done = subprocess.run([tool.program, *wanted], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if b"IPOPT was not found" in done.stderr:
            self.skipTest("IPOPT is not installed")
        self.assertEqual(done.returncode, 0, done.stderr)
        _, err = self.limited(30000, "eval", inputs, "--net", net, "--reference", "ipopt", code=1)
        self.assertRegex(err, "--reference ipopt: IPOPT (cannot be loaded|was not found)")


tool.main()
