"""hardnet.torch.Layer on a CUDA device: the bits of the CPU, on any stream, compiled, captured.

Skipped where there is no device.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import copy
import pickle
import tempfile

import numpy as np
import pytest
import torch
from torch_cases import ddp_worker, doubles, model, ring_samples, train

import hardnet
import hardnet.torch

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")

CASES = [
    ("unicycle", "auto", {}),
    ("unicycle", "paper", {"iterations": 60}),
    ("unicycle", "lm", {}),
    ("ring", "auto", {}),
    ("ring", "lm", {}),
    ("curve", "hardnet", {}),
    ("free", "auto", {}),
    ("ring", "nearest", {}),
    ("unicycle", "optimal", {}),
]
FIELDS = ("outcome", "iterations", "steps", "violation", "violation_before", "moved", "worst")


def batch(name: str, count: int, seed: int = 1) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Raw outputs and inputs on the CPU."""
    if name == "ring":
        return ring_samples(count, seed)
    of = model(name)
    raw = doubles(count, of.outputs_count, seed=seed, scale=0.5)
    if of.inputs_count == 0:
        return raw, None
    return raw, hardnet.torch.sample_inputs(of, count, seed, dtype=torch.float64)


def on_device(*tensors: torch.Tensor | None) -> tuple[torch.Tensor | None, ...]:
    return tuple(None if tensor is None else tensor.cuda() for tensor in tensors)


def both_ways(layer, raw, x, weight):
    """y, gradients by y_raw and x, and what happened."""
    leaves = [t.detach().clone().requires_grad_() for t in (raw, x) if t is not None]
    y = layer(*leaves)
    gradients = torch.autograd.grad(y, leaves, weight)
    return [y.detach().cpu(), *(g.cpu() for g in gradients)], layer.last, layer.flagged


def same_bits(a: torch.Tensor, b: torch.Tensor) -> bool:
    return bool((a.view(torch.int64) == b.view(torch.int64)).all())


def test_everything_has_the_bits_of_the_cpu() -> None:
    for name, method, settings in CASES:
        raw, x = batch(name, 500)
        raw[3, 0] = float("nan")
        weight = doubles(*raw.shape, seed=9)
        layer = hardnet.torch.Layer(model(name), method, **settings)
        here, last, flagged = both_ways(layer, raw, x, weight)
        there, last_there, flagged_there = both_ways(layer, *on_device(raw, x), weight.cuda())
        for a, b in zip(here, there, strict=True):
            assert same_bits(a, b), (name, method)
        for field in FIELDS:
            assert np.array_equal(
                getattr(last, field), getattr(last_there, field), equal_nan=field != "worst"
            ), (name, method, field)
        assert np.array_equal(flagged, flagged_there), (name, method)


def test_multipliers_and_their_gradients_have_the_bits_of_the_cpu() -> None:
    raw, x = batch("ring", 60)
    layer = hardnet.torch.Layer(model("ring"), "nearest")
    results = []
    for there in (False, True):
        leaves = [(t.cuda() if there else t.clone()).requires_grad_() for t in (raw, x)]
        y, multipliers = layer.with_multipliers(*leaves)
        assert multipliers.is_cuda == there
        loss = (y * doubles(*y.shape, seed=5).to(y)).sum()
        loss = loss + (multipliers * doubles(*multipliers.shape, seed=6).to(y)).sum()
        loss.backward()
        results.append([y, multipliers, *(leaf.grad for leaf in leaves)])
        assert layer.last.certified.all() and not layer.flagged.any()
    for a, b in zip(*results, strict=True):
        assert same_bits(a.detach().cpu(), b.detach().cpu())
    with pytest.raises(ValueError, match="they must be on the same device"):
        layer.with_multipliers(raw.cuda(), x)


def test_a_sample_has_the_same_bits_alone_and_in_any_place() -> None:
    raw, x = on_device(*batch("ring", 100))
    layer = hardnet.torch.Layer(model("ring"))
    whole = layer(raw, x)
    assert same_bits(layer(raw.flip(0), x.flip(0)).flip(0), whole)
    for i in (0, 57, 99):
        assert same_bits(layer(raw[i], x[i]), whole[i])
        assert layer.last.ok.shape == ()


def test_any_layout_and_leading_shape_is_taken() -> None:
    raw, x = batch("ring", 24)
    layer = hardnet.torch.Layer(model("ring"))
    expected = layer(raw, x)
    far, inputs = on_device(raw, x)
    turned = far.t().contiguous().t()
    assert not turned.is_contiguous()
    assert same_bits(layer(turned, inputs).cpu(), expected)
    assert same_bits(layer(far.view(4, 6, 3), inputs.view(4, 6, 1)).cpu(), expected.view(4, 6, 3))
    assert layer.last.ok.shape == (4, 6)
    assert same_bits(layer(far, inputs[0]).cpu(), layer(raw, x[0]))
    assert layer(far[:0], inputs[:0]).shape == (0, 3)
    assert layer.last.ok.shape == (0,)


