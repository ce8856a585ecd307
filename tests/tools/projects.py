"""What tests of the verb `project` share: a run with its files, and a judge of its report."""
import json

from samples import SampleTool, np


class ProjectTool(SampleTool):
    def project(self, model, *options, code=0):
        """Outputs, report, and what was printed."""
        out, report = self.folder / "out.npy", self.folder / "report.json"
        printed, _ = self.run_it("project", model, "--out", out, "--report", report, *options, code=code)
        y = np.load(out)
        self.assertEqual(y.dtype, np.float64)
        self.assertTrue(np.isfinite(y).all())
        return y, json.loads(report.read_text()), printed

    def judge(self, report, y, raw, groups, names):
        """Judges samples and groups of a report by the residuals in groups (samples x rows each)."""
        all_rows = np.abs(np.concatenate(list(groups.values()), axis=1))
        self.assertEqual(len(report["samples"]), len(y))
        for k, sample in enumerate(report["samples"]):
            self.assertAlmostEqual(sample["violation"], all_rows[k].max(), delta=1e-13)
            self.assertAlmostEqual(sample["moved"], np.linalg.norm(y[k] - raw[k]), delta=1e-12)
            if sample["violation"] > 1e-12:
                self.assertAlmostEqual(all_rows[k][names.index(sample["worst"])], all_rows[k].max(), delta=1e-14)
            if sample["violation"] == 0:
                self.assertIsNone(sample["worst"])
        for name, rows in groups.items():
            self.assertAlmostEqual(report["groups"][name]["mean"], np.abs(rows).mean(), delta=1e-13)
            self.assertAlmostEqual(report["groups"][name]["max"], np.abs(rows).max(), delta=1e-13)
