"""Models: what must hold.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from typing import Any

from . import _core
from ._layer import Layer
from ._reading import Lets, Message, Path, read_files, read_texts

__all__ = ["Model"]


class Model:
    """What must hold: inputs x, outputs y, rows lower(x) <= c(x, y) <= upper(x), an objective.

    >>> import hardnet
    >>> m = hardnet.Model.from_text('''
    ...     param radius >= 0.5, <= 2;                  # no value: an input of the network
    ...     var y{1..2} >= -2, <= 2;                    # outputs of the network
    ...     subject to disc: y[1]^2 + y[2]^2 <= radius^2;
    ... ''')
    >>> m.input_names, m.output_names, m.row_names
    (('radius',), ('y[1]', 'y[2]'), ('disc', 'y[1]', 'y[2]'))
    """

    def __init__(self, core: _core.Model) -> None:
        self._core = core
        self._messages: tuple[Message, ...] = ()
        self._names: dict[str, tuple[str, ...]] = {}

    # ---- from files and texts ----

    @classmethod
    def from_file(
        cls,
        path: Path,
        *data: Path,
        let: Lets | None = None,
        relax_integrality: bool = False,
        max_nodes: int = 0,
    ) -> Model:
        """A model from a file in the AMPL modelling language, and files with its data.

        let: values of scalar params, whatever the files say: `let={"N": 20}`.
        relax_integrality: integer and binary variables become continuous, with a warning.
        max_nodes: the limit of the model's size; 0 is the library's own.

        What the reader left out or took differently is in `messages`; warnings are given as
        `hardnet.ModelWarning`, too. A mistake in a file is a `hardnet.Error` with its line and
        column, and all that were found are in its `messages`.
        """
        core, messages = read_files([path, *data], let, relax_integrality, max_nodes)
        return cls._finished(core, messages)

    @classmethod
    def from_text(
        cls,
        text: str,
        *data: str,
        let: Lets | None = None,
        relax_integrality: bool = False,
        max_nodes: int = 0,
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
        core, messages = read_texts([text, *data], let, relax_integrality, max_nodes)
        return cls._finished(core, messages)

    @classmethod
    def _finished(cls, core: _core.Model, messages: tuple[Message, ...]) -> Model:
        model = cls(core)
        model._messages = messages
        return model

    # ---- looking ----

    @property
    def core(self) -> _core.Model:
        """The finished model as the extension has it."""
        return self._core

    @property
    def messages(self) -> tuple[Message, ...]:
        """What the reader remarked, for models from files and texts."""
        return self._messages

    def _names_of(self, kind: str) -> tuple[str, ...]:
        if kind not in self._names:
            self._names[kind] = tuple(getattr(self.core, f"{kind}_names"))
        return self._names[kind]

    @property
    def input_names(self) -> tuple[str, ...]:
        """The names of the entries of x."""
        return self._names_of("input")

    @property
    def output_names(self) -> tuple[str, ...]:
        """The names of the entries of y."""
        return self._names_of("output")

    @property
    def row_names(self) -> tuple[str, ...]:
        """The names of the rows: constraints by group, then the bounds of outputs."""
        return self._names_of("row")

    @property
    def inputs_count(self) -> int:
        """The length of x."""
        return self.core.input_count

    @property
    def outputs_count(self) -> int:
        """The length of y."""
        return self.core.output_count

    @property
    def rows_count(self) -> int:
        """The number of rows, bounds of outputs among them."""
        return self.core.row_count

    @property
    def fingerprint(self) -> str:
        """64 hexadecimal digits that distinguish the mathematics of models, whatever the names."""
        return self.core.fingerprint

    @property
    def names_fingerprint(self) -> str:
        """64 hexadecimal digits that distinguish the names of models."""
        return self.core.names_fingerprint

    def layer(self, method: str = "auto", tolerance: float = 1e-8, **settings: Any) -> Layer:
        """A layer that corrects outputs onto this model."""
        return Layer(self, method, tolerance, **settings)
