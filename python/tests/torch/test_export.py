"""Programs that leave the process: torch.export, torch.jit.trace, torch.onnx.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import hardnet.torch  # noqa: E402
from torch_cases import model, ring_samples  # noqa: E402

PROGRAM = pathlib.Path(__file__).with_name("exported_once.py")


def ring(**settings: object) -> hardnet.torch.Layer:
    return hardnet.torch.Layer(model("ring"), **settings)


def test_a_program_gives_its_numbers_where_other_layers_were_made_before(tmp_path) -> None:
    said = []
    for verb in ("write", "read"):
        command = [sys.executable, str(PROGRAM), verb, str(tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=240)
        assert done.returncode == 0, done.stderr
        said.append(done.stdout.splitlines())
    assert len(said[0]) == 12 and said[0] == said[1]


def test_exported_and_traced_programs_have_gradients() -> None:
    layer = ring()
    y_raw, x = ring_samples(6)
    y_raw.requires_grad_()
    (expected,) = torch.autograd.grad(layer(y_raw, x).square().sum(), y_raw)
    traced = torch.jit.trace(layer, (y_raw, x))
    exported = torch.export.export(layer, (y_raw, x)).module()
    for program in (traced, exported):
        (found,) = torch.autograd.grad(program(y_raw, x).square().sum(), y_raw)
        assert torch.equal(found, expected)


def test_a_trace_without_parameters_holds_no_numbers() -> None:
    """It recorded an empty tensor, whose memory has any contents."""
    layer = ring()
    with torch.no_grad():
        traced = torch.jit.trace(layer, ring_samples(4))
        kinds = [node.kind() for node in traced.graph.nodes()]
        assert kinds.count("hardnet::correct") == 1 and "aten::empty" not in kinds
        for seed, count in ((2, 4), (3, 9)):  # other samples than those that were traced
            tensors = ring_samples(count, seed=seed)
            assert torch.equal(traced(*tensors), layer(*tensors))


def test_a_traced_layer_has_reports_and_complains() -> None:
    layer = ring(on_fail="raise", iterations=50)
    tensors = ring_samples(4)
    with torch.no_grad():
        traced = torch.jit.trace(layer, tensors)
        traced(*[tensor[:2] for tensor in tensors])
        assert layer.last.ok.shape == (2,)
        with pytest.raises(Exception, match="nonfinite_input"):
            traced(torch.full((4, 3), torch.nan).double(), tensors[1])


def test_what_has_no_way_out_is_refused_in_a_sentence(tmp_path) -> None:
    tensors = ring_samples(2)
    for layer in (ring(), torch.nn.Sequential(torch.nn.Linear(3, 2).double(), free())):
        arguments = tensors if isinstance(layer, hardnet.torch.Layer) else (tensors[0],)
        with pytest.raises(NotImplementedError, match=r"use torch\.export"):
            torch.onnx.export(layer, arguments, str(tmp_path / "layer.onnx"), dynamo=False)
        assert not (tmp_path / "layer.onnx").exists()

    class Dual(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = ring(method="nearest")

        def forward(self, y_raw: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
            return self.layer.with_multipliers(y_raw, x)[1]

    with pytest.raises(NotImplementedError, match="with_multipliers cannot be traced"):
        torch.jit.trace(Dual(), tensors)


def free() -> hardnet.torch.Layer:
    return hardnet.torch.Layer(model("free"))


def test_layers_that_programs_made_are_kept_and_equal_ones_are_found() -> None:
    from hardnet.torch import _handles

    first, second = ring(), ring()
    assert first.contents == second.contents
    assert ring(tolerance=1e-9).contents != first.contents
    assert _handles.find(first.contents, first._number) is first
    made = _handles.find(first.contents, ring(tolerance=1e-9)._number)
    assert made is not first and made is _handles.find(first.contents, 10**9)
    assert made.settings == first.settings
    y_raw, x = ring_samples(5)
    assert torch.equal(made(y_raw, x), first(y_raw, x))


def test_a_model_without_text_is_found_by_its_number_only() -> None:
    from hardnet.torch import _handles

    m = hardnet.Model()
    y = m.outputs("y", 2)
    m.subject_to(hardnet.where(y[0] < 1, y[1], y[1] / 0.0) <= 1)
    layer = hardnet.torch.Layer(m)
    with pytest.raises(hardnet.UnsupportedError):
        m.to_ampl()
    assert layer(torch.zeros(2)).tolist() == [0, 0]
    with pytest.raises(RuntimeError, match="its model has no text"):
        _handles.find(layer.contents, 10**9)
