"""Lets the tests of this folder import what they share, torch_cases.py.

SPDX-License-Identifier: MIT
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
