"""The handlers for XLA, called as XLA calls them, with frames made by hand: no JAX is needed.

Wrong frames must come back as errors with a sentence, whatever is wrong with them.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hardnet
from hardnet import _core

RING = """
param r >= 0.5, <= 2;
var y{1..3} >= -3, <= 3;
subject to ring: y[1]^2 + y[2]^2 = r^2;
subject to above: y[3] >= sin(y[1]) + r;
"""
KEY = "ring, for these tests"
TYPES = {"bool": 1, "int32": 4, "int64": 5, "uint8": 6, "float32": 11, "float64": 12}
INVALID, NOT_FOUND, FAILED = 3, 5, 9


class Version(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("extensions", ctypes.c_void_p),
        ("major", ctypes.c_int),
        ("minor", ctypes.c_int),
    ]


class Metadata(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("version", Version), ("traits", ctypes.c_uint32)]


class Extension(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("type", ctypes.c_int),
        ("next", ctypes.c_void_p),
        ("metadata", ctypes.POINTER(Metadata)),
    ]


class ErrorArguments(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("extensions", ctypes.c_void_p),
        ("message", ctypes.c_char_p),
        ("code", ctypes.c_int),
    ]


CreateError = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(ErrorArguments))


class Interface(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("extensions", ctypes.c_void_p),
        ("version", Version),
        ("inner", ctypes.c_void_p),
        ("create_error", CreateError),
    ]


class Buffer(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("extensions", ctypes.c_void_p),
        ("type", ctypes.c_int),
        ("data", ctypes.c_void_p),
        ("rank", ctypes.c_int64),
        ("extents", ctypes.POINTER(ctypes.c_int64)),
    ]


class Text(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_char_p), ("length", ctypes.c_size_t)]


class Buffers(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("extensions", ctypes.c_void_p),
        ("count", ctypes.c_int64),
        ("kinds", ctypes.POINTER(ctypes.c_int)),
        ("items", ctypes.POINTER(ctypes.c_void_p)),
    ]


class Attributes(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("extensions", ctypes.c_void_p),
        ("count", ctypes.c_int64),
        ("kinds", ctypes.POINTER(ctypes.c_int)),
        ("names", ctypes.POINTER(ctypes.POINTER(Text))),
        ("items", ctypes.POINTER(ctypes.c_void_p)),
    ]


class Frame(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("extensions", ctypes.c_void_p),
        ("interface", ctypes.POINTER(Interface)),
        ("context", ctypes.c_void_p),
        ("stage", ctypes.c_int),
        ("arguments", Buffers),
        ("results", Buffers),
        ("attributes", Attributes),
    ]


class Handler:
    """One of the handlers; what it keeps of a call lives as long as it."""

    def __init__(self, name: str) -> None:
        take = ctypes.pythonapi.PyCapsule_GetPointer
        take.restype, take.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        address = take(_core.xla_handlers[name], b"xla._CUSTOM_CALL_TARGET")
        self.handler = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(Frame))(address)
        self.told: list[tuple[int, str]] = []
        self.kept: list[Any] = []

        def create_error(arguments: Any) -> int:
            self.told.append((arguments[0].code, arguments[0].message.decode()))
            return 1

        self.create_error = CreateError(create_error)
        self.interface = Interface(create_error=self.create_error)

    def buffers(self, arrays: list[np.ndarray], kind: int) -> Buffers:
        items = []
        for array in arrays:
            extents = (ctypes.c_int64 * max(array.ndim, 1))(*array.shape)
            buffer = Buffer(
                0, None, TYPES[array.dtype.name], array.ctypes.data, array.ndim, extents
            )
            self.kept += [extents, buffer, array]
            items.append(ctypes.addressof(buffer))
        kinds = (ctypes.c_int * max(len(items), 1))(*[kind] * len(items))
        pointers = (ctypes.c_void_p * max(len(items), 1))(*items)
        self.kept += [kinds, pointers]
        return Buffers(0, None, len(items), kinds, pointers)

    def attributes(self, values: dict[str, str], kind: int) -> Attributes:
        names = [Text(name.encode(), len(name.encode())) for name in values]
        texts = [Text(value.encode(), len(value.encode())) for value in values.values()]
        count = max(len(values), 1)
        kinds = (ctypes.c_int * count)(*[kind] * len(values))
        name_list = (ctypes.POINTER(Text) * count)(*map(ctypes.pointer, names))
        items = (ctypes.c_void_p * count)(*map(ctypes.addressof, texts))
        self.kept += [names, texts, kinds, name_list, items]
        return Attributes(0, None, len(values), kinds, name_list, items)

    def __call__(
        self,
        operands: list[np.ndarray],
        results: list[np.ndarray],
        *,
        kind: int = 1,
        attribute_kind: int = 4,
        stage: int = 3,
        **attributes: str,
    ) -> tuple[int, str] | None:
        """None, or the error's code and sentence."""
        frame = Frame(
            ctypes.sizeof(Frame),
            None,
            ctypes.pointer(self.interface),
            None,
            stage,
            self.buffers(operands, kind),
            self.buffers(results, kind),
            self.attributes(attributes, attribute_kind),
        )
        failed = self.handler(ctypes.byref(frame))
        self.kept.clear()
        return self.told.pop() if failed else None


