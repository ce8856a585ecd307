"""Arrays as NumPy writes them: .npz beside .npy, integers and booleans beside floats, and what is damaged or unclear refused.

Run with the path of the built program: test_arrays.py BUILD/hardnet.
"""
import io
import subprocess
import zipfile

import tool
from samples import SampleTool, np

IDENTITY = "param n := {columns}; param a{{1..n}}; var y{{i in 1..n}} := a[i]; subject to same{{i in 1..n}}: y[i] = a[i];"


class Arrays(SampleTool):
    def model(self, columns):
        return self.file("m.mod", IDENTITY.format(columns=columns))

    def read(self, source, columns, code=0):
        """What the program takes the array for: outputs that must equal their inputs."""
        out = self.folder / "out.npy"
        self.run_it("project", self.model(columns), "--x", source, "--out", out, code=code)
        return np.load(out)

    def archive(self, name, arrays, **options):
        """A .npz file by zipfile only, with its levels of compression."""
        path = self.folder / name
        with zipfile.ZipFile(path, "w", **options) as file:
            for key, values in arrays.items():
                memory = io.BytesIO()
                np.save(memory, values)
                file.writestr(key + ".npy", memory.getvalue())
        return str(path)

    def test_every_type_whose_numbers_a_double_holds_is_read(self):
        values = np.array([[0, 1, 100], [1, 0, 7]])
        for kind in ("f2", "f4", "f8", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i4", ">f4", ">u8"):
            np.testing.assert_array_equal(self.read(self.array("x.npy", values, dtype=kind), 3), values)
        np.testing.assert_array_equal(self.read(self.array("x.npy", values > 0, dtype=bool), 3), values > 0)
        np.testing.assert_array_equal(self.read(self.array("x.npy", -values, dtype="i2"), 3), -values)
        np.testing.assert_array_equal(self.read(self.array("x.npy", np.asfortranarray(values), dtype="i2"), 3), values)

    def test_integers_beyond_a_double_are_refused(self):
        for value in (2 ** 53 + 1, -(2 ** 53) - 1):
            x = self.array("x.npy", [[1], [value]], dtype="i8")
            self.refused("project", self.model(1), "--x", x, code=1, saying=r"x\.npy: an integer in row 1.*2\^53")

    def test_the_only_array_of_an_archive_needs_no_name(self):
        values = np.random.RandomState(1).standard_normal((50, 3))
        for save in (np.savez, np.savez_compressed):
            save(self.folder / "one.npz", anything=values)
            np.testing.assert_array_equal(self.read(self.folder / "one.npz", 3), values)
            np.testing.assert_array_equal(self.read(f"{self.folder}/one.npz:anything", 3), values)

    def test_of_several_arrays_one_is_named(self):
        x, y = np.arange(6.0).reshape(2, 3), np.ones((2, 3))
        np.savez(self.folder / "two.npz", x=x, y=y)
        np.testing.assert_array_equal(self.read(f"{self.folder}/two.npz:x", 3), x)
        self.refused("project", self.model(3), "--x", self.folder / "two.npz", code=2,
                     saying=r"two\.npz: contains 2 arrays \(x, y\); choose one, as in .*two\.npz:x")
        self.refused("project", self.model(3), "--x", f"{self.folder}/two.npz:z", code=2, saying=r"no array z; arrays in the file: x, y")
        out = self.folder / "out.npy"
        self.run_it("project", self.model(3), "--x", f"{self.folder}/two.npz:x", "--y", f"{self.folder}/two.npz:y", "--out", out)
        np.testing.assert_allclose(np.load(out), x, atol=1e-8)
        for written in ("--out", "--report"):
            self.refused("project", self.model(3), "--x", f"{self.folder}/two.npz:x", written, self.folder / "two.npz", code=2,
                         saying=f"{written} .*--x reads this file")

    def test_whatever_is_packed_is_unpacked(self):
        source = np.random.RandomState(2)
        kinds = [source.standard_normal((4000, 4)), np.zeros((5000, 4)), source.randint(0, 5, (3000, 4)).astype(float),
                 np.tile(source.standard_normal((7, 4)), (600, 1)), np.arange(4.0).reshape(1, 4)]
        for values in kinds:
            for level in (0, 1, 6, 9):
                path = self.archive("p.npz", {"a": values}, compression=zipfile.ZIP_DEFLATED, compresslevel=level)
                np.testing.assert_array_equal(self.read(path, 4), values)

    def test_other_ways_of_packing_are_refused(self):
        path = self.archive("p.npz", {"a": np.ones((2, 1))}, compression=zipfile.ZIP_BZIP2)
        self.refused("project", self.model(1), "--x", path, code=1, saying="array a is compressed with an unsupported method")
        empty = self.archive("e.npz", {})
        self.refused("project", self.model(1), "--x", empty, code=2, saying="contains no array")
        with open(self.array("plain.npy", np.ones((2, 1))), "rb") as plain:
            self.refused("project", self.model(1), "--x", self.file("plain.npz", plain.read()) + ":a", code=1, saying="not a .npz")

    def test_damage_is_noticed(self):
        """Every byte that is changed leaves the numbers as they are, or is an error: never other numbers, never a crash."""
        values = np.arange(12.0).reshape(3, 4)
        for compression in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            with open(self.archive("d.npz", {"a": values}, compression=compression), "rb") as file:
                whole = file.read()
            for at in range(0, len(whole), 3):
                damaged = whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1:]
                path, out = self.file("d.npz", damaged), self.folder / "out.npy"
                done = subprocess.run([tool.program, "project", self.model(4), "--x", path, "--out", out], check=False,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
                self.assertIn(done.returncode, (0, 1, 2), done.stderr)
                if done.returncode == 0:
                    np.testing.assert_array_equal(np.load(out), values)
            for length in range(0, len(whole), 5):
                self.run_it("project", self.model(4), "--x", self.file("d.npz", whole[:length]), code=1)


if __name__ == "__main__":
    tool.main()
