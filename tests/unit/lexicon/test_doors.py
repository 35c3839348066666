"""Values wait behind doors: none is missed that a full reading would find."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.lexicon.sources import contacts, library, shop
from vitrine.language.words import languages, words
from vitrine.lexicon.doors import doors, opened
from vitrine.lexicon.index import index_of
from vitrine.lexicon.senses import TABLES, parts
from vitrine.registry.profiles import Registry

WORDS = sorted(
    {
        name
        for lang in languages()
        for table in TABLES
        for names in words(lang, table).values()
        for name in names
    }
    | {word for lang in languages() for word in words(lang, "stem/irregular")}
)
LETTERS = st.text("abdeilnorstuxyzéç'-&, 019", min_size=1, max_size=12)


def unseen(phrase: str) -> set[str]:
    """Give the senses of a phrase that open none of its doors."""
    known = doors(phrase)
    senses = {s for way in parts(phrase) for part in way for s in part.senses}
    return {sense for sense in senses if not known & opened(sense)}


def test_every_listed_word_opens_its_own_door() -> None:
    assert {} == {phrase: left for phrase in WORDS if (left := unseen(phrase))}


@given(st.lists(st.sampled_from(WORDS) | LETTERS, min_size=1, max_size=4))
def test_every_phrase_opens_for_each_of_its_senses(told: list[str]) -> None:
    assert set() == unseen(" ".join(told))


@pytest.mark.parametrize("registry", [shop(), library(), contacts()])
def test_all_that_waits_is_found_by_its_senses(registry: Registry) -> None:
    index = index_of(registry)
    waiting = {id(w): w for door in [*index.doors.values()] for w in door}

    for one in [w for w in waiting.values() if not w.done]:
        for entry in [*one.listed.entries(one.number, one.phrase)]:
            for part in entry.parts:
                found = {e.place for e in index.about(part.senses)}
                assert entry.place in found
