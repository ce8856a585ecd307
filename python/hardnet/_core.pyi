# What the extension offers to the package; not part of the public interface.

from typing import Any

import numpy as np
from numpy.typing import NDArray

_Reals = NDArray[np.float64]
_Bytes = NDArray[np.uint8]
_Bools = NDArray[np.bool_]
_Nodes = NDArray[np.uint32]
_Shape = tuple[int, ...]

version: str
report_fields: Any
outcomes: list[str]
reasons: list[str]

class Model:
    def __new__(cls, max_nodes: int = 0) -> Model: ...
    def finish(self) -> None: ...
    def copy(self) -> Model: ...
    def check_room(self, elements: int, name: str, /) -> None: ...
    def constant(self, values: _Reals, out: _Nodes) -> None: ...
    def apply(
        self,
        operator: str,
        out: _Nodes,
        a: _Nodes,
        b: _Nodes | None = None,
        c: _Nodes | None = None,
        /,
    ) -> None: ...
    def fold(self, operator: str, out: _Nodes, terms: _Nodes, /) -> None: ...
    def products(
        self,
        first: NDArray[np.int64],
        column: _Nodes,
        values: _Reals,
        terms: _Nodes,
        out: _Nodes,
        /,
    ) -> None: ...
    def inputs(self, name: str, shape: _Shape, out: _Nodes, /) -> None: ...
    def outputs(self, name: str, shape: _Shape, out: _Nodes, /) -> None: ...
    def range(self, nodes: _Nodes, lower: _Reals, upper: _Reals, /) -> None: ...
    def bounds(self, nodes: _Nodes, lower: _Nodes, upper: _Nodes, /) -> None: ...
    def start(self, nodes: _Nodes, values: _Nodes, /) -> None: ...
    def fix(self, nodes: _Nodes, values: _Nodes, /) -> None: ...
    def define(self, name: str, shape: _Shape, nodes: _Nodes, /) -> None: ...
    def require(self, name: str, shape: _Shape, nodes: _Nodes, /) -> None: ...
    def relate(
        self, name: str, shape: _Shape, relation: int, left: _Nodes, right: _Nodes, /
    ) -> None: ...
    def between(
        self, name: str, shape: _Shape, lower: _Nodes, body: _Nodes, upper: _Nodes, /
    ) -> None: ...
    def block(self, name: str, psd: bool, size: int, rows: _Nodes, /) -> None: ...
    def objective(self, name: str, node: _Nodes, maximize: bool, /) -> None: ...
    def input_parts(self, nodes: _Nodes, lower: _Reals, upper: _Reals, /) -> None: ...
    def output_parts(
        self, nodes: _Nodes, lower: _Nodes, upper: _Nodes, start: _Nodes, fixed: _Nodes, /
    ) -> None: ...
    def row_parts(self, lower: _Nodes, body: _Nodes, upper: _Nodes, /) -> None: ...
    def named_parts(self, definitions: _Nodes, requirements: _Nodes, /) -> None: ...
    def constants(self, nodes: _Nodes, known: _Bools, values: _Reals, /) -> None: ...
    def depends(self, nodes: _Nodes, on_inputs: _Bools, on_outputs: _Bools, /) -> None: ...
    def node(self, number: int, /) -> tuple[str, float, tuple[int, ...], tuple[float, ...]]: ...
    def write(self) -> str: ...
    def values(self, nodes: _Nodes, count: int, x: _Reals, y: _Reals, out: _Reals, /) -> None: ...
    input_count: int
    output_count: int
    row_count: int
    group_count: int
    node_count: int
    definition_count: int
    requirement_count: int
    input_names: list[str]
    output_names: list[str]
    row_names: list[str]
    definition_names: list[str]
    requirement_names: list[str]
    groups: list[tuple[str, int, int]]
    goal: tuple[str, int, bool] | None
    finished: bool
    has_nan: bool
    fingerprint: str
    names_fingerprint: str

def read(
    paths: list[str],
    lets: list[str],
    relax_integrality: bool,
    untrusted: bool,
    max_nodes: int,
    messages: list[Any],
    /,
) -> Model: ...
def read_text(
    texts: list[tuple[str, str]],
    lets: list[str],
    relax_integrality: bool,
    untrusted: bool,
    max_nodes: int,
    messages: list[Any],
    /,
) -> Model: ...
def operators() -> dict[str, int]: ...

class Evaluator:
    def __new__(
        cls,
        model: Model,
        wanted: list[str],
        without_objective: bool = False,
        instructions: str = "best",
    ) -> Evaluator: ...
    def run(
        self,
        count: int,
        x: _Reals | None,
        y: _Reals | None,
        results: dict[str, _Reals],
        *,
        sigma: _Reals | None = None,
        multipliers: _Reals | None = None,
        v_y: _Reals | None = None,
        v_x: _Reals | None = None,
        w: _Reals | None = None,
        repeat_x: bool = False,
        repeat_y: bool = False,
        threads: int = 1,
    ) -> None: ...
    def width(self, quantity: str, /) -> int: ...
    def pattern(self, quantity: str, /) -> tuple[int, int, bytes, bytes, bytes]: ...
    @property
    def info(self) -> dict[str, Any]: ...

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
        compile: bool,
        kernel: str | None,
        effort: float = 1,
        weights: _Reals | None = None,
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
        multipliers: _Reals | None = None,
        not_ok: str = "best",
        proof_y: _Reals | None = None,
        shared: _Reals | None = None,
        shared_inputs: NDArray[np.int64] | None = None,
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
        grad_multipliers: _Reals | None = None,
        grad_weights: _Reals | None = None,
        shared: _Reals | None = None,
        shared_inputs: NDArray[np.int64] | None = None,
        grad_shared: _Reals | None = None,
    ) -> None: ...
    def tape_bytes(self, count: int) -> int: ...
    @property
    def info(self) -> dict[str, Any]: ...
    @property
    def options(self) -> dict[str, Any]: ...
    @property
    def address(self) -> int: ...

