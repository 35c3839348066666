from __future__ import annotations

import base64
import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.disclosure.shop import registry
from vitrine.disclosure.answer import Remainder, Suggestion, Total
from vitrine.disclosure.facets import open_facets
from vitrine.disclosure.projection import View
from vitrine.disclosure.release import (
    Beside,
    Release,
    payable,
    release,
)
from vitrine.seal import Refs
from vitrine.search.engine import Hits, Row
from vitrine.search.report import Resolved, report_of

NOW = datetime(2026, 8, 2, 12, tzinfo=UTC)
CLOSED, TRUSTED = registry(), registry("trusted")
FACETS = {
    "colour": (("red", 300), ("blue", 40), ("green", 3), ("mauve", 90)),
    "rooms": (("living", 25), ("living", 30), ("hall", 0)),
    "supplier": (("Hidden & Sons", 343),),
}
LEFT = Remainder(20, 140, NOW, warning=True)


def document(number: int) -> str:
    return str(UUID(int=2**100 + number))


def row(number: int, **values: Any) -> Row:
    return Row(document(number), {"name": f"Chair {number}", "slug": "c"} | values)


HITS = Hits(tuple(map(row, range(12))), total=343, facets=FACETS)


def grant(profile: str = "closed", **more: Any) -> Release:
    seen = CLOSED if profile == "closed" else TRUSTED
    return Release(View(seen, "fr", Refs(bytes(32)), NOW), **more)


def test_only_granted_documents_leave_in_their_order() -> None:
    granted = (document(7), document(1), "unknown")

    answer = release(HITS, grant(granted=granted, left=LEFT), report_of(HITS, "s"))

    assert [hit["title"] for hit in answer.hits] == ["Chair 1", "Chair 7"]
    assert answer.budget == LEFT


def test_a_capped_profile_without_a_charge_gets_an_empty_page() -> None:
    answer = release(HITS, grant(), report_of(HITS, "s"), Beside(next_cursor="c"))

    assert (answer.hits, answer.facets, answer.next_cursor) == ((), {}, None)


def test_a_page_is_never_longer_than_an_answer() -> None:
    everything = tuple(map(document, range(12)))

    answer = release(HITS, grant(granted=everything), report_of(HITS, "s"))

    assert len(answer.hits) == 10
    assert payable(HITS, CLOSED, asked=True) == everything[:10]


def test_no_question_is_no_listing() -> None:
    assert payable(HITS, CLOSED, asked=False) == ()
    assert payable(HITS, TRUSTED, asked=True) == ()


def test_an_uncapped_profile_has_all_and_exactly() -> None:
    answer = release(
        HITS, grant("trusted"), report_of(HITS, "s"), Beside(next_cursor="c")
    )

    assert len(answer.hits) == 12
    assert answer.total == Total(343)
    assert answer.next_cursor == "c"
    colours = [(v.value, v.label, v.count.number) for v in answer.facets["colour"]]
    assert colours == [
        ("red", "rouge", 300),
        ("blue", "bleu", 40),
        ("green", "green", 3),
    ]


def test_facets_are_the_profiles_own_paid_and_told() -> None:
    answer = release(HITS, grant(facets=("colour", "supplier")), report_of(HITS, "s"))

    assert list(answer.facets) == ["colour"]
    told = [(v.label, v.count.number, v.count.kind) for v in answer.facets["colour"]]
    assert told == [
        ("rouge", 200, "about"),
        ("bleu", 10, "fewer_than"),
        ("green", 10, "fewer_than"),
    ]


def test_what_there_is_to_pay_are_lists_with_values() -> None:
    assert open_facets(HITS, CLOSED) == {
        "colour": ("red", "blue", "green"),
        "rooms": ("living", "hall"),
    }
    assert open_facets(HITS, TRUSTED)["rooms"] == ("living",)


def test_a_closed_list_is_whole_whatever_is_found_of_it() -> None:
    """E04: a value that appears would tell of a single document."""
    one = replace(HITS, facets={"colour": (("red", 11), ("blue", 1))})
    none = replace(HITS, facets={"colour": (("red", 11),)})
    paid = grant(facets=("colour",))

    told = [release(h, paid, report_of(h, "s")).facets for h in (one, none)]

    assert told[0] == told[1]
    assert {"red", "blue", "green"} == {v.value for v in told[0]["colour"]}


