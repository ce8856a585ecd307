"""Inputs that a call is given once for all samples: the bits of repeated inputs, and summed gradients.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import numpy as np
import pytest
from shared_case import CHOICES, METHODS, MODEL, flat, parts, samples, summed

import hardnet
from hardnet import Outcome


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("count", [1, 37])
def test_the_bits_are_those_of_repeated_inputs(method: str, threads: int, count: int) -> None:
    layer = MODEL.layer(method, threads=threads)
    for names, columns in CHOICES:
        y_raw, x = samples(columns, count)
        shared, others = parts(names, columns, x)
        grad_y = np.random.default_rng(5).normal(size=y_raw.shape)
        for tape in (False, True):
            wanted = layer(y_raw, x, tape=tape, residual=True)
            found = layer(y_raw, others, shared=shared, tape=tape, residual=True)
            np.testing.assert_array_equal(found.y, wanted.y)
            np.testing.assert_array_equal(found.reports, wanted.reports)
            np.testing.assert_array_equal(found.residual, wanted.residual)
            by, own = layer.gradient(wanted, grad_y), layer.gradient(found, grad_y)
            np.testing.assert_array_equal(own.y_raw, by.y_raw)
            np.testing.assert_array_equal(flat(own.shared), summed(by.x[:, columns]))
            assert (own.x is None) == (others is None)
            if own.x is not None:
                np.testing.assert_array_equal(own.x, np.delete(by.x, columns, axis=1))


@pytest.mark.parametrize("method", ["auto", "lm", "nearest", "paper"])
def test_the_gradient_is_that_of_differences(method: str) -> None:
    layer = MODEL.layer(method, tolerance=1e-12)
    y_raw, x = samples([0, 1], 20)
    weights = np.random.default_rng(6).normal(size=y_raw.shape)
    p, h = x[0, :2], 1e-6

    def loss(q: np.ndarray) -> float:
        return float((weights * layer(y_raw, x[:, 2:], shared={"p": q}).y).sum())

    by = layer.gradient(layer(y_raw, x[:, 2:], shared={"p": p}), weights).shared["p"]
    for j, step in enumerate(h * np.eye(2)):
        assert by[j] == pytest.approx((loss(p + step) - loss(p - step)) / (2 * h), rel=1e-5)


def test_the_gradient_has_the_form_of_the_inputs() -> None:
    layer = MODEL.layer()
    y_raw, x = samples([0, 1, 2], 3)
    ones = np.ones_like(y_raw)
    by = layer.gradient(layer(y_raw, x[:, [3, 4]], shared={"a": 1.0, "p": [1.0, 0.5]}), ones)
    assert list(by.shared) == ["a", "p"]
    assert by.shared["a"].shape == () and by.shared["p"].shape == (2,)
    assert layer.gradient(layer(y_raw, x[:, 3:], shared=x[0, :3]), ones).shared.shape == (3,)
    assert layer.gradient(layer(y_raw, x), ones).shared is None
    assert layer.gradient(layer(y_raw, x, shared={}), ones).shared == {}


def test_leading_shapes_start_values_and_repeated_rows() -> None:
    layer = MODEL.layer()
    y_raw, x = samples([0, 1], 12)
    shared, others = x[0, :2], x[:, 2:]
    whole = layer(y_raw, x)
    shaped = layer(y_raw.reshape(3, 4, 4), others.reshape(3, 4, 3), shared=shared)
    np.testing.assert_array_equal(shaped.y.reshape(-1, 4), whole.y)
    single = layer(y_raw[0], others[0], shared=shared)
    np.testing.assert_array_equal(single.y, whole.y[0])
    np.testing.assert_array_equal(layer(None, others, shared=shared).y, layer(None, x).y)
    one_row = layer(y_raw, others[0], shared=shared)
    np.testing.assert_array_equal(one_row.y, layer(y_raw, x[0]).y)
    grad = layer.gradient(one_row, np.ones_like(y_raw))
    assert grad.x.shape == (12, 3)
    assert layer(shared=x[0]).y.shape == (4,)
    none = layer(np.empty((0, 4)), np.empty((0, 3)), shared=shared)
    np.testing.assert_array_equal(layer.gradient(none, np.empty((0, 4))).shared, [0, 0])


def test_half_precision_is_judged_with_shared_inputs() -> None:
    layer = MODEL.layer(tolerance=1e-2)
    y_raw, x = samples([0, 1], 9)
    wanted = layer(y_raw.astype(np.float16), x)
    found = layer(y_raw.astype(np.float16), x[:, 2:], shared={"p": x[0, :2]})
    assert found.y.dtype == np.float16
    np.testing.assert_array_equal(found.y, wanted.y)
    np.testing.assert_array_equal(found.reports, wanted.reports)


def test_a_shared_input_that_is_not_finite_concerns_every_sample() -> None:
    layer = MODEL.layer()
    y_raw, x = samples([0, 1], 9)
    result = layer(y_raw, x[:, 2:], shared=[1.0, np.nan])
    assert (result.outcome == Outcome.NONFINITE_INPUT).all()
    assert (result.reports["culprit"] == 1).all()


def test_a_gradient_in_pieces_has_the_same_sum() -> None:
    """A large batch, whose gradient is computed in pieces."""
    wide = hardnet.Model.from_text("""
        param p{1..60000}; param q; var y; subject to c: y + sin(y) = q * sum {i in 1..60000} p[i] / 1000;
    """)
    layer = wide.layer()
    generator = np.random.default_rng(3)
    p, q = generator.normal(size=60000), generator.normal(size=(150, 1))
    result = layer(np.zeros((150, 1)), q, shared={"p": p}, tape=True)
    by = layer.gradient(result, np.ones((150, 1)))
    y = result.y[:, 0]
    assert result.ok.all()
    each = q[:, 0] / 1000 / (1 + np.cos(y))
    np.testing.assert_allclose(by.shared["p"], each.sum(), rtol=1e-6)
    assert len(set(by.shared["p"])) == 1


BAD = [
    ({"r": 1.0}, "called r"),
    ({"p": [1.0, 2.0, 3.0]}, r"shared: p has the shape \(3,\); it must be \(2,\)"),
    ({"p": np.ones((9, 2))}, r"shared: p has the shape \(9, 2\)"),
    (np.ones((9, 2)), r"shared has the shape \(9, 2\); it must be one row"),
    (np.ones(6), r"shared has the shape \(6,\).*at most 5 inputs"),
    (1.0, r"shared has the shape \(\)"),
    ([1.0], r"x has the shape \(9, 3\); its last axis must be 4 long"),
]


@pytest.mark.parametrize(("shared", "words"), BAD)
def test_what_does_not_fit_is_refused_by_name(shared: object, words: str) -> None:
    layer = MODEL.layer()
    y_raw, x = samples([0, 1], 9)
    with pytest.raises(ValueError, match=words):
        layer(y_raw, x[:, 2:], shared=shared)


def test_other_mistakes_are_named() -> None:
    layer = MODEL.layer()
    y_raw, x = samples([0, 1], 9)
    with pytest.raises(TypeError, match="shared must be an array of real numbers"):
        layer(y_raw, x[:, 2:], shared=["1", "2"])
    with pytest.raises(TypeError, match="the name of an input must be a str"):
        layer(y_raw, x[:, 2:], shared={3: 1.0})
    with pytest.raises(ValueError, match="x is missing: the model has 3 other inputs"):
        layer(y_raw, shared=x[0, :2])
    with pytest.raises(ValueError, match="no other inputs"):
        layer(y_raw, x, shared=x[0])
