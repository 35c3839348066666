"""The guide's first minutes: from a private collection to a search, word by word."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from infra import publish
from infra.local.stack import Stack
from tests.integration.handlers.conftest import Post

GUIDE = Path(__file__).parents[3] / "docs" / "publishing.md"
TEXT = GUIDE.read_text("utf-8").partition("## From a running server")[0]
PROFILE = json.loads(re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)[0])
COMMANDS = re.findall(r"-m infra\.publish (.+)", TEXT)
WORDS = {"field": "full_text_search", "operator": "keyword_search", "value": "lamp"}


@pytest.fixture
def run(
    seeded: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[Sequence[str]], int]:
    if seeded.typesense is None:
        pytest.skip("no Typesense on this machine")
    for name, value in seeded.desk().items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    return publish.main


def test_the_guides_first_minutes_end_in_a_search(
    run: Callable[[Sequence[str]], int],
    post: Post,
    token: Callable[..., str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    drafting, rehearsing = map(shlex.split, COMMANDS)

    assert run(drafting) == 0
    draft = json.loads(Path("mine.json").read_text("utf-8"))
    assert draft["profiles"] == {"closed": {"budget": {}}}
    Path("mine.json").write_text(json.dumps(draft | {"profiles": {"closed": PROFILE}}))
    assert run(rehearsing) == 0
    word = re.findall(r"--approve ([0-9a-f]{16})", capsys.readouterr().out)[-1]
    assert run([*rehearsing[:-1], "--approve", word]) == 0

    bearer = token(tenant="newcomer", scope="products_private:read")
    tree = {"type": "group", "operator": "and", "rules": [WORDS]}
    body = {"source": "products_private", "tree": tree, "limit": 5}
    hits = post("/v1/execute", body, bearer).json["hits"]
    assert len(hits) == 5
    assert {"ref", "title", "name", "sku", "as_of"} >= set(hits[0])
    assert "purchase_cost" not in json.dumps(hits)
