"""No verb writes over what it reads, nor two results into one file: refused before the work, however the file is spelt.

Run with the path of the built program: test_overlap.py BUILD/hardnet.
"""
import os

import tool

MODEL = "param a >= 0, <= 1; var y := 0.5; minimize f: y; subject to low: y >= a; var next = y;"

# Every verb: what it is called with besides the model, the options whose files it reads, and those whose files it writes.
VERBS = {
    "check": ([], ["--x"], ["--json", "--picture"]),
    "project": ([], ["--x", "--y"], ["--out", "--report", "--trace"]),
    "solve": ([], ["--x", "--y"], ["--out", "--report", "--multipliers", "--objective"]),
    "bench": ([], ["--x", "--y"], ["--report"]),
    "write": ([], [], ["--out"]),
    "train": ([], ["--x", "--targets", "--init"], ["--out", "--checkpoint", "--log", "--validation-inputs"]),
    "eval": ([], ["--net", "--x"], ["--out", "--csv", "--report"]),
    "rollout": (["--feedback", "a=next"], ["--net", "--x0"], ["--report", "--csv", "--states"]),
}


class Overlap(tool.Tool):
    def command(self, verb, model, *options):
        """A command line in which everything that the verb needs is given; what is given twice is the latter."""
        fixed, reads, writes = VERBS[verb]
        line = [verb, model, *fixed]
        for option in reads:
            line += [option, self.file("in" + option[1:] + ".npy", "not read")]
        for option in writes:
            line += [option, str(self.folder / ("out" + option[1:] + ".svg"))]
        return [*line, *options]

    def spellings(self, path):
        """The same file by other names: through a folder and back, a link, a hard link."""
        folder, name = os.path.split(path)
        (self.folder / "deeper").mkdir(exist_ok=True)
        soft, hard = str(self.folder / ("soft_" + name + ".svg")), str(self.folder / ("hard_" + name + ".svg"))
        for link, make in ((soft, os.symlink), (hard, os.link)):
            if not os.path.lexists(link):
                make(path, link)
        return [path, f"{folder}/./deeper/../{name}", soft, hard]

    def kept(self, path, line, saying):
        with open(path, "rb") as file:
            before = file.read()
        self.refused(*line, code=2, saying=saying)
        with open(path, "rb") as file:
            self.assertEqual(file.read(), before)

    def test_the_model_and_its_data_are_never_written_over(self):
        model = self.file("m.svg", MODEL)
        data = self.file("d.svg", "# nothing")
        for verb, (_, _, writes) in VERBS.items():
            for option in writes:
                for spelt in self.spellings(model):
                    self.kept(model, self.command(verb, model, option, spelt), f"{option} .*the model is read from this file")
                self.kept(data, [*self.command(verb, model, option, data), data], f"{option} .*the model is read from this file")

    def test_files_that_the_model_includes_are_never_written_over(self):
        part, table = self.file("part.svg", MODEL), self.file("table.svg", "# nothing")
        model = self.file("m.mod", "include part.svg; data table.svg;")
        for verb, (_, _, writes) in VERBS.items():
            for option in writes:
                whole, indirect, _, hard = self.spellings(part)  # a soft link is refused as such, before the model is read
                for spelt in (whole, indirect, hard, table):
                    self.kept(part, self.command(verb, model, option, spelt), f"{option} .*the model includes this file")

    def test_what_an_option_reads_no_option_writes(self):
        model = self.file("m.mod", MODEL)
        for verb, (_, reads, writes) in VERBS.items():
            for read in reads:
                for written in writes:
                    name = self.file("both.svg", "precious")
                    for spelt in self.spellings(name):
                        line = self.command(verb, model, read, name, written, spelt)
                        if read == "--net": # all that are given count in rollout, with names or without
                            line += [read, "n=" + name] if verb == "rollout" else []
                        self.kept(name, line, f"{written} .*{read} reads this file")

    def test_no_two_results_share_a_file(self):
        model = self.file("m.mod", MODEL)
        (self.folder / "deeper").mkdir()
        for verb, (_, _, writes) in VERBS.items():
            for one in writes:
                for other in writes:
                    for spelt in ("new.svg", "./new.svg", "deeper/../new.svg", "dangling.svg"):
                        if spelt == "dangling.svg" and not os.path.lexists(self.folder / spelt):
                            os.symlink("new.svg", self.folder / spelt)
                        if one != other:
                            line = self.command(verb, model, one, str(self.folder / "new.svg"), other, str(self.folder / spelt))
                            self.refused(*line, code=2, saying=f"({one}|{other}) .*({one}|{other}) writes the same file")
        self.assertFalse((self.folder / "new.svg").exists())

    def test_the_checkpoint_that_follows_from_the_network_counts(self):
        model = self.file("m.mod", MODEL)
        out = str(self.folder / "n")
        for option in ("--log",):
            self.refused("train", model, "--out", out, option, out + ".checkpoint", code=2, saying="--checkpoint")
        x = self.file("n.checkpoint", "precious")
        self.kept(x, ["train", model, "--out", out, "--x", x], "--checkpoint .*--x reads this file")

    def test_reports_are_not_replaced_by_their_table(self):
        one, two = self.file("a.json", "{}"), self.file("b.json", "{}")
        for option in ("--out", "--json"):
            self.kept(two, ["table", f"mine={one},{two}", option, two], option + ".*one of the reports")
            self.kept(one, ["table", one, option, one], option + ".*one of the reports")

    def test_folders_that_are_not_there_are_no_overlap(self):
        model = self.file("m.mod", "var y := 1;")
        self.refused("project", model, "--out", self.folder / "no" / "a", "--report", self.folder / "nor" / "a", code=1,
                     saying="folder")


if __name__ == "__main__":
    tool.main()
