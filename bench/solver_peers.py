"""The solvers of bench/solvers.py. Each is made for a task and then solves its samples.

    solver = Class(task)        raises Skip where the task is not of its kind
    solver(k)                   y of sample k, computed by itself
    solver.batch(count)         y of the first samples, at once where the solver can
    solver.gradient(count, w)   the gradient of sum_k w_k' y_k by c, where the solver has one

Every solver is asked for 1e-9 or what comes closest, so that 1e-8 is there when it is judged. None has a warm start.

SPDX-License-Identifier: MIT
"""

import numpy as np
import scipy.sparse

TOLERANCE = 1e-9


class Skip(Exception):
    """The task is not one for this solver."""


class Peer:
    gradient = None
    batched = False  # whether several samples at once are more than a loop

    def __init__(self, task):
        if not task.quadratic:
            raise Skip
        self.task = task

    def batch(self, count):
        return np.stack([self(k) for k in range(count)])


def stacked(task, make):
    """Rows of A, G and, with make="bounds", of the outputs, as one sparse matrix."""
    parts = [part for part in (task.a, task.g) if part is not None]
    if make == "bounds" and np.isfinite(task.high):
        parts.append(scipy.sparse.identity(len(task.q)))
    return scipy.sparse.vstack([scipy.sparse.csc_matrix(part) for part in parts], format="csc")


# ---- ours ----


def scaled(matrix, scale):
    """Its columns over the scale."""
    return (
        matrix @ scipy.sparse.diags(1 / scale) if scipy.sparse.issparse(matrix) else matrix / scale
    )


def hardnet_model(hardnet, task, scale, objective):
    """Outputs z = scale y. Inputs: b, then h where it differs between samples, then c for an objective."""
    m, n = hardnet.Model(), len(task.q)
    z = m.outputs("z", n)
    x = []
    if task.low > -np.inf:
        m.subject_to(z >= task.low * scale, z <= task.high * scale, name=["low", "high"])
    if task.a is not None:
        b = m.inputs("b", task.b.shape[1], lower=task.b.min(0) - 1e-3, upper=task.b.max(0) + 1e-3)
        x.append(task.b)
        m.subject_to(hardnet.matmul(scaled(task.a, scale), z) == b, name="eq")
    if task.g is not None:
        h = task.h[0]
        if np.ptp(task.h, axis=0).max() > 0:
            h = m.inputs(
                "h", task.h.shape[1], lower=task.h.min(0) - 1e-3, upper=task.h.max(0) + 1e-3
            )
            x.append(task.h)
        inner = hardnet.sin(z / scale) if task.wave else z
        rows = task.g if task.wave else scaled(task.g, scale)
        m.subject_to(hardnet.matmul(rows, inner) <= h, name="ineq")
    if task.d is not None:
        m.subject_to(hardnet.sum(task.d / scale**2 * z**2) <= task.radius, name="ball")
    if objective:
        c = m.inputs("c", n, lower=task.c.min(0) - 1e-3, upper=task.c.max(0) + 1e-3)
        x.append(task.c)
        y = z / scale
        m.minimize(
            hardnet.sum(0.5 * task.q * y**2) + hardnet.sum(c * (hardnet.sin(y) if task.sine else y))
        )
    return m, np.ascontiguousarray(np.hstack(x)) if x else None


class Hardnet(Peer):
    """nearest: in z = sqrt(Q) y the programme is the projection of -c / sqrt(Q)."""

    method = "nearest"
    batched = True

    def __init__(self, task):
        import hardnet

        if task.sine:
            raise Skip
        self.task, self.scale = task, np.sqrt(task.q)
        self.model, self.x = hardnet_model(hardnet, task, self.scale, objective=False)
        self.layer = self.model.layer(self.method, threads=1)
        self.raw = -task.c / self.scale

    def run(self, first, count, tape=False):
        x = None if self.x is None else self.x[first : first + count]
        return self.layer(self.raw[first : first + count], x, tape=tape)

    def __call__(self, k):
        return self.run(k, 1).y[0] / self.scale

    def batch(self, count):
        return self.run(0, count).y / self.scale

    def gradient(self, count, w):
        return -self.layer.gradient(self.run(0, count, True), w / self.scale).y_raw / self.scale