def results(count: int, real: Any = np.float64) -> list[np.ndarray]:
    return [
        np.full((count, 3), 77, real),
        np.full(count, 77, np.int32),
        np.full(count, 77, np.int32),
        np.full(count, 77, real),
        np.full(count, 77, np.int32),
    ]


def pulled(count: int) -> list[np.ndarray]:
    return [np.full((count, 3), 77.0), np.full((count, 1), 77.0), np.zeros(count, np.bool_)]


@pytest.fixture(scope="module")
def layer() -> Any:
    layer = hardnet.Model.from_text(RING).layer()
    _core.xla_keep(KEY, layer.core, 0)
    yield layer
    assert _core.xla_drop(KEY)


@pytest.fixture()
def operands() -> list[np.ndarray]:
    generator = np.random.default_rng(1)
    return [generator.normal(size=(20, 3)), generator.uniform(0.5, 2, size=(20, 1))]


@pytest.mark.parametrize("real", [np.float32, np.float64])
def test_forward_gives_what_the_layer_gives(
    layer: Any, operands: list[np.ndarray], real: Any
) -> None:
    operands = [operand.astype(real) for operand in operands]
    out = results(20, real)
    assert Handler("forward")(operands, out, layer=KEY) is None
    expected = layer(*operands)
    assert np.array_equal(out[0], expected.y)
    assert np.array_equal(out[1], expected.outcome)
    assert np.array_equal(out[2], expected.iterations)
    assert np.array_equal(out[3], expected.violation.astype(real))


def test_backward_gives_what_the_layer_gives(layer: Any, operands: list[np.ndarray]) -> None:
    weight, out = np.ones((20, 3)), pulled(20)
    assert Handler("backward")([*operands, weight], out, layer=KEY) is None
    expected = layer.gradient(layer(*operands, tape=True), weight)
    assert np.array_equal(out[0], expected.y_raw)
    assert np.array_equal(out[1], expected.x)
    assert np.array_equal(out[2], expected.flagged)


Spoil = Callable[[list[np.ndarray], list[np.ndarray], dict[str, Any]], None]

