"""The plants of models/tasks/: planar quadrotor and cart-pole."""
import numpy as np

from .common import INF, box, equal, group, model, names, numbered


def held(old, rates, pull, dt):
    """Places and speeds after a step of constant acceleration."""
    return np.concatenate([old + dt * rates + dt**2 / 2 * pull, rates + dt * pull], axis=-1)


def homeward(x, steps):
    """States on the straight line from x to the origin."""
    return np.outer(1 - np.arange(1, steps + 1) / steps, x).ravel()


# ---- the quadrotor ----

SPAN = np.array([2.5, 1.4, 0.6, 3, 3, 4])
CARE = np.array([1, 1, 0.2, 0.1, 0.1, 0.02])
LAST = np.array([10, 10, 1, 2, 2, 0.2])
POST = np.array([-1.1, 0.35])


def flown(state, thrust):
    lift = thrust.sum(axis=-1)
    turn = 10 * (thrust[..., 1] - thrust[..., 0])
    pull = np.stack([-lift * np.sin(state[..., 2]), lift * np.cos(state[..., 2]) - 9.81, turn], axis=-1)
    return held(state[..., :3], state[..., 3:], pull, 0.1)


# Dynamics: itself and both thrusts in 90 rows; of the step before its own value, of places the rate, and the tilt in 4
# rows: 90 x 3 + 14 x (6 + 3 + 4); 60 limits, 15 above, 15 x 2 clear, 30 thrusts.
@model("tasks/quadrotor", (6, 120, 210, 587), box("s0", [numbered(1, 6)], -SPAN, SPAN),
       names("s", numbered(1, 15), numbered(1, 6)) + names("u", range(15), numbered(1, 2)),
       lambda x: np.concatenate([homeward(x, 15), np.full(30, 9.81 / 2)]))
def quadrotor(x, y):
    s, u = y[:90].reshape(15, 6), y[90:].reshape(15, 2)
    old = np.vstack([x[None, :], s[:-1]])
    distance = (s[:, 0] - POST[0]) ** 2 + (s[:, 1] - POST[1]) ** 2
    steps = numbered(1, 15)
    groups = [equal("dynamics", (s - flown(old, u)).ravel(), 0, names("dynamics", steps, numbered(1, 6))),
              group("limits", s[:, 2:].ravel(), np.tile(-SPAN[2:], 15), np.tile(SPAN[2:], 15),
                    names("limits", steps, numbered(3, 4))),
              group("above", s[:, 1], -1.5, INF, names("above", steps)),
              group("clear", distance, 0.45**2, INF, names("clear", steps)),
              group("u", u.ravel(), 0, 0.9 * 9.81, names("u", range(15), numbered(1, 2)))]
    effort = 0.02 * (u.real - 9.81 / 2) ** 2
    cost = (CARE * s.real**2).sum() + (LAST * s[-1].real ** 2).sum() + effort.sum()
    reached = flown(x, u[0].real)
    definitions = {f"next[{i + 1}]": reached[i] for i in range(6)}
    definitions["stage"] = (CARE * reached**2).sum() + effort[0].sum()
    definitions["clearance"] = np.hypot(*(reached[:2] - POST)) - 0.45
    return groups, cost, definitions


# ---- the cart-pole ----

REACH = np.array([2, 0.8, 4, 6])


def driven(state, force):
    """From the two equations of motion as a linear system: (M + m) a + m l cos(t) b = F + m l w^2 sin(t) and
    cos(t) a + 4/3 l b = g sin(t), for the accelerations a of the cart and b of the pole."""
    angle, rate = state[..., 1], state[..., 3]
    M, m, half = 1, 0.2, 0.4
    right = force + m * half * rate**2 * np.sin(angle), 9.81 * np.sin(angle)
    corner = m * half * np.cos(angle)
    determinant = (M + m) * 4 / 3 * half - corner * np.cos(angle)
    cart = (right[0] * 4 / 3 * half - corner * right[1]) / determinant
    pole = ((M + m) * right[1] - np.cos(angle) * right[0]) / determinant
    return held(state[..., :2], state[..., 2:], np.stack([cart, pole], axis=-1), 0.05)


# Dynamics: itself and the force in 80 rows; of the step before the place has 4 columns, the angle 2, the speed 3 and the
# angle's rate 2: 80 + 80 + 19 x 11; 80 limits, 20 forces.
@model("tasks/cartpole", (4, 100, 180, 469), box("s0", [numbered(1, 4)], -REACH, REACH),
       names("s", numbered(1, 20), numbered(1, 4)) + names("u", range(20)),
       lambda x: np.concatenate([homeward(x, 20), np.zeros(20)]))
def cartpole(x, y):
    s, u = y[:80].reshape(20, 4), y[80:]
    old = np.vstack([x[None, :], s[:-1]])
    steps = numbered(1, 20)
    groups = [equal("dynamics", (s - driven(old, u)).ravel(), 0, names("dynamics", steps, numbered(1, 4))),
              group("limits", s.ravel(), np.tile(-REACH, 20), np.tile(REACH, 20), names("limits", steps, numbered(1, 4))),
              group("u", u, -20, 20, names("u", range(20)))]
    care, last = np.array([1, 2, 0.05, 0.05]), np.array([10, 10, 1, 1])
    cost = (care * s.real**2).sum() + (last * s[-1].real ** 2).sum() + 0.002 * (u.real**2).sum()
    reached = driven(x, u[0].real)
    definitions = {f"next[{i + 1}]": reached[i] for i in range(4)}
    definitions["stage"] = (care * reached**2).sum() + 0.002 * u[0].real ** 2
    definitions["clearance"] = 2 - abs(reached[0])
    return groups, cost, definitions
