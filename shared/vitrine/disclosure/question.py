"""Whether a search asks anything: without a question, a capped profile gets no list.

``*``, the empty tree, ``-word`` and one letter ask for everything, and so do an
exclusion alone, ``is_not_empty`` and a list of all choices. A question is a test that
a document must pass; of alternatives each must be one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from vitrine.tree.conditions import (
    All,
    Any,
    Between,
    Condition,
    Contains,
    Linked,
    Member,
    Near,
    Not,
    Text,
)

SHORTEST = 2
"""Letters or digits of a word that asks something; an ideograph is a word alone."""
_IDEOGRAPHS = "\u2e80"
_TERM = re.compile(r'(-?)(?:"([^"]*)"?|(\S+))')


def has_question(condition: Condition, text: Text | None = None) -> bool:
    """Tell whether the filters, or the text, ask for less than everything."""
    return (text is not None and asks(text.query)) or _narrows(condition, wanted=True)


def asks(query: str) -> bool:
    """Tell whether each alternative of a websearch text has a word to be found."""
    # One alternative that asks for nothing lets everything in.
    return all(any(map(_is_word, words)) for words in _alternatives(query))


def _alternatives(query: str) -> Iterator[list[str]]:
    words: list[str] = []
    for minus, phrase, plain in _TERM.findall(query):
        # `-or` denies a word; only a bare one parts alternatives.
        if plain.casefold() == "or" and not minus:
            yield words
            words = []
        elif not minus:
            words.append(phrase or plain)
    yield words


def _is_word(term: str) -> bool:
    letters = [c for c in term if c.isalnum()]
    return len(letters) >= SHORTEST or any(c >= _IDEOGRAPHS for c in letters)


def _narrows(condition: Condition, *, wanted: bool) -> bool:
    """Tell whether a condition, or its complement, leaves most documents out."""
    if isinstance(condition, Not):
        return _narrows(condition.part, wanted=not wanted)
    if isinstance(condition, All | Any):
        # De Morgan: of an AND one part must narrow, of its denial each.
        needed = any if isinstance(condition, All) is wanted else all
        return needed(_narrows(part, wanted=wanted) for part in condition.parts)
    return wanted and _asks(condition)


def _asks(leaf: Condition) -> bool:
    if isinstance(leaf, Text):
        return asks(leaf.query)
    if isinstance(leaf, Contains):
        return _is_word(leaf.needle)
    if isinstance(leaf, Member):
        return not _is_everything(leaf)
    if isinstance(leaf, Between):
        return leaf.low is not None or leaf.high is not None
    return isinstance(leaf, Near | Linked)


def _is_everything(member: Member) -> bool:
    choices = member.field.choices or ()
    # By value or by code: a list is written in either, and all of one is everything.
    lists = ({c.value for c in choices}, {c.code for c in choices})
    return any(bool(named) and named <= set(member.values) for named in lists)
