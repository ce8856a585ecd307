"""models/unicycle.mod, written in Python.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import numpy as np

import hardnet


def unicycle(horizon: int = 10) -> hardnet.Model:
    """models/unicycle.mod, in Python."""
    m, dt = hardnet.Model(), 0.2
    weight, terminal, effort = np.ones(3), np.array([10.0, 10, 1]), np.full(2, 0.1)
    target = np.array([3.5, 0, 0])
    z0 = m.inputs("z0", 3, lower=[-4, -2.4, -0.45], upper=[-2.2, 2.4, 0.45])
    steps = np.arange(1, horizon + 1) * dt
    drive = hardnet.array([hardnet.cos(z0[2]), hardnet.sin(z0[2]), 0.0])
    m.require(0.51020408 * z0[0] ** 2 + 0.90702948 * z0[1] ** 2 >= 1.2)
    z = m.outputs("z", (horizon, 3), start=z0 + steps[:, None] * drive)
    u = m.outputs("u", (horizon, 2), lower=[0, -1.5], upper=[2, 1.5], start=[1, 0])

    def after(state: hardnet.Expression, control: hardnet.Expression) -> hardnet.Expression:
        moves = [
            control[..., 0] * hardnet.cos(state[..., 2]),
            control[..., 0] * hardnet.sin(state[..., 2]),
            control[..., 1],
        ]
        return state + dt * hardnet.stack(moves, axis=-1)

    def error_of(state: hardnet.Expression) -> hardnet.Expression:
        away = state - target
        heading = hardnet.atan2(hardnet.sin(away[..., 2]), hardnet.cos(away[..., 2]))
        return hardnet.stack([away[..., 0], away[..., 1], heading], axis=-1)

    next_state = m.define("next", after(z0, u[0]))
    next_error = m.define("next_error", error_of(next_state))
    m.define("stage", hardnet.sum(weight * next_error**2) + hardnet.sum(effort * u[0] ** 2))
    m.define("final", hardnet.sum(terminal * next_error**2))
    m.define("clearance", 0.51020408 * next_state[0] ** 2 + 0.90702948 * next_state[1] ** 2 - 1)
    before = m.define("before", hardnet.concatenate([z0[None], z[:-1]]))
    error = m.define("error", error_of(z))
    m.minimize(
        hardnet.sum(weight * error**2)
        + hardnet.sum(terminal * error[-1] ** 2)
        + hardnet.sum(effort * u**2)
    )
    m.subject_to(z == after(before, u), name="dynamics")
    m.subject_to(0.51020408 * z[:, 0] ** 2 + 0.90702948 * z[:, 1] ** 2 >= 1, name="obstacle")
    return m
