from __future__ import annotations

import json

import pytest

from infra.bench.prompt import main


def test_the_prompt_is_bounded_and_shows_what_is_meant(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([]) == 0

    figures = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert figures["chars_500"] <= 16_000
    assert figures["chars_500"] <= 1.15 * figures["chars_48"]
    assert figures["ratio"] <= 1.15
    assert figures["fields"] > 5_000
    assert figures["field_recall"] >= 0.98
