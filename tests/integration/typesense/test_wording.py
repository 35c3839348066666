"""Synonyms, stopwords, pins and boosts of a manifest, on a real server."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from typing import Any

import pytest
from typesense import Client

from infra.local.demo import shop
from tests.integration.typesense.conftest import KEY
from vitrine.caller import Caller
from vitrine.registry.manifest import Manifest
from vitrine.registry.profiles import Registry, registry_for
from vitrine.search.engine import Hits, Query
from vitrine.tree.conditions import TRUE, All, Condition, Not, Text
from vitrine.tree.conditions import Any as Either
from vitrine.typesense.encode import Press
from vitrine.typesense.publish import publish_all
from vitrine.typesense.search import Typesense

CALLER = Caller("worded", "subject", "client")
NAMES = {
    "A": "Plain couch",
    "B": "Corner sofa",
    "C": "Water bottle",
    "D": "Steel flask",
    "E": "Bottle rack",
    "F": "Wing chair",
    "G": "Garden seat",
    "H": "Please sofa",
}
SAID: dict[str, Any] = {
    "text_language": "en",
    "order": "price",
    "synonyms": [
        {"words": ["sofa", "couch"]},
        {"words": ["water bottle", "flask"]},
        {"words": ["chair"], "root": "seat"},
    ],
    "stopwords": ["please"],
    "pins": [
        {"query": "sofa", "first": ["H"], "never": ["B"]},
        {"query": "rack", "whole": False, "never": ["E"]},
    ],
    "boosts": [{"field": "availability", "values": ["in_stock"], "weight": 3}],
}
_stamps = itertools.count(1)
Find = Callable[..., str]


def registry(**said: Any) -> Registry:
    raw = shop.manifest().model_dump(mode="json") | {"relation": "worded"} | said
    return registry_for(Manifest.model_validate(raw), "trusted", tenant="worded")


def record(one: str) -> dict[str, Any]:
    price = 100 * (ord(one) - 60)
    stock = "in_stock" if one in "CG" else "on_order"
    return {"id": one, "name": NAMES[one], "price": price, "availability": stock}


@pytest.fixture(scope="module")
def worded(client: Client) -> Registry:
    made = registry(**SAID)
    availability = {c.value for c in made.fields["availability"].choices or ()}
    assert {"in_stock", "on_order"} <= availability
    for _ in range(2):  # the second one is a swap: nothing may be lost by it
        stamp = f"{next(_stamps):08d}"
        every = map(record, NAMES)
        press = Press([made], KEY)
        publish_all(client, press, every, stamp=stamp, publishable=lambda _: True)
    return made


@pytest.fixture
def find(engine: Typesense, worded: Registry) -> Find:
    """Give the ids that a text finds, in their order."""
    ids = {NAMES[one]: one for one in NAMES}

    def found(text: str | None, condition: Condition = TRUE) -> str:
        hits = ask(engine, worded, text, condition)
        return "".join(ids[str(row.values["name"])] for row in hits.rows)

    return found


def ask(
    engine: Typesense, made: Registry, text: str | None, condition: Condition = TRUE
) -> Hits:
    leaf = Text(text, "keyword_search") if text else None
    return engine.search(Query(CALLER, made, condition, leaf))


@pytest.mark.parametrize(
    ("ids", "text"),
    [
        ("AH", "sofa"),
        ("ABH", "couch"),
        ("ABH", "couches"),
        ("CD", "flask"),
        ("CD", "water bottle"),
        ("CE", "bottle"),
        ("F", "chair"),
        ("FG", "seat"),
        ("B", "corner couch"),
        ("B", "corner sofas"),
        ("ABH", "please couch"),
        ("H", "please"),
        ("", "rack"),
        ("", "bottle rack"),
        ("A", "couch -sofa"),
    ],
)
def test_a_text_finds_what_its_words_mean(find: Find, ids: str, text: str) -> None:
    assert sorted(ids) == sorted(find(text))


@pytest.mark.parametrize(
    ("ids", "condition"),
    [
        ("ABH", All((Text("couch"), TRUE))),
        ("ABCDH", Either((Text("couch"), Text("flask")))),
        ("CDEFG", Not(Text("couch"))),
        ("AH", Text("sofa")),
    ],
)
def test_so_does_a_text_below_the_root(
    find: Find, ids: str, condition: Condition
) -> None:
    assert sorted(ids) == sorted(find(None, condition))


def test_a_count_says_the_same_as_a_search(engine: Typesense, worded: Registry) -> None:
    texts = ("sofa", "couch", "water bottle", "rack", "please")
    query = Query(CALLER, worded, TRUE)

    counted = engine.count(query, [Text(text) for text in texts])

    found = [ask(engine, worded, text).total for text in texts]
    assert found == [count.number for count in counted]


@pytest.mark.parametrize(
    ("mode", "noted", "text"),
    [
        ("strict", True, "couch"),
        ("strict", False, "garden"),
        ("strict", True, "seat"),
        ("strict", False, "chair"),
    ],
)
def test_synonyms_are_strict_and_reported(
    engine: Typesense, worded: Registry, mode: str, noted: bool, text: str
) -> None:
    hits = ask(engine, worded, text)

    assert (mode, True) == (hits.mode, hits.exact)
    assert noted == ("synonyms" in hits.notes)


def test_a_misspelt_word_finds_its_synonyms_too(find: Find) -> None:
    assert sorted("CD") == sorted(find("flsak"))


def test_what_is_pinned_comes_first_and_only_if_it_is_found(find: Find) -> None:
    assert find("sofa")[0] == "H"
    assert find("sofa corner") == "B"


def test_what_is_boosted_comes_before_what_is_dear(find: Find) -> None:
    everything = find(None, Either((Text("couch"), Text("flask"), Text("seat"))))

    assert everything[:2] == "GC"
    assert list(everything[2:]) == sorted(everything[2:], reverse=True)


def test_no_record_is_named_by_its_private_id(
    engine: Typesense, worded: Registry
) -> None:
    rows = ask(engine, worded, "sofa").rows

    assert "first" not in json.dumps([dict(row.values) for row in rows], default=str)
    assert all(len(row.id) == 36 for row in rows)
