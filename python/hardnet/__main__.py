"""`python -m hardnet VERB ...`, and the script `hardnet`: the command that the package carries.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from ._command import executable

__all__ = ["main"]


def main() -> NoReturn:
    """Becomes the command, with the arguments of this process."""
    os.execv(executable(), ["hardnet", *sys.argv[1:]])


if __name__ == "__main__":
    main()