_Address = int | None

class DeviceLayer:
    def __new__(
        cls,
        model: Model,
        method: str,
        iterations: int,
        damping: float,
        tolerance: float,
        relative: bool,
        effort: float,
        device: int,
        precision: str,
        weights: bytes | None = ...,
    ) -> DeviceLayer: ...
    def run(
        self,
        count: int,
        x: _Address,
        y_raw: _Address,
        y: _Address,
        reports: _Address,
        workspace: _Address,
        *,
        residual: _Address = None,
        tape: _Address = None,
        warm: _Address = None,
        fallback: _Address = None,
        repeat_x: bool = False,
        repeat_y: bool = False,
        stream: _Address = None,
        multipliers: _Address = None,
    ) -> None: ...
    def gradient(
        self,
        count: int,
        x: _Address,
        y_raw: _Address,
        y: _Address,
        reports: _Address,
        workspace: _Address,
        tape: _Address,
        grad_y: _Address,
        grad_y_raw: _Address,
        *,
        grad_x: _Address = None,
        grad_lower: _Address = None,
        grad_upper: _Address = None,
        flagged: _Address = None,
        repeat_x: bool = False,
        repeat_y: bool = False,
        stream: _Address = None,
        grad_multipliers: _Address = None,
        grad_weights: _Address = None,
    ) -> None: ...
    def tape_bytes(self, count: int) -> int: ...
    def workspace_bytes(self, count: int) -> int: ...
    @property
    def info(self) -> dict[str, Any]: ...

def dlpack_look(capsule: Any, /) -> tuple[int, int, int, int, int, tuple[int, ...], bool]: ...

class DeviceArray:
    def __new__(
        cls, device: int, shape: tuple[int, ...], kind: int, bits: int, /
    ) -> DeviceArray: ...
    def read(self, target: _Bytes, /) -> None: ...
    def __dlpack__(self, **options: Any) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    @property
    def address(self) -> int: ...

def check(
    model: Model,
    points: int,
    seed: int,
    sample_start: bool,
    x: _Reals | None,
    x_rows: int,
    threads: int,
    /,
) -> dict[str, Any]: ...

class Refiner:
    def __new__(
        cls, model: Model, layer: Layer | None, steps: int, candidates: int, threads: int
    ) -> Refiner: ...
    def run(
        self,
        count: int,
        x: _Reals | None,
        y_raw: _Reals,
        y: _Reals,
        *,
        objective: _Reals | None = None,
        reports: _Bytes | None = None,
        multipliers: _Reals | None = None,
        known: bool = False,
    ) -> None: ...
    def improve(
        self,
        count: int,
        x: _Reals | None,
        y_raw: _Reals,
        targets: _Reals,
        *,
        best: NDArray[np.int64] | None = None,
        objective: _Reals | None = None,
        reports: _Bytes | None = None,
        explore: float = 0.0,
        round: int = 0,
    ) -> None: ...

class Network:
    def __new__(
        cls,
        inputs: int,
        outputs: int,
        hidden: tuple[int, ...],
        activation: str,
        seed: int,
        uniform: bool,
        residual: bool = False,
        layer_norm: bool = False,
    ) -> Network: ...
    @classmethod
    def load(cls, path: Any, model: Model | None = None, threads: int = 1, /) -> Network: ...
    def save(
        self,
        path: Any,
        model: Model,
        method: str,
        iterations: int,
        damping: float,
        tolerance: float,
        relative: bool,
        candidates: int,
        refine: int,
        texts: dict[str, str],
        effort: float = 1,
    ) -> None: ...
    def get(self, *numbers: _Reals) -> None: ...
    def run(self, count: int, x: _Reals, y: _Reals, /) -> None: ...
    def apply(
        self, count: int, x: _Reals | None, y: _Reals, objective: _Reals, reports: _Bytes, /
    ) -> None: ...
    def set(self, *numbers: _Reals) -> None: ...
    def scale(
        self, model: Model, count: int, x: _Reals, data_count: int, data: _Reals | None, /
    ) -> None: ...
    @property
    def info(self) -> dict[str, Any]: ...
    @property
    def texts(self) -> dict[str, str]: ...
    @property
    def policy(self) -> dict[str, Any] | None: ...

def sample_inputs(model: Model, seed: int, stream: int, count: int, x: _Reals, /) -> None: ...

xla_handlers: dict[str, Any]

def xla_keep(
    key: str,
    layer: Layer,
    threads: int,
    devices: Any = None,
    fallback: bytes | None = None,
    not_ok: str = "best",
) -> None: ...
def xla_drop(key: str) -> bool: ...
