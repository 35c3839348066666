from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitrine.disclosure.answer import Answer, Total
from vitrine.edge.lines import LARGEST
from vitrine.edge.tables import aligned, compared, whole
from vitrine.search.lookup import Looked

OAK = {"ref": "r1", "title": "Oak table", "material": ["oak"], "width": 120}
PINE = {"ref": "r2", "title": "Pine bench with a back", "material": ["pine"]}


def looked(*hits: dict[str, Any], missing: tuple[str, ...] = ()) -> Looked:
    return Looked(Answer(hits, {}, Total(len(hits)), {}), missing)


def test_columns_stand_under_each_other_and_gaps_are_seen() -> None:
    lines = list(aligned([OAK, PINE]))

    assert len({line.index("|") for line in lines}) == 1
    (width,) = [line for line in lines if line.startswith("width")]
    assert width.endswith("–")


def test_fields_that_were_asked_for_come_with_ref_and_title() -> None:
    data, _ = compared(looked(OAK, PINE), ["width"], nonce="n")

    assert [{"ref", "title", "width"}, {"ref", "title"}] == [
        set(hit) for hit in data["hits"]
    ]


def test_what_was_not_found_is_said_in_both_channels() -> None:
    data, text = compared(looked(OAK, missing=("x-1", "x-2")), [], nonce="n")

    assert data["missing"] == ["x-1", "x-2"]
    assert "Not found: x-1, x-2." in text


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from([f"field_{n}" for n in range(40)]),
            st.text(max_size=600),
            max_size=40,
        ),
        max_size=10,
    )
)
def test_a_comparison_stays_below_eight_kilobytes(hits: list[dict[str, str]]) -> None:
    named = [h | {"ref": "r" * 26, "title": "t" * 60} for h in hits]

    data, text = compared(looked(*named), [], nonce="n")

    assert len(data["hits"]) == len(hits)
    assert len(json.dumps(data, ensure_ascii=False).encode()) <= LARGEST
    assert len(text.encode()) <= LARGEST


@given(st.text(min_size=1, max_size=20_000), st.sampled_from(["", "\\", '"', "é\n"]))
def test_a_record_is_whole_when_its_parts_are_joined(text: str, more: str) -> None:
    record = {"ref": "r1", "title": "T", "content": text + more * 2_000}
    parts, offset = [], 0

    while True:
        data, lines = whole(record, offset, nonce="n")
        assert len(json.dumps(data, ensure_ascii=False).encode()) <= LARGEST
        assert len(lines.encode()) <= LARGEST
        parts.append(data["text"])
        if "next_offset" not in data:
            break
        assert data["next_offset"] > offset
        offset = data["next_offset"]

    said = "\n  ".join(record["content"].splitlines())
    assert "".join(parts) == f"ref: r1\ntitle: T\ncontent: {said}"


@pytest.mark.parametrize("offset", [10_000, 10**7])
def test_beyond_its_end_a_record_has_no_more(offset: int) -> None:
    data, _ = whole({"ref": "r1", "title": "T"}, offset, nonce="n")

    assert (data["text"], "next_offset" in data) == ("", False)
