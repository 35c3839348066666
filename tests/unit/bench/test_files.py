"""Whatever file a bench is given, its last line is JSON and its code tells the end."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from infra.bench import __main__ as bench
from infra.bench.files import Unfit, document, lines
from infra.bench.rank import _documents, _judgments, _queries

FIELDS = [
    {"key": "Colour ✓", "label": "colour", "type": "odd", "values": ["red", 3]},
    {"key": "price", "label": "price", "type": "number", "values": ["1"]},
    {"key": "when", "label": "when", "type": "time", "values": []},
    {"key": "day", "label": "day", "type": "date", "values": []},
    {"key": "bare", "type": "boolean"},
]


def said(*rules: Any, **more: Any) -> dict[str, Any]:
    gold = {"rule_group": {"combinator": "and", "rules": list(rules)}}
    usual = {"id": "x", "lang": "en", "fields": FIELDS, "utterance": "red under 5"}
    return usual | {"gold": gold} | more


def rule(field: str, operator: str, value: Any = None) -> dict[str, Any]:
    return {"field": field, "operator": operator, "value": value}


READABLE = {
    "an operator of nobody": said(rule("price", "sounds_like", "x")),
    "an operator of ours": said(rule("price", "less_than", 5)),
    "a time before another": said(rule("when", "<", "18:30")),
    "a day that is none": said(rule("day", ">", "soon"), rule("day", "<", 1990)),
    "no gold": said(gold=None),
    "no tree": said(gold={"rule_group": None}),
    "no words": said(utterance=""),
    "another language": said(lang="de"),
    "hostile words": said(utterance="a\0 \ud83d red " + "x" * 3_000),
}
UNFIT = {
    "a field that is none": json.dumps(said(rule("nope", "=", 1))),
    "a registry that is none": json.dumps(said() | {"registry": "n"}).replace(
        '"fields"', '"others"'
    ),
    "no JSON": "{oops",
    "no object": "[1]",
    "nothing": "\n  \n",
    "another form": '{"id": "1", "text": "a"}',
}


def ran(capsys: Any, *arguments: str) -> tuple[int, dict[str, Any]]:
    code = bench.main([*arguments])
    return code, json.loads(capsys.readouterr().out.splitlines()[-1])


@pytest.mark.parametrize("name", READABLE)
def test_an_odd_sentence_is_scored(name: str, tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "odd.jsonl"
    # With a mark in front and blank lines between, as editors leave them.
    file.write_text(f"\ufeff{json.dumps(READABLE[name])}\n\n  \n", "utf-8")

    read, merged = (ran(capsys, c, str(file)) for c in ("interpret", "merge"))

    assert (0, 1, 1) == (read[0], read[1]["n"], read[1]["by_lang"].popitem()[1]["n"])
    assert (0, 1, 1.0) == (merged[0], merged[1]["turns"], merged[1]["joint_accuracy"])


@pytest.mark.parametrize("command", ["interpret", "merge"])
@pytest.mark.parametrize("name", UNFIT)
def test_what_can_t_be_read_is_told_by_line(
    name: str, command: str, tmp_path: Path, capsys: Any
) -> None:
    file = tmp_path / "unfit.jsonl"
    file.write_text(UNFIT[name], "utf-8")

    code, last = ran(capsys, command, str(file))

    assert (2, ["error"]) == (code, [*last])
    assert "unfit.jsonl" in last["error"]


@pytest.mark.parametrize("command", ["interpret", "merge", "rank"])
def test_a_file_that_is_not_there_is_told(command: str, capsys: Any) -> None:
    code, last = ran(capsys, command, "/nowhere.jsonl", *["/n"] * (command == "rank"))

    assert 2 == code
    assert "/nowhere.jsonl" in last["error"]


def test_a_compressed_file_is_read_and_a_broken_one_told(tmp_path: Path) -> None:
    packed, broken = tmp_path / "a.jsonl.gz", tmp_path / "b.jsonl"
    packed.write_bytes(gzip.compress(b'{"a": 1}\n'))
    broken.write_bytes(b'{"a": "\xff"}')

    assert [{"a": 1}] == list(lines(packed))
    for read in (lambda: list(lines(broken)), lambda: document(broken)):
        with pytest.raises(Unfit):
            read()


@pytest.mark.parametrize(
    ("qrels", "relevant"),
    [
        ({"7": 1, "8": 0, "9": 2}, ["7", "9"]),
        ({"7": "1"}, ["7"]),
        ([7, "x"], ["7", "x"]),
        ({}, []),
        (None, []),
    ],
)
def test_what_is_judged_zero_is_not_relevant(qrels: Any, relevant: list[str]) -> None:
    assert relevant == _judgments({"qrels": qrels})


def test_documents_lose_what_is_stored_nowhere_and_keep_any_id(tmp_path: Path) -> None:
    file = tmp_path / "docs.jsonl"
    file.write_text('{"id": 7, "text": "a\\u0000b"}\n{"id": "é /x", "title": null}')

    assert [
        {"id": "7", "title": "", "text": "a b"},
        {"id": "é /x", "title": "", "text": ""},
    ] == _documents(file)


@pytest.mark.parametrize("read", [_documents, _queries])
def test_a_set_with_nothing_to_rank_is_refused(read: Any, tmp_path: Path) -> None:
    file = tmp_path / "none.jsonl"
    file.write_text('{"id": "1", "text": "", "qrels": {"2": 0}}')

    with pytest.raises(Unfit):
        read(file)
