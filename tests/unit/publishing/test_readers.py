"""Files of lines, the notebook and the bar."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from infra.local.demo import shop
from infra.publishing.bar import Bar
from infra.publishing.readers import Lines, Moved
from infra.publishing.state import Notebook, State
from vitrine.typesense.publish import Progress

STATE = State("what", "20261130T000000000000", "2026-11-30T00:00:00+00:00")


@pytest.fixture
def lines(tmp_path: Path) -> Lines:
    path = tmp_path / "export.jsonl"
    records = [{"id": f"R{n}", "name": "a\u2028b"} for n in range(4)]
    text = "\n\n".join(json.dumps(r, ensure_ascii=False) for r in records)
    path.write_text(text, encoding="utf-8")
    return Lines(path, shop.manifest())


@pytest.mark.parametrize(
    ("ids", "done"),
    [
        (["R0", "R1", "R2", "R3"], Progress()),
        (["R2", "R3"], Progress(2, 0, "R1")),
        ([], Progress(4, 0, "R3")),
    ],
)
def test_a_file_is_read_after_what_is_taken(
    lines: Lines, ids: list[str], done: Progress
) -> None:
    assert ids == [record["id"] for record in lines.records(done)]
    assert lines.count() == 4


@pytest.mark.parametrize("done", [Progress(2, 0, "R0"), Progress(5, 0, "R4")])
def test_a_file_that_changed_says_so(lines: Lines, done: Progress) -> None:
    with pytest.raises(Moved):
        list(lines.records(done))


def test_a_notebook_gives_back_what_it_was_told(tmp_path: Path) -> None:
    notes = Notebook(tmp_path / "deep" / "state.json")

    assert notes.read() is None
    notes.write(STATE)
    assert notes.read() == STATE
    notes.end()
    notes.end()
    assert notes.read() is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"other": 1}', "null"])
def test_what_is_no_notebook_is_no_run(tmp_path: Path, text: str) -> None:
    notes = Notebook(tmp_path / "state.json")
    notes.path.write_text(text)

    assert notes.read() is None


def test_a_bar_says_a_line_each_tenth_in_a_log() -> None:
    out = io.StringIO()
    bar = Bar("publishing", 100, out)

    for done in range(0, 100, 5):
        bar.show(done)
    bar.end(100)

    assert len(out.getvalue().splitlines()) == 11
    assert out.getvalue().endswith("100 / 100\n")


def test_a_bar_without_an_end_counts() -> None:
    out = io.StringIO()
    Bar("looking", None, out).end(12_345)

    assert out.getvalue() == "looking 12,345\n"