class HardnetOptimal(Hardnet):
    """optimal: the objective is the model's; it starts at 0."""

    method = "optimal"

    def __init__(self, task):
        import hardnet

        self.task, self.scale = task, np.ones(len(task.q))
        self.model, self.x = hardnet_model(hardnet, task, self.scale, objective=True)
        try:
            self.layer = self.model.layer(self.method, threads=1)
        except ValueError as error:
            raise ImportError(f"this build has no method {self.method}") from error
        self.raw = np.zeros_like(task.c)

    def gradient(self, count, w):
        return self.layer.gradient(self.run(0, count, True), w).x[:, -len(self.task.q) :]


# ---- general solvers ----


class Osqp(Peer):
    def __init__(self, task):
        import osqp

        super().__init__(task)
        self.rows = stacked(task, "bounds")
        self.solver = osqp.OSQP()
        low, high = self.bounds(0)
        self.solver.setup(scipy.sparse.diags(task.q, format="csc"), task.c[0], self.rows, low, high, verbose=False,
                          eps_abs=TOLERANCE, eps_rel=0.0, max_iter=100000, polishing=True)  # fmt: skip

    def bounds(self, k):
        t, low, high = self.task, [], []
        if t.a is not None:
            low.append(t.b[k]), high.append(t.b[k])
        if t.g is not None:
            low.append(np.full(len(t.h[k]), -np.inf)), high.append(t.h[k])
        if np.isfinite(t.high):
            low.append(np.full(len(t.q), t.low)), high.append(np.full(len(t.q), t.high))
        return np.concatenate(low), np.concatenate(high)

    def __call__(self, k):
        low, high = self.bounds(k)
        self.solver.update(q=self.task.c[k], l=low, u=high)
        self.solver.warm_start(x=np.zeros(len(self.task.q)), y=np.zeros(len(low)))
        return self.solver.solve().x


class Piqp(Peer):
    def __init__(self, task):
        import piqp

        super().__init__(task)
        n = len(task.q)
        dense = not task.sparse
        self.solver = piqp.DenseSolver() if dense else piqp.SparseSolver()
        self.solver.settings.eps_abs, self.solver.settings.eps_rel = TOLERANCE, 0.0
        matrix = (lambda m: m) if dense else scipy.sparse.csc_matrix
        a = matrix(np.zeros((0, n)) if task.a is None else task.a)
        g = matrix(np.zeros((0, n)) if task.g is None else task.g)
        q = np.diag(task.q) if dense else scipy.sparse.diags(task.q, format="csc")
        box = (
            [np.full(n, task.low), np.full(n, task.high)]
            if np.isfinite(task.high)
            else [None, None]
        )
        self.solver.setup(q, task.c[0], a, self.b(0), g, None, self.h(0), *box)

    def b(self, k):
        return np.zeros(0) if self.task.b is None else self.task.b[k]

    def h(self, k):
        return np.zeros(0) if self.task.h is None else self.task.h[k]

    def __call__(self, k):
        self.solver.update(c=self.task.c[k], b=self.b(k), h_u=self.h(k))
        self.solver.solve()
        return np.array(self.solver.result.x)


def cvxpy_problem(cvxpy, task):
    y, c = cvxpy.Variable(len(task.q)), cvxpy.Parameter(len(task.q))
    parameters, values, rows = [c], [task.c], []
    if task.a is not None:
        parameters.append(cvxpy.Parameter(task.b.shape[1]))
        values.append(task.b)
        rows.append(task.a @ y == parameters[-1])
    if task.g is not None:
        parameters.append(cvxpy.Parameter(task.h.shape[1]))
        values.append(task.h)
        rows.append(task.g @ y <= parameters[-1])
    if np.isfinite(task.high):
        rows += [y >= task.low, y <= task.high]
    if task.d is not None:
        rows.append(cvxpy.sum(cvxpy.multiply(task.d, y**2)) <= task.radius)
    goal = 0.5 * cvxpy.sum(cvxpy.multiply(task.q, y**2)) + c @ y
    return cvxpy.Problem(cvxpy.Minimize(goal), rows), y, parameters, values


