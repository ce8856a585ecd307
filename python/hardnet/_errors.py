"""Exceptions: the library's errors as Python exception classes.

Every exception that comes from the library is a `hardnet.Error`. It is a ValueError, an OSError or a
MemoryError as well, so that callers who know nothing of hardnet catch it in the usual way. An argument
of a wrong type is a TypeError.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "Error",
    "FileError",
    "InvalidError",
    "OutOfMemoryError",
    "UnknownNameError",
    "UnsupportedError",
    "error_of",
]


class Error(Exception):
    """A call that the library refused or could not finish.

    str(error) is one sentence that names the culprit. `code` says what kind of thing the culprit is
    ("option", "part", "file", "position", ...) and `subject` names it; `line` and `column` count
    from 1 where it is a text, else they are 0. `messages` has all that the reader of a model said.
    """

    messages: tuple[Any, ...] = ()

    def __init__(
        self, text: str, code: str = "none", subject: str = "", line: int = 0, column: int = 0
    ) -> None:
        super().__init__(text)
        self.text = text
        self.code = code
        self.subject = subject
        self.line = line
        self.column = column

    def __str__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[type[Error], tuple[str, str, str, int, int]]:
        return type(self), (self.text, self.code, self.subject, self.line, self.column)


class InvalidError(Error, ValueError):
    """An argument, a model or a text that makes no sense, or that exceeds a stated limit."""


class UnknownNameError(InvalidError, KeyError):
    """A name that no part of the model has."""


class UnsupportedError(Error, ValueError):
    """Something that this library, processor or build does not have."""


class FileError(Error, OSError):
    """A file that could not be read or written."""


class OutOfMemoryError(Error, MemoryError):
    """The machine had no memory for it."""


# By hn_status: ok, invalid, no memory, limit, syntax, input or output, unsupported.
_CLASSES: tuple[type[Error], ...] = (
    Error,
    InvalidError,
    OutOfMemoryError,
    InvalidError,
    InvalidError,
    FileError,
    UnsupportedError,
)


def error_of(status: int, code: str, subject: str, line: int, column: int, text: str) -> Error:
    """The exception for a failed call; the extension raises it."""
    kind = _CLASSES[status] if 0 <= status < len(_CLASSES) else Error
    return kind(text, code, subject, line, column)
