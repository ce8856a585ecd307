"""Policies without a framework: a trained network and its layer, from inputs to outputs.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _checks, _core
from ._errors import InvalidError
from ._expression import numbers_of
from ._result import REPORT, Result

if TYPE_CHECKING:
    from ._model import Model

__all__ = ["Policy", "PolicyResult"]


class PolicyResult(Result):
    """What a call of a policy returns: outputs y, and a report for each sample.

    `moved` and `violation_before` are those of the raw output that became y.
    """

    __slots__ = ("_objective",)

    def __init__(
        self, policy: Any, y: NDArray[Any], reports: NDArray[Any], objective: NDArray[Any]
    ) -> None:
        self._layer = policy
        self._reports = reports
        self._shape = y.shape[:-1]
        self._residual = None
        self._multipliers = None
        self._objective = objective
        self.y = y

    @property
    def objective(self) -> Any:
        """The model's objective at y, as it was written; NaN without one."""
        return self._objective.reshape(self._shape)[()]


class Policy:
    """A trained network and its layer: inputs x in, outputs that satisfy the constraints out.

    Made by `hardnet.train`, or from a file that `hardnet train` or `hardnet.torch.save_policy` wrote:
    `hardnet.Policy.load("net.safetensors", model)`. It computes what `hardnet eval` computes, with the
    same bits. Threads may share a policy; their calls run one after the other.
    """

    def __init__(self, core: _core.Network, model: Model, path: str, threads: int) -> None:
        """Use `hardnet.Policy.load`."""
        self._core = core
        self._lock = threading.Lock()
        self._threads = threads
        self.model = model.snapshot()
        self.path = path  #: the file
        self.report = ""  #: what `hardnet train` printed about the training
        self.settings: dict[str, Any] = (
            core.policy or {}
        )  #: candidates, refine and those of the layer

    @classmethod
    def load(cls, path: str | os.PathLike[str], model: Model, *, threads: int = 0) -> Policy:
        """The policy of a file, for the model that it was trained for; another model is refused.

        threads: of one call; 0 is one per core.
        """
        core = _checks.core_of(model)
        name = _checks.path(path, "path")
        count = _checks.whole(threads, "threads", 1024)
        return cls(_core.Network.load(name, core, count), model, name, count)

    @property
    def texts(self) -> dict[str, str]:
        """The texts in the file beside the weights: how the network was trained."""
        return self._core.texts

    def __call__(self, x: ArrayLike | None = None) -> PolicyResult:
        """Outputs at inputs x, of shape (..., inputs); y has the shape (..., outputs).

        The best of the network's candidates is taken, corrected and refined.
        """
        inputs, outputs = self.model.inputs_count, self.model.outputs_count
        if x is None and inputs:
            raise InvalidError(f"x is missing: the model has {inputs} inputs", "argument", "x")
        given = np.empty(0) if x is None else numbers_of(x, "x")
        _checks.width(given.shape, "x", inputs)
        lead = given.shape[:-1]
        count = int(np.prod(lead, dtype=np.int64))
        y, objective = np.empty((*lead, outputs)), np.empty(count)
        reports = np.empty(count, REPORT)
        with self._lock:
            self._core.apply(
                count, np.ascontiguousarray(given), y, objective, reports.view(np.uint8)
            )
        goal = self.model.core.goal
        sign = -1.0 if goal is not None and goal[2] else 1.0
        return PolicyResult(self, y, reports, sign * objective)

    def __repr__(self) -> str:
        settings = self.settings
        return (
            f"Policy(inputs={self.model.inputs_count}, outputs={self.model.outputs_count}, "
            f"hidden={self._core.info['hidden']}, candidates={settings['candidates']}, "
            f"refine={settings['refine']}, method='{settings['method']}')"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.path, self.model, self._threads)


def _restore(path: str, model: Model, threads: int) -> Policy:
    return Policy.load(path, model, threads=threads)
