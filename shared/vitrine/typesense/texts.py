"""A text below the root, said as words that a document holds: it is strict there.

A word is told by its stem in the source's language, so that a plural finds the
singular; what has a digit is a code and stays whole.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from vitrine.problems import Fault, Invalid
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType
from vitrine.tree.conditions import All, Any, Condition, Member, Not, Text
from vitrine.typesense.wording import Wording
from vitrine.typesense.words import Terms, terms

# The stems of all searched fields, as if they were a field of the manifest.
HELD: Final = Field(key="words", type=FieldType.FULL_TEXT, label={}, multi=True)


def worded(condition: Condition, language: str | Wording) -> Condition:
    """Say each text of a condition as words that are held or not."""
    wording = Wording(language) if isinstance(language, str) else language
    match condition:
        case All(parts):
            return All(tuple(worded(part, wording) for part in parts))
        case Any(parts):
            return Any(tuple(worded(part, wording) for part in parts))
        case Not(part):
            return Not(worded(part, wording))
        case Text(query, method):
            if method == "semantic_search":
                raise by_meaning()
            return _said(terms(query, wording.stop), wording)
        case _:
            return condition


def by_meaning() -> Invalid:
    """Refuse a search that needs vectors."""
    message = "This source does not search by meaning."
    return Invalid([Fault("", "unsupported", message, "Use keyword_search.")])


def _said(found: Terms, wording: Wording) -> Condition:
    """Test for all words of one alternative, and for none of the denied ones."""
    either = _held(wording.asked(found.wanted))
    if len(found.either) > 1:
        groups = (All(_held(wording.asked(group))) for group in found.either)
        either = (Any(tuple(groups)),)
    never = wording.never(found.wanted) if len(found.either) == 1 else ()
    # A denied word denies itself alone: its synonyms were not named.
    denied = (*wording.stems(found.without), *never)
    return All((*either, Not(Any(_held(denied)))))


def _held(stems: Iterable[str]) -> tuple[Condition, ...]:
    return tuple(Member(HELD, (stem,)) for stem in stems)
