"""Training: `hardnet train` on a model of this process.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import os
import pathlib
import tempfile
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _checks
from ._command import run_verb
from ._errors import InvalidError
from ._expression import numbers_of
from ._model import Model
from ._policy import Policy

__all__ = ["train"]


def train(
    model: Model,
    out: str | os.PathLike[str],
    *,
    epochs: int | None = None,
    seed: int = 1,
    x: ArrayLike | None = None,
    targets: ArrayLike | None = None,
    resume: bool = False,
    threads: int = 0,
    progress: bool = True,
    **options: Any,
) -> Policy:
    """Trains a network for a model with an objective, writes it to a file, and returns its policy.

    It is `hardnet train`, with the same defaults and the same bytes in the file: inputs are sampled from
    the box of the model, the network learns from outputs that are improved along the constraints and
    from those of similar inputs, with as many candidates and as much refinement as reduce the objective.
    The training runs in a separate process.

    out: the file, NAME.safetensors. A checkpoint is beside it until the training is done.
    epochs: 40 of 100 steps, and twice as many for a model with several optima, unless given.
    seed: of weights and inputs.
    x: inputs to train on, (count, inputs), instead of sampled ones.
    targets: outputs to imitate, one row for each of x.
    resume: continue from the checkpoint.
    threads: 0 is one per core.
    progress: show steps, loss and time left on sys.stderr, and the report in the end.
    options: the other options of `hardnet train` (`hardnet help train`), with _ for -: hidden=(64, 64),
        candidates=2, refine=1, batch=500, feedback={"start": "next"}, device="cuda".

    Ctrl-C ends the training with KeyboardInterrupt and leaves the checkpoint. Warnings of the command
    are RuntimeWarnings.

    >>> import hardnet, os, tempfile
    >>> m = hardnet.Model()
    >>> r = m.inputs("r", lower=0.5, upper=2)
    >>> y = m.outputs("y", 2)
    >>> m.subject_to(hardnet.sum(y**2) <= r**2, name="disc")
    >>> m.minimize((y[0] - 3) ** 2 + y[1] ** 2)
    >>> path = os.path.join(tempfile.mkdtemp(), "net.safetensors")
    >>> policy = hardnet.train(m, path, hidden=(16, 16), epochs=1, progress=False)
    >>> policy([[1.0], [1.5]]).ok
    array([ True,  True])
    """
    core = _checks.core_of(model)
    if core.goal is None:
        raise InvalidError("the model has no objective to train for: add it by m.minimize(...)")
    path = _checks.path(out, "out")
    given = {"epochs": epochs, "resume": resume, **options}
    given |= {"out": path, "seed": seed, "threads": _checks.whole(threads, "threads", 1024) or None}
    with tempfile.TemporaryDirectory(prefix="hardnet-") as name:
        folder = pathlib.Path(name)
        (folder / "model.mod").write_text(model.to_ampl(), encoding="utf-8")
        for role, array in ("x", x), ("targets", targets):
            if array is not None:
                given[role] = folder / f"{role}.npy"
                np.save(given[role], numbers_of(array, role))
        words = [word for option, value in given.items() for word in _words(option, value)]
        report = run_verb(["train", *words, str(folder / "model.mod")], progress)
    policy = Policy.load(path, model, threads=threads)
    policy.report = report
    return policy


def _words(option: str, value: Any) -> Iterator[str]:
    """An option of Python as the command takes it: hidden=(64, 64) is --hidden=64,64."""
    name = "--" + option.replace("_", "-")
    if isinstance(value, (bool, np.bool_)) or value is None:
        if value:
            yield name
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield f"{name}={key}={item}"
    elif isinstance(value, (list, tuple, np.ndarray)):
        yield f"{name}={','.join(_text(option, item) for item in value)}"
    else:
        yield f"{name}={_text(option, value)}"


def _text(option: str, value: Any) -> str:
    plain = value.item() if isinstance(value, np.generic) else value
    if not isinstance(plain, (str, int, float, os.PathLike)):
        raise TypeError(f"{option} must be a number, a text or a list of them, not {value!r}")
    return os.fspath(plain) if isinstance(plain, os.PathLike) else str(plain)
