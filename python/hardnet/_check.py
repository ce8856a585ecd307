"""What `hardnet check` finds, as data: findings first.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._expression import numbers_of
from ._outcome import Outcome

if TYPE_CHECKING:
    from ._model import Model

__all__ = [
    "Check",
    "Conflict",
    "Correction",
    "Dependent",
    "Difference",
    "Finding",
    "GroupCheck",
    "Rank",
    "Rate",
    "Theorem",
]

Reals = NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class Finding:
    """What deserves a look."""

    severity: str  #: "note" or "warning"
    kind: str  #: a word for programs
    text: str  #: a sentence for people
    subjects: tuple[str, ...]  #: rows, outputs, inputs or groups that it is about

    def __str__(self) -> str:
        shown = ", ".join(self.subjects[:6]) + (", ..." if len(self.subjects) > 6 else "")
        return f"{self.severity}: {self.text}" + (f": {shown}" if shown else "")


@dataclasses.dataclass(frozen=True)
class GroupCheck:
    """A group of rows at the start point."""

    name: str
    equalities: int
    one_sided: int
    two_sided: int
    output_bounds: bool  #: the bounds of a family of outputs
    mean: float  #: of finite |r|
    max: float
    worst: str | None  #: row; None: none is violated
    not_finite: int  #: rows


@dataclasses.dataclass(frozen=True)
class Difference:
    """The largest disagreement of a derivative with a difference quotient."""

    name: str
    checked: int
    not_finite: int
    kinks: int
    error: float  #: relative; right is below 1e-6
    point: int | None
    where: str  #: "dynamics[2] by y[1]"
    derivative: float
    difference: float


@dataclasses.dataclass(frozen=True)
class Correction:
    """The start, corrected at the inputs of every point."""

    why_not: str | None  #: the reason why it was left out
    ok: int
    count: int
    outcomes: tuple[Outcome, ...]
    iterations: tuple[int, ...]
    violation_before: tuple[float, ...]
    violation: tuple[float, ...]
    worst: tuple[str | None, ...]
    moved: tuple[float, ...]
    y: Reals = dataclasses.field(repr=False)
    residual: Reals = dataclasses.field(repr=False)


@dataclasses.dataclass(frozen=True)
class Conflict:
    """Constraints that look infeasible together (not proven)."""

    why_not: str | None
    point: int | None
    groups: tuple[str, ...]
    minimal: bool  #: without any one of them the rest can be corrected
    smallest: bool  #: and no smaller set was found
    solves: int
    violated: tuple[tuple[str, float], ...]  #: constraints that remain violated, the worst first


@dataclasses.dataclass(frozen=True)
class Dependent:
    """A row whose gradient is a combination of others'."""

    row: str
    total: int  #: so many others; 0: its gradient is 0
    others: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Rank:
    """Of the active rows where the correction ended."""

    why_not: str | None
    active: int
    rank: int
    largest: float  #: estimates of singular values
    smallest: float
    dependent: tuple[Dependent, ...]


@dataclasses.dataclass(frozen=True)
class Rate:
    """V after a step over V before, on the paper's iteration."""

    eps: float
    steps: int
    mean: float
    worst: float


@dataclasses.dataclass(frozen=True)
class Theorem:
    """Estimates of the constants of the paper's theorem."""

    why_not: str | None
    points: int
    pairs: int
    L: float
    mu: float
    G: float
    eps: float
    k: float
    rate: float
    paper_rate: float
    at_best: Rate
    at_paper: Rate


