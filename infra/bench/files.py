"""The files that a bench is given, read loudly: what does not fit is told by line."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from traceback import extract_tb
from typing import Any


class Unfit(Exception):  # noqa: N818 - what is told of a file
    """Tell which line of which file can't be read, and why."""


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a JSON-lines file, compressed or not; blank lines are none.

    Raises ``Unfit`` for a line that is none, ``OSError`` where there is no such file.
    """
    yield from (example for _, example in numbered(path))


def numbered(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects with the numbers of their lines."""
    opened = gzip.open if path.suffix == ".gz" else open
    # With or without the mark that some editors put first.
    with opened(path, "rt", encoding="utf-8-sig") as file:
        try:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, _object(path, number, line)
        except UnicodeDecodeError as error:
            raise Unfit(f"{path}: not UTF-8") from error


def each(path: Path, do: Callable[[dict[str, Any]], None]) -> None:
    """Do something with every object of a file.

    Raises ``Unfit``, naming the line, where one is not of the form that is wanted, and
    where there is none: of nothing, every share would be right.
    """
    number = 0
    for number, example in numbered(path):
        try:
            do(example)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise Unfit(f"{path}:{number}: {_why(error)}") from error
    if not number:
        raise Unfit(f"{path}: nothing in it")


def document(path: Path) -> Any:
    """Read a whole JSON file; raise ``Unfit`` where it is none."""
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except ValueError as error:
        raise Unfit(f"{path}: not JSON: {error}") from error


def _object(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Unfit(f"{path}:{number}: not JSON: {error}") from error
    if not isinstance(found, dict):
        raise Unfit(f"{path}:{number}: not an object")
    return found


def _why(error: Exception) -> str:
    """Name what was missing or odd, and where it was needed."""
    last = extract_tb(error.__traceback__)[-1]
    said = f"no {error}" if isinstance(error, KeyError) else str(error)
    return f"not of the common form: {said} ({Path(last.filename).name}:{last.lineno})"
