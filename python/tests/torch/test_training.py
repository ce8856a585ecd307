"""Objective and rows with their gradients, improved targets, and training as the command line does.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import math
import os
import pathlib
import subprocess

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import hardnet  # noqa: E402
import hardnet.torch  # noqa: E402
from torch_cases import RING, ROOT, doubles, model, ring_samples  # noqa: E402

BUILD = pathlib.Path(os.environ.get("HARDNET_BUILD", ROOT / "build"))
COMMAND = BUILD / "hardnet"

# Bounds and rows that depend on x, an equality, and rows that hold.
MOVING = """
param a{1..2} >= 0.5, <= 1.5;
var y{1..3} >= -a[1], <= 2 * a[2]^2;
maximize gain: a[1] * y[1] * y[2] - exp(y[3] / a[2]);
subject to joint: a[1]^2 <= y[1] + y[2] * a[2] <= 3 * a[1];
subject to curve: y[3]^2 + a[2] * y[1] = a[1] * a[2];
"""


def moving_samples(count: int) -> tuple[torch.Tensor, torch.Tensor]:
    x = 0.5 + torch.rand(count, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(4))
    return doubles(count, 3, scale=2.0, seed=8), x


# ---- values ----


def test_the_objective_and_its_gradients() -> None:
    moving = hardnet.Model.from_text(MOVING)
    y, x = moving_samples(6)
    tensors = (y.requires_grad_(), x.requires_grad_())
    expected = x[:, 0] * y[:, 0] * y[:, 1] - (y[:, 2] / x[:, 1]).exp()
    found = hardnet.torch.objective(moving, *tensors)
    torch.testing.assert_close(found, expected, rtol=1e-14, atol=1e-14)
    weights = doubles(6, seed=3)
    by_hand = torch.autograd.grad(expected, tensors, weights)
    by_us = torch.autograd.grad(found, tensors, weights)
    torch.testing.assert_close(by_us, by_hand, rtol=1e-13, atol=1e-13)
    for owner in (moving.layer(), hardnet.torch.Layer(moving)):
        assert torch.equal(hardnet.torch.objective(owner, y, x), found)
    assert hardnet.torch.objective(moving, y.float(), x[0]).dtype == torch.float32
    with pytest.raises(ValueError, match="no objective"):
        hardnet.torch.objective(hardnet.Model.from_text("var y >= 0;"), torch.zeros(1))


def residual_by_hand(y: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    def lack(lower, body, upper):
        return (body - upper).clamp_min(0) - (lower - body).clamp_min(0)

    a, b = x[:, 0], x[:, 1]
    joint = lack(a**2, y[:, 0] + y[:, 1] * b, 3 * a)
    curve = y[:, 2] ** 2 + b * y[:, 0] - a * b
    bounds = [lack(-a, y[:, i], 2 * b**2) for i in range(3)]
    return torch.stack([joint, curve, *bounds], dim=-1)


def test_the_residual_and_its_gradients() -> None:
    moving = hardnet.Model.from_text(MOVING)
    assert moving.row_names == ("joint", "curve", "y[1]", "y[2]", "y[3]")
    y, x = moving_samples(40)
    tensors = (y.requires_grad_(), x.requires_grad_())
    expected = residual_by_hand(*tensors)
    found = hardnet.torch.residual(moving, *tensors)
    torch.testing.assert_close(found, expected, rtol=1e-13, atol=1e-13)
    kinds = [(found[:, [0, 2]] > 0).any(0), (found < 0).any(0), (found[:, [0, 2]] == 0).any(0)]
    assert all(kind.all() for kind in kinds)
    weights = doubles(40, 5, seed=3)
    by_hand = torch.autograd.grad(expected, tensors, weights)
    by_us = torch.autograd.grad(found, tensors, weights)
    torch.testing.assert_close(by_us, by_hand, rtol=1e-13, atol=1e-13)
    largest = hardnet.torch.violation(moving, y, x)
    torch.testing.assert_close(largest, expected.abs().amax(-1), rtol=1e-13, atol=1e-13)


def test_an_equality_that_holds_exactly_still_has_a_gradient() -> None:
    line = hardnet.Model.from_text("param a; var y; subject to c: 2 * y = 3 * a;")
    y, x = torch.tensor([[1.5]]).double(), torch.tensor([[1.0]]).double()
    tensors = (y.requires_grad_(), x.requires_grad_())
    by_y, by_x = torch.autograd.grad(hardnet.torch.residual(line, *tensors).sum(), tensors)
    assert abs(by_y.item()) == 2 and by_y.item() / by_x.item() == pytest.approx(-2 / 3)


def test_values_are_transformed_and_compiled() -> None:
    moving = hardnet.Model.from_text(MOVING)
    y, x = moving_samples(4)

    def loss(y, x):
        rows = hardnet.torch.residual(moving, y, x)
        return hardnet.torch.objective(moving, y, x).sum() + rows.square().sum()

    expected = torch.func.grad(loss, argnums=(0, 1))(y, x)
    mapped = torch.func.vmap(torch.func.grad(loss, argnums=(0, 1)))(y, x)
    torch.testing.assert_close(mapped, expected, rtol=1e-14, atol=1e-14)
    compiled = torch.compile(loss, fullgraph=True, backend="aot_eager")
    tensors = (y.requires_grad_(), x.requires_grad_())
    found = torch.autograd.grad(compiled(*tensors), tensors)
    torch.testing.assert_close(found, expected, rtol=1e-14, atol=1e-14)
    (by_y,) = torch.autograd.grad(loss(y, x), y, create_graph=True)
    with pytest.raises(NotImplementedError, match="is not differentiated again"):
        by_y.sum().backward()


def test_values_follow_a_model_that_grows() -> None:
    growing = hardnet.Model()
    y = growing.outputs("y", 2)
    growing.minimize(y[0] ** 2)
    point = torch.tensor([3.0, 1.0]).double()
    assert hardnet.torch.residual(growing, point).shape == (0,)
    assert hardnet.torch.violation(growing, point).item() == 0
    growing.subject_to(y[0] + y[1] <= 1, name="line")
    assert hardnet.torch.residual(growing, point).tolist() == [3.0]


def test_an_empty_batch_has_values_losses_and_gradients() -> None:
    layer = hardnet.torch.Layer(model("ring"))
    y, x = torch.zeros(0, 3, requires_grad=True), torch.zeros(0, 1)
    rows = layer.model.rows_count
    assert hardnet.torch.residual(layer, y, x).shape == (0, rows)
    values = [hardnet.torch.objective(layer, y, x), hardnet.torch.violation(layer, y, x)]
    losses = [*(value.sum() for value in values), hardnet.torch.improve_loss(layer, y, x)]
    assert [loss.item() for loss in losses] == [0, 0, 0]
    sum(losses).backward()
    assert y.grad.shape == (0, 3)


# ---- targets ----


def test_targets_hold_the_constraints_and_cost_less() -> None:
    layer = hardnet.torch.Layer(model("ring"))
    y_raw, x = ring_samples(50)
    found = hardnet.torch.improve(layer, y_raw, x, steps=3)
    y = layer(y_raw, x)
    assert found.ok.all() and found.targets.shape == y.shape
    assert (hardnet.torch.violation(layer, found.targets, x) <= 1e-8).all()
    before = hardnet.torch.objective(layer, y, x)
    after = hardnet.torch.objective(layer, found.targets, x)
    assert (after <= before + 1e-12).all() and after.mean() < before.mean() - 0.1
    torch.testing.assert_close(found.objective[:, 0], after, rtol=1e-14, atol=1e-14)
    single = hardnet.torch.improve(layer, y_raw[0].float(), x[0])
    assert single.targets.dtype == torch.float32 and single.best.shape == ()


def test_the_best_candidate_is_the_cheapest_and_exploring_finds_better_ones() -> None:
    layer = hardnet.torch.Layer(model("ring"))
    y_raw, x = ring_samples(60)
    pairs = torch.cat([y_raw, doubles(60, 3, seed=9)], dim=-1)
    found = hardnet.torch.improve(layer, pairs, x)
    assert found.objective.shape == (60, 2) and torch.equal(found.best, found.objective.argmin(-1))
    one = hardnet.torch.improve(layer, y_raw, x)
    assert torch.equal(found.targets[:, :3], one.targets)
    explored = hardnet.torch.improve(layer, y_raw, x, explore=0.01)
    changed = (explored.targets != one.targets).any(-1)
    assert changed.any()
    cost = hardnet.torch.objective(layer, explored.targets, x)
    assert (cost[changed] < 0.991 * one.objective[changed, 0]).all()
    later = hardnet.torch.improve(layer, y_raw, x, explore=0.01, round=3)
    assert torch.equal(later.targets, one.targets)


def test_what_cannot_be_corrected_is_its_own_target_and_has_no_gradient() -> None:
    layer = hardnet.torch.Layer(model("ring"))
    y_raw, x = ring_samples(4)
    y_raw[2] = 1e200
    y_raw.requires_grad_()
    loss = hardnet.torch.improve_loss(layer, y_raw, x)
    loss.backward()
    assert loss.isfinite() and y_raw.grad.isfinite().all()
    assert (y_raw.grad[2] == 0).all() and (y_raw.grad[0] != 0).any()


@pytest.mark.parametrize("where", ["y_raw", "x"])
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_the_loss_of_a_network_that_is_not_finite_is_nan(where: str, value: float) -> None:
    layer = hardnet.torch.Layer(model("ring"))
    tensors = dict(zip(("y_raw", "x"), ring_samples(4)))
    tensors[where][1, 0] = value
    y_raw = tensors["y_raw"].requires_grad_()
    loss = hardnet.torch.improve_loss(layer, y_raw, tensors["x"])
    loss.backward()
    assert loss.isnan() and y_raw.grad[1].isnan().any()
    assert y_raw.grad[[0, 2, 3]].isfinite().all()


def loss_by_hand(layer, y_raw, x, scale, huber, others, candidates, **settings):
    """The formulas of the trainer, sample by sample: its value and its gradient by y_raw."""
    found = hardnet.torch.improve(layer, y_raw, x, **settings)
    count, n = len(x), layer.outputs
    gradient = torch.zeros_like(y_raw)
    value = 0.0
    for i in range(count):
        for k in range(candidates):
            part = slice(k * n, k * n + n)
            d = y_raw[i, part] - found.targets[i, part]
            distance = float(((d / scale[part]) ** 2).sum().sqrt())
            straight = huber > 0 and distance > huber
            weight = (1.0 if int(found.best[i]) == k else others) / count
            value += weight * (huber * (2 * distance - huber) if straight else distance**2)
            factor = 2 * huber / distance if straight else 2
            gradient[i, part] = weight * factor * d / scale[part] ** 2
    return value, gradient


@pytest.mark.parametrize(
    ("candidates", "huber", "explore"), [(1, 0.1, 0.0), (2, 0.5, 0.01), (2, 0, 0)]
)
def test_the_loss_is_the_formula_of_the_trainer(candidates, huber, explore) -> None:
    layer = hardnet.torch.Layer(model("ring"))
    x = ring_samples(50)[1]
    y_raw = doubles(50, 3 * candidates, seed=2).requires_grad_()
    scale = torch.linspace(0.5, 2.0, 3 * candidates, dtype=torch.float64)
    value, gradient = loss_by_hand(
        layer, y_raw.detach(), x, scale, huber, 0.1, candidates, explore=explore
    )
    loss = hardnet.torch.improve_loss(
        layer, y_raw, x, explore=explore, scale=scale, huber=huber, others=0.1
    )
    loss.backward()
    assert loss.item() == pytest.approx(value, rel=1e-13)
    torch.testing.assert_close(y_raw.grad, gradient, rtol=1e-12, atol=1e-15)
    assert int(layer.round) == 1
    layer.eval()
    hardnet.torch.improve_loss(layer, y_raw, x)
    assert int(layer.round) == 1


def test_wrong_calls_of_the_loss_are_refused_by_name() -> None:
    layer = hardnet.torch.Layer(model("ring"))
    y_raw, x = ring_samples(4)
    wrong = [
        (TypeError, "layer must be", (layer.inner, y_raw, x)),
        (TypeError, "y_raw must be a tensor", (layer, y_raw.numpy(), x)),
        (ValueError, r"y_raw has the shape \(4, 2\)", (layer, y_raw[:, :2], x)),
        (ValueError, "do not fit together", (layer, y_raw, x[:3])),
        (ValueError, "x is missing", (layer, y_raw)),
        (hardnet.Error, "steps", (layer, y_raw, x, -1)),
        (hardnet.Error, "negative", (layer, y_raw, x, 1, -0.5)),
    ]
    for kind, sentence, arguments in wrong:
        with pytest.raises(kind, match=sentence):
            hardnet.torch.improve_loss(*arguments)
    without = hardnet.torch.Layer(hardnet.Model.from_text("var y; subject to c: y >= 1;"))
    with pytest.raises(hardnet.Error, match="no objective"):
        hardnet.torch.improve_loss(without, torch.zeros(1, 1), scale=torch.ones(1))
    free = hardnet.torch.Layer(model("free"))
    with pytest.raises(ValueError, match="give scale"):
        hardnet.torch.improve_loss(free, torch.ones(1, 2))
    assert hardnet.torch.improve_loss(free, torch.ones(1, 2), scale=torch.ones(2)) > 0
    assert int(layer.round) == 0


def test_the_loss_compiles_with_its_round() -> None:
    layer = hardnet.torch.Layer(model("ring"))
    net = hardnet.torch.Network.for_model(layer, (8,), dtype=torch.float64)
    x = ring_samples(40)[1]

    def loss(x):
        return hardnet.torch.improve_loss(layer, net(x), x, explore=0.01)

    expected = [loss(x).item() for _ in range(5)]
    layer.round.zero_()
    compiled = torch.compile(loss, fullgraph=True, backend="aot_eager")
    found = [compiled(x).item() for _ in range(5)]
    assert found == pytest.approx(expected, rel=1e-12) and int(layer.round) == 5


# ---- the same steps as `hardnet train` ----


def needs_command() -> None:
    if not COMMAND.exists():
        pytest.skip(f"{COMMAND} is not built")


def run_command(*words: object) -> None:
    done = subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def rate(step: int, steps: int) -> float:
    """Of Adam in the trainer: a warm-up, then half a cosine."""
    done, warmup, full, last = step + 1, 50, 2e-3, 0.01
    if done <= warmup:
        return full * done / warmup
    share = min(1.0, (done - warmup) / (steps - warmup)) if steps > warmup else 1.0
    return full * (last + (1 - last) * (0.5 + 0.5 * math.cos(math.pi * share)))


def train_in_torch(layer, candidates: int, steps: int, batch: int) -> hardnet.torch.Network:
    net = hardnet.torch.Network.for_model(
        layer, (32, 32), candidates=candidates, dtype=torch.float64
    )
    optimizer = torch.optim.Adam(net.parameters())
    for step in range(steps):
        x = hardnet.torch.sample_inputs(layer, batch, step=step, dtype=torch.float64)
        loss = hardnet.torch.improve_loss(layer, net(x), x, explore=0.01, scale=net.output_scale)
        optimizer.param_groups[0]["lr"] = rate(step, steps)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return net


@pytest.mark.parametrize("candidates", [1, 2])
def test_steps_in_torch_lead_where_the_trainer_goes(candidates, tmp_path) -> None:
    needs_command()
    steps, batch = 60, 100
    path = tmp_path / "net.safetensors"
    run_command(
        "train", ROOT / "models/unicycle.mod", "--out", path, "--hidden", "32,32", "--batch", batch,
        "--steps", steps, "--validate-every", steps, "--candidates", candidates,
        "--open-loop", "--multistart", 0, "--norm", "none", "--rate", 0.002,
    )  # fmt: skip
    layer = hardnet.torch.Layer(model("unicycle"))
    begin = hardnet.torch.Network.for_model(layer, (32, 32), candidates=candidates).double()
    expected = hardnet.torch.load_policy(path, dtype=torch.float64)
    found = train_in_torch(layer, candidates, steps, batch)
    assert torch.equal(found.input_shift, expected.input_shift)
    assert torch.equal(found.input_scale, expected.input_scale)
    assert torch.equal(found.output_shift, expected.output_shift)
    assert torch.equal(found.output_scale, expected.output_scale)
    for a, b, start in zip(found.parameters(), expected.parameters(), begin.parameters()):
        assert (b - start).abs().max() > 1e-2
        torch.testing.assert_close(a, b, rtol=0, atol=1e-8)


def test_first_weights_are_those_of_the_library() -> None:
    net = hardnet.torch.Network(3, 5, (7,), "tanh", seed=4, dtype=torch.float64)
    deviation = float(net.layers[0].weight.detach().std())
    assert 0.5 < deviation / math.sqrt(2 / (3 + 7)) < 2 and (net.layers[0].bias == 0).all()
    again = hardnet.torch.Network(3, 5, (7,), "tanh", seed=4)
    assert again.layers[0].weight.dtype == torch.float32
    assert torch.equal(again.layers[0].weight, net.layers[0].weight.float())
    other = hardnet.torch.Network(3, 5, (7,), "tanh", seed=5, uniform=True)
    assert (other.layers[1].bias != 0).all()
    with pytest.raises(ValueError, match="activation 'gelu' is unknown"):
        hardnet.torch.Network(3, 5, activation="gelu")


@pytest.mark.parametrize("residual", [False, True])
@pytest.mark.parametrize("layer_norm", [False, True])
def test_residual_and_normalised_networks_are_the_library_s(tmp_path, residual, layer_norm) -> None:
    layer = hardnet.torch.Layer(model("ring"))
    net = hardnet.torch.Network.for_model(
        layer, (9, 9, 9), "silu", residual=residual, layer_norm=layer_norm, dtype=torch.float64
    )
    assert (net.residual, net.layer_norm) == (residual, layer_norm)
    x = ring_samples(40)[1]
    torch.testing.assert_close(net(x), net.exact(x), rtol=1e-13, atol=1e-13)
    torch.manual_seed(3)
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    torch.testing.assert_close(net(x), net.exact(x), rtol=1e-12, atol=1e-12)
    hardnet.torch.save_policy(net, layer, tmp_path / "net")
    back = hardnet.torch.load_policy(tmp_path / "net", dtype=torch.float64)
    assert torch.equal(back.exact(x), net.exact(x))
    assert ("structure" in back.texts) == (residual or layer_norm)


def test_scales_follow_rows_of_inputs_where_there_is_no_box() -> None:
    open_range = hardnet.Model.from_text("param a; var y := 3; minimize f: (y - a)^2;")
    with pytest.raises(hardnet.Error, match="input a has no finite range"):
        hardnet.torch.Network.for_model(open_range)
    rows = 5 + 2 * doubles(1000, 1)
    net = hardnet.torch.Network.for_model(open_range, x=rows, dtype=torch.float64)
    torch.testing.assert_close(net.input_shift, rows.mean(0))
    torch.testing.assert_close(net.input_scale, 1 / rows.std(0, correction=0))


def test_sampled_inputs_meet_the_requirements() -> None:
    unicycle = model("unicycle")
    x = hardnet.torch.sample_inputs(unicycle, 500, seed=7, dtype=torch.float64)
    assert (0.51020408 * x[:, 0] ** 2 + 0.90702948 * x[:, 1] ** 2 >= 1.2).all()
    assert torch.equal(hardnet.torch.sample_inputs(unicycle, 5, seed=7, dtype=torch.float64), x[:5])
    other = hardnet.torch.sample_inputs(unicycle, 5, seed=7, step=1, dtype=torch.float64)
    assert not torch.equal(other, x[:5])
    impossible = hardnet.Model.from_text("param a >= 0, <= 1; check: a > 2; var y >= a;")
    with pytest.raises(hardnet.Error, match="check: conditions"):
        hardnet.torch.sample_inputs(impossible, 1)
    with pytest.raises(ValueError, match="seed"):
        hardnet.torch.sample_inputs(unicycle, 1, seed=-1)


# ---- policies ----


@pytest.mark.parametrize(("candidates", "refine"), [(1, 0), (1, 2), (2, 0), (2, 1)])
def test_policies_do_what_the_command_line_does(candidates, refine, tmp_path) -> None:
    needs_command()
    mod, path, out = ROOT / "models/unicycle.mod", tmp_path / "net.safetensors", tmp_path / "y.npy"
    layer = hardnet.torch.Layer(model("unicycle"))
    net = train_in_torch(layer, candidates, 20, 40)
    hardnet.torch.save_policy(net, layer, path, refine=refine, texts={"made": "for a test"})
    states = ROOT / "data/unicycle/states.npy"
    run_command("eval", mod, "--net", path, "--x", states, "--out", out)
    x = torch.from_numpy(np.load(states)).double()
    policy = hardnet.torch.load_policy(path, model("unicycle"), dtype=torch.float64)
    assert (policy.candidates, policy.refine) == (candidates, refine)
    assert policy.network.texts["made"] == "for a test"
    y = policy(x).detach().numpy()
    if (candidates, refine) == (1, 0):
        np.testing.assert_allclose(y, np.load(out), rtol=0, atol=1e-12)
    else:
        np.testing.assert_array_equal(y, np.load(out))
    assert policy.layer.last.ok.all()
    compiled = torch.compile(policy, fullgraph=True, backend="aot_eager")
    np.testing.assert_allclose(compiled(x).detach().numpy(), y, rtol=0, atol=1e-12)
    torch.testing.assert_close(policy.network.exact(x), policy.network(x), rtol=0, atol=1e-12)
    assert policy(x[:0]).shape == (0, 50)
    feedback = ("--samples", 3, "--steps", 2, "--feedback", "z0=next", "--allow-outside")
    run_command("rollout", mod, "--net", path, *feedback)
    loaded = hardnet.torch.load_policy(path, dtype=torch.float64)
    for a, b in zip(loaded.state_dict().values(), net.state_dict().values()):
        assert torch.equal(a, b)


def test_policies_keep_the_settings_of_their_layer(tmp_path) -> None:
    path = tmp_path / "net.safetensors"
    ring = model("ring")
    settings = {"method": "lm", "tolerance": 1e-5, "iterations": 33, "damping": 0.25}
    layer = hardnet.torch.Layer(ring, **settings, relative=True)
    last = torch.nn.Sequential(torch.nn.Identity(), torch.nn.Linear(4, 3, bias=False))
    net = torch.nn.Sequential(torch.nn.Linear(1, 4), torch.nn.SiLU(), last)
    compiled = torch.compile(net, backend="eager")
    hardnet.torch.save_policy(hardnet.torch.Policy(compiled, layer, refine=2), layer, path)
    policy = hardnet.torch.load_policy(path, ring, threads=1)
    assert policy.refine == 2 and policy.network.activation == "silu"
    assert {**settings, "relative": True}.items() <= policy.layer.settings.items()
    x = ring_samples(9)[1].float()
    torch.testing.assert_close(policy.network(x), net(x))
    other = hardnet.Model.from_text(RING.replace("sin", "cos"))
    with pytest.raises(hardnet.Error, match="another model"):
        hardnet.torch.load_policy(path, other)
    with pytest.raises(hardnet.Error, match="nowhere"):
        hardnet.torch.load_policy(tmp_path / "nowhere")


def test_gradients_go_through_plain_policies_only() -> None:
    layer = hardnet.torch.Layer(model("ring"))
    net = hardnet.torch.Network.for_model(layer, (4,))
    x = ring_samples(5)[1].float()
    hardnet.torch.Policy(net, layer)(x).sum().backward()
    assert net.layers[0].weight.grad.isfinite().all()
    with pytest.raises(NotImplementedError, match="improve_loss"):
        hardnet.torch.Policy(net, layer, refine=1)(x).sum().backward()
    with torch.no_grad():
        assert hardnet.torch.Policy(net, layer, refine=1)(x).shape == (5, 3)
    with pytest.raises(ValueError, match="2 candidates have 6"):
        hardnet.torch.Policy(net, layer, candidates=2)(x)


class Doubled(torch.nn.Sequential):
    """A sequence that does something else."""

    def forward(self, x):
        return 2 * super().forward(x)


def test_networks_that_no_file_can_hold_are_refused_by_name(tmp_path) -> None:
    layer = hardnet.torch.Layer(model("ring"))
    linear, relu, tanh = torch.nn.Linear, torch.nn.ReLU, torch.nn.Tanh
    wrong = [
        ([linear(1, 4), torch.nn.GELU(), linear(4, 3)], TypeError, "module 1 is GELU"),
        ([linear(1, 4), linear(4, 3)], TypeError, "module 1 is Linear"),
        ([linear(1, 3), relu()], TypeError, "ends with nn.Linear"),
        ([], TypeError, "ends with nn.Linear"),
        ([linear(1, 4), relu(), linear(4, 4), tanh(), linear(4, 3)], TypeError, "relu and tanh"),
        ([linear(1, 4)], ValueError, "gives 4 numbers"),
        ([linear(1, 4), torch.nn.Dropout(0.1), linear(4, 3)], TypeError, "module 1 is Dropout"),
        ([Doubled(linear(1, 3))], TypeError, "module 0 is Doubled"),
        ([linear(2, 3)], hardnet.Error, "2 inputs"),
    ]
    for parts, kind, sentence in wrong:
        with pytest.raises(kind, match=sentence):
            hardnet.torch.save_policy(torch.nn.Sequential(*parts), layer, tmp_path / "net")
    assert list(tmp_path.iterdir()) == []
