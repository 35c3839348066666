"""What a new manifest opens: each widening is told, a narrowing is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from infra.local.demo import shop
from vitrine.registry.manifest import Manifest
from vitrine.registry.widening import approval, public_fields, widenings

Change = Callable[[dict[str, Any]], None]


def changed(change: Change) -> Manifest:
    raw = shop.manifest().model_dump(mode="json")
    change(raw)
    return Manifest.model_validate(raw)


def opened(change: Change) -> tuple[str, ...]:
    published = dict.fromkeys(shop.manifest().profiles, shop.manifest())
    return widenings(published, changed(change))  # type: ignore[arg-type] # names are str


def closed(raw: dict[str, Any]) -> Any:
    return raw["profiles"]["closed"]


def budget(raw: dict[str, Any], **figures: Any) -> None:
    closed(raw)["budget"].update(figures)


def field(raw: dict[str, Any], key: str) -> Any:
    return next(f for f in raw["fields"] if f["key"] == key)


WIDER: list[tuple[str, Change]] = [
    ("closed: filter origin", lambda r: closed(r)["filter"].append("origin")),
    ("closed: output weight", lambda r: closed(r)["output"].append("weight")),
    ("closed: sort width", lambda r: closed(r)["sort"].append("width")),
    ("closed: search origin", lambda r: closed(r)["search"].append("origin")),
    ("closed: facet origin", lambda r: closed(r).update(facet=["origin"])),
    ("closed: session 40 → 60", lambda r: budget(r, session=60)),
    ("closed: answer 10 → 11", lambda r: budget(r, answer=11)),
    (
        "closed: day.share 0.002 → 0.5",
        lambda r: budget(r, day={"floor": 150, "share": 0.5}),
    ),
    ("closed: misses 50 → 51", lambda r: budget(r, misses=51)),
    ("closed: k 10 → 5", lambda r: closed(r).update(k=5)),
    (
        "trusted: filter stock_id",
        lambda r: r["profiles"]["trusted"].update(filter=["*"]),
    ),
    ("closed: looked up by name", lambda r: r["hit"]["identifiers"].append("name")),
    ("closed: description in full", lambda r: r["hit"].update(preview=[])),
    ("closed: records whatever published is", lambda r: r["origin"].update(only={})),
    (
        "closed: records whatever published is",
        lambda r: r["origin"].update(only={"published": [True, False]}),
    ),
    (
        "closed: stock_id sampled",
        lambda r: field(r, "stock_id").update(sensitive=False),
    ),
    ("closed: price in finer steps", lambda r: field(r, "price")["steps"].append(7)),
    ("closed: price in finer steps", lambda r: field(r, "price").update(steps=[])),
]


@pytest.mark.parametrize(("line", "change"), WIDER)
def test_each_widening_is_told(line: str, change: Change) -> None:
    assert line in opened(change)


NARROWER: list[Change] = [
    lambda _: None,
    lambda r: closed(r)["filter"].remove("width"),
    lambda r: closed(r)["output"].remove("width"),
    lambda r: budget(r, session=10),
    lambda r: closed(r).update(k=20),
    lambda r: r["profiles"].pop("trusted"),
    lambda r: r["origin"].update(only={"published": [True], "tenant": ["aurore"]}),
    lambda r: field(r, "price")["steps"].pop(),
    lambda r: field(r, "brand")["choices"].pop(),
    lambda r: field(r, "brand").update(sensitive=True),
]


@pytest.mark.parametrize("change", NARROWER)
def test_nothing_else_is(change: Change) -> None:
    assert opened(change) == ()


def test_a_new_profile_opens_all_that_it_has() -> None:
    opens = widenings({}, shop.manifest())

    assert "trusted: a new profile" in opens
    assert "closed: facet material" in opens
    assert "closed: day.floor 0 → 150" in opens
    assert "trusted: no budget" in opens


def test_an_approval_is_for_these_lines_alone() -> None:
    one = approval("aurore", "products", ("closed: filter origin",))

    others = {
        approval("aurore", "products", ("closed: filter weight",)),
        approval("boreal", "products", ("closed: filter origin",)),
        approval("aurore", "parts", ("closed: filter origin",)),
        approval("aurore", "products", ()),
    }

    assert one not in others
    assert one == approval("aurore", "products", ("closed: filter origin",))


def test_public_fields_are_those_of_any_list() -> None:
    fields = public_fields(shop.manifest(), "closed")

    assert {"material", "slug", "description_fr"} <= set(fields)
    assert not {"stock_id", "purchase_cost", "weight"} & set(fields)