def test_other_types_are_rounded_as_on_the_cpu_with_the_same_reports() -> None:
    raw, x = batch("ring", 50)
    layer = hardnet.torch.Layer(model("ring"))
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        there = layer(raw.to(dtype).cuda(), x.cuda())
        assert there.dtype is dtype and there.is_cuda
        last = layer.last
        assert torch.equal(there.cpu(), layer(raw.to(dtype), x))
        assert np.array_equal(last.violation, layer.last.violation)
        assert np.array_equal(last.outcome, layer.last.outcome)


def test_gradients_are_those_of_differences() -> None:
    raw, x = on_device(*ring_samples(3))
    layer = hardnet.torch.Layer(model("ring"), tolerance=1e-13)
    assert torch.autograd.gradcheck(layer, (raw.requires_grad_(), x.requires_grad_()), atol=1e-5)


def test_torch_compile_gives_the_same_bits() -> None:
    raw, x = batch("unicycle", 64)
    layer = hardnet.torch.Layer(model("unicycle"))
    weight = doubles(*raw.shape, seed=9)
    here, _, _ = both_ways(layer, raw, x, weight)
    far, inputs = on_device(raw, x)
    leaves = far.requires_grad_(), inputs.requires_grad_()
    compiled = torch.compile(lambda y, x: 1 * layer(1 * y, x), fullgraph=True)
    y = compiled(*leaves)
    gradients = torch.autograd.grad(y, leaves, weight.cuda())
    for a, b in zip(here, (y.detach(), *gradients), strict=True):
        assert same_bits(a, b.cpu())
    assert layer.last.ok.all()


def test_torch_compile_may_use_graphs_of_its_own() -> None:
    raw, x = on_device(*batch("ring", 32))
    layer = hardnet.torch.Layer(model("ring"))
    expected = layer(2 * raw, x)
    compiled = torch.compile(lambda y, x: layer(2 * y, x), mode="reduce-overhead", fullgraph=True)
    with torch.no_grad():
        for _ in range(4):
            assert same_bits(compiled(raw, x), expected)


def test_a_captured_call_follows_its_inputs() -> None:
    raw, x = on_device(*batch("unicycle", 200))
    layer = hardnet.torch.Layer(model("unicycle"))
    weight = doubles(*raw.shape, seed=9).cuda()
    leaf = raw.clone().requires_grad_()

    def work() -> tuple[torch.Tensor, torch.Tensor]:
        y = layer(leaf, x)
        return y, torch.autograd.grad(y, leaf, weight)[0]

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            work()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y, gradient = work()
    for seed in (2, 3):
        other, inputs = batch("unicycle", 200, seed)
        other[7, 0] = float("inf") if seed == 3 else other[7, 0]
        with torch.no_grad():
            leaf.copy_(other)
            x.copy_(inputs)
        graph.replay()
        here = other.clone().requires_grad_()
        alone = hardnet.torch.Layer(model("unicycle"))
        expected = alone(here, inputs)
        assert same_bits(y.detach().cpu(), expected.detach())
        assert same_bits(gradient.cpu(), torch.autograd.grad(expected, here, weight.cpu())[0])
        assert np.array_equal(layer.last.outcome, alone.last.outcome)
        assert bool(layer.last.ok.all()) == (seed == 2)


def test_a_first_call_cannot_be_captured_and_says_so() -> None:
    raw, x = on_device(*batch("ring", 4))
    layer = hardnet.torch.Layer(model("ring"), tolerance=3e-7)
    with pytest.raises(RuntimeError, match="call the layer once before"):
        with torch.cuda.graph(torch.cuda.CUDAGraph()):
            layer(raw, x)
    spare = hardnet.torch.Layer(model("ring"), fallback=[1.0, 0.5, 2.0])
    assert spare(raw, x)[2].tolist() == [1.0, 0.5, 2.0]
    with pytest.raises(ValueError, match="computes on the CPU"):
        hardnet.torch.Layer(model("ring"), not_ok="clip")(raw, x)
    strict = hardnet.torch.Layer(model("ring"), on_fail="raise")
    strict(raw, x)
    with pytest.raises(RuntimeError, match="on_fail='raise' waits"):
        with torch.cuda.graph(torch.cuda.CUDAGraph()):
            strict(raw, x)


def test_streams_do_not_disturb_each_other() -> None:
    layer = hardnet.torch.Layer(model("unicycle"))
    data = [on_device(*batch("unicycle", 300, seed)) for seed in range(4)]
    expected = [layer(*one).clone() for one in data]
    streams = [torch.cuda.Stream() for _ in data]
    torch.cuda.synchronize()
    results = []
    for _ in range(5):
        for stream, one in zip(streams, data, strict=True):
            with torch.cuda.stream(stream):
                results.append(layer(*one))
    torch.cuda.synchronize()
    for i, y in enumerate(results):
        assert same_bits(y, expected[i % 4])


