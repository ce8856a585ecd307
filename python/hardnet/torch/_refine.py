"""The refiners of a layer: made when they are first used, and one call at a time.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from .. import _core
from .. import _layer as plain
from .._errors import InvalidError

_SCALING = 4 << 48  # the stream that `hardnet train` draws the inputs for scales from
_SAMPLES = 300


def scaled(network: _core.Network, model: _core.Model, seed: int, data: Any = None) -> None:
    """Sets shifts and scales of a network as `hardnet train` does."""
    x = np.empty((_SAMPLES, model.input_count))
    if data is None:
        _core.sample_inputs(model, seed, _SCALING, _SAMPLES, x)
        network.scale(model, _SAMPLES, x, 0, None)
    else:
        chosen = np.random.default_rng(seed).integers(len(data), size=_SAMPLES)
        x = np.ascontiguousarray(data[chosen])
        network.scale(model, _SAMPLES, x, len(data), data)


class Refiners:
    """Refiners by (steps, candidates), and what else follows from a model's objective."""

    def __init__(self, layer: plain.Layer) -> None:
        self._layer = layer
        self._lock = threading.Lock()
        self._refiners: dict[tuple[int, int], _core.Refiner] = {}
        self._scale: Any = None
        goal = layer.model.core.goal
        self.sign = -1.0 if goal is not None and goal[2] else 1.0

    def _find(self, kind: tuple[int, int]) -> _core.Refiner:
        if kind not in self._refiners:
            layer = self._layer
            self._refiners[kind] = _core.Refiner(
                layer.model.core, layer.core, *kind, layer.settings["threads"]
            )
        return self._refiners[kind]

    def run(self, steps: int, *arguments: Any, **keywords: Any) -> None:
        """hn_refiner_run."""
        with self._lock:
            self._find((steps, 1)).run(*arguments, **keywords)

    def improve(self, kind: tuple[int, int], *arguments: Any, **keywords: Any) -> None:
        """hn_refiner_improve."""
        with self._lock:
            self._find(kind).improve(*arguments, **keywords)

    def output_scale(self) -> Any:
        """The scales of outputs that a network made for the model has."""
        with self._lock:
            if self._scale is None:
                self._scale = self._find_scale()
            return self._scale

    def _find_scale(self) -> Any:
        model = self._layer.model.core
        inputs, outputs = model.input_count, model.output_count
        if inputs == 0:
            raise InvalidError(
                "the model has no inputs to find the outputs' scales with: give scale"
            )
        network = _core.Network(inputs, outputs, (), "relu", 1, False)
        scaled(network, model, 1)
        numbers = [np.empty(network.info["parameters"])]
        numbers += [np.empty(width) for width in (inputs, inputs, outputs, outputs)]
        network.get(*numbers)
        return numbers[-1]
