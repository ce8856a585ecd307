"""Calls of the layer: shapes, types, transformations, what is done about samples that are not ok.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import copy
import pathlib
import pickle
import warnings
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hardnet
import hardnet.jax

try:
    from jax import shard_map

    UNCHECKED: dict[str, Any] = {}
except ImportError:  # before 0.6, where shard_map knew few primitives
    from jax.experimental.shard_map import shard_map

    UNCHECKED = {"check_rep": False}

CIRCLE = "var y{1..2}; subject to circle: y[1]^2 + y[2]^2 = 1;"
SUMS = ["y[1] + (0.1 * y[2] + 0.7 * y[3])", "(y[1] + 0.1 * y[2]) + 0.7 * y[3]"]
NOWHERE = "var y{1..2}; subject to nowhere: y[1]^2 + y[2]^2 = -1;"

AT = (np.array([1.0, 2.0, 0.0]), np.array([1.5]))


# ---- models and settings ----


def test_a_model_may_be_an_object_a_path_or_a_text(root: pathlib.Path) -> None:
    path = root / "models/ellipse.mod"
    made = [hardnet.Model.from_file(path), path, str(path), path.read_text()]
    layers = [hardnet.jax.layer(model) for model in made]
    assert len(set(layers)) == 1
    assert hardnet.jax.layer(path, "lm") not in layers
    assert hardnet.jax.layer(path, tolerance=1e-6) not in layers
    with pytest.raises(TypeError, match="model must be"):
        hardnet.jax.layer(3)
    with pytest.raises(hardnet.Error):
        hardnet.jax.layer(root / "models/absent.mod")


def test_settings_are_those_of_the_layer_for_numpy(ring: hardnet.Model) -> None:
    layer = hardnet.jax.layer(ring, "lm", 1e-6, iterations=7, threads=1, on_fail="warn")
    assert layer.inner.options["iterations"] == 7
    assert layer.settings["on_fail"] == "warn"
    assert layer.model.fingerprint == ring.fingerprint
    assert "lm" in repr(layer)
    with pytest.raises(ValueError, match="on_fail"):
        hardnet.jax.layer(ring, on_fail="ignore")
    with pytest.raises(TypeError, match="its own settings"):
        hardnet.jax.layer(ring.layer(), "lm")


def test_copies_and_pickles_are_equal(ring: hardnet.Model) -> None:
    layer = hardnet.jax.layer(ring.layer("lm"), on_fail="warn")
    assert copy.deepcopy(layer) == copy.copy(layer) == layer
    again = pickle.loads(pickle.dumps(layer))
    assert again == layer
    assert np.array_equal(again(*AT), layer(*AT))


def test_models_that_round_differently_are_different_layers() -> None:
    """Equal mathematics, and equal fingerprints: each keeps its own bits all the same."""
    texts = [f"var y{{1..3}}; subject to sum_of: {body} = 1;" for body in SUMS]
    models = [hardnet.Model.from_text(text) for text in texts]
    assert models[0].fingerprint == models[1].fingerprint
    y_raw = np.random.default_rng(1).normal(size=(100, 3))
    plain = [model.layer("paper", 0.0, iterations=3) for model in models]
    made = [hardnet.jax.layer(layer) for layer in plain]
    assert made[0] != made[1]
    for layer, one in zip(made, plain, strict=True):
        assert np.array_equal(layer(y_raw), one(y_raw).y)


def test_a_model_that_has_no_text_has_a_layer() -> None:
    model = hardnet.Model()
    y = model.outputs("y", 2)
    model.subject_to(y[0] / 0.0 <= 1, name="never")
    with pytest.raises(hardnet.UnsupportedError):
        model.to_ampl()
    report = hardnet.jax.layer(model).with_report(np.ones(2))[1]
    assert report.outcome == hardnet.Outcome.NONFINITE_EVALUATION


# ---- shapes and types ----


@pytest.mark.parametrize("lead", [(), (1,), (7,), (2, 3), (2, 0, 3), (0,)])
def test_any_leading_shape(ring: hardnet.Model, lead: tuple[int, ...]) -> None:
    plain, layer = ring.layer(), hardnet.jax.layer(ring)
    generator = np.random.default_rng(1)
    y_raw, x = generator.normal(size=(*lead, 3)), generator.uniform(0.5, 2, size=(*lead, 1))
    y, report = jax.jit(layer.with_report)(y_raw, x)
    assert np.array_equal(y, plain(y_raw, x).y)
    assert y.shape == (*lead, 3)
    assert all(column.shape == lead for column in report)
    gradients = layer.gradient(y_raw, x, y_raw)
    assert [g.shape for g in gradients] == [(*lead, 3), (*lead, 1), lead]


def test_a_symmetric_matrix_is_unpacked_with_its_gradient() -> None:
    m = hardnet.Model()
    P = m.outputs("P", (2, 2), start=np.eye(2), symmetric=True)
    m.subject_to(hardnet.logdet(P) >= 0, name="size")
    layer, weights = hardnet.jax.layer(m), jnp.array([[1.0, 10.0], [100.0, 1000.0]])
    y = jnp.array([2.0, 0.5, 3.0])  # ok as it is
    assert m.unpack(layer(y))["P"].tolist() == [[2.0, 0.5], [0.5, 3.0]]
    gradient = jax.jit(jax.grad(lambda y: jnp.sum(m.unpack(layer(y))["P"] * weights)))(y)
    assert gradient.tolist() == [1.0, 110.0, 1000.0]


def test_leading_shapes_broadcast_and_gradients_add_up(ring: hardnet.Model) -> None:
    layer = hardnet.jax.layer(ring)
    y_raw = np.random.default_rng(1).normal(size=(5, 3))
    x = AT[1]
    repeated = np.tile(x, (5, 1))
    assert np.array_equal(layer(y_raw, x), layer(y_raw, repeated))
    by_one = jax.grad(lambda x: layer(y_raw, x).sum())(x)
    by_many = jax.grad(lambda x: layer(y_raw, x).sum())(repeated)
    assert np.allclose(by_one, by_many.sum(0), rtol=1e-12)


def test_start_values_stand_in_for_y_raw(unicycle: hardnet.Model, states: np.ndarray) -> None:
    layer = hardnet.jax.layer(unicycle)
    assert np.array_equal(jax.jit(layer)(x=states), unicycle.layer()(None, states).y)
    start = hardnet.jax.layer("var y{1..2} := 2; subject to circle: y[1]^2 + y[2]^2 = 1;")
    assert np.allclose(jax.jit(start)(), np.sqrt(0.5))


@pytest.mark.parametrize("y_type", [np.float32, np.float64, np.float16, jnp.bfloat16])
@pytest.mark.parametrize("x_type", [np.float32, np.float64])
def test_y_has_the_type_of_y_raw(ring: hardnet.Model, y_type: Any, x_type: Any) -> None:
    layer = hardnet.jax.layer(ring)
    y_raw, x = jnp.asarray(AT[0], y_type), jnp.asarray(AT[1], x_type)
    y, pull = jax.vjp(layer, y_raw, x)
    assert y.dtype == y_type
    expected = ring.layer()(np.asarray(y_raw, np.float64), np.asarray(x, np.float64)).y
    rounded = jnp.asarray(expected, np.float32 if y_type != np.float64 else y_type).astype(y_type)
    assert np.array_equal(y, rounded)
    by_y, by_x = pull(jnp.ones_like(y))
    assert (by_y.dtype, by_x.dtype) == (y_type, x_type)


def test_whole_numbers_are_taken_as_reals(ring: hardnet.Model) -> None:
    layer = hardnet.jax.layer(ring)
    y = layer([1, 2, 0], [1])
    assert y.dtype == np.float64
    assert np.array_equal(y, layer([1.0, 2.0, 0.0], [1.0]))


def test_32_bit_mode(ring: hardnet.Model) -> None:
    jax.config.update("jax_enable_x64", False)
    plain, layer = ring.layer(), hardnet.jax.layer(ring)
    generator = np.random.default_rng(1)
    y_raw = generator.normal(size=(20, 3)).astype(np.float32)
    x = generator.uniform(0.5, 2, size=(20, 1)).astype(np.float32)
    expected = plain(y_raw, x)
    y, report = jax.jit(layer.with_report)(jnp.asarray(y_raw), jnp.asarray(x))
    assert (y.dtype, report.violation.dtype, report.outcome.dtype) == (
        np.float32,
        np.float32,
        np.int32,
    )
    assert np.array_equal(y, expected.y)
    assert np.array_equal(report.violation, expected.violation.astype(np.float32))
    weight = np.ones_like(y_raw)
    by_y, by_x = jax.grad(lambda y_raw, x: layer(y_raw, x).sum(), (0, 1))(y_raw, x)
    gradient = plain.gradient(plain(y_raw, x, tape=True), weight)
    assert (by_y.dtype, by_x.dtype) == (np.float32, np.float32)
    assert np.array_equal(by_y, gradient.y_raw.astype(np.float32))
    assert np.array_equal(by_x, gradient.x.astype(np.float32))
    assert layer(x=x).dtype == np.float32


@pytest.mark.parametrize(
    ("y_raw", "x", "sentence"),
    [
        (np.ones(2), np.ones(1), r"y_raw has the shape \(2,\); its last axis must be 3 long"),
        (np.ones((9, 3)), np.ones(9), r"for 9 samples write x\[:, None\]"),
        (
            np.ones((4, 3)),
            np.ones((4, 2)),
            r"x has the shape \(4, 2\); its last axis must be 1 long",
        ),
        (np.ones((4, 3)), np.ones((3, 1)), r"y_raw and x do not fit together"),
        (np.float64(1), np.ones(1), r"y_raw has the shape \(\)"),
        (np.ones(3), None, r"x is missing: the model has 1 inputs"),
        (np.ones(3) * 1j, np.ones(1), r"y_raw must be an array of real numbers"),
        ("text", np.ones(1), None),
    ],
)
def test_wrong_arguments_are_named(ring: hardnet.Model, y_raw: Any, x: Any, sentence: Any) -> None:
    layer = hardnet.jax.layer(ring)
    with pytest.raises((ValueError, TypeError), match=sentence):
        layer(y_raw, x)


def test_inputs_that_the_model_does_not_have_are_refused() -> None:
    layer = hardnet.jax.layer(CIRCLE)
    assert layer(np.ones(2), np.ones(0)).shape == (2,)
    with pytest.raises(ValueError, match="the model has no inputs"):
        layer(np.ones(2), np.ones(1))


# ---- transformations ----


def test_nested_vmap(ring: hardnet.Model) -> None:
    layer = hardnet.jax.layer(ring)
    generator = np.random.default_rng(1)
    y_raw, x = generator.normal(size=(4, 3)), generator.uniform(0.5, 2, size=(5, 1))
    table = jax.jit(jax.vmap(jax.vmap(layer, (None, 0)), (0, None)))(y_raw, x)
    assert table.shape == (4, 5, 3)
    assert np.array_equal(table, ring.layer()(y_raw[:, None], x[None]).y)
    gradient = jax.vmap(jax.grad(lambda y_raw, x: layer(y_raw, x)[0]), (0, None))
    assert np.array_equal(gradient(y_raw, x[0]), layer.gradient(y_raw, x[0], np.eye(3)[0]).y_raw)


def test_jacobian_in_reverse_mode(ring: hardnet.Model) -> None:
    layer = hardnet.jax.layer(ring, tolerance=1e-13)
    jacobian = jax.jit(jax.jacrev(layer))(*AT)
    rows = [layer.gradient(*AT, row).y_raw for row in np.eye(3)]
    assert np.array_equal(jacobian, np.stack(rows))


def test_scan_checkpoint_and_conditions(ring: hardnet.Model) -> None:
    layer = hardnet.jax.layer(ring)
    x = AT[1]

    def step(y: Any, push: Any) -> Any:
        y = layer(y + push, x)
        return y, y

    def last(pushes: Any) -> Any:
        return jax.lax.scan(jax.checkpoint(step), jnp.asarray(AT[0]), pushes)[0].sum()

    def unrolled(pushes: Any) -> Any:
        y = jnp.asarray(AT[0])
        for push in pushes:
            y, _ = step(y, push)
        return y.sum()

    pushes = np.random.default_rng(1).normal(scale=0.1, size=(6, 3))
    value, gradient = jax.jit(jax.value_and_grad(last))(pushes)
    expected = jax.value_and_grad(unrolled)(pushes)
    assert np.allclose(value, expected[0], rtol=1e-14)
    assert np.allclose(gradient, expected[1], rtol=1e-10, atol=1e-14)
    chosen = jax.jit(lambda flag, y: jax.lax.cond(flag, lambda y: layer(y, x), lambda y: y, y))
    assert np.array_equal(chosen(True, AT[0]), layer(*AT))
    assert np.array_equal(chosen(False, AT[0]), AT[0])


def test_the_layer_is_a_static_argument(ring: hardnet.Model) -> None:
    call = jax.jit(lambda layer, *operands: layer(*operands), static_argnums=0)
    call(hardnet.jax.layer(ring), *AT)
    call(hardnet.jax.layer(ring), *AT)
    assert call._cache_size() == 1


def test_the_layer_is_a_part_of_a_tree(ring: hardnet.Model) -> None:
    tree = {"layer": hardnet.jax.layer(ring), "shift": jnp.ones(3)}
    assert len(jax.tree_util.tree_leaves(tree)) == 1

    @jax.jit
    def call(tree: Any, y_raw: Any, x: Any) -> Any:
        return tree["layer"](y_raw + tree["shift"], x)

    expected = tree["layer"](AT[0] + 1, AT[1])
    assert np.array_equal(call(tree, *AT), expected)
    again = jax.tree_util.tree_map(lambda leaf: 2 * leaf, tree)
    assert again["layer"] is tree["layer"]
    other = {**tree, "layer": hardnet.jax.layer(ring, "lm")}
    assert np.array_equal(call(other, *AT), other["layer"](AT[0] + 1, AT[1]))


def test_a_sharded_batch_gives_the_same_bits(
    unicycle: hardnet.Model, states: np.ndarray, raw: np.ndarray
) -> None:
    """Plain jit gathers the batch first; shard_map leaves each part on its device."""
    layer = hardnet.jax.layer(unicycle)
    mesh = jax.sharding.Mesh(np.array(jax.devices()), ("batch",))
    along = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("batch"))
    operands = (jax.device_put(raw, along), jax.device_put(states, along))
    expected = layer(raw, states)
    assert np.array_equal(jax.jit(layer)(*operands), expected)
    spec = {
        "in_specs": jax.sharding.PartitionSpec("batch"),
        "out_specs": jax.sharding.PartitionSpec("batch"),
    }
    y = jax.jit(shard_map(layer, mesh=mesh, **spec, **UNCHECKED))(*operands)
    assert y.sharding.is_equivalent_to(along, 2)
    assert np.array_equal(y, expected)


def test_gradients_inside_shard_map_are_those_of_the_whole_batch(ring: hardnet.Model) -> None:
    """With what shard_map checks by itself: which values vary over the mesh."""
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:2]), ("batch",))
    along, everywhere = jax.sharding.PartitionSpec("batch"), jax.sharding.PartitionSpec()
    generator = np.random.default_rng(5)
    weights, shared = generator.normal(size=(1, 3)), np.array([1.5])
    x = generator.uniform(0.5, 2, size=(8, 1))

    for name in ("auto", "nearest"):
        layer = hardnet.jax.layer(ring, name)
        kinds = [layer, lambda raw, x: layer.with_multipliers(raw, x)[0]][: 1 + (name != "auto")]
        for correct in kinds:

            def cost(weights: Any, x: Any, shared: Any, correct: Any = correct) -> Any:
                raw = jnp.tanh(x @ weights) + 0.3
                return jnp.mean(correct(raw, x)[:, 0] + correct(raw, shared)[:, 2])

            def part(weights: Any, x: Any, shared: Any) -> Any:
                return jax.lax.pmean(cost(weights, x, shared), "batch")

            spread = shard_map(
                part, mesh=mesh, in_specs=(everywhere, along, everywhere), out_specs=everywhere,
                **UNCHECKED,
            )  # fmt: skip
            expected = jax.value_and_grad(cost, argnums=(0, 1, 2))(weights, x, shared)
            found = jax.jit(jax.value_and_grad(spread, argnums=(0, 1, 2)))(weights, x, shared)
            for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(expected)):
                np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)


def test_another_platform_is_refused_with_a_sentence(ring: hardnet.Model) -> None:
    traced = jax.jit(hardnet.jax.layer(ring)).trace(*AT)
    traced.lower(lowering_platforms=("cpu",))
    with pytest.raises(
        NotImplementedError, match="run on the CPU and on CUDA.*this program is compiled for rocm"
    ):
        traced.lower(lowering_platforms=("rocm",))


# ---- samples that are not ok ----


def test_failing_samples_are_returned(ring: hardnet.Model) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        y, report = hardnet.jax.layer(NOWHERE).with_report(np.ones((3, 2)))
        y.block_until_ready()
    assert not report.ok.any()
    assert np.isfinite(y).all()


@pytest.mark.parametrize("compiled", [False, True])
def test_failing_samples_warn(compiled: bool) -> None:
    layer = hardnet.jax.layer(NOWHERE, on_fail="warn")
    call = jax.jit(layer) if compiled else layer
    with pytest.warns(
        RuntimeWarning, match="3 of 3 samples are not ok; the first, number 0, is locally_inf"
    ):
        call(np.ones((3, 2))).block_until_ready()
    gradient = jax.jit(jax.grad(lambda y: layer(y).sum()))
    with pytest.warns(RuntimeWarning, match="1 of 1 samples are not ok"):
        gradient(np.ones(2)).block_until_ready()


def test_a_warning_that_is_an_error_raises() -> None:
    layer = hardnet.jax.layer(NOWHERE, on_fail="warn")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(Exception, match="1 of 1 samples are not ok"):
            jax.jit(layer)(np.ones(2)).block_until_ready()


@pytest.mark.parametrize("compiled", [False, True])
def test_failing_samples_raise(compiled: bool) -> None:
    layer = hardnet.jax.layer(NOWHERE, on_fail="raise")
    gradient = jax.grad(lambda y: layer(y).sum())
    for call in (layer, gradient):
        call = jax.jit(call) if compiled else call
        with pytest.raises(Exception, match="1 of 1 samples are not ok.* violation 1"):
            call(np.ones(2)).block_until_ready()
    fine = hardnet.jax.layer(CIRCLE, on_fail="raise")
    assert np.allclose(fine(np.array([3.0, 4.0])), [0.6, 0.8])


def test_gradients_are_flagged_where_a_sample_is_not_ok() -> None:
    gradients = hardnet.jax.layer(NOWHERE).gradient(np.ones((2, 2)), None, np.ones((2, 2)))
    assert gradients.flagged.all()
    assert gradients.x is None


# ---- life ----


def test_a_compiled_function_outlives_its_layer() -> None:
    call = jax.jit(hardnet.jax.layer("var y; subject to at: y = 123;"))
    for _ in range(2):
        assert np.allclose(call(np.ones(1)), 123)


def test_a_released_layer_is_an_error_and_can_be_made_again() -> None:
    text = "var y; subject to at: y = 321;"
    first, second = hardnet.jax.layer(text), hardnet.jax.layer(text)
    call = jax.jit(first)
    assert np.allclose(call(np.ones(1)), 321)
    first.release()
    first.release()
    assert np.allclose(call(np.ones(1)), 321)
    second.release()
    with pytest.raises(
        Exception, match="is not known in this process: make it with hardnet.jax.layer"
    ):
        call(np.ones(1)).block_until_ready()
    hardnet.jax.layer(text)
    assert np.allclose(call(np.ones(1)), 321)
