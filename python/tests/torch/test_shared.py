"""Inputs that are given once for all samples: parameters beside x, whose gradient is summed in order.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import hardnet.torch  # noqa: E402
from shared_case import CHOICES, METHODS, MODEL, flat, parts, samples  # noqa: E402

from torch.func import functional_call, grad, vmap  # noqa: E402

COUNT = 21


def tensors(columns: list[int], count: int = COUNT):
    return (torch.from_numpy(array) for array in samples(columns, count))


def layer_of(method: str = "auto", **settings: object) -> hardnet.torch.Layer:
    return hardnet.torch.Layer(MODEL, method, **settings)


def shared_as_tensors(names, columns, x):
    shared, others = parts(names, columns, x.numpy())
    if isinstance(shared, dict):
        shared = {name: torch.tensor(np.asarray(v)).requires_grad_() for name, v in shared.items()}
    else:
        shared = torch.from_numpy(shared).requires_grad_()
    return shared, None if others is None else torch.from_numpy(others)


def gradient_of(shared) -> np.ndarray:
    if isinstance(shared, dict):
        return flat({name: tensor.grad.numpy() for name, tensor in shared.items()})
    return shared.grad.numpy()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("threads", [1, 2])
def test_bits_and_gradients_are_those_of_the_layer_for_numpy(method: str, threads: int) -> None:
    layer = layer_of(method, threads=threads)
    for names, columns in CHOICES:
        y_raw, x = tensors(columns)
        shared, others = shared_as_tensors(names, columns, x)
        weights = torch.from_numpy(np.random.default_rng(4).normal(size=y_raw.shape))
        y_raw.requires_grad_()
        if others is not None:
            others.requires_grad_()
        given = parts(names, columns, x.numpy())
        result = layer.inner(y_raw.detach().numpy(), given[1], shared=given[0], tape=True)
        by = layer.inner.gradient(result, weights.numpy())
        y = layer(y_raw, others, shared=shared)
        np.testing.assert_array_equal(y.detach().numpy(), result.y)
        np.testing.assert_array_equal(layer.last.outcome, result.outcome)
        y.backward(weights)
        np.testing.assert_array_equal(y_raw.grad.numpy(), by.y_raw)
        np.testing.assert_array_equal(gradient_of(shared), flat(by.shared))
        if others is not None:
            np.testing.assert_array_equal(others.grad.numpy(), by.x)
        with torch.no_grad():
            assert torch.equal(layer(y_raw, others, shared=shared), y)


def test_a_parameter_is_trained() -> None:
    layer = layer_of()
    y_raw, x = tensors([0, 1])
    target = layer(y_raw, x)
    shared = torch.nn.ParameterDict({"p": torch.nn.Parameter(x[0, :2] + 0.3)})
    optimizer = torch.optim.Adam(shared.parameters(), lr=0.05)
    losses = []
    for _ in range(60):
        optimizer.zero_grad()
        loss = (layer(y_raw, x[:, 2:], shared=shared) - target).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert shared["p"].grad.shape == (2,)
    assert losses[-1] < 0.01 * losses[0]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_other_types(dtype) -> None:
    layer = layer_of(tolerance=1e-1)
    y_raw, x = tensors([0, 1])
    y_raw, p, others = y_raw.to(dtype), x[0, :2].to(dtype).requires_grad_(), x[:, 2:].to(dtype)
    y = layer(y_raw, others, shared=p)
    same = layer(y_raw, torch.cat([p.expand(COUNT, 2), others], -1))
    assert y.dtype == dtype and torch.equal(y, same)
    y.sum().backward()
    assert p.grad.dtype == dtype and p.grad.isfinite().all()


def test_nan_in_gives_nan_out() -> None:
    layer = layer_of()
    y_raw, x = tensors([0, 1])
    p = x[0, :2].clone().requires_grad_()
    y_raw[3, 0] = torch.nan
    with pytest.warns(hardnet.torch.NotOkWarning):
        y = layer(y_raw, x[:, 2:], shared=p)
    assert y[3].isnan().all() and y[:3].isfinite().all()
    y.nan_to_num().sum().backward()
    assert p.grad.isfinite().all()  # the loss does not depend on them
    p.grad = None
    with pytest.warns(hardnet.torch.NotOkWarning):
        layer(y_raw, x[:, 2:], shared=p).sum().backward()
    assert p.grad.isnan().all()


# ---- transforms ----


def loss(layer, y_raw, others, p):
    return layer(y_raw, others, shared=p).square().sum()


@pytest.mark.parametrize("form", ["row", "dict"])
def test_compiled_code_has_the_bits_of_eager_mode(form: str) -> None:
    layer = layer_of()
    y_raw, x = tensors([0, 1])
    p = x[0, :2].clone().requires_grad_()

    def function(y_raw, others, p):
        return layer(y_raw, others, shared={"p": p} if form == "dict" else p)

    compiled = torch.compile(function, fullgraph=True, backend="aot_eager")
    y, expected = compiled(y_raw, x[:, 2:], p), function(y_raw, x[:, 2:], p)
    assert torch.equal(y, expected)
    found = torch.autograd.grad(y.square().sum(), p)
    assert torch.equal(found[0], torch.autograd.grad(expected.square().sum(), p)[0])
    with torch.no_grad():
        assert torch.equal(compiled(y_raw, x[:, 2:], p), expected)


def test_a_module_is_exported() -> None:
    class Trained(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.p = torch.nn.Parameter(x[0, :2].clone())
            self.layer = layer_of()

        def forward(self, y_raw, others):
            return self.layer(y_raw, others, shared={"p": self.p})

    y_raw, x = tensors([0, 1])
    module = Trained()
    program = torch.export.export(module, (y_raw, x[:, 2:])).module()
    y = program(y_raw, x[:, 2:])
    assert torch.equal(y, module(y_raw, x[:, 2:]))
    y.sum().backward()
    assert program.p.grad.isfinite().all()


def test_vmap_over_samples_and_over_shared_inputs() -> None:
    layer = layer_of()
    y_raw, x = tensors([0, 1])
    others, p = x[:, 2:], x[0, :2]
    y = layer(y_raw, others, shared=p)
    over_samples = vmap(lambda raw, own: layer(raw, own, shared=p))
    assert torch.equal(over_samples(y_raw, others), y)
    several = torch.stack([p, p + 0.1, p + 0.2])
    over_shared = vmap(lambda q: layer(y_raw, others, shared=q))(several)
    for i in range(3):
        assert torch.equal(over_shared[i], layer(y_raw, others, shared=several[i]))
    both = vmap(lambda raw, q: layer(raw, others[0], shared=q))(y_raw[:3], several)
    for i in range(3):
        assert torch.equal(both[i], layer(y_raw[i], others[0], shared=several[i]))


def test_gradients_of_func_are_those_of_backward() -> None:
    layer = layer_of()
    y_raw, x = tensors([0, 1])
    others, p = x[:, 2:], x[0, :2].clone().requires_grad_()
    (expected,) = torch.autograd.grad(loss(layer, y_raw, others, p), p)
    found = grad(lambda q: loss(layer, y_raw, others, q))(p.detach())
    assert torch.equal(found, expected)
    each = vmap(grad(lambda q, raw, own: loss(layer, raw, own, q)), in_dims=(None, 0, 0))
    by_sample = each(p.detach(), y_raw, others)
    total = torch.zeros(2, dtype=torch.float64)
    for row in by_sample:
        total = total + row
    assert torch.equal(total, expected)
    several = torch.stack([p.detach(), p.detach() + 0.1])
    by_shared = vmap(grad(lambda q: loss(layer, y_raw, others, q)))(several)
    assert torch.equal(by_shared[0], expected)
    inside = grad(lambda q: vmap(lambda raw, own: loss(layer, raw, own, q))(y_raw, others).sum())
    torch.testing.assert_close(inside(p.detach()), expected)


def test_batched_and_repeated_gradients() -> None:
    layer = layer_of()
    y_raw, x = tensors([0, 1])
    p = x[0, :2].clone().requires_grad_()
    y = layer(y_raw, x[:, 2:], shared=p)
    seeds = torch.from_numpy(np.random.default_rng(2).normal(size=(3, *y.shape)))
    (found,) = torch.autograd.grad(y, p, seeds, is_grads_batched=True, retain_graph=True)
    for i in range(3):
        (one,) = torch.autograd.grad(y, p, seeds[i], retain_graph=True)
        assert torch.equal(found[i], one)
    (by,) = torch.autograd.grad(y.sum(), p, create_graph=True)
    with pytest.raises(NotImplementedError, match="not differentiated again"):
        by.sum().backward()
    with pytest.raises(NotImplementedError, match="reverse mode only"):
        torch.func.jvp(lambda q: layer(y_raw, x[:, 2:], shared=q), (p.detach(),), (p.detach(),))


def test_a_layer_inside_a_module_is_called_functionally() -> None:
    layer = layer_of()
    y_raw, x = tensors([0, 1])
    y = functional_call(layer, {}, (y_raw, x[:, 2:]), {"shared": x[0, :2]})
    assert torch.equal(y, layer(y_raw, x))


def test_the_operators_pass_the_tests_of_pytorch() -> None:
    from hardnet.torch._shared import correct_shared

    layer = layer_of()
    y_raw, x = tensors([0, 1], 3)
    arguments = (y_raw.requires_grad_(), x[:, 2:], x[0, :2].clone().requires_grad_(), "p")
    arguments = (*arguments, layer.contents, layer._number, 0, 0)
    tests = ("test_schema", "test_faketensor", "test_aot_dispatch_dynamic")
    torch.library.opcheck(correct_shared.operator, arguments, test_utils=tests)


# ---- mistakes ----


def test_what_does_not_fit_is_refused_by_name() -> None:
    layer = layer_of()
    y_raw, x = tensors([0, 1])
    others = x[:, 2:]
    for shared, words in [
        ({"r": x[0, :1]}, "called r"),
        ({"p": x[:, :2]}, r"shared: p has the shape \(21, 2\); it must be \(2,\)"),
        (x[:, :2], r"shared has the shape \(21, 2\); it must be one row"),
        (torch.ones(6), r"shared has the shape \(6,\)"),
        (torch.ones(1), r"x has the shape \(21, 3\); its last axis must be 4 long"),
    ]:
        with pytest.raises(ValueError, match=words):
            layer(y_raw, others, shared=shared)
    with pytest.raises(TypeError, match="shared must be a tensor, not list"):
        layer(y_raw, others, shared=[1.0, 2.0])
    with pytest.raises(TypeError, match="shared: p must be of a floating-point type"):
        layer(y_raw, others, shared={"p": torch.ones(2, dtype=torch.int64)})
    with pytest.raises(ValueError, match="x is missing: the model has 3 other inputs"):
        layer(y_raw, shared=x[0, :2])
