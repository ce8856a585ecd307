"""The parts of a model by name: arrays of inputs, outputs and definitions, and rows.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _checks, _core, _packing
from ._building import Building
from ._expression import Expression
from ._names import Family, families_of, family_name, unknown_name
from ._parts import definition_nodes, input_nodes, output_parts

__all__ = ["Lookup"]

_BATCHES = 1 << 48  # the stream that `hardnet train` draws its batches from


class Lookup(Building):
    """The part of Model that finds its parts by name; not made by itself."""

    # ---- by name ----

    def _cached(self, key: Any, make: Callable[[], Any]) -> Any:
        if key not in self._cache:
            self._cache[key] = make()
        return self._cache[key]

    def _families(self, kind: str) -> dict[str, Family]:
        """The families of "input", "output" or "definition"."""
        core = self._closed or self._open()
        names = getattr(core, f"{kind}_names")
        result: dict[str, Family] = self._cached(
            f"{kind} families", lambda: families_of(names, self._symmetric)
        )
        return result

    def __getitem__(self, name: str) -> Expression:
        """Inputs, outputs or a definition by name: a whole family, or one element.

        >>> import hardnet
        >>> m = hardnet.Model.from_text("param a{1..2}; var z{1..4, 1..3};")
        >>> m["z"]
        Expression(shape=(4, 3))
        >>> m["a[2]"]
        Expression(shape=())
        """
        if not isinstance(name, str):
            raise TypeError("a model is asked for parts by name")
        core = self._closed or self._open()
        for kind, nodes in (
            ("input", input_nodes(core)),
            ("output", output_parts(core)[0]),
            ("definition", definition_nodes(core)),
        ):
            family = self._families(kind).get(family_name(name))
            if family is None:
                continue
            if name == family.name:
                return self._expression(nodes[family.index].reshape(family.shape))
            names = getattr(core, f"{kind}_names")
            for i in family.index:
                if names[i] == name:
                    return self._expression(nodes[i : i + 1].reshape(()))
        kinds = ("input", "output", "definition")
        raise unknown_name(name, [part for k in kinds for part in getattr(core, f"{k}_names")])

    def __contains__(self, name: object) -> bool:
        try:
            self[name]  # type: ignore[index]
        except (KeyError, TypeError):
            return False
        return True

    def _names_of(self, kind: str) -> tuple[str, ...]:
        names: tuple[str, ...] = self._cached(
            f"{kind} names", lambda: tuple(getattr(self.core, f"{kind}_names"))
        )
        return names

    @property
    def input_names(self) -> tuple[str, ...]:
        """The names of the entries of x."""
        return self._names_of("input") if self._closed else tuple(self._open().input_names)

    @property
    def output_names(self) -> tuple[str, ...]:
        """The names of the entries of y."""
        return self._names_of("output") if self._closed else tuple(self._open().output_names)

    @property
    def row_names(self) -> tuple[str, ...]:
        """The names of the rows: constraints by group, then the bounds of outputs."""
        return self._names_of("row")

    @property
    def groups(self) -> dict[str, slice]:
        """The rows of each group, for indexing arrays over rows.

        >>> import hardnet
        >>> m = hardnet.Model()
        >>> y = m.outputs("y", 3, lower=0)
        >>> m.subject_to(y[1:] >= y[:-1], name="ascending")
        >>> m.groups
        {'ascending': slice(0, 2, None), 'y': slice(2, 5, None)}
        """
        return {name: slice(first, first + count) for name, first, count in self.core.groups}

    @property
    def inputs_count(self) -> int:
        """The length of x."""
        return (self._closed or self._open()).input_count

    @property
    def outputs_count(self) -> int:
        """The length of y."""
        return (self._closed or self._open()).output_count

    @property
    def rows_count(self) -> int:
        """The number of rows, bounds of outputs among them."""
        return self.core.row_count

    @property
    def fingerprint(self) -> str:
        """64 hexadecimal digits that identify the mathematics of a model, without the names."""
        return self.core.fingerprint

    @property
    def names_fingerprint(self) -> str:
        """64 hexadecimal digits that distinguish the names of models."""
        return self.core.names_fingerprint

    # ---- x and y, and the arrays that they are made of ----

    def unpack(self, y: Any) -> dict[str, Any]:
        """The arrays of outputs in y, of shape (..., outputs), by name.

        y is an array of NumPy, PyTorch or JAX. Leading axes stay.

        >>> import hardnet, numpy as np
        >>> m = hardnet.Model()
        >>> z, u = m.outputs("z", (2, 3)), m.outputs("u", 2)
        >>> parts = m.unpack(np.arange(8.0))
        >>> parts["z"].shape, parts["u"]
        ((2, 3), array([6., 7.]))
        """
        return _packing.unpack(self._families("output"), y, "y")

    def pack(self, **arrays: ArrayLike) -> NDArray[np.float64]:
        """y from the arrays of all outputs, by name; leading axes broadcast.

        >>> import hardnet, numpy as np
        >>> m = hardnet.Model()
        >>> z, u = m.outputs("z", (2, 3)), m.outputs("u", 2)
        >>> m.pack(z=np.zeros((5, 2, 3)), u=[1, 2]).shape
        (5, 8)
        """
        return _packing.pack(self._families("output"), arrays, "output")

    def unpack_inputs(self, x: Any) -> dict[str, Any]:
        """The arrays of inputs in x, of shape (..., inputs), by name."""
        return _packing.unpack(self._families("input"), x, "x")

    def pack_inputs(self, **arrays: ArrayLike) -> NDArray[np.float64]:
        """x from the arrays of all inputs, by name; leading axes broadcast."""
        return _packing.pack(self._families("input"), arrays, "input")

    def sample_inputs(self, count: int, seed: int = 1, step: int = 0) -> NDArray[np.float64]:
        """Inputs to train on, (count, inputs): each from its box, and meeting the requirements.

        They depend on seed and step only, and are those that `hardnet train` learns from.

        >>> import hardnet
        >>> m = hardnet.Model()
        >>> x = m.inputs("x", 2, lower=-1, upper=1)
        >>> y = m.outputs("y")
        >>> m.require(x[0] <= x[1])
        >>> sample = m.sample_inputs(100)
        >>> sample.shape, bool((sample[:, 0] <= sample[:, 1]).all())
        ((100, 2), True)
        """
        number = _checks.whole(count, "count", most=2**62)
        stream = _BATCHES + _checks.whole(step, "step", most=_BATCHES - 1)
        x = np.empty((number, self.core.input_count))
        _core.sample_inputs(
            self.core, _checks.whole(seed, "seed", most=2**64 - 1), stream, number, x
        )
        return x
