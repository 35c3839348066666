"""A text below the root, said as words that a document holds: it is strict there.

A word is told by its stem in the source's language, so that a plural finds the
singular; what has a digit is a code and stays whole.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from vitrine.language.folding import stem
from vitrine.problems import Fault, Invalid
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType
from vitrine.tree.conditions import All, Any, Condition, Member, Not, Text
from vitrine.typesense.words import Terms, terms

# The stems of all searched fields, as if they were a field of the manifest.
HELD: Final = Field(key="words", type=FieldType.FULL_TEXT, label={}, multi=True)


def stems(words: Iterable[str], language: str) -> tuple[str, ...]:
    """Give the stem of each word once."""
    found = (stem(w, language) if w.isalpha() else w for w in words)
    return tuple(dict.fromkeys(found))


def worded(condition: Condition, language: str) -> Condition:
    """Say each text of a condition as words that are held or not."""
    match condition:
        case All(parts):
            return All(tuple(worded(part, language) for part in parts))
        case Any(parts):
            return Any(tuple(worded(part, language) for part in parts))
        case Not(part):
            return Not(worded(part, language))
        case Text(query, method):
            if method == "semantic_search":
                raise by_meaning()
            return _said(terms(query), language)
        case _:
            return condition


def by_meaning() -> Invalid:
    """Refuse a search that needs vectors."""
    message = "This source does not search by meaning."
    return Invalid([Fault("", "unsupported", message, "Use keyword_search.")])


def _said(found: Terms, language: str) -> Condition:
    """Test for all words of one alternative, and for none of the denied ones."""
    either = _held(found.wanted, language)
    if len(found.either) > 1:
        groups = (All(_held(group, language)) for group in found.either)
        either = (Any(tuple(groups)),)
    return All((*either, Not(Any(_held(found.without, language)))))


def _held(words: Iterable[str], language: str) -> tuple[Condition, ...]:
    return tuple(Member(HELD, (word,)) for word in stems(words, language))
