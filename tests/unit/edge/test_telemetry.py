from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from io import StringIO
from typing import Any

import pytest

from vitrine.caller import Caller, Surface
from vitrine.disclosure.answer import Answer, Remainder, Total
from vitrine.edge import telemetry
from vitrine.edge.failures import Failed
from vitrine.interpret.loop import Tally
from vitrine.interpret.turn import Outcome
from vitrine.session import Turn
from vitrine.tree.model import Group, Rule
from vitrine.tree.walk import tree_hash

SECRET = "zwiebelmuster"
TREE = Group(rules=(Rule("full_text_search", "keyword_search", SECRET),))
ALICE = Caller("t", "alice@example.org", "desk", surface=Surface.GALLERY)
LEFT = Remainder(20, 140, datetime(2026, 12, 1, tzinfo=UTC))
HANDLER: Any = telemetry.logger.registered_handler
PAGE = Answer(({"ref": "r"},), {}, Total(1), {"mode": "strict"}, LEFT)


@dataclass
class Context:
    """What Powertools reads of a Lambda context."""

    function_name: str = "f"
    memory_limit_in_mb: int = 128
    invoked_function_arn: str = "arn"
    aws_request_id: str = "id"


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def written(capsys: pytest.CaptureFixture[str]) -> Any:
    """Run something as a function would, and give what it wrote."""
    # The logger keeps the stream of its making, which pytest has replaced since.
    stream = StringIO()
    kept = HANDLER.setStream(stream)

    def run(work: Any) -> list[dict[str, Any]]:
        event = {"requestContext": {"requestId": "r-7"}}
        with suppress(Failed):
            telemetry.observed(lambda _event, _context: work())(event, Context())
        return lines(stream.getvalue() + capsys.readouterr().out)

    yield run
    HANDLER.setStream(kept)


def test_a_query_is_one_line_without_person_or_words(written: Any) -> None:
    found = written(
        lambda: telemetry.searched(ALICE, "products", answer=PAGE, tree=TREE)
    )

    (line,) = [each for each in found if each.get("message") == "query"]
    assert ALICE.identity == line["identity"]
    assert tree_hash(TREE) == line["tree"]
    assert (
        line["correlation_id"],
        line["client"],
        line["surface"],
    ) == ("r-7", "desk", "gallery")
    assert (line["fields"], line["mode"]) == (["full_text_search"], "strict")
    assert [line[k] for k in ("shown", "session_left", "day_left")] == [1, 20, 140]
    assert SECRET not in json.dumps(found)
    assert "alice" not in json.dumps(found)


def test_a_turn_is_one_line_with_its_metrics(written: Any) -> None:
    turn = Turn("search", TREE, SECRET, by="openrouter")
    outcome = Outcome(turn, Tally(2, 80, 600), "", Tally(1, 10, 100), millis=1250.0)

    found = written(lambda: telemetry.turned(ALICE, "products", outcome))

    (line,) = [each for each in found if each.get("message") == "turn"]
    assert (line["intent"], line["by"], line["micros"]) == ("search", "openrouter", 700)
    counted = {k: v for each in found for k, v in each.items() if k.startswith("Turn")}
    assert {"TurnCalls": [2.0], "TurnRetries": [1.0]}.items() <= counted.items()
    assert {"TurnTokens": [90.0], "TurnMicros": [700.0]}.items() <= counted.items()
    assert {"TurnByLexicon": [0.0], "TurnLatency": [1250.0]}.items() <= counted.items()
    assert [each["GateCalls"] for each in found if "GateCalls" in each] == [[1.0]]
    assert SECRET not in json.dumps(found)


@pytest.mark.parametrize("work", [lambda: None, lambda: 1 / 0])
def test_latency_is_measured_whatever_happens(written: Any, work: Any) -> None:
    found = written(work)

    assert [each for each in found if "Latency" in each]
