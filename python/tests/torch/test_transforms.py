"""The layer under torch.compile, torch.func, autocast, in workers of a DataLoader, and in DDP.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import gc
import os
import pathlib
import subprocess
import sys
import weakref

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import hardnet.torch  # noqa: E402
from torch_cases import Corrected, ddp_worker, model, ring_samples, train  # noqa: E402

from torch.func import grad, jacrev, vmap  # noqa: E402


def ring(**settings: object) -> hardnet.torch.Layer:
    return hardnet.torch.Layer(model("ring"), **settings)


def gradients(function, tensors):
    tensors = [t.detach().clone().requires_grad_() for t in tensors]
    y = function(*tensors)
    return [y.detach(), *torch.autograd.grad(y.square().sum(), tensors)]


def assert_same_bits(first, second) -> None:
    assert len(first) == len(second)
    for a, b in zip(first, second):
        assert torch.equal(a, b)


# ---- torch.compile ----


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_compiled_forward_and_backward_have_the_bits_of_eager_mode(backend) -> None:
    layer = ring()
    tensors = ring_samples(6)
    compiled = torch.compile(layer, fullgraph=True, backend=backend)
    assert_same_bits(gradients(compiled, tensors), gradients(layer, tensors))
    if backend == "inductor":  # it takes its time
        return
    with torch.no_grad():
        assert torch.equal(compiled(*tensors), layer(*tensors))
    single = [t.float() for t in tensors]
    assert_same_bits(gradients(compiled, single), gradients(layer, single))


def test_a_function_compiled_by_another_process_fits_another_layer(tmp_path) -> None:
    program = pathlib.Path(__file__).with_name("compiled_once.py")
    environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": str(tmp_path)}
    for iterations in ("20", "40"):  # the second finds what the first left on disk
        command = [sys.executable, str(program), iterations]
        subprocess.run(command, check=True, env=environment, timeout=240)


def test_a_network_with_its_layer_compiles_as_one_graph_of_any_batch_size() -> None:
    layer = ring()
    net = torch.nn.Linear(1, 3, dtype=torch.float64)

    def policy(x):
        return layer(net(x), x).square().sum()

    compiled = torch.compile(policy, fullgraph=True, backend="aot_eager", dynamic=True)
    for count in (6, 3, 11):
        x = ring_samples(count)[1]
        expected = torch.autograd.grad(policy(x), list(net.parameters()))
        found = torch.autograd.grad(compiled(x), list(net.parameters()))
        assert layer.last.ok.shape == (count,)
        for a, b in zip(found, expected):
            torch.testing.assert_close(a, b, rtol=1e-13, atol=1e-13)


def test_compiled_code_complains_about_samples_that_are_not_ok() -> None:
    layer = ring(on_fail="raise", iterations=0)
    compiled = torch.compile(layer, fullgraph=True, backend="aot_eager")
    with pytest.raises(hardnet.torch.NotOkError, match="iteration_limit"):
        compiled(*ring_samples(2))


def test_compiled_layers_do_not_mix_and_backward_keeps_its_own() -> None:
    tensors = ring_samples(3)
    layers = [ring(), ring(method="lm", tolerance=1e-6)]
    compiled = [torch.compile(layer, fullgraph=True, backend="aot_eager") for layer in layers]
    for layer, function in zip(layers, compiled):
        assert_same_bits(gradients(function, tensors), gradients(layer, tensors))
    y_raw = tensors[0].clone().requires_grad_()
    y = compiled[0](y_raw, tensors[1])
    gone = weakref.ref(layers[0])
    torch.compiler.reset()
    del layers, compiled, layer, function
    gc.collect()
    y.sum().backward()
    assert y_raw.grad.isfinite().all()
    del y
    gc.collect()
    assert gone() is None


def test_the_operators_pass_the_tests_of_pytorch() -> None:
    from hardnet.torch._correct import correct, correct_taped

    layer = ring()
    y_raw, x = ring_samples(3)
    arguments = (y_raw.requires_grad_(), x.requires_grad_(), layer.contents, layer._number)
    tests = ("test_schema", "test_faketensor", "test_aot_dispatch_dynamic")
    torch.library.opcheck(correct.operator, (*arguments, 0), test_utils=tests)
    # Parts of the record are not written: only its shape can be compared.
    tests = ("test_faketensor",)
    arguments = (*arguments, layer.record_bytes)
    torch.library.opcheck(correct_taped.operator, arguments, test_utils=tests)


# ---- torch.func ----


def test_vmap_maps_over_any_dimension() -> None:
    layer = ring()
    y_raw, x = ring_samples(12)
    y = layer(y_raw, x)
    assert torch.equal(vmap(layer)(y_raw, x), y)
    assert layer.last.ok.shape == (12,)
    assert torch.equal(vmap(layer, in_dims=(1, 0), out_dims=1)(y_raw.t(), x), y.t())
    assert torch.equal(vmap(layer, in_dims=(0, None))(y_raw, x[0]), layer(y_raw, x[0]))
    nested = vmap(vmap(layer, in_dims=(1, 0)), in_dims=(2, 1))
    shaped = y_raw.view(3, 4, 3)
    found = nested(shaped.permute(2, 1, 0), x.view(3, 4, 1).transpose(0, 1))
    assert torch.equal(found, layer(shaped, x.view(3, 4, 1)))


def test_functional_gradients_have_the_bits_of_autograd() -> None:
    layer = ring()
    tensors = ring_samples(5)
    expected = gradients(layer, tensors)[1:]

    def loss(y_raw, x):
        return layer(y_raw, x).square().sum()

    def mapped(y_raw, x):
        return vmap(layer)(y_raw, x).square().sum()

    assert_same_bits(grad(loss, argnums=(0, 1))(*tensors), expected)
    assert_same_bits(vmap(grad(loss, argnums=(0, 1)))(*tensors), expected)
    assert_same_bits(grad(mapped, argnums=(0, 1))(*tensors), expected)


def test_jacobians_agree_however_they_are_asked_for() -> None:
    layer = ring()
    y_raw, x = ring_samples(3)
    by_rows = torch.autograd.functional.jacobian(lambda y: layer(y, x[0]), y_raw[0])
    batched = torch.autograd.functional.jacobian(lambda y: layer(y, x[0]), y_raw[0], vectorize=True)
    assert torch.equal(batched, by_rows)
    assert torch.equal(jacrev(layer)(y_raw[0], x[0]), by_rows)
    assert torch.equal(vmap(jacrev(layer))(y_raw, x)[0], by_rows)
    by_x = vmap(jacrev(layer, argnums=1))(y_raw, x)
    leaf = x.clone().requires_grad_()
    y = layer(y_raw, leaf)
    for j in range(3):
        (row,) = torch.autograd.grad(y[:, j].sum(), leaf, retain_graph=True)
        assert torch.equal(by_x[:, j], row)


# ---- autocast ----


def test_autocast_leaves_the_correction_in_double_and_returns_float32() -> None:
    layer = ring()
    net = torch.nn.Linear(1, 3)
    x = ring_samples(8)[1].float()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y_raw = net(x)
        assert y_raw.dtype == torch.bfloat16
        y = layer(y_raw, x)
        assert y.dtype == torch.float32 and (layer.last.violation <= 1e-8).all()
        assert (hardnet.torch.violation(layer, y.double(), x.double()) <= 1e-5).all()
        compiled = torch.compile(layer, fullgraph=True, backend="aot_eager")(y_raw, x)
        assert compiled.dtype == torch.float32 and torch.equal(compiled, y)
        assert layer(y_raw.double(), x).dtype == torch.float64
        y.square().sum().backward()
    expected = layer.inner(y_raw.detach().double().numpy(), x.double().numpy()).y
    assert torch.equal(y.detach(), torch.from_numpy(expected).float())
    assert layer(y_raw, x).dtype == torch.bfloat16  # autocast has ended
    assert net.weight.grad.isfinite().all()


# ---- other processes ----


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_workers_of_a_data_loader_correct(start) -> None:
    layer = ring(threads=2)
    y_raw, x = ring_samples(12)
    y = layer(y_raw, x)
    loader = torch.utils.data.DataLoader(
        Corrected(layer, y_raw, x), batch_size=4, num_workers=2, multiprocessing_context=start
    )
    assert torch.equal(torch.cat(list(loader)), y)


def test_two_processes_learn_the_weights_of_one_with_the_joined_batch(tmp_path) -> None:
    path = tmp_path / "weights.pt"
    torch.multiprocessing.spawn(ddp_worker, args=(2, str(tmp_path / "store"), str(path)), nprocs=2)
    found = torch.load(path)
    expected = train(lambda net: net, slice(None))
    assert expected.keys() == found.keys()
    moved = 0.0
    for name, weights in expected.items():
        torch.testing.assert_close(found[name], weights, rtol=1e-10, atol=1e-12)
        moved += float((weights - train(lambda net: net, slice(None), steps=0)[name]).norm())
    assert moved > 1e-2
