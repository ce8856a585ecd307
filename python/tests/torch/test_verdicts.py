"""NaN in gives NaN out, half precision is judged after rounding, and samples that are not ok return what was chosen.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import hardnet  # noqa: E402
import hardnet.torch  # noqa: E402
from hardnet._result import REPORT  # noqa: E402

from torch_cases import model, ring_samples  # noqa: E402

NAN, INF = float("nan"), float("inf")


def ring(**settings: object) -> hardnet.torch.Layer:
    return hardnet.torch.Layer(model("ring"), **settings)


# ---- NaN ----


@pytest.mark.parametrize("taped", [False, True])
@pytest.mark.parametrize("where", ["y_raw", "x"])
@pytest.mark.parametrize("value", [NAN, INF, -INF])
def test_what_is_not_finite_stays_so_in_outputs_and_gradients(taped, where, value) -> None:
    layer = ring()
    tensors = dict(zip(("y_raw", "x"), ring_samples(5)))
    good = layer(tensors["y_raw"], tensors["x"])
    tensors[where] = tensors[where].clone()
    tensors[where][2, 0] = value
    for tensor in tensors.values():
        tensor.requires_grad_(taped)
    with pytest.warns(hardnet.torch.NotOkWarning, match="not finite") as caught:
        y = layer(tensors["y_raw"], tensors["x"])
    assert len(caught) == 1
    rest = [0, 1, 3, 4]
    assert y[2].isnan().all() and torch.equal(y[rest].detach(), good[rest])
    assert layer.last.outcome[2] is hardnet.Outcome.NONFINITE_INPUT
    assert layer.last.violation[2] == INF and not layer.last.ok[2]
    if not taped:
        return
    loss = y.square().sum()
    assert loss.isnan()
    by_y_raw, by_x = torch.autograd.grad(loss, list(tensors.values()), retain_graph=True)
    assert by_y_raw[2].isnan().all() and by_x[2].isnan().all()
    assert by_y_raw[rest].isfinite().all() and by_x[rest].isfinite().all()
    kept = y[torch.from_numpy(layer.last.ok)].square().sum()  # the loss leaves that sample out
    by_y_raw, by_x = torch.autograd.grad(kept, list(tensors.values()))
    assert by_y_raw.isfinite().all() and (by_y_raw[2] == 0).all() and (by_x[2] == 0).all()


def test_a_network_of_nan_is_seen_in_loss_and_gradient_compiled_or_not() -> None:
    layer = ring()
    net = torch.nn.Linear(1, 3, dtype=torch.float64)
    with torch.no_grad():
        net.weight.fill_(NAN)
    x = ring_samples(4)[1]

    def loss() -> torch.Tensor:
        return (layer(net(x), x) - layer(net(x), x).detach()).square().mean()

    for function in (loss, torch.compile(loss, backend="aot_eager")):
        net.zero_grad()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", hardnet.torch.NotOkWarning)
            value = function()
            value.backward()
        assert value.isnan() and net.bias.grad.isnan().all()


def test_the_warning_is_shown_once() -> None:
    layer = ring()
    y_raw, x = ring_samples(3)
    y_raw[0] = NAN
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(5):
            layer(y_raw, x)
    assert len(caught) == 1


@pytest.mark.parametrize("settings", [{"fallback": [1.0, 0.0, 2.0]}, {"not_ok": "fallback"}])
def test_a_fallback_is_returned_without_a_warning(settings) -> None:
    layer = ring(**settings)
    y_raw, x = ring_samples(3)
    y_raw[1, 2] = NAN
    y_raw.requires_grad_()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        y = layer(y_raw, x)
    expected = layer.inner(y_raw.detach().numpy(), x.numpy())
    np.testing.assert_array_equal(y.detach().numpy(), expected.y)
    assert layer.last.violation[1] == expected.violation[1] < INF
    y.sum().backward()
    assert (y_raw.grad[1] == 0).all() and layer.flagged.tolist() == [False, True, False]


def test_a_refined_policy_of_nan_is_nan() -> None:
    layer = ring()
    net = hardnet.torch.Network.for_model(layer.model, hidden=(8,), dtype=torch.float64)
    policy = hardnet.torch.Policy(net, layer, refine=1)
    x = ring_samples(3)[1]
    x[1] = NAN
    with torch.no_grad(), pytest.warns(hardnet.torch.NotOkWarning, match="not finite"):
        y = policy(x)
    assert y[1].isnan().all() and y[[0, 2]].isfinite().all()


def test_multipliers_of_what_is_not_finite_are_nan() -> None:
    layer = ring(method="nearest")
    y_raw, x = ring_samples(3)
    y_raw[1, 0] = NAN
    y_raw.requires_grad_()
    with pytest.warns(hardnet.torch.NotOkWarning, match="not finite"):
        y, multipliers = layer.with_multipliers(y_raw, x)
    assert y[1].isnan().all() and multipliers[1].isnan().all()
    assert multipliers[[0, 2]].isfinite().all()
    (gradient,) = torch.autograd.grad(multipliers.square().sum(), y_raw, retain_graph=True)
    assert gradient[1].isnan().all() and gradient[[0, 2]].isfinite().all()
    (gradient,) = torch.autograd.grad(multipliers[[0, 2]].sum(), y_raw)
    assert (gradient[1] == 0).all() and gradient.isfinite().all()
    spare = ring(method="nearest", fallback=[1.0, 0.0, 2.0])
    assert spare.with_multipliers(y_raw.detach(), x)[1].isfinite().all()


# ---- half precision ----


def violation_of(layer: hardnet.torch.Layer, y: torch.Tensor, x: torch.Tensor) -> np.ndarray:
    at = layer.model.evaluate(y.detach().double().numpy(), x.detach().double().numpy())
    return np.abs(at.residual).max(-1)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("tolerance", [1e-8, 3e-3])
@pytest.mark.parametrize("way", ["eager", "compiled", "mapped"])
def test_half_precision_is_judged_after_rounding(dtype, tolerance, way) -> None:
    layer = ring(tolerance=tolerance)
    y_raw, x = ring_samples(40)
    y_raw = y_raw.to(dtype).requires_grad_()
    function = {
        "eager": layer,
        "compiled": torch.compile(layer, fullgraph=True, backend="aot_eager"),
        "mapped": torch.func.vmap(layer),
    }[way]
    y = function(y_raw, x)
    assert y.dtype == dtype
    expected = layer.inner(y_raw.detach().double().numpy(), x.numpy()).y
    assert torch.equal(y.detach(), torch.from_numpy(expected).to(dtype))
    true = violation_of(layer, y, x)
    np.testing.assert_array_equal(layer.last.violation, true)
    np.testing.assert_array_equal(layer.last.ok, true <= tolerance)
    assert layer.last.ok.any() == (tolerance > 1e-8)
    y.sum().backward()
    full = y_raw.detach().double().requires_grad_()
    layer(full, x).sum().backward()
    assert torch.equal(y_raw.grad, full.grad.to(dtype))


def test_what_half_precision_cannot_hold_is_not_ok() -> None:
    far = hardnet.Model.from_text("var y; subject to c: y >= 1e6;")
    layer = hardnet.torch.Layer(far, tolerance=1.0)
    y = layer(torch.zeros(1, 1, dtype=torch.float16))
    assert y.isinf().all() and not layer.last.ok.any() and layer.last.violation[0] == INF


def test_multipliers_and_refined_outputs_in_half_precision_are_judged_after_rounding() -> None:
    layer = ring(method="nearest")
    y_raw, x = ring_samples(6)
    y, _ = layer.with_multipliers(y_raw.bfloat16(), x)
    np.testing.assert_array_equal(layer.last.violation, violation_of(layer, y, x))
    net = hardnet.torch.Network.for_model(layer.model, hidden=(8,), dtype=torch.float16)
    policy = hardnet.torch.Policy(net, ring(), refine=1)
    with torch.no_grad():
        y = policy(x.half())
    assert y.dtype == torch.float16
    np.testing.assert_array_equal(policy.layer.last.violation, violation_of(layer, y, x.half()))


# ---- not ok ----

FILTER = """
param s;
var a >= -6, <= 6;
var b >= -1, <= 1;
subject to brake: a + 0.1 * b^2 <= -s;
subject to turn: b = sin(a);
"""


@pytest.mark.parametrize("not_ok", ["best", "clip", "fallback"])
def test_an_infeasible_state_returns_what_was_chosen(not_ok) -> None:
    layer = hardnet.torch.Layer(
        hardnet.Model.from_text(FILTER), not_ok=not_ok, fallback=[-5.5, 0.5]
    )
    s = torch.tensor([[1.0], [20.2], [2.0]], dtype=torch.float64)
    y_raw = torch.zeros(3, 2, dtype=torch.float64, requires_grad=True)
    for function in (layer, torch.compile(layer, fullgraph=True, backend="aot_eager")):
        y = function(y_raw, s)
        expected = layer.inner(y_raw.detach().numpy(), s.numpy())
        np.testing.assert_array_equal(y.detach().numpy(), expected.y)
        np.testing.assert_array_equal(layer.last.violation, violation_of(layer, y, s))
        assert layer.last.ok.tolist() == [True, False, True]
        assert (abs(float(y[1, 0])) > 7) == (not_ok == "best")
    y.sum().backward()
    assert (y_raw.grad[1] == 0).all() or not_ok == "best"


# ---- what CUDA tensors go through, on tensors of the CPU ----


def test_reports_on_a_device_are_changed_as_those_of_the_cpu() -> None:
    from hardnet import _rounding
    from hardnet.torch import _cuda, _nonfinite

    layer = ring(tolerance=1e-3)
    y_raw, x = ring_samples(20)
    y_raw[3] = NAN
    result = layer.inner(y_raw.numpy(), x.numpy())
    y = torch.from_numpy(result.y).half().double()
    y[5] = INF
    fresh = _rounding.judge_of(layer.inner)(y.numpy(), x.numpy())

    def bytes_of(reports: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(reports.copy().view(np.uint8).reshape(20, REPORT.itemsize))

    there = bytes_of(result.reports)
    _cuda.keep_verdict(bytes_of(fresh.reports), y, there)
    here = result.reports.copy()
    _rounding.judge(layer.inner, x.numpy(), y.numpy(), here)
    changed = there.numpy().view(REPORT).reshape(-1)
    for name in REPORT.names:  # there are bytes between them
        np.testing.assert_array_equal(changed[name], here[name])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hardnet.torch.NotOkWarning)
        half = layer(y_raw.half(), x)
    _nonfinite.spread(y, there)
    assert y[3].isnan().all() and half[3].isnan().all()
    assert changed["violation"][3] == INF and changed["outcome"][3] == 5
    assert layer.last.violation[3] == INF and layer.last.worst[3] == ""
