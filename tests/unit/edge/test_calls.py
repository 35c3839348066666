from __future__ import annotations

from typing import Any

import pytest

from vitrine.edge import calls
from vitrine.problems import Invalid

SOURCES = ("events", "products")


def test_keys_are_read_once_in_their_order() -> None:
    assert ("b", "a") == calls.get({"refs": ["b", "a", "b"]}).keys


@pytest.mark.parametrize("sent", ['["a", "b"]', ["a", "b"], ["a", " b "]])
def test_m01_a_list_may_come_as_its_text(sent: Any) -> None:
    assert ("a", "b") == calls.get({"refs": sent}).keys


def test_a_lone_key_and_a_gtin_that_came_as_a_number_are_read() -> None:
    assert ("SKU-1",) == calls.get({"refs": "SKU-1"}).keys
    assert ("3760000000017",) == calls.get({"refs": [3760000000017]}).keys


@pytest.mark.parametrize("sent", [None, [], "null", ["x"] * 0, [{}], ["x" * 65], [""]])
def test_what_names_nothing_is_refused(sent: Any) -> None:
    with pytest.raises(Invalid) as refusal:
        calls.get({"refs": sent})

    assert refusal.value.faults[0].pointer == "/refs"


@pytest.mark.parametrize(
    "given",
    [
        {"source": "events"},
        {"source": "events", "session": "s", "query": "x"},
        {"source": "nowhere", "session": "s"},
        {"session": "s"},
    ],
)
def test_an_explanation_is_of_one_search_of_one_source(given: dict[str, Any]) -> None:
    with pytest.raises(Invalid):
        calls.explain(given, SOURCES)


def test_a_lone_source_need_not_be_named() -> None:
    assert calls.sentence({"message": "hello"}, ["shop"]).source == "shop"


@pytest.mark.parametrize("offset", [-1, True, "x", 1.5, 10**9])
def test_an_offset_is_a_whole_number(offset: Any) -> None:
    with pytest.raises(Invalid):
        calls.record({"source": "events", "ref": "r", "offset": offset}, SOURCES)


@pytest.mark.parametrize(
    ("broken", "pointer"),
    [
        ({"text": ""}, "/text"),
        ({"text": "x" * 4_001}, "/text"),
        ({"text": 5}, "/text"),
        ({"text": "a\0b"}, "/text"),
        ({"text": "a\ud800b"}, "/text"),
        ({"request_id": "r\0"}, "/request_id"),
        ({"request_id": None}, "/request_id"),
        ({"people": [f"p{n}" for n in range(6)]}, "/people"),
        ({"author": "me"}, "/author"),
        ({"id": "x"}, "/id"),
    ],
)
def test_a_note_that_can_not_be_kept_is_refused(
    broken: dict[str, Any], pointer: str
) -> None:
    with pytest.raises(Invalid) as refusal:
        calls.note({"text": "hello", "request_id": "r"} | broken)

    assert refusal.value.faults[0].pointer == pointer


def test_a_sentence_is_two_thousand_characters_at_most() -> None:
    longest = "x" * 2_000

    assert longest == calls.sentence({"message": longest}, ["shop"]).message
    with pytest.raises(Invalid) as refusal:
        calls.sentence({"message": longest + "x"}, ["shop"])
    assert refusal.value.faults[0].pointer == "/message"
    assert "2000" in refusal.value.faults[0].remedy
