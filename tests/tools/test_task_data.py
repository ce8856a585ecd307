"""The published programmes: the generator meets the published check values, and the models read what it writes.

Run with the path of the built program: test_task_data.py BUILD/hardnet.
"""
import json
import subprocess
import sys

import tool

sys.path.insert(0, str(tool.root / "scripts"))
import task_data  # noqa: E402


class TaskData(tool.Tool):
    def test_the_generator_meets_the_published_numbers_and_refuses_others(self):
        for make in (task_data.snarenet, task_data.fsnet):
            make()  # ends the program where a check value is missed
        with self.assertRaises(SystemExit):
            task_data.expect("q[0]", 0.5, 0.25)

    def test_the_optimum_of_the_convex_programmes_is_the_published_one(self):
        subprocess.run([sys.executable, tool.root / "scripts" / "task_data.py", self.folder, "dc3"], check=True)
        report = self.folder / "r.json"
        self.run_it("solve", tool.root / "data" / "published" / "dc3_convex.mod", self.folder / "dc3.dat",
                    "--x", self.folder / "dc3_test.npy", "--report", report)
        samples = json.loads(report.read_text())["samples"]
        self.assertEqual(len(samples), 833)
        self.assertAlmostEqual(sum(one["objective"] for one in samples) / 833, -15.0469, delta=5e-5)


if __name__ == "__main__":
    tool.main()
