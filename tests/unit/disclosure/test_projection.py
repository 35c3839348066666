from __future__ import annotations

import json
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.disclosure.shop import registry
from vitrine.disclosure.projection import View, project
from vitrine.disclosure.shapes import StrayValue, preview
from vitrine.seal import Refs
from vitrine.search.engine import Row

NOW = datetime(2026, 8, 2, 12, tzinfo=UTC)
ID = "018f3c1e-7c1a-7b7e-9d62-1f2a3b4c5d6e"
REFS = Refs(bytes(32))
REF = REFS.ref("demo", "shop", ID)
VALUES = {
    "name": "Red chair",
    "name_fr": "Chaise rouge",
    "description": "Oak.",
    "sku": "6205-2RS",
    "slug": "chaise/é 1",
    "colour": "red",
    "rooms": ["living", "hall"],
    "price": 4_990,
    "width": Decimal("45.50"),
    "added": date(2026, 5, 1),
    "changed": "2026-05-01T10:00:00+00:00",
    "opens": time(9, 30),
    "in_stock": True,
    "purchase_cost": 1_234,
    "supplier": "Hidden & Sons",
    "stock_id": "S-1",
}


def view(profile: str = "closed", language: str = "en", **changes: Any) -> View:
    return View(registry(profile, **changes), language, REFS, NOW)


def hit(language: str = "en", **values: Any) -> dict[str, Any]:
    return project(Row(ID, VALUES | values), view(language=language))


def test_a_hit_is_the_public_facts_of_a_row() -> None:
    assert hit() == {
        "ref": REF,
        "title": "Red chair",
        "url": f"https://shop.example/p/chaise%2F%C3%A9%201/{REF}",
        "name": "Red chair",
        "description": "Oak.",
        "sku": "6205-2RS",
        "slug": "chaise/é 1",
        "colour": "red",
        "rooms": ["salon", "hall"],
        "price": {"amount": "49.90", "currency": "EUR", "display": "€49.90"},
        "width": 45.5,
        "added": "2026-05-01",
        "changed": "2026-05-01T10:00:00+00:00",
        "opens": "09:30:00",
        "in_stock": True,
    }


@pytest.mark.parametrize(
    ("language", "title", "colour", "price"),
    [
        ("fr", "Chaise rouge", "rouge", "49,90\u00a0€"),
        ("fr-CA", "Chaise rouge", "rouge", "49,90\u00a0€"),
        ("de", "Red chair", "red", "€49.90"),
    ],
)
def test_names_labels_and_prices_follow_the_language(
    language: str, title: str, colour: str, price: str
) -> None:
    told = hit(language)

    assert (title, title, colour) == (told["title"], told["name"], told["colour"])
    assert told["price"]["display"] == price


def test_a_missing_translation_falls_back() -> None:
    assert hit("fr", name_fr=None)["title"] == "Red chair"
    assert hit("fr", colour="green")["colour"] == "green"


@pytest.mark.parametrize("profile", ["closed", "trusted"])
def test_only_listed_fields_leave(profile: str) -> None:
    told = project(Row(ID, VALUES), view(profile))

    assert "supplier" in told if profile == "trusted" else "supplier" not in told
    assert not {"purchase_cost", "stock_id", "id"} & set(told)


@pytest.mark.parametrize("value", [None, "", [], ()])
def test_a_missing_value_is_left_out(value: Any) -> None:
    assert "sku" not in hit(sku=value)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("name", {"secret": 1}),
        ("name", ["a", "b"]),
        ("name", 5),
        ("name", b"bytes"),
        ("price", "4990"),
        ("price", True),
        ("price", 49.905),
        ("price", float("nan")),
        ("width", Decimal("Infinity")),
        ("width", [1, 2]),
        ("in_stock", 1),
        ("added", 20_574),
        ("added", "soon"),
        ("opens", "25:00"),
        ("colour", "ultraviolet"),
    ],
)
def test_what_a_type_can_not_show_is_dropped_loudly(key: str, value: Any) -> None:
    with pytest.warns(StrayValue, match=f"shop.{key}") as caught:
        told = hit(**{key: value})

    assert key not in told
    assert str(value) not in str(caught[0].message)


def test_a_stray_value_among_several_is_dropped_alone() -> None:
    with pytest.warns(StrayValue):
        assert hit(rooms=["living", {"x": 1}])["rooms"] == ["salon"]


@pytest.mark.parametrize("slug", [None, "", ["a"]])
@pytest.mark.filterwarnings("ignore::vitrine.disclosure.shapes.StrayValue")
def test_no_half_filled_url_leaves(slug: Any) -> None:
    assert "url" not in hit(slug=slug)


def test_a_url_is_made_of_public_fields_alone() -> None:
    template = {"title": "name", "url": "https://shop.example/{supplier}"}

    assert "url" not in project(Row(ID, VALUES), view(hit=template))


