"""Synonyms, stopwords and curation: carried, or listed with the reason."""

from __future__ import annotations

from typing import Any

import pytest

from infra.local.demo import shop
from infra.publishing.carried import (
    Carried,
    lost,
    take_rules,
    take_stopwords,
    take_synonyms,
)
from vitrine.registry.manifest import Pin, Synonym

FIRST = [{"id": "B", "position": 2}, {"id": "A", "position": 1}]


def rule(query: str = "sofa", **said: Any) -> dict[str, Any]:
    return {"id": "r", "rule": {"query": query, "match": "exact"}, **said}


def reasons(found: Carried) -> str:
    return "; ".join(note.reason for note in found.notes)


@pytest.mark.parametrize(
    ("synonym", "item"),
    [
        (
            Synonym(words=("sofa", "couch")),
            {"id": "a", "root": "", "synonyms": ["sofa", "couch"]},
        ),
        (
            Synonym(words=("chair",), root="seat"),
            {"id": "b", "root": "seat", "synonyms": ["chair"]},
        ),
    ],
)
def test_synonyms_are_carried(synonym: Synonym, item: dict[str, Any]) -> None:
    found = Carried()

    take_synonyms(found, [item])

    assert [synonym] == found.synonyms
    assert not found.notes


def test_a_word_alone_and_a_locale_are_told() -> None:
    found = Carried()

    take_synonyms(found, [{"id": "a", "synonyms": ["sofa"]}])
    take_synonyms(found, [{"id": "b", "synonyms": ["x", "y"], "locale": "ja"}])

    assert "single word" in reasons(found)
    assert "locale" in reasons(found)


def test_what_comes_first_and_what_never_comes_is_carried() -> None:
    found = Carried()

    take_rules(found, [rule(includes=FIRST, excludes=[{"id": "C"}])])

    assert [Pin(query="sofa", first=("A", "B"), never=("C",))] == found.pins
    assert "brings in nothing" in reasons(found)


@pytest.mark.parametrize(
    ("why", "told"),
    [
        ("filter of its own", rule(filter_by="x:>1", excludes=[{"id": "C"}])),
        ("order of its own", rule(sort_by="x:desc")),
        ("another query", rule(replace_query="couch")),
        ("time to end", rule(effective_to_ts=1)),
        ("without a question", rule(query="*", excludes=[{"id": "C"}])),
        (
            "filters and tags",
            {"id": "t", "rule": {"tags": ["x"]}, "excludes": [{"id": "C"}]},
        ),
    ],
)
def test_what_is_not_carried_is_told(why: str, told: dict[str, Any]) -> None:
    found = Carried()

    take_rules(found, [told])

    assert why in reasons(found)


def test_a_publishing_tells_what_the_manifest_leaves_behind() -> None:
    found = Carried()
    take_synonyms(found, [{"id": "a", "synonyms": ["sofa", "couch"]}])
    take_rules(found, [rule(excludes=[{"id": "C"}])])
    take_stopwords(found, [{"id": "s", "stopwords": ["please"]}])
    whole = shop.manifest().model_copy(
        update={
            "synonyms": tuple(found.synonyms),
            "pins": tuple(found.pins),
            "stopwords": tuple(found.stopwords),
        }
    )

    told = {note.where for note in lost(found, shop.manifest())}
    kept = {note.where for note in lost(found, whole)}

    assert {"synonym sofa, couch", "pin sofa", "stopword please"} <= told
    assert kept == {note.where for note in found.notes}
