"""The last look before a filter is sent: it must read as what was meant.

The server's own grammar is wider and its errors are not all errors, so the whole
string must fit this narrow one: our names, codes, whole numbers, true and false.
"""

from __future__ import annotations

import re

from vitrine.problems import Fault, Invalid
from vitrine.registry.capabilities import TERMS, EngineName

MOST_TOKENS = TERMS[EngineName.TYPESENSE]

_KINDS = "HAS|CODE|EXACT|START|INT|TRIE|BOOL|RED|GREEN|BLUE"
_NAME = rf"(?:GUARD|WORDS|(?:{_KINDS})_[a-z][a-z0-9_.]*)"
_CODE = r"`[a-z0-9]{1,100}`"
_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_WHOLE = r"-?[0-9]{1,19}"
_RANGE = rf"(?:[<>]{_WHOLE}|{_WHOLE}(?:\.\.{_WHOLE})?)"
_ATOM = re.compile(
    rf"{_NAME}:(?:!?=\[{_CODE}(?:,{_CODE})*\]|!?=(?:true|false)"
    rf"|[<>]={_WHOLE}|[<>]?{_WHOLE}|\[{_RANGE}(?:,{_RANGE})*\])"
    rf"|id:\[{_UUID}(?:,{_UUID})*\]"
)
_JOINT = re.compile(r" (?:&&|\|\|) ")


class UnsafeFilterError(AssertionError):
    """A filter of our own making that does not fit the grammar: a defect of ours."""


def checked(text: str) -> str:
    """Return a filter that fits; raise ``Invalid`` where it is too large."""
    tokens = _read(text)
    if tokens > MOST_TOKENS:
        raise Invalid([_too_large(tokens)])
    return text


def _read(text: str) -> int:
    position, depth, tokens, term = 0, 0, 0, True
    while position < len(text):
        end, step, term_next = _step(text, position, term=term)
        depth += step
        if depth < 0:
            raise UnsafeFilterError("a parenthesis closes nothing")
        position, term, tokens = end, term_next, tokens + 1
    if depth or term:
        raise UnsafeFilterError("the filter ends too early")
    return tokens


def _step(text: str, position: int, *, term: bool) -> tuple[int, int, bool]:
    """Read one token: where it ends, how it nests, whether a term must follow."""
    if term and text[position] == "(":
        return position + 1, 1, True
    if not term and text[position] == ")":
        return position + 1, -1, False
    match = (_ATOM if term else _JOINT).match(text, position)
    if not match:
        raise UnsafeFilterError(f"unreadable at {position}")
    return match.end(), 0, not term


def _too_large(tokens: int) -> Fault:
    return Fault(
        "",
        "too-large",
        f"The filters make {tokens} terms; this source runs {MOST_TOKENS} at once.",
        "Use one list (in, not_in) instead of many single values, or fewer filters.",
    )
