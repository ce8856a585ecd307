"""The command `hardnet`, which the package carries, and its verbs as calls.

A verb runs in a separate process. Its standard error is passed on line by line, so that progress shows
in a terminal and in a notebook; its exit code becomes an exception.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import IO

from ._errors import Error, InvalidError, UnsupportedError
from ._warnings import stacklevel

__all__ = ["executable", "run_verb"]

_MISUSED, _INTERRUPTED = 2, 130  # exit codes of the command
_ERROR, _WARNING, _STEP = "hardnet: error: ", "hardnet: warning: ", "hardnet: step "
_ERASE = "\r\033[K"


def executable() -> str:
    """The path of the command."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_bin", "hardnet")
    if not os.access(path, os.X_OK):
        raise UnsupportedError(f"{path} is missing: this package was built without the command")
    return path


class _Screen:
    """Prints progress to sys.stderr. In a terminal a line replaces the previous one."""

    def __init__(self, on: bool) -> None:
        self._on = on and sys.stderr is not None
        self._replaces = self._on and sys.stderr.isatty()
        self._open = False

    def show(self, line: str) -> None:
        """A line of the command."""
        if not self._on:
            return
        step = self._replaces and line.startswith(_STEP)
        sys.stderr.write((_ERASE if self._open else "") + line + ("" if step else "\n"))
        sys.stderr.flush()
        self._open = step

    def close(self) -> None:
        """Erases the last step."""
        if self._open:
            sys.stderr.write(_ERASE)
            sys.stderr.flush()


def _lines(process: subprocess.Popen[bytes]) -> Iterator[tuple[IO[bytes], str]]:
    """The lines of both outputs of a process as they come, until it closes them."""
    with selectors.DefaultSelector() as selector:
        rest: dict[IO[bytes], bytes] = {}
        for stream in (process.stdout, process.stderr):
            assert stream is not None
            selector.register(stream, selectors.EVENT_READ)
            rest[stream] = b""
        while selector.get_map():
            for key, _ in selector.select():
                stream = key.fileobj  # type: ignore[assignment]
                assert stream is not None
                read = os.read(stream.fileno(), 1 << 16)
                *whole, rest[stream] = (rest[stream] + read).split(b"\n")
                if not read:
                    selector.unregister(stream)
                    whole = [rest[stream]] if rest[stream] else []
                for line in whole:
                    yield stream, line.decode("utf-8", "replace")


class _Verb:
    """A run of the command, and its output."""

    def __init__(self, words: Sequence[str], progress: bool) -> None:
        self._screen = _Screen(progress)
        self.report: list[str] = []
        self.errors: list[str] = []
        self.warnings: list[str] = []
        # A new session: Ctrl-C in a terminal reaches this process only, which forwards it.
        self._process = subprocess.Popen(
            [executable(), *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def _follow(self) -> int:
        for stream, line in _lines(self._process):
            if stream is self._process.stdout:
                self.report.append(line)
            elif line.startswith(_ERROR):
                self.errors.append(line.removeprefix(_ERROR))
                continue
            elif line.startswith(_WARNING):
                self.warnings.append(line.removeprefix(_WARNING))
                continue
            self._screen.show(line)
        return self._process.wait()

    def _interrupt(self) -> None:
        """Lets the command end cleanly and write its results; a second Ctrl-C kills it."""
        try:
            self._process.send_signal(signal.SIGINT)
            self._follow()
        except KeyboardInterrupt:
            self._process.kill()

    def run(self) -> int:
        """The exit code."""
        try:
            return self._follow()
        except KeyboardInterrupt:
            self._interrupt()
            raise KeyboardInterrupt(*self.errors[-1:]) from None
        finally:
            self._screen.close()
            if self._process.poll() is None:
                self._process.kill()
            self._process.wait()
            for stream in (self._process.stdout, self._process.stderr):
                assert stream is not None
                stream.close()


def run_verb(words: Sequence[str], progress: bool) -> str:
    """Runs `hardnet WORDS...` and returns its report, the text on its standard output.

    Warnings become Python's; a failure is a `hardnet.Error` with the sentence of the command.
    """
    verb = _Verb(words, progress)
    code = verb.run()
    for text in verb.warnings:
        warnings.warn(text, RuntimeWarning, stacklevel=stacklevel())
    if code == _INTERRUPTED:  # by somebody else
        raise KeyboardInterrupt(*verb.errors[-1:])
    if code < 0:
        raise Error(f"hardnet {words[0]} was ended by the signal {signal.Signals(-code).name}")
    if code != 0:
        text = "; ".join(verb.errors) or f"hardnet {words[0]} ended with the exit code {code}"
        raise InvalidError(text) if code == _MISUSED else Error(text)
    return "\n".join(verb.report)