WRONG: dict[str, tuple[int, str, Spoil]] = {
    "no key": (NOT_FOUND, "layer '' is not known", lambda i, o, a: a.pop("layer")),
    "another key": (NOT_FOUND, "layer 'x' is not known", lambda i, o, a: a.update(layer="x")),
    "a long key": (NOT_FOUND, "is not known", lambda i, o, a: a.update(layer="x" * 100000)),
    "the begin of the key": (NOT_FOUND, "is not known", lambda i, o, a: a.update(layer=KEY[:-1])),
    "a key that is not a string": (
        NOT_FOUND,
        "is not known",
        lambda i, o, a: a.update(attribute_kind=3),
    ),
    "no operands": (INVALID, "got 0 operands", lambda i, o, a: i.clear()),
    "many operands": (INVALID, "got 5 operands", lambda i, o, a: i.extend([i[0]] * 3)),
    "no results": (INVALID, "has 0 results to fill", lambda i, o, a: o.clear()),
    "few results": (INVALID, "has 4 results to fill", lambda i, o, a: o.pop()),
    "buffers of another kind": (INVALID, "is not an array", lambda i, o, a: a.update(kind=2)),
    "a narrow y_raw": (
        INVALID,
        "the last axis of y_raw must be 3 long, not 2",
        lambda i, o, a: i.__setitem__(0, i[0][:, :2].copy()),
    ),
    "a wide x": (
        INVALID,
        "last axis of x must be 1",
        lambda i, o, a: i.__setitem__(1, np.ones((20, 2))),
    ),
    "a scalar x": (
        INVALID,
        "last axis of x must be 1",
        lambda i, o, a: i.__setitem__(1, np.ones(())),
    ),
    "few samples of x": (
        INVALID,
        "x has 19 samples, not 20",
        lambda i, o, a: i.__setitem__(1, np.ones((19, 1))),
    ),
    "whole numbers": (
        INVALID,
        "y_raw must be of float32 or float64",
        lambda i, o, a: i.__setitem__(0, np.ones((20, 3), np.int64)),
    ),
    "a scalar y": (
        INVALID,
        "first result is a scalar",
        lambda i, o, a: o.__setitem__(0, np.ones(())),
    ),
    "a narrow y": (
        INVALID,
        "last axis of y must be 3",
        lambda i, o, a: o.__setitem__(0, np.ones((20, 2))),
    ),
    "whole numbers in y": (
        INVALID,
        "y must be of float32",
        lambda i, o, a: o.__setitem__(0, np.ones((20, 3), np.int32)),
    ),
    "reals in outcome": (
        INVALID,
        "outcome is of the wrong type",
        lambda i, o, a: o.__setitem__(1, np.ones(20)),
    ),
    "few outcomes": (
        INVALID,
        "outcome has 5 samples, not 20",
        lambda i, o, a: o.__setitem__(1, np.ones(5, np.int32)),
    ),
    "few violations": (INVALID, "violation has 5", lambda i, o, a: o.__setitem__(3, np.ones(5))),
    "few rows": (INVALID, "worst has 5", lambda i, o, a: o.__setitem__(4, np.ones(5, np.int32))),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_frame_is_an_error(layer: Any, operands: list[np.ndarray], name: str) -> None:
    code, sentence, spoil = WRONG[name]
    out, settings = results(20), {"layer": KEY}
    spoil(operands, out, settings)
    told = Handler("forward")(operands, out, **settings)
    assert told is not None
    assert told[0] == code
    assert sentence in told[1]
    assert all(
        (array == 77).all() for array in out if array.dtype == np.float64 and array.size == 60
    )


@pytest.mark.parametrize(
    ("index", "wrong", "sentence"),
    [
        (0, np.ones((19, 3)), "grad_y has 19 samples, not 20"),
        (0, np.ones((20, 4)), "last axis of grad_y must be 3 long, not 4"),
        (1, np.ones((20, 2)), "last axis of grad_x must be 1 long"),
        (2, np.ones(7, np.bool_), "flagged has 7 samples, not 20"),
        (2, np.ones(20), "flagged is of the wrong type"),
    ],
)
def test_a_wrong_frame_of_backward_is_an_error(
    layer: Any, operands: list[np.ndarray], index: int, wrong: np.ndarray, sentence: str
) -> None:
    weight, out = np.ones((20, 3)), pulled(20)
    if index:
        out[index] = wrong
    else:
        weight = wrong
    told = Handler("backward")([*operands, weight], out, layer=KEY)
    assert told is not None
    assert sentence in told[1]


def test_samples_that_are_not_ok_are_told_where_that_is_wanted(
    layer: Any, operands: list[np.ndarray]
) -> None:
    operands[0][4, 1] = np.nan
    handler = Handler("forward")
    assert handler(operands, results(20), layer=KEY) is None
    assert handler(operands, results(20), layer=KEY, on_fail="return") is None
    told = handler(operands, results(20), layer=KEY, on_fail="raise")
    sentence = "1 of 20 samples are not ok; the first, number 4, is nonfinite_input"
    assert told is not None
    assert told[0] == FAILED
    assert sentence in told[1]
    with pytest.warns(RuntimeWarning, match=sentence):
        assert handler(operands, results(20), layer=KEY, on_fail="warn") is None


def test_an_empty_batch_is_fine(layer: Any) -> None:
    empty = [np.ones((0, 3)), np.ones((0, 1))]
    assert Handler("forward")(empty, results(0), layer=KEY) is None
    assert Handler("backward")([*empty, np.ones((0, 3))], pulled(0), layer=KEY) is None


def test_other_stages_do_nothing(layer: Any) -> None:
    for stage in (0, 1, 2):
        assert Handler("forward")([], [], stage=stage) is None


def test_the_question_for_the_version_is_answered() -> None:
    metadata = Metadata(ctypes.sizeof(Metadata), Version(0, None, 9, 9), 99)
    question = Extension(ctypes.sizeof(Extension), 1, None, ctypes.pointer(metadata))
    other = Extension(ctypes.sizeof(Extension), 1000, ctypes.addressof(question), None)
    for name in ("forward", "backward"):
        frame = Frame(size=ctypes.sizeof(Frame), extensions=ctypes.addressof(other))
        assert not Handler(name).handler(ctypes.byref(frame))
        assert (metadata.version.major, metadata.version.minor, metadata.traits) == (0, 1, 0)


def test_keys_are_kept_and_dropped() -> None:
    core = hardnet.Model.from_text("var y; subject to one: y = 1;").layer().core
    with pytest.raises(TypeError, match="layer must be"):
        _core.xla_keep("a", object(), 0)  # type: ignore[arg-type]
    for key, threads in (("", 0), ("a", -1)):
        with pytest.raises(ValueError, match="is kept under a key"):
            _core.xla_keep(key, core, threads)
    _core.xla_keep("a", core, 0)
    _core.xla_keep("a", core, 0)
    assert [_core.xla_drop("a") for _ in range(3)] == [True, True, False]


def test_each_of_many_layers_is_found() -> None:
    layers = [
        hardnet.Model.from_text(f"var y; subject to at: y = {k};").layer() for k in range(300)
    ]
    for k, layer in enumerate(layers):
        _core.xla_keep(f"many {k}", layer.core, 1)
    handler = Handler("forward")
    for k in np.random.default_rng(1).integers(300, size=1000):
        out = results(1)
        out[0] = np.zeros((1, 1))
        assert handler([np.ones((1, 1))], out, layer=f"many {k}") is None
        assert np.isclose(out[0][0, 0], k)
    assert all(_core.xla_drop(f"many {k}") for k in range(300))
    assert handler([np.ones((1, 1))], out, layer="many 7") is not None


# ---- on CUDA devices: errors are reported before any address is used ----


def for_cuda(count: int) -> list[np.ndarray]:
    words = hardnet._result.REPORT.itemsize // 4
    return [
        np.full((count, 3), 77.0),
        np.full((count, words), 77, np.int32),
        np.full(256, 77, np.uint8),
    ]


CUDA_WRONG: dict[str, tuple[int, str, Spoil]] = {
    "nothing but no stream": (FAILED, "no stream of the device", lambda i, o, a: None),
    "another key": (NOT_FOUND, "layer 'x' is not known", lambda i, o, a: a.update(layer="x")),
    "float32": (
        INVALID,
        "y_raw must be of float64 on a device",
        lambda i, o, a: i.__setitem__(0, i[0].astype(np.float32)),
    ),
    "few samples of x": (
        INVALID,
        "x has 19 samples, not 20",
        lambda i, o, a: i.__setitem__(1, np.ones((19, 1))),
    ),
    "few reports": (INVALID, "reports has 19", lambda i, o, a: o.__setitem__(1, o[1][:19])),
    "reports of reals": (
        INVALID,
        "reports must be of uint8 or int32",
        lambda i, o, a: o.__setitem__(1, np.ones((20, 11))),
    ),
    "a narrow y": (
        INVALID,
        "last axis of y must be 3",
        lambda i, o, a: o.__setitem__(0, np.ones((20, 2))),
    ),
    "few results": (INVALID, "has 2 results to fill", lambda i, o, a: o.pop()),
}


@pytest.mark.parametrize("name", CUDA_WRONG)
def test_a_wrong_frame_for_cuda_is_an_error(
    layer: Any, operands: list[np.ndarray], name: str
) -> None:
    code, sentence, spoil = CUDA_WRONG[name]
    out, settings = for_cuda(20), {"layer": KEY}
    spoil(operands, out, settings)
    told = Handler("forward_cuda")(operands, out, **settings)
    assert told is not None and told[0] == code and sentence in told[1]
    assert all((array == 77).all() for array in out if array.size == 60)


def test_no_samples_are_nothing_to_do_for_cuda(layer: Any) -> None:
    none = [np.empty((0, 3)), np.empty((0, 1))]
    assert Handler("forward_cuda")(none, for_cuda(0), layer=KEY) is None
    results = [*none, np.empty(0, np.bool_), *for_cuda(0)[:2], *[np.empty(256, np.uint8)] * 2]
    assert Handler("backward_cuda")([*none, np.empty((0, 3))], results, layer=KEY) is None