@pytest.mark.parametrize(("age", "expected"), [(86_400, {}), (86_401, {"stale": True})])
def test_a_hit_says_since_when_and_whether_that_is_too_long_ago(
    age: int, expected: dict[str, Any]
) -> None:
    moment = (NOW - timedelta(seconds=age)).isoformat()

    told = hit(as_of=moment)

    assert told["as_of"] == moment
    assert {k: v for k, v in told.items() if k == "stale"} == expected


@pytest.mark.parametrize(
    ("advice", "language"),
    [
        ("check in the shop", "en"),
        ("vérifiez en magasin", "fr-CA"),
        ("check in the shop", "de"),
    ],
)
def test_a_stale_hit_says_nothing_of_what_perishes(advice: str, language: str) -> None:
    perishing = {"title": "name", "perishable": ["in_stock"]}
    old = {**VALUES, "as_of": (NOW - timedelta(days=2)).isoformat()}
    fresh = {**VALUES, "as_of": NOW.isoformat()}

    told = project(Row(ID, old), view(language=language, hit=perishing))
    now = project(Row(ID, fresh), view(language=language, hit=perishing))

    assert (advice, True) == (told["advice"], told["stale"])
    assert "in_stock" not in told
    assert "in_stock" in now
    assert not {"advice", "stale"} & set(now)


LOCALES = {
    "en": {"url": "https://shop.example/en/{slug}"},
    "fr": {
        "title": "name_fr",
        "url": "https://shop.example/fr/{slug}",
        "fields": {"description": "supplier"},
    },
}


@pytest.mark.parametrize(
    ("title", "folder", "stated", "language"),
    [
        ("Oak table", "en", None, "en-GB"),
        ("Table en chêne", "fr", None, "fr"),
        ("Oak table", "en", "en", "de"),
    ],
)
def test_a_hit_is_in_the_caller_s_language_or_says_in_which(
    title: str, folder: str, stated: str | None, language: str
) -> None:
    row = Row(ID, {**VALUES, "name": "Oak table", "name_fr": "Table en chêne"})

    told = project(row, view(language=language, locales=LOCALES))

    assert (title, stated) == (told["title"], told.get("language"))
    assert told["url"].startswith(f"https://shop.example/{folder}/")


def test_a_hit_without_the_caller_s_language_falls_back_and_says_so() -> None:
    row = Row(ID, {**VALUES, "name": "Oak table", "name_fr": None})

    told = project(row, view(language="fr", locales=LOCALES))

    assert ("Oak table", "en") == (told["title"], told["language"])


def test_a_locale_shows_no_field_that_the_profile_does_not_list() -> None:
    row = Row(ID, {**VALUES, "supplier": "Secret Ltd"})

    assert "Secret" not in json.dumps(
        project(row, view(language="fr", locales=LOCALES))
    )


def test_a_hit_found_by_widening_says_so() -> None:
    assert project(Row(ID, VALUES, "typo"), view())["mode"] == "typo"
    assert "mode" not in hit()


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ("short", "short"),
        ("one two", " one \n\t two "),
        ("12345678 1…", "12345678 1 3456"),
        ("12345678…", "12345678, 123456"),
        ("12345678…", "12345678 1234567"),
        ("12345678901…", "1234567890123456"),
        ("123456789 12", "123456789 12"),
    ],
)
def test_a_preview_ends_at_a_word(expected: str, text: str) -> None:
    assert preview(text, 12) == expected


@given(st.text(max_size=700))
def test_a_preview_is_short_and_begins_the_text(text: str) -> None:
    cut = preview(text)

    assert len(cut) <= 280
    assert " ".join(text.split()).startswith(cut.removesuffix("…"))


def test_long_texts_are_previewed() -> None:
    assert hit(description="word " * 100)["description"].endswith("word…")


@pytest.mark.parametrize(
    ("currency", "cents", "amount", "english", "french"),
    [
        ("EUR", 4_990, "49.90", "€49.90", "49,90\u00a0€"),
        ("EUR", 0, "0.00", "€0.00", "0,00\u00a0€"),
        ("EUR", -500, "-5.00", "-€5.00", "-5,00\u00a0€"),
        ("USD", 123_456_700, "1234567.00", "$1,234,567.00", None),
        ("CHF", 1_000, "10.00", "CHF\u00a010.00", "10,00\u00a0CHF"),
        ("JPY", 1_200, "1200", "¥1,200", "1\u202f200\u00a0¥"),
    ],
)
def test_prices_are_facts_and_displayed(
    currency: str, cents: int, amount: str, english: str, french: str | None
) -> None:
    from vitrine.disclosure.prices import price

    told = price(Decimal(cents), currency, "en-GB")

    assert told == {"amount": amount, "currency": currency, "display": english}
    in_french = price(Decimal(cents), currency, "fr")
    assert french is None or (in_french or {})["display"] == french


def test_a_hit_is_json() -> None:
    assert json.loads(json.dumps(hit())) == hit()
