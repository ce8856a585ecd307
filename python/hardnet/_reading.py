"""Models from files and texts: arguments in, a finished model and the reader's remarks out.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import dataclasses
import os
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Union

from . import _checks, _core
from ._errors import Error, InvalidError
from ._expression import refuse_learned
from ._warnings import stacklevel

__all__ = ["Message", "ModelWarning", "read_files", "read_texts"]

Path = Union[str, "os.PathLike[str]"]
Lets = Mapping[str, Union[str, float]]

# A model's text has a semicolon; a name that ends like this is a file's.
_FILE_NAME = re.compile(r"[^;\n]*\.(mod|dat|run|nl)\s*")

_SEVERITIES = ("note", "warning", "error")


class ModelWarning(UserWarning):
    """Something in a model file that was understood differently from how it may have been meant."""


@dataclasses.dataclass(frozen=True)
class Message:
    """A message of the parser: what was ignored, interpreted differently, or wrong.

    Lines and columns count from 1; they are 0, and `file` is None, where it is about no text.
    """

    severity: str  #: "note", "warning" or "error"
    file: str | None
    line: int
    column: int
    text: str  #: one sentence
    excerpt: str | None  #: the line that it is about
    caret: int  #: the character of the excerpt, from 0
    hint: str | None  #: a suggestion

    def __str__(self) -> str:
        place = "" if self.file is None else f"{self.file}:{self.line}:{self.column}: "
        lines = [f"{place}{self.severity}: {self.text}"]
        if self.excerpt is not None:
            lines += [f"    {self.excerpt}", "    " + " " * self.caret + "^"]
        if self.hint is not None:
            lines.append(self.hint)
        return "\n".join(lines)


def _lets(let: Lets | None) -> list[str]:
    """{"N": 20} as ["N=20"]."""

    def text(value: str | float) -> str:
        return value if isinstance(value, str) else repr(value + 0)

    for value in (let or {}).values():
        refuse_learned(value)
    values = {
        name: getattr(value, "item", lambda v=value: v)() for name, value in (let or {}).items()
    }
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise TypeError(f"let: the value of {name} must be a number or a text, not {value!r}")
    return [f"{name}={text(value)}" for name, value in values.items()]


def _read(read: Callable[[list[Any]], _core.Model]) -> tuple[_core.Model, tuple[Message, ...]]:
    """Calls the reader; its warnings become Python's, an error carries all that was remarked."""
    remarks: list[Any] = []
    try:
        core = read(remarks)
    except Error as error:
        error.messages = _messages(remarks)
        for message in error.messages:
            if hasattr(error, "add_note"):
                error.add_note(str(message))
        raise
    messages = _messages(remarks)
    for message in messages:
        if message.severity == "warning":
            warnings.warn(str(message), ModelWarning, stacklevel=stacklevel())
    return core, messages


def _messages(remarks: Sequence[Any]) -> tuple[Message, ...]:
    return tuple(Message(_SEVERITIES[severity], *rest) for severity, *rest in remarks)


def read_files(
    paths: Sequence[Path],
    let: Lets | None,
    relax_integrality: bool,
    untrusted: bool,
    max_nodes: int,
) -> tuple[_core.Model, tuple[Message, ...]]:
    names, lets = [_checks.path(path, "a model's file") for path in paths], _lets(let)
    return _read(
        lambda remarks: _core.read(names, lets, relax_integrality, untrusted, max_nodes, remarks)
    )


def _check_text(text: Any) -> None:
    if not isinstance(text, str):
        raise TypeError(f"a model's text must be a str, not {type(text).__name__}")
    if _FILE_NAME.fullmatch(text):
        raise InvalidError(
            f"{text} is the name of a file, not the text of a model; use hardnet.Model.from_file",
            "argument",
            "text",
        )
    wrong = re.search("[\0\ud800-\udfff]", text)
    if wrong:
        character = f"U+{ord(wrong[0]):04X}, which is not a character"
        raise InvalidError(
            f"a model's text has {character} at index {wrong.start()}", "argument", "text"
        )


def read_texts(
    texts: Sequence[str], let: Lets | None, relax_integrality: bool, untrusted: bool, max_nodes: int
) -> tuple[_core.Model, tuple[Message, ...]]:
    for text in texts:
        _check_text(text)
    names = ["text", *(f"data{i}.dat" for i in range(1, len(texts)))]
    pairs, lets = list(zip(names, texts)), _lets(let)
    return _read(
        lambda remarks: _core.read_text(
            pairs, lets, relax_integrality, untrusted, max_nodes, remarks
        )
    )