class Clarabel(Peer):
    """Through CVXPY, compiled once, parameters changed."""

    def __init__(self, task):
        import cvxpy

        if task.sine or task.wave:
            raise Skip
        self.task = task
        self.problem, self.y, self.parameters, self.values = cvxpy_problem(cvxpy, task)

    def __call__(self, k):
        for parameter, values in zip(self.parameters, self.values):
            parameter.value = values[k]
        self.problem.solve(solver="CLARABEL", max_threads=1, tol_gap_abs=TOLERANCE, tol_gap_rel=0.0, tol_feas=TOLERANCE,
                           ignore_dpp=False)  # fmt: skip
        return np.array(self.y.value)


class Cvxpylayers(Peer):
    batched = True

    def __init__(self, task):
        import cvxpy
        import cvxpylayers.torch
        import torch

        if task.sine or task.wave or len(task.q) > 200:
            raise Skip
        torch.set_num_threads(1)
        self.task, self.torch = task, torch
        problem, y, parameters, values = cvxpy_problem(cvxpy, task)
        self.layer = cvxpylayers.torch.CvxpyLayer(
            problem, parameters, [y], solver_args={"eps": TOLERANCE}
        )
        self.values = [torch.tensor(value) for value in values]

    def run(self, first, count):
        values = [value[first : first + count] for value in self.values]
        values[0] = values[0].clone().requires_grad_()
        return self.layer(*values)[0], values[0]

    def __call__(self, k):
        return self.run(k, 1)[0].detach().numpy()[0]

    def batch(self, count):
        return self.run(0, count)[0].detach().numpy()

    def gradient(self, count, w):
        y, c = self.run(0, count)
        return self.torch.autograd.grad(y, c, self.torch.tensor(w))[0].numpy()


class Qpth(Peer):
    batched = True

    def __init__(self, task):
        import qpth.qp
        import torch

        super().__init__(task)
        if task.sparse:
            raise Skip
        torch.set_num_threads(1)
        self.torch, n = torch, len(task.q)
        self.solve = qpth.qp.QPFunction(verbose=-1, check_Q_spd=False)
        g = [] if task.g is None else [task.g]
        h = [] if task.g is None else [task.h]
        if np.isfinite(task.high):
            g += [np.eye(n), -np.eye(n)]
            h += [np.full((len(task), n), task.high), np.full((len(task), n), -task.low)]
        self.fixed = torch.tensor(np.diag(task.q)), torch.tensor(np.vstack(g))
        self.h, self.c = torch.tensor(np.hstack(h)), torch.tensor(task.c)
        self.a = torch.tensor([] if task.a is None else task.a, dtype=torch.float64)
        self.b = torch.tensor([] if task.a is None else task.b, dtype=torch.float64)

    def run(self, first, count, c=None):
        at = slice(first, first + count)
        c = self.c[at] if c is None else c
        return self.solve(
            self.fixed[0],
            c,
            self.fixed[1],
            self.h[at],
            self.a,
            self.b[at] if len(self.b) else self.b,
        )

    def __call__(self, k):
        return self.run(k, 1).numpy()[0]

    def batch(self, count):
        return np.vstack([self.run(k, min(200, count - k)).numpy() for k in range(0, count, 200)])

    def gradient(self, count, w):
        c = self.c[:count].clone().requires_grad_()
        return self.torch.autograd.grad(self.run(0, count, c), c, self.torch.tensor(w))[0].numpy()