def test_without_numbers_an_answer_tells_its_hits_and_the_catalogues_lists() -> None:
    few = replace(HITS, rows=HITS.rows[:2], total=2, facets={})
    paid = grant(granted=(document(1),), facets=("colour", "rooms"), numbers=False)

    many, least = (release(h, paid, report_of(h, "s")) for h in (HITS, few))

    assert many.facets == least.facets
    assert {v.count for vs in many.facets.values() for v in vs} == {
        Total(0, "at_least")
    }
    assert Total(1, "at_least") == many.total == least.total


def test_an_uncapped_profile_has_its_numbers_anyway() -> None:
    answer = release(HITS, grant("trusted", numbers=False), report_of(HITS, "s"))

    assert Total(343) == answer.total


def test_few_documents_have_no_facets_in_a_capped_profile() -> None:
    few = replace(HITS, total=9)

    assert open_facets(few, CLOSED) == {}
    assert "colour" in open_facets(few, TRUSTED)


def test_an_answer_is_the_execute_routes_json() -> None:
    resolved = (Resolved("brand", "lorme", ("Maison Lorme",)),)
    hits = replace(HITS, rows=(row(1),), notes=("keyword_only",), original="chiar")
    suggestion = Suggestion("wider", {"type": "group"}, Total(10, "about"))
    beside = Beside((suggestion,), "next", {"explain": True})
    given = grant(granted=(document(1),), facets=("rooms",), left=LEFT)

    body = release(hits, given, report_of(hits, "chairs", resolved), beside).body()

    assert json.loads(json.dumps(body)) == {
        "hits": [
            {
                "ref": (ref := given.view.ref(row(1))),
                "title": "Chair 1",
                "url": f"https://shop.example/p/c/{ref}",
                "name": "Chair 1",
                "slug": "c",
            }
        ],
        "facets": {
            "rooms": [
                {
                    "value": value,
                    "label": label,
                    "count": {"number": 10, "kind": "fewer_than"},
                }
                for value, label in (("hall", "hall"), ("living", "salon"))
            ]
        },
        "total": {"number": 200, "kind": "about"},
        "report": {
            "mode": "strict",
            "original": "chiar",
            "fallback": None,
            "sentence": "chairs",
            "resolved": [
                {"field": "brand", "asked": "lorme", "labels": ["Maison Lorme"]}
            ],
            "notes": ["keyword_only"],
            "sort": None,
        },
        "budget": {
            "session_left": 20,
            "day_left": 140,
            "resets_at": "2026-08-02T12:00:00+00:00",
            "warning": True,
            "cut": False,
        },
        "suggestions": [
            {
                "sentence": "wider",
                "tree": {"type": "group"},
                "total": {"number": 10, "kind": "about"},
            }
        ],
        "next_cursor": "next",
        "explain": True,
    }


# Begun so that no secret is one of the answer's own words.
SECRET = st.text(
    st.characters(codec="ascii", categories=["Lu", "Ll", "Nd"]), min_size=6, max_size=40
).map(lambda text: f"Zq{text}")


@pytest.mark.filterwarnings("ignore::vitrine.disclosure.shapes.StrayValue")
@given(secret=SECRET, number=st.integers(0, 2**100), public=SECRET, deep=st.booleans())
def test_no_private_value_and_no_internal_id_is_part_of_an_answer(
    secret: str, number: int, public: str, *, deep: bool
) -> None:
    planted = {"secret": secret} if deep else secret
    values = {
        "name": public,
        "slug": public,
        "purchase_cost": planted,
        "supplier": planted,
        "colour": planted,
        "stock_id": secret,
        "as_of": planted,
    }
    hits = Hits(
        (Row(document(number), values),),
        total=40,
        facets={"supplier": ((secret, 40),), "colour": ((secret, 40),)},
        next=(secret, document(number)),
    )
    given = grant(granted=(document(number),), facets=("supplier", "colour"))

    body = json.dumps(release(hits, given, report_of(hits, "s")).body())

    ids = (document(number), UUID(document(number)).hex)
    for form in _forms(body):
        for hidden in (*ids, *([] if secret in public else [secret])):
            assert hidden not in form


def _forms(body: str) -> list[str]:
    """Give an answer with its decoded forms: URL escapes, base64 and base32 runs."""
    forms = [body, unquote(body)]
    for token in body.replace('"', " ").replace("/", " ").split():
        for decode in (base64.urlsafe_b64decode, base64.b32decode):
            forms += _decoded(decode, token)
    return forms


def _decoded(decode: Any, token: str) -> list[str]:
    padded = (token.upper() if decode is base64.b32decode else token) + "=" * (
        -len(token) % 8
    )
    try:
        raw = decode(padded)
    except ValueError:
        return []
    return [raw.decode("latin-1"), raw.hex()]
