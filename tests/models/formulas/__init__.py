"""Every shipped model once more, in numpy: counts, names, boxes, starts, and functions for c, bounds and objective.

The functions take complex y, so that expected.py can differentiate them by the complex step. They stand in MODELS, by name.
"""
from . import case57, creeping, cutest, loops, own, papers, tasks  # noqa: F401  (they fill MODELS)
from .common import MODELS, ROOT  # noqa: F401
