"""hardnet in JAX: the layer as a pure function, compiled into the program that uses it.

>>> import jax, jax.numpy as jnp, hardnet.jax
>>> layer = hardnet.jax.layer("var y{1..2}; subject to circle: y[1]^2 + y[2]^2 = 1;")
>>> y = jax.jit(layer)(jnp.array([[3.0, 4.0], [0.0, 2.0]]))
>>> bool(jnp.allclose(y, jnp.array([[0.6, 0.8], [0.0, 1.0]])))
True
>>> gradient = jax.grad(lambda raw: layer(raw)[0])(jnp.array([3.0, 4.0]))
>>> gradient.shape
(2,)

It is called through XLA's foreign function interface, without going through Python: `jit`, `grad`,
`vjp`, `vmap`, `lax.scan`, `lax.map`, `checkpoint`, `pmap` and `shard_map` work. It runs on the CPU,
with jax and jaxlib 0.4.31 or later, and on CUDA devices, with 0.5 or later.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

try:
    import jax as _jax  # noqa: F401
    import jaxlib as _jaxlib  # noqa: F401
except ImportError as missing:
    raise ImportError("hardnet.jax needs JAX: pip install jax") from missing

from ._layer import Gradients, Layer, Report, layer

__all__ = ["Gradients", "Layer", "Report", "layer"]
