from __future__ import annotations

import json
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from infra.local import typesense as engine

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def halves(tmp_path: Path) -> list[Path]:
    package = tmp_path / "package"
    package.mkdir()
    made = [package / "one", package / "two"]
    for half, content in zip(made, (b"head ", b"tail"), strict=True):
        half.write_bytes(content)
    return made


def block(halves: list[Path]) -> None:
    """Make the package's folder refuse the joined file, for root too."""
    name = f"typesense-server-{engine.VERSION}"
    (halves[0].parent / name).with_suffix(".lock").mkdir()


def test_it_answers_to_its_own_key_alone(typesense: engine.Node) -> None:
    assert engine._answers(typesense)
    assert not engine._answers(engine.Node(typesense.url, "another"))


def test_it_is_the_pinned_version(typesense: engine.Node) -> None:
    request = urllib.request.Request(  # noqa: S310 - our own loopback address
        f"{typesense.url}/debug", headers={"X-TYPESENSE-API-KEY": typesense.key}
    )
    with urllib.request.urlopen(request) as answer:  # noqa: S310 - our own loopback address
        assert json.load(answer)["version"] == "0.24.1"


def test_racing_joins_make_one_whole_server(halves: list[Path], tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(engine.joined, halves, tmp_path) for _ in range(8)]
        found = {job.result() for job in jobs}

    (path,) = found
    assert path.read_bytes() == b"head tail"
    assert path.parent == halves[0].parent
    assert path.stat().st_mode & 0o111


def test_a_read_only_package_is_joined_in_the_cache(
    halves: list[Path], tmp_path: Path
) -> None:
    block(halves)
    cache = tmp_path / "cache"

    path = engine.joined(halves, cache)

    assert path.parent == cache
    assert path.read_bytes() == b"head tail"


def test_half_a_server_is_never_run(halves: list[Path], tmp_path: Path) -> None:
    torn = halves[0].with_name(f"typesense-server-{engine.VERSION}")
    torn.write_bytes(b"head")

    assert engine.joined(halves, tmp_path).read_bytes() == b"head tail"


def test_no_folder_to_join_in_is_told(halves: list[Path], tmp_path: Path) -> None:
    block(halves)
    blocked = tmp_path / "file"
    blocked.touch()

    with pytest.raises(PermissionError, match="no folder to join Typesense in"):
        engine.joined(halves, blocked / "cache")


def test_a_named_server_is_used_and_left_running(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("VITRINE_LOCAL_TYPESENSE_URL", "http://search.example/")
    monkeypatch.setenv("VITRINE_LOCAL_TYPESENSE_KEY", "k")

    node = engine.start()

    assert node == engine.Node("http://search.example", "k")
    node.stop()


def test_a_server_published_to_is_not_played_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("VITRINE_TYPESENSE_URL", "http://search.example/")
    monkeypatch.setattr(engine, "HALVES", ("no_such_half", "nor_this_one"))

    assert engine.start() is None


def test_without_a_package_it_is_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VITRINE_LOCAL_TYPESENSE_URL", raising=False)
    monkeypatch.setattr(engine, "HALVES", ("no_such_half", "nor_this_one"))

    assert engine.start() is None


def test_a_server_that_ends_at_start_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crash = tmp_path / "typesense-server"
    crash.write_text("#!/bin/sh\necho no port\nexit 1\n")
    crash.chmod(0o755)
    monkeypatch.delenv("VITRINE_LOCAL_TYPESENSE_URL", raising=False)
    monkeypatch.setattr(engine, "joined", lambda _halves: crash)
    monkeypatch.setattr(engine, "_halves", lambda: [crash, crash])

    with pytest.raises(ChildProcessError, match="no port"):
        engine.start()