class Pinet(Peer):
    """Projections only. It ends where the rows hold, and is then near the projection."""

    batched = True

    def __init__(self, task):
        import jax

        jax.config.update("jax_enable_x64", True)
        import pinet

        if not task.projection or task.sparse:
            raise Skip
        self.task, self.jax, self.pinet, n = task, jax, pinet, len(task.q)
        eq = (
            None
            if task.a is None
            else pinet.EqualityConstraint(task.a[None], task.b[:1, :, None], var_b=True)
        )
        ineq = box = None
        if task.g is not None:
            ineq = pinet.AffineInequalityConstraint(
                task.g[None], np.full((1, len(task.g), 1), -np.inf), task.h[:1, :, None]
            )
        if np.isfinite(task.high):
            limits = [np.full((1, n, 1), task.low), np.full((1, n, 1), task.high)]
            box = pinet.BoxConstraint(pinet.BoxConstraintSpecification(*limits))
        layer = pinet.Project(eq_constraint=eq, ineq_constraint=ineq, box_constraint=box)
        self.project = layer.call_and_check(tol=TOLERANCE, max_iter=20000, check_every=50)

    def run(self, first, count):
        at = slice(first, first + count)
        eq = None
        if self.task.a is not None:
            eq = self.pinet.EqualityConstraintsSpecification(
                b=self.jax.numpy.asarray(self.task.b[at, :, None])
            )
        raw = self.jax.numpy.asarray(-self.task.c[at, :, None] / self.task.q[0])
        return np.asarray(self.project(self.pinet.ProjectionInstance(x=raw, eq=eq))[0].x)[..., 0]

    def __call__(self, k):
        return self.run(k, 1)[0]

    def batch(self, count):
        return self.run(0, count)


class Pounce(Peer):
    def __init__(self, task):
        import pounce

        super().__init__(task)
        self.solve = pounce.qp.solve_qp
        self.fixed = {"P": scipy.sparse.diags(task.q, format="csc")}
        if task.a is not None:
            self.fixed["A"] = scipy.sparse.csc_matrix(task.a)
        if task.g is not None:
            self.fixed["G"] = scipy.sparse.csc_matrix(task.g)
        if np.isfinite(task.high):
            self.fixed |= {
                "lb": np.full(len(task.q), task.low),
                "ub": np.full(len(task.q), task.high),
            }

    def __call__(self, k):
        own = {"b": self.task.b[k]} if self.task.b is not None else {}
        if self.task.h is not None:
            own["h"] = self.task.h[k]
        return np.asarray(
            self.solve(c=self.task.c[k], **self.fixed, **own, tol=TOLERANCE, check_psd=False).x
        )


IPOPT = {"print_time": False, "ipopt.print_level": 0, "ipopt.sb": "yes", "ipopt.tol": TOLERANCE,
         "ipopt.constr_viol_tol": TOLERANCE, "ipopt.bound_relax_factor": 0.0}  # fmt: skip


class Ipopt(Peer):
    """CasADi with IPOPT, derivatives by CasADi."""

    def __init__(self, task):
        import casadi

        if len(task.q) > 1000:
            raise Skip
        self.task, n = task, len(task.q)
        y, c = casadi.SX.sym("y", n), casadi.SX.sym("c", n)
        wave = casadi.sin(y)
        goal = 0.5 * casadi.dot(task.q * y, y) + casadi.dot(c, wave if task.sine else y)
        rows = [] if task.a is None else [casadi.mtimes(casadi.DM(task.a), y)]
        if task.g is not None:
            rows.append(casadi.mtimes(casadi.DM(task.g), wave if task.wave else y))
        if task.d is not None:
            rows.append(casadi.dot(task.d * y, y))
        problem = {"x": y, "p": c, "f": goal, "g": casadi.vertcat(*rows)}
        self.solver = casadi.nlpsol("solver", "ipopt", problem, IPOPT)

    def bounds(self, k):
        t = self.task
        low = [np.zeros(0)] if t.a is None else [t.b[k]]
        high = list(low)
        if t.g is not None:
            low.append(np.full(t.h.shape[1], -np.inf)), high.append(t.h[k])
        if t.d is not None:
            low.append([-np.inf]), high.append([t.radius])
        return np.concatenate(low), np.concatenate(high)

    def __call__(self, k):
        low, high = self.bounds(k)
        found = self.solver(
            x0=0, p=self.task.c[k], lbx=self.task.low, ubx=self.task.high, lbg=low, ubg=high
        )
        return np.array(found["x"]).ravel()


PEERS = {"hardnet nearest": Hardnet, "hardnet optimal": HardnetOptimal, "OSQP": Osqp, "PIQP": Piqp,
         "Clarabel, CVXPY": Clarabel, "cvxpylayers": Cvxpylayers, "qpth": Qpth, "PiNet": Pinet, "POUNCE": Pounce,
         "IPOPT, CasADi": Ipopt}  # fmt: skip
