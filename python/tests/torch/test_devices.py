"""What hardnet.torch.Layer says about devices where there is none: shapes, routes, sentences.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch_cases import model, ring_samples

import hardnet
import hardnet.torch
from hardnet.torch import _cuda


def fake_pair() -> tuple[torch.Tensor, torch.Tensor]:
    kind = {"dtype": torch.float64, "device": "cuda"}
    return torch.empty(4, 5, 3, **kind), torch.empty(4, 5, 1, **kind)


def test_the_operators_tell_shapes_of_cuda_tensors_from_their_arguments() -> None:
    layer = hardnet.torch.Layer(model("ring"))
    with FakeTensorMode():
        raw, x = fake_pair()
        operators, key = torch.ops.hardnet, (layer.contents, layer._number)
        assert operators.correct(raw, x, *key, 0).shape == (4, 5, 3)
        y, record = operators.correct_taped(raw, x, *key, 1000)
        assert y.is_cuda and record.is_cuda and record.shape == (4, 5, 1000)
        by_raw, by_x = operators.correct_gradient(y, raw, x, y, record, *key, True)
        assert by_raw.is_cuda and by_raw.shape == raw.shape and by_x.shape == x.shape
        by_raw, by_x = operators.correct_again(y, raw, x, *key, False)
        assert by_raw.shape == raw.shape and by_x.shape == (0,)


def test_the_module_is_traced_with_cuda_tensors() -> None:
    layer = hardnet.torch.Layer(model("ring"))
    with FakeTensorMode():
        raw, x = fake_pair()
        for dtype in (torch.float64, torch.float32, torch.bfloat16):
            y = layer(raw.to(dtype), x)
            assert y.is_cuda and y.dtype is dtype and y.shape == raw.shape
        single = torch.empty(1, dtype=torch.float64, device="cuda")
        assert layer(raw, single).shape == raw.shape
    assert layer.last is None  # nothing was computed


def test_torch_compile_takes_the_bytes_of_a_record_as_they_are() -> None:
    asked = []

    def bytes_of(contents: str, number: int, index: int | None) -> int:
        asked.append((contents, number, index))
        return 2048

    constant = torch.compiler.assume_constant_result(bytes_of)
    layer = hardnet.torch.Layer(model("ring"))

    def call(y: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return layer(y, x) + constant(layer.contents, layer._number, y.device.index)

    raw, x = ring_samples(4)
    compiled = torch.compile(call, fullgraph=True, backend="aot_eager")
    assert torch.equal(compiled(raw, x), layer(raw, x) + 2048)
    assert asked == [(layer.contents, layer._number, None)]
    assert getattr(_cuda.record_bytes, "_dynamo_marked_constant", False)


def test_tensors_on_different_devices_are_refused() -> None:
    layer = hardnet.torch.Layer(model("ring"))
    with FakeTensorMode():
        raw, x = fake_pair()
        with pytest.raises(
            ValueError, match="y_raw is on cuda:0 and x on cpu: they must be on the same"
        ):
            layer(raw, torch.empty(4, 5, 1, dtype=torch.float64))
        with pytest.raises(ValueError, match="hardnet computes this on the CPU"):
            hardnet.torch.improve(layer, raw, x)
    with pytest.raises(
        ValueError, match="y_raw is on meta: hardnet computes on the CPU and on CUDA"
    ):
        layer(torch.empty(4, 3, device="meta"), ring_samples(4)[1])


def test_without_a_driver_a_cuda_tensor_is_a_sentence() -> None:
    if torch.cuda.is_available():
        pytest.skip("there is a device")
    layer = hardnet.torch.Layer(model("ring"))
    with FakeTensorMode():
        raw, x = fake_pair()
        with pytest.raises(hardnet.UnsupportedError, match="no driver"):
            layer(raw.requires_grad_(), x)


def test_the_precision_is_a_setting_of_the_layer() -> None:
    layer = hardnet.torch.Layer(model("ring"), precision="float32")
    assert layer.settings["precision"] == "float32"
    raw, x = ring_samples(5)
    assert torch.equal(layer(raw, x), hardnet.torch.Layer(model("ring"))(raw, x))
    with pytest.raises(ValueError, match="precision 'half' is unknown"):
        hardnet.torch.Layer(model("ring"), precision="half")
