"""Models: constraints from files, texts, or Python expressions (_building.py).

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import os
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _check, _core, _display, _evaluate
from ._check import Check
from ._evaluate import Evaluation
from ._expression import Expression
from ._layer import Layer
from ._lookup import Lookup
from ._options import Instructions, Method, NotOk, Precision
from ._reading import Lets, Message, Path, read_files, read_texts

__all__ = ["Model"]


class Model(Lookup):
    """A model: inputs x, outputs y, constraints lower(x) <= c(x, y) <= upper(x), an objective.

    >>> import hardnet
    >>> m = hardnet.Model()
    >>> x = m.inputs("x", 2, lower=-1, upper=1)
    >>> y = m.outputs("y", (10, 3), lower=-2)
    >>> m.subject_to(y[1:, 0] == y[:-1, 0] + 0.1 * hardnet.cos(y[:-1, 2]), name="dynamics")
    >>> m.subject_to(1 <= hardnet.sum(y[:, :2] ** 2, axis=1), name="obstacle")
    >>> m.minimize(hardnet.sum((y - x[0]) ** 2))
    >>> m
    Model: 2 inputs, 30 outputs, 49 rows
      input       x         2       [-1, 1]
      output      y         10 x 3  >= -2
      constraint  dynamics  9       ==
      constraint  obstacle  10      >=
      minimize    cost

    Whatever is made from a model (layers, evaluations, checks) is made from what it holds at that
    moment; more can be added afterwards.

    In files and texts the same is written in the AMPL modelling language:

    >>> m = hardnet.Model.from_text('''
    ...     param radius >= 0.5, <= 2;                  # no value: an input of the network
    ...     var y{1..2} >= -2, <= 2;                    # outputs of the network
    ...     subject to disc: y[1]^2 + y[2]^2 <= radius^2;
    ... ''')
    >>> m.row_names
    ('disc', 'y[1]', 'y[2]')
    """

    # ---- from files and texts ----

    @classmethod
    def from_file(
        cls,
        path: Path,
        *data: Path,
        let: Lets | None = None,
        relax_integrality: bool = False,
        max_nodes: int = 0,
        untrusted: bool = False,
    ) -> Model:
        """A model from a file in the AMPL modelling language, and files with its data.

        let: values that override scalar params of the files: `let={"N": 20}`.
        relax_integrality: integer and binary variables become continuous, with a warning.
        max_nodes: the limit of the model's size; 0 is the library's own.
        untrusted: the files are a stranger's: they may open no other file, and limits are tight.

        What the reader left out or took differently is in `messages`; warnings are given as
        `hardnet.ModelWarning`, too. A mistake in a file is a `hardnet.Error` with its line and
        column, and all that were found are in its `messages`.
        """
        core, messages = read_files([path, *data], let, relax_integrality, untrusted, max_nodes)
        return cls._finished(core, messages)

    @classmethod
    def from_text(
        cls,
        text: str,
        *data: str,
        let: Lets | None = None,
        relax_integrality: bool = False,
        max_nodes: int = 0,
        untrusted: bool = False,
    ) -> Model:
        """A model from a text in the AMPL modelling language, and texts with its data.

        >>> import hardnet
        >>> m = hardnet.Model.from_text("param n; var y{1..n} >= 0;", let={"n": 3})
        >>> m.outputs_count
        3
        >>> m = hardnet.Model.from_text("param n; var y{1..n} >= 0;", "param n := 2;")
        >>> m.outputs_count
        2
        """
        core, messages = read_texts([text, *data], let, relax_integrality, untrusted, max_nodes)
        return cls._finished(core, messages)

    @classmethod
    def _finished(cls, core: _core.Model, messages: tuple[Message, ...] = ()) -> Model:
        model = cls.__new__(cls)
        model._building = None
        model._closed = core
        model._messages = messages
        model._taken_names = None  # computed on demand
        model._unnamed_count = 0
        model._symmetric = frozenset()
        model._cache = {}
        return model

    # ---- looking ----

    @property
    def messages(self) -> tuple[Message, ...]:
        """What the reader remarked, for models from files and texts."""
        return self._messages

    def __repr__(self) -> str:
        return _display.text_of(self)

    def _repr_html_(self) -> str:
        return _display.html_of(self)

    # ---- values and derivatives ----

    def evaluate(self, y: ArrayLike | None = None, x: ArrayLike | None = None) -> Evaluation:
        """Rows, bounds, residual and objective at outputs y, of shape (..., outputs), and inputs x.

        Leading shapes broadcast. Without y the start values are taken.

        >>> import hardnet
        >>> m = hardnet.Model()
        >>> y = m.outputs("y", 2)
        >>> m.subject_to(hardnet.sum(y**2) <= 1, name="disc")
        >>> m.minimize(y[0] - y[1])
        >>> at = m.evaluate([3.0, 4.0])
        >>> at.rows, at.residual, str(at.worst), float(at.objective)
        (array([25.]), array([24.]), 'disc', -1.0)
        >>> m.evaluate([[3.0, 4.0], [0.0, 0.5]]).violation
        array([24.,  0.])
        """
        return _evaluate.evaluate(self, y, x)

    def value(
        self,
        expression: Expression | NDArray[Any],
        y: ArrayLike | None = None,
        x: ArrayLike | None = None,
    ) -> Any:
        """The value of an expression at y and x, of shape (..., *expression.shape).

        >>> import hardnet
        >>> m = hardnet.Model()
        >>> y = m.outputs("y", 3)
        >>> m.value(y[1:] - y[:-1], [1.0, 2.0, 4.0])
        array([1., 2.])
        """
        return _evaluate.value(self, expression, y, x)

    def jacobian(
        self,
        y: ArrayLike | None = None,
        x: ArrayLike | None = None,
        wrt: Literal["y", "x"] = "y",
        of: Literal["rows", "lower", "upper"] = "rows",
    ) -> Any:
        """The derivative of the constraints with respect to y or x, or of "lower" or "upper" to x.

        For a single sample it is a scipy.sparse.csr_array where scipy is installed, for several, or
        without scipy, a hardnet.SparseRows: one pattern, and values of shape (..., nnz).

        >>> import hardnet
        >>> m = hardnet.Model()
        >>> y = m.outputs("y", 2)
        >>> m.subject_to(hardnet.sum(y**2) <= 1, name="disc")
        >>> m.jacobian([3.0, 4.0]).toarray()
        array([[6., 8.]])
        >>> m.jacobian([[3.0, 4.0], [0.0, 0.5]])
        SparseRows(shape=(1, 2), nnz=2, samples=(2,))
        """
        return _evaluate.jacobian(self, y, x, wrt, of)

    def gradient(
        self,
        y: ArrayLike | None = None,
        x: ArrayLike | None = None,
        wrt: Literal["y", "x"] = "y",
    ) -> NDArray[np.float64]:
        """The gradient of the objective w.r.t. y or x, of shape (..., outputs) or (..., inputs)."""
        return _evaluate.gradient(self, y, x, wrt)

    def hessian(
        self,
        y: ArrayLike | None = None,
        x: ArrayLike | None = None,
        multipliers: ArrayLike | None = None,
        sigma: ArrayLike = 1.0,
        block: Literal["yy", "yx", "xx"] = "yy",
    ) -> Any:
        """Second derivatives of sigma times the objective plus multipliers times the rows.

        block: "yy", "yx" or "xx". A sparse matrix as `jacobian` gives it, both triangles of it.

        >>> import hardnet
        >>> m = hardnet.Model()
        >>> y = m.outputs("y", 2)
        >>> m.subject_to(y[0] * y[1] == 1, name="product")
        >>> m.hessian([3.0, 4.0], multipliers=[2.0]).toarray()
        array([[0., 2.],
               [2., 0.]])
        """
        return _evaluate.hessian(self, y, x, multipliers, sigma, block)

    def check(
        self,
        points: int = 4,
        seed: int = 1,
        x: ArrayLike | None = None,
        sample_start: bool = False,
        threads: int = 0,
    ) -> Check:
        """The results of `hardnet check`: derivatives, conflicts, rank, and findings.

        points: how many points are looked at, 1 to 8.
        x: inputs of the points, one row each; others are sampled.
        sample_start: sample the inputs of the first point, too, instead of the middle of their box.

        >>> import hardnet
        >>> m = hardnet.Model()
        >>> y = m.outputs("y", 2, start=1)
        >>> m.subject_to(hardnet.sum(y**2) == 1, name="circle")
        >>> m.subject_to(y[0] >= 2, name="far")
        >>> m.check().conflict.groups
        ('circle', 'far')
        """
        return _check.check(self, points, seed, x, sample_start, threads)

    # ---- layers and copies ----

    def layer(
        self,
        method: Method = "auto",
        tolerance: float = 1e-8,
        *,
        iterations: int | None = None,
        damping: float | None = None,
        relative: bool = False,
        instructions: Instructions = "best",
        threads: int = 0,
        compile: bool | str | os.PathLike[str] = False,
        effort: float = 1,
        precision: Precision = "float64",
        weights: ArrayLike | None = None,
        fallback: ArrayLike | None = None,
        not_ok: NotOk = "best",
    ) -> Layer:
        """A layer that corrects outputs onto this model.

        method: docs/method.md, Which method when, compares them. Use "nearest" for a safety filter.
        tolerance: the largest violation that counts as ok, in the units of the rows.
        iterations, damping: the method's own unless given.
        relative: measure violations relative to max(1, |bound|).
        instructions: "best", "portable", "avx2" or "avx512"; all compute the same bits.
        threads: of one call; 0 is one per core.
        compile: True runs batches with code that the system's C compiler makes for this model, several
            times as fast and with the same bits; it is kept in the user's cache. A path is that of
            a kernel that `hardnet compile` has written.
        effort: effort of "auto" before it gives up on a sample, as a factor: above 0, at most
            1000.
        precision: precision on a GPU, "float64" or "float32".
        weights: of "nearest": S in |S (y - y_raw)|, one per output, finite and not negative.
        fallback: one number per output, returned where y_raw or x is not finite.
        not_ok: what is returned for samples that are not ok: "best", "clip" or "fallback".
        """
        return Layer(
            self,
            method,
            tolerance,
            iterations=iterations,
            damping=damping,
            relative=relative,
            instructions=instructions,
            threads=threads,
            compile=compile,
            effort=effort,
            precision=precision,
            weights=weights,
            fallback=fallback,
            not_ok=not_ok,
        )

    def to_ampl(self) -> str:
        """The model as a text in the AMPL modelling language, with the same fingerprints when read.

        Expressions that are used several times are written once, as variables `$1`, `$2`, ...

        >>> import hardnet
        >>> m = hardnet.Model()
        >>> y = m.outputs("y", 2, lower=0)
        >>> m.subject_to(y[0] + y[1] == 1, name="total")
        >>> again = hardnet.Model.from_text(m.to_ampl())
        >>> again.fingerprint == m.fingerprint, again.row_names
        (True, ('total', 'y[0]', 'y[1]'))
        """
        return self.core.write()

    def snapshot(self) -> Model:
        """A snapshot of the model: later additions to this one do not change it."""
        model = self._finished(self.core, self._messages)
        model._symmetric = self._symmetric
        return model

    def copy(self) -> Model:
        """An independent copy with the same parts; both can be extended."""
        model = self.__class__.__new__(self.__class__)
        model._building = None if self._building is None else self._building.copy()
        model._closed = self._closed
        model._messages = self._messages
        model._taken_names = None if self._taken_names is None else set(self._taken_names)
        model._unnamed_count = self._unnamed_count
        model._symmetric = self._symmetric
        model._cache = {}
        return model

    def __copy__(self) -> Model:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Model:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return Model.from_text, (self.to_ampl(),), {"_symmetric": self._symmetric}
