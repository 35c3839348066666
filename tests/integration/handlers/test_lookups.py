"""Look-ups by ref and code, side by side, and records read in full."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from psycopg import sql

from infra.local.demo import shop
from infra.local.stack import Stack
from tests.integration.handlers.conftest import Call, Send, told
from tests.unit.edge.fake_agent import ERAS
from vitrine.edge.lines import LARGEST

TRUSTED = {"media": "trusted", "persons": "trusted", "events": "trusted"}


@pytest.fixture
def shopped(call: Call) -> list[dict[str, Any]]:
    """Three products that this test's shopper has been shown."""
    found = call("search_products", query="lamp", limit=3)["structuredContent"]
    hits: list[dict[str, Any]] = found["hits"]
    assert len(hits) == 3
    return hits


def test_products_are_compared_side_by_side(
    call: Call, shopped: list[dict[str, Any]]
) -> None:
    refs = [hit["ref"] for hit in shopped]

    answer = call("get_products", refs=refs, fields=["price", "material", "sku"])

    data, lines = answer["structuredContent"], told(answer).splitlines()
    assert refs == [hit["ref"] for hit in data["hits"]]
    assert {"ref", "title", "price", "material", "sku"} >= set(data["hits"][0])
    (row,) = [line for line in lines if line.startswith("material")]
    assert row.count("|") == len(refs)
    assert len({line.index("|") for line in lines if "|" in line}) == 1


def test_a_code_finds_what_its_ref_finds(
    call: Call, shopped: list[dict[str, Any]]
) -> None:
    hit = call("get_products", refs=[shopped[0]["ref"]])["structuredContent"]["hits"][0]
    sku, gtin = hit["sku"], hit["gtin"]

    for code in (sku, sku.lower().replace("-", " "), gtin):
        again = call("get_products", refs=[code])["structuredContent"]
        assert hit["ref"] == again["hits"][0]["ref"]
        assert not again["missing"]


def test_misses_are_named_one_by_one(call: Call, shopped: list[dict[str, Any]]) -> None:
    unknown = ["NO-SUCH-SKU", "a" * 26, "0000000000000", "x" * 64]

    answer = call("get_products", refs=[shopped[0]["ref"], *unknown])

    assert unknown == answer["structuredContent"]["missing"]
    assert all(name in told(answer) for name in unknown)
    assert len(answer["structuredContent"]["hits"]) == 1


def test_what_was_seen_today_is_looked_up_for_nothing(
    call: Call, shopped: list[dict[str, Any]]
) -> None:
    first = call("get_products", refs=[h["ref"] for h in shopped])
    again = call("get_products", refs=[h["ref"] for h in shopped])

    left = [a["structuredContent"]["budget"]["day_left"] for a in (first, again)]
    assert left[0] == left[1] == 150 - 3


def test_a_parts_list_of_sixty_lines_ends_in_one_session(
    call: Call, shopped: list[dict[str, Any]]
) -> None:
    """What can be named is no crawl: a session's documents do not bound it."""
    kept = filter(shop.publishable, shop.records("aurore", 200))
    skus = list(dict.fromkeys(record["sku"] for record in kept))[:60]

    pages = [call("get_products", refs=skus[at : at + 10]) for at in range(0, 60, 10)]

    assert not [told(page) for page in pages if page.get("isError")]
    answers = [page["structuredContent"] for page in pages]
    assert [10] * 6 == [len(answer["hits"]) for answer in answers]
    assert not [answer["missing"] for answer in answers if answer["missing"]]
    assert answers[-1]["budget"]["day_left"] >= 150 - len(shopped) - 60


def test_misses_have_a_budget_of_their_own(
    call: Call, shopped: list[dict[str, Any]]
) -> None:
    """Fifty a day: a list of guesses is soon at its end."""
    answers = [
        call("get_products", refs=[f"GUESS-{n}-{i}" for i in range(10)])
        for n in range(6)
    ]
    known = call("get_products", refs=[shopped[0]["ref"]])

    *within, over = answers
    assert not any(answer.get("isError") for answer in within)
    assert over["isError"]
    assert "find nothing" in told(over)
    assert "resets at" in told(over)
    assert known["structuredContent"]["hits"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"refs": []}, "1 to 10"),
        ({"refs": [f"r{n}" for n in range(11)]}, "1 to 10"),
        ({"refs": ["x"], "fields": ["supplier_quota"]}, "fields"),
        ({"refs": [{"ref": "x"}]}, "short texts"),
        ({"skus": ["x"]}, "is called refs here"),
        ({}, "1 to 10"),
    ],
)
def test_a_bad_look_up_says_what_would_be_right(
    call: Call, arguments: dict[str, Any], said: str
) -> None:
    answer = call("get_products", **arguments)

    assert answer["isError"]
    assert said in told(answer)
    assert "purchase_cost" not in told(answer)