def test_nothing_waits_for_the_device_until_last_is_asked_for() -> None:
    raw, x = on_device(*batch("ring", 50))
    layer = hardnet.torch.Layer(model("ring"), on_fail="warn")
    leaf = raw.clone().requires_grad_()
    layer(leaf, x).sum().backward()
    torch.cuda.set_sync_debug_mode("error")
    try:
        layer(leaf, x).sum().backward()
        with torch.no_grad():
            layer(raw, x)
    finally:
        torch.cuda.set_sync_debug_mode("default")
    assert layer.last.ok.all()
    assert not layer.flagged.any()


def test_bad_samples_are_told_as_on_fail_says() -> None:
    raw, x = on_device(*batch("ring", 6))
    raw[2] = float("nan")
    layer = hardnet.torch.Layer(model("ring"))
    y = layer(raw, x)
    assert y[2].isnan().all() and y[[0, 1, 3, 4, 5]].isfinite().all()
    with pytest.warns(hardnet.torch.NotOkWarning, match="not finite"):
        assert layer.last.violation[2] == float("inf")
    assert layer.last.outcome[2] == hardnet.Outcome.NONFINITE_INPUT and layer.last.ok.sum() == 5
    spare = hardnet.torch.Layer(model("ring"), fallback=[1.0, 0.5, 2.0])
    assert spare(raw, x)[2].tolist() == [1.0, 0.5, 2.0]
    with pytest.raises(ValueError, match="computes on the CPU"):
        hardnet.torch.Layer(model("ring"), not_ok="clip")(raw, x)
    strict = hardnet.torch.Layer(model("ring"), on_fail="raise")
    with pytest.raises(hardnet.torch.NotOkError, match="1 of 6 samples are not ok"):
        strict(raw, x)
    assert strict.last.ok.sum() == 5
    wary = hardnet.torch.Layer(model("ring"), on_fail="warn")
    wary(raw, x)
    with pytest.warns(hardnet.torch.NotOkWarning, match="1 of 6"):
        assert wary.last.ok.sum() == 5


def test_tensors_on_different_devices_are_refused() -> None:
    raw, x = batch("ring", 4)
    layer = hardnet.torch.Layer(model("ring"))
    with pytest.raises(ValueError, match="y_raw is on cuda:0 and x on cpu"):
        layer(raw.cuda(), x)
    with pytest.raises(ValueError, match="y_raw is on cpu and x on cuda:0"):
        layer(raw, x.cuda())
    with pytest.raises(ValueError, match="hardnet computes this on the CPU"):
        hardnet.torch.improve(layer, raw.cuda(), x.cuda())


def test_vmap_and_copies_work() -> None:
    raw, x = on_device(*batch("ring", 12))
    layer = hardnet.torch.Layer(model("ring"))
    whole = layer(raw, x)
    mapped = torch.func.vmap(layer)(raw, x)
    assert same_bits(mapped, whole)
    jacobian = torch.func.vmap(torch.func.jacrev(layer))(raw, x)
    assert jacobian.shape == (12, 3, 3) and torch.isfinite(jacobian).all()
    for other in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        assert other.last is None and same_bits(other(raw, x), whole)


def test_float32_is_judged_in_double() -> None:
    raw, x = batch("unicycle", 300)
    layer = hardnet.torch.Layer(model("unicycle"), precision="float32")
    try:
        y = layer(*on_device(raw, x))
    except hardnet.UnsupportedError as error:
        pytest.skip(str(error))
    ok = layer.last.ok
    rows = model("unicycle").evaluate(y.cpu().numpy(), x.numpy())
    assert ok.mean() > 0.95
    assert np.abs(rows.residual[ok]).max() <= 1e-8
    leaf = raw.cuda().requires_grad_()
    (by_raw,) = torch.autograd.grad(layer(leaf, x.cuda()).sum(), leaf)
    here = raw.clone().requires_grad_()
    (expected,) = torch.autograd.grad(layer(here, x).sum(), here)
    near = (by_raw.cpu() - expected).norm(dim=1) <= 0.05 * expected.norm(dim=1).clamp_min(1)
    assert near.double().mean() > 0.9


def test_one_rank_of_nccl_trains_as_no_rank_does() -> None:
    from torch import distributed

    expected = train(lambda policy: policy, slice(None), 5, "cuda")
    with tempfile.NamedTemporaryFile() as store:
        distributed.init_process_group(
            "nccl", init_method=f"file://{store.name}", rank=0, world_size=1
        )
        try:
            found = train(torch.nn.parallel.DistributedDataParallel, slice(None), 5, "cuda")
        finally:
            distributed.destroy_process_group()
    for name, weights in expected.items():
        assert torch.equal(found[name], weights)


def test_two_ranks_of_gloo_learn_the_weights_of_one_with_the_joined_batch(tmp_path) -> None:
    path = tmp_path / "weights.pt"
    arguments = (2, str(tmp_path / "store"), str(path), "cuda")
    torch.multiprocessing.spawn(ddp_worker, args=arguments, nprocs=2)
    found = torch.load(path)
    expected = train(lambda policy: policy, slice(None), device="cuda")
    assert expected.keys() == found.keys()
    for name, weights in expected.items():
        torch.testing.assert_close(found[name], weights, rtol=1e-10, atol=1e-12)
