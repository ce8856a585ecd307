"""Optima, nearest points and their multipliers under autograd.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import hardnet  # noqa: E402
import hardnet.torch  # noqa: E402

# minimise |y - a|^2 / 2 on y1 + y2 = 1, y1 <= 0.8
MODEL = """
param a{1..2} >= -2, <= 2;
var y{1..2};
minimize away: sum{j in 1..2} (y[j] - a[j])^2/2;
subject to line: y[1] + y[2] = 1;
subject to cap: y[1] <= 0.8;
"""


@pytest.mark.parametrize("method", ["optimal", "nearest"])
def test_gradients_are_those_of_differences(method: str) -> None:
    layer = hardnet.torch.Layer(hardnet.Model.from_text(MODEL), method)
    a = torch.tensor([[0.1, 0.3], [1.5, 0.2]], dtype=torch.float64, requires_grad=True)
    raw = torch.tensor([[0.5, -1.0], [2.0, 0.7]], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(layer, (raw, a), atol=1e-6)
    assert torch.autograd.gradcheck(layer.with_multipliers, (raw, a), atol=1e-6)
    assert layer.last.certified.all()


def test_multipliers_are_known() -> None:
    layer = hardnet.torch.Layer(hardnet.Model.from_text(MODEL), "optimal")
    y, m = layer.with_multipliers(torch.zeros(2), torch.tensor([2.0, 0.0]))
    assert torch.allclose(y, torch.tensor([0.8, 0.2])) and y.dtype == torch.float32
    assert torch.allclose(m, torch.tensor([0.2, -1.4]))  # y2 - a2 = l; y1 - a1 = l + cap
    a = torch.tensor([2.0, 0.0], dtype=torch.float64, requires_grad=True)
    layer.with_multipliers(torch.zeros(2).double(), a)[1].sum().backward()
    assert torch.allclose(a.grad, torch.tensor([-1.0, 0.0]).double(), atol=1e-8)


def test_other_methods_have_none() -> None:
    layer = hardnet.torch.Layer(hardnet.Model.from_text(MODEL))
    with pytest.raises(ValueError, match="the method auto has no multipliers"):
        layer.with_multipliers(torch.zeros(2), torch.zeros(2))
