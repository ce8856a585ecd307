"""The layer as a module: bits, gradients, types and shapes, samples that are not ok, copies.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import copy
import gc
import io
import pickle
import warnings
import weakref

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import hardnet  # noqa: E402
import hardnet.torch  # noqa: E402

from torch_cases import ROOT, doubles, model, ring_samples  # noqa: E402

METHODS = [
    ("ring", "auto", {}),
    ("ring", "lm", {}),
    ("ring", "lm", {"damping": 0.01}),
    ("ring", "paper", {"iterations": 60}),
    ("curve", "hardnet", {"iterations": 12}),
    ("unicycle", "auto", {}),
    ("unicycle", "paper", {"iterations": 40, "tolerance": 10.0}),
]


def unicycle_samples(count: int) -> tuple[torch.Tensor, torch.Tensor]:
    states = torch.from_numpy(np.load(ROOT / "data/unicycle/states.npy")[:count]).double()
    return doubles(count, 50, scale=0.3), states


def samples(name: str, count: int) -> tuple[torch.Tensor, torch.Tensor]:
    if name == "unicycle":
        return unicycle_samples(count)
    if name == "curve":
        return 1 + doubles(count, 4, scale=0.3), 2 * torch.rand(count, 2).double() - 1
    return ring_samples(count)


def ring(**settings: object) -> hardnet.torch.Layer:
    return hardnet.torch.Layer(model("ring"), **settings)


# ---- values ----


@pytest.mark.parametrize(("name", "method", "settings"), METHODS)
def test_outputs_have_the_bits_of_the_layer_for_numpy(name, method, settings) -> None:
    y_raw, x = samples(name, 20)
    layer = hardnet.torch.Layer(model(name), method, **settings)
    result = layer.inner(y_raw.numpy(), x.numpy())
    y = layer(y_raw, x)
    np.testing.assert_array_equal(y.numpy(), result.y)
    np.testing.assert_array_equal(layer.last.outcome, result.outcome)
    np.testing.assert_array_equal(layer.last.iterations, result.iterations)
    np.testing.assert_array_equal(layer.last.violation, result.violation)
    np.testing.assert_array_equal(layer.last.worst, result.worst)
    taped = layer(y_raw.requires_grad_(), x)
    np.testing.assert_array_equal(taped.detach().numpy(), result.y)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_results_have_the_type_of_raw_outputs(dtype) -> None:
    y_raw, x = ring_samples(7)
    layer = ring()
    y_raw = y_raw.to(dtype).requires_grad_()
    y = layer(y_raw, x.float())
    assert y.dtype == dtype
    expected = layer.inner(y_raw.detach().double().numpy(), x.float().double().numpy()).y
    assert torch.equal(y.detach(), torch.from_numpy(expected).to(dtype))
    y.sum().backward()
    assert y_raw.grad.dtype == dtype


def test_a_symmetric_matrix_is_unpacked_with_its_gradient() -> None:
    m = hardnet.Model()
    P = m.outputs("P", (2, 2), start=np.eye(2), symmetric=True)
    m.subject_to(hardnet.logdet(P) >= 0, name="size")
    y = torch.tensor([[2.0, 0.5, 3.0]], dtype=torch.float64, requires_grad=True)  # ok as it is
    matrix = m.unpack(hardnet.torch.Layer(m)(y))["P"]
    assert torch.equal(matrix, torch.tensor([[[2.0, 0.5], [0.5, 3.0]]], dtype=torch.float64))
    (matrix * torch.tensor([[1.0, 10.0], [100.0, 1000.0]])).sum().backward()
    assert y.grad is not None and y.grad.tolist() == [[1.0, 110.0, 1000.0]]


def test_leading_shapes_broadcast_and_strides_do_not_matter() -> None:
    y_raw, x = ring_samples(24)
    layer = ring()
    y = layer(y_raw, x)
    assert torch.equal(layer(y_raw.view(2, 3, 4, 3), x.view(2, 3, 4, 1)), y.view(2, 3, 4, 3))
    assert layer.last.outcome.shape == (2, 3, 4)
    assert torch.equal(layer(y_raw.t().contiguous().t(), x), y)
    assert torch.equal(layer(y_raw[::2], x[::2]), y[::2])
    assert torch.equal(layer(y_raw[0], x[0]), y[0])
    assert layer.last.outcome is hardnet.Outcome.OK
    same = layer(y_raw, x[0])
    assert torch.equal(same[:1], y[:1]) and same.shape == y.shape
    assert layer(y_raw[0], x).shape == y.shape
    assert layer(y_raw[:0], x[:0]).shape == (0, 3)
    assert layer.last.ok.shape == (0,)


def test_a_broadcast_input_gathers_the_gradients_of_all_samples() -> None:
    y_raw, x = ring_samples(5)
    layer = ring()
    single = x[0].clone().requires_grad_()
    layer(y_raw, single).square().sum().backward()
    each = x[:1].expand(5, 1).clone().requires_grad_()
    layer(y_raw, each).square().sum().backward()
    torch.testing.assert_close(single.grad, each.grad.sum(0), rtol=1e-14, atol=0)


def test_a_model_without_inputs_takes_none() -> None:
    layer = hardnet.torch.Layer(model("free"))
    y_raw = torch.tensor([[3.0, 4.0]], dtype=torch.float64, requires_grad=True)
    torch.testing.assert_close(layer(y_raw).detach(), torch.tensor([[0.6, 0.8]]).double())
    layer(y_raw).sum().backward()
    assert y_raw.grad.isfinite().all()
    with pytest.raises(ValueError, match="has no inputs"):
        layer(y_raw, torch.zeros(1, 1))


# ---- gradients ----


@pytest.mark.parametrize(("name", "method", "settings"), METHODS)
def test_gradients_are_those_of_differences(name, method, settings) -> None:
    y_raw, x = samples(name, 4)
    layer = hardnet.torch.Layer(model(name), method, **{"tolerance": 1e-13, **settings})
    tensors = (y_raw.requires_grad_(), x.requires_grad_())
    layer(*tensors).sum().backward()
    assert layer.last.ok.all() and not layer.flagged.any()
    assert torch.autograd.gradcheck(layer, tensors)


def test_the_gradient_is_that_of_the_layer_for_numpy_to_the_bit() -> None:
    y_raw, x = ring_samples(9)
    layer = ring()
    grad = doubles(9, 3, seed=5)
    tensors = (y_raw.requires_grad_(), x.requires_grad_())
    by_y_raw, by_x = torch.autograd.grad(layer(*tensors), tensors, grad)
    result = layer.inner(y_raw.detach().numpy(), x.detach().numpy(), tape=True)
    gradient = layer.inner.gradient(result, grad.numpy())
    np.testing.assert_array_equal(by_y_raw.numpy(), gradient.y_raw)
    np.testing.assert_array_equal(by_x.numpy(), gradient.x)


def test_backward_without_a_tape_gives_the_same_bits() -> None:
    from hardnet.torch._correct import corrected, corrected_taped

    y_raw, x = ring_samples(9)
    layer = ring()
    tensors = (y_raw.requires_grad_(), x.requires_grad_())
    y, _ = corrected_taped(*tensors, layer.contents, layer._number, layer.record_bytes)
    with_tape = torch.autograd.grad(y.sum(), tensors)
    without = torch.autograd.grad(
        corrected(*tensors, layer.contents, layer._number, 0).sum(), tensors
    )
    for a, b in zip(with_tape, without):
        assert torch.equal(a, b)


def test_second_derivatives_and_forward_mode_raise_a_sentence() -> None:
    y_raw, x = ring_samples(2)
    layer = ring()
    y_raw.requires_grad_()
    (gradient,) = torch.autograd.grad(layer(y_raw, x).sum(), y_raw, create_graph=True)
    with pytest.raises(NotImplementedError, match="gradient of the layer is not differentiated"):
        gradient.sum().backward()
    with pytest.raises(NotImplementedError, match="reverse mode only"):
        torch.func.jvp(lambda y: layer(y, x), (y_raw.detach(),), (x.expand(2, 3),))
    with torch.autograd.forward_ad.dual_level(), torch.no_grad():
        dual = torch.autograd.forward_ad.make_dual(y_raw.detach(), x.expand(2, 3).clone())
        with pytest.raises(NotImplementedError, match="reverse mode only"):
            layer(dual, x)


def test_no_tape_is_made_where_no_gradient_can_be_asked_for(monkeypatch) -> None:
    y_raw, x = ring_samples(2)
    layer = ring()
    taken = []
    take = layer.memory.take
    monkeypatch.setattr(layer.memory, "take", lambda shape: taken.append(shape) or take(shape))
    layer(y_raw, x)
    y_raw.requires_grad_()
    with torch.no_grad():
        assert not layer(y_raw, x).requires_grad
    with torch.inference_mode():
        assert layer(y_raw, x).is_inference()
    assert taken == []
    assert layer(y_raw, x).requires_grad
    assert len(taken) == 1


def test_a_tape_lives_as_long_as_it_is_needed_and_is_used_again() -> None:
    y_raw, x = ring_samples(50)
    layer = ring()
    y_raw.requires_grad_()
    y = layer(y_raw, x)
    assert len(layer.memory._idle) == 0
    y.sum().backward()
    assert len(layer.memory._idle) == 1
    mapping = layer.memory._idle[0]
    y = layer(y_raw, x)
    assert len(layer.memory._idle) == 0
    del y
    assert layer.memory._idle == [mapping]


# ---- samples that are not ok ----

IMPOSSIBLE = "param a >= 0; var y{1..2}; subject to circle: y[1]^2 + y[2]^2 = -a;"


def test_samples_that_are_not_ok_are_returned_warned_about_or_raised() -> None:
    impossible = hardnet.Model.from_text(IMPOSSIBLE)
    y_raw = torch.tensor([[1.0, 1.0], [3.0, 0.0]]).double()
    x = torch.tensor([[-1.0], [2.0]]).double()
    layer = hardnet.torch.Layer(impossible)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        y = layer(y_raw, x)
    assert y.isfinite().all() and layer.last.ok.tolist() == [True, False]
    assert layer.last.worst[1] == "circle" and layer.last.violation[1] >= 2
    with pytest.warns(hardnet.torch.NotOkWarning, match=r"1 of 2 samples .* in circle"):
        hardnet.torch.Layer(impossible, on_fail="warn")(y_raw, x)
    layer = hardnet.torch.Layer(impossible, on_fail="raise")
    with pytest.raises(hardnet.torch.NotOkError, match="1 of 2 samples") as caught:
        layer(y_raw, x)
    assert caught.value.reports.ok.tolist() == [True, False]
    assert isinstance(caught.value, hardnet.Error)
    assert layer(y_raw[:1], x[:1]).shape == (1, 2)
    with pytest.raises(ValueError, match="on_fail"):
        hardnet.torch.Layer(impossible, on_fail="ignore")


def test_a_warning_points_to_the_callers_line() -> None:
    impossible = hardnet.Model.from_text(IMPOSSIBLE)
    layer = hardnet.torch.Layer(impossible, on_fail="warn")
    network = torch.nn.Sequential(torch.nn.Linear(2, 2).double())
    y_raw, x = torch.ones(1, 2).double(), torch.ones(1, 1).double()
    compiled = torch.compile(layer, backend="aot_eager")
    for call in (
        lambda: layer(y_raw, x),
        lambda: layer(network(y_raw), x),
        lambda: compiled(y_raw, x),
    ):
        with pytest.warns(hardnet.torch.NotOkWarning) as caught:
            call()
        assert caught[0].filename == __file__
    torch._dynamo.reset()  # it counts how often it compiled the same function


def test_of_input_that_is_not_finite_no_violation_is_told() -> None:
    layer = hardnet.torch.Layer(hardnet.Model.from_text(IMPOSSIBLE), on_fail="raise")
    with pytest.raises(hardnet.torch.NotOkError) as caught:
        layer(torch.full((1, 2), torch.nan).double(), torch.zeros(1, 1).double())
    assert str(caught.value) == "1 of 1 samples are not ok (nonfinite_input 1)"


def test_one_bad_sample_disturbs_no_neighbour_nor_its_gradient() -> None:
    y_raw, x = ring_samples(4)
    layer = ring()
    good = layer(y_raw, x)
    first = y_raw.clone().requires_grad_()
    layer(first, x).sum().backward()
    bad = y_raw.clone()
    bad[2, 1] = float("nan")
    bad.requires_grad_()
    with pytest.warns(hardnet.torch.NotOkWarning, match="not finite"):
        y = layer(bad, x)
    assert torch.equal(y.detach()[[0, 1, 3]], good[[0, 1, 3]]) and y[2].isnan().all()
    y.sum().backward()
    assert layer.flagged.tolist() == [False, False, True, False]
    assert torch.equal(bad.grad[[0, 1, 3]], first.grad[[0, 1, 3]]) and bad.grad[2].isnan().all()


def test_wrong_tensors_are_refused_by_name() -> None:
    layer = ring()
    y_raw, x = ring_samples(2)
    wrong = [
        (TypeError, "y_raw must be a tensor", (y_raw.numpy(), x)),
        (TypeError, "floating-point type, not torch.int64", (y_raw.long(), x)),
        (ValueError, r"y_raw has the shape \(2, 2\)", (y_raw[:, :2], x)),
        (ValueError, "x is missing", (y_raw, None)),
        (ValueError, r"x has the shape \(2, 3\)", (y_raw, y_raw)),
        (ValueError, "do not fit together", (y_raw, x.expand(3, 2, 1)[:, :1].reshape(3, 1))),
        (ValueError, "x is on meta: hardnet computes on the CPU", (y_raw, x.to("meta"))),
    ]
    for kind, sentence, arguments in wrong:
        with pytest.raises(kind, match=sentence):
            layer(*arguments)


# ---- life ----


def test_pickles_and_copies_give_the_same_bits_and_are_layers_of_their_own() -> None:
    y_raw, x = ring_samples(6)
    layer = ring(tolerance=1e-10, on_fail="warn")
    layer.round += 3
    y = layer(y_raw, x)
    for other in (pickle.loads(pickle.dumps(layer)), copy.deepcopy(layer), copy.copy(layer)):
        assert torch.equal(other(y_raw[:3], x[:3]), y[:3])
        assert other._number != layer._number and other.last.ok.shape == (3,)
        assert other.settings == layer.settings and other.on_fail == "warn"
        assert int(other.round) == 3
    assert layer.last.ok.shape == (6,)


def test_whole_modules_are_saved_and_loaded() -> None:
    y_raw, x = ring_samples(6)
    layer = ring(tolerance=1e-10)
    buffer = io.BytesIO()
    torch.save(torch.nn.ModuleList([layer, torch.nn.Linear(1, 3)]), buffer)
    buffer.seek(0)
    loaded = torch.load(buffer, weights_only=False)[0]
    assert torch.equal(loaded(y_raw, x), layer(y_raw, x))
    assert loaded.model.fingerprint == layer.model.fingerprint


def test_a_state_dict_is_empty_and_earlier_ones_with_a_round_load() -> None:
    layer, net = ring(), torch.nn.Linear(1, 3)
    layer.round += 7
    assert list(layer.state_dict()) == []
    policy = torch.nn.Sequential(net, layer)
    assert policy.state_dict().keys() == torch.nn.Sequential(net).state_dict().keys()
    policy.load_state_dict(torch.nn.Sequential(net).state_dict(), strict=True)
    assert int(layer.round) == 7
    policy.load_state_dict({**policy.state_dict(), "1.round": torch.tensor(4)}, strict=True)
    assert int(layer.round) == 4
    old = layer.__getstate__()  # a layer that was pickled when the round was part of the state
    old["_non_persistent_buffers_set"] = set()
    again = hardnet.torch.Layer.__new__(hardnet.torch.Layer)
    again.__setstate__(old)
    assert list(again.state_dict()) == [] and int(again.round) == 4
    assert list(layer.parameters()) == [] and list(layer.buffers()) == [layer.round]
    assert layer.half().double()(*ring_samples(2)).shape == (2, 3)


def test_layers_are_collected_and_backward_keeps_its_own() -> None:
    y_raw, x = ring_samples(3)
    layer = ring()
    gone = weakref.ref(layer)
    y = layer(y_raw.requires_grad_(), x)
    del layer
    gc.collect()
    assert gone() is not None
    y.sum().backward()
    assert y_raw.grad.isfinite().all()
    del y
    gc.collect()
    assert gone() is None


def test_two_layers_with_equal_settings_do_not_mix() -> None:
    y_raw, x = ring_samples(3)
    first, second = ring(), ring()
    first(y_raw, x)
    second(y_raw[:1], x[:1])
    assert first.last.ok.shape == (3,) and second.last.ok.shape == (1,)


def test_a_layer_for_numpy_can_be_wrapped() -> None:
    y_raw, x = ring_samples(3)
    plain = model("ring").layer("lm", 1e-9)
    layer = hardnet.torch.Layer(plain)
    np.testing.assert_array_equal(layer(y_raw, x).numpy(), plain(y_raw.numpy(), x.numpy()).y)
    assert "method=lm, tolerance=1e-09" in repr(layer)
    with pytest.raises(TypeError, match="its own settings"):
        hardnet.torch.Layer(plain, tolerance=1e-3)


# ---- what is learned ----


def test_a_parameter_in_a_model_is_refused_and_as_an_input_it_learns() -> None:
    limit = torch.nn.Parameter(torch.ones(2))
    m = hardnet.Model()
    y = m.outputs("y", 2)
    wrong = [
        lambda: m.subject_to(y <= limit),
        lambda: m.subject_to(limit * y >= 1),
        lambda: m.subject_to(y[0] <= limit[0]),
        lambda: m.minimize(hardnet.sum((y - limit) ** 2)),
        lambda: m.outputs("z", 2, lower=limit),
        lambda: hardnet.matmul(torch.nn.Parameter(torch.ones(2, 2)), y),
        lambda: hardnet.maximum(y, limit),
    ]
    for call in wrong:
        with pytest.raises(TypeError, match=r"an input of the model, p = m\.inputs"):
            call()
    text = "param n; var y{1..2} <= n;"
    with pytest.raises(TypeError, match=r"an input of the model, p = m\.inputs"):
        hardnet.Model.from_text(text, let={"n": limit[0]})
    plain = hardnet.Model.from_text(text, let={"n": torch.ones(())})
    for call in (
        lambda: plain.layer()(limit),
        lambda: plain.layer(fallback=limit),
        lambda: plain.layer("nearest", weights=limit),
    ):
        with pytest.raises(TypeError, match=r"has a gradient.*hardnet\.torch"):
            call()
    p = m.inputs("p", 2)  # what the sentence says
    m.subject_to(y <= p)
    hardnet.torch.Layer(m)(torch.full((3, 2), 5.0), limit).sum().backward()
    torch.testing.assert_close(limit.grad, torch.full((2,), 3.0))
    m.subject_to(y >= torch.zeros(2))  # a tensor of numbers is fine


def test_one_input_for_many_samples_is_refused_with_the_way() -> None:
    one = hardnet.Model.from_text("param a; var y; minimize f: y^2; subject to c: y >= a;")
    layer = hardnet.torch.Layer(one)
    for name, call in (
        ("x", lambda: layer(torch.ones(9, 1), torch.ones(9))),
        ("y_raw", lambda: layer(torch.ones(9), torch.ones(9, 1))),
        ("x", lambda: hardnet.torch.violation(one, torch.ones(9, 1), torch.ones(9))),
    ):
        with pytest.raises(hardnet.InvalidError, match=rf"for 9 samples write {name}\[:, None\]"):
            call()
