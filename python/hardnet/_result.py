"""Results of a layer: corrected outputs with a report for each sample, and gradients.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._errors import InvalidError
from ._outcome import Outcomes
from ._shared import Values

if TYPE_CHECKING:
    from ._layer import Layer

__all__ = ["REPORT", "Gradient", "Result"]

REPORT = np.dtype(_core.report_fields, align=True)


class Result:
    """What a call of a layer returns: corrected outputs, and a report for each sample.

    Every attribute has the leading shape of the call; for a single sample they are scalars.
    """

    __slots__ = (
        "_layer",
        "_multipliers",
        "_proof_y",
        "_reports",
        "_residual",
        "_shape",
        "_shared",
        "_tape",
        "_x",
        "_y_raw",
        "_y64",
        "y",
    )

    y: Any  #: corrected outputs
    _reports: NDArray[Any]
    _shape: tuple[int, ...]

    def __init__(self, layer: Layer, batch: Any, y: Any, reports: NDArray[Any]) -> None:
        self._layer = layer
        self._reports = reports
        self._shape = batch.lead
        self._x = batch.x
        self._y_raw = batch.y_raw
        self._y64 = batch.y
        self._tape = batch.tape
        self._residual = batch.residual
        self._multipliers = getattr(batch, "multipliers", None)
        self._proof_y = getattr(batch, "proof_y", None)
        self._shared = getattr(batch, "shared", Values(None, None))
        self.y = y

    def _field(self, name: str) -> Any:
        return self._reports[name].reshape(self._shape)[()]

    @property
    def outcome(self) -> Any:
        """What happened: an array of type Outcomes, or one Outcome for a single sample."""
        return self._reports["outcome"].reshape(self._shape).view(Outcomes)[()]

    @property
    def ok(self) -> Any:
        """Whether a fresh evaluation at y found every row within the tolerance."""
        return self._field("outcome") == 0

    @property
    def iterations(self) -> Any:
        """Steps computed."""
        return self._field("iterations")

    @property
    def steps(self) -> Any:
        """Steps between y_raw and y; the gradient differentiates these."""
        return self._field("steps")

    @property
    def violation(self) -> Any:
        """The largest violation of a row at y, in the row's own units."""
        return self._field("violation")

    @property
    def violation_before(self) -> Any:
        """The same at y_raw; infinite where it could not be evaluated."""
        return self._field("violation_before")

    @property
    def moved(self) -> Any:
        """The distance |y - y_raw|."""
        return self._field("moved")

    @property
    def slope(self) -> Any:
        """The smallest |J' r| / (|J| |r|) at which steps stalled; infinite if they never did.

        It is the evidence for locally_infeasible: near 0 the violation r cannot be lowered nearby.
        """
        return self._field("slope")

    @property
    def kkt(self) -> Any:
        """Of "nearest" and "optimal": the residual of the optimality conditions at y.

        Infinite where no proof is known, and of other methods.
        """
        return self._field("kkt")

    @property
    def complementarity(self) -> Any:
        """Of "nearest" and "optimal": the largest multiplier times the distance to its bound, a part of kkt.

        Infinite where kkt is.
        """
        return self._field("complementarity")

    @property
    def proof(self) -> Any:
        """Of "nearest" and "optimal": how well the multipliers of a locally infeasible sample prove it.

        They are weights w of the rows, with which the violation at proof_y weighs 1; this is the sum
        of |J' w|. To first order nothing closer to proof_y than 1 / proof, by the largest entry,
        satisfies all rows. Infinite where there are no weights.
        """
        return self._field("proof")

    @property
    def proof_y(self) -> Any:
        """Of "nearest" and "optimal": the point at which `proof` is; of other samples y.

        y has the smallest violation that was found. The steps may have come to rest elsewhere, where
        the proof is a better one.
        """
        if self._proof_y is None:
            raise InvalidError("proof_y is there for the methods nearest and optimal, on the CPU")
        return self._proof_y.reshape(*self._shape, -1)

    @property
    def certified(self) -> Any:
        """Of "nearest" and "optimal": y satisfies the first-order optimality conditions to 1e-8.

        It is a local solution, and the global one where the problem is convex. `reason` says why a
        sample that is ok is not certified. False for other methods.
        """
        return self.ok & (self._field("kkt") <= 1e-8)

    @property
    def reason(self) -> Any:
        """Of "nearest" and "optimal": why a sample that is ok is not certified; else an empty text.

        >>> import hardnet
        >>> m = hardnet.Model.from_text("var y <= 1; minimize f: y;")
        >>> print(m.layer(method="optimal")([0.0]).reason)
        the objective is unbounded along a feasible direction
        """
        texts = np.array(_core.reasons, dtype=np.str_)
        return texts[self._reports["reason"]].reshape(self._shape)[()]

    @property
    def programmes(self) -> Any:
        """Of "nearest" and "optimal": barrier problems begun."""
        return self._field("programmes")

    @property
    def factorisations(self) -> Any:
        """Of "nearest" and "optimal": systems factored; under affine rows changes of the active set."""
        return self._field("factorisations")

    @property
    def distance(self) -> Any:
        """Of "nearest": |S (y - y_raw)|; of other methods the same as moved."""
        return self._field("distance")

    @property
    def objective(self) -> Any:
        """Of "optimal": the model's objective at y; infinite if y is infeasible, and for other methods."""
        return self._field("objective")

    @property
    def multipliers(self) -> Any:
        """Of "nearest" and "optimal": the multipliers, one per row, positive at lower bounds.

        Where a sample is locally infeasible: the weights of rows that prove it (see proof). Else zeros
        where y is not certified.
        """
        if self._multipliers is None:
            method = self._layer.settings["method"]
            if method in ("nearest", "optimal"):
                raise InvalidError("a module keeps no multipliers: call its with_multipliers")
            raise InvalidError(f"the method {method} has no multipliers; nearest and optimal have")
        return self._multipliers.reshape(*self._shape, -1)

    @property
    def worst(self) -> Any:
        """The name of the row with the largest violation; "" where none is violated."""
        names = self._layer.model.row_names
        index = np.minimum(self._reports["worst"], len(names)).astype(np.intp)
        return np.array([*names, ""], dtype=np.str_)[index].reshape(self._shape)[()]

    @property
    def residual(self) -> Any:
        """What is left of every row at y: above its upper bound positive, below its lower negative.

        It is computed during the call if requested: layer(..., residual=True).
        """
        if self._residual is None:
            raise InvalidError("the residual was not computed: call the layer with residual=True")
        return self._residual.reshape(*self._shape, -1)

    @property
    def reports(self) -> NDArray[Any]:
        """All of it as a structured array, one record per sample."""
        return self._reports.reshape(self._shape)

    def __len__(self) -> int:
        if not self._shape:
            raise TypeError("the result of a single sample has no length")
        return self._shape[0]

    def __repr__(self) -> str:
        count = self._reports.size
        good = int(np.count_nonzero(self._reports["outcome"] == 0))
        worst = float(self._reports["violation"].max()) if count else 0.0
        most = int(self._reports["iterations"].max()) if count else 0
        return (
            f"Result(ok={good} of {count}, violation<={worst:.1e}, iterations<={most}, "
            f"y.shape={self.y.shape})"
        )


class Gradient:
    """Gradients of a scalar loss through a layer, each with the leading shape of the call."""

    __slots__ = ("flagged", "lower", "shared", "upper", "weights", "x", "y_raw")

    def __init__(
        self,
        y_raw: Any,
        x: Any,
        lower: Any,
        upper: Any,
        flagged: Any,
        weights: Any = None,
        shared: Any = None,
    ) -> None:
        self.y_raw = y_raw  #: with respect to the raw outputs
        self.x = x  #: with respect to the inputs; None for a model without inputs
        self.lower = lower  #: with respect to the lower bounds
        self.upper = upper  #: with respect to the upper bounds
        self.weights = weights  #: with respect to the weights of "nearest", if requested
        self.shared = shared  #: of the whole batch, with respect to shared inputs, in their form
        self.flagged = flagged  #: where a sample is not ok, or no finite gradient was found

    def __repr__(self) -> str:
        flagged = int(np.count_nonzero(self.flagged))
        count = np.size(self.flagged)
        return f"Gradient(y_raw.shape={self.y_raw.shape}, flagged={flagged} of {count})"
