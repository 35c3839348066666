"""What is written of an error: its type, its code and its places, never its words.

An engine's message quotes what it choked on: a stored row, a bound value, a person's
sentence. The same holds for what caused an error, and for what a library of ours logs
of its own.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from traceback import walk_tb
from typing import Any

CAUSES = 5
PLACES = 8
"""Frames of each error, the innermost: a recursion has a thousand."""


def failure(error: BaseException) -> list[dict[str, Any]]:
    """Describe an error and its causes, the last one first."""
    return [_described(each) for each in _chain(error)]


class Failed(Exception):  # noqa: N818 - the domain's word
    """What leaves a function in an unforeseen error's place.

    The runtime writes the words of whatever a function raises.
    """


class Wordless(logging.Filter):
    """Take an error's words out of a library's record, and leave what it was."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record pass."""
        error = record.exc_info and record.exc_info[1]
        if error:
            # The message is formatted here: what was to follow it is no argument.
            record.msg = f"{record.getMessage()} {failure(error)}"
            record.args = record.exc_info = record.exc_text = None
        return True


def hush() -> None:
    """Put ``Wordless`` before whatever writes the root logger's records.

    A filter of a logger is not asked about its children's records; a handler's is.
    Warnings become records, too: on stderr they would be lines that no query reads.
    """
    logging.captureWarnings(capture=True)
    for handler in logging.getLogger().handlers:
        if not any(isinstance(each, Wordless) for each in handler.filters):
            handler.addFilter(Wordless())


def _chain(error: BaseException) -> Iterator[BaseException]:
    following: BaseException | None = error
    for _ in range(CAUSES):
        if following is None:
            return
        yield following
        hidden = following.__suppress_context__
        following = following.__cause__ or (None if hidden else following.__context__)


def _described(error: BaseException) -> dict[str, Any]:
    kind, code = type(error), _code(error)
    said = {"type": f"{kind.__module__}.{kind.__qualname__}", "at": _places(error)}
    return said | ({"code": code} if code else {})


def _code(error: BaseException) -> str | None:
    """Give PostgreSQL's SQLSTATE, or the name of an AWS error."""
    answer = getattr(error, "response", None)
    if isinstance(answer, Mapping):
        return str(answer.get("Error", {}).get("Code"))
    state = getattr(error, "sqlstate", None)
    return state if isinstance(state, str) else None


def _places(error: BaseException) -> list[str]:
    walked = list(walk_tb(error.__traceback__))[-PLACES:]
    return [_place(frame.f_code.co_filename, line) for frame, line in walked]


def _place(path: str, line: int) -> str:
    """Name a file by its folder and itself: the rest is where it was installed."""
    return f"{'/'.join(PurePath(path).parts[-2:])}:{line}"
