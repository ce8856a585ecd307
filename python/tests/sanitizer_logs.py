"""Judges what AddressSanitizer wrote while tests ran: sanitizer_logs.py FOLDER.

An error counts always, a leak where the extension appears among the functions that asked for the
memory: CPython itself does not free everything when it ends.

SPDX-License-Identifier: MIT
"""

import pathlib
import re
import sys

OURS = re.compile(r"_core\.abi3\.so|/python/src/core_|/src/[a-z]+/[a-z_]+\.[ch]:")


def findings(text: str) -> list[str]:
    """The parts of one log that count."""
    if "LeakSanitizer" not in text:
        return [text] if text.strip() else []
    leaks = re.split(r"\n\s*\n", text)
    return [leak for leak in leaks if re.search(r"leak of \d+ byte", leak) and OURS.search(leak)]


def self_check() -> None:
    leak = "==1==ERROR: LeakSanitizer: detected memory leaks\n\nDirect leak of 3 byte(s) in 1 object(s) allocated from:\n    #1 0x5 in %s\n"
    assert findings(leak % "f (/a/hardnet/_core.abi3.so+0x1)") and not findings(
        leak % "g (/usr/bin/python3+0x1)"
    )
    assert findings("==1==ERROR: AddressSanitizer: heap-use-after-free") and not findings("\n")


def main() -> int:
    self_check()
    found = [
        part
        for log in sorted(pathlib.Path(sys.argv[1]).iterdir())
        for part in findings(log.read_text(errors="replace"))
    ]
    print("\n\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