@dataclasses.dataclass(frozen=True)
class Check:
    """What a model looks like; made by `m.check()`."""

    findings: tuple[Finding, ...]
    inputs: int
    outputs: int
    rows: int
    groups: tuple[GroupCheck, ...]
    objective: float | None  #: at the start, with the model's sign; None without an objective
    differences: tuple[Difference, ...]
    correction: Correction | None
    conflict: Conflict | None
    rank: Rank | None
    theorem: Theorem | None
    sizes: dict[str, Any]  #: nonzeros and instructions
    x: Reals = dataclasses.field(repr=False)  #: points x inputs
    y: Reals = dataclasses.field(repr=False)  #: points x outputs
    row_value: Reals = dataclasses.field(repr=False)  #: at the start, as what follows
    row_lower: Reals = dataclasses.field(repr=False)
    row_upper: Reals = dataclasses.field(repr=False)
    violation: Reals = dataclasses.field(repr=False)  #: |r| of the rows
    row_norm: Reals = dataclasses.field(repr=False)  #: |dc/dy| of the rows
    definitions: dict[str, float] = dataclasses.field(repr=False)

    @property
    def ok(self) -> bool:
        """No warnings among the findings."""
        return all(finding.severity != "warning" for finding in self.findings)

    def __repr__(self) -> str:
        head = f"Check: {self.inputs} inputs, {self.outputs} outputs, {self.rows} rows"
        found = [f"  {finding}" for finding in self.findings] or ["  no findings"]
        return "\n".join([head, *found, *self._details()])

    def _details(self) -> list[str]:
        lines = []
        if self.correction is not None and self.correction.why_not is None:
            worst = max(self.correction.violation, default=0.0)
            ok, count = self.correction.ok, self.correction.count
            lines.append(f"  start corrected: {ok} of {count} ok, violation up to {worst:.1e}")
        if self.conflict is not None and self.conflict.groups:
            lines.append(f"  no common point found of: {', '.join(self.conflict.groups)}")
        error = max((d.error for d in self.differences if d.checked), default=0.0)
        lines.append(f"  derivatives against differences: error up to {error:.1e}")
        if self.rank is not None and self.rank.why_not is None:
            lines.append(
                f"  active rows at the corrected start: {self.rank.active}, rank {self.rank.rank}"
            )
        return lines


_DERIVATIVES = (
    ("jacobian_y", "output"),
    ("gradient_y", "output"),
    ("jacobian_x", "input"),
    ("bounds_x", "input"),
    ("gradient_x", "input"),
    ("hessian_product", "output"),
    ("hessian", "output"),
)


class _Names:
    def __init__(self, model: Model) -> None:
        self.rows: Sequence[str] = model.row_names
        self.columns = {"input": model.input_names, "output": model.output_names}
        goal = model.core.goal
        objective = [] if goal is None else [goal[0]]
        bounds = [f"{side} bound of {row}" for side in ("lower", "upper") for row in self.rows]
        self.differentiated = [*self.rows, *objective, *bounds]

    def row(self, index: int | None) -> str | None:
        return None if index is None or index >= len(self.rows) else self.rows[index]

    def some(self, indices: Sequence[int]) -> tuple[str, ...]:
        return tuple(self.rows[i] for i in indices)

    def entry(self, index: int, found: dict[str, Any]) -> str:
        column = self.columns[_DERIVATIVES[index][1]]
        by = column[found["column"]] if found["column"] < len(column) else ""
        row = found["row"]
        of = self.differentiated[row] if row < len(self.differentiated) else ""
        return f"entry {by}" if "hessian" in _DERIVATIVES[index][0] else f"{of} by {by}"


def _reals(data: bytes, *shape: int) -> Reals:
    return np.frombuffer(data, np.float64).reshape(shape)


def _group(name: str, found: dict[str, Any], names: _Names) -> GroupCheck:
    violated = found["max"] > 0 or found["not_finite"] > 0
    worst = names.row(found["worst"]) if violated else None
    return GroupCheck(**{**found, "name": name, "worst": worst})


