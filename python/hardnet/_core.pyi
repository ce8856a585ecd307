# What the extension offers to the package; not part of the public interface.

from typing import Any

import numpy as np
from numpy.typing import NDArray

_Reals = NDArray[np.float64]
_Bytes = NDArray[np.uint8]
_Bools = NDArray[np.bool_]

version: str
report_fields: Any
outcomes: list[str]

class Model:
    row_names: list[str]

def read_text(text: str) -> Model: ...

class Layer:
    def __new__(
        cls,
        model: Model,
        method: str,
        iterations: int,
        damping: float,
        tolerance: float,
        relative: bool,
        instructions: str,
        threads: int,
    ) -> Layer: ...
    def run(
        self,
        count: int,
        x: _Reals | None,
        y_raw: _Reals | None,
        y: _Reals,
        reports: _Bytes | None,
        *,
        residual: _Reals | None = None,
        tape: _Bytes | None = None,
        warm: _Reals | None = None,
        fallback: _Reals | None = None,
        repeat_x: bool = False,
        repeat_y: bool = False,
        seconds: float = 0.0,
    ) -> None: ...
    def gradient(
        self,
        count: int,
        x: _Reals | None,
        y_raw: _Reals | None,
        y: _Reals,
        reports: _Bytes,
        tape: _Bytes,
        grad_y: _Reals,
        grad_y_raw: _Reals,
        *,
        grad_x: _Reals | None = None,
        grad_lower: _Reals | None = None,
        grad_upper: _Reals | None = None,
        flagged: _Bools | None = None,
        repeat_x: bool = False,
        repeat_y: bool = False,
    ) -> None: ...
    def tape_bytes(self, count: int) -> int: ...
    @property
    def info(self) -> dict[str, Any]: ...
    @property
    def options(self) -> dict[str, Any]: ...
    @property
    def address(self) -> int: ...
