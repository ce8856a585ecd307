"""A training that goes on: after a kill, a signal, a full disk, from its checkpoint, from another network, and beyond its end.

Run with the path of the built program: test_train_goes_on.py BUILD/hardnet.
"""
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import time

import tool
from samples import UNICYCLE, np
from trainings import ELLIPSE, SIMPLEX, SMALL, TrainTool, network_texts, sha


class GoesOn(TrainTool):
    # ---- checkpoints ----

    def test_a_training_that_is_killed_goes_on_to_the_same_bytes(self):
        options = [*SMALL, "--steps", 200, "--feedback", "z0=next", "--checkpoint-steps", 1, "--log", self.folder / "log.csv"]
        whole, _, _ = self.train("whole", UNICYCLE, *options)
        log = (self.folder / "log.csv").read_bytes()
        cut, source, kills, ends = self.folder / "cut", random.Random(7), 0, 0
        checkpoint = pathlib.Path(f"{cut}.checkpoint")
        with self.start(cut, UNICYCLE, *options) as child:
            self.wait_for(checkpoint, child)
            child.kill()
        for _ in range(100):
            with self.start(cut, UNICYCLE, *options, "--resume") as child:
                try:
                    out, err = child.communicate(timeout=source.uniform(0.05, 0.4) if kills < 8 else 120)
                except subprocess.TimeoutExpired:
                    child.kill()
                    child.communicate()
                    kills += 1
                    continue
            self.assertEqual(child.returncode, 0, err)
            ends += 1
            break
        self.assertEqual(ends, 1)
        self.assertEqual(sha(cut), sha(whole))
        self.assertEqual((self.folder / "log.csv").read_bytes(), log)
        self.assertLess(len(list(self.folder.glob("*.tmp"))), 3)

    def test_signals_leave_a_checkpoint_at_once(self):
        options = [*SMALL, "--steps", 80, "--validate-every", 30]
        whole, _, _ = self.train("whole", UNICYCLE, *options)
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            cut = self.folder / f"cut{code}"
            checkpoint = pathlib.Path(f"{cut}.checkpoint")
            with self.start(cut, UNICYCLE, *options, "--checkpoint-steps", 1) as child:
                self.wait_for(checkpoint, child)
                start = time.monotonic()
                child.send_signal(number)
                out, err = child.communicate(timeout=60)
                spent = time.monotonic() - start
            self.assertEqual(child.returncode, code, err)
            self.assertLess(spent, 2)  # a second, and another for a loaded machine
            self.assertRegex(err, rb"interrupted after step \d+; --resume continues from")
            self.assertFalse(cut.exists())
            self.train(cut.name, UNICYCLE, *options, "--resume")
            self.assertEqual(sha(cut), sha(whole))

    def test_a_second_signal_ends_it_at_once_and_the_checkpoint_is_whole(self):
        cut = self.folder / "cut"
        options = [*SMALL, "--steps", 1000000, "--checkpoint-steps", 1, "--multistart", 0, "--candidates", 1, "--refine", 0]
        with self.start(cut, UNICYCLE, *options) as child:
            self.wait_for(pathlib.Path(f"{cut}.checkpoint"), child)
            for _ in range(2):
                child.send_signal(signal.SIGINT)
            child.communicate(timeout=60)
        self.assertEqual(child.returncode, 130)
        with self.start(cut, UNICYCLE, *options, "--resume") as child:
            self.wait_for_work(child, 0.3)
            child.send_signal(signal.SIGTERM)
            _, err = child.communicate(timeout=60)
        self.assertIn(child.returncode, (143, -signal.SIGTERM), err)
    # ---- going on ----

    def reached(self, out):
        return float(re.search(r"validation +\S+ (\S+) in the mean", out).group(1))

    def test_a_training_begins_with_the_weights_of_another(self):
        first, out, _ = self.train("first", ELLIPSE, *SMALL, "--steps", 300, "--rate", 0.01)
        same = self.file("same.mod", "# said otherwise\n" + pathlib.Path(ELLIPSE).read_text())
        copy, again, _ = self.train("copy", same, *SMALL[2:], "--steps", 0, "--init", first)
        self.assertEqual(self.reached(again), self.reached(out))
        self.assertRegex(again, r"network +1 input, 12, 8, 2 outputs")
        self.assertEqual(network_texts(copy)["train.hidden"], "12,8")
        self.run_it("eval", ELLIPSE, "--net", copy)
        worse, out, _ = self.train("worse", ELLIPSE, *SMALL[2:], "--steps", 40, "--rate", 10, "--init", first)
        self.assertLessEqual(self.reached(out), self.reached(again))  # what it began with is the best
        self.assertEqual(network_texts(worse)["train.best-step"], "0")
        shifted = self.file("other.mod", pathlib.Path(ELLIPSE).read_text().replace("offset >= -2", "offset >= -1"))
        self.refused("eval", shifted, "--net", first, code=1, saying="another model: .*what differs: inputs; hardnet train --init")
        other, out, _ = self.train("other", shifted, *SMALL[2:], "--steps", 40, "--init", first)
        self.run_it("eval", shifted, "--net", other)
        first, out, _ = self.train("first", ELLIPSE, *SMALL, "--hidden", "12,12", "--structure", "residual", "--norm", "layer")
        again, _, _ = self.train("again", ELLIPSE, *SMALL[2:], "--init", first, "--keep", "--log", self.folder / "log.csv")
        self.assertEqual([network_texts(again)[key] for key in ("structure", "norm", "train.structure", "train.norm")],
                         ["residual", "layer"] * 2)
        self.train("again", ELLIPSE, *SMALL[2:], "--init", first, "--resume", "--steps", 70)
        self.assertRegex(self.run_it("eval", ELLIPSE, "--net", again)[0], "network 1-12-12-2, relu, residual, layer norm, 1 candidate")
        out = ["--out", self.folder / "n"]
        for more, saying in ((["--norm", "none"], "--norm.* exclude --init"), (["--candidates", 2], "2 outputs, and this training needs 4")):
            self.refused("train", ELLIPSE, *out, "--init", first, *more, code=2, saying=saying)
        self.refused("train", SIMPLEX, *out, "--init", first, code=2, saying="has 1 inputs, and the model 10")
        self.refused("train", ELLIPSE, *out, "--steps", 0, code=2, saying="--steps 0: needs --init")

    def test_a_renamed_row_does_not_refuse_a_network(self):
        net, _, _ = self.train("net", ELLIPSE, *SMALL)
        text = pathlib.Path(ELLIPSE).read_text()
        name = re.search(r"subject to (\w+)", text).group(1)
        self.run_it("eval", self.file("renamed.mod", re.sub(rf"\b{name}\b", "called_otherwise", text)), "--net", net)

    def test_a_network_of_an_earlier_version_loads_or_says_how_to_convert_it(self):
        """earlier.safetensors is a network of ELLIPSE, 2 candidates, as version 0.1.0 wrote it before files said what models are made of."""
        old, text = pathlib.Path(__file__).parent / "earlier.safetensors", pathlib.Path(ELLIPSE).read_text()
        x, y = self.array("x.npy", [[-1.9], [0.7], [1.9]]), self.folder / "y.npy"
        self.run_it("eval", ELLIPSE, "--net", old, "--x", x, "--out", y)
        self.assertEqual(np.load(y).tolist(), [[-1.0484069550979247, -0.8515930449020751], [0.8499997853224142, -0.14999978532241326],
                                               [1.4500000322686366, 0.44999996773136997]])
        renamed = self.file("renamed.mod", text.replace("subject to line", "subject to straight"))
        self.refused("eval", renamed, "--net", old, code=1, saying="names differ, and the file, of an earlier version, .*hardnet train --init")
        self.refused("eval", self.file("other.mod", text.replace("/4", "/5")), "--net", old, code=1, saying="another model: .*hardnet train --init")
        converted, _, _ = self.train("converted", renamed, "--steps", 0, "--refine", 1, "--validation", 60, "--init", old)
        self.run_it("eval", renamed, "--net", converted, "--x", x, "--out", self.folder / "z.npy")
        self.assertEqual((self.folder / "z.npy").read_bytes(), y.read_bytes())

    def test_a_training_that_is_done_is_extended(self):
        path, out, _ = self.train("net", ELLIPSE, *SMALL, "--keep")
        self.assertTrue(pathlib.Path(f"{path}.checkpoint").exists())
        _, longer, err = self.train("net", ELLIPSE, *SMALL, "--steps", 100, "--resume")
        self.assertRegex(err, "--resume: 100 steps instead of 60; the training goes on from step 60")
        self.assertRegex(longer, "100 of 100 steps")
        self.assertLessEqual(self.reached(longer), self.reached(out))
        self.assertFalse(pathlib.Path(f"{path}.checkpoint").exists())  # what is done needs none

    def test_a_checkpoint_of_another_training_is_refused_by_name(self):
        path, _, _ = self.train("net", ELLIPSE, *SMALL, "--keep")
        before = sha(f"{path}.checkpoint")
        arguments = ["train", ELLIPSE, "--out", path, "--resume"]
        for more, saying in ((["--batch", 41], "--batch 40, but this is --batch 41"), (["--seed", 3], "--seed 1"),
                             (["--rate", 0.5], "--rate"), (["--hidden", "12,9"], "--hidden 12,8"),
                             (["--tolerance", 1e-6], "--tolerance"), (["--refine", 1], "--refine 0"),
                             (["--x", self.array("x.npy", [[0.5], [1]])], "--x none")):
            self.refused(*arguments, *SMALL, *more, code=2, saying=r"net\.checkpoint: it was made with .*" + saying)
        self.refused("train", SIMPLEX, "--out", path, "--resume", *SMALL, code=2, saying="it was made with model")
        self.assertEqual(sha(f"{path}.checkpoint"), before)
        damaged = bytearray(pathlib.Path(f"{path}.checkpoint").read_bytes())
        damaged[len(damaged) // 2] ^= 1
        pathlib.Path(f"{path}.checkpoint").write_bytes(damaged)
        self.refused(*arguments, *SMALL, code=1, saying="net.checkpoint: the file is damaged")

    def test_a_checkpoint_that_is_missing_or_in_the_way_is_told(self):
        path, _, err = self.train("net", ELLIPSE, *SMALL, "--resume", "--keep")
        self.assertRegex(err, "warning: --resume: there is no .*net.checkpoint; the training starts from the beginning\n")
        _, _, err = self.train("net", ELLIPSE, *SMALL, "--keep")
        self.assertRegex(err, "warning: .*net.checkpoint exists and will be replaced")
        wanted = sha(path)
        path.unlink()
        self.train("net", ELLIPSE, *SMALL, "--resume", "--threads", 1)  # all steps are done
        self.assertEqual(sha(path), wanted)

    def test_resume_after_the_end_of_a_training_says_what_goes_on(self):
        self.train("net", ELLIPSE, *SMALL)
        _, _, err = self.train("net", ELLIPSE, *SMALL, "--resume")
        self.assertRegex(err, r"the training starts from the beginning; --init \S*net would start from the existing weights")

    def test_a_full_disk_is_told_and_survived(self):
        small = ["--hidden", "64,64", *SMALL[2:]]  # a checkpoint has four times the weights of a network, and their names
        path, _, _ = self.train("net", ELLIPSE, *small, "--keep")
        old = pathlib.Path(f"{path}.checkpoint").read_bytes()
        wanted, size = sha(path), path.stat().st_size

        def limit(most):
            def apply():
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
            return apply
        path.unlink()
        _, _, err = self.train("net", ELLIPSE, *small, "--checkpoint-steps", 20, "--keep", preexec_fn=limit(size + 6000))
        self.assertEqual(err.count("cannot write: File too large; the checkpoint before it stays"), 4, err)
        self.assertEqual(pathlib.Path(f"{path}.checkpoint").read_bytes(), old)
        self.assertEqual(sha(path), wanted)
        path.write_text("old")
        _, out, err = self.train("net", ELLIPSE, *small, code=1, preexec_fn=limit(size - 100))
        self.assertRegex(err, "error: --out .*net: there is no room for the network, [0-9]+ bytes: File too large")
        self.assertNotIn("Training", out, "it is found before the training, not after it")
        self.assertEqual(path.read_text(), "old")
        self.assertFalse([*self.folder.glob("*.tmp"), *self.folder.glob("*.lock")])

    def test_a_network_that_cannot_be_written_in_the_end_is_saved_elsewhere(self):
        folder, spare = self.folder / "a", self.folder / "spare"
        folder.mkdir()
        spare.mkdir()
        child = subprocess.Popen([tool.program, "train", ELLIPSE, "--out", str(folder / "net"), *map(str, SMALL), "--steps", "400"],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ, TMPDIR=str(spare)))
        self.wait_for(folder / "net.lock", child)
        folder.rename(self.folder / "b")
        err = child.communicate(timeout=100)[1].decode()
        self.assertEqual(child.returncode, 1, err)
        saved = re.search(r"error: .*/a/net: .*; the network was written to (\S+/net) instead", err).group(1)
        self.assertTrue(saved.startswith(str(spare)), saved)
        wanted, _, _ = self.train("net", ELLIPSE, *SMALL, "--steps", "400")
        self.assertEqual(sha(saved), sha(wanted))

    def test_two_trainings_do_not_write_the_same_files(self):
        path = self.folder / "net"
        child = self.start(path, ELLIPSE, *SMALL, "--steps", "1000000")
        self.wait_for(self.folder / "net.lock", child)
        self.refused("train", ELLIPSE, "--out", path, *SMALL, code=1, saying="--out .*net: another training is writing to it")
        other = self.folder / "other"
        self.refused("train", ELLIPSE, "--out", path, *SMALL, "--checkpoint", other, code=1, saying="another training")
        child.kill()
        child.communicate(timeout=100)
        self.assertTrue((self.folder / "net.lock").exists())  # of a process that was killed
        self.train("net", ELLIPSE, *SMALL)
        self.assertFalse(list(self.folder.glob("*.lock")))
        child = self.start(other, ELLIPSE, *SMALL, "--steps", "1000000", "--checkpoint", self.folder / "c")
        self.wait_for(self.folder / "c.lock", child)
        self.refused("train", ELLIPSE, "--out", path, *SMALL, "--checkpoint", self.folder / "c", code=1,
                     saying="--checkpoint .*c: another training is writing to it")
        child.kill()
        child.communicate(timeout=100)

    def test_resume_with_fewer_steps_than_done_says_what_it_means(self):
        path, _, _ = self.train("net", ELLIPSE, *SMALL, "--keep")
        self.refused("train", ELLIPSE, "--out", path, *SMALL[:2], "--steps", 40, *SMALL[4:], "--resume", code=2,
                     saying="--resume: .*net.checkpoint has 60 steps behind it, and this training is to have 40; --steps 60 ends it")
        self.train("net", ELLIPSE, *SMALL, "--resume")


tool.main()