def _correction(
    found: dict[str, Any] | None, names: _Names, outputs: int, rows: int
) -> Correction | None:
    if found is None:
        return None
    reports = found["reports"]

    def each(field: str) -> tuple[Any, ...]:
        return tuple(report[field] for report in reports)

    return Correction(
        why_not=found["why_not"],
        ok=found["ok"],
        count=found["count"],
        outcomes=tuple(Outcome(code) for code in each("outcome")),
        iterations=each("iterations"),
        violation_before=each("violation_before"),
        violation=each("violation"),
        worst=tuple(names.row(index) for index in each("worst")),
        moved=each("moved"),
        y=_reals(found["y"], -1, outputs) if found["y"] else np.empty((0, outputs)),
        residual=_reals(found["residual"], -1, rows) if found["residual"] else np.empty((0, rows)),
    )


def _conflict(
    found: dict[str, Any] | None, names: _Names, groups: Sequence[str]
) -> Conflict | None:
    if found is None:
        return None
    violated = tuple((names.rows[row], size) for row, size in found.pop("rows"))
    chosen = tuple(groups[i] for i in found.pop("groups"))
    return Conflict(groups=chosen, violated=violated, **found)


def _rank(found: dict[str, Any] | None, names: _Names) -> Rank | None:
    if found is None:
        return None
    dependent = tuple(
        Dependent(names.rows[d["row"]], d["total"], names.some(d["others"]))
        for d in found.pop("dependent")
    )
    return Rank(dependent=dependent, **found)


def _theorem(found: dict[str, Any] | None) -> Theorem | None:
    if found is None:
        return None
    del found["mu_point"], found["mu_step"]
    best, paper = Rate(**found.pop("at_best")), Rate(**found.pop("at_paper"))
    return Theorem(at_best=best, at_paper=paper, **found)


def _differences(found: list[dict[str, Any]], names: _Names) -> tuple[Difference, ...]:
    listed = []
    for i, one in enumerate(found):
        where = names.entry(i, one) if one["checked"] else ""
        kept = {n: v for n, v in one.items() if n not in ("row", "column", "together")}
        listed.append(Difference(name=_DERIVATIVES[i][0], where=where, **kept))
    return tuple(listed)


def check(
    model: Model, points: int, seed: int, x: ArrayLike | None, sample_start: bool, threads: int
) -> Check:
    """Checks a model; see Model.check."""
    inputs = model.inputs_count
    rows = None if x is None else np.ascontiguousarray(numbers_of(x).reshape(-1, max(inputs, 1)))
    core = model.core
    count = 0 if rows is None else len(rows)
    found = _core.check(
        core, points, seed, sample_start, rows if inputs else None, count if inputs else 0, threads
    )
    names, values, sizes = _Names(model), found["values"], found["sizes"]
    groups = [name for name, _, _ in core.groups]
    outputs, row_count = core.output_count, core.row_count
    goal = core.goal
    return Check(
        findings=tuple(
            Finding(
                ("note", "warning", "error")[f["severity"]],
                f["kind"],
                f["text"],
                tuple(f["subjects"]),
            )
            for f in found["findings"]
        ),
        inputs=inputs,
        outputs=outputs,
        rows=row_count,
        groups=tuple(_group(name, group, names) for name, group in zip(groups, found["groups"])),
        objective=None if goal is None else values["objective"] * (-1 if goal[2] else 1),
        differences=_differences(found["differences"], names),
        correction=_correction(found["correction"], names, outputs, row_count),
        conflict=_conflict(found["conflict"], names, groups),
        rank=_rank(found["rank"], names),
        theorem=_theorem(found["theorem"]),
        sizes=sizes,
        x=_reals(values["x"], sizes["points"], inputs),
        y=_reals(values["y"], sizes["points"], outputs),
        row_value=_reals(values["row_value"], row_count),
        row_lower=_reals(values["row_lower"], row_count),
        row_upper=_reals(values["row_upper"], row_count),
        violation=_reals(values["violation"], row_count),
        row_norm=_reals(values["row_norm"], row_count),
        definitions=dict(zip(core.definition_names, _reals(values["definition"], -1).tolist())),
    )
