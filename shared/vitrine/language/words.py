"""The word lists, one data file a language, read once.

Nothing else in the project keeps a word list: a speaker of another language
copies a file of ``data``, translates the values and leaves the keys alone.
Caches keyed by a tag are bounded, since tags come from callers.
"""

import json
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from pkgutil import get_data
from typing import Any, Final

FALLBACK: Final = "en"

__all__ = ["FALLBACK", "language", "languages", "lexeme", "words"]


@cache
def languages() -> tuple[str, ...]:
    """Return the codes of the languages that have a data file, sorted."""
    folder = Path(str(import_module(__package__).__file__)).parent / "data"
    return tuple(sorted(file.stem for file in folder.glob("*.json")))


@lru_cache(maxsize=128)
def language(tag: str | None) -> str:
    """Return the data language of a BCP 47 tag, ``en`` where there is none."""
    primary = (tag or FALLBACK).replace("_", "-").split("-")[0].lower()
    return primary if primary in languages() else FALLBACK


def lexeme(lang: str) -> dict[str, Any]:
    """Return the whole data file of a language or tag; treat it as read-only."""
    return _loaded(language(lang))


@cache
def _loaded(code: str) -> dict[str, Any]:
    raw = get_data(__package__, f"data/{code}.json")
    tree: dict[str, Any] = json.loads(raw or b"{}")
    return tree


@lru_cache(maxsize=512)
def words(lang: str, path: str) -> Any:
    """Return one list or table by its path, such as ``calendar/months``.

    Raises KeyError where the data file has no such path.
    """
    node: Any = lexeme(lang)
    for key in path.split("/"):
        node = node[key]
    return node