@pytest.fixture
def long_note(seeded: Stack) -> str:
    """A media item with a text that fills several answers, visible to all."""
    text = "\n".join(f"line {n} of the long story" for n in range(600))
    order = sql.SQL(
        "INSERT INTO library.assets (tenant, language, kind, status, title,"
        " description, occurred_at, owner, is_public) VALUES ('aurore', 'en',"
        " 'photo', 'validated', 'The zzlong story', %s, now(), 'x', true)"
    )
    with psycopg.connect(seeded.dsn) as connection:
        connection.execute(order, (text,))
    return text


def test_a_record_is_read_in_parts(
    call: Call, token: Callable[..., str], long_note: str
) -> None:
    bearer = token(profile=TRUSTED)
    (hit,) = call("search_media", bearer, query="zzlong")["structuredContent"]["hits"]

    parts, offset = [], 0
    while True:
        asked = {"source": "media", "ref": hit["ref"], "offset": offset}
        answer = call("get_record", bearer, **asked)
        data = answer["structuredContent"]
        assert (
            max(len(json.dumps(data).encode()), len(told(answer).encode())) <= LARGEST
        )
        parts.append(data["text"])
        if "next_offset" not in data:
            break
        offset = data["next_offset"]

    assert len(parts) > 1
    assert len(hit["description"]) <= 281
    whole = "".join(parts).replace("\n  ", "\n")
    assert long_note in whole


def hits(call: Call, bearer: str, **asked: Any) -> list[str]:
    """Give the refs that a search of events shows."""
    found = call("search_events", bearer, **asked)["structuredContent"]["hits"]
    return [hit["ref"] for hit in found]


def test_a_record_that_is_not_there_is_one_answer(
    call: Call, token: Callable[..., str]
) -> None:
    """Unknown, foreign, hidden, never shown: alike, and only what was shown is read."""
    aurore, boreal, nora = (
        token(profile=TRUSTED, **claims)
        for claims in ({}, {"tenant": "boreal"}, {"user": "nora"})
    )
    (foreign, *_) = hits(call, boreal, query="Marie")
    everybodys = set(hits(call, aurore, query="Marie", limit=10))
    noras = hits(call, nora, filters=[RECENT], limit=10)
    others = [ref for ref in noras if ref not in everybodys]
    refs = ["a" * 26, "nonsense", "", foreign, *others[:3]]

    answers = {
        ref: call("get_record", aurore, source="events", ref=ref) for ref in refs
    }
    shown = call("get_record", nora, source="events", ref=others[0])

    assert len({json.dumps(answer) for answer in answers.values()}) == 1
    assert answers[foreign]["isError"]
    assert not shown.get("isError")


# Not by the calendar: the demo's events end on a fixed day.
RECENT = {"field": "happened_on", "operator": "after", "value": "2026-10-30"}


def test_a_record_that_was_shown_and_is_hidden_since_is_the_same_answer(
    call: Call, token: Callable[..., str], seeded: Stack
) -> None:
    bearer, text = token(profile=TRUSTED), "zzvanish contract"
    with psycopg.connect(seeded.dsn) as connection:
        connection.execute(_PUBLIC, (text,))
    (ref,) = hits(call, bearer, query="zzvanish")
    before = call("get_record", bearer, source="events", ref=ref)
    with psycopg.connect(seeded.dsn) as connection:
        connection.execute(_HIDE, (text,))

    after = call("get_record", bearer, source="events", ref=ref)
    unknown = call("get_record", bearer, source="events", ref="a" * 26)

    assert text in told(before)
    assert after == unknown


_PUBLIC = sql.SQL(
    "INSERT INTO crm.events (tenant, id, language, kind, content, owner, is_public)"
    " VALUES ('aurore', gen_random_uuid(), 'en', 'note', %s, 'somebody', true)"
)
_HIDE = sql.SQL("UPDATE crm.events SET is_public = false WHERE content = %s")


def test_a_capped_profile_has_no_tool_that_reads_whole_records(
    send: Send, token: Callable[..., str]
) -> None:
    listed = send(ERAS[1], "tools/list", token()).json["result"]["tools"]

    assert "get_record" not in {tool["name"] for tool in listed}
